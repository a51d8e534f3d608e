//! Lines over an axis: cost over k, cost and bound over time.

use super::axis::{Axis, Ruler, short};
use super::svg::{Anchor, Drawing, Sample, stroke, width};

/// How the points of a series are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Straight from point to point, each marked.
    Straight,
    /// A value holds until the next point: the best cost so far.
    Steps,
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// How they are joined.
    pub shape: Shape,
}

/// A chart of lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
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

impl Lines {
    /// The chart as SVG.
    ///
    /// ```
    /// use incrowd_report::chart::{Axis, Lines, Series, Shape};
    ///
    /// let chart = Lines {
    ///     title: "Cost over k".to_owned(),
    ///     x: Axis::log("k (rows)"),
    ///     y: Axis::linear("cost"),
    ///     series: vec![Series {
    ///         name: "optimal".to_owned(),
    ///         points: vec![(2.0, 10.0), (5.0, 30.0)],
    ///         shape: Shape::Straight,
    ///     }],
    /// };
    /// assert!(chart.to_svg().starts_with("<svg"));
    /// ```
    pub fn to_svg(&self) -> String {
        let about: Vec<String> = self
            .series
            .iter()
            .filter_map(|series| {
                let (first, last) = (series.points.first()?, series.points.last()?);
                Some(format!(
                    "{}: {} at {}, {} at {}",
                    series.name,
                    short(first.1),
                    short(first.0),
                    short(last.1),
                    short(last.0)
                ))
            })
            .collect();
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        // The legend's height is known once it is drawn, so it is drawn twice.
        let legend = Drawing::new(WIDTH, 0.0, "", "").legend(0.0, &names, Sample::Line);
        let top = 24.0 + legend + 20.0;
        let (bottom, right) = (top + PLOT, WIDTH - 16.0);
        let mut drawing = Drawing::new(WIDTH, bottom + 44.0, &self.title, &about.join("; "));
        drawing.legend(24.0, &names, Sample::Line);
        let all = || self.series.iter().flat_map(|series| &series.points);
        let y = Ruler::new(self.y.scale, all().map(|point| point.1), bottom, top);
        let marks = y.ticks(self.y.ticks.as_deref(), |_| 14.0);
        let left = marks.iter().map(|&mark| width(&short(mark))).fold(24.0, f64::max) + 10.0;
        let x = Ruler::new(self.x.scale, all().map(|point| point.0), left + 6.0, right);
        for mark in marks {
            let at = y.at(mark);
            drawing.line("grid", (left, at), (right, at));
            drawing.text((left - 6.0, at + 4.0), Anchor::End, "soft", &short(mark));
        }
        drawing.line("axis", (left, bottom), (right, bottom));
        for mark in x.ticks(self.x.ticks.as_deref(), width) {
            let at = x.at(mark);
            drawing.line("axis", (at, bottom), (at, bottom + 4.0));
            drawing.text((at, bottom + 18.0), Anchor::Middle, "soft", &short(mark));
        }
        drawing.text((0.0, top - 8.0), Anchor::Start, "soft", &self.y.label);
        let middle = (left + right) / 2.0;
        drawing.text((middle, bottom + 36.0), Anchor::Middle, "soft", &self.x.label);
        for (at, series) in self.series.iter().enumerate().rev() {
            let shown = |(px, py): &&(f64, f64)| x.shows(*px) && y.shows(*py);
            let points: Vec<&(f64, f64)> = series.points.iter().filter(shown).collect();
            let mut path = String::new();
            for (step, (px, py)) in points.iter().enumerate() {
                let (px, py) = (x.at(*px), y.at(*py));
                path.push_str(&match (step, series.shape) {
                    (0, _) => format!("M{px:.1} {py:.1}"),
                    (_, Shape::Straight) => format!("L{px:.1} {py:.1}"),
                    (_, Shape::Steps) => format!("H{px:.1}V{py:.1}"),
                });
            }
            if path.is_empty() {
                continue;
            }
            drawing.put(format_args!("<path class=\"{}\" d=\"{path}\"/>", stroke(at)));
            // Steps have too many points to mark them all.
            let marked = if series.shape == Shape::Steps { points.len() - 1 } else { 0 };
            for (px, py) in &points[marked..] {
                let hint = format!("{}: {} at {}", series.name, short(*py), short(*px));
                drawing.mark(at, (x.at(*px), y.at(*py)), &hint);
            }
        }
        drawing.finish()
    }
}
