//! What the tests share.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses its part; a test fails by panicking"
)]

pub mod case;
pub mod exact;
pub mod judge;
pub mod sample;
pub mod slow;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use incrowd_engine::privacy::GroundDistance;
use incrowd_engine::{
    Algorithm, Control, Event, Method, Model, Problem, ProblemSpec, Recoding, Release, Solution,
    StopReason, SuppressionMode, Table,
};
pub use incrowd_testing::{ADULT_QUASI, adult_file};
use incrowd_verify::{LabelHierarchy, Requirements, SensitiveModel, Verdict, Verifier};

/// The Adult census data.
pub fn adult() -> Table {
    let text = adult_file("adult.csv");
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    Table::from_rows(&header, &lines.collect::<Vec<_>>()).unwrap()
}

/// A hierarchy of the Adult census data in ARX's form.
pub fn adult_hierarchy(name: &str) -> Vec<Vec<String>> {
    let text = adult_file(&format!("adult_hierarchy_{name}.csv"));
    text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect()
}

pub fn solve(method: &str, options: &[(&str, &str)], problem: &Problem) -> Solution {
    Method::new(method, options).unwrap().solve(problem, &Control::new()).unwrap()
}

/// The released rows in input order, and the recoding.
pub fn release_rows(
    spec: &ProblemSpec,
    table: &Table,
    method: &str,
    options: &[(&str, &str)],
    suppressed: SuppressionMode,
) -> (Problem, Recoding, Release, Vec<Vec<String>>) {
    let problem = Problem::of_table(spec, table).unwrap();
    let recoding = solve(method, options, &problem).into_recoding().unwrap();
    let release = Release::new(&problem, &recoding, suppressed);
    let rows = rows_of(&release.table_in_order(&problem, table, &table.names()).unwrap());
    (problem, recoding, release, rows)
}

pub fn rows_of(table: &Table) -> Vec<Vec<String>> {
    (0..table.rows())
        .map(|row| table.columns().iter().map(|column| column.value(row).to_owned()).collect())
        .collect()
}

fn header_of(table: &Table) -> Vec<&str> {
    table.columns().iter().map(|column| column.name.as_str()).collect()
}

/// The hierarchies of columns, by name, in ARX's form.
pub type Ladders = BTreeMap<String, Vec<Vec<String>>>;

/// What the independent verifier is told of a problem.
pub fn requirements(problem: &Problem, ladders: &Ladders) -> Requirements {
    let quasi = problem.attributes.iter().map(|attribute| attribute.name.clone());
    let mut requirements = Requirements::new(problem.privacy.k, quasi);
    for (name, rows) in ladders {
        requirements.ladders.insert(name.clone(), LabelHierarchy::from_rows(rows.clone()).unwrap());
    }
    for attribute in problem.attributes.iter().filter(|attribute| attribute.hierarchy.is_none()) {
        let codes = 0..attribute.domain.len() as u32;
        let order = codes.map(|code| attribute.domain.label(code).to_owned()).collect();
        requirements.orders.insert(attribute.name.clone(), order);
    }
    let whole = problem.whole();
    let narrowing = problem.targets.narrowing().map(|column| column.name.clone());
    requirements.narrowing = narrowing.collect();
    for requirement in &problem.privacy.requirements {
        // Narrowed classes are counted by themselves.
        if matches!(requirement.model, Model::EachValue { .. }) {
            continue;
        }
        let column = &problem.targets.columns[requirement.column];
        let values =
            (0..column.domain.len() as u32).map(|code| column.domain.label(code).to_owned());
        let counts = whole.histograms[requirement.column].iter().copied();
        if let Some(tree) = &requirement.background.hierarchy {
            requirements
                .ladders
                .insert(column.name.clone(), LabelHierarchy::from_rows(tree.to_rows()).unwrap());
        }
        requirements.models.push(SensitiveModel {
            column: column.name.clone(),
            model: translated(requirement.model),
            overall: Some(values.clone().zip(counts).collect()),
            order: (!column.domain.is_numeric()).then(|| values.collect()),
        });
    }
    requirements
}

fn translated(model: Model) -> incrowd_verify::Model {
    use incrowd_verify::Model as Checked;
    match model {
        Model::EachValue { .. } => unreachable!("no column is protected by it"),
        Model::DistinctL { l } => Checked::DistinctL(l.into()),
        Model::EntropyL { l } => Checked::EntropyL(l),
        Model::RecursiveL { c, l } => Checked::RecursiveCL { c, l: l.into() },
        Model::TCloseness { t, distance } => Checked::TCloseness {
            t,
            distance: match distance {
                GroundDistance::Equal => incrowd_verify::Distance::Equal,
                GroundDistance::Ordered => incrowd_verify::Distance::Ordered,
                GroundDistance::Hierarchical => incrowd_verify::Distance::Hierarchical,
            },
        },
        Model::Alpha { alpha } => Checked::AlphaK(alpha),
        Model::BasicBeta { beta } => Checked::BasicBeta(beta),
        Model::EnhancedBeta { beta } => Checked::EnhancedBeta(beta),
        Model::DeltaDisclosure { delta } => Checked::DeltaDisclosure(delta),
    }
}

/// The independent verifier's opinion of a release, compared with its original.
pub fn verdict(released: &Table, original: &Table, requirements: &Requirements) -> Verdict {
    let mut verifier = Verifier::new(&header_of(released), requirements).unwrap();
    verifier.compare_with(&header_of(original)).unwrap();
    for row in rows_of(original) {
        verifier.push_original(row.iter().map(String::as_str)).unwrap();
    }
    for row in rows_of(released) {
        verifier.push(row.iter().map(String::as_str)).unwrap();
    }
    verifier.finish().unwrap()
}

/// A control that stops when it has been asked so often.
pub fn stop_after(asks: u64, reason: StopReason) -> Control {
    let left = AtomicU64::new(asks);
    Control::new().with_stop(move || {
        let less = |left: u64| left.checked_sub(1);
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err().then_some(reason)
    })
}

/// Takes the steps of a search that are told as costs, and how many nodes or how much of the work were told of.
#[derive(Default, Clone)]
pub struct Told(Arc<(Mutex<Vec<f64>>, AtomicU64, AtomicU64)>);

impl Told {
    /// The same control, heard.
    pub fn hear(&self, control: Control) -> Control {
        let told = self.0.clone();
        control.with_listener(move |event| match event {
            Event::Improved { cost, .. } => told.0.lock().unwrap().push(*cost),
            Event::Nodes(nodes) => {
                told.1.fetch_max(*nodes, Ordering::Relaxed);
            }
            Event::Progress(share) => {
                assert!((0.0..=1.0).contains(share));
                told.2.fetch_max((share * 1e6) as u64, Ordering::Relaxed);
            }
            _ => {}
        })
    }

    /// The costs, in the order in which they were told.
    pub fn costs(&self) -> Vec<f64> {
        self.0.0.lock().unwrap().clone()
    }

    /// The most nodes.
    pub fn nodes(&self) -> u64 {
        self.0.1.load(Ordering::Relaxed)
    }

    /// The furthest progress, in millionths.
    pub fn progress(&self) -> u64 {
        self.0.2.load(Ordering::Relaxed)
    }
}
