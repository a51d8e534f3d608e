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

use super::frequencies::{Frequencies, Layout, Merger, Step};
use super::ground::{Work, infeasible, limit, with_words};
use super::judge::{Desk, Judge};
use super::levels::Levels;
use super::taxonomy::{Information, Taxonomy, note, recoding};
use crate::Metric;
use crate::kit::Result;
use crate::method::algorithm::{Algorithm, MethodInfo};
use crate::method::family::Family;
use crate::method::settings::settings;
use crate::problem::Problem;
use crate::search::{Control, Event, Solution, StopReason};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "bottom-up",
    about: "go up the hierarchies where the class column loses least (Wang, Yu and Chakraborty 2004)",
    family: Family::SingleDimensional,
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
        let lattice = Levels::new(problem);
        // The judge only says which classes pass.
        let judge = Judge::new(&lattice, Metric::Dm, limit(problem));
        let taxonomies: Vec<Taxonomy> = problem.attributes.iter().map(Taxonomy::new).collect();
        let layout = Layout::of(taxonomies.iter().map(|taxonomy| taxonomy.twigs.len()))?;
        let ascent = Ascent { judge: &judge, taxonomies: &taxonomies, layout: &layout, control };
        let (at, rounds, end) = with_words(layout.words, ascent);
        Ok(match end {
            End::Satisfied => {
                let recoding = recoding(problem, &taxonomies, &at);
                let notes = note(problem, &recoding).into_iter().collect();
                Solution { notes, ..Solution::feasible(recoding, rounds) }
            }
            // Nothing on the way was within the limit, so there is nothing to keep.
            End::Stopped(reason) => Solution::stopped(reason, None, rounds),
            End::Exhausted => infeasible(&judge, rounds),
        })
    }
}

enum End {
    Satisfied,
    Stopped(StopReason),
    Exhausted,
}

struct Ascent<'a> {
    judge: &'a Judge<'a>,
    taxonomies: &'a [Taxonomy],
    layout: &'a Layout,
    control: &'a Control,
}

/// All children of a node become the node.
#[derive(Debug, Clone, Copy)]
struct Move {
    at: usize,
    twig: u32,
    loss: f64,
}

impl Work<(Vec<Vec<u32>>, u64, End)> for Ascent<'_> {
    fn run<const W: usize>(self) -> (Vec<Vec<u32>>, u64, End) {
        let Ascent { judge, taxonomies, layout, control } = self;
        let problem = judge.lattice.problem;
        let information = Information::new(problem);
        let mut at: Vec<Vec<u32>> = taxonomies.iter().map(|it| it.leaf_of.clone()).collect();
        let mut merger: Merger<W> = Merger::new(&judge.relevant);
        let mut classes = merger.cells(problem, layout, &judge.relevant, |attribute, code| {
            at[attribute][code as usize]
        });
        let mut desk: Desk = judge.desk();
        let mut moves = moves(taxonomies, &at, &information);
        let mut next = Frequencies::default();
        for round in 1.. {
            if judge.suppressed(&classes, &mut desk) <= judge.limit {
                return (at, round, End::Satisfied);
            }
            if let Some(reason) = control.stop() {
                return (at, round, End::Stopped(reason));
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
            let Some((.., place)) = best else { return (at, round, End::Exhausted) };
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
                moves.push(Move::new(made.at, parent, taxonomy, &information));
            }
        }
        unreachable!("every round makes a move, and moves are finite")
    }
}

impl Ascent<'_> {
    fn step(&self, it: &Move) -> Step {
        let taxonomy = &self.taxonomies[it.at];
        let up = (0..taxonomy.twigs.len() as u32).map(|twig| {
            let below = taxonomy.twig(twig).parent == Some(it.twig);
            if below { it.twig } else { twig }
        });
        Step::new(self.layout.fields[it.at], up)
    }

    /// Whether every smallest class changes: otherwise the smallest class cannot grow.
    fn touches_all_smallest<const W: usize>(
        &self,
        it: &Move,
        classes: &Frequencies<W>,
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

impl Move {
    fn new(at: usize, twig: u32, taxonomy: &Taxonomy, information: &Information<'_>) -> Self {
        let children = &taxonomy.twig(twig).children;
        Move { at, twig, loss: information.of_split(at, taxonomy, twig, children) }
    }
}

/// The size of the smallest class.
fn smallest<const W: usize>(classes: &Frequencies<W>) -> u32 {
    classes.sizes.iter().copied().min().unwrap_or(0)
}

/// Whether the children of a node are all in use, so that they can become the node.
fn is_open(taxonomy: &Taxonomy, at: &[u32], twig: u32) -> bool {
    let children = &taxonomy.twig(twig).children;
    !children.is_empty()
        && children.iter().all(|&child| at[taxonomy.twig(child).first as usize] == child)
}

/// All moves that can be made.
fn moves(taxonomies: &[Taxonomy], at: &[Vec<u32>], information: &Information<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    for (attribute, taxonomy) in taxonomies.iter().enumerate() {
        for twig in 0..taxonomy.twigs.len() as u32 {
            if is_open(taxonomy, &at[attribute], twig) {
                moves.push(Move::new(attribute, twig, taxonomy, information));
            }
        }
    }
    moves
}
