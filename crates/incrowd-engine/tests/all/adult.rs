//! The real Adult census data, where it lies beside the repository.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use std::collections::BTreeMap;

use common::{
    ADULT_QUASI, Ladders, adult, adult_file, adult_hierarchy, requirements, rows_of, solve, verdict,
};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::{Bins, ClassSummary};
use incrowd_engine::{
    Hierarchy, Limit, Metric, Problem, ProblemSpec, Recoding, Release, SuppressionMode, Table,
};
use incrowd_testing::thorough;

fn adult_spec(k: u64) -> ProblemSpec {
    ADULT_QUASI
        .iter()
        .fold(ProblemSpec::new(k), |spec, name| spec.quasi(name))
        .class("salary-class")
}

fn adult_ladders() -> Ladders {
    ADULT_QUASI.iter().map(|name| ((*name).to_owned(), adult_hierarchy(name))).collect()
}

/// The release, verified against the original.
fn verified(
    problem: &Problem,
    recoding: &Recoding,
    table: &Table,
    ladders: &Ladders,
) -> (Release, Table) {
    let release = Release::new(problem, recoding, SuppressionMode::Drop);
    let released = release.table_in_order(problem, table, &table.names()).unwrap();
    let verdict = verdict(&released, table, &requirements(problem, ladders));
    assert!(verdict.holds, "{verdict}");
    assert_eq!(verdict.classes, release.classes.released().count() as u64);
    assert_eq!(verdict.original.unwrap().suppressed, problem.rows - release.rows());
    (release, released)
}

#[test]
fn strict_mondrian_is_as_good_as_the_best_public_one() {
    let table = adult();
    let problem = Problem::of_table(&adult_spec(5), &table).unwrap();
    assert_eq!((problem.rows, problem.cells.len()), (30_162, 18_109));
    let recoding = solve("mondrian", &[], &problem).into_recoding().unwrap();
    let (release, _) = verified(&problem, &recoding, &table, &Ladders::new());
    assert_eq!(release.rows(), 30_162);
    assert!(release.classes.len() >= 3_700, "{} classes", release.classes.len());
    assert!(release.measures.gcp <= 0.045, "GCP {}", release.measures.gcp);
}

#[test]
fn relaxed_mondrian_halves_evenly() {
    let table = adult();
    let problem = Problem::of_table(&adult_spec(5), &table).unwrap();
    let recoding = solve("mondrian", &[("mode", "relaxed")], &problem).into_recoding().unwrap();
    let (release, _) = verified(&problem, &recoding, &table, &Ladders::new());
    assert_eq!(release.rows(), 30_162);
    let Recoding::Local(assigned) = &recoding else { panic!("rows at a median go to either side") };
    let mut sizes = vec![0u64; assigned.boxes.len()];
    for share in &assigned.shares {
        sizes[share.class as usize] += share.count;
    }
    for (at, size) in sizes.into_iter().enumerate() {
        let mut groups =
            assigned.boxes.ids_of(at).iter().zip(&assigned.boxes.groups).zip(&problem.attributes);
        let identical =
            groups.all(|((&id, groups), attribute)| attribute.size(groups.get(id)) == 1);
        // 30,162 rows halved twelve times; only identical rows cannot be told apart before that.
        assert!((7..=8).contains(&size) || identical && size >= 5, "a part of {size} rows");
    }
}

/// Datafly once more, on strings.
fn datafly(
    table: &Table,
    ladders: &Ladders,
    k: usize,
) -> (BTreeMap<String, usize>, Vec<Vec<String>>) {
    let rows = rows_of(table);
    let maps: Vec<BTreeMap<&str, &Vec<String>>> = ADULT_QUASI
        .iter()
        .map(|name| ladders[*name].iter().map(|row| (row[0].as_str(), row)).collect())
        .collect();
    let mut levels = [0; ADULT_QUASI.len()];
    loop {
        let generalized: Vec<Vec<&str>> = rows
            .iter()
            .map(|row| {
                (0..levels.len())
                    .map(|at| maps[at][row[at].as_str()][levels[at]].as_str())
                    .collect()
            })
            .collect();
        let mut classes: BTreeMap<&[&str], usize> = BTreeMap::new();
        for row in &generalized {
            *classes.entry(row).or_default() += 1;
        }
        let failing: usize = classes.values().filter(|&&size| size < k).sum();
        if failing <= k {
            let passing =
                generalized.iter().zip(&rows).filter(|(row, _)| classes[row.as_slice()] >= k);
            let released = passing.map(|(generalized, row)| {
                generalized
                    .iter()
                    .map(|field| (*field).to_owned())
                    .chain(row.last().cloned())
                    .collect()
            });
            let levels = ADULT_QUASI.iter().map(|name| (*name).to_owned()).zip(levels);
            return (levels.collect(), released.collect());
        }
        let distinct = |at: usize| {
            let mut values: Vec<&str> = generalized.iter().map(|row| row[at]).collect();
            values.sort_unstable();
            values.dedup();
            values.len()
        };
        let open =
            (0..levels.len()).filter(|&at| levels[at] + 1 < ladders[ADULT_QUASI[at]][0].len());
        let next = open.max_by_key(|&at| (distinct(at), std::cmp::Reverse(at))).unwrap();
        levels[next] += 1;
    }
}

#[test]
fn datafly_climbs_the_hierarchies_as_a_plain_reading_of_it_does() {
    let table = adult();
    let ladders = adult_ladders();
    let mut spec = adult_spec(5);
    for column in &mut spec.quasi {
        column.hierarchy =
            Some(HierarchySource::Given(Hierarchy::from_rows(&ladders[&column.name]).unwrap()));
    }
    let problem = Problem::of_table(&spec, &table).unwrap();
    let solution = solve("datafly", &[], &problem);
    let (release, released) = verified(&problem, solution.recoding().unwrap(), &table, &ladders);
    assert!(problem.rows - release.rows() <= 5, "the limit is k");
    let (levels, expected) = datafly(&table, &ladders, 5);
    assert_eq!(rows_of(&released), expected);
    // One node per level climbed, and the bottom.
    assert_eq!(solution.nodes, 1 + levels.values().sum::<usize>() as u64);
}

/// The problem of a line of the file of proven optima.
fn paper_problem(table: &Table, coding: &str, metric: &str, limit: &str, k: u64) -> Problem {
    let mut spec = adult_spec(k);
    for column in &mut spec.quasi {
        if column.name != "age" {
            // Only for the order of its leaves.
            let rows = adult_hierarchy(&column.name);
            column.hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&rows).unwrap()));
            column.summary = Some(ClassSummary::Range);
        } else if coding == "coarse" {
            column.rule.bins = Some(Bins { width: 5.0, start: 16.0 });
        }
    }
    spec.metric = if metric == "DM" { Metric::Dm } else { Metric::Cm };
    spec.limit = limit.parse().map_or(Limit::All, Limit::Rows);
    Problem::of_table(&spec, table).unwrap()
}

#[test]
fn climb_finds_proven_optima() {
    let (table, optima) = (adult(), adult_file("optima.csv"));
    let ladders = adult_ladders();
    let mut checked = 0;
    for line in optima.lines().skip(1) {
        let [coding, metric, limit, k, optimum] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        // Tests are to be fast: a quick one or two of each kind.
        if limit == "100" || k != "500" && !(k == "250" && thorough()) {
            continue;
        }
        let problem = paper_problem(&table, coding, metric, limit, k.parse().unwrap());
        let recoding = solve("climb", &[], &problem).into_recoding().unwrap();
        let (release, _) = verified(&problem, &recoding, &table, &ladders);
        let found = release.measures.cost(problem.metric);
        assert_eq!(found, optimum.parse().ok(), "{line}");
        checked += 1;
    }
    assert_eq!(checked, if thorough() { 8 } else { 4 });
}

/// What best-local's labels leave open as they are printed, with hierarchies if they are to be released in a form.
fn printed_loss(table: &Table, k: u64, labels: Option<ClassSummary>) -> f64 {
    let mut spec = adult_spec(k);
    let mut ladders = Ladders::new();
    if labels.is_some() {
        ladders = adult_ladders();
        for column in &mut spec.quasi {
            let rows = adult_hierarchy(&column.name);
            column.hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&rows).unwrap()));
            column.summary = labels;
        }
    }
    let problem = Problem::of_table(&spec, table).unwrap();
    let recoding = solve("best-local", &[], &problem).into_recoding().unwrap();
    let (release, _) = verified(&problem, &recoding, table, &ladders);
    assert_eq!(release.rows(), 30_162);
    let measures = &release.measures;
    assert!(labels.is_some() || measures.gcp <= measures.released_gcp + 1e-9);
    measures.released_gcp
}

#[test]
#[allow(
    clippy::print_stdout,
    reason = "the figures of docs/concepts/compared.md, with --nocapture"
)]
fn labels_as_they_are_printed_lose_little() {
    let table = adult();
    let mut asked = vec![(100, None, 0.155)];
    if thorough() {
        let nodes = Some(ClassSummary::Nodes);
        asked.extend([(25, None, 0.0735), (3, nodes, 0.0135), (5, None, 0.0202)]);
        asked.extend([(10, None, 0.0372), (3, None, 0.0135), (100, nodes, 0.155)]);
    }
    for (k, labels, most) in asked {
        let loss = printed_loss(&table, k, labels);
        println!("k = {k}, {labels:?}: {loss:.4}");
        assert!(loss <= most, "k = {k}, {labels:?}: {loss:.4} are lost, {most} at most");
    }
}
