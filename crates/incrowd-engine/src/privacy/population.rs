//! What a class must satisfy in the population that the table is a part of.
//!
//! A person of the population *fits* a class if every released value of the class covers the person's value. With
//! `rows` in a class and `people` who fit it:
//!
//! - **k-map**: `people >= k`. Union: the union of two classes covers what either covers. Parts: a part covers no more
//!   than the whole, so a class that fails has no part that passes.
//! - **delta-presence**: `rows / people` lies between two numbers. Union: the ratio of sums lies between the ratios
//!   (where classes do not overlap). Parts: a part can have another ratio, so a class that fails may have parts
//!   that pass.

use serde::{Deserialize, Serialize};

use super::SLACK;
use crate::kit::{Error, Result};

/// What a class must satisfy in the population.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PopulationRequirement {
    /// The least people of the population who fit a class: k-map.
    pub least: u64,
    /// The least and the most share of the people who fit a class that are in the table: delta-presence.
    pub presence: Option<(f64, f64)>,
}

impl PopulationRequirement {
    /// Whether a class of so many rows passes that so many people fit.
    pub fn passes(&self, rows: u64, people: u64) -> bool {
        people >= self.least && self.presence.is_none_or(|range| is_within(range, rows, people))
    }

    /// Whether a class that fails may have parts that pass.
    pub fn failing_class_may_have_passing_parts(&self) -> bool {
        self.presence.is_some()
    }

    /// Whether a class fails that so many people fit, and all its parts do.
    pub fn is_lost(&self, people: u64) -> bool {
        people < self.least
    }

    /// How it is called in sentences.
    pub fn name(&self) -> &'static str {
        match self.presence {
            Some(_) => "delta-presence",
            None => "k-map",
        }
    }

    /// Refuses numbers that make no sense.
    pub fn validate(&self) -> Result<()> {
        match self.presence {
            Some((least, most))
                if !(0.0..=1.0).contains(&least)
                    || most <= 0.0
                    || !(least..=1.0).contains(&most) =>
            {
                Err(Error::new("delta-presence needs 0 <= least <= most <= 1, and most above 0")
                    .help(
                        "0.1,0.5 allows between a tenth and a half of the people who fit a \
                           class in the table",
                    ))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a share of people lies in a range.
fn is_within((least, most): (f64, f64), rows: u64, people: u64) -> bool {
    let (rows, people) = (rows as f64, people as f64);
    rows <= most * people + SLACK && rows >= least * people - SLACK
}
