//! A certificate checked by `incrowd-check`, which shares no code with the search.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use incrowd_check::Confirmation;
use serde::Serialize;

use crate::data::InputFormat;
use crate::{Error, Result, Source};

/// What a check of a certificate confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CertificateCheck {
    /// Whether as much is confirmed as is claimed, and a release that was named can cost what it does.
    pub holds: bool,
    /// The bound that the certificate claims, in its units.
    pub claimed: u64,
    /// The bound that follows; none if there is no release at all.
    pub bound: Option<u64>,
    /// How many cases were closed.
    pub cases: u64,
    /// What a release that was named costs.
    pub cost: Option<u64>,
    /// The same in words.
    #[serde(skip)]
    pub text: String,
}

impl CertificateCheck {
    /// Checks a certificate in a file against its table, a CSV file, and what a release costs, if one is named.
    pub fn of_files(table: &Path, certificate: &Path, release: Option<&Path>) -> Result<Self> {
        let open = |path: &Path| File::open(path).map_err(|e| Error::file("read", path, &e));
        let confirmed = incrowd_check::check(open(table)?, open(certificate)?).map_err(refused)?;
        let mut told = Self::new(&confirmed);
        if let Some(release) = release {
            let cost = confirmed.cost_of(open(release)?).map_err(refused)?;
            told.holds &= confirmed.allows(cost);
            told.text = format!("{}\n{}", told.text, confirmed.compared(cost));
            told.cost = Some(cost);
        }
        Ok(told)
    }

    /// Checks a certificate that is being written against the table of the run.
    pub(crate) fn of_source(source: &Source, certificate: impl Read) -> Result<Self> {
        if source.format() != InputFormat::Csv {
            return Err(Error::new("a certificate can be checked of CSV files alone")
                .help("leave out certified, or make the table a CSV file"));
        }
        let confirmed = incrowd_check::check(source.bytes(), certificate).map_err(refused)?;
        Ok(Self::new(&confirmed))
    }

    fn new(confirmed: &Confirmation) -> Self {
        CertificateCheck {
            holds: confirmed.holds(),
            claimed: confirmed.question.claim,
            bound: confirmed.bound,
            cases: confirmed.cases,
            cost: None,
            text: confirmed.to_string(),
        }
    }
}

fn refused(error: incrowd_check::Error) -> Error {
    Error::new(error.to_string())
}
