//! How a column writes its numbers, found from all of its values.

use super::number::{NumberFormat, is_alike};
use super::scale::{Scale, ValueBounds};
use crate::kit::{Error, ErrorKind, words};

/// What the values of a column turn out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum DetectedNumbers {
    /// Numbers, all of them, written so.
    Numbers(NumberFormat),
    /// Numbers that can be read in two ways, which nothing decides.
    Ambiguous(NumberReadings),
    /// Something is not a number.
    Text,
}

/// Two ways to read a column.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberReadings {
    /// A value that differs.
    pub value: String,
    /// Both formats, with the number that the value is then.
    pub ways: [(NumberFormat, String); 2],
}

impl NumberReadings {
    /// Why such a column cannot be taken as numbers, and what to do.
    pub fn error(&self, column: &str) -> Error {
        let NumberReadings { value, ways: [(one, first), (two, second)] } = self;
        let (example, another) = match words::values_are_hidden() {
            true => (format!("{} is one number", words::value(value)), "another".to_owned()),
            false => (format!("{value:?} is {first}"), second.clone()),
        };
        Error::new(format!(
            "column {column:?} can be read in two ways: {example} with a decimal {} \
             and {another} with a decimal {}",
            sign_name(one.point()),
            sign_name(two.point())
        ))
        .of_kind(ErrorKind::Ambiguous)
        .help(format!(
            "name one: --decimal {} or --decimal {} (decimal = \"{}\" in a spec file)",
            one.point(),
            two.point(),
            one.point()
        ))
    }
}

/// A decimal sign in a word.
fn sign_name(point: char) -> &'static str {
    if point == ',' { "comma" } else { "point" }
}

/// How the values of a column (missing ones left out) write numbers.
///
/// Plain notation is taken wherever it fits. Of other formats those are left that read every value; where two of
/// them disagree about a number, `decimal` decides, the sign that the user or the other columns of the table
/// give. With a decimal comma given, points between groups of three digits are taken for what they look like then.
pub fn detect<'a>(
    values: impl Iterator<Item = &'a str> + Clone,
    decimal: Option<char>,
) -> DetectedNumbers {
    if values.clone().next().is_none() {
        return DetectedNumbers::Text;
    }
    let reads_all = |format: NumberFormat| {
        let scale = Scale::Numbers(format);
        values.clone().all(|value| scale.read_label(value).is_some())
    };
    let plain = NumberFormat::default();
    let mut fitting: Vec<NumberFormat> = candidates(values.clone(), decimal)
        .into_iter()
        .filter(|format| reads_all(*format))
        .collect();
    if let Some(point) = decimal
        && fitting.iter().any(|format| format.point() == point)
    {
        fitting.retain(|format| format.point() == point);
    } else if fitting.contains(&plain) {
        return DetectedNumbers::Numbers(plain);
    }
    let Some(&first) = fitting.first() else { return DetectedNumbers::Text };
    for &other in &fitting[1..] {
        let read = |format: NumberFormat, value: &str| Scale::Numbers(format).read_label(value);
        let differs = |value: &&str| read(first, value) != read(other, value);
        if let Some(value) = values.clone().find(differs) {
            let shown = |format: NumberFormat| {
                let number = read(format, value).map(|bounds: ValueBounds| bounds.least());
                number.map_or_else(String::new, |number| number.to_string())
            };
            return DetectedNumbers::Ambiguous(NumberReadings {
                value: value.to_owned(),
                ways: [(first, shown(first)), (other, shown(other))],
            });
        }
    }
    DetectedNumbers::Numbers(first)
}

/// The formats that could have written these values, the plain one first.
fn candidates<'a>(
    values: impl Iterator<Item = &'a str> + Clone,
    decimal: Option<char>,
) -> Vec<NumberFormat> {
    let mut formats = vec![NumberFormat::default()];
    let seen = |character: char| values.clone().any(|value| value.contains(character));
    let (point, comma) = (seen('.'), seen(','));
    // Of characters that are typed for one another the one that comes first in the column is kept.
    let between = |alike: char| {
        let mut found = values.clone().filter_map(|value| {
            // Around a dash or a word there are spaces that group nothing.
            let digits = |c: Option<char>| c.is_some_and(|c: char| c.is_ascii_digit());
            let mut characters = value.char_indices().filter(|(_, c)| is_alike(*c, alike));
            characters.find_map(|(at, c)| {
                let before = digits(value[..at].chars().next_back());
                let behind = digits(value[at + c.len_utf8()..].chars().next());
                (before && behind).then_some(c)
            })
        });
        // Whichever rows come first: the least of them.
        let first = found.next()?;
        Some(found.fold(first, char::min))
    };
    let grouping: Vec<char> = [' ', '\''].into_iter().filter_map(between).collect();
    let with = |format: NumberFormat, formats: &mut Vec<NumberFormat>| {
        formats.push(format);
        formats.extend(grouping.iter().map(|&groups| format.with_groups(groups)));
    };
    for &groups in &grouping {
        formats.push(NumberFormat::new('.').with_groups(groups));
    }
    // A comma or point between thousands is always the other one than that before decimals.
    if comma || decimal == Some(',') {
        formats.push(NumberFormat::new('.').with_groups(','));
        with(NumberFormat::new(','), &mut formats);
    }
    if point {
        formats.push(NumberFormat::new(',').with_groups('.'));
    }
    formats
}

/// The decimal sign that columns leave no doubt about, if they agree: what `33,9` says, and `1.234` does not.
pub fn decimal_sign<'a, V>(columns: impl Iterator<Item = V>) -> Option<char>
where
    V: Iterator<Item = &'a str> + Clone,
{
    let mut found = None;
    for values in columns {
        let DetectedNumbers::Numbers(format) = detect(values.clone(), None) else { continue };
        let has_sign = values.clone().any(|value| value.contains(format.point()));
        // Plain notation is taken wherever it fits, so a point decides only where it cannot part thousands.
        let grouped = NumberFormat::new(',').with_groups('.');
        let doubtful = format.point() == '.'
            && values.clone().all(|value| Scale::Numbers(grouped).read_label(value).is_some());
        if !has_sign || doubtful {
            continue;
        }
        match found {
            None => found = Some(format.point()),
            Some(point) if point != format.point() => return None,
            Some(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(values: &[&str], decimal: Option<char>) -> Option<(char, Option<char>)> {
        match detect(values.iter().copied(), decimal) {
            DetectedNumbers::Numbers(format) => Some((format.point(), format.groups())),
            _ => None,
        }
    }

    #[test]
    fn formats_are_found_from_all_values() {
        for (values, expected) in [
            (&["1", "2.5"][..], ('.', None)),
            (&["1.234", "2.345"], ('.', None)),
            (&["33,9", "34"], (',', None)),
            (&["1.234,56", "7"], (',', Some('.'))),
            (&["1,234.56", "7"], ('.', Some(','))),
            (&["1,234,567", "7"], ('.', Some(','))),
            (&["1.234.567", "7"], (',', Some('.'))),
            (&["1,234", "0,5"], (',', None)),
            (&["1,234", "12345,5"], (',', None)),
            (&["0,123", "1,234"], (',', None)),
            (&["1 234,56", "7"], (',', Some(' '))),
            (&["1\u{202f}234", "7"], ('.', Some('\u{202f}'))),
            (&["1'234.50", "7"], ('.', Some('\''))),
            (&["1 234,567"], (',', Some(' '))),
            (&["90+", "12", "<=5"], ('.', None)),
            (&["[33,9-34,2]", "1,5"], (',', None)),
            (&["[-4 to 0]", "7"], ('.', None)),
        ] {
            assert_eq!(format(values, None), Some(expected), "{values:?}");
        }
        for values in
            [&["1,5", "2.5"][..], &["1,2,3"], &["a", "1"], &["02138"], &["555 123 4567"], &[]]
        {
            assert_eq!(detect(values.iter().copied(), None), DetectedNumbers::Text, "{values:?}");
        }
    }

    #[test]
    fn what_is_ambiguous_is_decided_by_the_sign_given() {
        let values = ["1,234", "5,678", "9"];
        let DetectedNumbers::Ambiguous(readings) = detect(values.into_iter(), None) else {
            panic!("thousands or thousandths");
        };
        let error = readings.error("income");
        assert!(
            error.message.contains("\"1,234\" is 1234 with a decimal point and 1.234"),
            "{error}"
        );
        assert!(error.help.is_some_and(|help| help.contains("--decimal .")));
        assert_eq!(format(&values, Some(',')), Some((',', None)));
        assert_eq!(format(&values, Some('.')), Some(('.', Some(','))));
        // A comma that is given makes thousands of points; what only a point can be stays a point.
        assert_eq!(format(&["1.234", "2.345"], Some(',')), Some((',', Some('.'))));
        assert_eq!(format(&["33.9"], Some(',')), Some(('.', None)));
        assert_eq!(format(&["12"], Some(',')), Some((',', None)));
    }

    #[test]
    fn other_columns_say_what_they_leave_no_doubt_about() {
        let sign = |columns: &[&[&str]]| decimal_sign(columns.iter().map(|c| c.iter().copied()));
        assert_eq!(sign(&[&["1,234"], &["33,9"], &["a"]]), Some(','));
        assert_eq!(sign(&[&["1,234"], &["33.9"]]), Some('.'));
        assert_eq!(sign(&[&["1,234"], &["1.234"], &["7"]]), None);
        assert_eq!(sign(&[&["33,9"], &["33.9"]]), None);
    }
}
