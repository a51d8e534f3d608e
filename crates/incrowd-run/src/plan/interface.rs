//! Refusals in the words of whoever asked: options, a spec, or a program.

use incrowd_assess::inspect::{ExposureKind, ExposureReason, LikelyRole};
use incrowd_engine::words::thousands;

use crate::spec::{KeywordChoice, Role, parsing::toml_key};
use crate::{ColumnFix, Error, ErrorKind};

/// How the question was put, and so how an answer is to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// By options on a command line.
    Options,
    /// By a spec file.
    Spec,
    /// By a program.
    Program,
    /// By a program in Python.
    Keywords,
}

impl Interface {
    /// What to write so that a column has a role.
    pub(crate) fn role(self, column: &str, role: Role) -> String {
        match self {
            Interface::Options => format!("--{role} {}", quoted(column)),
            Interface::Spec => format!("{} = {{ role = \"{role}\" }}", toml_key(column)),
            Interface::Program => format!(".{role}([{column:?}])"),
            Interface::Keywords if role == Role::Class => format!("class_={column:?}"),
            Interface::Keywords => format!("{role}=[{column:?}]"),
        }
    }

    /// What to write so that a column is not released; one whose values are replaced is released although it names people.
    pub(crate) fn left_out(self, column: &str, treated: bool) -> String {
        match (treated, self) {
            (false, _) => self.role(column, Role::Identifying),
            (true, Interface::Options) => format!("--treat {}", quoted(&format!("{column}=drop"))),
            (true, Interface::Spec) => {
                format!("treat = \"drop\" in the table of {}", toml_key(column))
            }
            (true, _) => format!("treat={{{column:?}: \"drop\"}}"),
        }
    }

    /// What to write so that a column is released although it looks as if it named people.
    fn accepted(self, column: &str) -> String {
        match self {
            Interface::Options => format!("--plain {0} --accept {0}", quoted(column)),
            Interface::Spec => {
                format!("{} = {{ role = \"plain\", accept = true }}", toml_key(column))
            }
            Interface::Program => format!(".plain([{column:?}]).accept([{column:?}])"),
            Interface::Keywords => format!("plain=[{column:?}], accept=[{column:?}]"),
        }
    }

    fn round(self, column: &str, step: &str) -> Option<String> {
        match self {
            Interface::Options => Some(format!("--plain {0} --round {0}={step}", quoted(column))),
            Interface::Spec => {
                Some(format!("{} = {{ role = \"plain\", round = {step} }}", toml_key(column)))
            }
            Interface::Program => None,
            Interface::Keywords => {
                Some(format!("plain=[{column:?}], round={{{column:?}: {step}}}"))
            }
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

/// A column that was refused, and the ways to fix it: what to write, and what that does.
pub(crate) struct ColumnRefusal {
    pub(crate) mend: ColumnFix,
    pub(crate) ways: Vec<(String, &'static str)>,
}

impl ColumnRefusal {
    /// A column that single people out.
    pub(crate) fn exposed(column: &str, exposed: &ExposureReason, voice: Interface) -> Self {
        let way = |role, does| (voice.role(column, role), does);
        let left_out = way(Role::Identifying, "leaves it out");
        let generalized = way(Role::Quasi, "generalizes it with the others");
        let protected = way(Role::Sensitive, "keeps it, for models such as t-closeness to protect");
        let meant = way(Role::Plain, "releases it as it is, on purpose");
        let ways = match exposed.how {
            ExposureKind::Names | ExposureKind::Numbers | ExposureKind::Text => {
                let meant = (voice.accepted(column), "releases it as it is, on purpose");
                let rounded = rounding(column, exposed, voice);
                [Some(left_out), rounded, Some(meant)].into_iter().flatten().collect()
            }
            ExposureKind::Time | ExposureKind::Place => vec![generalized, left_out, meant],
            ExposureKind::Measurement => {
                let rounded = rounding(column, exposed, voice);
                [Some(protected), rounded, Some(meant)].into_iter().flatten().collect()
            }
            ExposureKind::Value if exposed.mend == LikelyRole::Sensitive => {
                vec![protected, generalized, meant]
            }
            ExposureKind::Value => vec![generalized, left_out, meant],
        };
        let mend = ColumnFix {
            column: column.to_owned(),
            role: Role::from(exposed.mend).name(),
            why: exposed.why.clone(),
        };
        ColumnRefusal { mend, ways }
    }

    /// An identifier that is to be released as a sensitive or class column.
    pub(crate) fn identifier(column: &str, exposed: &ExposureReason, voice: Interface) -> Self {
        let left_out = (voice.role(column, Role::Identifying), "leaves it out");
        let meant = (voice.accepted(column), "releases it as it is, on purpose");
        let rounded = rounding(column, exposed, voice);
        let ways = [Some(left_out), rounded, Some(meant)].into_iter().flatten().collect();
        let (role, why) = (Role::Identifying.name(), exposed.why.clone());
        ColumnRefusal { mend: ColumnFix { column: column.to_owned(), role, why }, ways }
    }

    /// A column that tells what the release hides of quasi-identifiers. What names rows is not proposed to be released.
    pub(crate) fn undoes(column: &str, why: String, names_rows: bool, voice: Interface) -> Self {
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
        ColumnRefusal {
            mend: ColumnFix { column: column.to_owned(), role: role.name(), why },
            ways,
        }
    }

    /// A column that may be released only if somebody accepts it.
    pub(crate) fn to_accept(column: &str, why: String, voice: Interface) -> Self {
        let left_out = (voice.role(column, Role::Identifying), "leaves it out");
        let meant = (voice.accepted(column), "releases it as it is, on purpose");
        let role = Role::Identifying.name();
        ColumnRefusal {
            mend: ColumnFix { column: column.to_owned(), role, why },
            ways: vec![left_out, meant],
        }
    }

    /// A column that can only be left out.
    pub(crate) fn to_leave_out(column: &str, why: String, voice: Interface) -> Self {
        let ways = vec![(voice.role(column, Role::Identifying), "leaves it out")];
        ColumnRefusal {
            mend: ColumnFix { column: column.to_owned(), role: Role::Identifying.name(), why },
            ways,
        }
    }

    /// A column whose values are replaced and which tells what the release hides all the same.
    pub(crate) fn masked(column: &str, why: String, voice: Interface) -> Self {
        let ways = vec![(voice.left_out(column, true), "leaves it out")];
        ColumnRefusal { mend: ColumnFix { column: column.to_owned(), role: "drop", why }, ways }
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

impl Interface {
    /// What to write so that the rows of a unit share a class.
    pub(crate) fn same_box(self) -> &'static str {
        match self {
            Interface::Options => "--same-box",
            Interface::Spec => "same-box = true under [privacy]",
            Interface::Program => ".method(SameBox::default())",
            Interface::Keywords => "same_box=True",
        }
    }
}

/// Rounding that makes people share values, where a column can be rounded.
fn rounding(
    column: &str,
    exposed: &ExposureReason,
    voice: Interface,
) -> Option<(String, &'static str)> {
    let way = voice.round(column, exposed.round.as_deref()?)?;
    Some((way, "makes it coarse enough to be shared by many"))
}

/// Columns that are told one by one; the line to paste has them all.
const TOLD: usize = 20;

/// The error that refuses a run because of its columns.
pub(crate) fn refusal(
    kind: ErrorKind,
    headline: &str,
    refused: &[ColumnRefusal],
    help: &str,
) -> Error {
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
