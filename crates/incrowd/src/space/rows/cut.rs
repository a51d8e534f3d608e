//! Where a part is cut.

use rayon::prelude::*;

use super::candidates::{Candidate, Scratch, Split, Units};
use super::partition::{Ahead, Along, Cut, Dimension, Mode, PartitionRules, Piece};
use super::spread::Spreads;
use crate::problem::Problem;
use crate::value::Group;

/// The values of one attribute in a part: ascending codes with their rows.
pub(super) type Values = Vec<(u32, u64)>;

/// Attributes of parts of at least so many pieces are looked at in parallel.
const PARALLEL: usize = 1 << 16;

/// A part is small if it has less than so many times k rows.
const SMALL: u64 = 8;

/// So many of the best cuts are looked behind.
const TRIED: usize = 3;

/// Looks at parts and cuts them. Keeps its buffers from one part to the next.
pub(super) struct Cutter<'a> {
    pub(super) problem: &'a Problem,
    pub(super) spreads: Option<&'a Spreads>,
    pub(super) rules: PartitionRules,
    /// Per attribute, the values of the part looked at last.
    pub(super) values: Vec<Values>,
    /// Per attribute, zeros between uses.
    counts: Vec<Vec<u64>>,
    pub(super) rows: u64,
    scratch: Scratch,
    /// Looks at the sides of a cut.
    next: Option<Box<Cutter<'a>>>,
}

/// The best of the cuts, the first of equals.
fn best(found: Vec<(usize, Candidate)>) -> Option<(usize, Candidate)> {
    found.into_iter().reduce(|best, next| if next.1.order(&best.1).is_lt() { next } else { best })
}

impl<'a> Cutter<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        spreads: Option<&'a Spreads>,
        rules: PartitionRules,
    ) -> Self {
        Cutter {
            problem,
            spreads,
            rules,
            values: vec![Vec::new(); problem.attributes.len()],
            counts: problem.domains().into_iter().map(|size| vec![0; size]).collect(),
            rows: 0,
            scratch: Scratch::new(problem),
            next: None,
        }
    }

    /// Cuts a part, if any cut is allowed.
    pub(super) fn cut(&mut self, pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
        self.look_at(pieces)?;
        let mut scratch = std::mem::replace(&mut self.scratch, Scratch::none());
        scratch.fill_whole(self.problem, pieces);
        let chosen = match (self.rules.dimension, self.rules.cut) {
            (Dimension::Range, _) | (Dimension::Auto, Cut::Median) => {
                self.first_of(|at| self.width(at), pieces, &mut scratch)
            }
            (Dimension::Entropy, _) => self.first_of(|at| self.entropy(at), pieces, &mut scratch),
            (Dimension::Penalty | Dimension::Auto, _) => {
                let found = self.best_of_each(pieces, &mut scratch);
                if self.looks_ahead() { self.best_ahead(found, pieces) } else { best(found) }
            }
        };
        self.scratch = scratch;
        chosen.map(|(at, candidate)| self.sides(at, candidate, pieces))
    }

    /// Whether the next cut of each side decides on this one.
    fn looks_ahead(&self) -> bool {
        let most = match self.rules.ahead {
            Ahead::Off => 0,
            Ahead::Small => SMALL * self.problem.privacy.k,
            Ahead::All => u64::MAX,
        };
        self.rules.cut == Cut::Penalty && self.rows < most
    }

    /// Of the best cuts the one after which the next cuts leave the least penalty.
    fn best_ahead(
        &mut self,
        mut found: Vec<(usize, Candidate)>,
        pieces: &[Piece],
    ) -> Option<(usize, Candidate)> {
        let spreads = self.spreads?;
        // Stable: of equals the attribute named first comes first.
        found.sort_by(|a, b| a.1.order(&b.1));
        found.truncate(TRIED);
        if found.len() < 2 {
            return found.pop();
        }
        let mut next = self
            .next
            .take()
            .unwrap_or_else(|| Box::new(Cutter::new(self.problem, self.spreads, self.rules)));
        for (at, candidate) in &mut found {
            let sides = self.sides(*at, candidate.clone(), pieces);
            candidate.merit = sides.iter().map(|side| next.least_penalty(spreads, side)).sum();
        }
        self.next = Some(next);
        best(found)
    }

    /// What the best cut of a part would leave of its penalty; all of it, if it cannot be cut.
    fn least_penalty(&mut self, spreads: &Spreads, pieces: &[Piece]) -> f64 {
        if self.look_at(pieces).is_some() {
            let mut scratch = std::mem::replace(&mut self.scratch, Scratch::none());
            scratch.fill_whole(self.problem, pieces);
            let found = best(self.best_of_each(pieces, &mut scratch));
            self.scratch = scratch;
            if let Some((_, candidate)) = found {
                return candidate.merit;
            }
        }
        self.penalty_of(spreads, pieces)
    }

    /// Counts the values of each attribute in a part; none if it is too small to be cut.
    fn look_at(&mut self, pieces: &[Piece]) -> Option<()> {
        self.rows = pieces.iter().map(|piece| piece.count).sum();
        if self.rows < 2 * self.problem.privacy.k {
            return None;
        }
        let cells = &self.problem.cells;
        let look = |(at, (values, counts)): (usize, (&mut Values, &mut Vec<u64>))| {
            values.clear();
            let codes = cells.codes(at);
            for piece in pieces {
                let code = codes.get(piece.cell as usize);
                let count = &mut counts[code as usize];
                if *count == 0 {
                    values.push((code, 0));
                }
                *count += piece.count;
            }
            values.sort_unstable();
            for (code, held) in values.iter_mut() {
                *held = std::mem::take(&mut counts[*code as usize]);
            }
        };
        let both = (&mut self.values, &mut self.counts);
        if pieces.len() < PARALLEL {
            both.0.iter_mut().zip(both.1).enumerate().for_each(look);
        } else {
            both.0.par_iter_mut().zip(both.1).enumerate().for_each(look);
        }
        Some(())
    }

    /// The attributes that have several values in the part.
    fn mixed(&self) -> Vec<usize> {
        (0..self.values.len()).filter(|&at| self.values[at].len() > 1).collect()
    }

    /// The cut along the first attribute that allows one, those of largest size first.
    fn first_of(
        &self,
        size: impl Fn(usize) -> f64,
        pieces: &[Piece],
        scratch: &mut Scratch,
    ) -> Option<(usize, Candidate)> {
        let mut sized: Vec<(f64, usize)> =
            self.mixed().into_iter().map(|at| (size(at), at)).collect();
        sized.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        sized.into_iter().find_map(|(_, at)| Some((at, self.best_along(at, pieces, scratch)?)))
    }

    /// The best cut along each attribute that allows one.
    fn best_of_each(&self, pieces: &[Piece], scratch: &mut Scratch) -> Vec<(usize, Candidate)> {
        let price_anew =
            self.rules.dimension == Dimension::Penalty && self.rules.cut != Cut::Penalty;
        let judge = |at: usize, scratch: &mut Scratch| {
            let mut candidate = self.best_along(at, pieces, scratch)?;
            if price_anew && let Some(spreads) = self.spreads {
                candidate.merit = self.penalty_after(spreads, at, &candidate, pieces);
            }
            Some((at, candidate))
        };
        if pieces.len() < PARALLEL {
            return self.mixed().into_iter().filter_map(|at| judge(at, scratch)).collect();
        }
        let whole = &*scratch;
        self.mixed().into_par_iter().filter_map(|at| judge(at, &mut whole.clone())).collect()
    }

    /// How wide the part is in an attribute, relative to the whole domain.
    fn width(&self, at: usize) -> f64 {
        let attribute = &self.problem.attributes[at];
        let values = &self.values[at];
        let (first, last) = (values[0].0, values[values.len() - 1].0);
        let share = if self.mixes_missing(at) {
            1.0
        } else if let Some(tree) = &attribute.hierarchy {
            tree.codes(tree.common(first, last)).len() as f64 / attribute.domain.len() as f64
        } else if attribute.is_measured_by_width() {
            attribute.width(&Group::Range { first, last }) / attribute.domain.range()
        } else {
            values.len() as f64 / attribute.domain.len() as f64
        };
        share * attribute.weight
    }

    /// How much an attribute's values tell of a row of the part, in bits.
    fn entropy(&self, at: usize) -> f64 {
        let rows = self.rows as f64;
        let bits = self.values[at].iter().map(|value| {
            let share = value.1 as f64 / rows;
            -share * share.log2()
        });
        bits.sum::<f64>() * self.problem.attributes[at].weight
    }

    /// Whether missing stands beside other values: such a class could only be released blank.
    pub(super) fn mixes_missing(&self, at: usize) -> bool {
        let missing = self.problem.attributes[at].domain.missing_code();
        missing.is_some() && missing == self.values[at].first().map(|value| value.0)
    }

    /// Whether an attribute is cut along its hierarchy.
    pub(super) fn follows_tree(&self, at: usize) -> bool {
        self.rules.along == Along::Tree && self.problem.attributes[at].hierarchy.is_some()
    }

    /// The best cut along an attribute, if any is allowed.
    fn best_along(&self, at: usize, pieces: &[Piece], scratch: &mut Scratch) -> Option<Candidate> {
        if self.rules.cut != Cut::Penalty && self.mixes_missing(at) {
            // Missing values are parted from others as soon as they can be, whatever else is gained.
            let units = Units::of_values(&self.values[at]);
            if let Some(candidate) = self.part_missing(at, &units, pieces, scratch) {
                return Some(candidate);
            }
        }
        if self.rules.cut == Cut::Median && self.follows_tree(at) {
            return self.all_children(at, pieces, scratch);
        }
        let halve = self.rules.mode == Mode::Relaxed && !self.follows_tree(at);
        if self.rules.cut == Cut::Median {
            let halves = || self.halved(at, pieces, scratch);
            return halve.then(halves).flatten().or_else(|| self.median(at, pieces, scratch));
        }
        let strict = self.best_of_all(at, pieces, scratch);
        strict.or_else(|| halve.then(|| self.halved(at, pieces, scratch)).flatten())
    }

    /// The pieces on the sides of a cut.
    pub(super) fn sides(
        &self,
        at: usize,
        candidate: Candidate,
        pieces: &[Piece],
    ) -> Vec<Vec<Piece>> {
        let codes = self.problem.cells.codes(at);
        let code = |piece: &Piece| codes.get(piece.cell as usize);
        match candidate.split {
            Split::Halves(left, right) => vec![left, right],
            Split::Before(boundaries) => {
                let mut sides = vec![Vec::new(); boundaries.len() + 1];
                for piece in pieces {
                    let side = boundaries.partition_point(|&boundary| boundary <= code(piece));
                    sides[side].push(*piece);
                }
                sides
            }
            Split::Alone(alone) => {
                let (inside, outside) =
                    pieces.iter().partition(|piece| alone.contains(&code(piece)));
                vec![inside, outside]
            }
        }
    }
}
