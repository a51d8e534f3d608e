//! Releases made block by block, where the combinations are too many for one place.
//!
//! Every block is solved by itself, with the whole table's values, widths and backgrounds of models. Its classes pass, and
//! classes of two blocks that read alike pass together, since every model is closed under union. What a block proves of
//! its own cost says nothing about the whole table: a better release may have classes across the blocks.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use incrowd_engine::auto::ReleaseKind;
use incrowd_engine::{Control, FrequencyCounts, Limit, Method, MethodChoice, Problem, Solution};
use incrowd_run::{Error, Job, Result, RunPlan, data::Source};

use super::block_facts::BlockFacts;
use super::combinations::{CombinationColumns, MarginalCounts};
use super::partial_counts::PartialCounts;
use super::reading_plan::ReadingPlan;
use super::recoding_message::RecodingMessage;
use super::row_checksum::RowChecksum;
use super::solved_run::SolvedRun;
use super::table::{RowSample, expected_labels};
use super::{DistributedRun, PartitionTree, RowRecoder};

/// Counts over the whole table's values.
fn counts_over(reading: &ReadingPlan, margins: &MarginalCounts) -> FrequencyCounts {
    let mut counts = FrequencyCounts::new(reading.counted.iter().map(String::as_str));
    for ((_, known), values) in counts.columns.iter_mut().zip(&margins.columns) {
        values.keys().for_each(|value| _ = known.intern(value));
    }
    counts
}

/// How many rows of the whole table have each code of a counted column.
fn histogram(problem: &Problem, margins: &MarginalCounts, at: usize, domain: usize) -> Vec<u64> {
    let mut rows = vec![0; domain];
    for (value, &count) in &margins.columns[at] {
        let code = problem.codebooks[at].code(value);
        if let Some(to) = code.and_then(|code| rows.get_mut(code as usize)) {
            *to += count;
        }
    }
    rows
}

/// How many rows of the whole table have each value of a sensitive column.
fn overall_rows(
    problem: &Problem,
    margins: &MarginalCounts,
    column: &str,
) -> Option<Vec<(String, u64)>> {
    let at = problem.targets.columns.iter().position(|it| it.name == column)?;
    let domain = &problem.targets.columns[at].domain;
    let rows = histogram(problem, margins, problem.attributes.len() + at, domain.len());
    let labels = (0..domain.len() as u32).map(|code| domain.label(code).to_owned());
    Some(labels.zip(rows).collect())
}

/// Only releases whose classes are found anywhere in the table can be made block by block.
fn check_kind(job: &Job, combinations: u64) -> Result<()> {
    let too_many = |what: &str, help: &str| {
        let combinations = incrowd_engine::words::thousands(combinations);
        Err(Error::new(format!(
            "{combinations} combinations are too many for the driver, and {what}"
        ))
        .help(help))
    };
    if job.problem.unit.is_some() {
        return too_many(
            "units with several rows cannot be protected in blocks",
            "raise most_combinations, or coarsen columns with bins or round",
        );
    }
    if !job.earlier.is_empty() {
        return too_many(
            "a release made in blocks cannot be compared with earlier ones",
            "raise most_combinations, or leave the earlier releases out",
        );
    }
    match job.method.kind() {
        ReleaseKind::Local if !job.write_failing => Ok(()),
        _ => too_many(
            "only releases of the kind local can be made in blocks",
            "use kind=\"local\", raise most_combinations, or coarsen columns with bins or round",
        ),
    }
}

impl DistributedRun {
    /// Prepares a release in blocks: what was counted but for the combinations, and their margins. The refusals are those of
    /// [`solve`](Self::solve).
    pub fn outline(
        mut self,
        reading: &ReadingPlan,
        counted: PartialCounts,
        margins: &MarginalCounts,
        population: Option<&Source>,
        control: &Control,
    ) -> Result<SolvedRun> {
        check_kind(&self.job, margins.combinations)?;
        if counted.rows() != margins.rows {
            return Err(super::row_checksum::differs());
        }
        let mut counts = counts_over(reading, margins);
        let sample = RowSample::new(counted.sample.clone());
        let mut key = vec![0; counts.columns.len()];
        for row in &sample.rows {
            for ((code, (_, known)), value) in
                key.iter_mut().zip(&counts.columns).zip(&row.1.values)
            {
                *code = known.get(value).ok_or_else(super::row_checksum::differs)?;
            }
            counts.cells.add(&key, 1);
        }
        let mondrian = MethodChoice::Named(Method::new("mondrian", &[])?);
        let asked = std::mem::replace(&mut self.job.method, mondrian);
        let counted = counted.with_counts(counts);
        let mut solved = self.solve_for(reading, counted, population, control, margins.rows)?;
        solved.job.method = asked;
        let SolvedRun { searched, judged, table, .. } = &mut solved;
        if let Some(judged) = judged {
            judged.set_overall(|column| overall_rows(searched.problem(), margins, column));
            table.blocks = Some(BlockFacts::default());
        }
        Ok(solved)
    }

    /// Solves one block, of which all counted combinations are given.
    pub fn solve_block(
        &self,
        reading: &ReadingPlan,
        margins: &MarginalCounts,
        block: u64,
        combinations: &RecordBatch,
        key: Option<[u8; 32]>,
        control: &Control,
    ) -> Result<(RowRecoder, BlockFacts)> {
        let mut counts = counts_over(reading, margins);
        let columns = CombinationColumns::new(combinations, counts.columns.len())?;
        let mut codes = vec![0; counts.columns.len()];
        for combination in 0..columns.len() {
            for (at, (code, (_, known))) in codes.iter_mut().zip(&counts.columns).enumerate() {
                let value = columns.text(at, combination);
                *code = known.get(value).ok_or_else(super::row_checksum::differs)?;
            }
            counts.cells.add(&codes, columns.rows(combination));
        }
        let rows = counts.rows();
        let mut job = self.job.clone();
        if let Limit::Rows(limit) = job.problem.limit {
            let share = u128::from(limit) * u128::from(rows) / u128::from(margins.rows.max(1));
            job.problem.limit = Limit::Rows(share as u64);
        }
        let overall = |problem: &Problem, at: usize| {
            let domain = problem.targets.columns[at].domain.len();
            histogram(problem, margins, problem.attributes.len() + at, domain)
        };
        let plan = RunPlan::new(&job, &self.source);
        let found = plan.search_block(&counts, overall, control)?;
        let Some(planned) = found.planned(plan, &counts) else {
            let why = found.why().unwrap_or_default();
            return Err(Error::new(format!("a block of {rows} rows has no release: {why}"))
                .help("raise the suppression limit, or use larger blocks"));
        };
        let (problem, release) = (planned.problem, planned.release);
        let columns = planned.columns()?;
        let parts = BTreeMap::from([(block, RowChecksum { rows, ..RowChecksum::default() })]);
        let recoder = RowRecoder::new(RecodingMessage::new(
            reading,
            problem,
            &counts,
            release,
            &columns.columns,
            columns.unit,
            key,
            parts,
        ))?;
        let labels = expected_labels(release, &columns.columns);
        let method = name_of(found.solution(), &job);
        let facts = BlockFacts::new(problem, release, labels, method);
        Ok((recoder.counted_by_rows(), facts))
    }
}

fn name_of(solution: &Solution, job: &Job) -> String {
    use incrowd_engine::Algorithm;
    let chosen = solution.chosen.as_ref().map(|chosen| chosen.name.clone());
    chosen.unwrap_or_else(|| job.method.info().name.to_owned())
}

impl SolvedRun {
    /// Where the table is to be cut: nowhere yet.
    pub fn cuts(&self) -> PartitionTree {
        PartitionTree::new(self.searched.problem())
    }

    /// Takes what was found in blocks.
    pub fn add_blocks(&mut self, facts: BlockFacts) {
        if let Some(blocks) = &mut self.table.blocks {
            blocks.merge(facts);
        }
    }
}
