//! What a page keeps back so that it is safe to share where the release is.

use std::path::{Path, PathBuf};

use incrowd_run::spec::{Spec, hierarchies::Hierarchy};

/// What stands for something that is not shown.
pub const KEPT_BACK: &str = "(kept back)";

/// A note without the list of bins' first values, which the release may not name.
pub(crate) fn without_values(note: &str) -> &str {
    note.split(", which start at").next().unwrap_or(note)
}

/// A path as whoever reads the page may know it: where on a machine a file lies, perhaps for the moment only, is
/// nobody's business.
fn without_folder(path: &Path) -> PathBuf {
    match path.file_name() {
        Some(name) if path.is_absolute() => PathBuf::from(name),
        _ => path.to_owned(),
    }
}

/// The spec without lists of values, and without the folders of this machine.
pub fn shareable(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    spec.data.input = without_folder(&spec.data.input);
    let release = &mut spec.release;
    let paths = [
        &mut spec.data.population,
        &mut release.output,
        &mut release.recoding,
        &mut release.report,
        &mut release.internal_report,
        &mut release.certificate,
        &mut release.key_file,
        &mut release.seed_file,
    ];
    for path in paths.into_iter().flatten().chain(&mut spec.data.earlier) {
        *path = without_folder(path);
    }
    for column in &mut spec.columns {
        if let Some(order) = &mut column.order {
            *order = vec![KEPT_BACK.to_owned()];
        }
        match &mut column.hierarchy {
            Some(Hierarchy::File(path)) => *path = without_folder(path),
            Some(rule @ Hierarchy::Rule(_)) => *rule = Hierarchy::File(KEPT_BACK.into()),
            _ => {}
        }
        column.cut_at.clear();
        column.never_cut_at.clear();
    }
    spec
}

#[cfg(test)]
mod tests {
    use incrowd_run::spec::{ColumnSection, Role};

    use super::*;

    #[test]
    fn values_and_folders_are_kept_back() {
        let mut column = ColumnSection::new("age", Role::Quasi);
        column.order = Some(vec!["old".to_owned(), "young".to_owned()]);
        column.cut_at.push("young".to_owned());
        let folder = std::env::temp_dir();
        let mut spec = Spec::new(folder.join("t.csv"), vec![column], 5);
        spec.release.seed_file = Some(folder.join("order.key"));
        spec.release.output = Some("here/out.csv".into());
        let shown = shareable(&spec);
        assert_eq!(shown.release.seed_file.as_deref(), Some(Path::new("order.key")));
        assert_eq!(shown.data.input, Path::new("t.csv"));
        assert_eq!(shown.release.output.as_deref(), Some(Path::new("here/out.csv")));
        assert_eq!(shown.columns[0].order, Some(vec![KEPT_BACK.to_owned()]));
        assert!(shown.columns[0].cut_at.is_empty());
        assert_eq!(without_values("age is in 9 bins, which start at 17, 20"), "age is in 9 bins");
    }
}
