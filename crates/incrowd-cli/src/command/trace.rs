//! How a search went: for `--trace FILE` and for reports.

use std::path::Path;

use incrowd_engine::Control;
use incrowd_run::{
    Job, Result,
    data::{OutputFile, refuse_overwrite},
    report::{TracePoint, Tracer},
};

use crate::progress::ProgressDisplay;

/// What is written down of a search while it runs.
pub(super) struct TraceWriter {
    traced: Tracer,
    /// The run's control, with the trace listening.
    pub(super) control: Control,
    file: Option<OutputFile>,
}

impl TraceWriter {
    /// Where it goes is checked before time is spent on the run.
    pub(super) fn new(
        target: Option<&Path>,
        job: &Job,
        taken: &[(&str, &Path)],
        bars: &ProgressDisplay,
    ) -> Result<Self> {
        let outputs = [
            ("the release", &job.output),
            ("the recoding", &job.recoding),
            ("the report", &job.report),
            ("the internal report", &job.internal_report),
            ("the certificate", &job.certificate),
        ];
        let outputs = outputs.iter().filter_map(|(what, path)| Some((*what, path.as_deref()?)));
        let needed = job.needed.iter().map(|(what, path)| (what.as_str(), path.as_path()));
        let taken: Vec<(&str, &Path)> =
            taken.iter().copied().chain(outputs).chain(needed).collect();
        let create = |target: &Path| {
            refuse_overwrite("the trace", target, &taken)?;
            OutputFile::create_private(target)
        };
        let traced = Tracer::new();
        let control = traced.listen(&bars.control);
        Ok(TraceWriter { traced, control, file: target.map(create).transpose()? })
    }

    /// Writes it down, if it was asked for, and tells how the search went; also after an
    /// interrupt, which ends the search and not the run. The file gets its name with the other outputs of the run.
    pub(super) fn write(self) -> Result<(Vec<TracePoint>, Option<OutputFile>)> {
        let points = self.traced.points();
        let mut file = self.file;
        if let Some(file) = &mut file {
            self.traced.fill(file)?;
        }
        Ok((points, file))
    }
}
