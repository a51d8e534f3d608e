//! What the tests share.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses a part; tests may unwrap")]

use incrowd_verify::{
    CsvOptions, Requirements, Verdict, Violation, ViolationKind, verify_csv, verify_csv_against,
};

/// The verdict on a release alone.
pub(crate) fn verify(release: &str, requirements: &Requirements) -> Verdict {
    verify_csv(release.as_bytes(), &CsvOptions::default(), requirements).unwrap()
}

/// The verdict on a release compared with its original.
pub(crate) fn against(release: &str, original: &str, requirements: &Requirements) -> Verdict {
    let options = CsvOptions::default();
    let original = original.as_bytes();
    verify_csv_against(release.as_bytes(), &options, original, &options, requirements).unwrap()
}

/// The only violation, which must be of that kind.
pub(crate) fn only(verdict: &Verdict, kind: ViolationKind) -> &Violation {
    assert!(!verdict.holds, "{verdict}");
    let [violation] = &verdict.violations[..] else { panic!("not one violation: {verdict}") };
    assert_eq!(violation.kind, kind, "{verdict}");
    violation
}

/// Asserts that a violation's first example speaks of all this.
pub(crate) fn says(violation: &Violation, parts: &[&str]) {
    let message = &violation.examples[0].message;
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

/// The patients of the mondrian example (paper 003).
pub(crate) const PATIENTS: &str = "\
name,age,sex,zip,disease
Ann,25,Male,53711,Flu
Bea,25,Female,53712,Hepatitis
Cid,26,Male,53711,Brochitis
Dan,27,Male,53710,Broken Arm
Eve,27,Female,53712,AIDS
Flo,28,Male,53711,Hang Nail
";

/// Their release for k = 2, in another order.
pub(crate) const PATIENTS_RELEASED: &str = "\
age,sex,zip,disease
[27-28],Male,[53710-53711],Hang Nail
[25-27],Female,53712,AIDS
[25-26],Male,53711,Flu
[27-28],Male,[53710-53711],Broken Arm
[25-26],Male,53711,Brochitis
[25-27],Female,53712,Hepatitis
";

/// 2-anonymity of the patients without their names.
pub(crate) fn patients() -> Requirements {
    let mut requirements = Requirements::new(2, ["age", "sex", "zip"]);
    requirements.identifying = vec!["name".to_owned()];
    requirements
}
