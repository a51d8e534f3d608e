//! How many people of a population fit each class: exactly, whatever the recoding, also where classes overlap.

use rayon::prelude::*;

use super::classes::EquivalenceClasses;
use crate::problem::{Population, Problem};
use crate::table::JointIndex;

/// So many combinations are looked at at once, so that a bit for each group of each attribute fits into memory.
const CHUNK: usize = 1 << 14;

/// How many people fit each class.
pub(super) fn fitting(
    problem: &Problem,
    population: &Population,
    classes: &EquivalenceClasses,
) -> Vec<u64> {
    match disjoint(problem, classes) {
        Some(group_of) => by_place(population, classes, &group_of),
        None => by_bits(problem, population, classes),
    }
}

/// Released classes that must go so that nobody's shares of the classes that they fit add up to more than this: where
/// classes overlap, each gives a chance to be in the table. Those that give most go first.
pub(super) fn overlapping(
    problem: &Problem,
    population: &Population,
    classes: &EquivalenceClasses,
    people: &[u64],
    most: f64,
) -> Vec<usize> {
    if disjoint(problem, classes).is_some() {
        return Vec::new();
    }
    let mut released: Vec<usize> = classes.released().collect();
    let share = |class: usize| classes.sizes[class] as f64 / people[class].max(1) as f64;
    // Who fits which class, once; then shares are only added up.
    let fitting: Vec<Vec<u32>> = (0..population.len())
        .into_par_iter()
        .map(|at| {
            let fits = |class: &&usize| fits(problem, population, classes, **class, at);
            released.iter().filter(fits).map(|&class| class as u32).collect()
        })
        .collect();
    let mut gone = vec![false; classes.len()];
    loop {
        let mut worst: Vec<usize> = Vec::new();
        for fitted in &fitting {
            let open = || fitted.iter().map(|&class| class as usize).filter(|&it| !gone[it]);
            if open().map(share).sum::<f64>() > most + 1e-9 {
                worst.extend(open().max_by(|&one, &other| share(one).total_cmp(&share(other))));
            }
        }
        if worst.is_empty() {
            released.retain(|&class| gone[class]);
            return released;
        }
        worst.into_iter().for_each(|class| gone[class] = true);
    }
}

/// Whether a combination of the population fits a class.
fn fits(
    problem: &Problem,
    population: &Population,
    classes: &EquivalenceClasses,
    class: usize,
    at: usize,
) -> bool {
    classes.ids_of(class).iter().enumerate().all(|(attribute, &id)| {
        let group = &classes.groups[attribute].as_slice()[id as usize];
        problem.attributes[attribute].contains(group, population.code(attribute, at))
    })
}

/// Whether everybody of the population fits a released class.
pub(super) fn covers_all(
    problem: &Problem,
    population: &Population,
    classes: &EquivalenceClasses,
) -> bool {
    let fits = |class: usize, at: usize| fits(problem, population, classes, class, at);
    let released: Vec<usize> = classes.released().collect();
    let fits_some = |at: usize| released.iter().any(|&class| fits(class, at));
    population.unknown == 0 && (0..population.len()).into_par_iter().all(fits_some)
}

/// For each attribute the group of each code, where no code is in two groups; `u32::MAX` where it is in none.
fn disjoint(problem: &Problem, classes: &EquivalenceClasses) -> Option<Vec<Vec<u32>>> {
    let mut group_of = Vec::with_capacity(problem.attributes.len());
    for (attribute, groups) in problem.attributes.iter().zip(&classes.groups) {
        let mut of_code = vec![u32::MAX; attribute.domain.len()];
        for (id, group) in groups.as_slice().iter().enumerate() {
            let (first, last) = attribute.span(group);
            for code in (first..=last).filter(|&code| attribute.contains(group, code)) {
                let place = &mut of_code[code as usize];
                if *place != u32::MAX {
                    return None;
                }
                *place = id as u32;
            }
        }
        group_of.push(of_code);
    }
    Some(group_of)
}

/// Everybody fits one class at most.
fn by_place(
    population: &Population,
    classes: &EquivalenceClasses,
    group_of: &[Vec<u32>],
) -> Vec<u64> {
    let place = |class: usize| (classes.ids_of(class).to_vec(), class as u32);
    let index: JointIndex = (0..classes.len()).map(place).collect();
    let mut people = vec![0; classes.len()];
    let mut key = vec![0; group_of.len()];
    for (at, &count) in population.counts().iter().enumerate() {
        for (attribute, (id, of_code)) in key.iter_mut().zip(group_of).enumerate() {
            *id = of_code[population.code(attribute, at) as usize];
        }
        if let Some(&class) = index.get(&key) {
            people[class as usize] += count;
        }
    }
    people
}

/// Every class looks at everybody, 64 combinations at once.
fn by_bits(problem: &Problem, population: &Population, classes: &EquivalenceClasses) -> Vec<u64> {
    let mut people = vec![0; classes.len()];
    for from in (0..population.len()).step_by(CHUNK) {
        let to = population.len().min(from + CHUNK);
        let words = (to - from).div_ceil(64);
        // By attribute and group a bit for each combination that the group covers.
        let bits: Vec<Vec<u64>> = problem
            .attributes
            .par_iter()
            .zip(&classes.groups)
            .enumerate()
            .map(|(at, (attribute, groups))| {
                let mut by_code = vec![vec![]; attribute.domain.len()];
                for place in from..to {
                    by_code[population.code(at, place) as usize].push(place - from);
                }
                let mut bits = vec![0u64; groups.as_slice().len() * words];
                for (id, group) in groups.as_slice().iter().enumerate() {
                    let (first, last) = attribute.span(group);
                    for code in (first..=last).filter(|&code| attribute.contains(group, code)) {
                        for place in &by_code[code as usize] {
                            bits[id * words + place / 64] |= 1 << (place % 64);
                        }
                    }
                }
                bits
            })
            .collect();
        let counts = &population.counts()[from..to];
        people.par_iter_mut().enumerate().for_each(|(class, people)| {
            let ids = classes.ids_of(class);
            for word in 0..words {
                let of = ids.iter().zip(&bits);
                let mut all =
                    of.fold(u64::MAX, |all, (&id, bits)| all & bits[id as usize * words + word]);
                while all != 0 {
                    *people += counts[64 * word + all.trailing_zeros() as usize];
                    all &= all - 1;
                }
            }
        });
    }
    people
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kit::SearchRng;
    use crate::privacy::PopulationRequirement;
    use crate::{Algorithm, Control, FrequencyCounts, Method, ProblemSpec, Recoding, Table};

    #[test]
    fn both_ways_count_the_same() {
        let mut chance = SearchRng::of_seed(4);
        let mut rows = |number: usize| -> Vec<Vec<String>> {
            let row =
                |chance: &mut SearchRng| (0..3).map(|_| chance.below(5).to_string()).collect();
            (0..number).map(|_| row(&mut chance)).collect()
        };
        let names = ["a", "b", "c"];
        let table = Table::from_rows(&names, &rows(40)).expect("rows of one width");
        let people = Table::from_rows(&names, &rows(300)).expect("rows of one width");
        let spec = ProblemSpec::new(2).quasi("a").quasi("b").quasi("c");
        let problem = Problem::of_table(&spec, &table).expect("a sound problem");
        let counts = FrequencyCounts::of_table(&people, &spec.columns()).expect("the same columns");
        let rule = PopulationRequirement { least: 1, presence: None };
        let problem = problem.with_population(&Arc::new(counts), &[], rule).expect("enough people");
        let population = problem.population.as_ref().expect("there is one");
        for method in ["climb", "mondrian", "cluster-up"] {
            let inner = problem.about_classes(2).expect("enough rows");
            let method = Method::new(method, &[]).expect("there is one");
            let solution = method.solve(&inner, &Control::new()).expect("it can");
            let recoding: &Recoding = solution.recoding().expect("there is one");
            let classes = recoding.classes(&problem.attributes, &problem.cells);
            let found = fitting(&problem, population, &classes);
            assert_eq!(found, by_bits(&problem, population, &classes));
            for (class, &found) in found.iter().enumerate() {
                let fits = |at: &usize| {
                    (0..3).all(|attribute| {
                        let id = classes.ids_of(class)[attribute] as usize;
                        let group = &classes.groups[attribute].as_slice()[id];
                        let code = population.code(attribute, *at);
                        problem.attributes[attribute].contains(group, code)
                    })
                };
                let count = |at: usize| population.counts()[at];
                let people: u64 = (0..population.len()).filter(fits).map(count).sum();
                assert_eq!(people, found);
            }
        }
    }
}
