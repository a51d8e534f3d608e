//! Recodings that cannot be applied.

use super::{Case, Damage, case, page};

const SAVE: &str = "anonymize people.csv -k 2 --quasi age,zip --identifying name --sensitive disease --l-diversity 2 --recoding saved.json";

/// A recoding of this text.
fn recoding(name: &'static str, text: impl Into<Vec<u8>>) -> Case {
    case(name, "apply saved.json people.csv -o out.csv").file("saved.json", text)
}

/// A sound recoding that is then damaged.
fn damaged(name: &'static str, how: Damage) -> Case {
    case(name, "apply saved.json people.csv -o out.csv").after(SAVE).damaged("saved.json", how)
}

fn change(content: &mut Vec<u8>, old: &str, new: &str) {
    let text = str::from_utf8(content).unwrap();
    assert!(text.contains(old), "{old} in {text}");
    *content = text.replacen(old, new, 1).into_bytes();
}

/// A sound recoding on other rows.
fn rows(name: &'static str, table: &str) -> Case {
    case(name, "apply saved.json new.csv -o out.csv").after(SAVE).file("new.csv", table)
}

/// A saved recoding is one long line; where in it a fault lies changes with every new field.
fn without_columns(page: &str) -> String {
    let mut parts = page.split("line 1 column ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        format!("{text}line 1 column N{}", part.trim_start_matches(|c: char| c.is_ascii_digit()))
    })
}

#[test]
fn recodings_that_cannot_be_applied() {
    let cases = [
        case("no recoding", "apply saved.json people.csv -o out.csv"),
        case("a table for a recoding", "apply people.csv people.csv -o out.csv"),
        recoding("an empty file", ""),
        recoding("JSON of something else", "{\"name\": \"a\"}"),
        recoding("not UTF-8", b"{\"version\": \xFF}".as_slice()),
        damaged("cut off", |content| content.truncate(content.len() / 2)),
        damaged("another version", |content| change(content, "\"version\":1", "\"version\":99")),
        damaged("an unknown key", |content| {
            change(content, "\"version\":1", "\"version\":1,\"extra\":1")
        }),
        damaged("k of 0", |content| change(content, "\"k\":2", "\"k\":0")),
        damaged("a code that no value has", |content| {
            // Every number becomes a large one: cuts, codes and boxes point to nowhere.
            let text = str::from_utf8(content).unwrap();
            let at = text.find("\"recoding\"").unwrap();
            let spoilt: String =
                text[at..].chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
            *content = format!("{}{spoilt}", &text[..at]).into_bytes();
        }),
        rows("a column that is not there", "age,disease\n23,flu\n"),
        rows("the sensitive column is not there", "age,zip\n23,47677\n"),
        rows(
            "values that the recoding has not seen",
            "age,zip,disease\n23,47677,flu\n99,11111,flu\n",
        ),
        rows("an empty table", "age,zip,disease\n"),
        rows("too few fields", "age,zip,disease\n23,47677\n"),
        case("no new rows", "apply saved.json new.csv -o out.csv").after(SAVE),
        case("the input as output", "apply saved.json people.csv -o people.csv").after(SAVE),
        case("the recoding as output", "apply saved.json people.csv -o saved.json").after(SAVE),
        case("a folder that is not there", "apply saved.json people.csv -o new/out.csv")
            .after(SAVE),
        case("an unknown choice for unseen values", "apply saved.json people.csv --unseen ignore")
            .after(SAVE),
        case(
            "an unknown choice for suppressed rows",
            "apply saved.json people.csv --suppressed hide",
        )
        .after(SAVE),
        case("an unknown delimiter", "apply saved.json people.csv --delimiter xx").after(SAVE),
    ];
    insta::assert_snapshot!(without_columns(&page(&cases)));
}
