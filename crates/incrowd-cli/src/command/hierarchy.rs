//! `hierarchy build` and `hierarchy check`.

use std::path::Path;

use incrowd_engine::Control;
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::{DateUnit, HierarchyRule};
use incrowd_run::spec::hierarchies::{BuiltinHierarchy, DatePeriod, Hierarchy as Given};
use incrowd_run::{
    Error, Result,
    data::{OutputFile, refuse_overwrite},
    demo::hierarchy_text,
    explore::{ColumnSource, build_hierarchy, check_hierarchy},
    plan::load_hierarchy,
};

use super::open_untreated;
use crate::CommandOutcome;
use crate::args::{HierarchyBuildArgs, HierarchyCheckArgs, HierarchyCommand};

pub(crate) fn hierarchy(args: &HierarchyCommand) -> Result<CommandOutcome> {
    match args {
        HierarchyCommand::Build(args) => build(args),
        HierarchyCommand::Check(args) => check(args),
    }
}

fn build(args: &HierarchyBuildArgs) -> Result<CommandOutcome> {
    let mut needed = vec![("the table", args.input.as_path())];
    needed.extend(args.rule.as_deref().map(|rule| ("the rule", rule)));
    if args.output != Path::new("-") {
        refuse_overwrite("the hierarchy", &args.output, &needed)?;
    }
    let file = args.reading.spec(&args.input)?;
    let source = open_untreated(&file)?;
    let column = ColumnSource {
        source: &source,
        column: &args.column,
        missing: &file.spec.data.missing_tokens(),
        decimal: file.spec.data.decimal,
        dates: &file.spec.date_formats(),
    };
    let built = build_hierarchy(&column, &rule(args)?, &Control::new())?;
    OutputFile::create(&args.output)?.fill(hierarchy_text(&built.rows)?)?;
    if args.output != Path::new("-") {
        sayln!(
            "written       {} ({} values, {} levels)",
            args.output.display(),
            built.rows.len(),
            built.tree.height()
        );
    }
    Ok(CommandOutcome::Done)
}

fn rule(args: &HierarchyBuildArgs) -> Result<HierarchySource> {
    if let Some(path) = &args.rule {
        return load_hierarchy(&Given::File(path.clone()));
    }
    if let Some(word) = &args.ready {
        let name = word.split_once(':').map_or(word.as_str(), |(name, _)| name);
        // A name that is not known is an error here, not the name of a file.
        name.parse::<BuiltinHierarchy>()?;
        return load_hierarchy(&Given::from_word(word)?);
    }
    let rule = if !args.intervals.is_empty() {
        HierarchyRule::Intervals { widths: args.intervals.clone(), start: args.start }
    } else if !args.prefix.is_empty() {
        HierarchyRule::Prefix(prefix_lengths(&args.prefix)?)
    } else {
        let units = args.date.iter().map(|unit| unit.parse::<DatePeriod>().map(DateUnit::from));
        HierarchyRule::Date(units.collect::<Result<_>>()?)
    };
    Ok(HierarchySource::Rule(rule))
}

fn prefix_lengths(given: &[String]) -> Result<Vec<usize>> {
    if given == ["all"] {
        return Ok(Vec::new());
    }
    given
        .iter()
        .map(|text| {
            text.parse().map_err(|_| {
                Error::new(format!("`{text}` is not a length of a prefix"))
                    .help("write lengths such as 4,3,2, or `all` for one less per level")
            })
        })
        .collect()
}

fn check(args: &HierarchyCheckArgs) -> Result<CommandOutcome> {
    let path = &args.hierarchy;
    let source = args.data.as_deref().map(|data| args.reading.open(data)).transpose()?;
    let read = args.reading.spec(Path::new("-"))?.spec;
    let (missing, dates) = (&read.data.missing_tokens(), &read.date_formats());
    let data = source.as_ref().zip(args.column.as_deref());
    let decimal = read.data.decimal;
    let data =
        data.map(|(source, column)| ColumnSource { source, column, missing, decimal, dates });
    let found = check_hierarchy(path, data.as_ref(), &Control::new())?;
    for fault in &found.faults {
        sayln!("{}: {fault}", path.display());
    }
    if !found.faults.is_empty() {
        let number = found.faults.len();
        sayln!("{number} {}", if number == 1 { "fault" } else { "faults" });
        return Ok(CommandOutcome::Unmet);
    }
    match found.tree {
        Some(tree) => sayln!(
            "{}: sound; {} values, {} levels above them, root {:?}",
            path.display(),
            tree.leaves().len(),
            tree.height(),
            tree.label(tree.root())
        ),
        None => {
            sayln!("{}: a rule; name a table with --data and --column to try it", path.display())
        }
    }
    Ok(CommandOutcome::Done)
}
