//! A CSV file of results that grows row by row and can be continued.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Rows of results in a file. Each is written at once when it is known, so that a run that ends early
/// loses nothing; the next run finds the rows and goes on behind them. Fields are plain words and
/// numbers: nothing is quoted.
#[derive(Debug)]
pub struct ResultsFile {
    file: File,
    path: PathBuf,
    header: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl ResultsFile {
    /// Opens a file of results, or starts one.
    pub fn open(path: &Path, header: &'static [&'static str]) -> Result<Self> {
        let failed = |doing, e: &std::io::Error| Error::file(doing, path, e);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|e| failed("write", &e))?;
        let text = std::io::read_to_string(&mut file).map_err(|e| failed("read", &e))?;
        // A row without its end was being written when the run before was ended.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines().enumerate();
        let title = header.join(",");
        let ours = match lines.next() {
            Some((_, line)) => line == title,
            None => title.starts_with(&text),
        };
        if !ours {
            return Err(Error::new("the file holds something else than these results")
                .at(path, Some(1), None)
                .help("choose another name, or delete the file to start anew"));
        }
        let mut rows = Vec::new();
        for (at, line) in lines {
            let row: Vec<String> = line.split(',').map(str::to_owned).collect();
            if row.len() != header.len() {
                return Err(Error::new(format!(
                    "a row of results has {} fields, but the header has {}",
                    row.len(),
                    header.len()
                ))
                .at(path, Some(at as u64 + 1), None)
                .help("delete the row: it will be computed again"));
            }
            rows.push(row);
        }
        file.set_len(whole as u64)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(|e| failed("write", &e))?;
        let mut results = ResultsFile { file, path: path.to_owned(), header, rows };
        if whole == 0 {
            results.write(&title)?;
        }
        Ok(results)
    }

    /// Adds a row, which is in the file when this returns.
    pub fn add(&mut self, row: Vec<String>) -> Result<()> {
        debug_assert_eq!(row.len(), self.header.len());
        self.write(&row.join(","))?;
        self.rows.push(row);
        Ok(())
    }

    fn write(&mut self, line: &str) -> Result<()> {
        self.file
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| self.file.flush())
            .map_err(|e| Error::file("write", &self.path, &e))
    }

    /// All rows, those of earlier runs first.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    const HEADER: &[&str] = &["k", "cost"];

    #[test]
    fn rows_survive_and_a_row_cut_short_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let row = |k: &str| vec![k.to_owned(), "7".to_owned()];
        let mut results = ResultsFile::open(&path, HEADER).unwrap();
        results.add(row("5")).unwrap();
        drop(results);
        std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + "4,1").unwrap();
        let mut results = ResultsFile::open(&path, HEADER).unwrap();
        assert_eq!(results.rows(), [row("5")]);
        results.add(row("3")).unwrap();
        assert_eq!(results.rows(), [row("5"), row("3")]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "k,cost\n5,7\n3,7\n");
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.csv");
        for text in ["name,age\nAnn,5\n", "no line end", "k,cost\n1,2,3\n"] {
            std::fs::write(&path, text).unwrap();
            let error = ResultsFile::open(&path, HEADER).unwrap_err();
            assert!(error.help.is_some() && error.place.is_some(), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert!(ResultsFile::open(folder.path(), HEADER).is_err());
    }
}
