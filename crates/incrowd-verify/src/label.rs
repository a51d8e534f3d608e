//! Released values as they are written.

use crate::number::{Number, NumberStyle};

/// What a released value says. Which original values it contains depends on the column: see
/// [`Requirements`](crate::Requirements).
#[derive(Debug, Clone, PartialEq)]
pub enum Label<'a> {
    /// `*`: any value, missing or not.
    Everything,
    /// `[a-b]` or `[a to b]`: a number from `a` to `b`, both included, and never a missing value.
    Interval(Number, Number),
    /// `a+`: a number of at least `a`.
    AtLeast(Number),
    /// `<=a`: a number of at most `a`.
    AtMost(Number),
    /// `<a`: a number below `a`.
    Below(Number),
    /// `{a, b}`: one of these values; an element may be an interval itself, `{[16-20], [31-35]}`.
    Set(Vec<String>),
    /// `{a, ..., b}`: any text from `a` to `b` in the column's order, that of the alphabet unless another is
    /// known, and never a missing value.
    Between(String, String),
    /// `{a, ..., c, e}`: several of these, and single values among them as ranges from themselves to themselves.
    Ranges(Vec<(String, String)>),
    /// `981*`, or `981**`: any value that begins so, and never a missing one.
    Prefix(&'a str),
    /// Anything else: this very value, or a label of the column's hierarchy.
    Literal(&'a str),
}

impl<'a> Label<'a> {
    /// Reads a released value with numbers in plain notation. What is not well formed is a literal.
    pub fn parse(text: &'a str) -> Self {
        Self::read(text, &NumberStyle::default())
    }

    /// Reads a released value of a column that writes its numbers in this style.
    pub fn read(text: &'a str, style: &NumberStyle) -> Self {
        let trimmed = text.trim();
        if trimmed == "*" {
            return Label::Everything;
        }
        if let Some(inner) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
            && let Some((low, high)) = interval(inner, style)
        {
            return Label::Interval(low, high);
        }
        if let Some(inner) = trimmed.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'))
            && let Some(elements) = elements(inner)
        {
            if let Some(mut ranges) = ranges(&elements) {
                return match ranges.pop() {
                    Some((low, high)) if ranges.is_empty() => Label::Between(low, high),
                    last => Label::Ranges(ranges.into_iter().chain(last).collect()),
                };
            }
            return Label::Set(elements.into_iter().map(|(element, _)| element).collect());
        }
        let beginning = trimmed.trim_end_matches('*');
        if beginning.len() < trimmed.len() && !beginning.is_empty() {
            return Label::Prefix(beginning);
        }
        if let Some(number) = trimmed.strip_suffix('+').and_then(|rest| style.read(rest)) {
            return Label::AtLeast(number);
        }
        if let Some(rest) = trimmed.strip_prefix('<') {
            let label = match rest.strip_prefix('=') {
                Some(rest) => style.read(rest).map(Label::AtMost),
                None => style.read(rest).map(Label::Below),
            };
            return label.unwrap_or(Label::Literal(text));
        }
        Label::Literal(text)
    }
}

/// The ranges that elements with `...` between some of them make; none if there are no such dots, or if they stand at an
/// end or beside each other.
fn ranges(elements: &[(String, bool)]) -> Option<Vec<(String, String)>> {
    let are_dots =
        |at: usize| elements.get(at).is_some_and(|(text, quoted)| !quoted && text == "...");
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some((low, _)) = elements.get(at) {
        let end = if are_dots(at + 1) { at + 2 } else { at };
        let (high, _) = elements.get(end).filter(|_| !are_dots(at) && !are_dots(end))?;
        ranges.push((low.clone(), high.clone()));
        at = end + 1;
    }
    (ranges.len() < elements.len()).then_some(ranges)
}

/// `a to b`, or `a-b` where both are numbers. At most one minus sign can part two numbers, because inside a
/// number a minus stands only at the front or behind an `e`.
fn interval(inner: &str, style: &NumberStyle) -> Option<(Number, Number)> {
    let ordered = |low: Number, high: Number| (low <= high).then_some((low, high));
    if let Some((low, high)) = inner.split_once(" to ") {
        return ordered(style.read(low)?, style.read(high)?);
    }
    inner.match_indices('-').skip_while(|&(at, _)| at == 0).find_map(|(at, _)| {
        let low = style.read(&inner[..at])?;
        let high = style.read(&inner[at + 1..])?;
        ordered(low, high)
    })
}

/// The elements between the braces of a set. One that holds `,` `{` `}` `"` or outer white space
/// is in double quotes, a quote inside written twice. Each comes with whether it was quoted.
fn elements(inner: &str) -> Option<Vec<(String, bool)>> {
    let mut found = Vec::new();
    let mut rest = inner.trim();
    loop {
        let element;
        let is_quoted = rest.starts_with('"');
        if let Some(quoted) = rest.strip_prefix('"') {
            (element, rest) = unquote(quoted)?;
            rest = rest.trim_start();
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            element = rest[..end].trim().to_owned();
            rest = &rest[end..];
            if element.is_empty() || element.contains(['{', '}', '"']) {
                return None;
            }
        }
        found.push((element, is_quoted));
        if rest.is_empty() {
            return Some(found);
        }
        rest = rest.strip_prefix(',')?.trim_start();
    }
}

/// Splits what follows an opening quote into the element and what stands behind it.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut element = String::new();
    let mut rest = text;
    loop {
        let quote = rest.find('"')?;
        element += &rest[..quote];
        rest = &rest[quote + 1..];
        match rest.strip_prefix('"') {
            Some(behind) => {
                element.push('"');
                rest = behind;
            }
            None => return Some((element, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_all_kinds_of_numbers() {
        for (text, low, high) in [
            ("[25-28]", 25.0, 28.0),
            ("[-5--3]", -5.0, -3.0),
            ("[-5-3]", -5.0, 3.0),
            ("[1e-5-3]", 1e-5, 3.0),
            ("[1-5e-1]", 1.0, 0.5),
            ("[1.5E+2-2e2]", 150.0, 200.0),
            ("[-1e-3--1e-4]", -1e-3, -1e-4),
            (" [0 - 10] ", 0.0, 10.0),
            ("[7-7]", 7.0, 7.0),
            ("[-4 to 0]", -4.0, 0.0),
            ("[-5 to -3]", -5.0, -3.0),
            ("[1 to 2]", 1.0, 2.0),
        ] {
            let read = match Label::parse(text) {
                Label::Interval(low, high) => Some((low.to_f64(), high.to_f64())),
                _ => None,
            };
            assert_eq!(read, (low <= high).then_some((low, high)), "{text}");
        }
    }

    #[test]
    fn what_is_not_well_formed_is_a_literal() {
        for text in [
            "",
            "[",
            "[]",
            "[5]",
            "[a-b]",
            "[-]",
            "[1-]",
            "[-1]",
            "[1-inf]",
            "{",
            "{}",
            "{a,}",
            "{a, {b}}",
            "{\"a}",
            "{\"a\"b}",
            "{a\"b}",
            "**",
            "Male",
            "[3-1]",
            "{, a}",
            "+",
            "a+",
            "<",
            "<=",
            "<a",
            "<=+",
            "[1 to]",
            "[1 to 2 to 3]",
            "[3 to 1]",
        ] {
            assert_eq!(Label::parse(text), Label::Literal(text), "{text}");
        }
        assert_eq!(Label::parse("*"), Label::Everything);
    }

    #[test]
    fn ranges_of_text_and_beginnings() {
        let between = |low: &str, high: &str| Label::Between(low.to_owned(), high.to_owned());
        assert_eq!(Label::parse("{ant, ..., cat}"), between("ant", "cat"));
        assert_eq!(Label::parse("{\"a, b\", ..., cat}"), between("a, b", "cat"));
        let set =
            |elements: &[&str]| Label::Set(elements.iter().map(|e| (*e).to_owned()).collect());
        assert_eq!(Label::parse("{ant, \"...\", cat}"), set(&["ant", "...", "cat"]));
        assert_eq!(Label::parse("{low, ..., high}"), between("low", "high"));
        let ranges = |pairs: &[(&str, &str)]| {
            Label::Ranges(pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect())
        };
        let several = [("ant", "cat"), ("dog", "dog"), ("fox", "owl")];
        assert_eq!(Label::parse("{ant, ..., cat, dog, fox, ..., owl}"), ranges(&several));
        assert_eq!(Label::parse("{ant, dog, ..., owl}"), ranges(&[("ant", "ant"), ("dog", "owl")]));
        assert_eq!(Label::parse("{ant, ..., ..., cat}"), set(&["ant", "...", "...", "cat"]));
        assert_eq!(Label::parse("{..., cat, owl}"), set(&["...", "cat", "owl"]));
        assert_eq!(Label::parse("{ant, cat, ...}"), set(&["ant", "cat", "..."]));
        assert_eq!(Label::parse("981*"), Label::Prefix("981"));
        assert_eq!(Label::parse("981**"), Label::Prefix("981"));
        assert_eq!(Label::parse("Acute *"), Label::Prefix("Acute "));
    }

    #[test]
    fn open_ends_and_styles() {
        let number = |text| Number::parse(text).expect("a number");
        assert_eq!(Label::parse("90+"), Label::AtLeast(number("90")));
        assert_eq!(Label::parse("<=-1.5"), Label::AtMost(number("-1.5")));
        assert_eq!(Label::parse("<0"), Label::Below(number("0")));
        let style = NumberStyle { point: ',', groups: Some('.') };
        let ends = Label::Interval(number("33.9"), number("1034.2"));
        assert_eq!(Label::read("[33,9-1.034,2]", &style), ends);
        assert_eq!(Label::read("1.000+", &style), Label::AtLeast(number("1000")));
    }

    #[test]
    fn sets_with_and_without_quotes() {
        for (text, expected) in [
            ("{a, b}", vec!["a", "b"]),
            ("{a}", vec!["a"]),
            ("{a,b c ,d}", vec!["a", "b c", "d"]),
            ("{\"a, b\", c}", vec!["a, b", "c"]),
            ("{\"say \"\"hi\"\"\" , \" x \"}", vec!["say \"hi\"", " x "]),
            ("{\"\", b}", vec!["", "b"]),
            ("{\"{x}\", [1-2]}", vec!["{x}", "[1-2]"]),
        ] {
            let expected = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(Label::parse(text), Label::Set(expected), "{text}");
        }
    }
}
