//! Spec files that do not go together with themselves or with the data.

use super::{Case, case, page};

/// A spec with these lines in place of some of the usual ones.
fn spec(name: &'static str, lines: &[(&str, &str)]) -> Case {
    let mut text = "\
[data]
input = \"people.csv\"

[columns.age]
role = \"quasi\"

[columns.zip]
role = \"quasi\"

[columns.disease]
role = \"sensitive\"

[privacy]
k = 2

[algorithm]
method = \"mondrian\"

[release]
output = \"out.csv\"
recoding = \"out.json\"
"
    .to_owned();
    for (old, new) in lines {
        assert_eq!(text.matches(old).count(), 1, "{name}: {old}");
        text = text.replace(old, new);
    }
    case(name, "run spec.toml").file("spec.toml", text)
}

#[test]
fn specs_that_do_not_hold() {
    let age = "[columns.age]\nrole = \"quasi\"";
    let zip = "[columns.zip]\nrole = \"quasi\"";
    let disease = "role = \"sensitive\"";
    let method = "method = \"mondrian\"";
    let cases = [
        case("no such spec", "run spec.toml"),
        case("a spec that is a folder", "run spec.toml").file("spec.toml/a", ""),
        case("a spec that is not UTF-8", "run spec.toml")
            .file("spec.toml", b"[data]\ninput = \"\xFF\"".as_slice()),
        case("a table for a spec", "run people.csv"),
        spec("TOML syntax", &[("k = 2", "k 2")]),
        spec("an unknown key", &[("k = 2", "k = 2\nmax-supressed = 3")]),
        spec("an unknown section", &[("[release]", "[relaese]")]),
        spec("a wrong type", &[("k = 2", "k = \"2\"")]),
        spec("a missing section", &[("[privacy]\nk = 2\n", "")]),
        spec("k of 0", &[("k = 2", "k = 0")]),
        spec("k above the number of rows", &[("k = 2", "k = 9")]),
        spec("an input that is not there", &[("people.csv", "poeple.csv")]),
        spec("a column that is not there", &[("columns.zip", "columns.zpi")]),
        spec("a column that is not there, far from any", &[("columns.zip", "columns.occupation")]),
        spec("an unknown role", &[(disease, "role = \"sensible\"")]),
        spec("no quasi-identifier", &[(age, ""), (zip, "")]),
        spec("no columns", &[(age, ""), (zip, ""), (disease, ""), ("[columns.disease]", "")]),
        spec(
            "a column without a role",
            &[("input = \"people.csv\"", "input = \"people.csv\"\nother = \"error\"")],
        ),
        spec(
            "two class columns",
            &[(disease, "role = \"class\"\n[columns.sex]\nrole = \"class\"")],
        ),
        spec("cm without a class", &[("[algorithm]", "[goal]\nmetric = \"cm\"\n[algorithm]")]),
        spec("an unknown metric", &[("[algorithm]", "[goal]\nmetric = \"npc\"\n[algorithm]")]),
        spec(
            "a bad percentage",
            &[("[algorithm]", "[goal]\nmax-suppressed = \"2 percent\"\n[algorithm]")],
        ),
        spec("more than all", &[("[algorithm]", "[goal]\nmax-suppressed = \"200%\"\n[algorithm]")]),
        spec("an unknown method", &[(method, "method = \"mondrain\"")]),
        spec(
            "an unknown option of the method",
            &[(method, "method = \"mondrian\"\nmod = \"strict\"")],
        ),
        spec("a bad option of the method", &[(method, "method = \"mondrian\"\nmode = \"lax\"")]),
        spec("cuts that the method cannot heed", &[(age, &format!("{age}\ncut-at = [18, 65]"))]),
        spec("a cut that is a table", &[(age, &format!("{age}\nnever-cut-at = [{{}}]"))]),
        spec("a gap that is too large", &[(method, "method = \"optimal\"\ngap = 1.5")]),
        spec("bins that are not whole", &[(method, "method = \"optimal\"\nbins = 2.5")]),
        spec("a bad time", &[(method, "method = \"mondrian\"\ntime-limit = \"60\"")]),
        spec("a hierarchy that is not there", &[(zip, &format!("{zip}\nhierarchy = \"zip.csv\""))]),
        spec(
            "intervals of text",
            &[(zip, "[columns.sex]\nrole = \"quasi\"\nhierarchy = { intervals = [5] }")],
        ),
        spec(
            "intervals that do not nest",
            &[(age, &format!("{age}\nhierarchy = {{ intervals = [5, 12] }}"))],
        ),
        spec(
            "dates that are none",
            &[(zip, &format!("{zip}\nhierarchy = {{ date = [\"month\"] }}"))],
        ),
        spec(
            "groups that lack a value",
            &[(
                zip,
                "[columns.sex]\nrole = \"quasi\"\nhierarchy = { groups = [{ name = \"all\", values = [\"F\"] }] }",
            )],
        ),
        spec(
            "a tree that lacks a value",
            &[(zip, "[columns.sex]\nrole = \"quasi\"\nhierarchy = { tree = { all = [\"F\"] } }")],
        ),
        spec("bins for text", &[(zip, "[columns.sex]\nrole = \"quasi\"\nbins = { width = 5 }")]),
        spec(
            "numbers that are none",
            &[(zip, "[columns.sex]\nrole = \"quasi\"\ntype = \"number\"")],
        ),
        spec("a mean of text", &[(zip, "[columns.sex]\nrole = \"quasi\"\nsummary = \"mean\"")]),
        spec(
            "an order that lacks a value",
            &[(zip, "[columns.sex]\nrole = \"quasi\"\norder = [\"F\"]")],
        ),
        spec("an order for numbers", &[(age, &format!("{age}\norder = [\"23\", \"27\"]"))]),
        spec(
            "a model of a plain column",
            &[("k = 2", "k = 2\nl-diversity = { column = \"zip\", l = 2 }")],
        ),
        spec("an output folder that is not there", &[("\"out.csv\"", "\"new/out.csv\"")]),
        spec("a recoding's folder that is not there", &[("\"out.json\"", "\"new/out.json\"")]),
        spec("an output that is a folder", &[("\"out.csv\"", "\"out\"")]).file("out/file", ""),
        spec("the input as output", &[("\"out.csv\"", "\"people.csv\"")]),
        spec("the input as output, by another name", &[("\"out.csv\"", "\"./people.csv\"")]),
        spec("the release as recoding, by another name", &[("\"out.json\"", "\"./out.csv\"")]),
        spec("the spec as output", &[("\"out.csv\"", "\"spec.toml\"")]),
        spec("a great many threads", &[(method, "method = \"mondrian\"\nthreads = 100000")]),
        case("the input as output, by option", "run good.toml -o people.csv").file(
            "good.toml",
            "[data]\ninput = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[privacy]\nk = 2\n",
        ),
        spec("an output of an unknown kind", &[("\"out.csv\"", "\"out.xls\"")]),
        spec("a compressed release with an unknown ending", &[("\"out.csv\"", "\"out.csv.bz2\"")]),
        spec(
            "two released columns of one name",
            &[
                (age, &format!("{age}\nsummary = \"columns\"")),
                ("input = \"people.csv\"", "input = \"named.csv\""),
            ],
        )
        .file("named.csv", "age,zip,disease,age_min\n23,47677,flu,x\n24,47677,flu,x\n"),
    ];
    insta::assert_snapshot!(page(&cases));
}
