//! Columns side by side: a histogram before and after.

use super::axis::{Axis, PlacedAxis, Scale, short};
use super::bars::{Bar, BarChart};
use super::svg::{LegendKey, SvgDrawing, TextAnchor, title_height, width};

/// A chart of columns, some series side by side for every name.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnChart {
    /// What it shows.
    pub title: String,
    /// The names of the series.
    pub series: Vec<String>,
    /// The names along the bottom, with a value for each series.
    pub columns: Vec<(String, Vec<f64>)>,
    /// What the names are: `class size (rows)`.
    pub x: String,
    /// From bottom to top.
    pub y: Axis,
    /// How wide the whole is, in pixels; two narrow charts stand side by side on a page.
    pub width: f64,
}

const PLOT: f64 = 150.0;
/// How far down turned text runs for its length.
const TURN: f64 = 0.71;
/// The longest names that are turned, in pixels.
const LONGEST: f64 = 110.0;

impl ColumnChart {
    /// The chart as SVG.
    pub fn to_svg(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(String::as_str).collect();
        let names = if names.len() > 1 { names } else { Vec::new() };
        let names = LegendKey::boxes(&names);
        let legend = SvgDrawing::new(self.width, 0.0, "", "").legend(0.0, &names);
        let head = title_height(&self.title, self.width);
        let top = head + legend + 18.0;
        let bottom = top + PLOT;
        let values = || self.columns.iter().flat_map(|(_, values)| values.iter().copied());
        let y = PlacedAxis::new(self.y.scale, values().chain([1.0]), bottom, top);
        let marks = y.ticks(self.y.ticks.as_deref(), |_| 16.0);
        let left = marks.iter().map(|&mark| width(&short(mark))).fold(20.0, f64::max) + 8.0;
        let step = (self.width - left - 4.0) / self.columns.len().max(1) as f64;
        let longest = self.columns.iter().map(|(name, _)| width(name)).fold(0.0, f64::max);
        // Names that do not fit beside each other are turned.
        let turned = longest + 4.0 > step;
        // Turned text runs to the lower left, and must not leave the chart there.
        let room = |at: usize| ((left + (at as f64 + 0.5) * step) / TURN).min(LONGEST);
        let fits = |(at, (name, _)): (usize, &(String, Vec<f64>))| width(name) <= room(at);
        if turned && (step < 16.0 || !self.columns.iter().enumerate().all(fits)) {
            return self.lying();
        }
        let foot = if turned { longest * TURN + 26.0 } else { 22.0 };
        let about: Vec<String> = self
            .columns
            .iter()
            .map(|(name, values)| {
                let values: Vec<String> = values.iter().map(|&value| short(value)).collect();
                format!("{name}: {}", values.join(", "))
            })
            .collect();
        let height = bottom + foot + 20.0;
        let mut drawing = SvgDrawing::new(self.width, height, &self.title, &about.join("; "));
        drawing.legend(head, &names);
        drawing.text((0.0, top - 8.0), TextAnchor::Start, "soft", &self.y.label);
        for mark in marks {
            let at = y.at(mark);
            drawing.line("grid", (left, at), (self.width, at));
            drawing.text((left - 4.0, at + 4.0), TextAnchor::End, "soft", &short(mark));
        }
        drawing.line("axis", (left, bottom), (self.width, bottom));
        let series = self.series.len().max(1) as f64;
        let thick = (step * 0.8 / series).min(26.0);
        for (at, (name, values)) in self.columns.iter().enumerate() {
            let middle = left + (at as f64 + 0.5) * step;
            let first = middle - thick * series / 2.0;
            for (of, &value) in values.iter().enumerate() {
                let blank = self.y.scale == Scale::Log && value <= 0.0;
                let head = if blank { bottom } else { y.at(value) };
                let hint = format!("{name}, {}: {}", self.series[of], short(value));
                let corner = (first + of as f64 * thick, head);
                drawing.bar(of, corner, ((thick - 1.0).max(0.5), bottom - head), &hint);
            }
            if turned {
                drawing.put(format_args!(
                    "<text transform=\"translate({:.1} {:.1}) rotate(-45)\" text-anchor=\"end\" \
                     class=\"soft\">{}</text>",
                    middle + 4.0,
                    bottom + 12.0,
                    super::escape(name)
                ));
            } else {
                drawing.text((middle, bottom + 15.0), TextAnchor::Middle, "soft", name);
            }
        }
        let center = (left + self.width) / 2.0;
        drawing.text((center, height - 4.0), TextAnchor::Middle, "soft", &self.x);
        drawing.finish()
    }

    /// The same lying, where every name has room, however long it is.
    fn lying(&self) -> String {
        let bars = self
            .columns
            .iter()
            .map(|(name, values)| Bar { label: name.clone(), values: values.clone() });
        let about = [self.title.as_str(), self.x.as_str(), self.y.label.as_str()];
        let about: Vec<&str> = about.into_iter().filter(|part| !part.is_empty()).collect();
        let (title, rest) =
            about.split_first().map_or(("", &[][..]), |(title, rest)| (*title, rest));
        let chart = BarChart {
            title: match rest {
                [] => title.to_owned(),
                rest => format!("{title} ({})", rest.join("; ")),
            },
            series: self.series.clone(),
            bars: bars.collect(),
            most: None,
            unit: String::new(),
        };
        chart.drawn(self.width)
    }
}
