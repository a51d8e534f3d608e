//! What a table is like, as text for a terminal.

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle,
};

use incrowd_assess::expose::Disclosure;
use incrowd_assess::inspect::{ColumnCombination, ColumnReport, Inspection, Risk, shown};
use incrowd_engine::words::thousands;

/// The report for people, no wider than `width` characters where that is possible.
pub(crate) fn render(found: &Inspection, width: u16) -> String {
    InspectionDisplay(found).render(width)
}

/// A report on its way to a terminal.
struct InspectionDisplay<'a>(&'a Inspection);

impl InspectionDisplay<'_> {
    fn render(&self, width: u16) -> String {
        let found = self.0;
        let size = format!(
            "{}, {}.",
            counted(found.rows, "row"),
            counted(found.columns.len() as u64, "column")
        );
        let mut parts = vec![size, self.columns_table(width), self.roles_table(width)];
        parts.extend(self.notes());
        parts.extend(self.tells());
        parts.extend(self.combinations_parts(width));
        parts.extend(found.risk.as_ref().map(|risk| risk_table(risk, found.rows, width)));
        let mut text = parts.join("\n\n");
        text.push('\n');
        text
    }

    fn columns_table(&self, width: u16) -> String {
        let header = ["column", "type", "missing", "distinct", "separation", "values"];
        let rows = self.0.columns.iter().map(|column| {
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
        let rows = self.0.columns.iter().map(|column| {
            [
                shown(&column.name),
                column.role.to_string(),
                percent(column.uniqueness.unique_share),
                column.reason.clone(),
            ]
        });
        lines(&aligned(width, ["column", "likely role", "singles out", "why"], 2..3, rows))
    }

    /// Columns that tell others.
    fn tells(&self) -> Option<String> {
        const SHOWN: usize = 10;
        let found = &self.0.tells;
        let line = |told: &Disclosure| {
            format!(
                "{} reveals {} in {} of the rows",
                shown(&told.column),
                shown(&told.quasi),
                percent(told.share)
            )
        };
        let mut told: Vec<String> = found.iter().take(SHOWN).map(line).collect();
        if found.len() > SHOWN {
            told.push(format!("and {} more pairs", found.len() - SHOWN));
        }
        (!told.is_empty()).then(|| {
            format!(
                "Columns that reveal others (released unchanged, the first one discloses the second):\n{}",
                told.join("\n")
            )
        })
    }

    fn notes(&self) -> Option<String> {
        let note = |column: &ColumnReport| {
            column.note.as_ref().map(|note| format!("note: {}: {note}", shown(&column.name)))
        };
        let notes: Vec<String> = self.0.columns.iter().filter_map(note).collect();
        (!notes.is_empty()).then(|| notes.join("\n"))
    }

    fn combinations_parts(&self, width: u16) -> impl Iterator<Item = String> + use<> {
        let found = &self.0.combinations;
        // The growing set tells from four columns on what the pairs and triples do not.
        let grown = found.growing.iter().filter(|step| step.columns.len() > 3);
        let worst = found.growing.first();
        let all: Vec<&ColumnCombination> =
            worst.into_iter().chain(&found.pairs).chain(&found.triples).chain(grown).collect();
        let header = ["columns that single people out", "unique rows", "distinct", "separation"];
        let rows = all.iter().map(|combination| {
            let ColumnCombination { columns, uniqueness } = combination;
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

fn risk_table(risk: &Risk, rows: u64, width: u16) -> String {
    let names: Vec<String> = risk.quasi.iter().map(|name| shown(name)).collect();
    let of_rows = |part: u64, share: f64| {
        format!("{} of {} rows ({})", thousands(part), thousands(rows), percent(share))
    };
    let mut facts = vec![
        ["others know".to_owned(), names.join(", ")],
        ["unique".to_owned(), of_rows(risk.uniqueness.unique_rows, risk.uniqueness.unique_share)],
    ];
    let small = risk.rows_below.iter().filter(|below| below.k > 2);
    facts.extend(
        small.map(|below| {
            [format!("in classes below {}", below.k), of_rows(below.rows, below.share)]
        }),
    );
    facts.push([
        "classes".to_owned(),
        format!(
            "{}; the smallest of {}, the median of {}",
            thousands(risk.uniqueness.distinct),
            counted(risk.smallest_class, "row"),
            counted(risk.median_class, "row"),
        ),
    ]);
    facts.push([
        "prosecutor risk".to_owned(),
        format!(
            "{} at worst, {} on average",
            percent(risk.prosecutor_highest),
            percent(risk.prosecutor_average)
        ),
    ]);
    lines(&aligned(width, ["risk of re-identification", ""], 0..0, facts))
}

/// The range of numbers and dates, and the most frequent values.
fn values(column: &ColumnReport) -> String {
    let range = match (&column.min, &column.max) {
        (Some(min), Some(max)) => {
            // A form that nobody mistakes need not be told.
            let form = column.date_format.as_ref().filter(|form| !form.starts_with("y-m-d"));
            let form = form.map(|form| format!(" ({form})")).unwrap_or_default();
            Some(format!("{} to {}{form}", shown(min), shown(max)))
        }
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
    #![allow(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use incrowd_assess::inspect::{InspectOptions, LikelyRole, inspect};
    use incrowd_engine::Table;
    use incrowd_engine::words::thousands;

    use super::{percent, render};
    use incrowd_demo::Census;

    #[test]
    fn shares_and_numbers_read_well() {
        let shares = [0.0, 0.0001, 0.123, 0.99999, 1.0].map(percent);
        assert_eq!(shares, ["0.0%", "<0.1%", "12.3%", ">99.9%", "100.0%"]);
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    fn rendered<const N: usize>(names: &[&str; N], rows: &[[&str; N]], width: u16) -> String {
        let table = Table::from_rows(names, rows).unwrap();
        render(&inspect(&table, &InspectOptions::new()), width)
    }

    #[test]
    fn the_rendered_report_fits_its_width() {
        let rows = [
            ["p1", "34", "F", "02138", "flu"],
            ["p2", "34", "F", "02138", "flu"],
            ["p3", "34", "M", "02139", "cold"],
            ["p4", "35", "M", "02139", "flu"],
            ["p5", "36", "F", "NA", "flu"],
            ["p6", "36", "M", "02141", "cold"],
        ];
        let text = rendered(&["patient-id", "age", "sex", "zip", "diagnosis"], &rows, 100);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        for words in
            ["6 rows, 5 columns.", "identifying", "34 to 36", "flu 66.7%", "prosecutor risk"]
        {
            assert!(text.contains(words), "{words} is not in\n{text}");
        }
    }

    #[test]
    fn tables_with_next_to_nothing_in_them() {
        assert!(rendered(&["age", "name"], &[], 80).starts_with("0 rows, 2 columns."));
        assert!(rendered(&[], &[], 80).starts_with("0 rows, 0 columns."));
        assert!(rendered(&["age"], &[["3"]], 0).contains("1 row, 1 column."));
    }

    #[test]
    fn the_limit_on_work_is_told() {
        let rows = [["1", "2", "3"], ["2", "3", "4"]];
        let table = Table::from_rows(&["age", "sex", "race"], &rows).unwrap();
        let found = inspect(&table, &InspectOptions::new().with_budget(0));
        assert!(render(&found, 80).contains("0 of 4 pairs and triples were counted"));
    }

    #[test]
    fn the_synthetic_census_is_understood() {
        let people: Vec<_> = Census::new(2_000, 1).iter().map(|person| person.values).collect();
        let table = Table::from_rows(&Census::header(), &people).unwrap();
        let found = inspect(&table, &InspectOptions::new());
        let names = |role: LikelyRole| -> Vec<&str> {
            let of_role = found.columns.iter().filter(|column| column.role == role);
            of_role.map(|column| column.name.as_str()).collect()
        };
        assert_eq!(names(LikelyRole::Quasi), incrowd_demo::QUASI);
        assert_eq!(names(LikelyRole::Sensitive), [incrowd_demo::SENSITIVE]);
    }
}
