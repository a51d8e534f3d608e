//! The algorithms and their registry.
//!
//! An algorithm is one file that nobody but this registry imports. What the registry says of it (name,
//! what it does, its options) drives the command line, its help and the docs alike.

mod datafly;
mod mondrian;

use crate::problem::Problem;
use crate::solution::Solution;
use crate::watch::Watch;
use crate::{Error, Result, words};

pub use datafly::Datafly;
pub use mondrian::{Along, Mode, Mondrian};

/// A way to solve a problem.
pub trait Algorithm {
    /// Searches until it is done or the watch says stop.
    fn solve(&self, problem: &Problem, watch: &Watch<'_>) -> Result<Solution>;
}

/// An option of an algorithm, as the registry describes it.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// The values it takes, the default first.
    pub values: &'static [&'static str],
    /// What it does, in a line.
    pub about: &'static str,
}

/// An algorithm, as the registry describes it.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// Its name on the command line and in spec files.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// The kind of recoding it returns.
    pub recoding: &'static str,
    /// Its options.
    pub options: &'static [OptionInfo],
}

/// The algorithms, by name.
pub const METHODS: &[MethodInfo] = &[mondrian::INFO, datafly::INFO];

/// One of the algorithms with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// See [`Mondrian`].
    Mondrian(Mondrian),
    /// See [`Datafly`].
    Datafly(Datafly),
}

impl Method {
    /// The algorithm of that name, with options by name.
    ///
    /// ```
    /// use incrowd::Method;
    /// assert!(Method::new("mondrian", &[("mode", "relaxed")]).is_ok());
    /// let error = Method::new("mondrian", &[("mode", "lax")]).unwrap_err();
    /// assert_eq!(error.message, "the option \"mode\" of mondrian cannot be \"lax\"");
    /// ```
    pub fn new(name: &str, options: &[(&str, &str)]) -> Result<Self> {
        let Some(info) = METHODS.iter().find(|info| info.name == name) else {
            let names: Vec<&str> = METHODS.iter().map(|info| info.name).collect();
            return Err(Error::new(format!("there is no method {name:?}"))
                .help(format!("the methods are {}", words::list(&names))));
        };
        for &(option, value) in options {
            let Some(known) = info.options.iter().find(|known| known.name == option) else {
                let names: Vec<&str> = info.options.iter().map(|known| known.name).collect();
                let help = if names.is_empty() {
                    format!("{name} has no options")
                } else {
                    format!("its options are {}", words::list(&names))
                };
                return Err(Error::new(format!("{name} has no option {option:?}")).help(help));
            };
            if !known.values.contains(&value) {
                return Err(Error::new(format!(
                    "the option {option:?} of {name} cannot be {value:?}"
                ))
                .help(format!("it can be {}", words::list(known.values))));
            }
        }
        let given = |option: &str| {
            options.iter().find(|(name, _)| *name == option).map(|(_, value)| *value)
        };
        Ok(match name {
            "datafly" => Method::Datafly(Datafly),
            _ => Method::Mondrian(Mondrian::from_options(given)),
        })
    }

    /// What the registry says of it.
    pub fn info(&self) -> &'static MethodInfo {
        match self {
            Method::Mondrian(_) => &mondrian::INFO,
            Method::Datafly(_) => &datafly::INFO,
        }
    }
}

impl Algorithm for Method {
    fn solve(&self, problem: &Problem, watch: &Watch<'_>) -> Result<Solution> {
        match self {
            Method::Mondrian(mondrian) => mondrian.solve(problem, watch),
            Method::Datafly(datafly) => datafly.solve(problem, watch),
        }
    }
}
