//! The table: its profiles, read by the verifier's reader.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use incrowd_verify::{CsvOptions, MissingTokens, read_csv, value_form};

use crate::error::{Error, Result};
use crate::question::Question;

/// The distinct combinations of a table.
pub(crate) struct Profiles {
    /// How many columns a combination has.
    pub(crate) width: usize,
    /// The values of each combination, one after the other, in the question's numbering.
    pub(crate) codes: Vec<u16>,
    /// How many rows have it.
    pub(crate) counts: Vec<u32>,
    /// How many of them have the second class value.
    pub(crate) ones: Vec<u32>,
    pub(crate) rows: u64,
}

impl Profiles {
    /// Reads a CSV file.
    pub(crate) fn read(question: &Question, mut table: impl Read) -> Result<Self> {
        let mut bytes = Vec::new();
        table.read_to_end(&mut bytes)?;
        let mut names: Vec<&str> = question.columns.iter().map(|column| &*column.name).collect();
        names.extend(question.class.as_ref().map(|class| &*class.name));
        let missing = MissingTokens::new(question.missing.iter().cloned());
        let columns = question.columns.iter().map(|column| &column.values[..]);
        let alone = |value: &Option<String>| vec![value.clone()];
        let class = question.class.as_ref();
        let class: Option<Vec<_>> = class.map(|it| it.values.iter().map(alone).collect());
        let mut codes: Vec<Codes> = columns
            .chain(class.as_deref())
            .map(|values| Codes::new(values, &missing))
            .collect::<Result<_>>()?;
        let options = delimiter(&bytes, &names);
        let width = question.columns.len();
        let mut found: BTreeMap<Vec<u16>, (u64, u64)> = BTreeMap::new();
        let (mut rows, mut unknown) = (0u64, None);
        read_csv(&bytes[..], &options, &names, |fields| {
            let mut key = Vec::with_capacity(names.len());
            for (at, (&field, codes)) in fields.iter().zip(&mut codes).enumerate() {
                match codes.of(field, &missing) {
                    Some(code) => key.push(code),
                    None => {
                        unknown = Some(at);
                        return Ok(false);
                    }
                }
            }
            let one = key.len() > width && key.pop() == Some(1);
            let entry = found.entry(key).or_default();
            entry.0 += 1;
            entry.1 += u64::from(one);
            rows += 1;
            Ok(true)
        })?;
        if let Some(at) = unknown {
            return Err(Error::UnknownValue(names[at].to_owned()));
        }
        if rows != question.rows {
            return Err(Error::OtherTable);
        }
        let mut profiles =
            Profiles { width, codes: Vec::new(), counts: Vec::new(), ones: Vec::new(), rows };
        for (key, (count, ones)) in found {
            profiles.codes.extend(key);
            // There are at most 2^31 rows.
            profiles.counts.push(count as u32);
            profiles.ones.push(ones as u32);
        }
        Ok(profiles)
    }

    /// The keyed hash of all combinations and their counts.
    pub(crate) fn hash(&self, question: &Question) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(question.key.as_bytes());
        for (at, (count, ones)) in self.counts.iter().zip(&self.ones).enumerate() {
            for code in self.of(at) {
                hasher.update(&code.to_le_bytes());
            }
            hasher.update(&count.to_le_bytes()).update(&ones.to_le_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The values of a combination.
    pub(crate) fn of(&self, at: usize) -> &[u16] {
        &self.codes[at * self.width..(at + 1) * self.width]
    }
}

/// How a file is written: its delimiter is the one that makes a header with all these columns.
pub(crate) fn delimiter(bytes: &[u8], names: &[&str]) -> CsvOptions {
    let options = |delimiter| CsvOptions { delimiter, ..CsvOptions::default() };
    let fits = |&delimiter: &u8| {
        let options = options(delimiter);
        read_csv(bytes, &options, names, |_| Ok(false)).is_ok()
    };
    options([b',', b';', b'\t', b'|'].into_iter().find(fits).unwrap_or(b','))
}

/// The codes of a column's values.
struct Codes {
    by_form: HashMap<String, u16>,
    met: HashMap<String, u16>,
}

impl Codes {
    fn new(values: &[Vec<Option<String>>], missing: &MissingTokens) -> Result<Self> {
        let mut by_form = HashMap::new();
        for (code, together) in values.iter().enumerate() {
            for value in together {
                let form = match value {
                    Some(value) => value_form(value, missing),
                    None => "m".to_owned(),
                };
                if by_form.insert(form, code as u16).is_some() {
                    return Err(Error::Question("a column names a value twice".to_owned()));
                }
            }
        }
        Ok(Codes { by_form, met: HashMap::new() })
    }

    fn of(&mut self, field: &str, missing: &MissingTokens) -> Option<u16> {
        if let Some(&code) = self.met.get(field) {
            return Some(code);
        }
        let code = *self.by_form.get(&value_form(field, missing))?;
        self.met.insert(field.to_owned(), code);
        Some(code)
    }
}
