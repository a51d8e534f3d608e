//! What rows show while they are recoded, in the columns that stay as they are.

use incrowd_assess::expose::{ExposureCollector, SampleFilter, value_hash};
use incrowd_engine::release::RowDisposition;

use crate::count::build_problem::among;
use crate::plan::job::Job;
use crate::recode::row_assignment::RowAssignment;
use crate::spec::Role;
use crate::{Chunk, Source};

/// How many rows are gathered together.
const TOGETHER: usize = 128;

/// The columns of a release that stay as they are, by their places in the source. Where rows are linked by their unit, whole
/// collections of rows are judged, and the unit tells nothing beyond that.
pub(crate) fn watched(job: &Job, source: &Source) -> Vec<usize> {
    let unchanged = job.columns.iter().filter(|(_, role)| *role != Role::Quasi);
    let unchanged = unchanged.map(|&(at, _)| at);
    unchanged.filter(|&at| job.finishing.linked.as_ref() != Some(&source.columns()[at])).collect()
}

/// Looks at what rows show that stays as it is, while they are recoded.
pub(crate) struct ExposureObserver {
    /// The places of the columns among those that are read.
    places: Vec<usize>,
    /// That of what tells people apart.
    unit: Option<usize>,
    chosen: SampleFilter,
}

/// What the rows of a chunk show: the hashes of their values, and of some rows the values themselves.
#[derive(Default)]
pub(crate) struct ExposedValues {
    hashes: Vec<u64>,
    /// Rows that are looked at closely, and their values, one behind the other.
    close: Vec<usize>,
    texts: Vec<String>,
    /// Whose rows they are, where people may have several.
    people: Vec<u64>,
}

impl ExposureObserver {
    /// A watch over the columns of a release of so many rows that stay as they are, with what gathers what it sees. `read`
    /// are the columns that are read, all that are released among them.
    pub(crate) fn new(
        job: &Job,
        source: &Source,
        rows: u64,
        read: &[usize],
    ) -> (Self, ExposureCollector) {
        let place_of = among(read, source);
        let watched = watched(job, source).into_iter();
        let (places, names): (Vec<usize>, Vec<String>) =
            watched.filter_map(|at| Some((place_of[at]?, source.columns()[at].clone()))).unzip();
        let gathering = ExposureCollector::new(names, rows);
        let unit = job.problem.unit.as_ref().and_then(|unit| source.place_of(&unit.name).ok());
        let unit = unit.and_then(|at| place_of[at]);
        (ExposureObserver { places, unit, chosen: gathering.chosen() }, gathering)
    }

    /// Whether there is anything to look at.
    pub(crate) fn is_needed(&self) -> bool {
        !self.places.is_empty()
    }

    pub(crate) fn look(&self, chunk: &Chunk) -> ExposedValues {
        let mut shown = ExposedValues::default();
        if !self.is_needed() {
            return shown;
        }
        shown.hashes.reserve(chunk.rows() * self.places.len());
        for row in 0..chunk.rows() {
            shown.hashes.extend(self.places.iter().map(|&at| value_hash(chunk.field(row, at))));
            if self.chosen.has(chunk.first_row() + row as u64) {
                shown.close.push(row);
                let texts = self.places.iter().map(|&at| chunk.field(row, at).to_owned());
                shown.texts.extend(texts);
                let unit = self.unit.map(|at| value_hash(chunk.field(row, at).trim()));
                shown.people.extend(unit);
            }
        }
        shown
    }
}

impl ExposedValues {
    /// Adds the rows to all others, of which is known by now what becomes of them.
    pub(crate) fn gather(&self, fates: &[RowAssignment], gathering: &mut ExposureCollector) {
        let width = self.hashes.len() / fates.len().max(1);
        if width == 0 {
            return;
        }
        let people = self.people.iter().copied().map(Some).chain(std::iter::repeat(None));
        let mut close = self.close.iter().zip(self.texts.chunks(width).zip(people)).peekable();
        let mut row = 0;
        for (fates, hashes) in fates.chunks(TOGETHER).zip(self.hashes.chunks(TOGETHER * width)) {
            let rows = || fates.iter().zip(hashes.chunks(width));
            rows().for_each(|(&(.., disposition), hashes)| {
                if let RowDisposition::Class(class) = disposition {
                    gathering.expect(class, hashes);
                }
            });
            for (&(cell, _, disposition), hashes) in rows() {
                let looked_at = close.next_if(|(at, _)| **at == row);
                row += 1;
                let class = match disposition {
                    RowDisposition::Class(class) => Some(class),
                    RowDisposition::Blank => None,
                    RowDisposition::Dropped => continue,
                };
                gathering.add(class, hashes);
                if let Some((_, (texts, unit))) = looked_at {
                    gathering.look(class, cell, unit, texts.iter().map(String::as_str));
                }
            }
        }
    }
}
