//! Series of instances that cannot be solved: `frontier`.

use super::{Case, case, page};

/// The usual frontier with more options.
fn frontier(name: &'static str, options: &str) -> Case {
    case(name, format!("frontier people.csv --quasi age,sex {options} -o out.csv"))
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
    ];
    insta::assert_snapshot!(page(&cases));
}
