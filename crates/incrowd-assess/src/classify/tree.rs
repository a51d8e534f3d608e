//! Decision trees with two branches at every node.
//!
//! A node is split where the Gini index falls most. Ordered features are split at a threshold, the value apart
//! from the order on either side or alone. Categories are split into two sets: with two classes, one of the
//! splits along their order by the share of a class is the best of all sets (Breiman et al. 1984), unless sides
//! that are too small rule it out; with more classes, the orders by the share of each class are tried.

use super::features::TrainingExamples;

/// When a node is not split any further.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoppingRules {
    /// The fewest rows in a leaf.
    pub(super) least_leaf: u64,
    /// The deepest leaf.
    pub(super) depth: u32,
}

/// Gains below this share of the rows are noise of the arithmetic.
const NOISE: f64 = 1e-9;

struct TreeNode {
    /// What is said of rows that end here.
    class: usize,
    /// Training rows that end here or below, and those that are of another class.
    rows: u64,
    wrong: u64,
    split: Option<Split>,
}

struct Split {
    feature: usize,
    /// For each value of the feature, whether it goes to the first branch.
    first: Vec<bool>,
    /// The two branches; both stand behind their parent.
    branches: [usize; 2],
}

pub(super) struct DecisionTree {
    nodes: Vec<TreeNode>,
}

/// For each node of a tree, whether it is a leaf of the pruned tree.
pub(super) type PrunedLeaves = Vec<bool>;

impl DecisionTree {
    /// Grows a tree from so many rows of each example and class.
    pub(super) fn grow(examples: &TrainingExamples, counts: &[u32], rules: StoppingRules) -> Self {
        let classes = examples.classes.len();
        let all: Vec<u32> = (0..examples.len() as u32)
            .filter(|&at| counts[at as usize * classes..][..classes].iter().any(|&count| count > 0))
            .collect();
        let grower = TreeGrower { examples, counts, classes, rules };
        let mut tree = DecisionTree { nodes: Vec::new() };
        // Depth first; a node's place in the tree is known when it is taken up.
        let mut open = vec![(all, 0, None::<(usize, usize)>)];
        while let Some((members, depth, parent)) = open.pop() {
            let at = tree.nodes.len();
            if let Some((parent, branch)) = parent
                && let Some(split) = &mut tree.nodes[parent].split
            {
                split.branches[branch] = at;
            }
            let total = grower.total(&members);
            let rows: u64 = total.iter().sum();
            let class = most_frequent(&total);
            let wrong = rows - total.get(class).copied().unwrap_or(0);
            let divisible = wrong > 0 && depth < rules.depth && rows >= 2 * rules.least_leaf;
            let best = if divisible { grower.best(&members, &total) } else { None };
            let split = best.map(|(feature, first)| {
                let (one, other) = members
                    .iter()
                    .partition(|&&member| first[examples.code(member as usize, feature) as usize]);
                open.push((other, depth + 1, Some((at, 1))));
                open.push((one, depth + 1, Some((at, 0))));
                Split { feature, first, branches: [0; 2] }
            });
            tree.nodes.push(TreeNode { class, rows, wrong, split });
        }
        tree
    }

    /// The smallest of the best subtrees when every leaf costs as much as so many wrong rows.
    pub(super) fn pruned(&self, price: f64) -> PrunedLeaves {
        let mut leaf = vec![true; self.nodes.len()];
        let mut cost = vec![0.0; self.nodes.len()];
        // Branches stand behind their parents.
        for (at, node) in self.nodes.iter().enumerate().rev() {
            cost[at] = node.wrong as f64 + price;
            if let Some(split) = &node.split {
                let below = cost[split.branches[0]] + cost[split.branches[1]];
                if below < cost[at] {
                    (leaf[at], cost[at]) = (false, below);
                }
            }
        }
        leaf
    }

    /// How many leaves the pruned tree has.
    pub(super) fn leaves(&self, pruned: &PrunedLeaves) -> usize {
        let mut leaves = 0;
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            match &self.nodes[at].split {
                Some(split) if !pruned[at] => open.extend(split.branches),
                _ => leaves += 1,
            }
        }
        leaves
    }

    /// What the pruned tree says of an example.
    pub(super) fn predict(
        &self,
        pruned: &PrunedLeaves,
        examples: &TrainingExamples,
        example: usize,
    ) -> usize {
        let mut at = 0;
        while let Some(split) = self.nodes[at].split.as_ref().filter(|_| !pruned[at]) {
            let first = split.first[examples.code(example, split.feature) as usize];
            at = split.branches[usize::from(!first)];
        }
        self.nodes[at].class
    }

    /// What the pruned tree says of something of which each feature has some values, by weight: it goes the way
    /// of most of the weight; without any, the way of most training rows.
    pub(super) fn walk(
        &self,
        pruned: &PrunedLeaves,
        values: impl Fn(usize) -> Vec<(u32, u64)>,
    ) -> usize {
        let mut at = 0;
        while let Some(split) = self.nodes[at].split.as_ref().filter(|_| !pruned[at]) {
            let mut weights = [0; 2];
            for (value, weight) in values(split.feature) {
                weights[usize::from(!split.first[value as usize])] += weight;
            }
            if weights[0] == weights[1] {
                weights = split.branches.map(|branch| self.nodes[branch].rows);
            }
            at = split.branches[usize::from(weights[0] < weights[1])];
        }
        self.nodes[at].class
    }

    /// How many of these rows the pruned tree is wrong about.
    pub(super) fn wrong(
        &self,
        pruned: &PrunedLeaves,
        examples: &TrainingExamples,
        counts: &[u32],
    ) -> u64 {
        let classes = examples.classes.len();
        let mut wrong = 0;
        for (example, counts) in counts.chunks(classes).enumerate() {
            let rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
            if rows > 0 {
                let said = self.predict(pruned, examples, example);
                wrong += rows - u64::from(counts[said]);
            }
        }
        wrong
    }
}

/// The most frequent class, the first of equals.
fn most_frequent(counts: &[u64]) -> usize {
    (0..counts.len()).rev().max_by_key(|&at| counts[at]).unwrap_or(0)
}

/// The rows that a tree is grown from.
struct TreeGrower<'a> {
    examples: &'a TrainingExamples,
    counts: &'a [u32],
    classes: usize,
    rules: StoppingRules,
}

/// The best split so far: its merit, and which values go to the first branch.
struct BestSplit {
    merit: f64,
    feature: usize,
    first: Vec<bool>,
}

impl TreeGrower<'_> {
    fn of(&self, member: u32) -> &[u32] {
        &self.counts[member as usize * self.classes..][..self.classes]
    }

    /// How many rows of each class these examples have.
    fn total(&self, members: &[u32]) -> Vec<u64> {
        let mut total = vec![0; self.classes];
        for &member in members {
            for (total, &count) in total.iter_mut().zip(self.of(member)) {
                *total += u64::from(count);
            }
        }
        total
    }

    /// The split that lowers the Gini index most: its feature and the values of the first branch.
    fn best(&self, members: &[u32], total: &[u64]) -> Option<(usize, Vec<bool>)> {
        let rows: u64 = total.iter().sum();
        // What a split must exceed: nothing gained.
        let merit = purity(total) + NOISE * rows as f64;
        let mut best = BestSplit { merit, feature: usize::MAX, first: Vec::new() };
        for feature in 0..self.examples.features.len() {
            self.split(feature, members, total, &mut best);
        }
        (best.feature != usize::MAX).then_some((best.feature, best.first))
    }

    /// Tries all splits along a feature.
    fn split(&self, feature: usize, members: &[u32], total: &[u64], best: &mut BestSplit) {
        let known = &self.examples.features[feature];
        let mut table = vec![0u64; known.values * self.classes];
        for &member in members {
            let code = self.examples.code(member as usize, feature) as usize;
            let here = &mut table[code * self.classes..][..self.classes];
            for (here, &count) in here.iter_mut().zip(self.of(member)) {
                *here += u64::from(count);
            }
        }
        let of = |code: usize| &table[code * self.classes..][..self.classes];
        let rows = |code: usize| of(code).iter().sum::<u64>();
        let seen: Vec<usize> = (0..known.values).filter(|&code| rows(code) > 0).collect();
        if seen.len() < 2 {
            return;
        }
        let scan = SplitScan { feature, of: &of, total, least: self.rules.least_leaf };
        if known.ordered {
            let apart = known.apart.map(|apart| apart as usize).filter(|&apart| rows(apart) > 0);
            let inner: Vec<usize> = seen.into_iter().filter(|&code| Some(code) != apart).collect();
            for front in [false, true] {
                let order = match (apart, front) {
                    (None, true) => continue,
                    (None, false) => inner.clone(),
                    // At the front the value apart goes with the low values, or alone.
                    (Some(apart), true) => [&[apart], inner.as_slice()].concat(),
                    (Some(apart), false) => [inner.as_slice(), &[apart]].concat(),
                };
                if let Some(cut) = scan.along(&order, best) {
                    best.first = self.ordered_sides(feature, &order[..cut], &order[cut..]);
                }
            }
            return;
        }
        // With two classes both orders are the same, turned round.
        let orders = if self.classes == 2 { 1 } else { self.classes };
        for class in 0..orders {
            let mut order = seen.clone();
            // Shares are compared as products: no rounding.
            order.sort_by(|&a, &b| {
                (of(a)[class] * rows(b)).cmp(&(of(b)[class] * rows(a))).then(a.cmp(&b))
            });
            if let Some(cut) = scan.along(&order, best) {
                best.first = self.category_sides(feature, &order[..cut], &order[cut..], &rows);
            }
        }
    }

    /// Which values go to the first branch of a threshold, values that no row here has included.
    fn ordered_sides(&self, feature: usize, one: &[usize], other: &[usize]) -> Vec<bool> {
        let known = &self.examples.features[feature];
        let apart = known.apart.map(|apart| apart as usize);
        let inner = |side: &[usize]| -> Vec<usize> {
            side.iter().copied().filter(|&code| Some(code) != apart).collect()
        };
        let (low, high) = (inner(one), inner(other));
        // Between the two sides, the border is halfway; a side may hold nothing but the value apart.
        let border = match (low.last(), high.first()) {
            (Some(&low), Some(&high)) => low + (high - low).div_ceil(2),
            (None, _) => 0,
            (_, None) => known.values,
        };
        let mut first: Vec<bool> = (0..known.values).map(|code| code < border).collect();
        if let Some(apart) = apart {
            first[apart] = match (one.contains(&apart), other.contains(&apart)) {
                (true, _) => true,
                (_, true) => false,
                _ => low.len() >= high.len(),
            };
        }
        first
    }

    /// Which categories go to the first branch; those that no row here has go where most rows go.
    fn category_sides(
        &self,
        feature: usize,
        one: &[usize],
        other: &[usize],
        rows: &dyn Fn(usize) -> u64,
    ) -> Vec<bool> {
        let sum = |side: &[usize]| side.iter().map(|&code| rows(code)).sum::<u64>();
        let mut first = vec![sum(one) > sum(other); self.examples.features[feature].values];
        one.iter().for_each(|&code| first[code] = true);
        other.iter().for_each(|&code| first[code] = false);
        first
    }
}

/// Sum of squares over rows: the higher, the purer.
fn purity(counts: &[u64]) -> f64 {
    let rows: u64 = counts.iter().sum();
    let squares: u128 = counts.iter().map(|&count| u128::from(count) * u128::from(count)).sum();
    if rows == 0 { 0.0 } else { squares as f64 / rows as f64 }
}

/// A pass along an order of values.
struct SplitScan<'a> {
    feature: usize,
    of: &'a dyn Fn(usize) -> &'a [u64],
    total: &'a [u64],
    least: u64,
}

impl SplitScan<'_> {
    /// The best cut of this order, if it is better than the best so far.
    fn along(&self, order: &[usize], best: &mut BestSplit) -> Option<usize> {
        let rows: u64 = self.total.iter().sum();
        let mut left = vec![0u64; self.total.len()];
        let mut right = self.total.to_vec();
        let mut passed = 0;
        let mut found = None;
        for (at, &code) in order.iter().enumerate().take(order.len() - 1) {
            for ((left, right), &count) in left.iter_mut().zip(&mut right).zip((self.of)(code)) {
                *left += count;
                *right -= count;
                passed += count;
            }
            if passed < self.least || rows - passed < self.least {
                continue;
            }
            let merit = purity(&left) + purity(&right);
            if merit > best.merit {
                (best.merit, best.feature) = (merit, self.feature);
                found = Some(at + 1);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
