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
    pub(crate) fn role(self, column: &str, role: Role) -> String {
        match self {
            Voice::Options => format!("--{role} {}", quoted(column)),
            Voice::Spec => format!("{} = {{ role = \"{role}\" }}", toml_key(column)),
            Voice::Program => format!(".{role}([{column:?}])"),
            Voice::Keywords if role == Role::Class => format!("class_={column:?}"),
            Voice::Keywords => format!("{role}=[{column:?}]"),
        }
    }

    /// What to write so that a column is not released; one whose values are replaced is released although it names people.
    pub(crate) fn left_out(self, column: &str, treated: bool) -> String {
        match (treated, self) {
            (false, _) => self.role(column, Role::Identifying),
            (true, Voice::Options) => format!("--treat {}", quoted(&format!("{column}=drop"))),
            (true, Voice::Spec) => format!("treat = \"drop\" in the table of {}", toml_key(column)),
            (true, _) => format!("treat={{{column:?}: \"drop\"}}"),
        }
    }

    /// What to write so that a column is released although it looks as if it named people.
    fn accepted(self, column: &str) -> String {
        match self {
            Voice::Options => format!("--plain {0} --accept {0}", quoted(column)),
            Voice::Spec => format!("{} = {{ role = \"plain\", accept = true }}", toml_key(column)),
            Voice::Program => format!(".plain([{column:?}]).accept([{column:?}])"),
            Voice::Keywords => format!("plain=[{column:?}], accept=[{column:?}]"),
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
pub(crate) fn quoted(column: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+".contains(c);
    match column.chars().all(plain) && !column.is_empty() {
        true => column.to_owned(),
        false => format!("'{}'", column.replace('\'', "'\\''")),
    }
}

/// A column that was refused, and the ways to mend it: what to write, and what that does.
pub(crate) struct Refused {
    pub(crate) mend: Mend,
    pub(crate) ways: Vec<(String, &'static str)>,
}

impl Refused {
    /// A column that single people out.
    pub(crate) fn exposed(column: &str, exposed: &Exposed, voice: Voice) -> Self {
        let way = |role, does| (voice.role(column, role), does);
        let left_out = way(Role::Identifying, "leaves it out");
        let generalized = way(Role::Quasi, "generalizes it with the others");
        let protected = way(Role::Sensitive, "keeps it, for models such as t-closeness to protect");
        let meant = way(Role::Plain, "releases it as it is, on purpose");
        let ways = match exposed.how {
            Exposing::Names | Exposing::Numbers | Exposing::Text => {
                let meant = (voice.accepted(column), "releases it as it is, on purpose");
                let rounded = rounding(column, exposed, voice);
                [Some(left_out), rounded, Some(meant)].into_iter().flatten().collect()
            }
            Exposing::Time | Exposing::Place => vec![generalized, left_out, meant],
            Exposing::Measurement => {
                let rounded = rounding(column, exposed, voice);
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

    /// An identifier that is to be released as a sensitive or class column.
    pub(crate) fn identifier(column: &str, exposed: &Exposed, voice: Voice) -> Self {
        let left_out = (voice.role(column, Role::Identifying), "leaves it out");
        let meant = (voice.accepted(column), "releases it as it is, on purpose");
        let rounded = rounding(column, exposed, voice);
        let ways = [Some(left_out), rounded, Some(meant)].into_iter().flatten().collect();
        let (role, why) = (Role::Identifying.name(), exposed.why.clone());
        Refused { mend: Mend { column: column.to_owned(), role, why }, ways }
    }

    /// A column that tells what the release hides of quasi-identifiers. What names rows is not proposed to be released.
    pub(crate) fn undoes(column: &str, why: String, names_rows: bool, voice: Voice) -> Self {
        let way = |role, does| (voice.role(column, role), does);
        let left_out = way(Role::Identifying, "leaves it out");
        let meant = (voice.accepted(column), "releases it as it is, on purpose");
        let (role, ways) = match names_rows {
            true => (Role::Identifying, vec![left_out, meant]),
            // Generalized it may still be a household's number: what is pasted leaves it out.
            false => {
                let generalized = way(Role::Quasi, "generalizes it with the others");
                (Role::Identifying, vec![left_out, generalized, meant])
            }
        };
        Refused { mend: Mend { column: column.to_owned(), role: role.name(), why }, ways }
    }

    /// A column that may be released only if somebody accepts it.
    pub(crate) fn to_accept(column: &str, why: String, voice: Voice) -> Self {
        let left_out = (voice.role(column, Role::Identifying), "leaves it out");
        let meant = (voice.accepted(column), "releases it as it is, on purpose");
        let role = Role::Identifying.name();
        Refused { mend: Mend { column: column.to_owned(), role, why }, ways: vec![left_out, meant] }
    }

    /// A column that can only be left out.
    pub(crate) fn to_leave_out(column: &str, why: String, voice: Voice) -> Self {
        let ways = vec![(voice.role(column, Role::Identifying), "leaves it out")];
        Refused {
            mend: Mend { column: column.to_owned(), role: Role::Identifying.name(), why },
            ways,
        }
    }

    /// A column whose values are replaced and which tells what the release hides all the same.
    pub(crate) fn masked(column: &str, why: String, voice: Voice) -> Self {
        let ways = vec![(voice.left_out(column, true), "leaves it out")];
        Refused { mend: Mend { column: column.to_owned(), role: "drop", why }, ways }
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

impl Voice {
    /// What to write so that the rows of a unit share a class.
    pub(crate) fn same_box(self) -> &'static str {
        match self {
            Voice::Options => "--same-box",
            Voice::Spec => "same-box = true under [privacy]",
            Voice::Program => ".method(SameBox::default())",
            Voice::Keywords => "same_box=True",
        }
    }
}

/// Rounding that makes people share values, where a column can be rounded.
fn rounding(column: &str, exposed: &Exposed, voice: Voice) -> Option<(String, &'static str)> {
    let way = voice.round(column, exposed.round.as_deref()?)?;
    Some((way, "makes it coarse enough to be shared by many"))
}

/// Columns that are told one by one; the line to paste has them all.
const TOLD: usize = 20;

/// The error that refuses a run because of its columns.
pub(crate) fn refusal(kind: ErrorKind, headline: &str, refused: &[Refused], help: &str) -> Error {
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
