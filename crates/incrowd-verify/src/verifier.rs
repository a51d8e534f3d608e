//! Rows in, verdict out.

use std::ops::Range;
use std::str::Utf8Error;

use crate::error::{Error, Place, Result, Source};
use crate::intern::{Interner, Values};
use crate::judge;
use crate::requirements::Requirements;
use crate::truth::Truth;
use crate::tuples::Tuples;
use crate::verdict::Verdict;

/// How many classes, and how many rows of each, a violation shows.
pub(crate) const SHOWN: usize = 10;

/// Takes the rows of a release one by one, in any order, and judges them at the end.
///
/// Memory grows with the distinct combinations of released values, not with the rows.
pub struct Verifier {
    pub(crate) requirements: Requirements,
    pub(crate) header: Vec<String>,
    /// What each column of the release is needed for.
    uses: Vec<Use>,
    pub(crate) quasi: Vec<Quasi>,
    /// Released strings of the columns that make a class.
    pub(crate) labels: Vec<Interner>,
    /// Values of the columns that are counted or compared as they are.
    pub(crate) values: Vec<ValueColumn>,
    pub(crate) classes: Tuples,
    pub(crate) truth: Option<Truth>,
    pub(crate) rows: u32,
    /// What the rows of each class look like, all labels in one string: most rows look like one
    /// before them, and then one look-up tells the class.
    looks: Interner,
    /// The look of the row at hand, and where its labels lie in it.
    look: Vec<u8>,
    label_places: Vec<Range<usize>>,
    /// The codes of the row at hand.
    label_codes: Vec<u32>,
    value_codes: Vec<u32>,
}

/// The places of a column's codes, where it has any.
#[derive(Clone, Copy, Default)]
pub(crate) struct Use {
    pub(crate) label: Option<u32>,
    pub(crate) value: Option<u32>,
}

/// A quasi-identifier and the places of its labels.
pub(crate) struct Quasi {
    pub(crate) name: String,
    pub(crate) form: Form,
}

/// How a quasi-identifier is released.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// In a column of its own name.
    Label(usize),
    /// In two columns, the least and the greatest number.
    Bounds(usize, usize),
}

/// A column that is counted or compared as it is.
pub(crate) struct ValueColumn {
    pub(crate) name: String,
    pub(crate) values: Values,
    /// For sensitive columns how often each value occurs in each class.
    pub(crate) histograms: Option<Tuples>,
}

impl Verifier {
    /// A verifier of releases with that header.
    pub fn new<S: AsRef<str>>(header: &[S], requirements: &Requirements) -> Result<Self> {
        requirements.check()?;
        let header = checked_header(header, Source::Release)?;
        let position = |name: &str| header.iter().position(|column| column == name);
        let mut uses = vec![Use::default(); header.len()];
        let mut label_count = 0;
        let mut label_at = |position: usize| {
            let place = *uses[position].label.get_or_insert(label_count);
            label_count = label_count.max(place + 1);
            place as usize
        };
        let mut quasi = Vec::with_capacity(requirements.quasi.len());
        for name in &requirements.quasi {
            let bounds = (position(&format!("{name}_min")), position(&format!("{name}_max")));
            let form = match (position(name), bounds) {
                (Some(column), _) => Form::Label(label_at(column)),
                (None, (Some(least), Some(most))) => Form::Bounds(label_at(least), label_at(most)),
                _ => return Err(missing_column(Source::Release, name, &header)),
            };
            quasi.push(Quasi { name: name.clone(), form });
        }
        let labels: Vec<Interner> = (0..label_count).map(|_| Interner::default()).collect();
        // Without models the only violations are classes below k: no other rows need be known.
        let keep = match requirements.models.is_empty() {
            true => SHOWN.min(usize::try_from(requirements.k - 1).unwrap_or(SHOWN)),
            false => SHOWN,
        };
        let mut verifier = Verifier {
            requirements: requirements.clone(),
            classes: Tuples::new(labels.len(), keep),
            looks: Interner::default(),
            look: Vec::new(),
            label_places: vec![0..0; labels.len()],
            label_codes: vec![0; labels.len()],
            header,
            uses,
            quasi,
            labels,
            values: Vec::new(),
            truth: None,
            rows: 0,
            value_codes: Vec::new(),
        };
        for model in &requirements.models {
            let at = verifier.value_column(&model.column)?;
            verifier.values[at].histograms.get_or_insert_with(|| Tuples::new(2, 0));
        }
        Ok(verifier)
    }

    /// Also compare the release with the table it was made from, whose rows are to be handed over
    /// with [`push_original`](Self::push_original), before, between or after those of the release.
    ///
    /// Each released row must stand for an original row of its own: one whose quasi-identifiers
    /// lie in the released ones and whose values in all other columns are equal. To be called
    /// before the first row.
    pub fn compare_with<S: AsRef<str>>(&mut self, original_header: &[S]) -> Result<()> {
        if self.rows > 0 {
            return Err(Error::Requirements(
                "the original's header must be known before the first released row".to_owned(),
            ));
        }
        let original = checked_header(original_header, Source::Original)?;
        let mut equal = Vec::new();
        let mut unknown = Vec::new();
        let mut unchecked = Vec::new();
        for at in 0..self.header.len() {
            let name = self.header[at].clone();
            if self.uses[at].label.is_some() {
                continue;
            }
            if self.requirements.unchecked.contains(&name) {
                unchecked.push(name);
            } else if original.contains(&name) {
                equal.push(self.value_column(&name)?);
            } else {
                unknown.push(name);
            }
        }
        let mut contained = Vec::new();
        for (at, Quasi { name, .. }) in self.quasi.iter().enumerate() {
            if self.requirements.unchecked.contains(name) {
                unchecked.push(name.clone());
            } else if original.contains(name) {
                contained.push(at);
            } else {
                return Err(missing_column(Source::Original, name, &original));
            }
        }
        self.truth = Some(Truth::new(self, &original, contained, equal, unknown, unchecked));
        Ok(())
    }

    /// The place of a column's values, which is made if there is none.
    fn value_column(&mut self, name: &str) -> Result<usize> {
        let Some(position) = self.header.iter().position(|column| column == name) else {
            return Err(missing_column(Source::Release, name, &self.header));
        };
        if let Some(at) = self.uses[position].value {
            return Ok(at as usize);
        }
        let at = self.values.len();
        self.uses[position].value = Some(at as u32);
        let name = name.to_owned();
        self.values.push(ValueColumn { name, values: Values::default(), histograms: None });
        self.value_codes.push(0);
        Ok(at)
    }

    /// Takes one row of the release.
    pub fn push<'a>(&mut self, row: impl IntoIterator<Item = &'a str>) -> Result<()> {
        self.push_fields(row.into_iter().map(str::as_bytes))
    }

    /// Takes one row of the original.
    pub fn push_original<'a>(&mut self, row: impl IntoIterator<Item = &'a str>) -> Result<()> {
        self.push_original_fields(row.into_iter().map(str::as_bytes))
    }

    pub(crate) fn push_fields<'a>(
        &mut self,
        fields: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<()> {
        let row = next_row(self.rows, Source::Release)?;
        let place = Place::Row(u64::from(row));
        let mut found = 0;
        self.look.clear();
        for (field, at) in fields.into_iter().zip(0..) {
            found = at + 1;
            let Some(used) = self.uses.get(at) else { continue };
            if let Some(label) = used.label {
                push_length(field.len(), &mut self.look);
                self.label_places[label as usize] = self.look.len()..self.look.len() + field.len();
                self.look.extend_from_slice(field);
            }
            if let Some(value) = used.value {
                let column = &mut self.values[value as usize].values;
                match column.intern(field, &self.requirements.missing) {
                    Ok(code) => self.value_codes[value as usize] = code,
                    Err(error) => return Err(self.not_utf8(error, at, place)),
                }
            }
        }
        if found != self.header.len() {
            let expected = self.header.len();
            return Err(Error::Ragged { table: Source::Release, place, expected, found });
        }
        let class = match self.looks.intern(&self.look) {
            Ok((class, false)) => self.classes.add_again(class, row),
            // A look that is not UTF-8 has a label that is not.
            Ok((_, true)) | Err(_) => self.new_class(row, place)?,
        };
        self.rows = row;
        for (column, &value) in self.values.iter_mut().zip(&self.value_codes) {
            if let Some(histograms) = &mut column.histograms {
                histograms.add(&[class, value], row);
            }
        }
        if let Some(truth) = &mut self.truth {
            truth.add_released(class, &self.value_codes, row);
        }
        Ok(())
    }

    /// A class that no row before the one at hand belongs to.
    fn new_class(&mut self, row: u32, place: Place) -> Result<u32> {
        for at in 0..self.uses.len() {
            let Some(label) = self.uses[at].label.map(|label| label as usize) else { continue };
            match self.labels[label].intern(&self.look[self.label_places[label].clone()]) {
                Ok((code, _)) => self.label_codes[label] = code,
                Err(error) => return Err(self.not_utf8(error, at, place)),
            }
        }
        let class = self.classes.add(&self.label_codes, row);
        debug_assert_eq!(
            class as usize + 1,
            self.looks.len(),
            "looks and classes are numbered alike"
        );
        Ok(class)
    }

    pub(crate) fn push_original_fields<'a>(
        &mut self,
        fields: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<()> {
        match &mut self.truth {
            Some(truth) => truth.add_original(fields, &mut self.values, &self.requirements.missing),
            None => Err(Error::Requirements(
                "the header of the original must be given before its rows".to_owned(),
            )),
        }
    }

    #[cold]
    fn not_utf8(&self, _: Utf8Error, at: usize, place: Place) -> Error {
        Error::NotUtf8 { table: Source::Release, place, column: self.header[at].clone() }
    }

    /// Judges the rows taken so far.
    ///
    /// Fails only where a model cannot be measured: a sensitive value that is neither in the order
    /// nor in the hierarchy given for its column.
    pub fn finish(self) -> Result<Verdict> {
        judge::verdict(self)
    }
}

/// Puts the length of a label before it, in ASCII, so that no two rows of different labels look alike
/// and looks are UTF-8 where labels are.
#[inline]
fn push_length(length: usize, look: &mut Vec<u8>) {
    const LONG: usize = 127;
    if length < LONG {
        look.push(length as u8);
    } else {
        look.push(LONG as u8);
        look.extend_from_slice(length.to_string().as_bytes());
        look.push(b':');
    }
}

/// The number of the row after `rows` rows. The rows of both tables together stay within 32 bits.
pub(crate) fn next_row(rows: u32, table: Source) -> Result<u32> {
    if rows >= u32::MAX / 2 { Err(Error::TooManyRows(table)) } else { Ok(rows + 1) }
}

pub(crate) fn missing_column(table: Source, column: &str, header: &[String]) -> Error {
    Error::MissingColumn { table, column: column.to_owned(), columns: header.to_vec() }
}

fn checked_header<S: AsRef<str>>(header: &[S], table: Source) -> Result<Vec<String>> {
    let header: Vec<String> = header.iter().map(|name| name.as_ref().to_owned()).collect();
    if header.is_empty() {
        return Err(Error::Empty(table));
    }
    let mut sorted: Vec<&String> = header.iter().collect();
    sorted.sort();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::DuplicateColumn { table, column: twice[0].clone() });
    }
    Ok(header)
}
