//! What a run is told: auto, or a method by name.

use super::kind::Kind;
use super::ladders;
use super::settings::Auto;
use crate::kit::{Error, Result, words};
use crate::method::{Algorithm, CutRules, Family, METHODS, Method, MethodInfo, Settings};
use crate::problem::Problem;
use crate::search::{Control, Solution};

/// How a problem is to be solved: by a method of the engine's choice, or by a named one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Approach {
    /// The engine chooses.
    Auto(Auto),
    /// The user has chosen.
    Named(Method),
}

impl Default for Approach {
    fn default() -> Self {
        Approach::Auto(Auto::default())
    }
}

impl From<Auto> for Approach {
    fn from(auto: Auto) -> Self {
        Approach::Auto(auto)
    }
}

impl<M: Into<Method>> From<M> for Approach {
    fn from(method: M) -> Self {
        Approach::Named(method.into())
    }
}

impl Approach {
    /// `auto` or the method of that name, with options by name.
    ///
    /// ```
    /// use incrowd::auto::Approach;
    /// assert!(Approach::new("auto", &[("kind", "cells")]).is_ok());
    /// let error = Approach::new("auto", &[("steps", "500")]).unwrap_err();
    /// assert!(error.message.contains("an option of"), "{error}");
    /// ```
    pub fn new(name: &str, options: &[(&str, &str)]) -> Result<Self> {
        if name == Auto::NAME {
            return Ok(Approach::Auto(Auto::new(options)?));
        }
        if let Some((option, _)) =
            options.iter().find(|(name, _)| ["kind", "effort"].contains(name))
            && METHODS.iter().any(|info| info.name == name)
        {
            return Err(Error::new(format!(
                "{option} is for the method auto, but the method {name} is named"
            ))
            .help(format!("leave out {option}, or leave the method to auto")));
        }
        Method::new(name, options).map(Approach::Named).map_err(|error| {
            if METHODS.iter().any(|info| info.name == name) {
                return error;
            }
            let names: Vec<&str> = Self::names().collect();
            error.help(format!("the methods are {}", words::list(&names)))
        })
    }

    /// All names that [`Approach::new`] takes.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        std::iter::once(Auto::NAME).chain(METHODS.iter().map(|info| info.name))
    }

    /// Makes a problem ready to be solved this way: where releases are made of levels and the engine chooses, columns
    /// without a hierarchy get one by rule.
    #[must_use]
    pub fn ready(&self, mut problem: Problem) -> Problem {
        if matches!(self, Approach::Auto(auto) if auto.kind == Kind::Levels) {
            ladders::give(&mut problem);
        }
        problem
    }

    /// The method, if it is named.
    pub fn named(&self) -> Option<Method> {
        match self {
            Approach::Auto(_) => None,
            Approach::Named(method) => Some(*method),
        }
    }

    /// The kind of its releases.
    pub fn kind(&self) -> Kind {
        match self {
            Approach::Auto(auto) => auto.kind,
            Approach::Named(method) => Kind::of(method.family()),
        }
    }

    /// What its releases can look like.
    pub fn family(&self) -> Family {
        self.algorithm().info().family
    }

    /// Refuses cuts that are demanded or refused of these columns unless they are heeded.
    pub fn check_cuts<'a>(&self, columns: impl IntoIterator<Item = &'a str>) -> Result<()> {
        match self {
            Approach::Auto(auto) => auto.check_cuts(columns.into_iter().next()),
            Approach::Named(method) => method.check_cuts(columns),
        }
    }

    /// Refuses the weaker reading, in which a blank matches anything, unless there is a use for it.
    pub fn check_wildcards(&self, wildcards: bool) -> Result<()> {
        match self {
            Approach::Auto(auto) => auto.check_wildcards(wildcards),
            Approach::Named(method) => method.check_wildcards(wildcards),
        }
    }

    fn algorithm(&self) -> &dyn Algorithm {
        match self {
            Approach::Auto(auto) => auto,
            Approach::Named(method) => method,
        }
    }
}

impl Settings for Approach {
    fn options(&self) -> Vec<(&'static str, String)> {
        self.algorithm().options()
    }
}

impl Algorithm for Approach {
    fn info(&self) -> &'static MethodInfo {
        self.algorithm().info()
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        self.algorithm().search(problem, control)
    }

    fn cut_rules(&self) -> Option<CutRules> {
        self.algorithm().cut_rules()
    }

    fn heeds_cuts(&self) -> bool {
        self.algorithm().heeds_cuts()
    }

    fn solve(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let solution = self.algorithm().solve(problem, control)?;
        Ok(if problem.privacy.scattered { solution.unproven() } else { solution })
    }
}
