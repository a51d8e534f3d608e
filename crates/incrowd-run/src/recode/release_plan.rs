//! A release about to be made, and where the rows of its source lie in it.

use incrowd_engine::table::{ProfileIndex, UNSEEN};
use incrowd_engine::{FrequencyCounts, Problem, Release};

use crate::plan::job::Job;
use crate::recode::pass::changed;
use crate::{Chunk, Result, Source};

/// A release about to be made of a source.
#[derive(Debug, Clone, Copy)]
pub struct ReleasePlan<'a> {
    /// The question, resolved against the columns of the table.
    pub job: &'a Job,
    /// The table: its columns at least.
    pub source: &'a Source,
    /// What was counted.
    pub counts: &'a FrequencyCounts,
    /// The problem.
    pub problem: &'a Problem,
    /// Its solution, applied.
    pub release: &'a Release,
}

impl ReleasePlan<'_> {
    /// The cell and the joint target of each row; [`UNSEEN`] for a row that belongs to no cell.
    pub(crate) fn places(&self, index: &ProfileIndex, chunk: &Chunk) -> Result<Vec<(u32, u32)>> {
        let ReleasePlan { problem, release, .. } = *self;
        let quasi = problem.attributes.len();
        let code = |row: usize, at: usize| -> Result<u32> {
            problem.codebooks[at].code(chunk.field(row, at)).ok_or_else(changed)
        };
        let mut codes = Vec::with_capacity(chunk.rows() * quasi);
        for row in 0..chunk.rows() {
            for at in 0..quasi {
                codes.push(code(row, at)?);
            }
        }
        let cells = index.find_all(&codes).into_iter().map(|cell| cell.unwrap_or(UNSEEN));
        let targets = problem.targets.columns.len();
        let dealt = release.deals_rows() && targets > 0;
        let mut label = vec![0; targets];
        cells
            .enumerate()
            .map(|(row, cell)| {
                if !dealt {
                    return Ok((cell, 0));
                }
                for (at, label) in label.iter_mut().enumerate() {
                    *label = code(row, quasi + at)?;
                }
                Ok((cell, problem.targets.find(&label).ok_or_else(changed)?))
            })
            .collect()
    }
}
