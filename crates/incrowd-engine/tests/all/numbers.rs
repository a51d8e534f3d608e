//! Numbers as people have them, from a table to a release that the verifier reads on its own.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use incrowd_engine::problem::HierarchySource;
use incrowd_engine::table::{Column, Dictionary};
use incrowd_engine::value::{
    Bins, ClassSummary, ColumnTransform, Decimal, Domain, DomainRule, FittedTransform,
    HierarchyRule, MISSING_TOKENS, NumberFormat, Scale,
};
use incrowd_engine::{AttributeSpec, Problem, ProblemSpec, Release, SuppressionMode, Table};
use incrowd_verify::{ColumnFormat, LabelHierarchy, NumberStyle, Requirements, Transformation};
use proptest::prelude::*;

use crate::common::{self, rows_of, solve, verdict};

/// How a column of numbers is generalized.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Plain,
    Bins(i32),
    Intervals(i32),
}

#[derive(Debug, Clone)]
struct Numbers {
    format: NumberFormat,
    values: Vec<Option<Decimal>>,
    treatment: ColumnTransform,
}

fn decimal((mantissa, exponent): (i64, i32)) -> Decimal {
    Decimal::new(mantissa.into(), exponent).unwrap()
}

fn numbers(rows: usize) -> impl Strategy<Value = Numbers> {
    let formats = prop_oneof![
        Just(NumberFormat::default()),
        Just(NumberFormat::new(',')),
        Just(NumberFormat::new(',').with_groups('.')),
        Just(NumberFormat::new('.').with_groups(',')),
        Just(NumberFormat::new(',').with_groups('\u{202f}')),
        Just(NumberFormat::new('.').with_groups('\'')),
    ];
    // Small numbers that meet, numbers of a few decimals, and numbers beyond 2^53.
    let size =
        prop_oneof![Just((30, 0)), Just((3000, -1)), Just((40_000, -2)), Just((i64::MAX, 0))];
    let value = (any::<i64>(), 0..20_u32);
    let values =
        (size, prop::collection::vec(value, rows)).prop_map(|((size, exponent), values)| {
            let number = |number: i64| match size {
                // Neighbours that one double stands for.
                i64::MAX => (number % 5 + (1 << 60), exponent),
                size => (number % size, exponent),
            };
            let missing =
                |(value, chance): (i64, u32)| (chance > 0).then(|| decimal(number(value)));
            values.into_iter().map(missing).collect()
        });
    let cut = (-400_i64..400, -1..2_i32).prop_map(decimal);
    let cuts = prop::collection::btree_set(cut, 0..4);
    let round = prop::option::of((1_i64..40, -1..2_i32).prop_map(decimal));
    let treatment = (cuts, any::<bool>(), round).prop_map(|(cuts, ends, round)| {
        let cuts: Vec<Decimal> = cuts.into_iter().collect();
        match cuts[..] {
            [bottom, top, ..] if ends => ColumnTransform {
                bottom: Some(bottom),
                top: Some(top),
                round,
                ..ColumnTransform::default()
            },
            _ => ColumnTransform { breaks: cuts, round, ..ColumnTransform::default() },
        }
    });
    let treatment = prop_oneof![Just(ColumnTransform::default()), treatment];
    (formats, values, treatment).prop_map(|(format, values, treatment)| Numbers {
        format,
        values,
        treatment,
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        3 => Just(Shape::Plain),
        1 => (1..40_i32).prop_map(Shape::Bins),
        1 => (1..40_i32).prop_map(Shape::Intervals)
    ]
}

impl Numbers {
    fn texts(&self) -> Vec<String> {
        let text = |value: &Option<Decimal>| match value {
            Some(number) => self.format.show(*number),
            None => "NA".to_owned(),
        };
        self.values.iter().map(text).collect()
    }

    fn treater(&self, column: &Column) -> FittedTransform {
        let missing = MISSING_TOKENS.map(str::to_owned);
        let values = column.dictionary.iter();
        let values: Vec<&str> = values.collect();
        let point = Some(self.format.point());
        FittedTransform::new("c", values.into_iter(), &self.treatment, &missing, point).unwrap()
    }
}

fn told(scale: Option<&Scale>, treater: &FittedTransform) -> ColumnFormat {
    let style = match scale {
        // What values are treated to may show nothing of how the column writes numbers: `80+` does not.
        Some(Scale::Numbers(format)) if treater.treatment().is_none() => {
            NumberStyle { point: format.point(), groups: format.groups() }
        }
        _ => NumberStyle { point: treater.format().point(), groups: treater.format().groups() },
    };
    let treatment = treater.treatment();
    let mut changes = Vec::new();
    changes.extend(treatment.keep_prefix.map(Transformation::Prefix));
    changes.extend(treatment.round.map(|step| Transformation::Round(step.to_string())));
    changes.extend(treatment.top.map(|top| Transformation::Top(top.to_string())));
    changes.extend(treatment.bottom.map(|bottom| Transformation::Bottom(bottom.to_string())));
    if !treatment.breaks.is_empty() {
        let breaks = treatment.breaks.iter().map(ToString::to_string).collect();
        changes.push(Transformation::Breaks(breaks, treater.is_whole()));
    }
    ColumnFormat { style, changes, original: Some("old c".to_owned()) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: incrowd_testing::cases(600), failure_persistence: None, ..ProptestConfig::default() })]

    /// A quasi-identifier and a plain column in any format, treated in any way: the verifier, which is told of format and
    /// treatment and reads labels on its own, finds the release true to the untreated original.
    #[test]
    fn releases_of_any_numbers_are_true((quasi, plain, shape, zips) in (8..40_usize).prop_flat_map(|rows| {
        (numbers(rows), numbers(rows), shape(), prop::collection::vec(0..300_u32, rows))
    })) {
        let (one, two) = (quasi.texts(), plain.texts());
        let rows: Vec<[String; 3]> = (one.iter().zip(&two).zip(&zips))
            .map(|((one, two), zip)| [one.clone(), two.clone(), format!("98{zip}")])
            .collect();
        let original = Table::from_rows(&["old c", "d", "zip"], &rows).unwrap();
        let column = |at: usize| &original.columns()[at];
        let treaters = [quasi.treater(column(0)), plain.treater(column(1))];
        let zip = ColumnTransform { keep_prefix: Some(3), ..ColumnTransform::default() };
        let zip = FittedTransform::new("zip", std::iter::empty(), &zip, &[], None).unwrap();
        let mut first = treaters[0].treat_column(column(0)).unwrap();
        first.name = "c".to_owned();
        let others = [treaters[1].treat_column(column(1)), zip.treat_column(column(2))];
        let mut columns = vec![first];
        columns.extend(others.into_iter().map(Result::unwrap));
        let table = Table::new(columns).unwrap();

        let mut spec = ProblemSpec::new(3);
        let mut c = AttributeSpec::new("c");
        c.rule.decimal = Some(quasi.format.point());
        let is_point = quasi.treatment.breaks.is_empty() && quasi.treatment.top.is_none();
        // Steps of tenths, too fine for numbers beyond 2^53 and 38 digits together.
        let width = |tenths: i32| f64::from(tenths) / 10.0;
        match shape {
            Shape::Bins(tenths) if is_point => {
                c.rule.bins = Some(Bins { width: width(tenths), start: 0.1 });
            }
            Shape::Intervals(tenths) => {
                let widths = vec![width(tenths), width(4 * tenths)];
                c.hierarchy = Some(HierarchySource::Rule(HierarchyRule::Intervals { widths, start: 0.0 }));
                c.summary = Some(ClassSummary::Node);
            }
            _ => {}
        }
        spec.quasi.push(c);
        spec = spec.quasi("zip");
        let problem = match Problem::of_table(&spec, &table) {
            // A column of nothing but missing values has no intervals.
            Err(error) => { prop_assert!(error.message.contains("no hierarchy"), "{}", error); return Ok(()); }
            Ok(problem) => problem,
        };
        let domain = &problem.attributes[0].domain;
        let scale = domain.scale().cloned();
        // Exactly inside, and no digits that nobody wrote.
        let most = quasi.values.iter().flatten().map(|n| n.places()).max().unwrap_or(0).max(1);
        for code in 0..domain.len() as u32 {
            let label = domain.label(code);
            if let (Some(scale), false) = (&scale, domain.missing_code() == Some(code)) {
                let read = scale.read_label(label);
                prop_assert!(read.is_some(), "{} is no number", label);
                for end in read.iter().flat_map(|read| [read.least(), read.most()]) {
                    prop_assert!(end.places() <= most, "{}", label);
                }
            }
        }
        let solution = solve("mondrian", &[], &problem);
        let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop);
        let Some(release) = release else { return Ok(()) };
        let released = release.table_in_order(&problem, &table, &["d"]).unwrap();
        let mut requirements: Requirements = common::requirements(&problem, &common::Ladders::new());
        if let Some(tree) = &problem.attributes[0].hierarchy {
            let ladder = LabelHierarchy::from_rows(tree.to_rows()).unwrap();
            requirements.ladders.insert("c".to_owned(), ladder);
        }
        requirements.told.insert("c".to_owned(), told(scale.as_ref(), &treaters[0]));
        let mut other = told(None, &treaters[1]);
        other.original = None;
        requirements.told.insert("d".to_owned(), other);
        let zip = ColumnFormat { changes: vec![Transformation::Prefix(3)], ..ColumnFormat::default() };
        requirements.told.insert("zip".to_owned(), zip);
        let verdict = verdict(&released, &original, &requirements);
        prop_assert!(verdict.holds, "{}\n{:?}\n{:?}", verdict, rows_of(&original), rows_of(&released));
    }
}

/// Whole numbers beyond 2^53 that differ were merged, and one was released for the other.
#[test]
fn whole_numbers_beyond_doubles_stay_apart() {
    let rows = [["9007199254740992"], ["9007199254740993"], ["9007199254740993"]];
    let table = Table::from_rows(&["id"], &rows).unwrap();
    let problem = Problem::of_table(&ProblemSpec::new(1).quasi("id"), &table).unwrap();
    let domain = &problem.attributes[0].domain;
    assert_eq!((domain.len(), domain.label(1)), (2, "9007199254740993"));
    assert_eq!(domain.range(), 1.0);
}

/// A column that says `90+` already is ordered with its numbers, and joins them as an open end.
#[test]
fn open_ends_in_the_data_are_ordered() {
    let rows = [["17"], ["90+"], ["88"], ["<=5"], ["NA"]];
    let table = Table::from_rows(&["age"], &rows).unwrap();
    let problem = Problem::of_table(&ProblemSpec::new(1).quasi("age"), &table).unwrap();
    let attribute = &problem.attributes[0];
    let labels: Vec<&str> = (0..5).map(|code| attribute.domain.label(code)).collect();
    assert_eq!(labels, ["NA", "<=5", "17", "88", "90+"]);
    let range = |first, last| attribute.label(&incrowd_engine::value::Group::Range { first, last });
    assert_eq!([range(3, 4), range(1, 2), range(2, 3)], ["88+", "<=17", "[17-88]"]);
    assert_eq!(range(1, 4), "*");
}

/// A number beside a range that begins with it: they touch, and each is still itself.
#[test]
fn a_number_is_not_taken_for_the_range_that_begins_with_it() {
    let values: Dictionary = ["[1-21]", "1", "234", "21"].into_iter().collect();
    let rule = DomainRule { missing: Vec::new(), ..DomainRule::automatic() };
    let coding = Domain::build("age", &values, &rule).unwrap();
    assert_eq!(coding.codes, [1, 0, 3, 2]);
    assert_eq!(coding.domain.codes_of(&values, &[]), coding.codes);
}
