//! How fast a CSV file becomes codes, against `csv-core` on the same bytes.
//!
//! `cargo bench -p incrowd-data --bench parse [-- ROWS [FILE]]` makes a census-like table (or takes
//! FILE) and prints CPU-bound times on one thread, the best of five, and their ratios.

#![allow(clippy::print_stdout, reason = "a benchmark is there to print")]
#![allow(clippy::unwrap_used, reason = "a benchmark may end with a panic")]

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use incrowd_data::{Input, ReadOptions, Source, read_table};
use incrowd_engine::Control;
use incrowd_engine::table::Dictionary;
use incrowd_testing::LinearRng;

/// Nine columns like those of a census, with skewed frequencies.
fn census(rows: usize, quoted: bool) -> Vec<u8> {
    let columns: [(&str, &[&str]); 8] = [
        ("sex", &["Male", "Female"]),
        ("race", &["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"]),
        ("marital-status", &["Married-civ-spouse", "Never-married", "Divorced", "Widowed"]),
        ("education", &["HS-grad", "Some-college", "Bachelors", "Masters", "11th", "Assoc-voc"]),
        ("native-country", &["United-States", "Mexico", "Philippines", "Germany", "Canada"]),
        ("workclass", &["Private", "Self-emp-not-inc", "Local-gov", "State-gov", "Federal-gov"]),
        (
            "occupation",
            &["Prof-specialty", "Craft-repair", "Sales", "Adm-clerical", "Tech-support"],
        ),
        ("salary-class", &["<=50K", ">50K"]),
    ];
    let mut rng = LinearRng::new(7);
    let mut random = |end: usize| rng.below(end as u64) as usize;
    let mark = if quoted { "\"" } else { "" };
    let mut text = b"age".to_vec();
    for (name, _) in columns {
        write!(text, ",{name}").unwrap();
    }
    for _ in 0..rows {
        write!(text, "\n{}", 17 + (random(40) + random(40)) / 2).unwrap();
        for (_, values) in columns {
            let value = values[random(values.len()).min(random(values.len()))];
            write!(text, ",{mark}{value}{mark}").unwrap();
        }
    }
    text.push(b'\n');
    text
}

/// The CPU time of this thread where the system tells it, else the time of day.
fn clock(since: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let cpu = told.and_then(|told| told.split(' ').next()?.parse().ok());
    cpu.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

fn best(mut run: impl FnMut()) -> Duration {
    let since = Instant::now();
    let once = |_| {
        let start = clock(since);
        run();
        clock(since) - start
    };
    (0..5).map(once).min().unwrap()
}

/// The same work with csv-core: all fields to codes.
fn with_csv_core(bytes: &[u8], columns: usize) {
    let mut reader = csv_core::Reader::new();
    let mut dictionaries = vec![Dictionary::new(); columns];
    let mut codes = vec![Vec::<u32>::new(); columns];
    let (mut output, mut ends) = ([0; 4096], [0; 64]);
    let mut rest = bytes;
    loop {
        let (result, read, _, fields) = reader.read_record(rest, &mut output, &mut ends);
        rest = &rest[read..];
        match result {
            csv_core::ReadRecordResult::End => break,
            csv_core::ReadRecordResult::InputEmpty => continue,
            _ => (),
        }
        let mut start = 0;
        for (column, &end) in ends[..fields].iter().enumerate() {
            let value = std::str::from_utf8(&output[start..end]).unwrap();
            codes[column].push(dictionaries[column].intern(value));
            start = end;
        }
    }
    black_box((dictionaries, codes));
}

fn report(name: &str, bytes: &[u8], path: &std::path::Path) {
    let options = ReadOptions { threads: Some(1), ..ReadOptions::default() };
    let source = Source::open(&Input::from(path), &options).unwrap();
    let columns: Vec<usize> = (0..source.columns().len()).collect();
    let control = Control::new();
    let split = best(|| {
        let step = |rows: &mut usize, chunk: &incrowd_data::Chunk| {
            *rows += chunk.rows();
            Ok(())
        };
        black_box(source.fold(&columns, || 0, step, &control).unwrap());
    });
    let counted = best(|| {
        let step = |dictionaries: &mut Vec<Dictionary>, chunk: &incrowd_data::Chunk| {
            for (column, dictionary) in dictionaries.iter_mut().enumerate() {
                chunk.column(column).for_each(|value| _ = black_box(dictionary.intern(value)));
            }
            Ok(())
        };
        let init = || vec![Dictionary::new(); columns.len()];
        black_box(source.fold(&columns, init, step, &control).unwrap());
    });
    let coded = best(|| _ = black_box(read_table(&source, None, &control).unwrap()));
    let reference = best(|| with_csv_core(bytes, columns.len()));
    println!("{name}: {} MB", bytes.len() / 1_000_000);
    println!("  fields found              {:6.0} ms", split.as_secs_f64() * 1e3);
    println!("  fields interned           {:6.0} ms", counted.as_secs_f64() * 1e3);
    println!("  table of codes            {:6.0} ms", coded.as_secs_f64() * 1e3);
    println!("  csv-core, table of codes  {:6.0} ms", reference.as_secs_f64() * 1e3);
    println!("  ratio                     {:6.2}", reference.as_secs_f64() / coded.as_secs_f64());
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let rows = arguments.first().map_or(1_000_000, |rows| rows.parse().unwrap());
    if let Some(path) = arguments.get(1) {
        return report(path, &std::fs::read(path).unwrap(), path.as_ref());
    }
    for (name, quoted) in [("plain", false), ("quoted", true)] {
        let bytes = census(rows, quoted);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        report(name, &bytes, file.path());
    }
}
