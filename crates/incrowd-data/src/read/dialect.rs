//! What kind of CSV a file is: its encoding, its delimiter, its header.

use std::collections::HashMap;
use std::path::Path;

use crate::{Error, Result};

/// The delimiters that are looked for, the more usual first.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Follows the quotes through a text that begins with a record: the one place that knows which
/// quotes open and close a field.
#[derive(Debug)]
pub(super) struct QuoteTracker {
    open: bool,
    /// The position behind the last closing quote.
    behind: usize,
}

impl Default for QuoteTracker {
    fn default() -> Self {
        QuoteTracker { open: false, behind: usize::MAX }
    }
}

impl QuoteTracker {
    /// Whether the text met so far ends inside quotes.
    #[inline]
    pub(super) fn open(&self) -> bool {
        self.open
    }

    /// Meets the quote at `at`, which must be the next one. Says whether it opens a field.
    ///
    /// A doubled quote inside quotes closes and opens again.
    #[inline]
    pub(super) fn meet(&mut self, text: &[u8], at: usize, delimiter: u8) -> bool {
        if self.open {
            self.open = false;
            self.behind = at + 1;
            return false;
        }
        let first = at == 0 || text[at - 1] == delimiter || text[at - 1] == b'\n';
        self.open = first || at == self.behind;
        first
    }
}

/// A position in a text, for messages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextPosition {
    /// How many lines come before.
    pub(super) lines: u64,
    /// The number of the field in its record, from 1.
    pub(super) field: usize,
}

/// Where the byte at `target` stands in a text that begins with a record.
pub(super) fn locate(text: &[u8], delimiter: u8, target: usize) -> TextPosition {
    let mut position = TextPosition { lines: 0, field: 1 };
    let mut quotes = QuoteTracker::default();
    for at in memchr::memchr3_iter(b'"', b'\n', delimiter, &text[..target]) {
        match text[at] {
            b'"' => _ = quotes.meet(text, at, delimiter),
            byte => {
                position.lines += u64::from(byte == b'\n');
                if !quotes.open() {
                    position.field = if byte == b'\n' { 1 } else { position.field + 1 };
                }
            }
        }
    }
    position
}

/// The records of a text that begins with one, as far as they are whole: where each begins and
/// ends (without its newline), and how many fields it has. Blank lines are left out.
fn records(text: &[u8], delimiter: u8) -> impl Iterator<Item = RecordSpan> {
    let mut marks = memchr::memchr3_iter(b'"', b'\n', delimiter, text);
    let mut quotes = QuoteTracker::default();
    let mut record = RecordSpan { start: 0, end: 0, fields: 1 };
    std::iter::from_fn(move || {
        loop {
            let at = marks.next()?;
            if text[at] == b'"' {
                quotes.meet(text, at, delimiter);
            } else if quotes.open() {
            } else if text[at] == delimiter {
                record.fields += 1;
            } else {
                record.end = at;
                let found = record;
                record = RecordSpan { start: at + 1, end: at + 1, fields: 1 };
                let line = &text[found.start..found.end];
                if !line.is_empty() && line != b"\r" {
                    return Some(found);
                }
            }
        }
    })
}

/// A record in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) fields: usize,
}

/// The first whole record of a text that is not blank.
pub(super) fn first_record(text: &[u8], delimiter: u8) -> Option<RecordSpan> {
    records(text, delimiter).next()
}

/// The delimiter of a text, by the rule of [`ReadOptions::delimiter`](super::ReadOptions).
pub(super) fn detect_delimiter(sample: &[u8]) -> u8 {
    // For each candidate: records that agree with the header, records, fields of the header.
    let scores = CANDIDATES.map(|delimiter| {
        let mut counts = records(sample, delimiter).map(|record| record.fields);
        let header = counts.next().unwrap_or(1);
        let (mut agreeing, mut all) = (1u64, 1u64);
        for fields in counts {
            agreeing += u64::from(fields == header);
            all += 1;
        }
        (delimiter, header, agreeing, all)
    });
    let mut best: Option<(u8, usize, u64, u64)> = None;
    for score in scores {
        let (_, header, agreeing, all) = score;
        if header < 2 {
            continue;
        }
        let better = best.is_none_or(|(_, best_header, best_agreeing, best_all)| {
            let (mine, other) = (agreeing * best_all, best_agreeing * all);
            mine > other || mine == other && header > best_header
        });
        if better {
            best = Some(score);
        }
    }
    // One column: best a delimiter that no value holds.
    let unsplit = scores.iter().find(|&&(_, _, agreeing, all)| agreeing == all);
    best.as_ref().or(unsplit).map_or(CANDIDATES[0], |&(delimiter, ..)| delimiter)
}

/// Refuses what is no text by its first bytes; returns how many bytes of byte order mark to skip.
pub(super) fn check_text(path: &Path, head: &[u8]) -> Result<usize> {
    let file = path.display();
    let (message, help) = match head {
        [0xef, 0xbb, 0xbf, rest @ ..] if !rest.contains(&0) => return Ok(3),
        _ if head.contains(&0) => (
            format!("{file} is not a text file: it contains NUL bytes"),
            "if it is text in another encoding, name it with --encoding",
        ),
        _ if head.contains(&b'\r') && !head.contains(&b'\n') => (
            format!("the lines of {file} end with CR alone"),
            "convert them, for example: tr '\\r' '\\n' < FILE > NEW",
        ),
        _ => return Ok(0),
    };
    Err(Error::new(message).help(help))
}

/// Refuses delimiters that cannot work.
pub(super) fn check_delimiter(delimiter: u8) -> Result<u8> {
    if delimiter.is_ascii() && !matches!(delimiter, b'"' | b'\r' | b'\n' | 0) {
        return Ok(delimiter);
    }
    Err(Error::new(format!("{} cannot be the delimiter", shown(delimiter)))
        .help("take an ASCII character other than the quote and the ends of lines"))
}

/// What a first column without a name is called, as R and pandas write the names or numbers of rows.
pub const ROW_NAMES: [&str; 2] = ["row", "row.names"];

/// Gives a first column a name that has none although the others have: it holds the names of the rows.
pub(super) fn name_rows(names: &mut [String]) {
    let [first, others @ ..] = names else { return };
    if first.is_empty() && !others.is_empty() {
        let free = ROW_NAMES.into_iter().find(|name| others.iter().all(|other| other != name));
        free.unwrap_or_default().clone_into(first);
    }
}

/// Checks the names of the columns; `line` is where they stand, if they stand on a line.
pub(super) fn check_names(path: &Path, line: Option<u64>, names: &[String]) -> Result<()> {
    let repeated = first_repeated(names);
    for (at, name) in names.iter().enumerate() {
        let column = at + 1;
        let error = if name.is_empty() {
            let last = column == names.len() && column > 1;
            let end = if last { ", or remove the delimiter at the end of the line" } else { "" };
            Error::new(format!("column {column} has no name"))
                .help(format!("give every column a name in the header{end}"))
        } else if let Some((first, _)) = repeated.filter(|&(_, again)| again == at) {
            Error::new(format!("columns {} and {column} are both named {name:?}", first + 1))
                .help("rename one of them")
        } else {
            continue;
        };
        return Err(error.at(path, line, Some(column as u64)));
    }
    Ok(())
}

/// The first name that has been there before: where it was, and where it is again. A table may have 100,000 columns.
pub fn first_repeated(names: &[String]) -> Option<(usize, usize)> {
    let mut known = HashMap::with_capacity(names.len());
    names.iter().enumerate().find_map(|(at, name)| Some((known.insert(name.as_str(), at)?, at)))
}

/// A delimiter as shown to people.
pub(super) fn shown(delimiter: u8) -> String {
    match delimiter {
        b'\t' => "tab".to_owned(),
        byte => format!("{:?}", char::from(byte)),
    }
}
