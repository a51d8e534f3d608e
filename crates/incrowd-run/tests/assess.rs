//! What the commands tell of tables and releases, asked of the library: the figures are those that the commands show.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use incrowd_assess::inspect::{InspectOptions, LikelyRole};
use incrowd_assess::queries::Workload;
use incrowd_assess::risk::{JournalistBasis, PopulationSize, RiskOptions};
use incrowd_engine::privacy::GroundDistance;
use incrowd_engine::{CancelToken, Control, Model};
use incrowd_run::assess::{
    ClassifyOptions, EvaluateOptions, MetricRefusal, QueryOptions, VerifyOptions,
    classification_of, evaluate, inspect_source, quasi_columns, queries_of, risk_of,
    verify_release,
};
use incrowd_run::data::{ReadOptions, Source};
use incrowd_run::spec::{ColumnSection, Role, Spec, SpecFile, first_spec::draft};

const PEOPLE: &str = "\
name,age,sex,zip,born,disease
Ann,23,F,47677,1990-03-12,flu
Bob,27,M,47602,1991-11-30,angina
Cid,29,M,47678,1990-07-01,flu
Dee,35,F,47905,1985-01-15,cancer
Eve,38,F,47909,1984-06-06,flu
Flo,41,F,47906,1983-09-09,angina
Gus,46,M,47605,1979-02-28,cancer
Hal,52,M,47673,1975-12-24,flu
";

/// A release of these people, four of a sex each.
const RELEASE: &str = "\
age,sex,disease
[23-41],F,flu
[23-41],F,cancer
[23-41],F,flu
[23-41],F,angina
[27-52],M,angina
[27-52],M,flu
[27-52],M,cancer
[27-52],M,flu
";

fn source(text: &str) -> Source {
    Source::from_reader(&mut text.as_bytes(), "table.csv", &ReadOptions::default()).unwrap()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn cancelled() -> Control {
    let cancel = CancelToken::new();
    cancel.cancel();
    Control::new().with_cancel(&cancel)
}

#[test]
fn a_table_is_looked_at() {
    let found = inspect_source(&source(PEOPLE), &InspectOptions::new(), &Control::new()).unwrap();
    let roles: Vec<LikelyRole> = found.columns.iter().map(|column| column.role).collect();
    let quasi = LikelyRole::Quasi;
    let expected = [LikelyRole::Identifying, quasi, quasi, quasi, quasi, LikelyRole::Sensitive];
    assert_eq!(roles, expected);
    let risk = found.risk.unwrap();
    assert_eq!((risk.uniqueness.distinct, risk.uniqueness.unique_rows), (8, 8));
    let empty = inspect_source(&source("a,b\n"), &InspectOptions::new(), &Control::new());
    assert!(empty.unwrap_err().message.ends_with("has no rows"));
    let ended = inspect_source(&source(PEOPLE), &InspectOptions::new(), &cancelled());
    assert!(ended.unwrap_err().is_interrupted());
}

#[test]
fn a_first_spec_is_drafted() {
    let control = Control::new();
    let found = draft(&source(PEOPLE), "people.csv", &InspectOptions::new(), &control).unwrap();
    assert_eq!(found.spec.data.input, Path::new("people.csv"));
    assert_eq!(found.spec.columns_with(Role::Quasi).count(), 4);
    assert_eq!(found.spec.column("name").unwrap().role, Role::Identifying);
    assert!(found.text.contains("The name says `disease`"), "{}", found.text);
    assert_eq!(found.found.rows, 8);
}

#[test]
fn risks_are_those_that_the_command_shows() {
    let quasi = names(&["sex", "age", "zip"]);
    let table = source(PEOPLE);
    let found = risk_of(&table, &quasi, None, &RiskOptions::new(), &Control::new()).unwrap();
    assert_eq!((found.rows, found.classes, found.unique_rows, found.complete), (8, 8, 8, true));
    assert_eq!((found.prosecutor.highest, found.prosecutor.records_at_risk), (1.0, 8));
    let unique = found.unique_combinations.unwrap();
    assert_eq!((unique.singled_out, unique.combinations.len()), (8, 2));

    let crowd = source("age,sex\n1,F\n1,F\n1,F\n2,M\n2,M\n");
    let quasi = names(&["age", "sex"]);
    let options = RiskOptions::new().with_sampling(PopulationSize::Fraction(0.05));
    let found = risk_of(&crowd, &quasi, None, &options, &Control::new()).unwrap();
    let journalist = found.journalist.unwrap();
    assert_eq!(journalist.by, JournalistBasis::Estimate);
    assert_eq!(
        format!("{:.4} {:.4}", journalist.risk.highest, journalist.risk.average),
        "0.0496 0.0360"
    );
    assert_eq!(
        found.notes,
        [
            "Pitman's formula does not fit; the journalist's risk is by Ewens' model instead",
            "5 rows are few for an estimate of the population"
        ]
    );

    // The table as its own population: a journalist is a prosecutor.
    let met = risk_of(&crowd, &quasi, Some(&crowd), &RiskOptions::new(), &Control::new()).unwrap();
    assert_eq!(met.journalist.unwrap().risk, met.prosecutor);
    assert_eq!(met.population.unwrap().people, 5);

    let people = RiskOptions::new().with_sampling(PopulationSize::People(4));
    assert!(risk_of(&crowd, &quasi, None, &people, &Control::new()).is_err());
    let threshold = RiskOptions::new().with_threshold(0.0);
    assert!(risk_of(&crowd, &quasi, None, &threshold, &Control::new()).is_err());
    let ended = risk_of(&crowd, &quasi, None, &RiskOptions::new(), &cancelled());
    assert!(ended.unwrap_err().is_interrupted());
}

#[test]
fn quasi_identifiers_may_be_two_columns() {
    let table = source("age_min,age_max,sex\n1,2,F\n");
    let columns = quasi_columns(&table, &names(&["age", "sex"])).unwrap();
    assert_eq!(columns, ["age_min", "age_max", "sex"]);
    assert!(quasi_columns(&table, &names(&["age", "age_min"])).is_err());
    assert!(quasi_columns(&table, &names(&["zip"])).is_err());
    assert!(quasi_columns(&table, &[]).is_err());
}

#[test]
fn a_release_is_measured() {
    let mut spec = Spec::new(
        Path::new("people.csv"),
        vec![ColumnSection::new("age", Role::Quasi), ColumnSection::new("sex", Role::Quasi)],
        4,
    );
    spec.columns.push(ColumnSection::new("disease", Role::Class));
    let spec = SpecFile::from_spec(spec, Path::new("spec.toml")).unwrap();
    let (original, release) = (source(PEOPLE), source(RELEASE));
    let control = Control::new();
    let found = evaluate(&spec, &original, &release, &EvaluateOptions::new(), &control).unwrap();
    assert_eq!((found.rows, found.released, found.suppressed, found.classes), (8, 8, 0, 2));
    // Two classes of four, in each of which two do not have the most frequent disease.
    assert_eq!((found.k, found.metrics.dm, found.metrics.cm), (4, 32, Some(4)));
    assert_eq!(found.refused, [MetricRefusal::NoHierarchy]);
    assert_eq!(found.columns[1].kept, Some(1.0));
    assert!(found.queries.is_none() && found.classification.is_none());
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["refused"][0], "Precision needs a hierarchy: name some with --hierarchy.");
    assert_eq!((&json["metrics"]["dm"], &json["metrics"]["precision"]), (&32.into(), &().into()));

    let few = EvaluateOptions::all().with_k(Some(2)).with_classification(None);
    let found = evaluate(&spec, &original, &release, &few, &control).unwrap();
    assert_eq!((found.k, found.metrics.c_avg), (2, 2.0));
    assert_eq!(found.queries.unwrap().errors.queries, 1_000);
    let ended = evaluate(&spec, &original, &release, &few, &cancelled());
    assert!(ended.unwrap_err().is_interrupted());
}

#[test]
fn questions_are_asked() {
    let workload = Workload { queries: 50, ..Workload::default() };
    let options = QueryOptions::new(["age", "sex"]).with_workload(workload);
    let (original, release) = (source(PEOPLE), source(RELEASE));
    let control = Control::new();
    let found = queries_of(&release, &original, &options, &control).unwrap();
    assert_eq!((found.rows, found.released, found.errors.queries), (8, 8, 50));
    assert!(found.errors.mean > 0.0);
    let exact = queries_of(&original, &original, &options, &control).unwrap();
    assert_eq!((exact.errors.mean, exact.errors.median), (0.0, 0.0));
}

#[test]
fn columns_are_predicted() {
    let rows: String = (0..60).map(|at| format!("{},{}\n", at % 20, at % 20 < 8)).collect();
    let table = source(&format!("age,young\n{rows}"));
    let options = ClassifyOptions::new(["age"], "young");
    let found = classification_of(&table, Some(&table), &options, &Control::new()).unwrap();
    assert_eq!((found.release.rows, found.release.wrong), (60, 0));
    assert_eq!(found.with_suppressed.unwrap().suppressed, 0);
    let missing = ClassifyOptions::new(["age"], "old");
    assert!(classification_of(&table, None, &missing, &Control::new()).is_err());
}

#[test]
fn releases_are_verified() {
    let (original, release) = (source(PEOPLE), source(RELEASE));
    let control = Control::new();
    let options = VerifyOptions::new(4, ["age", "sex"])
        .with_identifying(names(&["name"]))
        .with_sensitive(names(&["disease"]))
        .with_model("disease", Model::DistinctL { l: 3 })
        .with_model("disease", Model::TCloseness { t: 0.5, distance: GroundDistance::Ordered });
    let verdict = verify_release(&release, Some(&original), &options, &control).unwrap();
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.k, Some(4));
    let options = VerifyOptions::new(2, ["age", "sex", "zip"]);
    let verdict = verify_release(&original, None, &options, &control).unwrap();
    assert!(!verdict.holds);
    assert_eq!(verdict.k, Some(1));
    let unknown = VerifyOptions::new(2, ["agee"]);
    assert!(verify_release(&release, None, &unknown, &control).is_err());
}
