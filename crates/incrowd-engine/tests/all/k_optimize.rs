//! K-OPTIMIZE on the real Adult census data, where it lies beside the repository.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::{ADULT_QUASI, adult, adult_file, adult_hierarchy, solve};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::Bins;
use incrowd_engine::{
    AttributeSpec, Hierarchy, Limit, Metric, Problem, ProblemSpec, Release, SuppressionMode,
};

#[test]
fn it_finds_the_known_optima_for_large_k() {
    let (table, optima) = (adult(), adult_file("optima.csv"));
    for (metric, name) in [(Metric::Dm, "DM"), (Metric::Cm, "CM")] {
        let mut spec = ProblemSpec::new(1000).class("salary-class");
        (spec.metric, spec.limit) = (metric, Limit::Rows(0));
        for name in ADULT_QUASI {
            let mut column = AttributeSpec::new(name);
            if name == "age" {
                column.rule.bins = Some(Bins { width: 5.0, start: 16.0 });
            } else {
                let ladder = adult_hierarchy(name);
                column.hierarchy =
                    Some(HierarchySource::Given(Hierarchy::from_rows(&ladder).unwrap()));
                column.summary = Some(incrowd_engine::value::ClassSummary::Range);
            }
            spec.quasi.push(column);
        }
        let problem = Problem::of_table(&spec, &table).unwrap();
        let solution = solve("k-optimize", &[], &problem);
        assert_eq!(solution.outcome.name(), "optimal");
        let release = Release::new(&problem, solution.recoding().unwrap(), SuppressionMode::Drop);
        let known =
            optima.lines().find_map(|line| line.strip_prefix(&format!("coarse,{name},0,1000,")));
        assert_eq!(release.measures.cost(metric), Some(known.unwrap().parse().unwrap()));
    }
}
