//! The notations of risks: `5%@0.2` for a share at risk, `0.1,0.5` for presence.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// A share from 0 to 1, or a percentage.
pub(super) fn share(text: &str) -> Option<f64> {
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent.trim(), 100.0),
        None => (text.trim(), 1.0),
    };
    let share = incrowd_engine::value::parse_number(number)? / scale;
    (0.0..=1.0).contains(&share).then_some(share)
}

/// The share of people who may be at more than some risk, written `5%@0.2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaxAtRisk {
    /// The most that their share may be.
    pub share: f64,
    /// Whoever's risk is above this is at risk.
    pub threshold: f64,
}

impl FromStr for MaxAtRisk {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::new(format!("`{text}` is not a share at risk"))
                .help("write SHARE@RISK: 5%@0.2 lets 5% of the rows have a risk above 0.2")
        };
        let (share, threshold) = text.split_once('@').ok_or_else(wrong)?;
        let share = self::share(share).ok_or_else(wrong)?;
        let threshold = self::share(threshold).ok_or_else(wrong)?;
        if threshold <= 0.0 {
            return Err(wrong());
        }
        Ok(MaxAtRisk { share, threshold })
    }
}

impl fmt::Display for MaxAtRisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.share, self.threshold)
    }
}

/// The least and the most share of the people who fit a class that are in the table, written `0.1,0.5`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeltaPresence {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl FromStr for DeltaPresence {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::new(format!("`{text}` is not a pair of limits for delta-presence")).help(
                "write LEAST,MOST: 0,0.5 lets at most half of the people who fit a \
                       class be in the table",
            )
        };
        let (least, most) = text.split_once(',').ok_or_else(wrong)?;
        let least = share(least).ok_or_else(wrong)?;
        let most = share(most).ok_or_else(wrong)?;
        if most <= 0.0 || least > most {
            return Err(wrong());
        }
        Ok(DeltaPresence { least, most })
    }
}

impl fmt::Display for DeltaPresence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.least, self.most)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn notations_are_read_and_written() {
        let at_risk: MaxAtRisk = "5%@0.2".parse().unwrap();
        assert_eq!(at_risk, MaxAtRisk { share: 0.05, threshold: 0.2 });
        assert_eq!(at_risk.to_string().parse::<MaxAtRisk>().unwrap(), at_risk);
        for text in ["5%", "@0.2", "5@0.2", "5%@0", "x@y"] {
            assert!(text.parse::<MaxAtRisk>().is_err(), "{text}");
        }
        let presence: DeltaPresence = "0.1,50%".parse().unwrap();
        assert_eq!(presence, DeltaPresence { least: 0.1, most: 0.5 });
        assert!("0.5,0.1".parse::<DeltaPresence>().is_err());
    }
}
