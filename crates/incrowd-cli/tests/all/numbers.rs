//! Numbers as people have them, and what is done to columns as they are read, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use common::Folder;

/// The values of a column of a table with this delimiter, sorted.
fn column(text: &str, name: &str, delimiter: char) -> Vec<String> {
    let mut lines = text.lines();
    let place = lines.next().unwrap().split(delimiter).position(|field| field == name).unwrap();
    let field = |line: &str| line.split(delimiter).nth(place).unwrap().to_owned();
    let mut values: Vec<String> = lines.map(field).collect();
    values.sort();
    values
}

fn people() -> Folder {
    let folder = Folder::new();
    let mut rows = String::from("age;weight;income;zip;note\n");
    for at in 0..60_u32 {
        let (age, grams, income) = (at * 7 % 100, 33_900 + at * 100, 900 + at * 137 % 4000);
        rows += &format!(
            "{age};{},{};{}.{:03},50;98{:03};n{at}\n",
            grams / 1000,
            grams % 1000 / 100,
            1 + income / 1000,
            income % 1000,
            at % 30,
        );
    }
    folder.write("german.csv", rows.as_bytes());
    folder
}

#[test]
fn decimal_commas_are_numbers_and_labels_keep_them() {
    let folder = people();
    let told = folder.run("inspect german.csv").done().stdout;
    assert!(told.contains("decimal comma"), "{told}");
    let line = "anonymize german.csv -k 5 --quasi age,weight --sensitive income --t-closeness ordered:0.9 \
                --keep-prefix zip=3 --plain note --accept note -m mondrian -o out.csv --recoding saved.json";
    folder.run(line).done();
    let weights = column(&folder.read("out.csv"), "weight", ';');
    assert!(
        weights.iter().all(|label| label.starts_with('[') && label.contains(',')),
        "{weights:?}"
    );
    folder
        .run("verify out.csv -k 5 --quasi age,weight --original german.csv --keep-prefix zip=3")
        .done();
    folder.run("apply saved.json german.csv -o again.csv").done();
    assert_eq!(column(&folder.read("again.csv"), "zip", ';')[0], "980");
}

#[test]
fn what_can_be_read_in_two_ways_is_refused() {
    let folder = Folder::new();
    let rows: String =
        (0..20).map(|at| format!("{},\"{},{:03}\"\n", 20 + at, 1 + at, 100 + at)).collect();
    folder.write("pay.csv", format!("age,pay\n{rows}").as_bytes());
    let refused = folder.run("anonymize pay.csv -k 2 --quasi age,pay -m mondrian --show-values");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("1100 with a decimal point"), "{}", refused.stderr);
    assert!(refused.stderr.contains("1.1 with a decimal comma"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--decimal"), "{}", refused.stderr);
    for (sign, label) in [(".", "-20,119]"), (",", "-20,119]")] {
        let line = format!(
            "anonymize pay.csv -k 20 --quasi age,pay -m mondrian --decimal {sign} -o out.csv"
        );
        folder.run(&line).done();
        assert!(folder.read("out.csv").contains(label), "{}", folder.read("out.csv"));
    }
}

#[test]
fn columns_of_any_role_are_treated_as_they_are_read() {
    let folder = people();
    let line = "anonymize german.csv -k 4 --quasi age --sensitive income --round income=500 --top weight=38.5 \
                --bottom weight=34.5 --breaks age=0,18,65,90 --rename age=years --keep-prefix zip=4 --plain note,zip --accept note \
                -m mondrian -o out.csv --recoding saved.json";
    // What may stay as it is is said by --plain, where the program knows it.
    let line = match folder.run("anonymize --help").stdout.contains("--plain") {
        true => line.to_owned(),
        false => line.replace(" --plain note,zip --accept note", ""),
    };
    folder.run(&line).done();
    let out = folder.read("out.csv");
    let years = column(&out, "years", ';');
    for label in ["[0-17]", "[18-64]", "[65-89]", "90+"] {
        assert!(years.contains(&label.to_owned()), "{years:?}");
    }
    let incomes = column(&out, "income", ';');
    assert!(incomes.iter().all(|pay| pay.ends_with("000") || pay.ends_with("500")), "{incomes:?}");
    let weights = column(&out, "weight", ';');
    assert!(weights.contains(&"<=34,5".to_owned()) && weights.contains(&"38,5+".to_owned()));
    assert!(weights.contains(&"36,0".to_owned()), "{weights:?}");
    let told = "--round income=500 --top weight=38.5 --bottom weight=34.5 --breaks age=0,18,65,90 \
                --rename age=years --keep-prefix zip=4";
    let check = "verify out.csv -k 4 --quasi years --original german.csv";
    folder.run(&format!("{check} {told}")).done();
    let unknowing = folder.run(&format!("{check} --rename age=years"));
    assert_eq!(unknowing.code, Some(1), "{}", unknowing.stdout);
    // Saved, written down and applied again it is the same.
    folder.run("apply saved.json german.csv -o again.csv").done();
    assert_eq!(column(&folder.read("again.csv"), "years", ';'), years);
    let spec = folder.run(&format!("{line} --show-spec")).done().stdout;
    assert!(spec.contains("breaks = [0, 18, 65, 90]"), "{spec}");
    assert!(spec.contains("rename = \"years\""), "{spec}");
    folder.write("spec.toml", spec.as_bytes());
    folder.run("run spec.toml -o third.csv --no-report").done();
    assert_eq!(column(&folder.read("third.csv"), "years", ';'), years);
}

#[test]
fn treated_numbers_are_generalized_as_numbers() {
    let folder = people();
    let line = "anonymize german.csv -k 30 --quasi age --breaks age=0,18,65,90 --other drop -m mondrian -o out.csv";
    folder.run(line).done();
    let ages = column(&folder.read("out.csv"), "age", ';');
    assert!(ages.iter().all(|age| !age.contains('{')), "{ages:?}");
    folder.run("verify out.csv -k 30 --quasi age --original german.csv").done();
    for wrong in [
        "--breaks age=5,5",
        "--round age=0",
        "--top age=x",
        "--breaks age=1 --top age=9",
        "--top note=5",
    ] {
        let refused =
            folder.run(&format!("anonymize german.csv -k 2 --quasi age,note -m mondrian {wrong}"));
        assert_eq!(refused.code, Some(2), "{wrong}");
    }
}

#[test]
fn bins_are_decimal_and_negative_ranges_read_well() {
    let folder = Folder::new();
    let rows: String =
        (0..40).map(|at| format!("{}.{},{}\n", 14 + at / 10, at % 10, at - 20)).collect();
    folder.write("lab.csv", format!("value,change\n{rows}").as_bytes());
    let line = "anonymize lab.csv -k 2 --quasi value,change --bins value=0.3 --bins change=5 -m mondrian -o out.csv";
    folder.run(line).done();
    let out = folder.read("out.csv");
    assert!(!out.contains("0000") && !out.contains("9999"), "{out}");
    assert!(out.contains(" to "), "{out}");
    folder.run("verify out.csv -k 2 --quasi value,change --original lab.csv").done();
}
