//! The real Adult census data, where it lies beside the repository.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{ADULT_QUASI, adult, solve};
use incrowd::{Problem, ProblemSpec, Release, Suppressed};

fn adult_spec(k: u64) -> ProblemSpec {
    ADULT_QUASI.iter().fold(ProblemSpec::new(k), |spec, name| spec.quasi(name)).class("salary-class")
}

#[test]
fn strict_mondrian_is_as_good_as_the_best_public_one() {
    let Some(table) = adult() else { return };
    let problem = Problem::of_table(&adult_spec(5), &table).unwrap();
    assert_eq!((problem.rows, problem.cells.len()), (30_162, 18_109));
    for mode in ["strict", "relaxed"] {
        let start = std::time::Instant::now();
        let solution = solve("mondrian", &[("mode", mode)], &problem);
        let t1 = start.elapsed();
        let release = Release::new(&problem, solution.recoding.as_ref().unwrap(), Suppressed::Drop);
        println!("{mode} {} {:?} {t1:?} {:?} nodes {}", release.classes.len(), release.measures, start.elapsed(), solution.nodes);
        assert_eq!(release.rows(), 30_162);
        assert!(release.classes.len() >= 3_700, "{} classes", release.classes.len());
        assert!(release.measures.gcp <= 0.045, "GCP {}", release.measures.gcp);
    }
}
