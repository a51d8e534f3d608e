//! No output may replace a file that is still needed.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Refuses to write `output` over one of the `others`, each with what it is, however the two paths
/// are spelled: `t.csv`, `./t.csv` and a link to it are one file.
pub fn refuse_overwrite(what: &str, output: &Path, others: &[(&str, &Path)]) -> Result<()> {
    let standard = |path: &Path| path == Path::new("-");
    let place = identity(output);
    let clash = others.iter().find(|(_, other)| match (standard(output), standard(other)) {
        (false, false) => identity(other) == place,
        (left, right) => left && right,
    });
    match clash {
        None => Ok(()),
        Some((other, _)) => Err(Error::new(format!("{what} would be written over {other}"))
            .help("choose another file name")),
    }
}

/// A path that is the same for all spellings of a file, whether or not it exists.
fn identity(path: &Path) -> PathBuf {
    if let Ok(known) = path.canonicalize() {
        return known;
    }
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;

    #[test]
    fn a_file_is_known_under_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("t.csv");
        std::fs::write(&input, "a\n").unwrap();
        let name = folder.path().file_name().unwrap();
        let around = folder.path().join("..").join(name).join("t.csv");
        let refused =
            |output: &Path| refuse_overwrite("this", output, &[("the input", &input)]).is_err();
        assert!(refused(&input));
        assert!(refused(&around));
        assert!(!refused(&folder.path().join("u.csv")));
        assert!(!refused(Path::new("-")));
        #[cfg(unix)]
        {
            let link = folder.path().join("link.csv");
            std::os::unix::fs::symlink(&input, &link).unwrap();
            assert!(refused(&link));
        }
    }

    #[test]
    fn files_to_come_are_compared_too() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("r.csv"), folder.path().join(".").join("r.csv"));
        assert!(refuse_overwrite("this", &one, &[("that", &other)]).is_err());
        assert!(refuse_overwrite("this", Path::new("-"), &[("that", Path::new("-"))]).is_err());
    }
}
