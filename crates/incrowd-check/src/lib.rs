//! An independent checker of certificates.
//!
//! A search says "no release of this kind costs less than B". A *certificate* is the search's argument for that: how
//! it divided the releases into cases, and by which rule each case is closed. This crate reads the table and the
//! certificate, checks that the cases cover all releases, works every rule out anew from the table, and
//! tells the largest bound that follows. It shares no code with the engine, and believes nothing but the table: a
//! damaged or forged certificate leads to an error or a lower bound, never to a bound that does not hold.
//!
//! The rules have numbers, and each is a theorem with a proof in `docs/concepts/certificates.md`. The format is
//! in `docs/reference/certificates.md`. All numbers are whole; nothing is rounded but down.

mod error;
mod groups;
mod input;
mod intervals;
mod key;
mod levels;
mod question;
mod release;
mod table;

use std::io::Read;

pub use error::{Error, Result};
pub use question::{Column, Kind, Metric, Question, Shape};

use input::Input;
use table::Profiles;

/// What a certificate proves of a table.
#[derive(Debug, Clone)]
pub struct Confirmation {
    /// The question that the certificate answers.
    pub question: Question,
    /// The rows of the table.
    pub rows: u64,
    /// No release of the question's kind costs less, in the question's units; nothing if there is no release at all.
    pub bound: Option<u64>,
    /// How many cases were closed.
    pub cases: u64,
}

impl Confirmation {
    /// Whether as much is confirmed as the certificate claims.
    pub fn holds(&self) -> bool {
        self.bound.is_none_or(|bound| bound >= self.question.claim)
    }
}

impl Confirmation {
    /// What a release costs, worked out from its rows, as the question's metric says.
    pub fn cost_of(&self, release: impl Read) -> Result<u64> {
        release::cost(&self.question, release)
    }

    /// Whether a release may cost that little: less than what is confirmed is impossible.
    pub fn allows(&self, cost: u64) -> bool {
        self.bound.is_some_and(|bound| bound <= cost)
    }

    /// A sentence about what a release costs.
    pub fn compared(&self, cost: u64) -> String {
        match self.bound {
            Some(bound) if bound == cost => {
                format!("Release    costs {cost}: no release of this kind costs less")
            }
            Some(bound) if bound < cost => {
                format!("Release    costs {cost}: at most {} could be saved", cost - bound)
            }
            _ => {
                format!("Release    costs {cost}, which is less than any release of this kind can")
            }
        }
    }
}

/// Checks a certificate against the table that it is about, a CSV file.
pub fn check(table: impl Read, certificate: impl Read) -> Result<Confirmation> {
    let (question, body) = Question::read(certificate)?;
    let profiles = Profiles::read(&question, table)?;
    if profiles.hash(&question) != question.table {
        return Err(Error::OtherTable);
    }
    confirm(question, &profiles, zstd::stream::read::Decoder::new(body)?)
}

/// Checks steps that do not come in a file against a table, whichever it is.
pub fn check_steps(table: impl Read, question: Question, steps: impl Read) -> Result<Confirmation> {
    question.judge()?;
    let profiles = Profiles::read(&question, table)?;
    confirm(question, &profiles, steps)
}

fn confirm(question: Question, profiles: &Profiles, body: impl Read) -> Result<Confirmation> {
    let mut body = Input::new(body);
    let (bound, cases) = match question.kind {
        Kind::Intervals => intervals::check(&question, profiles, &mut body)?,
        Kind::Levels => levels::check(&question, profiles, &mut body)?,
        Kind::Groups => groups::check(&question, profiles, &mut body)?,
    };
    let bound = (bound < u64::MAX).then_some(bound);
    Ok(Confirmation { question, rows: profiles.rows, bound, cases })
}

impl std::fmt::Display for Confirmation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Question { kind, metric, k, limit, claim, .. } = &self.question;
        let kind = match kind {
            Kind::Intervals => "release by intervals",
            Kind::Levels => "release by levels",
            Kind::Groups => "grouping",
        };
        let metric = format!("{metric:?}").to_lowercase();
        writeln!(f, "Table      {} rows, the one that the certificate is about", self.rows)?;
        writeln!(
            f,
            "Question   the least {metric} of any {kind}, k = {k}, at most {limit} rows suppressed"
        )?;
        let cases = self.cases;
        match self.bound {
            None => write!(f, "Confirmed  there is no such release ({cases} cases)"),
            Some(bound) if self.holds() => {
                write!(
                    f,
                    "Confirmed  no such release costs less than {bound} (claimed {claim}; {cases} cases)"
                )
            }
            Some(bound) => write!(
                f,
                "REFUSED    claimed is {claim}, but no more than {bound} follows ({cases} cases)"
            ),
        }
    }
}
