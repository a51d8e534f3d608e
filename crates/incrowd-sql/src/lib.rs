//! Statement text for databases: saved recodings as SQL, and what counts, recodes and checks in PostgreSQL.
//!
//! Statements need no connection: only the module `postgres`, behind the feature of that name, opens one. What differs between
//! databases is in one [table](Dialect).
//!
//! ```
//! use incrowd_engine::{Algorithm, Control, Method, Problem, ProblemSpec, Table};
//! use incrowd_engine::recoding::SavedRecoding;
//! use incrowd_sql::{Dialect, Script};
//!
//! let rows = [["25", "f"], ["26", "f"], ["31", "m"], ["35", "m"]];
//! let table = Table::from_rows(&["age", "sex"], &rows)?;
//! let problem = Problem::of_table(&ProblemSpec::new(2).quasi("age").quasi("sex"), &table)?;
//! let solution = Method::new("optimal", &[])?.solve(&problem, &Control::new())?;
//! # let Some(recoding) = solution.recoding().cloned() else { unreachable!() };
//! let saved = SavedRecoding {
//!     narrowing: Vec::new(),
//!     version: SavedRecoding::VERSION, k: 2, unit: None, wildcards: false, models: vec![], count_missing: false,
//!     sensitive: vec![], identifying: vec![], plain: vec![], missing: vec![String::new()], treatments: vec![],
//!     attributes: problem.attributes.clone(), recoding,
//! };
//! let sql = Script::new(Dialect::Postgres, "people", "people_release").write(&saved)?;
//! assert!(sql.contains("CREATE TABLE \"people_release\" AS"));
//! assert!(sql.contains("HAVING COUNT(*) < 2"));
//! # Ok::<(), incrowd_engine::Error>(())
//! ```

mod boxes;
mod dialect;
mod global;
mod guard;
mod labels;
mod mapping_tables;
#[cfg(feature = "postgres")]
pub mod postgres;
mod push_down;
mod script;
mod table_expressions;
mod value_sets;
mod value_tables;

pub use dialect::{Dialect, StatementLimits, name_parts};
pub use push_down::{RecodeStatement, count_query, key_expression, key_of, text_expression};
pub use script::{Script, StatementKind};
