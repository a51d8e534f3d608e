//! Certificates about intervals: a tree of decisions about cuts.
//!
//! Every cut between two neighbouring values of a column is made, not made, or open. The body walks a tree: it decides
//! cuts, divides a case by one cut, and closes cases. Whatever it says is worked out anew, and what a step
//! proves is the least cost in the cases that it closes. The bound is the least of all these.

mod choice;
mod cost;
mod node;
mod path;
mod probe;

use std::io::Read;

use crate::error::{Error, Result};
use crate::input::Input;
use crate::key::Key;
use crate::question::{Metric, Question};
use crate::table::Profiles;
use choice::{Choice, Layout};
use cost::{Classification, CostRule, Discernibility};
use node::{Ground, Node};
use probe::Probe;

/// These cuts are not made in any better release of the case.
const OUT: u8 = 1;
/// These cuts are made in every better release of the case.
const IN: u8 = 2;
/// The case is divided: in the first part a cut is made, in the second it is not.
const BRANCH: u8 = 3;
/// The case is closed.
const CLOSE: u8 = 4;
/// The case is put off.
const DEFER: u8 = 5;
/// The case has open cuts in one column only, and is closed.
const PATH: u8 = 6;
/// What was decided holds for all cases to come.
const KEEP: u8 = 7;

/// Checks the body; returns the bound and the number of cases that were closed.
pub(crate) fn check<R: Read>(
    question: &Question,
    profiles: &Profiles,
    body: &mut Input<R>,
) -> Result<(u64, u64)> {
    let layout = Layout::new(question)?;
    let dm = Discernibility { k: question.k, rows: question.rows };
    let cm = Classification { k: question.k, half: question.k / 2 + 1 };
    match (question.metric, layout.bits <= u64::BITS) {
        (Metric::Dm, true) => walk::<u64, _, R>(question, profiles, layout, dm, body),
        (Metric::Dm, false) => walk::<u128, _, R>(question, profiles, layout, dm, body),
        (_, true) => walk::<u64, _, R>(question, profiles, layout, cm, body),
        (_, false) => walk::<u128, _, R>(question, profiles, layout, cm, body),
    }
}

fn walk<K: Key, C: CostRule, R: Read>(
    question: &Question,
    profiles: &Profiles,
    layout: Layout,
    rule: C,
    body: &mut Input<R>,
) -> Result<(u64, u64)> {
    let Some(root) = layout.root(question) else { return Ok((u64::MAX, 0)) };
    let probe = Probe::new(layout.slots);
    let ground = Ground { layout, rule, k: question.k, limit: question.limit };
    let (bound, cases) = (u64::MAX, 0);
    let put_off = vec![Some(root.clone())];
    let mut walk =
        Walk { ground, profiles, claim: question.claim, root, put_off, probe, bound, cases };
    while let Some(number) = body.number()? {
        let begin = match number {
            0 => Some(walk.root.clone()),
            number => {
                let at = usize::try_from(number - 1).ok().filter(|&at| at < walk.put_off.len());
                let at = at.ok_or(Error::Damaged("it continues a case that was not put off"))?;
                let choices =
                    walk.put_off[at].take().ok_or(Error::Damaged("it continues a case twice"))?;
                walk.ground.layout.both(&choices, &walk.root)
            }
        };
        let mut node = begin.map_or_else(Node::closed, |begin| walk.node(begin));
        if walk.fragment::<K, R>(&mut node, number == 0, body)? {
            walk.root = node.choices;
        }
    }
    // What was put off and never continued is closed here, at its own bound.
    for choices in std::mem::take(&mut walk.put_off).into_iter().flatten() {
        if let Some(choices) = walk.ground.layout.both(&choices, &walk.root) {
            let node: Node<K> = walk.node(choices);
            walk.close(walk.ground.bound(&node));
        }
    }
    Ok((walk.bound, walk.cases))
}

/// A walk through the cases.
struct Walk<'a, C> {
    ground: Ground<C>,
    profiles: &'a Profiles,
    claim: u64,
    /// What holds for all cases.
    root: Vec<Choice>,
    /// Cases that were put off, by their number less one.
    put_off: Vec<Option<Vec<Choice>>>,
    probe: Probe,
    /// The least cost in the cases that were closed.
    bound: u64,
    cases: u64,
}

impl<C: CostRule> Walk<'_, C> {
    fn node<K: Key>(&self, choices: Vec<Choice>) -> Node<K> {
        self.ground.node(self.profiles, choices)
    }

    /// Closes a case in which nothing costs less than this.
    fn close(&mut self, bound: u64) {
        self.bound = self.bound.min(bound);
        self.cases += 1;
    }

    /// Walks through a case up to its end; tells whether what was decided holds for all.
    fn fragment<K: Key, R: Read>(
        &mut self,
        node: &mut Node<K>,
        is_root: bool,
        body: &mut Input<R>,
    ) -> Result<bool> {
        // The cases around the present one, each with the cut that it is divided by.
        let mut around: Vec<(Node<K>, usize)> = Vec::new();
        let mut named = Vec::new();
        loop {
            let step = body.byte()?.ok_or(Error::Damaged("it ends within a case"))?;
            match step {
                OUT | IN => {
                    named.clear();
                    for _ in 0..body.below(self.ground.layout.slots)? {
                        named.push(self.cut(body)?);
                    }
                    named.retain(|&slot| node.choices.get(slot) == Some(&Choice::Open));
                    if !named.is_empty() {
                        self.decide(node, step, &named);
                    }
                }
                BRANCH => {
                    let slot = self.cut(body)?;
                    let child = match (node.is_closed(), node.choices.get(slot)) {
                        (true, _) => Node::closed(),
                        (false, Some(Choice::Open)) => self.ground.made(node, slot),
                        _ => return Err(Error::Damaged("it divides by a cut that is decided")),
                    };
                    around.push((std::mem::replace(node, child), slot));
                }
                CLOSE | DEFER | PATH => {
                    match step {
                        CLOSE => self.close(self.ground.bound(node)),
                        PATH => {
                            let bound = path::least(&self.ground, node, self.claim);
                            self.close(
                                bound.ok_or(Error::Damaged("a path needs one open column"))?,
                            );
                        }
                        _ if node.is_closed() => self.put_off.push(None),
                        _ => self.put_off.push(Some(node.choices.clone())),
                    }
                    let Some((parent, slot)) = around.pop() else {
                        match (is_root, step) {
                            // All cases are closed at once.
                            (true, CLOSE) => self.put_off.fill(None),
                            (true, _) => return Err(Error::Damaged("all cases are put off")),
                            _ => {}
                        }
                        return Ok(false);
                    };
                    *node = parent;
                    if !node.is_closed() {
                        self.ground.take_out(node, &[slot]);
                    }
                }
                KEEP if is_root && around.is_empty() && !node.is_closed() => return Ok(true),
                _ => return Err(Error::Damaged("it has a step that does not exist")),
            }
        }
    }

    /// The number of a cut between two values.
    fn cut<R: Read>(&self, body: &mut Input<R>) -> Result<usize> {
        let slot = body.below(self.ground.layout.slots)?;
        match self.ground.layout.is_cut(slot) {
            true => Ok(slot),
            false => Err(Error::Damaged("it names a cut that does not exist")),
        }
    }

    /// Decides cuts; what is against it in the case costs at least what is proven.
    fn decide<K: Key>(&mut self, node: &mut Node<K>, step: u8, named: &[usize]) {
        let bounds = match step {
            OUT => self.probe.made(&self.ground, node, named),
            _ => self.probe.not_made(&self.ground, node, named),
        };
        bounds.into_iter().for_each(|bound| self.close(bound));
        match step {
            OUT => self.ground.take_out(node, named),
            _ => named.iter().for_each(|&slot| self.ground.make(node, slot)),
        }
    }
}
