//! Subtree recoding: values are replaced by nodes of a tree, some by higher ones than others.

use std::ops::RangeInclusive;

use crate::cost::{GroupPrice, Metric};
use crate::problem::Problem;
use crate::recoding::{GlobalRecoding, Recoding};
use crate::value::{Attribute, Group, Hierarchy};

/// A node of a taxonomy.
#[derive(Debug, Clone)]
pub(super) struct TaxonomyNode {
    pub(super) parent: Option<u32>,
    pub(super) children: Vec<u32>,
    /// What is released for its values.
    pub(super) group: Group,
    /// The lowest and the highest code of its values.
    pub(super) first: u32,
    pub(super) last: u32,
}

/// The nodes that the values of an attribute may be replaced by. Nodes with a single child are left out:
/// to go up to them would lose detail for nothing.
#[derive(Debug, Clone)]
pub(super) struct Taxonomy {
    pub(super) twigs: Vec<TaxonomyNode>,
    /// The lowest node of each code.
    pub(super) leaf_of: Vec<u32>,
    /// The highest nodes.
    pub(super) roots: Vec<u32>,
}

impl Taxonomy {
    /// The tree of an attribute, between the levels that are allowed.
    pub(super) fn new(attribute: &Attribute) -> Self {
        let allowed = attribute.allowed_levels();
        let mut taxonomy = Taxonomy {
            twigs: Vec::new(),
            leaf_of: vec![0; attribute.domain.len()],
            roots: Vec::new(),
        };
        match attribute.tree() {
            Some(tree) => {
                let tops = taxonomy.tops(attribute, tree, &allowed);
                for top in tops {
                    let root = taxonomy.grow(tree, top, *allowed.start());
                    taxonomy.roots.push(root);
                }
                // The top of units of time is nothing but the blank.
                let top = Group::Node(tree.root());
                for twig in taxonomy.twigs.iter_mut().filter(|_| attribute.hierarchy.is_none()) {
                    if twig.group == top {
                        twig.group = Group::Blank;
                    }
                }
            }
            None => taxonomy.flat(attribute.domain.len() as u32, &allowed),
        }
        for twig in 0..taxonomy.twigs.len() {
            if taxonomy.twigs[twig].children.is_empty() {
                let codes = taxonomy.twigs[twig].first..=taxonomy.twigs[twig].last;
                codes.for_each(|code| taxonomy.leaf_of[code as usize] = twig as u32);
            }
        }
        taxonomy
    }

    /// The highest nodes that are allowed.
    fn tops(
        &self,
        attribute: &Attribute,
        tree: &Hierarchy,
        allowed: &RangeInclusive<u32>,
    ) -> Vec<u32> {
        let codes = 0..attribute.domain.len() as u32;
        let mut tops: Vec<u32> = codes.map(|code| tree.at_level(code, *allowed.end())).collect();
        tops.dedup();
        tops
    }

    /// Adds a node of a hierarchy with all below it down to a level.
    fn grow(&mut self, tree: &Hierarchy, mut node: u32, least: u32) -> u32 {
        let codes = tree.codes(node);
        let below = |node: u32| -> Vec<u32> {
            // A node at the least level is released as it is.
            let level = tree.height() - tree.depth(node);
            if level <= least { Vec::new() } else { tree.children(node).collect() }
        };
        let mut children = below(node);
        while let [only] = children[..] {
            node = only;
            children = below(node);
        }
        let group = match tree.is_value(node) {
            true => Group::Range { first: codes.start, last: codes.start },
            false => Group::Node(node),
        };
        let (first, last) = (codes.start, codes.end.saturating_sub(1));
        let me = self.add(None, group, first, last);
        for child in children {
            let child = self.grow(tree, child, least);
            self.adopt(me, child);
        }
        me
    }

    /// Without a hierarchy: the values, and everything blank.
    fn flat(&mut self, values: u32, allowed: &RangeInclusive<u32>) {
        if *allowed.end() > 0 && values > 1 || *allowed.start() > 0 {
            let root = self.add(None, Group::Blank, 0, values - 1);
            self.roots.push(root);
        }
        if *allowed.start() > 0 {
            return;
        }
        for code in 0..values {
            let leaf = self.add(None, Group::Range { first: code, last: code }, code, code);
            match self.roots.first().copied().filter(|_| *allowed.end() > 0 && values > 1) {
                Some(root) => self.adopt(root, leaf),
                None => self.roots.push(leaf),
            }
        }
    }

    pub(super) fn add(&mut self, parent: Option<u32>, group: Group, first: u32, last: u32) -> u32 {
        self.twigs.push(TaxonomyNode { parent, children: Vec::new(), group, first, last });
        self.twigs.len() as u32 - 1
    }

    pub(super) fn adopt(&mut self, parent: u32, child: u32) {
        self.twigs[child as usize].parent = Some(parent);
        self.twigs[parent as usize].children.push(child);
    }

    /// The highest node of each code.
    pub(super) fn at_roots(&self) -> Vec<u32> {
        let mut at = vec![0; self.leaf_of.len()];
        for &root in &self.roots {
            at[self.twig(root).first as usize..=self.twig(root).last as usize].fill(root);
        }
        at
    }

    pub(super) fn twig(&self, twig: u32) -> &TaxonomyNode {
        &self.twigs[twig as usize]
    }
}

/// The recoding that puts a node in the place of every code.
pub(super) fn recoding(problem: &Problem, taxonomies: &[Taxonomy], at: &[Vec<u32>]) -> Recoding {
    Recoding::Global(GlobalRecoding::new(&problem.attributes, |attribute, code| {
        taxonomies[attribute].twig(at[attribute][code as usize]).group.clone()
    }))
}

/// What generalizing loses, or specializing gains, of the values of one attribute: by the class column,
/// where there is one, and otherwise by the certainty penalty.
pub(super) struct InformationMeasure<'a> {
    price: GroupPrice<'a>,
    /// By attribute and code: how many rows carry each class value. Empty without a class column.
    counts: Vec<Vec<Vec<u64>>>,
    /// By attribute and code: how many rows.
    rows: Vec<Vec<u64>>,
}

impl<'a> InformationMeasure<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let price = problem.group_prices(Metric::Ncp);
        let width = problem.attributes.len();
        let rows = (0..width).map(|at| problem.marginal(at)).collect();
        let Some(class) = problem.class else {
            return InformationMeasure { price, counts: Vec::new(), rows };
        };
        let values = problem.targets.columns[class].domain.len();
        let mut counts: Vec<Vec<Vec<u64>>> =
            problem.domains().into_iter().map(|codes| vec![vec![0; values]; codes]).collect();
        for cell in 0..problem.cells.len() {
            for &(label, count) in problem.cells.targets(cell) {
                let value = problem.targets.of(label)[class] as usize;
                for (at, counts) in counts.iter_mut().enumerate() {
                    counts[problem.cells.code(at, cell) as usize][value] += count;
                }
            }
        }
        InformationMeasure { price, counts, rows }
    }

    /// Whether it is measured by a class column.
    pub(super) fn has_class(&self) -> bool {
        !self.counts.is_empty()
    }

    /// The class values of the rows with codes from `first` to `last`.
    fn histogram(&self, at: usize, first: u32, last: u32) -> Vec<u64> {
        let codes = &self.counts[at][first as usize..=last as usize];
        let mut sum = vec![0; codes.first().map_or(0, Vec::len)];
        for counts in codes {
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sum
    }

    /// How much more is known of a row of a node if its child is known too.
    pub(super) fn of_split(
        &self,
        at: usize,
        taxonomy: &Taxonomy,
        twig: u32,
        children: &[u32],
    ) -> f64 {
        let span = |twig: u32| (taxonomy.twig(twig).first, taxonomy.twig(twig).last);
        let rows = |(first, last): (u32, u32)| -> u64 {
            self.rows[at][first as usize..=last as usize].iter().sum()
        };
        let all = rows(span(twig)).max(1) as f64;
        if !self.has_class() {
            let paid =
                |twig: u32| self.price.of(at, &taxonomy.twig(twig).group) * rows(span(twig)) as f64;
            return (paid(twig) - children.iter().map(|&child| paid(child)).sum::<f64>()) / all;
        }
        let entropy = |twig: u32| {
            let (first, last) = span(twig);
            weighted_entropy(&self.histogram(at, first, last))
        };
        ((entropy(twig) - children.iter().map(|&child| entropy(child)).sum::<f64>()) / all).max(0.0)
    }

    /// The code that begins the upper part of the best cut of an interval of numbers in two: where the
    /// class column is known best or, without one, nearest to the median.
    pub(super) fn threshold(&self, at: usize, first: u32, last: u32) -> u32 {
        if !self.has_class() {
            let all: u64 = self.rows[at][first as usize..=last as usize].iter().sum();
            let mut below = 0;
            let mut best = (u64::MAX, last);
            for code in first + 1..=last {
                below += self.rows[at][code as usize - 1];
                best = best.min(((below * 2).abs_diff(all), code));
            }
            return best.1;
        }
        let mut right = self.histogram(at, first, last);
        let mut left = vec![0; right.len()];
        let mut best = (f64::INFINITY, last);
        for code in first + 1..=last {
            for (value, count) in self.counts[at][code as usize - 1].iter().enumerate() {
                left[value] += count;
                right[value] -= count;
            }
            let entropy = weighted_entropy(&left) + weighted_entropy(&right);
            if entropy < best.0 {
                best = (entropy, code);
            }
        }
        best.1
    }
}

/// Entropy in bits, times the rows.
pub(super) fn weighted_entropy(histogram: &[u64]) -> f64 {
    let bits = |count: u64| if count == 0 { 0.0 } else { count as f64 * (count as f64).log2() };
    bits(histogram.iter().sum()) - histogram.iter().map(|&count| bits(count)).sum::<f64>()
}

/// A note on how much of what the quasi-identifiers tell about the class column the release keeps.
pub(super) fn note(problem: &Problem, recoding: &Recoding) -> Option<String> {
    let column = problem.class?;
    let histogram = |labels: &[(u32, u64)]| {
        let mut counts = vec![0u64; problem.targets.columns[column].domain.len()];
        for &(label, count) in labels {
            counts[problem.targets.of(label)[column] as usize] += count;
        }
        counts
    };
    let prior = weighted_entropy(&problem.whole().histograms[column]);
    let rows = problem.rows as f64;
    let cells = (0..problem.cells.len())
        .map(|cell| weighted_entropy(&histogram(problem.cells.targets(cell))));
    let before = (prior - cells.sum::<f64>()) / rows;
    let mut classes = recoding.classes(&problem.attributes, &problem.cells);
    classes.suppress_failing(problem, None);
    // A suppressed row tells nothing.
    let lost = prior / rows * classes.suppressed_rows() as f64;
    let released =
        classes.released().map(|class| weighted_entropy(&histogram(classes.targets(class))));
    let after = ((prior - lost - released.sum::<f64>()) / rows).max(0.0);
    Some(format!(
        "the quasi-identifiers determine {:.4} bits of {}, the release {after:.4} (of {:.4} in all)",
        before,
        problem.targets.columns[column].name,
        prior / rows
    ))
}
