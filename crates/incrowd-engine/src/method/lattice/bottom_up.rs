//! Bottom-up generalization.
//!
//! **What it does**: starts with the values as they are and, step by step, replaces all children of a
//! hierarchy node by the node, everywhere. Among the critical generalizations, those that make the
//! smallest class larger, it takes the one with the least information loss per row that the smallest
//! class gains; if there are none, the one with the least loss. Loss is the class column's entropy that
//! a node adds to its children's; without a class column it is the certainty penalty.
//! **Guarantee**: k-anonymous (and every other model asked for) within the suppression limit; no promise
//! about quality. Values of one column may end at different levels (subtree recoding).
//! **Cost**: per step one pass over the classes for each attribute at most.
//! **Example**: Adult with salary as class column: see the book's page.
//! **Reference**: Wang, Yu and Chakraborty, *Bottom-Up Generalization* (2004).

use super::context::{KeyWidthTask, infeasible, limit, with_words};
use super::evaluator::{EvaluatorScratch, NodeEvaluator};
use super::frequencies::{ClassKeyLayout, ClassMerger, FrequencySet, RollupStep};
use super::levels::GeneralizationLattice;
use super::taxonomy::{InformationMeasure, Taxonomy, note, recoding};
use crate::Metric;
use crate::kit::Result;
use crate::method::algorithm::{Algorithm, MethodInfo};
use crate::method::recoding_model::RecodingModel;
use crate::method::settings::settings;
use crate::problem::Problem;
use crate::search::{Control, Event, Solution, StopReason};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "bottom-up",
    about: "go up the hierarchies where the class column loses least (Wang, Yu and Chakraborty 2004)",
    family: RecodingModel::SingleDimensional,
    recoding: "global",
    options: BottomUp::OPTIONS,
    heeds_levels: true,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// Bottom-up generalization by information loss per anonymity gained.
    pub struct BottomUp {}
}

impl Algorithm for BottomUp {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let lattice = GeneralizationLattice::new(problem);
        // The evaluator only says which classes pass.
        let judge = NodeEvaluator::new(&lattice, Metric::Dm, limit(problem));
        let taxonomies: Vec<Taxonomy> = problem.attributes.iter().map(Taxonomy::new).collect();
        let layout = ClassKeyLayout::of(taxonomies.iter().map(|taxonomy| taxonomy.twigs.len()))?;
        let ascent =
            BottomUpSearch { judge: &judge, taxonomies: &taxonomies, layout: &layout, control };
        let (at, rounds, end) = with_words(layout.words, ascent);
        Ok(match end {
            BottomUpEnd::Satisfied => {
                let recoding = recoding(problem, &taxonomies, &at);
                let notes = note(problem, &recoding).into_iter().collect();
                Solution { notes, ..Solution::feasible(recoding, rounds) }
            }
            // Nothing on the way was within the limit, so there is nothing to keep.
            BottomUpEnd::Stopped(reason) => Solution::stopped(reason, None, rounds),
            BottomUpEnd::Exhausted => infeasible(&judge, rounds),
        })
    }
}

enum BottomUpEnd {
    Satisfied,
    Stopped(StopReason),
    Exhausted,
}

struct BottomUpSearch<'a> {
    judge: &'a NodeEvaluator<'a>,
    taxonomies: &'a [Taxonomy],
    layout: &'a ClassKeyLayout,
    control: &'a Control,
}

/// All children of a node become the node.
#[derive(Debug, Clone, Copy)]
struct SubtreeGeneralization {
    at: usize,
    twig: u32,
    loss: f64,
}

impl KeyWidthTask<(Vec<Vec<u32>>, u64, BottomUpEnd)> for BottomUpSearch<'_> {
    fn run<const W: usize>(self) -> (Vec<Vec<u32>>, u64, BottomUpEnd) {
        let BottomUpSearch { judge, taxonomies, layout, control } = self;
        let problem = judge.lattice.problem;
        let information = InformationMeasure::new(problem);
        let mut at: Vec<Vec<u32>> = taxonomies.iter().map(|it| it.leaf_of.clone()).collect();
        let mut merger: ClassMerger<W> = ClassMerger::new(&judge.relevant);
        let mut classes = merger.cells(problem, layout, &judge.relevant, |attribute, code| {
            at[attribute][code as usize]
        });
        let mut desk: EvaluatorScratch = judge.desk();
        let mut moves = moves(taxonomies, &at, &information);
        let mut next = FrequencySet::default();
        for round in 1.. {
            if judge.suppressed(&classes, &mut desk) <= judge.limit {
                return (at, round, BottomUpEnd::Satisfied);
            }
            if let Some(reason) = control.stop() {
                return (at, round, BottomUpEnd::Stopped(reason));
            }
            control.tell(Event::Nodes(round));
            let least = smallest(&classes);
            let mut best: Option<(bool, f64, usize)> = None;
            for (place, it) in moves.iter().enumerate() {
                let mut score = (false, it.loss);
                if self.touches_all_smallest(it, &classes, least) {
                    let step = self.step(it);
                    merger.merge(&[], &classes, &[step], classes.len(), &mut next);
                    let gain = smallest(&next) - least;
                    if gain > 0 {
                        score = (true, it.loss / f64::from(gain));
                    }
                }
                // Critical ones first, then the least score, then the first.
                let better = |&(critical, least, _): &(bool, f64, usize)| {
                    score.0 && !critical || score.0 == critical && score.1 < least
                };
                if best.as_ref().is_none_or(better) {
                    best = Some((score.0, score.1, place));
                }
            }
            let Some((.., place)) = best else { return (at, round, BottomUpEnd::Exhausted) };
            let made = moves.remove(place);
            let step = self.step(&made);
            merger.merge(&[], &classes, &[step], classes.len(), &mut next);
            std::mem::swap(&mut classes, &mut next);
            let taxonomy = &taxonomies[made.at];
            let twig = taxonomy.twig(made.twig);
            at[made.at][twig.first as usize..=twig.last as usize].fill(made.twig);
            if let Some(parent) = twig.parent
                && is_open(taxonomy, &at[made.at], parent)
            {
                moves.push(SubtreeGeneralization::new(made.at, parent, taxonomy, &information));
            }
        }
        unreachable!("every round makes a move, and moves are finite")
    }
}

impl BottomUpSearch<'_> {
    fn step(&self, it: &SubtreeGeneralization) -> RollupStep {
        let taxonomy = &self.taxonomies[it.at];
        let up = (0..taxonomy.twigs.len() as u32).map(|twig| {
            let below = taxonomy.twig(twig).parent == Some(it.twig);
            if below { it.twig } else { twig }
        });
        RollupStep::new(self.layout.fields[it.at], up)
    }

    /// Whether every smallest class changes: otherwise the smallest class cannot grow.
    fn touches_all_smallest<const W: usize>(
        &self,
        it: &SubtreeGeneralization,
        classes: &FrequencySet<W>,
        least: u32,
    ) -> bool {
        let (taxonomy, field) = (&self.taxonomies[it.at], self.layout.fields[it.at]);
        classes
            .keys
            .iter()
            .zip(&classes.sizes)
            .filter(|(_, size)| **size == least)
            .all(|(key, _)| taxonomy.twig(field.get(key) as u32).parent == Some(it.twig))
    }
}

impl SubtreeGeneralization {
    fn new(
        at: usize,
        twig: u32,
        taxonomy: &Taxonomy,
        information: &InformationMeasure<'_>,
    ) -> Self {
        let children = &taxonomy.twig(twig).children;
        SubtreeGeneralization { at, twig, loss: information.of_split(at, taxonomy, twig, children) }
    }
}

/// The size of the smallest class.
fn smallest<const W: usize>(classes: &FrequencySet<W>) -> u32 {
    classes.sizes.iter().copied().min().unwrap_or(0)
}

/// Whether the children of a node are all in use, so that they can become the node.
fn is_open(taxonomy: &Taxonomy, at: &[u32], twig: u32) -> bool {
    let children = &taxonomy.twig(twig).children;
    !children.is_empty()
        && children.iter().all(|&child| at[taxonomy.twig(child).first as usize] == child)
}

/// All moves that can be made.
fn moves(
    taxonomies: &[Taxonomy],
    at: &[Vec<u32>],
    information: &InformationMeasure<'_>,
) -> Vec<SubtreeGeneralization> {
    let mut moves = Vec::new();
    for (attribute, taxonomy) in taxonomies.iter().enumerate() {
        for twig in 0..taxonomy.twigs.len() as u32 {
            if is_open(taxonomy, &at[attribute], twig) {
                moves.push(SubtreeGeneralization::new(attribute, twig, taxonomy, information));
            }
        }
    }
    moves
}
