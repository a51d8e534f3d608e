//! What the columns of a release give away that are not generalized, and whether figures are those of the rows that are
//! written: through the real binary. Beside each refusal stands a harmless table that is released.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use incrowd_testing::{SeededRng, adult_file};

use crate::common::{Ended, Folder};

/// 195 patients with three visits each: a number, a second number of theirs, a ward that many share.
fn visits() -> Folder {
    let folder = Folder::new();
    let mut dice = SeededRng::new(7);
    let mut text = "patient,card,age,sex,zip,ward,ill\n".to_owned();
    for patient in 0..195 {
        let (age, sex, zip) =
            (20 + dice.below(60), ["f", "m"][dice.below(2)], 53_700 + dice.below(9));
        for visit in 0..3 {
            // Some move.
            let zip = if visit == 2 && patient % 10 == 0 { 53_700 + dice.below(9) } else { zip };
            let (ward, ill) = (dice.below(4), ["flu", "cold", "gout"][dice.below(3)]);
            writeln!(
                text,
                "P{patient:04},{},{age},{sex},{zip},w{ward},{ill}",
                900_000 + patient * 7
            )
            .unwrap();
        }
    }
    folder.write("visits.csv", text.as_bytes());
    folder
}

const VISITS: &str = "anonymize visits.csv -k 5 --quasi age,sex,zip --sensitive ill --plain ward --method mondrian --seed 1 -o out.csv";

/// The line that a refusal proposes, without the name of the program.
fn pasted(ended: &Ended) -> String {
    let line = ended.stderr.lines().find(|line| line.starts_with("incrowd ")).unwrap();
    line.strip_prefix("incrowd ").unwrap().to_owned()
}

fn refused(folder: &Folder, command: &str, what: &str) -> Ended {
    let ended = folder.run(command);
    assert_eq!(ended.code, Some(2), "{command}: {ended:?}");
    assert!(ended.stderr.contains(what), "{command}: {what}: {}", ended.stderr);
    assert!(!folder.path("out.csv").exists(), "{command}");
    ended
}

fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The visits without one of their columns.
fn visits_without(column: &str) -> Folder {
    let folder = visits();
    let text = folder.read("visits.csv");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let at = lines.next().unwrap().iter().position(|name| *name == column).unwrap();
    let lines = text.lines().map(|line| {
        let mut fields: Vec<&str> = line.split(',').collect();
        fields.remove(at);
        fields.join(",")
    });
    folder.write("visits.csv", lines.collect::<Vec<_>>().join("\n").as_bytes());
    folder
}

/// However a person's number is released, rows of one person are not taken for people.
#[test]
fn repeated_subjects_are_found_in_released_and_treated_columns() {
    for (left, more) in [
        ("card", "--plain patient --accept patient"),
        ("card", "--treat patient=pseudonym"),
        ("card", "--treat patient=last:4"),
        ("card", "--sensitive patient --accept patient"),
        ("patient", "--plain card --accept card"),
        ("patient", "--treat card=random"),
    ] {
        let folder = visits_without(left);
        let ended = refused(&folder, &format!("{VISITS} {more}"), "rows are not people");
        // What is pasted protects people: every class has five of them.
        let json = folder.run(&format!("{} --json", pasted(&ended))).done().json();
        assert_eq!(json["outcome"], "feasible", "{more}");
        assert!(json["verdict"]["k"].as_u64().unwrap() >= 5 && json["unit"] != "row", "{more}");
    }
    // With both numbers, the pasted line leaves out the one that would link rows.
    let folder = visits();
    let ended = refused(
        &folder,
        &format!("{VISITS} --plain patient --accept patient --identifying card"),
        "`card`",
    );
    folder.run(&pasted(&ended)).done();
    assert_eq!(folder.read("out.csv").lines().next(), Some("age,sex,zip,ward,ill"));
    // Every row is somebody of their own, on purpose; and where everybody has one row, nobody has to say so.
    let said = format!("{VISITS} --plain patient --identifying card --unit row");
    std::fs::remove_file(folder.path("out.csv")).unwrap();
    refused(&folder, &said, "patient");
    folder.run(&format!("{said} --accept patient")).done();
    let people = people();
    let asked = format!("{PEOPLE} --treat number=pseudonym --sensitive ill");
    people.run(&asked).done();
}

/// A released column that tells the subject links rows, whatever it is called.
#[test]
fn a_second_number_demands_that_rows_are_linked() {
    let folder = visits();
    let asked = format!("{VISITS} --unit patient --identifying patient");
    for card in
        ["--plain card", "--treat card=pseudonym", "--treat card=last:5", "--sensitive card"]
    {
        refused(&folder, &format!("{asked} {card}"), "`card`");
    }
    refused(
        &folder,
        &format!("{VISITS} --unit patient --plain patient --identifying card"),
        "links its rows",
    );
    // Without what links rows, or with collections that k patients share, there is a release.
    folder.run(&format!("{asked} --identifying card")).done();
    let coarse = asked.replace("--quasi age,sex,zip", "--quasi age,sex --bins age=20");
    std::fs::remove_file(folder.path("out.csv")).unwrap();
    let json =
        folder.run(&format!("{coarse} --treat card=pseudonym --linked --json")).done().json();
    let mut collections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows(&folder.read("out.csv")) {
        let look = format!("{} {}", row["age"], row["sex"]);
        collections.entry(row["card"].clone()).or_default().push(look);
    }
    let mut shared: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for mut looks in collections.into_values() {
        looks.sort();
        *shared.entry(looks).or_default() += 1;
    }
    let smallest = *shared.values().min().unwrap();
    assert!(smallest >= 5);
    // k and risks are those of collections.
    assert_eq!(json["verdict"]["k"].as_u64(), Some(smallest));
    let highest = json["verdict"]["risk"]["highest"].as_f64().unwrap();
    assert!((highest - 1.0 / smallest as f64).abs() < 1e-9);
    let units: u64 = shared.values().sum();
    let average = json["verdict"]["risk"]["average"].as_f64().unwrap();
    assert!((average - shared.len() as f64 / units as f64).abs() < 1e-9);
}

/// 1,000 people; `area` copies the ZIP code in other words, `ward` has nothing to do with it.
fn people() -> Folder {
    let folder = Folder::new();
    let mut dice = SeededRng::new(3);
    let mut text = "name,age,sex,zip,area,town,ward,number,ill\n".to_owned();
    for person in 0..1_000 {
        let zip = dice.below(40);
        let (age, sex, ward) = (20 + dice.below(60), ["f", "m"][dice.below(2)], dice.below(5));
        let ill = ["flu", "cold", "gout"][dice.below(3)];
        let town = ["Alder", "Birch", "Cedar", "Dogwood"][zip / 10];
        let number = 1_000_000 + person * 37 + dice.below(30);
        writeln!(
            text,
            "Person {}{person},{age},{sex},{},area {},{town},w{ward},{number},{ill}",
            ["A", "B"][person % 2],
            53_700 + zip,
            (zip * 7 + 3) % 40
        )
        .unwrap();
    }
    folder.write("people.csv", text.as_bytes());
    folder
}

const PEOPLE: &str = "anonymize people.csv -k 5 --quasi age,sex,zip --method mondrian --seed 1 -o out.csv --other drop";

/// Equal values have equal pseudonyms: a copy of a quasi-identifier tells as much under a pseudonym.
#[test]
fn a_pseudonym_of_a_copy_tells_what_the_copy_tells() {
    let folder = people();
    let unnamed = PEOPLE.replace("--other drop", "--other plain --identifying name,number,town");
    let treated = ["pseudonym", "random", "last:2"].map(|it| format!("{PEOPLE} --treat area={it}"));
    for asked in treated.into_iter().chain([unnamed]) {
        // Whoever reads the copy knows the ZIP code: five people share it in every class, or it is refused.
        let ended = folder.run(&asked);
        if ended.code == Some(2) {
            assert!(ended.stderr.contains("area"), "{}", ended.stderr);
            folder.run(&pasted(&ended)).done();
            assert!(!folder.read("out.csv").lines().next().unwrap().contains("area"));
        } else {
            let released = rows(&folder.read("out.csv"));
            let mut classes: BTreeMap<Vec<&String>, u32> = BTreeMap::new();
            for row in &released {
                let key = ["age", "sex", "zip", "area"].map(|name| &row[name]);
                *classes.entry(key.to_vec()).or_default() += 1;
            }
            assert!(classes.values().all(|&rows| rows >= 5), "{asked}");
        }
        std::fs::remove_file(folder.path("out.csv")).unwrap();
    }
    // A pseudonym of what has nothing to do with quasi-identifiers is released.
    folder.run(&format!("{PEOPLE} --treat ward=pseudonym")).done();
    assert!(folder.read("out.csv").starts_with("age,sex,zip,ward"));
}

/// Only what follows may follow, and only values that k people have are listed.
#[test]
fn what_follows_nothing_is_not_released() {
    let folder = people();
    for column in ["name", "number", "ill"] {
        let asked = format!("{PEOPLE} --follows {column}=zip");
        refused(&folder, &asked, &format!("`{column}` does not follow `zip`"));
    }
    // A town follows; one that two people live in is not listed.
    let text = folder.read("people.csv").replacen("Alder", "Elm", 2);
    folder.write("people.csv", text.as_bytes());
    folder.run(&format!("{PEOPLE} --follows town=zip")).done();
    let towns: BTreeSet<String> =
        rows(&folder.read("out.csv")).into_iter().map(|row| row["town"].clone()).collect();
    assert!(towns.iter().any(|town| town.contains("Birch")), "{towns:?}");
    assert!(!towns.iter().any(|town| town.contains("Elm")), "{towns:?}");
}

/// No model protects what names people or numbers rows.
#[test]
fn identifiers_are_not_sensitive() {
    let folder = people();
    for role in ["--sensitive", "--class"] {
        for column in ["name", "number"] {
            let ended = refused(&folder, &format!("{PEOPLE} {role} {column}"), "is not protected");
            let line = pasted(&ended);
            assert!(line.contains(&format!("--identifying {column}")), "{line}");
            folder.run(&line).done();
            std::fs::remove_file(folder.path("out.csv")).unwrap();
        }
    }
    folder.run(&format!("{PEOPLE} --sensitive ill --class ward")).done();
}

/// Makes the number of a row.
type Number = fn(usize, &mut SeededRng) -> String;

/// Numbers of persons and rows, with gaps and of any length: no refusal proposes to release them.
#[test]
fn no_released_role_is_proposed_for_an_identifier() {
    let folder = Folder::new();
    let mut dice = SeededRng::new(11);
    let numbers: [(&str, Number); 4] = [
        ("long gaps", |row, dice| (100_000 + row * 900 + dice.below(800)).to_string()),
        ("short gaps", |row, dice| (row * 4 + dice.below(4)).to_string()),
        ("any length", |row, dice| (row * row + dice.below(3)).to_string()),
        ("letters", |row, _| format!("K{}-{}", row * 31 % 997, row % 7)),
    ];
    for (name, number) in numbers {
        let mut text = "age,sex,zip,x,score\n".to_owned();
        for row in 0..800 {
            let (age, sex, zip) =
                (20 + dice.below(60), ["f", "m"][dice.below(2)], 53_700 + dice.below(9));
            let x = number(row, &mut dice);
            writeln!(text, "{age},{sex},{zip},{x},{}", dice.below(100)).unwrap();
        }
        folder.write("t.csv", text.as_bytes());
        let asked = "anonymize t.csv -k 5 --quasi age,sex,zip --method mondrian -o out.csv";
        let ended = refused(&folder, asked, "x: ");
        for role in ["--sensitive x", "--quasi x", "--class x"] {
            assert!(!ended.stderr.contains(role), "{name}: {}", ended.stderr);
        }
        assert!(pasted(&ended).contains("--identifying x"), "{name}: {}", ended.stderr);
        folder.run(&pasted(&ended)).done();
        // The score beside it is nobody's number.
        assert!(folder.read("out.csv").starts_with("age,sex,zip,score"), "{name}");
        std::fs::remove_file(folder.path("out.csv")).unwrap();
    }
}

/// Figures are those of the rows that are written: `evaluate` says the same of the file.
#[test]
fn figures_of_narrowed_and_linked_runs_are_those_of_the_file() {
    let folder = visits();
    let narrowed = "anonymize visits.csv -k 5 --quasi age,sex,zip --other drop --plain ward --narrowing ward \
        --unit row --method mondrian --seed 1 -o out.csv --json --max-suppressed all";
    let linked = "anonymize visits.csv -k 5 --quasi age,sex,zip --bins age=20 --other drop --unit patient \
        --treat patient=pseudonym --linked --method mondrian --seed 1 -o out.csv --json";
    for (asked, bins) in [(narrowed, ""), (linked, "--bins age=20")] {
        let json = folder.run(asked).done().json();
        let released = rows(&folder.read("out.csv"));
        assert_eq!(json["released"].as_u64(), Some(released.len() as u64));
        let gone = 585 - released.len() as u64;
        assert_eq!(json["suppressed"].as_u64(), Some(gone), "{json}");
        // Links are seen when all rows are there; what narrows classes is part of the search.
        assert!(gone > 0 || bins.is_empty(), "{json}");
        let evaluated = folder.run(&format!(
            "evaluate metrics out.csv --original visits.csv --quasi age,sex,zip -k 5 --json {bins}"
        ));
        let evaluated = evaluated.done().json();
        let told = json["metrics"]["gcp"].as_f64().unwrap();
        let true_gcp = evaluated["metrics"]["gcp"].as_f64().or(evaluated["gcp"].as_f64()).unwrap();
        assert!((told - true_gcp).abs() < 1e-6, "{told} {true_gcp}");
        let classes: BTreeSet<Vec<&String>> = released
            .iter()
            .map(|row| ["age", "sex", "zip"].map(|name| &row[name]).to_vec())
            .collect();
        assert_eq!(json["classes"].as_u64(), Some(classes.len() as u64));
        // Nothing is proven of what was left out afterwards.
        assert!(json["outcome"] != "optimal");
    }
}

/// A shift of shares is no disclosure: income classes beside race, at levels of hierarchies.
#[test]
fn base_rates_do_not_refuse_adult() {
    let text = adult_file("adult.csv");
    let folder = Folder::new();
    folder.write("adult.csv", text.as_bytes());
    let mut asked = "anonymize adult.csv -k 100 --kind levels --seed 1 -o out.csv --class salary-class --other drop \
        --unit row --max-suppressed 5%"
        .to_owned();
    let quasi = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
    ];
    for name in quasi {
        let levels = adult_file(&format!("adult_hierarchy_{name}.csv"));
        folder.write(&format!("{name}.csv"), levels.as_bytes());
        write!(asked, " --hierarchy {name}={name}.csv").unwrap();
    }
    write!(asked, " --quasi {}", quasi.join(",")).unwrap();
    let ended = folder.run(&asked).done();
    assert!(!ended.stderr.contains("reveals"), "{}", ended.stderr);
}

/// Row names of R and pandas have no name: the column is called `row`, and left out.
#[test]
fn a_first_column_without_a_name_holds_row_names() {
    let folder = people();
    let text = folder.read("people.csv");
    let numbered: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { format!(",{line}") } else { format!("{at},{line}") })
        .collect();
    folder.write("people.csv", numbered.join("\n").as_bytes());
    let asked = "anonymize people.csv -k 5 --quasi age,sex,zip,area,town --identifying name,number --method mondrian \
        --seed 1 -o out.csv";
    folder.run(asked).done();
    assert!(folder.read("out.csv").starts_with("age,sex,zip,area,town,ward,ill\n"));
    let inspected = folder.run("inspect people.csv --json").done().json();
    assert_eq!(inspected["columns"][0]["name"], "row");
    assert_eq!(inspected["columns"][0]["role"], "identifying");
    // Other columns must have names.
    std::fs::remove_file(folder.path("out.csv")).unwrap();
    folder.write("people.csv", text.replacen(",sex,", ",,", 1).as_bytes());
    refused(&folder, asked, "column 3 has no name");
}

/// `run` takes what it proposes.
#[test]
fn a_spec_takes_the_unit_that_is_proposed() {
    let folder = visits();
    let spec = "[data]\ninput = \"visits.csv\"\nother = \"drop\"\n[columns]\npatient = { role = \"identifying\" }\n\
        age = { role = \"quasi\" }\nsex = { role = \"quasi\" }\nzip = { role = \"quasi\" }\n[privacy]\nk = 5\n\
        [algorithm]\nmethod = \"mondrian\"\n[release]\noutput = \"out.csv\"\n";
    folder.write("visits.toml", spec.as_bytes());
    let ended = refused(&folder, "run visits.toml --no-report", "rows are not people");
    let line = pasted(&ended);
    assert!(line.ends_with("--unit patient"), "{line}");
    folder.run(&line).done();
}

/// Course ratings: professors have several, a score of theirs is no name for them, and sexes and credits are nobody.
#[test]
fn a_unit_is_proposed_only_if_it_numbers_people() {
    let folder = Folder::new();
    let mut dice = SeededRng::new(5);
    let mut text = "prof,age,sex,beauty,credits,rating\n".to_owned();
    for prof in 1..=90 {
        let (age, sex) = (30 + dice.below(35), ["f", "m"][dice.below(2)]);
        let beauty = format!("{}.{:06}", dice.below(3), dice.below(1_000_000));
        for _ in 0..5 {
            let credits = ["single", "more"][usize::from(dice.below(8) > 0)];
            writeln!(text, "{prof},{age},{sex},{beauty},{credits},{}", 2 + dice.below(3)).unwrap();
        }
    }
    folder.write("ratings.csv", text.as_bytes());
    let asked = "anonymize ratings.csv -k 5 --quasi age,sex,credits --sensitive rating --method mondrian -o out.csv";
    for more in [
        "--plain prof,beauty",
        "--plain beauty --other drop --identifying prof",
        "--identifying prof,beauty",
    ] {
        let ended = refused(&folder, &format!("{asked} {more}"), "rows are not people");
        assert!(pasted(&ended).ends_with("--unit prof"), "{more}: {}", ended.stderr);
    }
    // A score that tells people apart shows that rows are not people, and is not proposed as a unit.
    let bare: Vec<&str> = text.lines().map(|line| line.split_once(',').unwrap().1).collect();
    folder.write("ratings.csv", bare.join("\n").as_bytes());
    let ended = refused(&folder, &format!("{asked} --plain beauty"), "rows are not people");
    assert!(
        !ended.stderr.contains("--unit beauty") && ended.stderr.contains("--unit row"),
        "{}",
        ended.stderr
    );
    // Names that are different in every row say that rows are people, whatever they share.
    let named: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0 => format!("name,{line}"),
            at => {
                let letter = |at: usize| char::from(b'a' + (at % 26) as u8);
                let word: String = [at / 676, at / 26, at].into_iter().map(letter).collect();
                format!("{word}ia,{line}")
            }
        })
        .collect();
    folder.write("ratings.csv", named.join("\n").as_bytes());
    folder
        .run(&format!("{asked} --identifying name --plain prof --accept prof --other drop"))
        .done();
}

/// A release that changes between writing and reading back does not get its name.
#[test]
fn a_file_that_changes_before_it_is_read_back_is_not_released() {
    let folder = people();
    for output in ["out.csv", "out.csv.gz", "out.parquet", "out.xlsx"] {
        let asked = format!("{PEOPLE} --treat number=drop --sensitive ill --json")
            .replace("out.csv", output);
        let mut command = folder.command(asked.split_whitespace());
        let ended = command.env("INCROWD_TEST_TAMPER", "1").output().unwrap();
        assert_eq!(ended.status.code(), Some(2), "{output}");
        let told = String::from_utf8(ended.stdout).unwrap();
        assert!(told.contains("\"check\": \"read-back\"") || output != "out.csv", "{told}");
        assert!(!folder.path(output).exists(), "{output}");
        folder.run(&asked).done();
        assert!(folder.path(output).exists(), "{output}");
    }
}
