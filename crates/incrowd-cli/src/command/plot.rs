//! `plot`: traces of searches as one chart.

use incrowd_report::{NamedTrace, trace_chart};
use incrowd_run::{
    Error, Result,
    data::{OutputFile, refuse_overwrite},
    report::TracePoint,
};

use crate::CommandOutcome;
use crate::args::PlotArgs;

pub(crate) fn plot(args: &PlotArgs) -> Result<CommandOutcome> {
    let mut traces = Vec::new();
    for path in &args.traces {
        refuse_overwrite("the chart", &args.output, &[("a trace", path)])?;
        let name =
            path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        traces.push(NamedTrace { name, points: TracePoint::read_all(path)? });
    }
    let Some(svg) = trace_chart(&args.title, &traces, args.wall) else {
        return Err(Error::new("the traces hold neither a cost nor a bound")
            .help("searches that report no progress leave an empty trace"));
    };
    OutputFile::create(&args.output)?.fill(svg)?;
    Ok(CommandOutcome::Done)
}
