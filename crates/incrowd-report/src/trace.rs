//! Traces of searches as one chart.

use incrowd_run::report::TracePoint;

use crate::chart::{Axis, LineChart, LineShape, Series, standalone};

/// Times are drawn from here on: a logarithm knows no beginning.
const FIRST: f64 = 0.01;

/// A search as it went, under the name that the chart shows.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTrace {
    /// What it is called.
    pub name: String,
    /// Every better cost and bound, and when it came.
    pub points: Vec<TracePoint>,
}

/// Cost and bound of several searches over CPU time, or over wall time, as an SVG file of its own. None if
/// the traces hold neither.
pub fn trace_chart(title: &str, traces: &[NamedTrace], wall: bool) -> Option<String> {
    let series: Vec<Series> = traces.iter().flat_map(|trace| lines(trace, wall)).collect();
    if series.is_empty() {
        return None;
    }
    let unit = if wall { "seconds" } else { "CPU seconds" };
    let chart =
        LineChart { title: title.to_owned(), x: Axis::log(unit), y: costs(&series), series };
    Some(standalone(&chart.to_svg()))
}

/// First costs are often many times the last ones, of which nothing could be seen then.
fn costs(series: &[Series]) -> Axis {
    let costs = || series.iter().flat_map(|series| &series.points).map(|point| point.1);
    let (least, most) = (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max));
    if least > 0.0 && most > 10.0 * least { Axis::log("cost") } else { Axis::linear("cost") }
}

/// The lines of a trace: its costs, and its bounds where it has some.
fn lines(trace: &NamedTrace, wall: bool) -> Vec<Series> {
    let at = |point: &TracePoint| if wall { point.seconds } else { point.cpu_seconds };
    let line = |name: String, of: fn(&TracePoint) -> Option<f64>| {
        let points =
            trace.points.iter().filter_map(|point| Some((at(point).max(FIRST), of(point)?)));
        Series { name, points: points.collect(), shape: LineShape::Steps }
    };
    let both = [
        line(trace.name.clone(), |point| point.cost),
        line(format!("{}, bound", trace.name), |point| point.bound),
    ];
    both.into_iter().filter(|series| !series.points.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_drawn_unless_it_is_empty() {
        let point = |seconds: f64, cost: f64| TracePoint {
            seconds,
            cpu_seconds: seconds,
            nodes: 1,
            cost: Some(cost),
            bound: None,
        };
        let trace =
            NamedTrace { name: "climb".to_owned(), points: vec![point(0.5, 9.0), point(2.0, 7.0)] };
        let svg =
            trace_chart("Cost over time", std::slice::from_ref(&trace), false).unwrap_or_default();
        assert!(svg.contains("climb") && svg.contains("CPU seconds"), "{svg}");
        assert!(!svg.contains("climb, bound"), "{svg}");
        let empty = NamedTrace { points: Vec::new(), ..trace };
        assert_eq!(trace_chart("Cost over time", &[empty], true), None);
    }
}
