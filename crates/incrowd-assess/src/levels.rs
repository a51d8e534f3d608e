//! What one column less exact would do: how many rows would still stand among too few.
//!
//! **What it does.** One attribute is taken at each level of its hierarchy, all others as they are, and the rows are
//! counted whose combination fewer than k rows share.
//!
//! **Guarantee.** Exact counts over all rows.
//!
//! **Cost.** One walk over the combinations for each level.

use hashbrown::HashMap;
use incrowd_engine::table::Profiles;
use incrowd_engine::{KeyedHashState, Problem};
use serde::Serialize;

/// A level of an attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LevelEffect {
    /// The level, 0 for the values themselves.
    pub level: u32,
    /// How many different values the attribute has there.
    pub values: usize,
    /// Distinct combinations with all other attributes as they are.
    pub combinations: usize,
    /// Rows whose combination fewer than k rows share.
    pub below_k: u64,
    /// The same as a share of all rows.
    pub share: f64,
}

/// What every level of an attribute would do. An attribute without a hierarchy has two: as it is, and blank.
pub fn level_effects(problem: &Problem, attribute: usize) -> Vec<LevelEffect> {
    let Some(of) = problem.attributes.get(attribute) else { return Vec::new() };
    let values = of.domain.len() as u32;
    let levels = match &of.hierarchy {
        Some(tree) => tree.height(),
        None => 1,
    };
    (0..=levels)
        .map(|level| {
            let node = |code: u32| match (&of.hierarchy, level) {
                (_, 0) => code,
                (Some(tree), level) => tree.at_level(code, level),
                (None, _) => 0,
            };
            let map: Vec<u32> = (0..values).map(node).collect();
            effect(problem, attribute, level, &map)
        })
        .collect()
}

fn effect(problem: &Problem, attribute: usize, level: u32, map: &[u32]) -> LevelEffect {
    let cells: &Profiles = &problem.cells;
    let width = problem.attributes.len();
    let mut sizes: HashMap<Box<[u32]>, u64, KeyedHashState> = HashMap::default();
    let mut key = vec![0; width];
    for (cell, &rows) in cells.counts().iter().enumerate() {
        for (at, code) in key.iter_mut().enumerate() {
            let own = cells.code(at, cell);
            *code = if at == attribute { map[own as usize] } else { own };
        }
        match sizes.get_mut(&key[..]) {
            Some(size) => *size += rows,
            None => {
                sizes.insert(key.clone().into(), rows);
            }
        }
    }
    let k = problem.privacy.k;
    let below_k: u64 = sizes.values().filter(|&&size| size < k).sum();
    let mut distinct = map.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    LevelEffect {
        level,
        values: distinct.len(),
        combinations: sizes.len(),
        below_k,
        share: below_k as f64 / problem.rows.max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_engine::problem::HierarchySource;
    use incrowd_engine::value::HierarchyRule;
    use incrowd_engine::{AttributeSpec, ProblemSpec, Table};

    use super::*;

    #[test]
    fn rows_below_k_fall_level_by_level() {
        let rows: Vec<[String; 2]> =
            (0..40).map(|at| [(at % 20).to_string(), (at % 2).to_string()]).collect();
        let table = Table::from_rows(&["age", "sex"], &rows).unwrap();
        let mut spec = ProblemSpec::new(5).quasi("sex");
        let rule = HierarchyRule::Intervals { widths: vec![10.0], start: 0.0 };
        spec.quasi.push(AttributeSpec {
            hierarchy: Some(HierarchySource::Rule(rule)),
            ..AttributeSpec::new("age")
        });
        let problem = Problem::of_table(&spec, &table).unwrap();
        let effects = level_effects(&problem, 1);
        let told: Vec<(usize, usize, u64)> =
            effects.iter().map(|it| (it.values, it.combinations, it.below_k)).collect();
        assert_eq!(told, [(20, 20, 40), (2, 4, 0), (1, 2, 0)]);
        assert_eq!(level_effects(&problem, 0).len(), 2);
        assert!(level_effects(&problem, 9).is_empty());
    }
}
