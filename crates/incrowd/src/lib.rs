//! The engine of incrowd: k-anonymization with as little information loss as possible.
//!
//! A record is safe when it stands in a crowd of at least k. The engine knows nothing of files,
//! networks or terminals. Data flows through it in this order:
//!
//! 1. [`Table`]: columns of dictionary codes. [`Counts`]: the same for data too large to hold.
//! 2. [`ProblemSpec`] and [`Problem`]: attributes with ordered [`Domain`]s and [`Hierarchy`]s, [`Cells`]
//!    (the distinct combinations with their counts), [`Privacy`], [`Metric`] and [`Limit`].
//! 3. [`Algorithm`], by [`Method`]: searches under a [`Watch`], returns a [`Solution`] with an
//!    [`Outcome`] and a [`Recoding`].
//! 4. [`Release`]: the recoding applied, with its [`Classes`], [`Measures`] and labels. [`Workload`]: how
//!    well it answers questions; [`Classification`]: how well it predicts.
//!
//! ```
//! use incrowd::{Algorithm, Method, Problem, ProblemSpec, Release, Suppressed, Table, Watch};
//!
//! let table = Table::from_rows(
//!     &["age", "zip", "disease"],
//!     &[["25", "53711", "flu"], ["26", "53711", "cold"], ["27", "53710", "flu"], ["28", "53711", "gout"]],
//! )?;
//! let spec = ProblemSpec::new(2).quasi("age").quasi("zip");
//! let problem = Problem::of_table(&spec, &table)?;
//! let solution = Method::new("mondrian", &[])?.solve(&problem, &Watch::default())?;
//! let recoding = solution.recoding.expect("four rows can hide in pairs");
//! let release = Release::new(&problem, &recoding, Suppressed::Drop);
//! let released = release.table(&problem, &table, &[])?;
//! assert_eq!(released.column("age").unwrap().value(0), "[25-26]");
//! assert_eq!(released.column("zip").unwrap().value(2), "[53710-53711]");
//! # Ok::<(), incrowd::Error>(())
//! ```

mod algorithm;
mod attribute;
mod cellwise;
mod chance;
mod classify;
mod cost;
mod cuts;
mod error;
mod groups;
mod local;
mod movable;
mod picture;
mod privacy;
mod problem;
mod queries;
mod recoding;
mod release;
mod risk;
mod solution;
mod structure;
mod table;
mod watch;
mod words;

pub use algorithm::{
    Algorithm, Anneal, Balanced, BestLocal, BottomUp, CellSuppression, Climb, Cluster, Cover,
    Datafly, Direction, Family, FrontierOf, Genetic, GroupsOf, Incognito, KOptimize, LatticeSearch,
    METHODS, Method, MethodInfo, MinGen, Mondrian, Moves, MuArgus, Optimal, OptionInfo,
    OptionValues, Samarati, TopDown,
};
pub use attribute::{ArgusSet, Attribute, BLANK, LevelLimits, Summary};
pub use cellwise::Blanks;
pub use classify::{Classification, ClassificationErrors};
pub use cost::{AverageClassSize, Measures, Metric};
pub use cuts::CutRules;
pub use error::{Error, Result};
pub use local::{Ahead, Along, Cut, Dimension, Mode};
pub use picture::{AttributePicture, Hiding, Picture, SizeBar, ValueBar};
pub use privacy::{Background, Distance, Model, Privacy, Requirement, Tally};
pub use problem::{
    AttributeSpec, HierarchySource, LabelColumn, Labels, Limit, Problem, ProblemSpec,
};
pub use queries::{QueryErrors, Seen, Shown, Workload};
pub use recoding::{
    Assigned, Assignment, Boxes, Classes, Global, Group, Groups, OUTSIDE, Recoding, SavedLabel,
    SavedRecoding, Share,
};
pub use release::{Dealer, Fate, Release, Suppressed};
pub use risk::{
    Attack, ClassSizes, ColumnShare, Combination, Crowd, Estimate, Estimator, JournalistRisk,
    KeySize, Matched, PopulationUniqueness, ScoreGroup, SizeGroup, UniqueCombinations,
};
pub use solution::{
    CoverFacts, FrontierPoint, LatticeFacts, Outcome, RankedNode, Solution, StopReason,
};
pub use structure::{
    Nearest, Structure, StructureAnswer, StructureOutcome, StructureRow, StructureSpec,
    nearest_structure,
};
pub use table::{
    Bins, CellCounter, CellIndex, Cells, Codes, Coding, Column, Counts, DateUnit, Dictionary,
    Domain, DomainRule, Hierarchy, HierarchyFault, HierarchyRule, Kind, MISSING_TOKENS, Nested,
    Table, UNSEEN, parse_number,
};
pub use watch::{Deadline, Never, News, Observe, Silent, Stop, Watch};
pub use words::thousands;
