//! Incognito.
//!
//! **What it does**: finds all full-domain generalizations that satisfy k within the suppression limit.
//! Subsets of the quasi-identifier are searched first, growing one attribute at a time: a node can satisfy
//! only if it does with any attribute left out (subset property), and does if a node right below it does
//! (generalization property). Only the nodes that neither settles have their classes counted, rolled up
//! from a node below. The release is the satisfying node of least cost.
//! **Guarantee**: all satisfying nodes are found, so the least cost is that of all nodes. Where parts of a
//! failing class may pass, neither property holds, and every node is looked at instead.
//! **Cost**: the subsets of all attributes at worst; memory for a bit per node of every subset's lattice.
//! **Example**: Adult at k = 5 with nothing suppressed: see the book's page.
//! **Reference**: LeFevre, DeWitt and Ramakrishnan, *Incognito: Efficient Full-Domain K-Anonymity* (2005).

use super::context::{
    KeyWidthTask, LatticeContext, MOST_NODES, TOP, WalkResult, check_size, limit, note_on_models,
    with_words,
};
use super::evaluator::{EvaluatorScratch, NodeEvaluator, NodeMeasure};
use super::exhaustive::ExhaustiveSearch;
use super::frequencies::{ClassKeyLayout, FrequencyRollup, FrequencySet};
use super::levels::{GeneralizationLattice, LatticeNode};
use super::ranking::NodeRanking;
use super::walk::{LatticeVisitor, LatticeWalk, VisitPlan};
use crate::kit::{Error, Result, words};
use crate::method::algorithm::{Algorithm, MethodInfo};
use crate::method::recoding_model::RecodingModel;
use crate::method::settings::settings;
use crate::problem::Problem;
use crate::search::{Control, Event, Solution, StopReason};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "incognito",
    about: "all combinations of hierarchy levels that satisfy k, and the best of them (LeFevre 2005)",
    family: RecodingModel::FullDomain,
    recoding: "global",
    options: Incognito::OPTIONS,
    heeds_levels: true,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// LeFevre's Incognito: all full-domain generalizations that satisfy k.
    pub struct Incognito {
        /// How many of the best nodes to tell.
        top: usize = TOP,
        /// The most nodes that the lattices of all subsets may have together.
        most_nodes: u64 = MOST_NODES,
    }
}

impl Algorithm for Incognito {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let lattice = GeneralizationLattice::new(problem);
        check_size(INFO.name, &lattice, self.most_nodes)?;
        let judge = NodeEvaluator::new(&lattice, problem.metric, limit(problem));
        let layout = ClassKeyLayout::new(&lattice)?;
        let ground = LatticeContext { lattice: &lattice, judge: &judge, layout: &layout, control };
        let looked = if judge.is_monotone() {
            let subsets = SubsetNumbering::new(&lattice);
            if subsets.nodes > u128::from(self.most_nodes) {
                let nodes = u64::try_from(subsets.nodes).unwrap_or(u64::MAX);
                return Err(Error::new(format!(
                    "the lattices of all subsets of quasi-identifiers have {} nodes \
                     together, above the limit of {}",
                    words::thousands(nodes),
                    words::thousands(self.most_nodes)
                ))
                .help("raise the limit (the option most-nodes), or choose the method lattice"));
            }
            with_words(layout.words, IncognitoTask { ground, subsets, top: self.top })
        } else {
            let mut looked = with_words(layout.words, ExhaustiveSearch { ground, top: self.top });
            looked.notes.extend(note_on_models(&judge));
            looked
        };
        Ok(looked.solution(&judge, true))
    }
}

/// How the nodes of all subsets are numbered: mixed radix, where 0 means that an attribute is left out.
struct SubsetNumbering {
    /// By attribute, what one level counts.
    steps: Vec<u128>,
    nodes: u128,
}

impl SubsetNumbering {
    fn new(lattice: &GeneralizationLattice<'_>) -> Self {
        let mut nodes = 1u128;
        let steps = lattice
            .levels
            .iter()
            .map(|levels| {
                let step = nodes;
                nodes = nodes.saturating_mul(levels.len() as u128 + 1);
                step
            })
            .collect();
        SubsetNumbering { steps, nodes }
    }
}

struct IncognitoTask<'a> {
    ground: LatticeContext<'a>,
    subsets: SubsetNumbering,
    top: usize,
}

impl KeyWidthTask<WalkResult> for IncognitoTask<'_> {
    fn run<const W: usize>(self) -> WalkResult {
        let IncognitoTask { ground, subsets, top } = self;
        let LatticeContext { lattice, judge, layout, control } = ground;
        let mut roller = FrequencyRollup::new(lattice, layout, &judge.relevant);
        let bottom = roller.cells(&judge.relevant);
        let mut run: SubsetSearch<'_, W> = SubsetSearch {
            ground,
            roller,
            desk: judge.desk(),
            satisfied: vec![false; subsets.nodes as usize],
            subsets,
            members: Vec::new(),
            counted: 0,
            stopped: None,
        };
        let width = lattice.width();
        for size in 1..=width {
            run.counted = 0;
            for members in AttributeSubsets::new(width, size) {
                run.subset(members, &bottom);
                control.tell(Event::Nodes(run.counted));
            }
        }
        let SubsetSearch { satisfied, subsets, counted, stopped, .. } = run;
        let number = |node: &[u32]| {
            let levels = node.iter().zip(&subsets.steps);
            levels.map(|(&level, step)| (u128::from(level) + 1) * step).sum::<u128>() as usize
        };
        // With nothing suppressed the cost never falls on the way up, so minimal nodes are enough.
        let minimal_only = judge.limit == 0 && top == 1;
        let ranking = NodeRanking::new(top);
        let mut best = SatisfyingVisitor {
            ground,
            satisfied: |node: &[u32]| satisfied[number(node)],
            minimal_only,
            ranking,
        };
        let mut walk: LatticeWalk<'_, W> = LatticeWalk::new(ground);
        if stopped.is_none() {
            walk.go(&mut best);
        }
        let mut notes = Vec::new();
        if stopped.is_none() {
            let all = walk_count(lattice, |node| satisfied[number(node)]);
            let number = words::count(all, "node satisfies", "nodes satisfy");
            notes.push(format!("{number} the requirements"));
        }
        WalkResult {
            ranking: best.ranking,
            checked: counted.max(walk.checked),
            stopped: stopped.or(walk.stopped),
            notes,
        }
    }
}

/// How many nodes of the lattice are so.
fn walk_count(lattice: &GeneralizationLattice<'_>, is_so: impl Fn(&[u32]) -> bool) -> u64 {
    let (mut node, top) = (lattice.bottom(), lattice.top());
    let mut count = 0;
    loop {
        count += u64::from(is_so(&node));
        let Some(at) = (0..node.len()).rev().find(|&at| node[at] < top[at]) else { return count };
        node[at] += 1;
        node[at + 1..].fill(0);
    }
}

/// The search of the subsets.
struct SubsetSearch<'a, const W: usize> {
    ground: LatticeContext<'a>,
    roller: FrequencyRollup<'a, W>,
    desk: EvaluatorScratch,
    subsets: SubsetNumbering,
    /// By number: whether a node of a subset satisfies.
    satisfied: Vec<bool>,
    /// The present subset.
    members: Vec<usize>,
    /// How many nodes of subsets of the present size have had their classes counted.
    counted: u64,
    stopped: Option<StopReason>,
}

impl<const W: usize> SubsetSearch<'_, W> {
    /// Finds the satisfying nodes of a subset.
    fn subset(&mut self, members: Vec<usize>, bottom: &FrequencySet<W>) {
        let width = self.ground.lattice.width();
        let without: Vec<usize> = (0..width).filter(|at| !members.contains(at)).collect();
        let mut node = self.ground.lattice.bottom();
        let mut classes = FrequencySet::default();
        self.roller.project(bottom, &without, &mut classes);
        self.members = members;
        let from = node.clone();
        self.visit(&mut node, 0, &from, &classes);
    }

    fn number(&self, node: &[u32]) -> usize {
        let steps = &self.subsets.steps;
        let levels = self.members.iter().map(|&at| (u128::from(node[at]) + 1) * steps[at]);
        levels.sum::<u128>() as usize
    }

    /// Visits a node of the present subset, then those above it that raise members from `last` on.
    /// `classes` are those of the node `from`, the nearest below it that was counted.
    fn visit(
        &mut self,
        node: &mut LatticeNode,
        last: usize,
        from: &[u32],
        classes: &FrequencySet<W>,
    ) {
        self.stopped = self.stopped.or_else(|| self.ground.control.stop());
        if self.stopped.is_some() {
            return;
        }
        let number = self.number(node);
        let step = |at: usize| self.subsets.steps[at] as usize;
        let mut counted = None;
        // Generalization property: all nodes below come before this one.
        let mut raised = self.members.iter().filter(|&&at| node[at] > 0);
        if raised.any(|&at| self.satisfied[number - step(at)]) {
            self.satisfied[number] = true;
        } else if self.members.len() == 1
            || self.members.iter().all(|&at| {
                // Subset property: the node with this attribute left out.
                self.satisfied[number - (node[at] as usize + 1) * step(at)]
            })
        {
            let mut own = FrequencySet::default();
            self.roller.roll(classes, from, node, &mut own);
            self.counted += 1;
            let suppressed = self.ground.judge.suppressed(&own, &mut self.desk);
            self.satisfied[number] = suppressed <= self.ground.judge.limit;
            counted = Some((node.clone(), own));
        }
        let (from, classes) = match &counted {
            Some((node, classes)) => (node.as_slice(), classes),
            None => (from, classes),
        };
        for place in (last..self.members.len()).rev() {
            let at = self.members[place];
            if node[at] as usize + 1 < self.ground.lattice.levels[at].len() {
                node[at] += 1;
                self.visit(node, place, from, classes);
                node[at] -= 1;
            }
        }
    }
}

/// Subsets of so many attributes, in lexicographic order.
struct AttributeSubsets {
    width: usize,
    next: Option<Vec<usize>>,
}

impl AttributeSubsets {
    fn new(width: usize, size: usize) -> Self {
        AttributeSubsets { width, next: (size <= width).then(|| (0..size).collect()) }
    }
}

impl Iterator for AttributeSubsets {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let now = self.next.take()?;
        let size = now.len();
        if let Some(at) = (0..size).rev().find(|&at| now[at] < self.width - size + at) {
            let mut next = now.clone();
            next[at] += 1;
            for later in at + 1..size {
                next[later] = next[later - 1] + 1;
            }
            self.next = Some(next);
        }
        Some(now)
    }
}

/// Measures the satisfying nodes.
struct SatisfyingVisitor<'a, F> {
    ground: LatticeContext<'a>,
    satisfied: F,
    minimal_only: bool,
    ranking: NodeRanking,
}

impl<F: Fn(&[u32]) -> bool> LatticeVisitor for SatisfyingVisitor<'_, F> {
    fn plan(&mut self, node: &[u32]) -> VisitPlan {
        if !(self.satisfied)(node) {
            return VisitPlan::Pass;
        }
        let mut below = node.to_vec();
        let mut one_below = (0..node.len()).filter(|&at| node[at] > 0);
        let minimal = one_below.all(|at| {
            below[at] -= 1;
            let satisfied = (self.satisfied)(&below);
            below[at] += 1;
            !satisfied
        });
        // All above a satisfying node satisfy, and none of them is minimal.
        if self.minimal_only && !minimal { VisitPlan::Skip } else { VisitPlan::Measure }
    }

    fn take(&mut self, node: &[u32], measure: &NodeMeasure) -> bool {
        self.ranking.offer(self.ground.judge, node, measure);
        true
    }
}
