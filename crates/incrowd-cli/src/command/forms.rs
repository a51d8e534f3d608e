//! `goal`, `forms` and `record`: what approvers ask and file.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use incrowd_assess::goals::{GUIDANCE, GuidanceEntry};
use incrowd_engine::Control;
use incrowd_run::forms::{
    Approval, Attestation, ReleaseFacts, append_record, clinical_report, croissant,
    expert_determination, iso_27559, motivated_intruder, safe_harbor, safe_harbor_spec,
};
use incrowd_run::spec::{
    ContextSection, KeywordChoice, SpecFile, parsing::parse_assignment, with_context, write_spec,
};
use incrowd_run::{
    Error, Result,
    data::{OutputFile, Source},
};
use incrowd_term::tell;

use super::open;
use crate::CommandOutcome;
use crate::args::{self, FormArgs, FormsCommand};

pub(crate) fn goal(args: &args::GoalArgs) -> Result<CommandOutcome> {
    let context = ContextSection {
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
        let told = serde_json::json!({ "context": context.purpose(), "proposal": proposal, "guidance": GUIDANCE });
        sayln!("{}", crate::show::json_answer("proposal", &told)?);
        return Ok(CommandOutcome::Done);
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
    let row =
        |it: &GuidanceEntry| [it.who, it.r#for, it.threshold, it.k].map(str::to_owned).to_vec();
    let rows = GUIDANCE.iter().map(row);
    sayln!("\n{}", crate::show::table(&["guidance", "for", "risk", "k"], rows));
    if let Some(path) = &args.into {
        sayln!("\nwritten       {}", path.display());
    }
    Ok(CommandOutcome::Done)
}

/// An answer as an option, or asked for where somebody is there to answer.
fn answer<T: KeywordChoice>(option: &str, question: &str, given: Option<&str>) -> Result<T> {
    if let Some(text) = given {
        return T::from_name(text);
    }
    let choices: Vec<&str> = T::ALL.iter().map(|choice| choice.name()).collect();
    let choices = choices.join(", ");
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Error::new(format!("the {option} is missing"))
            .help(format!("--{option} is one of {choices}")));
    }
    tell(&format!("{question}? ({choices})"));
    let _ = std::io::stderr().flush();
    let mut line = String::new();
    stdin
        .lock()
        .read_line(&mut line)
        .map_err(|e| Error::new(format!("no answer was read: {e}")))?;
    T::from_name(line.trim())
}

pub(crate) fn forms(args: &FormsCommand) -> Result<CommandOutcome> {
    match args {
        FormsCommand::SafeHarborSpec(args) => {
            let source = args.reading.open(&args.input)?;
            let spec = safe_harbor_spec(&source, args.k, args.zip_census, &Control::new())?;
            write(args.output.as_deref(), &write_spec(&spec))?;
            Ok(CommandOutcome::Done)
        }
        FormsCommand::SafeHarbor(args) => {
            let sources = FormSources::open(&args.form)?;
            let list = safe_harbor(&sources.facts()?, &attested(&args.attest)?, &Control::new())?;
            let text = match args.json {
                true => crate::show::json_text("checklist", &list)? + "\n",
                false => list.to_string(),
            };
            write(args.form.output.as_deref(), &text)?;
            Ok(if list.done { CommandOutcome::Done } else { CommandOutcome::Unmet })
        }
        FormsCommand::Clinical(form) => measured(form, clinical_report),
        FormsCommand::ExpertDetermination(form) => measured(form, expert_determination),
        FormsCommand::MotivatedIntruder(form) => measured(form, motivated_intruder),
        FormsCommand::Iso27559(form) => written(form, |facts| Ok(iso_27559(facts))),
        FormsCommand::Croissant(form) => written(form, |facts| {
            Ok(crate::show::json_text("description", &croissant(facts, None, None)?)? + "\n")
        }),
    }
}

pub(crate) fn record(args: &args::RecordArgs) -> Result<CommandOutcome> {
    let sources = FormSources::open(&args.form)?;
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
    Ok(CommandOutcome::Done)
}

/// What is read for a form.
struct FormSources {
    file: SpecFile,
    release: Source,
    original: Option<Source>,
}

impl FormSources {
    fn open(form: &FormArgs) -> Result<Self> {
        let file = SpecFile::read(&form.spec)?;
        let delimiter = file.spec.data.delimiter.map(|c| c.to_string());
        let original = form
            .original
            .as_deref()
            .map(|path| open(path, delimiter.as_deref(), None))
            .transpose()?;
        Ok(FormSources { file, release: form.reading.open(&form.release)?, original })
    }

    fn facts(&self) -> Result<ReleaseFacts<'_>> {
        ReleaseFacts::gather(&self.file, &self.release, self.original.as_ref(), &Control::new())
    }
}

/// A form that says what was measured, and not only what was verified.
fn measured(form: &FormArgs, text: fn(&ReleaseFacts<'_>) -> String) -> Result<CommandOutcome> {
    let sources = FormSources::open(form)?;
    let facts = sources.facts()?.measured(&Control::new())?;
    write(form.output.as_deref(), &text(&facts))?;
    Ok(if facts.holds() { CommandOutcome::Done } else { CommandOutcome::Unmet })
}

fn written(
    form: &FormArgs,
    text: impl FnOnce(&ReleaseFacts<'_>) -> Result<String>,
) -> Result<CommandOutcome> {
    let sources = FormSources::open(form)?;
    let facts = sources.facts()?;
    write(form.output.as_deref(), &text(&facts)?)?;
    Ok(if facts.holds() { CommandOutcome::Done } else { CommandOutcome::Unmet })
}

fn write(output: Option<&Path>, text: &str) -> Result<()> {
    match output.filter(|path| *path != Path::new("-")) {
        None => {
            sayln!("{}", text.trim_end());
            Ok(())
        }
        Some(path) => {
            OutputFile::create(path)?.fill(text)?;
            sayln!("{:<14}{}", "written", path.display());
            Ok(())
        }
    }
}

fn attested(texts: &[String]) -> Result<Vec<Attestation>> {
    texts.iter().map(|text| parse_assignment(text)).collect()
}
