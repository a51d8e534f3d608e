//! The specs of a session, so that every change can be undone.

use incrowd_run::Spec;

/// How many specs are kept.
const MOST: usize = 500;

/// Specs one after the other, and which of them is the present one. A spec is small, whatever the table's size.
#[derive(Debug)]
pub(crate) struct SpecHistory {
    specs: Vec<Spec>,
    at: usize,
}

impl SpecHistory {
    pub(crate) fn new(spec: Spec) -> Self {
        SpecHistory { specs: vec![spec], at: 0 }
    }

    pub(crate) fn spec(&self) -> &Spec {
        &self.specs[self.at]
    }

    /// A new one; what was undone before is gone.
    pub(crate) fn push(&mut self, spec: Spec) {
        self.specs.truncate(self.at + 1);
        self.specs.push(spec);
        if self.specs.len() > MOST {
            self.specs.remove(0);
        }
        self.at = self.specs.len() - 1;
    }

    pub(crate) fn can_undo(&self) -> bool {
        self.at > 0
    }

    pub(crate) fn can_redo(&self) -> bool {
        self.at + 1 < self.specs.len()
    }

    pub(crate) fn undo(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    pub(crate) fn redo(&mut self) {
        self.at = (self.at + 1).min(self.specs.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_can_be_undone_and_done_again() {
        let spec = |k| Spec::new("t.csv", Vec::new(), k);
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
        assert_eq!((history.specs.len(), history.spec().privacy.k), (MOST, 2 * MOST as u64));
    }
}
