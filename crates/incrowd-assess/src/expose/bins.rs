//! Columns of very many values, taken by neighbours.

use incrowd_engine::table::Dictionary;
use incrowd_engine::value::parse_number;

/// So many rows share a bin, about.
const ROWS: usize = 10;

/// More bins than these tell nothing new.
const MOST: usize = 2_000;

/// The ways to look at a column of codes: as it is where values come again, and in bins of neighbours where there are
/// so many values that hardly any does. A birthday tells the age as its year does.
pub(super) fn readings(codes: &[u32], values: &Dictionary) -> Vec<Vec<u32>> {
    let mut readings = Vec::new();
    if 2 * values.len() <= codes.len() {
        readings.push(codes.to_vec());
    }
    if ROWS * values.len() > codes.len() {
        readings.push(binned(codes, values));
    }
    readings
}

/// The codes of bins of neighbouring values, each of about as many rows.
fn binned(codes: &[u32], values: &Dictionary) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    let numbers: Option<Vec<f64>> = values.iter().map(parse_number).collect();
    match numbers {
        Some(numbers) => {
            order.sort_by(|&one, &other| numbers[one as usize].total_cmp(&numbers[other as usize]))
        }
        None => order.sort_by_cached_key(|&code| key(values.value(code))),
    }
    let mut rows = vec![0usize; values.len()];
    for &code in codes {
        rows[code as usize] += 1;
    }
    let bins = (codes.len() / ROWS).clamp(1, MOST);
    let mut bin_of = vec![0; values.len()];
    let mut before = 0;
    for code in order {
        bin_of[code as usize] = (before * bins / codes.len().max(1)) as u32;
        before += rows[code as usize];
    }
    codes.iter().map(|&code| bin_of[code as usize]).collect()
}

/// Texts by their letters, but days that are written day/month/year or month/day/year by the year first.
fn key(value: &str) -> (String, String) {
    let mut parts = value.splitn(3, ['/', '.', '-']);
    let (Some(one), Some(two), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return (value.to_owned(), String::new());
    };
    let short = |text: &str| text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let year = rest.get(..4).is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    if short(one) && short(two) && year {
        return (rest.to_owned(), format!("{two:0>2}{one:0>2}"));
    }
    (value.to_owned(), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded(values: &[String]) -> (Vec<u32>, Dictionary) {
        let mut dictionary = Dictionary::new();
        let codes = values.iter().map(|value| dictionary.intern(value)).collect();
        (codes, dictionary)
    }

    #[test]
    fn neighbours_share_a_bin() {
        let values: Vec<String> = (0..1_000).map(|at| format!("{}.5", at * 7 % 1_000)).collect();
        let (codes, dictionary) = coded(&values);
        let readings = readings(&codes, &dictionary);
        assert_eq!(readings.len(), 1);
        for (row, &bin) in readings[0].iter().enumerate() {
            assert_eq!(bin as usize, row * 7 % 1_000 / 10);
        }
    }

    #[test]
    fn few_values_stay_as_they_are() {
        let values: Vec<String> = (0..1_000).map(|at| (at % 20).to_string()).collect();
        let (codes, dictionary) = coded(&values);
        assert_eq!(readings(&codes, &dictionary), [codes]);
    }

    #[test]
    fn days_are_sorted_by_time() {
        assert!(key("31/12/1999") < key("01/01/2000"));
        assert!(key("1999-12-31") < key("2000-01-01"));
        assert!(key("Ann") < key("Bob"));
    }
}
