//! The report as text for a terminal.

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle,
};

use incrowd::thousands;

use super::combine::Combination;
use super::{ColumnReport, InspectReport, Risk};

/// How many characters of a value are shown.
const VALUE_WIDTH: usize = 24;

impl InspectReport {
    /// The report for people, no wider than `width` characters where that is possible.
    pub(crate) fn render(&self, width: u16) -> String {
        let size = format!(
            "{}, {}.",
            counted(self.rows, "row"),
            counted(self.columns.len() as u64, "column")
        );
        let mut parts = vec![size, self.columns_table(width), self.roles_table(width)];
        parts.extend(self.notes());
        parts.extend(self.combinations_parts(width));
        parts.extend(self.risk.as_ref().map(|risk| risk.render(self.rows, width)));
        let mut text = parts.join("\n\n");
        text.push('\n');
        text
    }

    fn columns_table(&self, width: u16) -> String {
        let header = ["column", "type", "missing", "distinct", "separation", "values"];
        let rows = self.columns.iter().map(|column| {
            [
                shown(&column.name),
                column.kind.name().to_owned(),
                thousands(column.missing),
                thousands(column.uniqueness.distinct),
                percent(column.uniqueness.separation),
                values(column),
            ]
        });
        let mut table = aligned(width, header, 2..5, rows);
        // One line per column: the values take the room that the rest leaves.
        table.set_constraints([ColumnConstraint::ContentWidth; 5]);
        table.row_iter_mut().for_each(|row| {
            row.max_height(1);
        });
        lines(&table)
    }

    fn roles_table(&self, width: u16) -> String {
        let rows = self
            .columns
            .iter()
            .map(|column| [shown(&column.name), column.role.to_string(), column.reason.clone()]);
        lines(&aligned(width, ["column", "likely role", "why"], 0..0, rows))
    }

    fn notes(&self) -> Option<String> {
        let note = |column: &ColumnReport| {
            column.note.as_ref().map(|note| format!("note: {}: {note}", shown(&column.name)))
        };
        let notes: Vec<String> = self.columns.iter().filter_map(note).collect();
        (!notes.is_empty()).then(|| notes.join("\n"))
    }

    fn combinations_parts(&self, width: u16) -> impl Iterator<Item = String> + use<> {
        let found = &self.combinations;
        // The growing set tells from four columns on what the pairs and triples do not.
        let grown = found.growing.iter().filter(|step| step.columns.len() > 3);
        let worst = found.growing.first();
        let all: Vec<&Combination> =
            worst.into_iter().chain(&found.pairs).chain(&found.triples).chain(grown).collect();
        let header = ["columns that single people out", "unique rows", "distinct", "separation"];
        let rows = all.iter().map(|combination| {
            let Combination { columns, uniqueness } = combination;
            let names: Vec<String> = columns.iter().map(|name| shown(name)).collect();
            let names = match names.last() {
                Some(last) if names.len() > 4 => format!("  and {last}"),
                _ => names.join(", "),
            };
            [
                names,
                percent(uniqueness.unique_share),
                thousands(uniqueness.distinct),
                percent(uniqueness.separation),
            ]
        });
        let table = (!all.is_empty()).then(|| lines(&aligned(width, header, 1..4, rows)));
        let limit = found.cut_off.then(|| {
            format!(
                "The limit on work stopped the search: {} of {} pairs and triples were counted \
                 (over all rows).",
                thousands(found.examined),
                thousands(found.possible),
            )
        });
        table.into_iter().chain(limit)
    }
}

impl Risk {
    fn render(&self, rows: u64, width: u16) -> String {
        let names: Vec<String> = self.quasi.iter().map(|name| shown(name)).collect();
        let of_rows = |part: u64, share: f64| {
            format!("{} of {} rows ({})", thousands(part), thousands(rows), percent(share))
        };
        let mut facts = vec![
            ["others know".to_owned(), names.join(", ")],
            [
                "unique".to_owned(),
                of_rows(self.uniqueness.unique_rows, self.uniqueness.unique_share),
            ],
        ];
        let small = self.rows_below.iter().filter(|below| below.k > 2);
        facts.extend(small.map(|below| {
            [format!("in classes below {}", below.k), of_rows(below.rows, below.share)]
        }));
        facts.push([
            "classes".to_owned(),
            format!(
                "{}; the smallest of {}, the median of {}",
                thousands(self.uniqueness.distinct),
                counted(self.smallest_class, "row"),
                counted(self.median_class, "row"),
            ),
        ]);
        facts.push([
            "prosecutor risk".to_owned(),
            format!(
                "{} at worst, {} on average",
                percent(self.prosecutor_highest),
                percent(self.prosecutor_average)
            ),
        ]);
        lines(&aligned(width, ["risk of re-identification", ""], 0..0, facts))
    }
}

/// The range of numbers and dates, and the most frequent values.
fn values(column: &ColumnReport) -> String {
    let range = match (&column.min, &column.max) {
        (Some(min), Some(max)) => Some(format!("{} to {}", shown(min), shown(max))),
        _ => None,
    };
    // Where values hardly repeat, the most frequent ones are accidents.
    let telling = column.frequent.iter().filter(|value| value.count > 1);
    let frequent = telling.map(|value| format!("{} {}", shown(&value.value), percent(value.share)));
    let parts: Vec<String> = range.into_iter().chain(frequent).collect();
    parts.join(", ")
}

/// A table with a line below its header; the columns in `right` are aligned to the right.
fn aligned<const N: usize>(
    width: u16,
    header: [&str; N],
    right: std::ops::Range<usize>,
    rows: impl IntoIterator<Item = [String; N]>,
) -> Table {
    let line = LineStyle::none().fill('─');
    let mut table = Table::new();
    table
        .load_style(TableStyle::new().header_separator(line))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width)
        .set_header(header)
        .add_rows(rows);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A table as text, without blanks at the ends of its lines.
fn lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// A name or value made fit for a terminal: nothing invisible, nothing endless.
pub(super) fn shown(value: &str) -> String {
    if value.is_empty() {
        return "\"\"".to_owned();
    }
    let mut text = String::new();
    for (at, letter) in value.chars().enumerate() {
        if at == VALUE_WIDTH {
            text.push('…');
            break;
        }
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

/// A share in percent that never rounds something to nothing or less than all to all.
fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.0005 {
        "<0.1%".to_owned()
    } else if (0.9995..1.0).contains(&share) {
        ">99.9%".to_owned()
    } else {
        format!("{:.1}%", 100.0 * share)
    }
}

fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use incrowd::thousands;

    use super::{percent, shown};

    #[test]
    fn shares_and_numbers_read_well() {
        let shares = [0.0, 0.0001, 0.123, 0.99999, 1.0].map(percent);
        assert_eq!(shares, ["0.0%", "<0.1%", "12.3%", ">99.9%", "100.0%"]);
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn values_cannot_play_tricks_on_a_terminal() {
        assert_eq!(shown("a\u{1b}[31mb\nc"), "a\\u{1b}[31mb\\nc");
        assert_eq!(shown(""), "\"\"");
        assert_eq!(shown(&"ä".repeat(100)), format!("{}…", "ä".repeat(24)));
    }
}
