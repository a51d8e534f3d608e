//! Eleven small tables as people have them, each with a trap that a careless tool falls into.
//!
//! They look real and are made up: the same bytes every time. `cargo run -p incrowd-testing --bin traps FOLDER`
//! writes them with a page that says what is expected of each; the tests of the command hold it to that.

mod people;
mod rng;
mod tables;

/// A table with a trap in it.
#[derive(Debug, Clone, Copy)]
pub struct TrapTable {
    /// The file's name.
    pub file: &'static str,
    /// What somebody would do with it who knows nothing.
    pub quasi: &'static str,
    /// The trap.
    pub trap: &'static str,
    /// What must happen instead.
    pub expected: &'static str,
    make: fn() -> Vec<u8>,
}

impl TrapTable {
    /// The file's bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        (self.make)()
    }

    /// The trap in this file.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn named(file: &str) -> &'static TrapTable {
        TRAPS.iter().find(|trap| trap.file == file).expect("a trap of that name")
    }
}

/// All of them.
pub const TRAPS: [TrapTable; 11] = [
    TrapTable {
        file: "survey.csv",
        quasi: "age,sex,region",
        trap: "`CASEID` is 1.0, 2.0, ...: a number of the interview that looks like a measurement.",
        expected: "CASEID is never plain; a run that does not name it is refused, and the line it prints gives a release without it.",
        make: tables::survey,
    },
    TrapTable {
        file: "stops.csv",
        quasi: "lat,age,sex,race",
        trap: "The latitude is generalized, the longitude and the exact time stand beside it.",
        expected: "Refused: `long` and `stopped_at` single out nearly every stop.",
        make: tables::stops,
    },
    TrapTable {
        file: "visits.csv",
        quasi: "born,sex,zip",
        trap: "`visit_id` is unique, `born` is written day/month/year, some ZIP codes have four digits more.",
        expected: "visit_id is identifying; births come out as 1961-04, 1961 or [1961-04 to 1962-09]; masks of ZIP codes stay short.",
        make: tables::visits,
    },
    TrapTable {
        file: "towns.csv",
        quasi: "age,sex,zip",
        trap: "`town` stands beside `zip` and `birth_year` beside `age`.",
        expected: "Refused: both tell inside a class what the release hides; `--plain` says that it is meant.",
        make: tables::towns,
    },
    TrapTable {
        file: "incomes.csv",
        quasi: "age,sex,income",
        trap: "Incomes are written 1.234,50.",
        expected: "They are numbers: ranges in the same writing, t-closeness by their order.",
        make: tables::incomes,
    },
    TrapTable {
        file: "accounts.csv",
        quasi: "account,balance,rate",
        trap: "Account numbers beyond 2^53, balances below 0, rates in tenths.",
        expected: "No number is changed; ranges read [-120 to 35]; bins are decimal and contain their values.",
        make: tables::accounts,
    },
    TrapTable {
        file: "diagnoses.csv",
        quasi: "age,sex,icd",
        trap: "Some three hundred ICD codes without a hierarchy.",
        expected: "init proposes one; no released cell is longer than a person reads; the run says what a set of diagnoses means.",
        make: tables::diagnoses,
    },
    TrapTable {
        file: "staff.csv",
        quasi: "Geburtsdatum,Geschlecht,PLZ",
        trap: "Windows-1252, semicolons, umlauts in names, a column called `Gehalt, brutto`.",
        expected: "Read with a note on the encoding; the column's name works on the command line.",
        make: tables::staff,
    },
    TrapTable {
        file: "deaths.csv",
        quasi: "age,sex,ward",
        trap: "The few who died are old and alone: suppression takes them all.",
        expected: "Said loudly: all rows with died = yes are suppressed.",
        make: tables::deaths,
    },
    TrapTable {
        file: "admissions.csv",
        quasi: "admitted,age,sex",
        trap: "No day is after the 12th, missing values are blanks, `-` and `unknown`.",
        expected: "Refused with both readings of a date; with --date-format a release; `--missing -,unknown` adds to the usual ones.",
        make: tables::admissions,
    },
    TrapTable {
        file: "wide.csv",
        quasi: "age,sex,region",
        trap: "172 columns of answers.",
        expected: "init writes a spec that a person can read: at most two lines for a column.",
        make: tables::wide,
    },
];

/// The page that lists them.
#[must_use]
pub fn page() -> String {
    let mut page = "# Tables with traps\n\nEleven made-up tables, each with something that real ones have. \
         Try `inspect`, `init` and `run`, `anonymize -k 5 --quasi ...`, `risk` and `--report` on them.\n\n\
         | file | quasi-identifiers | the trap | what must happen |\n| --- | --- | --- | --- |\n"
        .to_owned();
    for TrapTable { file, quasi, trap, expected, .. } in &TRAPS {
        page.push_str(&format!("| {file} | {quasi} | {trap} | {expected} |\n"));
    }
    page
}
