//! Figures reckoned by hand, and sums over subgroups that must be those of the whole.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use incrowd_engine::release::EquivalenceClasses;
use incrowd_engine::{
    Algorithm, Control, Limit, Method, Problem, ProblemSpec, Release, SuppressionMode, Table,
};
use incrowd_testing::cases;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::column::LabelMembers;
use super::*;

fn near(found: Option<f64>, wanted: f64) {
    let found = found.unwrap();
    assert!((found - wanted).abs() < 1e-9, "{found} is not {wanted}");
}

fn column(
    name: &str,
    labels: &[&str],
    numbers: Option<&[f64]>,
    original: &[u32],
    shown: Vec<LabelMembers>,
    released: &[u32],
) -> AnalysisColumn {
    AnalysisColumn {
        name: name.to_owned(),
        labels: labels.iter().map(|&label| label.to_owned()).collect(),
        numbers: numbers.map(|numbers| numbers.iter().copied().map(Some).collect()),
        missing: None,
        original: original.to_vec(),
        shown,
        released: released.to_vec(),
        penalties: None,
    }
}

/// Categories that are released as they are, or all of them as one set.
fn categories(name: &str, original: &[u32], released: &[u32]) -> AnalysisColumn {
    let shown =
        vec![LabelMembers::Codes(0..1), LabelMembers::Codes(1..2), LabelMembers::Codes(0..2)];
    let mut made = column(name, &["a", "b"], None, original, shown, released);
    made.penalties = Some((1.0, vec![0.0, 0.0, 1.0]));
    made
}

/// The ages 20, 30, 40 and 50, released as [20-30] twice, 40 and *.
fn ages() -> AnalysisColumn {
    let shown = vec![LabelMembers::Codes(0..2), LabelMembers::Codes(2..3), LabelMembers::Nothing];
    let numbers = [20.0, 30.0, 40.0, 50.0];
    let labels = ["20", "30", "40", "50"];
    let mut made = column("age", &labels, Some(&numbers), &[0, 1, 2, 3], shown, &[0, 0, 1, 2]);
    made.penalties = Some((1.0, vec![1.0 / 3.0, 0.0, 1.0]));
    made
}

fn report(columns: Vec<AnalysisColumn>, options: &UsefulnessOptions) -> UsefulnessReport {
    let table = AnalysisTable::new(columns, None).unwrap();
    UsefulnessReport::new(&table, options, None, 1, &Control::default()).unwrap()
}

#[test]
fn means_quantiles_and_distances_by_hand() {
    let found = report(vec![ages()], &UsefulnessOptions::new());
    let age = &found.numbers[0];
    near(age.mean.before, 35.0);
    // 20, 30 and 40 once each.
    near(age.mean.after, 30.0);
    near(age.shift, -5.0 / 125.0f64.sqrt());
    let told: Vec<_> =
        age.quantiles.iter().map(|it| (it.share, it.value.before, it.value.after)).collect();
    assert_eq!(
        told,
        [
            (0.25, Some(20.0), Some(20.0)),
            (0.5, Some(30.0), Some(30.0)),
            (0.75, Some(40.0), Some(40.0))
        ]
    );
    let scale = (2.0f64 * 500.0 / 3.0).sqrt();
    // 5 for [20-30], twice, 0 for 40, and 10 for the blank.
    near(found.il1s, 20.0 / (4.0 * scale));
    let found = report(vec![ages()], &UsefulnessOptions::new().with_same_order(true));
    // The blank was 50, and is taken for 30.
    near(found.il1s, 30.0 / (4.0 * scale));
}

/// Three of four are a before, one of four after: scores of 1/4 and 3/4.
#[test]
fn propensity_scores_by_hand() {
    let found =
        report(vec![categories("c", &[0, 0, 0, 1], &[0, 1, 1, 1])], &UsefulnessOptions::new());
    let score = found.propensity.unwrap();
    near(Some(score.pmse), 0.0625);
    near(score.expected, 0.25 * 0.5 / 8.0);
    near(score.ratio, 4.0);
    near(score.standardized, 3.0 / 2.0f64.sqrt());
    let found = report(vec![categories("c", &[0, 0, 1], &[1, 0, 0])], &UsefulnessOptions::new());
    near(Some(found.propensity.unwrap().pmse), 0.0);
}

#[test]
fn marginals_and_associations_by_hand() {
    let rows: [u32; 8] = [0, 0, 0, 0, 1, 1, 1, 1];
    let swapped: [u32; 8] = [1, 1, 1, 1, 0, 0, 0, 0];
    for (second, score, after) in [
        // The same, nothing in common, and one column in sets: a quarter in each of four places.
        (&rows, 1000.0, 1.0),
        (&swapped, 0.0, 1.0),
        (&[2; 8], 500.0, 0.0),
    ] {
        let columns = vec![categories("x", &rows, &rows), categories("y", &rows, second)];
        let found = report(columns, &UsefulnessOptions::new());
        assert_eq!((found.marginals.len(), found.marginals[0].marginals), (1, 1));
        near(Some(found.marginals[0].score), score);
        let pair = &found.associations[0];
        assert_eq!(pair.measure, AssociationMeasure::CramersV);
        near(Some(pair.before), 1.0);
        near(Some(pair.after), after);
    }
    // Ages 20, 30, 40, 50 of the categories a, a, b, b: means 25 and 45, 400 of 500 between.
    let columns = vec![ages(), categories("c", &[0, 0, 1, 1], &[0, 0, 1, 1])];
    let found = report(columns, &UsefulnessOptions::new());
    near(Some(found.associations[0].before), 0.8f64.sqrt());
}

/// Each of two tables of which one tells all, and what is told of their difference.
#[test]
fn regressions_by_hand() {
    let exact = |codes: u32| (0..codes).map(|code| LabelMembers::Codes(code..code + 1)).collect();
    let numbers = [0.0, 1.0, 2.0, 3.0];
    let labels = ["0", "1", "2", "3"];
    let x = [0, 1, 2, 3];
    let of = |released: &[u32; 4]| {
        let y = column(
            "y",
            &["3", "4", "7", "12"],
            Some(&[3.0, 4.0, 7.0, 12.0]),
            &x,
            exact(4),
            released,
        );
        let x = column("x", &labels, Some(&numbers), &x, exact(4), &x);
        report(vec![x, y], &UsefulnessOptions::new().with_outcomes(vec!["y".to_owned()]))
    };
    let found = of(&[0, 1, 2, 3]);
    let slope = &found.regressions[0].coefficients[0];
    near(Some(slope.before.estimate), 3.0);
    near(Some(slope.before.high - 3.0), 1.959_963_984_540_054 * 0.4f64.sqrt());
    near(Some(found.regressions[0].overlap), 1.0);
    // Turned around: a slope of -3.
    let found = of(&[3, 2, 1, 0]);
    let slope = &found.regressions[0].coefficients[0];
    near(slope.after.map(|it| it.estimate), -3.0);
    near(slope.difference, -6.0 / 0.4f64.sqrt());
    assert_eq!((slope.overlap, found.regressions[0].covered), (0.0, 0.0));
}

#[test]
fn weights_count() {
    let exact: Vec<LabelMembers> = (0..2).map(|code| LabelMembers::Codes(code..code + 1)).collect();
    let of =
        |name: &str| column(name, &["1", "3"], Some(&[1.0, 3.0]), &[0, 1], exact.clone(), &[0, 1]);
    let table = AnalysisTable::new(vec![of("x"), of("w")], Some("w")).unwrap();
    let found =
        UsefulnessReport::new(&table, &UsefulnessOptions::new(), None, 1, &Control::default());
    let found = found.unwrap();
    assert_eq!((found.columns.len(), found.weight.as_deref()), (1, Some("w")));
    near(found.numbers[0].mean.before, 2.5);
    near(found.numbers[0].mean.after, 2.5);
    assert!(AnalysisTable::new(vec![of("x")], Some("w")).is_err());
}

/// Nothing is told of what is not there, and nothing fails.
#[test]
fn blank_constant_and_rare_values_end_in_words() {
    let blank = |name: &str| {
        let shown = vec![LabelMembers::Nothing];
        let mut made =
            column(name, &["1", "2"], Some(&[1.0, 2.0]), &[0, 1, 1, 0], shown, &[0, 0, 0, 0]);
        made.penalties = Some((1.0, vec![1.0]));
        made
    };
    let same = categories("same", &[0, 0, 0, 0], &[0, 0, 0, 0]);
    for columns in
        [vec![blank("x")], vec![blank("x"), blank("y")], vec![same.clone()], vec![same, ages()]]
    {
        for least in [1, 100] {
            let table = AnalysisTable::new(columns.clone(), None).unwrap();
            let options = UsefulnessOptions::new();
            let control = Control::default();
            let found = UsefulnessReport::new(&table, &options, None, least, &control).unwrap();
            let text = serde_json::to_string(&found).unwrap();
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
    let nobody = column("x", &["a"], None, &[0], vec![], &[]);
    assert!(AnalysisTable::new(vec![nobody], None).is_err());
    let options = UsefulnessOptions::new().with_outcomes(vec!["nobody".to_owned()]);
    let table = AnalysisTable::new(vec![ages()], None).unwrap();
    let error = UsefulnessReport::new(&table, &options, None, 1, &Control::default()).unwrap_err();
    assert_eq!(error.message, "\"nobody\" is not a column that is compared");
}

/// Over all values of a column the losses add up to that of the whole release.
#[test]
fn subgroups_add_up_to_the_whole() {
    let mut random = Pcg64Mcg::seed_from_u64(39);
    for case in 0..cases(100) {
        let rows: Vec<[String; 3]> = (0..random.random_range(12..60))
            .map(|_| {
                let mut of = |values: u32| random.random_range(0..values).to_string();
                [of(9), format!("v{}", of(4)), format!("c{}", of(3))]
            })
            .collect();
        let table = Table::from_rows(&["age", "job", "class"], &rows).unwrap();
        let mut spec = ProblemSpec::new(3).quasi("age").quasi("job").class("class");
        spec.limit = Limit::Share(0.3);
        let problem = Problem::of_table(&spec, &table).unwrap();
        let method = ["mondrian", "datafly", "climb"][case as usize % 3];
        let solution =
            Method::new(method, &[]).unwrap().solve(&problem, &Control::default()).unwrap();
        let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Drop) else {
            continue;
        };
        let classes: &EquivalenceClasses = &release.classes;
        let all = subgroup_losses(&problem, &release, &["class"], 1);
        for loss in &all {
            let sum = |of: &dyn Fn(&SubgroupValue) -> f64| loss.values.iter().map(of).sum::<f64>();
            let penalty = sum(&|it| it.rows as f64 * it.gcp.unwrap());
            near(Some(penalty / problem.rows as f64), release.measures.gcp);
            let suppressed = sum(&|it| it.suppressed.unwrap() as f64);
            assert_eq!(suppressed as u64, problem.rows - release.rows());
            let sizes = sum(&|it| {
                (it.rows - it.suppressed.unwrap()) as f64 * it.mean_class_size.unwrap_or(0.0)
            });
            let squares: u64 = classes.released().map(|class| classes.sizes[class].pow(2)).sum();
            near(Some(sizes), squares as f64);
        }
        let few = subgroup_losses(&problem, &release, &["class"], 6);
        let values = few.iter().flat_map(|loss| &loss.values);
        assert!(values.clone().all(|it| it.rows >= 6));
        assert!(values.clone().all(|it| it.suppressed.is_none_or(|n| n == 0 || n >= 6)));
    }
}
