//! Bars from left to right, one row for each name.

use super::axis::short;
use super::svg::{LegendKey, SvgDrawing, TextAnchor, title_height, width, wrapped};

/// A row of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is about.
    pub label: String,
    /// One value for each series.
    pub values: Vec<f64>,
}

/// A chart of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// What it shows.
    pub title: String,
    /// The names of the series; no legend is drawn for a single one.
    pub series: Vec<String>,
    /// The rows from top to bottom.
    pub bars: Vec<Bar>,
    /// The value of a bar that fills the chart; if none, the largest.
    pub most: Option<f64>,
    /// What follows every number: `%`, ` rows`.
    pub unit: String,
}

const WIDTH: f64 = 640.0;
const THICK: f64 = 12.0;
/// The height of a line of a name.
const LINE: f64 = 14.0;
/// The share of the width that names may take.
const LABELS: f64 = 0.5625;

impl BarChart {
    /// The chart as SVG.
    pub fn to_svg(&self) -> String {
        self.drawn(WIDTH)
    }

    /// The chart as SVG, so wide.
    pub(super) fn drawn(&self, whole: f64) -> String {
        let series = self.series.len().max(1);
        let names: Vec<&str> = match &self.series[..] {
            [_] => Vec::new(),
            several => several.iter().map(String::as_str).collect(),
        };
        let names = LegendKey::boxes(&names);
        let legend = SvgDrawing::new(whole, 0.0, "", "").legend(0.0, &names);
        let head = title_height(&self.title, whole);
        let top = head + legend + 4.0;
        let labels = self.bars.iter().map(|bar| width(&bar.label)).fold(0.0, f64::max);
        // Names may take up more than half, but the bars must still tell. Longer ones go on in the next line.
        let left = labels.min(LABELS * whole) + 8.0;
        let lines: Vec<Vec<String>> =
            self.bars.iter().map(|bar| wrapped(&bar.label, left - 8.0)).collect();
        let thick = series as f64 * THICK;
        let rows: Vec<f64> =
            lines.iter().map(|lines| thick.max(lines.len() as f64 * LINE) + 8.0).collect();
        let height = top + rows.iter().sum::<f64>() + 4.0;
        let value_text = |value: f64| format!("{}{}", short(value), self.unit);
        let about: Vec<String> = self
            .bars
            .iter()
            .map(|bar| {
                let values: Vec<String> = bar.values.iter().map(|&v| value_text(v)).collect();
                format!("{}: {}", bar.label, values.join(", "))
            })
            .collect();
        let mut drawing = SvgDrawing::new(whole, height, &self.title, &about.join("; "));
        drawing.legend(head, &names);
        let values = || self.bars.iter().flat_map(|bar| bar.values.iter().copied());
        let room = values().map(|value| width(&value_text(value))).fold(0.0, f64::max);
        let most = self.most.unwrap_or_else(|| values().fold(0.0, f64::max)).max(f64::MIN_POSITIVE);
        let space = (whole - left - room - 12.0).max(1.0);
        let mut y = top;
        for ((bar, lines), row) in self.bars.iter().zip(&lines).zip(rows) {
            // Both the bars and their name stand in the middle of the row.
            let first = y + (row - 8.0) / 2.0 - lines.len() as f64 * LINE / 2.0 + LINE - 3.0;
            for (at, line) in lines.iter().enumerate() {
                drawing.text((left - 8.0, first + at as f64 * LINE), TextAnchor::End, "", line);
            }
            let bars = y + (row - 8.0 - thick) / 2.0;
            for (of, &value) in bar.values.iter().enumerate() {
                let y = bars + of as f64 * THICK;
                let length = (value / most).clamp(0.0, 1.0) * space;
                let hint = format!("{}: {}", bar.label, value_text(value));
                drawing.bar(of, (left, y), (length, THICK - 2.0), &hint);
                let end = (left + length + 4.0, y + THICK - 3.0);
                drawing.text(end, TextAnchor::Start, "soft", &value_text(value));
            }
            y += row;
        }
        drawing.line("axis", (left, top - 2.0), (left, height - 4.0));
        drawing.finish()
    }
}
