//! Whom suppression hits: counted by value for every released column.

use std::collections::BTreeMap;

use incrowd_assess::bias::SuppressionEffect;
use incrowd_assess::suppression::{ColumnLoss, limits};
use incrowd_engine::Control;
use incrowd_engine::release::{RowDisposition, SuppressedCounts, SuppressedValues};
use incrowd_engine::table::{Dictionary, ProfileIndex, UNSEEN};

use crate::count::build_problem::places;
use crate::plan::warning::Warning;
use crate::recode::release_plan::ReleasePlan;
use crate::spec::Role;
use crate::{Chunk, Result};

/// The values of a chunk in one column: a code of the chunk's own for every row.
#[derive(Default)]
struct ChunkValues {
    known: Dictionary,
    codes: Vec<u32>,
}

/// The rows of a chunk: for each its cell and target, and its values in some columns.
struct ChunkRows {
    places: Vec<(u32, u32)>,
    columns: Vec<ChunkValues>,
}

/// The values of a column that is released as it is, counted.
struct SuppressionTally {
    place: usize,
    name: String,
    known: Dictionary,
    rows: Vec<u64>,
    suppressed: Vec<u64>,
}

impl SuppressionTally {
    fn new(place: usize, name: &str) -> Self {
        SuppressionTally {
            place,
            name: name.to_owned(),
            known: Dictionary::new(),
            rows: Vec::new(),
            suppressed: Vec::new(),
        }
    }

    /// Whether there are too many values to be told.
    fn is_full(&self) -> bool {
        self.known.len() > limits::COUNTED
    }

    /// Adds the rows of a chunk.
    fn add(&mut self, values: &ChunkValues, dropped: &[bool]) {
        if self.is_full() {
            return;
        }
        let codes: Vec<u32> = values.known.iter().map(|value| self.known.intern(value)).collect();
        self.rows.resize(self.known.len(), 0);
        self.suppressed.resize(self.known.len(), 0);
        for (&code, &dropped) in values.codes.iter().zip(dropped) {
            let code = codes[code as usize] as usize;
            self.rows[code] += 1;
            self.suppressed[code] += u64::from(dropped);
        }
    }

    fn judge(&self) -> Option<SuppressionEffect> {
        if self.is_full() {
            return None;
        }
        let counted = self.rows.iter().zip(&self.suppressed);
        let values = self.known.iter().zip(counted);
        let values: Vec<(&str, u64, u64)> =
            values.map(|(value, (&rows, &gone))| (value, rows, gone)).collect();
        Some(SuppressionEffect::of(&self.name, values))
    }
}

impl ReleasePlan<'_> {
    /// What suppression does to every released column. Rows are read once more only where some are left out and
    /// columns stay as they are that nobody has counted.
    /// `kept` says of each row whether it is released, where classes do not say it.
    pub(crate) fn suppression_effects(
        &self,
        kept: Option<&[bool]>,
        control: &Control,
    ) -> Result<Vec<SuppressionEffect>> {
        let lost = self.release.lost(self.problem);
        if lost.suppressed == 0 {
            return Ok(Vec::new());
        }
        let tallies = if lost.dropped > 0 { self.tally(kept, control)? } else { Vec::new() };
        let by_name: BTreeMap<&str, &SuppressionTally> =
            tallies.iter().map(|tally| (tally.name.as_str(), tally)).collect();
        let tallied = |name: &str| by_name.get(name)?.judge();
        Ok(self.effects_with(&lost, tallied))
    }

    /// The same where the columns that stay as they are were counted elsewhere: `tallied` says what suppression does to
    /// one of them.
    pub fn effects_with(
        &self,
        lost: &SuppressedValues,
        tallied: impl Fn(&str) -> Option<SuppressionEffect>,
    ) -> Vec<SuppressionEffect> {
        let ReleasePlan { job, source, problem, .. } = *self;
        let mut found = Vec::new();
        for &(at, _) in &job.columns {
            let name = &source.columns()[at];
            let attribute = problem.attributes.iter().position(|of| of.name == *name);
            let target = problem.targets.columns.iter().position(|of| of.name == *name);
            let effect = match (attribute, target) {
                (Some(at), _) => {
                    let domain = &problem.attributes[at].domain;
                    Some(of_codes(name, &lost.attributes[at], |code| domain.label(code)))
                }
                (None, Some(at)) => {
                    let domain = &problem.targets.columns[at].domain;
                    Some(of_codes(name, &lost.targets[at], |code| domain.label(code)))
                }
                (None, None) => tallied(name),
            };
            found.extend(effect);
        }
        found
    }

    /// Counts the values of columns that are released as they are and not known to the problem.
    fn tally(&self, kept: Option<&[bool]>, control: &Control) -> Result<Vec<SuppressionTally>> {
        let ReleasePlan { job, source, problem, release, .. } = *self;
        let asked = job.problem.columns();
        let mut read = places(source, &asked)?;
        let mut tallies = Vec::new();
        for &(at, role) in &job.columns {
            if role != Role::Quasi && !read[..asked.len()].contains(&at) {
                tallies.push(SuppressionTally::new(read.len(), &source.columns()[at]));
                read.push(at);
            }
        }
        if tallies.is_empty() {
            return Ok(tallies);
        }
        let columns: Vec<usize> = tallies.iter().map(|tally| tally.place).collect();
        let index = ProfileIndex::new(&problem.cells, &problem.domains());
        let mut assigner = release.assigner();
        let mut seen = 0;
        source.map_in_order(
            &read,
            |chunk| {
                let values = columns.iter().map(|&column| chunk_values(chunk, column));
                Ok(ChunkRows { places: self.places(&index, chunk)?, columns: values.collect() })
            },
            |rows: ChunkRows| {
                let is_dropped = |(cell, target): (u32, u32)| {
                    cell == UNSEEN || assigner.assign(cell, || target) == RowDisposition::Dropped
                };
                let places = rows.places.iter().copied();
                let dropped: Vec<bool> = match kept {
                    Some(kept) => {
                        let here = kept.iter().skip(seen).take(rows.places.len());
                        here.map(|kept| !kept).collect()
                    }
                    None => places.map(is_dropped).collect(),
                };
                seen += rows.places.len();
                for (tally, values) in tallies.iter_mut().zip(&rows.columns) {
                    tally.add(values, &dropped);
                }
                Ok(())
            },
            control,
        )?;
        Ok(tallies)
    }
}

fn chunk_values(chunk: &Chunk, column: usize) -> ChunkValues {
    let mut values = ChunkValues::default();
    values.codes =
        (0..chunk.rows()).map(|row| values.known.intern(chunk.field(row, column))).collect();
    values
}

/// What suppression does to a column whose values have codes.
fn of_codes<'a>(
    column: &str,
    lost: &SuppressedCounts,
    label: impl Fn(u32) -> &'a str + Clone,
) -> SuppressionEffect {
    let counted = lost.rows.iter().zip(&lost.suppressed).enumerate();
    let values = counted.map(move |(code, (&rows, &gone))| (label(code as u32), rows, gone));
    SuppressionEffect::of(column, values)
}

/// The codes of warnings about suppressed rows. They count rows exactly, for whoever has the table.
pub const SUPPRESSION_CODES: [&str; 2] = ["value-suppressed", "suppression-uneven"];

/// What is told loudly of the losses of columns.
pub(crate) fn warnings(losses: &[ColumnLoss]) -> Vec<Warning> {
    let removed = losses
        .iter()
        .filter_map(|loss| Some(Warning::new(SUPPRESSION_CODES[0], loss.removed_words()?)));
    let uneven = losses
        .iter()
        .filter_map(|loss| Some(Warning::new(SUPPRESSION_CODES[1], loss.uneven_words()?)));
    removed.chain(uneven).collect()
}
