#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use incrowd_testing::SeededRng;

use super::*;

/// Which columns of a table follow from its first ones, `known` in number.
fn found(names: &[&str], rows: &[Vec<String>], known: usize) -> Vec<(String, Vec<String>)> {
    let table = Table::from_rows(names, rows).unwrap();
    let sources: Vec<usize> = (0..known).collect();
    let asked: Vec<DisclosureTarget> =
        (known..names.len()).map(|at| DisclosureTarget { at, exact: false }).collect();
    let missing = [String::new(), "?".to_owned()];
    let found = implied(&table, &sources, &asked, None, &missing, &Control::new());
    found.into_iter().map(|it| (it.column, it.from)).collect()
}

fn rows(count: usize, mut row: impl FnMut(&mut SeededRng) -> Vec<String>) -> Vec<Vec<String>> {
    let mut dice = SeededRng::new(11);
    (0..count).map(|_| row(&mut dice)).collect()
}

fn one(column: &str, from: &[&str]) -> (String, Vec<String>) {
    (column.to_owned(), from.iter().map(|&it| it.to_owned()).collect())
}

#[test]
fn bands_follow_and_coins_do_not() {
    for count in [60, 300, 3_000, 60_000] {
        let rows = rows(count, |dice| {
            let age = 18 + dice.below(60);
            let band = format!("{}s", age / 10 * 10);
            let coin = if dice.below(100) < 95 { "no" } else { "yes" };
            // Older people earn more, but nobody knows whose salary it is.
            let high = dice.below(100) < age && dice.below(3) > 0;
            let married = age > 25 && dice.below(4) > 0;
            vec![
                age.to_string(),
                dice.below(2).to_string(),
                band,
                coin.to_owned(),
                high.to_string(),
                married.to_string(),
            ]
        });
        let names = ["age", "sex", "band", "coin", "high", "married"];
        assert_eq!(found(&names, &rows, 2), [one("band", &["age"])], "{count}");
    }
}

#[test]
fn parts_of_dates_and_numbers_that_do_not_repeat_are_found() {
    let rows = rows(2_000, |dice| {
        let (year, month, day) = (1930 + dice.below(70), 1 + dice.below(12), 1 + dice.below(28));
        let income = 10_000.0 + dice.below(9_000_000) as f64 / 100.0;
        vec![
            format!("{year}-{month:02}-{day:02}"),
            format!("{income:.2}"),
            year.to_string(),
            month.to_string(),
            format!("{:.4}", income.ln()),
            if income > 60_000.0 { "high" } else { "low" }.to_owned(),
            dice.below(50).to_string(),
        ]
    });
    let names = ["birth", "income", "year", "month", "log", "level", "score"];
    let expected = [
        one("year", &["birth"]),
        one("month", &["birth"]),
        one("log", &["income"]),
        one("level", &["income"]),
    ];
    assert_eq!(found(&names, &rows, 2), expected);
}

#[test]
fn two_columns_tell_what_neither_does() {
    let rows = rows(3_000, |dice| {
        let (x, y) = (dice.below(100_000), dice.below(100_000));
        let area = format!("N{}", x / 25_000 * 4 + y / 25_000);
        let start = 1 + dice.below(200);
        let days = 1 + dice.below(90);
        let end = start + days;
        let date = |day: usize| format!("2024-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
        vec![
            x.to_string(),
            y.to_string(),
            start.to_string(),
            end.to_string(),
            area,
            days.to_string(),
            date(dice.below(300)),
        ]
    });
    let names = ["x", "y", "start", "end", "area", "days", "other"];
    let expected = [one("area", &["x", "y"]), one("days", &["start", "end"])];
    assert_eq!(found(&names, &rows, 4), expected);
}

#[test]
fn missing_values_are_not_counted() {
    // Nine in ten have no date of death; who has one died in the year of it.
    let rows = rows(4_000, |dice| {
        let year = 1990 + dice.below(30);
        match dice.below(10) {
            0 => vec![format!("{year}-05-{:02}", 1 + dice.below(28)), year.to_string()],
            _ => vec![String::new(), "?".to_owned()],
        }
    });
    assert_eq!(found(&["died", "year"], &rows, 1), [one("year", &["died"])]);
}

/// Of a column that is masked beyond recognition it still shows who has no value.
#[test]
fn missing_values_follow_as_well() {
    let rows = rows(400, |dice| {
        let (age, man) = (18 + dice.below(60), dice.below(2) == 0);
        let age = if dice.below(40) == 0 { String::new() } else { age.to_string() };
        let band = if age.is_empty() { "" } else { "**s" };
        let weeks = if man { "" } else { "**" };
        let coin = if dice.below(2) == 0 { "" } else { "seen" };
        [&age, &man.to_string(), band, weeks, coin].map(|it: &str| it.to_owned()).to_vec()
    });
    let expected = [one("band", &["age"]), one("weeks", &["man"])];
    assert_eq!(found(&["age", "man", "band", "weeks", "coin"], &rows, 2), expected);
}

/// The beginning of a code is that of a code, in however small a table.
#[test]
fn beginnings_are_read_off() {
    let zips =
        ["13765", "11558", "10274", "13707", "12091", "10783", "12591", "10999", "11002", "12003"];
    let rows: Vec<Vec<String>> = zips
        .iter()
        .enumerate()
        .map(|(at, zip)| [*zip, &zip[..2], ["x1", "y2"][at % 2]].map(str::to_owned).to_vec())
        .collect();
    assert_eq!(found(&["zip", "region", "coin"], &rows, 1), [one("region", &["zip"])]);
}

/// Of very many columns those are paired that go most with what they may tell.
#[test]
fn a_pair_is_found_among_very_many_columns() {
    let mut dice = SeededRng::new(3);
    let width = 1_200;
    let names: Vec<String> = (0..width).map(|at| format!("q{at}")).collect();
    let names: Vec<&str> =
        ["age", "year", "born"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let rows: Vec<Vec<String>> = (0..120)
        .map(|_| {
            let (age, year) = (20 + dice.below(60), 1990 + dice.below(30));
            let others = (0..width).map(|_| dice.below(1_000).to_string());
            [age, year, year - age].iter().map(usize::to_string).chain(others).collect()
        })
        .collect();
    let table = Table::from_rows(&names, &rows).unwrap();
    let released: Vec<usize> = (1..names.len()).collect();
    let found = told_together(&table, &released, &[0], None, &[], &Control::new());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].columns, ["year".to_owned(), "born".to_owned()]);
}
