//! Rows as CSV text, and back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, NULL, Result, field_of_text, text_of_field};

/// Turns fields into CSV (RFC 4180, without line ends) and encoded rows back into fields.
///
/// A field is quoted only where it must be: when it holds the delimiter, a quote or a line end,
/// when it starts with a byte order mark, which a reader would take for the file's own, and when
/// it is blank and the table has only one column, where it would read as a blank line. Where
/// NULL is told apart, a text that is spelled like NULL is quoted, and NULL is not.
///
/// An *encoded row* is what [`row`](Self::row) and [`join`](Self::join) make: fields with
/// delimiters between them and no line end. The labels of a column recur in row after row, so a
/// caller encodes each [`label`](Self::label) once and joins the results.
#[derive(Debug, Clone)]
pub struct CsvEncoder {
    delimiter: u8,
    lone_column: bool,
    /// How NULL is spelled; none where it is not told apart from the empty text.
    null: Option<&'static str>,
    /// Whether texts that a spreadsheet would compute get an apostrophe before them.
    safe: bool,
    /// Whether there was any such text, in this encoder or a clone of it.
    formulas: Arc<AtomicBool>,
}

/// Whether a spreadsheet would take a text for a formula: one that begins with `=`, `+`, `-` or `@` and is no number.
pub(super) fn is_formula(text: &str) -> bool {
    let mut bytes = text.trim_start().bytes();
    match bytes.next() {
        Some(b'=' | b'@') => text.trim().len() > 1,
        Some(b'+' | b'-') => {
            let mut others = 0;
            bytes.any(|byte| {
                others += 1;
                !(byte.is_ascii_digit() || b".,eE ".contains(&byte))
            }) && others > 0
        }
        _ => false,
    }
}

const QUOTE: u8 = b'"';
const BYTE_ORDER_MARK: char = '\u{feff}';

impl CsvEncoder {
    /// An encoder for a table of so many columns.
    pub fn new(delimiter: u8, columns: usize) -> Result<Self> {
        if !delimiter.is_ascii() || matches!(delimiter, QUOTE | b'\r' | b'\n' | 0) {
            return Err(Error::new(format!(
                "{:?} cannot be the delimiter of a CSV file",
                char::from(delimiter)
            ))
            .help("choose one of , ; | or a tab"));
        }
        let formulas = Arc::new(AtomicBool::new(false));
        Ok(CsvEncoder { delimiter, lone_column: columns == 1, null: None, safe: false, formulas })
    }

    /// Puts an apostrophe before every text that a spreadsheet would take for a formula, which then shows it.
    #[must_use]
    pub fn with_safety(self, safe: bool) -> Self {
        CsvEncoder { safe, ..self }
    }

    /// Tells [`NULL`] from texts and spells it like this, without quotes. Spelled as nothing it still gets quotes in a table of
    /// one column, where it would be a blank line.
    #[must_use]
    pub fn with_null(self, null: Option<&'static str>) -> Self {
        CsvEncoder { null, ..self }
    }

    /// Whether any field looked like a formula.
    pub fn met_formulas(&self) -> bool {
        self.formulas.load(Ordering::Relaxed)
    }

    /// The byte between two fields.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Appends one field to `out`, quoted if it must be.
    pub fn field(&self, text: &str, out: &mut Vec<u8>) {
        let Some(null) = self.null else { return self.text(text, out) };
        match text_of_field(text) {
            Some(text) if text == null => in_quotes(text, out),
            Some(text) => self.text(text, out),
            None if self.lone_column && null.is_empty() => in_quotes(null, out),
            None => out.extend_from_slice(null.as_bytes()),
        }
    }

    fn text(&self, text: &str, out: &mut Vec<u8>) {
        if is_formula(text) {
            self.formulas.store(true, Ordering::Relaxed);
            if self.safe {
                return self.quoted(&format!("'{text}"), out);
            }
        }
        self.quoted(text, out);
    }

    fn quoted(&self, text: &str, out: &mut Vec<u8>) {
        match self.needs_quotes(text) {
            true => in_quotes(text, out),
            false => out.extend_from_slice(text.as_bytes()),
        }
    }

    /// One field by itself: for labels, which are encoded once and used often.
    pub fn label(&self, text: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        self.field(text, &mut out);
        out
    }

    /// Appends a row of plain fields to `out`.
    pub fn row<S: AsRef<str>>(&self, fields: impl IntoIterator<Item = S>, out: &mut Vec<u8>) {
        for (i, field) in fields.into_iter().enumerate() {
            if i > 0 {
                out.push(self.delimiter);
            }
            self.field(field.as_ref(), out);
        }
    }

    /// Appends a row of labels, encoded before, to `out`.
    pub fn join<L: AsRef<[u8]>>(&self, labels: impl IntoIterator<Item = L>, out: &mut Vec<u8>) {
        for (i, label) in labels.into_iter().enumerate() {
            if i > 0 {
                out.push(self.delimiter);
            }
            out.extend_from_slice(label.as_ref());
        }
    }

    /// Gives the fields of an encoded row, one after the other, to `each`; returns how many there
    /// are. `scratch` is where fields are unquoted.
    pub fn decode(
        &self,
        row: &[u8],
        scratch: &mut String,
        mut each: impl FnMut(usize, &str) -> Result<()>,
    ) -> Result<usize> {
        let malformed =
            || Error::new(format!("'{}' is not an encoded row", String::from_utf8_lossy(row)));
        let delimiter = char::from(self.delimiter);
        let mut rest = str::from_utf8(row).map_err(|_| malformed())?;
        let mut fields = 0;
        loop {
            let (text, is_quoted) = if let Some(quoted) = rest.strip_prefix('"') {
                rest = unquote(quoted, scratch).ok_or_else(malformed)?;
                (scratch.as_str(), true)
            } else {
                let end = memchr::memchr(self.delimiter, rest.as_bytes()).unwrap_or(rest.len());
                let (text, after) = rest.split_at(end);
                rest = after;
                (text, false)
            };
            match self.null {
                None => each(fields, text)?,
                Some(null) if !is_quoted && text == null => each(fields, NULL)?,
                Some(_) => each(fields, &field_of_text(text))?,
            }
            fields += 1;
            if rest.is_empty() {
                return Ok(fields);
            }
            rest = rest.strip_prefix(delimiter).ok_or_else(malformed)?;
        }
    }

    /// The text of a decoded field; none for what is null in formats that know null.
    pub fn value<'f>(&self, field: &'f str) -> Option<&'f str> {
        match self.null {
            Some(_) => text_of_field(field),
            None => Some(field).filter(|field| !field.is_empty()),
        }
    }

    fn needs_quotes(&self, text: &str) -> bool {
        let special = |b: u8| b == self.delimiter || matches!(b, QUOTE | b'\r' | b'\n');
        text.bytes().any(special)
            || text.starts_with(BYTE_ORDER_MARK)
            || (self.lone_column && text.trim_ascii().is_empty())
    }
}

fn in_quotes(text: &str, out: &mut Vec<u8>) {
    out.push(QUOTE);
    for (i, part) in text.split('"').enumerate() {
        if i > 0 {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(part.as_bytes());
    }
    out.push(QUOTE);
}

/// Puts the quoted field that starts `text` (after its opening quote) into `field`; returns what
/// comes after its closing quote, or nothing if there is none.
fn unquote<'t>(mut text: &'t str, field: &mut String) -> Option<&'t str> {
    field.clear();
    loop {
        let (part, rest) = text.split_once('"')?;
        field.push_str(part);
        match rest.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                text = more;
            }
            None => return Some(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn encoded(fields: &[&str], delimiter: u8) -> String {
        let mut out = Vec::new();
        CsvEncoder::new(delimiter, fields.len()).unwrap().row(fields, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn formulas_are_known_and_made_harmless() {
        for text in ["=1+1", "=cmd|' /C calc'!A0", "@SUM(A1)", "+1+1", "-2+3", "-a", " =x", "+cmd"]
        {
            assert!(is_formula(text), "{text}");
        }
        for text in [
            "",
            "-",
            "+",
            "=",
            "-5",
            "+3.5",
            "-1e5",
            "-1.234,5",
            "[-4 to 0]",
            "a=b",
            "*",
            "{=a, b}",
            "1-2",
        ] {
            assert!(!is_formula(text), "{text}");
        }
        let plain = CsvEncoder::new(b',', 2).unwrap();
        let safe = plain.clone().with_safety(true);
        let row = |encoder: &CsvEncoder, fields: [&str; 2]| {
            let mut out = Vec::new();
            encoder.row(fields, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(row(&safe, ["-5", "a"]), "-5,a");
        assert!(!plain.met_formulas());
        assert_eq!(row(&plain, ["=1,2", "a"]), "\"=1,2\",a");
        assert_eq!(row(&safe, ["=1,2", "@x"]), "\"'=1,2\",'@x");
        assert!(plain.met_formulas());
    }

    #[test]
    fn quotes_only_where_needed() {
        assert_eq!(encoded(&["a", "", " b ", "*", "[25-28]"], b','), "a,, b ,*,[25-28]");
        assert_eq!(encoded(&["{a, b}", "x;y"], b','), "\"{a, b}\",x;y");
        assert_eq!(encoded(&["{a, b}", "x;y"], b';'), "{a, b};\"x;y\"");
        assert_eq!(
            encoded(&["say \"hi\"", "\"", "l\nm", "r\rs"], b','),
            "\"say \"\"hi\"\"\",\"\"\"\",\"l\nm\",\"r\rs\""
        );
        assert_eq!(encoded(&["\u{feff}id", "x"], b','), "\"\u{feff}id\",x");
        assert_eq!(encoded(&[""], b','), "\"\"");
        assert_eq!(encoded(&[" "], b','), "\" \"");
        assert_eq!(encoded(&["", ""], b','), ",");
    }

    #[test]
    fn labels_join_to_the_same_row() {
        let encoder = CsvEncoder::new(b',', 3).unwrap();
        let fields = ["", "a,b", "c"];
        let labels = fields.map(|field| encoder.label(field));
        let mut out = Vec::new();
        encoder.join(&labels, &mut out);
        assert_eq!(out, encoded(&fields, b',').as_bytes());
    }

    #[test]
    fn null_is_neither_the_empty_text_nor_a_text_that_looks_like_it() {
        let fields = [NULL, "", "\\\\N", "a"];
        for (null, line) in [("", ",\"\",\\N,a"), (NULL, "\\N,,\"\\N\",a")] {
            let encoder = CsvEncoder::new(b',', 4).unwrap().with_null(Some(null));
            let mut row = Vec::new();
            encoder.row(fields, &mut row);
            assert_eq!(str::from_utf8(&row).unwrap(), line);
            let mut read = Vec::new();
            let take = |_, field: &str| {
                read.push(field.to_owned());
                Ok(())
            };
            encoder.decode(&row, &mut String::new(), take).unwrap();
            assert_eq!(read, fields);
        }
        // A blank line would be no row.
        let alone = CsvEncoder::new(b',', 1).unwrap();
        assert_eq!(alone.clone().with_null(Some("")).label(NULL), b"\"\"");
        assert_eq!(alone.with_null(Some(NULL)).label(NULL), NULL.as_bytes());
    }

    #[test]
    fn impossible_delimiters_are_refused() {
        for delimiter in [b'"', b'\n', b'\r', 0, 0xe9] {
            assert!(CsvEncoder::new(delimiter, 2).is_err());
        }
    }

    #[test]
    fn malformed_rows_are_refused() {
        let encoder = CsvEncoder::new(b',', 2).unwrap();
        for row in [&b"\"open"[..], b"\"a\"b,c", b"\xff,a"] {
            assert!(encoder.decode(row, &mut String::new(), |_, _| Ok(())).is_err());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(256)))]

        #[test]
        fn what_is_encoded_reads_back(
            rows in (1usize..5).prop_flat_map(|columns| prop::collection::vec(
                prop::collection::vec("[ab,;\"\r\n\u{feff}\t ]{0,6}", columns), 1..8)),
            delimiter in prop::sample::select(&b",;\t|"[..]),
        ) {
            let encoder = CsvEncoder::new(delimiter, rows[0].len()).unwrap();
            let mut file = Vec::new();
            for row in &rows {
                let mut encoded = Vec::new();
                encoder.row(row, &mut encoded);
                let mut decoded = Vec::new();
                let fields = encoder.decode(&encoded, &mut String::new(), |i, field| {
                    assert_eq!(i, decoded.len());
                    decoded.push(field.to_owned());
                    Ok(())
                });
                prop_assert_eq!(fields.unwrap(), row.len());
                prop_assert_eq!(&decoded, row);
                file.extend_from_slice(&encoded);
                file.push(b'\n');
            }
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .delimiter(delimiter)
                .from_reader(file.as_slice());
            let read: Vec<Vec<String>> = reader.deserialize().map(|row| row.unwrap()).collect();
            prop_assert_eq!(read, rows);
        }
    }
}
