//! What a run is told: auto, or a method by name.

use super::ladders;
use super::release_kind::ReleaseKind;
use super::settings::AutoMethod;
use crate::kit::{Error, Result, words};
use crate::method::{Algorithm, CutRules, METHODS, Method, MethodInfo, RecodingModel, Settings};
use crate::problem::Problem;
use crate::search::{Control, Solution};

/// How a problem is to be solved: by a method of the engine's choice, or by a named one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MethodChoice {
    /// The engine chooses.
    Auto(AutoMethod),
    /// The user has chosen.
    Named(Method),
}

impl Default for MethodChoice {
    fn default() -> Self {
        MethodChoice::Auto(AutoMethod::default())
    }
}

impl From<AutoMethod> for MethodChoice {
    fn from(auto: AutoMethod) -> Self {
        MethodChoice::Auto(auto)
    }
}

impl<M: Into<Method>> From<M> for MethodChoice {
    fn from(method: M) -> Self {
        MethodChoice::Named(method.into())
    }
}

impl MethodChoice {
    /// `auto` or the method of that name, with options by name.
    ///
    /// ```
    /// use incrowd_engine::auto::MethodChoice;
    /// assert!(MethodChoice::new("auto", &[("kind", "cells")]).is_ok());
    /// let error = MethodChoice::new("auto", &[("steps", "500")]).unwrap_err();
    /// assert!(error.message.contains("an option of"), "{error}");
    /// ```
    pub fn new(name: &str, options: &[(&str, &str)]) -> Result<Self> {
        if name == AutoMethod::NAME {
            return Ok(MethodChoice::Auto(AutoMethod::new(options)?));
        }
        if let Some((option, _)) =
            options.iter().find(|(name, _)| ["kind", "effort"].contains(name))
            && METHODS.iter().any(|info| info.name == name)
        {
            return Err(Error::new(format!(
                "{option} is an option of the method auto, but the method {name} is named"
            ))
            .help(format!("leave out {option}, or leave out the method")));
        }
        Method::new(name, options).map(MethodChoice::Named).map_err(|error| {
            if METHODS.iter().any(|info| info.name == name) {
                return error;
            }
            let names: Vec<&str> = Self::names().collect();
            error.help(format!("the methods are {}", words::list(&names)))
        })
    }

    /// All names that [`MethodChoice::new`] takes.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        std::iter::once(AutoMethod::NAME).chain(METHODS.iter().map(|info| info.name))
    }

    /// Makes a problem ready to be solved this way: where releases are made of levels and the engine chooses, columns
    /// without a hierarchy get one by rule.
    #[must_use]
    pub fn ready(&self, mut problem: Problem) -> Problem {
        if matches!(self, MethodChoice::Auto(auto) if auto.kind == ReleaseKind::Levels) {
            ladders::give(&mut problem);
        }
        problem
    }

    /// The method, if it is named.
    pub fn named(&self) -> Option<Method> {
        match self {
            MethodChoice::Auto(_) => None,
            MethodChoice::Named(method) => Some(*method),
        }
    }

    /// The kind of its releases.
    pub fn kind(&self) -> ReleaseKind {
        match self {
            MethodChoice::Auto(auto) => auto.kind,
            MethodChoice::Named(method) => ReleaseKind::of(method.family()),
        }
    }

    /// What its releases can look like.
    pub fn family(&self) -> RecodingModel {
        self.algorithm().info().family
    }

    /// Refuses cuts that are demanded or refused of these columns unless they are heeded.
    pub fn check_cuts<'a>(&self, columns: impl IntoIterator<Item = &'a str>) -> Result<()> {
        match self {
            MethodChoice::Auto(auto) => auto.check_cuts(columns.into_iter().next()),
            MethodChoice::Named(method) => method.check_cuts(columns),
        }
    }

    /// Refuses the weaker reading, in which a blank matches anything, unless there is a use for it.
    pub fn check_wildcards(&self, wildcards: bool) -> Result<()> {
        match self {
            MethodChoice::Auto(auto) => auto.check_wildcards(wildcards),
            MethodChoice::Named(method) => method.check_wildcards(wildcards),
        }
    }

    fn algorithm(&self) -> &dyn Algorithm {
        match self {
            MethodChoice::Auto(auto) => auto,
            MethodChoice::Named(method) => method,
        }
    }
}

impl Settings for MethodChoice {
    fn options(&self) -> Vec<(&'static str, String)> {
        self.algorithm().options()
    }
}

impl Algorithm for MethodChoice {
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
