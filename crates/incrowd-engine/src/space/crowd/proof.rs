//! A lower bound of what every grouping of rows costs, with as much work as is granted.

use super::attribute_prices::ONE;
use super::context::CrowdContext;
use super::dual_prices::{DualPrices, improve};
use super::group_pricing::CrowdMembers;
use super::personal_minima::{minima, total};
use super::repair::{RepairBudget, repair};
use crate::problem::Problem;
use crate::recoding::{OUTSIDE, ProfileShare};
use crate::search::Control;
use crate::space::proof_steps::{self, ProofSteps};
use crate::value::Group;

/// Tables with more combinations, and larger k, get personal minima only.
const MOST_COMBINATIONS: usize = 100_000;
const MOST_K: i64 = 1_000;

/// When dual prices are repaired, the roots may share the work that finding them took, and no root gets more steps than this. As
/// long as it is not used up, each may have so many times its part: most need little, and few need much.
const MOST_LOOKS: u64 = 500_000;
const AMPLE: u64 = 16;

/// How much work a bound may take, in looks at a combination.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProofBudget {
    /// For personal minima.
    pub(crate) minima: u64,
    /// For what is better than they are.
    pub(crate) dual: u64,
    /// Whether a part of the combinations will do where not all can be looked at.
    pub(crate) in_part: bool,
}

/// What is proven of every grouping of a table's rows.
#[derive(Debug, Clone)]
pub(crate) struct LocalProof {
    /// No grouping costs less.
    pub(crate) bound: f64,
    /// No grouping costs less with 99% confidence, where only a part of the combinations was looked at.
    pub(crate) estimate: Option<f64>,
    /// How many combinations were looked at, of so many that are no crowd of their own.
    pub(crate) looked: usize,
    pub(crate) of: usize,
    /// Crowds, as rows by cell, with how much of each the linear program takes that the bound comes from.
    pub(crate) crowds: Vec<(Vec<(u32, u64)>, f64)>,
}

/// Proves a bound for a metric that [prices crowds](super::is_priced); none where a part of the combinations will not do.
/// The crowds of a release that was found help to find dual prices; what is proven does not rest on them.
pub(crate) fn prove(
    problem: &Problem,
    found: &[ProfileShare],
    work: ProofBudget,
    control: &Control,
) -> Option<LocalProof> {
    let ground = CrowdContext::new(problem);
    let looks = (work.minima / 64).clamp(1_000, 1_000_000);
    let minima = minima(&ground, (work.minima, work.in_part), looks, control);
    if minima.looked < minima.of && !work.in_part {
        return None;
    }
    let mut proof = LocalProof {
        bound: minima.bound(&ground),
        estimate: minima.estimate(&ground),
        looked: minima.looked,
        of: minima.of,
        crowds: Vec::new(),
    };
    let is_small = ground.len() <= MOST_COMBINATIONS && (2..=MOST_K).contains(&ground.k);
    if work.dual == 0 || minima.looked < minima.of || !is_small || control.stop().is_some() {
        write_down(problem, &ground, &minima.least, &minima.least, control);
        return Some(proof);
    }
    let mut best = minima.least.clone();
    let DualPrices { worths, crowds, .. } =
        improve(&ground, &minima, &crowds(&ground, found), work.dual, control);
    let cells = ground.cells();
    let members = |crowd: CrowdMembers| {
        crowd.into_iter().map(|(id, rows)| (cells[id as usize], rows.max(0) as u64)).collect()
    };
    proof.crowds = crowds.into_iter().map(|(crowd, taken)| (members(crowd), taken)).collect();
    for share in shares(ground.k) {
        let mut mixed: Vec<i64> = worths
            .iter()
            .zip(&minima.least)
            .map(|(&worth, &least)| {
                let more = (worth - least) as i128 * i128::from(share) / 100;
                (least + more as i64).min(ground.most)
            })
            .collect();
        let part = (work.dual / ground.len().max(1) as u64).clamp(1, MOST_LOOKS);
        let looks = RepairBudget { each: AMPLE * part, ample: work.dual, then: part };
        repair(&ground, &mut mixed, &minima.least, looks, control);
        let bound = total(&ground, &mixed);
        if bound > proof.bound {
            proof.bound = bound;
            best = mixed;
        }
    }
    write_down(problem, &ground, &minima.least, &best, control);
    Some(proof)
}

/// Writes personal minima and dual prices down for the checker of certificates, in the order of the combinations' values.
///
/// The checker rounds the price of each attribute down from whole parts, so what adds up here could be as many parts too
/// much for each row: that is taken off.
fn write_down(
    problem: &Problem,
    ground: &CrowdContext,
    minima: &[i64],
    worths: &[i64],
    control: &Control,
) {
    let metric = problem.group_prices(problem.metric);
    let parts = |at: usize| {
        let share = metric.of(at, &Group::Blank) / metric.suppressed();
        ((share * (1.0 - 1e-14) * ONE as f64) as i64).clamp(0, ONE) as u64
    };
    let control = proof_steps::begin(control, || proof_steps::groups(problem, parts));
    let Some(log) = control.proof() else { return };
    let cells = &problem.cells;
    let width = problem.attributes.len();
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    order.sort_by_cached_key(|&cell| -> Vec<u32> {
        (0..width).map(|at| cells.code(at, cell as usize)).collect()
    });
    let slack = width as i64 + 1;
    let mut steps = ProofSteps::default();
    let places = || order.iter().map(|&cell| ground.of_cell(cell) as usize);
    for place in places() {
        steps.number((minima[place] - slack).max(0) as u64);
    }
    let mut claim = 0i128;
    for (place, &cell) in places().zip(&order) {
        let worth = worths[place] - slack;
        steps.number((worth << 1 ^ worth >> 63) as u64);
        claim += i128::from(worth) * i128::from(cells.counts()[cell as usize]);
    }
    log.write(&steps.0);
    log.claim(u64::try_from(claim.max(0)).unwrap_or(0));
}

/// The crowds that the shares of a local recoding make.
pub(super) fn crowds(ground: &CrowdContext, found: &[ProfileShare]) -> Vec<CrowdMembers> {
    let mut rows: Vec<(u32, u32, i64)> = found
        .iter()
        .filter(|share| share.class != OUTSIDE)
        .map(|share| {
            let rows = i64::try_from(share.count).unwrap_or(i64::MAX);
            (share.class, ground.of_cell(share.cell), rows)
        })
        .collect();
    rows.sort_unstable();
    let classes = rows.chunk_by(|one, two| one.0 == two.0);
    let crowd = |class: &[(u32, u32, i64)]| -> CrowdMembers {
        let members = class.chunk_by(|one, two| one.1 == two.1);
        members.map(|same| (same[0].1, same.iter().map(|it| it.2).sum())).collect()
    };
    classes.map(crowd).collect()
}

/// How far from personal minima towards what the program says, in percent: where crowds are large, few of them can
/// be looked at to the end, and more is taken back than was gained.
fn shares(k: i64) -> Vec<i64> {
    match k {
        ..=7 => vec![100],
        8..=15 => vec![96],
        16..=40 => vec![100, 35],
        _ => vec![100, 15],
    }
}
