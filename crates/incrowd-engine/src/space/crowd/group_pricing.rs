//! The pricing problem: the best crowd around one combination, by branch and bound over boxes.
//!
//! A node is a box that the crowd fills at least, and the combinations that may still join it. It is divided by whether
//! anybody in the crowd makes the box dearer in an attribute, then by a value that the crowd holds or does not hold,
//! or by an end that it reaches or does not reach: so its depth does not grow with k. The value of a crowd is for a
//! [`PricingGoal`] to say.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::context::{CrowdCandidate, CrowdContext};

/// Combinations with how many rows of each.
pub(crate) type CrowdMembers = Vec<(u32, i64)>;

/// What makes a crowd good.
pub(super) trait PricingGoal {
    /// An upper bound of the value of any crowd of a node, and a crowd of exactly k rows from its candidates that
    /// would have that value if it cost no more than each of its members alone; none if there is no crowd. It may put
    /// the candidates into another order. The second number is what makes candidates hopeless here and below.
    fn look(
        &mut self,
        candidates: &mut [CrowdCandidate],
        crowd: &mut CrowdMembers,
    ) -> Option<(i64, i64)>;

    /// The value of a crowd that costs each of its rows this much.
    fn worth(&self, crowd: &CrowdMembers, cost: i64) -> i64;

    /// Whether no crowd with this candidate exceeds `best`, by what the look at the node has told.
    fn is_hopeless(&self, candidate: CrowdCandidate, told: i64, best: i64) -> bool;
}

/// What was found.
pub(super) struct PricingResult {
    /// No crowd has a higher value.
    pub(super) bound: i64,
    /// The value of the best one found, if any exceeds what was asked for.
    pub(super) worth: Option<i64>,
    /// The crowds found, each better than the one before, with what a row of them pays.
    pub(super) crowds: Vec<(CrowdMembers, i64)>,
    /// How many candidates were looked at.
    pub(super) looks: u64,
}

/// How a node is divided.
#[derive(Debug, Clone, Copy)]
enum BranchDecision {
    /// By whether anybody makes an attribute dearer.
    Dearer(usize),
    /// By a value of a set.
    Value(usize, u32),
    /// By whether the crowd reaches down to a code.
    Down(usize, u32),
    /// By whether it reaches up to a code.
    Up(usize, u32),
}

/// A box that a crowd fills at least, and what else is known of it.
#[derive(Clone)]
struct CrowdBox {
    words: Vec<u64>,
    /// What each attribute costs at least, where that is more than the box and a member alone say.
    floors: Vec<i64>,
    /// The attributes of which is known whether anybody makes them dearer.
    asked: u64,
}

struct CrowdNode {
    bound: i64,
    /// Later nodes first: they are deeper.
    number: u64,
    place: CrowdBox,
    candidates: Vec<CrowdCandidate>,
    told: i64,
    division: BranchDecision,
}

impl Ord for CrowdNode {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.cmp(&other.bound).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for CrowdNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CrowdNode {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for CrowdNode {}

/// One pricing problem.
struct GroupPricing<'a, G> {
    ground: &'a CrowdContext,
    goal: &'a mut G,
    /// The value of the best crowd, or what it has to exceed.
    best: i64,
    open: BinaryHeap<CrowdNode>,
    found: PricingResult,
    nodes: u64,
    crowd: CrowdMembers,
}

/// Searches for the crowd of the highest value above `least` that fills a box and is made of these candidates, with so many
/// looks at candidates at most.
pub(super) fn hunt<G: PricingGoal>(
    ground: &CrowdContext,
    goal: &mut G,
    words: Vec<u64>,
    candidates: Vec<CrowdCandidate>,
    least: i64,
    looks: u64,
) -> PricingResult {
    let found = PricingResult { bound: least, worth: None, crowds: Vec::new(), looks: 0 };
    let open = BinaryHeap::new();
    let mut hunt =
        GroupPricing { ground, goal, best: least, open, found, nodes: 0, crowd: Vec::new() };
    let floors = vec![0; ground.prices.len()];
    hunt.open(CrowdBox { words, floors, asked: 0 }, candidates, i64::MAX);
    while let Some(node) = hunt.open.pop() {
        if node.bound <= hunt.best {
            break;
        }
        if hunt.found.looks >= looks {
            hunt.open.push(node);
            break;
        }
        hunt.divide(node);
    }
    let top = hunt.open.peek().map_or(hunt.best, |node| node.bound);
    hunt.found.bound = top.max(hunt.best);
    hunt.found
}

impl<G: PricingGoal> GroupPricing<'_, G> {
    /// Takes up a node unless nothing in it exceeds what there is.
    fn open(&mut self, place: CrowdBox, mut candidates: Vec<CrowdCandidate>, above: i64) {
        self.found.looks += candidates.len() as u64 + 1;
        let mut crowd = std::mem::take(&mut self.crowd);
        let look = self.goal.look(&mut candidates, &mut crowd);
        let look = look.map(|(bound, told)| (bound.min(above), told));
        if let Some((bound, told)) = look.filter(|it| it.0 > self.best) {
            let mut full = place.words.clone();
            crowd.iter().for_each(|&(id, _)| self.ground.add(&mut full, id));
            // The crowd itself may be narrower than what the node makes it fill.
            let cost = self.ground.cost_of(crowd.iter().map(|member| member.0));
            let worth = self.goal.worth(&crowd, cost);
            if worth > self.best {
                self.best = worth;
                self.found.worth = Some(worth);
                self.found.crowds.push((crowd.clone(), cost));
            }
            if bound > self.best
                && let Some(division) = self.division(&place, &full, &crowd)
            {
                let goal = &self.goal;
                candidates.retain(|&candidate| !goal.is_hopeless(candidate, told, self.best));
                self.nodes += 1;
                let number = self.nodes;
                self.open.push(CrowdNode { bound, number, place, candidates, told, division });
            }
        }
        self.crowd = crowd;
    }

    /// By what to divide a node whose crowd is wider than its box: in the attribute that costs most more.
    fn division(
        &self,
        place: &CrowdBox,
        full: &[u64],
        crowd: &CrowdMembers,
    ) -> Option<BranchDecision> {
        let (ground, words) = (self.ground, &place.words[..]);
        let more = |at: usize| {
            let price = &ground.prices[at];
            price.now(full).now - price.now(words).now.max(place.floors[at])
        };
        let at = (0..ground.prices.len()).max_by_key(|&at| (more(at), std::cmp::Reverse(at)))?;
        if more(at) <= 0 {
            return None;
        }
        if at < u64::BITS as usize && place.asked >> at & 1 == 0 {
            return Some(BranchDecision::Dearer(at));
        }
        let price = &ground.prices[at];
        let codes = || crowd.iter().map(|&(id, rows)| (ground.code(id, at), rows));
        if price.is_set() {
            let mut outside: Vec<(u32, i64)> = codes()
                .filter(|&(code, _)| !price.holds(words, code))
                .map(|(code, rows)| (price.bit(code), rows))
                .collect();
            outside.sort_unstable();
            let rows = |bit: u32| -> i64 {
                outside.iter().filter(|other| other.0 == bit).map(|other| other.1).sum()
            };
            let most = outside.iter().max_by_key(|it| (rows(it.0), std::cmp::Reverse(it.0)))?;
            return Some(BranchDecision::Value(at, most.0));
        }
        let (first, last) = price.ends(words);
        let low = codes().map(|it| it.0).min()?.min(first);
        let high = codes().map(|it| it.0).max()?.max(last);
        let now = price.now(words);
        let dearer_up = now.with(words, high) > now.with(words, low);
        if high > last && (dearer_up || low == first) {
            Some(BranchDecision::Up(at, high))
        } else {
            Some(BranchDecision::Down(at, low))
        }
    }

    fn divide(&mut self, node: CrowdNode) {
        let CrowdNode { bound, place, mut candidates, told, division, .. } = node;
        let (at, code) = match division {
            BranchDecision::Dearer(at) => return self.ask(at, place, candidates, (bound, told)),
            BranchDecision::Value(at, code)
            | BranchDecision::Down(at, code)
            | BranchDecision::Up(at, code) => (at, code),
        };
        let ground = self.ground;
        let price = &ground.prices[at];
        let words = &place.words;
        let mut wider = place.clone();
        price.add(&mut wider.words, code);
        let (now, then) = (price.now(words), price.now(&wider.words));
        let floor = place.floors[at];
        if then.now >= floor {
            wider.floors[at] = 0;
            wider.asked &= !bit(at);
        }
        let least = wider.floors[at];
        self.found.looks += candidates.len() as u64;
        let (best, goal) = (self.best, &self.goal);
        let inside: Vec<CrowdCandidate> = candidates
            .iter()
            .filter_map(|&candidate| {
                let code = ground.code(candidate.id, at);
                let before = now.with(words, code).max(floor);
                let cost = candidate.cost - before + then.with(&wider.words, code).max(least);
                let moved = CrowdCandidate { cost, ..candidate };
                (!goal.is_hopeless(moved, told, best)).then_some(moved)
            })
            .collect();
        candidates.retain(|candidate| {
            let other = ground.code(candidate.id, at);
            match division {
                BranchDecision::Value(..) => price.bit(other) != code,
                BranchDecision::Down(..) => other > code,
                BranchDecision::Up(..) | BranchDecision::Dearer(_) => other < code,
            }
        });
        self.open(wider, inside, bound);
        self.open(place, candidates, bound);
    }

    /// Divides a node by whether anybody makes an attribute dearer: if somebody does, all pay the least of that.
    fn ask(
        &mut self,
        at: usize,
        mut place: CrowdBox,
        mut candidates: Vec<CrowdCandidate>,
        (bound, told): (i64, i64),
    ) {
        let ground = self.ground;
        let now = ground.prices[at].now(&place.words);
        let with = |id: u32| now.with(&place.words, ground.code(id, at));
        self.found.looks += candidates.len() as u64;
        let dearer = candidates.iter().map(|it| with(it.id)).filter(|&it| it > now.now).min();
        let (best, goal) = (self.best, &self.goal);
        let some: Option<(i64, Vec<CrowdCandidate>)> = dearer.map(|least| {
            let all = candidates.iter().map(|&candidate| {
                let cost = candidate.cost + (least - with(candidate.id)).max(0);
                CrowdCandidate { cost, ..candidate }
            });
            (least, all.filter(|&it| !goal.is_hopeless(it, told, best)).collect())
        });
        candidates.retain(|candidate| with(candidate.id) <= now.now);
        place.asked |= bit(at);
        if let Some((least, all)) = some {
            let mut dear = place.clone();
            dear.floors[at] = least;
            self.open(dear, all, bound);
        }
        self.open(place, candidates, bound);
    }
}

/// The bit of an attribute that can be asked about.
fn bit(at: usize) -> u64 {
    if at < u64::BITS as usize { 1 << at } else { 0 }
}
