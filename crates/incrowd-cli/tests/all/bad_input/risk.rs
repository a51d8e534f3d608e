//! Questions about risk that cannot be answered.

use super::{Case, case, page};

#[test]
fn risks_that_cannot_be_told() {
    let cases = [
        case("no table", "risk none.csv --quasi age"),
        case("no quasi-identifiers", "risk people.csv"),
        case("a column that is not there", "risk people.csv --quasi age,zpi"),
        case("a column twice", "risk people.csv --quasi age,sex,age"),
        case("an empty name", "risk people.csv --quasi age,,sex"),
        case("a table without rows", "risk empty.csv --quasi age").file("empty.csv", "age,sex\n"),
        case("a fraction of 0", "risk people.csv --quasi age --sampling-fraction 0"),
        case("a fraction above 1", "risk people.csv --quasi age --sampling-fraction 1.5"),
        case("a fraction below 0", "risk people.csv --quasi age --sampling-fraction -0.1"),
        case("a fraction in words", "risk people.csv --quasi age --sampling-fraction half"),
        case("a population that is too small", "risk people.csv --quasi age --population-size 7"),
        case("a population of 0", "risk people.csv --quasi age --population-size 0"),
        case(
            "a fraction and a size",
            "risk people.csv --quasi age --population-size 90 --sampling-fraction 0.1",
        ),
        case("no population", "risk people.csv --quasi age --population none.csv"),
        case(
            "a population that lacks a column",
            "risk people.csv --quasi age,sex --population other.csv",
        )
        .file("other.csv", "age,zip\n23,47677\n"),
        case("a population without rows", "risk people.csv --quasi age --population other.csv")
            .file("other.csv", "age\n"),
        case("both from standard input", "risk - --quasi age --population -"),
        case("a threshold above 1", "risk people.csv --quasi age --threshold 2"),
        case("a threshold of 0", "risk people.csv --quasi age --threshold 0"),
        case("a size that is no number", "risk people.csv --quasi age --size few"),
        case("a report over the table", "risk people.csv --quasi age --report people.csv"),
        case("a report into no folder", "risk people.csv --quasi age --report none/risk.html"),
        case("two things on standard output", "risk people.csv --quasi age --json --report -"),
        case(
            "too many combinations",
            format!("risk wide.csv --size 4 --quasi {}", names().join(",")),
        )
        .file("wide.csv", format!("{}\n{}\n", names().join(","), ["1"; 80].join(","))),
        case(
            "a run whose population lacks a column",
            "anonymize people.csv -k 2 --quasi age,sex --other drop --population other.csv -o out.csv",
        )
        .file("other.csv", "age,zip\n23,47677\n"),
        case(
            "a release over the population",
            "anonymize people.csv -k 2 --quasi age --other drop --population other.csv -o other.csv",
        )
        .file("other.csv", "age\n23\n"),
        Case {
            stdin: b"age\n23\n29\n",
            ..case(
                "a run that reads both from standard input",
                "anonymize - -k 2 --quasi age --other drop --population -",
            )
        },
    ];
    insta::assert_snapshot!(page(&cases));
}

fn names() -> Vec<String> {
    (0..80).map(|at| format!("c{at}")).collect()
}
