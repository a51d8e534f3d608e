//! The weaker reading of k: a blank matches anything.
//!
//! A row's *crowd* are the rows that may be the same as it: in every column the values are equal, or one of
//! them is blank.

use hashbrown::HashMap;

use crate::kit::KeyedHashState;

/// The crowds of things with values and blanks, each counted so many times. Below `enough` they are exact,
/// otherwise at least that.
pub(crate) fn crowds(
    width: usize,
    masks: &[u64],
    counts: &[u64],
    code: impl Fn(usize, usize) -> u32,
    enough: u64,
) -> Vec<u64> {
    let mut kinds: Vec<u64> = masks.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let members: Vec<Vec<usize>> = kinds
        .iter()
        .map(|&kind| (0..masks.len()).filter(|&at| masks[at] == kind).collect())
        .collect();
    let mut crowds = vec![0; masks.len()];
    for (mine, &kind) in members.iter().zip(&kinds) {
        let mut live = mine.clone();
        for (others, &other_kind) in members.iter().zip(&kinds) {
            live.retain(|&at| crowds[at] < enough);
            if live.is_empty() {
                break;
            }
            let common: Vec<usize> =
                (0..width).filter(|&at| (kind | other_kind) >> at & 1 == 0).collect();
            let key = |at: usize| -> Vec<u32> { common.iter().map(|&c| code(c, at)).collect() };
            let mut found: HashMap<Vec<u32>, u64, KeyedHashState> =
                HashMap::with_hasher(KeyedHashState::default());
            for &at in &live {
                found.entry(key(at)).or_insert(0);
            }
            for &at in others {
                if let Some(rows) = found.get_mut(&key(at)) {
                    *rows += counts[at];
                }
            }
            for &at in &live {
                crowds[at] += found.get(&key(at)).copied().unwrap_or(0);
            }
        }
    }
    crowds
}
