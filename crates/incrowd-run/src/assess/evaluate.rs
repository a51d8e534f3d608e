//! What a written release lost, from the files alone.
//!
//! No metric needs to know which released row was which person: those over classes need their sizes and
//! labels, those over values what is shown of each and how often, and entropy the original column besides.

use std::fmt;

use incrowd_assess::bias::ColumnBias;
use incrowd_assess::classify::{ClassificationOptions, ClassificationReport};
use incrowd_assess::queries::{QueryErrors, Workload};
use incrowd_assess::usefulness::{UsefulnessOptions, UsefulnessReport};
use incrowd_engine::release::{
    EquivalenceClasses, LossMeasures, ReidentificationRisk, ReleasePreview, SizeBar,
};
use incrowd_engine::value::Group;
use incrowd_engine::{Control, Problem, ProblemSpec, Table};
use serde::{Serialize, Serializer};

use super::reading::{evaluation_spec, go_on, read_columns};
use super::share_shifts::share_shifts;
use super::usefulness::AnalysisInputs;
use crate::count::build_problem::build_problem;
use crate::spec::SpecFile;
use crate::{
    Error, Job, Result, SeenClasses, Source, count_cells, read_classes, read_release, read_table,
};

/// What is measured of a release.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct EvaluateOptions {
    /// The k that the average class size is divided by; the size of the smallest class if it is not given.
    pub k: Option<u64>,
    /// Whether rows that are blank in every quasi-identifier are suppressed ones that were kept, not a class.
    pub blank_suppressed: bool,
    /// Random questions to ask, if any.
    pub queries: Option<Workload>,
    /// How decision trees are measured, if they are and there is a class column.
    pub classification: Option<ClassificationOptions>,
    /// What analysts would find, if that is compared.
    pub statistics: Option<UsefulnessOptions>,
}

impl EvaluateOptions {
    /// The metrics alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// The metrics, the usual questions, the usual trees and the usual statistics.
    pub fn all() -> Self {
        EvaluateOptions {
            queries: Some(Workload::default()),
            classification: Some(ClassificationOptions::default()),
            statistics: Some(UsefulnessOptions::default()),
            ..Self::default()
        }
    }

    /// Sets the k that the average class size is divided by.
    #[must_use]
    pub fn with_k(self, k: Option<u64>) -> Self {
        EvaluateOptions { k, ..self }
    }

    /// Sets whether blank rows are suppressed ones that were kept.
    #[must_use]
    pub fn with_blank_suppressed(self, blank_suppressed: bool) -> Self {
        EvaluateOptions { blank_suppressed, ..self }
    }

    /// Sets the questions to ask; they are about fewer columns where there are not so many.
    #[must_use]
    pub fn with_queries(self, queries: Option<Workload>) -> Self {
        EvaluateOptions { queries, ..self }
    }

    /// Sets how decision trees are measured.
    #[must_use]
    pub fn with_classification(self, classification: Option<ClassificationOptions>) -> Self {
        EvaluateOptions { classification, ..self }
    }

    /// Sets what is compared that analysts would find.
    #[must_use]
    pub fn with_statistics(self, statistics: Option<UsefulnessOptions>) -> Self {
        EvaluateOptions { statistics, ..self }
    }
}

/// All that is known of a release.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// Rows of the original.
    pub rows: u64,
    /// Rows of the release; those that count as suppressed are left out.
    pub released: u64,
    /// Rows of the original that are not in the release.
    pub suppressed: u64,
    /// Groups of released rows that look alike.
    pub classes: u64,
    /// How large they are.
    pub class_sizes: ClassSizeFacts,
    /// The k that the average class size is divided by.
    pub k: u64,
    /// Every metric; none where it cannot be told.
    pub metrics: ReleaseMetrics,
    /// Why some metrics cannot be told.
    pub refused: Vec<MetricRefusal>,
    /// The risk by the quasi-identifiers before.
    pub before: ReidentificationRisk,
    /// And after.
    pub after: ReidentificationRisk,
    /// What is kept of each quasi-identifier.
    pub columns: Vec<ColumnUtility>,
    /// How shares of categories differ from the original's; empty where nothing is suppressed.
    pub bias: Vec<ColumnBias>,
    /// How far counts taken from the release are off, if that was asked for.
    pub queries: Option<QueryAccuracy>,
    /// How well the class column is predicted, if that was asked for and there is one.
    pub classification: Option<ClassificationReport>,
    /// What analysts would find in both tables, if that was asked for.
    pub statistics: Option<UsefulnessReport>,
    /// The release's file, without its folder.
    pub release_file: String,
    /// The original's file, without its folder.
    pub original_file: String,
    /// What is drawn.
    #[serde(skip)]
    pub picture: ReleasePreview,
}

/// How large classes are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassSizeFacts {
    /// The rows of the smallest class.
    pub smallest: u64,
    /// The median.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The rows of the largest class.
    pub largest: u64,
    /// Rows by the size of the class that they stand in.
    pub rows_by_size: Vec<SizeBar>,
}

/// Every metric of a release, see [`LossMeasures`]; none where it cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReleaseMetrics {
    /// Rows released per class.
    pub average_class_size: f64,
    /// Blanked cells, weighted.
    pub blanks: Option<f64>,
    /// Rows per class divided by k.
    pub c_avg: f64,
    /// Classification.
    pub cm: Option<u64>,
    /// The same as a share of all rows.
    pub cm_share: Option<f64>,
    /// Discernibility.
    pub dm: u64,
    /// Non-uniform entropy in bits.
    pub entropy: Option<f64>,
    /// Certainty penalty as a share of the worst case.
    pub gcp: Option<f64>,
    /// The loss with the geometric mean over attributes.
    pub geometric_loss: Option<f64>,
    /// Iyengar's loss.
    pub loss: Option<f64>,
    /// Certainty penalty, summed.
    pub ncp: Option<f64>,
    /// Sweeney's precision.
    pub precision: Option<f64>,
    /// What the labels leave open as they are printed.
    pub released_gcp: Option<f64>,
}

impl ReleaseMetrics {
    /// Metrics as measured; those that need to know how wide values are only if these are shown.
    fn new(measures: &LossMeasures, wide: bool) -> Self {
        let of_values = |metric: f64| wide.then_some(metric);
        ReleaseMetrics {
            average_class_size: measures.average.rows,
            blanks: of_values(measures.blanks),
            c_avg: measures.average.relative,
            cm: measures.cm,
            cm_share: measures.cm_share,
            dm: measures.dm,
            entropy: of_values(measures.entropy),
            gcp: of_values(measures.gcp),
            geometric_loss: of_values(measures.geometric_loss),
            loss: of_values(measures.loss),
            ncp: of_values(measures.ncp),
            precision: measures.precision.filter(|_| wide),
            released_gcp: of_values(measures.released_gcp),
        }
    }
}

/// Why a metric cannot be told. It displays, and is serialized, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetricRefusal {
    /// The release lacks the class column of this name.
    ClassNotReleased(String),
    /// No class column is named.
    NoClass,
    /// These columns show numbers that stand for others.
    Numbers(Vec<String>),
    /// No column has a hierarchy.
    NoHierarchy,
}

impl fmt::Display for MetricRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetricRefusal::ClassNotReleased(class) => write!(
                f,
                "The classification metric cannot be computed: the release has no column \
                 `{class}`."
            ),
            MetricRefusal::NoClass => {
                f.write_str("The classification metric needs a class column: name it with --class.")
            }
            MetricRefusal::Numbers(columns) => write!(
                f,
                "Metrics of values cannot be computed: {} shows means or the like, which \
                 hide how wide classes are.",
                columns.join(", ")
            ),
            MetricRefusal::NoHierarchy => {
                f.write_str("Precision needs a hierarchy: name some with --hierarchy.")
            }
        }
    }
}

impl Serialize for MetricRefusal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What is kept of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnUtility {
    /// The column.
    pub name: String,
    /// From 0 to 1; none where it cannot be told.
    pub kept: Option<f64>,
    /// How it was recoded, in words.
    pub recoding: String,
}

/// Questions, and how far the answers were off.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryAccuracy {
    /// The questions.
    pub workload: Workload,
    /// How far the answers were off.
    pub errors: QueryErrors,
}

/// Measures a release against its original. The spec says what the columns are; what it says of the search, of
/// privacy and of the release is not asked.
pub fn evaluate(
    spec: &SpecFile,
    original: &Source,
    release: &Source,
    options: &EvaluateOptions,
    control: &Control,
) -> Result<Evaluation> {
    let job = Job::new(&evaluation_spec(spec), original)?;
    let mut refused = Vec::new();
    let question = question(&job, release, &mut refused);
    let places: Vec<usize> =
        question.columns().iter().map(|name| original.place_of(name)).collect::<Result<_>>()?;
    let counts = count_cells(original, &places, control)?;
    let mut problem = build_problem(&question, &counts, original, &job.missing, control)?;
    drop(counts);
    let released = read_table(release, None, control)?;
    let mut seen = read_classes(&problem, &released, &job.missing)?;
    if options.blank_suppressed {
        suppress_blank(&mut seen.classes);
    }
    let bias = share_shifts(&problem, &seen, original, &released, control)?;
    let SeenClasses { classes, numbers } = seen;
    let mut sizes: Vec<u64> = classes.released().map(|class| classes.sizes[class]).collect();
    sizes.sort_unstable();
    let Some(&smallest) = sizes.first() else {
        return Err(Error::new(format!("{} has no rows", release.name()))
            .help("there is nothing to evaluate"));
    };
    problem.privacy.k = options.k.unwrap_or(smallest);
    let metrics = ReleaseMetrics::new(&LossMeasures::of(&problem, &classes), numbers.is_empty());
    if !numbers.is_empty() {
        let names = numbers.iter().map(|&at| problem.attributes[at].name.clone());
        refused.push(MetricRefusal::Numbers(names.collect()));
    } else if metrics.precision.is_none() {
        refused.push(MetricRefusal::NoHierarchy);
    }
    let mut picture = ReleasePreview::seen(&problem, &classes);
    let columns = kept(&picture, &numbers);
    let mut at = 0;
    picture.attributes.retain(|_| {
        at += 1;
        !numbers.contains(&(at - 1))
    });
    go_on(control)?;
    let ask = |usual: &Workload| questions(usual, &problem, &released);
    let queries = options.queries.as_ref().map(ask).transpose()?;
    let measured = TrainingInputs { problem: &problem, original, released: &released, control };
    let classification = match &options.classification {
        None => None,
        Some(settings) => measured.trees(settings)?,
    };
    let analysed =
        AnalysisInputs { job: &job, problem: &problem, source: original, released: &released };
    let compare = |asked: &UsefulnessOptions| analysed.compare(asked, control);
    let statistics = options.statistics.as_ref().map(compare).transpose()?;
    let rows_released: u64 = sizes.iter().sum();
    Ok(Evaluation {
        rows: problem.rows,
        released: rows_released,
        suppressed: problem.rows - rows_released,
        classes: sizes.len() as u64,
        class_sizes: ClassSizeFacts::new(&sizes, &picture),
        k: problem.privacy.k,
        metrics,
        refused,
        before: picture.before.clone(),
        after: picture.after.clone(),
        columns,
        bias,
        queries,
        classification,
        statistics,
        release_file: release.file_name(),
        original_file: original.file_name(),
        picture,
    })
}

/// The problem without its models; of the labels only the class is kept, where it is released.
fn question(job: &Job, release: &Source, refused: &mut Vec<MetricRefusal>) -> ProblemSpec {
    let mut spec = job.problem.clone();
    spec.models.clear();
    if let Some(class) = spec.class.take_if(|class| !release.columns().contains(class)) {
        refused.push(MetricRefusal::ClassNotReleased(class));
    } else if spec.class.is_none() {
        refused.push(MetricRefusal::NoClass);
    }
    spec.targets.retain(|label| spec.class.as_ref() == Some(&label.name));
    spec
}

/// Takes classes that are blank everywhere as suppressed.
fn suppress_blank(classes: &mut EquivalenceClasses) {
    for class in 0..classes.len() {
        let mut shown = classes.ids_of(class).iter().zip(&classes.groups);
        let blank = shown.all(|(&id, groups)| *groups.get(id) == Group::Blank);
        classes.released[class] = !blank;
    }
}

impl ClassSizeFacts {
    /// The facts of classes of these sizes, which ascend; there is at least one.
    fn new(sizes: &[u64], picture: &ReleasePreview) -> Self {
        let middle = sizes.len() / 2;
        ClassSizeFacts {
            smallest: sizes[0],
            median: match sizes.len() % 2 {
                1 => sizes[middle] as f64,
                _ => (sizes[middle - 1] + sizes[middle]) as f64 / 2.0,
            },
            mean: sizes.iter().sum::<u64>() as f64 / sizes.len() as f64,
            largest: sizes[sizes.len() - 1],
            rows_by_size: picture.sizes.clone(),
        }
    }
}

/// What is kept of each attribute; `numbers` are those that show numbers that stand for others.
fn kept(picture: &ReleasePreview, numbers: &[usize]) -> Vec<ColumnUtility> {
    let columns = picture.attributes.iter().enumerate().map(|(at, attribute)| ColumnUtility {
        name: attribute.name.clone(),
        kept: (!numbers.contains(&at)).then_some(attribute.kept),
        recoding: match numbers.contains(&at) {
            true => "numbers that stand for others".to_owned(),
            false => attribute.words.clone(),
        },
    });
    columns.collect()
}

/// Questions about no more columns than there are.
fn questions(usual: &Workload, problem: &Problem, released: &Table) -> Result<QueryAccuracy> {
    let dimensions = usual.dimensions.min(problem.attributes.len() as u32);
    let workload = Workload { dimensions, ..usual.clone() };
    let errors = workload.errors(problem, &read_release(problem, released)?)?;
    Ok(QueryAccuracy { workload, errors })
}

/// What trees are grown on.
struct TrainingInputs<'a> {
    problem: &'a Problem,
    original: &'a Source,
    released: &'a Table,
    control: &'a Control,
}

impl TrainingInputs<'_> {
    /// Decision trees, where there is a class column to predict.
    fn trees(&self, settings: &ClassificationOptions) -> Result<Option<ClassificationReport>> {
        let problem = self.problem;
        let Some(class) = problem.class.map(|at| problem.targets.columns[at].name.clone()) else {
            return Ok(None);
        };
        let quasi: Vec<String> =
            problem.attributes.iter().map(|attribute| attribute.name.clone()).collect();
        let original = read_columns(self.original, quasi.iter().chain([&class]), self.control)?;
        go_on(self.control)?;
        let found =
            ClassificationReport::new(settings, self.released, Some(&original), &quasi, &class)?;
        Ok(Some(found))
    }
}
