//! Texts in other encodings than UTF-8.

use std::io::Write;

use super::{fields, open, open_with};
use crate::read::ReadOptions;

const TEXT: &str = "name,stadt\nMüller,Köln\n\"Groß, Zoë\",Århus\n";

fn utf16(text: &str, big: bool, mark: bool) -> Vec<u8> {
    let mark = mark.then_some(0xfeff);
    let units = mark.into_iter().chain(text.encode_utf16());
    units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

fn named(name: &str) -> ReadOptions {
    ReadOptions { encoding: Some(name.to_owned()), ..ReadOptions::default() }
}

#[test]
fn the_same_table_in_every_encoding() {
    let expected = fields(&open(TEXT.as_bytes()).unwrap()).unwrap();
    assert_eq!(expected[1], ["Groß, Zoë", "Århus"]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&latin1(TEXT)).unwrap();
    let cases = [
        (utf16(TEXT, false, true), "UTF-16LE"),
        (utf16(TEXT, true, true), "UTF-16BE"),
        (utf16(TEXT, false, false), "UTF-16LE"),
        (utf16(TEXT, true, false), "UTF-16BE"),
        (latin1(TEXT), "Windows-1252"),
        (gzip.finish().unwrap(), "Windows-1252"),
    ];
    for (bytes, encoding) in cases {
        let source = open(&bytes).unwrap();
        assert_eq!(fields(&source).unwrap(), expected, "{encoding}");
        let [note] = source.notes() else { panic!("one note about {encoding}") };
        assert!(note.contains(encoding), "{note}");
        assert_eq!(source.delimiter(), Some(b','));
    }
    let marked = [b"\xef\xbb\xbf", TEXT.as_bytes()].concat();
    let source = open(&marked).unwrap();
    assert!(source.notes().is_empty());
    assert_eq!(fields(&source).unwrap(), expected);
}

#[test]
fn the_note_shows_what_was_made_of_a_word() {
    let source = open(&latin1(TEXT)).unwrap();
    assert!(source.notes()[0].contains("\"Müller\""), "{:?}", source.notes());
}

#[test]
fn a_late_accent_is_found_as_well() {
    let mut bytes = b"name,n\n".to_vec();
    for row in 0..400_000 {
        writeln!(bytes, "plain,{row}").unwrap();
    }
    bytes.extend_from_slice(b"M\xfcller,1\n");
    let source = open(&bytes).unwrap();
    assert_eq!(source.notes().len(), 1);
    assert_eq!(fields(&source).unwrap().last().unwrap(), &["Müller", "1"]);
}

#[test]
fn a_named_encoding_is_taken_without_a_word() {
    let cyrillic = encoding_rs::WINDOWS_1251.encode("имя,n\nИван,1\n").0.into_owned();
    let source = open_with(&cyrillic, named("windows-1251")).unwrap();
    assert!(source.notes().is_empty());
    assert_eq!(
        (source.columns()[0].as_str(), fields(&source).unwrap()[0][0].as_str()),
        ("имя", "Иван")
    );
    for name in ["latin1", "LATIN-1", "iso-8859-1", "cp1252", "Windows-1252", "win-1252"] {
        let source = open_with(&latin1(TEXT), named(name)).unwrap();
        assert_eq!(fields(&source).unwrap()[0], ["Müller", "Köln"], "{name}");
    }
    let japanese = encoding_rs::SHIFT_JIS.encode("名前,n\n山田,1\n").0.into_owned();
    assert_eq!(open_with(&japanese, named("shift_jis")).unwrap().columns(), ["名前", "n"]);
    assert_eq!(
        open_with(&utf16(TEXT, false, true), named("utf-16")).unwrap().columns()[1],
        "stadt"
    );
}

#[test]
fn what_cannot_be_told_is_refused_with_its_place() {
    let cyrillic = encoding_rs::WINDOWS_1251.encode("name,n\nИванов,1\n").0.into_owned();
    let error = open(&cyrillic).unwrap_err();
    assert!(error.message.contains("is unclear: line 2"), "{error}");
    assert!(error.help.unwrap().contains("--encoding"));
    let error = open(b"name,n\nx,1\n\x81,2\n").unwrap_err();
    assert!(error.message.contains("line 3 has the byte 0x81"), "{error}");
    // UTF-8 with a damaged character stays what it is.
    let damaged = ["name,n\nMüller,1\nKöln,2\n".as_bytes(), b"a\xfcb,3\n"].concat();
    let error = fields(&open(&damaged).unwrap()).unwrap_err();
    assert!(error.message.starts_with("line 4, column 1 (\"name\") is not valid UTF-8"), "{error}");
    let error = open_with(b"a,b\n1,\xff2\n", named("shift_jis")).unwrap_err();
    assert_eq!(error.message, "line 2, character 3 is not valid Shift_JIS");
    let error = open_with(b"a\n", named("klingon")).unwrap_err();
    assert_eq!(error.message, "unknown encoding `klingon`");
    assert!(error.help.unwrap().contains("windows-1252"));
}
