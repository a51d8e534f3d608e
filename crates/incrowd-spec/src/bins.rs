//! Bins of numbers, and their notation `age=5@16`.

use super::codecs::{Finite, Positive, RequiredField, WrittenField};
use super::option_table::{NO_FLAG, section};
use crate::{Error, Result};

section! {
    /// Bins of one width for numbers: `[start, start + width)`, and on to both sides.
    #[derive(Copy)]
    pub struct Bins in "bins" {
        /// The width of a bin, more than 0.
        "width" width: f64 = RequiredField<Positive>, NO_FLAG.example("5");
        /// Where one of the bins starts. Default: 0.
        "start" start: f64 = WrittenField<Finite>, NO_FLAG;
    }
}

/// Reads `age=5@16`: bins of width 5 for the column `age`, one of which starts at 16; `age=5`
/// starts one at 0.
pub fn parse_bins(text: &str) -> Result<(String, Bins)> {
    const HELP: &str = "write COLUMN=WIDTH or COLUMN=WIDTH@START, such as age=5@16";
    // A column name may hold `=`, a number cannot.
    let Some((column, bins)) = text.rsplit_once('=').filter(|(column, _)| !column.is_empty())
    else {
        return Err(
            Error::new(format!("`{text}` does not say which column has which bins")).help(HELP)
        );
    };
    let (width, start) = bins.split_once('@').unwrap_or((bins, "0"));
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    match (number(width), number(start)) {
        (Some(width), Some(start)) if width > 0.0 => Ok((column.to_owned(), Bins { width, start })),
        (Some(_), Some(_)) => {
            Err(Error::new(format!("the width in `{text}` must be more than 0")).help(HELP))
        }
        _ => Err(Error::new(format!("`{bins}` is not a width of bins")).help(HELP)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn bins_are_column_width_and_start() {
        let bins = |width, start| Bins { width, start };
        assert_eq!(parse_bins("age=5@16"), Ok(("age".to_owned(), bins(5.0, 16.0))));
        assert_eq!(parse_bins("age=2.5"), Ok(("age".to_owned(), bins(2.5, 0.0))));
        assert_eq!(parse_bins("a=b=5@-1"), Ok(("a=b".to_owned(), bins(5.0, -1.0))));
        for bad in ["", "age", "=5", "age=", "age=0", "age=-5", "age=x@1", "age=5@", "age=inf"] {
            assert!(parse_bins(bad).unwrap_err().help.is_some(), "{bad}");
        }
    }
}
