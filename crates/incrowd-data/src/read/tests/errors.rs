//! What is said about bad input.

use std::io::Write;

use super::{fields, open, open_with};
use crate::read::{Chunk, Input, InputFormat, ReadOptions, Source};
use crate::{Error, Result};
use incrowd_engine::Control;

/// The message of opening and reading bytes, however they are read.
fn complaint(bytes: &[u8]) -> String {
    complaint_with(bytes, &ReadOptions::default())
}

/// The same of bytes that are said to be UTF-8.
fn complaint_of_utf8(bytes: &[u8]) -> String {
    let encoding = Some("utf-8".to_owned());
    complaint_with(bytes, &ReadOptions { encoding, ..ReadOptions::default() })
}

fn complaint_with(bytes: &[u8], options: &ReadOptions) -> String {
    let read = |threads, size| -> Result<Vec<Vec<String>>> {
        let options = ReadOptions { threads: Some(threads), ..options.clone() };
        fields(&open_with(bytes, options)?.with_sizes(size, 1 << 20))
    };
    let first = read(1, 1 << 20).unwrap_err().to_string();
    for (threads, size) in [(1, 16), (2, 16), (3, 40), (3, 1 << 20)] {
        assert_eq!(read(threads, size).unwrap_err().to_string(), first);
    }
    first
}

fn shown(lines: &[&str]) -> String {
    lines.join("\n")
}

#[test]
fn ragged_rows() {
    assert_eq!(
        complaint(b"a,b\n1,2\n\n\"x\ny\",2\n1,2,3\n1\n"),
        shown(&[
            "line 6 has 3 fields, but the header has 2",
            "  --> data.csv:6",
            "  help: a value that holds the delimiter ',' must be quoted; \
             or is the delimiter another one?",
        ])
    );
    assert_eq!(
        complaint(b"a\tb\n1\n"),
        shown(&[
            "line 2 has 1 field, but the header has 2",
            "  --> data.csv:2",
            "  help: is a value missing, or is the delimiter not tab?",
        ])
    );
}

#[test]
fn bad_utf8() {
    assert_eq!(
        complaint_of_utf8(b"id,city\n1,Bern\n2,\"Z\n\xfcrich\"\n"),
        shown(&[
            "line 4, column 2 (\"city\") is not valid UTF-8: byte 0xFC",
            "  --> data.csv:4:2",
            "  help: if the file is in another encoding, name it, for example: --encoding windows-1252",
        ])
    );
    let header = complaint_of_utf8(b"id,st\xe4dte\n1,Bern\n");
    assert!(header.starts_with("line 1, column 2 is not valid UTF-8: byte 0xE4"), "{header}");
}

#[test]
fn the_first_fault_of_a_file_is_reported() {
    let ragged_first = complaint_of_utf8(b"a,b\n1\n\xff,2\n3,\"\n");
    assert!(ragged_first.starts_with("line 2 has 1 field"), "{ragged_first}");
    let bytes_first = complaint_of_utf8(b"a,b\n\xff,2\n1\n3,\"\n");
    assert!(bytes_first.starts_with("line 2, column 1"), "{bytes_first}");
    let many = [b"a,b\n".to_vec(), b"1,2\n".repeat(1000), b"1\n".repeat(1000)].concat();
    assert!(complaint(&many).starts_with("line 1002 has 1 field"));
}

#[test]
fn unclosed_quotes() {
    let help = "  help: close it; a quote inside a quoted value is written twice (\"\")";
    assert_eq!(
        complaint(b"a,b\n1,\"x\ny\"\n2,\"z\"\"\n3,4\n"),
        shown(&["the quote opened on line 4 is never closed", "  --> data.csv:4", help])
    );
    assert_eq!(
        complaint(b"\n\"a,b\n1,2\n"),
        shown(&["the quote opened on line 2 is never closed", "  --> data.csv:2", help])
    );
    let endless = [b"a\n1\n\"".as_slice(), &b"x\n".repeat(2 << 20)].concat();
    let error = fields(&open(&endless).unwrap().with_sizes(16, 1 << 20)).unwrap_err();
    assert_eq!(error.message, "the quote on line 3 is not closed within 1 MB");
    let endless = [b"a\n1\n".as_slice(), &b"x".repeat(2 << 20)].concat();
    let error = fields(&open(&endless).unwrap().with_sizes(16, 1 << 20)).unwrap_err();
    assert_eq!(error.message, "line 3 is longer than 1 MB");
}

#[test]
fn headers() {
    assert_eq!(
        complaint(b"age,sex, age\n1,2,3\n"),
        shown(&[
            "columns 1 and 3 are both named \"age\"",
            "  --> data.csv:1:3",
            "  help: rename one of them",
        ])
    );
    assert_eq!(
        complaint(b"\nage, ,sex\n"),
        shown(&[
            "column 2 has no name",
            "  --> data.csv:2:2",
            "  help: give every column a name in the header",
        ])
    );
    assert_eq!(
        complaint(b"age,sex,\n1,2,\n"),
        shown(&[
            "column 3 has no name",
            "  --> data.csv:1:3",
            "  help: give every column a name in the header, \
             or remove the delimiter at the end of the line",
        ])
    );
    let help = "  help: the first line of a table holds the names of its columns";
    assert_eq!(complaint(b""), shown(&["data.csv is empty", help]));
    assert_eq!(complaint(b"\xef\xbb\xbf"), shown(&["data.csv is empty", help]));
    assert_eq!(complaint(b"\n\r\n"), shown(&["data.csv holds nothing but blank lines", help]));
}

#[test]
fn encodings_and_other_files() {
    for (bytes, message) in [
        (b"a,\0\0\0,b\n".as_slice(), "data.csv is not a text file: it contains NUL bytes"),
        #[cfg(feature = "excel")]
        (b"PK\x03\x04..", "data.csv is a zip archive"),
        (b"BZh91AY", "data.csv is compressed in an unsupported way"),
        (b"a,b\r1,2\r", "the lines of data.csv end with CR alone"),
    ] {
        assert_eq!(complaint(bytes).lines().next(), Some(message));
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Text that does not compress well, so that a part of it is still being read when the rest is cut.
fn noise() -> Vec<u8> {
    let mut text = b"a,b\n".to_vec();
    let mut state = 1u32;
    for _ in 0..40_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        writeln!(text, "{},{}", state >> 8, state >> 20).unwrap();
    }
    text
}

#[test]
fn damaged_compression() {
    let whole = gzip(&noise());
    assert_eq!(
        complaint(&whole[..whole.len() / 2]),
        shown(&[
            "data.csv ends in the middle of its gzip data",
            "  help: the file is incomplete: copy or make it again",
        ])
    );
    let mut wrong = whole.clone();
    let checksum = wrong.len() - 6;
    wrong[checksum] ^= 1;
    let complaint_of_checksum = complaint(&wrong);
    assert!(
        complaint_of_checksum.starts_with("data.csv does not decompress as gzip: corrupt"),
        "{complaint_of_checksum}"
    );
    let whole = zstd::encode_all(noise().as_slice(), 3).unwrap();
    assert_eq!(
        complaint(&whole[..whole.len() / 2]),
        shown(&[
            "data.csv ends in the middle of its zstd data",
            "  help: the file is incomplete: copy or make it again",
        ])
    );
    let mut wrong = whole.clone();
    wrong[5..200].fill(0xff);
    let wrong = complaint(&wrong);
    assert!(wrong.starts_with("data.csv does not decompress as zstd: "), "{wrong}");
    assert!(wrong.ends_with("help: the file is damaged: copy or make it again"), "{wrong}");
}

#[test]
fn files_that_cannot_be_read() {
    let open = |path: &std::path::Path| {
        let error: Error = Source::open(&Input::from(path), &ReadOptions::default()).unwrap_err();
        error.to_string()
    };
    let folder = tempfile::tempdir().unwrap();
    let shown_folder = folder.path().display();
    assert_eq!(
        open(folder.path()),
        format!("{shown_folder} is a folder, not a file\n  help: name the file to read")
    );
    let missing = open(&folder.path().join("none.csv"));
    assert!(missing.starts_with(&format!("cannot read {shown_folder}/none.csv: ")), "{missing}");
    assert!(missing.ends_with("help: check the name and the folder"), "{missing}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.path().join("secret.csv");
        std::fs::write(&path, "a\n1\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
        // The superuser reads everything.
        if std::fs::File::open(&path).is_err() {
            assert!(open(&path).ends_with("help: ask for the permission to read it"));
        }
    }
}

#[test]
fn options_that_cannot_work() {
    for (delimiter, name) in [(b'"', "'\"'"), (b'\n', "'\\n'"), (0xe9, "'é'"), (0, "'\\0'")] {
        let options = ReadOptions { delimiter: Some(delimiter), ..ReadOptions::default() };
        let error = open_with(b"a,b\n", options).unwrap_err();
        assert_eq!(error.message, format!("{name} cannot be the delimiter"));
    }
    let source = open(b"a,b\n1,2\n").unwrap();
    let read = source.fold(&[0, 2], || (), |(), _: &Chunk| Ok(()), &Control::new());
    assert_eq!(read.unwrap_err().message, "there is no column 3 in data.csv, which has 2");
    let options = ReadOptions { format: Some(InputFormat::Parquet), ..ReadOptions::default() };
    let error = open_with(b"a,b\n1,2\n3,4\n5,6\n", options).unwrap_err();
    assert!(error.message.contains("Parquet"), "{error}");
}
