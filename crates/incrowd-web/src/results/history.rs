//! The specs of a session, so that every change can be undone.

use std::sync::OnceLock;

use incrowd_run::Spec;
use incrowd_run::spec::write_spec;

/// How many specs are kept.
const MOST: usize = 500;

/// Specs one after the other, and which of them is the present one. A spec is small, whatever the table's size.
#[derive(Debug, Clone)]
pub(crate) struct SpecHistory {
    steps: Vec<HistoryStep>,
    at: usize,
}

/// A spec, and its file's text once somebody has asked for that.
#[derive(Debug, Clone)]
struct HistoryStep {
    spec: Spec,
    text: OnceLock<String>,
}

impl HistoryStep {
    fn new(spec: Spec) -> Self {
        HistoryStep { spec, text: OnceLock::new() }
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| write_spec(&self.spec))
    }
}

impl SpecHistory {
    pub(crate) fn new(spec: Spec) -> Self {
        SpecHistory { steps: vec![HistoryStep::new(spec)], at: 0 }
    }

    /// Specs that were kept; none if there are none.
    pub(crate) fn of(specs: Vec<Spec>, at: usize) -> Option<Self> {
        let steps: Vec<HistoryStep> = specs.into_iter().map(HistoryStep::new).collect();
        (at < steps.len()).then_some(SpecHistory { steps, at })
    }

    pub(crate) fn spec(&self) -> &Spec {
        &self.steps[self.at].spec
    }

    /// All of them, changed alike.
    pub(crate) fn changed(&self, change: impl Fn(&mut Spec)) -> Self {
        let changed = |step: &HistoryStep| {
            let mut spec = step.spec.clone();
            change(&mut spec);
            HistoryStep::new(spec)
        };
        SpecHistory { steps: self.steps.iter().map(changed).collect(), at: self.at }
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = &Spec> {
        self.steps.iter().map(|step| &step.spec)
    }

    /// The texts of the specs nearest to the present one, up to so many bytes in all, and its place among them. The present
    /// one is there in any case.
    pub(crate) fn recent(&self, most: usize) -> (Vec<String>, usize) {
        let (mut from, mut to) = (self.at, self.at + 1);
        let mut bytes = self.steps[self.at].text().len();
        let mut fits = |step: &HistoryStep| {
            bytes += step.text().len();
            bytes <= most
        };
        while from > 0 && fits(&self.steps[from - 1]) {
            from -= 1;
        }
        while to < self.steps.len() && fits(&self.steps[to]) {
            to += 1;
        }
        let texts = self.steps[from..to].iter().map(|step| step.text().to_owned());
        (texts.collect(), self.at - from)
    }

    /// A new one; what was undone before is gone.
    pub(crate) fn push(&mut self, spec: Spec) {
        self.steps.truncate(self.at + 1);
        self.steps.push(HistoryStep::new(spec));
        if self.steps.len() > MOST {
            self.steps.remove(0);
        }
        self.at = self.steps.len() - 1;
    }

    pub(crate) fn can_undo(&self) -> bool {
        self.at > 0
    }

    pub(crate) fn can_redo(&self) -> bool {
        self.at + 1 < self.steps.len()
    }

    pub(crate) fn undo(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    pub(crate) fn redo(&mut self) {
        self.at = (self.at + 1).min(self.steps.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    fn spec(k: u64) -> Spec {
        Spec::new("t.csv", Vec::new(), k)
    }

    #[test]
    fn what_was_done_can_be_undone_and_done_again() {
        let mut history = SpecHistory::new(spec(2));
        assert!(!history.can_undo() && !history.can_redo());
        history.push(spec(3));
        history.push(spec(4));
        history.undo();
        history.undo();
        history.undo();
        assert_eq!(history.spec().privacy.k, 2);
        history.redo();
        assert_eq!((history.spec().privacy.k, history.can_redo()), (3, true));
        history.push(spec(9));
        assert!(!history.can_redo());
        (0..2 * MOST as u64).for_each(|k| history.push(spec(k + 1)));
        assert_eq!((history.steps.len(), history.spec().privacy.k), (MOST, 2 * MOST as u64));
    }

    #[test]
    fn the_specs_nearest_to_the_present_one_are_kept_as_texts() {
        let mut history = SpecHistory::new(spec(2));
        (3..7).for_each(|k| history.push(spec(k)));
        history.undo();
        let (all, at) = history.recent(usize::MAX);
        assert_eq!((all.len(), at), (5, 3));
        let one = all[3].len();
        assert!(all[3].contains("k = 5"), "{}", all[3]);
        assert_eq!(history.recent(0), (vec![all[3].clone()], 0));
        assert_eq!(history.recent(2 * one), (all[2..4].to_vec(), 1));
        assert!(SpecHistory::of(Vec::new(), 0).is_none());
        assert!(SpecHistory::of(vec![spec(2)], 1).is_none());
        let changed = history.changed(|spec| spec.data.sheet = Some("x".to_owned()));
        assert!(changed.specs().all(|spec| spec.data.sheet.as_deref() == Some("x")));
        assert_eq!(changed.spec().privacy.k, 5);
    }
}
