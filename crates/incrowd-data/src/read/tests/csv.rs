//! What is read from CSV.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::{fields, open, open_with, rows};
use crate::read::{Input, InputFormat, ReadOptions, Source, read_table};
use incrowd_engine::{Control, Event, StopReason};

/// The same source for several numbers of threads and sizes of blocks.
fn variants(bytes: &[u8], delimiter: Option<u8>) -> Vec<Source> {
    let mut variants = Vec::new();
    for threads in 1..=3 {
        for size in [1, 16, 100, 1 << 20] {
            let options = ReadOptions {
                delimiter,
                threads: Some(threads),
                encoding: Some("utf-8".to_owned()),
                ..ReadOptions::default()
            };
            variants.push(open_with(bytes, options).unwrap().with_sizes(size, 1 << 20));
        }
    }
    variants
}

fn write(table: &[Vec<String>], delimiter: u8, crlf: bool) -> Vec<u8> {
    let terminator = if crlf { ::csv::Terminator::CRLF } else { ::csv::Terminator::Any(b'\n') };
    let mut writer = ::csv::WriterBuilder::new()
        .delimiter(delimiter)
        .terminator(terminator)
        .from_writer(Vec::new());
    table.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.into_inner().unwrap()
}

fn tables() -> impl Strategy<Value = Vec<Vec<String>>> {
    (1usize..5).prop_flat_map(|width| {
        let value = proptest::string::string_regex("[ab\"\r\n,;é ]{0,6}").unwrap();
        let row = proptest::collection::vec(value, width);
        proptest::collection::vec(row, 0..20)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(96)))]

    /// What the csv crate writes is read back, whatever the threads and blocks.
    #[test]
    fn tables_survive(table in tables(), crlf: bool, semicolon: bool) {
        let delimiter = if semicolon { b';' } else { b',' };
        let width = table.first().map_or(1, Vec::len);
        let mut all = vec![(0..width).map(|column| format!("c{column}")).collect::<Vec<_>>()];
        all.extend(table.iter().cloned());
        let bytes = write(&all, delimiter, crlf);
        for source in variants(&bytes, Some(delimiter)) {
            prop_assert_eq!(&fields(&source).unwrap(), &table);
        }
    }

    /// Any text without CR is read as the csv crate reads it, or both refuse it.
    #[test]
    fn any_text_is_read_as_the_csv_crate_reads_it(body in "[ab\",\n]{0,60}") {
        let text = format!("x,y\n{body}");
        let mut reader = ::csv::ReaderBuilder::new().from_reader(text.as_bytes());
        let expected: Result<Vec<Vec<String>>, _> = reader
            .records()
            .map(|record| record.map(|record| record.iter().map(str::to_owned).collect()))
            .collect();
        for source in variants(text.as_bytes(), None) {
            match (fields(&source), &expected) {
                (Ok(found), Ok(expected)) => prop_assert_eq!(&found, expected),
                // The csv crate takes the end of the file for a closing quote.
                (Err(error), _) if error.message.contains("never closed") => (),
                (found, expected) => prop_assert_eq!(found.is_err(), expected.is_err()),
            }
        }
    }

    /// The same error, and lines, whatever the threads and blocks; never a panic.
    #[test]
    fn bytes_are_read_the_same_way_by_all(body in proptest::collection::vec(
        prop_oneof![Just(b'a'), Just(b','), Just(b'\n'), Just(b'"'), Just(b'\r'), Just(0xc3), Just(0xa9)],
        0..80,
    )) {
        let bytes = [b"x,y\n".as_slice(), &body].concat();
        let all: Vec<_> = variants(&bytes, None).iter().map(|s| rows(s, &[1, 0])).collect();
        for other in &all {
            prop_assert_eq!(other, &all[0]);
        }
        let folded: Vec<_> = variants(&bytes, None)
            .iter()
            .map(|source| {
                let count = |rows: &mut usize, chunk: &crate::Chunk| {
                    *rows += chunk.rows();
                    Ok(())
                };
                let states = source.fold(&[], || 0, count, &Control::new())?;
                Ok(states.iter().sum::<usize>())
            })
            .collect();
        for other in folded {
            prop_assert_eq!(&other, &all[0].as_ref().map(Vec::len).map_err(Clone::clone));
        }
    }

    /// Whatever a file holds, opening it ends with a source or an error.
    #[test]
    fn any_bytes_open_or_fail(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(source) = open(&bytes) {
            let _ = fields(&source.with_sizes(16, 1 << 20));
        }
    }

    /// Codes count values in order of first appearance.
    #[test]
    fn codes_do_not_depend_on_threads(values in proptest::collection::vec(0u8..30, 0..200)) {
        let text: String = values.iter().map(|value| format!("{value},{}\n", value % 3)).collect();
        for source in variants(format!("v,w\n{text}").as_bytes(), None) {
            let table = read_table(&source, Some(&[1, 0]), &Control::new()).unwrap();
            prop_assert_eq!(table.rows(), values.len());
            for column in table.columns() {
                let mut seen = 0;
                for (row, &code) in column.codes.iter().enumerate() {
                    prop_assert!(code <= seen);
                    seen = seen.max(code + 1);
                    let value = if column.name == "v" { values[row] } else { values[row] % 3 };
                    prop_assert_eq!(column.value(row), value.to_string());
                }
            }
        }
    }
}

#[test]
fn columns_come_in_the_order_asked_for() {
    let source = open(b"a,b,c\n1,2,3\n4,\"5\"\"\",6\n").unwrap();
    let asked = rows(&source, &[2, 1, 1]).unwrap();
    assert_eq!(asked[0], (Some(2), ["3", "2", "2"].map(String::from).to_vec()));
    assert_eq!(asked[1], (Some(3), ["6", "5\"", "5\""].map(String::from).to_vec()));
}

#[test]
fn lines_count_blank_ones_and_those_within_quotes() {
    let text = b"\n\r\na,b\n\n1,\"x\ny\n\"\r\n\r\n2,\n\n\n3,z";
    for source in variants(text, None) {
        assert_eq!(source.columns(), ["a", "b"]);
        let found = rows(&source, &[0, 1]).unwrap();
        let lines: Vec<u64> = found.iter().map(|(line, _)| line.unwrap()).collect();
        assert_eq!(lines, [5, 9, 12]);
        assert_eq!(found[0].1, ["1", "x\ny\n"]);
    }
}

#[test]
fn blank_lines_are_no_rows_even_in_one_column() {
    let source = open(b"name\n\nann\n\"\"\n\n\n").unwrap();
    assert_eq!(fields(&source).unwrap(), [["ann"], [""]]);
}

#[test]
fn header_names_are_trimmed_and_the_mark_skipped() {
    let source = open(b"\xef\xbb\xbf\" age \" ,\tsex\r\n34, F").unwrap();
    assert_eq!(source.columns(), ["age", "sex"]);
    assert_eq!(fields(&source).unwrap(), [["34", " F"]]);
}

#[test]
fn header_alone_has_no_rows() {
    for text in ["a,b", "a,b\n", "a,b\r\n\r\n"] {
        assert!(fields(&open(text.as_bytes()).unwrap()).unwrap().is_empty());
    }
}

#[test]
fn delimiters_are_found() {
    for (text, delimiter, columns) in [
        ("a,b\n1,2\n", b',', 2),
        ("a;b\n1,5;2\n", b';', 2),
        ("a\tb\tc\n1,2\t3\t4\n", b'\t', 3),
        ("a|b\n1|2\n", b'|', 2),
        // Quoted delimiters do not count.
        ("\"a;b;c\",d\n\"1;2;3\",4\n", b',', 2),
        ("name\nann\n", b',', 1),
        // One column whose values hold commas.
        ("name\nDoe, Ann\n", b';', 1),
        // A ragged row does not turn a table into one column.
        ("a,b\n1,2\n3\n", b',', 2),
        // The header splits two ways; the rows agree with one.
        ("a;b,c;d\n1;2;3\n4;5;6\n", b';', 3),
        // A tie in everything: the first.
        ("a,b;c\n1,2;3\n", b',', 2),
        // More fields win.
        ("a,b;c;d\n1,2;3;4\n", b';', 3),
    ] {
        let source = open(text.as_bytes()).unwrap();
        assert_eq!(
            (source.delimiter(), source.columns().len()),
            (Some(delimiter), columns),
            "{text}"
        );
    }
}

#[test]
fn compressed_text_is_read_twice() {
    let plain: String = (0..20_000).map(|row| format!("{row},{}\n", row % 7)).collect();
    let plain = format!("a,b\n{plain}");
    let (first, second) = plain.as_bytes().split_at(1000);
    let mut gzip = Vec::new();
    // Two members, as parallel compressors write them.
    for part in [first, second] {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(part).unwrap();
        gzip.extend(encoder.finish().unwrap());
    }
    let expected = fields(&open(plain.as_bytes()).unwrap()).unwrap();
    for bytes in [gzip, zstd::encode_all(plain.as_bytes(), 1).unwrap()] {
        let source = open(&bytes).unwrap();
        assert_eq!(source.format(), InputFormat::Csv);
        assert_eq!(fields(&source).unwrap(), expected);
        assert_eq!(fields(&source).unwrap(), expected);
    }
}

#[test]
fn long_records_are_taken_whole() {
    let long = "x\"\"\n".repeat(1000);
    let text = format!("a,b\n1,\"{long}\"\n2,y\n");
    let source = open(text.as_bytes()).unwrap().with_sizes(16, 1 << 20);
    assert_eq!(fields(&source).unwrap()[0][1], "x\"\n".repeat(1000));
}

#[test]
fn a_file_is_read_in_place() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"a\n1\n").unwrap();
    let source = Source::open(&Input::from(file.path()), &ReadOptions::default()).unwrap();
    assert_eq!(fields(&source).unwrap(), [["1"]]);
    file.write_all(b"2\n").unwrap();
    let error = fields(&source).unwrap_err();
    assert!(error.message.ends_with("has changed while it was being read"), "{error}");
}

/// A pipe given by name, as a shell's `<(...)` is, can be read once only and is read twice.
#[cfg(unix)]
#[test]
fn a_pipe_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let writer = std::thread::spawn({
        let path = path.clone();
        move || std::fs::write(path, "a\n1\n").unwrap()
    });
    let source = Source::open(&Input::from(&path), &ReadOptions::default()).unwrap();
    writer.join().unwrap();
    assert_eq!(fields(&source).unwrap(), [["1"]]);
    assert_eq!(fields(&source).unwrap(), [["1"]]);
}

#[test]
fn input_names() {
    assert_eq!(Input::from("-"), Input::Stdin);
    assert_eq!(Input::from("./-"), Input::Path("./-".into()));
}

#[test]
fn a_pass_can_be_stopped() {
    let text = format!("a\n{}", "1\n".repeat(1000));
    for threads in [1, 3] {
        let options = ReadOptions { threads: Some(threads), ..ReadOptions::default() };
        let source = open_with(text.as_bytes(), options).unwrap().with_sizes(16, 1 << 20);
        let control = || {
            let asked = AtomicUsize::new(0);
            let enough = move || asked.fetch_add(1, Ordering::Relaxed) >= 10;
            Control::new().with_stop(move || enough().then_some(StopReason::Cancelled))
        };
        let error = source.fold(&[0], || (), |(), _| Ok(()), &control()).unwrap_err();
        assert!(error.is_interrupted());
        let error = source.map_in_order(&[0], |_| Ok(()), |()| Ok(()), &control()).unwrap_err();
        assert!(error.is_interrupted());
    }
}

#[test]
fn progress_only_grows_and_ends_at_the_end() {
    let text = format!("a\n{}", "1\n".repeat(1000));
    let options = ReadOptions { threads: Some(3), ..ReadOptions::default() };
    let source = open_with(text.as_bytes(), options).unwrap().with_sizes(100, 1 << 20);
    let told: Arc<Mutex<Vec<(u64, u64, u64)>>> = Arc::default();
    let heard = told.clone();
    let control = Control::new().with_listener(move |event| {
        if let Event::Data { bytes, total, rows } = *event {
            heard.lock().unwrap().push((bytes, rows, total));
        }
    });
    source.map_in_order(&[0], |_| Ok(()), |()| Ok(()), &control).unwrap();
    let told = told.lock().unwrap();
    assert!(told.is_sorted());
    let total = text.len() as u64;
    assert_eq!(told.last(), Some(&(total, 1000, total)));
}

#[test]
fn work_in_progress_is_bounded() {
    let text = format!("a\n{}", "1\n".repeat(2000));
    let options = ReadOptions { threads: Some(3), ..ReadOptions::default() };
    let source = open_with(text.as_bytes(), options).unwrap().with_sizes(16, 1 << 20);
    let (started, collected) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = |_: &crate::Chunk| Ok(started.fetch_add(1, Ordering::SeqCst));
    let collect = |_| {
        let ahead = started.load(Ordering::SeqCst) - collected.fetch_add(1, Ordering::SeqCst);
        assert!(ahead <= 6, "{ahead}");
        Ok(())
    };
    source.map_in_order(&[0], work, collect, &Control::new()).unwrap();
}

#[test]
#[should_panic(expected = "as it should")]
fn a_panic_in_a_worker_comes_out() {
    let text = format!("a\n{}", "1\n".repeat(2000));
    let options = ReadOptions { threads: Some(3), ..ReadOptions::default() };
    let source = open_with(text.as_bytes(), options).unwrap().with_sizes(16, 1 << 20);
    let work = |chunk: &crate::Chunk| {
        assert!(chunk.first_row() < 100, "as it should");
        Ok(())
    };
    let _ = source.map_in_order(&[0], work, |()| Ok(()), &Control::new());
}

#[test]
fn null_is_never_quoted_and_no_text_looks_like_it() {
    let text = b"a,b,c\n,\"\",x\n\\N,\"\\N\",\"\\\\N\"\n\"say \"\"\\N\"\"\",y,\\n\n";
    for (null, first, second) in [
        ("", ["\\N", "", "x"], ["\\\\N", "\\\\N", "\\\\\\N"]),
        ("\\N", ["", "", "x"], ["\\N", "\\\\N", "\\\\\\N"]),
    ] {
        for source in variants(text, Some(b',')) {
            let read = fields(&source.with_null(null)).unwrap();
            assert_eq!(read, [first, second, ["say \"\\N\"", "y", "\\n"]]);
        }
    }
    // Whoever does not ask sees texts only.
    assert_eq!(fields(&open(text).unwrap()).unwrap()[1], ["\\N", "\\N", "\\\\N"]);
}
