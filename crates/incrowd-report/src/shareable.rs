//! What a page keeps back so that it is safe to share where the release is.

use incrowd_io::spec::{Hierarchy, Spec};

/// What stands for something that is not shown.
pub const KEPT_BACK: &str = "(kept back)";

/// A note without the list of bins' first values, which the release may not name.
pub(crate) fn without_values(note: &str) -> &str {
    note.split(", which start at").next().unwrap_or(note)
}

/// The spec without lists of values and without the seed.
pub fn shareable(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    spec.algorithm.seed = None;
    for column in &mut spec.columns {
        if let Some(order) = &mut column.order {
            *order = vec![KEPT_BACK.to_owned()];
        }
        if let Some(Hierarchy::Rule(_)) = column.hierarchy {
            column.hierarchy = Some(Hierarchy::File(KEPT_BACK.into()));
        }
        column.cut_at.clear();
        column.never_cut_at.clear();
    }
    spec
}

#[cfg(test)]
mod tests {
    use incrowd_io::spec::{Column, Role};

    use super::*;

    #[test]
    fn values_and_the_seed_are_kept_back() {
        let mut column = Column::new("age", Role::Quasi);
        column.order = Some(vec!["old".to_owned(), "young".to_owned()]);
        column.cut_at.push("young".to_owned());
        let mut spec = Spec::new("t.csv", vec![column], 5);
        spec.algorithm.seed = Some(7);
        let shown = shareable(&spec);
        assert_eq!(shown.algorithm.seed, None);
        assert_eq!(shown.columns[0].order, Some(vec![KEPT_BACK.to_owned()]));
        assert!(shown.columns[0].cut_at.is_empty());
        assert_eq!(without_values("age is in 9 bins, which start at 17, 20"), "age is in 9 bins");
    }
}
