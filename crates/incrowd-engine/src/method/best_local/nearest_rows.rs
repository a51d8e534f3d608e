//! Which rows are alike.
//!
//! Rows are sorted some two dozen times, each time by the attributes in another random order, those in
//! which rows that differ cost most preferably first. What stands side by side in one of these orders is
//! compared; the nearest are kept.

use super::packed::{PackedRows, for_each_bit};
use super::prices::LocalPrices;
use crate::kit::SearchRng;

/// For each row the rows most like it, nearest first.
pub(super) struct NearestRows {
    rows: Vec<u32>,
    starts: Vec<u32>,
}

/// How often the rows are sorted.
const ORDERS: usize = 24;

/// How far apart two rows may stand in an order to be compared.
const REACH: usize = 2;

/// How many rows each remembers.
const KEPT: usize = 24;

/// How many pairs of rows tell how much an attribute matters.
const PAIRS: usize = 512;

impl NearestRows {
    pub(super) fn of(&self, row: u32) -> &[u32] {
        let (from, to) = (self.starts[row as usize], self.starts[row as usize + 1]);
        &self.rows[from as usize..to as usize]
    }

    pub(super) fn new<const W: usize>(
        packed: &PackedRows<W>,
        prices: &LocalPrices<'_>,
        chance: &mut SearchRng,
    ) -> Self {
        let number = packed.bits.len();
        let columns = SortColumn::all(packed, prices, chance);
        let mut orders = Vec::with_capacity(ORDERS);
        let mut places = Vec::with_capacity(ORDERS);
        for _ in 0..ORDERS {
            let order = order(&columns, number, chance);
            let mut place = vec![0u32; number];
            for (at, &row) in order.iter().enumerate() {
                place[row as usize] = at as u32;
            }
            orders.push(order);
            places.push(place);
        }
        let mut near = NearestRows { rows: Vec::with_capacity(number * KEPT), starts: vec![0] };
        let mut seen = vec![u32::MAX; number];
        let mut found: Vec<(f32, u32)> = Vec::new();
        let distance = RowPairCost { packed, prices };
        for row in 0..number as u32 {
            found.clear();
            seen[row as usize] = row;
            for (order, place) in orders.iter().zip(&places) {
                let at = place[row as usize] as usize;
                for &other in &order[at.saturating_sub(REACH)..(at + REACH + 1).min(number)] {
                    if seen[other as usize] != row {
                        seen[other as usize] = row;
                        found.push((distance.between(row, other), other));
                    }
                }
            }
            if found.len() > KEPT {
                found.select_nth_unstable_by(KEPT, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                found.truncate(KEPT);
            }
            near.rows.extend(found.iter().map(|found| found.1));
            near.starts.push(near.rows.len() as u32);
        }
        near
    }
}

/// What two rows would pay as a group.
struct RowPairCost<'a, const W: usize> {
    packed: &'a PackedRows<W>,
    prices: &'a LocalPrices<'a>,
}

impl<const W: usize> RowPairCost<'_, W> {
    fn between(&self, row: u32, other: u32) -> f32 {
        let RowPairCost { packed, prices } = self;
        let (ours, theirs) = (&packed.bits[row as usize], &packed.bits[other as usize]);
        let mut differ = [0; W];
        for word in 0..W {
            differ[word] = ours[word] & !theirs[word];
        }
        let mut price = 0.0;
        for_each_bit(&differ, |bit| {
            let slot = usize::from(packed.slot_of[bit]);
            price += prices.sets[slot / 2].of(2, slot % 2 == 1);
        });
        for (span, (&our, &their)) in
            prices.spans.iter().zip(packed.codes_of(row).iter().zip(packed.codes_of(other)))
        {
            price += span.of(our.min(their), our.max(their));
        }
        price
    }
}

/// An attribute to sort by.
struct SortColumn {
    /// The rank of each row's value.
    ranks: Vec<u32>,
    bits: u32,
    /// What two rows pay for it on average.
    weight: f64,
    /// Whether values close to each other are alike.
    ordered: bool,
}

impl SortColumn {
    fn all<const W: usize>(
        packed: &PackedRows<W>,
        prices: &LocalPrices<'_>,
        chance: &mut SearchRng,
    ) -> Vec<SortColumn> {
        let number = packed.bits.len();
        let pairs: Vec<(u32, u32)> = (0..PAIRS)
            .map(|_| (chance.below(number) as u32, chance.below(number) as u32))
            .collect();
        let column = |values: Vec<u32>, ordered: bool, price: &dyn Fn(u32, u32) -> f32| {
            let mut known = values.clone();
            known.sort_unstable();
            known.dedup();
            let rank = |value: &u32| known.partition_point(|other| other < value) as u32;
            let weight: f64 = pairs
                .iter()
                .map(|&(a, b)| f64::from(price(values[a as usize], values[b as usize])))
                .sum();
            SortColumn {
                bits: usize::BITS - (known.len() - 1).leading_zeros(),
                ranks: values.iter().map(rank).collect(),
                weight: weight / PAIRS as f64 + 1e-9,
                ordered,
            }
        };
        let rows = 0..number as u32;
        let sets = prices.sets.iter().enumerate().map(|(set, price)| {
            let values = rows.clone().map(|row| u32::from(packed.bit_of(row, set))).collect();
            column(values, false, &|a, b| if a == b { 0.0 } else { price.of(2, false) })
        });
        let spans = prices.spans.iter().enumerate().map(|(span, price)| {
            let values = rows.clone().map(|row| packed.code_of(row, span)).collect();
            column(values, true, &|a, b| price.of(a.min(b), a.max(b)))
        });
        sets.chain(spans).collect()
    }
}

/// The rows in a random lexicographic order.
fn order(columns: &[SortColumn], rows: usize, chance: &mut SearchRng) -> Vec<u32> {
    let mut turns: Vec<(f64, usize)> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| (chance.exponential() / column.weight, at))
        .collect();
    turns.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Bits of the key: (column, bits dropped below, bits taken). Of an ordered column the upper bits
    // take its turn, the others come last.
    let mut fields = Vec::new();
    let mut last = Vec::new();
    for (_, at) in turns {
        let column = &columns[at];
        let kept_back = if column.ordered && column.bits > 1 {
            chance.below(column.bits as usize) as u32
        } else {
            0
        };
        fields.push((at, kept_back, column.bits - kept_back));
        last.push((at, 0, kept_back));
    }
    fields.extend(last);
    let mut keys: Vec<(u64, u32)> = (0..rows as u32).map(|row| (0, row)).collect();
    let mut room = 64;
    for (at, drop, take) in fields {
        let take_now = take.min(room);
        if take_now == 0 {
            continue;
        }
        room -= take_now;
        let drop = drop + take - take_now;
        let mask = (1u64 << take_now) - 1;
        for (key, row) in &mut keys {
            let rank = u64::from(columns[at].ranks[*row as usize]);
            *key = (*key << take_now) | (rank >> drop & mask);
        }
    }
    keys.sort_unstable();
    keys.into_iter().map(|(_, row)| row).collect()
}
