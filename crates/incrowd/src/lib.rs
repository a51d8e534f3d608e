//! The engine of incrowd: k-anonymization with as little information loss as possible.
//!
//! A record is safe when it stands in a crowd of at least k. The engine knows nothing of files,
//! networks or terminals. Data flows through it in this order:
//!
//! 1. [`Table`]: columns of dictionary codes. [`Counts`]: the same for data too large to hold.
//! 2. [`ProblemSpec`] and [`Problem`]: attributes with ordered [`Domain`]s and [`Hierarchy`]s, [`Cells`]
//!    (the distinct combinations with their counts), [`Privacy`], [`Metric`] and [`Limit`].
//! 3. [`Algorithm`], by [`Method`]: searches under a [`Control`], returns a [`Solution`] with an
//!    [`Outcome`] and a [`Recoding`].
//! 4. [`Release`]: the recoding applied, with its [`Classes`], [`Measures`] and labels. What a table gives
//!    away and what a release is good for is told by the crate `incrowd-assess`.
//!
//! ```
//! use incrowd::{Algorithm, Method, Problem, ProblemSpec, Release, Suppressed, Table, Control};
//!
//! let table = Table::from_rows(
//!     &["age", "zip", "disease"],
//!     &[["25", "53711", "flu"], ["26", "53711", "cold"], ["27", "53710", "flu"], ["28", "53711", "gout"]],
//! )?;
//! let spec = ProblemSpec::new(2).quasi("age").quasi("zip");
//! let problem = Problem::of_table(&spec, &table)?;
//! let solution = Method::new("mondrian", &[])?.solve(&problem, &Control::default())?;
//! let recoding = solution.recoding.expect("four rows can hide in pairs");
//! let release = Release::new(&problem, &recoding, Suppressed::Drop);
//! let released = release.table_in_order(&problem, &table, &["disease"])?;
//! assert_eq!(released.column("age").unwrap().value(0), "[25-26]");
//! assert_eq!(released.column("zip").unwrap().value(2), "[53710-53711]");
//! # Ok::<(), incrowd::Error>(())
//! ```

mod cost;
mod kit;
mod method;
mod privacy;
mod problem;
mod recoding;
mod release;
pub mod search;
mod space;
mod structure;
mod table;
mod value;

pub use cost::{AverageClassSize, Metric};
pub use kit::{Error, ErrorKind, Result, thousands, words};
pub use method::{
    Algorithm, Anneal, Balanced, BestLocal, BottomUp, CellSuppression, Climb, Cluster, Cover,
    CrowdOf, Cuts, Datafly, Direction, Distortion, Family, FrontierOf, Genetic, GroupsOf,
    Incognito, Incumbent, KOptimize, Lattice, METHODS, Method, MethodInfo, MinGen, Minimal,
    Mondrian, Moves, MuArgus, Optimal, OptionInfo, OptionValues, RareValues, Samarati,
    SearchHandle, Settings, TopDown,
};
pub use privacy::{Background, Distance, Model, Privacy, Requirement, Tally};
pub use problem::{
    AttributeSpec, HierarchySource, LabelColumn, Labels, Limit, Problem, ProblemSpec,
};
pub use recoding::{Assigned, Boxes, Global, OUTSIDE, Recoding, SavedLabel, SavedRecoding, Share};
pub use release::{
    Assignment, AttributePicture, Blanks, Classes, Disposition, Hiding, Measures, Picture, Recoder,
    Release, RowAssigner, RowNumbers, SizeBar, Suppressed, ValueBar, size_buckets,
};
pub use search::{
    Cancel, Control, CoverFacts, Event, FrontierPoint, LatticeFacts, Outcome, Phase, RankedNode,
    Solution, StopReason,
};
pub use space::cuts::CutRules;
pub use space::rows::{Ahead, Along, Cut, Dimension, Mode};
pub use structure::{
    Existence, Nearest, Structure, StructureAnswer, StructureOutcome, StructureRow, StructureSpec,
    StructureSurvey, SurveyEntry, nearest_structure, survey_structures,
};
pub use table::{
    CellCounter, CellIndex, Cells, Codes, Column, Counts, Dictionary, Table, UNSEEN, Value,
};
pub use value::{
    ArgusSet, Attribute, BLANK, Bins, Coding, DateUnit, Domain, DomainRule, Group, Groups,
    Hierarchy, HierarchyFault, HierarchyRule, Kind, LevelLimits, MISSING_TOKENS, Nested, Summary,
    parse_number, show_number,
};
