//! Numbers as they are written, exactly.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// A decimal number of any length. Nothing is rounded, so that what looks different is different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    negative: bool,
    /// Without zeros at either end; nothing for zero. The number is `0.DIGITS` times ten to the exponent.
    digits: String,
    exponent: i64,
}

impl Number {
    /// Reads a plain decimal number: digits with at most one point, a sign, an exponent.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => {
                let exponent = &rest[at + 1..];
                let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
                if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                (&rest[..at], exponent.parse::<i32>().ok()?)
            }
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty()
            || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit())
        {
            return None;
        }
        Some(Self::of(negative, whole, fraction, exponent.into()))
    }

    /// A number from its digits before and behind the point.
    fn of(negative: bool, whole: &str, fraction: &str, exponent: i64) -> Self {
        let all = format!("{whole}{fraction}");
        let started = all.trim_start_matches('0');
        let leading = (all.len() - started.len()) as i64;
        let digits = started.trim_end_matches('0').to_owned();
        match digits.is_empty() {
            true => Number { negative: false, digits, exponent: 0 },
            false => {
                let exponent = exponent + whole.len() as i64 - leading;
                Number { negative, digits, exponent }
            }
        }
    }

    /// Mantissa and exponent as whole numbers, where 128 bits suffice.
    fn parts(&self) -> Option<(i128, i64)> {
        let mantissa: i128 = if self.digits.is_empty() { 0 } else { self.digits.parse().ok()? };
        let mantissa = if self.negative { -mantissa } else { mantissa };
        Some((mantissa, self.exponent - self.digits.len() as i64))
    }

    /// A number of so many times ten to the power of `exponent`.
    fn of_parts(mantissa: i128, exponent: i64) -> Self {
        Self::of(mantissa < 0, &mantissa.unsigned_abs().to_string(), "", exponent)
    }

    /// Both numbers in their lower exponent.
    fn together(&self, other: &Self) -> Option<(i128, i128, i64)> {
        let ((one, here), (two, there)) = (self.parts()?, other.parts()?);
        let exponent = here.min(there);
        let raised = |mantissa: i128, from: i64| {
            if mantissa == 0 {
                return Some(0);
            }
            mantissa.checked_mul(10_i128.checked_pow(u32::try_from(from - exponent).ok()?)?)
        };
        Some((raised(one, here)?, raised(two, there)?, exponent))
    }

    /// The nearest multiple of a step above zero, halves away from zero.
    pub(crate) fn rounded(&self, step: &Self) -> Option<Self> {
        let (number, step, exponent) = self.together(step)?;
        if step <= 0 {
            return None;
        }
        let size = i128::try_from(number.unsigned_abs()).ok()?;
        let times = size.checked_add(step / 2)? / step;
        // Of an odd step the half is no whole number: it is rounded down, and nothing lies on it.
        let nearest = times.checked_mul(step)?;
        Some(Self::of_parts(if number < 0 { -nearest } else { nearest }, exponent))
    }

    /// One less.
    pub(crate) fn less_one(&self) -> Option<Self> {
        let one = Number::of(false, "1", "", 0);
        let (number, one, exponent) = self.together(&one)?;
        Some(Self::of_parts(number.checked_sub(one)?, exponent))
    }

    /// A form that two numbers share exactly when they are the same.
    pub(crate) fn form(&self) -> String {
        let Number { negative, digits, exponent } = self;
        format!("n{}{digits}e{exponent}", if *negative { "-" } else { "" })
    }

    /// How many decimals it has.
    pub(crate) fn places(&self) -> i64 {
        (self.digits.len() as i64 - self.exponent).max(0)
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        format!("{sign}0.{digits}e{}", self.exponent).parse().unwrap_or(0.0)
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Number| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        };
        // Digits without zeros at their ends compare like words.
        let sizes =
            || self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => sizes(),
            _ => sizes().reverse(),
        })
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// How a column writes its numbers. Without being told, a verifier takes a point for the decimal sign and knows of
/// nothing between thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberStyle {
    /// What stands before the decimals.
    pub point: char,
    /// What stands between groups of three digits; of spaces and of apostrophes any will do.
    pub groups: Option<char>,
}

impl Default for NumberStyle {
    fn default() -> Self {
        NumberStyle { point: '.', groups: None }
    }
}

impl NumberStyle {
    /// The number that a text stands for in this style.
    pub fn read(&self, text: &str) -> Option<Number> {
        if *self == NumberStyle::default() {
            return Number::parse(text);
        }
        let text = text.trim();
        // Machines that write exponents write no groups.
        if text.contains(['e', 'E']) {
            if self.point != '.' && text.contains('.') {
                return None;
            }
            return Number::parse(&text.replace(self.point, "."));
        }
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mut whole, mut fraction) = (String::new(), String::new());
        // Digits since the last separator, if there was one; whether the point is behind us.
        let mut since: Option<usize> = None;
        let mut behind = false;
        for character in rest.chars() {
            if behind {
                fraction.push(character);
            } else if character == self.point {
                behind = true;
            } else if self.groups.is_some_and(|groups| is_like(character, groups)) {
                if since.map_or(!(1..=3).contains(&whole.len()), |digits| digits != 3) {
                    return None;
                }
                since = Some(0);
            } else {
                whole.push(character);
                since = since.map(|digits| digits + 1);
            }
        }
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let grouped = since.is_none_or(|digits| digits == 3);
        let fits = grouped
            && digits(&whole)
            && digits(&fraction)
            && !whole.is_empty()
            && !(behind && fraction.is_empty());
        fits.then(|| Number::of(negative, &whole, &fraction, 0))
    }
}

impl NumberStyle {
    /// A number as a column in this style writes it.
    pub(crate) fn write(&self, number: &Number) -> String {
        let Number { negative, digits, exponent } = number;
        if digits.is_empty() {
            return "0".to_owned();
        }
        let (whole, fraction) = match usize::try_from(*exponent) {
            Err(_) => {
                let zeros = usize::try_from(-exponent).unwrap_or(0);
                (String::new(), format!("{}{digits}", "0".repeat(zeros)))
            }
            Ok(length) if length >= digits.len() => {
                (format!("{digits}{}", "0".repeat(length - digits.len())), String::new())
            }
            Ok(length) => (digits[..length].to_owned(), digits[length..].to_owned()),
        };
        let whole = if whole.is_empty() { "0".to_owned() } else { whole };
        let mut text = if *negative { "-".to_owned() } else { String::new() };
        for (left, digit) in (0..whole.len()).rev().zip(whole.chars()) {
            text.push(digit);
            if let Some(groups) = self.groups
                && left > 0
                && left % 3 == 0
            {
                text.push(groups);
            }
        }
        if !fraction.is_empty() {
            text.push(self.point);
            text += &fraction;
        }
        text
    }
}

fn is_like(one: char, other: char) -> bool {
    let class = |character: char| match character {
        ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' => ' ',
        '\'' | '\u{2019}' => '\'',
        other => other,
    };
    class(one) == class(other)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    fn n(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let ascending = [
            "-1e400",
            "-12",
            "-1.5",
            "-1.25",
            "-0.001",
            "0",
            "1e-400",
            "0.09",
            "0.1",
            "1",
            "1.01",
            "9.99",
            "10",
            "12",
            "9007199254740992",
            "9007199254740993",
            "1e400",
        ];
        for (at, one) in ascending.iter().enumerate() {
            for (other_at, other) in ascending.iter().enumerate() {
                assert_eq!(n(one).cmp(&n(other)), at.cmp(&other_at), "{one} and {other}");
            }
        }
        assert_eq!(n("-0.00"), n("0"));
        assert_eq!(n("1200e-2"), n("+12."));
        assert_eq!(n("-1.5e3").to_f64(), -1500.0);
        for word in ["inf", "nan", "Infinity", "", "e", "0x10", "1_000", "1e", "1e+-2", "-"] {
            assert_eq!(Number::parse(word), None, "{word}");
        }
    }

    #[test]
    fn styles_read_groups_of_three() {
        let style = |point, groups| NumberStyle { point, groups };
        for (style, text, number) in [
            (style(',', Some('.')), "1.234,56", "1234.56"),
            (style(',', None), "-33,90", "-33.9"),
            (style('.', Some(',')), "12,345,678", "12345678"),
            (style(',', Some(' ')), "1\u{202f}234,5", "1234.5"),
            (style('.', Some('\'')), "1’234", "1234"),
            (style(',', Some('.')), "1,5e3", "1500"),
        ] {
            assert_eq!(style.read(text), Some(n(number)), "{text}");
        }
        let german = style(',', Some('.'));
        for text in ["1.23", ".123", "1.234.56", "1..234", "1,", "1234.567,8", "1,2,3", "1.5e3"] {
            assert_eq!(german.read(text), None, "{text}");
        }
    }
}
