//! What is said where rows are not people, or where a released column links them.

use std::collections::BTreeMap;

use incrowd_engine::words::{count, thousands};

use crate::plan::interface::{ColumnRefusal, Interface, quoted, refusal};
use crate::plan::job::Job;
use crate::spec::{KeywordChoice, Role};
use crate::{ColumnFix, Error, ErrorKind, Result, Source};

/// What to write so that a column is the unit of protection.
pub(crate) fn unit(voice: Interface, column: &str) -> String {
    match voice {
        Interface::Options => format!("--unit {}", quoted(column)),
        Interface::Spec => format!("unit = {column:?} under [privacy]"),
        Interface::Program => format!(".unit({column:?})"),
        Interface::Keywords => format!("unit={column:?}"),
    }
}

/// What to write so that rows of one unit may stay linked.
fn linked(voice: Interface) -> &'static str {
    match voice {
        Interface::Options => "--linked",
        Interface::Spec => "linked = true under [privacy]",
        Interface::Program | Interface::Keywords => "linked=True",
    }
}

/// Ways to go on, below each other, each with what it does.
fn ways(ways: &[(String, String)]) -> String {
    let width = ways.iter().map(|(way, _)| way.chars().count()).max().unwrap_or(0);
    let lines = ways.iter().map(|(way, does)| format!("\n      {way:width$}  {does}"));
    lines.collect()
}

/// A column whose values tell people apart who have several rows.
pub(crate) struct SubjectColumn {
    pub(crate) column: usize,
    /// Further columns of that kind.
    pub(crate) others: Vec<usize>,
    pub(crate) rows: u64,
    pub(crate) values: u64,
    /// Whether the values are codes rather than words or measurements.
    pub(crate) is_code: bool,
    /// The quasi-identifiers that rows of one value agree on.
    pub(crate) agreeing: Vec<String>,
}

/// The error for rows that are not people.
pub(crate) fn repeated_subjects(job: &Job, source: &Source, found: &SubjectColumn) -> Error {
    let at = found.column;
    let name = &source.columns()[at];
    let voice = job.voice;
    let alike = match &found.agreeing[..] {
        [] => "(its name suggests that it numbers people)".to_owned(),
        some => format!("and agree on {}", some.join(", ")),
    };
    let row =
        (unit(voice, "row"), "treats every row as a person of its own, on purpose".to_owned());
    let head = format!(
        "rows are not people: {} share {} of `{name}` {alike},\n  so a class of k rows can \
         be a single person",
        count(found.rows, "row", "rows"),
        count(found.values, "value", "values"),
    );
    let why = format!("rows share values of `{name}` {alike}");
    let mend = |role| ColumnFix { column: name.clone(), role, why: why.clone() };
    let refused = |message: String| {
        Error::new(message).help("name the unit of protection").of_kind(ErrorKind::People)
    };
    // A measurement tells people apart without being a name for them.
    if !found.is_code && !job.identifying.contains(name) && is_released(job, at) {
        let known = (
            unit(voice, "COLUMN"),
            "protects each value of the column that identifies people".to_owned(),
        );
        return refused(format!("{head}{}", ways(&[known, row])));
    }
    let protects = format!("protects each value of `{name}`: every class holds at least k of them");
    // Other columns that tell people apart would link their rows.
    let others = found.others.iter().filter(|&&at| is_released(job, at)).map(|&at| {
        let column = source.columns()[at].clone();
        let role = left_out_role(job, &column);
        ColumnFix { column, role, why: format!("it identifies people as `{name}` does") }
    });
    let others: Vec<ColumnFix> = others.collect();
    if !is_released(job, at) {
        let message = format!("{head}{}", ways(&[(unit(voice, name), protects), row]));
        let mends = others.into_iter().chain([mend("unit")]).collect();
        return Error { mends, ..refused(message) };
    }
    let linking = format!("{}, {}", unit(voice, name), linked(voice));
    let stays = "the same, and releases the column: k units share all of their rows".to_owned();
    let left_out = voice.role(name, Role::Identifying);
    let hides = format!("{}, {left_out}", unit(voice, name));
    let treated = job.finishing.treatment(name).is_some();
    let (ways, mends) = match treated {
        true => (ways(&[(linking, protects), row]), vec![mend("unit"), mend("linked")]),
        false => (
            ways(&[(hides, protects), (linking, stays), row]),
            vec![mend("identifying"), mend("unit")],
        ),
    };
    let mends = others.into_iter().chain(mends).collect();
    Error { mends, ..refused(format!("{head}{ways}")) }
}

/// The error for an identifying column whose values are replaced, but equal where they were: whoever knows one row of somebody
/// sees the others.
pub(crate) fn linked_by_treatment(job: &Job, name: &str, pairs: u64, rows: u64) -> Error {
    let message = format!(
        "`{name}` is masked, but it still links {} of {} rows that shared a value,\n  and \
         every row counts as a person",
        thousands(pairs),
        thousands(rows),
    );
    let voice = job.voice;
    let ways = ways(&[
        (voice.left_out(name, true), "leaves it out".to_owned()),
        (
            format!("{}, {}", unit(voice, name), linked(voice)),
            "protects each of its values: k units share all of their rows".to_owned(),
        ),
    ]);
    let why = "it still links rows that shared a value".to_owned();
    let error = Error::new(format!("{message}{ways}"))
        .help("nothing was written; leave the column out, or protect linked rows")
        .of_kind(ErrorKind::People);
    Error { mends: vec![ColumnFix { column: name.to_owned(), role: "drop", why }], ..error }
}

/// The error for a unit whose values are written in several ways: one person would count as several.
pub(crate) fn spelled_units(job: &Job, values: &[&str]) -> Result<()> {
    let mut written: BTreeMap<&str, u64> = BTreeMap::new();
    values.iter().for_each(|value| *written.entry(whole_number(value)).or_default() += 1);
    let several = written.values().filter(|&&times| times > 1).count() as u64;
    let (Some(unit), 1..) = (&job.problem.unit, several) else { return Ok(()) };
    Err(Error::new(format!(
        "{} of `{}` {} written in several ways, such as 7 and 7.0, and would count as several people",
        count(several, "value", "values"),
        unit.name,
        if several == 1 { "is" } else { "are" },
    ))
    .help("write every value in one way, and run again")
    .of_kind(ErrorKind::People))
}

/// A whole number without the fraction that some programs write behind it; any other value as it is.
fn whole_number(value: &str) -> &str {
    let value = value.trim();
    match value.split_once('.') {
        Some((whole, zeros))
            if !whole.is_empty()
                && whole.trim_start_matches('-').bytes().all(|it| it.is_ascii_digit())
                && zeros.bytes().all(|it| it == b'0') =>
        {
            whole
        }
        _ => value,
    }
}

/// What leaves a column out: one whose values are replaced is released although it names people.
fn left_out_role(job: &Job, column: &str) -> &'static str {
    match job.finishing.treatment(column) {
        Some(_) => "drop",
        None => Role::Identifying.name(),
    }
}

/// A released column by which rows of one unit are linked: so many of so many that can be.
pub(crate) struct LinkingColumn {
    pub(crate) column: usize,
    pub(crate) pairs: u64,
    pub(crate) all: u64,
}

/// Whether a column is in the release.
pub(crate) fn is_released(job: &Job, at: usize) -> bool {
    job.columns.iter().any(|(column, _)| *column == at)
}

/// The error for a released column that tells which rows belong together.
pub(crate) fn links_rows(job: &Job, source: &Source, link: &LinkingColumn) -> Error {
    let LinkingColumn { column, pairs, all } = *link;
    let name = &source.columns()[column];
    let unit = job.problem.unit.as_ref().map_or("", |unit| unit.name.as_str());
    let message = format!(
        "`{name}` shows which rows belong to one `{unit}`: it links {} of {} rows,\n  but k \
         counts rows as if they were not linked",
        thousands(pairs),
        thousands(all),
    );
    let treated = job.finishing.treatment(name).is_some();
    let drop = job.voice.left_out(name, treated);
    let ways = ways(&[
        (drop, "leaves it out".to_owned()),
        (
            linked(job.voice).to_owned(),
            format!(
                "keeps it: k values of `{unit}` share all of \
                                                their rows"
            ),
        ),
    ]);
    let role = left_out_role(job, name);
    let why = format!("it shows which rows belong to one `{unit}`");
    let error = Error::new(format!("{message}{ways}"))
        .help("nothing was written; leave the column out, or protect linked rows")
        .of_kind(ErrorKind::People);
    Error { mends: vec![ColumnFix { column: name.clone(), role, why }], ..error }
}

/// The error for a released column that tells which rows of a unit belong together, where rows are linked by the unit: whose
/// rows are divided how is seen as well.
pub(crate) fn divides_units(job: &Job, source: &Source, link: &LinkingColumn) -> Error {
    let name = &source.columns()[link.column];
    let unit = job.problem.unit.as_ref().map_or("", |unit| unit.name.as_str());
    let why = format!("it shows how the rows of one `{unit}` are divided");
    let refused = match job.finishing.treatment(name) {
        Some(_) => ColumnRefusal::masked(name, why, job.voice),
        None => ColumnRefusal::to_leave_out(name, why, job.voice),
    };
    let headline = format!("rows are linked by `{unit}`, and `{name}` divides them further");
    let help =
        "nothing was written; leave one of the two columns out, or name the finer one as the unit";
    refusal(ErrorKind::Undoes, &headline, &[refused], help)
}

/// Refuses released columns that tell which rows belong together, each with how many values it has.
pub(crate) fn groups_rows(job: &Job, columns: &[(&String, u64)]) -> Result<()> {
    let refused: Vec<ColumnRefusal> = columns
        .iter()
        .map(|(column, values)| {
            let why = format!(
                "rows that share one of its {} values agree on quasi-identifiers, as rows of one person do",
                thousands(*values)
            );
            match job.finishing.treatment(column) {
                Some(_) => ColumnRefusal::masked(column, why, job.voice),
                None => ColumnRefusal::to_accept(column, why, job.voice),
            }
        })
        .collect();
    let headline = match &refused[..] {
        [] => return Ok(()),
        [one] => format!("column `{}` shows which rows belong together", one.mend.column),
        several => format!("{} columns show which rows belong together", several.len()),
    };
    let help = "nothing was written; leave such a column out, or name the unit of protection";
    Err(refusal(ErrorKind::Undoes, &headline, &refused, help))
}
