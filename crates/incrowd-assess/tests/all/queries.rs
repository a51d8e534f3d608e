//! Questions asked of releases of real data.

use incrowd_assess::queries::{ReleaseView, Workload};
use incrowd_engine::{Problem, ProblemSpec};

use crate::common::{ADULT_QUASI, adult, release};

/// A weight on age narrows ages, and questions about ages are answered better.
#[test]
fn a_weight_on_age_answers_questions_about_ages_better() {
    let table = adult();
    let columns = vec!["age".to_owned()];
    let workload = Workload { dimensions: 1, selectivity: 0.1, columns, ..Workload::default() };
    for (method, options) in [("mondrian", &[("cut", "penalty")][..]), ("cluster-down", &[])] {
        let error = |weight: f64| {
            let mut spec =
                ADULT_QUASI.iter().fold(ProblemSpec::new(10), |spec, name| spec.quasi(name));
            spec.quasi[1].weight = weight;
            let problem = Problem::of_table(&spec, &table).unwrap();
            let release = release(&problem, method, options);
            workload.errors(&problem, &ReleaseView::of_release(&problem, &release)).unwrap().mean
        };
        let (plain, weighted) = (error(1.0), error(4.0));
        assert!(weighted < plain, "{method}: {plain} and {weighted} with a weight of 4");
    }
}
