//! Random small tables, and the certificates of searches in them.

use std::io::Write;
use std::sync::{Arc, Mutex};

use incrowd_engine::method::{KOptimize, Lattice, Optimal};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::search::ProofLog;
use incrowd_engine::value::ClassSummary;
use incrowd_engine::{
    Algorithm, AttributeSpec, Control, Hierarchy, Limit, Metric, Problem, ProblemSpec, Table,
};
use incrowd_testing::LinearRng;

/// A search that writes its proof down.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Search {
    Optimal,
    KOptimize,
    Lattice,
}

impl Search {
    pub(crate) const ALL: [Search; 3] = [Search::Optimal, Search::KOptimize, Search::Lattice];
}

/// A table and a question.
pub(crate) struct Case {
    pub(crate) rows: Vec<Vec<String>>,
    names: Vec<String>,
    spec: ProblemSpec,
}

/// A certificate in parts.
#[derive(Clone)]
pub(crate) struct Certificate {
    pub(crate) head: serde_json::Value,
    pub(crate) body: Vec<u8>,
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Case {
    /// Up to 40 rows of up to three columns with few values, some missing, some with hierarchies.
    pub(crate) fn random(random: &mut LinearRng) -> Self {
        let width = 1 + random.below(3) as usize;
        let values: Vec<u64> = (0..width).map(|_| 2 + random.below([8, 5, 3][width - 1])).collect();
        let missing = random.chance(4);
        let rows: Vec<Vec<String>> = (0..2 + random.below(39))
            .map(|_| {
                let value = |&values: &u64| {
                    let value = random.below(values).min(random.below(values + 2));
                    match missing && random.chance(6) {
                        true => "?".to_owned(),
                        false => value.to_string(),
                    }
                };
                let mut row: Vec<String> = values.iter().map(value).collect();
                row.push(random.below(2).to_string());
                row
            })
            .collect();
        let names: Vec<String> =
            (0..width).map(|at| format!("q{at}")).chain(["label".to_owned()]).collect();
        let mut spec =
            ProblemSpec::new((1 + random.below(6)).min(rows.len() as u64)).class("label");
        for (at, &values) in values.iter().enumerate() {
            let mut column = AttributeSpec::new(format!("q{at}"));
            if random.chance(2) {
                let mut ladder: Vec<Vec<String>> = (0..values)
                    .map(|value| {
                        vec![
                            value.to_string(),
                            format!("g{}", value / 2),
                            format!("h{}", value / 4),
                            "*".to_owned(),
                        ]
                    })
                    .collect();
                ladder.push(["?", "?", "?", "*"].map(str::to_owned).to_vec());
                column.hierarchy =
                    Some(HierarchySource::Given(Hierarchy::from_rows(&ladder).unwrap()));
                if random.chance(2) {
                    column.summary = Some(ClassSummary::Node);
                }
            }
            while random.chance(4) {
                column.cuts.push((random.below(values).to_string(), random.chance(2)));
            }
            spec.quasi.push(column);
        }
        spec.metric = [Metric::Dm, Metric::Cm][random.below(2) as usize];
        spec.limit = match random.below(3) {
            0 => Limit::Rows(0),
            1 => Limit::All,
            _ => Limit::Rows(random.below(7)),
        };
        Case { rows, names, spec }
    }

    /// The table as a file.
    pub(crate) fn text(&self) -> String {
        let lines = self.rows.iter().map(|row| row.join(",") + "\n");
        self.names.join(",") + "\n" + &lines.collect::<String>()
    }

    /// The certificate of a search; none if there is no release, or the question makes no sense.
    pub(crate) fn certificate(&self, search: Search) -> Option<Certificate> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let table = Table::from_rows(&names, &self.rows).unwrap();
        let problem = Problem::of_table(&self.spec, &table).ok()?;
        certificate(|control| {
            let solution = match search {
                Search::Optimal => Optimal::default().solve(&problem, control),
                Search::KOptimize => KOptimize::default().solve(&problem, control),
                Search::Lattice => Lattice::default().solve(&problem, control),
            };
            solution.ok()?.recoding().map(|_| ())
        })
    }
}

/// The certificate that a search writes.
pub(crate) fn certificate(search: impl FnOnce(&Control) -> Option<()>) -> Option<Certificate> {
    let sink = Sink::default();
    let log = ProofLog::new(sink.clone());
    search(&Control::new().with_proof(log.clone()))?;
    let (question, claim) = log.finish().unwrap()?;
    let mut head = serde_json::to_value(&question).unwrap();
    let key = "0123";
    let mut hasher = blake3::Hasher::new();
    hasher.update(key.as_bytes()).update(&question.profiles);
    head["key"] = key.into();
    head["table"] = hasher.finalize().to_hex().to_string().into();
    head["claim"] = claim.into();
    head["missing"] = serde_json::json!(["?"]);
    let body = sink.0.lock().unwrap().clone();
    Some(Certificate { head, body })
}

impl Certificate {
    /// The file, byte by byte as the reference says.
    pub(crate) fn file(&self) -> Vec<u8> {
        let head = serde_json::to_vec(&self.head).unwrap();
        let mut file = b"incrowdC\x01\0\0\0".to_vec();
        file.extend_from_slice(&(head.len() as u32).to_le_bytes());
        file.extend_from_slice(&head);
        file.extend_from_slice(&zstd::encode_all(&self.body[..], 1).unwrap());
        file
    }
}
