//! Structures as text.

use incrowd_engine::structure::{
    BalancedStructure, NearestStructure, StructureAnswer, StructureOutcome, StructureSpec,
};
use incrowd_engine::value::BLANK;
use incrowd_engine::words::thousands;

use incrowd_run::explore::limit_in_words;

use super::states;

pub(super) fn answer(spec: &StructureSpec, answer: &StructureAnswer) {
    let blanks = spec.blanks();
    sayln!(
        "{:<14}B({}, {}) over columns of {} values: {} rows{}, {} in each row",
        "asked for",
        spec.k,
        spec.domains.len(),
        spec.domains.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        thousands(spec.rows.into()),
        match spec.repeats {
            1 => ", all distinct".to_owned(),
            times => format!(", none more than {times} times"),
        },
        counted(blanks.into(), "blank"),
    );
    let examined = states(answer.states);
    match &answer.outcome {
        StructureOutcome::Found(structure) => {
            let columns = structure.column_blanks();
            sayln!(
                "{:<14}yes, after {examined}; {} in each column",
                "exists",
                counted(columns.first().copied().unwrap_or(0).into(), "blank")
            );
            let names: Vec<String> =
                (1..=spec.domains.len()).map(|column| format!("A{column}")).collect();
            table(&names, structure, &|_, code| code.to_string());
        }
        StructureOutcome::Absent { why: None } => {
            sayln!(
                "{:<14}no: all {examined} that differ were examined, and none leads to one",
                "exists"
            );
        }
        StructureOutcome::Absent { why: Some(why) } => sayln!("{:<14}no: {why}", "exists"),
        StructureOutcome::Undecided { reason } => {
            sayln!("{:<14}undecided after {examined}: {}", "exists", limit_in_words(*reason));
        }
    }
}

pub(super) fn nearest(names: &[String], values: &[Vec<String>], nearest: &NearestStructure) {
    let examined = states(nearest.states);
    let Some(structure) = &nearest.structure else {
        let reason = limit_in_words(nearest.stopped);
        sayln!("{:<14}none within the limit, after {examined}: {reason}", "closest");
        return;
    };
    let columns = structure.column_blanks();
    sayln!(
        "{:<14}{} in all: {} in each row, {} in each column",
        "closest",
        counted(nearest.blanks(), "blank"),
        nearest.blanks_per_row,
        columns.first().copied().unwrap_or(0)
    );
    sayln!(
        "{:<14}{}; without balance at least {} are needed",
        "extra",
        match nearest.blanks().saturating_sub(nearest.least_blanks) {
            0 => "none".to_owned(),
            extra => format!("at most {}", counted(extra, "blank")),
        },
        thousands(nearest.least_blanks)
    );
    let proof = if nearest.undecided.is_empty() {
        format!("no balanced table has fewer blanks ({examined} examined)")
    } else {
        let open: Vec<String> = nearest.undecided.iter().map(u32::to_string).collect();
        format!("undecided for {} in each row, after {examined}", open.join(" or "))
    };
    sayln!("{:<14}{proof}", "proof");
    table(names, structure, &|column, code| values[column][code as usize].clone());
}

fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// The rows and what is released of them, class by class.
fn table(names: &[String], structure: &BalancedStructure, label: &dyn Fn(usize, u32) -> String) {
    let mut lines: Vec<Vec<String>> = Vec::with_capacity(structure.rows.len() + 1);
    let heads = [names, &["".to_owned()], names, &["class".to_owned()]].concat();
    lines.push(heads);
    let mut class = 0;
    let mut last = None;
    for row in &structure.rows {
        if last.replace(&row.released) != Some(&row.released) {
            class += 1;
        }
        let values = row.values.iter().enumerate().map(|(column, &code)| label(column, code));
        let released = row.released.iter().enumerate().map(|(column, code)| {
            code.map_or_else(|| BLANK.to_owned(), |code| label(column, code))
        });
        let arrow = std::iter::once("->".to_owned());
        lines.push(values.chain(arrow).chain(released).chain([class.to_string()]).collect());
    }
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    sayln!("\n{text}");
}
