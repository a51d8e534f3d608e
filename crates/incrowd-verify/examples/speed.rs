//! Measures the verifier on made-up releases of a million rows (or as many as the first argument
//! says): `cargo run --release -p incrowd-verify --example speed`.
//!
//! The tables lie in memory. Where the system tells it, CPU time is reported, else wall time.
#![allow(clippy::print_stdout, reason = "an example that reports to its user")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use incrowd_verify::{
    CsvOptions, Model, Requirements, Result, SensitiveModel, verify_csv, verify_csv_against,
};

const COLUMNS: [&str; 8] = ["age", "sex", "race", "marital", "education", "country", "work", "zip"];

/// A small generator of numbers, so that every run measures the same tables.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % bound
    }

    /// Small numbers more often than large ones.
    fn skewed(&mut self, bound: u64) -> u64 {
        self.below(bound).min(self.below(bound)).min(self.below(bound))
    }
}

type Row = [u64; 9];

fn original(rows: usize, random: &mut Random) -> Vec<Row> {
    let bounds = [74, 2, 5, 7, 16, 41, 8, 900];
    (0..rows)
        .map(|_| {
            let mut row = [0; 9];
            for (value, bound) in row.iter_mut().zip(bounds) {
                *value = random.skewed(bound);
            }
            row[8] = random.skewed(14);
            row
        })
        .collect()
}

/// Boxes around parts of the rows, cut at the median of one column after the other.
fn boxes(rows: &mut [Row], k: usize, depth: usize, out: &mut Vec<(Row, Row, usize)>) {
    for turn in 0..8 {
        let column = (depth + turn) % 8;
        if rows.len() < 2 * k {
            break;
        }
        rows.sort_unstable_by_key(|row| row[column]);
        let median = rows[rows.len() / 2][column];
        let middle = rows.partition_point(|row| row[column] < median);
        if middle >= k && rows.len() - middle >= k {
            let (left, right) = rows.split_at_mut(middle);
            boxes(left, k, depth + turn + 1, out);
            boxes(right, k, depth + turn + 1, out);
            return;
        }
    }
    out.push(hull(rows));
}

/// Boxes around random rows and their neighbours in one column: they overlap a great deal.
fn overlapping(rows: &mut [Row], k: usize, random: &mut Random, out: &mut Vec<(Row, Row, usize)>) {
    let key = |row: &Row| (row[7], row[0] / 8, row[5] / 4, row[1], row[2]);
    rows.sort_unstable_by_key(key);
    let mut start = 0;
    while start < rows.len() {
        let size = k + random.below(k as u64) as usize;
        let end = if rows.len() - start < 2 * size { rows.len() } else { start + size };
        out.push(hull(&rows[start..end]));
        start = end;
    }
}

fn hull(rows: &[Row]) -> (Row, Row, usize) {
    let (mut low, mut high) = (rows[0], rows[0]);
    for row in rows {
        for column in 0..9 {
            low[column] = low[column].min(row[column]);
            high[column] = high[column].max(row[column]);
        }
    }
    (low, high, rows.len())
}

fn csv(rows: &[Row], boxes: &[(Row, Row, usize)]) -> String {
    let mut text = format!("{},disease\n", COLUMNS.join(","));
    let mut next = rows.iter();
    for (low, high, count) in boxes {
        for row in next.by_ref().take(*count) {
            for column in 0..8 {
                let _ = match (low[column], high[column]) {
                    (low, high) if low == high => write!(text, "{low},"),
                    (low, high) => write!(text, "[{low}-{high}],"),
                };
            }
            let _ = writeln!(text, "disease-{}", row[8]);
        }
    }
    text
}

fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn main() -> Result<()> {
    let rows = std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let mut random = Random(42);
    let mut table = original(rows, &mut random);
    let single: Vec<_> = table.iter().map(|row| (*row, *row, 1)).collect();
    let original = csv(&table, &single);
    let mut disjoint = Vec::new();
    boxes(&mut table, 5, 0, &mut disjoint);
    let strict = csv(&table, &disjoint);
    let mut crossing = Vec::new();
    overlapping(&mut table, 5, &mut random, &mut crossing);
    let local = csv(&table, &crossing);

    let options = CsvOptions::default();
    let plain = Requirements::new(5, COLUMNS);
    let mut models = plain.clone();
    models.models = vec![
        SensitiveModel::new("disease", Model::DistinctL(1)),
        SensitiveModel::new("disease", Model::EntropyL(1.0)),
    ];
    let mut wildcards = plain.clone();
    wildcards.wildcards = true;
    let timed = |name: &str, run: &dyn Fn() -> Result<incrowd_verify::Verdict>| -> Result<()> {
        let (start, cpu_start) = (Instant::now(), cpu_time());
        let verdict = run()?;
        let cpu = cpu_time().zip(cpu_start).map(|(end, start)| end - start);
        println!("{name:<40} {:.2} s", cpu.unwrap_or_else(|| start.elapsed()).as_secs_f64());
        println!("{verdict}");
        Ok(())
    };
    timed("k", &|| verify_csv(strict.as_bytes(), &options, &plain))?;
    timed("k and two models", &|| verify_csv(strict.as_bytes(), &options, &models))?;
    timed("k with wildcards", &|| verify_csv(strict.as_bytes(), &options, &wildcards))?;
    for (name, release) in [("disjoint boxes", &strict), ("overlapping boxes", &local)] {
        timed(&format!("against the original, {name}"), &|| {
            let original = original.as_bytes();
            verify_csv_against(release.as_bytes(), &options, original, &options, &plain)
        })?;
    }
    Ok(())
}
