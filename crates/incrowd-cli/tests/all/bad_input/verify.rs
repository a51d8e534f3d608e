//! Releases that cannot be judged. (Releases that are judged and found wanting end with 1.)

use super::{case, page};

#[test]
fn releases_that_cannot_be_judged() {
    let cases = [
        case("no release", "verify out.csv -k 2 --quasi age"),
        case("a quasi-identifier that is not there", "verify people.csv -k 2 --quasi age,zpi"),
        case("a quasi-identifier twice", "verify people.csv -k 2 --quasi age,age"),
        case(
            "a sensitive column that is not there",
            "verify people.csv -k 2 --quasi age --sensitive diseases",
        ),
        case(
            "a column in two roles",
            "verify people.csv -k 2 --quasi age --sensitive age --l-diversity 2",
        ),
        case("k of 0", "verify people.csv -k 0 --quasi age"),
        case(
            "a model without a sensitive column",
            "verify people.csv -k 2 --quasi age --l-diversity 2",
        ),
        case(
            "closeness above 1",
            "verify people.csv -k 2 --quasi age --sensitive disease --t-closeness 3",
        ),
        case("no original", "verify people.csv -k 2 --quasi age --original none.csv"),
        case(
            "an original that lacks a column",
            "verify people.csv -k 2 --quasi age,sex --original other.csv",
        )
        .file("other.csv", "age,zip\n23,47677\n"),
        case(
            "an original's delimiter without an original",
            "verify people.csv -k 2 --quasi age --original-delimiter ;",
        ),
        case(
            "an unchecked column that is not there",
            "verify people.csv -k 2 --quasi age --unchecked agee --original people.csv",
        ),
        case(
            "a hierarchy of a column that is not there",
            "verify people.csv -k 2 --quasi age --hierarchy agee=sex.csv",
        )
        .file("sex.csv", "F;*\nM;*\n"),
        case(
            "a hierarchy that is no tree",
            "verify people.csv -k 2 --quasi sex --hierarchy sex=sex.csv",
        )
        .file("sex.csv", "F;*\nF;*\n"),
        case(
            "a hierarchy that is not there",
            "verify people.csv -k 2 --quasi sex --hierarchy sex=sex.csv",
        ),
        case(
            "a rule without an original",
            "verify people.csv -k 2 --quasi zip --hierarchy zip=zip.toml",
        )
        .file("zip.toml", "prefix = [3]\n"),
        case("an empty release", "verify empty.csv -k 2 --quasi age").file("empty.csv", ""),
        case("a release with too few fields", "verify bad.csv -k 2 --quasi age")
            .file("bad.csv", "age,sex\n23,F\n24\n"),
        case(
            "a release and an original on standard input",
            "verify - -k 2 --quasi age --original -",
        ),
    ];
    insta::assert_snapshot!(page(&cases));
}
