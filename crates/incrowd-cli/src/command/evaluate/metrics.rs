//! `evaluate metrics` and `evaluate all`: what a written release lost, from the files alone.
//!
//! No metric needs to know which released row was which person: those over classes need their sizes and
//! labels, those over values what is shown of each and how often, and entropy the original column besides.

use std::path::Path;

use incrowd::{
    Classification, Control, Group, Hiding, Measures, Picture, Problem, QueryErrors, SizeBar,
    Table, Workload, thousands,
};
use incrowd_io::{
    Error, Job, OutputFile, Result, SeenClasses, Source, cost_text, count_cells, read_classes,
    read_release, read_table, refuse_overwrite,
};
use incrowd_report::{EvaluateStory, Predictions};
use serde::Serialize;
use serde_json::Value;

use super::classification::Evaluation as Trees;
use crate::End;
use crate::args::MetricsOf;
use crate::command::anonymize::spec_about;
use crate::command::report::command;
use crate::command::{column_of, on_threads, one_from_stdin, open, open_input, spec_of_options};

/// The metrics that need to know how wide values are.
const OF_VALUES: [&str; 7] =
    ["ncp", "gcp", "loss", "geometric_loss", "precision", "entropy", "blanks"];

pub(super) fn metrics(args: &MetricsOf, all: bool) -> Result<End> {
    one_from_stdin(("the release", &args.release), ("the original", Some(&args.original)))?;
    let mut spec = spec_about(&args.original, &args.quasi, &args.about, 1)?;
    // The method that takes all options about columns; nothing is searched.
    spec.algorithm.method = "optimal".to_owned();
    let file = spec_of_options(spec)?;
    let original = open_input(&file)?;
    let job = Job::new(&file, &original)?;
    let release = open(&args.release, args.release_delimiter.as_deref(), args.about.threads)?;
    let page = match &args.report {
        None => None,
        Some(path) => {
            let taken = [("the original", original.path()), ("the release", release.path())];
            refuse_overwrite("the page", path, &taken)?;
            Some(OutputFile::create(path)?)
        }
    };
    let evaluation =
        on_threads(args.about.threads, || Evaluation::new(args, all, &job, &original, &release))??;
    if let Some(page) = page {
        page.fill(evaluation.story(args).to_html())?;
    }
    if args.printing.json {
        sayln!("{}", crate::show::json_text("result", &evaluation)?);
    } else {
        for (name, value) in evaluation.lines() {
            sayln!("{name:<14}{value}");
        }
    }
    Ok(End::Done)
}

/// All that is known of a release.
#[derive(Serialize)]
struct Evaluation {
    /// Rows of the original.
    rows: u64,
    /// Rows of the release; those that count as suppressed are left out.
    released: u64,
    suppressed: u64,
    classes: u64,
    class_sizes: Sizes,
    /// The k that the average class size is divided by.
    k: u64,
    /// Every metric; null where it cannot be told.
    metrics: Value,
    /// Why some metrics cannot be told, a sentence each.
    refused: Vec<String>,
    /// Risk by the quasi-identifiers, before and after.
    before: Hiding,
    after: Hiding,
    columns: Vec<Kept>,
    queries: Option<Queries>,
    classification: Option<Trees>,
    #[serde(skip)]
    picture: Picture,
}

/// How large classes are.
#[derive(Serialize)]
struct Sizes {
    smallest: u64,
    median: f64,
    mean: f64,
    largest: u64,
    /// Rows by the size of the class that they stand in.
    rows_by_size: Vec<SizeBar>,
}

/// What is kept of a column.
#[derive(Serialize)]
struct Kept {
    name: String,
    /// From 0 to 1; none where it cannot be told.
    kept: Option<f64>,
    recoding: String,
}

/// Questions, and how far the answers were off.
#[derive(Serialize)]
struct Queries {
    workload: Workload,
    errors: QueryErrors,
}

impl Evaluation {
    fn new(
        args: &MetricsOf,
        all: bool,
        job: &Job,
        original: &Source,
        release: &Source,
    ) -> Result<Self> {
        let mut spec = job.problem.clone();
        spec.models.clear();
        let mut refused = Vec::new();
        if let Some(class) = spec.class.take_if(|class| !release.columns().contains(class)) {
            refused.push(format!(
                "The classification metric cannot be told: the release has no column `{class}`."
            ));
        } else if spec.class.is_none() {
            refused.push(
                "The classification metric needs a class column: name it with --class.".to_owned(),
            );
        }
        spec.labels.retain(|label| spec.class.as_ref() == Some(&label.name));
        let places: Vec<usize> =
            spec.columns().iter().map(|name| column_of(original, name)).collect::<Result<_>>()?;
        let counts = count_cells(original, &places, &Control::new())?;
        let mut problem = Problem::build(&spec, &counts)?;
        drop(counts);
        let released = read_table(release, None, &Control::new())?;
        let SeenClasses { mut classes, numbers } = read_classes(&problem, &released, &job.missing)?;
        if args.blank_suppressed {
            for class in 0..classes.len() {
                let mut shown = classes.ids_of(class).iter().zip(&classes.groups);
                let blank = shown.all(|(&id, groups)| *groups.get(id) == Group::Blank);
                classes.released[class] = !blank;
            }
        }
        let mut sizes: Vec<u64> = classes.released().map(|class| classes.sizes[class]).collect();
        sizes.sort_unstable();
        if sizes.is_empty() {
            return Err(Error::new(format!("{} has no rows", release.name()))
                .help("there is nothing to evaluate"));
        }
        problem.privacy.k = args.k.unwrap_or(sizes[0]);
        let measures = Measures::of(&problem, &classes);
        let mut metrics = serde_json::to_value(&measures)
            .map_err(|e| Error::new(format!("the metrics cannot be written as JSON: {e}")))?;
        if !numbers.is_empty() {
            let names: Vec<&str> =
                numbers.iter().map(|&at| problem.attributes[at].name.as_str()).collect();
            refused.push(format!(
                "Metrics of values cannot be told: the release shows numbers that stand for others, such as \
                 means, in {}; how wide its classes were is not in it.",
                names.join(", ")
            ));
            for name in OF_VALUES {
                metrics[name] = Value::Null;
            }
        }
        if metrics["precision"].is_null() && numbers.is_empty() {
            refused.push("Precision needs a hierarchy: name some with --hierarchy.".to_owned());
        }
        let mut picture = Picture::seen(&problem, &classes);
        let columns = picture.attributes.iter().enumerate().map(|(at, attribute)| Kept {
            name: attribute.name.clone(),
            kept: (!numbers.contains(&at)).then_some(attribute.kept),
            recoding: match numbers.contains(&at) {
                true => "numbers that stand for others".to_owned(),
                false => attribute.words.clone(),
            },
        });
        let columns = columns.collect();
        let mut at = 0;
        picture.attributes.retain(|_| {
            at += 1;
            !numbers.contains(&(at - 1))
        });
        let middle = sizes.len() / 2;
        let rows_released: u64 = sizes.iter().sum();
        let (queries, classification) = match all {
            false => (None, None),
            true => {
                (Some(questions(&problem, &released)?), trees(args, &problem, original, &released)?)
            }
        };
        Ok(Evaluation {
            rows: problem.rows,
            released: rows_released,
            suppressed: problem.rows - rows_released,
            classes: sizes.len() as u64,
            class_sizes: Sizes {
                smallest: sizes[0],
                median: match sizes.len() % 2 {
                    1 => sizes[middle] as f64,
                    _ => (sizes[middle - 1] + sizes[middle]) as f64 / 2.0,
                },
                mean: rows_released as f64 / sizes.len() as f64,
                largest: sizes[sizes.len() - 1],
                rows_by_size: picture.sizes.clone(),
            },
            k: problem.privacy.k,
            metrics,
            refused,
            before: picture.before.clone(),
            after: picture.after.clone(),
            columns,
            queries,
            classification,
            picture,
        })
    }

    /// The metrics with their names, those that can be told.
    fn told(&self) -> Vec<(String, String)> {
        let number = |name: &str| self.metrics[name].as_f64();
        let mut facts: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, text: Option<String>| {
            facts.extend(text.map(|text| (name.to_owned(), text)));
        };
        add("dm", number("dm").map(cost_text));
        add(
            "cm",
            number("cm").zip(number("cm_share")).map(|(rows, share)| {
                format!("{} ({:.2} % of the rows)", cost_text(rows), 100.0 * share)
            }),
        );
        add(
            "average class",
            number("average_class_size").zip(number("c_avg")).map(|(rows, relative)| {
                format!("{rows:.2} rows; divided by k = {}: C_avg {relative:.4}", self.k)
            }),
        );
        add(
            "ncp",
            number("ncp")
                .zip(number("gcp"))
                .map(|(ncp, gcp)| format!("{}; GCP {gcp:.6}", cost_text(ncp))),
        );
        add(
            "loss",
            number("loss")
                .zip(number("geometric_loss"))
                .map(|(loss, geometric)| format!("{loss:.6}; geometric mean {geometric:.6}")),
        );
        add("precision", number("precision").map(|precision| format!("{precision:.6}")));
        add("entropy", number("entropy").map(|bits| format!("{} bits", cost_text(bits))));
        add("blanks", number("blanks").map(|cells| format!("{} cells", cost_text(cells))));
        facts
    }

    fn sizes(&self) -> String {
        let Sizes { smallest, median, mean, largest, .. } = &self.class_sizes;
        format!(
            "{} of {} to {} rows (median {median}, mean {mean:.1})",
            thousands(self.classes),
            thousands(*smallest),
            thousands(*largest)
        )
    }

    fn release(&self) -> String {
        format!(
            "{} of {} rows; {} suppressed",
            thousands(self.released),
            thousands(self.rows),
            thousands(self.suppressed)
        )
    }

    /// The evaluation for a terminal, line by line.
    fn lines(&self) -> Vec<(String, String)> {
        let mut lines =
            vec![("release".to_owned(), self.release()), ("classes".to_owned(), self.sizes())];
        lines.extend(self.told());
        for (at, column) in self.columns.iter().enumerate() {
            let name = if at == 0 { "kept" } else { "" };
            let kept = column
                .kept
                .map_or_else(|| "   ?  ".to_owned(), |kept| format!("{:5.1} %", 100.0 * kept));
            let text = format!("{kept} of {}: {}", column.name, column.recoding);
            lines.push((name.to_owned(), text));
        }
        lines.extend(self.asked());
        lines.extend(self.predicted().unwrap_or_default().facts);
        for (at, sentence) in self.refused.iter().enumerate() {
            let name = if at == 0 { "not told" } else { "" };
            lines.push((name.to_owned(), sentence.clone()));
        }
        lines
    }

    fn asked(&self) -> Vec<(String, String)> {
        let Some(Queries { workload, errors }) = &self.queries else { return Vec::new() };
        vec![
            (
                "questions".to_owned(),
                format!(
                    "{} about {} of the quasi-identifiers (seed {})",
                    thousands(errors.queries.into()),
                    workload.dimensions,
                    workload.seed
                ),
            ),
            (
                "error".to_owned(),
                format!("median {:.2} %, mean {:.2} %", 100.0 * errors.median, 100.0 * errors.mean),
            ),
        ]
    }

    fn predicted(&self) -> Option<Predictions> {
        let trees = self.classification.as_ref()?;
        let percent = |share: f64| 100.0 * share;
        let mut errors = vec![("release".to_owned(), percent(trees.release.error))];
        let mut facts = Vec::new();
        if let Some(original) = &trees.original {
            errors.insert(0, ("original".to_owned(), percent(original.error)));
            errors.push(("baseline".to_owned(), percent(original.baseline)));
        }
        facts.push((
            "predicted".to_owned(),
            format!(
                "by decision trees ({} folds, seed {})",
                trees.settings.folds, trees.settings.seed
            ),
        ));
        for (name, error) in &errors {
            let how = if name == "baseline" { ", always the most frequent class" } else { "" };
            facts.push((name.clone(), format!("wrong for {error:.2} %{how}")));
        }
        if let Some(whole) = trees.with_suppressed.filter(|whole| whole.suppressed > 0) {
            let text = format!(
                "wrong for {:.2} %, if the {} rows that the release lacks are taken as its most frequent class",
                percent(whole.error),
                thousands(whole.suppressed)
            );
            facts.push(("all rows".to_owned(), text));
        }
        Some(Predictions { facts, errors })
    }

    fn story(&self, args: &MetricsOf) -> EvaluateStory {
        let name = |path: &Path| {
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        let named = [("release", &args.release), ("original", &args.original)];
        let mut question: Vec<(String, String)> =
            named.map(|(what, path)| (what.to_owned(), name(path))).to_vec();
        question.push(("quasi-identifiers".to_owned(), args.quasi.join(", ")));
        question.push(("rows".to_owned(), self.release()));
        question.push(("classes".to_owned(), self.sizes()));
        EvaluateStory {
            headline: format!(
                "Each of the {} released rows looks like at least {} others by its quasi-identifiers.",
                thousands(self.released),
                thousands(self.class_sizes.smallest.saturating_sub(1))
            ),
            question,
            metrics: self.told(),
            refused: self.refused.clone(),
            picture: self.picture.clone(),
            queries: self.asked(),
            predictions: self.predicted(),
            command: command(std::env::args()),
            versions: vec![("incrowd".to_owned(), env!("CARGO_PKG_VERSION").to_owned())],
        }
    }
}

/// The usual questions, about one column where there is only one.
fn questions(problem: &Problem, released: &Table) -> Result<Queries> {
    let usual = Workload::default();
    let dimensions = usual.dimensions.min(problem.attributes.len() as u32);
    let workload = Workload { dimensions, ..usual };
    let errors = workload.errors(problem, &read_release(problem, released)?)?;
    Ok(Queries { workload, errors })
}

/// Decision trees, where there is a class column to predict.
fn trees(
    args: &MetricsOf,
    problem: &Problem,
    original: &Source,
    released: &Table,
) -> Result<Option<Trees>> {
    let Some(class) = problem.class.map(|at| problem.labels.columns[at].name.clone()) else {
        return Ok(None);
    };
    let names = args.quasi.iter().chain([&class]);
    let places: Vec<usize> = names.map(|name| column_of(original, name)).collect::<Result<_>>()?;
    let table = read_table(original, Some(&places), &Control::new())?;
    let settings = Classification::default();
    let errors = |table: &Table| settings.errors(table, &args.quasi, &class);
    let (of_release, of_original) = (errors(released)?, errors(&table)?);
    Ok(Some(Trees::new(settings.clone(), of_release, Some(of_original))))
}
