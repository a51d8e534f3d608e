//! What a node is worth: which classes pass, how many rows are suppressed, what it costs, and what all
//! nodes between two others must cost at least.
//!
//! For every metric a node's cost is **base + excess**. The base is the cost if no class were suppressed;
//! it never falls from a node to a more general one, since classes only grow and prices only rise. The
//! excess is what the rows of suppressed classes pay more than that. Where a class that fails has no
//! part that passes, the rows suppressed in a node are suppressed in every more specific node too,
//! and pay no less excess there. So for all nodes between `low` and `high`
//!
//! ```text
//! cost(node) >= base(low) + excess(high)
//! ```
//!
//! Average class size is no such sum, and has a bound of its own.

use super::frequencies::{Frequencies, Layout, Relevant};
use super::levels::Lattice;
use crate::cost::{GroupPrice, Metric, geometric_mean};
use crate::privacy::Tally;

/// What a node is worth.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    /// Rows in classes that fail.
    pub(super) suppressed: u64,
    /// Rows that fail in every more specific node too.
    pub(super) lost: u64,
    /// Classes that pass.
    pub(super) classes: u64,
    /// All classes.
    all: u64,
    /// What the release costs; infinite if the metric does not apply to it.
    pub(super) cost: f64,
    /// The base, by attribute where the metric is a matter of attributes.
    base: Vec<f64>,
    /// The excess of the rows that are lost, likewise.
    excess: Vec<f64>,
}

/// How releases are priced.
#[derive(Debug)]
enum Price {
    Dm,
    /// Classification, by that label column.
    Cm(usize),
    Average,
    Groups(Groups),
}

/// A price for every group of every level.
#[derive(Debug)]
struct Groups {
    /// By attribute and level: what a row pays more if it is suppressed, by group.
    extra: Vec<Vec<Vec<f64>>>,
    /// By attribute and level: what all rows pay together.
    base: Vec<Vec<f64>>,
    /// What every release pays less than that.
    offset: f64,
    /// The attributes' weights, if their means are multiplied instead of added.
    geometric: Option<Vec<f64>>,
}

/// Prices nodes of a lattice under a metric and says which of them are solutions.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    lattice: &'a Lattice<'a>,
    metric: Metric,
    /// The least class size.
    pub(super) k: u64,
    /// The most rows that may be suppressed.
    pub(super) limit: u64,
    price: Price,
    /// By attribute and level how general it is.
    generality: Vec<Vec<f64>>,
    /// The labels that matter.
    pub(super) relevant: Relevant,
}

/// What a judge needs anew in every thread.
#[derive(Debug)]
pub(super) struct Desk {
    tally: Tally,
    /// By attribute and group: rows suppressed, and rows lost.
    suppressed: Vec<Vec<u64>>,
    lost: Vec<Vec<u64>>,
}

impl<'a> Judge<'a> {
    /// A judge who allows that many suppressed rows.
    pub(super) fn new(lattice: &'a Lattice<'a>, metric: Metric, limit: u64) -> Self {
        let problem = lattice.problem;
        let price = match metric {
            Metric::Dm => Price::Dm,
            // A problem with this metric has a class column.
            Metric::Cm => Price::Cm(problem.class.unwrap_or(0)),
            Metric::AverageClassSize => Price::Average,
            metric => Price::Groups(Groups::new(lattice, metric)),
        };
        let mut columns: Vec<usize> =
            problem.privacy.requirements.iter().map(|requirement| requirement.column).collect();
        if let Price::Cm(column) = price {
            columns.push(column);
        }
        columns.sort_unstable();
        columns.dedup();
        let relevant = Relevant::new(lattice, &columns);
        let generality = match &price {
            Price::Groups(groups) => groups.base.clone(),
            _ => bits_lost(lattice),
        };
        Judge { lattice, metric, k: problem.privacy.k, limit, price, generality, relevant }
    }

    /// The same judge for another k.
    pub(super) fn with_k(self, k: u64) -> Self {
        Judge { k, ..self }
    }

    pub(super) fn desk(&self) -> Desk {
        let problem = self.lattice.problem;
        let groups = |levels: &Vec<super::levels::Level>| {
            vec![0; levels.iter().map(|level| level.groups.len()).max().unwrap_or(0)]
        };
        let rows: Vec<Vec<u64>> = match self.price {
            Price::Groups(_) => self.lattice.levels.iter().map(groups).collect(),
            _ => Vec::new(),
        };
        Desk { tally: problem.labels.tally(), suppressed: rows.clone(), lost: rows }
    }

    /// Whether the rows that a node suppresses are suppressed in every more specific node too, so that
    /// whether a node is a solution is settled from above.
    pub(super) fn is_monotone(&self) -> bool {
        self.limit == 0 || !self.lattice.problem.privacy.failing_class_may_have_passing_parts()
    }

    /// Whether a node is a solution.
    pub(super) fn accepts(&self, measure: &Measure) -> bool {
        measure.suppressed <= self.limit && measure.cost.is_finite()
    }

    /// Whether no node at least as specific as this one is a solution.
    pub(super) fn refuses_below(&self, high: &Measure) -> bool {
        high.lost > self.limit
    }

    /// Whether costs are exact numbers, as opposed to sums of fractions.
    pub(super) fn is_exact(&self) -> bool {
        !matches!(self.price, Price::Groups(_))
    }

    /// Whether the base is known without the classes.
    pub(super) fn knows_base(&self) -> bool {
        matches!(self.price, Price::Groups(_))
    }

    /// How general a level of an attribute is, in the metric's measure or in bits.
    pub(super) fn generality(&self, at: usize, level: u32) -> f64 {
        self.generality[at][level as usize]
    }

    /// What every node from `low` to `high` costs at least, by what is known of both.
    pub(super) fn bound(&self, low: &Measure, high: &Measure) -> f64 {
        if let Price::Average = self.price {
            return self.average_bound(low, high);
        }
        self.cost(&low.base, &high.excess)
    }

    /// The same for the part of that box in which an attribute is at least at a level.
    pub(super) fn bound_from(&self, low: &Measure, high: &Measure, at: usize, level: u32) -> f64 {
        let Price::Groups(groups) = &self.price else { return f64::NEG_INFINITY };
        let mut base = low.base.clone();
        base[at] = groups.base[at][level as usize];
        self.cost(&base, &high.excess)
    }

    /// Classes that pass have at least k rows, and there are no more of them than `low` has classes;
    /// rows released in `low` stay released.
    fn average_bound(&self, low: &Measure, high: &Measure) -> f64 {
        let rows = self.lattice.problem.rows;
        let monotone = self.is_monotone();
        let kept = if monotone { rows - low.suppressed } else { 0 }.max(rows - self.limit);
        let most = if monotone { rows - high.suppressed } else { rows };
        let classes = low.all.min(most / self.k).max(1);
        (kept as f64 / classes as f64).max(self.k as f64)
    }

    fn cost(&self, base: &[f64], excess: &[f64]) -> f64 {
        let both = base.iter().zip(excess).map(|(base, excess)| base + excess);
        match &self.price {
            Price::Groups(Groups { geometric: Some(weights), .. }) => {
                geometric_mean(both.zip(weights.iter().copied()))
            }
            Price::Groups(groups) => (both.sum::<f64>() - groups.offset).max(0.0),
            _ => both.sum(),
        }
    }

    /// Measures a node by its classes.
    pub(super) fn measure<const W: usize>(
        &self,
        node: &[u32],
        layout: &Layout,
        table: &Frequencies<W>,
        desk: &mut Desk,
    ) -> Measure {
        let rows = self.lattice.problem.rows;
        let mut measure = Measure {
            suppressed: 0,
            lost: 0,
            classes: 0,
            all: table.len() as u64,
            cost: 0.0,
            base: Vec::new(),
            excess: Vec::new(),
        };
        // What the released pay, and the excess of the suppressed and of the lost.
        let (mut base, mut excess, mut lost_excess) = (0u128, 0u128, 0u128);
        for class in 0..table.len() {
            let size = u64::from(table.sizes[class]);
            let fate = self.fate(class, table, desk);
            let extra = match self.price {
                Price::Dm => {
                    base += u128::from(size) * u128::from(size);
                    u128::from(size) * u128::from(rows - size)
                }
                Price::Cm(column) => {
                    let majority = self.majority(class, column, table, desk);
                    base += u128::from(size - majority);
                    u128::from(majority)
                }
                Price::Average | Price::Groups(_) => 0,
            };
            if fate == Fate::Passes {
                measure.classes += 1;
                continue;
            }
            measure.suppressed += size;
            excess += extra;
            let lost = fate == Fate::Lost || self.limit == 0;
            if lost {
                measure.lost += size;
                lost_excess += extra;
            }
            if let Price::Groups(_) = self.price {
                let key = &table.keys[class];
                let rows = if lost { &mut desk.lost } else { &mut desk.suppressed };
                for (field, rows) in layout.fields.iter().zip(rows) {
                    rows[field.get(key)] += size;
                }
            }
        }
        match &self.price {
            Price::Dm | Price::Cm(_) => {
                measure.cost = (base + excess) as f64;
                measure.base = vec![base as f64];
                measure.excess = vec![lost_excess as f64];
            }
            Price::Average => {
                measure.cost = match measure.classes {
                    0 => f64::INFINITY,
                    classes => (rows - measure.suppressed) as f64 / classes as f64,
                };
            }
            Price::Groups(groups) => {
                measure.base = groups.base_at(node);
                let settle = |rows: &mut [Vec<u64>], at: usize| -> f64 {
                    let extra = &groups.extra[at][node[at] as usize];
                    let rows = rows[at].iter_mut().zip(extra);
                    rows.map(|(rows, extra)| std::mem::take(rows) as f64 * extra).sum()
                };
                let lost: Vec<f64> = (0..node.len()).map(|at| settle(&mut desk.lost, at)).collect();
                let all: Vec<f64> = if measure.lost == measure.suppressed {
                    lost.clone()
                } else {
                    let others = lost.iter().enumerate();
                    others.map(|(at, lost)| lost + settle(&mut desk.suppressed, at)).collect()
                };
                measure.cost = self.cost(&measure.base, &all);
                measure.excess = lost;
            }
        }
        measure
    }

    /// The largest number of rows in a class that carry the same value of a label column.
    fn majority<const W: usize>(
        &self,
        class: usize,
        column: usize,
        table: &Frequencies<W>,
        desk: &mut Desk,
    ) -> u64 {
        if self.lattice.problem.privacy.requirements.is_empty() {
            // Then the labels that matter are the values of this column.
            let counts = table.labels(class).iter().map(|&(_, count)| u64::from(count));
            return counts.max().unwrap_or(0);
        }
        self.fill(class, table, desk);
        u64::from(desk.tally.histograms[column].iter().copied().max().unwrap_or(0))
    }

    fn fill<const W: usize>(&self, class: usize, table: &Frequencies<W>, desk: &mut Desk) {
        let labels = &self.lattice.problem.labels;
        desk.tally.clear();
        for &(label, count) in table.labels(class) {
            desk.tally.add(labels.of(self.relevant.joint[label as usize]), count);
        }
        desk.tally.size = u64::from(table.sizes[class]);
    }

    /// Whether a class passes, and if not, whether one of its parts may.
    fn fate<const W: usize>(&self, class: usize, table: &Frequencies<W>, desk: &mut Desk) -> Fate {
        let requirements = &self.lattice.problem.privacy.requirements;
        if u64::from(table.sizes[class]) < self.k {
            return Fate::Lost;
        }
        if requirements.is_empty() {
            return Fate::Passes;
        }
        self.fill(class, table, desk);
        let Tally { size, histograms } = &desk.tally;
        let mut failing = requirements.iter().filter(|requirement| {
            !requirement.model.passes(
                &histograms[requirement.column],
                *size,
                &requirement.background,
            )
        });
        match failing.next() {
            None => Fate::Passes,
            Some(first) => {
                let may_part = |model: crate::Model| model.failing_class_may_have_passing_parts();
                let hope = may_part(first.model) && failing.all(|other| may_part(other.model));
                if hope { Fate::Fails } else { Fate::Lost }
            }
        }
    }

    /// What the judge minimizes.
    pub(super) fn metric(&self) -> Metric {
        self.metric
    }
}

/// By attribute and level the bits that a released value tells less than the original one.
fn bits_lost(lattice: &Lattice<'_>) -> Vec<Vec<f64>> {
    let bits = |at: usize, level: &super::levels::Level| {
        let mut rows = vec![0u64; level.groups.len()];
        for (&group, count) in level.of_code.iter().zip(lattice.problem.marginal(at)) {
            rows[group as usize] += count;
        }
        let rows = rows.into_iter().map(|rows| rows as f64);
        rows.map(|rows| rows * rows.max(1.0).log2()).sum::<f64>() / lattice.problem.rows as f64
    };
    lattice
        .levels
        .iter()
        .enumerate()
        .map(|(at, levels)| levels.iter().map(|level| bits(at, level)).collect())
        .collect()
}

/// What becomes of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Passes,
    /// It fails, but a part of it may pass.
    Fails,
    /// It fails, and so do all its parts.
    Lost,
}

impl Groups {
    fn new(lattice: &Lattice<'_>, metric: Metric) -> Self {
        let problem = lattice.problem;
        let price = GroupPrice::new(problem, metric);
        let (mut extra, mut base) = (Vec::new(), Vec::new());
        for (at, levels) in lattice.levels.iter().enumerate() {
            let marginal = problem.marginal(at);
            let blank = price.of(at, &crate::Group::Blank);
            let (mut extra_of, mut base_of): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
            for level in levels {
                let prices: Vec<f64> =
                    level.groups.iter().map(|group| price.of(at, group)).collect();
                let mut rows = vec![0; prices.len()];
                for (&group, &count) in level.of_code.iter().zip(&marginal) {
                    rows[group as usize] += count;
                }
                let all = prices.iter().zip(&rows).map(|(price, &rows)| price * rows as f64).sum();
                // Rounding must not make a higher level cheaper.
                base_of.push(base_of.last().map_or(all, |&below| f64::max(below, all)));
                extra_of.push(prices.iter().map(|price| (blank - price).max(0.0)).collect());
            }
            extra.push(extra_of);
            base.push(base_of);
        }
        let weights = || problem.attributes.iter().map(|attribute| attribute.weight).collect();
        Groups {
            extra,
            base,
            offset: price.offset(),
            geometric: (metric == Metric::GeometricLoss).then(weights),
        }
    }

    fn base_at(&self, node: &[u32]) -> Vec<f64> {
        self.base.iter().zip(node).map(|(base, &level)| base[level as usize]).collect()
    }
}
