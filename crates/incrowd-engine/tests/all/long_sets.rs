//! Sets that are too long to be read: what stands for them holds the fewest others, by trying all there are.

use incrowd_engine::problem::{AttributeSpec, HierarchySource, Problem, ProblemSpec};
use incrowd_engine::table::Table;
use incrowd_engine::value::{Attribute, ClassSummary, Group, Hierarchy, LONGEST_LABEL};
use incrowd_testing::{SeededRng, cases};
use incrowd_verify::{ColumnReader, Label, LabelHierarchy};

/// Names of up to so many characters, each with another first letter, in the order of the alphabet.
fn names(dice: &mut SeededRng, number: usize, longest: u64) -> Vec<String> {
    let name = |at: usize, dice: &mut SeededRng| {
        let first = (b'a' + 2 * at as u8) as char;
        format!("{first}{}", "x".repeat(dice.below(longest) as usize))
    };
    (0..number).map(|at| name(at, dice)).collect()
}

fn attribute(values: &[String], tree: Option<Hierarchy>) -> Attribute {
    let rows: Vec<[&str; 1]> = values.iter().map(|value| [value.as_str()]).collect();
    let mut column = AttributeSpec::new("c");
    column.summary = tree.as_ref().map(|_| ClassSummary::Nodes);
    column.hierarchy = tree.map(HierarchySource::Given);
    let mut spec = ProblemSpec::new(1);
    spec.quasi.push(column);
    let table = Table::from_rows(&["c"], &rows).expect("rows of one field");
    let problem = Problem::of_table(&spec, &table).expect("the problem is sound");
    problem.attributes[0].clone()
}

/// A random set of two values or more.
fn some(dice: &mut SeededRng, of: usize) -> Vec<u32> {
    let mut codes: Vec<u32> = (0..of as u32).collect();
    for _ in 0..dice.below(of as u64 - 1) {
        codes.remove(dice.below(codes.len() as u64) as usize);
    }
    codes
}

fn codes_of(mask: u32) -> Vec<u32> {
    (0..32).filter(|code| mask >> code & 1 == 1).collect()
}

/// The codes that a label contains, as the verifier reads it.
fn read(label: &str, values: &[String], ladder: Option<LabelHierarchy>) -> Vec<u32> {
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    let reader = ColumnReader { ladder, ..ColumnReader::default() };
    let found = reader.contained(&texts, &[(label, None)]);
    assert!(found.labels[0].known, "{label}");
    let inside = |rank: u32| found.labels[0].ranges.iter().any(|r| r.0 <= rank && rank <= r.1);
    (0..values.len() as u32).filter(|&code| inside(found.ranks[code as usize])).collect()
}

/// The characters of a set as text with `...` where it makes it shorter.
fn shortest(values: &[String], codes: &[u32]) -> usize {
    let length = |code: u32| 2 + values[code as usize].chars().count();
    codes
        .chunk_by(|one, other| one + 1 == *other)
        .map(|run| {
            let listed: usize = run.iter().map(|&code| length(code)).sum();
            let ends = length(run[0]) + length(run[run.len() - 1]) + 5;
            if run.len() > 2 { listed.min(ends) } else { listed }
        })
        .sum()
}

#[test]
fn a_label_of_text_holds_the_fewest_values_that_can_be_read() {
    let mut dice = SeededRng::new(11);
    let (mut with_dots, mut blank, mut in_parts) = (0, 0, 0);
    for _ in 0..cases(600) {
        let number = 3 + dice.below(8) as usize;
        let longest = [20, 40, 100][dice.below(3) as usize];
        let values = names(&mut dice, number, longest);
        let attribute = attribute(&values, None);
        let codes = some(&mut dice, number);
        let group = attribute.group(&codes);
        let (shown, label) = (attribute.shown(&group), attribute.label(&group));
        assert_eq!(attribute.shown(&shown), shown, "{label}");
        let plain: usize = codes.iter().map(|&code| 2 + values[code as usize].len()).sum();
        let mask = codes.iter().fold(0u32, |mask, code| mask | 1 << code);
        let all = (1u32 << number) - 1;
        let fits = |held: &u32| shortest(&values, &codes_of(*held)) <= LONGEST_LABEL;
        // Labels name values of the set only.
        let is_named = |held: &u32| {
            let held = codes_of(*held);
            let mut runs = held.chunk_by(|one, other| one + 1 == *other);
            runs.all(|run| [run[0], run[run.len() - 1]].iter().all(|end| codes.contains(end)))
        };
        let others = (0..all).filter(|held| held & mask == mask).filter(is_named).filter(fits);
        let fewest = match plain <= LONGEST_LABEL {
            true => Some(codes.len() as u32),
            false => others.map(u32::count_ones).min(),
        };
        let Some(fewest) = fewest else {
            assert_eq!(shown, Group::Blank, "{label}");
            blank += 1;
            continue;
        };
        assert_eq!(attribute.size(&shown) as u32, fewest, "{label} of {codes:?}");
        assert!(label.chars().count() <= LONGEST_LABEL, "{label}");
        let held = read(&label, &values, None);
        assert!(held.iter().all(|&code| attribute.contains(&shown, code)), "{label}");
        assert_eq!(held.len() as u32, fewest, "{label}");
        with_dots += usize::from(label.contains("..."));
        in_parts += usize::from(matches!(Label::parse(&label), Label::Ranges(_)));
    }
    assert!(with_dots > 0 && blank > 0 && in_parts > 0, "{with_dots} {blank} {in_parts}");
}

#[test]
fn a_set_of_nodes_says_the_fewest_leaves_that_can_be_read() {
    let mut dice = SeededRng::new(12);
    let (mut nodes_seen, mut mixed) = (0, 0);
    for _ in 0..cases(600) {
        let number = 3 + dice.below(7) as usize;
        let longest = [12, 30, 60][dice.below(3) as usize];
        let values = names(&mut dice, number, longest);
        let groups = 2 + dice.below(3) as usize;
        let named: Vec<String> = (0..groups)
            .map(|at| format!("N{at}{}", "y".repeat(dice.below(longest) as usize)))
            .collect();
        let mut group = 0;
        let rows: Vec<[String; 3]> = values
            .iter()
            .map(|value| {
                group = (group + dice.below(2) as usize).min(groups - 1);
                [value.clone(), named[group].clone(), "*".to_owned()]
            })
            .collect();
        // Some leaves do not occur.
        let gone = dice.below(number as u64) as usize;
        let occurring: Vec<String> = values
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != gone || number < 4)
            .map(|(_, value)| value.clone())
            .collect();
        let attribute =
            attribute(&occurring, Some(Hierarchy::from_rows(&rows).expect("a hierarchy")));
        let codes = some(&mut dice, occurring.len());
        let group = attribute.group(&codes);
        let (shown, label) = (attribute.shown(&group), attribute.label(&group));
        assert_eq!(attribute.shown(&shown), shown, "{label}");
        // Every node: its label, its leaves, and the codes below it.
        let below = |is_below: &dyn Fn(&[String; 3]) -> bool| {
            let codes = occurring
                .iter()
                .enumerate()
                .filter(|(_, value)| rows.iter().any(|row| row[0] == **value && is_below(row)));
            codes.fold(0u32, |mask, (code, _)| mask | 1 << code)
        };
        let mut known: Vec<(usize, usize, u32)> = Vec::new();
        for value in &occurring {
            known.push((value.len(), 1, below(&|row| row[0] == *value)));
        }
        for name in &named {
            let leaves = rows.iter().filter(|row| row[1] == *name).count();
            known.push((name.len(), leaves, below(&|row| row[1] == *name)));
        }
        let mask = codes.iter().fold(0u32, |mask, code| mask | 1 << code);
        let whole = number;
        let mut fewest = whole;
        for chosen in 1u32..1 << known.len() {
            let parts = || known.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
            let length: usize = parts().map(|(_, node)| 2 + node.0).sum();
            let single = chosen.count_ones() == 1;
            let held = parts().fold(0, |mask, (_, node)| mask | node.2);
            if held & mask == mask && (length <= LONGEST_LABEL || single) {
                fewest = fewest.min(parts().map(|(_, node)| node.1).sum());
            }
        }
        let leaves_of = |text: &str| match rows.iter().any(|row| row[0] == text) {
            true => 1,
            false if text == "*" => whole,
            false => rows.iter().filter(|row| row[1] == text).count(),
        };
        let told: usize = match Label::parse(&label) {
            Label::Set(elements) => elements.iter().map(|text| leaves_of(text)).sum(),
            _ => leaves_of(&label),
        };
        assert_eq!(told, fewest, "{label} of {codes:?} {rows:?}");
        let ladder =
            LabelHierarchy::from_rows(rows.iter().map(|row| row.iter())).expect("the same");
        let held = read(&label, &occurring, Some(ladder));
        assert!(codes.iter().all(|code| held.contains(code)), "{label} of {codes:?}");
        assert!(held.iter().all(|&code| attribute.contains(&shown, code)), "{label}");
        nodes_seen += usize::from(label.starts_with('N'));
        mixed += usize::from(label.starts_with('{') && label.contains('N'));
    }
    assert!(nodes_seen > 0 && mixed > 0, "{nodes_seen} {mixed}");
}
