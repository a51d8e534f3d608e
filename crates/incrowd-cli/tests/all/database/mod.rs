//! Tables of a real PostgreSQL, started by the tests themselves.

mod applied;
mod daily;
mod faults;
mod looks;
mod recodings;
mod releases;
mod values;

use std::fmt::Write;

use incrowd_testing::SeededRng;
use incrowd_testing::postgres::TestDatabase;

use crate::common::{Ended, Folder};

/// The columns of [`people`].
pub(crate) const COLUMNS: &str =
    "id integer, age integer, sex text, zip text, income numeric(10,2), ill text, born date";

/// Made-up people: some ages and incomes are missing.
pub(crate) fn people(rows: usize) -> String {
    let mut text = "id,age,sex,zip,income,ill,born\n".to_owned();
    let mut dice = SeededRng::new(7);
    for id in 0..rows {
        let age = 18 + dice.below(60);
        let age = if dice.below(50) == 0 { String::new() } else { age.to_string() };
        let sex = ["f", "m"][dice.below(2)];
        let zip = 53_700 + dice.below(12);
        let income = match dice.below(20) {
            0 => String::new(),
            _ => format!("{}.50", 100 * (10 + dice.below(40))),
        };
        let ill = ["flu", "cold", "gout", "asthma", "none"][dice.below(5)];
        let year = 1950 + dice.below(40);
        writeln!(
            text,
            "{id},{age},{sex},{zip},{income},{ill},{year}-0{}-1{}",
            1 + dice.below(9),
            dice.below(9)
        )
        .unwrap();
    }
    text
}

/// Runs the command with these words.
pub(crate) fn run(folder: &Folder, words: &[&str]) -> Ended {
    Ended::from(folder.command(words).output().unwrap())
}

/// The same, which must end well.
pub(crate) fn done(folder: &Folder, words: &[&str]) -> Ended {
    let ended = run(folder, words);
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.stdout, ended.stderr);
    ended
}

/// A database with people, and a folder with the same as CSV.
pub(crate) fn with_people<'a>(
    server: &'a incrowd_testing::postgres::PostgresServer,
    name: &str,
    rows: usize,
) -> (TestDatabase<'a>, Folder) {
    let database = server.database(name);
    database.sql(&format!("CREATE TABLE people ({COLUMNS})"));
    let text = people(rows);
    database.load("people", &text);
    let folder = Folder::new();
    folder.write("people.csv", text.as_bytes());
    (database, folder)
}

/// The lines of a CSV text below the header, sorted.
pub(crate) fn sorted(csv: &str) -> Vec<String> {
    let mut rows: Vec<String> = csv.lines().skip(1).map(str::to_owned).collect();
    rows.sort();
    rows
}
