//! Series of instances that cannot be solved: `frontier` and `bench`.

use super::{Case, case, page};

/// The usual frontier with more options.
fn frontier(name: &'static str, options: &str) -> Case {
    case(name, format!("frontier people.csv --quasi age,sex {options} -o out.csv"))
}

/// The usual benchmark with more options.
fn paper(name: &'static str, options: &str) -> Case {
    case(name, format!("bench paper {options}"))
}

#[test]
fn series_that_cannot_be_solved() {
    let cases = [
        frontier("no k", ""),
        frontier("a list with k of 0", "-k 4,0"),
        frontier("a list with an empty k", "-k 4,,2"),
        frontier("one k above the number of rows", "-k 2,9,4"),
        frontier("one bad limit of several", "-k 2 --max-suppressed 0,few"),
        frontier("a bad time for each", "-k 2 --time-limit soon"),
        frontier("a bad gap for each", "-k 2 --gap -1%"),
        frontier("an option that the prover does not have", "-k 2 --option mode=strict"),
        case("the input as frontier", "frontier people.csv --quasi age -k 2 -o people.csv"),
        case(
            "a frontier's report and rows on standard output",
            "frontier people.csv --quasi age -k 2 -o - --json",
        ),
        paper("a benchmark without data", "-o results.csv"),
        paper("a benchmark without a file for results", "--data people.csv"),
        paper("a benchmark's data that are not there", "--data adult.csv -o results.csv"),
        paper("other data than a benchmark's", "--data people.csv -o results.csv"),
        paper("a benchmark by another coding", "--data people.csv --coding rough -o results.csv"),
        paper("a benchmark by another metric", "--data people.csv --metric ncp -o results.csv"),
        paper("a benchmark's bad limit", "--data people.csv --limits none -o results.csv"),
        paper("a benchmark's bad time", "--data people.csv --time-limit 10 -o results.csv"),
        paper("a benchmark without hierarchies", "--data adult.csv -k 2 -o results.csv").file(
            "adult.csv",
            "sex;age;race;marital-status;education;native-country;workclass;occupation;salary-class\n\
             Male;39;White;Divorced;11th;Cuba;Private;Sales;<=50K\n\
             Male;39;White;Divorced;11th;Cuba;Private;Sales;<=50K\n",
        ),
    ];
    insta::assert_snapshot!(page(&cases));
}
