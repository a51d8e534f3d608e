//! Values of columns that are not text, read back from text without loss.

use super::TimeUnit;

/// Days since 1970-01-01.
pub(super) fn date(text: &str) -> Option<i32> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut parts = unsigned.split('-');
    let year = sign * number(parts.next()?, 4..=7)?;
    let month = number(parts.next()?, 2..=2)?;
    let day = number(parts.next()?, 2..=2)?;
    let valid = parts.next().is_none()
        && (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day);
    valid.then(|| days_since_1970(year, month, day)).and_then(|days| i32::try_from(days).ok())
}

/// Units since 1970-01-01T00:00:00, in UTC if the type has a zone.
pub(super) fn timestamp(text: &str, unit: TimeUnit, zoned: bool) -> Option<i64> {
    let (day, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let (time, offset) = split_offset(time)?;
    if offset.is_some() && !zoned {
        return None;
    }
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 2..=2)?;
    let minute = number(parts.next()?, 2..=2)?;
    let second = parts.next().map_or(Some(0), |second| number(second, 2..=2))?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = i128::from(date(day)?) * 86_400 + i128::from(hour * 3600 + minute * 60 + second)
        - i128::from(offset.unwrap_or(0));
    let decimals = unit.decimals();
    let ticks = seconds * 10i128.pow(decimals) + decimal_places(fraction, decimals)?;
    i64::try_from(ticks).ok()
}

/// The number without its point: `12.5` with scale 2 is 1250.
pub(super) fn decimal(text: &str, precision: u8, scale: u8) -> Option<i128> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits_only = whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit());
    if !digits_only || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let scale = u32::from(scale);
    let size = whole
        .checked_mul(10i128.checked_pow(scale)?)?
        .checked_add(decimal_places(fraction, scale)?)?;
    let fits = size < 10i128.checked_pow(u32::from(precision))?;
    fits.then_some(if negative { -size } else { size })
}

/// The digits after a point as so many decimals; nothing if that would lose some.
fn decimal_places(digits: &str, decimals: u32) -> Option<i128> {
    let digits = digits.trim_end_matches('0');
    let missing = decimals.checked_sub(u32::try_from(digits.len()).ok()?)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let value: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    value.checked_mul(10i128.checked_pow(missing)?)
}

/// Splits `Z`, `UTC` or an offset such as `+01:00` off a time of day; in seconds.
fn split_offset(time: &str) -> Option<(&str, Option<i64>)> {
    if let Some(time) = time.strip_suffix('Z').or_else(|| time.strip_suffix("UTC")) {
        return Some((time.trim_end(), Some(0)));
    }
    let Some(at) = time.find(['+', '-']) else { return Some((time, None)) };
    let (time, offset) = time.split_at(at);
    let (sign, offset) = offset.split_at(1);
    let sign = if sign == "-" { -1 } else { 1 };
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None => offset
            .split_at_checked(2)
            .filter(|(_, minutes)| !minutes.is_empty())
            .unwrap_or((offset, "00")),
    };
    let (hours, minutes) = (number(hours, 2..=2)?, number(minutes, 2..=2)?);
    (hours < 24 && minutes < 60).then_some((time, Some(sign * (hours * 3600 + minutes * 60))))
}

/// A number of so many digits and nothing else.
fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let valid = digits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    valid.then(|| text.parse().ok()).flatten()
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the Gregorian calendar, counted in years that start in March, so that the day a leap
/// year adds comes last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2000-03-01", 11_017),
            ("2026-11-30", 20_787),
            ("0000-03-01", -719_468),
            ("-0001-01-01", -719_893),
        ] {
            assert_eq!(date(text), Some(days), "{text}");
        }
        for text in [
            "",
            "2026",
            "2026-1-1",
            "2026-13-01",
            "2025-02-29",
            "1900-02-29",
            "2026-01-01x",
            "2026-01-01-01",
            "2026-01-00",
            "[2020-2026]",
            "99999999999999999999-01-01",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut expected = days_since_1970(1600, 1, 1);
        for year in 1600..=2400 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days_since_1970(year, month, day), expected);
                    expected += 1;
                }
            }
        }
    }

    #[test]
    fn timestamps() {
        use TimeUnit::{Microseconds, Milliseconds, Nanoseconds};
        assert_eq!(timestamp("1970-01-01T00:00:01", Milliseconds, false), Some(1000));
        assert_eq!(timestamp("1970-01-01 00:01", Milliseconds, false), Some(60_000));
        assert_eq!(timestamp("1970-01-02", Microseconds, false), Some(86_400_000_000));
        assert_eq!(timestamp("1969-12-31T23:59:59.999999999", Nanoseconds, false), Some(-1));
        assert_eq!(timestamp("1970-01-01T00:00:00.5000", Milliseconds, false), Some(500));
        assert_eq!(timestamp("1970-01-01T01:00:00+01:00", Milliseconds, true), Some(0));
        assert_eq!(timestamp("1970-01-01T00:00:00-0130", Milliseconds, true), Some(5_400_000));
        assert_eq!(timestamp("1970-01-01 00:00:00 UTC", Milliseconds, true), Some(0));
        assert_eq!(timestamp("1970-01-01T00:00:00Z", Milliseconds, true), Some(0));
        for text in [
            "1970-01-01T24:00",
            "1970-01-01T00:60",
            "1970-01-01T00:00:00.0005",
            "1970-01-01T00:00:00Z",
            "1970-01-01T",
            "1970-01-01T00:00:00.x",
            "12:00",
        ] {
            assert_eq!(timestamp(text, Milliseconds, false), None, "{text}");
        }
        assert_eq!(timestamp("9999-01-01", Nanoseconds, false), None);
        assert_eq!(timestamp("1970-01-01T00:00:00+é1", Milliseconds, true), None);
    }

    #[test]
    fn decimals() {
        assert_eq!(decimal("12.5", 6, 2), Some(1250));
        assert_eq!(decimal("-0.05", 6, 2), Some(-5));
        assert_eq!(decimal("+7", 6, 2), Some(700));
        assert_eq!(decimal(".5", 6, 2), Some(50));
        assert_eq!(decimal("1.500", 6, 2), Some(150));
        assert_eq!(decimal("9999.99", 6, 2), Some(999_999));
        for text in ["10000", "1.005", "1e3", "", ".", "-", "--1", "*"] {
            assert_eq!(decimal(text, 6, 2), None, "{text}");
        }
        let most = "9".repeat(38);
        assert_eq!(decimal(&most, 38, 0), most.parse().ok());
        assert_eq!(decimal(&format!("{most}9"), 38, 0), None);
    }
}
