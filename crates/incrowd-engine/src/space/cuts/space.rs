//! The space itself: axes, cells and what cut sets cost.

use std::hash::BuildHasher;
use std::ops::Deref;

use super::{Axis, ClassPricing, CutCost, CutRules, CutSet};
use crate::kit::{Error, KeyNumbering, KeyedHashState, Result, words};
use crate::privacy::ClassTally;
use crate::problem::{Population, Problem};
use crate::recoding::Recoding;
use crate::release::ClassSelection;
use crate::search::Solution;

/// A problem as the searches over groups of values see it: axes, and cells on them.
#[derive(Debug, Clone)]
pub(crate) struct ProfileGrid<'a> {
    /// The problem.
    pub(crate) problem: &'a Problem,
    /// One for each attribute.
    pub(crate) axes: Vec<Axis>,
    /// By axis, the value of each cell.
    pub(crate) values: Vec<Vec<u16>>,
    /// How many rows each cell has.
    pub(crate) counts: Vec<u32>,
    /// How many values the class column has, for the classification metric; 0 otherwise.
    pub(crate) class_values: usize,
    /// For the classification metric: how many rows of each cell carry each class value.
    pub(crate) class_counts: Vec<u32>,
    /// How many people of the population have the values of each cell; empty without a population. Some cells are there
    /// for them alone and have no rows.
    people: Vec<u64>,
    /// `members[starts[c]..starts[c + 1]]` are the problem's cells that make up cell c.
    starts: Vec<u32>,
    members: Vec<u32>,
}

/// A problem as a search over cut sets sees it: the grid, and what cut sets cost.
#[derive(Debug, Clone)]
pub(crate) struct CutSpace<'a> {
    grid: ProfileGrid<'a>,
    /// How classes are priced.
    pub(crate) price: ClassPricing,
    /// The most rows that may be suppressed.
    pub(crate) limit: u64,
}

impl<'a> Deref for CutSpace<'a> {
    type Target = ProfileGrid<'a>;

    fn deref(&self) -> &Self::Target {
        &self.grid
    }
}

impl<'a> ProfileGrid<'a> {
    /// The grid of a problem under these rules.
    pub(crate) fn new(problem: &'a Problem, rules: CutRules) -> Result<Self> {
        let axes: Vec<Axis> = (0..problem.attributes.len())
            .map(|at| Axis::new(&problem.attributes[at], &problem.marginal(at), rules))
            .collect::<Result<_>>()?;
        let cells = &problem.cells;
        let value_of: Vec<Vec<u16>> = axes
            .iter()
            .zip(problem.domains())
            .map(|(axis, size)| (0..size as u32).map(|code| axis.value(code)).collect())
            .collect();
        // The combinations of a population follow the cells.
        let population = problem.population.as_ref();
        let code = |axis: usize, at: usize| match (at.checked_sub(cells.len()), population) {
            (Some(at), Some(population)) => population.code(axis, at),
            _ => cells.code(axis, at),
        };
        let value = |axis: usize, at: u32| value_of[axis][code(axis, at as usize) as usize];
        // Bins can put cells together; sorting makes equal ones neighbours.
        let all = cells.len() + population.map_or(0, |population| population.len());
        let mut order: Vec<u32> = (0..all as u32).collect();
        let compare = |&one: &u32, &other: &u32| {
            (0..axes.len())
                .map(|axis| value(axis, one).cmp(&value(axis, other)))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        };
        order.sort_by(compare);
        let mut starts = vec![0];
        for at in 1..order.len() {
            if compare(&order[at - 1], &order[at]).is_ne() {
                starts.push(at as u32);
            }
        }
        let firsts = starts.clone();
        starts.push(order.len() as u32);

        let column = problem.class.filter(|_| problem.metric == crate::Metric::Cm);
        let class_values = column.map_or(0, |column| problem.targets.columns[column].domain.len());
        let mut grid = ProfileGrid {
            values: (0..axes.len())
                .map(|axis| firsts.iter().map(|&at| value(axis, order[at as usize])).collect())
                .collect(),
            counts: Vec::with_capacity(firsts.len()),
            class_values,
            class_counts: vec![0; firsts.len() * class_values],
            people: Vec::new(),
            problem,
            axes,
            starts,
            members: order,
        };
        if let Some(population) = population {
            grid.part(cells.len(), population);
        }
        for cell in 0..firsts.len() {
            let rows = grid.members(cell).iter().map(|&member| cells.counts()[member as usize]);
            grid.counts.push(rows.sum::<u64>() as u32);
            if let Some(column) = column {
                for at in grid.starts[cell]..grid.starts[cell + 1] {
                    let member = grid.members[at as usize];
                    for &(label, count) in cells.targets(member as usize) {
                        let class = problem.targets.of(label)[column] as usize;
                        grid.class_counts[cell * class_values + class] += count as u32;
                    }
                }
            }
        }
        Ok(grid)
    }

    /// Takes the people out of the members, of which so many are cells, and counts them.
    fn part(&mut self, cells: usize, population: &Population) {
        let starts = std::mem::take(&mut self.starts);
        let members = std::mem::take(&mut self.members);
        self.starts.push(0);
        for ends in starts.windows(2) {
            let mut people = 0;
            for &member in &members[ends[0] as usize..ends[1] as usize] {
                match (member as usize).checked_sub(cells) {
                    Some(at) => people += population.counts()[at],
                    None => self.members.push(member),
                }
            }
            self.people.push(people);
            self.starts.push(self.members.len() as u32);
        }
    }

    /// How many cells there are.
    pub(crate) fn cells(&self) -> usize {
        self.counts.len()
    }

    /// The problem's cells that make up a cell.
    pub(crate) fn members(&self, cell: usize) -> &[u32] {
        &self.members[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// Adds a cell's rows to a class.
    pub(crate) fn tally(&self, cell: usize, tally: &mut ClassTally) {
        let cells = &self.problem.cells;
        for &member in self.members(cell) {
            for &(label, count) in cells.targets(member as usize) {
                tally.add(self.problem.targets.of(label), count);
            }
        }
        if !cells.has_targets() {
            tally.size += u64::from(self.counts[cell]);
        }
        tally.people += self.people.get(cell).copied().unwrap_or(0);
    }
}

impl<'a> CutSpace<'a> {
    /// The space of a problem under these rules.
    pub(crate) fn new(problem: &'a Problem, rules: CutRules) -> Result<Self> {
        if !problem.metric.is_a_sum() {
            return Err(Error::new(format!(
                "the metric {} is not a sum over rows, as a search over cuts requires",
                problem.metric.name()
            ))
            .help("choose another metric, or the method lattice"));
        }
        let grid = ProfileGrid::new(problem, rules)?;
        let price = ClassPricing::new(problem, &grid.axes);
        Ok(CutSpace { grid, price, limit: problem.limit.rows(problem.rows, problem.rows) })
    }

    /// The recoding that a cut set stands for.
    pub(crate) fn recoding(&self, cuts: &CutSet) -> Recoding {
        cuts.recoding(self.problem, &self.axes)
    }

    /// No cut set keeps to the limit.
    pub(crate) fn infeasible(&self, nodes: u64) -> Solution {
        let limit = words::thousands(self.limit);
        let why = match self.problem.suppresses_what_may_pass() {
            true => format!("with every division that was tried, more than {limit} rows fail"),
            false => format!(
                "with every column fully generalized, more than the {limit} rows that may be \
                 suppressed still fail"
            ),
        };
        Solution::infeasible(why, nodes)
    }

    /// Refuses to suppress classes that fail where parts of them can pass: for searches that take the rows of a class
    /// that fails to be lost in every refinement.
    pub(crate) fn check_that_failures_last(&self) -> Result<()> {
        if !self.problem.suppresses_what_may_pass() {
            return Ok(());
        }
        let requirements = &self.problem.privacy.requirements;
        let model = requirements
            .iter()
            .find(|requirement| requirement.model.failing_class_may_have_passing_parts())
            .map_or("delta-presence", |requirement| requirement.model.name());
        Err(Error::new(format!(
            "with {model}, failing classes can have parts that pass, so suppressing them proves \
             nothing"
        ))
        .help("allow no suppressed rows, use distinct l-diversity, or choose the method optimal"))
    }

    /// Whether a release can cost more than its classes by size alone: then [`release_price`](Self::release_price) tells
    /// what a cut set costs, and the cost by size is a bound.
    pub(crate) fn asks_more_than_size(&self) -> bool {
        let problem = self.problem;
        problem.asks_of_whole()
            || problem.population.is_some()
            || problem.suppresses_what_may_pass()
    }

    /// What a cut set costs, worked out from nothing. Above the limit it costs what it would without, and nothing is
    /// asked of the release as a whole.
    pub(crate) fn price(&self, cuts: &CutSet) -> CutCost {
        let classes = self.classes(cuts);
        let passes = self.passing(&classes);
        self.priced(cuts, &classes, &passes)
    }

    /// What the release of a cut set costs, in which classes are suppressed until the release as a whole satisfies what
    /// is asked of it. It is never less than the [price](Self::price).
    pub(crate) fn release_price(&self, cuts: &CutSet) -> CutCost {
        let classes = self.classes(cuts);
        let mut kept = self.passing(&classes);
        if self.problem.asks_of_whole() {
            self.suppress(cuts, &classes, &mut kept);
        }
        self.priced(cuts, &classes, &kept)
    }

    /// Leaves out what the release as a whole can not keep.
    fn suppress(&self, cuts: &CutSet, classes: &CutClasses, kept: &mut [bool]) {
        let problem = self.problem;
        let crowds = match problem.privacy.overall.is_nothing() {
            true => Vec::new(),
            false => self.crowds(classes),
        };
        let people = problem.population.as_ref().map(|_| &classes.people[..]);
        let shown = |axis: usize| -> Vec<u32> {
            let interval = cuts.interval_of(axis);
            let of_cell = |&cell: &usize| interval[usize::from(self.values[axis][cell])];
            classes.first.iter().map(|cell| u32::from(of_cell(cell))).collect()
        };
        let first = |axis: usize| -> Vec<u32> {
            let starts: Vec<u32> = cuts
                .intervals(axis)
                .map(|(first, end)| self.axes[axis].codes(first..end).start)
                .collect();
            shown(axis).into_iter().map(|interval| starts[interval as usize]).collect()
        };
        let (sizes, crowds) = (&classes.sizes[..], &crowds[..]);
        // Where people are in several classes, several k are tried.
        let parts = None;
        ClassSelection { problem, sizes, crowds, parts, people, shown: &shown, first: &first }
            .suppress(kept);
        let is_left_out = |class: usize| classes.people[class] > 0 && !kept[class];
        if problem.privacy.must_fit_all()
            && (problem.population.as_ref().is_none_or(|people| people.unknown > 0)
                || (0..kept.len()).any(is_left_out))
        {
            kept.fill(false);
        }
    }

    fn priced(&self, cuts: &CutSet, classes: &CutClasses, passes: &[bool]) -> CutCost {
        let rows = self.problem.rows;
        let mut priced = CutCost { cost: 0, suppressed: 0 };
        let width = self.class_values;
        for (class, &size) in classes.sizes.iter().enumerate() {
            if !passes[class] {
                priced.suppressed += size;
            }
            priced.cost += match (&self.price, passes[class]) {
                (ClassPricing::Dm, true) => size * size,
                (ClassPricing::Dm, false) => rows * size,
                (ClassPricing::Cm, true) => {
                    let counts = &classes.labels[class * width..(class + 1) * width];
                    size - counts.iter().copied().max().unwrap_or(0)
                }
                (ClassPricing::Cm, false) => size,
                (ClassPricing::Widths(widths), true) => {
                    let first = classes.first[class];
                    let price: u64 = (0..self.axes.len())
                        .map(|axis| {
                            let value = usize::from(self.values[axis][first]);
                            let (first, end) = cuts.interval_around(axis, value);
                            widths.of(axis, first, end)
                        })
                        .sum();
                    price * size
                }
                (ClassPricing::Widths(widths), false) => widths.suppressed * size,
            };
        }
        priced
    }

    /// Groups the cells into the classes of a cut set.
    fn classes(&self, cuts: &CutSet) -> CutClasses {
        let interval_of: Vec<Vec<u16>> =
            (0..self.axes.len()).map(|axis| cuts.interval_of(axis)).collect();
        let interval =
            |axis: usize, cell: usize| interval_of[axis][usize::from(self.values[axis][cell])];
        let width = self.class_values;
        let hasher = KeyedHashState::default();
        let hash = |cell: usize| {
            use std::hash::Hasher;
            let mut state = hasher.build_hasher();
            for axis in 0..self.axes.len() {
                state.write_u16(interval(axis, cell));
            }
            state.finish()
        };
        let mut known = KeyNumbering::default();
        let mut found = CutClasses {
            of_cell: Vec::new(),
            first: Vec::new(),
            sizes: Vec::new(),
            people: Vec::new(),
            labels: Vec::new(),
        };
        for cell in 0..self.cells() {
            let class = known.number(hash(cell), |class| {
                let other = found.first[class as usize];
                (0..self.axes.len()).all(|axis| interval(axis, cell) == interval(axis, other))
            });
            found.of_cell.push(class);
            let class = class as usize;
            if class == found.first.len() {
                found.first.push(cell);
                found.sizes.push(0);
                found.people.push(0);
                found.labels.resize(found.labels.len() + width, 0);
            }
            found.sizes[class] += u64::from(self.counts[cell]);
            found.people[class] += self.people.get(cell).copied().unwrap_or(0);
            for value in 0..width {
                found.labels[class * width + value] +=
                    u64::from(self.class_counts[cell * width + value]);
            }
        }
        found
    }

    /// How many people each class holds: units of protection, or rows where each is one.
    fn crowds(&self, classes: &CutClasses) -> Vec<u64> {
        match self.problem.privacy.unit() {
            None => classes.sizes.clone(),
            Some(_) => {
                let tallies = self.tallies(classes);
                tallies.iter().map(|tally| self.problem.privacy.crowd(tally)).collect()
            }
        }
    }

    fn passing(&self, classes: &CutClasses) -> Vec<bool> {
        let privacy = &self.problem.privacy;
        let large = |size: &u64| *size >= privacy.k;
        if privacy.is_by_size() {
            return classes.sizes.iter().map(large).collect();
        }
        self.tallies(classes).iter().map(|tally| privacy.passes(tally)).collect()
    }

    fn tallies(&self, classes: &CutClasses) -> Vec<ClassTally> {
        let mut tallies = vec![self.problem.targets.tally(); classes.sizes.len()];
        for (cell, &class) in classes.of_cell.iter().enumerate() {
            self.tally(cell, &mut tallies[class as usize]);
        }
        tallies
    }
}

/// The classes of a cut set.
struct CutClasses {
    /// The class of each cell.
    of_cell: Vec<u32>,
    /// A cell of each class.
    first: Vec<usize>,
    /// The rows of each class.
    sizes: Vec<u64>,
    /// The people of the population in each class.
    people: Vec<u64>,
    /// For the classification metric, the rows of each class value.
    labels: Vec<u64>,
}
