//! What each fuzz target does with its input. Whatever the bytes, nothing may panic, and what is
//! accepted must survive being written and read again.

use std::path::Path;

use incrowd_engine::problem::HierarchySource;
use incrowd_engine::table::Dictionary;
use incrowd_engine::value::{Bins, Decimal, Domain, DomainRule, MISSING_TOKENS, FittedTransform, ColumnTransform};
use incrowd_engine::{Control, Hierarchy, SavedRecoding, Table};
use incrowd_run::spec::{self, SpecFile, write_spec};
use incrowd_run::{ApplyOptions, Result, UnseenPolicy, data::{CsvEncoder, Order, ReadOptions, Source, read_table}, plan::{load_hierarchy, parse_hierarchy_rows}};
use incrowd_verify::{Requirements, Verifier, ViolationKind};

/// A table: what is read, written and read again is the same table.
pub fn csv(input: &[u8]) {
    let Ok((source, table)) = read(input, None) else { return };
    let names = source.columns();
    assert_eq!(names.len(), table.columns().len());
    let delimiter = source.delimiter().unwrap_or(b',');
    let rows = (0..table.rows()).map(|row| table.columns().iter().map(|c| c.value(row)).collect());
    let text = encoded(delimiter, names, rows);
    // A first name that looks like the start of another format stands behind a blank line only; what looks like a page or
    // like JSON is taken for that even there.
    let again = read(&text, Some(delimiter))
        .or_else(|_| read(&[b"\n", &text[..]].concat(), Some(delimiter)));
    let Ok((again, second)) = again else {
        let first = names.first().map_or("", |name| name.trim_start());
        assert!(first.starts_with(['<', '{', '[']), "what was written can be read: {names:?}");
        return;
    };
    assert_eq!(names, again.columns());
    assert_eq!(table.rows(), second.rows());
    for (one, other) in table.columns().iter().zip(second.columns()) {
        assert!((0..table.rows()).all(|row| one.value(row) == other.value(row)), "{}", one.name);
    }
}

fn read(mut input: &[u8], delimiter: Option<u8>) -> Result<(Source, Table)> {
    let options = ReadOptions { delimiter, threads: Some(1), ..ReadOptions::default() };
    let source = Source::from_reader(&mut input, "input.csv", &options)?;
    let table = read_table(&source, None, &Control::new())?;
    Ok((source, table))
}

fn encoded<'a>(
    delimiter: u8,
    names: &[String],
    rows: impl Iterator<Item = Vec<&'a str>>,
) -> Vec<u8> {
    let encoder = CsvEncoder::new(delimiter, names.len()).expect("a delimiter that was read");
    let mut text = Vec::new();
    encoder.row(names, &mut text);
    text.push(b'\n');
    for row in rows {
        encoder.row(row, &mut text);
        text.push(b'\n');
    }
    text
}

/// A hierarchy: as rows, and as a rule in TOML.
pub fn hierarchy(input: &[u8]) {
    let path = Path::new("hierarchy.csv");
    if let Ok(rows) = parse_hierarchy_rows(input, path)
        && let Ok(tree) = Hierarchy::from_rows(&rows)
    {
        sound(&tree);
    }
    let Ok(text) = str::from_utf8(input) else { return };
    let Ok(rule) = spec::hierarchies::parse_hierarchy(text, Path::new("hierarchy.toml")) else { return };
    match load_hierarchy(&spec::hierarchies::Hierarchy::Rule(rule)) {
        Ok(HierarchySource::Given(tree)) => sound(&tree),
        Ok(HierarchySource::Rule(rule)) => {
            let columns: [&[&str]; 4] = [
                &["-1.5", "0", "7", "20", "1e6"],
                &["4", "47602", "äöü", ""],
                &["1990-03-12", "28.2.1979", "12/24/1975"],
                &["a", "b", "c"],
            ];
            for values in columns {
                let values = values.iter().copied().collect();
                let Ok(coding) = Domain::build("column", &values, &DomainRule::automatic()) else {
                    continue;
                };
                if let Ok(rows) = rule.rows("column", &coding.domain)
                    && let Ok(tree) = Hierarchy::from_rows(&rows)
                {
                    sound(&tree);
                }
            }
        }
        Err(_) => {}
    }
}

/// Every value climbs to the root, level by level, and the rows of a tree make the same tree.
fn sound(tree: &Hierarchy) {
    let leaves: Vec<&str> = tree.leaves().collect();
    for code in 0..leaves.len() as u32 {
        assert_eq!(tree.label(tree.at_level(code, 0)), leaves[code as usize]);
        for level in 0..=tree.height() {
            assert!(tree.codes(tree.at_level(code, level)).contains(&code));
        }
        assert_eq!(tree.at_level(code, tree.height()), tree.root());
    }
    if let Ok(again) = Hierarchy::from_rows(&tree.to_rows()) {
        assert_eq!(leaves, again.leaves().collect::<Vec<_>>());
    }
}

/// The values of a column, one per line: whatever they are, they are ordered, found again, put into bins that hold
/// them, and treated.
pub fn values(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let values: Dictionary = text.lines().collect();
    let missing = MISSING_TOKENS.map(str::to_owned);
    for decimal in [None, Some(','), Some('.')] {
        let bins = [None, Some(Bins { width: 0.3, start: 0.1 })];
        for bins in bins {
            let rule = DomainRule { decimal, bins, ..DomainRule::automatic() };
            let Ok(coding) = Domain::build("column", &values, &rule) else { continue };
            assert_eq!(coding.domain.codes_of(&values, &missing), coding.codes, "{text:?}");
        }
        let number = Decimal::parse;
        let treatments = [
            ColumnTransform { round: number("0.25"), top: number("90"), ..ColumnTransform::default() },
            ColumnTransform {
                breaks: [number("-1"), number("18")].into_iter().flatten().collect(),
                ..ColumnTransform::default()
            },
            ColumnTransform { keep_prefix: Some(3), ..ColumnTransform::default() },
        ];
        for treatment in treatments {
            let all: Vec<&str> = values.iter().collect();
            let made = FittedTransform::new("column", all.iter().copied(), &treatment, &missing, decimal);
            let Ok(treater) = made else { continue };
            for value in all {
                treater.treat(value).expect("a value that was seen");
            }
        }
    }
}

/// A spec: what is accepted means the same when it is written and read again.
pub fn spec(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let path = Path::new("spec.toml");
    match SpecFile::parse(text, path) {
        Ok(file) => {
            let written = write_spec(&file.spec);
            let again = SpecFile::parse(&written, path).expect("what was written can be read");
            assert_eq!(file.spec, again.spec, "{written}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A certificate, and steps of one: nothing above the least cost is confirmed.
pub fn certificate(input: &[u8]) {
    const TABLE: &str = "age,city\n20,Oslo\n21,Oslo\n30,Oslo\n31,Rome\n40,Rome\n41,Rome\n";
    let _ = incrowd_check::check(TABLE.as_bytes(), input);
    let ages = r#"{"name":"age","values":[["20"],["21"],["30"],["31"],["40"],["41"]]"#;
    let cities = r#"{"name":"city","values":[["Oslo"],["Rome"]]"#;
    // Kind, metric, the rest of both columns, the least cost.
    let questions = [
        ("intervals", "dm", ["", ""], 12),
        ("levels", "dm", [r#","levels":[[0,1,2,3,4,5],[0,0,1,1,2,2],[0,0,0,0,0,0]]"#, r#","levels":[[0,1],[0,0]]"#], 12),
        ("groups", "ncp", [r#","price":{"by":"range","whole":0}"#, r#","price":{"by":"set","whole":0}"#], 0),
    ];
    for (kind, metric, [age, city], least) in questions {
        let question = format!(
            r#"{{"kind":"{kind}","metric":"{metric}","k":2,"rows":6,"limit":6,"columns":[{ages}{age}}},{cities}{city}}}],
            "missing":[],"claim":12,"key":"","table":""}}"#
        );
        let question = serde_json::from_str(&question).expect("a question");
        if let Ok(confirmed) = incrowd_check::check_steps(TABLE.as_bytes(), question, input) {
            assert!(confirmed.bound.is_some_and(|bound| bound <= least), "{confirmed}");
        }
    }
}

/// A saved recoding: what is accepted can be written, read again and applied to rows.
pub fn recoding(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let Ok(saved) = SavedRecoding::from_json(text) else { return };
    let again = SavedRecoding::from_json(&saved.to_json()).expect("what was written can be read");
    assert_eq!(saved.to_json(), again.to_json());
    let _ = applied(saved);
}

/// Applies a recoding to rows of its own values; it may be refused, but not bring anything down.
fn applied(saved: SavedRecoding) -> Result<()> {
    let labels = saved.sensitive.iter().map(|label| label.name.clone());
    let names: Vec<String> =
        saved.attributes.iter().map(|a| a.name.clone()).chain(labels).collect();
    let rows = (0..12usize).map(|row| {
        let values = saved.attributes.iter().enumerate().map(|(at, attribute)| {
            let size = attribute.domain.len().max(1);
            attribute.domain.label(((row * (at + 1)) % size) as u32)
        });
        values.chain(saved.sensitive.iter().map(|_| ["a", "b", "c"][row % 3])).collect()
    });
    let text = encoded(b',', &names, rows);
    let (source, _) = read(&text, Some(b','))?;
    let folder = tempfile::tempdir().map_err(|e| incrowd_run::Error::new(e.to_string()))?;
    let apply = ApplyOptions {
        recoding: saved,
        unseen: UnseenPolicy::Suppress,
        output: Some(folder.path().join("release.csv")),
        delimiter: None,
        order: Order::Shuffled { seed: 1.into() },
        suppressed: incrowd_engine::SuppressionMode::Drop,
        earlier: Vec::new(),
    };
    incrowd_run::apply(&apply, &source, &Control::new()).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every seed is good input: it is accepted, and all the checks run on it.
    #[test]
    fn seeds_pass() {
        let targets: [(&str, fn(&[u8]), fn(&[u8]) -> bool); 4] = [
            ("csv", csv, |input| read(input, None).is_ok()),
            ("hierarchy", hierarchy, |input| {
                let rows = parse_hierarchy_rows(input, Path::new("seed"));
                rows.is_ok_and(|rows| Hierarchy::from_rows(&rows).is_ok())
                    || str::from_utf8(input)
                        .is_ok_and(|text| spec::hierarchies::parse_hierarchy(text, Path::new("seed")).is_ok())
            }),
            ("spec", spec, |input| {
                str::from_utf8(input)
                    .is_ok_and(|text| SpecFile::parse(text, Path::new("seed")).is_ok())
            }),
            ("recoding", recoding, |input| {
                let text = str::from_utf8(input).unwrap_or_default();
                SavedRecoding::from_json(text).is_ok_and(|saved| applied(saved).is_ok())
            }),
        ];
        for (name, run, accepted) in targets {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
            let seeds: Vec<_> =
                std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert!(seeds.len() >= 3, "{name}");
            for seed in seeds {
                let input = std::fs::read(&seed).unwrap();
                run(&input);
                assert!(accepted(&input), "{}", seed.display());
            }
        }
    }
}

/// A released label, read by the verifier against the values on the lines below it: nothing panics, a label contains
/// the value that it is written like, and what cannot be read is never called untruthful.
pub fn labels(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let mut lines = text.split('\n');
    let Some(label) = lines.next() else { return };
    let values: Vec<&str> = lines.take(12).collect();
    let requirements = Requirements::new(1, ["q"]);
    let mut verifier = Verifier::new(&["q"], &requirements).expect("a header of one column");
    verifier.compare_with(&["q"]).expect("before the first row");
    for value in &values {
        verifier.push_original([*value]).expect("one field");
    }
    verifier.push([label]).expect("one field");
    let verdict = verifier.finish().expect("a verdict");
    if values.contains(&label) || (label.trim() == "*" && !values.is_empty()) {
        assert!(verdict.holds, "{verdict}");
    }
    let told = verdict.to_string();
    let unknown = verdict.violations.iter().any(|it| it.kind == ViolationKind::UnknownLabel);
    assert!(!unknown || !told.contains("untruthful value"), "{told}");
    let _ = verdict.without_values().to_string();
}

/// A Parquet file: whatever the bytes, it is read or refused.
#[cfg(feature = "formats")]
pub fn parquet(input: &[u8]) {
    formatted(input, "input.parquet", incrowd_run::data::InputFormat::Parquet);
}

/// A workbook: whatever the bytes, it is read or refused.
#[cfg(feature = "formats")]
pub fn workbook(input: &[u8]) {
    formatted(input, "input.xlsx", incrowd_run::data::InputFormat::Workbook);
}

#[cfg(feature = "formats")]
fn formatted(mut input: &[u8], name: &str, format: incrowd_run::data::InputFormat) {
    let options = ReadOptions {
        format: Some(format),
        threads: Some(1),
        max_expansion: Some(100),
        ..ReadOptions::default()
    };
    // What others wrote may panic on damaged files; that is caught where they are called.
    let Ok(source) = Source::from_reader(&mut input, name, &options) else { return };
    if let Ok(table) = read_table(&source, None, &Control::new()) {
        assert_eq!(source.columns().len(), table.columns().len());
    }
}
