//! The risk that people are found in a table: attackers, estimates for the population, and the
//! combinations of columns that single people out.
//!
//! Everything starts from a [`TableClasses`]: the classes of rows that look alike by the quasi-identifiers,
//! whether in an original or in a release.
//!
//! 1. [`ClassSizes`]: how many classes there are of which size.
//! 2. [`AttackerRisk`]: what a prosecutor, a journalist and a marketer can hope for.
//! 3. [`PopulationUniqueness`]: how many people are unique in the population that the table is a sample of.
//! 4. [`JournalistRisk`]: what a release changes for somebody who has the population.
//! 5. [`UniqueCombinations`]: minimal sample uniques, which say why people stand out.
//! 6. [`RecordClasses`]: every record with its class, and what singles it out.
//!
//! [`assess`] looks for all of them at once and makes a [`RiskReport`].
//!
//! ```
//! use incrowd_engine::{Control, FrequencyCounts, Table};
//! use incrowd_assess::risk::{AttackerRisk, TableClasses, UniqueCombinations};
//!
//! let table = Table::from_rows(
//!     &["age", "sex"],
//!     &[["25", "F"], ["25", "F"], ["25", "M"], ["61", "M"]],
//! )?;
//! let names = ["age".to_owned(), "sex".to_owned()];
//! let crowd = TableClasses::new(FrequencyCounts::of_table(&table, &names).unwrap(), &[]);
//! let prosecutor = AttackerRisk::prosecutor(&crowd.sizes(), 0.5);
//! assert_eq!((prosecutor.highest, prosecutor.average, prosecutor.records_at_risk), (1.0, 0.75, 2));
//! let unique = UniqueCombinations::search(&crowd, 2, &Control::default())?;
//! // The age alone gives one person away, both columns together one more.
//! assert_eq!(unique.combinations[0].columns, ["age"]);
//! assert_eq!(unique.combinations[1].columns, ["age", "sex"]);
//! # Ok::<(), incrowd_engine::Error>(())
//! ```

mod attacker;
mod bootstrap;
mod ewens;
mod journalist;
mod minimal_uniques;
mod pitman;
mod population;
mod records;
mod report;
mod sizes;
mod snb;
mod subjects;
mod sums;
mod superpopulation;
mod table_classes;
mod weights;
mod zayatz;

pub use attacker::AttackerRisk;
pub use journalist::JournalistRisk;
pub use minimal_uniques::{
    ColumnShare, KeySize, MinimalCombination, ScoreGroup, UniqueCombinations,
};
pub use population::{Estimate, Estimator, PopulationUniqueness};
pub use records::{RecordClasses, RecordKey, RecordOrder};
pub use report::{
    AssessedTable, JournalistAttack, JournalistBasis, LabelFigures, MarketerRisk, PopulationFacts,
    PopulationSize, RiskOptions, RiskReport, assess,
};
pub use sizes::{ClassSizes, SizeGroup};
pub use subjects::SubjectFacts;
pub(crate) use sums::ln_gamma;
pub use superpopulation::SuperpopulationModel;
pub use table_classes::{PopulationMatch, TableClasses};
pub use weights::{SurveyWeights, WeightFacts};
