//! Arrow batches counted, recoded and verified: what data frames, databases and clusters speak, without a detour by
//! files.
//!
//! A value's text is what the engine and the verifier know of it; [`TextBuffer`] says what that is for every type. Distinct
//! values become text once. Counting, recoding and verifying go batch by batch, of any size and in any order of
//! calls: [`count_batch`], [`BatchRecoder`], [`verify_batch`].
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
//! use incrowd_engine::{Algorithm, Control, FrequencyCounts, Method, Problem, ProblemSpec, Recoder, Release, SuppressionMode};
//! use incrowd_data::arrow::{BatchRecoder, count_batch};
//!
//! let ages: ArrayRef = Arc::new(Int32Array::from(vec![25, 26, 27, 28]));
//! let ills: ArrayRef = Arc::new(StringArray::from(vec!["flu", "cold", "flu", "gout"]));
//! let batch = RecordBatch::try_from_iter([("age", ages), ("ill", ills)]).unwrap();
//! let spec = ProblemSpec::new(2).quasi("age");
//! let mut counts = FrequencyCounts::new(spec.columns());
//! count_batch(&mut counts, &batch)?;
//! let problem = Problem::build(&spec, &counts)?;
//! let solution = Method::new("mondrian", &[])?.solve(&problem, &Control::new())?;
//! let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
//! let recoder = Recoder::new(&problem, &release);
//! let batches = BatchRecoder::new(&recoder, &["ill"]);
//! let released = batches.recode(&batch, &mut recoder.assigner())?;
//! assert_eq!((released.num_rows(), released.num_columns()), (4, 2));
//! # Ok::<(), incrowd_engine::Error>(())
//! ```

mod batch;
mod text;

pub use batch::{BatchRecoder, count_batch, table_of, verify_batch};
pub use text::{TextBuffer, ValueFault, readable};
