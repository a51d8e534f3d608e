//! What numbers look like: whole, dense, of many digits.

use incrowd_engine::value::parse_number;

use crate::thresholds::SCORE;

/// What is to be known of the numbers in a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NumberTraits {
    /// Whether all are whole; `13.0` is.
    pub(super) whole: bool,
    /// How many values there are from the least to the greatest, at the precision that they are written with;
    /// numbers that are all multiples of 100 are written to the hundred.
    pub(super) possible: f64,
    /// Whether they are small and written with at most two decimals, as scores and percentages are.
    pub(super) score: bool,
    /// A step that leaves about a hundred values, a power of ten.
    pub(super) step: f64,
    /// The length of whole numbers that are all equally long.
    pub(super) digits: Option<usize>,
}

/// Digits behind the point that are looked at; more are as good as any number.
const DECIMALS: usize = 9;

/// What the distinct values are as numbers, if they all are: `1.234,50` and `1,234.50` too.
pub(super) fn numbers(values: &[(&str, u64)]) -> Option<NumberTraits> {
    let mut written = Vec::with_capacity(values.len());
    for (value, _) in values {
        written.push(read(value)?);
    }
    let decimals = written.iter().map(|number| number.decimals).max()?;
    let whole = written.iter().all(|number| number.value.fract() == 0.0);
    let (least, greatest) = written.iter().fold((f64::MAX, f64::MIN), |(least, greatest), it| {
        (least.min(it.value), greatest.max(it.value))
    });
    let decimals = if whole { 0 } else { decimals };
    let possible = if decimals > DECIMALS {
        f64::INFINITY
    } else {
        let unit = 10f64.powi(decimals as i32);
        let steps = written.iter().map(|it| ((it.value - least) * unit).round());
        // Beyond 2^53 steps are not exact, and there are more than enough values.
        let step =
            steps.fold(0, |step, steps| if steps < 9e15 { common(step, steps as u64) } else { 1 });
        (greatest - least) * unit / step.max(1) as f64 + 1.0
    };
    // Found by dividing, since logarithms are not the same on every machine.
    let mut step = 1e-9;
    while (greatest - least) / (step * 10.0) >= 100.0 && step < 1e15 {
        step *= 10.0;
    }
    let length = written.first().map(|it| it.digits)?;
    Some(NumberTraits {
        whole,
        possible,
        step,
        score: decimals <= 2 && least.abs().max(greatest.abs()) <= SCORE,
        digits: (whole && written.iter().all(|it| it.digits == length)).then_some(length),
    })
}

/// The greatest number that divides both.
fn common(one: u64, two: u64) -> u64 {
    let (mut one, mut two) = (one, two);
    while two > 0 {
        (one, two) = (two, one % two);
    }
    one
}

struct WrittenNumber {
    value: f64,
    /// Digits behind the point, zeros at the end aside.
    decimals: usize,
    /// Digits before it.
    digits: usize,
}

fn read(text: &str) -> Option<WrittenNumber> {
    let text = text.trim();
    let value = parse_number(text);
    let plain = match value {
        Some(_) => text.to_owned(),
        None => without_separators(text)?,
    };
    let value = value.or_else(|| parse_number(&plain))?;
    let (before, behind) = plain.split_once('.').unwrap_or((&plain, ""));
    let exponent = plain.contains(['e', 'E']);
    Some(WrittenNumber {
        value,
        // With an exponent, what is written says little: a whole number has none, others have many.
        decimals: match (exponent, value.fract() == 0.0) {
            (true, true) => 0,
            (true, false) => DECIMALS + 1,
            _ => behind.trim_end_matches('0').len(),
        },
        digits: before.bytes().filter(u8::is_ascii_digit).count(),
    })
}

/// `1.234,50`, `1,234.50` and `1234,5` as `1234.50` and `1234.5`.
fn without_separators(text: &str) -> Option<String> {
    let known = |byte: u8| byte.is_ascii_digit() || b",. '-".contains(&byte);
    if !text.bytes().all(known) || !text.contains([',', '\'', ' ']) {
        return None;
    }
    let point = text.rfind([',', '.'])?;
    let (before, behind) = (&text[..point], &text[point + 1..]);
    let digits = |text: &str| -> String { text.chars().filter(|c| !",. '".contains(*c)).collect() };
    let alone = text.matches([',', '.']).count() == 1;
    let thousands = behind.len() == 3 && !alone;
    Some(
        match thousands && !before.contains(if text.as_bytes()[point] == b',' { '.' } else { ',' })
        {
            true => digits(text),
            false => format!("{}.{}", digits(before), behind),
        },
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use super::*;

    fn of(values: &[&str]) -> Option<NumberTraits> {
        let values: Vec<(&str, u64)> = values.iter().map(|&value| (value, 1)).collect();
        numbers(&values)
    }

    #[test]
    fn whole_numbers_may_be_written_with_a_point() {
        for values in [&["1.0", "2.0", "13.0"][..], &["1", "2", "13"], &["1e0", "2", "1.3e1"]] {
            let found = of(values).unwrap();
            assert!(found.whole && found.possible == 13.0, "{found:?}");
        }
        assert!(!of(&["1.5", "2"]).unwrap().whole);
        assert_eq!(of(&["1", "two"]), None);
    }

    #[test]
    fn possible_values_go_by_the_precision() {
        for (values, possible) in [
            (&["0", "100"][..], 2.0),
            (&["0", "100", "300"], 4.0),
            (&["70000", "70007", "70021"], 4.0),
            (&["1.25", "1.5"], 2.0),
            (&["1.25", "1.51", "1.52"], 28.0),
            (&["7"], 1.0),
        ] {
            assert_eq!(of(values).unwrap().possible, possible, "{values:?}");
        }
        assert!(of(&["0.12345678901", "0.2"]).unwrap().possible.is_infinite());
        assert!(of(&["9007199254740993", "9007199254740995", "1"]).unwrap().possible > 1e15);
    }

    #[test]
    fn other_ways_of_writing_are_read() {
        assert_eq!(read("1.234,50").unwrap().value, 1234.5);
        assert_eq!(read("1,234.50").unwrap().value, 1234.5);
        assert_eq!(read("1,234,567").unwrap().value, 1_234_567.0);
        assert_eq!(read("980,25").unwrap().value, 980.25);
        assert_eq!(read("12'345.5").unwrap().value, 12_345.5);
        assert!(read("1-2").is_none() && read("a,b").is_none() && read("").is_none());
    }

    #[test]
    fn scores_and_codes() {
        assert!(of(&["0.5", "99.25", "100"]).unwrap().score);
        assert!(!of(&["0.5", "99.257"]).unwrap().score && !of(&["101"]).unwrap().score);
        assert_eq!(of(&["123456", "654321"]).unwrap().digits, Some(6));
        assert_eq!(of(&["12", "654321"]).unwrap().digits, None);
    }
}
