//! What counts as a number.

/// The number that a field holds, if it holds one.
///
/// Plain decimal notation with an optional sign and exponent; surrounding white space is ignored.
/// A leading zero makes a field a code (`02138` is a ZIP, not two thousand), and `inf`, `nan` and
/// hexadecimal forms are text.
///
/// ```
/// use incrowd::value::parse_number;
/// assert_eq!(parse_number(" -1.50"), Some(-1.5));
/// assert_eq!(parse_number("1e3"), Some(1000.0));
/// assert_eq!(parse_number("02138"), None);
/// assert_eq!(parse_number("inf"), None);
/// ```
pub fn parse_number(field: &str) -> Option<f64> {
    let field = field.trim();
    let digits = field.strip_prefix('-').unwrap_or(field).as_bytes();
    if !digits.first().is_some_and(u8::is_ascii_digit)
        || !field.ends_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    if digits[0] == b'0' && digits.get(1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    // `parse` itself refuses everything else but "inf", "nan" and the like, which start with letters.
    field.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A number in the shortest form that reads back as itself.
pub fn show_number(number: f64) -> String {
    // -0 would read as a different label for the same value.
    if number == 0.0 { "0".to_owned() } else { number.to_string() }
}

#[cfg(test)]
mod tests {
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
}
