//! `goal`, `forms` and `record`: what approvers ask and file.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use incrowd::Control;
use incrowd_run::forms::{
    Approval, Attested, Facts, append_record, clinical_report, croissant, guidance, iso_27559,
    safe_harbor, safe_harbor_spec,
};
use incrowd_run::spec::{Context, Named, SpecFile, parse_assignment, with_context, write_spec};
use incrowd_run::{Error, OutputFile, Result, Source};
use incrowd_term::tell;

use super::open;
use crate::End;
use crate::args::{self, Form, Forms};

pub(crate) fn goal(args: &args::Goal) -> Result<End> {
    let context = Context {
        audience: answer("audience", "Who gets the release", args.audience.as_deref())?,
        knowledge: answer("knowledge", "What can they know", args.knowledge.as_deref())?,
        harm: answer("harm", "How bad would it be for a person to be found", args.harm.as_deref())?,
    };
    let proposal = context.proposal();
    if let Some(path) = &args.into {
        let text = std::fs::read_to_string(path).map_err(|e| Error::file("read", path, &e))?;
        let new = with_context(&text, path, context)?;
        OutputFile::create(path)?.fill(new)?;
    }
    if args.json {
        let guidance = guidance().into_iter().map(|[who, what, threshold, k]| {
            serde_json::json!({ "who": who, "for": what, "threshold": threshold, "k": k })
        });
        let guidance: Vec<_> = guidance.collect();
        let told = serde_json::json!({ "context": context.purpose(), "proposal": proposal, "guidance": guidance });
        sayln!("{}", crate::show::json_text("proposal", &told)?);
        return Ok(End::Done);
    }
    sayln!("{:<14}at most {}", "risk", proposal.threshold);
    sayln!("{:<14}{}", "k", proposal.k);
    sayln!(
        "{:<14}{}",
        "l-diversity",
        proposal.l.map_or_else(|| "none".to_owned(), |l| l.to_string())
    );
    for (at, why) in proposal.why.iter().enumerate() {
        sayln!("{:<14}{why}", if at == 0 { "because" } else { "" });
    }
    let rows = guidance().into_iter().map(|row| row.map(str::to_owned).to_vec());
    sayln!("\n{}", crate::show::table(&["guidance", "for", "risk", "k"], rows));
    if let Some(path) = &args.into {
        sayln!("\nwritten       {}", path.display());
    }
    Ok(End::Done)
}

/// An answer as an option, or asked for where somebody is there to answer.
fn answer<T: Named>(option: &str, question: &str, given: Option<&str>) -> Result<T> {
    if let Some(text) = given {
        return T::from_name(text);
    }
    let choices: Vec<&str> = T::ALL.iter().map(|choice| choice.name()).collect();
    let choices = choices.join(", ");
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Error::new(format!("nothing says the {option}"))
            .help(format!("--{option} is one of {choices}")));
    }
    tell(&format!("{question}? ({choices})"));
    let _ = std::io::stderr().flush();
    let mut line = String::new();
    stdin
        .lock()
        .read_line(&mut line)
        .map_err(|e| Error::new(format!("there is no answer: {e}")))?;
    T::from_name(line.trim())
}

pub(crate) fn forms(args: &Forms) -> Result<End> {
    match args {
        Forms::SafeHarborSpec(args) => {
            let source = args.reading.open(&args.input)?;
            let spec = safe_harbor_spec(&source, args.k, &Control::new())?;
            write(args.output.as_deref(), &write_spec(&spec))?;
            Ok(End::Done)
        }
        Forms::SafeHarbor(args) => {
            let sources = Sources::open(&args.form)?;
            let list = safe_harbor(&sources.facts()?, &attested(&args.attest)?, &Control::new())?;
            let text = match args.json {
                true => crate::show::json_text("checklist", &list)? + "\n",
                false => list.to_string(),
            };
            write(args.form.output.as_deref(), &text)?;
            Ok(if list.done { End::Done } else { End::Unmet })
        }
        Forms::Clinical(form) => written(form, |facts| Ok(clinical_report(facts))),
        Forms::Iso27559(form) => written(form, |facts| Ok(iso_27559(facts))),
        Forms::Croissant(form) => written(form, |facts| {
            Ok(crate::show::json_text("description", &croissant(facts, None, None)?)? + "\n")
        }),
    }
}

pub(crate) fn record(args: &args::Record) -> Result<End> {
    let sources = Sources::open(&args.form)?;
    let facts = sources.facts()?;
    let list = match args.safe_harbor {
        true => Some(safe_harbor(&facts, &attested(&args.attest)?, &Control::new())?),
        false => None,
    };
    let approval = Approval { by: args.approved_by.clone(), remark: args.remark.clone() };
    let entry = append_record(&args.into, &facts, &approval, list.as_ref())?;
    match args.json {
        true => sayln!("{}", crate::show::json_text("entry", &entry)?),
        false => {
            sayln!("{:<14}number {} of {}", "recorded", entry.number, args.into.display());
            sayln!("{:<14}{}", "hash", entry.hash);
        }
    }
    Ok(End::Done)
}

/// What is read for a form.
struct Sources {
    file: SpecFile,
    release: Source,
    original: Option<Source>,
}

impl Sources {
    fn open(form: &Form) -> Result<Self> {
        let file = SpecFile::read(&form.spec)?;
        let delimiter = file.spec.data.delimiter.map(|c| c.to_string());
        let original = form
            .original
            .as_deref()
            .map(|path| open(path, delimiter.as_deref(), None))
            .transpose()?;
        Ok(Sources { file, release: form.reading.open(&form.release)?, original })
    }

    fn facts(&self) -> Result<Facts<'_>> {
        Facts::gather(&self.file, &self.release, self.original.as_ref(), &Control::new())
    }
}

fn written(form: &Form, text: impl FnOnce(&Facts<'_>) -> Result<String>) -> Result<End> {
    let sources = Sources::open(form)?;
    let facts = sources.facts()?;
    write(form.output.as_deref(), &text(&facts)?)?;
    Ok(if facts.holds() { End::Done } else { End::Unmet })
}

fn write(output: Option<&Path>, text: &str) -> Result<()> {
    match output.filter(|path| *path != Path::new("-")) {
        None => {
            sayln!("{}", text.trim_end());
            Ok(())
        }
        Some(path) => OutputFile::create(path)?.fill(text),
    }
}

fn attested(texts: &[String]) -> Result<Vec<Attested>> {
    texts.iter().map(|text| parse_assignment(text)).collect()
}
