//! A recoding on its way to the rows: what they need of it, and nothing of the search.

use std::collections::BTreeMap;

use incrowd_engine::release::{ClassAssignment, RowCounts, RowDisposition};
use incrowd_engine::value::BLANK;
use incrowd_engine::{FrequencyCounts, Problem, Release};
use incrowd_run::backend::OutputColumn;
use serde::{Deserialize, Serialize};

use super::reading_plan::ReadingPlan;
use super::row_checksum::RowChecksum;

/// Rows that are not released.
pub(super) const DROPPED: u32 = u32::MAX;

/// A recoding on its way to the rows.
#[derive(Serialize, Deserialize)]
pub(super) struct RecodingMessage {
    pub(super) reading: ReadingPlan,
    /// The values of each counted column, and the code of each.
    pub(super) columns: Vec<(Vec<String>, Vec<u32>)>,
    pub(super) domains: Vec<usize>,
    /// The codes of each cell.
    pub(super) cells: Vec<Vec<u32>>,
    /// Joint targets, by their codes; none where they do not matter.
    pub(super) targets: Vec<(Vec<u32>, u32)>,
    pub(super) fates: CellAssignment,
    pub(super) labels: Vec<AttributeLabels>,
    pub(super) released: Vec<RecodedColumn>,
    pub(super) unit: Option<usize>,
    /// What rows' places in the release are drawn from; none where they keep theirs.
    pub(super) key: Option<[u8; 32]>,
    pub(super) parts: BTreeMap<u64, RowChecksum>,
    /// Whether only the number of rows is known of a part, and a part holds all rows of its combinations.
    pub(super) by_rows: bool,
    pub(super) before: BTreeMap<u64, RowCounts>,
}

/// A column of the release.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum RecodedColumn {
    Quasi(usize),
    /// By its place among the columns that are compared.
    Plain(usize),
}

/// What becomes of the rows of each cell: a class, or [`DROPPED`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum CellAssignment {
    Cells(Vec<u32>),
    /// Cell, target, class and how many; sorted by cell and target.
    Shares(Vec<(u32, u32, u32, u64)>),
}

/// What classes show of an attribute. The last label is the blank one.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AttributeLabels {
    pub(super) names: Vec<String>,
    pub(super) labels: Vec<Vec<String>>,
    pub(super) of_class: Vec<u32>,
}

impl RecodingMessage {
    #[allow(clippy::too_many_arguments, reason = "they are what the steps before have made")]
    pub(super) fn new(
        reading: &ReadingPlan,
        problem: &Problem,
        counts: &FrequencyCounts,
        release: &Release,
        columns: &[OutputColumn],
        unit: Option<usize>,
        key: Option<[u8; 32]>,
        parts: BTreeMap<u64, RowChecksum>,
    ) -> Self {
        let classes = release.classes.len() as u32;
        let fate = |disposition: RowDisposition| match disposition {
            RowDisposition::Class(class) => class,
            RowDisposition::Blank => classes,
            RowDisposition::Dropped => DROPPED,
        };
        let fates = match &release.classes.assignment {
            ClassAssignment::Cells(class_of) => {
                let cells = 0..class_of.len() as u32;
                CellAssignment::Cells(
                    cells.map(|cell| fate(release.disposition_of(cell, 0, 0))).collect(),
                )
            }
            ClassAssignment::Shares(shares) => {
                let mut before: (u32, u32, u64) = (u32::MAX, u32::MAX, 0);
                let dealt = shares.iter().map(|share| {
                    if (before.0, before.1) != (share.cell, share.target) {
                        before = (share.cell, share.target, 0);
                    }
                    // What becomes of a quota is what becomes of its first row.
                    let fate = match share.count {
                        0 => DROPPED,
                        _ => fate(release.disposition_of(share.cell, share.target, before.2)),
                    };
                    before.2 += share.count;
                    (share.cell, share.target, fate, share.count)
                });
                CellAssignment::Shares(dealt.collect())
            }
        };
        let width = problem.attributes.len();
        let mut targets: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let columns_of_targets = problem.targets.columns.len();
        if matches!(fates, CellAssignment::Shares(_)) && columns_of_targets > 0 {
            let all = (0..problem.cells.len()).flat_map(|cell| problem.cells.targets(cell));
            for &(target, _) in all {
                let codes = || problem.targets.of(target)[..columns_of_targets].to_vec();
                targets.entry(target).or_insert_with(codes);
            }
        }
        let labels = (0..width).map(|at| {
            let mut labels = release.labels(at).to_vec();
            let mut of_class: Vec<u32> =
                (0..classes).map(|class| release.label_of(at, class)).collect();
            of_class.push(labels.len() as u32);
            labels.push(vec![BLANK.to_owned(); release.names(at).len()]);
            AttributeLabels { names: release.names(at).to_vec(), labels, of_class }
        });
        RecodingMessage {
            reading: reading.clone(),
            columns: used_values(counts, problem),
            domains: problem.domains(),
            cells: (0..width)
                .map(|at| {
                    (0..problem.cells.len()).map(|cell| problem.cells.code(at, cell)).collect()
                })
                .collect(),
            targets: targets.into_iter().map(|(target, codes)| (codes, target)).collect(),
            fates,
            labels: labels.collect(),
            released: columns
                .iter()
                .map(|column| match *column {
                    OutputColumn::Quasi(at) => RecodedColumn::Quasi(at),
                    OutputColumn::Plain(at) => RecodedColumn::Plain(at),
                })
                .collect(),
            unit,
            key,
            parts,
            by_rows: false,
            before: BTreeMap::new(),
        }
    }
}

/// The values of each counted column that rows have, and their codes.
fn used_values(counts: &FrequencyCounts, problem: &Problem) -> Vec<(Vec<String>, Vec<u32>)> {
    let mut used: Vec<Vec<bool>> =
        counts.columns.iter().map(|(_, known)| vec![false; known.len()]).collect();
    counts.cells.for_each(|codes, _| {
        codes.iter().zip(&mut used).for_each(|(&code, used)| used[code as usize] = true);
    });
    let columns = counts.columns.iter().zip(&problem.codebooks).zip(used);
    columns
        .map(|(((_, values), codebook), used)| {
            let there = values.iter().zip(used).filter(|(_, used)| *used);
            there.filter_map(|(value, _)| Some((value.to_owned(), codebook.code(value)?))).unzip()
        })
        .collect()
}
