//! Lists of columns as typed, split into names before anything else looks at them.

use std::path::Path;

use incrowd_run::spec::parsing::column_names;
use incrowd_run::{
    Result,
    data::{Input, Source},
    reading_of,
};

use crate::args::{
    Command, EvaluateCommand, MetricsArgs, OptionArgs, OptionSet, SpecArgs, StatisticsArgs,
};

/// Splits the lists of columns of a command.
pub(super) fn split(command: &mut Command) -> Result<()> {
    match command {
        Command::Anonymize(args) => {
            let question = &mut args.question;
            let reading = question.about.clone();
            let lists = question.about.column_lists().chain(args.release.column_lists());
            lists_of(&question.input, &reading, lists.chain([&mut question.quasi]))
        }
        Command::Frontier(args) => {
            let question = &mut args.question;
            about(&question.input, &mut question.quasi, &mut question.about)
        }
        Command::Compare(args) => {
            let input = args.input.clone().unwrap_or_else(|| "-".into());
            about(&input, &mut args.quasi, &mut args.about)
        }
        Command::Run(args) => {
            // The table is known only when the spec has been read.
            let lists =
                [&mut args.quasi, &mut args.identifying, &mut args.sensitive, &mut args.plain];
            for list in lists.into_iter().chain(args.beyond.column_lists()) {
                *list = column_names(list, &[])?;
            }
            Ok(())
        }
        Command::Verify(args) => {
            let lists =
                [&mut args.quasi, &mut args.sensitive, &mut args.identifying, &mut args.unchecked];
            // What must not be released is in the original alone, and has no commas more often than not.
            let lists = lists.into_iter().chain(args.beyond.column_lists());
            lists_of(&args.release, &args.reading, lists)
        }
        Command::Risk(args) => lists_of(&args.input, &args.reading, [&mut args.quasi]),
        Command::Attack(args) => {
            let table = args.original.as_ref().unwrap_or(&args.release).clone();
            lists_of(&table, &args.reading, [&mut args.known, &mut args.secret])
        }
        Command::Structure(args) => {
            let table = args.table.clone().unwrap_or_else(|| "-".into());
            lists_of(&table, &args.reading, [&mut args.quasi])
        }
        Command::Evaluate(EvaluateCommand::Classification(args)) => {
            lists_of(&args.release, &args.reading, [&mut args.quasi])
        }
        Command::Evaluate(EvaluateCommand::Queries(args)) => {
            lists_of(&args.release, &args.reading, [&mut args.quasi, &mut args.columns])
        }
        Command::Evaluate(EvaluateCommand::Metrics(args)) => {
            about(&args.original, &mut args.quasi, &mut args.about)
        }
        Command::Evaluate(EvaluateCommand::Statistics(args) | EvaluateCommand::All(args)) => {
            let StatisticsArgs { metrics, outcomes, subgroups, .. } = &mut **args;
            let MetricsArgs { original, quasi, about, .. } = metrics;
            let reading = about.clone();
            let lists = about.column_lists().chain([quasi, outcomes, subgroups]);
            lists_of(original, &reading, lists)
        }
        _ => Ok(()),
    }
}

fn about(input: &Path, quasi: &mut Vec<String>, about: &mut SpecArgs) -> Result<()> {
    let reading = about.clone();
    lists_of(input, &reading, about.column_lists().chain([quasi]))
}

/// Splits lists of columns of a table. Which names it has is looked up only where that could matter.
fn lists_of<'a, S: OptionSet>(
    input: &Path,
    reading: &OptionArgs<S>,
    lists: impl IntoIterator<Item = &'a mut Vec<String>>,
) -> Result<()> {
    let lists: Vec<&mut Vec<String>> = lists.into_iter().collect();
    let holds = |text: &str| lists.iter().any(|list| list.iter().any(|name| name.contains(text)));
    // Standard input can be read but once, and what must be converted first takes its time.
    let slow = input.extension().is_some_and(|e| {
        ["xlsx", "xlsb", "xls", "ods", "sav", "zsav", "dta", "xpt"]
            .contains(&e.to_string_lossy().to_ascii_lowercase().as_str())
    });
    let known = match holds(if slow { ", " } else { "," }) && input.is_file() {
        // What is wrong with it is told when it is read.
        true => columns_of(input, reading).unwrap_or_default(),
        false => Vec::new(),
    };
    for list in lists {
        *list = column_names(list, &known)?;
    }
    Ok(())
}

/// The columns of a table, without a word.
fn columns_of<S: OptionSet>(input: &Path, reading: &OptionArgs<S>) -> Result<Vec<String>> {
    let options = reading_of(&reading.spec(input)?.spec);
    Ok(Source::open(&Input::from(input), &options)?.columns().to_vec())
}
