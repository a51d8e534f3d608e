//! What a run has to tell, in sentences.

use incrowd_assess::expose::UnchangedColumn;
use incrowd_engine::release::UnrelatedSets;
use incrowd_engine::words::{count, thousands};

use crate::plan::finishing::FinishingPlan;
use crate::report::run_report::{RunReport, UnlinkedUnits};

/// What is asked for columns that are no quasi-identifiers, and for rows that belong together, a line each.
pub fn finishing_text(asked: &FinishingPlan, k: u64) -> Vec<String> {
    let treated = asked.treated.iter().map(|(column, treat)| (column.as_str(), treat.words()));
    lines(treated, &asked.follows, &asked.narrowing, asked.linked.as_deref(), k)
}

fn lines<'a>(
    treated: impl Iterator<Item = (&'a str, String)>,
    follows: &[(String, String)],
    narrowing: &[String],
    linked: Option<&str>,
    k: u64,
) -> Vec<String> {
    let mut lines: Vec<String> =
        treated.map(|(column, words)| format!("{column}: {words}")).collect();
    lines.extend(
        follows
            .iter()
            .map(|(column, other)| format!("{column}: what belongs to the groups of {other}")),
    );
    if !narrowing.is_empty() {
        lines.push(format!("k also holds together with {}", narrowing.join(", ")));
    }
    if let Some(unit) = linked {
        lines.push(format!(
            "rows of one {unit} are linked: at least {k} have the same collection of rows"
        ));
    }
    lines
}

/// What was done so, and how many rows were left out, which is for the owner of the table.
pub fn finished_text(report: &RunReport) -> Vec<String> {
    let treated = report.treated.iter().map(|it| (it.column.as_str(), it.words.clone()));
    let linked = report.unlinked.map(|_| report.unit.as_str());
    let mut lines = lines(treated, &report.follows, &report.narrowing, linked, report.k);
    let rows = |number: u64| count(number, "row", "rows");
    if let Some(UnlinkedUnits { units, rows: of }) =
        report.unlinked.filter(|unlinked| unlinked.units > 0)
    {
        lines.push(format!(
            "{} with {} left out because too few share all of their rows",
            count(units, "unit", "units"),
            rows(of)
        ));
    }
    if report.failing_rows > 0 {
        lines.push(format!(
            "{} left out because their class failed afterwards",
            rows(report.failing_rows)
        ));
    }
    lines
}

/// What a penalty means where a column is released in sets of values that nothing relates to each other.
pub fn sets_text(sets: &UnrelatedSets) -> String {
    format!(
        "{}: {} released as a set of {:.1} of its {} values on average; a set counts as {} lost, \
         however unlike its values are",
        sets.name,
        count(sets.rows, "row is", "rows are"),
        sets.values,
        thousands(sets.of as u64),
        share_text(sets.values / sets.of.max(1) as f64)
    )
}

/// A share in percent with the digits that matter.
fn share_text(share: f64) -> String {
    if share < 0.1 { format!("{:.1}%", 100.0 * share) } else { format!("{:.0}%", 100.0 * share) }
}

/// Names in a sentence: `age, sex and zip`.
pub fn names_text(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// How many rows the columns single out that are released as they are, in lines: column by column, and together.
pub fn unchanged_text(report: &RunReport) -> Vec<String> {
    // A wide table would fill the screen: those that single out most come first, and the rest is counted.
    const SHOWN: usize = 8;
    let known = names_text(&report.quasi);
    let rows = |number: u64| {
        let share = 100.0 * number as f64 / report.released.max(1) as f64;
        format!("{} ({share:.1} %)", thousands(number))
    };
    let line = |name: &str, it: &UnchangedColumn| {
        format!(
            "{name} singles out {}{} of the released rows alone, {} together with {known}",
            if it.estimated { "about " } else { "" },
            rows(it.unique_rows),
            rows(it.unique_rows_with_quasi)
        )
    };
    let mut all: Vec<&UnchangedColumn> = report.unchanged.iter().collect();
    if all.len() > SHOWN {
        all.sort_by_key(|it| std::cmp::Reverse((it.unique_rows_with_quasi, it.unique_rows)));
    }
    let mut lines: Vec<String> = all.iter().take(SHOWN).map(|it| line(&it.column, it)).collect();
    if all.len() > SHOWN {
        lines.push(format!("and {} columns that single out no more", all.len() - SHOWN));
    }
    let together = report.unchanged_together.iter();
    lines.extend(together.map(|it| line(&format!("all {} together:", all.len()), it)));
    lines
}
