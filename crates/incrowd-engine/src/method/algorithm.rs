//! What an algorithm is, and what the registry knows of one.

use super::options::{OptionInfo, check_options};
use super::recoding_model::RecodingModel;
use super::settings::Settings;
use super::{k_trials, limit_trials};
use crate::kit::{Error, ErrorKind, Result, words};
use crate::problem::Problem;
use crate::search::{Control, Solution};
use crate::space::cuts::CutRules;
use crate::value::Attribute;

/// An algorithm, as the registry describes it: everything about it but the search itself.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MethodInfo {
    /// Its name on the command line and in spec files.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What its releases can look like.
    pub family: RecodingModel,
    /// The kind of recoding it returns.
    pub recoding: &'static str,
    /// Its options.
    pub options: &'static [OptionInfo],
    /// Whether it releases values at the levels of hierarchies, so that levels can be limited.
    pub heeds_levels: bool,
    /// Whether it heeds cuts that are demanded or refused; its settings may speak against it.
    pub heeds_cuts: bool,
    /// Whether it has a use for the weaker reading, in which a blank matches anything.
    pub heeds_wildcards: bool,
    /// Whether it can count more than 4,294,967,295 rows: most hold rows or cells in 32 bits.
    pub counts_beyond_32_bits: bool,
    /// Whether it searches with risks of the whole release and with populations in view; for others several k are
    /// tried.
    pub proves_risks: bool,
}

impl MethodInfo {
    /// Refuses cuts that are demanded or refused of a column: the method would pass over them in silence.
    pub(super) fn refuse_cuts(&self, column: &str) -> Error {
        let name = self.name;
        Error::new(format!(
            "cuts of column {column:?} are required or forbidden, which {name} does not support"
        ))
        .of_kind(ErrorKind::Method)
        .help("choose the method optimal, or leave out the cuts")
    }

    /// Refuses limits on the levels of a column unless the method heeds them.
    fn check_levels(&self, column: Option<&str>) -> Result<()> {
        let Some(column) = column.filter(|_| !self.heeds_levels) else {
            return Ok(());
        };
        let name = self.name;
        Err(Error::new(format!(
            "the levels of column {column:?} are limited, which {name} does not support"
        ))
        .of_kind(ErrorKind::Method)
        .help("choose the method lattice, or leave out the limits"))
    }

    /// Refuses the weaker reading, in which a blank matches anything, unless the method has a use for it.
    pub fn check_wildcards(&self, wildcards: bool) -> Result<()> {
        if !wildcards || self.heeds_wildcards {
            return Ok(());
        }
        let name = self.name;
        Err(Error::new(format!(
            "{name} guarantees strict k-anonymity, in which a blank is a value: wildcards do \
             not apply"
        ))
        .of_kind(ErrorKind::Method)
        .help("choose the method cells, or leave out wildcards"))
    }

    /// Refuses more rows than the method can count.
    fn check_rows(&self, rows: u64) -> Result<()> {
        if rows <= u64::from(u32::MAX) || self.counts_beyond_32_bits {
            return Ok(());
        }
        let (name, rows) = (self.name, words::thousands(rows));
        Err(Error::new(format!("{name} does not support a table of {rows} rows"))
            .of_kind(ErrorKind::Method)
            .help("choose the method mondrian, or split the table and anonymize each part"))
    }
}

/// A way to solve a problem.
pub trait Algorithm: Settings {
    /// What the registry says of it.
    fn info(&self) -> &'static MethodInfo;

    /// The search itself, which takes for granted that settings and problem suit it: see
    /// [`solve`](Algorithm::solve).
    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution>;

    /// What it may cut or put into bins beforehand, if it is a method that searches cut sets or groups.
    fn cut_rules(&self) -> Option<CutRules> {
        None
    }

    /// Whether it heeds cuts that are demanded or refused, with these settings.
    fn heeds_cuts(&self) -> bool {
        self.info().heeds_cuts
    }

    /// Whether it searches with what few columns show in view, if nothing else is asked beyond classes.
    fn searches_for_known_columns(&self) -> bool {
        false
    }

    /// Refuses settings that are out of range.
    fn check_settings(&self) -> Result<()> {
        let MethodInfo { name, options, .. } = *self.info();
        let settings = self.options();
        check_options(name, options, settings.iter().map(|(name, value)| (*name, value.as_str())))
    }

    /// Searches until it is done or the control says stop; refuses settings that are out of range, and
    /// demands of the problem that it would pass over in silence.
    fn solve(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        self.check_settings()?;
        let first = |is_so: fn(&&Attribute) -> bool| {
            problem.attributes.iter().find(is_so).map(|attribute| attribute.name.as_str())
        };
        if let Some(column) = first(|it| !it.cuts.is_empty()).filter(|_| !self.heeds_cuts()) {
            return Err(self.info().refuse_cuts(column));
        }
        self.info().check_levels(first(|it| it.limits.is_some()))?;
        self.info().check_wildcards(problem.privacy.wildcards)?;
        self.info().check_rows(problem.rows)?;
        k_trials::check(problem)?;
        if problem.max_bias.is_some() {
            return limit_trials::solve(problem, control, |inner, control| {
                self.solve(inner, control)
            });
        }
        let search = |problem: &Problem, control: &Control| self.search(problem, control);
        let in_view = self.searches_for_known_columns() && problem.privacy.asks_for_known_only();
        let tries = !in_view && k_trials::is_needed(problem, self.info().proves_risks);
        let mut solution = match tries {
            true => k_trials::solve(problem, control, search)?,
            false => search(problem, control)?,
        };
        if let Some(rules) = self.cut_rules() {
            solution.notes.extend(rules.notes(problem)?);
        }
        Ok(solution)
    }
}
