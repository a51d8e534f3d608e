//! Hierarchies that are no trees over the values.

use super::{Case, case, page};

/// A hierarchy of the column `sex` in a file.
fn sex(name: &'static str, content: impl Into<Vec<u8>>) -> Case {
    case(name, "anonymize people.csv -k 2 --quasi age,sex --hierarchy sex=sex.csv -o out.csv --recoding out.json")
        .file("sex.csv", content)
}

/// A hierarchy of the column `sex` in TOML.
fn toml(name: &'static str, content: &str) -> Case {
    case(name, "anonymize people.csv -k 2 --quasi age,sex --hierarchy sex=sex.toml -o out.csv")
        .file("sex.toml", content)
}

/// A hierarchy built by rule.
fn build(name: &'static str, options: &str) -> Case {
    case(name, format!("hierarchy build people.csv {options} -o out.csv"))
}

#[test]
fn hierarchies_that_are_no_trees() {
    let cases = [
        sex("a value twice", "F;*\nM;*\nF;*\n"),
        sex("a label under two parents", "F;x;a;*\nM;x;b;*\n"),
        sex("lines of different length", "F;person;*\nM;*\n"),
        sex("a value not covered", "F;*\nX;*\n"),
        sex("an empty label", "F;;*\nM;x;*\n"),
        sex("an empty file", ""),
        sex("blank lines only", "\n\n"),
        sex("not UTF-8", b"F;*\nM\xFF;*\n".as_slice()),
        case("a folder", "anonymize people.csv -k 2 --quasi sex --hierarchy sex=sex.csv")
            .file("sex.csv/a", ""),
        toml("TOML that is none", "groups = [\n"),
        toml("TOML with an unknown rule", "intervalls = [5]\n"),
        toml(
            "TOML with a value in two groups",
            "groups = [{ name = \"a\", values = [\"F\"] }, { name = \"b\", values = [\"F\", \"M\"] }]\n",
        ),
        toml("TOML that lacks a value", "groups = [{ name = \"a\", values = [\"F\"] }]\n"),
        toml("TOML with intervals of text", "intervals = [5, 10]\n"),
        build("intervals that do not nest", "--column age --intervals 5,12"),
        build("an interval of no width", "--column age --intervals 0"),
        build("a negative interval", "--column age --intervals=-5"),
        build("an endless interval", "--column age --intervals inf"),
        build("a start that is no number", "--column age --intervals 5 --start nan"),
        build("intervals of text, built", "--column sex --intervals 5"),
        build("dates that are none", "--column zip --date month"),
        build("an unknown period", "--column born --date fortnight"),
        build("periods that do not grow", "--column born --date year,month"),
        build("a prefix that is no number", "--column zip --prefix four"),
        build("a prefix of no characters", "--column zip --prefix 3,0"),
        build("prefixes that grow", "--column zip --prefix 2,3"),
        build("no rule", "--column zip"),
        build("two rules", "--column zip --prefix 3 --date year"),
        build("a column that is not there", "--column agee --intervals 5"),
        build("a rule file that is not there", "--column zip --rule rule.toml"),
        build("a column without values", "--column sex --prefix 1 --missing F,M"),
        case(
            "a folder that is not there",
            "hierarchy build people.csv --column age --intervals 5 -o new/out.csv",
        ),
        case(
            "over the input",
            "hierarchy build people.csv --column age --intervals 5 -o people.csv",
        ),
        case("nothing to check", "hierarchy check none.csv"),
        case("a check without a column", "hierarchy check sex.csv --data people.csv")
            .file("sex.csv", "F;*\nM;*\n"),
        case("an empty file to check", "hierarchy check sex.csv").file("sex.csv", ""),
    ];
    insta::assert_snapshot!(page(&cases));
}
