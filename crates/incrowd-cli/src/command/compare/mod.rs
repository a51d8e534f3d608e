//! `compare`: many methods, many k, one table and one page.

mod ask;
mod board;
mod cache;
mod page;
mod show;

use std::path::Path;

use incrowd_io::{Comparison, Error, Job, OutputFile, Result, Trial, cost_text, refuse_overwrite};

use super::{on_threads, open_input};
use crate::End;
use crate::args::Compare;
use crate::progress::Bars;
use crate::show::{one_on_stdout, seconds};
use ask::Asked;
use board::{Board, Told};
use cache::Cache;

pub(crate) fn compare(args: &Compare) -> Result<End> {
    let outputs = [args.report.as_deref(), args.svg.as_deref(), args.csv.as_deref()];
    let taken = one_on_stdout(args.printing.json, outputs)?;
    let mut asked = Asked::new(args)?;
    let source = open_input(&asked.file)?;
    let job = Job::new(&asked.file, &source)?;
    distinct(&outputs)?;
    let spec = asked.file.path().map(|path| ("the spec", path));
    let known: Vec<_> = [("the input", source.path())].into_iter().chain(spec).collect();
    let create = |what: &str, path: Option<&Path>| -> Result<Option<OutputFile>> {
        let Some(path) = path else { return Ok(None) };
        refuse_overwrite(what, path, &known)?;
        Ok(Some(OutputFile::create(path)?))
    };
    let page = create("the page", outputs[0])?;
    let svg = create("the chart", outputs[1])?;
    let csv = create("the table of results", outputs[2])?;
    let mut cache = match args.no_cache {
        true => Cache::none(),
        false => Cache::open(args.cache.as_deref(), &asked.file, &source)?,
    };
    let bars = Bars::new(args.printing.quiet || args.printing.json);
    let threads = asked.file.spec.algorithm.threads;
    let board = on_threads(threads, || {
        let mut comparison = Comparison::new(&job, &source, &bars.control)?;
        asked.fit(comparison.rows());
        let mut board = Board::new(&asked, &job, &source, &comparison);
        run(&asked, &mut comparison, &mut cache, &mut board, &bars)?;
        Ok::<_, Error>(board)
    })??;
    drop(bars);
    if page.is_some() || svg.is_some() {
        let story = page::story(&board, &asked.file);
        page.map_or(Ok(()), |file| file.fill(story.to_html()))?;
        svg.map_or(Ok(()), |file| file.fill(story.to_svg()))?;
    }
    csv.map_or(Ok(()), |file| file.fill(show::csv(&board)))?;
    if args.printing.json {
        sayln!("{}", show::json(&board)?);
    } else if !taken {
        sayln!("{}", show::text(&board));
    }
    for note in &cache.notes {
        eprintln!("note: {note}");
    }
    Ok(if board.interrupted { End::Interrupted } else { End::Done })
}

/// No two outputs may be the same file.
fn distinct(outputs: &[Option<&Path>; 3]) -> Result<()> {
    let named: Vec<&Path> = outputs.iter().flatten().copied().collect();
    match (1..named.len()).find(|&at| named[..at].contains(&named[at])) {
        None => Ok(()),
        Some(at) => Err(Error::new(format!("two outputs are named {}", named[at].display()))
            .help("give every output a file of its own")),
    }
}

/// Finds every result that is not known, until the user ends it.
fn run(
    asked: &Asked,
    comparison: &mut Comparison,
    cache: &mut Cache,
    board: &mut Board,
    bars: &Bars,
) -> Result<()> {
    let all = asked.entrants.len() * asked.ks.len();
    let limit = asked.time_limit;
    // What is known is told even if the user ends it at once.
    for (at, entrant) in asked.entrants.iter().enumerate() {
        for (of, &k) in asked.ks.iter().enumerate() {
            let known = cache.get(&entrant.identity(), k, limit);
            board.results[at][of] = known.map(|trial| Told { trial, cached: true });
        }
    }
    for (at, entrant) in asked.entrants.iter().enumerate() {
        for (of, &k) in asked.ks.iter().enumerate() {
            if board.results[at][of].is_some() {
                continue;
            }
            if bars.cancelled() {
                board.interrupted = true;
                return Ok(());
            }
            let name = format!("{}, k {k}", entrant.label);
            bars.part(&format!("{name} ({} of {all})", at * asked.ks.len() + of + 1));
            let trial = comparison.trial(&entrant.method, k, limit, &bars.control)?;
            if trial.interrupted {
                board.interrupted = true;
                return Ok(());
            }
            bars.announce(&format!("{name}: {}", in_words(&trial)));
            cache.put(&entrant.identity(), k, limit, &trial);
            board.results[at][of] = Some(Told { trial, cached: false });
        }
    }
    Ok(())
}

/// A result in a few words.
fn in_words(trial: &Trial) -> String {
    let cost = match trial.cost.filter(|_| trial.is_proven() || trial.bound.is_none()) {
        Some(cost) => format!(", cost {}", cost_text(cost)),
        None => String::new(),
    };
    format!("{}{cost}, {}", trial.in_words, seconds(trial.wall_seconds))
}
