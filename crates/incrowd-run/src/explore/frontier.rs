//! The least cost for several k and several limits, in one go.

use incrowd_engine::auto::{AutoMethod, ReleaseKind};
use incrowd_engine::{Control, Event, MethodChoice};

use crate::explore::series::{ParameterSweep, SweepAnswer};
use crate::plan::job::Job;
use crate::plan::threads::on_threads;
use crate::spec::{SpecFile, parsing::SuppressionLimit};
use crate::{Result, Source};

/// What a frontier is asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FrontierRequest {
    /// The least sizes of a class.
    pub ks: Vec<u64>,
    /// Most rows that may be suppressed.
    pub limits: Vec<SuppressionLimit>,
    /// The kinds of release.
    pub kinds: Vec<ReleaseKind>,
}

/// The answers of a frontier.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FrontierAnswers {
    /// By kind, by k and then by limit, in the order asked for.
    pub answers: Vec<SweepAnswer>,
    /// What the user should know of how the table was taken, such as automatic bins.
    pub notes: Vec<String>,
    /// Whether the user ended it early.
    pub interrupted: bool,
}

impl FrontierRequest {
    /// A frontier over some k, any number of rows suppressed, of the kind global.
    pub fn new(ks: impl IntoIterator<Item = u64>) -> Self {
        let (ks, limits) = (ks.into_iter().collect(), vec![SuppressionLimit::All]);
        FrontierRequest { ks, limits, kinds: vec![ReleaseKind::Global] }
    }

    /// For these kinds of release, side by side. What suits a kind is chosen as `auto` does, but for the kind
    /// global, which is searched by the spec's own method.
    #[must_use]
    pub fn with_kinds(mut self, kinds: impl IntoIterator<Item = ReleaseKind>) -> Self {
        self.kinds = kinds.into_iter().collect();
        self.kinds.dedup();
        self
    }

    /// With these limits.
    #[must_use]
    pub fn with_limits(mut self, limits: impl IntoIterator<Item = SuppressionLimit>) -> Self {
        self.limits = limits.into_iter().collect();
        self
    }

    /// Answers a spec's question for every k and limit; its own do not matter, its time limit is one for each
    /// answer. The table is read once, and every answer helps the next. When the user ends it, what was found
    /// by then is returned.
    pub fn run(
        &self,
        file: &SpecFile,
        source: &Source,
        control: &Control,
    ) -> Result<FrontierAnswers> {
        let mut file = file.clone();
        // A table that is large enough for the largest k is large enough for all.
        file.spec.privacy.k = self.ks.iter().copied().max().unwrap_or(1);
        let job = Job::new(&file, source)?;
        on_threads(file.spec.algorithm.threads, || {
            let table = ParameterSweep::new(&job, source, true, control)?.with_prove(job.prove);
            let mut found = FrontierAnswers {
                answers: Vec::new(),
                notes: if self.kinds.contains(&ReleaseKind::Global) {
                    table.notes()?
                } else {
                    Vec::new()
                },
                interrupted: false,
            };
            for (at, &kind) in self.kinds.iter().enumerate() {
                let mut series = match kind {
                    ReleaseKind::Global => table.clone(),
                    kind => {
                        let auto = MethodChoice::Auto(AutoMethod::default().kind(kind));
                        table.with_method(auto, job.time_limit)
                    }
                };
                let (mut answers, interrupted) = self.answer(&mut series, at, control)?;
                // Found in the order that helps most, told in the order asked for.
                answers.sort_by_key(|answer| {
                    let k = self.ks.iter().position(|&k| k == answer.k);
                    (k, self.limits.iter().position(|&limit| limit == answer.limit))
                });
                found.answers.extend(answers);
                found.interrupted = interrupted;
                if interrupted {
                    break;
                }
            }
            Ok(found)
        })?
    }

    /// Every answer of the kind at this place until the user ends it, and whether that happened.
    fn answer(
        &self,
        series: &mut ParameterSweep,
        place: usize,
        control: &Control,
    ) -> Result<(Vec<SweepAnswer>, bool)> {
        let instances = series.order(&self.ks, &self.limits);
        let mut answers: Vec<SweepAnswer> = Vec::new();
        for (at, &(k, limit)) in instances.iter().enumerate() {
            if control.is_cancelled() {
                return Ok((series.settled(), true));
            }
            let name = match self.kinds.len() {
                1 => format!("k {k}, limit {limit}"),
                _ => format!("{}, k {k}, limit {limit}", self.kinds[place].name()),
            };
            let (number, of) =
                (place * instances.len() + at + 1, self.kinds.len() * instances.len());
            control.tell(Event::Part { name: name.clone(), number, of });
            let answer = series.solve(k, limit, control)?;
            control.tell(Event::PartDone(format!("{name}: {}", answer.in_short())));
            answers.push(answer);
        }
        let interrupted = answers.last().is_some_and(SweepAnswer::is_interrupted);
        // What later searches found holds for weaker questions that came before them.
        Ok((series.settled(), interrupted))
    }
}

/// The columns of the CSV form.
const HEADER: [&str; 13] = [
    "k",
    "limit",
    "outcome",
    "cost",
    "bound",
    "gap",
    "suppressed",
    "classes",
    "nodes",
    "cpu_seconds",
    "wall_seconds",
    "derived",
    "kind",
];

impl FrontierAnswers {
    /// The answers as CSV, a line each.
    pub fn to_csv(&self) -> String {
        std::iter::once(HEADER.join(",") + "\n")
            .chain(self.answers.iter().map(|answer| fields(answer).join(",") + "\n"))
            .collect()
    }
}

/// An answer as fields of CSV.
fn fields(answer: &SweepAnswer) -> Vec<String> {
    fn field<T: ToString>(value: Option<T>) -> String {
        value.map_or_else(String::new, |value| value.to_string())
    }
    vec![
        answer.k.to_string(),
        answer.limit.to_string(),
        answer.outcome.to_string(),
        field(answer.cost),
        field(answer.bound),
        field(answer.gap),
        field(answer.suppressed),
        field(answer.classes),
        answer.nodes.to_string(),
        format!("{:.3}", answer.cpu_seconds),
        format!("{:.3}", answer.wall_seconds),
        answer.derived.to_string(),
        answer.kind.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::open_input;
    use crate::spec::{ColumnSection, Role, Spec};

    #[test]
    fn answers_come_in_the_order_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("t.csv");
        let rows: String = (0..20).map(|at| format!("{}\n", at * 7 % 11)).collect();
        std::fs::write(&table, format!("age\n{rows}")).unwrap();
        let mut spec = Spec::new(&table, vec![ColumnSection::new("age", Role::Quasi)], 1);
        spec.algorithm.method = "optimal".to_owned();
        let file = SpecFile::from_options(spec).unwrap();
        let limits = [SuppressionLimit::All, SuppressionLimit::Rows(0)];
        let found = FrontierRequest::new([2, 5])
            .with_limits(limits)
            .run(&file, &open_input(&file).unwrap(), &Control::new())
            .unwrap();
        let asked: Vec<(u64, SuppressionLimit)> =
            found.answers.iter().map(|answer| (answer.k, answer.limit)).collect();
        assert_eq!(asked, [(2, limits[0]), (2, limits[1]), (5, limits[0]), (5, limits[1])]);
        assert!(found.answers.iter().all(SweepAnswer::is_proven) && !found.interrupted);
        assert_eq!(found.to_csv().lines().count(), 5);
        assert!(found.to_csv().starts_with("k,limit,outcome,cost"), "{}", found.to_csv());
        let kinds = [ReleaseKind::Levels, ReleaseKind::Global, ReleaseKind::Local];
        let beside = FrontierRequest::new([2, 5])
            .with_kinds(kinds)
            .run(&file, &open_input(&file).unwrap(), &Control::new())
            .unwrap();
        let told: Vec<(&str, u64)> =
            beside.answers.iter().map(|answer| (answer.kind, answer.k)).collect();
        assert_eq!(
            told,
            [
                ("levels", 2),
                ("levels", 5),
                ("global", 2),
                ("global", 5),
                ("local", 2),
                ("local", 5)
            ]
        );
        // Local groups are freer than those of a whole column, and each kind has a bound.
        for k in 0..2 {
            let cost = |kind: usize| beside.answers[2 * kind + k].cost.unwrap();
            assert!(cost(1) >= cost(2) - 1e-9, "{:?}", beside.answers);
        }
        assert!(beside.answers.iter().all(|it| it.bound.unwrap() <= it.cost.unwrap() + 1e-9));
    }
}
