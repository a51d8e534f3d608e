//! Whole runs through files: read, count, solve, recode, arrange, verify, write, apply.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use incrowd_engine::search::RunPhase;
use incrowd_engine::{CancelToken, Control, Event};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use incrowd_run::spec::{
    ColumnSection, OptionValue, Role, RowOrder, Spec,
    models::{LDiversity, LKind},
    parsing::parse_bins,
};
use incrowd_run::{
    ApplyOptions, Error, Job, Result, RunReport, SearchStatus, SpecFile, UnseenPolicy, apply,
    data::{
        Order, OutputFile, OutputFormat, ReadOptions, Source, TableLayout, TableWriter, read_table,
    },
    input_of, run, verify_sources,
};
use incrowd_testing::LinearRng;
use incrowd_verify::{LabelHierarchy, Model, Requirements, SensitiveModel};
use tempfile::TempDir;

const HEADER: [&str; 6] = ["name", "age", "sex", "zip", "disease", "note"];

/// Made-up people; the name and the note tell the row.
fn people(rows: usize) -> Vec<[String; 6]> {
    let diseases = ["flu", "gout", "asthma", "ulcer", "cold"];
    let mut rng = LinearRng::new(7);
    let mut next = |end: u64| rng.below(end);
    (0..rows)
        .map(|row| {
            [
                format!("person {row}"),
                if next(40) == 0 { String::new() } else { (18 + next(60)).to_string() },
                ["female", "male"][next(2) as usize].to_owned(),
                format!("0{}", 2100 + next(60)),
                diseases[next(5) as usize].to_owned(),
                format!("note {row}, \"quoted\""),
            ]
        })
        .collect()
}

/// Writes a table in the format that its name asks for.
fn write_table(path: &Path, rows: &[[String; 6]]) {
    let layout = TableLayout::text(HEADER);
    let encoder = layout.encoder().unwrap();
    let output = OutputFile::create(path).unwrap();
    let mut writer =
        TableWriter::new(output, OutputFormat::from_path(path).unwrap(), &layout).unwrap();
    let mut bytes = Vec::new();
    for row in rows {
        bytes.clear();
        encoder.row(row, &mut bytes);
        writer.row(&bytes).unwrap();
    }
    writer.finish().unwrap().commit().unwrap();
}

fn read_rows(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let source = Source::open(&path.into(), &ReadOptions::default()).unwrap();
    let table = read_table(&source, None, &Control::new()).unwrap();
    let row = |row| table.columns().iter().map(|column| column.value(row).to_owned()).collect();
    (source.columns().to_vec(), (0..table.rows()).map(row).collect())
}

/// A folder with the people in `people.csv`.
fn folder(rows: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_table(&folder.path().join("people.csv"), &people(rows));
    folder
}

fn spec_text(input: &str, k: u64, rest: &str) -> String {
    format!(
        r#"
        [data]
        input = "{input}"
        [columns.name]
        role = "identifying"
        [columns.age]
        role = "quasi"
        [columns.sex]
        role = "quasi"
        [columns.zip]
        role = "quasi"
        [columns.disease]
        role = "sensitive"
        [columns.note]
        role = "plain"
        accept = true
        [privacy]
        k = {k}
        {rest}
        "#
    )
}

fn run_file(file: &SpecFile, control: &Control) -> Result<RunReport> {
    let source = Source::open(&input_of(file), &ReadOptions::default())?;
    run(&Job::new(file, &source)?, &source, control)
}

/// Runs the spec that [`spec_text`] makes.
fn run_spec(folder: &TempDir, input: &str, k: u64, rest: &str) -> Result<RunReport> {
    let file = SpecFile::parse(&spec_text(input, k, rest), &folder.path().join("spec.toml"))?;
    run_file(&file, &Control::new())
}

fn names_in(folder: &TempDir) -> Vec<String> {
    names_of(folder.path())
}

fn names_of(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Judges a release of the people against them.
fn judge(folder: &TempDir, release: &str, requirements: &Requirements) -> incrowd_verify::Verdict {
    let open = |name: &str| {
        Source::open(&folder.path().join(name).into(), &ReadOptions::default()).unwrap()
    };
    verify_sources(&open(release), Some(&open("people.csv")), requirements, &Control::new())
        .unwrap()
}

fn k_anonymity(k: u64) -> Requirements {
    let mut requirements = Requirements::new(k, ["age", "sex", "zip"]);
    requirements.identifying = vec!["name".to_owned()];
    requirements
}

#[test]
fn every_format_in_and_out_gives_the_same_release() {
    let folder = folder(400);
    let inputs = ["people.csv", "people.tsv", "people.csv.gz", "people.csv.zst", "people.parquet"];
    let outputs = ["out.csv", "out.csv.gz", "out.csv.zst", "out.parquet"];
    for input in &inputs[1..] {
        write_table(&folder.path().join(input), &people(400));
    }
    let mut releases = Vec::new();
    for input in inputs {
        for output in outputs {
            let report = run_spec(
                &folder,
                input,
                4,
                &format!("[release]\norder = \"sort\"\noutput = \"{output}\""),
            )
            .unwrap();
            assert_eq!(
                (report.outcome, report.released),
                (SearchStatus::Feasible, 400),
                "{input} to {output}"
            );
            assert!(report.verdict.is_some_and(|verdict| verdict.holds && verdict.k >= Some(4)));
            releases.push(read_rows(&folder.path().join(output)));
        }
    }
    let (header, rows) = &releases[0];
    assert_eq!(header, &HEADER[1..], "identifying columns are absent");
    assert_eq!(rows.len(), 400);
    assert!(releases.iter().all(|release| release == &releases[0]));
    let verdict = judge(&folder, "out.parquet", &k_anonymity(4));
    assert!(verdict.holds, "{verdict}");
}

#[test]
fn the_same_key_gives_the_same_bytes_on_any_number_of_threads() {
    // Several blocks of input, and more cells than are cut in one thread.
    let folder = folder(30_000);
    for (method, options) in
        [("mondrian", "mode = \"strict\""), ("mondrian", "mode = \"relaxed\""), ("datafly", "")]
    {
        let release = |key: &str, threads: usize| {
            let rest = format!(
                "l-diversity = {{ l = 2 }}\n[algorithm]\nmethod = \"{method}\"\n{options}\n\
                 [release]\nseed-file = \"{key}\"\noutput = \"out.csv\"\nrecoding = \"out.json\""
            );
            let file = SpecFile::parse(
                &spec_text("people.csv", 3, &rest),
                &folder.path().join("spec.toml"),
            )
            .unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let report = pool.install(|| {
                let options = ReadOptions { threads: Some(threads), ..ReadOptions::default() };
                let source = Source::open(&input_of(&file), &options).unwrap();
                run(&Job::new(&file, &source).unwrap(), &source, &Control::new()).unwrap()
            });
            assert_eq!(report.outcome, SearchStatus::Feasible);
            ["out.csv", "out.json"].map(|name| fs::read(folder.path().join(name)).unwrap())
        };
        let first = release("a.key", 1);
        let same = first == release("a.key", 2) && first == release("a.key", 3);
        assert!(same, "{method} {options}");
        let [other, recoding] = release("b.key", 2);
        assert!(other != first[0] && recoding == first[1], "the key is for the order of rows");
    }
}

#[test]
fn rows_are_shuffled_kept_or_sorted() {
    let folder = folder(300);
    let notes = |order: &str| -> Vec<String> {
        run_spec(
            &folder,
            "people.csv",
            5,
            &format!("[release]\noutput = \"out.csv\"\norder = \"{order}\""),
        )
        .unwrap();
        let (_, rows) = read_rows(&folder.path().join("out.csv"));
        rows.into_iter().map(|row| row[4].clone()).collect()
    };
    let kept: Vec<String> = people(300).into_iter().map(|[.., note]| note).collect();
    assert_eq!(notes("keep"), kept);
    let shuffled = notes("shuffle");
    assert_ne!(shuffled, kept);
    assert_ne!(shuffled, notes("shuffle"), "without a seed every run has another order");
    notes("sort");
    let text = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert!(text.lines().skip(1).is_sorted());
    for mut order in [shuffled, notes("sort")] {
        let mut kept = kept.clone();
        order.sort();
        kept.sort();
        assert_eq!(order, kept);
    }
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = folder(50);
    let report = run_spec(&folder, "people.csv", 5, "").unwrap();
    assert_eq!(
        (report.outcome, report.released, report.output),
        (SearchStatus::Feasible, 50, None)
    );
    assert!(report.verdict.is_none() && report.metrics.is_some_and(|metrics| metrics.gcp > 0.0));
    assert_eq!(names_in(&folder), ["people.csv"]);
}

/// Counts the steps that a run begins.
#[derive(Default, Clone)]
struct Steps(Arc<Mutex<Vec<RunPhase>>>);

impl Steps {
    fn control(&self) -> Control {
        let steps = self.0.clone();
        Control::new().with_listener(move |event| {
            if let Event::Phase(phase) = event {
                steps.lock().unwrap().push(*phase);
            }
        })
    }
}

#[test]
fn a_missing_output_folder_is_an_error_before_any_work() {
    let folder = folder(50);
    for release in
        ["output = \"nowhere/out.csv\"", "output = \"out.csv\"\nrecoding = \"nowhere/out.json\""]
    {
        let text = spec_text("people.csv", 5, &format!("[release]\n{release}"));
        let file = SpecFile::parse(&text, &folder.path().join("spec.toml")).unwrap();
        let steps = Steps::default();
        let error = run_file(&file, &steps.control()).unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
        assert!(steps.0.lock().unwrap().is_empty(), "nothing was read");
        assert_eq!(names_in(&folder), ["people.csv"]);
    }
}

#[test]
fn steps_come_in_order() {
    let folder = folder(50);
    let text = spec_text("people.csv", 5, "[release]\noutput = \"out.csv\"");
    let file = SpecFile::parse(&text, &folder.path().join("spec.toml")).unwrap();
    let steps = Steps::default();
    run_file(&file, &steps.control()).unwrap();
    assert_eq!(
        *steps.0.lock().unwrap(),
        [RunPhase::Read, RunPhase::Solve, RunPhase::Write, RunPhase::Verify]
    );
    assert_eq!(names_in(&folder), ["out.csv", "people.csv"]);
}

#[test]
fn options_and_a_spec_file_give_the_same_bytes() {
    let folder = folder(200);
    let at = |name: &str| folder.path().join(name);
    let text = spec_text(
        "people.csv",
        4,
        r#"
        l-diversity = { l = 2 }
        [algorithm]
        method = "mondrian"
        mode = "relaxed"
        [release]
        order = "sort"
        output = "spec.csv"
        "#,
    )
    .replace("[columns.sex]", "bins = { width = 5, start = 16 }\n[columns.sex]");
    run_file(&SpecFile::parse(&text, &at("spec.toml")).unwrap(), &Control::new()).unwrap();

    let mut columns: Vec<ColumnSection> =
        ["age", "sex", "zip"].map(|name| ColumnSection::new(name, Role::Quasi)).to_vec();
    columns[0].bins = Some(parse_bins("age=5@16").unwrap().1);
    columns.push(ColumnSection::new("name", Role::Identifying));
    columns.push(ColumnSection::new("disease", Role::Sensitive));
    columns.push(ColumnSection { accept: true, ..ColumnSection::new("note", Role::Plain) });
    let mut spec = Spec::new(at("people.csv"), columns, 4);
    spec.privacy.l_diversity =
        vec![LDiversity { column: None, l: 2.0, kind: LKind::Distinct, c: None }];
    spec.release.order = RowOrder::Sort;
    spec.algorithm.method = "mondrian".to_owned();
    spec.algorithm.options.insert("mode".to_owned(), OptionValue::Text("relaxed".to_owned()));
    spec.release.output = Some(at("options.csv"));
    run_file(&SpecFile::from_options(spec).unwrap(), &Control::new()).unwrap();

    let [one, other] = ["spec.csv", "options.csv"].map(|name| fs::read(at(name)).unwrap());
    assert_eq!(one, other);
}

#[test]
fn a_summary_of_two_columns_holds_the_ends_of_the_range() {
    let folder = folder(200);
    let text = spec_text("people.csv", 5, "[release]\noutput = \"out.csv\"\norder = \"keep\"")
        .replace("[columns.sex]", "summary = \"columns\"\n[columns.sex]");
    run_file(&SpecFile::parse(&text, &folder.path().join("spec.toml")).unwrap(), &Control::new())
        .unwrap();
    let (header, rows) = read_rows(&folder.path().join("out.csv"));
    assert_eq!(header, ["age_min", "age_max", "sex", "zip", "disease", "note"]);
    let mut ranges = 0;
    for (released, original) in rows.iter().zip(people(200)) {
        match (released[0].parse::<u32>(), released[1].parse::<u32>()) {
            (Ok(least), Ok(most)) => {
                let age: u32 = original[1].parse().unwrap();
                assert!(least <= age && age <= most);
                ranges += 1;
            }
            _ => assert!(released[0] == released[1] && ["*", ""].contains(&released[0].as_str())),
        }
    }
    assert!(ranges > 150, "{ranges} rows have an age");
    let verdict = judge(&folder, "out.csv", &k_anonymity(5));
    assert!(verdict.holds, "{verdict}");
}

#[test]
fn local_recoding_keeps_diversity() {
    let folder = folder(1_000);
    let rest = "l-diversity = { l = 3 }\n[algorithm]\nmethod = \"mondrian\"\nmode = \"relaxed\"\n[release]\noutput = \"out.csv.zst\"";
    let report = run_spec(&folder, "people.csv", 4, rest).unwrap();
    assert_eq!((report.recoding_kind, report.released), (Some("local"), 1_000));
    let mut requirements = k_anonymity(4);
    requirements.models = vec![SensitiveModel::new("disease", Model::DistinctL(3))];
    let verdict = judge(&folder, "out.csv.zst", &requirements);
    assert!(verdict.holds, "{verdict}");
    assert!(verdict.models[0].achieved >= Some(3.0));
    assert_eq!(verdict.original.unwrap().matched, 1_000);
    assert_eq!(report.classes as u64, verdict.classes);
}

/// Applies the saved recoding of `recoding.json` to new rows.
fn apply_to(folder: &TempDir, rows: &[[String; 6]], unseen: UnseenPolicy) -> Result<RunReport> {
    write_table(&folder.path().join("new.csv"), rows);
    let source = Source::open(&folder.path().join("new.csv").into(), &ReadOptions::default())?;
    let job = ApplyOptions {
        recoding: ApplyOptions::read_recoding(&folder.path().join("recoding.json"))?,
        unseen,
        output: Some(folder.path().join("applied.csv")),
        delimiter: None,
        order: Order::Kept,
        suppressed: incrowd_engine::SuppressionMode::Drop,
        earlier: Vec::new(),
    };
    apply(&job, &source, &Control::new())
}

#[test]
fn a_saved_recoding_releases_new_rows() {
    let folder = folder(500);
    let rest = "l-diversity = { l = 2 }\n[release]\noutput = \"out.csv\"\norder = \"keep\"\nrecoding = \"recoding.json\"";
    run_spec(&folder, "people.csv", 5, rest).unwrap();
    let read = |name: &str| read_rows(&folder.path().join(name));

    // The same rows become the same release: boxes are kept in an order in which each row finds its own first.
    apply_to(&folder, &people(500), UnseenPolicy::Refuse).unwrap();
    assert_eq!(read("applied.csv"), read("out.csv"));
    let released = read("out.csv").1;

    // Fewer rows: classes that are now too small are suppressed.
    let report = apply_to(&folder, &people(250), UnseenPolicy::Refuse).unwrap();
    assert!(report.suppressed > 0 && report.released + report.suppressed == 250);
    assert!(report.verdict.is_some_and(|verdict| verdict.holds && verdict.k >= Some(5)));
    let (header, rows) = read("applied.csv");
    assert_eq!(header, &HEADER[1..]);
    assert_eq!(rows.len() as u64, report.released);
    let others = rows.iter().filter(|row| !released.contains(row)).count();
    assert!(others <= 5, "{others}");

    // A value that the recoding has never seen.
    fs::remove_file(folder.path().join("applied.csv")).unwrap();
    let mut strange = people(500);
    strange[3][3] = "99999".to_owned();
    let error = apply_to(&folder, &strange, UnseenPolicy::Refuse).unwrap_err();
    assert!(error.message.contains("zip=\"99999\""), "{error}");
    assert!(!folder.path().join("applied.csv").exists());
    let report = apply_to(&folder, &strange, UnseenPolicy::Suppress).unwrap();
    assert!(report.suppressed > 0 && report.released < 500);
    assert!(read("applied.csv").1.iter().all(|row| row[4] != strange[3][5]));

    // A table without a column that the recoding needs.
    let bare = folder.path().join("bare.csv");
    fs::write(&bare, "age,sex\n20,male\n").unwrap();
    let source = Source::open(&bare.into(), &ReadOptions::default()).unwrap();
    let job = ApplyOptions {
        recoding: ApplyOptions::read_recoding(&folder.path().join("recoding.json")).unwrap(),
        unseen: UnseenPolicy::Refuse,
        output: None,
        delimiter: None,
        order: Order::Sorted,
        suppressed: incrowd_engine::SuppressionMode::Drop,
        earlier: Vec::new(),
    };
    assert!(apply(&job, &source, &Control::new()).unwrap_err().message.contains("`zip`"));
}

/// ZIP codes by their prefixes; ages are released as ranges, which need no hierarchy to be read.
fn ladders() -> std::collections::BTreeMap<String, LabelHierarchy> {
    let zips = (2100..2160).map(|zip| {
        let zip = format!("0{zip}");
        [zip.clone(), format!("{}*", &zip[..4]), format!("{}**", &zip[..3]), "*".to_owned()]
    });
    [("zip".to_owned(), LabelHierarchy::from_rows(zips).unwrap())].into()
}

#[test]
fn suppressed_rows_may_stay_blank() {
    let folder = folder(300);
    for suppressed in ["drop", "blank"] {
        let rest = format!(
            "[goal]\nmax-suppressed = \"25%\"\n[algorithm]\nmethod = \"datafly\"\n\
             [release]\noutput = \"out.csv\"\nsuppressed = \"{suppressed}\""
        );
        let text = spec_text("people.csv", 4, &rest)
            .replace("[columns.sex]", "hierarchy = { intervals = [10, 20] }\n[columns.sex]")
            .replace("[columns.disease]", "hierarchy = { prefix = [4, 3] }\n[columns.disease]");
        let file = SpecFile::parse(&text, &folder.path().join("spec.toml")).unwrap();
        let report = run_file(&file, &Control::new()).unwrap();
        let mut requirements = k_anonymity(4);
        requirements.ladders = ladders();
        let verdict = judge(&folder, "out.csv", &requirements);
        assert!(verdict.holds, "{verdict}");
        assert!((1..=75).contains(&report.suppressed), "{} suppressed", report.suppressed);
        let found = verdict.original.unwrap();
        match suppressed {
            "drop" => assert_eq!(
                (found.suppressed, report.released),
                (report.suppressed, 300 - report.suppressed)
            ),
            _ => assert_eq!((found.suppressed, report.released), (0, 300)),
        }
    }
}

#[test]
fn what_cannot_be_done_is_said_and_nothing_is_written() {
    let folder = folder(60);
    let rest = "l-diversity = { l = 6 }\n[release]\noutput = \"out.csv\"\nrecoding = \"out.json\"";
    let report = run_spec(&folder, "people.csv", 5, rest).unwrap();
    assert_eq!(
        (report.outcome, report.released, report.output),
        (SearchStatus::Infeasible, 0, None)
    );
    assert!(report.why.unwrap().contains("l-diversity"));
    assert_eq!(names_in(&folder), ["people.csv"]);
    let error = run_spec(&folder, "people.csv", 61, "[release]\noutput = \"out.csv\"").unwrap_err();
    assert!(error.message.contains("only 60 rows"), "{error}");
    assert_eq!(names_in(&folder), ["people.csv"]);
}

/// Does something to the files of a run when a step begins.
fn meddled(
    folder: &TempDir,
    output: &str,
    when: RunPhase,
    what: impl Fn(&Path) + Send + Sync + 'static,
) -> Error {
    let text = spec_text(
        "people.csv",
        5,
        &format!("[release]\noutput = \"{output}\"\nrecoding = \"out.json\""),
    );
    let file = SpecFile::parse(&text, &folder.path().join("spec.toml")).unwrap();
    let place = folder.path().to_owned();
    let control = Control::new().with_listener(move |event| match event {
        Event::Phase(phase) if *phase == when => what(&place),
        _ => {}
    });
    run_file(&file, &control).unwrap_err()
}

/// The file that a run is writing its release to. It has no name where the system can do without: then it is found among
/// the open files, the one that was written to last.
fn unfinished(folder: &Path, extension: &str) -> PathBuf {
    let named = names_of(folder)
        .into_iter()
        .find(|name| name.starts_with(".incrowd-") && name.ends_with(extension));
    if let Some(name) = named {
        return folder.join(name);
    }
    let open = fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().path());
    // A file without a name is shown as a deleted one.
    let inside = |path: &PathBuf| {
        let link = fs::read_link(path).unwrap_or_default();
        link.starts_with(folder) && link.to_string_lossy().ends_with("(deleted)")
    };
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |file| file.len());
    open.filter(inside).max_by_key(size).unwrap()
}

#[test]
fn a_release_that_fails_verification_is_not_written() {
    let folder = folder(100);
    let error = meddled(&folder, "out.csv", RunPhase::Verify, |folder| {
        let mut file =
            fs::OpenOptions::new().append(true).open(unfinished(folder, ".csv")).unwrap();
        writeln!(file, "33,female,02101,flu,somebody who stands alone").unwrap();
    });
    assert!(error.message.contains("failed verification"), "{error}");
    let class = "5-anonymity: not met by 1 class (1 row), such as age = `33`, sex = `female`, zip = `02101`";
    assert!(error.message.ends_with(class), "{error}");
    assert_eq!(names_in(&folder), ["people.csv"]);

    // Nor does one that cannot be read back.
    meddled(&folder, "out.csv.gz", RunPhase::Verify, |folder| {
        fs::write(unfinished(folder, ".gz"), "not gzip").unwrap()
    });
    meddled(&folder, "out.parquet", RunPhase::Verify, |folder| {
        fs::write(unfinished(folder, ".parquet"), "PAR1").unwrap()
    });
    assert_eq!(names_in(&folder), ["people.csv"]);
}

#[test]
fn an_input_that_changes_under_way_is_noticed() {
    let folder = folder(100);
    let error = meddled(&folder, "out.csv", RunPhase::Write, |folder| {
        let mut file = fs::OpenOptions::new().append(true).open(folder.join("people.csv")).unwrap();
        writeln!(file, "Mallory,101,other,99999,flu,").unwrap();
    });
    assert!(error.message.contains("changed"), "{error}");
    assert_eq!(names_in(&folder), ["people.csv"]);
}

#[test]
fn an_interrupted_run_writes_nothing() {
    let folder = folder(100);
    let text = spec_text("people.csv", 5, "[release]\noutput = \"out.csv\"");
    let file = SpecFile::parse(&text, &folder.path().join("spec.toml")).unwrap();
    let cancel = CancelToken::new();
    cancel.cancel();
    let control = Control::new().with_cancel(&cancel);
    assert!(run_file(&file, &control).unwrap_err().is_interrupted());
    assert_eq!(names_in(&folder), ["people.csv"]);
}

#[test]
fn roles_and_other_columns_decide_what_is_released() {
    let folder = folder(100);
    // What names rows is released only by a role that says so.
    let unnamed = |text: String| text.replace("[columns.note]\n        role = \"plain\"\n", "");
    for (other, expected) in [("plain", &HEADER[1..]), ("drop", &HEADER[1..5])] {
        let text = spec_text("people.csv", 5, "[release]\noutput = \"out.csv\"");
        let text = if other == "drop" { unnamed(text) } else { text }
            .replace("[columns.name]", &format!("other = \"{other}\"\n[columns.name]"));
        run_file(
            &SpecFile::parse(&text, &folder.path().join("spec.toml")).unwrap(),
            &Control::new(),
        )
        .unwrap();
        assert_eq!(read_rows(&folder.path().join("out.csv")).0, expected);
    }
    let text = unnamed(spec_text("people.csv", 5, ""))
        .replace("[columns.name]", "other = \"error\"\n[columns.name]");
    let error = run_file(
        &SpecFile::parse(&text, &folder.path().join("spec.toml")).unwrap(),
        &Control::new(),
    );
    assert!(error.unwrap_err().to_string().contains("`note`"));
}
