//! `--trace FILE`.

use std::path::Path;

use incrowd_io::{Follow, Job, OutputFile, Result, Traced, refuse_overwrite};

use crate::progress::Bars;

/// The trace of a run, if one was asked for.
pub(super) struct Trace<'a>(Option<(Traced<'a>, OutputFile)>);

impl<'a> Trace<'a> {
    /// Where it goes is checked before time is spent on the run.
    pub(super) fn new(
        target: Option<&Path>,
        job: &Job,
        taken: &[(&str, &Path)],
        bars: &'a Bars,
    ) -> Result<Self> {
        let Some(target) = target else { return Ok(Trace(None)) };
        let mut others = taken.to_vec();
        others.extend(job.output.as_deref().map(|path| ("the release", path)));
        others.extend(job.recoding.as_deref().map(|path| ("the recoding", path)));
        refuse_overwrite("the trace", target, &others)?;
        Ok(Trace(Some((Traced::new(bars), OutputFile::create(target)?))))
    }

    /// Who follows the run.
    pub(super) fn follow<'s>(&'s self, bars: &'s Bars) -> &'s dyn Follow {
        match &self.0 {
            Some((traced, _)) => traced,
            None => bars,
        }
    }

    /// Puts it in its place; also after an interrupt, which ends the search and not the run.
    pub(super) fn write(self) -> Result<()> {
        self.0.map_or(Ok(()), |(traced, file)| traced.write(file))
    }
}
