//! A table on a cluster, as the pipeline sees it: by what its parts have sent.

use std::collections::BTreeMap;

use incrowd_assess::bias::SuppressionEffect;
use incrowd_assess::expose::{
    Exposure, ExposureCollector, SAMPLE, UnchangedColumn, pair_hash, value_hash,
};
use incrowd_assess::thresholds::people::LOOKED_AT;
use incrowd_engine::release::RowDisposition;
use incrowd_engine::table::ProfileIndex;
use incrowd_engine::{Control, Problem, Release, Table};
use incrowd_run::{
    Error, Job, Result, RunPlan, RunReport,
    backend::{
        FinalRows, LabelPairs, OutputColumn, PreviewScope, ReadBack, ReleasePermit, ReleasePlan,
        ReleasedColumns, SubjectComparison, SubjectEvidence, TableBackend, TableCounts,
        ValueCounts, changed,
    },
    data::{OutputFile, Source, read_table},
};
use incrowd_verify::Requirements;

use super::hash_sample::HashSample;
use super::partial_counts::{CappedHistogram, PartialCounts, SampledRow, SubjectRow, tallied};
use super::reading_plan::ReadingPlan;
use super::row_checksum::{RowChecksum, row_hash};
use super::text_source::text_source;
use super::{BlockFacts, PartialVerification};

/// Rows that are looked at closely, in the order of the table.
pub(super) struct RowSample {
    pub(super) rows: Vec<(u64, SampledRow)>,
    is_all: bool,
}

impl RowSample {
    pub(super) fn new(sample: HashSample<SampledRow>) -> Self {
        let sample = sample.at_most(SAMPLE as usize);
        let is_all = sample.is_all();
        let mut rows = sample.into_kept();
        rows.sort_by_key(|(_, row)| (row.part, row.row));
        RowSample { rows, is_all }
    }

    /// The rows as a table with the columns of another one.
    fn source(&self, reading: &ReadingPlan, like: &Source) -> Result<Source> {
        let compared = reading.compared();
        let columns = like.columns().iter().map(|name| {
            let at = compared.iter().position(|other| other == name);
            let value = |row: &'_ SampledRow| at.map(|at| row.values[at].clone());
            self.rows.iter().map(|(_, row)| value(row)).collect::<Vec<_>>()
        });
        let columns: Vec<Vec<Option<String>>> = columns.collect();
        let columns = columns.iter().map(|values| values.iter().map(Option::as_deref).collect());
        text_source(like.columns().iter(), columns)
    }
}

/// A table on a cluster.
pub(super) struct ClusterTable {
    pub(super) reading: ReadingPlan,
    /// How many rows the table has; those that were counted may be some of them.
    rows: u64,
    counted: Option<PartialCounts>,
    people: Vec<HashSample<SubjectRow>>,
    sample: RowSample,
    sampled: Source,
    pub(super) parts: BTreeMap<u64, RowChecksum>,
    /// The values of the unchanged columns before anything was suppressed.
    values: Vec<CappedHistogram>,
    unchanged: RowChecksum,
    /// The columns of the release.
    pub(super) columns: Option<ReleasedColumns>,
    /// What was seen of the written release, and of the release itself where units stood beside its rows.
    pub(super) checked: Option<(PartialVerification, Option<PartialVerification>)>,
    /// The values of the unchanged columns in the written release.
    values_after: Vec<CappedHistogram>,
    /// What was found in the blocks, where the release is made of blocks and what is here knows a sample only.
    pub(super) blocks: Option<BlockFacts>,
    /// What puts the release in its place.
    pub(super) place: Option<Box<dyn FnOnce() -> Result<()> + Send>>,
}

impl ClusterTable {
    /// A table of so many rows from what was counted of it.
    pub(super) fn new(
        reading: &ReadingPlan,
        mut counted: PartialCounts,
        source: &Source,
        rows: u64,
    ) -> Result<Self> {
        let sample = RowSample::new(std::mem::replace(&mut counted.sample, HashSample::new(1)));
        Ok(ClusterTable {
            reading: reading.clone(),
            rows,
            people: std::mem::take(&mut counted.people),
            sampled: sample.source(reading, source)?,
            sample,
            parts: std::mem::take(&mut counted.parts),
            values: std::mem::take(&mut counted.values),
            unchanged: counted.unchanged,
            counted: Some(counted),
            columns: None,
            checked: None,
            values_after: Vec::new(),
            blocks: None,
            place: None,
        })
    }

    /// How many rows the unchanged columns single out.
    fn singled_out(
        &self,
        facts: &super::partial_verification::ReadBackFacts,
    ) -> (Vec<UnchangedColumn>, Option<UnchangedColumn>) {
        facts.singles.unchanged(self.reading.unchanged.clone())
    }

    fn lost(&self, plan: &ReleasePlan<'_>) -> incrowd_engine::release::SuppressedValues {
        match &self.blocks {
            None => plan.release.lost(plan.problem),
            Some(blocks) => blocks.lost(),
        }
    }

    /// What the columns tell that stay as they are, from the rows that are looked at closely.
    fn exposure(&self, plan: &ReleasePlan<'_>) -> Result<Exposure> {
        let ReleasePlan { problem, release, .. } = *plan;
        let ClusterTable { reading, sample, .. } = self;
        if reading.unchanged.is_empty() {
            return Ok(Exposure::default());
        }
        let unchanged = reading.unchanged_places();
        let mut gathering = ExposureCollector::new(reading.unchanged.clone(), problem.rows);
        let index = ProfileIndex::new(&problem.cells, &problem.domains());
        let width = problem.attributes.len();
        let mut assigner = release.assigner();
        let unit = plan.job.problem.unit.as_ref().map(|unit| unit.name.as_str());
        let unit = unit.and_then(|unit| reading.compared().iter().position(|name| *name == unit));
        for (hash, SampledRow { values, .. }) in &sample.rows {
            let codes = problem
                .codebooks
                .iter()
                .zip(values)
                .map(|(codebook, value)| codebook.code(value).ok_or_else(changed));
            let codes: Vec<u32> = codes.collect::<Result<_>>()?;
            let Some(cell) = index.find(&codes[..width]) else { continue };
            let target = match codes.len() > width {
                true => problem.targets.find(&codes[width..]).ok_or_else(changed)?,
                false => 0,
            };
            let disposition = match sample.is_all {
                true => assigner.assign(cell, || target),
                // Rows of a kind are alike to the deal: of a share of them each may be any of its kind.
                false => {
                    let kind = of_kind(problem, cell, target).max(1);
                    release.disposition_of(cell, target, pair_hash(*hash, 0xdea1) % kind)
                }
            };
            let class = match disposition {
                RowDisposition::Class(class) => Some(class),
                RowDisposition::Blank => None,
                RowDisposition::Dropped => continue,
            };
            let who = unit.map(|at| value_hash(values[at].trim()));
            gathering.look(class, cell, who, unchanged.iter().map(|&at| values[at].as_str()));
        }
        let found = gathering.finish(problem, release);
        let looked_at = sample.rows.len() as u64;
        Ok(Exposure { sampled: (!sample.is_all).then_some(looked_at), ..found })
    }
}

impl TableBackend for ClusterTable {
    fn lacks(&self, job: &Job) -> Option<Error> {
        lacks(job)
    }

    fn count(&mut self, plan: RunPlan<'_>, _: &Control) -> Result<TableCounts> {
        let counted = self.counted.take().ok_or_else(out_of_order)?;
        // Whoever counts asks first which columns follow from others.
        if plan.job.problem.columns() != self.reading.counted {
            return Err(out_of_order());
        }
        let watched = counted.watched.iter().map(ValueCounts::from).collect();
        Ok(TableCounts { counts: counted.counts, watched, rows: self.rows })
    }

    fn subjects(
        &mut self,
        plan: RunPlan<'_>,
        comparison: &SubjectComparison,
        _: u64,
        _: &Control,
    ) -> Result<Vec<(usize, SubjectEvidence)>> {
        let mut found = Vec::new();
        // What cannot be read tells nobody apart.
        for &at in &comparison.columns {
            if !self.reading.subjects.contains(&plan.source.columns()[at]) {
                found.push((at, SubjectEvidence::default()));
            }
        }
        for (name, kept) in self.reading.subjects.iter().zip(std::mem::take(&mut self.people)) {
            let at = plan.source.place_of(name)?;
            if !comparison.columns.contains(&at) {
                continue;
            }
            let mut rows = kept.at_most(2 * LOOKED_AT as usize).into_kept();
            rows.sort_by_key(|(_, row)| (row.part, row.row));
            let mut evidence = SubjectEvidence::default();
            rows.iter().for_each(|(_, row)| evidence.add(row.form, row.hash, &row.quasi));
            found.push((at, evidence));
        }
        Ok(found)
    }

    fn rows_by_chance(
        &mut self,
        _: RunPlan<'_>,
        known: &[usize],
        released: &[usize],
        control: &Control,
    ) -> Result<Option<Table>> {
        Ok(Some(read_table(&self.sampled, Some(&[known, released].concat()), control)?))
    }

    fn sample(&self) -> Option<&Source> {
        Some(&self.sampled)
    }

    fn recode(
        &mut self,
        plan: &ReleasePlan<'_>,
        _: &Requirements,
        _: &Control,
    ) -> Result<LabelPairs> {
        self.columns = Some(plan.columns()?);
        Ok(LabelPairs::of_release(plan.release))
    }

    fn finish(
        &mut self,
        plan: &ReleasePlan<'_>,
        _: &Requirements,
        _: &Control,
    ) -> Result<FinalRows> {
        Ok(FinalRows { exposure: self.exposure(plan)?, ..FinalRows::default() })
    }

    fn stage(&mut self, _: &ReleasePlan<'_>, _: &Control) -> Result<bool> {
        // Whoever has the rows has written them, where nobody sees them.
        self.checked.as_ref().map(|_| true).ok_or_else(out_of_order)
    }

    fn read_back(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        _: &Control,
    ) -> Result<ReadBack> {
        let (checked, released) = self.checked.take().ok_or_else(out_of_order)?;
        let columns = self.columns.as_ref().ok_or_else(out_of_order)?;
        let mut asked = requirements.clone();
        if columns.unit.is_some() {
            let unit = asked.unit.clone();
            asked.identifying.retain(|name| Some(name) != unit.as_ref());
        }
        let (verdict, facts) = checked.judged(&asked)?;
        let same_rows = match released {
            Some(seen) if columns.unit.is_some() => {
                let plain = Requirements::new(asked.k, asked.quasi.iter().cloned());
                let plain = Requirements {
                    missing: asked.missing.clone(),
                    told: asked.told.clone(),
                    models: asked.models.clone(),
                    narrowing: asked.narrowing.clone(),
                    ladders: asked.ladders.clone(),
                    ..plain
                };
                seen.judged(&plain)?.1.all.same_rows(&facts.all)
            }
            None if columns.unit.is_none() => true,
            _ => {
                return Err(Error::new("the rows read back do not fit the columns of the release"));
            }
        };
        let expected = match &self.blocks {
            None => expected_labels(plan.release, &columns.columns),
            Some(blocks) => blocks.labels,
        };
        // Rows are left out by their class, and where a saved recoding has not seen a value of theirs.
        let is_whole = facts.labels.rows == self.rows;
        let same = same_rows
            && facts.labels.same_rows(&expected)
            && (!is_whole || facts.unchanged.same_rows(&self.unchanged));
        let singled_out = Some(self.singled_out(&facts));
        self.values_after = facts.values;
        Ok(ReadBack { verdict, same: Some(same), formulas: false, singled_out })
    }

    fn suppression_effects(
        &mut self,
        plan: &ReleasePlan<'_>,
        _: &FinalRows,
        _: &Control,
    ) -> Result<Vec<SuppressionEffect>> {
        let lost = self.lost(plan);
        let compared = self.reading.compared();
        let names = tallied(&self.reading).into_iter().map(|at| compared[at]);
        let counted: BTreeMap<&str, (&CappedHistogram, &CappedHistogram)> =
            names.zip(self.values.iter().zip(&self.values_after)).collect();
        let effect =
            |name: &str| counted.get(name).and_then(|(before, after)| taken(name, before, after));
        Ok(match lost.suppressed {
            0 => Vec::new(),
            _ => plan.effects_with(&lost, effect),
        })
    }

    fn draws(&self) -> PreviewScope {
        if self.blocks.is_none() { PreviewScope::Shared } else { PreviewScope::None }
    }

    fn tell(&self, problem: &Problem, report: RunReport) -> RunReport {
        let Some(blocks) = &self.blocks else { return report };
        let mut report = blocks.told(problem, report);
        // Of a sample it cannot be said: most of the whole table's values are not in it.
        report.warnings.retain(|warning| warning.code != "identifier-as-quasi");
        report
    }

    fn commit(&mut self, _: ReleasePermit, files: Vec<OutputFile>) -> Result<()> {
        let place = self.place.take().ok_or_else(out_of_order)?;
        place()?;
        OutputFile::commit_all(files)
    }
}

/// What of a job cannot be done on a cluster.
pub(super) fn lacks(job: &Job) -> Option<Error> {
    if job.certificate.is_some() {
        let error = Error::new("no certificate is written where the rows lie elsewhere");
        return Some(error.help("leave out the certificate"));
    }
    job.finishing.lacks("where the rows lie elsewhere")
}

fn out_of_order() -> Error {
    Error::new("the steps of the run are out of order")
        .help("please report this as a fault of incrowd")
}

/// How many rows there are of a cell and target.
fn of_kind(problem: &Problem, cell: u32, target: u32) -> u64 {
    match problem.cells.targets(cell as usize) {
        [] => problem.cells.counts()[cell as usize],
        targets => targets.iter().find(|it| it.0 == target).map_or(0, |it| it.1),
    }
}

/// What the labels of all released rows must be.
pub(super) fn expected_labels(release: &Release, columns: &[OutputColumn]) -> RowChecksum {
    let attributes = columns.iter().filter_map(|column| match *column {
        OutputColumn::Quasi(at) => Some(at),
        OutputColumn::Plain(_) => None,
    });
    let attributes: Vec<usize> = attributes.collect();
    let mut sum = RowChecksum::default();
    for (class, &rows) in release.classes.sizes.iter().enumerate() {
        if release.classes.released[class] {
            let label = |at: usize| release.label_of(at, class as u32) as usize;
            let texts = attributes.iter().flat_map(|&at| &release.labels(at)[label(at)]);
            sum.add_many(row_hash(texts.map(String::as_str)), rows);
        }
    }
    let blank = release.rows() - release.classes.released_rows();
    let texts = attributes.iter().flat_map(|&at| release.names(at));
    sum.add_many(row_hash(texts.map(|_| incrowd_engine::value::BLANK)), blank);
    sum
}

/// What suppression does to a column, from its values before and after.
fn taken(
    name: &str,
    before: &CappedHistogram,
    after: &CappedHistogram,
) -> Option<SuppressionEffect> {
    if before.full || after.full {
        return None;
    }
    let values = before.rows.iter().map(|(value, &rows)| {
        let left = after.rows.get(value).copied().unwrap_or(0);
        (value.as_str(), rows, rows.saturating_sub(left))
    });
    Some(SuppressionEffect::of(name, values))
}
