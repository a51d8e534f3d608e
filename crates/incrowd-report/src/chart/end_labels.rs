//! Names beside the ends of lines.

/// How far names stand apart, from line to line.
pub(super) const LINE: f64 = 15.0;
/// How far right of the chart names begin.
pub(super) const AWAY: f64 = 46.0;

/// Places for names as near as can be to where they are wanted, in the same order and none on another,
/// between two heights.
pub(super) fn spread(wanted: &[f64], (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&one, &other| wanted[one].total_cmp(&wanted[other]).then(one.cmp(&other)));
    // Names that would meet form a block, which is centred on what its names want. Of each block: its first
    // place, how many names, and the sum of what they want of the first place.
    let mut blocks: Vec<(f64, usize, f64)> = Vec::new();
    let within = |first: f64, names: usize| {
        let last = bottom - LINE * names.saturating_sub(1) as f64;
        first.min(last).max(top)
    };
    for &at in &order {
        let mut block = (within(wanted[at], 1), 1, wanted[at]);
        while let Some(&(first, names, sum)) = blocks.last() {
            if first + LINE * names as f64 <= block.0 {
                break;
            }
            blocks.pop();
            let sum = sum + block.2 - LINE * (names * block.1) as f64;
            let names = names + block.1;
            block = (within(sum / names as f64, names), names, sum);
        }
        blocks.push(block);
    }
    let places = blocks
        .iter()
        .flat_map(|&(first, names, _)| (0..names).map(move |name| first + LINE * name as f64));
    let mut spread = vec![0.0; wanted.len()];
    for (&at, place) in order.iter().zip(places) {
        spread[at] = place;
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_where_there_is_room_and_make_way_where_not() {
        assert_eq!(spread(&[10.0, 200.0, 100.0], (0.0, 300.0)), [10.0, 200.0, 100.0]);
        // Two at the same height part evenly, and none leaves the chart.
        assert_eq!(spread(&[100.0, 100.0], (0.0, 300.0)), [92.5, 107.5]);
        assert_eq!(spread(&[300.0, 299.0, 0.0], (0.0, 300.0)), [300.0, 285.0, 0.0]);
        assert!(spread(&[], (0.0, 300.0)).is_empty());
    }

    #[test]
    fn no_name_stands_on_another() {
        for many in [2, 7, 13, 20] {
            for clump in [1.0, 5.0, 40.0, 400.0] {
                let wanted: Vec<f64> =
                    (0..many).map(|at| (f64::from(at) * 137.0 % clump) + 20.0).collect();
                let mut places = spread(&wanted, (0.0, 300.0));
                places.sort_by(f64::total_cmp);
                assert!(places.windows(2).all(|pair| pair[1] - pair[0] > LINE - 1e-6));
                assert!(places[0] >= 0.0 && places[many as usize - 1] <= 300.0, "{places:?}");
            }
        }
    }
}
