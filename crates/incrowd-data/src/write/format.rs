//! The formats of released tables.

use std::path::Path;

use crate::{Error, NULL, Result};

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text with delimiters.
    Csv(Compression),
    /// Apache Parquet, compressed with zstd.
    Parquet,
    /// A workbook of Excel with one sheet.
    Xlsx,
}

/// How text is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// As a gzip file (`.gz`).
    Gzip,
    /// As a Zstandard file (`.zst`).
    Zstd,
}

/// Files of these kinds are not text with delimiters, whatever they hold.
const FOREIGN: [&str; 28] = [
    "7z", "arrow", "avro", "br", "bz2", "db", "dbf", "dta", "feather", "ipc", "json", "jsonl",
    "lz4", "ndjson", "ods", "orc", "pdf", "por", "rds", "sas7bdat", "sav", "sqlite", "xls", "xlsb",
    "xpt", "xz", "zip", "zsav",
];

impl OutputFormat {
    /// How encoded rows spell NULL on their way into such a file. What is text itself has nothing there, as opposed to
    /// quotes around nothing.
    pub fn null(self) -> &'static str {
        match self {
            OutputFormat::Csv(_) => "",
            OutputFormat::Parquet | OutputFormat::Xlsx => NULL,
        }
    }

    /// The format that a path's extension asks for: Parquet for `.parquet` and `.pq`, Excel for `.xlsx`, otherwise
    /// CSV, compressed for `.gz`, `.zst` and `.zstd`. Extensions of other formats are refused
    /// rather than put on a file that is something else.
    pub fn from_path(path: &Path) -> Result<Self> {
        let extension =
            |path: &Path| path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let compression = match extension(path).as_deref() {
            Some("gz") => Compression::Gzip,
            Some("zst" | "zstd") => Compression::Zstd,
            _ => Compression::None,
        };
        let inner = match compression {
            Compression::None => extension(path),
            _ => path.file_stem().and_then(|stem| extension(Path::new(stem))),
        };
        let refuse = |what: &str| {
            Err(Error::new(format!("cannot write {}: {what}", path.display())).help(
                "name it .csv, .tsv, .csv.gz, .csv.zst, .xlsx or .parquet for the format you want",
            ))
        };
        match inner.as_deref() {
            Some("parquet" | "pq") if compression != Compression::None => {
                refuse("Parquet files are compressed inside, not as a whole")
            }
            Some("parquet" | "pq") if cfg!(not(feature = "parquet")) => {
                refuse("this build cannot write Parquet")
            }
            Some("parquet" | "pq") => Ok(OutputFormat::Parquet),
            Some("xlsx") if compression != Compression::None => {
                refuse("workbooks are compressed inside, not as a whole")
            }
            Some("xlsx") if cfg!(not(feature = "excel")) => refuse("this build cannot write Excel"),
            Some("xlsx") => Ok(OutputFormat::Xlsx),
            Some(foreign) if FOREIGN.contains(&foreign) => {
                refuse(&format!(".{foreign} is not a format that can be written"))
            }
            _ => Ok(OutputFormat::Csv(compression)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

    use super::*;

    #[test]
    fn extensions_tell_the_format() {
        let format = |path: &str| OutputFormat::from_path(Path::new(path)).unwrap();
        for path in ["-", "out", "out.csv", "a/out.TSV", "out.txt", "v1.2", ".csv", "gz"] {
            assert_eq!(format(path), OutputFormat::Csv(Compression::None), "{path}");
        }
        assert_eq!(format("out.csv.gz"), OutputFormat::Csv(Compression::Gzip));
        assert_eq!(format("out.GZ"), OutputFormat::Csv(Compression::Gzip));
        assert_eq!(format("out.csv.zst"), OutputFormat::Csv(Compression::Zstd));
        assert_eq!(format("out.csv.zstd"), OutputFormat::Csv(Compression::Zstd));
        #[cfg(feature = "parquet")]
        assert_eq!(format("out.Parquet"), OutputFormat::Parquet);
        #[cfg(feature = "excel")]
        assert_eq!(format("out.XLSX"), OutputFormat::Xlsx);
    }

    #[test]
    fn other_formats_are_refused() {
        for path in
            ["out.xls", "out.xlsx.gz", "out.json", "out.json.gz", "out.csv.zip", "out.parquet.gz"]
        {
            let error = OutputFormat::from_path(Path::new(path)).unwrap_err();
            assert!(error.message.starts_with(&format!("cannot write {path}: ")), "{error}");
        }
    }
}
