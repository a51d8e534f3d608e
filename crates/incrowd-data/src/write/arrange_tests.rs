#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::time::Instant;

use proptest::prelude::*;

use super::*;

fn arranged(order: Order, memory: usize, rows: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let out = arranged_in(folder.path(), order, memory, rows);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "temporary files are gone");
    out
}

fn arranged_in(folder: &Path, order: Order, memory: usize, rows: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut arranger = Arranger::new(order, memory, folder);
    for row in rows {
        arranger.push(row).unwrap();
    }
    assert_eq!(arranger.rows(), rows.len() as u64);
    let mut out = Vec::new();
    arranger
        .finish(|row| {
            out.push(row.to_vec());
            Ok(())
        })
        .unwrap();
    out
}

fn number(row: &[u8]) -> usize {
    str::from_utf8(&row[4..]).unwrap().parse().unwrap()
}

fn numbered(n: usize) -> Vec<Vec<u8>> {
    (0..n).map(|i| format!("row {i}").into_bytes()).collect()
}

/// Budgets that keep everything in memory, that fill a few buckets or runs, and that hold no more
/// than a row, which shuffles by many digits and merges more runs than are merged at once.
const BUDGETS: [usize; 3] = [1 << 20, 2000, 1];

#[test]
fn the_order_depends_on_the_seed_alone() {
    let rows = numbered(1000);
    for budget in BUDGETS {
        let shuffled = |seed: u64| arranged(Order::Shuffled { seed: seed.into() }, budget, &rows);
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
        assert_ne!(shuffled(1), rows);
    }
}

#[test]
fn the_order_is_the_same_on_every_machine() {
    // Worked out by a second implementation of the generator and of both shuffles.
    for (budget, order) in [(1 << 20, [5, 2, 3, 0, 1, 4]), (1, [3, 5, 2, 1, 4, 0])] {
        let out = arranged(Order::Shuffled { seed: 7.into() }, budget, &numbered(6));
        assert_eq!(out.iter().map(|row| number(row)).collect::<Vec<_>>(), order);
    }
}

#[test]
fn fresh_seeds_differ() {
    assert_ne!(fresh_seed(), fresh_seed());
}

/// Pearson's statistic of counts that should all be equal, less its mean, in standard deviations.
fn excess(counts: &[u32]) -> f64 {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    let statistic: f64 =
        counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
    let freedom = (counts.len() - 1) as f64;
    (statistic - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn all_orders_of_four_rows_are_equally_likely() {
    let folder = tempfile::tempdir().unwrap();
    let rows = numbered(4);
    // In memory; all in buckets; and spilled when one or two rows were in memory already.
    for budget in [1 << 20, 1, 14, 30] {
        let mut counts = [0u32; 24];
        for seed in 0..2400 {
            let out =
                arranged_in(folder.path(), Order::Shuffled { seed: seed.into() }, budget, &rows);
            let places = out.iter().map(|row| number(row)).collect::<Vec<_>>();
            let mut rank = 0;
            for (i, &place) in places.iter().enumerate() {
                let smaller = places[i + 1..].iter().filter(|&&later| later < place).count();
                rank = rank * (4 - i) + smaller;
            }
            counts[rank] += 1;
        }
        assert!(counts.iter().all(|&count| count > 0));
        assert!(excess(&counts) < 4.0, "budget {budget}: {counts:?}");
    }
}

#[test]
fn every_row_is_equally_likely_at_every_place() {
    let folder = tempfile::tempdir().unwrap();
    let n = 40;
    let rows = numbered(n);
    for budget in [1 << 20, 100] {
        let mut counts = vec![0u32; n * n];
        for seed in 0..1000 {
            let out =
                arranged_in(folder.path(), Order::Shuffled { seed: seed.into() }, budget, &rows);
            for (place, row) in out.iter().enumerate() {
                counts[number(row) * n + place] += 1;
            }
        }
        assert!(excess(&counts).abs() < 5.0, "budget {budget}: {}", excess(&counts));
    }
}

#[test]
fn later_rows_come_first_as_often_as_not() {
    // A shuffle that forgot to shuffle inside its buckets would give back rising stretches, one
    // that forgot to draw buckets would let early rows come early.
    let rows = numbered(5000);
    for budget in BUDGETS {
        let out = arranged(Order::Shuffled { seed: 3.into() }, budget, &rows);
        let numbers: Vec<usize> = out.iter().map(|row| number(row)).collect();
        let mut places = vec![0; rows.len()];
        for (place, &number) in numbers.iter().enumerate() {
            places[number] = place;
        }
        for order in [numbers, places] {
            let rising = order.windows(2).filter(|pair| pair[0] < pair[1]).count();
            assert!(rising.abs_diff(2500) < 100, "budget {budget}: {rising} of 4999");
            let adjacent = order.windows(2).filter(|pair| pair[0] + 1 == pair[1]).count();
            assert!(adjacent < 8, "budget {budget}: {adjacent} of 4999, where one is expected");
        }
    }
}

#[test]
fn an_error_of_the_receiver_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    for (order, budget) in
        [(Order::Kept, 1), (Order::Sorted, 1), (Order::Shuffled { seed: 0.into() }, 1)]
    {
        let mut arranger = Arranger::new(order, budget, folder.path());
        arranger.push_many(b"onetwothree", &[3, 6, 11]).unwrap();
        let mut left = 2;
        let result = arranger.finish(|_| {
            left -= 1;
            if left == 0 { Err(Error::new("enough")) } else { Ok(()) }
        });
        assert_eq!(result.unwrap_err().message, "enough");
    }
}

#[test]
fn a_missing_folder_is_named() {
    let mut arranger = Arranger::new(Order::Sorted, 1, Path::new("no/such/folder"));
    arranger.push(b"a").unwrap();
    let error = arranger.push(b"b").unwrap_err();
    assert!(error.message.contains("no/such/folder"), "{error}");
}

#[test]
fn rows_larger_than_blocks_and_budgets() {
    let rows: Vec<Vec<u8>> = (0..20u8).map(|i| vec![i; usize::from(i) * 400]).collect();
    for order in [Order::Shuffled { seed: 9.into() }, Order::Sorted, Order::Kept] {
        for budget in [1, 3000, 20_000] {
            let mut out = arranged(order, budget, &rows);
            if order != Order::Kept {
                out.sort();
            }
            assert!(out == rows, "{order:?} {budget}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(48)))]
    #[test]
    fn rows_are_neither_lost_nor_changed(
        mut rows in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..30), 0..700),
        budget in prop::sample::select(&[1usize, 40, 600, 5000, 1 << 20][..]),
        seed in any::<u64>(),
    ) {
        prop_assert_eq!(&arranged(Order::Kept, budget, &rows), &rows);
        let mut shuffled = arranged(Order::Shuffled { seed: seed.into() }, budget, &rows);
        let sorted = arranged(Order::Sorted, budget, &rows);
        rows.sort();
        shuffled.sort();
        prop_assert_eq!(&sorted, &rows);
        prop_assert_eq!(&shuffled, &rows);
    }
}

/// Measures, rather than tests: `cargo test --release -p incrowd-data -- --ignored --nocapture
/// ten_million`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stderr, reason = "a measurement is for reading")]
fn ten_million_rows() {
    let folder = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let order = Order::Shuffled { seed: 1.into() };
    let mut arranger = Arranger::new(order, Arranger::DEFAULT_MEMORY, folder.path());
    let mut row = [b'x'; 80];
    for i in 0u64..10_000_000 {
        row[..8].copy_from_slice(&i.to_le_bytes());
        arranger.push(&row).unwrap();
    }
    let pushed = start.elapsed();
    let (mut rows, mut sum) = (0u64, 0u64);
    arranger
        .finish(|row| {
            rows += 1;
            sum += u64::from(row[0]) + row.len() as u64;
            Ok(())
        })
        .unwrap();
    eprintln!("{rows} rows ({sum}): pushed after {pushed:?}, done after {:?}", start.elapsed());
    for (file, lines) in [("/proc/self/stat", ""), ("/proc/self/status", "VmHWM")] {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if lines.is_empty() {
            let fields: Vec<&str> = text.split_whitespace().collect();
            eprintln!("CPU ticks of 10 ms: user {}, system {}", fields[13], fields[14]);
        } else if let Some(line) = text.lines().find(|line| line.starts_with(lines)) {
            eprintln!("{line}");
        }
    }
    assert_eq!(rows, 10_000_000);
}
