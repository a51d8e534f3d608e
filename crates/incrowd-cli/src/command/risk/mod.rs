//! `risk`: who could be found in a table, and what gives them away.

mod show;
mod story;

use std::path::Path;

use incrowd::{
    Attack, ClassSizes, Control, Counts, Crowd, Event, Phase, PopulationUniqueness, SizeGroup,
    UniqueCombinations,
};
use incrowd_io::{Error, OutputFile, Result, Source, count_cells, refuse_overwrite};
use serde::Serialize;

use super::evaluate::share;
use super::{column_of, on_threads, one_from_stdin, open};
use crate::End;
use crate::args;
use crate::progress::Bars;

/// All that is found.
#[derive(Debug, Serialize)]
struct Risk {
    /// The table's file, without its folder.
    table: String,
    quasi: Vec<String>,
    rows: u64,
    classes: u64,
    smallest_class: u64,
    unique_rows: u64,
    unique_share: f64,
    prosecutor: Attack,
    /// None if nothing is known of the population.
    journalist: Option<Journalist>,
    marketer: Marketer,
    class_sizes: Vec<SizeGroup>,
    /// The population itself, if it was given.
    population: Option<Population>,
    /// Estimates for the population, if its size is known.
    population_uniqueness: Option<PopulationUniqueness>,
    /// None if they were not looked for.
    unique_combinations: Option<UniqueCombinations>,
    /// Whether everything that was asked for has been looked at.
    complete: bool,
    /// What to know to read the figures.
    notes: Vec<String>,
}

/// The journalist's risk.
#[derive(Debug, Serialize)]
struct Journalist {
    /// `population` if it was counted there, `estimate` if it was not.
    by: &'static str,
    #[serde(flatten)]
    risk: Attack,
}

/// The marketer's risk.
#[derive(Debug, Serialize)]
struct Marketer {
    /// The share of people found who are known to be in the table.
    in_table: f64,
    /// The share of people found who are known to be in the population.
    in_population: Option<f64>,
}

/// The population that was given.
#[derive(Debug, Serialize)]
struct Population {
    table: String,
    people: u64,
    /// People who are unique.
    uniques: u64,
    share: f64,
    /// Rows of the table whose person is unique in the population.
    rows_of_uniques: u64,
    /// Rows of the table that the population has too few of.
    lacking: u64,
}

pub(crate) fn risk(args: &args::Risk) -> Result<End> {
    let threshold = chance(&args.threshold)?;
    let fraction = args.sampling_fraction.as_deref().map(fraction).transpose()?;
    one_from_stdin(("the table", &args.input), ("the population", args.population.as_deref()))?;
    crate::show::one_on_stdout(args.printing.json, [args.report.as_deref()])?;
    let bars = Bars::new(args.printing.quiet || args.printing.json);
    let source = args.reading.open(&args.input)?;
    let names = quasi(&source, &args.quasi)?;
    let population = match &args.population {
        None => None,
        Some(path) => Some(open(path, args.population_delimiter.as_deref(), args.threads)?),
    };
    for name in population.iter().flat_map(|population| names.iter().map(move |n| (population, n)))
    {
        column_of(name.0, name.1).map_err(|error| Error {
            message: format!("the population {}", error.message),
            ..error
        })?;
    }
    let page = match &args.report {
        None => None,
        Some(target) => {
            let read = [
                Some(("the table", source.path())),
                population.as_ref().map(|p| ("the population", p.path())),
            ];
            let read: Vec<(&str, &Path)> = read.into_iter().flatten().collect();
            refuse_overwrite("the report", target, &read)?;
            Some(OutputFile::create(target)?)
        }
    };
    let asked = Asked { args, names, threshold, fraction };
    let found =
        on_threads(args.threads, || asked.answer(&source, population.as_ref(), &bars.control))??;
    drop(bars);
    if let Some(page) = page {
        page.fill(story::of(&found).to_html())?;
    }
    if args.printing.json {
        sayln!("{}", crate::show::json_text("result", &found)?);
    } else if args.report.as_deref() != Some(Path::new("-")) {
        sayln!("{}", show::text(&found, args.report.as_deref()));
    }
    Ok(if found.complete { End::Done } else { End::Interrupted })
}

/// The chance above which a row is at risk.
fn chance(text: &str) -> Result<f64> {
    share(text).map_err(|_| {
        Error::new(format!("the threshold `{text}` is not a chance"))
            .help("write a chance above 0 and at most 1, such as --threshold 0.2 or 20%")
    })
}

fn fraction(text: &str) -> Result<f64> {
    share(text).map_err(|_| {
        Error::new(format!("the sampling fraction `{text}` is not possible")).help(
            "it is the share of the population that is in the table: above 0 and at most 1, such as 0.01 or 1%",
        )
    })
}

/// The columns to look at; a quasi-identifier may have been released as two.
fn quasi(source: &Source, named: &[String]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for name in named {
        if name.is_empty() {
            return Err(Error::new("a name in --quasi is empty")
                .help("separate names by single commas, without spaces"));
        }
        let ends = ["_min", "_max"].map(|end| format!("{name}{end}"));
        let has = |column: &String| source.columns().contains(column);
        if !has(name) && ends.iter().all(has) {
            names.extend(ends);
        } else {
            column_of(source, name)?;
            names.push(name.clone());
        }
    }
    match (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        None => Ok(names),
        Some(at) => Err(Error::new(format!("--quasi names `{}` twice", names[at]))
            .help("name every column once")),
    }
}

/// The question.
struct Asked<'a> {
    args: &'a args::Risk,
    names: Vec<String>,
    threshold: f64,
    fraction: Option<f64>,
}

impl Asked<'_> {
    fn answer(
        &self,
        source: &Source,
        population: Option<&Source>,
        control: &Control,
    ) -> Result<Risk> {
        let counts = self.count(source, control)?;
        let crowd = Crowd::new(counts, &self.args.reading.missing());
        let sizes = crowd.sizes();
        let mut notes = Vec::new();
        let mut journalist = None;
        let mut counted = None;
        if let Some(population) = population {
            let (attack, facts) = self.meet(&crowd, population, control)?;
            if facts.lacking > 0 {
                notes.push(format!(
                    "{} rows of the table have no counterpart in the population; whoever is in the table was \
                     taken to be in the population",
                    incrowd::thousands(facts.lacking)
                ));
            }
            journalist = Some(Journalist { by: "population", risk: attack });
            counted = Some(facts);
        }
        let fraction = self.sampling_fraction(&sizes, counted.as_ref())?;
        let estimates = match fraction {
            None => None,
            Some(fraction) => Some(PopulationUniqueness::estimate(&sizes, fraction)?),
        };
        if let Some(fraction) = fraction.filter(|_| journalist.is_none()) {
            let risk = Attack::journalist_estimated(&sizes, fraction, self.threshold);
            journalist = Some(Journalist { by: "estimate", risk });
        }
        if estimates.is_some() && counted.is_none() && sizes.rows() < 100 {
            notes.push(format!(
                "{} rows are few to estimate a population from",
                incrowd::thousands(sizes.rows())
            ));
        }
        let prosecutor = Attack::prosecutor(&sizes, self.threshold);
        let unique = self.combinations(&crowd, control)?;
        let complete = unique.as_ref().is_none_or(|unique| unique.stopped.is_none());
        if let Some(unique) = unique.as_ref().filter(|unique| unique.stopped.is_some()) {
            notes.push(format!(
                "interrupted: {} of {} combinations of columns were looked at, small ones first; the rest is \
                 missing",
                incrowd::thousands(unique.looked_at),
                incrowd::thousands(unique.all)
            ));
        }
        Ok(Risk {
            table: source.file_name(),
            quasi: self.names.clone(),
            rows: sizes.rows(),
            classes: sizes.classes(),
            smallest_class: sizes.smallest(),
            unique_rows: sizes.unique(),
            unique_share: sizes.unique() as f64 / sizes.rows() as f64,
            prosecutor,
            marketer: Marketer {
                in_table: prosecutor.average,
                in_population: journalist.as_ref().map(|journalist| journalist.risk.average),
            },
            journalist,
            class_sizes: sizes.grouped(),
            population: counted,
            population_uniqueness: estimates,
            unique_combinations: unique,
            complete,
            notes,
        })
    }

    fn count(&self, source: &Source, control: &Control) -> Result<Counts> {
        control.tell(Event::Phase(Phase::Read));
        let places: Vec<usize> =
            self.names.iter().map(|name| column_of(source, name)).collect::<Result<_>>()?;
        let counts = count_cells(source, &places, control)?;
        match counts.cells.is_empty() {
            false => Ok(counts),
            true => Err(Error::new(format!("{} has no rows", source.name()))
                .help("there must be rows below the header")),
        }
    }

    /// Looks the table's classes up in the population.
    fn meet(
        &self,
        crowd: &Crowd,
        source: &Source,
        control: &Control,
    ) -> Result<(Attack, Population)> {
        let counts = self.count(source, control)?;
        let matched = crowd.within(&counts);
        let sizes = Crowd::new(counts, &self.args.reading.missing()).sizes();
        let people = sizes.rows();
        let facts = Population {
            table: source.file_name(),
            people,
            uniques: sizes.unique(),
            share: sizes.unique() as f64 / people as f64,
            rows_of_uniques: matched.classes.iter().filter(|class| **class == (1, 1)).count()
                as u64,
            lacking: matched.lacking,
        };
        Ok((Attack::journalist(matched.classes, self.threshold), facts))
    }

    /// The share of the population that is in the table, if it is known.
    fn sampling_fraction(
        &self,
        sizes: &ClassSizes,
        population: Option<&Population>,
    ) -> Result<Option<f64>> {
        let (rows, named) = (sizes.rows(), self.args.population_size);
        let people = population.map(|population| population.people).or(named);
        match people {
            None => Ok(self.fraction),
            Some(people) if people >= rows => Ok(Some(rows as f64 / people as f64)),
            // The lacking rows have been told of.
            Some(_) if named.is_none() => Ok(None),
            Some(people) => Err(Error::new(format!(
                "a population of {} cannot hold the table's {} rows",
                incrowd::thousands(people),
                incrowd::thousands(rows)
            ))
            .help("--population-size counts everybody the table could have been drawn from")),
        }
    }

    fn combinations(&self, crowd: &Crowd, control: &Control) -> Result<Option<UniqueCombinations>> {
        if self.args.size == 0 {
            return Ok(None);
        }
        control.tell(Event::Phase(Phase::Solve));
        Ok(Some(UniqueCombinations::search(crowd, self.args.size.into(), control)?))
    }
}
