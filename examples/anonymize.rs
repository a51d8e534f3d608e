//! What `incrowd anonymize` does, on the libraries alone: progress, an end at will, a verified file and a report.
//!
//!     cargo run -p incrowd-examples --bin anonymize -- examples/patients.csv release.csv 3 age,sex,zip name

use incrowd_engine::search::RunPhase;
use incrowd_engine::{CancelToken, Control, Event};
use incrowd_report::{RunPage, run_page};
use incrowd_run::spec::{ColumnSection, OtherColumns, Role, Spec, SpecFile};
use incrowd_run::{Error, Job, Result, data::OutputFile, open_input, report::Tracer, run};

fn main() {
    if let Err(error) = anonymize() {
        eprintln!("error: {error}");
        std::process::exit(if error.is_interrupted() { 130 } else { 2 });
    }
}

fn anonymize() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [input, output, k, quasi, identifying] = args.as_slice() else {
        return Err(Error::new("usage: anonymize INPUT OUTPUT K QUASI,.. IDENTIFYING,.."));
    };
    let named = |names: &str, role: Role| -> Vec<ColumnSection> {
        names.split(',').map(|name| ColumnSection::new(name, role)).collect()
    };
    let mut columns = named(quasi, Role::Quasi);
    columns.extend(named(identifying, Role::Identifying));
    let k = k.parse().map_err(|_| Error::new(format!("k = `{k}` is no number")))?;
    let mut spec = Spec::new(input, columns, k);
    spec.data.other = Some(OtherColumns::Drop);
    spec.release.output = Some(output.into());
    spec.release.report = Some(format!("{output}.html").into());
    let file = SpecFile::from_options(spec)?;

    // Ctrl-C ends the search; the best so far is still written. Progress is told as it comes.
    let cancel = CancelToken::new();
    let ended = cancel.clone();
    let _ = ctrlc::set_handler(move || ended.cancel());
    let control = Control::new().with_cancel(&cancel).with_listener(|event| match event {
        Event::Phase(RunPhase::Solve) => eprintln!("searching"),
        Event::Phase(RunPhase::Verify) => eprintln!("verifying"),
        Event::Improved { cost, .. } => eprintln!("cost {cost:.2}"),
        _ => {}
    });
    let tracer = Tracer::new();
    let source = open_input(&file)?;
    let job = Job::new(&file, &source)?;
    let page = job.report.as_deref().map(OutputFile::create).transpose()?;
    let report = run(&job, &source, &tracer.listen(&control))?;
    let trace = tracer.points();
    if let Some(file_of_page) = page {
        let page = RunPage::new(&file, &job, source.file_name(), &report).with_trace(&trace);
        file_of_page.fill(run_page(&page))?;
    }
    println!("{}; {} rows released", report.in_words, report.released);
    Ok(())
}
