//! Columns that get another name.

use super::model::Spec;

impl Spec {
    /// Lets the models speak of renamed columns by their new names, whichever of the two they were given.
    pub(super) fn use_new_names(&mut self) {
        let renamed: Vec<(String, String)> = self
            .columns
            .iter()
            .filter_map(|column| Some((column.source.clone()?, column.name.clone())))
            .collect();
        if renamed.is_empty() {
            return;
        }
        let privacy = &mut self.privacy;
        let named = (privacy.l_diversity.iter_mut().map(|model| &mut model.column))
            .chain(privacy.t_closeness.iter_mut().map(|model| &mut model.column))
            .chain(privacy.alpha.iter_mut().map(|model| &mut model.column))
            .chain(privacy.beta_likeness.iter_mut().map(|model| &mut model.column))
            .chain(privacy.delta_disclosure.iter_mut().map(|model| &mut model.column));
        for name in named.flatten() {
            if let Some((_, new)) = renamed.iter().find(|(old, _)| old == name) {
                name.clone_from(new);
            }
        }
    }

    /// Gives a column another name. Models that speak of it follow.
    pub fn rename(&mut self, column: &str, name: &str) {
        if let Some(found) = self.columns.iter_mut().find(|known| known.name == column) {
            found.source = Some(found.source.take().unwrap_or_else(|| column.to_owned()));
            name.clone_into(&mut found.name);
        }
        self.use_new_names();
    }
}
