//! Charts as SVG: text in, text out, no script, nothing loaded.
//!
//! Colours are classes (`c0`, `c1`, ...) that [`STYLE`] defines for light, dark and print, so that one chart
//! suits all three. Series differ in marks and dashes too, for whoever does not see colours well.

mod axis;
mod bars;
mod columns;
mod end_labels;
mod lines;
mod svg;

pub use axis::{Axis, Scale};
pub use bars::{Bar, BarChart};
pub use columns::ColumnChart;
pub use lines::{LineChart, LineShape, Series};
pub use svg::{STYLE, charts_of, escape, standalone};
