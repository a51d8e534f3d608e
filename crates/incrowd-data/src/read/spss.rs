//! Data files of SPSS (.sav, .zsav) as CSV text.
//!
//! No crate reads them without a data frame library, but their form is simple and well described (PSPP's *System File
//! Format*): a header, records about variables, value labels and further things, then the cases in elements of 8 bytes,
//! plain, packed by bytes, or packed and deflated.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::converted_file::{ConvertedFile, CsvText, careful, damaged, iso_day, shown};
use super::encoding::parse_encoding;
use super::file::FileHandle;
use crate::Result;

const SPSS: &str = "a data file of SPSS";

/// The number that stands for no value.
const MISSING: f64 = -f64::MAX;
/// Days from the 14th of October 1582, from which SPSS counts seconds, to 1960.
const DAYS_TO_1960: i64 = 137_775;
const DAY: f64 = 86_400.0;

/// A data file as text.
pub(super) fn read(handle: &FileHandle, encoding: Option<&str>) -> Result<ConvertedFile> {
    let (path, bytes) = (handle.path(), handle.all()?);
    let named = encoding.map(parse_encoding).transpose()?;
    careful(path, SPSS, || {
        let file = SpssFile::read(&bytes, named).map_err(|what| damaged(path, SPSS, &what))?;
        file.convert(path)
    })
}

/// What is wrong with a file.
type SpssResult<T> = std::result::Result<T, String>;

/// Bytes that are read one after the other.
struct ByteCursor<'a> {
    rest: &'a [u8],
    big: bool,
}

impl<'a> ByteCursor<'a> {
    fn take(&mut self, count: usize) -> SpssResult<&'a [u8]> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| "it ends too early".to_owned())?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> SpssResult<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        if self.big {
            array.reverse();
        }
        Ok(array)
    }

    fn int(&mut self) -> SpssResult<i32> {
        self.array().map(i32::from_le_bytes)
    }

    /// A number of things, each of at least so many bytes: no more than there can be.
    fn count(&mut self, size: usize) -> SpssResult<usize> {
        let count = self.int()?;
        let most = self.rest.len() / size.max(1);
        usize::try_from(count)
            .ok()
            .filter(|count| *count <= most)
            .ok_or_else(|| format!("it announces {count} items"))
    }

    fn long(&mut self) -> SpssResult<i64> {
        self.array().map(i64::from_le_bytes)
    }

    fn double(&mut self) -> SpssResult<f64> {
        self.array().map(f64::from_le_bytes)
    }
}

/// How the elements of cases are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CasePacking {
    Plain,
    Bytes,
    Deflated,
}

/// A variable, or a part of a long text.
struct Variable {
    /// The short name, which other records call it by.
    short: String,
    name: String,
    /// The width of a text, 0 for numbers.
    width: usize,
    /// Where its first element is in a case.
    element: usize,
    format: u8,
    absent: MissingValues,
    labels: BTreeMap<u64, String>,
}

/// The numbers that were declared to mean missing.
#[derive(Default)]
struct MissingValues {
    values: Vec<f64>,
    range: Option<(f64, f64)>,
}

impl MissingValues {
    fn holds(&self, number: f64) -> bool {
        self.values.contains(&number)
            || self.range.is_some_and(|(low, high)| (low..=high).contains(&number))
    }
}

struct SpssFile<'a> {
    big: bool,
    packing: CasePacking,
    bias: f64,
    /// How many elements a case has.
    elements: usize,
    variables: Vec<Variable>,
    encoding: &'static Encoding,
    cases: &'a [u8],
    whole: &'a [u8],
}

impl<'a> SpssFile<'a> {
    fn read(bytes: &'a [u8], named: Option<&'static Encoding>) -> SpssResult<Self> {
        let mut cursor = ByteCursor { rest: bytes, big: false };
        let deflated = cursor.take(4)? == b"$FL3";
        cursor.take(60)?;
        // The layout is 2 or 3, which tells the order of bytes.
        let layout = cursor.int()?;
        if !matches!(layout, 2 | 3) {
            cursor.big = true;
            if !matches!(layout.swap_bytes(), 2 | 3) {
                return Err(format!("its layout is {layout}"));
            }
        }
        cursor.int()?;
        let packing = match cursor.int()? {
            0 => CasePacking::Plain,
            1 => CasePacking::Bytes,
            2 if deflated => CasePacking::Deflated,
            other => return Err(format!("its compression is of the unknown kind {other}")),
        };
        cursor.take(8)?;
        let bias = cursor.double()?;
        cursor.take(9 + 8 + 64 + 3)?;
        let mut records = DictionaryRecords::default();
        while records.next(&mut cursor)? {}
        let big = cursor.big;
        let encoding = named.or_else(|| records.encoding()).unwrap_or(WINDOWS_1252);
        let elements = records.elements;
        let variables = records.finish(encoding, big)?;
        Ok(SpssFile {
            big,
            packing,
            bias,
            elements,
            variables,
            encoding,
            cases: cursor.rest,
            whole: bytes,
        })
    }

    /// Gives every case, as its elements, to `each`.
    fn each_case(&self, mut each: impl FnMut(&[[u8; 8]])) -> SpssResult<()> {
        let unpacked;
        let mut cursor = ByteCursor { rest: self.cases, big: self.big };
        if self.packing == CasePacking::Deflated {
            unpacked = inflate(self.whole, &mut cursor)?;
            cursor.rest = &unpacked;
        }
        let mut case = Vec::with_capacity(self.elements);
        let mut codes: &[u8] = &[];
        let mut put = |case: &mut Vec<[u8; 8]>, element: [u8; 8]| {
            case.push(element);
            if case.len() == self.elements {
                each(case);
                case.clear();
            }
        };
        let number = |value: f64| if self.big { value.to_be_bytes() } else { value.to_le_bytes() };
        loop {
            if self.packing == CasePacking::Plain {
                let Ok(element) = cursor.take(8) else { break };
                put(&mut case, element.try_into().unwrap_or_default());
                continue;
            }
            let Some((&code, rest)) = codes.split_first() else {
                match cursor.take(8) {
                    Ok(more) => codes = more,
                    Err(_) => break,
                }
                continue;
            };
            codes = rest;
            match code {
                0 => {}
                252 => break,
                253 => put(&mut case, cursor.take(8)?.try_into().unwrap_or_default()),
                254 => put(&mut case, [b' '; 8]),
                255 => put(&mut case, number(MISSING)),
                small => put(&mut case, number(f64::from(small) - self.bias)),
            }
        }
        match case.is_empty() {
            true => Ok(()),
            false => Err("it ends in the middle of a case".to_owned()),
        }
    }

    fn number(&self, case: &[[u8; 8]], variable: &Variable) -> Option<f64> {
        let element = *case.get(variable.element)?;
        let number =
            if self.big { f64::from_be_bytes(element) } else { f64::from_le_bytes(element) };
        (number != MISSING && number.is_finite() && !variable.absent.holds(number))
            .then_some(number)
    }

    /// A text, put together of its parts: each holds 255 bytes in 32 elements.
    fn text<'c>(&self, case: &'c [[u8; 8]], variable: &Variable) -> Cow<'c, str> {
        const PART: usize = 255;
        const ELEMENTS: usize = 32;
        let mut bytes = Vec::with_capacity(variable.width);
        for part in 0..variable.width.div_ceil(PART) {
            let from = variable.element + part * ELEMENTS;
            let size = (variable.width - part * PART).min(PART);
            let elements = case.get(from..from + size.div_ceil(8)).unwrap_or_default();
            bytes.extend(elements.as_flattened().iter().take(size));
        }
        let text = self.encoding.decode_without_bom_handling(&bytes).0;
        Cow::Owned(text.trim_end_matches([' ', '\0']).to_owned())
    }

    fn convert(&self, path: &Path) -> Result<ConvertedFile> {
        let failed = |what: String| damaged(path, SPSS, &what);
        let numbers = || self.variables.iter().enumerate().filter(|(_, it)| it.width == 0);
        // Labels are taken for values where all codes that occur have one of their own.
        let mut seen: BTreeMap<usize, BTreeSet<u64>> = numbers()
            .filter(|(_, variable)| !variable.labels.is_empty())
            .map(|(at, _)| (at, BTreeSet::new()))
            .collect();
        let (mut clock, mut absent) = (BTreeSet::new(), BTreeSet::new());
        self.each_case(|case| {
            for (at, variable) in numbers() {
                match self.number(case, variable) {
                    Some(number) => {
                        if let Some(seen) = seen.get_mut(&at) {
                            seen.insert(key(number));
                        }
                        if is_time(variable.format) && number.rem_euclid(DAY) >= 1.0 {
                            clock.insert(at);
                        }
                    }
                    None if !variable.absent.values.is_empty()
                        || variable.absent.range.is_some() =>
                    {
                        absent.insert(at);
                    }
                    None => {}
                }
            }
        })
        .map_err(failed)?;
        seen.retain(|&at, codes| {
            let labels = &self.variables[at].labels;
            let named: BTreeSet<&String> =
                codes.iter().filter_map(|code| labels.get(code)).collect();
            !codes.is_empty() && named.len() == codes.len()
        });
        let names: Vec<String> = self.variables.iter().map(|it| it.name.clone()).collect();
        let mut text = CsvText::new(path, &names)?;
        let mut written = Ok(());
        self.each_case(|case| {
            for (at, variable) in self.variables.iter().enumerate() {
                if variable.width > 0 {
                    text.field(&self.text(case, variable));
                    continue;
                }
                match self.number(case, variable) {
                    None => text.field(""),
                    Some(number) if seen.contains_key(&at) => {
                        text.field(variable.labels.get(&key(number)).map_or("", String::as_str));
                    }
                    Some(number) => {
                        text.field(&time_or_number(number, variable.format, clock.contains(&at)))
                    }
                }
            }
            if written.is_ok() {
                written = text.end();
            }
        })
        .map_err(failed)?;
        written?;
        let list = |which: &mut dyn Iterator<Item = usize>| -> String {
            which.map(|at| names[at].as_str()).collect::<Vec<_>>().join(", ")
        };
        let mut notes = Vec::new();
        let file = path.display();
        if !seen.is_empty() {
            let labelled = list(&mut seen.keys().copied());
            notes.push(format!(
                "{file} has labels for the codes in {labelled}: the labels are taken as values"
            ));
        }
        if !absent.is_empty() {
            let absent = list(&mut absent.iter().copied());
            notes.push(format!(
                "{file} declares codes for missing values in {absent}: they are taken as missing"
            ));
        }
        Ok(ConvertedFile { text: text.finish()?, notes })
    }
}

/// A number as a key that equal numbers share.
fn key(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// Formats of days and of days with a time.
fn is_time(format: u8) -> bool {
    matches!(format, 20 | 22 | 23 | 24 | 38 | 39 | 41)
}

fn time_or_number(number: f64, format: u8, clock: bool) -> String {
    let seconds = number.rem_euclid(DAY) as u32;
    let time = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let day = || iso_day((number / DAY).floor() as i64 - DAYS_TO_1960);
    match format {
        _ if is_time(format) && clock => format!("{}T{time}", day()),
        _ if is_time(format) => day(),
        // A month and year, a quarter and year, a time of day.
        28 => day().get(..7).unwrap_or_default().to_owned(),
        29 => {
            let day = day();
            let month: u32 = day.get(5..7).and_then(|month| month.parse().ok()).unwrap_or(1);
            format!("{}-Q{}", day.get(..4).unwrap_or_default(), month.div_ceil(3))
        }
        21 if (0.0..DAY).contains(&number) => time,
        _ => shown(number),
    }
}

/// Values with their labels, and the places of the variables that they belong to.
type LabelSet<'a> = (Vec<([u8; 8], &'a [u8])>, Vec<usize>);

/// What the records before the cases say, in the bytes of the file.
#[derive(Default)]
struct DictionaryRecords<'a> {
    elements: usize,
    /// Name, width, element, format, missing values; continuations are left out.
    variables: Vec<(&'a [u8], usize, usize, u8, MissingValues)>,
    labels: Vec<LabelSet<'a>>,
    long_names: &'a [u8],
    very_long: &'a [u8],
    code_page: Option<i32>,
    encoding_name: &'a [u8],
}

impl<'a> DictionaryRecords<'a> {
    /// Takes the next record; false behind the last.
    fn next(&mut self, cursor: &mut ByteCursor<'a>) -> SpssResult<bool> {
        match cursor.int()? {
            2 => self.variable(cursor)?,
            3 => self.value_labels(cursor)?,
            6 => {
                let lines = cursor.count(80)?;
                cursor.take(80 * lines)?;
            }
            7 => self.extension(cursor)?,
            999 => {
                cursor.int()?;
                return Ok(false);
            }
            other => return Err(format!("it has a record of the unknown kind {other}")),
        }
        Ok(true)
    }

    fn variable(&mut self, cursor: &mut ByteCursor<'a>) -> SpssResult<()> {
        let width = cursor.int()?;
        let has_label = cursor.int()? != 0;
        let missing = cursor.int()?;
        let format = (cursor.int()? >> 16) as u8;
        cursor.int()?;
        let name = cursor.take(8)?;
        if has_label {
            let length = cursor.count(1)?;
            cursor.take(length.next_multiple_of(4).min(cursor.rest.len()))?;
        }
        let mut absent = MissingValues::default();
        let mut values = (0..missing.unsigned_abs().min(3))
            .map(|_| cursor.double())
            .collect::<SpssResult<Vec<f64>>>()?;
        if missing < 0 && values.len() >= 2 {
            absent.range = Some((values[0], values[1]));
            values.drain(..2);
        }
        absent.values = values;
        if let Ok(width) = usize::try_from(width) {
            self.variables.push((name, width, self.elements, format, absent));
        }
        self.elements += 1;
        Ok(())
    }

    fn value_labels(&mut self, cursor: &mut ByteCursor<'a>) -> SpssResult<()> {
        let mut labels = Vec::new();
        for _ in 0..cursor.count(16)? {
            let value: [u8; 8] = cursor.take(8)?.try_into().unwrap_or_default();
            let length = usize::from(cursor.take(1)?[0]);
            let padded = (length + 1).next_multiple_of(8) - 1;
            labels.push((value, &cursor.take(padded)?[..length]));
        }
        if cursor.int()? != 4 {
            return Err("labels of values belong to no variables".to_owned());
        }
        let mut places = Vec::new();
        for _ in 0..cursor.count(4)? {
            places.push(usize::try_from(cursor.int()?).unwrap_or(0));
        }
        self.labels.push((labels, places));
        Ok(())
    }

    fn extension(&mut self, cursor: &mut ByteCursor<'a>) -> SpssResult<()> {
        let kind = cursor.int()?;
        let (size, count) = (cursor.count(0)?, cursor.count(0)?);
        let content = cursor.take(size.checked_mul(count).ok_or("a record has no end")?)?;
        match kind {
            3 => {
                let mut inner = ByteCursor { rest: content, big: cursor.big };
                inner.take(28)?;
                self.code_page = inner.int().ok();
            }
            13 => self.long_names = content,
            14 => self.very_long = content,
            20 => self.encoding_name = content,
            _ => {}
        }
        Ok(())
    }

    fn encoding(&self) -> Option<&'static Encoding> {
        if !self.encoding_name.is_empty() {
            return Encoding::for_label(self.encoding_name);
        }
        match self.code_page? {
            65_001 => Some(UTF_8),
            page @ 1250..=1258 => Encoding::for_label(format!("windows-{page}").as_bytes()),
            28_591..=28_606 => Some(WINDOWS_1252),
            _ => None,
        }
    }

    /// The variables as people know them.
    fn finish(self, encoding: &'static Encoding, big: bool) -> SpssResult<Vec<Variable>> {
        let decode =
            |bytes: &[u8]| encoding.decode_without_bom_handling(bytes).0.trim_end().to_owned();
        let pairs = |bytes: &[u8]| -> BTreeMap<String, String> {
            let text = decode(bytes);
            let pairs = text.split(['\t', '\0']).filter_map(|pair| pair.split_once('='));
            pairs.map(|(name, value)| (name.to_uppercase(), value.to_owned())).collect()
        };
        let (long_names, very_long) = (pairs(self.long_names), pairs(self.very_long));
        let mut variables: Vec<Variable> = Vec::new();
        // Parts of a very long text are variables of their own in the file.
        let mut parts = 0;
        for (name, width, element, format, absent) in self.variables {
            if parts > 0 {
                parts -= 1;
                continue;
            }
            let short = decode(name);
            let long =
                very_long.get(&short.to_uppercase()).and_then(|width| width.parse::<usize>().ok());
            let width = match long {
                Some(long) if long > 255 && long < 1 << 20 => {
                    parts = long.div_ceil(252) - 1;
                    long
                }
                _ => width,
            };
            let name = long_names.get(&short.to_uppercase()).unwrap_or(&short).clone();
            variables.push(Variable {
                short,
                name,
                width,
                element,
                format,
                absent,
                labels: BTreeMap::new(),
            });
        }
        for (labels, places) in self.labels {
            for variable in &mut variables {
                // Places count elements from 1.
                if variable.width == 0 && places.contains(&(variable.element + 1)) {
                    for (value, label) in &labels {
                        let number = if big {
                            f64::from_be_bytes(*value)
                        } else {
                            f64::from_le_bytes(*value)
                        };
                        variable.labels.insert(key(number), decode(label));
                    }
                }
            }
        }
        if variables.iter().any(|variable| variable.short.is_empty()) {
            return Err("a variable has no name".to_owned());
        }
        Ok(variables)
    }
}

/// The packed cases of a deflated file: the header behind the records says where their list of blocks is.
fn inflate(whole: &[u8], cursor: &mut ByteCursor<'_>) -> SpssResult<Vec<u8>> {
    cursor.long()?;
    let list = usize::try_from(cursor.long()?).unwrap_or(usize::MAX);
    let mut list = ByteCursor {
        rest: whole.get(list..).ok_or("it lacks its list of blocks")?,
        big: cursor.big,
    };
    list.take(20)?;
    let mut unpacked = Vec::new();
    for _ in 0..list.count(24)? {
        list.long()?;
        let from = usize::try_from(list.long()?).unwrap_or(usize::MAX);
        let size = u64::try_from(list.int()?).unwrap_or(0);
        let length = usize::try_from(list.int()?).unwrap_or(0);
        let block = from.checked_add(length).and_then(|end| whole.get(from..end));
        let block = block.ok_or("a block of it is not there")?;
        let mut inflated = flate2::read::ZlibDecoder::new(block).take(size);
        inflated
            .read_to_end(&mut unpacked)
            .map_err(|e| format!("a block of it is damaged: {e}"))?;
    }
    Ok(unpacked)
}
