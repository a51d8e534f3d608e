//! What is collected from the rows of both tables.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::str::Utf8Error;

use crate::class_cache::ClassCache;
use crate::columns::{
    ColumnUse, QuasiIdentifier, RELEASED, ReleaseForm, ValueColumn, checked_header, missing_column,
};
use crate::error::{Error, InputPosition, InputTable, Result};
use crate::intern::{Interner, ValueDictionary};
use crate::original_rows::OriginalRows;
use crate::requirements::Requirements;
use crate::row_numbering::RowNumbering;
use crate::tuples::TupleCounts;
use crate::verdict::{ColumnValue, SHOWN};

/// Classes with their counts and histograms, and the rows of the original where there is one. Memory
/// grows with distinct combinations, not with rows.
pub(crate) struct CollectedTables {
    pub(crate) requirements: Requirements,
    pub(crate) header: Vec<String>,
    /// The place of each column of the header.
    place_of: HashMap<String, usize>,
    /// What each column of the release is needed for.
    uses: Vec<ColumnUse>,
    pub(crate) quasi: Vec<QuasiIdentifier>,
    /// Released strings of the columns that make a class.
    pub(crate) labels: Vec<Interner>,
    /// Values of the columns that are counted or compared as they are.
    pub(crate) values: Vec<ValueColumn>,
    /// Whether the first of them tells apart who is protected.
    pub(crate) has_unit: bool,
    pub(crate) classes: TupleCounts,
    pub(crate) originals: Option<OriginalRows>,
    pub(crate) rows: RowNumbering,
    /// Whether codes may be in another order than that of first appearance.
    pub(crate) scattered: bool,
    looks: ClassCache,
    /// The look of the row at hand, and where its labels lie in it.
    look: Vec<u8>,
    label_places: Vec<Range<usize>>,
    /// The codes of the row at hand.
    label_codes: Vec<u32>,
    value_codes: Vec<u32>,
}

impl CollectedTables {
    /// Nothing yet, of a release with that header.
    pub(crate) fn new<S: AsRef<str>>(header: &[S], requirements: &Requirements) -> Result<Self> {
        requirements.check()?;
        let header = checked_header(header, InputTable::Release)?;
        let place_of: HashMap<String, usize> =
            header.iter().enumerate().map(|(at, name)| (name.clone(), at)).collect();
        let position = |name: &str| place_of.get(name).copied();
        let mut uses = vec![ColumnUse::default(); header.len()];
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
                (Some(column), bounds) => {
                    // Whoever reads the release sees the ends, too.
                    if let (Some(least), Some(most)) = bounds {
                        label_at(least);
                        label_at(most);
                    }
                    ReleaseForm::Label(label_at(column))
                }
                (None, (Some(least), Some(most))) => {
                    ReleaseForm::Bounds(label_at(least), label_at(most))
                }
                _ => return Err(missing_column(InputTable::Release, name, &header)),
            };
            quasi.push(QuasiIdentifier { name: name.clone(), form });
        }
        let labels: Vec<Interner> = (0..label_count).map(|_| Interner::default()).collect();
        // Without models the only violations are classes below k: no other rows need be known.
        let keep = match requirements.models.is_empty() && requirements.unit.is_none() {
            true => SHOWN.min(usize::try_from(requirements.k - 1).unwrap_or(SHOWN)),
            false => SHOWN,
        };
        let mut collected = CollectedTables {
            requirements: requirements.clone(),
            classes: TupleCounts::new(labels.len(), keep),
            looks: ClassCache::default(),
            look: Vec::new(),
            label_places: vec![0..0; labels.len()],
            label_codes: vec![0; labels.len()],
            header,
            place_of,
            uses,
            quasi,
            labels,
            values: Vec::new(),
            has_unit: requirements.unit.is_some(),
            originals: None,
            rows: RowNumbering::of_part(0),
            scattered: false,
            value_codes: Vec::new(),
        };
        if let Some(unit) = &requirements.unit {
            let at = collected.value_column(unit)?;
            collected.values[at].histograms = Some(TupleCounts::new(2, 0));
        }
        // A class and a value, and who is protected where those are counted.
        let width = if collected.has_unit { 3 } else { 2 };
        for model in &requirements.models {
            let at = collected.value_column(&model.column)?;
            collected.values[at].histograms.get_or_insert_with(|| TupleCounts::new(width, 0));
        }
        Ok(collected)
    }

    /// Also collect the rows of the original.
    pub(crate) fn compare_with<S: AsRef<str>>(&mut self, original_header: &[S]) -> Result<()> {
        if self.rows.total() > 0 {
            return Err(Error::Requirements(
                "the original's header must be known before the first released row".to_owned(),
            ));
        }
        let mut original = checked_header(original_header, InputTable::Original)?;
        // From here on a column has the name that the release gives it.
        for (name, told) in &self.requirements.told {
            let renamed = told.original.as_ref().filter(|old| *old != name);
            if let Some(at) = renamed.and_then(|old| original.iter().position(|n| n == old)) {
                original[at].clone_from(name);
            }
        }
        let original = checked_header(&original, InputTable::Original)?;
        let known: BTreeSet<&String> = original.iter().collect();
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
            } else if known.contains(&name) {
                equal.push(self.value_column(&name)?);
            } else {
                unknown.push(name);
            }
        }
        let mut contained = Vec::new();
        for (at, QuasiIdentifier { name, .. }) in self.quasi.iter().enumerate() {
            if self.requirements.unchecked.contains(name) {
                unchecked.push(name.clone());
            } else if known.contains(name) {
                contained.push(at);
            } else {
                return Err(missing_column(InputTable::Original, name, &original));
            }
        }
        self.originals = Some(OriginalRows::new(
            (&self.quasi, &self.requirements),
            &self.values,
            &original,
            contained,
            equal,
            unknown,
            unchecked,
        ));
        Ok(())
    }

    /// The place of a column's values, which is made if there is none.
    fn value_column(&mut self, name: &str) -> Result<usize> {
        let Some(&position) = self.place_of.get(name) else {
            return Err(missing_column(InputTable::Release, name, &self.header));
        };
        if let Some(at) = self.uses[position].value {
            return Ok(at as usize);
        }
        let at = self.values.len();
        self.uses[position].value = Some(at as u32);
        let (name, style) = (name.to_owned(), self.requirements.style(name));
        self.values.push(ValueColumn {
            name,
            values: ValueDictionary::new(style),
            histograms: None,
        });
        self.value_codes.push(0);
        Ok(at)
    }

    /// Both tables are parts of larger ones and follow those with a smaller number.
    pub(crate) fn set_part(&mut self, number: u64) -> Result<()> {
        let originals = self.originals.as_ref().map_or(0, |originals| originals.rows.total());
        if self.rows.total() > 0 || originals > 0 {
            return Err(Error::Requirements(
                "the number of the part must be known before its first row".to_owned(),
            ));
        }
        self.rows = RowNumbering::of_part(number);
        if let Some(originals) = &mut self.originals {
            originals.rows = RowNumbering::of_part(number);
        }
        Ok(())
    }

    /// Takes `count` rows of the release that are equal.
    pub(crate) fn push<'a>(
        &mut self,
        fields: impl IntoIterator<Item = &'a [u8]>,
        count: u64,
    ) -> Result<()> {
        let row = self.next_row(count)?;
        let mut found = 0;
        self.look.clear();
        for (field, at) in fields.into_iter().zip(0..) {
            found = at + 1;
            let Some(&used) = self.uses.get(at) else { continue };
            if let Some(label) = used.label {
                push_length(field.len(), &mut self.look);
                self.label_places[label as usize] = self.look.len()..self.look.len() + field.len();
                self.look.extend_from_slice(field);
            }
            if let Some(value) = used.value {
                self.take_value(value, at, row, field)?;
            }
        }
        if found != self.header.len() {
            let (expected, place) = (self.header.len(), InputPosition::Row(row));
            return Err(Error::Ragged { table: InputTable::Release, place, expected, found });
        }
        let hash = self.looks.hash(&self.look);
        let class = match self.looks.find(hash, &self.look) {
            Some(class) => class,
            None => {
                let look = std::mem::take(&mut self.look);
                let places = self.label_columns().filter_map(|at| self.uses[at].label);
                let places = places.map(|label| self.label_places[label as usize].clone());
                let labels: Vec<&[u8]> = places.map(|place| &look[place]).collect();
                let class = self.class_of(row, &labels)?;
                self.looks.add(hash, &look, class);
                self.look = look;
                class
            }
        };
        self.count(class, row, count);
        Ok(())
    }

    /// The number of the first of `count` rows to come.
    #[inline]
    pub(crate) fn next_row(&self, count: u64) -> Result<u64> {
        self.rows.next(count, InputTable::Release)
    }

    /// The columns of the release that make a class, in their order there.
    pub(crate) fn label_columns(&self) -> impl Iterator<Item = usize> {
        (0..self.uses.len()).filter(|&at| self.uses[at].label.is_some())
    }

    /// Takes the values of a row that are counted or compared as they are.
    #[inline]
    pub(crate) fn take_values<F: AsRef<[u8]>>(
        &mut self,
        row: u64,
        field: impl Fn(usize) -> F,
    ) -> Result<()> {
        if self.values.is_empty() {
            return Ok(());
        }
        for at in 0..self.uses.len() {
            if let Some(value) = self.uses[at].value {
                self.take_value(value, at, row, field(at).as_ref())?;
            }
        }
        Ok(())
    }

    #[inline]
    fn take_value(&mut self, value: u32, at: usize, row: u64, field: &[u8]) -> Result<()> {
        let column = &mut self.values[value as usize].values;
        match column.intern(field, RELEASED | row, &self.requirements.missing) {
            Ok(code) => self.value_codes[value as usize] = code,
            Err(error) => return Err(self.not_utf8(error, at, InputPosition::Row(row))),
        }
        Ok(())
    }

    /// The class of a row with these labels, in the order of their columns.
    pub(crate) fn class_of<F: AsRef<[u8]>>(&mut self, row: u64, labels: &[F]) -> Result<u32> {
        let columns: Vec<usize> = self.label_columns().collect();
        for (at, field) in columns.into_iter().zip(labels) {
            let Some(label) = self.uses[at].label.map(|label| label as usize) else { continue };
            // Programs tell labels apart that look alike: a class is of rows that are equal byte for byte.
            match self.labels[label].intern(field.as_ref()) {
                Ok((code, _)) => self.label_codes[label] = code,
                Err(error) => return Err(self.not_utf8(error, at, InputPosition::Row(row))),
            }
        }
        Ok(self.classes.find_or_add(&self.label_codes))
    }

    /// Counts rows of a class whose values have been taken.
    #[inline]
    pub(crate) fn count(&mut self, class: u32, row: u64, count: u64) {
        self.classes.add_again(class, row, count);
        self.rows.add(count);
        let unit = self.value_codes.first().copied().unwrap_or(0);
        for (column, &value) in self.values.iter_mut().zip(&self.value_codes) {
            if let Some(histograms) = &mut column.histograms {
                let key = [class, value, unit];
                histograms.add(&key[..histograms.width()], row, count);
            }
        }
        if let Some(originals) = &mut self.originals {
            originals.add_released(class, &self.value_codes, row, count);
        }
    }

    /// Takes `count` rows of the original that are equal.
    pub(crate) fn push_original(
        &mut self,
        fields: impl IntoIterator<Item = impl AsRef<[u8]>>,
        count: u64,
    ) -> Result<()> {
        let Some(originals) = &mut self.originals else {
            return Err(Error::Requirements(
                "the header of the original must be given before its rows".to_owned(),
            ));
        };
        self.scattered |= self.rows.total() > 0;
        originals.add(fields, count, &mut self.values, &self.requirements.missing)
    }

    #[cold]
    fn not_utf8(&self, _: Utf8Error, at: usize, place: InputPosition) -> Error {
        Error::NotUtf8 { table: InputTable::Release, place, column: self.header[at].clone() }
    }

    /// The released quasi-identifier values of a class.
    pub(crate) fn class_values(&self, class: usize) -> Vec<ColumnValue> {
        let key = self.classes.key(class);
        let field = |column: String, at: usize| ColumnValue {
            column,
            value: self.labels[at].get(key[at]).to_owned(),
        };
        let mut fields = Vec::with_capacity(key.len());
        for quasi in &self.quasi {
            match quasi.form {
                ReleaseForm::Label(at) => fields.push(field(quasi.name.clone(), at)),
                ReleaseForm::Bounds(least, most) => {
                    fields.push(field(format!("{}_min", quasi.name), least));
                    fields.push(field(format!("{}_max", quasi.name), most));
                }
            }
        }
        fields
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
