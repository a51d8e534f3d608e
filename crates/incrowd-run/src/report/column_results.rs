//! What happened to every column of a table.

use incrowd_assess::expose::Exposure;
use incrowd_engine::release::RecodedAttribute;
use incrowd_engine::words::count;

use crate::Source;
use crate::plan::job::Job;
use crate::report::statement::ColumnResult;
use crate::spec::Role;

/// The quasi-identifiers with what is kept of them, then the other columns in the order of the table.
pub(crate) fn column_results(
    job: &Job,
    source: &Source,
    recoded: Vec<RecodedAttribute>,
    exposure: &Exposure,
) -> Vec<ColumnResult> {
    let names = source.columns();
    let quasi = recoded.into_iter().map(|RecodedAttribute { name, words, kept }| ColumnResult {
        column: name,
        what: words,
        kept: Some(kept),
    });
    let mut all: Vec<ColumnResult> = quasi.collect();
    for (at, name) in names.iter().enumerate() {
        if all.iter().any(|it| it.column == *name) {
            continue;
        }
        let role = job.columns.iter().find(|(column, _)| *column == at).map(|(_, role)| *role);
        let exposed = exposure.unchanged.iter().find(|it| it.column == *name);
        let alone = exposed.map_or(0, |it| it.unique_rows);
        let mut what = what(job, name, role);
        if alone > 0 {
            what.push_str(&format!("; {} its value alone", count(alone, "row has", "rows have")));
        }
        all.push(ColumnResult { column: name.clone(), what, kept: None });
    }
    all
}

fn what(job: &Job, name: &str, role: Option<Role>) -> String {
    let finishing = &job.finishing;
    if let Some(treat) = finishing.treatment(name) {
        return treat.words();
    }
    if let Some((_, other)) = finishing.follows.iter().find(|(column, _)| column == name) {
        return format!("follows {other}: what belongs to its released groups");
    }
    let narrowing = match finishing.narrowing.iter().any(|column| column == name) {
        true => "; k holds with it, too",
        false => "",
    };
    match role {
        Some(role @ (Role::Sensitive | Role::Class | Role::Plain)) => {
            format!("released unchanged ({role}){narrowing}")
        }
        Some(_) => format!("released unchanged{narrowing}"),
        None if job.left_out.iter().any(|column| column == name) => "left out (no role)".to_owned(),
        None => "left out (identifying)".to_owned(),
    }
}
