//! Bars of a preview from which no number can be worked out that the release keeps back.

use crate::value::{Attribute, Group, KnownValues};

/// A bar of which it could be told how many rows of a label lie in it, if there is one: a label reaches into it and
/// elsewhere, and its rows are the fewest or the most that are rounded to what is shown. `bar_of` says which bar each
/// code is counted in, `rows` how many each has, before they are rounded to multiples of `unit`.
pub(super) fn weakest(
    attribute: &Attribute,
    groups: &[(&Group, u64)],
    known: &KnownValues,
    bar_of: &[Option<usize>],
    rows: &[u64],
    unit: u64,
) -> Option<usize> {
    if unit < 2 {
        return None;
    }
    // A value that nobody may know of lies where the one before it lies, and changes nothing.
    let mut filled = bar_of.to_vec();
    for code in (1..filled.len()).filter(|&code| !known.has(code)) {
        filled[code] = filled[code - 1];
    }
    let reached = reached(attribute, groups, known, &filled, rows.len());
    (0..rows.len()).find(|&bar| {
        // What lies so far above a multiple is the first to be rounded up, or the last to be rounded down.
        let above = (rows[bar] + unit / 2) % unit;
        reached[bar] && (above == 0 || above == unit - 1)
    })
}

/// The bars into which labels reach that reach elsewhere, too. It takes as many steps as there are groups and codes, however wide
/// groups are.
fn reached(
    attribute: &Attribute,
    groups: &[(&Group, u64)],
    known: &KnownValues,
    bar_of: &[Option<usize>],
    bars: usize,
) -> Vec<bool> {
    // How often the bar has changed up to each code.
    let mut changes = vec![0_u32; bar_of.len()];
    for code in 1..bar_of.len() {
        changes[code] = changes[code - 1] + u32::from(bar_of[code] != bar_of[code - 1]);
    }
    let mut wide = vec![0_i64; bar_of.len() + 1];
    let mut reached = vec![false; bars];
    for (group, _) in groups {
        match group {
            Group::Set(codes) => {
                let mut all = codes.iter().map(|&code| bar_of[code as usize]);
                let first = all.next();
                if all.any(|bar| Some(bar) != first) {
                    for bar in codes.iter().filter_map(|&code| bar_of[code as usize]) {
                        reached[bar] = true;
                    }
                }
            }
            group => {
                let Some((first, last)) = known.span(attribute, group) else { continue };
                let (first, last) = (first as usize, last as usize);
                if last < bar_of.len() && changes[first] != changes[last] {
                    wide[first] += 1;
                    wide[last + 1] -= 1;
                }
            }
        }
    }
    let mut over = 0;
    for (code, bar) in bar_of.iter().enumerate() {
        over += wide[code];
        if let Some(bar) = bar.filter(|_| over > 0) {
            reached[bar] = true;
        }
    }
    reached
}
