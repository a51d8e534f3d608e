//! How a problem is put to the search for the best release: what each kind of release has in view, and what is tried around it.

use super::by_narrowing;
use super::release_kind::ReleaseKind;
use super::search::{for_known, for_people, search, with_global};
use super::settings::{AutoMethod, INFOS};
use crate::kit::Result;
use crate::method::{Algorithm, CutRules, MethodInfo, k_trials, limit_trials};
use crate::problem::Problem;
use crate::search::{Control, Solution};
use crate::space::crowd::is_all_asked;

impl Algorithm for AutoMethod {
    fn info(&self) -> &'static MethodInfo {
        &INFOS[self.kind as usize]
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        match self.kind {
            ReleaseKind::Local => by_narrowing::search_parts(*self, problem, control),
            _ => search(*self, problem, control),
        }
    }

    fn solve(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let attributes = || problem.attributes.iter();
        let cut = attributes().find(|it| !it.cuts.is_empty());
        self.check_cuts(cut.map(|it| it.name.as_str()))?;
        let limited = attributes().find(|it| it.limits.is_some());
        self.check_levels(limited.map(|it| it.name.as_str()))?;
        self.check_wildcards(problem.privacy.wildcards)?;
        k_trials::check(problem)?;
        if problem.max_bias.is_some() {
            return limit_trials::solve(problem, control, |inner, control| {
                self.solve(inner, control)
            });
        }
        if let Some(known) = problem.privacy.known
            && self.kind == ReleaseKind::Local
            && problem.privacy.asks_for_known_only()
        {
            return with_global(
                *self,
                problem,
                for_known(*self, problem, known, control)?,
                control,
            );
        }
        // The methods for levels search with all of it in view, those for global releases try several k themselves, and
        // those for cells have what few columns show in view.
        let in_view = match self.kind {
            ReleaseKind::Levels | ReleaseKind::Global => true,
            ReleaseKind::Cells => problem.privacy.asks_for_known_only(),
            ReleaseKind::Local | ReleaseKind::Mixed => false,
        };
        if !k_trials::is_needed(problem, in_view) {
            return self.search(problem, control);
        }
        let by_rows =
            || k_trials::solve(problem, control, |inner, control| self.search(inner, control));
        match self.kind {
            ReleaseKind::Local => {
                let local = match is_all_asked(problem) {
                    true => for_people(*self, problem, control, by_rows)?,
                    false => by_rows()?,
                };
                with_global(*self, problem, local, control)
            }
            _ => by_rows(),
        }
    }

    fn cut_rules(&self) -> Option<CutRules> {
        None
    }
}
