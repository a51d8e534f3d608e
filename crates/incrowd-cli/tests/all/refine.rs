//! The finer table that fitted labels imply, through the real binary.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use crate::common;

use std::fmt::Write as _;

use common::Folder;
use incrowd_testing::{LinearRng, thorough};
use serde_json::Value;

const K: u64 = 5;

/// Clustered people, as in the paper on downcoding (Cohen 2022): clusters far apart, each hardly larger than k. In each
/// column a person lies in the first half of the cluster, but one in 2k in the second.
fn clustered(seed: u64, clusters: u64) -> String {
    let mut dice = LinearRng::new(seed);
    let mut text = "a,b,c,ill\n".to_owned();
    for cluster in 0..clusters {
        for _ in 0..K + dice.below(K) {
            for column in 0..3 {
                let center = 1_000 * ((cluster * (2 * column + 3)) % clusters);
                let outlier = u64::from(dice.below(2 * K) == 0);
                write!(text, "{},", center + 50 * outlier + dice.below(50)).unwrap();
            }
            writeln!(text, "i{}", dice.below(3)).unwrap();
        }
    }
    text
}

/// What refining a release with these options tells.
fn refined(folder: &Folder, options: &str) -> Value {
    let line =
        format!("anonymize people.csv -k {K} --quasi a,b,c --plain ill {options} -o release.csv");
    folder.run(&format!("{line} --quiet")).done();
    let line = "attack release.csv --refine finer.csv --original people.csv --known a,b,c --json";
    serde_json::from_str(&folder.run(line).done().stdout).unwrap()
}

fn share(report: &Value, what: &str) -> f64 {
    report["score"][what].as_f64().unwrap()
}

/// Of so many rounds the mean, and how far it may be off in 99 of 100 cases.
fn interval(shares: &[f64]) -> (f64, f64) {
    let rounds = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / rounds;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (rounds - 1.0);
    (mean, 2.576 * (variance / rounds).sqrt())
}

#[test]
fn fitted_labels_of_clusters_lose_rows_and_safe_ones_none() {
    let rounds = if thorough() { 200 } else { 3 };
    let (mut tight, mut tight_over, mut safe_over) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..rounds {
        let folder = Folder::new();
        folder.write("people.csv", clustered(seed + 1, 40).as_bytes());
        let told = refined(&folder, "--labels tight --ranges tight -m best-local");
        tight.push(share(&told, "right_share"));
        tight_over.push(share(&told, "right_share") - share(&told, "guessed_share"));
        // What is implied is certain.
        assert_eq!(told["score"]["right_rows"], told["rows"]);
        assert_eq!(told["score"]["right_fields"], told["fields"]);
        let told = refined(&folder, "--labels safe -m best-local");
        safe_over.push(share(&told, "right_share") - share(&told, "guessed_share"));
    }
    let (lost, off) = interval(&tight);
    assert!(lost - off >= 0.2, "{tight:?}");
    let (gain, off) = interval(&tight_over);
    assert!(gain - off > 0.1, "{tight_over:?}");
    let (gain, off) = interval(&safe_over);
    assert!(gain <= off, "{safe_over:?}");
}

#[test]
fn the_finer_table_is_written_for_its_owner_alone() {
    let folder = Folder::new();
    folder
        .write("release.csv", b"age,sex\n[25-28],F\n[25-28],F\n[27-31],M\n[27-31],M\n30,M\n30,M\n");
    let told = folder.run("attack release.csv --refine finer.csv").done();
    assert!(
        told.stdout.contains("4 fields are a single value after all; 67% of rows"),
        "{}",
        told.stdout
    );
    assert_eq!(folder.read("finer.csv"), "age,sex\n25,F\n28,F\n27,M\n31,M\n30,M\n30,M\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path("finer.csv")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn what_cannot_be_refined_is_refused() {
    let folder = Folder::new();
    folder.write("release.csv", b"age,sex\n[25-28],F\n[25-28],F\n");
    for (line, words) in [
        ("attack release.csv --refine release.csv", "release"),
        ("attack release.csv --refine finer.csv --known job", "no column `job`"),
        ("attack release.csv --refine finer.csv --control release.csv", "cannot be used with"),
        ("attack release.csv", "--original"),
    ] {
        let refused = folder.run(line);
        assert_eq!(refused.code, Some(2), "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains(words), "{line}: {}", refused.stderr);
    }
    assert!(!folder.path("finer.csv").exists());
}
