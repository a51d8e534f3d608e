//! Releases beside each other: ends of ranges, tables that grow, pages for their owner.

use crate::common::Folder;

fn table(rows: std::ops::Range<u32>) -> String {
    let rows = rows
        .map(|at| format!("{},{},{}\n", 17 + at * 7 % 60, ["f", "m"][at as usize % 2], at / 7 % 3));
    std::iter::once("age,sex,ill\n".to_owned()).chain(rows).collect()
}

const ASK: &str = "-k 4 --quasi age,sex --plain ill --seed 1";

/// The ends of every range in a column.
fn ends(release: &str, at: usize) -> Vec<(u32, u32)> {
    let label = |line: &str| {
        line.split(',').nth(at).unwrap_or_default().trim_matches(['[', ']']).to_owned()
    };
    let ends = release.lines().skip(1).filter_map(|line| {
        let label = label(line);
        let (low, high) = label.split_once('-')?;
        Some((low.parse().ok()?, high.parse().ok()?))
    });
    ends.collect()
}

#[test]
fn ends_of_ranges_are_rounded_fixed_or_tight() {
    let folder = Folder::new();
    folder.write("t.csv", table(0..90).as_bytes());
    let ask = format!("anonymize t.csv {} -m mondrian -o out.csv", ASK);
    folder.run(&ask).done();
    let tight = ends(&folder.read("out.csv"), 0);
    assert!(tight.iter().any(|(low, high)| low % 5 != 0 || high % 5 != 0), "{tight:?}");
    let json = folder
        .run(&format!("{ask} --ranges rounded --json --report page.html --recoding r.json"))
        .done()
        .json();
    let rounded = ends(&folder.read("out.csv"), 0);
    assert!(
        !rounded.is_empty() && rounded.iter().all(|(low, high)| low % 5 == 0 && high % 5 == 0),
        "{rounded:?}"
    );
    assert_eq!(
        (&json["ranges"][0]["column"], &json["ranges"][0]["step"]),
        (&"age".into(), &5.0.into())
    );
    assert_eq!(json["verdict"]["holds"], true);
    assert!(!folder.read("page.html").contains("end at values of people"));
    folder.run("verify out.csv -k 4 --quasi age,sex --original t.csv").done();
    folder.run("apply r.json t.csv -o again.csv").done();
    assert!(
        ends(&folder.read("again.csv"), 0).iter().all(|(low, high)| low % 5 == 0 && high % 5 == 0)
    );

    let json = folder.run(&format!("{ask} --json --report page.html")).done().json();
    assert!(json["ranges"][0]["step"].is_null());
    assert!(folder.read("page.html").contains("end at values of people"));

    let refused = folder.run(&format!("{ask} --ranges fixed"));
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("has neither bins, breaks nor a hierarchy")
            && refused.stderr.contains("--bins"),
        "{refused:?}"
    );
    folder.run(&format!("{ask} --ranges fixed --bins age=10@0")).done();
    assert!(
        ends(&folder.read("out.csv"), 0).iter().all(|(low, high)| low % 10 == 0 && high % 10 == 9)
    );
    assert_eq!(folder.run(&format!("{ask} --ranges loose")).code, Some(2));
}

#[test]
fn a_grown_table_lays_nobody_bare() {
    let folder = Folder::new();
    folder.write("t.csv", table(0..90).as_bytes());
    folder.write("more.csv", table(0..91).as_bytes());
    folder.write("many.csv", table(0..400).as_bytes());
    let ask = ASK;
    folder.run(&format!("anonymize t.csv {ask} -m mondrian -o first.csv --recoding r.json")).done();
    let before = folder.content();
    for line in [
        format!("anonymize more.csv {ask} -m mondrian -o second.csv --earlier first.csv --json"),
        "apply r.json more.csv -o second.csv --unseen suppress --earlier first.csv --json"
            .to_owned(),
    ] {
        let refused = folder.run(&line);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert_eq!(refused.json()["error"]["code"], "difference", "{refused:?}");
        assert_eq!(folder.content(), before, "{line}");
    }
    // Without being told of it, nobody knows.
    folder.run("apply r.json more.csv -o second.csv --unseen suppress").done();
    // The same table by the same recoding tells nothing new; neither does one with enough new rows in every class.
    folder.run("apply r.json t.csv -o second.csv --earlier first.csv").done();
    folder.run("apply r.json many.csv -o second.csv --unseen suppress --earlier first.csv").done();
    // What does not belong together is said.
    folder.write("other.csv", b"age,sex\nold,f\n");
    let wrong =
        folder.run(&format!("anonymize t.csv {ask} -m mondrian -o third.csv --earlier other.csv"));
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.stderr.contains("the earlier release other.csv"), "{wrong:?}");
    let over =
        folder.run(&format!("anonymize t.csv {ask} -m mondrian -o first.csv --earlier first.csv"));
    assert_eq!(over.code, Some(2), "{over:?}");
}

#[test]
fn the_internal_report_is_for_its_owner() {
    let folder = Folder::new();
    let lonely = format!("{}99,x,1\n98,x,2\n", table(0..90));
    folder.write("t.csv", lonely.as_bytes());
    let ask = ASK;
    let line = format!(
        "anonymize t.csv {ask} -m optimal --max-suppressed 3 --other drop -o out.csv --report page.html --internal-report own.html"
    );
    folder.run(&line).done();
    let (shared, own) = (folder.read("page.html"), folder.read("own.html"));
    assert!(own.contains("Confidential") && !shared.contains("Confidential"));
    assert!(
        own.contains("92 rows") && !shared.contains("92 rows"),
        "how many are suppressed is not for everybody"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode =
            std::fs::metadata(folder.path("own.html")).map(|it| it.permissions().mode() & 0o777);
        assert_eq!(mode.ok(), Some(0o600));
    }
    let over = folder.run(&line.replace("own.html", "t.csv"));
    assert_eq!(over.code, Some(2), "{over:?}");
}

#[test]
fn spellings_of_one_illness_are_warned_about() {
    let folder = Folder::new();
    let rows: String =
        (0..40).map(|at| format!("{},{}\n", at % 4, ["Flu", "flu", "gout"][at % 3])).collect();
    folder.write("t.csv", format!("age,ill\n{rows}").as_bytes());
    let ask = "anonymize t.csv -k 4 --quasi age --sensitive ill --l-diversity 2 -m mondrian --json";
    let json = folder.run(ask).done().json();
    let told = json["warnings"].to_string();
    assert!(told.contains("case-variants") && !told.contains("Flu"), "{told}");
    let told = folder.run(&format!("{ask} --show-values")).done().json()["warnings"].to_string();
    assert!(told.contains("Flu"), "{told}");
}

#[test]
fn risk_counts_people_where_it_is_told_them() {
    let folder = Folder::new();
    let rows: String = (0..60).map(|at| format!("p{},{}\n", at / 5, at / 15)).collect();
    folder.write("t.csv", format!("patient,age\n{rows}").as_bytes());
    let rows = folder.run("risk t.csv --quasi age --json").done().json();
    assert_eq!((&rows["smallest_class"], &rows["rows"]), (&15.into(), &60.into()));
    let people = folder.run("risk t.csv --quasi age --unit patient --json").done().json();
    assert_eq!((&people["smallest_class"], &people["rows"]), (&3.into(), &60.into()));
    assert_eq!(
        (&people["subjects"]["subjects"], &people["subjects"]["unique"]),
        (&12.into(), &0.into())
    );
    assert_eq!(folder.run("risk t.csv --quasi age --unit nobody").code, Some(2));
}
