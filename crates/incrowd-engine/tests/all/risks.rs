//! Risks of a whole release and populations, against brute force that knows nothing of the engine.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use incrowd_engine::privacy::{
    AtRiskLimit, KnownColumns, PopulationRequirement, ReleaseRiskLimits, UniquenessLimit,
};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::{
    Algorithm, Control, FrequencyCounts, Hierarchy, Limit, METHODS, MethodChoice, Metric, Problem,
    ProblemSpec, Release, Solution, SuppressionMode, Table,
};
use incrowd_testing::{LinearRng, cases};

/// A small table, perhaps with a population, and what is asked.
#[derive(Debug)]
struct Sample {
    rows: Vec<Vec<u32>>,
    people: Vec<Vec<u32>>,
    k: u64,
    metric: Metric,
    limit: u64,
    overall: ReleaseRiskLimits,
    matching: Option<PopulationRequirement>,
    /// The most share of the rows in classes that one person fits.
    alone: Option<f64>,
    known: Option<KnownColumns>,
}

impl Sample {
    fn new(seed: u64, with_people: bool) -> Self {
        let mut dice = LinearRng::new(seed.wrapping_mul(0x9e37_79b9) + 17);
        dice.below(2);
        let width = 2 + dice.below(2) as usize;
        let values: Vec<u64> = (0..width).map(|_| 2 + dice.below(3)).collect();
        let row = |dice: &mut LinearRng| values.iter().map(|&end| dice.below(end) as u32).collect();
        let rows: Vec<Vec<u32>> = (0..6 + dice.below(30)).map(|_| row(&mut dice)).collect();
        let mut people = Vec::new();
        if with_people {
            people.extend(rows.iter().filter(|_| dice.below(8) > 0).cloned());
            let others = dice.below(60);
            // Some have a value that the table lacks.
            people.extend((0..others).map(|_| {
                let mut person: Vec<u32> = row(&mut dice);
                if dice.below(12) == 0 {
                    person[0] = 9;
                }
                person
            }));
        }
        let share = |dice: &mut LinearRng| 1.0 / (1 + dice.below(9)) as f64;
        let asked = if with_people { dice.below(7) } else { 1 + dice.below(5) };
        let average = (asked == 1 || asked == 3).then(|| share(&mut dice));
        let at_risk = (asked == 2 || asked == 3).then(|| AtRiskLimit {
            share: dice.below(6) as f64 / 10.0,
            threshold: share(&mut dice),
        });
        // Estimated, unless the population is there to be counted in.
        let unique = (asked >= 4 && !with_people || asked == 6).then(|| UniquenessLimit {
            share: dice.below(6) as f64 / 20.0,
            fraction: share(&mut dice),
        });
        let limit = match dice.below(3) {
            0 => 0,
            1 => rows.len() as u64,
            _ => dice.below(9),
        };
        let mut sample = Sample {
            k: 1 + dice.below(4),
            metric: [Metric::Dm, Metric::Ncp][dice.below(2) as usize],
            limit,
            overall: ReleaseRiskLimits { average, at_risk, unique },
            matching: with_people.then(|| Sample::matching(&mut dice)),
            alone: None,
            known: None,
            rows,
            people,
        };
        // What is asked of the release in another way than by the size of classes stands alone.
        match (dice.below(5), with_people) {
            (0, true) => sample.alone = Some(dice.below(6) as f64 / 20.0),
            (0, false) => {
                let (k, columns) = (1 + dice.below(5), 1 + dice.below(2) as usize);
                sample.known = Some(KnownColumns { k, columns });
            }
            _ => return sample,
        }
        Sample { k: 1 + dice.below(2), overall: ReleaseRiskLimits::default(), ..sample }
    }

    /// A k-map, a presence or both.
    fn matching(dice: &mut LinearRng) -> PopulationRequirement {
        let presence = (dice.below(3) == 0).then(|| {
            let least = if dice.below(3) == 0 { dice.below(5) as f64 / 10.0 } else { 0.0 };
            (least, least.max((1 + dice.below(10)) as f64 / 10.0))
        });
        let least = if presence.is_some() { dice.below(4) } else { 1 + dice.below(8) };
        PopulationRequirement { least, presence }
    }

    fn names(&self) -> Vec<String> {
        (0..self.rows[0].len()).map(|at| format!("q{at}")).collect()
    }

    fn table(&self, rows: &[Vec<u32>]) -> Table {
        let names = self.names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let texts = |row: &Vec<u32>| row.iter().map(u32::to_string).collect::<Vec<_>>();
        Table::from_rows(&names, &rows.iter().map(texts).collect::<Vec<_>>()).unwrap()
    }

    /// The question; none if the population is too small for it.
    fn problem(&self, hierarchies: bool) -> Option<Problem> {
        let mut spec = ProblemSpec::new(self.k.min(self.rows.len() as u64));
        for (at, name) in self.names().iter().enumerate() {
            spec = spec.quasi(name);
            if hierarchies {
                spec.quasi[at].hierarchy = Some(HierarchySource::Given(self.hierarchy(at)));
            }
        }
        spec.metric = self.metric;
        spec.limit = Limit::Rows(self.limit);
        spec.overall = self.overall;
        spec.known = self.known;
        let problem = Problem::of_table(&spec, &self.table(&self.rows)).unwrap();
        let Some(rule) = self.matching else { return Some(problem) };
        if self.people.is_empty() {
            return None;
        }
        let counts = FrequencyCounts::of_table(&self.table(&self.people), &self.names()).unwrap();
        let mut problem = problem.with_population(&Arc::new(counts), &[], rule).ok()?;
        problem.population.as_mut().unwrap().max_unique = self.alone;
        Some(problem)
    }

    /// Pairs, then everything.
    fn hierarchy(&self, at: usize) -> Hierarchy {
        let mut values: Vec<u32> = self.rows.iter().map(|row| row[at]).collect();
        values.sort_unstable();
        values.dedup();
        let row = |&value: &u32| vec![value.to_string(), format!("p{}", value / 2), "*".to_owned()];
        Hierarchy::from_rows(&values.iter().map(row).collect::<Vec<_>>()).unwrap()
    }

    /// The values of the table, by column.
    fn domains(&self) -> Vec<Vec<u32>> {
        (0..self.rows[0].len())
            .map(|at| {
                let mut values: Vec<u32> = self.rows.iter().map(|row| row[at]).collect();
                values.sort_unstable();
                values.dedup();
                values
            })
            .collect()
    }

    /// What the cheapest release costs that puts values into these groups, by column and value; none if none is allowed.
    /// Small classes may be suppressed, from any size on.
    fn cost(&self, groups: &[BTreeMap<u32, (usize, f64)>]) -> Option<f64> {
        let place = |row: &[u32]| -> Option<Vec<usize>> {
            row.iter().zip(groups).map(|(value, of)| of.get(value).map(|it| it.0)).collect()
        };
        let mut classes: BTreeMap<Vec<usize>, (u64, f64)> = BTreeMap::new();
        for row in &self.rows {
            let price: f64 = row.iter().zip(groups).map(|(value, of)| of[value].1).sum();
            let class = classes.entry(place(row).unwrap()).or_insert((0, price));
            class.0 += 1;
        }
        let all = self.rows.len() as f64;
        let fits = |key: &Vec<usize>| {
            self.people.iter().filter(|person| place(person).as_ref() == Some(key)).count() as u64
        };
        let presence = self.matching.and_then(|rule| rule.presence);
        let is_present = |rows: u64, people: u64| {
            presence.is_none_or(|(least, most)| {
                let (rows, people) = (rows as f64, people as f64);
                rows <= most * people + 1e-9 && rows >= least * people - 1e-9
            })
        };
        let mut people_of: BTreeMap<u64, u64> = BTreeMap::new();
        let mut passing: Vec<(u64, f64)> = Vec::new();
        let mut open: BTreeMap<&Vec<usize>, (u64, u64)> = BTreeMap::new();
        for (key, &(size, _)) in &classes {
            let people = fits(key);
            if size >= self.k.min(self.rows.len() as u64)
                && self.matching.is_none_or(|rule| people >= rule.least)
                && is_present(size, people)
            {
                open.insert(key, (size, people));
            }
        }
        self.leave_out(&mut open);
        for (key, &(size, price)) in &classes {
            if let Some(&(_, people)) = open.get(key) {
                passing.push((size, price));
                *people_of.entry(size).or_default() += people;
            }
        }
        let released = |least: u64| passing.iter().filter(move |(size, _)| *size >= least);
        // Whoever fits no class is known not to be in the table.
        let all_fit = |least: u64| {
            let fitting: u64 = people_of.range(least..).map(|(_, people)| people).sum();
            let is_asked = presence.is_some_and(|(low, _)| low > 0.0);
            // A release without rows says nothing of anybody.
            !is_asked || fitting == self.people.len() as u64 || released(least).next().is_none()
        };
        (0..=self.rows.len() as u64 + 1)
            .filter_map(|least| {
                let people: u64 = released(least).map(|(size, _)| size).sum();
                let count = released(least).count();
                let rows = people as f64;
                let average = self.overall.average.unwrap_or(1.0);
                let at_risk = self.overall.at_risk.is_none_or(|it| {
                    let risky =
                        released(least).filter(|(n, _)| 1.0 / *n as f64 > it.threshold + 1e-9);
                    let risky: u64 = risky.map(|(size, _)| size).sum();
                    risky as f64 <= it.share * rows + 1e-9
                });
                let unique = self.overall.unique.is_none_or(|it| {
                    let of_size = |n: u64| released(least).filter(|(size, _)| *size == n).count();
                    let (alone, pairs) = (of_size(1) as f64, of_size(2) as f64);
                    let wrong = 2.0 * pairs * (1.0 - it.fraction);
                    let right = alone * it.fraction;
                    alone == 0.0 || alone * right / (right + wrong) <= it.share * rows + 1e-9
                });
                let at_risk = at_risk && unique && all_fit(least);
                let lost = self.rows.len() as u64 - people;
                if count as f64 > average * rows + 1e-9 || !at_risk || lost > self.limit {
                    return None;
                }
                let lost = lost as f64;
                Some(match self.metric {
                    Metric::Dm => {
                        let squares = released(least).map(|(size, _)| (size * size) as f64);
                        squares.sum::<f64>() + lost * all
                    }
                    _ => {
                        let priced = released(least).map(|(size, price)| *size as f64 * price);
                        priced.sum::<f64>() + lost * groups.len() as f64
                    }
                })
            })
            .min_by(f64::total_cmp)
    }

    /// Leaves out classes that only one person fits, smallest first, or that few rows look like in few columns.
    fn leave_out(&self, open: &mut BTreeMap<&Vec<usize>, (u64, u64)>) {
        loop {
            let rows: u64 = open.values().map(|(size, _)| size).sum();
            let alone = || open.iter().filter(|(_, (_, people))| *people <= 1);
            let lonely: u64 = alone().map(|(_, (size, _))| size).sum();
            let Some(most) = self.alone.filter(|most| lonely as f64 > most * rows as f64 + 1e-9)
            else {
                break;
            };
            let first = alone().min_by_key(|(key, (size, _))| (*size, **key));
            let first = *first.unwrap_or_else(|| panic!("{lonely} above {most}")).0;
            open.remove(first);
        }
        let Some(KnownColumns { k, columns }) = self.known else { return };
        let width = self.rows[0].len();
        loop {
            let is_rare = |key: &Vec<usize>| {
                (0..1u32 << width).filter(|set| set.count_ones() as usize <= columns).any(|set| {
                    let alike = |other: &Vec<usize>| {
                        (0..width).all(|at| set >> at & 1 == 0 || key[at] == other[at])
                    };
                    let like = open.iter().filter(|(other, _)| alike(other));
                    like.map(|(_, (size, _))| size).sum::<u64>() < k
                })
            };
            let rare: Vec<&Vec<usize>> = open.keys().filter(|key| is_rare(key)).copied().collect();
            if rare.is_empty() {
                return;
            }
            rare.into_iter().for_each(|key| {
                open.remove(key);
            });
        }
    }

    /// All ways to cut every column into intervals of its values, or to raise it to a level.
    fn least(&self, levels: bool) -> Option<f64> {
        let ways: Vec<Vec<BTreeMap<u32, (usize, f64)>>> = self
            .domains()
            .iter()
            .enumerate()
            .map(|(at, values)| if levels { self.raised(at, values) } else { cut(values) })
            .collect();
        let mut best: Option<f64> = None;
        let mut choice = vec![0; ways.len()];
        loop {
            let groups: Vec<_> =
                choice.iter().zip(&ways).map(|(&at, ways)| ways[at].clone()).collect();
            if let Some(cost) = self.cost(&groups)
                && best.is_none_or(|best| cost < best)
            {
                best = Some(cost);
            }
            let Some(at) = (0..ways.len()).find(|&at| choice[at] + 1 < ways[at].len()) else {
                return best;
            };
            choice[..at].fill(0);
            choice[at] += 1;
        }
    }

    /// The levels of a column: its values, pairs, nothing. A group costs its share of the values.
    fn raised(&self, _: usize, values: &[u32]) -> Vec<BTreeMap<u32, (usize, f64)>> {
        let price = |size: usize| match size {
            1 => 0.0,
            size => size as f64 / values.len() as f64,
        };
        let by = |group: &dyn Fn(u32) -> usize| {
            let size = |value: u32| values.iter().filter(|&&it| group(it) == group(value)).count();
            values.iter().map(|&value| (value, (group(value), price(size(value))))).collect()
        };
        vec![by(&|value| value as usize), by(&|value| value as usize / 2), by(&|_| 0)]
    }

    /// Checks a release by the definitions.
    fn check(&self, problem: &Problem, solution: &Solution) -> f64 {
        let release = Release::of_solution(problem, solution, SuppressionMode::Drop).unwrap();
        let people = release.overall(problem);
        if people.people > 0 {
            let average = people.risk / people.people as f64;
            assert!(self.overall.average.is_none_or(|most| average <= most + 1e-9), "{self:?}");
        }
        assert!(problem.privacy.overall.holds(&people));
        assert!(
            release
                .classes
                .released()
                .all(|class| release.classes.sizes[class] >= problem.privacy.k)
        );
        if let Some(rule) = self.matching {
            assert!(release.least_fitting(problem).is_none_or(|people| people >= rule.least));
        }
        assert!(release.classes.suppressed_rows() <= self.limit, "{self:?}");
        release.measures.cost(self.metric).unwrap()
    }

    fn prove(&self, method: &str) -> bool {
        let levels = method == "lattice";
        let Some(problem) = self.problem(levels) else { return false };
        let solved = MethodChoice::new(method, &[]).unwrap().solve(&problem, &Control::new());
        let Ok(solution) = solved else { return false };
        let least = self.least(levels);
        let found = solution.recoding().map(|_| self.check(&problem, &solution));
        match (least, found) {
            (Some(least), Some(found)) => {
                assert!((least - found).abs() < 1e-6, "{method}: {found}, not {least}: {self:?}");
                assert!(solution.outcome.is_optimal(), "{method}: {:?} {self:?}", solution.outcome);
            }
            (least, found) => assert_eq!(least, found, "{method}: {self:?} {:?}", solution.outcome),
        }
        found.is_some()
    }
}

/// All ways to cut values into intervals; a group costs its width.
fn cut(values: &[u32]) -> Vec<BTreeMap<u32, (usize, f64)>> {
    let range = f64::from(values[values.len() - 1] - values[0]).max(1.0);
    (0..1u32 << (values.len() - 1))
        .map(|cuts| {
            let group = |at: usize| (0..at).filter(|bit| cuts >> bit & 1 == 1).count();
            let width = |at: usize| {
                let like = || (0..values.len()).filter(move |&it| group(it) == group(at));
                let (first, last) = (like().next().unwrap(), like().next_back().unwrap());
                f64::from(values[last] - values[first]) / range
            };
            (0..values.len()).map(|at| (values[at], (group(at), width(at)))).collect()
        })
        .collect()
}

#[test]
fn provers_find_what_brute_force_finds() {
    let all: u64 = cases(1_500).into();
    let mut solved = 0;
    for seed in 0..all {
        for with_people in [false, true] {
            let sample = Sample::new(seed, with_people);
            for method in ["optimal", "lattice"] {
                solved += u64::from(sample.prove(method));
            }
        }
    }
    assert!(solved > all, "only {solved} of {} had a solution", 4 * all);
}

/// Every other method meets what is asked, or says in a sentence that it cannot; its bound is true.
#[test]
fn every_method_meets_risks_or_refuses() {
    for seed in 0..u64::from(cases(60)).min(12) {
        for with_people in [false, true] {
            let sample = Sample::new(seed, with_people);
            for method in METHODS.iter().map(|info| info.name).chain(["auto"]) {
                let Some(problem) = sample.problem(true) else { continue };
                let solved =
                    MethodChoice::new(method, &[]).unwrap().solve(&problem, &Control::new());
                let Ok(solution) = solved else { continue };
                if solution.recoding().is_some() {
                    let cost = sample.check(&problem, &solution);
                    let bound = solution.outcome.bound().unwrap_or(0.0);
                    assert!(bound <= cost + 1e-6, "{method}: {bound} above {cost}: {sample:?}");
                }
            }
        }
    }
}
