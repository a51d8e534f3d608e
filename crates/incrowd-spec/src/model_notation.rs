//! The short notation of the models beyond k: `[COLUMN=][KIND:]VALUE`, such as `disease=entropy:3`.

use std::str::FromStr;

use super::privacy::{
    AlphaAnonymity, BetaKind, BetaLikeness, DeltaDisclosure, LDiversity, LKind, TCloseness,
    TDistance,
};
use crate::{Error, Result};

/// `[COLUMN=][KIND:]VALUE`. A model that names no column speaks of the only sensitive one.
struct ModelNotation<'a> {
    column: Option<String>,
    kind: Option<&'a str>,
    value: &'a str,
}

impl<'a> ModelNotation<'a> {
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
        Ok(ModelNotation { column, kind, value })
    }

    fn without_kind(text: &'a str) -> Result<Self> {
        let short = Self::read(text)?;
        match short.kind {
            None => Ok(short),
            Some(kind) => {
                Err(Error::new(format!("`{text}` names a kind, `{kind}`, but the model has none"))
                    .help("write [COLUMN=]VALUE"))
            }
        }
    }
}

fn number(text: &str) -> Result<f64> {
    incrowd_engine::value::parse_number(text)
        .ok_or_else(|| Error::new(format!("`{text}` is not a number")))
}

impl FromStr for LDiversity {
    type Err = Error;

    /// `[COLUMN=][distinct:|entropy:]L` or `[COLUMN=]recursive:C,L`.
    fn from_str(text: &str) -> Result<Self> {
        let ModelNotation { column, kind, value } = ModelNotation::read(text)?;
        let kind = kind.map_or(Ok(LKind::Distinct), str::parse)?;
        let (c, l) = match (kind, value.split_once(',')) {
            (LKind::Recursive, None) => {
                return Err(Error::new(format!("`{text}` does not give both c and l"))
                    .help("write recursive:C,L, for example recursive:2,3"));
            }
            (LKind::Recursive, Some((c, l))) => (Some(number(c)?), number(l)?),
            _ => (None, number(value)?),
        };
        Ok(LDiversity { column, l, kind, c })
    }
}

impl FromStr for TCloseness {
    type Err = Error;

    /// `[COLUMN=][equal:|ordered:|hierarchical:]T`.
    fn from_str(text: &str) -> Result<Self> {
        let ModelNotation { column, kind, value } = ModelNotation::read(text)?;
        let distance = kind.map_or(Ok(TDistance::default()), str::parse)?;
        Ok(TCloseness { column, t: number(value)?, distance })
    }
}

impl FromStr for AlphaAnonymity {
    type Err = Error;

    /// `[COLUMN=]ALPHA`.
    fn from_str(text: &str) -> Result<Self> {
        let ModelNotation { column, value, .. } = ModelNotation::without_kind(text)?;
        Ok(AlphaAnonymity { column, alpha: number(value)? })
    }
}

impl FromStr for BetaLikeness {
    type Err = Error;

    /// `[COLUMN=][basic:|enhanced:]BETA`.
    fn from_str(text: &str) -> Result<Self> {
        let ModelNotation { column, kind, value } = ModelNotation::read(text)?;
        let kind = kind.map_or(Ok(BetaKind::default()), str::parse)?;
        Ok(BetaLikeness { column, beta: number(value)?, kind })
    }
}

impl FromStr for DeltaDisclosure {
    type Err = Error;

    /// `[COLUMN=]DELTA`.
    fn from_str(text: &str) -> Result<Self> {
        let ModelNotation { column, value, .. } = ModelNotation::without_kind(text)?;
        Ok(DeltaDisclosure { column, delta: number(value)? })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn models_are_read_with_column_kind_and_value() {
        let model: LDiversity = "ill=recursive:2,3".parse().unwrap();
        let column = Some("ill".to_owned());
        assert_eq!(model, LDiversity { column, l: 3.0, kind: LKind::Recursive, c: Some(2.0) });
        let model: TCloseness = "0.2".parse().unwrap();
        assert_eq!(model, TCloseness { column: None, t: 0.2, distance: TDistance::Equal });
        assert_eq!("a=b=0.5".parse::<AlphaAnonymity>().unwrap().column.as_deref(), Some("a=b"));
        for text in ["recursive:3", "=3", "ill=", "many:3", "three"] {
            assert!(text.parse::<LDiversity>().is_err(), "{text}");
        }
        assert!("basic:1".parse::<DeltaDisclosure>().is_err());
        assert_eq!("enhanced:1".parse::<BetaLikeness>().unwrap().kind, BetaKind::Enhanced);
    }
}
