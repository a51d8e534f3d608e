//! The risk of every person: 1 divided by the people of the smallest class that holds a row of theirs.

use std::collections::BTreeMap;

/// How many people hide at best among so many: people by the size of the smallest of their classes.
pub(crate) struct SubjectRisks(BTreeMap<u64, u64>);

impl SubjectRisks {
    /// People by the size of the smallest of their classes.
    pub(crate) fn new(by_size: BTreeMap<u64, u64>) -> Self {
        SubjectRisks(by_size)
    }

    /// How many people there are.
    pub(crate) fn all(&self) -> u64 {
        self.0.values().sum()
    }

    fn share(&self, part: f64) -> Option<f64> {
        let all = self.all();
        (all > 0).then(|| part / all as f64)
    }

    /// The mean of everybody's risk; none without people.
    pub(crate) fn average(&self) -> Option<f64> {
        let risks = self.0.iter().map(|(&size, &people)| people as f64 / size as f64);
        self.share(risks.sum())
    }

    /// The share of people whose risk is above this; none without people.
    pub(crate) fn share_above(&self, threshold: f64) -> Option<f64> {
        let above = self.0.iter().filter(|(size, _)| 1.0 / **size as f64 > threshold + 1e-9);
        let people: u64 = above.map(|(_, people)| people).sum();
        self.share(people as f64)
    }

    /// The share of people who are alone in a class; none without people.
    pub(crate) fn unique(&self) -> Option<f64> {
        self.share(self.0.get(&1).copied().unwrap_or(0) as f64)
    }
}
