//! The journalist's estimate against simulated populations, whose truth is known.

use incrowd_assess::risk::{
    AssessedTable, AttackerRisk, ClassSizes, PopulationUniqueness, RiskOptions,
    SuperpopulationModel, assess,
};
use incrowd_engine::{Control, FrequencyCounts, Table};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The classes of a population of Pitman's formula; Ewens' with α of 0. Each person joins a class by its size less
/// α, or opens a new one.
pub(crate) fn urn(people: u32, theta: f64, alpha: f64, random: &mut Pcg64Mcg) -> Vec<u64> {
    let mut urn: Vec<u64> = Vec::new();
    let mut members: Vec<usize> = Vec::new();
    for before in 0..people {
        let new = (theta + alpha * urn.len() as f64) / (theta + f64::from(before));
        if random.random::<f64>() < new {
            members.push(urn.len());
            urn.push(1);
            continue;
        }
        // A member of a class leads to it, but a share of alpha of its first does not.
        let class = loop {
            let class = members[random.random_range(0..members.len())];
            if random.random::<f64>() >= alpha / urn[class] as f64 {
                break class;
            }
        };
        urn[class] += 1;
        members.push(class);
    }
    urn
}

/// People who fall into so many classes, each as likely as an exponential number says: a Dirichlet distribution
/// with all parameters 1.
fn dirichlet(people: u32, classes: usize, random: &mut Pcg64Mcg) -> Vec<u64> {
    let mut ends = Vec::with_capacity(classes);
    let mut sum = 0.0;
    for _ in 0..classes {
        sum -= (1.0 - random.random::<f64>()).ln();
        ends.push(sum);
    }
    let mut sizes = vec![0; classes];
    for _ in 0..people {
        let at = random.random::<f64>() * sum;
        sizes[ends.partition_point(|&end| end <= at).min(classes - 1)] += 1;
    }
    sizes
}

/// The classes of a simple random sample, each with its people.
fn sample(classes: &[u64], fraction: f64, random: &mut Pcg64Mcg) -> Vec<(u64, u64)> {
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
        drawn.push((here, size));
    }
    drawn
}

/// The mean of 1/F over the rows of a sample.
fn truth(drawn: &[(u64, u64)]) -> f64 {
    AttackerRisk::journalist(drawn.iter().copied(), 0.2).average
}

fn sizes(drawn: &[(u64, u64)]) -> ClassSizes {
    ClassSizes::of(drawn.iter().map(|class| class.0))
}

/// Each single estimate from a tenth is within 0.05 of the truth where the model is the truth. Where all of many classes
/// are about equally likely, which neither model allows, it is too high rather than too low, by at most 0.15.
#[test]
fn the_journalists_estimate_comes_close() {
    let mut random = Pcg64Mcg::seed_from_u64(18);
    for seed in 0..4 {
        for (theta, alpha) in
            [(200.0, 0.0), (1_500.0, 0.0), (8_000.0, 0.0), (100.0, 0.5), (1_000.0, 0.3)]
        {
            let population = urn(18_000, theta, alpha, &mut random);
            let drawn = sample(&population, 0.1, &mut random);
            let found = AttackerRisk::journalist_estimated(&sizes(&drawn), 0.1, 0.2).average;
            let truth = truth(&drawn);
            assert!(
                (found - truth).abs() < 0.05,
                "{seed}, theta {theta}, alpha {alpha}: {found} for {truth}"
            );
        }
        for classes in [3_000, 20_000, 100_000] {
            let population = dirichlet(18_000, classes, &mut random);
            let drawn = sample(&population, 0.1, &mut random);
            let found = AttackerRisk::journalist_estimated(&sizes(&drawn), 0.1, 0.2).average;
            let excess = found - truth(&drawn);
            assert!((-0.05..0.15).contains(&excess), "{seed}, {classes} classes: {excess}");
        }
    }
}

/// A tenth of a health survey: 176 rows, nearly all of them unique, whose classes are slightly more even than Pitman's
/// formula allows. It was told 0.24 for a truth of 0.74, beside "nearly everybody is unique".
#[test]
fn a_small_sample_of_many_classes_is_not_taken_to_be_safe() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let (mut fell_back, mut error) = (0, 0.0);
    let tries = 20;
    for _ in 0..tries {
        let population = urn(1_760, 1_550.0, 0.0, &mut random);
        let drawn = sample(&population, 0.1, &mut random);
        let (truth, sizes) = (truth(&drawn), sizes(&drawn));
        let found = AttackerRisk::journalist_estimated(&sizes, 0.1, 0.2).average;
        let uniques = PopulationUniqueness::estimate(&sizes, 0.1).unwrap();
        fell_back += u32::from(uniques.estimates[0].uniques.is_none());
        error += (found - truth) / f64::from(tries);
        assert!((found - truth).abs() < 0.3, "{found} for {truth}");
        assert!(uniques.share <= found + 1e-9 && found <= (1.0 + uniques.share) / 2.0 + 1e-9);
    }
    assert!(fell_back >= 5, "Pitman's had an answer in all but {fell_back}");
    assert!(error.abs() < 0.06, "{error} too high on average");
}

/// Whatever the sample and the fraction: unique people have a 1/F of 1, all others of 1/2 at most.
#[test]
fn uniques_and_the_mean_of_the_inverse_agree() {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    for case in 0..incrowd_testing::cases(2_000) {
        let classes = random.random_range(1..300);
        let even: f64 = random.random::<f64>() * 6.0;
        let drawn = (0..classes).map(|_| 1 + (random.random::<f64>().powf(even) * 6.0) as u64);
        let sizes = ClassSizes::of(drawn);
        let fraction = [0.001, 0.01, 0.1, 0.11, 0.3, 0.7, 1.0][random.random_range(0..7)];
        let found = PopulationUniqueness::estimate(&sizes, fraction).unwrap();
        let mean = AttackerRisk::journalist_estimated(&sizes, fraction, 0.2).average;
        let pitman = &found.estimates[0];
        assert!(!pitman.about.contains("alpha -"), "{}", pitman.about);
        // Where no row is unique nobody is taken to be, and no more can be said.
        if found.sample_uniques > 0 {
            assert!(found.share <= mean + 1e-6, "{case}, {fraction}: {mean} {found:?}");
            assert!(
                mean <= (1.0 + found.share) / 2.0 + 1e-6,
                "{case}, {fraction}: {mean} {found:?}"
            );
        }
    }
}

/// Strata drawn by different shares: weights know what the mean share does not.
#[test]
fn weights_come_closer_than_their_mean() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let (mut by_weight, mut by_mean) = (0.0, 0.0);
    for _ in 0..6 {
        let mut classes: Vec<(u64, f64, u64)> = Vec::new();
        for fraction in [0.5, 0.02] {
            let population = urn(20_000, 300.0, 0.0, &mut random);
            for (here, there) in sample(&population, fraction, &mut random) {
                classes.push((here, here as f64 / fraction, there));
            }
        }
        let drawn: Vec<(u64, u64)> = classes.iter().map(|class| (class.0, class.2)).collect();
        let weighted: Vec<(u64, f64)> = classes.iter().map(|class| (class.0, class.1)).collect();
        let truth = truth(&drawn);
        let people: f64 = weighted.iter().map(|class| class.1).sum();
        let sizes = sizes(&drawn);
        let fraction = sizes.rows() as f64 / people;
        by_weight += (AttackerRisk::journalist_weighted(&weighted, 0.2).average - truth).abs();
        by_mean +=
            (AttackerRisk::journalist_estimated(&sizes, fraction, 0.2).average - truth).abs();
    }
    assert!(by_weight < 0.6 * by_mean, "{by_weight} against {by_mean}");
    assert!(by_weight / 6.0 < 0.02, "{by_weight}");
}

#[test]
fn weights_of_a_table_are_its_population() {
    let quasi = ["age".to_owned(), "sex".to_owned()];
    let rows: Vec<[String; 3]> = (0..60)
        .map(|at: u32| [(at % 17).to_string(), (at % 2).to_string(), "12.5".to_owned()])
        .collect();
    let table = Table::from_rows(&["age", "sex", "w"], &rows).unwrap();
    let names = ["age", "sex", "w"].map(str::to_owned);
    let counts = FrequencyCounts::of_table(&table, &names).unwrap();
    let options = RiskOptions::new().with_size(0);
    let weighted = AssessedTable::weighted("t", counts, &options.missing).unwrap();
    let found = assess(weighted.clone(), None, &options, &Control::new()).unwrap();
    assert_eq!(found.quasi, quasi);
    assert_eq!(found.weights.as_ref().unwrap().people, 750.0);
    let journalist = found.journalist.unwrap();
    assert_eq!(journalist.model, Some(SuperpopulationModel::Ewens));
    assert!(found.notes.iter().any(|note| note.contains("Ewens")), "{:?}", found.notes);
    // The same as a sampling fraction.
    let plain = AssessedTable::of_table("t", &table, &quasi).unwrap();
    let share = options.clone().with_sampling(incrowd_assess::risk::PopulationSize::Fraction(0.08));
    let same = assess(plain.clone(), None, &share, &Control::new()).unwrap();
    assert!((journalist.risk.average - same.journalist.unwrap().risk.average).abs() < 1e-12);
    let (one, other) = (found.population_uniqueness.unwrap(), same.population_uniqueness.unwrap());
    assert!((one.uniques - other.uniques).abs() < 1e-9, "{one:?} {other:?}");
    // Two populations are one too many, and weights that were asked for must have been counted.
    assert!(assess(weighted, None, &share, &Control::new()).is_err());
    let asked = options.with_weight_column("w");
    assert!(assess(plain, None, &asked, &Control::new()).is_err());
}
