//! Rows with counts, parts that are merged, and what was collected sent elsewhere: all give the verdict
//! of pushing row by row.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use incrowd_verify::{
    Distance, LabelHierarchy, Model, Requirements, Result, SensitiveModel, Verdict, Verifier,
    VerifierState,
};
use proptest::prelude::*;

const HEADER: [&str; 4] = ["a", "b", "s", "t"];

/// A row of texts and how often it occurs.
type Counted = ([String; 4], u64);

fn released() -> impl Strategy<Value = Counted> {
    let a = prop::sample::select(vec!["*", "[0-2]", "[1-3]", "{0, 3}", "1", "1.0", "NA", "x"]);
    let b = prop::sample::select(vec!["*", "red", "{red, blue}", "warm", "blue", "", "?"]);
    let s = prop::sample::select(vec!["u", "v", "w", "NA", "null", "1", "1.0"]);
    let t = prop::sample::select(vec!["3", "3.0", "4", "5"]);
    ((a, b, s, t), 0..4_u64).prop_map(|((a, b, s, t), n)| ([a, b, s, t].map(str::to_owned), n))
}

fn original() -> impl Strategy<Value = Counted> {
    let a = prop::sample::select(vec!["0", "1", "1.0", "2", "3", "NA", ""]);
    let b = prop::sample::select(vec!["red", "blue", "green", "?"]);
    let s = prop::sample::select(vec!["u", "v", "w", "NA", "1", "1.00"]);
    let t = prop::sample::select(vec!["3", "4", "4.0", "5"]);
    ((a, b, s, t), 0..4_u64).prop_map(|((a, b, s, t), n)| ([a, b, s, t].map(str::to_owned), n))
}

/// All models; what they compare with is found by themselves.
fn requirements(k: u64, wildcards: bool, models: bool) -> Requirements {
    let mut requirements = Requirements::new(k, ["a", "b"]);
    requirements.wildcards = wildcards;
    let colours = [["red", "warm"], ["blue", "cold"], ["green", "cold"]];
    requirements.ladders.insert("b".to_owned(), LabelHierarchy::from_rows(colours).unwrap());
    let levels = [["3", "low"], ["4", "low"], ["5", "high"]];
    requirements.ladders.insert("t".to_owned(), LabelHierarchy::from_rows(levels).unwrap());
    let close = |distance| Model::TCloseness { t: 0.2, distance };
    if models {
        for column in ["s", "t"] {
            let models = [
                Model::DistinctL(3),
                Model::EntropyL(2.0),
                Model::RecursiveCL { c: 1.5, l: 2 },
                close(Distance::Equal),
                close(Distance::Ordered),
                Model::AlphaK(0.5),
                Model::BasicBeta(0.5),
                Model::EnhancedBeta(0.5),
                Model::DeltaDisclosure(0.5),
            ];
            requirements.models.extend(models.map(|model| SensitiveModel::new(column, model)));
        }
        requirements.models.push(SensitiveModel::new("t", close(Distance::Hierarchical)));
    }
    requirements
}

fn verifier(requirements: &Requirements, compared: bool) -> Verifier {
    let mut verifier = Verifier::new(&HEADER, requirements).unwrap();
    if compared {
        verifier.compare_with(&HEADER).unwrap();
    }
    verifier
}

fn texts(row: &[String; 4]) -> impl Iterator<Item = &str> {
    row.iter().map(String::as_str)
}

fn json(verdict: Result<Verdict>) -> String {
    serde_json::to_string(&verdict.unwrap()).unwrap()
}

/// Both tables row by row, the original first.
fn one_by_one(tables: &Tables, requirements: &Requirements) -> String {
    let mut verifier = verifier(requirements, tables.compared);
    if tables.compared {
        for (row, n) in &tables.original {
            (0..*n).for_each(|_| verifier.push_original(texts(row)).unwrap());
        }
    }
    for (row, n) in &tables.release {
        (0..*n).for_each(|_| verifier.push(texts(row)).unwrap());
    }
    json(verifier.finish())
}

#[derive(Debug, Clone)]
struct Tables {
    release: Vec<Counted>,
    original: Vec<Counted>,
    compared: bool,
}

fn tables() -> impl Strategy<Value = Tables> {
    let release = prop::collection::vec(released(), 0..24);
    let original = prop::collection::vec(original(), 0..24);
    (release, original, any::<bool>()).prop_map(|(release, original, compared)| Tables {
        release,
        original,
        compared,
    })
}

/// The parts of both tables, in rows' order, each in a verifier of its own.
fn parts(tables: &Tables, requirements: &Requirements, cuts: &[usize; 2]) -> Vec<Verifier> {
    let cut = |rows: &[Counted]| {
        let mut ends = cuts.map(|cut| cut % (rows.len() + 1));
        ends.sort_unstable();
        [rows[..ends[0]].to_vec(), rows[ends[0]..ends[1]].to_vec(), rows[ends[1]..].to_vec()]
    };
    let both = cut(&tables.release).into_iter().zip(cut(&tables.original)).zip(10..);
    let part = both.map(|((release, original), number)| {
        let mut verifier = verifier(requirements, tables.compared);
        verifier.set_part(number).unwrap();
        // The release first, to see that it does not matter.
        for (row, n) in &release {
            verifier.push_counted(texts(row), *n).unwrap();
        }
        for (row, n) in original.iter().filter(|_| tables.compared) {
            verifier.push_original_counted(texts(row), *n).unwrap();
        }
        verifier
    });
    part.collect()
}

fn sent(verifier: &Verifier, requirements: &Requirements) -> Verifier {
    let text = serde_json::to_string(&verifier.to_collection()).unwrap();
    let collection: VerifierState = serde_json::from_str(&text).unwrap();
    assert_eq!(collection, verifier.to_collection());
    Verifier::from_collection(&collection, requirements).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(400)))]

    #[test]
    fn counted_merged_and_sent_rows_give_one_verdict(
        tables in tables(),
        k in 1..6_u64,
        (wildcards, models, send) in any::<(bool, bool, bool)>(),
        cuts in any::<[usize; 2]>(),
        order in Just([0_usize, 1, 2]).prop_shuffle(),
        leftwards in any::<bool>(),
    ) {
        let requirements = requirements(k, wildcards, models);
        let expected = one_by_one(&tables, &requirements);

        let mut counted = verifier(&requirements, tables.compared);
        for (row, n) in tables.original.iter().filter(|_| tables.compared) {
            counted.push_original_counted(texts(row), *n).unwrap();
        }
        for (row, n) in &tables.release {
            counted.push_counted(texts(row), *n).unwrap();
        }
        prop_assert_eq!(&json(sent(&counted, &requirements).finish()), &expected);
        prop_assert_eq!(&json(counted.finish()), &expected);

        let mut parts: Vec<Option<Verifier>> =
            parts(&tables, &requirements, &cuts).into_iter().map(Some).collect();
        let [x, y, z] = order.map(|at| {
            let part = parts[at].take().unwrap();
            if send { sent(&part, &requirements) } else { part }
        });
        let merged = if leftwards {
            x.merge(y).unwrap().merge(z).unwrap()
        } else {
            x.merge(y.merge(z).unwrap()).unwrap()
        };
        prop_assert_eq!(&json(sent(&merged, &requirements).finish()), &expected);
        prop_assert_eq!(&json(merged.finish()), &expected);
    }

    /// What is taken up of a spoilt collection can be judged.
    #[test]
    fn spoilt_collections_are_refused_or_judged(
        tables in tables(),
        spoils in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let requirements = requirements(3, false, true);
        let [part, ..] = &parts(&tables, &requirements, &[usize::MAX, usize::MAX])[..] else {
            unreachable!("there are three parts");
        };
        let mut value = serde_json::to_value(part.to_collection()).unwrap();
        for (at, how) in &spoils {
            let mut count = 0;
            each(&mut value, &mut |_| count += 1);
            let (mut seen, at) = (0, at.index(count));
            each(&mut value, &mut |part| {
                if seen == at {
                    spoil(part, *how);
                }
                seen += 1;
            });
        }
        if let Ok(collection) = serde_json::from_value::<VerifierState>(value)
            && let Ok(verifier) = Verifier::from_collection(&collection, &requirements)
        {
            let other = Verifier::from_collection(&collection, &requirements).unwrap();
            let _ = other.merge(verifier).and_then(Verifier::finish);
        }
    }
}

/// Visits a value and all that is in it.
fn each(value: &mut serde_json::Value, visit: &mut impl FnMut(&mut serde_json::Value)) {
    visit(value);
    match value {
        serde_json::Value::Array(list) => list.iter_mut().for_each(|part| each(part, visit)),
        serde_json::Value::Object(map) => map.values_mut().for_each(|part| each(part, visit)),
        _ => {}
    }
}

fn spoil(value: &mut serde_json::Value, how: u8) {
    use serde_json::{Value, json};
    match value {
        Value::Array(list) if how.is_multiple_of(3) => drop(list.pop()),
        Value::Array(list) if how % 3 == 1 => list.extend(list.last().cloned()),
        Value::Array(list) => list.reverse(),
        Value::Number(number) => {
            let number = number.as_u64().unwrap_or(0);
            *value = match how % 5 {
                0 => json!(number.wrapping_add(1)),
                1 => json!(number.wrapping_sub(1)),
                2 => json!(u64::MAX),
                3 => json!(0),
                _ => json!(1_u64 << 40),
            };
        }
        Value::String(text) if how.is_multiple_of(2) => text.push('x'),
        Value::String(text) => *text = "1".to_owned(),
        Value::Bool(flag) => *flag = !*flag,
        _ => *value = json!(7),
    }
}

#[test]
fn more_rows_than_32_bits_count() {
    const MANY: u64 = 1 << 40;
    let mut requirements = Requirements::new(MANY, ["a", "b"]);
    requirements.models = vec![
        SensitiveModel::new("s", Model::EntropyL(1.5)),
        SensitiveModel::new("s", Model::TCloseness { t: 0.5, distance: Distance::Ordered }),
    ];
    let mut verifier = Verifier::new(&HEADER, &requirements).unwrap();
    verifier.compare_with(&HEADER).unwrap();
    for s in ["1", "2"] {
        verifier.push_original_counted(["1", "red", s, "3"], MANY).unwrap();
        verifier.push_original_counted(["2", "red", s, "3"], MANY).unwrap();
        verifier.push_counted(["[1-2]", "red", s, "3"], 2 * MANY - 5).unwrap();
    }
    verifier.push_counted(["1", "blue", "1", "3"], 3).unwrap();
    let verdict = verifier.finish().unwrap();
    assert_eq!((verdict.rows, verdict.k), (4 * MANY - 7, Some(3)));
    let original = verdict.original.as_ref().unwrap();
    assert_eq!((original.matched, original.suppressed), (4 * MANY - 10, 10));
    assert_eq!(verdict.sizes.as_ref().unwrap().max, 4 * MANY - 10);
    let small = &verdict.violations[0].examples[0];
    assert_eq!(small.rows, [4 * MANY - 9, 4 * MANY - 8, 4 * MANY - 7]);
}

#[test]
fn overlapping_boxes_move_many_rows_at_once() {
    const MANY: u64 = 1 << 42;
    let requirements = Requirements::new(2, ["a"]);
    let mut verifier = Verifier::new(&["a"], &requirements).unwrap();
    verifier.compare_with(&["a"]).unwrap();
    for a in ["1", "2", "3", "4"] {
        verifier.push_original_counted([a], MANY).unwrap();
    }
    for (label, rows) in [("[1-2]", 2), ("[2-3]", 1), ("[1-4]", 1)] {
        verifier.push_counted([label], rows * MANY).unwrap();
    }
    let verdict = verifier.finish().unwrap();
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.original.unwrap().matched, 4 * MANY);
}

#[test]
fn too_many_rows_are_an_error() {
    let mut verifier = Verifier::new(&["a"], &Requirements::new(1, ["a"])).unwrap();
    verifier.push_counted(["x"], 0).unwrap();
    verifier.push_counted(["x"], 1 << 47).unwrap();
    let error = verifier.push(["x"]).unwrap_err().to_string();
    assert!(error.contains("more than 140,737,488,355,328 rows"), "{error}");
    assert!(verifier.push_counted(["x"], u64::MAX).is_err());
    assert_eq!(verifier.finish().unwrap().rows, 1 << 47);
}

#[test]
fn parts_of_other_tables_do_not_belong_together() {
    let requirements = requirements(2, false, false);
    let part = || verifier(&requirements, false);
    let refused = |other: Verifier| part().merge(other).err().unwrap().to_string();
    let other = Verifier::new(&["a", "b", "s"], &requirements).unwrap();
    assert!(refused(other).contains("different headers of the release"));
    assert!(refused(verifier(&requirements, true)).contains("different headers of the original"));
    let mut three = requirements.clone();
    three.k = 3;
    assert!(refused(verifier(&three, false)).contains("different requirements"));

    let collection = part().to_collection();
    let error = Verifier::from_collection(&collection, &three).err().unwrap().to_string();
    assert!(error.contains("for other requirements"), "{error}");
    let mut value = serde_json::to_value(&collection).unwrap();
    value["version"] = 2.into();
    let newer: VerifierState = serde_json::from_value(value).unwrap();
    let error = Verifier::from_collection(&newer, &requirements).err().unwrap().to_string();
    assert!(error.contains("version 2, not 1"), "{error}");

    let mut late = part();
    late.push(["1", "red", "u", "3"]).unwrap();
    assert!(late.set_part(3).unwrap_err().to_string().contains("before its first row"));
}
