//! The provers over cut sets against brute force, against each other, and against optima that were
//! proven elsewhere.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use std::time::Duration;

use common::exact::Exact;
use common::judge::{Judge, provers, same};
use common::sample::{LARGE, LONG, MIDDLE, SMALL, Sample, Size};
use common::{ADULT_QUASI, adult, adult_file, adult_hierarchy, requirements, stop_after, verdict};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::recoding::GlobalRecoding;
use incrowd_engine::value::{Bins, Group};
use incrowd_engine::{
    Algorithm, AttributeSpec, Control, Hierarchy, Limit, METHODS, Method, Metric, Model, Outcome,
    Problem, ProblemSpec, Recoding, Release, Solution, StopReason, SuppressionMode, Table,
};
use incrowd_testing::{cases, thorough};

/// How many random tables to try out of so many.
fn tables(all: u32) -> u64 {
    cases(all).into()
}

/// Calls with samples whose cut sets are few enough to look at all ways to divide all attributes but
/// one, and with the least cost.
fn each_known(seeds: std::ops::Range<u64>, size: &Size, mut call: impl FnMut(&Judge<'_>)) {
    for seed in seeds {
        let sample = Sample::new(seed, size);
        let exact = Exact::new(&sample);
        if exact.longest().1 <= 2_048 {
            call(&Judge::new(&exact, exact.by_slices()));
        }
    }
}

#[test]
fn small_tables_cost_what_brute_force_says() {
    // So many small tables, as many as a release is to be trusted with.
    let all = tables(20_000);
    let mut solved = 0;
    for seed in 0..all {
        let sample = Sample::new(seed, &SMALL);
        let exact = Exact::new(&sample);
        let least = exact.by_enumeration().map(|(cost, _)| cost);
        let judge = Judge::new(&exact, least);
        provers().iter().for_each(|prover| judge.prove(prover));
        solved += u64::from(least.is_some());
    }
    // The samples must neither all have a solution nor mostly none.
    assert!((all * 7 / 10..all * 99 / 100).contains(&solved), "{solved} of {all}");
}

#[test]
fn middling_tables_cost_what_brute_force_says() {
    for seed in 0..tables(400) {
        let sample = Sample::new(seed, &MIDDLE);
        let exact = Exact::new(&sample);
        let judge = Judge::new(&exact, exact.by_enumeration().map(|(cost, _)| cost));
        provers().iter().for_each(|prover| judge.prove(prover));
    }
}

/// Hundreds of rows and up to thirty cuts: values that a search forgets to renew need room to go stale.
#[test]
fn long_attributes_cost_what_shortest_paths_say() {
    each_known(0..tables(150), &LONG, |judge| judge.prove("optimal"));
    each_known(0..tables(80), &LARGE, |judge| judge.prove("optimal"));
}

/// The published algorithm gets the smaller part of them: it takes its time.
#[test]
fn the_published_algorithm_agrees_on_long_attributes() {
    if !provers().contains(&"k-optimize") {
        return;
    }
    let (all, mut proven) = (tables(60), 0);
    each_known(0..all, &LONG, |judge| {
        let control = Control::new().with_time_limit(Duration::from_millis(500));
        if judge.suits_k_optimize() && judge.exact.cut_sets() > 0 {
            let solution = judge.run("k-optimize", &[], control).unwrap();
            proven += u64::from(solution.outcome.stop_reason().is_none());
        }
    });
    assert!(proven * 60 >= all * 25, "only {proven} of {all} were finished in time");
}

#[test]
fn large_tables_cost_the_same_by_either_prover() {
    if provers().len() < 2 {
        return;
    }
    let (all, mut compared) = (tables(400), 0);
    for seed in 0..all {
        let sample = Sample::new(seed, &LARGE);
        let exact = Exact::new(&sample);
        let mut judge = Judge::new(&exact, None);
        if exact.cut_sets() == 0 || !judge.suits_k_optimize() {
            continue;
        }
        let solve = |prover: &str, problem: &Problem| {
            let method = Method::new(prover, &sample.options()).unwrap();
            let control = Control::new().with_time_limit(Duration::from_millis(700));
            method.solve(problem, &control).unwrap()
        };
        let found = solve("optimal", &judge.problem);
        if found.outcome.stop_reason().is_some() {
            continue;
        }
        judge.least = found.recoding().map(|it| judge.solution_cost(it).unwrap());
        // One that was stopped has a bound that must hold, too.
        let published = solve("k-optimize", &judge.problem);
        for solution in [&found, &published] {
            judge.check(solution).unwrap_or_else(|complaint| panic!("{complaint}\n{sample:?}"));
        }
        compared += u64::from(published.outcome.stop_reason().is_none());
    }
    assert!(compared * 2 >= all, "only {compared} of {all} were finished by both in time");
}

#[test]
fn threads_change_neither_cost_nor_outcome() {
    let pools: Vec<rayon::ThreadPool> = (1..=3)
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
        .collect();
    each_known(1_000..1_000 + tables(100), &MIDDLE, |judge| {
        for pool in &pools {
            provers().iter().for_each(|prover| pool.install(|| judge.prove(prover)));
        }
    });
}

#[test]
fn stopped_runs_have_true_bounds() {
    let mut stopped = 0;
    let mut check = |judge: &Judge<'_>| {
        for prover in provers() {
            for calls in [0, 1, 2, 4, 10, 30, 100, 1_000] {
                let Ok(solution) = judge.run(prover, &[], stop_after(calls, StopReason::Cancelled))
                else {
                    continue;
                };
                if let Some(reason) = solution.outcome.stop_reason() {
                    assert_eq!(reason, StopReason::Cancelled);
                    stopped += 1;
                }
            }
        }
    };
    each_known(2_000..2_000 + tables(60), &MIDDLE, &mut check);
    each_known(3_000..3_000 + tables(40), &LONG, &mut check);
    assert!(stopped > 50, "only {stopped} runs were stopped");
}

#[test]
fn a_gap_that_is_asked_for_is_met() {
    let has_gap = |prover: &&str| {
        METHODS.iter().any(|method| {
            method.name == *prover && method.options.iter().any(|option| option.name == "gap")
        })
    };
    let mut check = |judge: &Judge<'_>| {
        if judge.exact.cut_sets() == 0 {
            return;
        }
        for prover in provers().into_iter().filter(|prover| has_gap(prover)) {
            let solution = judge.run(prover, &[("gap", "10%")], Control::new());
            let Ok(solution) = solution else {
                assert!(prover == "k-optimize" && !judge.suits_k_optimize());
                continue;
            };
            let cost = solution.recoding().map(|it| judge.solution_cost(it).unwrap());
            match (&solution.outcome, cost) {
                (Outcome::Optimal(_), Some(_)) | (Outcome::Infeasible { .. }, None) => {}
                (Outcome::Feasible { bound: Some(bound), .. }, Some(cost)) => {
                    let sample = judge.exact.sample;
                    let met = cost - bound <= 0.1 * cost + 1e-9;
                    assert!(met, "{prover}: {bound} to {cost}\n{sample:?}");
                }
                (outcome, cost) => panic!("{prover}: {outcome:?} {cost:?}"),
            }
        }
    };
    each_known(4_000..4_000 + tables(100), &MIDDLE, &mut check);
    each_known(5_000..5_000 + tables(40), &LONG, &mut check);
}

#[test]
fn the_published_algorithm_refuses_to_suppress_what_may_pass_in_parts() {
    let rows = [["1", "a"], ["1", "b"], ["2", "a"], ["2", "a"], ["3", "b"], ["3", "a"]];
    let table = Table::from_rows(&["age", "disease"], &rows).unwrap();
    for model in [Model::Alpha { alpha: 0.5 }, Model::EntropyL { l: 1.5 }] {
        let mut spec = ProblemSpec::new(2).quasi("age").sensitive("disease", model);
        for prover in provers() {
            (spec.metric, spec.limit) = (Metric::Dm, Limit::Rows(2));
            let solve = |spec: &ProblemSpec| {
                let problem = Problem::of_table(spec, &table).unwrap();
                Method::new(prover, &[]).unwrap().solve(&problem, &Control::new())
            };
            match prover {
                "k-optimize" => {
                    let error = solve(&spec).unwrap_err();
                    assert!(error.message.contains(model.name()), "{error}");
                }
                _ => assert!(solve(&spec).unwrap().outcome.is_optimal()),
            }
            spec.limit = Limit::Rows(0);
            assert!(solve(&spec).is_ok());
        }
    }
}

#[test]
fn released_tables_satisfy_the_independent_verifier() {
    let sizes = [&SMALL, &MIDDLE, &LONG];
    for (seed, size) in (6_000..6_000 + tables(150)).zip(sizes.into_iter().cycle()) {
        let sample = Sample::new(seed, size);
        let ladders = sample
            .axes
            .iter()
            .zip(&sample.spec.quasi)
            .filter_map(|(axis, spec)| Some((spec.name.clone(), axis.ladder.clone()?)))
            .collect();
        let problem = Problem::of_table(&sample.spec, &sample.table).unwrap();
        let method = Method::new("optimal", &sample.options()).unwrap();
        let Ok(solution) = method.solve(&problem, &Control::new()) else { continue };
        let Some(recoding) = solution.into_recoding() else { continue };
        let release = Release::new(&problem, &recoding, SuppressionMode::Drop);
        let released =
            release.table_in_order(&problem, &sample.table, &sample.table.names()).unwrap();
        let verdict = verdict(&released, &sample.table, &requirements(&problem, &ladders));
        assert!(verdict.holds, "{verdict}\n{sample:?}");
        assert!(verdict.original.unwrap().suppressed <= sample.limit as u64, "{sample:?}");
    }
}

// The tests' own tests.

/// Looking at every cut set, and at every division of all attributes but one, must come to the same.
#[test]
fn shortest_paths_cost_what_brute_force_says() {
    let samples = (0..tables(2_000)).map(|seed| (seed, &SMALL));
    let samples = samples.chain((0..tables(60)).map(|seed| (seed, &MIDDLE)));
    for (seed, size) in samples {
        let sample = Sample::new(seed, size);
        let exact = Exact::new(&sample);
        match (exact.by_enumeration(), exact.by_slices()) {
            (None, None) => {}
            (Some((one, _)), Some(other)) if same(sample.metric, one, other) => {}
            (one, other) => panic!("{one:?} but {other:?}\n{sample:?}"),
        }
    }
}

/// Of all that can be asked of a prover, the samples ask often.
#[test]
fn the_samples_are_of_every_kind() {
    const KINDS: [&str; 9] = [
        "no solution",
        "no way to divide",
        "rows suppressed",
        "cuts made and others not",
        "a binding limit above 0",
        "cut along a tree",
        "missing values",
        "cuts demanded",
        "cuts refused",
    ];
    let mut times = [0; KINDS.len()];
    for seed in 0..2_000 {
        let sample = Sample::new(seed, &SMALL);
        let exact = Exact::new(&sample);
        let best = exact.by_enumeration().map(|(_, cuts)| (exact.cost(&cuts), cuts));
        let unlimited = Sample { limit: sample.rows.len(), ..sample.clone() };
        let unlimited = Exact::new(&unlimited).by_slices();
        let cuts: usize = sample.axes.iter().map(|axis| axis.values.len() - 1).sum();
        let any = |is: fn(&common::sample::Axis) -> bool| sample.axes.iter().any(is);
        let settled = |made| sample.axes.iter().any(|a| a.settled.iter().any(|cut| cut.1 == made));
        let made = best.as_ref().map(|(_, cuts)| cuts.iter().map(|cuts| cuts.count_ones()).sum());
        let is: [bool; KINDS.len()] = [
            best.is_none(),
            exact.cut_sets() == 0,
            best.as_ref().is_some_and(|(best, _)| best.suppressed > 0),
            made.is_some_and(|made: u32| (1..cuts).contains(&(made as usize))),
            sample.limit > 0 && best.map(|(best, _)| best.cost) != unlimited,
            sample.along_tree && any(|axis| axis.ladder.is_some()),
            any(|axis| axis.missing),
            settled(true),
            settled(false),
        ];
        times.iter_mut().zip(is).for_each(|(times, is)| *times += u32::from(is));
    }
    for (kind, times) in KINDS.iter().zip(times) {
        let least = if *kind == "no way to divide" { 10 } else { 80 };
        assert!(times >= least, "{kind}: {times} of 2,000");
    }
}

/// A prover by brute force is believed, one that errs is not.
#[test]
fn the_judge_tells_right_from_wrong() {
    let (mut right, mut wrong) = (0, [0; 4]);
    for seed in 0..1_000 {
        let sample = Sample::new(seed, &SMALL);
        let exact = Exact::new(&sample);
        let best = exact.by_enumeration();
        let judge = Judge::new(&exact, best.as_ref().map(|best| best.0));
        let claim = |cuts: &[u32]| {
            let groups = |at: usize, code: u32| {
                let values = sample.axes[at].values.len() as u32;
                let begins = |value: u32| value == 0 || (cuts[at] >> value) & 1 == 1;
                let first = (0..=code).rev().find(|&value| begins(value)).unwrap();
                let end = (code + 1..values).find(|&value| begins(value)).unwrap_or(values);
                judge.problem.attributes[at].group(&(first..end).collect::<Vec<_>>())
            };
            let recoding = Recoding::Global(GlobalRecoding::new(&judge.problem.attributes, groups));
            Solution::feasible(recoding, 1)
        };
        let nothing = Solution::infeasible("so it is said", 1);
        let Some((_, cuts)) = best else {
            assert_eq!(judge.check(&nothing), Ok(()));
            continue;
        };
        assert_eq!(judge.check(&claim(&cuts).proven()), Ok(()), "{sample:?}");
        right += 1;
        assert!(judge.check(&nothing).is_err());
        // No cuts at all, all cuts, and the best but for one cut: wrong unless they cost the same.
        let all = sample.axes.iter().map(|axis| (1u32 << axis.values.len()) - 2).collect();
        let mut other = cuts.clone();
        other[0] ^= if sample.axes[0].values.len() > 1 { 2 } else { 0 };
        for (at, cuts) in [vec![0; cuts.len()], all, other].into_iter().enumerate() {
            let priced = exact.cost(&cuts);
            let is_best = exact.allows(&cuts)
                && priced.suppressed <= sample.limit
                && same(sample.metric, priced.cost, judge.least.unwrap());
            assert_eq!(judge.check(&claim(&cuts).proven()).is_ok(), is_best, "{sample:?}");
            wrong[at] += u32::from(!is_best);
        }
        // A bound above the least cost.
        let bound = Some(judge.least.unwrap() * 1.001 + 0.001);
        assert!(judge.check(&claim(&cuts).with_bound(bound)).is_err());
        wrong[3] += 1;
    }
    assert!(right > 600 && wrong.iter().all(|&times| times > 200), "{right} {wrong:?}");
}

// Automatic bins.

/// `rows` rows whose ages are the first whole numbers, in turn, and two sexes.
fn ages(rows: usize, distinct: usize) -> (ProblemSpec, Table) {
    let fields: Vec<[String; 2]> = (0..rows)
        .map(|row| {
            let sex = if row * 7 % 11 < 6 { "F" } else { "M" };
            [(row % distinct).to_string(), sex.to_owned()]
        })
        .collect();
    let table = Table::from_rows(&["age", "sex"], &fields).unwrap();
    let mut spec = ProblemSpec::new(40).quasi("age").quasi("sex");
    spec.metric = Metric::Dm;
    (spec, table)
}

#[test]
fn many_values_are_put_into_bins_first() {
    let (mut spec, table) = ages(600, 300);
    let problem = Problem::of_table(&spec, &table).unwrap();
    // The same with the bins' numbers for ages, all of which can be cut.
    let bin = |age: usize| 16 * age / 300;
    let rows: Vec<[String; 2]> = common::rows_of(&table)
        .iter()
        .map(|row| [bin(row[0].parse().unwrap()).to_string(), row[1].clone()])
        .collect();
    let binned = Table::from_rows(&["age", "sex"], &rows).unwrap();
    let by_bin = Problem::of_table(&spec, &binned).unwrap();
    let cost = |problem: &Problem, solution: &Solution| {
        assert_eq!(solution.outcome.name(), "optimal");
        let recoding = solution.recoding().unwrap();
        Release::new(problem, recoding, SuppressionMode::Drop).measures.dm
    };
    for prover in provers() {
        let solve = |problem: &Problem, options: &[(&str, &str)]| {
            Method::new(prover, options).unwrap().solve(problem, &Control::new())
        };
        let solution = solve(&problem, &[("bins", "16")]).unwrap();
        let expected = solve(&by_bin, &[("bins", "off")]).unwrap();
        assert_eq!(cost(&problem, &solution), cost(&by_bin, &expected));
        let Some(Recoding::Global(global)) = solution.recoding() else { panic!("{solution:?}") };
        let groups = global.groups[0].as_slice();
        assert!(groups.len() > 1);
        for group in groups {
            let Group::Range { first, last } = *group else { panic!("{group:?}") };
            let (first, end) = (first as usize, last as usize + 1);
            assert!(first == 0 || bin(first - 1) < bin(first), "{group:?}");
            assert!(end == 300 || bin(end - 1) < bin(end), "{group:?}");
        }
        // A cut that is demanded is a bin's bound wherever it lies.
        spec.quasi[0].cuts = vec![("101".to_owned(), true)];
        let demanded = Problem::of_table(&spec, &table).unwrap();
        let solution = solve(&demanded, &[("bins", "16")]).unwrap();
        assert_eq!(solution.outcome.name(), "optimal");
        let Some(Recoding::Global(global)) = solution.recoding() else { panic!("{solution:?}") };
        assert_ne!(global.maps[0][100], global.maps[0][101]);
        spec.quasi[0].cuts.clear();
    }
}

#[test]
fn without_bins_too_many_values_are_refused() {
    let (spec, table) = ages(4_000, 2_000);
    let problem = Problem::of_table(&spec, &table).unwrap();
    for prover in provers() {
        let method = Method::new(prover, &[("bins", "off")]).unwrap();
        let error = method.solve(&problem, &Control::new()).unwrap_err();
        assert!(error.message.contains("\"age\" has 2,000 values"), "{error}");
        assert!(error.help.is_some_and(|help| help.contains("bins")));
    }
}

// The Adult census data, where it lies beside the repository.

/// A row of the file of proven optima.
struct Proven {
    coarse: bool,
    metric: Metric,
    limit: Limit,
    k: u64,
    cost: f64,
}

fn proven() -> Vec<Proven> {
    let text = adult_file("optima.csv");
    let rows = text.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        Proven {
            coarse: fields[0] == "coarse",
            metric: Metric::from_name(&fields[1].to_lowercase()).unwrap(),
            limit: fields[2].parse().map_or(Limit::All, Limit::Rows),
            k: fields[3].parse().unwrap(),
            cost: fields[4].parse().unwrap(),
        }
    });
    rows.collect()
}

impl Proven {
    fn spec(&self) -> ProblemSpec {
        let mut spec = ProblemSpec::new(self.k).class("salary-class");
        (spec.metric, spec.limit) = (self.metric, self.limit);
        for name in ADULT_QUASI {
            let mut column = AttributeSpec::new(name);
            if name != "age" {
                let rows = adult_hierarchy(name);
                let tree = Hierarchy::from_rows(&rows).unwrap();
                column.hierarchy = Some(HierarchySource::Given(tree));
                column.summary = Some(incrowd_engine::value::ClassSummary::Range);
            } else if self.coarse {
                column.rule.bins = Some(Bins { width: 5.0, start: 16.0 });
            }
            spec.quasi.push(column);
        }
        spec
    }
}

/// Solves those rows of the file that are wanted, each within a time.
fn prove_adult(budget: Duration, wanted: impl Fn(&Proven) -> bool) {
    let (table, rows) = (adult(), proven());
    assert_eq!(rows.len(), 29);
    for row in rows.iter().filter(|row| wanted(row)) {
        let problem = Problem::of_table(&row.spec(), &table).unwrap();
        let cuts: usize = problem.domains().iter().map(|values| values - 1).sum();
        assert_eq!(cuts, if row.coarse { 99 } else { 156 });
        let method = Method::new("optimal", &[]).unwrap();
        let solution = method.solve(&problem, &Control::new().with_time_limit(budget)).unwrap();
        let what = format!("coarse: {} {:?} {:?} k={}", row.coarse, row.metric, row.limit, row.k);
        assert_eq!(solution.outcome.name(), "optimal", "{what}");
        let recoding = solution.recoding().unwrap();
        let release = Release::new(&problem, recoding, SuppressionMode::Drop);
        assert_eq!(release.measures.cost(row.metric), Some(row.cost), "{what}");
        let suppressed = problem.rows - release.rows();
        assert!(suppressed <= row.limit.rows(problem.rows, problem.rows), "{what}");
    }
}

#[test]
fn adult_optima_that_are_quickly_proven() {
    let least = if thorough() { 250 } else { 500 };
    prove_adult(Duration::from_secs(120), |row| row.k >= least);
}

#[test]
#[ignore = "takes minutes"]
fn adult_optima() {
    prove_adult(Duration::from_secs(1_200), |_| true);
}
