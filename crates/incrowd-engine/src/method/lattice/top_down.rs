//! Top-down specialization, TDS.
//!
//! **What it does**: starts with every column as general as it may be and, step by step, replaces a node by
//! its children, everywhere. It takes the specialization with the most information gained about the
//! class column per row that the smallest class loses, among those that keep every class large enough.
//! Numbers without a hierarchy are cut in two where the gain is highest. Without a class column the
//! gain is the certainty penalty that is saved.
//! **Guarantee**: k-anonymous (and every other model asked for) within the suppression limit; no further
//! specialization is possible; no promise beyond that. Values of one column may end at different levels.
//! **Cost**: per step one pass over the cells for each attribute.
//! **Example**: Adult with salary as class column: see the book's page.
//! **Reference**: Fung, Wang and Yu, *Top-Down Specialization for Information and Privacy Preservation*
//! (2005).

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
use crate::value::Group;

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "top-down",
    about: "go down the hierarchies where most is learned about the class column (Fung, Wang and Yu 2005)",
    family: RecodingModel::SingleDimensional,
    recoding: "global",
    options: TopDown::OPTIONS,
    heeds_levels: true,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

settings! {
    /// Top-down specialization by information gained per anonymity lost.
    pub struct TopDown {}
}

impl Algorithm for TopDown {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let lattice = GeneralizationLattice::new(problem);
        // The evaluator only says which classes pass.
        let judge = NodeEvaluator::new(&lattice, Metric::Dm, limit(problem));
        let information = InformationMeasure::new(problem);
        let numbers: Vec<bool> = problem
            .attributes
            .iter()
            .map(|it| it.is_measured_by_width() && it.limits.is_none())
            .collect();
        let taxonomies: Vec<Taxonomy> = problem
            .attributes
            .iter()
            .zip(&numbers)
            .map(|(attribute, &number)| {
                let mut taxonomy = Taxonomy::new(attribute);
                if number {
                    taxonomy.clear_below_root();
                }
                taxonomy
            })
            .collect();
        // An interval of numbers that is cut in two to the end makes fewer nodes than twice its values.
        let most =
            |at: usize| taxonomies[at].twigs.len().max(2 * problem.attributes[at].domain.len());
        let layout = ClassKeyLayout::of((0..taxonomies.len()).map(most))?;
        let words = layout.words;
        let descent = TopDownSearch {
            judge: &judge,
            information: &information,
            taxonomies,
            numbers,
            layout,
            control,
        };
        let found = with_words(words, descent);
        let Some(at) = found.at else { return Ok(infeasible(&judge, found.rounds)) };
        let recoding = recoding(problem, &found.taxonomies, &at);
        let notes = note(problem, &recoding).into_iter().collect();
        let solution = Solution::feasible(recoding, found.rounds).stopped_by(found.stopped);
        Ok(Solution { notes, ..solution })
    }
}

impl Taxonomy {
    /// Forgets the values below the root, where intervals are made on the way instead.
    fn clear_below_root(&mut self) {
        if let (Some(&root), 1) = (self.roots.first(), self.roots.len()) {
            let mut root = self.twigs[root as usize].clone();
            root.children.clear();
            self.twigs = vec![root];
            self.roots = vec![0];
            self.leaf_of.fill(0);
        }
    }
}

struct TopDownSearch<'a> {
    judge: &'a NodeEvaluator<'a>,
    information: &'a InformationMeasure<'a>,
    taxonomies: Vec<Taxonomy>,
    /// Which attributes are numbers that are cut into intervals.
    numbers: Vec<bool>,
    layout: ClassKeyLayout,
    control: &'a Control,
}

/// Where a descent ended.
struct TopDownResult {
    taxonomies: Vec<Taxonomy>,
    /// By attribute the node of each code; none if even the start fails.
    at: Option<Vec<Vec<u32>>>,
    rounds: u64,
    stopped: Option<StopReason>,
}

impl KeyWidthTask<TopDownResult> for TopDownSearch<'_> {
    fn run<const W: usize>(mut self) -> TopDownResult {
        let (judge, control) = (self.judge, self.control);
        let problem = judge.lattice.problem;
        let mut at: Vec<Vec<u32>> = self.taxonomies.iter().map(Taxonomy::at_roots).collect();
        for attribute in 0..at.len() {
            for root in self.taxonomies[attribute].roots.clone() {
                self.cut(attribute, root);
            }
        }
        let mut merger: ClassMerger<W> = ClassMerger::new(&judge.relevant);
        let cells = merger.cells(problem, &self.layout, &judge.relevant, |_, code| code);
        let mut desk: EvaluatorScratch = judge.desk();
        let mut classes = FrequencySet::default();
        merger.merge(&[], &cells, &self.steps(&at), cells.len(), &mut classes);
        if judge.suppressed(&classes, &mut desk) > judge.limit {
            return TopDownResult {
                taxonomies: self.taxonomies,
                at: None,
                rounds: 1,
                stopped: None,
            };
        }
        let mut rounds = 1;
        let stopped = loop {
            if let Some(reason) = control.stop() {
                break Some(reason);
            }
            control.tell(Event::Nodes(rounds));
            let mut best: Option<(f64, usize, u32)> = None;
            for attribute in 0..at.len() {
                for (score, twig) in self.candidates(attribute, &at, &cells, &mut merger, &mut desk)
                {
                    if best.is_none_or(|(most, ..)| score > most) {
                        best = Some((score, attribute, twig));
                    }
                }
            }
            let Some((_, attribute, twig)) = best else { break None };
            for child in self.taxonomies[attribute].twig(twig).children.clone() {
                let taxonomy = &self.taxonomies[attribute];
                let range =
                    taxonomy.twig(child).first as usize..=taxonomy.twig(child).last as usize;
                at[attribute][range].fill(child);
                self.cut(attribute, child);
            }
            rounds += 1;
        };
        TopDownResult { taxonomies: self.taxonomies, at: Some(at), rounds, stopped }
    }
}

/// What is known of the classes with one node of an attribute.
#[derive(Clone, Copy)]
struct SpecializationTally {
    /// The smallest class, and the smallest after the node is replaced by its children.
    smallest: [u32; 2],
    /// Rows that fail, likewise.
    failing: [u64; 2],
}

impl TopDownSearch<'_> {
    /// Gives a node of an attribute of numbers the two children that tell most.
    fn cut(&mut self, attribute: usize, twig: u32) {
        let taxonomy = &mut self.taxonomies[attribute];
        let (first, last) = (taxonomy.twig(twig).first, taxonomy.twig(twig).last);
        if !self.numbers[attribute] || first == last {
            return;
        }
        let domain = &self.judge.lattice.problem.attributes[attribute].domain;
        // Missing values stand alone or everything is one group.
        let from = match domain.missing_code() == Some(first) {
            true => first + 1,
            false => self.information.threshold(attribute, first, last),
        };
        for (first, last) in [(first, from - 1), (from, last)] {
            let child = taxonomy.add(None, Group::Range { first, last }, first, last);
            taxonomy.adopt(twig, child);
        }
    }

    /// What makes the classes of the present nodes out of the cells.
    fn steps(&self, at: &[Vec<u32>]) -> Vec<RollupStep> {
        let fields = self.layout.fields.iter().zip(at);
        fields.map(|(&field, at)| RollupStep::new(field, at.iter().copied())).collect()
    }

    /// The nodes of an attribute that can be replaced by their children, with their scores.
    fn candidates<const W: usize>(
        &self,
        attribute: usize,
        at: &[Vec<u32>],
        cells: &FrequencySet<W>,
        merger: &mut ClassMerger<W>,
        desk: &mut EvaluatorScratch,
    ) -> Vec<(f64, u32)> {
        let taxonomy = &self.taxonomies[attribute];
        // One level down for every node at once: what happens to one does not touch the others.
        let mut child_of: Vec<u32> = at[attribute].clone();
        for child in 0..taxonomy.twigs.len() as u32 {
            let twig = taxonomy.twig(child);
            let (first, last) = (twig.first as usize, twig.last as usize);
            if twig.parent.is_some_and(|parent| at[attribute][first] == parent) {
                child_of[first..=last].fill(child);
            }
        }
        let none = SpecializationTally { smallest: [u32::MAX; 2], failing: [0; 2] };
        let mut tallies = vec![none; taxonomy.twigs.len()];
        let mut classes = FrequencySet::default();
        for (time, nodes) in [&at[attribute], &child_of].into_iter().enumerate() {
            let mut steps = self.steps(at);
            steps[attribute] =
                RollupStep::new(self.layout.fields[attribute], nodes.iter().copied());
            merger.merge(&[], cells, &steps, cells.len(), &mut classes);
            for class in 0..classes.len() {
                let twig = self.layout.fields[attribute].get(&classes.keys[class]) as u32;
                let first = taxonomy.twig(twig).first as usize;
                let tally = &mut tallies[at[attribute][first] as usize];
                let size = classes.sizes[class];
                tally.smallest[time] = tally.smallest[time].min(size);
                if !self.judge.passes(class, &classes, desk) {
                    tally.failing[time] += u64::from(size);
                }
            }
        }
        let smallest = tallies.iter().map(|tally| tally.smallest[0]).min().unwrap_or(0);
        let failing: u64 = tallies.iter().map(|tally| tally.failing[0]).sum();
        let mut candidates = Vec::new();
        for (twig, tally) in tallies.iter().enumerate() {
            let children = &taxonomy.twigs[twig].children;
            let used = tally.smallest[0] < u32::MAX;
            let fails = failing - tally.failing[0] + tally.failing[1];
            if !used || children.is_empty() || fails > self.judge.limit {
                continue;
            }
            let gain = self.information.of_split(attribute, taxonomy, twig as u32, children);
            let loss = smallest - smallest.min(tally.smallest[1]);
            let score = if loss > 0 { gain / f64::from(loss) } else { gain };
            candidates.push((score, twig as u32));
        }
        candidates
    }
}
