//! Decimal numbers, exactly.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// As many digits as always fit into 128 bits.
const MOST_DIGITS: u32 = 38;

/// The least number with more digits than that.
const BEYOND: u128 = 10_u128.pow(MOST_DIGITS);

/// The largest power of ten that a double knows: whatever is exact here has a place among doubles too.
const MOST_EXPONENT: i32 = 308;

/// A decimal number of at most 38 digits, as it is written: what a table calls 14.1 is 14.1 here and not the
/// double nearest to it, and whole numbers beyond 2^53 stay apart.
///
/// ```
/// use incrowd_engine::value::Decimal;
/// let number = |text| Decimal::parse(text).unwrap();
/// assert_eq!(number("1.50"), number("15e-1"));
/// assert!(number("9007199254740993") > number("9007199254740992"));
/// assert_eq!(number("33.9").checked_add(number("0.3")).unwrap().to_string(), "34.2");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// Without zeros at its end, so that equal numbers look alike; less than 10^38.
    mantissa: i128,
    exponent: i32,
}

impl Decimal {
    /// Nothing.
    pub const ZERO: Decimal = Decimal { mantissa: 0, exponent: 0 };
    /// One.
    pub const ONE: Decimal = Decimal { mantissa: 1, exponent: 0 };

    /// `mantissa` times ten to the power of `exponent`; none beyond 38 digits or the range of doubles.
    pub fn new(mantissa: i128, exponent: i32) -> Option<Self> {
        if mantissa == 0 {
            return Some(Self::ZERO);
        }
        let (mut mantissa, mut exponent) = (mantissa, exponent);
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent = exponent.checked_add(1)?;
        }
        let number = Decimal { mantissa, exponent };
        let fits = mantissa.unsigned_abs() < BEYOND
            && exponent >= -MOST_EXPONENT - MOST_DIGITS as i32
            && number.magnitude() <= MOST_EXPONENT
            && number.magnitude() >= -MOST_EXPONENT;
        fits.then_some(number)
    }

    /// The number that a field holds, in plain notation with a decimal point: see
    /// [`parse_number`](super::parse_number).
    pub fn parse(field: &str) -> Option<Self> {
        let field = field.trim();
        let (negative, digits) = match field.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, field),
        };
        let (number, exponent) = match digits.find(['e', 'E']) {
            Some(at) => (&digits[..at], read_exponent(&digits[at + 1..])?),
            None => (digits, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if field.ends_with('.') {
            return None;
        }
        Self::of_digits(negative, whole, fraction, exponent)
    }

    /// A number from the digits before and behind its decimal point. A leading zero makes digits a code.
    pub(super) fn of_digits(
        negative: bool,
        whole: &str,
        fraction: &str,
        exponent: i32,
    ) -> Option<Self> {
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty()
            || !are_digits(whole)
            || !are_digits(fraction)
            || (whole.len() > 1 && whole.starts_with('0'))
        {
            return None;
        }
        let kept = fraction.trim_end_matches('0');
        // Zeros at the end of a whole number are no digits that must be kept.
        let (whole, moved) = match kept {
            "" => {
                let kept = whole.trim_end_matches('0');
                (kept, i32::try_from(whole.len() - kept.len()).ok()?)
            }
            _ => (whole, 0),
        };
        let mut mantissa: i128 = 0;
        for byte in whole.bytes().chain(kept.bytes()) {
            mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
        }
        let places = i32::try_from(kept.len()).ok()?;
        let exponent = exponent.checked_add(moved)?.checked_sub(places)?;
        Self::new(if negative { -mantissa } else { mantissa }, exponent)
    }

    /// The number that a double shows as: `0.1` is one tenth.
    pub fn of_f64(number: f64) -> Option<Self> {
        // `to_string` gives the shortest digits that read back as this number, in plain notation.
        if number.is_finite() { Self::parse(&number.to_string()) } else { None }
    }

    /// The number times ten to the power of `digits`, if that is a whole number of at most 38 digits.
    pub(super) fn whole_at(self, digits: i32) -> Option<i128> {
        let power = u32::try_from(self.exponent.checked_add(digits)?).ok()?;
        10_i128.checked_pow(power)?.checked_mul(self.mantissa).or((self.mantissa == 0).then_some(0))
    }

    /// The nearest double, for prices and charts.
    pub fn to_f64(self) -> f64 {
        // Whole numbers up to 2^53 are most of what tables hold.
        if self.exponent == 0 && self.mantissa.unsigned_abs() <= 1 << 53 {
            return self.mantissa as f64;
        }
        format!("{}e{}", self.mantissa, self.exponent).parse().unwrap_or(0.0)
    }

    /// Whether this is a whole number.
    pub fn is_whole(self) -> bool {
        self.exponent >= 0
    }

    /// Whether this is below zero.
    pub fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// How many decimals it has.
    pub fn places(self) -> u32 {
        self.exponent.min(0).unsigned_abs()
    }

    /// The power of ten of the first digit.
    fn magnitude(self) -> i32 {
        self.mantissa.unsigned_abs().checked_ilog10().map_or(0, |digits| digits as i32)
            + self.exponent
    }

    /// The mantissa this number has with a lower exponent.
    fn at(self, exponent: i32) -> Option<i128> {
        if self.mantissa == 0 {
            return Some(0);
        }
        let up = u32::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        self.mantissa.checked_mul(10_i128.checked_pow(up)?)
    }

    /// The sum, where it has at most 38 digits.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let exponent = self.common_exponent(other);
        Self::new(self.at(exponent)?.checked_add(other.at(exponent)?)?, exponent)
    }

    /// The difference, where it has at most 38 digits.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let exponent = self.common_exponent(other);
        Self::new(self.at(exponent)?.checked_sub(other.at(exponent)?)?, exponent)
    }

    /// The product, where it has at most 38 digits.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let mantissa = self.mantissa.checked_mul(other.mantissa)?;
        Self::new(mantissa, self.exponent.checked_add(other.exponent)?)
    }

    /// The exponent in which both are whole. Nothing is whole in any.
    fn common_exponent(self, other: Self) -> i32 {
        match (self.mantissa, other.mantissa) {
            (0, _) => other.exponent,
            (_, 0) => self.exponent,
            _ => self.exponent.min(other.exponent),
        }
    }

    /// The quotient by a whole number, rounded to so many decimals, halves away from zero.
    pub fn divided(self, by: u64, places: u32) -> Option<Self> {
        let places = i32::try_from(places).ok()?;
        let shift = self.exponent.checked_add(places)?;
        let power = 10_i128.checked_pow(shift.unsigned_abs())?;
        let (above, below) = if shift >= 0 {
            (self.mantissa.checked_mul(power)?, i128::from(by))
        } else {
            (self.mantissa, i128::from(by).checked_mul(power)?)
        };
        Self::new(rounded(above, below)?, -places)
    }

    /// Half of it, exactly.
    pub fn half(self) -> Option<Self> {
        self.checked_mul(Decimal { mantissa: 5, exponent: -1 })
    }

    /// The greatest multiple of `step` above `start` that is not above this number: where its bin begins.
    /// None where the step is not above zero or the digits do not suffice.
    pub fn floor_to(self, step: Self, start: Self) -> Option<Self> {
        self.to_multiple(step, start, |above, below| Some(above.div_euclid(below)))
    }

    /// The nearest multiple of a step, halves away from zero.
    pub fn round_to(self, step: Self) -> Option<Self> {
        self.to_multiple(step, Self::ZERO, rounded)
    }

    fn to_multiple(
        self,
        step: Self,
        start: Self,
        divide: impl Fn(i128, i128) -> Option<i128>,
    ) -> Option<Self> {
        if step.mantissa <= 0 {
            return None;
        }
        let exponent =
            [self, start].iter().map(|n| n.common_exponent(step)).min().unwrap_or(step.exponent);
        let (number, step, start) = (self.at(exponent)?, step.at(exponent)?, start.at(exponent)?);
        let times = divide(number.checked_sub(start)?, step)?;
        Self::new(times.checked_mul(step)?.checked_add(start)?, exponent)
    }

    /// Whether this is a whole multiple of another number above zero.
    pub fn is_multiple_of(self, step: Self) -> bool {
        self.floor_to(step, Self::ZERO) == Some(self)
    }
}

/// The quotient, halves rounded away from zero.
fn rounded(above: i128, below: i128) -> Option<i128> {
    if below <= 0 {
        return None;
    }
    let (whole, rest) = (above / below, above % below);
    let up = rest.unsigned_abs().checked_mul(2)? >= below.unsigned_abs();
    Some(whole + if up { above.signum() } else { 0 })
}

/// An exponent; one with more digits than any number needs is none.
fn read_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size: i32 = match digits.trim_start_matches('0') {
        "" => 0,
        digits => digits.parse().ok()?,
    };
    Some(if text.starts_with('-') { -size } else { size })
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = self.mantissa.signum().cmp(&other.mantissa.signum());
        if signs.is_ne() || self.mantissa == 0 {
            return signs;
        }
        let sizes = self.magnitude().cmp(&other.magnitude());
        if sizes.is_ne() {
            return if self.mantissa > 0 { sizes } else { sizes.reverse() };
        }
        // With first digits of the same power both have at most 38 digits in the lower exponent.
        let exponent = self.exponent.min(other.exponent);
        self.at(exponent).cmp(&other.at(exponent))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<u32> for Decimal {
    fn from(number: u32) -> Self {
        Self::new(number.into(), 0).unwrap_or(Self::ZERO)
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self::new(number.into(), 0).unwrap_or(Self::ZERO)
    }
}

impl fmt::Display for Decimal {
    /// All digits, without an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.mantissa.unsigned_abs().to_string();
        let sign = if self.mantissa < 0 { "-" } else { "" };
        if self.exponent >= 0 {
            return write!(f, "{sign}{digits}{}", "0".repeat(self.exponent as usize));
        }
        let places = self.exponent.unsigned_abs() as usize;
        match digits.len().checked_sub(places).filter(|&whole| whole > 0) {
            Some(whole) => write!(f, "{sign}{}.{}", &digits[..whole], &digits[whole..]),
            None => write!(f, "{sign}0.{}{digits}", "0".repeat(places - digits.len())),
        }
    }
}

impl Serialize for Decimal {
    /// As text, which no reader rounds.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("{text:?} is not a decimal number")))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use proptest::prelude::*;

    fn n(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn numbers_are_what_is_written() {
        for (text, shown) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.00", "0"),
            ("1.50", "1.5"),
            ("1e3", "1000"),
            ("1200e-2", "12"),
            ("1E+2", "100"),
            ("0.001", "0.001"),
            ("-12.345", "-12.345"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
        ] {
            assert_eq!(n(text).to_string(), shown);
            assert_eq!(n(shown), n(text));
        }
        for text in [
            "100000000000000000000000000000000000001",
            "1e309",
            "1e-400",
            "1.",
            ".5",
            "1e",
            "e1",
            "",
            "-",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert!(n(&format!("1.5{}", "0".repeat(60))) == n("1.5"));
    }

    #[test]
    fn multiples_are_exact() {
        assert_eq!(n("34").floor_to(n("0.3"), n("0")), Some(n("33.9")));
        assert_eq!(n("14.1").floor_to(n("0.3"), n("0")), Some(n("14.1")));
        assert_eq!(n("-3").floor_to(n("5"), n("16")), Some(n("-4")));
        assert_eq!(n("1250").round_to(n("100")), Some(n("1300")));
        assert_eq!(n("-1250").round_to(n("100")), Some(n("-1300")));
        assert_eq!(n("0.15").round_to(n("0.1")), Some(n("0.2")));
        assert_eq!(n("7").floor_to(n("0"), n("0")), None);
        assert!(n("0.9").is_multiple_of(n("0.3")) && !n("7").is_multiple_of(n("5")));
        assert_eq!(n("10").divided(3, 4), Some(n("3.3333")));
        assert_eq!(n("-0.00005").divided(1, 4), Some(n("-0.0001")));
    }

    fn any() -> impl Strategy<Value = Decimal> {
        prop_oneof![
            (-1000_i128..1000, -3..3_i32),
            ((1 - 10_i128.pow(38))..10_i128.pow(38), -300..270_i32),
            (-(1_i128 << 60)..1 << 60, -40..40_i32)
        ]
        .prop_filter_map("in range", |(mantissa, exponent)| Decimal::new(mantissa, exponent))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(4000)))]
        #[test]
        fn order_text_and_arithmetic_agree(a in any(), b in any(), c in any()) {
            prop_assert_eq!(Decimal::parse(&a.to_string()), Some(a));
            prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
            prop_assert_eq!(a.cmp(&b) == Ordering::Equal, a == b);
            if a <= b && b <= c {
                prop_assert!(a <= c);
            }
            let (x, y) = (a.to_f64(), b.to_f64());
            if x != y {
                prop_assert_eq!(a.cmp(&b), x.total_cmp(&y));
            }
            if let Some(sum) = a.checked_add(b) {
                prop_assert_eq!(sum.checked_sub(b).unwrap_or(a), a);
                prop_assert_eq!(sum.cmp(&a), b.cmp(&Decimal::ZERO));
            }
            if let Some(low) = a.floor_to(b, c) {
                prop_assert!(low <= a);
                if let Some(high) = low.checked_add(b) {
                    prop_assert!(a < high);
                }
            }
            if let Some(half) = a.half() {
                prop_assert_eq!(half.checked_add(half).unwrap_or(a), a);
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-+0-9.eE ]{0,12}|\\PC{0,12}") {
            let number = Decimal::parse(&text);
            prop_assert_eq!(number.map(|n| n.to_f64()), super::super::parse_number(&text));
            if let (Some(number), Ok(double)) = (number, text.trim().parse::<f64>()) {
                prop_assert_eq!(number.to_f64(), double);
            }
        }
    }
}
