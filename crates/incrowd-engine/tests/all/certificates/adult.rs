//! The Adult census data: sizes of certificates, and how long they take.

use std::time::Instant;

use incrowd_engine::auto::{MethodChoice, ProofEffort};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::ClassSummary;
use incrowd_engine::{
    Algorithm, AttributeSpec, Control, Hierarchy, Limit, Method, Metric, Problem, ProblemSpec,
    ProcessTime, Table,
};
use incrowd_testing::{ADULT_QUASI, adult_file};

use super::case::{Certificate, certificate};

/// A question about the table.
#[derive(Debug, Clone)]
struct Instance {
    method: String,
    /// Whether ages are put into bins of five years.
    coarse: bool,
    metric: Metric,
    k: u64,
    limit: Limit,
}

impl Instance {
    /// METHOD,coarse|fine,METRIC,K,LIMIT|none
    fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(',').collect();
        Instance {
            method: fields[0].to_owned(),
            coarse: fields[1] == "coarse",
            metric: Metric::from_name(fields[2]).unwrap(),
            k: fields[3].parse().unwrap(),
            limit: fields[4].parse().map_or(Limit::All, Limit::Rows),
        }
    }

    /// The columns of the table, as it is counted here.
    fn table(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let text = adult_file("adult.csv");
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(';').collect();
        let wanted: Vec<&str> = ADULT_QUASI.into_iter().chain(["salary-class"]).collect();
        let place = |name: &&str| names.iter().position(|other| other == name).unwrap();
        let places: Vec<usize> = wanted.iter().map(place).collect();
        let rows = lines.map(|line| {
            let fields: Vec<&str> = line.split(';').collect();
            let field = |(&place, &name): (&usize, &&str)| match self.coarse && name == "age" {
                true => ((fields[place].parse::<u32>().unwrap() - 16) / 5).to_string(),
                false => fields[place].to_owned(),
            };
            places.iter().zip(&wanted).map(field).collect()
        });
        (wanted.clone(), rows.collect())
    }

    fn problem(&self, names: &[&str], rows: &[Vec<String>]) -> Problem {
        let mut spec = ProblemSpec::new(self.k).class("salary-class");
        (spec.metric, spec.limit) = (self.metric, self.limit);
        for name in ADULT_QUASI {
            let mut column = AttributeSpec::new(name);
            let has_ladder =
                (name != "age" || self.method == "lattice") && self.metric != Metric::Ncp;
            if has_ladder {
                let text = adult_file(&format!("adult_hierarchy_{name}.csv"));
                let ladder: Vec<Vec<&str>> =
                    text.lines().map(|line| line.split(';').collect()).collect();
                let tree = Hierarchy::from_rows(&ladder).unwrap();
                column.hierarchy = Some(HierarchySource::Given(tree));
                column.summary = Some(ClassSummary::Range);
            }
            spec.quasi.push(column);
        }
        Problem::of_table(&spec, &Table::from_rows(names, rows).unwrap()).unwrap()
    }
}

/// Wall and CPU seconds of something.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64, f64) {
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let done = work();
    (done, wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64())
}

fn run(instance: &Instance) -> String {
    let (names, rows) = instance.table();
    let problem = instance.problem(&names, &rows);
    let method = MethodChoice::new(&instance.method, &[]).unwrap();
    let is_local = instance.metric == Metric::Ncp;
    let search = |control: &Control| {
        let solution = method.solve(&problem, &control.without_proof()).unwrap();
        match is_local {
            true => method.proven(&problem, solution, ProofEffort::Fully, control),
            false => solution,
        }
    };
    let (plain, _, plain_cpu) = timed(|| search(&Control::new()));
    let written = |control: &Control| match is_local {
        true => search(control),
        false => Method::new(&instance.method, &[]).unwrap().solve(&problem, control).unwrap(),
    };
    let mut outcome = None;
    let (made, _, cpu) = timed(|| {
        certificate(|control| {
            outcome = Some(written(control).outcome);
            Some(())
        })
    });
    let made: Certificate = made.unwrap();
    let file = made.file();
    let text = {
        let lines = rows.iter().map(|row| row.join(";") + "\n");
        names.join(";") + "\n" + &lines.collect::<String>()
    };
    let (confirmed, _, check) = timed(|| incrowd_check::check(text.as_bytes(), &file[..]).unwrap());
    let claim = confirmed.question.claim;
    assert!(confirmed.holds() || is_local, "{instance:?}: {confirmed}");
    assert_eq!(plain.outcome.name(), outcome.unwrap().name(), "{instance:?}");
    let Instance { method, coarse, metric, k, limit } = instance;
    let coding = if *coarse { "coarse" } else { "fine" };
    let limit = match limit {
        Limit::Rows(rows) => rows.to_string(),
        _ => "none".to_owned(),
    };
    let confirmed_share = confirmed.bound.unwrap() as f64 / claim as f64;
    format!(
        "{method},{coding},{},{k},{limit},{claim},{confirmed_share:.6},{},{},{plain_cpu:.1},{cpu:.1},{check:.1}",
        metric.name(),
        confirmed.cases,
        file.len()
    )
}

#[test]
fn adult_certificates_are_confirmed() {
    for instance in
        ["optimal,coarse,dm,1000,0", "lattice,fine,dm,50,none", "optimal,fine,cm,1000,none"]
    {
        run(&Instance::read(instance));
    }
}

/// Figures: `INCROWD_CERTIFICATES="optimal,coarse,dm,50,0 ..." cargo test --release -p incrowd-check -- --ignored`.
#[test]
#[ignore = "takes minutes"]
#[allow(clippy::print_stdout, reason = "figures are read by people")]
fn adult_figures() {
    let named = std::env::var("INCROWD_CERTIFICATES").unwrap_or_default();
    println!("method,coding,metric,k,limit,claim,confirmed,cases,bytes,search,search_logged,check");
    for instance in named.split_whitespace() {
        println!("{}", run(&Instance::read(instance)));
    }
}
