//! The search on what was counted, and the end of the run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd::release::{Assignment, Disposition};
use incrowd::search::Phase;
use incrowd::table::CellIndex;
use incrowd::{Control, Counts, Event, Problem, Release, SavedRecoding, Shuffler, Solution};
use incrowd_assess::expose::{Exposure, Gathering, SAMPLE, pair_hash};
use incrowd_assess::suppression::ColumnLoss;
use incrowd_assess::thresholds::people::LOOKED_AT;
use incrowd_verify::Requirements;

use super::super::planned::Planned;
use super::super::population::Population;
use super::super::recode::{Met, Released, changed};
use super::super::report::{Made, Ran, Started};
use super::super::subjects::{ColumnEvidence, Comparison};
use super::super::{
    ReleasedColumns, build_problem, check, exposure, roles, saved, search, some_rows, told,
};
use super::counted::{Counted, Of, Sampled, Values, tallied};
use super::reading::Reading;
use super::recoding::SentRecoding;
use super::sums::{Sum, row_hash};
use super::thinned::Thinned;
use super::{Apart, BlockFacts, Checked, Checking, RowRecoder, text_source};
use crate::spec::SpecFile;
use crate::{Error, ErrorKind, Job, Order, Result, RunReport, Source, Status, Warning};

/// A run whose search has ended: what is left is to recode the rows, to write them, and to look at what was written.
pub struct Solved {
    file: SpecFile,
    pub(super) job: Job,
    source: Source,
    reading: Reading,
    pub(super) counts: Counts,
    pub(super) problem: Problem,
    solution: Solution,
    pub(super) made: Option<Plan>,
    population: Option<Population>,
    pub(super) warnings: Vec<Warning>,
    started: Started,
}

/// A release that is to be made.
pub(super) struct Plan {
    release: Release,
    columns: ReleasedColumns,
    pub(super) requirements: Requirements,
    exposure: Exposure,
    parts: BTreeMap<u64, Sum>,
    /// The values of the unchanged columns before anything was suppressed.
    values: Vec<Values>,
    unchanged: Sum,
    /// What was found in the blocks, where the release is made of blocks and what is here knows a sample only.
    pub(super) blocks: Option<BlockFacts>,
}

impl std::fmt::Debug for Solved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solved").field("outcome", &self.solution.outcome).finish_non_exhaustive()
    }
}

/// Rows that are looked at closely, in the order of the table.
pub(super) struct Sample {
    pub(super) rows: Vec<(u64, Sampled)>,
    is_all: bool,
}

impl Sample {
    pub(super) fn new(sample: Thinned<Sampled>) -> Self {
        let sample = sample.at_most(SAMPLE as usize);
        let is_all = sample.is_all();
        let mut rows = sample.into_kept();
        rows.sort_by_key(|(_, row)| (row.part, row.row));
        Sample { rows, is_all }
    }

    /// The rows as a table with the columns of another one.
    fn source(&self, reading: &Reading, like: &Source) -> Result<Source> {
        let compared = reading.compared();
        let columns = like.columns().iter().map(|name| {
            let at = compared.iter().position(|other| other == name);
            let value = |row: &'_ Sampled| at.map(|at| row.values[at].clone());
            self.rows.iter().map(|(_, row)| value(row)).collect::<Vec<_>>()
        });
        let columns: Vec<Vec<Option<String>>> = columns.collect();
        let columns = columns.iter().map(|values| values.iter().map(Option::as_deref).collect());
        text_source(like.columns().iter(), columns)
    }
}

impl Apart {
    /// Searches: from what was counted of all parts, with the same refusals as on one machine. A population, if there is
    /// one, may lie in memory.
    pub fn solve(
        self,
        reading: &Reading,
        counted: Counted,
        population: Option<&Source>,
        control: &Control,
    ) -> Result<Solved> {
        let rows = counted.rows();
        self.solve_for(reading, counted, population, control, rows)
    }

    /// The same where the table has so many rows, and the counted ones may be some of them.
    pub(super) fn solve_for(
        self,
        reading: &Reading,
        counted: Counted,
        population: Option<&Source>,
        control: &Control,
        rows: u64,
    ) -> Result<Solved> {
        let Apart { file, job, source, comparison, started, .. } = self;
        control.tell(Event::Phase(Phase::Read));
        if counted.is_full() {
            return Err(Error::new(format!(
                "there are more than {} combinations of the quasi-identifiers",
                incrowd::words::thousands(reading.most as u64)
            )));
        }
        let Counted { counts, watched, values, people, sample, parts, unchanged, .. } = counted;
        some_rows(&source, &counts)?;
        let sample = Sample::new(sample);
        let sampled = sample.source(reading, &source)?;
        let problem = build_problem(&job.problem, &counts, &sampled, &job.missing, control)?;
        let problem = job.method.ready(problem);
        roles::refuse_exposed(&job, &sampled, &watched, rows, control)?;
        roles::refuse_identifiers(&job, &counts)?;
        let mut warnings = refuse_repeated_subjects(&comparison, &job, &source, reading, people)?;
        let population = Population::read(&job, population, control)?;
        let problem = Population::pose(population.as_ref(), &job, problem)?;
        let (problem, solution, release) = search(&job, problem, control)?;
        let made = match (solution.recoding().is_some(), release) {
            (true, Some(release)) => {
                let (job, source) = (&job, &source);
                let planned =
                    Planned { job, source, counts: &counts, problem: &problem, release: &release };
                let exposure = planned.exposure_of(reading, &sample)?;
                let mut told = roles::identifiers_as_quasi(job, &counts);
                told.append(&mut warnings);
                told.extend(exposure::judge(
                    &exposure,
                    release.rows(),
                    job.sayings(source),
                    job.voice,
                )?);
                warnings = told;
                let mut requirements =
                    check::requirements(&problem, &job.identifying, &job.missing)?;
                requirements.reference = job.reference;
                planned.check_truth(&met(&release), &requirements, control)?;
                let columns = planned.columns()?;
                let blocks = None;
                Some(Plan {
                    columns,
                    requirements,
                    exposure,
                    parts,
                    values,
                    unchanged,
                    release,
                    blocks,
                })
            }
            _ => None,
        };
        let reading = reading.clone();
        Ok(Solved {
            file,
            job,
            source,
            reading,
            counts,
            problem,
            solution,
            made,
            population,
            warnings,
            started,
        })
    }
}

/// Refuses rows that are not people, and columns that link them, from the rows that were kept for it.
fn refuse_repeated_subjects(
    comparison: &Comparison,
    job: &Job,
    source: &Source,
    reading: &Reading,
    kept: Vec<Thinned<Of>>,
) -> Result<Vec<Warning>> {
    let evidence = reading.subjects.iter().zip(kept).map(|(name, kept)| {
        let mut rows = kept.at_most(2 * LOOKED_AT as usize).into_kept();
        rows.sort_by_key(|(_, row)| (row.part, row.row));
        let mut evidence = ColumnEvidence::default();
        rows.iter().for_each(|(_, row)| evidence.add(row.coded, row.hash, &row.quasi));
        Ok((source.place_of(name)?, evidence))
    });
    let evidence = evidence.collect::<Result<Vec<_>>>()?;
    Ok(comparison.judge(job, source, &evidence)?.warnings)
}

/// Which cells become which classes.
pub(super) fn met(release: &Release) -> Met {
    let classes: Vec<(u32, u32)> = match &release.classes.assignment {
        Assignment::Cells(class_of) => {
            class_of.iter().enumerate().map(|(cell, &class)| (cell as u32, class)).collect()
        }
        Assignment::Shares(shares) => shares.iter().map(|it| (it.cell, it.class)).collect(),
    };
    let released = |class: u32| release.classes.released.get(class as usize) == Some(&true);
    classes.into_iter().filter(|&(_, class)| released(class)).collect()
}

impl Planned<'_> {
    /// What the columns tell that stay as they are, from the rows that are looked at closely.
    fn exposure_of(&self, reading: &Reading, sample: &Sample) -> Result<Exposure> {
        let Planned { problem, release, .. } = *self;
        if reading.unchanged.is_empty() {
            return Ok(Exposure::default());
        }
        let unchanged = reading.unchanged_places();
        let mut gathering = Gathering::new(reading.unchanged.clone(), problem.rows);
        let index = CellIndex::new(&problem.cells, &problem.domains());
        let width = problem.attributes.len();
        let mut assigner = release.assigner();
        for (hash, Sampled { values, .. }) in &sample.rows {
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
                Disposition::Class(class) => Some(class),
                Disposition::Blank => None,
                Disposition::Dropped => continue,
            };
            gathering.look(class, cell, unchanged.iter().map(|&at| values[at].as_str()));
        }
        let found = gathering.finish(problem, release);
        let looked_at = sample.rows.len() as u64;
        Ok(Exposure { sampled: (!sample.is_all).then_some(looked_at), ..found })
    }
}

/// How many rows there are of a cell and target.
fn of_kind(problem: &Problem, cell: u32, target: u32) -> u64 {
    match problem.cells.targets(cell as usize) {
        [] => problem.cells.counts()[cell as usize],
        targets => targets.iter().find(|it| it.0 == target).map_or(0, |it| it.1),
    }
}

impl Solved {
    /// Whether there is something to release.
    pub fn has_release(&self) -> bool {
        self.made.is_some()
    }

    /// The job, for whoever tells of it.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The spec that is run.
    pub fn file(&self) -> &SpecFile {
        &self.file
    }

    /// What the table is called.
    pub fn name(&self) -> String {
        self.source.file_name()
    }

    /// The order of the released rows.
    pub fn order(&self) -> Order {
        self.job.order
    }

    /// The recoding, to apply it to new rows later. As confidential as the data.
    pub fn recoding(&self) -> Option<SavedRecoding> {
        // What is here knows a sample only where the release is made of blocks.
        let whole = self.made.as_ref().filter(|plan| plan.blocks.is_none());
        let recoding = whole.and(self.solution.recoding())?;
        Some(saved(&self.job, &self.source, &self.problem, recoding))
    }

    fn plan(&self) -> Result<&Plan> {
        self.made.as_ref().ok_or_else(|| {
            let error = Error::new("there is no release");
            Error { kind: ErrorKind::Refused, ..error }
        })
    }

    /// What goes to the rows to recode them.
    pub fn recoder(&self) -> Result<RowRecoder> {
        let plan = self.plan()?;
        RowRecoder::new(SentRecoding::new(
            &self.reading,
            &self.problem,
            &self.counts,
            &plan.release,
            &plan.columns.columns,
            plan.columns.unit,
            self.order_key(),
            plan.parts.clone(),
        ))
    }

    /// What the places of rows are drawn from, if they are put into a random order. Whoever knows it can undo that.
    pub fn order_key(&self) -> Option<[u8; 32]> {
        match self.job.order {
            Order::Shuffled { seed } => {
                let mut words = Shuffler::new(seed);
                let mut key = [0; 32];
                for bytes in key.chunks_exact_mut(4) {
                    bytes.copy_from_slice(&words.word().to_le_bytes());
                }
                Some(key)
            }
            Order::Sorted | Order::Kept => None,
        }
    }

    /// What goes to those who read the written release back.
    pub fn checking(&self) -> Result<Checking> {
        let plan = self.plan()?;
        let (mut labels, mut unchanged, mut at) = (Vec::new(), Vec::new(), 0);
        for column in &plan.columns.columns {
            match *column {
                Released::Quasi(attribute) => {
                    let names = plan.release.names(attribute).len();
                    labels.extend(at..at + names);
                    at += names;
                }
                Released::Plain(_) => {
                    unchanged.push(at);
                    at += 1;
                }
            }
        }
        let header = plan.columns.layout.names.clone();
        let counted = self.problem.codebooks.len();
        let places = plan.columns.columns.iter().filter_map(|column| match *column {
            Released::Plain(place) => Some(place),
            Released::Quasi(_) => None,
        });
        let tallied = unchanged.iter().zip(places).filter(|&(_, place)| place >= counted);
        let requirements = &plan.requirements;
        let hidden = plan.columns.unit.is_some();
        Ok(Checking {
            k: requirements.k,
            quasi: requirements.quasi.clone(),
            tallied: tallied.map(|(&at, _)| at).collect(),
            sensitive: requirements.models.iter().map(|model| model.column.clone()).collect(),
            missing: self.job.missing.clone(),
            told: requirements.told.clone(),
            unit: requirements.unit.clone().filter(|_| hidden),
            released_unit: requirements.unit.clone().filter(|_| !hidden),
            header,
            labels,
            unchanged,
        })
    }

    /// Ends a run that made nothing.
    pub fn unsolved(&self) -> RunReport {
        self.ran().unsolved()
    }

    fn ran(&self) -> Ran<'_> {
        let Solved { job, problem, solution, started, .. } = self;
        Ran { job, problem, solution, started: *started }
    }

    /// Judges what was seen of all parts of the written release. Where units stood beside the rows, `released` is what was
    /// seen of the release itself, which must be the same but for them. The release holds, or this is an error.
    pub fn finish(
        &self,
        checked: Checked,
        released: Option<Checked>,
        output: Option<PathBuf>,
    ) -> Result<RunReport> {
        let plan = self.plan()?;
        let Plan { release, columns, requirements, exposure, values, unchanged, blocks, .. } = plan;
        let mut requirements = requirements.clone();
        if columns.unit.is_some() {
            let unit = requirements.unit.clone();
            requirements.identifying.retain(|name| Some(name) != unit.as_ref());
        }
        let (verdict, facts) = checked.judged(&requirements)?;
        match released {
            Some(seen) if columns.unit.is_some() => {
                let plain = Requirements::new(requirements.k, requirements.quasi.iter().cloned());
                let plain = Requirements {
                    missing: requirements.missing.clone(),
                    told: requirements.told.clone(),
                    models: requirements.models.clone(),
                    ladders: requirements.ladders.clone(),
                    ..plain
                };
                let (_, seen) = seen.judged(&plain)?;
                if !seen.all.same_rows(&facts.all) {
                    return Err(lost_rows());
                }
            }
            None if columns.unit.is_none() => {}
            _ => return Err(Error::new("what was seen of the release does not fit its columns")),
        }
        let (expected, lost) = match blocks {
            None => (expected_labels(release, &columns.columns), release.lost(&self.problem)),
            Some(blocks) => (blocks.labels, blocks.lost()),
        };
        if !facts.labels.same_rows(&expected) {
            return Err(lost_rows());
        }
        if lost.dropped == 0 && !facts.unchanged.same_rows(unchanged) {
            return Err(lost_rows());
        }
        if !verdict.holds && !self.job.write_failing {
            let what: Vec<String> = verdict.violations.iter().map(told).collect();
            let message = format!("the release failed verification: {}", what.join("; "));
            return Err(Error { kind: ErrorKind::Refused, ..Error::new(message) }
                .help("nothing was released; please report this as a fault of incrowd"));
        }
        let Some(recoding) = self.solution.recoding() else { return Ok(self.unsolved()) };
        let names = exposure.unchanged.iter().map(|it| it.column.clone()).collect();
        let (singles, together) = facts.singles.unchanged(names);
        let exposure = Exposure { unchanged: singles, together, ..exposure.clone() };
        let source = &self.source;
        let made = Made { source, recoding, release, verdict: Some(verdict), exposure };
        let report = self.ran().made(made);
        let mut report = match blocks {
            None => report,
            Some(blocks) => blocks.told(&self.problem, report),
        };
        report.warnings.extend(self.warnings.iter().cloned());
        report.output = output;
        if blocks.is_none() {
            if let Some(told) = &mut report.shareable {
                told.draw(&self.problem, recoding, release);
            }
            let met = |population: &Population| population.meet(&self.job, &self.problem, release);
            report.journalist = self.population.as_ref().map(met);
        }
        let planned = Planned {
            job: &self.job,
            source,
            counts: &self.counts,
            problem: &self.problem,
            release,
        };
        let compared = self.reading.compared();
        let names = tallied(&self.reading).into_iter().map(|at| compared[at]);
        let counted: BTreeMap<&str, (&Values, &Values)> =
            names.zip(values.iter().zip(&facts.values)).collect();
        let loss =
            |name: &str| counted.get(name).and_then(|(before, after)| taken(name, before, after));
        let losses = match lost.suppressed {
            0 => Vec::new(),
            _ => planned.losses_with(&lost, loss),
        };
        Ok(report.with_losses(losses))
    }

    /// The status of the search.
    pub fn status(&self) -> Status {
        Status::from(&self.solution.outcome)
    }
}

/// What the labels of all released rows must be.
pub(super) fn expected_labels(release: &Release, columns: &[Released]) -> Sum {
    let attributes = columns.iter().filter_map(|column| match *column {
        Released::Quasi(at) => Some(at),
        Released::Plain(_) => None,
    });
    let attributes: Vec<usize> = attributes.collect();
    let mut sum = Sum::default();
    for (class, &rows) in release.classes.sizes.iter().enumerate() {
        if release.classes.released[class] {
            let label = |at: usize| release.label_of(at, class as u32) as usize;
            let texts = attributes.iter().flat_map(|&at| &release.labels(at)[label(at)]);
            sum.add_many(row_hash(texts.map(String::as_str)), rows);
        }
    }
    let blank = release.rows() - release.classes.released_rows();
    let texts = attributes.iter().flat_map(|&at| release.names(at));
    sum.add_many(row_hash(texts.map(|_| incrowd::value::BLANK)), blank);
    sum
}

/// What suppression takes from a column, from its values before and after.
fn taken(name: &str, before: &Values, after: &Values) -> Option<ColumnLoss> {
    if before.full || after.full {
        return None;
    }
    let values = before.rows.iter().map(|(value, &rows)| {
        let left = after.rows.get(value).copied().unwrap_or(0);
        (value.as_str(), rows, rows.saturating_sub(left))
    });
    ColumnLoss::judge(name, values)
}

/// Rows that the release should have and has not, or the other way round.
fn lost_rows() -> Error {
    Error::new(
        "the written release has not the rows that it should have: some were lost or written twice",
    )
    .help("nothing was released; write the table to files and anonymize those, or try again")
}
