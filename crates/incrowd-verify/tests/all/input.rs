//! Tables and requirements that cannot be judged: the message says what is wrong and where.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::common;

use common::{PATIENTS, patients, verify};
use incrowd_verify::{
    CsvOptions, Distance, LabelHierarchy, Model, Requirements, SensitiveModel, Verifier,
    verify_csv, verify_csv_against,
};

fn refused(release: &[u8], requirements: &Requirements) -> String {
    verify_csv(release, &CsvOptions::default(), requirements).unwrap_err().to_string()
}

fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn bad_tables() {
    let q = Requirements::new(1, ["q"]);
    says(&refused(b"", &q), &["the release is empty"]);
    says(&refused(b"q,a,q\n", &q), &["the release has two columns named `q`"]);
    says(&refused(b"a,b\n", &q), &["the release has no column `q`", "`a`, `b`"]);
    says(&refused(b"a,q_min\n", &q), &["no column `q`"]);
    says(&refused(b"q,a\n1,2\n3\n", &q), &["the release, line 3: 1 fields, but the header has 2"]);
    says(&refused(b"q,a\n1,2,3\n", &q), &["line 2: 3 fields"]);
    says(&refused(b"a,q\n1,2\n1,\xff\n", &q), &["line 3, column `q`", "UTF-8"]);
    says(&refused(b"q,\xff\n", &q), &["line 1, column `2`"]);
    let mut model = q.clone();
    model.models = vec![SensitiveModel::new("s", Model::DistinctL(2))];
    says(&refused(b"q\n", &model), &["no column `s`"]);
    says(&refused(b"q,a\n1,2\n\n\n3\n", &q), &["line 5: 1 fields"]);
    says(&refused(b"q,a\r\n\r\n1,2\r\n\r\n3\r\n", &q), &["line 5: 1 fields"]);
    says(&refused(b"q,a\n1,2\n3", &q), &["line 3: 1 fields"]);
    let crlf = refused(b"q,a\r\n1,2\r\n\"3\r\n\",4\r\n5\r\n", &q);
    says(&crlf, &["line 5: 1 fields, but the header has 2"]);
}

#[test]
fn bad_originals() {
    let release = "age,sex,zip,disease\n";
    let refused = |original: &[u8]| {
        let options = CsvOptions::default();
        verify_csv_against(release.as_bytes(), &options, original, &options, &patients())
            .unwrap_err()
            .to_string()
    };
    says(&refused(b""), &["the original is empty"]);
    says(&refused(b"age,sex\n"), &["the original has no column `zip`"]);
    says(&refused(b"age,age\n"), &["the original has two columns named `age`"]);
    says(&refused(b"age,sex,zip,disease\n1\n"), &["the original, line 2: 1 fields"]);
    says(&refused(b"age,sex,zip,disease\n1,\xff,2,3\n"), &["the original, line 2, column `sex`"]);
}

#[test]
fn bad_requirements() {
    let wrong = |change: &dyn Fn(&mut Requirements)| {
        let mut requirements = Requirements::new(2, ["q"]);
        change(&mut requirements);
        refused(b"q,s\n1,a\n", &requirements)
    };
    says(&wrong(&|r| r.k = 0), &["k must be at least 1"]);
    says(&wrong(&|r| r.quasi.clear()), &["no quasi-identifier"]);
    says(&wrong(&|r| r.quasi.push("q".into())), &["`q` is named twice"]);
    says(&wrong(&|r| r.identifying.push("q".into())), &["both identifying and"]);
    let with =
        |model: Model| move |r: &mut Requirements| r.models.push(SensitiveModel::new("s", model));
    says(&wrong(&with(Model::DistinctL(0))), &["column `s`", "l must be at least 1"]);
    says(&wrong(&with(Model::EntropyL(f64::NAN))), &["l must be at least 1"]);
    says(&wrong(&with(Model::RecursiveCL { c: 0.0, l: 2 })), &["c must be above 0"]);
    says(&wrong(&with(Model::AlphaK(1.5))), &["alpha must lie in 0 to 1"]);
    says(&wrong(&with(Model::BasicBeta(-1.0))), &["beta must be above 0"]);
    says(&wrong(&with(Model::DeltaDisclosure(0.0))), &["delta must be above 0"]);
    let t = |t, distance| Model::TCloseness { t, distance };
    says(&wrong(&with(t(2.0, Distance::Equal))), &["t must lie in 0 to 1"]);
    says(&wrong(&with(t(0.1, Distance::Hierarchical))), &["needs that column's hierarchy"]);
    let empty = |r: &mut Requirements| {
        with(t(0.1, Distance::Equal))(r);
        r.models[0].overall = Some(Vec::new());
    };
    says(&wrong(&empty), &["overall distribution given for column `s` has 0 rows"]);
    let unordered = |r: &mut Requirements| {
        with(t(0.1, Distance::Ordered))(r);
        r.models[0].order = Some(vec!["b".into()]);
    };
    says(&wrong(&unordered), &["value `a` of column `s` is not in the order"]);
    let unplaced = |r: &mut Requirements| {
        with(t(0.1, Distance::Hierarchical))(r);
        r.ladders.insert("s".into(), LabelHierarchy::from_rows([["b", "*"]]).unwrap());
    };
    says(&wrong(&unplaced), &["value `a` of column `s` is not in the hierarchy"]);
}

#[test]
fn rows_handed_over_one_by_one() {
    let mut verifier = Verifier::new(&["a", "b"], &Requirements::new(2, ["a"])).unwrap();
    says(&verifier.push_original(["1"]).unwrap_err().to_string(), &["header of the original"]);
    verifier.compare_with(&["b", "a", "c"]).unwrap();
    verifier.push(["1", "x"]).unwrap();
    verifier.push_original(["x", "1", "?"]).unwrap();
    verifier.push(["1", "y"]).unwrap();
    verifier.push_original(["y", "1", "?"]).unwrap();
    says(&verifier.push(["1"]).unwrap_err().to_string(), &["the release, row 3: 1 fields"]);
    says(&verifier.push(["1", "2", "3"]).unwrap_err().to_string(), &["3 fields"]);
    says(&verifier.push_original(["1"]).unwrap_err().to_string(), &["the original, row 3"]);
    assert!(verifier.compare_with(&["a"]).is_err());
    let verdict = verifier.finish().unwrap();
    assert!(verdict.holds && verdict.rows == 2, "{verdict}");
}

#[test]
fn dialects() {
    let q = Requirements::new(2, ["q"]);
    let options = CsvOptions { delimiter: b';', ..CsvOptions::default() };
    let text = "\u{feff}q;\"a\"\r\n\"1;\r\n\";x\r\n\r\n\"1;\r\n\";y\r\n";
    let verdict = verify_csv(text.as_bytes(), &options, &q).unwrap();
    assert!(verdict.holds && verdict.rows == 2 && verdict.classes == 1, "{verdict}");
    assert_eq!(verify("q\n1\n1", &q).rows, 2);
    assert_eq!(verify(PATIENTS, &Requirements::new(1, ["age"])).classes, 4);
}

#[test]
fn a_reader_that_fails() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    let message = verify_csv(Broken, &CsvOptions::default(), &Requirements::new(1, ["q"]));
    says(&message.unwrap_err().to_string(), &["the release cannot be read: the disk is gone"]);
}
