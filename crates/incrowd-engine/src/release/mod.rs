//! A recoding applied: what each row becomes.

mod blanks;
mod box_order;
mod calibration;
mod classes;
mod drawn_labels;
mod group_spread;
mod labels;
mod left_out_rows;
mod measures;
mod narrowed_boxes;
mod node_labels;
mod outside_crowd;
mod population_fit;
mod preview;
mod ranges;
mod recoder;
mod reidentification_risk;
mod risk_parts;
mod row_assignment;
mod safe_bars;
mod selection;
mod share_shift;
mod suppressed_values;
mod suppression;
mod unrelated_sets;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use blanks::BlankCounts;
pub(crate) use blanks::spread;
pub use box_order::in_order_of_use;
pub use classes::{ClassAssignment, EquivalenceClasses};
pub use drawn_labels::LabelDraw;
pub use measures::{LossMeasures, ReleasedMeasures};
pub use node_labels::NodeLabelLoss;
pub use outside_crowd::OutsideCrowd;
pub use preview::{AttributePreview, RecodedAttribute, ReleasePreview, ValueBar};
pub use recoder::Recoder;
pub use reidentification_risk::{ReidentificationRisk, SizeBar, size_buckets};
pub use row_assignment::{RowAssigner, RowCounts, RowDisposition};
pub(crate) use selection::ClassSelection;
pub use share_shift::{CATEGORIES, ShareShift, share_shift};
pub use suppressed_values::{SuppressedCounts, SuppressedValues};
pub use unrelated_sets::UnrelatedSets;

use crate::privacy::{RiskTally, crowds, sets};
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::search::Solution;
use labels::{ReleasedColumn, released_column};
use risk_parts::RiskParts;

/// What becomes of suppressed rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuppressionMode {
    /// They are left out.
    #[default]
    Drop,
    /// They stay, every quasi-identifier blank.
    Blank,
}

/// A recoding applied to a problem: its classes, what they cost, and the labels each is released with.
#[derive(Debug, Clone)]
pub struct Release {
    /// The classes; those not released are suppressed.
    pub classes: EquivalenceClasses,
    /// What the release costs.
    pub measures: LossMeasures,
    /// What becomes of suppressed rows.
    pub suppressed: SuppressionMode,
    columns: Vec<ReleasedColumn>,
}

impl Release {
    /// How many people the smallest released class holds: units of protection, or rows where each is one.
    pub fn smallest_crowd(&self, problem: &Problem) -> Option<u64> {
        let mut tally = problem.targets.tally();
        let mut crowd = |class: usize| match problem.privacy.unit() {
            None => self.classes.sizes[class],
            Some(_) => {
                tally.clear();
                self.classes.fill(class, &problem.targets, &mut tally);
                problem.privacy.crowd(&tally)
            }
        };
        self.classes.released().map(&mut crowd).min()
    }

    /// The released classes counted together, by people: what the average risk and the share at risk are told from. Rows
    /// that stay as blank ones are a class like any other.
    pub fn overall(&self, problem: &Problem) -> RiskTally {
        let parts = RiskParts::new(&self.classes, problem);
        match self.suppressed {
            SuppressionMode::Drop => parts.tally(problem, |class| self.classes.released[class]),
            SuppressionMode::Blank => parts.with_blank(&self.classes, problem),
        }
    }

    /// The least people of the population who fit a released class; none without a population, or without a class.
    pub fn least_fitting(&self, problem: &Problem) -> Option<u64> {
        let people = population_fit::fitting(problem, problem.population.as_ref()?, &self.classes);
        self.classes.released().map(|class| people[class]).min()
    }

    /// Applies a recoding: classes that fail are suppressed; if suppressed rows are to stay as blank
    /// rows, further classes are suppressed until the blank ones pass too. Where all rows together
    /// fail, nothing can be released, and blank rows are left out as well.
    pub fn new(problem: &Problem, recoding: &Recoding, suppressed: SuppressionMode) -> Self {
        let recoding = narrowed_boxes::with_rows(problem, recoding);
        Self::of_classes(problem, recoding.classes(&problem.attributes, &problem.cells), suppressed)
    }

    /// Applies what a search found in this very problem; none if it found nothing.
    pub fn of_solution(
        problem: &Problem,
        solution: &Solution,
        suppressed: SuppressionMode,
    ) -> Option<Self> {
        let recoding = solution.recoding()?;
        let Some(boxes) = &solution.boxes else {
            return Some(Self::new(problem, recoding, suppressed));
        };
        let classes = recoding.classes_of_boxes(&problem.attributes, &problem.cells, boxes);
        Some(Self::of_classes(problem, classes, suppressed))
    }

    /// Applies a recoding and keeps classes that fail: to compare, or to see the verifier refuse it. What
    /// it makes is no anonymous table and must not be published.
    pub fn with_failures(problem: &Problem, recoding: &Recoding) -> Self {
        let recoding = narrowed_boxes::with_rows(problem, recoding);
        let mut classes = recoding.classes(&problem.attributes, &problem.cells);
        if let Some(withheld) = classes.withheld {
            classes.released[withheld as usize] = false;
        }
        Self::labelled(problem, classes, SuppressionMode::Drop)
    }

    fn of_classes(
        problem: &Problem,
        mut classes: EquivalenceClasses,
        suppressed: SuppressionMode,
    ) -> Self {
        let population = problem.population.as_ref();
        let people = population.map(|people| population_fit::fitting(problem, people, &classes));
        classes.suppress_failing(problem, people.as_deref());
        let present = problem.privacy.population.and_then(|rule| rule.presence);
        if let (Some((_, most)), Some(population), Some(people)) = (present, population, &people) {
            for class in population_fit::overlapping(problem, population, &classes, people, most) {
                classes.released[class] = false;
            }
        }
        // Whoever fits no class is known not to be there.
        if problem.privacy.must_fit_all()
            && population
                .is_some_and(|people| !population_fit::covers_all(problem, people, &classes))
        {
            classes.released.fill(false);
        }
        if problem.privacy.wildcards {
            crowded(problem, &mut classes);
        }
        let keep_blank =
            suppressed == SuppressionMode::Blank && classes.suppress_until_blank_passes(problem);
        let suppressed = if keep_blank { SuppressionMode::Blank } else { SuppressionMode::Drop };
        Self::labelled(problem, classes, suppressed)
    }

    /// The labels and measures of classes.
    fn labelled(
        problem: &Problem,
        classes: EquivalenceClasses,
        suppressed: SuppressionMode,
    ) -> Self {
        let measures = LossMeasures::of(problem, &classes);
        let columns = (0..problem.attributes.len())
            .map(|at| released_column(problem, &classes, at))
            .collect();
        Release { classes, measures, suppressed, columns }
    }

    /// The released names of an attribute: its own, or two where it is released as minimum and
    /// maximum.
    pub fn names(&self, attribute: usize) -> &[String] {
        &self.columns[attribute].names
    }

    /// The distinct labels of an attribute, each with as many fields as the attribute has names.
    pub fn labels(&self, attribute: usize) -> &[Vec<String>] {
        &self.columns[attribute].labels
    }

    /// Which of the labels a class is released with.
    #[inline]
    pub fn label_of(&self, attribute: usize, class: u32) -> u32 {
        self.columns[attribute].of_class[class as usize]
    }

    /// The sizes of the classes as they are seen: rows that are blank throughout are one, be they suppressed or not.
    pub fn shown_sizes(&self) -> Vec<u64> {
        let classes = &self.classes;
        let told = classes.released().filter(|&class| !classes.is_blank(class));
        let mut sizes: Vec<u64> = told.map(|class| classes.sizes[class]).collect();
        sizes.extend(Some(self.blank_rows()).filter(|&blank| blank > 0));
        sizes
    }

    /// How many rows of the release are blank throughout.
    pub fn blank_rows(&self) -> u64 {
        let classes = &self.classes;
        let told = classes.released().filter(|&class| !classes.is_blank(class));
        self.rows() - told.map(|class| classes.sizes[class]).sum::<u64>()
    }

    /// How many rows are in the release, blank ones included.
    pub fn rows(&self) -> u64 {
        match self.suppressed {
            SuppressionMode::Drop => self.classes.released_rows(),
            SuppressionMode::Blank => self.classes.sizes.iter().sum(),
        }
    }
}

/// Releases the classes that have k rows about them where a blank matches anything, the weaker reading: in all columns,
/// or in every set of as many as somebody may know. Who is not released is in nobody's crowd, so it goes on until
/// nothing changes.
fn crowded(problem: &Problem, classes: &mut EquivalenceClasses) {
    let blanks = BlankCounts::masks(problem, classes);
    let privacy = &problem.privacy;
    let width = problem.attributes.len();
    let asked = sets(width, privacy.known.map_or(width, |known| known.columns));
    for (class, released) in classes.released.iter_mut().enumerate() {
        *released = classes.withheld != Some(class as u32);
    }
    loop {
        let open: Vec<usize> = classes.released().collect();
        let sizes: Vec<u64> = open.iter().map(|&class| classes.sizes[class]).collect();
        let k = privacy.least_crowd();
        let lonely = asked.par_iter().map(|set| {
            let blank = |&class: &usize| -> u64 {
                let of = |(place, &at): (usize, &usize)| (blanks[class] >> at & 1) << place;
                set.iter().enumerate().filter(|(_, at)| **at < 64).map(of).sum()
            };
            let masks: Vec<u64> = open.iter().map(blank).collect();
            let code = |at: usize, place: usize| classes.ids_of(open[place])[set[at]];
            crowds(set.len(), &masks, &sizes, code, k).into_iter().map(|crowd| crowd < k).collect()
        });
        let lonely: Vec<Vec<bool>> = lonely.collect();
        let is_lonely = |place: &usize| lonely.iter().any(|lonely| lonely[*place]);
        let lonely: Vec<usize> = (0..open.len()).filter(is_lonely).map(|at| open[at]).collect();
        if lonely.is_empty() {
            return;
        }
        lonely.into_iter().for_each(|class| classes.released[class] = false);
    }
}
