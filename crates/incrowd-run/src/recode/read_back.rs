//! A written release, read back as its reader understands it.

use std::collections::BTreeMap;

use incrowd_assess::queries::{ReleaseView, ReleasedCell};
use incrowd_engine::recoding::{OUTSIDE, ProfileShare};
use incrowd_engine::release::EquivalenceClasses;
use incrowd_engine::table::Dictionary;
use incrowd_engine::value::{
    Attribute, BLANK, Decimal, Group, GroupSet, MISSING_TOKENS, Scale, ValueBounds,
};
use incrowd_engine::words::thousands;
use incrowd_engine::{FrequencyCounts, Problem, Table};
use incrowd_verify::{Label, LabelSpelling, MaskPiece, RangeEnd};

use crate::{Error, Result};

/// Reads the released quasi-identifiers of a problem's table: single values, ranges, sets, labels of the
/// hierarchies, `*`, numbers such as means, and ranges in two columns.
pub fn read_release(problem: &Problem, release: &Table) -> Result<ReleaseView> {
    let DistinctRows { shown, ids, sizes, .. } = DistinctRows::new(problem, release, &[])?;
    Ok(ReleaseView::new(shown, ids, sizes))
}

/// What a release shows of a quasi-identifier: each label once, and the label of every row.
pub(crate) fn read_attribute(
    attribute: &Attribute,
    release: &Table,
) -> Result<(Vec<ReleasedCell>, Vec<u32>)> {
    let AttributeColumns(names) = AttributeColumns::find(attribute, release)?;
    let columns: Vec<_> = names.iter().filter_map(|name| release.column(name)).collect();
    let reader = LabelReader::new(attribute);
    let mut known: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let (mut shown, mut rows) = (Vec::new(), Vec::with_capacity(release.rows()));
    for row in 0..release.rows() {
        let key: Vec<u32> = columns.iter().map(|column| column.codes[row]).collect();
        rows.push(match known.get(&key) {
            Some(&label) => label,
            None => {
                let texts: Vec<&str> = columns.iter().map(|column| column.value(row)).collect();
                shown.push(reader.read(&texts)?);
                let label = shown.len() as u32 - 1;
                known.insert(key, label);
                label
            }
        });
    }
    Ok((shown, rows))
}

/// The classes of a release, read back.
#[derive(Debug, Clone)]
pub struct SeenClasses {
    /// What each class shows, how many rows it has, and of which joint targets. A number that stands for
    /// others counts as blank.
    pub classes: EquivalenceClasses,
    /// The attributes that show such numbers, means or medians, of which how wide a class is cannot be told.
    pub numbers: Vec<usize>,
}

/// Reads the classes of a release, with the labels of a problem (its class column) as the release has them.
pub fn read_classes(problem: &Problem, release: &Table, missing: &[String]) -> Result<SeenClasses> {
    let labels = &problem.targets.columns;
    let names: Vec<String> = labels.iter().map(|column| column.name.clone()).collect();
    let read = DistinctRows::new(problem, release, &names)?;
    let codings: Vec<Vec<u32>> = labels
        .iter()
        .zip(&read.labels)
        .map(|(column, values)| column.domain.codes_of(values, missing))
        .collect();
    let mut numbers = Vec::new();
    let mut groups: Vec<GroupSet> = Vec::new();
    // What is shown differently but means the same would be one group; a reader tells texts apart, so it stays
    // two: only the place of each shown thing among the groups is needed.
    let mut places: Vec<Vec<u32>> = Vec::new();
    for (at, shown) in read.shown.iter().enumerate() {
        let mut known = GroupSet::new();
        let group = |shown: &ReleasedCell| match shown {
            ReleasedCell::Group(group) => group.clone(),
            ReleasedCell::Number(_) => Group::Blank,
        };
        places.push(shown.iter().map(|shown| known.intern(group(shown))).collect());
        groups.push(known);
        if shown.iter().any(|shown| matches!(shown, ReleasedCell::Number(_))) {
            numbers.push(at);
        }
    }
    let width = problem.attributes.len();
    let mut class_of: BTreeMap<&[u32], u32> = BTreeMap::new();
    let (mut ids, mut shares) = (Vec::new(), Vec::new());
    for (cell, &size) in read.sizes.iter().enumerate() {
        let look = &read.ids[cell * width..(cell + 1) * width];
        let next = class_of.len() as u32;
        let class = *class_of.entry(look).or_insert_with(|| {
            ids.extend(look.iter().zip(&places).map(|(&id, places)| places[id as usize]));
            next
        });
        let values = &read.values[cell * labels.len()..(cell + 1) * labels.len()];
        let codes: Vec<u32> =
            values.iter().zip(&codings).map(|(&value, coding)| coding[value as usize]).collect();
        let Some(label) = (if labels.is_empty() { Some(0) } else { problem.targets.find(&codes) })
        else {
            let found: Vec<&str> =
                values.iter().zip(&read.labels).map(|(&value, known)| known.value(value)).collect();
            return Err(Error::new(format!(
                "the release has rows whose `{}` is `{}`, which the original lacks",
                names.join("`, `"),
                found.join("`, `")
            ))
            .help("the release and the original do not belong together"));
        };
        shares.push(ProfileShare { cell: OUTSIDE, target: label, class, count: size });
    }
    let classes = EquivalenceClasses::seen(groups, ids, shares, &problem.cells);
    if classes.released_rows() > problem.rows {
        return Err(Error::new(format!(
            "the release has {} rows, but the original has only {}",
            thousands(classes.released_rows()),
            thousands(problem.rows)
        ))
        .help("the release and the original do not belong together"));
    }
    Ok(SeenClasses { classes, numbers })
}

/// The distinct rows of a release, as far as its quasi-identifiers and some other columns go.
struct DistinctRows {
    /// What is shown of each attribute, each once.
    shown: Vec<Vec<ReleasedCell>>,
    /// For each distinct row and attribute, what is shown.
    ids: Vec<u32>,
    /// For each distinct row and other column, its value.
    values: Vec<u32>,
    /// The values of the other columns.
    labels: Vec<Dictionary>,
    /// How many rows are so.
    sizes: Vec<u64>,
}

impl DistinctRows {
    fn new(problem: &Problem, release: &Table, others: &[String]) -> Result<Self> {
        let fields: Vec<AttributeColumns> = problem
            .attributes
            .iter()
            .map(|attribute| AttributeColumns::find(attribute, release))
            .collect::<Result<_>>()?;
        let quasi: Vec<String> = fields.iter().flat_map(|fields| fields.0.clone()).collect();
        let names: Vec<String> = quasi.iter().chain(others).cloned().collect();
        let counts = FrequencyCounts::of_table(release, &names)
            .map_err(|name| Error::new(format!("the release has no column `{name}`")))?;
        let mut shown: Vec<Vec<ReleasedCell>> = vec![Vec::new(); fields.len()];
        // What stands in the fields of an attribute, by their codes: each is read once.
        let mut known: Vec<BTreeMap<Vec<u32>, u32>> = vec![BTreeMap::new(); fields.len()];
        let readers: Vec<LabelReader<'_>> =
            problem.attributes.iter().map(LabelReader::new).collect();
        let (mut ids, mut values, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        let mut wrong = None;
        counts.cells.for_each(|codes, count| {
            let mut from = 0;
            for (at, AttributeColumns(names)) in fields.iter().enumerate() {
                let here = &codes[from..from + names.len()];
                let id = known[at].get(here).copied().unwrap_or_else(|| {
                    let texts: Vec<&str> = here
                        .iter()
                        .enumerate()
                        .map(|(field, &code)| counts.columns[from + field].1.value(code))
                        .collect();
                    let read = readers[at].read(&texts).unwrap_or_else(|error| {
                        wrong.get_or_insert(error);
                        ReleasedCell::Group(Group::Blank)
                    });
                    shown[at].push(read);
                    known[at].insert(here.to_vec(), shown[at].len() as u32 - 1);
                    shown[at].len() as u32 - 1
                });
                ids.push(id);
                from += names.len();
            }
            values.extend_from_slice(&codes[from..]);
            sizes.push(count);
        });
        let labels = counts.columns.into_iter().skip(quasi.len()).map(|(_, known)| known).collect();
        match wrong {
            Some(error) => Err(error),
            None => Ok(DistinctRows { shown, ids, values, labels, sizes }),
        }
    }
}

/// The columns of a release that show an attribute: one, or its minimum and maximum.
struct AttributeColumns(Vec<String>);

impl AttributeColumns {
    fn find(attribute: &Attribute, release: &Table) -> Result<Self> {
        let name = &attribute.name;
        let has = |name: &str| release.column(name).is_some();
        if has(name) {
            return Ok(AttributeColumns(vec![name.clone()]));
        }
        let ends = ["_min", "_max"].map(|end| format!("{name}{end}"));
        if ends.iter().all(|end| has(end)) {
            return Ok(AttributeColumns(ends.to_vec()));
        }
        Err(Error::new(format!("the release has no column `{name}`"))
            .help("name the columns that were quasi-identifiers when it was made"))
    }
}

/// Reads what stands for an attribute.
struct LabelReader<'a> {
    attribute: &'a Attribute,
    codes: BTreeMap<&'a str, u32>,
    nodes: BTreeMap<&'a str, u32>,
    /// How numbers are written.
    scale: Scale,
    /// The first code that is a number, and the bounds of all from there on, ascending.
    first: u32,
    bounds: Vec<ValueBounds>,
}

impl<'a> LabelReader<'a> {
    fn new(attribute: &'a Attribute) -> Self {
        let domain = &attribute.domain;
        let codes = 0..domain.len() as u32;
        let mut nodes = BTreeMap::new();
        if let Some(tree) = &attribute.hierarchy {
            // A label that goes all the way up stands for the lowest node that has it.
            nodes.extend((0..tree.nodes()).map(|node| (tree.label(node), node)));
        }
        LabelReader {
            attribute,
            nodes,
            scale: domain.scale().cloned().unwrap_or_default(),
            first: u32::from(domain.missing_code().is_some()),
            bounds: codes.clone().filter_map(|code| domain.bounds(code).copied()).collect(),
            codes: codes.map(|code| (domain.label(code), code)).collect(),
        }
    }

    fn read(&self, texts: &[&str]) -> Result<ReleasedCell> {
        let found = match texts {
            [low, high] if low != high => {
                // An open end stands in its column as a value of its own, such as `90+`.
                let low = self.read_range(low).and_then(|bounds| Some((bounds.low, bounds.high?)));
                let high =
                    self.read_range(high).and_then(|bounds| Some((bounds.low?, bounds.high)));
                low.zip(high)
                    .and_then(|((low, _), (_, high))| self.within(&ValueBounds { low, high }))
            }
            // As the verifier reads them: outer blanks mean nothing.
            [text, ..] => {
                self.label(text).or_else(|| self.label(text.trim())).or_else(|| self.foreign(text))
            }
            [] => None,
        };
        found.ok_or_else(|| {
            let name = &self.attribute.name;
            let text = incrowd_engine::words::value(&texts.join(", "));
            Error::new(format!("the released value {text} of `{name}` cannot be read")).help(
                format!(
                    "name the hierarchy of `{name}` if this is its label; else the two \
                     tables do not belong together"
                ),
            )
        })
    }

    fn label(&self, text: &str) -> Option<ReleasedCell> {
        if let Some(code) = self.code(text) {
            return Some(ReleasedCell::Group(Group::Range { first: code, last: code }));
        }
        if text == BLANK {
            return Some(ReleasedCell::Group(Group::Blank));
        }
        if let Some(&node) = self.nodes.get(text) {
            return Some(ReleasedCell::Group(Group::Node(node)));
        }
        if let Some(range) = self.read_range(text).filter(|range| !range.is_point()) {
            return self.within(&range);
        }
        match Label::parse(text) {
            Label::Set(values) => {
                let mut codes = Vec::new();
                for value in &values {
                    codes.extend(self.element(value)?);
                }
                set_of(codes)
            }
            Label::Ranges(ranges) => {
                let mut codes = Vec::new();
                for (low, high) in &ranges {
                    codes.extend(self.code(low)?..=self.code(high)?);
                }
                set_of(codes)
            }
            Label::Between(low, high) => {
                let (first, last) = (self.code(&low)?, self.code(&high)?);
                (first <= last).then_some(ReleasedCell::Group(Group::Range { first, last }))
            }
            Label::Prefix(beginning) => self.beginning(beginning),
            Label::Everything => Some(ReleasedCell::Group(Group::Blank)),
            // A mean or median need not be a value that occurs.
            _ if self.attribute.domain.is_numeric() => {
                let number = self.read_range(text).and_then(|range| range.low);
                number.map(|number| ReleasedCell::Number(number.to_f64()))
            }
            _ => None,
        }
    }

    /// What an element of a set stands for: a value, or the values below a node of the hierarchy.
    fn element(&self, text: &str) -> Option<std::ops::Range<u32>> {
        if let Some(code) = self.code(text) {
            return Some(code..code + 1);
        }
        let tree = self.attribute.hierarchy.as_ref()?;
        self.nodes.get(text).map(|&node| tree.codes(node))
    }

    /// A label as another tool spells it, by what the verifier takes it for.
    fn foreign(&self, text: &str) -> Option<ReleasedCell> {
        let group = LabelSpelling::of(text).iter().find_map(|spelling| match spelling {
            LabelSpelling::Everything => Some(Group::Blank),
            LabelSpelling::Range(low, high) => self.between(low, high),
            LabelSpelling::Pair(low, high) => {
                let end = |at: &String| RangeEnd { at: Some(at.clone()), included: true };
                self.between(&end(low), &end(high))
            }
            LabelSpelling::Set { elements, .. } => {
                let code = |text: &String| self.code(text.trim());
                of_codes(elements.iter().map(code).collect::<Option<_>>()?)
            }
            LabelSpelling::Mask(pieces) => {
                let missing = self.attribute.domain.missing_code();
                let fits = self.codes.iter().filter(|(text, _)| MaskPiece::fit(pieces, text));
                of_codes(
                    fits.map(|(_, &code)| code).filter(|&code| Some(code) != missing).collect(),
                )
            }
        });
        // What is not told though nobody's value is missing was suppressed.
        let suppressed = || {
            let untold = MISSING_TOKENS.contains(&text.trim());
            (untold && self.attribute.domain.missing_code().is_none()).then_some(Group::Blank)
        };
        group.or_else(suppressed).map(ReleasedCell::Group)
    }

    /// The values from one end to another, where they lie on a scale.
    fn between(&self, low: &RangeEnd, high: &RangeEnd) -> Option<Group> {
        let end = |end: &RangeEnd| match &end.at {
            None => Some(None),
            Some(text) => Some(Some(self.scale.read(text)?.low?)),
        };
        let (from, to) = (end(low)?, end(high)?);
        let after = |bounds: &ValueBounds| match (bounds.low, from) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(at), Some(from)) => {
                if low.included {
                    at >= from
                } else {
                    at > from
                }
            }
        };
        let before = |bounds: &ValueBounds| match (bounds.high, to) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(at), Some(to)) => {
                if high.included {
                    at <= to
                } else {
                    at < to
                }
            }
        };
        let first = self.bounds.partition_point(|bounds| !after(bounds));
        let end = self.bounds.partition_point(before);
        let code = |at: usize| self.first + at as u32;
        (first < end).then(|| Group::Range { first: code(first), last: code(end - 1) })
    }

    /// The values that begin so.
    fn beginning(&self, beginning: &str) -> Option<ReleasedCell> {
        let from =
            self.codes.range(beginning..).take_while(|(text, _)| text.starts_with(beginning));
        let missing = self.attribute.domain.missing_code();
        of_codes(from.map(|(_, &code)| code).filter(|&code| Some(code) != missing).collect())
            .map(ReleasedCell::Group)
    }

    /// The value that is written like this, or the number that is the same.
    fn code(&self, text: &str) -> Option<u32> {
        if let Some(&code) = self.codes.get(text) {
            return Some(code);
        }
        let place = self.scale.read(text)?;
        let at = self.bounds.partition_point(|bounds| bounds.low < place.low);
        (self.bounds.get(at) == Some(&place)).then_some(self.first + at as u32)
    }

    /// What a label says of numbers: a number, `[16-20]`, `[-4 to 0]`, `90+`, `<=18`, `<0`.
    fn read_range(&self, text: &str) -> Option<ValueBounds> {
        self.scale.read_released(text)
    }

    /// The values inside a range.
    fn within(&self, range: &ValueBounds) -> Option<ReleasedCell> {
        let from = self.bounds.partition_point(|bounds| bounds.low < range.low);
        let inside = |high: Option<Decimal>| match (high, range.high) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(high), Some(end)) => high <= end,
        };
        let to = self.bounds.partition_point(|bounds| inside(bounds.high));
        let code = |at: usize| self.first + at as u32;
        (from < to)
            .then(|| ReleasedCell::Group(Group::Range { first: code(from), last: code(to - 1) }))
    }
}

/// Values as a set, if there are any.
fn set_of(mut codes: Vec<u32>) -> Option<ReleasedCell> {
    codes.sort_unstable();
    codes.dedup();
    (!codes.is_empty()).then(|| ReleasedCell::Group(Group::Set(codes.into())))
}

/// Values as a group: a range where they are neighbours.
fn of_codes(mut codes: Vec<u32>) -> Option<Group> {
    codes.sort_unstable();
    codes.dedup();
    let (first, last) = (*codes.first()?, *codes.last()?);
    Some(if (last - first) as usize + 1 == codes.len() {
        Group::Range { first, last }
    } else {
        Group::Set(codes.into())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_assess::queries::Workload;
    use incrowd_engine::problem::HierarchySource;
    use incrowd_engine::value::{ClassSummary, HierarchyRule};
    use incrowd_engine::{Algorithm, Control, Method, ProblemSpec, Release, SuppressionMode};

    use super::*;

    /// A release that was written and read back answers as the release itself, however it was released.
    #[test]
    fn a_release_read_back_answers_the_same() {
        let field = |row: usize| -> [String; 3] {
            let zip =
                if row % 19 == 4 { "?".to_owned() } else { format!("537{:02}", row * 7 % 40) };
            [(20 + row * 11 % 60).to_string(), format!("job {}, x", row % 9), zip]
        };
        let rows: Vec<[String; 3]> = (0..300).map(field).collect();
        let table = Table::from_rows(&["age", "job", "zip"], &rows).unwrap();
        let summaries =
            [ClassSummary::Range, ClassSummary::Mean, ClassSummary::Median, ClassSummary::Columns];
        for summary in summaries {
            let mut spec = ProblemSpec::new(4).quasi("age").quasi("job").quasi("zip");
            spec.quasi[0].summary = Some(summary);
            spec.quasi[2].hierarchy =
                Some(HierarchySource::Rule(HierarchyRule::Prefix(vec![4, 3])));
            let problem = Problem::of_table(&spec, &table).unwrap();
            let solution =
                Method::new("mondrian", &[]).unwrap().solve(&problem, &Control::default()).unwrap();
            let release = Release::of_solution(&problem, &solution, SuppressionMode::Drop).unwrap();
            let written = release.table_in_order(&problem, &table, &table.names()).unwrap();
            let workload = Workload { queries: 200, ..Workload::default() };
            let direct =
                workload.errors(&problem, &ReleaseView::of_release(&problem, &release)).unwrap();
            let read = read_release(&problem, &written).unwrap();
            let again = workload.errors(&problem, &read).unwrap();
            assert!((direct.mean - again.mean).abs() < 1e-9, "{summary:?}: {direct:?} {again:?}");
            assert!((direct.median - again.median).abs() < 1e-9, "{summary:?}");
        }
    }

    #[test]
    fn long_sets_and_sets_of_nodes_are_read_as_they_are_shown() {
        let towns: Vec<[String; 1]> = (0..9)
            .map(|at| [format!("{} town with a rather long name", (b'A' + at) as char)])
            .collect();
        let table = Table::from_rows(&["town"], &towns).unwrap();
        let rows: Vec<[String; 3]> = towns
            .iter()
            .zip(0..)
            .map(|([town], at)| [town.clone(), format!("land {}", at / 3), "*".to_owned()])
            .collect();
        for summary in [ClassSummary::Range, ClassSummary::Nodes] {
            let mut spec = ProblemSpec::new(1).quasi("town");
            if summary == ClassSummary::Nodes {
                let tree = incrowd_engine::Hierarchy::from_rows(&rows).unwrap();
                spec.quasi[0].hierarchy = Some(HierarchySource::Given(tree));
                spec.quasi[0].summary = Some(summary);
            }
            let problem = Problem::of_table(&spec, &table).unwrap();
            let attribute = &problem.attributes[0];
            let mut sets = 0;
            for mask in 3u32..1 << 9 {
                let codes: Vec<u32> = (0..9).filter(|code| mask >> code & 1 == 1).collect();
                let shown = attribute.shown(&attribute.group(&codes));
                let label = attribute.label(&shown);
                let read = LabelReader::new(attribute).read(&[label.as_str()]).unwrap();
                let ReleasedCell::Group(read) = read else { panic!("{label}") };
                for code in 0..9 {
                    let same = attribute.contains(&read, code) == attribute.contains(&shown, code);
                    assert!(same, "{label}: {read:?} {shown:?}");
                }
                sets += usize::from(matches!(read, Group::Set(_)));
            }
            assert!(sets > 20, "{sets}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let table = Table::from_rows(&["job"], &[["a"], ["b"]]).unwrap();
        let problem = Problem::of_table(&ProblemSpec::new(1).quasi("job"), &table).unwrap();
        let released = |text: &str| Table::from_rows(&["job"], &[[text]]).unwrap();
        assert!(read_release(&problem, &released("{a, b}")).is_ok());
        let error = read_release(&problem, &released("{a, c}")).unwrap_err();
        assert!(error.to_string().contains("\"{a, c}\" of `job` cannot be read"), "{error}");
        let other = Table::from_rows(&["work"], &[["a"]]).unwrap();
        assert!(read_release(&problem, &other).is_err());
    }
}
