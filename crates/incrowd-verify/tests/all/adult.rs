//! The Adult data, generalized level by level with its hierarchies, where the data is at hand.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;

use incrowd_testing::adult_file;
use incrowd_verify::{
    CsvOptions, LabelHierarchy, Requirements, Verdict, ViolationKind, verify_csv_against,
};

const LEVELS: [(&str, usize); 8] = [
    ("sex", 0),
    ("age", 2),
    ("race", 1),
    ("marital-status", 1),
    ("education", 2),
    ("native-country", 1),
    ("workclass", 1),
    ("occupation", 1),
];

fn against(release: &str, original: &str, requirements: &Requirements) -> Verdict {
    let options = CsvOptions { delimiter: b';', ..CsvOptions::default() };
    let original = original.as_bytes();
    verify_csv_against(release.as_bytes(), &options, original, &options, requirements).unwrap()
}

#[test]
fn a_full_domain_release_of_adult() {
    let original = adult_file("adult.csv");
    let original = original.replace("\r\n", "\n");
    let k = 5;
    let mut requirements = Requirements::new(k, LEVELS.map(|(column, _)| column));
    for (column, _) in LEVELS {
        let file = adult_file(&format!("adult_hierarchy_{column}.csv"));
        let ladder = LabelHierarchy::read_csv(file.as_bytes(), b';').unwrap();
        requirements.ladders.insert(column.to_owned(), ladder);
    }

    let mut lines = original.lines();
    let header = lines.next().unwrap();
    let maps: Vec<BTreeMap<&str, &str>> = LEVELS
        .iter()
        .map(|(column, level)| {
            let rows = requirements.ladders[*column].rows().iter();
            rows.map(|row| (row[0].as_str(), row[*level].as_str())).collect()
        })
        .collect();
    let mut classes: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split(';').collect();
        let key = fields.iter().zip(&maps).map(|(field, map)| map[field]).collect();
        classes.entry(key).or_default().push(fields[8]);
    }
    let mut rows = vec![header.to_owned()];
    let mut suppressed = 0;
    for (key, salaries) in &classes {
        if salaries.len() as u64 >= k {
            rows.extend(salaries.iter().map(|salary| format!("{};{salary}", key.join(";"))));
        } else {
            suppressed += salaries.len() as u64;
        }
    }
    let verdict = against(&rows.join("\n"), &original, &requirements);
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.k, Some(k));
    assert_eq!(verdict.original.as_ref().unwrap().suppressed, suppressed);
    assert!(verdict.rows > 20_000, "{verdict}");

    let last = rows.len() - 1;
    rows[last] = rows[1].replace(";<=50K", ";>50K");
    assert_ne!(rows[last], rows[1]);
    let verdict = against(&rows.join("\n"), &original, &requirements);
    let refused = verdict.violations.iter().find(|v| v.kind != ViolationKind::SmallClass).unwrap();
    assert_eq!((refused.rows, refused.examples.len()), (1, 1), "{verdict}");
    requirements.ladders.remove("age");
    let verdict = against(&rows.join("\n"), &original, &requirements);
    assert!(verdict.to_string().contains("give that hierarchy"), "{verdict}");
}
