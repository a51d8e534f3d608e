//! What blocks that were solved one by one add up to.

use incrowd_engine::release::{LossMeasures, SuppressedCounts, SuppressedValues};
use incrowd_engine::{Problem, Release};
use incrowd_run::{Result, RunReport, SearchStatus};
use serde::{Deserialize, Serialize};

use super::messages::travels;
use super::row_checksum::RowChecksum;

/// What was found in some blocks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BlockFacts {
    pub(super) blocks: u64,
    rows: u64,
    cells: u64,
    released: u64,
    suppressed: u64,
    /// The sum of the squares of the classes' sizes.
    squares: u64,
    measures: Option<LossMeasures>,
    pub(super) labels: RowChecksum,
    attributes: Vec<(Vec<u64>, Vec<u64>)>,
    targets: Vec<(Vec<u64>, Vec<u64>)>,
    dropped: u64,
    method: String,
}

travels!(BlockFacts);

impl BlockFacts {
    pub(super) fn new(
        problem: &Problem,
        release: &Release,
        labels: RowChecksum,
        method: String,
    ) -> Self {
        let pairs = |all: Vec<SuppressedCounts>| {
            all.into_iter().map(|it| (it.rows, it.suppressed)).collect()
        };
        let lost = release.lost(problem);
        let sizes = release.classes.released().map(|class| release.classes.sizes[class]);
        BlockFacts {
            blocks: 1,
            rows: problem.rows,
            cells: problem.cells.len() as u64,
            released: release.rows(),
            suppressed: problem.rows - release.classes.released_rows(),
            squares: sizes.fold(0, |sum: u64, n| sum.saturating_add(n.saturating_mul(n))),
            measures: Some(release.measures.clone()),
            labels,
            dropped: lost.dropped,
            attributes: pairs(lost.attributes),
            targets: pairs(lost.targets),
            method,
        }
    }

    /// Adds what was found in others.
    pub fn merge(&mut self, other: BlockFacts) {
        let (here, there) = (self.rows as f64, other.rows as f64);
        let mean = |a: f64, b: f64| (a * here + b * there) / (here + there).max(1.0);
        self.measures = match (self.measures.take(), other.measures) {
            (Some(a), Some(b)) => Some(LossMeasures {
                dm: a.dm.saturating_add(b.dm),
                cm: a.cm.zip(b.cm).map(|(a, b)| a + b),
                cm_share: a.cm_share.zip(b.cm_share).map(|(a, b)| mean(a, b)),
                average: a.average,
                ncp: a.ncp + b.ncp,
                gcp: mean(a.gcp, b.gcp),
                loss: mean(a.loss, b.loss),
                geometric_loss: mean(a.geometric_loss, b.geometric_loss),
                precision: a.precision.zip(b.precision).map(|(a, b)| mean(a, b)),
                entropy: a.entropy + b.entropy,
                blanks: a.blanks + b.blanks,
                released_gcp: mean(a.released_gcp, b.released_gcp),
            }),
            (one, other) => one.or(other),
        };
        let add = |to: &mut Vec<(Vec<u64>, Vec<u64>)>, from: Vec<(Vec<u64>, Vec<u64>)>| {
            if to.is_empty() {
                *to = from;
                return;
            }
            for ((rows, gone), (more, lost)) in to.iter_mut().zip(from) {
                rows.iter_mut().zip(more).for_each(|(to, n)| *to += n);
                gone.iter_mut().zip(lost).for_each(|(to, n)| *to += n);
            }
        };
        add(&mut self.attributes, other.attributes);
        add(&mut self.targets, other.targets);
        self.blocks += other.blocks;
        self.rows += other.rows;
        self.cells += other.cells;
        self.released += other.released;
        self.suppressed += other.suppressed;
        self.squares = self.squares.saturating_add(other.squares);
        self.dropped += other.dropped;
        self.labels.merge(&other.labels);
        if self.method.is_empty() {
            self.method = other.method;
        }
    }

    /// How many rows the blocks have.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn lost(&self) -> SuppressedValues {
        let values = |all: &[(Vec<u64>, Vec<u64>)]| {
            let each = all.iter().cloned();
            each.map(|(rows, suppressed)| SuppressedCounts { rows, suppressed }).collect()
        };
        SuppressedValues {
            attributes: values(&self.attributes),
            targets: values(&self.targets),
            suppressed: self.suppressed,
            dropped: self.dropped,
        }
    }

    /// The report of the whole release, made of one that knows a sample only.
    pub(super) fn told(&self, problem: &Problem, report: RunReport) -> RunReport {
        let classes = report.verdict.as_ref().map_or(0, |verdict| verdict.classes);
        let kept = self.rows - self.suppressed;
        let average = kept as f64 / classes.max(1) as f64;
        let lost = self.suppressed.saturating_mul(self.rows);
        let metrics = self.measures.clone().map(|measures| LossMeasures {
            dm: self.squares.saturating_add(lost),
            average: incrowd_engine::cost::AverageClassSize {
                rows: average,
                relative: average / problem.privacy.k as f64,
            },
            ..measures
        });
        let note = format!(
            "the table was solved in {} blocks, so nothing is proven of the whole table; \
             entropy and geometric loss are sums and means over the blocks",
            self.blocks
        );
        RunReport {
            cost: metrics.as_ref().and_then(|measures| measures.cost(problem.metric)),
            bound: None,
            gap: None,
            proven: None,
            in_words: "feasible".to_owned(),
            outcome: SearchStatus::Feasible,
            method: self.method.clone(),
            rows: self.rows,
            cells: usize::try_from(self.cells).unwrap_or(usize::MAX),
            classes: usize::try_from(classes).unwrap_or(usize::MAX),
            released: self.released,
            suppressed: self.suppressed,
            released_gcp: metrics.as_ref().map(|measures| measures.released_gcp),
            // That of one block says nothing of the table.
            node_labels: None,
            metrics,
            subgroups: Vec::new(),
            unrelated_sets: Vec::new(),
            recoding: Vec::new(),
            auto: None,
            shareable: report
                .shareable
                .map(|told| told.recounted(self.released, self.suppressed).without_proof()),
            nodes: 0,
            notes: report.notes.iter().cloned().chain([note]).collect(),
            ..report
        }
    }
}
