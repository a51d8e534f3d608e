//! Options: what the settings of a method are called where they are written down, on the command line and
//! in spec files, and what they can be.

use std::fmt;

use crate::kit::{Error, Result, words};

/// An option of an algorithm, as the registry describes it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// What it can be.
    pub values: OptionValues,
    /// What it does, in a line.
    pub about: &'static str,
}

/// What an option can be.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum OptionValues {
    /// One of these words, the default first.
    Words(&'static [&'static str]),
    /// A whole number, or the word for none.
    Number {
        /// What it is if it is not given.
        default: u64,
        /// The least.
        least: u64,
        /// The most.
        most: u64,
        /// A word that stands for 0: `off`.
        off: Option<&'static str>,
    },
    /// A share from 0 to 1, or a percentage.
    Share {
        /// What it is if it is not given.
        default: f64,
    },
}

/// For help texts: the words, the default first, or the range with the default in brackets.
impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValues::Words(words) => f.write_str(&words.join("|")),
            OptionValues::Number { default, least, most, off } => {
                let off = off.map_or(String::new(), |off| format!("|{off}"));
                write!(f, "{least}..{most}{off} [default: {default}]")
            }
            OptionValues::Share { default } => write!(f, "SHARE [default: {default}]"),
        }
    }
}

impl OptionInfo {
    /// Refuses a value that the option cannot have.
    fn check(&self, method: &str, value: &str) -> Result<()> {
        let help = match self.values {
            OptionValues::Words(words) if words.contains(&value) => return Ok(()),
            OptionValues::Words(words) => format!("it can be {}", words::list(words)),
            OptionValues::Number { least, most, off, .. } => {
                if off == Some(value)
                    || value.parse().is_ok_and(|number: u64| (least..=most).contains(&number))
                {
                    return Ok(());
                }
                let off = off.map_or(String::new(), |off| format!(", or {off}"));
                format!("it is a whole number from {least} to {most}{off}")
            }
            OptionValues::Share { .. } if share(value).is_some() => return Ok(()),
            OptionValues::Share { .. } => "it is a share such as 0.01 or 1%".to_owned(),
        };
        let name = self.name;
        Err(Error::new(format!("the option {name:?} of {method} cannot be {value:?}")).help(help))
    }
}

/// Refuses options that a method does not have, and values that they cannot have.
pub(super) fn check_options<'a>(
    method: &str,
    known: &[OptionInfo],
    given: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<()> {
    for (name, value) in given {
        let Some(option) = known.iter().find(|option| option.name == name) else {
            let names: Vec<&str> = known.iter().map(|option| option.name).collect();
            let help = if names.is_empty() {
                format!("{method} has no options")
            } else {
                format!("its options are {}", words::list(&names))
            };
            return Err(Error::new(format!("{method} has no option {name:?}")).help(help));
        };
        option.check(method, value)?;
    }
    Ok(())
}

/// A share from 0 to 1, as a number or a percentage.
pub(super) fn share(text: &str) -> Option<f64> {
    let share = match text.strip_suffix('%') {
        Some(percent) => crate::value::parse_number(percent.trim())? / 100.0,
        None => crate::value::parse_number(text)?,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

/// A method's name with options that have been checked.
#[derive(Clone, Copy)]
pub(super) struct GivenOptions<'a> {
    pub(super) method: &'a str,
    pub(super) options: &'a [(&'a str, &'a str)],
}

impl<'a> GivenOptions<'a> {
    /// What was given for an option, if anything was.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.options.iter().find(|(option, _)| *option == name).map(|(_, value)| *value)
    }
}
