//! Samarati's AllMin.
//!
//! **What it does**: finds the lowest height of the lattice at which a node satisfies k within the
//! suppression limit, by binary search: if a node satisfies it, so do all above it. Returns the k-minimal
//! nodes, those with no satisfying node below: all at that height or, on demand, all of the lattice;
//! the release is the one of least cost among them.
//! **Guarantee**: no satisfying node has fewer levels in all; with `minimal=all` and nothing suppressed the
//! least cost of all nodes. Where parts of a failing class may pass, heights are tried one by one instead.
//! **Cost**: the classes of the nodes at a few heights.
//! **Example**: Adult at k = 5 with nothing suppressed: see the book's page.
//! **Reference**: Samarati, *Protecting Respondents' Identities in Microdata Release* (2001).

use super::frequencies::Layout;
use super::ground::{
    Ground, Looked, MOST_NODES, Work, check_size, limit, note_on_models, with_words,
};
use super::judge::{Judge, Measure};
use super::levels::{Levels, height};
use super::ranking::Ranking;
use super::walk::{Plan, Visitor, Walk};
use crate::kit::{Result, words};
use crate::method::algorithm::{Algorithm, MethodInfo};
use crate::method::family::Family;
use crate::method::options::{OptionInfo, OptionValues};
use crate::method::settings::{Words, settings};
use crate::problem::Problem;
use crate::search::{Control, Solution};

const MINIMAL: OptionInfo = OptionInfo {
    name: "minimal",
    values: OptionValues::Words(Minimal::NAMES),
    about: "the k-minimal nodes to choose from: those of least height, or all of the lattice",
};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "samarati",
    about: "the k-minimal combinations of hierarchy levels of least height (Samarati 2001)",
    family: Family::FullDomain,
    recoding: "global",
    options: Samarati::OPTIONS,
    heeds_levels: true,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

/// Which k-minimal nodes are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Minimal {
    /// Those of least height.
    #[default]
    Lowest,
    /// All of the lattice.
    All,
}

impl Words for Minimal {
    const NAMES: &'static [&'static str] = &["lowest", "all"];
    const CHOICES: &'static [Self] = &[Minimal::Lowest, Minimal::All];
}

settings! {
    /// Samarati's AllMin: the k-minimal full-domain generalizations.
    pub struct Samarati {
        /// Which k-minimal nodes are wanted.
        minimal: Minimal = MINIMAL,
        /// The most nodes a lattice may have if all are wanted.
        most_nodes: u64 = MOST_NODES,
    }
}

/// The most k-minimal nodes that are told.
const MOST_TOLD: usize = 10_000;

impl Algorithm for Samarati {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let all = self.minimal == Minimal::All;
        let lattice = Levels::new(problem);
        if all {
            check_size("samarati with minimal=all", &lattice, self.most_nodes)?;
        }
        let judge = Judge::new(&lattice, problem.metric, limit(problem));
        let layout = Layout::new(&lattice)?;
        let ground = Ground { lattice: &lattice, judge: &judge, layout: &layout, control };
        let mut looked = with_words(layout.words, AllMin { ground, all });
        if let Some(best) = looked.ranking.best() {
            control.improved(best.cost, || lattice.recoding(&best.node));
            let number = words::count(looked.ranking.len() as u64, "node is", "nodes are");
            let at = match all {
                true => String::new(),
                false => format!(", all at height {}", height(&lattice.shown(&best.node))),
            };
            looked.notes.push(format!("{number} k-minimal{at}"));
        }
        // With nothing suppressed the cost never falls on the way up.
        Ok(looked.solution(&judge, all && judge.limit == 0))
    }
}

struct AllMin<'a> {
    ground: Ground<'a>,
    all: bool,
}

impl Work<Looked> for AllMin<'_> {
    fn run<const W: usize>(self) -> Looked {
        let ground = self.ground;
        let mut walk: Walk<'_, W> = Walk::new(ground);
        let mut notes = Vec::new();
        let ranking = if self.all {
            let mut minimal = Collected::new(ground);
            walk.go(&mut minimal);
            minimal.ranking
        } else {
            let mut at = |height: u32, only_one: bool| {
                let ranking = Ranking::new(MOST_TOLD);
                let mut layer = Layer { ground, height, only_one, ranking };
                walk.go(&mut layer);
                layer.ranking
            };
            let (mut least, mut most) = (0, height(&ground.lattice.top()));
            if ground.judge.is_monotone() {
                // No satisfying node is below `least`; if there is any, one is at `most`.
                let mut known = Ranking::new(1);
                while least < most && ground.control.stop().is_none() {
                    let middle = least + (most - least) / 2;
                    let found = at(middle, true);
                    match found.best() {
                        Some(_) => (most, known) = (middle, found),
                        None => least = middle + 1,
                    }
                }
                let found = if least < most { Ranking::new(1) } else { at(least, false) };
                // If the search was stopped, a node further up is still a solution.
                if found.best().is_some() { found } else { known }
            } else {
                notes.extend(note_on_models(ground.judge));
                let mut found = at(least, false);
                while found.best().is_none() && least < most {
                    least += 1;
                    found = at(least, false);
                }
                found
            }
        };
        Looked { ranking, checked: walk.checked, stopped: walk.stopped, notes }
    }
}

/// Looks at the nodes of one height.
struct Layer<'a> {
    ground: Ground<'a>,
    height: u32,
    /// Whether one satisfying node is enough.
    only_one: bool,
    ranking: Ranking,
}

impl Visitor for Layer<'_> {
    fn plan(&mut self, node: &[u32]) -> Plan {
        let so_far = height(node);
        // Only attributes from the last raised one on can still be raised.
        let last = node.iter().rposition(|&level| level > 0).unwrap_or(0);
        let levels = &self.ground.lattice.levels;
        let open = (last..node.len()).map(|at| levels[at].len() as u32 - 1 - node[at]);
        if so_far == self.height {
            Plan::Measure
        } else if so_far < self.height && so_far + open.sum::<u32>() >= self.height {
            Plan::Pass
        } else {
            Plan::Skip
        }
    }

    fn take(&mut self, node: &[u32], measure: &Measure) -> bool {
        self.ranking.offer(self.ground.judge, node, measure);
        !(self.only_one && self.ranking.best().is_some())
    }
}

/// Finds all satisfying nodes with no satisfying node below.
struct Collected<'a> {
    ground: Ground<'a>,
    /// By number: whether the node or one below it satisfies.
    reached: Vec<bool>,
    ranking: Ranking,
}

impl<'a> Collected<'a> {
    fn new(ground: Ground<'a>) -> Self {
        let nodes = ground.lattice.nodes() as usize;
        Collected { ground, reached: vec![false; nodes], ranking: Ranking::new(MOST_TOLD) }
    }
}

impl Visitor for Collected<'_> {
    fn plan(&mut self, node: &[u32]) -> Plan {
        let lattice = self.ground.lattice;
        let mut below = node.to_vec();
        let reached = (0..node.len()).any(|at| {
            node[at] > 0 && {
                below[at] -= 1;
                let number = lattice.number(&below);
                below[at] += 1;
                self.reached[number]
            }
        });
        if reached {
            self.reached[lattice.number(node)] = true;
        }
        // Above a satisfying node none is minimal, but what is above must still be marked.
        if reached { Plan::Mark } else { Plan::Measure }
    }

    fn take(&mut self, node: &[u32], measure: &Measure) -> bool {
        if self.ground.judge.accepts(measure) {
            self.reached[self.ground.lattice.number(node)] = true;
            self.ranking.offer(self.ground.judge, node, measure);
        }
        true
    }
}
