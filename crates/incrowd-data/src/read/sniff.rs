//! What a file is, by its first bytes, and how to turn what cannot be read into what can.

use std::path::Path;

use crate::{Error, Result};

/// How many bytes of a file are looked at.
pub(super) const LOOKED_AT: usize = 1 << 10;

/// What the first bytes of a file say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileSignature {
    /// A Parquet file.
    Parquet,
    /// A zip archive, which may be a workbook.
    Zip,
    /// An OLE compound file, which may be a workbook.
    Compound,
    /// A data file of SPSS.
    Spss,
    /// A data set of Stata.
    Stata,
    /// A transport file of SAS.
    SasTransport,
    /// Nothing known, so text.
    Text,
}

/// The first bytes of data sets of SAS.
const SAS7BDAT: [u8; 32] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc2, 0xea, 0x81, 0x60, 0xb3, 0x14, 0x11, 0xcf, 0xbd, 0x92,
    0x08, 0x00, 0x09, 0xc7, 0x31, 0x8c, 0x18, 0x1f, 0x10, 0x11,
];

/// A format that is known but not read.
struct ForeignFormat {
    /// What the file is.
    what: &'static str,
    /// How to convert it; `FILE` stands for its name.
    help: &'static str,
}

const STATA: ForeignFormat = ForeignFormat {
    what: "a data set of Stata",
    help: "convert it to CSV, in Python: pandas.read_stata(\"FILE\").to_csv(\"FILE.csv\", \
           index=False);\nin R: write.csv(haven::read_dta(\"FILE\"), \"FILE.csv\", \
           row.names = FALSE, na = \"\")",
};
const SPSS_PORTABLE: ForeignFormat = ForeignFormat {
    what: "a portable file of SPSS",
    help: "convert it to CSV, in Python: \
           pyreadstat.read_por(\"FILE\")[0].to_csv(\"FILE.csv\", index=False);\nin R: \
           write.csv(haven::read_por(\"FILE\"), \"FILE.csv\", row.names = FALSE, na = \"\")",
};
const SAS: ForeignFormat = ForeignFormat {
    what: "a data set of SAS",
    help: "convert it, in Python: pandas.read_sas(\"FILE\", \
           encoding=\"latin-1\").to_csv(\"FILE.csv\", index=False);\nin R: \
           write.csv(haven::read_sas(\"FILE\"), \"FILE.csv\", row.names = FALSE, na = \"\")",
};
const SAS_TRANSPORT: ForeignFormat = ForeignFormat {
    what: "a transport file of SAS",
    help: "convert it, in Python: pandas.read_sas(\"FILE\", \
           format=\"xport\").to_csv(\"FILE.csv\", index=False);\nin R: \
           write.csv(haven::read_xpt(\"FILE\"), \"FILE.csv\", row.names = FALSE, na = \"\")",
};
const R: ForeignFormat = ForeignFormat {
    what: "a file of R",
    help: "convert it, in R: write.csv(readRDS(\"FILE\"), \"FILE.csv\", row.names = FALSE, \
           na = \"\");\na file of several objects is opened with load(\"FILE\")",
};
const JSON: ForeignFormat = ForeignFormat {
    what: "JSON",
    help: "convert it, in Python: pandas.read_json(\"FILE\").to_csv(\"FILE.csv\", \
           index=False),\nwith lines=True if every line is an object",
};
const ARROW: ForeignFormat = ForeignFormat {
    what: "an Arrow or Feather file",
    help: "convert it, in Python: pandas.read_feather(\"FILE\").to_parquet(\"FILE.parquet\")",
};
const DATABASE: ForeignFormat = ForeignFormat {
    what: "a database",
    help: "export the table, for example: sqlite3 -header -csv FILE 'select * from people' > FILE.csv",
};
const HTML: ForeignFormat = ForeignFormat {
    what: "a web page or XML, whatever its name ends with",
    help: "open it in a spreadsheet program and save it as .xlsx or as CSV",
};
const PDF: ForeignFormat = ForeignFormat {
    what: "a PDF, which is made for printing",
    help: "ask for the table that it was made from, as CSV or Excel",
};
const PICTURE: ForeignFormat =
    ForeignFormat { what: "an image", help: "name the file that the table is in, as CSV or Excel" };
const PACKED: ForeignFormat = ForeignFormat {
    what: "compressed in an unsupported way",
    help: "unpack it, or compress it with gzip or zstd",
};
const COLUMNAR: ForeignFormat = ForeignFormat {
    what: "an ORC or Avro file",
    help: "convert it to Parquet or CSV, for example with Spark or DuckDB",
};
const DBASE: ForeignFormat = ForeignFormat {
    what: "a table of dBase",
    help: "convert it, in R: write.csv(foreign::read.dbf(\"FILE\"), \"FILE.csv\", row.names \
           = FALSE, na = \"\");\nor save it as .xlsx with a spreadsheet program",
};

/// Tells a file by its first bytes; refuses those of formats that are known but cannot be read.
pub(super) fn looks(path: &Path, head: &[u8]) -> Result<FileSignature> {
    if let Some(foreign) = foreign(path, head) {
        return Err(refused(path, &foreign));
    }
    if let Some(looks) = statistics(head) {
        let foreign = if looks == FileSignature::Stata { STATA } else { SAS_TRANSPORT };
        return if cfg!(feature = "statistics") { Ok(looks) } else { Err(refused(path, &foreign)) };
    }
    Ok(match head {
        // What follows the magic is the header of a page or the footer, neither of which begins with a letter of a name.
        [b'P', b'A', b'R', b'1', next, ..] if is_binary(*next) => FileSignature::Parquet,
        b"PAR1" => FileSignature::Parquet,
        [b'$', b'F', b'L', b'2' | b'3', ..] => FileSignature::Spss,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => FileSignature::Zip,
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => FileSignature::Compound,
        _ => FileSignature::Text,
    })
}

/// Refuses what a compressed file may hold beside text.
pub(super) fn check_inside(path: &Path, head: &[u8]) -> Result<()> {
    match looks(path, head)? {
        FileSignature::Text => Ok(()),
        FileSignature::Parquet => {
            Err(Error::new(format!("{} is a compressed Parquet file", path.display()))
                .help("unpack it: Parquet files are compressed inside already"))
        }
        _ => {
            let what = "is a compressed workbook, archive or data set";
            Err(Error::new(format!("{} {what}", path.display())).help("unpack it first"))
        }
    }
}

fn refused(path: &Path, foreign: &ForeignFormat) -> Error {
    let file = path.display().to_string();
    Error::new(format!("{file} is {}", foreign.what)).help(foreign.help.replace("FILE", &file))
}

/// Files of statistics programs that can be read.
fn statistics(head: &[u8]) -> Option<FileSignature> {
    match head {
        _ if head.starts_with(b"<stata_dta>") => Some(FileSignature::Stata),
        // The release, the order of bytes, and a 1.
        [0x66..=0x73, 1 | 2, 1, ..] => Some(FileSignature::Stata),
        _ if head.starts_with(b"HEADER RECORD*******LIB") => Some(FileSignature::SasTransport),
        _ => None,
    }
}

fn foreign(path: &Path, head: &[u8]) -> Option<ForeignFormat> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let extension = extension.as_deref().unwrap_or_default();
    let begins = |text: &str| head.starts_with(text.as_bytes());
    let contains = |text: &str| memchr::memmem::find(head, text.as_bytes()).is_some();
    Some(match head {
        _ if begins("ASCII SPSS PORT FILE") || is_portable(head) => SPSS_PORTABLE,
        _ if extension == "por" && contains("SPSSPORT") => SPSS_PORTABLE,
        _ if head.starts_with(&SAS7BDAT) => SAS,
        _ if begins("RDX2\n") || begins("RDX3\n") || begins("RDA2\n") || begins("RDA3\n") => R,
        [b'X', b'\n', 0, 0, 0, 2 | 3, ..] => R,
        _ if begins("ARROW1\0") || begins("FEA1\0") => ARROW,
        _ if begins("SQLite format 3\0") => DATABASE,
        [0, 1, 0, 0, b'S', b't', b'a', b'n', b'd', b'a', b'r', b'd', ..] => DATABASE,
        _ if begins("%PDF-") => PDF,
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] => PICTURE,
        _ if begins("GIF87a") || begins("GIF89a") => PICTURE,
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', ..]
        | [0xfd, b'7', b'z', b'X', b'Z', ..]
        | [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..]
        | [0x04, 0x22, 0x4d, 0x18, ..] => PACKED,
        _ if begins("Rar!\x1a") => PACKED,
        [b'O', b'b', b'j', 1, ..] => COLUMNAR,
        [b'O', b'R', b'C', next, ..] if is_binary(*next) => COLUMNAR,
        [3 | 0x83 | 0xf5, ..] if extension == "dbf" => DBASE,
        _ if is_markup(head) => HTML,
        _ if is_json(head, extension) => JSON,
        _ => return None,
    })
}

/// A portable file of SPSS has its tag behind 200 bytes of greeting and 256 of a character set, ends of lines not counted.
/// The same letters elsewhere are a value of a table.
fn is_portable(head: &[u8]) -> bool {
    let bytes = head.iter().filter(|byte| !matches!(byte, b'\r' | b'\n'));
    bytes.skip(456).take(8).eq(b"SPSSPORT")
}

/// Whether a byte stands in no text.
fn is_binary(byte: u8) -> bool {
    byte.is_ascii_control() && !byte.is_ascii_whitespace()
}

/// The bytes behind white space and a byte order mark.
fn content(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start()
}

fn is_markup(head: &[u8]) -> bool {
    let start: Vec<u8> = content(head).iter().take(16).map(u8::to_ascii_lowercase).collect();
    ["<!doctype", "<html", "<?xml", "<table"].iter().any(|tag| start.starts_with(tag.as_bytes()))
}

/// An object or a list of them. A header of a table could begin with a brace, but not with one before a quote: such a name
/// would stand in quotes itself.
fn is_json(head: &[u8], extension: &str) -> bool {
    let named = ["json", "jsonl", "ndjson", "geojson"].contains(&extension);
    let mut bytes = content(head).iter().filter(|byte| !byte.is_ascii_whitespace());
    match (bytes.next(), bytes.next(), bytes.next()) {
        (Some(b'{' | b'['), ..) if named => true,
        (Some(b'{'), Some(b'"'), _) | (Some(b'['), Some(b'{' | b'['), Some(b'"')) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn formats_that_cannot_be_read_are_told_with_a_way_out() {
        let portable = [&[b' '; 80][..], b"\r\n", &[b' '; 376], b"SPSSPORT"].concat();
        let cases: [(&str, &[u8], &str, &str); 12] = [
            ("a.por", &portable, "portable file of SPSS", "read_por"),
            ("a.sas7bdat", &SAS7BDAT, "data set of SAS", "read_sas"),
            ("a.rds", b"X\n\0\0\0\x03\0\x04", "file of R", "readRDS"),
            ("a.RData", b"RDX3\nX\n", "file of R", "load("),
            ("a.json", b"[\n  {\"age\": 5}]", "JSON", "read_json"),
            ("a.txt", b"{\"age\": 5}\n{\"age\": 6}\n", "JSON", "lines=True"),
            ("a.xls", b"\r\n<html><table>", "web page", ".xlsx"),
            ("a.pdf", b"%PDF-1.7", "PDF", "ask"),
            ("a.feather", b"ARROW1\0\0", "Arrow", "to_parquet"),
            ("a.csv", b"BZh91AY&SY", "compressed", "unpack"),
            ("a.db", b"SQLite format 3\0", "database", "sqlite3"),
            ("a.dbf", b"\x03\x5f\x07\x1a", "dBase", "read.dbf"),
        ];
        for (name, head, what, help) in cases {
            let error = looks(Path::new(name), head).unwrap_err();
            assert!(error.message.contains(what), "{name}: {error}");
            assert!(error.help.as_ref().unwrap().contains(help), "{name}: {error}");
        }
    }

    #[test]
    fn tables_are_text() {
        for head in [
            &b"{id},name\n"[..],
            b"<5,>=5\n",
            b"r,s,t\n",
            b"ORCID,name\n",
            b"ORC\n",
            b"PAR1,PAR2\n",
            b"ARROW1,b\n",
            b"GIF8,b\n",
            b"X\ny\n",
            b"[age],b\n",
            b"id;SPSSPORT\n",
            b"",
            b"g\x01x",
        ] {
            assert_eq!(looks(Path::new("a.csv"), head).unwrap(), FileSignature::Text, "{head:?}");
        }
        assert_eq!(looks(Path::new("a"), b"PK\x03\x04").unwrap(), FileSignature::Zip);
        #[cfg(feature = "statistics")]
        assert_eq!(looks(Path::new("a"), &[0x72, 2, 1, 0, 3]).unwrap(), FileSignature::Stata);
    }
}
