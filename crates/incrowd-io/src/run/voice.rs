//! Refusals in the words of whoever asked: options, a spec, or a program.

use incrowd::words::thousands;
use incrowd_assess::inspect::{Exposed, Exposing, LikelyRole};

use crate::spec::{Named, Role, toml_key};
use crate::{Error, ErrorKind, Mend};

/// How the question was put, and so how an answer is to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// By options on a command line.
    Options,
    /// By a spec file.
    Spec,
    /// By a program.
    Program,
    /// By a program in Python.
    Keywords,
}

impl Voice {
    /// What to write so that a column has a role.
    pub(super) fn role(self, column: &str, role: Role) -> String {
        match self {
            Voice::Options => format!("--{role} {}", quoted(column)),
            Voice::Spec => format!("{} = {{ role = \"{role}\" }}", toml_key(column)),
            Voice::Program => format!(".{role}([{column:?}])"),
            Voice::Keywords if role == Role::Class => format!("class_={column:?}"),
            Voice::Keywords => format!("{role}=[{column:?}]"),
        }
    }

    fn round(self, column: &str, step: &str) -> Option<String> {
        match self {
            Voice::Options => Some(format!("--plain {0} --round {0}={step}", quoted(column))),
            Voice::Spec => {
                Some(format!("{} = {{ role = \"plain\", round = {step} }}", toml_key(column)))
            }
            Voice::Program => None,
            Voice::Keywords => Some(format!("plain=[{column:?}], round={{{column:?}: {step}}}")),
        }
    }
}

/// A column's name as it can be typed.
pub(super) fn quoted(column: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+".contains(c);
    match column.chars().all(plain) && !column.is_empty() {
        true => column.to_owned(),
        false => format!("'{}'", column.replace('\'', "'\\''")),
    }
}

/// A column that was refused, and the ways to mend it: what to write, and what that does.
pub(super) struct Refused {
    pub(super) mend: Mend,
    pub(super) ways: Vec<(String, &'static str)>,
}

impl Refused {
    /// A column that single people out.
    pub(super) fn exposed(column: &str, exposed: &Exposed, voice: Voice) -> Self {
        let way = |role, does| (voice.role(column, role), does);
        let left_out = way(Role::Identifying, "leaves it out");
        let generalized = way(Role::Quasi, "generalizes it with the others");
        let protected = way(Role::Sensitive, "keeps it, for models such as t-closeness to protect");
        let meant = way(Role::Plain, "releases it as it is, on purpose");
        let ways = match exposed.how {
            Exposing::Names | Exposing::Numbers | Exposing::Text => vec![left_out, meant],
            Exposing::Time | Exposing::Place => vec![generalized, left_out, meant],
            Exposing::Measurement => {
                let step = exposed.round.as_deref();
                let rounded = step.and_then(|step| voice.round(column, step));
                let rounded =
                    rounded.map(|way| (way, "makes it coarse enough to be shared by many"));
                [Some(protected), rounded, Some(meant)].into_iter().flatten().collect()
            }
            Exposing::Value if exposed.mend == LikelyRole::Sensitive => {
                vec![protected, generalized, meant]
            }
            Exposing::Value => vec![generalized, left_out, meant],
        };
        let mend = Mend {
            column: column.to_owned(),
            role: Role::from(exposed.mend).name(),
            why: exposed.why.clone(),
        };
        Refused { mend, ways }
    }

    /// A column that tells what the release hides of quasi-identifiers.
    pub(super) fn undoes(column: &str, why: String, voice: Voice) -> Self {
        let way = |role, does| (voice.role(column, role), does);
        let ways = vec![
            way(Role::Quasi, "generalizes it with the others"),
            way(Role::Identifying, "leaves it out"),
            way(Role::Plain, "releases it as it is, on purpose"),
        ];
        Refused { mend: Mend { column: column.to_owned(), role: Role::Quasi.name(), why }, ways }
    }

    fn lines(&self) -> String {
        let width = self.ways.iter().map(|(way, _)| way.chars().count()).max().unwrap_or(0);
        let mut lines = format!("\n  {}: {}", self.mend.column, self.mend.why);
        for (way, does) in &self.ways {
            let pad = " ".repeat(width - way.chars().count());
            lines.push_str(&format!("\n      {way}{pad}  {does}"));
        }
        lines
    }
}

/// Columns that are told one by one; the line to paste has them all.
const TOLD: usize = 20;

/// The error that refuses a run because of its columns.
pub(super) fn refusal(kind: ErrorKind, headline: &str, refused: &[Refused], help: &str) -> Error {
    let mut message = headline.to_owned();
    for column in refused.iter().take(TOLD) {
        message.push_str(&column.lines());
    }
    if refused.len() > TOLD {
        let more = (refused.len() - TOLD) as u64;
        message.push_str(&format!("\n  and {} more columns", thousands(more)));
    }
    let mends = refused.iter().map(|column| column.mend.clone()).collect();
    Error { mends, ..Error::new(message).help(help).of_kind(kind) }
}
