//! Rows of a query, one after the other.

use std::io::{BufRead, BufReader, Read};

use incrowd_run::{
    Error, ErrorKind, Result,
    data::{NULL, field_of_text},
};

/// The statement that tells all rows of a query to [`each_row`].
pub(crate) fn rows_of(query: &str) -> String {
    format!("COPY ({query}) TO STDOUT")
}

/// Hands over row by row the fields that stand for its values; NULL is [`NULL`], and no text is.
pub(crate) fn each_row(
    rows: impl Read,
    mut take: impl FnMut(&[String]) -> Result<()>,
) -> Result<()> {
    let broken = |what: &dyn std::fmt::Display| {
        Error::new(format!("rows could not be read back: {what}")).of_kind(ErrorKind::Database)
    };
    let mut rows = BufReader::with_capacity(1 << 16, rows);
    let (mut line, mut fields) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        if rows.read_until(b'\n', &mut line).map_err(|e| broken(&e))? == 0 {
            return Ok(());
        }
        let text = str::from_utf8(&line).map_err(|e| broken(&e))?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        fields.clear();
        fields.extend(text.split('\t').map(field));
        take(&fields)?;
    }
}

/// The field for what COPY has written of a value.
fn field(written: &str) -> String {
    if written == NULL {
        return NULL.to_owned();
    }
    if !written.contains('\\') {
        return written.to_owned();
    }
    let mut text = String::with_capacity(written.len());
    let mut characters = written.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('v') => '\u{b}',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    field_of_text(&text).into_owned()
}

/// A text as COPY reads it.
pub(crate) fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_null_is_no_text() -> Result<()> {
        let texts = ["", "a", "\\N", "\\\\N", "tab\tline\nreturn\r\\", "\\n"];
        let mut line = String::new();
        for text in texts {
            escape(text, &mut line);
            line.push('\t');
        }
        line.push_str("\\N\n\n");
        let mut read: Vec<Vec<Option<String>>> = Vec::new();
        each_row(line.as_bytes(), |fields| {
            read.push(
                fields
                    .iter()
                    .map(|it| incrowd_run::data::text_of_field(it).map(str::to_owned))
                    .collect(),
            );
            Ok(())
        })?;
        let mut first: Vec<Option<String>> =
            texts.iter().map(|it| Some((*it).to_owned())).collect();
        first.push(None);
        assert_eq!(read, [first, vec![Some(String::new())]]);
        Ok(())
    }
}
