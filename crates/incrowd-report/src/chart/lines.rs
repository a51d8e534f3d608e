//! Lines over an axis: cost over k, cost and bound over time.

use super::axis::{Axis, PlacedAxis, short};
use super::end_labels;
use super::svg::{LegendKey, LineStroke, SvgDrawing, TextAnchor, width};

/// How the points of a series are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineShape {
    /// Straight from point to point, each marked.
    Straight,
    /// A value holds until the next point: the best cost so far.
    Steps,
    /// Straight, as a broad band behind the others: what they are measured by.
    Reference,
    /// Straight and dashed, in no colour: a bound where there is no reference.
    Bound,
}

/// Where the names of lines stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamePlacement {
    /// Above the chart.
    Legend,
    /// Where the lines end.
    Ends,
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right. A point that cannot be shown, such as one that is no number, breaks
    /// the line.
    pub points: Vec<(f64, f64)>,
    /// How they are joined.
    pub shape: LineShape,
}

/// A chart of lines.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// What it shows.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// The lines; the first is drawn last, on top of the others.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 640.0;
const PLOT: f64 = 300.0;
/// The room for names where lines end, at most.
const MARGIN: f64 = 190.0;

impl LineChart {
    /// The chart as SVG.
    ///
    /// ```
    /// use incrowd_report::chart::{Axis, LineChart, Series, LineShape};
    ///
    /// let chart = LineChart {
    ///     title: "Cost over k".to_owned(),
    ///     x: Axis::log("k (rows)"),
    ///     y: Axis::linear("cost"),
    ///     series: vec![Series {
    ///         name: "optimal".to_owned(),
    ///         points: vec![(2.0, 10.0), (5.0, 30.0)],
    ///         shape: LineShape::Straight,
    ///     }],
    /// };
    /// assert!(chart.to_svg().starts_with("<svg"));
    /// ```
    pub fn to_svg(&self) -> String {
        self.draw(NamePlacement::Legend)
    }

    /// The chart as SVG, every line named where it ends: to be preferred where there are many.
    pub fn to_labelled_svg(&self) -> String {
        self.draw(NamePlacement::Ends)
    }

    /// How every line looks: those that others are measured by have no colour of their own.
    fn strokes(&self) -> Vec<LineStroke> {
        let mut colours = 0..;
        let looks = self.series.iter().map(|series| match series.shape {
            LineShape::Reference => LineStroke::Reference,
            LineShape::Bound => LineStroke::Bound,
            LineShape::Straight | LineShape::Steps => {
                LineStroke::Coloured(colours.next().unwrap_or(0))
            }
        });
        looks.collect()
    }

    fn about(&self) -> String {
        let about = self.series.iter().filter_map(|series| {
            let known = || series.points.iter().filter(|point| point.1.is_finite());
            let (first, last) = (known().next()?, known().next_back()?);
            Some(format!(
                "{}: {} at {}, {} at {}",
                series.name,
                short(first.1),
                short(first.0),
                short(last.1),
                short(last.0)
            ))
        });
        about.collect::<Vec<_>>().join("; ")
    }

    fn draw(&self, names: NamePlacement) -> String {
        let strokes = self.strokes();
        let samples: Vec<(&str, LegendKey)> = self
            .series
            .iter()
            .zip(&strokes)
            .map(|(series, &stroke)| (series.name.as_str(), LegendKey::Line(stroke)))
            .collect();
        let samples = if names == NamePlacement::Legend { samples } else { Vec::new() };
        // The legend's height is known once it is drawn, so it is drawn twice.
        let legend = SvgDrawing::new(WIDTH, 0.0, "", "").legend(0.0, &samples);
        let top = 24.0 + legend + 20.0;
        let (plot, right) = match names {
            NamePlacement::Legend => (PLOT, WIDTH - 16.0),
            NamePlacement::Ends => {
                let longest =
                    self.series.iter().map(|series| width(&series.name)).fold(0.0, f64::max);
                let high = end_labels::LINE * self.series.len() as f64;
                (PLOT.max(high), WIDTH - longest.min(MARGIN) - end_labels::AWAY)
            }
        };
        let bottom = top + plot;
        let mut drawing = SvgDrawing::new(WIDTH, bottom + 44.0, &self.title, &self.about());
        drawing.legend(24.0, &samples);
        let all = || self.series.iter().flat_map(|series| &series.points);
        let y = PlacedAxis::new(self.y.scale, all().map(|point| point.1), bottom, top);
        let marks = y.ticks(self.y.ticks.as_deref(), |_| 14.0);
        let left = marks.iter().map(|&mark| width(&short(mark))).fold(24.0, f64::max) + 10.0;
        let x = PlacedAxis::new(self.x.scale, all().map(|point| point.0), left + 6.0, right);
        for mark in marks {
            let at = y.at(mark);
            drawing.line("grid", (left, at), (right, at));
            drawing.text((left - 6.0, at + 4.0), TextAnchor::End, "soft", &short(mark));
        }
        drawing.line("axis", (left, bottom), (right, bottom));
        for mark in x.ticks(self.x.ticks.as_deref(), width) {
            let at = x.at(mark);
            drawing.line("axis", (at, bottom), (at, bottom + 4.0));
            drawing.text((at, bottom + 18.0), TextAnchor::Middle, "soft", &short(mark));
        }
        drawing.text((0.0, top - 8.0), TextAnchor::Start, "soft", &self.y.label);
        let middle = (left + right) / 2.0;
        drawing.text((middle, bottom + 36.0), TextAnchor::Middle, "soft", &self.x.label);
        let mut last = vec![None; self.series.len()];
        // What others are measured by lies behind them.
        let behind = |shape: LineShape| matches!(shape, LineShape::Reference | LineShape::Bound);
        let (back, front): (Vec<usize>, Vec<usize>) =
            (0..self.series.len()).rev().partition(|&at| behind(self.series[at].shape));
        for at in back.into_iter().chain(front) {
            last[at] = line(&mut drawing, (&x, &y), &self.series[at], strokes[at]);
        }
        if names == NamePlacement::Ends {
            let wanted: Vec<(usize, (f64, f64))> =
                last.into_iter().enumerate().filter_map(|(at, end)| Some((at, end?))).collect();
            let heights: Vec<f64> = wanted.iter().map(|(_, end)| end.1).collect();
            let places = end_labels::spread(&heights, (top, bottom));
            for ((at, (px, py)), place) in wanted.into_iter().zip(places) {
                // A line that ends early has no neighbour to point at.
                if right - px < 1.0 {
                    drawing.line("lead", (px + 6.0, py), (right + 12.0, place));
                }
                drawing.sample((right + 14.0, place), LegendKey::Line(strokes[at]), "");
                let from = (right + end_labels::AWAY - 2.0, place + 4.0);
                drawing.text_within(from, MARGIN, &self.series[at].name);
            }
        }
        drawing.finish()
    }
}

/// Draws a line; returns its last point, if it has any.
fn line(
    drawing: &mut SvgDrawing,
    (x, y): (&PlacedAxis, &PlacedAxis),
    series: &Series,
    stroke: LineStroke,
) -> Option<(f64, f64)> {
    let mut path = String::new();
    let mut marks: Vec<((f64, f64), String)> = Vec::new();
    let mut broken = true;
    for &(px, py) in &series.points {
        if !(x.shows(px) && y.shows(py)) {
            // What holds until the next point goes on.
            broken |= series.shape != LineShape::Steps;
            continue;
        }
        let hint = format!("{}: {} at {}", series.name, short(py), short(px));
        let (px, py) = (x.at(px), y.at(py));
        path.push_str(&match (broken, series.shape) {
            (true, _) => format!("M{px:.1} {py:.1}"),
            (_, LineShape::Steps) => format!("H{px:.1}V{py:.1}"),
            _ => format!("L{px:.1} {py:.1}"),
        });
        broken = false;
        marks.push(((px, py), hint));
    }
    let end = marks.last()?.0;
    drawing.put(format_args!("<path class=\"{}\" d=\"{path}\"/>", stroke.class()));
    // Steps have too many points to mark them all.
    let first = if series.shape == LineShape::Steps { marks.len() - 1 } else { 0 };
    for (place, hint) in &marks[first..] {
        drawing.mark(stroke, *place, hint);
    }
    Some(end)
}
