//! k-member clustering: a start for blocks whose groups are small.
//!
//! A group begins with one row and takes, one after the other, the row that raises its price least, until
//! it holds k; the next group begins far from where the last one did. What is left over goes where it
//! costs least.

use super::block::Block;
use super::chance::Chance;
use super::rows::Rows;

/// Groups of k of these rows, which are at least k.
pub(super) fn cluster<'a, const W: usize>(
    rows: &'a Rows<'a>,
    here: &[u32],
    chance: &mut Chance,
) -> Block<'a, W> {
    let k = rows.problem.privacy.k as usize;
    let mut block: Block<'a, W> = Block::new(rows, &[], here);
    let mut seed = chance.below(here.len()) as u32;
    while block.out.len() >= k {
        let group = block.open_group();
        block.shift(seed, group);
        for _ in 1..k {
            let now = block.crowds[group as usize].price;
            let mut best = (f32::INFINITY, 0);
            for &row in &block.out {
                let price = block.price_with(group, row);
                if price < best.0 {
                    best = (price, row);
                    if price <= now {
                        break;
                    }
                }
            }
            block.shift(best.1, group);
        }
        block.keep();
        // Far from the last: its rows are the hardest to place later.
        let mut farthest = (-1.0, 0);
        for &row in &block.out {
            let price = block.price_with(group, row);
            if price > farthest.0 {
                farthest = (price, row);
            }
        }
        seed = farthest.1;
    }
    while let Some(&row) = block.out.last() {
        let groups = 0..block.crowds.len() as u32;
        let costs = groups.map(|group| (block.joining(group, row), group));
        let best = costs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a group of k rows");
        block.shift(row, best.1);
        block.keep();
    }
    block
}
