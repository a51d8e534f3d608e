//! What a table gives away, and what a release of it is still good for.
//!
//! Everything here works on tables, counts, problems and releases of [`incrowd_engine`] in memory: nothing reads a
//! file, nothing prints. Results are plain data that can be serialized.
//!
//! - [`inspect`]: what a table is like before anything is done to it, and which role each column probably has.
//! - [`disclose`]: what some columns of a table tell of others.
//! - [`expose`]: what the columns give away that a release leaves as they are.
//! - [`thresholds`]: the numbers by which columns are judged.
//! - [`risk`]: who could be found in a table or a release, and what gives them away.
//! - [`attack`]: what can be guessed of people from a release, compared with people who are not in it.
//! - [`bias`]: how suppression moves the shares of categories.
//! - [`suppression`]: values that suppressed rows take with them, and groups that they come from.
//! - [`differences`]: whom two releases of a growing table tell apart.
//! - [`withheld`]: why rows are suppressed, and what would save them.
//! - [`goals`]: which k and which models suit a purpose.
//! - [`levels`]: what one column less exact would do.
//! - [`queries`]: how far counts taken from a release are from the true ones.
//! - [`classify`]: how well a decision tree predicts a column from a release.
//! - [`usefulness`]: what analysts would find in a release, and what in its original.

pub mod attack;
pub mod bias;
pub mod classify;
pub mod differences;
pub mod disclose;
pub mod expose;
pub mod goals;
pub mod inspect;
pub mod levels;
pub mod queries;
pub mod risk;
pub mod suppression;
pub mod thresholds;
pub mod usefulness;
pub mod withheld;
