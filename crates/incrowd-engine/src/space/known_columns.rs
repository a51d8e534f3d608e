//! Releases for people of whom only a few columns are known.
//!
//! Every column starts with its values as they are and is made coarser as a whole, one step at a time: the one with the
//! most rows in rare combinations for what the step costs. Rows that are left in rare combinations get blanks, in the
//! column that is in most of them. Which of the steps is best to stop at is found by what both cost together.

use crate::cost::Metric;
use crate::privacy::{KnownColumns, LabelTable, sets};
use crate::problem::Problem;
use crate::recoding::{BoxAssignment, BoxSet, OUTSIDE, ProfileShare, Recoding};
use crate::search::{Control, Event, Solution};
use crate::value::Group;

/// So many rounds of blanks are made before rows that are still rare are suppressed.
const ROUNDS: usize = 12;
/// What a rare row is taken to pay, in blanks: some need several, and some must be suppressed.
const RARE: f64 = 5.0;
/// So many of the most promising steps are tried with blanks.
const TRIED: usize = 2;

/// Searches for a release.
pub(crate) fn search(problem: &Problem, known: KnownColumns, control: &Control) -> Solution {
    let ground = CoarseningContext::new(problem, known);
    let steps = ground.coarsen(control);
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.sort_by(|&one, &other| steps[one].estimate.total_cmp(&steps[other].estimate));
    let mut best: Option<(f64, Vec<usize>, Vec<Vec<bool>>)> = None;
    let mut nodes = steps.len() as u64;
    for &at in order.iter().take(TRIED) {
        if best.is_some() && control.stop().is_some() {
            break;
        }
        let levels = &steps[at].levels;
        let blanks = ground.blank(levels);
        let cost = ground.cost(levels, &blanks);
        nodes += 1;
        if best.as_ref().is_none_or(|(known, ..)| cost < *known) {
            control.tell(Event::Improved { cost, incumbent: None });
            best = Some((cost, levels.clone(), blanks));
        }
    }
    let Some((_, levels, blanks)) = best else {
        return Solution::infeasible("there is no column to make coarser", nodes);
    };
    let recoding = ground.recoding(&levels, &blanks);
    Solution::feasible(recoding, nodes).stopped_by(control.stop())
}

/// A table with what each of its columns can be made into.
struct CoarseningContext<'a> {
    problem: &'a Problem,
    known: KnownColumns,
    sets: Vec<Vec<usize>>,
    /// By column and level, the groups of its values.
    columns: Vec<Vec<ColumnLevel>>,
    /// What a row pays for a suppressed value of each column.
    weights: Vec<f64>,
}

/// One way to group the values of a column.
struct ColumnLevel {
    groups: Vec<Group>,
    of_code: Vec<u32>,
    /// What a row pays for each group.
    prices: Vec<f64>,
    /// What all rows pay.
    price: f64,
}

/// Where the columns stood, and what a release from there may cost.
struct CoarseningStep {
    levels: Vec<usize>,
    estimate: f64,
}

impl<'a> CoarseningContext<'a> {
    fn new(problem: &'a Problem, known: KnownColumns) -> Self {
        let metric = match problem.metric {
            Metric::Dm | Metric::Cm | Metric::AverageClassSize => Metric::Ncp,
            metric => metric,
        };
        let price = problem.group_prices(metric);
        let columns = (0..problem.attributes.len()).map(|at| {
            let marginal = problem.marginal(at);
            ladder(problem, at, &marginal, known.k)
                .into_iter()
                .map(|of_code| {
                    let mut codes: Vec<Vec<u32>> = Vec::new();
                    for (code, &group) in of_code.iter().enumerate() {
                        codes.resize(codes.len().max(group as usize + 1), Vec::new());
                        codes[group as usize].push(code as u32);
                    }
                    let groups: Vec<Group> =
                        codes.iter().map(|codes| problem.attributes[at].group(codes)).collect();
                    let meant = |group: &Group| problem.attributes[at].meant(group);
                    let prices: Vec<f64> =
                        groups.iter().map(|group| price.of(at, &meant(group))).collect();
                    let rows = of_code.iter().zip(&marginal);
                    let price =
                        rows.map(|(&group, &rows)| prices[group as usize] * rows as f64).sum();
                    ColumnLevel { groups, of_code, prices, price }
                })
                .collect()
        });
        let width = problem.attributes.len();
        let weights = (0..width).map(|at| price.of(at, &Group::Blank)).collect();
        let sets = sets(width, known.columns);
        CoarseningContext { problem, known, sets, columns: columns.collect(), weights }
    }

    /// What the cells look like at these levels. The label behind the last of each column is a blank.
    fn looks(&self, levels: &[usize]) -> LabelTable {
        let cells = &self.problem.cells;
        let labels = levels.iter().enumerate().map(|(at, &level)| {
            let of_code = &self.columns[at][level].of_code;
            (0..cells.len()).map(|cell| of_code[cells.code(at, cell) as usize]).collect()
        });
        let sizes = levels.iter().enumerate();
        let sizes = sizes.map(|(at, &level)| self.columns[at][level].groups.len() + 1);
        LabelTable {
            labels: labels.collect(),
            sizes: sizes.collect(),
            counts: cells.counts().to_vec(),
        }
    }

    /// Makes columns coarser, one step at a time, until nobody is rare.
    fn coarsen(&self, control: &Control) -> Vec<CoarseningStep> {
        let width = self.columns.len();
        let mut levels = vec![0; width];
        let mut looks = self.looks(&levels);
        let mut rare = looks.all_small(&self.sets, self.known.k);
        let mut steps = Vec::new();
        loop {
            // Rows in rare combinations, once each and once for every set and column.
            let mut is_rare = vec![false; looks.counts.len()];
            let mut of_column = vec![0u64; width];
            for (set, items) in self.sets.iter().zip(&rare) {
                let rows: u64 = items.iter().map(|&item| looks.counts[item as usize]).sum();
                set.iter().for_each(|&at| of_column[at] += rows);
                items.iter().for_each(|&item| is_rare[item as usize] = true);
            }
            let rows = is_rare.iter().zip(&looks.counts).filter(|(rare, _)| **rare);
            let rows: u64 = rows.map(|(_, &rows)| rows).sum();
            let price: f64 = (0..width).map(|at| self.columns[at][levels[at]].price).sum();
            let blank = self.weights.iter().sum::<f64>() / width as f64;
            steps.push(CoarseningStep {
                levels: levels.clone(),
                estimate: price + RARE * blank * rows as f64,
            });
            if rows == 0 || control.stop().is_some() {
                return steps;
            }
            let worth = |at: usize| {
                let (here, next) =
                    (&self.columns[at][levels[at]], &self.columns[at][levels[at] + 1]);
                of_column[at] as f64 / (next.price - here.price).max(1e-9)
            };
            let open = (0..width).filter(|&at| levels[at] + 1 < self.columns[at].len());
            let mut open: Vec<usize> = open.collect();
            if open.is_empty() {
                return steps;
            }
            open.sort_by(|&one, &other| worth(other).total_cmp(&worth(one)));
            // While most rows are rare, several columns at once.
            let all: u64 = looks.counts.iter().sum();
            let several = 1 + (4 * rows / all.max(1)) as usize;
            open.truncate(several);
            open.iter().for_each(|&at| levels[at] += 1);
            looks = self.looks(&levels);
            let is_concerned = |set: &usize| self.sets[*set].iter().any(|at| open.contains(at));
            let concerned: Vec<usize> = (0..self.sets.len()).filter(is_concerned).collect();
            let sets: Vec<Vec<usize>> =
                concerned.iter().map(|&set| self.sets[set].clone()).collect();
            let found = looks.all_small(&sets, self.known.k);
            concerned.into_iter().zip(found).for_each(|(set, items)| rare[set] = items);
        }
    }

    /// The blanks of every cell and column, until nobody is rare; a cell of blanks alone is suppressed.
    fn blank(&self, levels: &[usize]) -> Vec<Vec<bool>> {
        let width = levels.len();
        let mut looks = self.looks(levels);
        let mut blanks = vec![vec![false; width]; looks.counts.len()];
        for round in 0.. {
            let rare = looks.all_small(&self.sets, self.known.k);
            if rare.iter().all(Vec::is_empty) {
                return blanks;
            }
            // In how many rare combinations each cell has each column.
            let mut times: hashbrown::HashMap<u32, Vec<u32>> = hashbrown::HashMap::new();
            for (set, items) in self.sets.iter().zip(&rare) {
                for &item in items {
                    let times = times.entry(item).or_insert_with(|| vec![0; width]);
                    set.iter().for_each(|&at| times[at] += 1);
                }
            }
            let mut times: Vec<(u32, Vec<u32>)> = times.into_iter().collect();
            times.sort_unstable();
            for (item, times) in times {
                let blank = &mut blanks[item as usize];
                let open = (0..width).filter(|&at| !blank[at]);
                // Of equals the first, so that blanks come together.
                let most = open.rev().max_by_key(|&at| times[at]).filter(|&at| times[at] > 0);
                match most.filter(|_| round < ROUNDS) {
                    Some(at) => {
                        blank[at] = true;
                        looks.labels[at][item as usize] = looks.sizes[at] as u32 - 1;
                    }
                    None => {
                        blank.fill(true);
                        looks.counts[item as usize] = 0;
                    }
                }
            }
        }
        blanks
    }

    fn cost(&self, levels: &[usize], blanks: &[Vec<bool>]) -> f64 {
        let cells = &self.problem.cells;
        let of_cell = |cell: usize| {
            let of = |at: usize| match blanks[cell][at] {
                true => self.weights[at],
                false => {
                    let level = &self.columns[at][levels[at]];
                    level.prices[level.of_code[cells.code(at, cell) as usize] as usize]
                }
            };
            (0..levels.len()).map(of).sum::<f64>() * cells.counts()[cell] as f64
        };
        (0..cells.len()).map(of_cell).sum()
    }

    fn recoding(&self, levels: &[usize], blanks: &[Vec<bool>]) -> Recoding {
        let cells = &self.problem.cells;
        let mut boxes = BoxSet::new(levels.len());
        let mut known: hashbrown::HashMap<Vec<u32>, u32> = hashbrown::HashMap::new();
        let mut shares = Vec::new();
        for (cell, blank) in blanks.iter().enumerate() {
            let group = |at: usize| {
                let of_code = &self.columns[at][levels[at]].of_code;
                let group = of_code[cells.code(at, cell) as usize];
                if blank[at] { u32::MAX } else { group }
            };
            let key: Vec<u32> = (0..levels.len()).map(group).collect();
            let class = match blank.iter().all(|blank| *blank) {
                true => OUTSIDE,
                false => *known.entry_ref(key.as_slice()).or_insert_with(|| {
                    boxes.push(key.iter().enumerate().map(|(at, &group)| match group {
                        u32::MAX => Group::Blank,
                        group => self.columns[at][levels[at]].groups[group as usize].clone(),
                    }));
                    boxes.len() as u32 - 1
                }),
            };
            let cell_at = cell as u32;
            if cells.has_targets() {
                for &(target, count) in cells.targets(cell) {
                    shares.push(ProfileShare { cell: cell_at, target, class, count });
                }
            } else {
                let count = cells.counts()[cell];
                shares.push(ProfileShare { cell: cell_at, target: 0, class, count });
            }
        }
        Recoding::Local(BoxAssignment::of_rows(boxes, shares))
    }
}

/// The ways to group the values of a column, from its values as they are to one group, as group numbers by code.
fn ladder(problem: &Problem, at: usize, marginal: &[u64], k: u64) -> Vec<Vec<u32>> {
    let attribute = &problem.attributes[at];
    let codes = 0..attribute.domain.len() as u32;
    let mut levels: Vec<Vec<u32>> = vec![codes.clone().collect()];
    if attribute.tree().is_some() {
        for level in attribute.allowed_levels() {
            let mut known: Vec<Group> = Vec::new();
            let of_code = codes.clone().map(|code| {
                let group = attribute.at_level(code, level);
                let place = known.iter().position(|known| *known == group);
                place.unwrap_or_else(|| {
                    known.push(group);
                    known.len() - 1
                }) as u32
            });
            levels.push(of_code.collect());
        }
        if !attribute.allowed_levels().contains(&0) {
            levels.remove(0);
        }
    } else {
        // Neighbours together until each group has enough rows, twice as many each time.
        let mut least = k.max(1);
        let total: u64 = marginal.iter().sum();
        while least < total {
            levels.push(runs(marginal, least));
            least = least.saturating_mul(2);
        }
    }
    levels.push(vec![0; attribute.domain.len()]);
    levels.dedup();
    levels
}

/// Neighbours together, at least so many rows each.
fn runs(marginal: &[u64], least: u64) -> Vec<u32> {
    let mut groups = Vec::with_capacity(marginal.len());
    let (mut group, mut rows) = (0, 0);
    let mut left: u64 = marginal.iter().sum();
    for &count in marginal {
        groups.push(group);
        (rows, left) = (rows + count, left - count);
        // What follows must be enough for a group of its own.
        if rows >= least && left >= least {
            (group, rows) = (group + 1, 0);
        }
    }
    groups
}
