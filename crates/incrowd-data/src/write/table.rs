//! Writing a table in one of the formats.

use std::io::{self, BufWriter, Write};

use flate2::write::GzEncoder;

use super::layout::TableLayout;
#[cfg(feature = "parquet")]
use super::parquet::ParquetSink;
#[cfg(feature = "excel")]
use super::xlsx::XlsxSink;
use super::{Compression, OutputFile, OutputFormat, output::write_error};
use crate::{Error, Result};

/// Writes encoded rows, as [`CsvEncoder`](super::CsvEncoder) makes them, to a file of any [`OutputFormat`].
#[derive(Debug)]
pub struct TableWriter {
    sink: TableSink,
    target: std::path::PathBuf,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
enum TableSink {
    Csv(BufWriter<Compressor>),
    #[cfg(feature = "parquet")]
    Parquet(ParquetSink),
    #[cfg(feature = "excel")]
    Xlsx(XlsxSink),
}

impl TableWriter {
    /// Starts a table: CSV and Excel get their header, Parquet its schema.
    pub fn new(output: OutputFile, format: OutputFormat, layout: &TableLayout) -> Result<Self> {
        let TableLayout { names, types, .. } = layout;
        if names.is_empty() {
            return Err(Error::new("a table without columns cannot be written")
                .help("release at least one column"));
        }
        if !types.is_empty() && types.len() != names.len() {
            return Err(Error::new(format!("{} types for {} columns", types.len(), names.len())));
        }
        let target = output.target().to_owned();
        let sink = match format {
            OutputFormat::Csv(compression) => {
                let mark = if layout.byte_order_mark { "\u{feff}" } else { "" };
                let header = [mark.as_bytes(), &layout.header()?, b"\n"].concat();
                Compressor::new(output, compression)
                    .and_then(|compressor| {
                        let mut csv = BufWriter::with_capacity(1 << 17, compressor);
                        csv.write_all(&header).map(|()| TableSink::Csv(csv))
                    })
                    .map_err(|e| write_error(&target, &e))?
            }
            #[cfg(feature = "parquet")]
            OutputFormat::Parquet => TableSink::Parquet(ParquetSink::new(output, layout)?),
            #[cfg(not(feature = "parquet"))]
            OutputFormat::Parquet => return Err(Error::new("this build cannot write Parquet")),
            #[cfg(feature = "excel")]
            OutputFormat::Xlsx => TableSink::Xlsx(XlsxSink::new(output, layout)?),
            #[cfg(not(feature = "excel"))]
            OutputFormat::Xlsx => return Err(Error::new("this build cannot write Excel")),
        };
        Ok(TableWriter { sink, target })
    }

    /// Writes an encoded row.
    pub fn row(&mut self, row: &[u8]) -> Result<()> {
        match &mut self.sink {
            TableSink::Csv(csv) => csv
                .write_all(row)
                .and_then(|()| csv.write_all(b"\n"))
                .map_err(|e| write_error(&self.target, &e)),
            #[cfg(feature = "parquet")]
            TableSink::Parquet(parquet) => parquet.row(row),
            #[cfg(feature = "excel")]
            TableSink::Xlsx(xlsx) => xlsx.row(row),
        }
    }

    /// Completes the table. It can then be read back, verified and committed.
    pub fn finish(self) -> Result<OutputFile> {
        match self.sink {
            TableSink::Csv(csv) => csv
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(Compressor::finish)
                .map_err(|e| write_error(&self.target, &e)),
            #[cfg(feature = "parquet")]
            TableSink::Parquet(parquet) => parquet.finish(),
            #[cfg(feature = "excel")]
            TableSink::Xlsx(xlsx) => xlsx.finish(),
        }
    }
}

/// A file, compressed or not.
enum Compressor {
    None(OutputFile),
    Gzip(GzEncoder<OutputFile>),
    Zstd(zstd::Encoder<'static, OutputFile>),
}

impl Compressor {
    fn new(output: OutputFile, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Compressor::None(output),
            Compression::Gzip => {
                Compressor::Gzip(GzEncoder::new(output, flate2::Compression::default()))
            }
            Compression::Zstd => {
                Compressor::Zstd(zstd::Encoder::new(output, zstd::DEFAULT_COMPRESSION_LEVEL)?)
            }
        })
    }

    fn finish(self) -> io::Result<OutputFile> {
        match self {
            Compressor::None(output) => Ok(output),
            Compressor::Gzip(gzip) => gzip.finish(),
            Compressor::Zstd(zstd) => zstd.finish(),
        }
    }
}

impl Write for Compressor {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Compressor::None(output) => output.write(bytes),
            Compressor::Gzip(gzip) => gzip.write(bytes),
            Compressor::Zstd(zstd) => zstd.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Compressor::None(output) => output.flush(),
            Compressor::Gzip(gzip) => gzip.flush(),
            Compressor::Zstd(zstd) => zstd.flush(),
        }
    }
}

impl std::fmt::Debug for Compressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Compressor::None(_) => "None",
            Compressor::Gzip(_) => "Gzip",
            Compressor::Zstd(_) => "Zstd",
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

    use std::fs;
    use std::io::Read;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::ColumnType;

    fn write(target: &Path, layout: &TableLayout, rows: &[Vec<String>]) -> Result<OutputFile> {
        let format = OutputFormat::from_path(target)?;
        let mut table = TableWriter::new(OutputFile::create(target)?, format, layout)?;
        let encoder = layout.encoder()?;
        let mut encoded = Vec::new();
        for row in rows {
            encoded.clear();
            encoder.row(row, &mut encoded);
            table.row(&encoded)?;
        }
        table.finish()
    }

    /// What is in a file whose name, which it may not have yet, tells how it is packed.
    fn decompressed(path: &Path, named: &Path) -> String {
        let file = fs::File::open(path).unwrap();
        let mut text = String::new();
        match OutputFormat::from_path(named).unwrap() {
            OutputFormat::Csv(Compression::Gzip) => {
                flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap()
            }
            OutputFormat::Csv(Compression::Zstd) => {
                zstd::Decoder::new(file).unwrap().read_to_string(&mut text).unwrap()
            }
            _ => { file }.read_to_string(&mut text).unwrap(),
        };
        text
    }

    fn owned(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|field| (*field).to_owned()).collect()).collect()
    }

    #[test]
    fn csv_in_all_compressions() {
        let folder = tempfile::tempdir().unwrap();
        let rows = owned(&[&["[25-28]", "{a, b}"], &["", "*"]]);
        for name in ["out.csv", "out.csv.gz", "out.csv.zst"] {
            let target = folder.path().join(name);
            let output = write(&target, &TableLayout::text(["age", "a \"job\""]), &rows).unwrap();
            let expected = "age,\"a \"\"job\"\"\"\n[25-28],\"{a, b}\"\n,*\n";
            assert_eq!(decompressed(&output.path(), &target), expected, "{name} before commit");
            output.commit().unwrap();
            assert_eq!(decompressed(&target, &target), expected, "{name}");
        }
    }

    #[test]
    fn a_delimiter_of_choice() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TableLayout { delimiter: b';', ..TableLayout::text(["a", "b"]) };
        let output =
            write(&folder.path().join("x.csv"), &layout, &owned(&[&["1,5", "x;y"]])).unwrap();
        assert_eq!(decompressed(&output.path(), Path::new("x.csv")), "a;b\n1,5;\"x;y\"\n");
    }

    #[test]
    fn impossible_tables_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.csv");
        assert!(write(&target, &TableLayout::text([""; 0]), &[]).is_err());
        let layout = TableLayout { types: vec![ColumnType::Date], ..TableLayout::text(["a", "b"]) };
        assert!(write(&target, &layout, &[]).is_err());
        let layout = TableLayout { delimiter: b'"', ..TableLayout::text(["a", "b"]) };
        assert!(write(&target, &layout, &[]).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_full_disk_is_an_error_with_a_hint() {
        // Linux has a device that is always full.
        if let Ok(mut full) = fs::OpenOptions::new().write(true).open("/dev/full") {
            let error = full.write_all(b"x").unwrap_err();
            assert!(write_error(Path::new("out.csv"), &error).help.is_some());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(32)))]
        #[test]
        fn any_table_reads_back(
            rows in (1usize..4).prop_flat_map(|columns| prop::collection::vec(
                prop::collection::vec("[xy,\"\r\n é*]{0,5}", columns), 1..20)),
            name in prop::sample::select(&["t.csv", "t.csv.gz", "t.csv.zst"][..]),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let names = (0..rows[0].len()).map(|i| format!("c{i}"));
            let output = write(&folder.path().join(name), &TableLayout::text(names), &rows).unwrap();
            let text = decompressed(&output.path(), Path::new(name));
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let read: Vec<Vec<String>> = reader.deserialize().map(|row| row.unwrap()).collect();
            prop_assert_eq!(read, rows);
        }
    }
}
