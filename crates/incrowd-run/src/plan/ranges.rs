//! Which ends the ranges of a release have.

use serde::Serialize;

use incrowd_engine::value::{Group, RangeRounding};
use incrowd_engine::{MethodChoice, Problem, Release, words};

use crate::plan::interface::Interface;
use crate::plan::job::Job;
use crate::{Error, Result};

/// How a column's ranges end in a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RangeEnds {
    /// The column.
    pub column: String,
    /// Ends are multiples of this, rounded outwards; none where they are values of people.
    pub step: Option<f64>,
}

impl Job {
    /// How ends are told: as somebody has said, as they are by a named method, and rounded by the engine's own choice
    /// where that costs next to nothing.
    fn ranges(&self) -> RangeRounding {
        self.ranges.unwrap_or(match self.method {
            MethodChoice::Auto(_) => RangeRounding::Sparing,
            MethodChoice::Named(_) => RangeRounding::Tight,
        })
    }

    /// Whether every column of numbers has the fixed ends that were asked for; known before the search.
    pub(crate) fn check_fixed_ends(&self, problem: &Problem) -> Result<()> {
        if self.ranges() != RangeRounding::Fixed {
            return Ok(());
        }
        let loose: Vec<&str> = problem
            .attributes
            .iter()
            .filter(|attribute| attribute.tells_ends())
            .map(|attribute| attribute.name.as_str())
            .collect();
        if loose.is_empty() {
            return Ok(());
        }
        let has = if loose.len() == 1 { "has" } else { "have" };
        let names = words::list(&loose);
        let (bins, breaks, rounded) = match self.voice {
            Interface::Options => ("--bins age=10", "--breaks age=18,65", "--ranges rounded"),
            Interface::Keywords => {
                ("bins={\"age\": 10}", "breaks={\"age\": [18, 65]}", "ranges=\"rounded\"")
            }
            Interface::Spec | Interface::Program => {
                ("bins = 10", "breaks = [18, 65]", "ranges = \"rounded\"")
            }
        };
        Err(Error::new(format!(
            "ranges cannot have fixed ends: {names} {has} neither bins, breaks nor a hierarchy"
        ))
        .help(format!("name the ends with {bins} or {breaks}, or round them with {rounded}")))
    }

    /// A problem and its release with ends told as this job wants them.
    pub(crate) fn with_ends(
        &self,
        problem: Problem,
        tight: Release,
        release: impl Fn(&Problem) -> Option<Release>,
    ) -> (Problem, Release) {
        // Safe labels have their steps.
        if self.labels.is_some() {
            return (problem, tight);
        }
        let problem = problem.with_rounded_ends(self.ranges(), &tight);
        if problem.attributes.iter().all(|attribute| attribute.step.is_none()) {
            return (problem, tight);
        }
        let release = release(&problem).unwrap_or(tight);
        (problem, release)
    }
}

/// How ranges end, for each column that shows any.
pub(crate) fn ends_of(problem: &Problem, release: &Release) -> Vec<RangeEnds> {
    let classes = &release.classes;
    let shows_ranges = |at: usize| {
        let mut groups =
            classes.released().map(|class| classes.groups[at].get(classes.ids_of(class)[at]));
        groups.any(|group| matches!(group, Group::Range { first, last } if first < last))
    };
    let columns = problem.attributes.iter().enumerate();
    columns
        .filter(|(at, attribute)| attribute.tells_ends() && shows_ranges(*at))
        .map(|(_, attribute)| RangeEnds {
            column: attribute.name.clone(),
            step: attribute.step.map(|step| step.to_f64()),
        })
        .collect()
}

/// What tight ends tell, where somebody might not think of it.
pub fn ends_text(ranges: &[RangeEnds]) -> Option<String> {
    let tight: Vec<&str> =
        ranges.iter().filter(|ends| ends.step.is_none()).map(|ends| ends.column.as_str()).collect();
    (!tight.is_empty()).then(|| {
        format!(
            "ranges of {} end at values of people: [53-97] shows that somebody has 53 and \
             somebody 97; use rounded or fixed ends (ranges)",
            words::list(&tight)
        )
    })
}
