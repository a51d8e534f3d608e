//! What counts as a number, and how a column writes its numbers.

use serde::{Deserialize, Serialize};

use super::decimal::Decimal;

/// The number that a field holds, if it holds one.
///
/// Plain decimal notation with an optional sign and exponent; surrounding white space is ignored.
/// A leading zero makes a field a code (`02138` is a ZIP, not two thousand), and `inf`, `nan`,
/// hexadecimal forms and numbers of more than 38 digits are text.
///
/// ```
/// use incrowd_engine::value::parse_number;
/// assert_eq!(parse_number(" -1.50"), Some(-1.5));
/// assert_eq!(parse_number("1e3"), Some(1000.0));
/// assert_eq!(parse_number("02138"), None);
/// assert_eq!(parse_number("inf"), None);
/// ```
pub fn parse_number(field: &str) -> Option<f64> {
    Decimal::parse(field).map(Decimal::to_f64)
}

/// A number in the shortest form that reads back as itself.
pub fn show_number(number: f64) -> String {
    // -0 would read as a different label for the same value.
    if number == 0.0 { "0".to_owned() } else { number.to_string() }
}

/// How a column writes its numbers: `1234.56`, `1.234,56`, `1'234.56`.
///
/// ```
/// use incrowd_engine::value::{Decimal, NumberFormat};
/// let german = NumberFormat::new(',').with_groups('.');
/// assert_eq!(german.read("1.234,50"), Decimal::parse("1234.5"));
/// assert_eq!(german.read("1.23"), None);
/// assert_eq!(german.show(Decimal::parse("1234.5").unwrap()), "1.234,5");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberFormat {
    /// What stands before the decimals: a point or a comma.
    point: char,
    /// What stands between groups of three digits, where something does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<char>,
}

impl Default for NumberFormat {
    /// A decimal point and nothing between thousands.
    fn default() -> Self {
        NumberFormat::new('.')
    }
}

/// Characters between thousands that are typed for one another.
const ALIKE: [&[char]; 2] = [&[' ', '\u{a0}', '\u{202f}', '\u{2009}'], &['\'', '\u{2019}']];

/// Whether two characters between thousands are the same for a reader.
pub(super) fn is_alike(one: char, other: char) -> bool {
    one == other || ALIKE.iter().any(|alike| alike.contains(&one) && alike.contains(&other))
}

impl NumberFormat {
    /// Numbers with this decimal sign, a point or a comma, and nothing between thousands.
    pub const fn new(point: char) -> Self {
        NumberFormat { point, groups: None }
    }

    /// The same with this character between thousands.
    #[must_use]
    pub const fn with_groups(self, groups: char) -> Self {
        NumberFormat { groups: Some(groups), ..self }
    }

    /// The decimal sign.
    pub fn point(self) -> char {
        self.point
    }

    /// The character between thousands, where there is one.
    pub fn groups(self) -> Option<char> {
        self.groups
    }

    /// The number that a field holds. Groups, where they are written, must be of three digits.
    pub fn read(self, field: &str) -> Option<Decimal> {
        let field = field.trim();
        if self == NumberFormat::default() {
            return Decimal::parse(field);
        }
        let (negative, digits) = match field.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, field),
        };
        let (whole, fraction) = match digits.split_once(self.point) {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (digits, ""),
        };
        let grouped = self.groups.filter(|&groups| whole.contains(|c| is_alike(c, groups)));
        let Some(groups) = grouped else {
            // An exponent is written by machines, which group nothing.
            if digits.contains(['e', 'E']) {
                let plain = digits.replacen(self.point, ".", 1);
                let other_point = self.point != '.' && digits.contains('.');
                let sign = if negative { "-" } else { "" };
                return Decimal::parse(&format!("{sign}{plain}")).filter(|_| !other_point);
            }
            return Decimal::of_digits(negative, whole, fraction, 0);
        };
        let mut parts = whole.split(|c| is_alike(c, groups));
        let mut joined = parts.next().filter(|first| (1..=3).contains(&first.len()))?.to_owned();
        for part in parts {
            if part.len() != 3 {
                return None;
            }
            joined += part;
        }
        Decimal::of_digits(negative, &joined, fraction, 0)
    }

    /// A number as this column writes it.
    pub fn show(self, number: Decimal) -> String {
        let plain = number.to_string();
        if self == NumberFormat::default() {
            return plain;
        }
        let (sign, digits) = match plain.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", plain.as_str()),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mut shown = sign.to_owned();
        for (at, digit) in whole.chars().enumerate() {
            if let Some(groups) = self.groups
                && at > 0
                && (whole.len() - at).is_multiple_of(3)
            {
                shown.push(groups);
            }
            shown.push(digit);
        }
        if !fraction.is_empty() {
            shown.push(self.point);
            shown += fraction;
        }
        shown
    }

    /// Whether the format is one: a point or a comma, and another character between thousands.
    pub(super) fn is_sound(self) -> bool {
        let fits = |groups: char| {
            groups != self.point
                && (matches!(groups, '.' | ',')
                    || ALIKE.iter().any(|alike| alike.contains(&groups)))
        };
        matches!(self.point, '.' | ',') && self.groups.is_none_or(fits)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn numbers_are_told_from_codes() {
        for (field, number) in [
            ("0", 0.0),
            ("0.5", 0.5),
            ("-0.5", -0.5),
            ("17", 17.0),
            ("1E-2", 0.01),
            ("12.50", 12.5),
        ] {
            assert_eq!(parse_number(field), Some(number), "{field}");
        }
        for field in [
            "",
            "-",
            "00",
            "007",
            "1.",
            ".5",
            "1e",
            "+3",
            "0x10",
            "NaN",
            "1,5",
            "1 2",
            "1e999",
            "2020-01-01",
        ] {
            assert_eq!(parse_number(field), None, "{field}");
        }
    }

    #[test]
    fn formats_read_what_they_show() {
        let n = |text: &str| Decimal::parse(text).unwrap();
        let english = NumberFormat::new('.').with_groups(',');
        let german = NumberFormat::new(',').with_groups('.');
        let french = NumberFormat::new(',').with_groups('\u{202f}');
        let swiss = NumberFormat::new('.').with_groups('\'');
        for (format, text, number) in [
            (english, "1,234.56", "1234.56"),
            (english, "12,345,678", "12345678"),
            (german, "1.234,56", "1234.56"),
            (german, "-33,9", "-33.9"),
            (NumberFormat::new(','), "0,5", "0.5"),
            (french, "1\u{202f}234,5", "1234.5"),
            (swiss, "1'234.5", "1234.5"),
        ] {
            assert_eq!(format.read(text), Some(n(number)), "{text}");
            assert_eq!(format.show(n(number)), text);
        }
        assert_eq!(french.read("1 234,5"), Some(n("1234.5")));
        assert_eq!(french.read("1\u{a0}234"), Some(n("1234")));
        assert_eq!(swiss.read("1’234"), Some(n("1234")));
        assert_eq!(german.read("1234,5"), Some(n("1234.5")));
        assert_eq!(german.read("1,5e3"), Some(n("1500")));
        for text in [
            "1.23", "1.2345", ".123", "1..234", "1,", ",5", "01,5", "1,2,3", "1.234.56", "1.5e3",
            "",
        ] {
            assert_eq!(german.read(text), None, "{text}");
        }
        assert_eq!(english.read("1,234,56"), None);
        assert_eq!(NumberFormat::new(',').read("1.234"), None);
    }
}
