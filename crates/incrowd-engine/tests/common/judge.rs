//! Judges what a prover says against what is known.

use std::sync::{Arc, Mutex};

use incrowd_engine::{
    Algorithm, Control, Error, Event, METHODS, Method, Metric, Outcome, Problem, Recoding, Release,
    Solution, SuppressionMode,
};

use super::exact::{Cuts, Exact};
use super::sample::Sample;

/// The provers that there are.
pub fn provers() -> Vec<&'static str> {
    ["optimal", "k-optimize"]
        .into_iter()
        .filter(|name| METHODS.iter().any(|method| method.name == *name))
        .collect()
}

/// Whether two costs are the same: counts exactly, sums of fractions but for rounding.
pub fn same(metric: Metric, one: f64, other: f64) -> bool {
    (one - other).abs() <= slack(metric, one)
}

/// How far rounding may move a cost.
fn slack(metric: Metric, cost: f64) -> f64 {
    match metric {
        Metric::Dm | Metric::Cm => 0.0,
        _ => 1e-9 * cost.abs() + 1e-10,
    }
}

/// Remembers the events that matter.
#[derive(Default)]
pub struct Listener(Arc<Mutex<Vec<Event>>>);

impl Listener {
    /// The same control, heard.
    pub fn hear(&self, control: Control) -> Control {
        let heard = self.0.clone();
        control.with_listener(move |event| {
            if matches!(event, Event::Improved { .. } | Event::Bound(_)) {
                heard.lock().unwrap().push(event.clone());
            }
        })
    }

    /// Checks the events of a run: bounds never fall and never pass the least cost (if any), costs never
    /// rise and never fall below it, the last is that of the solution.
    pub fn check(
        &self,
        metric: Metric,
        least: Option<f64>,
        cost: Option<f64>,
    ) -> Result<(), String> {
        let (mut bound, mut improved) = (f64::NEG_INFINITY, f64::INFINITY);
        for news in self.0.lock().unwrap().iter() {
            match *news {
                Event::Bound(next) => {
                    if next < bound {
                        return Err(format!("the bound fell from {bound} to {next}"));
                    }
                    bound = next;
                }
                Event::Improved { cost, .. } => {
                    if cost > improved {
                        return Err(format!("the cost rose from {improved} to {cost}"));
                    }
                    improved = cost;
                }
                _ => {}
            }
        }
        match least {
            Some(least) if bound > least + slack(metric, least) => {
                Err(format!("the bound {bound} is above the least cost {least}"))
            }
            Some(least) if improved < least - slack(metric, least) => {
                Err(format!("the cost {improved} is below the least cost {least}"))
            }
            None if improved.is_finite() => Err(format!("{improved}, but there is no solution")),
            _ => match cost {
                Some(cost) if !same(metric, cost, improved) => {
                    Err(format!("told {improved}, returned {cost}"))
                }
                _ => Ok(()),
            },
        }
    }
}

/// A sample made into the engine's problem, and all that is known of its solutions.
pub struct Judge<'a> {
    pub exact: &'a Exact<'a>,
    pub problem: Problem,
    /// The least cost; none if there is no solution.
    pub least: Option<f64>,
}

impl<'a> Judge<'a> {
    pub fn new(exact: &'a Exact<'a>, least: Option<f64>) -> Self {
        let sample = exact.sample;
        let problem = Problem::of_table(&sample.spec, &sample.table)
            .unwrap_or_else(|error| panic!("{error}\n{sample:?}"));
        for (attribute, axis) in problem.attributes.iter().zip(&sample.axes) {
            let values: Vec<&str> =
                (0..attribute.domain.len() as u32).map(|at| attribute.domain.label(at)).collect();
            assert_eq!(values, axis.values, "{sample:?}");
        }
        Judge { exact, problem, least }
    }

    fn sample(&self) -> &Sample {
        self.exact.sample
    }

    /// The cut set that a recoding stands for.
    fn cuts(&self, recoding: &Recoding) -> Result<Cuts, String> {
        let Recoding::Global(global) = recoding else {
            return Err(format!("a {} recoding", recoding.kind()));
        };
        let cuts: Cuts = global
            .maps
            .iter()
            .map(|map| (1..map.len()).filter(|&at| map[at] != map[at - 1]).map(|at| 1 << at).sum())
            .collect();
        for ((map, cuts), axis) in global.maps.iter().zip(&cuts).zip(&self.sample().axes) {
            let mut groups = map.clone();
            groups.sort_unstable();
            groups.dedup();
            if map.len() != axis.values.len() || groups.len() as u32 != cuts.count_ones() + 1 {
                return Err(format!("no intervals: {map:?}"));
            }
        }
        Ok(cuts)
    }

    /// What a recoding costs, if it is a solution.
    pub fn solution_cost(&self, recoding: &Recoding) -> Result<f64, String> {
        let sample = self.sample();
        let cuts = self.cuts(recoding)?;
        if !self.exact.allows(&cuts) {
            return Err(format!("the cuts {cuts:x?} are not allowed"));
        }
        let priced = self.exact.cost(&cuts);
        let release = Release::new(&self.problem, recoding, SuppressionMode::Drop);
        let measured = release.measures.cost(sample.metric).unwrap();
        if !same(sample.metric, priced.cost, measured) {
            return Err(format!("{cuts:x?} cost {}, measured {measured}", priced.cost));
        }
        let suppressed = self.problem.rows - release.rows();
        if suppressed != priced.suppressed as u64 {
            return Err(format!("{} suppressed, released all but {suppressed}", priced.suppressed));
        }
        if priced.suppressed > sample.limit {
            return Err(format!("{suppressed} suppressed rows are above the limit"));
        }
        Ok(priced.cost)
    }

    /// Checks what a search found, whether it finished, was stopped, or was content with a gap.
    pub fn check(&self, solution: &Solution) -> Result<(), String> {
        let metric = self.sample().metric;
        let cost = solution.recoding().map(|it| self.solution_cost(it)).transpose()?;
        if let (Some(cost), Some(least)) = (cost, self.least)
            && cost < least - slack(metric, least)
        {
            return Err(format!("{cost} is better than the best, {least}: the test is wrong"));
        }
        if cost.is_some() && self.least.is_none() {
            return Err("a solution where there is none: the test is wrong".to_owned());
        }
        let known = |bound: Option<f64>| match (bound, self.least) {
            (Some(bound), Some(least)) if bound > least + slack(metric, least) => {
                Err(format!("the bound {bound} is above the least cost {least}"))
            }
            _ => Ok(()),
        };
        match (&solution.outcome, cost) {
            (Outcome::Optimal(_), Some(cost)) => match self.least {
                Some(least) if same(metric, cost, least) => Ok(()),
                least => Err(format!("{cost} is said to be optimal, but the least is {least:?}")),
            },
            (Outcome::Infeasible { .. }, None) => match self.least {
                None => Ok(()),
                Some(least) => Err(format!("said to be infeasible, but {least} is possible")),
            },
            (Outcome::Feasible { bound, .. }, Some(_)) => known(*bound),
            (Outcome::Stopped { bound, .. }, _) => known(*bound),
            (outcome, cost) => Err(format!("{outcome:?} with a solution of cost {cost:?}")),
        }
    }

    /// Lets a prover solve the problem and checks all it says. The error, if any, is the prover's.
    pub fn run(
        &self,
        prover: &str,
        options: &[(&str, &str)],
        control: Control,
    ) -> Result<Solution, Error> {
        let mut all = self.sample().options();
        all.extend_from_slice(options);
        let listener = Listener::default();
        let method = Method::new(prover, &all).unwrap();
        let solution = method.solve(&self.problem, &listener.hear(control))?;
        let complaint = self.check(&solution).and_then(|()| {
            let cost = solution.recoding().map(|it| self.solution_cost(it)).transpose()?;
            listener.check(self.sample().metric, self.least, cost)
        });
        if let Err(complaint) = complaint {
            panic!("{prover}: {complaint}\n{:?}\n{:?}", solution.outcome, self.sample());
        }
        Ok(solution)
    }

    /// Lets a prover solve the problem to the end.
    pub fn prove(&self, prover: &str) {
        let solution = match self.run(prover, &[], Control::new()) {
            Ok(solution) => solution,
            Err(_) if prover == "k-optimize" && !self.suits_k_optimize() => return,
            Err(error) => {
                let impossible = self.exact.cut_sets() == 0;
                let told = error.message.contains("contradict each other");
                assert!(impossible && told, "{prover}: {error}\n{:?}", self.sample());
                return;
            }
        };
        let done = solution.outcome.is_optimal() || solution.outcome.is_infeasible();
        assert!(done, "{prover}: {:?}\n{:?}", solution.outcome, self.sample());
        assert!(self.exact.cut_sets() > 0, "{prover} did not refuse\n{:?}", self.sample());
    }

    /// Whether the published algorithm takes the question: it has bounds for the two metrics that count rows, and takes
    /// the rows of classes that fail to be lost.
    pub fn suits_k_optimize(&self) -> bool {
        let sample = self.sample();
        matches!(sample.metric, Metric::Dm | Metric::Cm) && !sample.suppresses_what_may_pass()
    }
}
