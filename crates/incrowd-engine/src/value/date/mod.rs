//! Dates and times: how they are written, the order and width that they have in time, and the units that groups
//! of them are told in.

mod calendar;
mod derive;
mod detect;
mod format;
mod labels;
mod levels;
mod moment;
mod scale;

pub use calendar::civil_of;
pub(super) use derive::{age_at, no_age};
pub use derive::{parse_day, show_day};
pub use detect::{DateColumn, DateReadings, DetectedDates, detect_dates, read_dates};
pub use format::{DateFormat, ParsedDate, YEAR_PIVOT};
pub use levels::check_units;
pub(super) use levels::text_rows;
pub use moment::{DateUnit, Moment};
pub use scale::DateScale;

#[cfg(test)]
mod tests;
