//! `evaluate queries`: how far counts taken from a release are from the true ones.

use incrowd::{Control, Problem, ProblemSpec, QueryErrors, Workload, thousands};
use incrowd_io::spec::{Hierarchy, parse_assignment};
use incrowd_io::{Error, Result, load_hierarchy, read_release, read_table};
use serde::Serialize;

use crate::End;
use crate::args::Queries;
use crate::command::{column_of, one_from_stdin, open};

pub(super) fn queries(args: &Queries) -> Result<End> {
    one_from_stdin(("the release", &args.release), ("the original", Some(&args.original)))?;
    let original = open(&args.original, args.original_delimiter.as_deref(), None)?;
    let places: Vec<usize> =
        args.quasi.iter().map(|name| column_of(&original, name)).collect::<Result<_>>()?;
    let release = args.reading.open(&args.release)?;
    let mut spec = args.quasi.iter().fold(ProblemSpec::new(1), |spec, name| spec.quasi(name));
    for column in &mut spec.quasi {
        column.rule.missing = args.reading.missing();
    }
    for text in &args.hierarchy {
        let (name, file) = parse_assignment(text)?;
        let Some(column) = spec.quasi.iter_mut().find(|column| column.name == name) else {
            return Err(Error::new(format!("`{name}` has a hierarchy but is no quasi-identifier"))
                .help("name it in --quasi, or leave out its hierarchy"));
        };
        column.hierarchy = Some(load_hierarchy(&Hierarchy::File(file.into()))?);
    }
    let workload = Workload {
        queries: args.queries,
        dimensions: args.dimensions,
        selectivity: share(&args.selectivity)?,
        columns: args.columns.clone(),
        seed: args.seed,
    };
    let table = read_table(&original, Some(&places), &Control::new())?;
    let problem = Problem::of_table(&spec, &table)?;
    drop(table);
    let released = read_table(&release, None, &Control::new())?;
    let rows = released.rows() as u64;
    let errors = workload.errors(&problem, &read_release(&problem, &released)?)?;
    show(&Evaluation { rows: problem.rows, released: rows, workload, errors }, args.printing.json)?;
    Ok(End::Done)
}

/// What was asked, and how far the answers were off.
#[derive(Serialize)]
struct Evaluation {
    rows: u64,
    released: u64,
    workload: Workload,
    errors: QueryErrors,
}

fn show(evaluation: &Evaluation, json: bool) -> Result<()> {
    if json {
        sayln!("{}", crate::show::json_text("result", evaluation)?);
        return Ok(());
    }
    let Evaluation { rows, released, workload, errors } = evaluation;
    sayln!("{:<14}{} of {} rows", "release", thousands(*released), thousands(*rows));
    let about = match workload.columns.as_slice() {
        [] => "the quasi-identifiers".to_owned(),
        columns => columns.join(", "),
    };
    sayln!(
        "{:<14}{} about {} of {about} (seed {}); {} about no rows passed over",
        "questions",
        thousands(errors.queries.into()),
        workload.dimensions,
        workload.seed,
        thousands(errors.empty.into())
    );
    sayln!("{:<14}{:.2} % of the rows on average", "asked for", 100.0 * errors.mean_selectivity);
    sayln!(
        "{:<14}median {:.2} %, mean {:.2} %",
        "error",
        100.0 * errors.median,
        100.0 * errors.mean
    );
    Ok(())
}

/// A share above 0, as a number or a percentage.
pub(in crate::command) fn share(text: &str) -> Result<f64> {
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent.trim(), 100.0),
        None => (text.trim(), 1.0),
    };
    match incrowd::parse_number(number).map(|number| number / scale) {
        Some(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err(Error::new(format!("`{text}` is not a share"))
            .help("write a share above 0 and at most 1, such as 0.05 or 5%")),
    }
}
