//! Where a partition is cut.

use super::{Along, Mode, Mondrian, Piece};
use crate::privacy::Tally;
use crate::problem::Problem;
use crate::recoding::Group;

/// The values of one attribute in a partition: ascending codes with their rows.
type Values = Vec<(u32, u64)>;

/// Looks at partitions and cuts them. Keeps its buffers from one partition to the next.
pub(super) struct Cutter<'a> {
    problem: &'a Problem,
    mondrian: Mondrian,
    /// Per attribute, the values of the partition looked at last.
    values: Vec<Values>,
    /// Per attribute, zeros between uses.
    counts: Vec<Vec<u64>>,
    rows: u64,
    left: Tally,
    right: Tally,
    whole: Tally,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(problem: &'a Problem, mondrian: Mondrian) -> Self {
        let width = problem.attributes.len();
        let tally = problem.labels.tally();
        Cutter {
            problem,
            mondrian,
            values: vec![Vec::new(); width],
            counts: problem.domains().into_iter().map(|size| vec![0; size]).collect(),
            rows: 0,
            left: tally.clone(),
            right: tally.clone(),
            whole: tally,
        }
    }

    /// Counts the values of each attribute in a partition.
    pub(super) fn look_at(&mut self, pieces: &[Piece]) {
        self.rows = pieces.iter().map(|piece| u64::from(piece.count)).sum();
        for (at, (values, counts)) in self.values.iter_mut().zip(&mut self.counts).enumerate() {
            values.clear();
            let codes = self.problem.cells.codes(at);
            for piece in pieces {
                let code = codes.get(piece.cell as usize);
                let count = &mut counts[code as usize];
                if *count == 0 {
                    values.push((code, 0));
                }
                *count += u64::from(piece.count);
            }
            values.sort_unstable();
            for (code, held) in values.iter_mut() {
                *held = std::mem::take(&mut counts[*code as usize]);
            }
        }
    }

    /// The released groups of the partition looked at last.
    pub(super) fn groups(&self) -> impl Iterator<Item = Group> + '_ {
        let mut codes = Vec::new();
        self.values.iter().zip(&self.problem.attributes).map(move |(values, attribute)| {
            codes.clear();
            codes.extend(values.iter().map(|value| value.0));
            attribute.group(&codes)
        })
    }

    /// Cuts the partition looked at last along its widest attribute that allows it.
    pub(super) fn cut(&mut self, pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
        if self.rows < 2 * self.problem.privacy.k {
            return None;
        }
        let mut widest: Vec<(f64, usize)> = (0..self.values.len())
            .filter(|&at| self.values[at].len() > 1)
            .map(|at| (self.width(at), at))
            .collect();
        widest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        if !self.problem.privacy.requirements.is_empty() {
            self.fill_whole(pieces);
        }
        widest.into_iter().find_map(|(_, at)| self.cut_along(at, pieces))
    }

    /// How wide the partition is in an attribute, relative to the whole domain.
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

    /// Whether missing stands beside other values: such a class could only be released blank.
    fn mixes_missing(&self, at: usize) -> bool {
        let missing = self.problem.attributes[at].domain.missing_code();
        missing.is_some() && missing == self.values[at].first().map(|value| value.0)
    }

    fn cut_along(&mut self, at: usize, pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
        if self.mixes_missing(at) && self.allowed(at, pieces)[0] {
            return Some(self.split(at, pieces, &[self.values[at][1].0]));
        }
        if self.mondrian.along == Along::Tree && self.problem.attributes[at].hierarchy.is_some() {
            return self.cut_tree(at, pieces);
        }
        if self.mondrian.mode == Mode::Relaxed
            && let Some(halves) = self.halve(at, pieces)
        {
            return Some(halves);
        }
        // At the median, or at the allowed cut that halves the rows best: the first of equals is the
        // one at the median.
        let allowed = self.allowed(at, pieces);
        let values = &self.values[at];
        let mut before = 0;
        let mut best: Option<(u64, u64, u32)> = None;
        for (cut, allowed) in allowed.into_iter().enumerate() {
            before += values[cut].1;
            let uneven = (2 * before).abs_diff(self.rows);
            // Of two cuts around the median value, the one above it is the median cut.
            let candidate = (uneven, u64::MAX - before, values[cut + 1].0);
            if allowed && best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        best.map(|(_, _, from)| self.split(at, pieces, &[from]))
    }

    /// For each boundary between neighbouring values, whether both sides pass.
    fn allowed(&mut self, at: usize, pieces: &[Piece]) -> Vec<bool> {
        let k = self.problem.privacy.k;
        let mut before = 0;
        let mut allowed: Vec<bool> = self.values[at][..self.values[at].len() - 1]
            .iter()
            .map(|value| {
                before += value.1;
                before >= k && self.rows - before >= k
            })
            .collect();
        if self.problem.privacy.requirements.is_empty() || !allowed.contains(&true) {
            return allowed;
        }
        let codes = self.problem.cells.codes(at);
        let mut by_code: Vec<&Piece> = pieces.iter().collect();
        by_code.sort_by_key(|piece| codes.get(piece.cell as usize));
        let mut by_code = by_code.into_iter().peekable();
        self.left.clear();
        for (cut, allowed) in allowed.iter_mut().enumerate() {
            let last = self.values[at][cut].0;
            while let Some(piece) = by_code.next_if(|piece| codes.get(piece.cell as usize) <= last)
            {
                self.left.add(self.problem.labels.of(piece.label), piece.count);
            }
            if *allowed {
                *allowed = self.both_pass();
            }
        }
        allowed
    }

    /// Whether `left` and what it leaves of the partition pass.
    fn both_pass(&mut self) -> bool {
        self.right.difference(&self.whole, &self.left);
        let privacy = &self.problem.privacy;
        privacy.passes(&self.left) && privacy.passes(&self.right)
    }

    fn fill_whole(&mut self, pieces: &[Piece]) {
        self.whole.clear();
        for piece in pieces {
            self.whole.add(self.problem.labels.of(piece.label), piece.count);
        }
    }

    /// The pieces on either side of boundaries, each given by the first code behind it.
    fn split(&self, at: usize, pieces: &[Piece], boundaries: &[u32]) -> Vec<Vec<Piece>> {
        let codes = self.problem.cells.codes(at);
        let mut sides = vec![Vec::new(); boundaries.len() + 1];
        for &piece in pieces {
            let code = codes.get(piece.cell as usize);
            sides[boundaries.partition_point(|&boundary| boundary <= code)].push(piece);
        }
        sides
    }

    /// Between the children of the lowest node above the values: all of them that occur must pass.
    fn cut_tree(&mut self, at: usize, pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
        let tree = self.problem.attributes[at].hierarchy.as_ref()?;
        let values = &self.values[at];
        let node = tree.common(values[0].0, values[values.len() - 1].0);
        let boundaries: Vec<u32> =
            tree.children(node).skip(1).map(|child| tree.codes(child).start).collect();
        let mut sides = self.split(at, pieces, &boundaries);
        sides.retain(|side| !side.is_empty());
        let mut tally = self.left.clone();
        let privacy = &self.problem.privacy;
        let all_pass = sides.iter().all(|side| {
            tally.clear();
            for piece in side {
                if privacy.requirements.is_empty() {
                    tally.size += u64::from(piece.count);
                } else {
                    tally.add(self.problem.labels.of(piece.label), piece.count);
                }
            }
            privacy.passes(&tally)
        });
        all_pass.then_some(sides)
    }

    /// Two halves, the rows at the median dealt to either side.
    fn halve(&mut self, at: usize, pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
        let target = self.rows / 2;
        let values = &self.values[at];
        let mut before = 0;
        let (median, room) = values.iter().find_map(|&(code, held)| {
            before += held;
            (before >= target).then(|| (code, target - (before - held)))
        })?;
        let codes = self.problem.cells.codes(at);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let mut room = room;
        for &piece in pieces {
            let code = codes.get(piece.cell as usize);
            if code != median {
                if code < median {
                    left.push(piece)
                } else {
                    right.push(piece)
                }
                continue;
            }
            let taken = room.min(u64::from(piece.count)) as u32;
            room -= u64::from(taken);
            if taken > 0 {
                left.push(Piece { count: taken, ..piece });
            }
            if taken < piece.count {
                right.push(Piece { count: piece.count - taken, ..piece });
            }
        }
        // Halves of one value each would be the same class again.
        let only =
            |side: &[Piece]| side.iter().all(|piece| codes.get(piece.cell as usize) == median);
        if only(&left) && only(&right) {
            return None;
        }
        if self.problem.privacy.requirements.is_empty() {
            return Some(vec![left, right]);
        }
        self.left.clear();
        for piece in &left {
            self.left.add(self.problem.labels.of(piece.label), piece.count);
        }
        self.both_pass().then(|| vec![left, right])
    }
}
