//! The questions of the parity test through the back ends that need no server: files, batches in memory, and the
//! builder for programs. All answers must be those of the command line.
//!
//! And the list of checks is put to the test: a question or a fault that a check refuses is not refused any more where the
//! list lacks that check.
#![cfg(debug_assertions)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "parity/asked.rs"]
mod asked;

#[path = "parity/compare.rs"]
mod compare;

use std::path::Path;

use incrowd_assess::bias::SuppressionEffect;
use incrowd_engine::{Control, Model, Problem, Table};
use incrowd_run::{
    Anonymize, Error, Job, LocalTable, Result, RunPlan, RunReport, SpecFile,
    backend::{
        FinalRows, LabelPairs, ReadBack, ReleasePermit, ReleasePlan, SubjectComparison,
        SubjectEvidence, TableBackend, TableCounts,
    },
    checks::CHECKS,
    data::{OutputFile, Source},
    open_input, skipping_check, treated,
};
use incrowd_verify::{Requirements, Violation, ViolationKind};
use serde_json::{Value, json};

use asked::{Nature, Question};
use compare::{Outcome, batch, compare, rows_of_table, spec, told};

fn through_a_file(question: &Question, folder: &Path) -> Outcome {
    let mut file = spec(question, folder, &format!("{}.csv", question.table))?;
    let output = folder.join("released.csv");
    file.spec.release.output = Some(output.clone());
    let source = open_input(&file)?;
    let job = Job::new(&file, &source)?;
    let report = incrowd_run::run(&job, &source, &Control::new())?;
    let rows = report.verdict.as_ref().map(|_| {
        let rows = asked::csv_rows(&std::fs::read_to_string(&output).unwrap());
        std::fs::remove_file(&output).unwrap();
        rows
    });
    Ok((report, rows))
}

#[test]
fn files_answer_as_the_command_line_does() {
    assert!(compare(Nature::default(), |it, folder| Some(through_a_file(it, folder))) >= 100);
}

fn through_memory(question: &Question, folder: &Path) -> Outcome {
    let file = spec(question, folder, "table")?;
    let batch = batch(question);
    let source = Source::from_batches("table", batch.schema(), vec![batch], None)?;
    let source = treated(&file, source)?;
    let job = Job::new(&file, &source)?;
    let done = RunPlan::new(&job, &source).run_in_memory(&Control::new())?;
    let rows = done.table.as_ref().map(|released| rows_of_table(released.table()));
    Ok((done.report, rows))
}

#[test]
fn batches_in_memory_answer_as_the_command_line_does() {
    let nature = Nature { no_text: true, ..Nature::default() };
    assert!(compare(nature, |it, folder| Some(through_memory(it, folder))) >= 100);
}

/// The options that the builder has, too.
fn through_the_builder(question: &Question, _: &Path) -> Option<Outcome> {
    let known = [
        "k",
        "quasi",
        "identifying",
        "sensitive",
        "plain",
        "unit",
        "seed",
        "method",
        "other",
        "l_diversity",
    ];
    let options = &question.options;
    if !options.keys().all(|keyword| known.contains(&keyword.as_str())) {
        return None;
    }
    let list = |keyword: &str| -> Vec<String> {
        let values = options.get(keyword).and_then(Value::as_array).into_iter().flatten();
        values.map(|it| it.as_str().unwrap_or_default().to_owned()).collect()
    };
    let models = options.get("l_diversity").and_then(Value::as_object);
    let l = |column: &str| models.and_then(|it| it.get(column)).and_then(Value::as_u64);
    let (k, method) = (options.get("k")?.as_u64()?, options.get("method")?.as_str()?);
    let sensitive = list("sensitive");
    if list("quasi").is_empty()
        || options.contains_key("l_diversity") && sensitive.is_empty()
        || sensitive.iter().any(|column| l(column).is_none())
    {
        return None;
    }
    let method = incrowd_engine::Method::new(method, &[]).ok()?;
    let (header, rows) = asked::table(&question.table);
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    let table = Table::from_rows(&names, &rows).unwrap();
    let mut asked = Anonymize::new(&table).k(k).method(method).quasi(list("quasi"));
    asked = asked.identifying(list("identifying")).plain(list("plain"));
    for column in &sensitive {
        asked = asked.sensitive(column, Model::DistinctL { l: l(column)? as u32 });
    }
    if let Some(unit) = options.get("unit").and_then(Value::as_str) {
        asked = asked.unit(unit);
    }
    let said = |name: &String| {
        ["quasi", "identifying", "sensitive", "plain"].iter().any(|it| list(it).contains(name))
            || options.get("unit").and_then(Value::as_str) == Some(name)
    };
    if options.get("other").and_then(Value::as_str) != Some("drop") {
        asked = asked.keep(header.iter().filter(|name| !said(name)).cloned());
    }
    Some(asked.run().map(|done| {
        let rows = done.table().ok().map(|table| {
            let row = |at| table.columns().iter().map(|it| it.value(at).to_owned()).collect();
            let names = table.names().iter().map(|&name| name.to_owned()).collect();
            (names, (0..table.rows()).map(row).collect())
        });
        (done.report().clone(), rows)
    }))
}

#[test]
fn the_builder_answers_as_the_command_line_does() {
    let nature = Nature { no_text: true, ..Nature::default() };
    assert!(compare(nature, through_the_builder) >= 15);
}

/// Something that goes wrong on the way of a release.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    /// A label stands for a value that it does not contain.
    WrongLabel,
    /// What was read back breaks a requirement.
    Broken(ViolationKind),
    /// It is not what was written.
    Changed,
    /// Nobody can tell whether it is.
    Unknown,
    /// Everybody in one ward was suppressed, and nobody in another.
    Uneven,
    /// Nothing is told of rows that share values.
    Silent,
    /// It cannot do what is asked.
    Lacking,
}

/// A table in a file whose back end has a fault.
struct Faulty<'a>(LocalTable<'a>, Fault);

impl TableBackend for Faulty<'_> {
    fn lacks(&self, job: &Job) -> Option<Error> {
        match self.1 {
            Fault::Lacking => Some(Error::new("the back end lacks something")),
            _ => self.0.lacks(job),
        }
    }

    fn count(&mut self, plan: RunPlan<'_>, control: &Control) -> Result<TableCounts> {
        self.0.count(plan, control)
    }

    fn subjects(
        &mut self,
        plan: RunPlan<'_>,
        comparison: &SubjectComparison,
        rows: u64,
        control: &Control,
    ) -> Result<Vec<(usize, SubjectEvidence)>> {
        match self.1 {
            Fault::Silent => Ok(Vec::new()),
            _ => self.0.subjects(plan, comparison, rows, control),
        }
    }

    fn rows_by_chance(
        &mut self,
        plan: RunPlan<'_>,
        known: &[usize],
        released: &[usize],
        control: &Control,
    ) -> Result<Option<Table>> {
        self.0.rows_by_chance(plan, known, released, control)
    }

    fn sample(&self) -> Option<&Source> {
        self.0.sample()
    }

    fn recode(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<LabelPairs> {
        let pairs = self.0.recode(plan, requirements, control)?;
        let last = plan.release.classes.released().last().unwrap_or(0) as u32;
        Ok(match self.1 {
            Fault::WrongLabel => LabelPairs::new(pairs.iter().map(|&(cell, _)| (cell, last))),
            _ => pairs,
        })
    }

    fn finish(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<FinalRows> {
        self.0.finish(plan, requirements, control)
    }

    fn stage(&mut self, plan: &ReleasePlan<'_>, control: &Control) -> Result<bool> {
        self.0.stage(plan, control)
    }

    fn read_back(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<ReadBack> {
        let mut found = self.0.read_back(plan, requirements, control)?;
        match self.1 {
            Fault::Changed => found.same = Some(false),
            Fault::Broken(kind) => {
                let violation = Violation::new(kind, "something is broken");
                found.verdict.violations.push(violation);
                found.verdict.holds = false;
            }
            Fault::Unknown => found.same = None,
            Fault::WrongLabel | Fault::Silent | Fault::Lacking | Fault::Uneven => {}
        }
        Ok(found)
    }

    fn suppression_effects(
        &mut self,
        plan: &ReleasePlan<'_>,
        rows: &FinalRows,
        control: &Control,
    ) -> Result<Vec<SuppressionEffect>> {
        match self.1 {
            Fault::Uneven => {
                Ok(vec![SuppressionEffect::of("ward", [("east", 10, 10), ("west", 10, 0)])])
            }
            _ => self.0.suppression_effects(plan, rows, control),
        }
    }

    fn tell(&self, problem: &Problem, report: RunReport) -> RunReport {
        self.0.tell(problem, report)
    }

    fn commit(&mut self, permit: ReleasePermit, files: Vec<OutputFile>) -> Result<()> {
        self.0.commit(permit, files)
    }
}

/// A question that asks for everything, through a back end with a fault: the check that refuses, none if nothing does.
fn with_fault(fault: Fault, folder: &Path) -> Option<&'static str> {
    let text = format!(
        "[data]\ninput = {}\n[columns]\npatient = {{ role = \"plain\", treat = \"pseudonym\" }}\n\
         age = {{ role = \"quasi\" }}\nsex = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\" }}\n\
         name = {{ role = \"identifying\" }}\nward = {{ role = \"plain\", narrowing = true }}\n\
         diagnosis = {{ role = \"sensitive\" }}\n[privacy]\nk = 2\nunit = \"patient\"\nlinked = true\n\
         max-average-risk = 0.9\nmax-bias = 0.4\nl-diversity = [{{ l = 1 }}]\n[goal]\nmax-suppressed = \"100%\"\n\
         [algorithm]\nmethod = \"mondrian\"\n",
        json!(folder.join("patients.csv"))
    );
    let file = SpecFile::parse(&text, &folder.join("spec.toml")).unwrap();
    let source = open_input(&file).unwrap();
    let job = Job::new(&file, &source).unwrap();
    let output = folder.join("faulty.csv");
    let mut backend = Faulty(LocalTable::to_file(&source, Some(&output)).unwrap(), fault);
    let done = RunPlan::new(&job, &source)
        .stage(&mut backend, &Control::new())
        .and_then(|staged| staged.commit(&mut backend, []));
    assert_eq!(output.exists(), done.is_ok(), "{fault:?}: a refusal leaves no file");
    let _ = std::fs::remove_file(&output);
    let refused = |error: Error| error.check.unwrap_or_else(|| panic!("{fault:?}: {error}"));
    done.err().map(refused)
}

/// Faults and the checks that refuse them.
const FAULTS: [(Fault, &str); 12] = [
    (Fault::Lacking, "back-end"),
    (Fault::WrongLabel, "truth"),
    (Fault::Changed, "read-back"),
    (Fault::Uneven, "bias"),
    (Fault::Broken(ViolationKind::SmallClass), "k-anonymity"),
    (Fault::Broken(ViolationKind::Model), "models"),
    (Fault::Broken(ViolationKind::Risk), "risk-limits"),
    (Fault::Broken(ViolationKind::IdentifyingColumn), "identifying-columns"),
    (Fault::Broken(ViolationKind::NarrowedClass), "narrowed-classes"),
    (Fault::Broken(ViolationKind::LinkedRows), "linked-collections"),
    (Fault::Broken(ViolationKind::SeveralRows), "several-rows"),
    (Fault::Broken(ViolationKind::OriginalValue), "pseudonyms"),
];

#[test]
fn a_back_end_that_cannot_answer_fails_the_check() {
    let folder = tempfile::tempdir().unwrap();
    asked::put_tables(folder.path());
    assert_eq!(with_fault(Fault::Unknown, folder.path()), Some("read-back"));
    assert_eq!(with_fault(Fault::Silent, folder.path()), Some("subject-links"));
}

#[test]
fn a_check_that_is_missing_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    asked::put_tables(folder.path());
    let (questions, expected) = (asked::questions(), asked::expected());
    for check in &CHECKS {
        let fault = FAULTS.iter().find(|(_, by)| *by == check.id);
        let refused = |it: &&Question| expected[&it.name]["check"] == check.id;
        let noticed = match (check.id, fault) {
            (id, Some(&(fault, _))) => {
                assert_eq!(with_fault(fault, folder.path()), Some(id));
                skipping_check(id, || with_fault(fault, folder.path())) != Some(id)
            }
            // What is missed is narrower classes: the status tells.
            (id @ "implied-columns", None) => {
                let question =
                    questions.iter().find(|it| it.name == "copies-town-unnamed").unwrap();
                let ask = || told(question, through_a_file(question, folder.path())).0;
                assert_eq!(ask()["checks"][id], "passed");
                skipping_check(id, ask)["checks"][id] != "passed"
            }
            // Some refusals have a second reason.
            (id, None) => questions.iter().filter(refused).any(|question| {
                let ask = || told(question, through_a_file(question, folder.path())).0;
                assert_eq!(ask()["check"], id, "{}", question.name);
                skipping_check(id, ask)["check"] != id
            }),
        };
        assert!(noticed, "nobody would miss the check `{}`", check.id);
    }
}
