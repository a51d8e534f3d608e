//! Whether a release is true to its original.

mod bias;
mod boxes;
mod column_reader;
mod domain;
mod foreign_labels;
mod kd_forest;
mod matching;
mod mismatch;
mod population;

use crate::collected_tables::CollectedTables;
use crate::columns::{QuasiIdentifier, ReleaseForm};
use crate::original_rows::OriginalRows;
use crate::verdict::{OriginalComparison, Violation, ViolationKind, named};
pub(crate) use bias::ColumnShift;
use boxes::ReleasedBoxes;
pub use column_reader::{ColumnContainment, ColumnReader, LabelCover};
use domain::Domain;
use kd_forest::{ForestPoints, KdForest};
use matching::unmatched;
use mismatch::UnmatchedRelease;
pub(crate) use population::fit;

/// What a comparison with the original found.
pub(crate) struct TruthFindings {
    pub(crate) comparison: OriginalComparison,
    pub(crate) violations: Vec<Violation>,
    /// How labels were read that are spelled as other tools do.
    pub(crate) spelled: Vec<String>,
    /// How far shares of categories differ, where that is asked.
    pub(crate) bias: Option<ColumnShift>,
}

/// Matches released to original rows.
pub(crate) fn compare(collected: &CollectedTables, originals: &mut OriginalRows) -> TruthFindings {
    originals.groups.close();
    originals.originals.close();
    originals.released.close();
    let originals = &*originals;
    let requirements = &collected.requirements;
    let domains: Vec<Domain<'_>> = originals
        .contained
        .iter()
        .zip(&originals.originals_of)
        .map(|(&at, values)| {
            let name = &collected.quasi[at].name;
            let (ladder, dates) = (requirements.ladders.get(name), requirements.dates.get(name));
            let order = requirements.orders.get(name).map(Vec::as_slice);
            Domain::new(values, &requirements.missing, ladder, dates, order)
        })
        .collect();
    let boxes = ReleasedBoxes::new(&originals.released, collected, &originals.contained, &domains);
    let mut forest = forest_of(originals, &domains, &boxes);
    let without = unmatched(&boxes, &mut forest);

    let bias = requirements.risks.max_bias.map(|most| {
        let tables =
            bias::ComparedShares { collected, originals, domains: &domains, boxes: &boxes };
        tables.judge(most)
    });
    let lacking: u64 = without.iter().sum();
    let matched = collected.rows.total() - lacking;
    let mut violations = unknown_columns(collected, originals);
    violations.extend(mismatch::violations(
        &UnmatchedRelease { originals, collected, forest: &forest, boxes: &boxes },
        &without,
    ));
    let comparison = OriginalComparison {
        rows: originals.rows.total(),
        matched,
        unmatched: lacking,
        suppressed: originals.rows.total() - matched,
        blank: blank_rows(collected),
        contained: originals.contained.iter().map(|&at| collected.quasi[at].name.clone()).collect(),
        equal: originals.equal.iter().map(|&at| collected.values[at].name.clone()).collect(),
        unchecked: originals.unchecked.clone(),
    };
    TruthFindings { comparison, violations, spelled: spelled(collected, originals, &boxes), bias }
}

/// How labels were read that are spelled as other tools do: the reader must be able to disagree.
fn spelled(
    collected: &CollectedTables,
    originals: &OriginalRows,
    boxes: &ReleasedBoxes<'_>,
) -> Vec<String> {
    let columns = originals.contained.iter().enumerate().filter_map(|(dim, &at)| {
        let QuasiIdentifier { name, form: ReleaseForm::Label(label) } = &collected.quasi[at] else {
            return None;
        };
        let labels = &collected.labels[*label];
        let found = boxes.spelled(dim, labels.iter()).into_iter();
        let found: Vec<String> =
            found.map(|(taken_for, label)| format!("{} as {taken_for}", named(label))).collect();
        (!found.is_empty())
            .then(|| format!("column `{name}` was read as follows: {}", found.join("; ")))
    });
    columns.collect()
}

fn forest_of(
    originals: &OriginalRows,
    domains: &[Domain<'_>],
    boxes: &ReleasedBoxes<'_>,
) -> KdForest {
    let count = originals.originals.len();
    let mut points = ForestPoints {
        groups: Vec::with_capacity(count),
        coords: Vec::with_capacity(count * domains.len()),
        counts: originals.originals.counts().to_vec(),
    };
    for tuple in 0..count {
        let key = originals.originals.key(tuple);
        points.groups.push(key[0]);
        let ranks = key[1..].iter().zip(domains);
        points.coords.extend(ranks.map(|(&code, domain)| domain.rank[code as usize]));
    }
    let dimensions = domains.iter().enumerate();
    let dimensions: Vec<(usize, f64)> =
        dimensions.map(|(dim, domain)| (domain.len(), boxes.typical_side(dim))).collect();
    KdForest::new(&points, &dimensions, originals.groups.len())
}

fn unknown_columns(collected: &CollectedTables, originals: &OriginalRows) -> Vec<Violation> {
    let unknown = originals.unknown.iter().map(|name| Violation {
        kind: ViolationKind::UnknownColumn,
        message: format!(
            "the original has no column `{name}` to compare with; if that is intended, list \
             it as unchecked"
        ),
        column: Some(name.clone()),
        classes: collected.classes.len() as u64,
        rows: collected.rows.total(),
        examples: Vec::new(),
    });
    unknown.collect()
}

fn blank_rows(collected: &CollectedTables) -> u64 {
    let star: Option<Vec<u32>> = collected.labels.iter().map(|labels| labels.find("*")).collect();
    let Some(star) = star else { return 0 };
    let blank = (0..collected.classes.len()).filter(|&class| collected.classes.key(class) == star);
    blank.map(|class| collected.classes.count(class)).sum()
}
