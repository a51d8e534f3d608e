//! Columns looked through value by value for what the Safe Harbor list names.
//!
//! **What it does.** Every different value of a column is tried on the patterns of [`value_patterns`](super::value_patterns);
//! the columns as wholes on first names, cities, years of birth and numbers that differ in nearly every row. What is told
//! is the kind and the number of rows, and no value.
//!
//! **Guarantee.** None: what is written in another way is not found. A finding may be wrong, and is attested then.

use std::collections::BTreeMap;

use super::identifier_detection::{self, IdentifierNumber, is_years, told_numbers};
use super::value_patterns::{LIKELY, SURE};
use super::word_lists::{is_first_name, is_place_name};

/// A value of a column, and how many rows have it.
pub(super) type CountedValue<'a> = (&'a str, u64);

/// What was found in a column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ValueFinding {
    /// The identifier that it is.
    pub(super) number: IdentifierNumber,
    /// What it is called, in the plural.
    pub(super) what: &'static str,
    /// The rows that hold it.
    pub(super) rows: u64,
}

/// Of so many different values most may look alike by chance.
const FEWEST: usize = 5;
/// The share of the different values that must look like what is likely.
const MOST: f64 = 0.9;
/// The share of the different values that must be names: every list lacks some.
const NAMED: f64 = 0.5;
/// So many different names, at least.
const NAMES: usize = 2;
/// Rows from which numbers that differ in nearly every row are looked for, ...
const NUMBERED_ROWS: u64 = 20;
/// ... the share of the rows that have one of their own, ...
const NUMBERED_SHARE: f64 = 0.95;
/// ... and their length: shorter ones are measurements.
const NUMBERED_LENGTH: usize = 6;

/// What the values of a column hold; whoever was born before `oldest` is above 89 now.
pub(super) fn scan(name: &str, values: &[CountedValue<'_>], oldest: i64) -> Vec<ValueFinding> {
    let mut rows: BTreeMap<(IdentifierNumber, &'static str), u64> = BTreeMap::new();
    // Short numbers are the most frequent values, and hold nothing by themselves.
    let texts: Vec<CountedValue<'_>> =
        values.iter().copied().filter(|(value, _)| !is_short_number(value)).collect();
    for pattern in &SURE {
        let found = texts.iter().filter(|(value, _)| (pattern.holds)(value));
        let found: u64 = found.map(|(_, rows)| rows).sum();
        if found > 0 {
            *rows.entry((pattern.number, pattern.what)).or_default() += found;
        }
    }
    let all: u64 = values.iter().map(|(_, rows)| rows).sum();
    let share = |is: &dyn Fn(&str) -> bool| {
        values.iter().filter(|(value, _)| is(value)).count() as f64 / values.len().max(1) as f64
    };
    let mut add = |number: IdentifierNumber, what: &'static str, is: &dyn Fn(&str) -> bool| {
        if !rows.keys().any(|(known, _)| *known == number) {
            let found = values.iter().filter(|(value, _)| is(value)).map(|(_, rows)| rows).sum();
            rows.insert((number, what), found);
        }
    };
    for pattern in LIKELY.iter().filter(|_| values.len() >= FEWEST) {
        if share(&|value| (pattern.holds)(value.trim())) >= MOST {
            add(pattern.number, pattern.what, &|value| (pattern.holds)(value.trim()));
        }
    }
    let of_things = identifier_detection::is_of_things(name);
    let least = if of_things { MOST } else { NAMED };
    let many = |is: fn(&str) -> bool| {
        let named = values.iter().filter(|(value, _)| is(value)).count();
        named >= NAMES && named as f64 >= least * values.len() as f64
    };
    // A column of names of cities has some that are first names, too.
    if many(is_place) && share(&is_place) >= share(&is_person) {
        add(2, "names of cities", &is_place);
    } else if many(is_person) {
        add(1, "first names", &is_person);
    }
    let old = |value: &str| {
        is_years(value) && told_numbers(value).iter().any(|&year| year < oldest as f64)
    };
    let is_made = ["built", "founded", "constructed", "established", "model"];
    let made = identifier_detection::words(name).iter().any(|word| is_made.contains(&&word[..]));
    if !made && values.len() >= FEWEST && share(&is_years) >= MOST && share(&old) > 0.0 {
        add(3, "years that tell ages above 89, if they are of birth", &old);
    }
    let is_number = |value: &str| {
        let value = value.trim();
        value.len() >= NUMBERED_LENGTH
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && value.bytes().filter(u8::is_ascii_digit).count() * 2 >= value.len()
    };
    let lengths: Vec<usize> = values.iter().map(|(value, _)| value.trim().len()).collect();
    let usual = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
    let alike = lengths.iter().filter(|length| **length == usual).count();
    if all >= NUMBERED_ROWS
        && values.len() as f64 >= NUMBERED_SHARE * all as f64
        && alike as f64 >= MOST * values.len() as f64
        && share(&is_number) >= MOST
        && rows.is_empty()
    {
        rows.insert((18, "numbers or codes that differ in nearly every row"), all);
    }
    let told = |((number, what), rows)| ValueFinding { number, what, rows };
    rows.into_iter().map(told).collect()
}

/// Whether a value is a number of few digits.
fn is_short_number(value: &str) -> bool {
    let value = value.trim();
    value.len() < 10
        && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && value.matches('.').count() < 2
}

/// The names in a label, which may be a set of some.
fn parts(value: &str) -> Vec<&str> {
    match value.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(set) => set.split(", ").collect(),
        None => vec![value.trim()],
    }
}

/// Whether a label names people: `Eva`, `Eva Hill`, `Hill, Eva`.
fn is_person(value: &str) -> bool {
    parts(value).iter().all(|part| {
        let words: Vec<&str> = part.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        (1..=4).contains(&words.len())
            && words.iter().all(|word| word.chars().all(|c| c.is_alphabetic() || "'-.".contains(c)))
            && words.iter().take(2).any(|word| is_first_name(word))
    })
}

/// Whether a label names larger places: `Seattle`, `Seattle, WA`.
fn is_place(value: &str) -> bool {
    parts(value).iter().all(|part| is_place_name(part.split(',').next().unwrap_or_default().trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a column holds, by identifiers.
    fn found(name: &str, values: &[&str]) -> Vec<(u8, u64)> {
        let values: Vec<CountedValue<'_>> = values.iter().map(|&value| (value, 1)).collect();
        scan(name, &values, 1936).into_iter().map(|found| (found.number, found.rows)).collect()
    }

    /// Something of each of the eighteen identifiers, in columns whose names say nothing.
    #[test]
    fn each_identifier_is_found_by_its_values_alone() {
        for (number, values) in [
            (1, &["Eva Hill", "Ben Jones", "Hill, Mary", "Zqx Yyy"][..]),
            (1, &["EVA", "BEN", "MARY", "CARLOS"]),
            (1, &["flu", "seen by Dr. Rivers"]),
            (1, &["came late because her son Kevin was ill"]),
            (2, &["Seattle", "Portland", "Tacoma", "Smalltown"]),
            (2, &["ok", "lives at 12 Main Street"]),
            (2, &["Hauptstraße 5"]),
            (2, &["98115-1234"]),
            (2, &["moved here from Chicago last year"]),
            (
                2,
                &[
                    "47.6062, -122.3321",
                    "47.6101, -122.2015",
                    "47.6, -1.2",
                    "47.2529, -122.4443",
                    "47.9790, -122.2021",
                    "48.7519, -122.4787",
                    "47.0379, -122.9007",
                    "46.6021, -120.5059",
                    "47.6588, -117.4260",
                    "45.6387, -122.6615",
                ],
            ),
            (3, &["1583020800", "1583107200", "1583193600", "1583280000", "1583366400"]),
            (
                3,
                &[
                    "1583020800000",
                    "1583107200000",
                    "1583193600000",
                    "1583280000000",
                    "1583366400123",
                ],
            ),
            (
                3,
                &[
                    "[1583020800-1583366400]",
                    "[1583366401-1583400000]",
                    "1583500000",
                    "1583600000",
                    "1583700000",
                ],
            ),
            (3, &["1931", "1940", "1955", "1962", "1990"]),
            (3, &["well", "was seen on March 4, 2019"]),
            (3, &["2019-03-04 12:00"]),
            (3, &["a 94-year-old woman"]),
            (4, &["ok", "call 206-555-0101"]),
            (4, &["(206) 555-0101"]),
            (4, &["+49 341 1234567"]),
            (
                4,
                &["020 7946 0018", "020 7946 0019", "0341/1234567", "0341/1234568", "020 79461111"],
            ),
            (4, &["2065550101", "2065550102", "2065550103", "2065550104", "2065550105"]),
            (5, &["Fax: 206-555-0102"]),
            (6, &["ok", "write to ann@example.org."]),
            (7, &["ok", "123-45-6789"]),
            (7, &["SSN 123456789"]),
            (8, &["MRN: 00471123"]),
            (9, &["1EG4-TE5-MK73"]),
            (9, &["member id 99812345"]),
            (10, &["DE89 3704 0044 0532 0130 00"]),
            (10, &["GB82WEST12345698765432"]),
            (10, &["4111 1111 1111 1111"]),
            (10, &["account no. 4711-0815"]),
            (11, &["license # D1234567"]),
            (11, &["1234567893", "1000000004", "1999999984", "2000000010", "1500000025"]),
            (12, &["1HGCM82633A004352"]),
            (12, &["plate ABC-1234"]),
            (13, &["00:1b:44:11:3a:b7"]),
            (13, &["(01)00312345678906(21)A4711"]),
            (13, &["S/N 004711"]),
            (
                13,
                &[
                    "490154203237518",
                    "356938035643809",
                    "352099001761481",
                    "350000000000006",
                    "860000000000017",
                ],
            ),
            (14, &["see https://example.org/a"]),
            (14, &["www.example.org"]),
            (15, &["192.0.2.1"]),
            (15, &["2001:db8::1"]),
            (16, &["voice_0012.wav"]),
            (16, &["ACGTACGTACGTACGTACGTA"]),
            (17, &["face12.JPG"]),
            (18, &["123e4567-e89b-12d3-a456-426614174000"]),
        ] {
            let found = found("x", values);
            assert!(
                found.iter().any(|(known, _)| *known == number),
                "{number} {values:?}: {found:?}"
            );
        }
    }

    #[test]
    fn numbers_of_rows_are_codes_and_measurements_are_none() {
        let codes: Vec<String> = (0..40).map(|at| format!("{}", 100_000 + at * 37)).collect();
        let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
        assert_eq!(found("x", &codes), [(18, 40)]);
        let weights: Vec<String> = (0..40).map(|at| format!("{}", 1_200 + at * at * 913)).collect();
        let weights: Vec<&str> = weights.iter().map(String::as_str).collect();
        assert_eq!(found("x", &weights), []);
    }

    #[test]
    fn rows_are_counted_and_not_values() {
        let values = [("ann@example.org", 7), ("flu", 3), ("bob@example.org", 2)];
        let told = scan("x", &values, 1936);
        assert_eq!((told[0].number, told[0].rows, told.len()), (6, 9, 1));
    }

    /// What tables hold that name nobody.
    #[test]
    fn harmless_values_are_left_alone() {
        for (name, values) in [
            ("race", &["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"][..]),
            ("workclass", &["Private", "Self-emp-not-inc", "State-gov", "Never-worked"]),
            ("marital", &["Married-civ-spouse", "Divorced", "Never-married", "Widowed"]),
            ("native-country", &["United-States", "Cuba", "Jamaica", "Mexico", "Georgia"]),
            ("state", &["Washington", "New York", "Virginia", "Georgia", "Ohio", "Texas", "Iowa"]),
            ("religion", &["Christian", "Muslim", "Jewish", "none"]),
            ("diagnosis", &["A01.1", "C50.9", "J45", "E11.9"]),
            ("illness", &["flu", "asthma", "gout", "Parkinson", "Addison"]),
            ("bp", &["120/80", "135/85", "118/76", "140/90", "128/82"]),
            ("range", &["[25-34]", "[35-44]", "90+", "<=18", "*"]),
            ("range", &["[1000-1999]", "[2000-2999]", "[30000-99999]"]),
            ("income", &["52000", "61500", "43210", "1234567", "99999"]),
            ("score", &["1.234", "5.678", "9.1011", "0.5", "3.25"]),
            ("year", &["2018", "2019", "2020", "2021", "2022"]),
            ("built", &["1888", "1901", "1930", "1955", "1990"]),
            ("time", &["12:30", "08:15:10", "23:59"]),
            ("zip", &["981", "972", "000"]),
            ("drug", &["aspirin 100 mg", "ibuprofen 400 mg", "metformin 1000 mg"]),
            ("opinion", &["strongly agree", "agree", "disagree", "do not know"]),
            ("month", &["April", "May", "June", "August"]),
            ("color", &["Amber", "Blue", "Red", "Green", "White", "Black", "Violet"]),
            ("version", &["1.2", "1.2.3", "2.0"]),
            ("text", &["the growth plate was 12 mm", "on account of a fall", "policy of 2019"]),
        ] {
            if name != "month" {
                assert_eq!(found(name, values), [], "{name}");
            } else {
                assert!(found(name, values).iter().all(|(number, _)| *number == 3), "{name}");
            }
        }
    }
}
