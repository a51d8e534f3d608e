//! The short notation of the models beyond k: `disease=entropy:3`.

use incrowd_io::spec::{
    Alpha, BetaKind, BetaLikeness, DeltaDisclosure, LDiversity, LKind, Privacy, TCloseness,
    TDistance,
};
use incrowd_io::{Error, Result};

use crate::args::Models;

/// Reads the models into a spec's privacy section. A model that names no column speaks of the only
/// sensitive one.
pub(crate) fn read(models: &Models, k: u64) -> Result<Privacy> {
    let mut privacy = Privacy::k(k);
    for text in &models.l_diversity {
        let Short { column, kind, value } = Short::read(text)?;
        let (kind, c, l) = match kind {
            None => (LKind::Distinct, None, number("--l-diversity", value)?),
            Some(kind) => match kind.parse()? {
                LKind::Recursive => {
                    let Some((c, l)) = value.split_once(',') else {
                        return Err(Error::new(format!("`{text}` does not give both c and l"))
                            .help("write recursive:C,L, for example recursive:2,3"));
                    };
                    (
                        LKind::Recursive,
                        Some(number("--l-diversity", c)?),
                        number("--l-diversity", l)?,
                    )
                }
                kind => (kind, None, number("--l-diversity", value)?),
            },
        };
        privacy.l_diversity.push(LDiversity { column, l, kind, c });
    }
    for text in &models.t_closeness {
        let Short { column, kind, value } = Short::read(text)?;
        let distance = kind.map_or(Ok(TDistance::default()), str::parse)?;
        privacy.t_closeness.push(TCloseness {
            column,
            t: number("--t-closeness", value)?,
            distance,
        });
    }
    for text in &models.alpha {
        let Short { column, value, .. } = Short::read(text)?.without_kind(text)?;
        privacy.alpha.push(Alpha { column, alpha: number("--alpha", value)? });
    }
    for text in &models.beta_likeness {
        let Short { column, kind, value } = Short::read(text)?;
        let kind = kind.map_or(Ok(BetaKind::default()), str::parse)?;
        privacy.beta_likeness.push(BetaLikeness {
            column,
            beta: number("--beta-likeness", value)?,
            kind,
        });
    }
    for text in &models.delta_disclosure {
        let Short { column, value, .. } = Short::read(text)?.without_kind(text)?;
        privacy
            .delta_disclosure
            .push(DeltaDisclosure { column, delta: number("--delta-disclosure", value)? });
    }
    Ok(privacy)
}

/// `[COLUMN=][KIND:]VALUE`.
struct Short<'a> {
    column: Option<String>,
    kind: Option<&'a str>,
    value: &'a str,
}

impl<'a> Short<'a> {
    fn read(text: &'a str) -> Result<Self> {
        let (column, rest) = match text.rsplit_once('=') {
            Some((column, rest)) => (Some(column.to_owned()), rest),
            None => (None, text),
        };
        let (kind, value) = match rest.split_once(':') {
            Some((kind, value)) => (Some(kind), value),
            None => (None, rest),
        };
        if column.as_deref() == Some("") || value.is_empty() {
            return Err(
                Error::new(format!("`{text}` is not a model")).help("write [COLUMN=][KIND:]VALUE")
            );
        }
        Ok(Short { column, kind, value })
    }

    fn without_kind(self, text: &str) -> Result<Self> {
        match self.kind {
            None => Ok(self),
            Some(kind) => {
                Err(Error::new(format!("`{text}` names a kind, `{kind}`, but the model has none"))
                    .help("write [COLUMN=]VALUE"))
            }
        }
    }
}

fn number(option: &str, text: &str) -> Result<f64> {
    incrowd::parse_number(text).ok_or_else(|| {
        Error::new(format!("`{text}` is not a number")).help(format!("see {option} in --help"))
    })
}
