//! A block: some of the rows and the groups they stand in.
//!
//! Of its set attributes a group keeps two bit masks, the values *present* and those *held once*; of its
//! span attributes the two lowest and the two highest codes. So what a row would cost in a group, or a
//! group without one of its rows, takes a few words and no look at the members. What stands for a set that is
//! too long to be printed is found once and remembered.

use std::cell::RefCell;

use hashbrown::HashMap;

use super::packed::{PackedRows, for_each_bit};
use super::prices::SetPrice;
use super::rows::LocalRows;
use crate::kit::KeyedHashState;
use crate::privacy::ClassTally;

/// Prices of long sets by their bits.
type LongSetPrices<const W: usize> = RefCell<HashMap<[u64; W], f32, KeyedHashState>>;

/// So many words of long sets are remembered for each attribute.
const REMEMBERED: usize = 1 << 18;

/// Where rows stand that are suppressed.
pub(super) const OUT: u32 = u32::MAX;

/// What a group keeps of itself as a whole.
#[derive(Clone, Copy)]
pub(super) struct GroupAggregate<const W: usize> {
    present: [u64; W],
    once: [u64; W],
    pub(super) size: u32,
    /// What each of its rows pays.
    pub(super) price: f32,
}

impl<const W: usize> GroupAggregate<W> {
    const EMPTY: Self = GroupAggregate { present: [0; W], once: [0; W], size: 0, price: 0.0 };

    /// What all its rows pay.
    #[inline]
    pub(super) fn cost(&self) -> f32 {
        self.size as f32 * self.price
    }
}

/// What a group keeps of a set attribute.
#[derive(Clone, Copy, Default)]
struct SetAggregate {
    values: u32,
    /// How many characters they take in a label.
    taken: u32,
    /// Whether missing is one of them.
    missing: bool,
    price: f32,
    /// What the price rises by with one more value, as long as all are told one by one; the second if that is missing.
    more: [f32; 2],
    /// What it falls by with one less.
    less: [f32; 2],
}

impl SetAggregate {
    /// Takes the price of its values, which may be one by one or that of a label in their place.
    fn reprice(&mut self, set: &SetPrice<'_>, now: Option<f32>) {
        let SetAggregate { values, missing, .. } = *self;
        let price = |values: u32, missing: bool| set.of(values, missing && values > 1);
        self.price = now.unwrap_or_else(|| price(values, missing));
        self.more = [missing, true].map(|missing| price(values + 1, missing) - self.price);
        let fewer = values.saturating_sub(1);
        self.less = [missing, false].map(|missing| self.price - price(fewer, missing));
    }
}

/// What a group keeps of a span attribute: its ends, and what the ends would be without a row there.
#[derive(Clone, Copy)]
struct SpanAggregate {
    low: u32,
    high: u32,
    next_low: u32,
    next_high: u32,
    price: f32,
}

impl SpanAggregate {
    const EMPTY: Self =
        SpanAggregate { low: u32::MAX, high: 0, next_low: u32::MAX, next_high: 0, price: 0.0 };

    #[inline]
    fn add(&mut self, code: u32, first: bool) {
        if first {
            (self.low, self.high) = (code, code);
            return;
        }
        if code < self.low {
            (self.next_low, self.low) = (self.low, code);
        } else if code < self.next_low {
            self.next_low = code;
        }
        if code > self.high {
            (self.next_high, self.high) = (self.high, code);
        } else if code > self.next_high {
            self.next_high = code;
        }
    }
}

/// A row that went from one group to another.
#[derive(Clone, Copy)]
struct RowMove {
    row: u32,
    from: u32,
    to: u32,
}

/// Rows in groups, with steps that can be taken back.
pub(super) struct RowBlock<'a, const W: usize> {
    pub(super) rows: &'a LocalRows<'a>,
    pub(super) packed: PackedRows<W>,
    /// The row behind each of the block's rows.
    pub(super) ids: Vec<u32>,
    /// The group of each row, or [`OUT`].
    pub(super) home: Vec<u32>,
    /// Its place among the members.
    place: Vec<u32>,
    pub(super) members: Vec<Vec<u32>>,
    pub(super) out: Vec<u32>,
    pub(super) crowds: Vec<GroupAggregate<W>>,
    held: Vec<SetAggregate>,
    ends: Vec<SpanAggregate>,
    /// Kept where models beyond k look at them.
    tallies: Vec<ClassTally>,
    steps: Vec<RowMove>,
    /// The groups touched since the last decision as they were.
    saved: Vec<(u32, GroupAggregate<W>)>,
    saved_held: Vec<SetAggregate>,
    saved_ends: Vec<SpanAggregate>,
    /// Of each set attribute what stands for its long sets.
    long_sets: Vec<LongSetPrices<W>>,
    /// The decision at which each group was last saved.
    saved_at: Vec<u64>,
    decision: u64,
}

impl<'a, const W: usize> RowBlock<'a, W> {
    /// A block of groups of rows, and of rows that are suppressed.
    pub(super) fn new(rows: &'a LocalRows<'a>, groups: &[Vec<u32>], out: &[u32]) -> Self {
        let ids: Vec<u32> = groups.iter().flatten().chain(out).copied().collect();
        let packed = PackedRows::new(rows, &ids);
        let mut block = RowBlock {
            rows,
            packed,
            home: vec![OUT; ids.len()],
            place: vec![0; ids.len()],
            members: Vec::new(),
            out: Vec::new(),
            crowds: Vec::new(),
            held: Vec::new(),
            ends: Vec::new(),
            tallies: Vec::new(),
            steps: Vec::new(),
            saved: Vec::new(),
            saved_held: Vec::new(),
            saved_ends: Vec::new(),
            long_sets: vec![RefCell::default(); rows.prices.sets.len()],
            saved_at: Vec::new(),
            decision: 1,
            ids,
        };
        let mut row = 0;
        for group in groups {
            let at = block.open_group();
            for _ in group {
                block.enlist(row, at);
                block.welcome(row, at);
                row += 1;
            }
        }
        for row in row..block.ids.len() as u32 {
            block.enlist(row, OUT);
        }
        block
    }

    /// A new group without rows.
    pub(super) fn open_group(&mut self) -> u32 {
        let at = self.crowds.len() as u32;
        self.members.push(Vec::new());
        self.crowds.push(GroupAggregate::EMPTY);
        self.saved_at.push(0);
        self.held.extend((0..self.packed.sets).map(|_| SetAggregate::default()));
        self.ends.extend((0..self.packed.spans).map(|_| SpanAggregate::EMPTY));
        if !self.rows.problem.privacy.is_by_size() {
            self.tallies.push(self.rows.problem.targets.tally());
        }
        let first = at as usize * self.packed.sets;
        for (held, set) in self.held[first..].iter_mut().zip(&self.rows.prices.sets) {
            held.reprice(set, None);
        }
        at
    }

    /// The groups as lists of rows; empty ones are left out.
    pub(super) fn groups(&self) -> Vec<Vec<u32>> {
        let full = self.members.iter().filter(|members| !members.is_empty());
        full.map(|members| members.iter().map(|&row| self.ids[row as usize]).collect()).collect()
    }

    /// The suppressed rows.
    pub(super) fn suppressed(&self) -> Vec<u32> {
        self.out.iter().map(|&row| self.ids[row as usize]).collect()
    }

    /// What all rows cost.
    pub(super) fn cost(&self) -> f64 {
        let each = self.crowds.iter().map(|crowd| f64::from(crowd.size) * f64::from(crowd.price));
        each.sum::<f64>() + self.out.len() as f64
    }

    /// What each row of a group would pay with this one.
    #[inline]
    pub(super) fn price_with(&self, group: u32, row: u32) -> f32 {
        let group = group as usize;
        let crowd = &self.crowds[group];
        let mut price = crowd.price;
        let held = &self.held[group * self.packed.sets..];
        let bits = &self.packed.bits[row as usize];
        let new = std::array::from_fn(|word| bits[word] & !crowd.present[word]);
        for_each_bit::<W>(&new, |bit| {
            let slot = usize::from(self.packed.slot_of[bit]);
            let (held, set) = (&held[slot / 2], &self.rows.prices.sets[slot / 2]);
            let is_blank = held.missing || slot % 2 == 1;
            price += if is_blank || set.fits(held.taken + self.packed.length_of_bit[bit]) {
                held.more[slot % 2]
            } else {
                let mut with = crowd.present;
                with[bit / 64] |= 1 << (bit % 64);
                self.long_set_price(slot / 2, &with) - held.price
            };
        });
        let spans = self.packed.spans;
        let ends = &self.ends[group * spans..(group + 1) * spans];
        let codes = self.packed.codes_of(row);
        for span in 0..spans {
            let (ends, code) = (&ends[span], codes[span]);
            if code < ends.low || code > ends.high {
                let new = self.rows.prices.spans[span].of(code.min(ends.low), code.max(ends.high));
                price += new - ends.price;
            }
        }
        price
    }

    /// What the block would cost more if a row came into a group.
    #[inline]
    pub(super) fn joining(&self, group: u32, row: u32) -> f32 {
        let crowd = &self.crowds[group as usize];
        let price = self.price_with(group, row);
        price + crowd.size as f32 * (price - crowd.price)
    }

    /// What the block would cost more (mostly less) if a row left its group.
    #[inline]
    pub(super) fn leaving(&self, row: u32) -> f32 {
        let group = self.home[row as usize];
        if group == OUT {
            return -1.0;
        }
        let group = group as usize;
        let crowd = &self.crowds[group];
        let mut price = crowd.price;
        let held = &self.held[group * self.packed.sets..];
        let bits = &self.packed.bits[row as usize];
        let gone = std::array::from_fn(|word| bits[word] & crowd.once[word]);
        for_each_bit::<W>(&gone, |bit| {
            let slot = usize::from(self.packed.slot_of[bit]);
            let (held, set) = (&held[slot / 2], &self.rows.prices.sets[slot / 2]);
            let is_blank = held.missing && slot % 2 == 0;
            price -= if is_blank || set.fits(held.taken - self.packed.length_of_bit[bit]) {
                held.less[slot % 2]
            } else {
                let mut without = crowd.present;
                without[bit / 64] &= !(1 << (bit % 64));
                held.price - self.long_set_price(slot / 2, &without)
            };
        });
        let spans = self.packed.spans;
        let ends = &self.ends[group * spans..(group + 1) * spans];
        let codes = self.packed.codes_of(row);
        for span in 0..spans {
            let (ends, code) = (&ends[span], codes[span]);
            let low = if code == ends.low { ends.next_low } else { ends.low };
            let high = if code == ends.high { ends.next_high } else { ends.high };
            if (low, high) != (ends.low, ends.high) && crowd.size > 1 {
                price += self.rows.prices.spans[span].of(low, high) - ends.price;
            }
        }
        (crowd.size - 1) as f32 * price - crowd.cost()
    }

    /// What stands for a set of values that are too many to be told one by one; none of them is missing.
    fn long_set_price(&self, set: usize, present: &[u64; W]) -> f32 {
        let mask = &self.packed.mask_of_set[set];
        let mut values: [u64; W] = std::array::from_fn(|word| present[word] & mask[word]);
        let has_many = self.packed.has_many[set];
        if has_many {
            values = ends_of(&values);
        }
        let mut known = self.long_sets[set].borrow_mut();
        if let Some(&price) = known.get(&values) {
            return price;
        }
        let mut codes = Vec::new();
        for_each_bit::<W>(&values, |bit| codes.push(self.packed.code_of_bit[bit]));
        let price = match codes[..] {
            [first, .., last] if has_many => self.rows.prices.of_ends(set, first, last),
            _ => self.rows.prices.of_values(set, &codes),
        };
        if known.len() * W >= REMEMBERED {
            known.clear();
        }
        known.insert(values, price);
        price
    }

    /// Prices a set attribute of a group anew.
    fn reprice(&mut self, at: usize, set: usize) {
        let held = &self.held[at * self.packed.sets + set];
        let price = &self.rows.prices.sets[set];
        let is_short = held.missing || price.fits(held.taken);
        let now = (!is_short).then(|| self.long_set_price(set, &self.crowds[at].present));
        self.held[at * self.packed.sets + set].reprice(price, now);
    }

    /// The prices of a group's attributes: the sets', then the spans'.
    pub(super) fn prices_of(&self, group: u32) -> impl Iterator<Item = f32> + '_ {
        let (group, PackedRows { sets, spans, .. }) = (group as usize, &self.packed);
        let held = self.held[group * sets..(group + 1) * sets].iter().map(|held| held.price);
        held.chain(self.ends[group * spans..(group + 1) * spans].iter().map(|ends| ends.price))
    }

    /// The lowest and the highest code of a group in a span attribute.
    pub(super) fn ends_of(&self, group: u32, span: usize) -> (u32, u32) {
        let ends = &self.ends[group as usize * self.packed.spans + span];
        (ends.low, ends.high)
    }

    /// Whether a group meets all that is asked of a class.
    pub(super) fn passes(&self, group: u32) -> bool {
        let privacy = &self.rows.problem.privacy;
        match self.tallies.get(group as usize) {
            Some(tally) => privacy.passes(tally),
            None => u64::from(self.crowds[group as usize].size) >= privacy.k,
        }
    }

    /// Whether a row's group would do without it, or the row has none.
    pub(super) fn can_spare(&mut self, row: u32) -> bool {
        let group = self.home[row as usize];
        if group == OUT {
            return true;
        }
        let privacy = &self.rows.problem.privacy;
        if u64::from(self.crowds[group as usize].size) <= privacy.k {
            return false;
        }
        let Some(tally) = self.tallies.get_mut(group as usize) else { return true };
        let codes = self.rows.label_codes(self.ids[row as usize]);
        take(tally, codes);
        let passes = privacy.passes(tally);
        tally.add(codes, 1);
        passes
    }

    /// Moves a row, which changes the groups at once.
    fn relocate(&mut self, row: u32, to: u32) {
        let from = self.home[row as usize];
        let list = if from == OUT { &mut self.out } else { &mut self.members[from as usize] };
        let place = self.place[row as usize];
        list.swap_remove(place as usize);
        if let Some(&last) = list.get(place as usize) {
            self.place[last as usize] = place;
        }
        if let Some(tally) = self.tallies.get_mut(from as usize) {
            take(tally, self.rows.label_codes(self.ids[row as usize]));
        }
        self.enlist(row, to);
    }

    fn enlist(&mut self, row: u32, to: u32) {
        self.home[row as usize] = to;
        let list = if to == OUT { &mut self.out } else { &mut self.members[to as usize] };
        self.place[row as usize] = list.len() as u32;
        list.push(row);
        if let Some(tally) = self.tallies.get_mut(to as usize) {
            tally.add(self.rows.label_codes(self.ids[row as usize]), 1);
        }
    }

    /// Moves a row to a group, or [`OUT`]. The group it leaves must be [refreshed](Block::refresh) before
    /// its prices are asked for.
    pub(super) fn shift(&mut self, row: u32, to: u32) {
        let from = self.home[row as usize];
        self.steps.push(RowMove { row, from, to });
        if from != OUT {
            self.save(from);
        }
        self.relocate(row, to);
        if to != OUT {
            self.save(to);
            self.welcome(row, to);
        }
    }

    /// Counts a row that a group has got.
    fn welcome(&mut self, row: u32, group: u32) {
        let at = group as usize;
        let bits = self.packed.bits[row as usize];
        let crowd = &mut self.crowds[at];
        let first = crowd.size == 0;
        crowd.size += 1;
        let mut new = [0; W];
        for word in 0..W {
            new[word] = bits[word] & !crowd.present[word];
            crowd.once[word] = (crowd.once[word] & !bits[word]) | new[word];
            crowd.present[word] |= bits[word];
        }
        for_each_bit(&new, |bit| {
            let slot = usize::from(self.packed.slot_of[bit]);
            let held = &mut self.held[at * self.packed.sets + slot / 2];
            held.values += 1;
            held.taken += self.packed.length_of_bit[bit];
            held.missing |= slot % 2 == 1;
            self.reprice(at, slot / 2);
        });
        for (span, price) in self.rows.prices.spans.iter().enumerate() {
            let code = self.packed.codes[row as usize * self.packed.spans + span];
            let ends = &mut self.ends[at * self.packed.spans + span];
            let before = (ends.low, ends.high);
            ends.add(code, first);
            if first || before != (ends.low, ends.high) {
                ends.price = price.of(ends.low, ends.high);
            }
        }
        self.sum_up(group);
    }

    fn sum_up(&mut self, group: u32) {
        let (at, PackedRows { sets, spans, .. }) = (group as usize, &self.packed);
        let mut price = 0.0;
        for held in &self.held[at * sets..(at + 1) * sets] {
            price += held.price;
        }
        for ends in &self.ends[at * spans..(at + 1) * spans] {
            price += ends.price;
        }
        self.crowds[at].price = price;
    }

    /// Counts a group anew after rows have left it.
    pub(super) fn refresh(&mut self, group: u32) {
        let at = group as usize;
        let members = &self.members[at];
        let (mut seen, mut twice) = ([0; W], [0; W]);
        for &row in members {
            let bits = &self.packed.bits[row as usize];
            for word in 0..W {
                twice[word] |= seen[word] & bits[word];
                seen[word] |= bits[word];
            }
        }
        let crowd = &mut self.crowds[at];
        let mut gone = [0; W];
        for word in 0..W {
            gone[word] = crowd.present[word] & !seen[word];
            crowd.present[word] = seen[word];
            crowd.once[word] = seen[word] & !twice[word];
        }
        crowd.size = members.len() as u32;
        for_each_bit(&gone, |bit| {
            let slot = usize::from(self.packed.slot_of[bit]);
            let held = &mut self.held[at * self.packed.sets + slot / 2];
            held.values -= 1;
            held.taken -= self.packed.length_of_bit[bit];
            held.missing &= slot % 2 == 0;
        });
        // Only with all of them gone.
        for_each_bit(&gone, |bit| self.reprice(at, usize::from(self.packed.slot_of[bit]) / 2));
        let (members, spans) = (&self.members[at], self.packed.spans);
        for (span, price) in self.rows.prices.spans.iter().enumerate() {
            let mut ends = SpanAggregate::EMPTY;
            for (member, &row) in members.iter().enumerate() {
                ends.add(self.packed.codes[row as usize * spans + span], member == 0);
            }
            if !members.is_empty() {
                ends.price = price.of(ends.low, ends.high);
            }
            self.ends[at * spans + span] = ends;
        }
        self.sum_up(group);
    }

    /// Keeps a group as it is now, to be able to go back.
    fn save(&mut self, group: u32) {
        let at = group as usize;
        if self.saved_at[at] == self.decision {
            return;
        }
        self.saved_at[at] = self.decision;
        let PackedRows { sets, spans, .. } = self.packed;
        self.saved.push((group, self.crowds[at]));
        self.saved_held.extend_from_slice(&self.held[at * sets..(at + 1) * sets]);
        self.saved_ends.extend_from_slice(&self.ends[at * spans..(at + 1) * spans]);
    }

    /// What the block costs more than at the last decision; groups touched since then must be up to date.
    pub(super) fn change(&self) -> f64 {
        let groups = self.saved.iter().map(|&(group, before)| {
            let after = &self.crowds[group as usize];
            f64::from(after.size) * f64::from(after.price)
                - f64::from(before.size) * f64::from(before.price)
        });
        let out = self.steps.iter().map(|step| {
            // A row may take several steps: only the sum of them matters.
            f64::from(step.to == OUT) - f64::from(step.from == OUT)
        });
        groups.sum::<f64>() + out.sum::<f64>()
    }

    /// Whether every group touched since the last decision passes, or has no rows.
    pub(super) fn all_pass(&self) -> bool {
        let fine = |group: u32| self.members[group as usize].is_empty() || self.passes(group);
        self.saved.iter().all(|&(group, _)| fine(group))
    }

    /// Lets the steps since the last decision stand.
    pub(super) fn keep(&mut self) {
        self.decide();
    }

    /// Takes back the steps since the last decision.
    pub(super) fn undo(&mut self) {
        while let Some(RowMove { row, from, .. }) = self.steps.pop() {
            self.relocate(row, from);
        }
        let PackedRows { sets, spans, .. } = self.packed;
        for (index, &(group, crowd)) in self.saved.iter().enumerate() {
            let at = group as usize;
            self.crowds[at] = crowd;
            self.held[at * sets..(at + 1) * sets]
                .copy_from_slice(&self.saved_held[index * sets..(index + 1) * sets]);
            self.ends[at * spans..(at + 1) * spans]
                .copy_from_slice(&self.saved_ends[index * spans..(index + 1) * spans]);
        }
        self.decide();
    }

    fn decide(&mut self) {
        self.decision += 1;
        self.steps.clear();
        self.saved.clear();
        self.saved_held.clear();
        self.saved_ends.clear();
    }
}

/// The first and the last of some bits.
fn ends_of<const W: usize>(words: &[u64; W]) -> [u64; W] {
    let mut ends = [0; W];
    if let Some(word) = words.iter().position(|word| *word != 0) {
        ends[word] |= 1 << words[word].trailing_zeros();
    }
    if let Some(word) = words.iter().rposition(|word| *word != 0) {
        ends[word] |= 1 << (63 - words[word].leading_zeros());
    }
    ends
}

/// Takes one row out of a tally.
fn take(tally: &mut ClassTally, codes: &[u32]) {
    tally.remove(codes, 1);
}
