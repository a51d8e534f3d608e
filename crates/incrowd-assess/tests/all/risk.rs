//! Risks and estimates hold against brute force, simulated populations and published figures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use incrowd_assess::risk::{
    AttackerRisk, ClassSizes, Estimator, JournalistRisk, PopulationUniqueness, TableClasses,
    UniqueCombinations,
};
use incrowd_engine::{
    CancelToken, Control, Event, FrequencyCounts, Problem, ProblemSpec, StopReason, Table,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common;
use crate::estimates::urn;

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn crowd(width: usize, rows: &[Vec<u32>]) -> TableClasses {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row[..width].iter().map(u32::to_string).collect()).collect();
    let table = Table::from_rows(&NAMES[..width], &rows).unwrap();
    let names: Vec<String> = NAMES[..width].iter().map(|name| (*name).to_owned()).collect();
    TableClasses::new(FrequencyCounts::of_table(&table, &names).unwrap(), &[])
}

/// Whether nobody else has the row's values in the columns of a mask.
fn alone(rows: &[Vec<u32>], row: usize, mask: usize, width: usize) -> bool {
    let same = |other: &Vec<u32>| {
        (0..width).all(|column| mask >> column & 1 == 0 || other[column] == rows[row][column])
    };
    rows.iter().filter(|other| same(other)).count() == 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(150)))]

    /// Minimal uniques, scores and shares are those of the definition, for any size limit.
    #[test]
    fn minimal_uniques_are_those_of_brute_force(
        width in 1usize..=6,
        size in 1usize..=6,
        rows in prop::collection::vec(prop::collection::vec(0u32..4, 6), 1..40),
    ) {
        let found =
            UniqueCombinations::search(&crowd(width, &rows), size, &Control::new()).unwrap();
        let size = size.min(width);
        let weight = |of: usize| -> f64 {
            (of..=size.min(width - 1)).map(|s| (width - s) as f64).product()
        };
        let mut expected: BTreeMap<usize, u64> = BTreeMap::new();
        let (mut singled, mut highest, mut total) = (0, 0.0f64, 0.0);
        for row in 0..rows.len() {
            let mut score = 0.0;
            for mask in 1..1usize << width {
                let of = mask.count_ones() as usize;
                let parts = (0..width).filter(|at| mask >> at & 1 == 1).map(|at| mask & !(1 << at));
                let minimal = of <= size
                    && alone(&rows, row, mask, width)
                    && parts.into_iter().all(|part| !alone(&rows, row, part, width));
                // The empty combination singles out the only row of a table.
                let minimal = minimal || (rows.len() == 1 && of == 1);
                if minimal {
                    *expected.entry(mask).or_default() += 1;
                    score += weight(of);
                }
            }
            singled += u64::from(score > 0.0);
            highest = highest.max(score);
            total += score;
        }
        let mut seen: BTreeMap<usize, u64> = BTreeMap::new();
        for combination in &found.combinations {
            let mask = combination.columns.iter().map(|name| {
                1usize << NAMES.iter().position(|known| known == name).unwrap()
            }).sum();
            seen.insert(mask, combination.minimal);
            let unique = (0..rows.len()).filter(|&row| alone(&rows, row, mask, width)).count();
            prop_assert_eq!(combination.unique, unique as u64);
        }
        prop_assert_eq!(&seen, &expected);
        prop_assert_eq!(found.singled_out, singled);
        prop_assert!((found.highest_score - highest).abs() < 1e-9);
        prop_assert!((found.mean_score * rows.len() as f64 - total).abs() < 1e-6);
        prop_assert_eq!(found.scores.iter().map(|group| group.rows).sum::<u64>(), singled);
        prop_assert_eq!(found.sizes.iter().map(|size| size.rows).sum::<u64>(), singled);
        prop_assert_eq!(
            found.sizes.iter().map(|size| size.minimal_uniques).sum::<u64>(),
            expected.values().sum::<u64>()
        );
        for column in &found.columns {
            let at = NAMES.iter().position(|known| *known == column.column).unwrap();
            let with: f64 = expected
                .iter()
                .filter(|(mask, _)| *mask >> at & 1 == 1)
                .map(|(mask, &rows)| rows as f64 * weight(mask.count_ones() as usize))
                .sum();
            let share = if total > 0.0 { with / total } else { 0.0 };
            prop_assert!((column.share - share).abs() < 1e-9);
        }
    }
}

/// Columns of so many values that their codes do not fit side by side into one word.
#[test]
fn wide_domains_are_grouped_too() {
    let rows: Vec<Vec<u32>> =
        (0..70_000u32).map(|at| vec![at / 2, at / 2, at / 2, at / 2, at % 2, 0]).collect();
    let found = UniqueCombinations::search(&crowd(5, &rows), 5, &Control::new()).unwrap();
    // Pairs agree in everything but the last column.
    assert_eq!(found.unique_rows, 70_000);
    let minimal: BTreeSet<(Vec<String>, u64)> =
        found.combinations.iter().map(|c| (c.columns.clone(), c.minimal)).collect();
    let pair = |name: &str| (vec![name.to_owned(), "e".to_owned()], 70_000);
    assert_eq!(minimal, BTreeSet::from(["a", "b", "c", "d"].map(pair)));
}

#[test]
fn threads_do_not_matter() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    let rows: Vec<Vec<u32>> =
        (0..3_000).map(|_| (0..6).map(|of| random.random_range(0..3 + 4 * of)).collect()).collect();
    let crowd = crowd(6, &rows);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| UniqueCombinations::search(&crowd, 4, &Control::new()).unwrap())
    };
    assert_eq!(on(1), on(4));
}

#[test]
fn a_stopped_search_keeps_what_it_has() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    let rows: Vec<Vec<u32>> =
        (0..500).map(|_| (0..6).map(|of| random.random_range(0..3 + 4 * of)).collect()).collect();
    let crowd = crowd(6, &rows);
    let whole = UniqueCombinations::search(&crowd, 3, &Control::new()).unwrap();
    let (told, asked) = (Arc::new(AtomicBool::new(false)), AtomicU64::new(0));
    let hearer = told.clone();
    let control = Control::new()
        .with_stop(move || {
            (asked.fetch_add(1, Ordering::Relaxed) >= 20).then_some(StopReason::Cancelled)
        })
        .with_listener(move |event| {
            let begun = matches!(event, Event::Progress(share) if *share > 0.0);
            hearer.fetch_or(begun, Ordering::Relaxed);
        });
    let part = UniqueCombinations::search(&crowd, 3, &control).unwrap();
    assert!(told.load(Ordering::Relaxed));
    assert_eq!((whole.looked_at, whole.all, whole.stopped), (41, 41, None));
    assert!(part.looked_at > 0 && part.looked_at < 41, "{}", part.looked_at);
    assert_eq!(part.stopped, Some(StopReason::Cancelled));
    // What it has is right.
    assert!(part.combinations.iter().all(|known| whole.combinations.contains(known)));
    let cancel = CancelToken::new();
    cancel.cancel();
    let begun = UniqueCombinations::search(&crowd, 3, &Control::new().with_cancel(&cancel));
    assert_eq!(begun.unwrap().looked_at, 0);
}

#[test]
fn too_many_combinations_are_refused() {
    let names: Vec<String> = (0..100).map(|at| format!("c{at}")).collect();
    let table = Table::from_rows(
        &names.iter().map(String::as_str).collect::<Vec<_>>(),
        &[vec!["1"; 100], vec!["2"; 100]],
    )
    .unwrap();
    let crowd = TableClasses::new(FrequencyCounts::of_table(&table, &names).unwrap(), &[]);
    let error = UniqueCombinations::search(&crowd, 4, &Control::new()).unwrap_err();
    assert!(error.message.contains("4,087,975 combinations"), "{error}");
    assert!(UniqueCombinations::search(&crowd, 2, &Control::new()).is_ok());
    assert!(UniqueCombinations::search(&crowd, 0, &Control::new()).is_err());
}

/// Sizes of the classes of a simple random sample of a population with these classes.
fn sample(classes: &[u64], fraction: f64, random: &mut Pcg64Mcg) -> ClassSizes {
    let mut left: u64 = classes.iter().sum();
    let mut wanted = (left as f64 * fraction).round() as u64;
    let mut drawn = Vec::new();
    for &size in classes {
        let mut here = 0;
        for _ in 0..size {
            if random.random_range(0..left) < wanted {
                wanted -= 1;
                here += 1;
            }
            left -= 1;
        }
        drawn.push(here);
    }
    ClassSizes::of(drawn)
}

/// Three populations: people with four skewed columns, as in a census; one drawn from Pitman's formula; and one
/// whose classes, skewed though they are, end suddenly.
fn populations(random: &mut Pcg64Mcg) -> [Vec<u64>; 3] {
    let mut census: BTreeMap<[u32; 4], u64> = BTreeMap::new();
    for _ in 0..100_000 {
        // A power of an even number: small codes are frequent.
        let mut code = |codes: f64, power: f64| (random.random::<f64>().powf(power) * codes) as u32;
        let person = [code(90.0, 1.5), code(40.0, 3.0), code(16.0, 2.0), code(8.0, 3.0)];
        *census.entry(person).or_default() += 1;
    }
    let urn = urn(100_000, 500.0, 0.6, random);
    let mut ended = vec![0u64; 200_000];
    for _ in 0..200_000 {
        let rank = random.random::<f64>().powi(4) * ended.len() as f64;
        ended[rank as usize] += 1;
    }
    [census.into_values().collect(), urn, ended]
}

/// Mean over samples, by fraction, as the documentation says: for people as in a census the rule's estimate comes
/// closer the larger the fraction is; so does Pitman's where its model is the truth; where no model fits,
/// estimates are too high.
#[test]
fn estimates_come_close_to_simulated_populations() {
    let mut random = Pcg64Mcg::seed_from_u64(11);
    for (at, classes) in populations(&mut random).iter().enumerate() {
        let truth = classes.iter().filter(|&&size| size == 1).count() as f64;
        for (fraction, close) in [(0.02, 0.5), (0.1, 0.3), (0.3, 0.1), (0.6, 0.05)] {
            let samples: Vec<PopulationUniqueness> = (0..8)
                .map(|_| sample(classes, fraction, &mut random))
                .map(|sizes| PopulationUniqueness::estimate(&sizes, fraction).unwrap())
                .collect();
            let mean = |of: &dyn Fn(&PopulationUniqueness) -> f64| {
                samples.iter().map(of).sum::<f64>() / samples.len() as f64 / truth
            };
            let chosen = mean(&|found| found.uniques);
            let within = match at {
                0 => 1.0 - close..1.0 + close,
                1 => 0.75..1.25,
                _ => 0.75..2.5,
            };
            assert!(within.contains(&chosen), "{at}, {fraction}: {chosen} times the truth");
            if at == 1 {
                let pitman = mean(&|found| found.estimates[0].uniques.unwrap());
                let close = if fraction < 0.1 { 0.25 } else { 0.06 };
                assert!((pitman - 1.0).abs() < close, "{fraction}: Pitman {pitman}");
            }
        }
    }
}

/// The figures that ARX's own tests expect of the Adult data.
#[test]
fn adult_has_the_published_risks() {
    let table = common::adult();
    let names: Vec<String> = table.columns().iter().map(|column| column.name.clone()).collect();
    let crowd = TableClasses::new(FrequencyCounts::of_table(&table, &names).unwrap(), &[]);
    let sizes = crowd.sizes();
    let prosecutor = AttackerRisk::prosecutor(&sizes, 0.2);
    assert_eq!((prosecutor.highest, prosecutor.average), (1.0, 0.646_575_160_798_355_5));
    let share = |fraction: f64, of: Estimator| {
        let found = PopulationUniqueness::estimate(&sizes, fraction).unwrap();
        found.estimates.iter().find(|e| e.estimator == of).and_then(|e| e.share).unwrap()
    };
    let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
    // Theirs is the limit of a large population, from which the expected number keeps a little distance.
    for (fraction, limit) in [(0.1, 0.276_849_938_836_535_97), (0.01, 0.144_608_353_116_738_4)] {
        let ratio = share(fraction, Estimator::Pitman) / limit;
        assert!((0.995..1.0).contains(&ratio), "{fraction}: {ratio}");
    }
    close(share(0.1, Estimator::Zayatz), 0.320_740_239_346_618_9);
    close(share(0.2, Estimator::Zayatz), 0.357_709_923_482_912_5);
    close(share(1.0, Estimator::Zayatz), 0.514_289_503_348_584_4);
    let unique = UniqueCombinations::search(&crowd, 4, &Control::new()).unwrap();
    assert_eq!((unique.looked_at, unique.unique_rows), (255, 15_512));
    assert_eq!(unique.combinations[0].columns.len(), 4);
}

/// The table as its own population: a journalist is a prosecutor. Twice the table: half as dangerous.
#[test]
fn a_release_meets_its_population() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let rows: Vec<[String; 3]> = (0..400)
        .map(|_| [9, 6, 30].map(|codes: u32| random.random_range(0..codes).to_string()))
        .collect();
    let names = ["a", "b", "c"];
    let table = Table::from_rows(&names, &rows).unwrap();
    let spec = names.iter().fold(ProblemSpec::new(5), |spec, name| spec.quasi(name));
    let problem = Problem::of_table(&spec, &table).unwrap();
    let counts = |rows: &[[String; 3]]| {
        let table = Table::from_rows(&names, rows).unwrap();
        FrequencyCounts::of_table(&table, &names.map(str::to_owned)).unwrap()
    };
    let twice: Vec<[String; 3]> = rows.iter().chain(&rows).cloned().collect();
    let mut more = twice.clone();
    more.extend(["x", "y"].map(|value| [value, "0", "0"].map(str::to_owned)));
    for (method, apart) in
        [("mondrian", true), ("datafly", true), ("climb", true), ("cells", false)]
    {
        let release = common::release(&problem, method, &[]);
        let classes = &release.classes;
        let sizes = ClassSizes::of(classes.released().map(|class| classes.sizes[class]));
        let prosecutor = AttackerRisk::prosecutor(&sizes, 0.2);
        let met = |rows: &[[String; 3]]| {
            JournalistRisk::of_release(&problem, &release, &counts(rows), &[], 0.2)
        };
        let (once, two) = (met(&rows), met(&twice));
        let own =
            AttackerRisk::prosecutor(&ClassSizes::of(problem.cells.counts().iter().copied()), 0.2);
        assert!((once.before.average - own.average).abs() < 1e-12, "{method}");
        let (after, half) = (once.after.unwrap(), two.after.unwrap());
        assert!(after.average <= prosecutor.average + 1e-12, "{method}");
        assert!((after.average - 2.0 * half.average).abs() < 1e-12, "{method}");
        if apart {
            // Targets do not overlap: everybody is counted once, but for suppressed rows that fit.
            assert!(after.highest <= 0.2 && after.average > 0.9 * prosecutor.average, "{method}");
        }
        // By the definition: whom do the labels of each class fit?
        let fits = |class: usize, row: &[String; 3]| {
            (0..3).all(|at| {
                let domain = &problem.attributes[at].domain;
                let code = (0..domain.len() as u32).find(|&code| domain.label(code) == row[at]);
                let group = &classes.groups[at].as_slice()[classes.ids_of(class)[at] as usize];
                code.is_some_and(|code| problem.attributes[at].contains(group, code))
            })
        };
        let slow: f64 = classes
            .released()
            .map(|class| {
                let there = rows.iter().filter(|row| fits(class, row)).count();
                classes.sizes[class] as f64 / there as f64
            })
            .sum();
        assert!((after.average - slow / sizes.rows() as f64).abs() < 1e-9, "{method}");
        let strangers = met(&more);
        assert_eq!((strangers.people, strangers.unknown, strangers.lacking), (802, 2, 0));
    }
}
