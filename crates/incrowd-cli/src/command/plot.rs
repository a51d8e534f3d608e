//! `plot`: traces of searches as one chart.

use std::path::Path;

use incrowd_io::{Error, OutputFile, Result, TracePoint, refuse_overwrite};
use incrowd_report::chart::{Axis, Lines, Series, Shape, standalone};

use crate::End;
use crate::args::Plot;

/// Times are drawn from here on: a logarithm knows no beginning.
const FIRST: f64 = 0.01;

pub(crate) fn plot(args: &Plot) -> Result<End> {
    let mut series = Vec::new();
    for path in &args.traces {
        refuse_overwrite("the chart", &args.output, &[("a trace", path)])?;
        series.extend(lines(path, &TracePoint::read_all(path)?, args.wall));
    }
    if series.is_empty() {
        return Err(Error::new("the traces hold no cost and no bound")
            .help("searches that report nothing on their way leave an empty trace"));
    }
    let unit = if args.wall { "seconds" } else { "CPU seconds" };
    let chart = Lines { title: args.title.clone(), x: Axis::log(unit), y: costs(&series), series };
    let svg = standalone(&chart.to_svg());
    OutputFile::create(&args.output)?.fill(svg)?;
    Ok(End::Done)
}

/// First costs are often many times the last ones, of which nothing could be seen then.
fn costs(series: &[Series]) -> Axis {
    let costs = || series.iter().flat_map(|series| &series.points).map(|point| point.1);
    let (least, most) = (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max));
    if least > 0.0 && most > 10.0 * least { Axis::log("cost") } else { Axis::linear("cost") }
}

/// The lines of a trace: its costs, and its bounds where it has some.
fn lines(path: &Path, points: &[TracePoint], wall: bool) -> Vec<Series> {
    let name =
        path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let at = |point: &TracePoint| if wall { point.seconds } else { point.cpu_seconds };
    let line = |name: String, of: fn(&TracePoint) -> Option<f64>| {
        let points = points.iter().filter_map(|point| Some((at(point).max(FIRST), of(point)?)));
        Series { name, points: points.collect(), shape: Shape::Steps }
    };
    let both =
        [line(name.clone(), |point| point.cost), line(name + ", bound", |point| point.bound)];
    both.into_iter().filter(|series| !series.points.is_empty()).collect()
}
