//! Bars from left to right, one row for each name.

use super::axis::short;
use super::svg::{Anchor, Drawing, Sample, shortened, width};

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
pub struct Bars {
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

impl Bars {
    /// The chart as SVG.
    pub fn to_svg(&self) -> String {
        let series = self.series.len().max(1);
        let names: Vec<&str> = match &self.series[..] {
            [_] => Vec::new(),
            several => several.iter().map(String::as_str).collect(),
        };
        let names = Sample::boxes(&names);
        let legend = Drawing::new(WIDTH, 0.0, "", "").legend(0.0, &names);
        let row = series as f64 * THICK + 8.0;
        let top = 24.0 + legend + 4.0;
        let height = top + self.bars.len() as f64 * row + 4.0;
        let value_text = |value: f64| format!("{}{}", short(value), self.unit);
        let about: Vec<String> = self
            .bars
            .iter()
            .map(|bar| {
                let values: Vec<String> = bar.values.iter().map(|&v| value_text(v)).collect();
                format!("{}: {}", bar.label, values.join(", "))
            })
            .collect();
        let mut drawing = Drawing::new(WIDTH, height, &self.title, &about.join("; "));
        drawing.legend(24.0, &names);
        let labels = self.bars.iter().map(|bar| width(&bar.label)).fold(0.0, f64::max);
        // Names may take up more than half, but the bars must still tell.
        let left = labels.min(360.0) + 8.0;
        let values = || self.bars.iter().flat_map(|bar| bar.values.iter().copied());
        let room = values().map(|value| width(&value_text(value))).fold(0.0, f64::max);
        let most = self.most.unwrap_or_else(|| values().fold(0.0, f64::max)).max(f64::MIN_POSITIVE);
        let whole = WIDTH - left - room - 12.0;
        for (at, bar) in self.bars.iter().enumerate() {
            let y = top + at as f64 * row;
            let middle = y + series as f64 * THICK / 2.0 + 4.0;
            let label = shortened(&bar.label, left - 8.0);
            drawing.text((left - 8.0, middle), Anchor::End, "", &label);
            for (of, &value) in bar.values.iter().enumerate() {
                let y = y + of as f64 * THICK;
                let length = (value / most).clamp(0.0, 1.0) * whole;
                let hint = format!("{}: {}", bar.label, value_text(value));
                drawing.bar(of, (left, y), (length, THICK - 2.0), &hint);
                let end = (left + length + 4.0, y + THICK - 3.0);
                drawing.text(end, Anchor::Start, "soft", &value_text(value));
            }
        }
        drawing.line("axis", (left, top - 2.0), (left, height - 4.0));
        drawing.finish()
    }
}
