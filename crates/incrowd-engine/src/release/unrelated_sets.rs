//! Sets of values that nothing relates to each other.

use serde::Serialize;

use super::Release;
use crate::problem::Problem;
use crate::value::{Group, KnownValues};

/// An attribute whose values have neither an order nor a hierarchy, and which is released in sets. A penalty counts such
/// a set by how many values it holds, as if they were alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnrelatedSets {
    /// The attribute.
    pub name: String,
    /// Rows that are released with a set of several values.
    pub rows: u64,
    /// How many values such a set has on average, over these rows.
    pub values: f64,
    /// How many values the attribute has in all.
    pub of: usize,
}

impl Release {
    /// The attributes that are released in sets of values that nothing relates to each other.
    pub fn unrelated_sets(&self, problem: &Problem) -> Vec<UnrelatedSets> {
        self.sets_among(problem, |at| problem.attributes[at].domain.len())
    }

    /// The same for whoever sees the release alone: values that only suppressed rows have are not counted.
    pub fn released_sets(&self, problem: &Problem) -> Vec<UnrelatedSets> {
        self.sets_among(problem, |at| {
            let rows = self.classes.told_cells_in(&problem.cells, at);
            let by_code = problem.rows_by_code(at, &rows);
            KnownValues::released(&by_code, &self.classes.released_groups(at)).len()
        })
    }

    fn sets_among(&self, problem: &Problem, values: impl Fn(usize) -> usize) -> Vec<UnrelatedSets> {
        let classes = &self.classes;
        let mut found = Vec::new();
        for (at, attribute) in problem.attributes.iter().enumerate() {
            // Of two values a set is all there is, which a blank would say as well.
            if attribute.domain.is_numeric() || attribute.hierarchy.is_some() {
                continue;
            }
            let of = values(at);
            if of < 3 {
                continue;
            }
            let groups = classes.groups[at].as_slice();
            let (mut rows, mut members) = (0, 0.0);
            for class in classes.released() {
                let group = &groups[classes.ids_of(class)[at] as usize];
                // A range of text keeps to an order that somebody has given.
                if let Group::Set(codes) = group
                    && codes.len() > 1
                {
                    rows += classes.sizes[class];
                    members += classes.sizes[class] as f64 * codes.len() as f64;
                }
            }
            if rows > 0 {
                let (name, values) = (attribute.name.clone(), members / rows as f64);
                found.push(UnrelatedSets { name, rows, values, of });
            }
        }
        found
    }
}
