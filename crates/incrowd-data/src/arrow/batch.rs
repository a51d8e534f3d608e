//! Batches: counted, recoded, verified.

use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::filter::filter;
use incrowd_engine::release::{RowAssigner, RowDisposition};
use incrowd_engine::table::{Column, Dictionary};
use incrowd_engine::value::BLANK;
use incrowd_engine::{Error, ErrorKind, FrequencyCounts, Recoder, Result, Table};
use incrowd_verify::Verifier;

use super::text::{TextBuffer, readable};

/// Where a value lies in the text of its column.
type TextSpan = (usize, usize);

/// A column of a batch as text.
fn text_of(name: &str, array: &dyn Array) -> Result<TextBuffer<TextSpan>> {
    let wrong = |what: String| {
        Error::new(format!("column {name:?} {what}"))
            .of_kind(ErrorKind::Value)
            .help("leave it out, or convert it to plain columns first")
    };
    if !readable(array.data_type()) {
        return Err(wrong(format!("holds values of an unsupported type: {}", array.data_type())));
    }
    let mut text = TextBuffer::default();
    text.push_column(array)
        .map_err(|fault| wrong(format!("{} (row {})", fault.what, fault.row + 1)))?;
    Ok(text)
}

fn array<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b ArrayRef> {
    batch.column_by_name(name).ok_or_else(|| {
        let names: Vec<&str> =
            batch.schema_ref().fields().iter().map(|f| f.name().as_str()).collect();
        Error::new(format!("the batch has no column {name:?}"))
            .help(format!("its columns are {}", names.join(", ")))
    })
}

/// One code per row of a column; each distinct entry of an Arrow dictionary is looked up once.
fn codes(
    name: &str,
    array: &dyn Array,
    mut code: impl FnMut(&str) -> Result<u32>,
) -> Result<Vec<u32>> {
    if let DataType::Dictionary(..) = array.data_type() {
        let coded = array.as_any_dictionary();
        let entries = text_of(name, coded.values().as_ref())?;
        let mut known: Vec<Option<u32>> = vec![None; entries.spans.len()];
        let keys = if known.is_empty() { vec![0; coded.len()] } else { coded.normalized_keys() };
        return keys
            .iter()
            .enumerate()
            .map(|(row, &key)| match known.get(key) {
                // An entry that no row uses may be the value of a row that is not here.
                Some(_) if coded.keys().is_null(row) => code(""),
                Some(Some(known)) => Ok(*known),
                Some(None) => {
                    let (start, end) = entries.spans[key];
                    let found = code(&entries.text[start..end])?;
                    known[key] = Some(found);
                    Ok(found)
                }
                None => code(""),
            })
            .collect();
    }
    let text = text_of(name, array)?;
    text.spans.iter().map(|&(start, end)| code(&text.text[start..end])).collect()
}

/// Some columns of a batch as a table; no value is empty text.
pub fn table_of(batch: &RecordBatch, names: &[&str]) -> Result<Table> {
    let columns = names.iter().map(|name| {
        let mut dictionary = Dictionary::new();
        let codes =
            codes(name, array(batch, name)?.as_ref(), |value| Ok(dictionary.intern(value)))?;
        Ok(Column { name: (*name).to_owned(), dictionary, codes })
    });
    Table::new(columns.collect::<Result<_>>()?)
}

/// Counts the rows of a batch. Batches may be counted apart and the counts merged.
pub fn count_batch(counts: &mut FrequencyCounts, batch: &RecordBatch) -> Result<()> {
    let width = counts.columns.len();
    let mut columns = Vec::with_capacity(width);
    for (name, dictionary) in &mut counts.columns {
        let array = array(batch, name)?;
        columns.push(codes(name, array.as_ref(), |value| Ok(dictionary.intern(value)))?);
    }
    let mut key = vec![0; width];
    for row in 0..batch.num_rows() {
        key.iter_mut().zip(&columns).for_each(|(to, codes)| *to = codes[row]);
        counts.cells.add(&key, 1);
    }
    Ok(())
}

/// Recodes batches of the rows that were counted.
#[derive(Debug)]
pub struct BatchRecoder<'a> {
    recoder: &'a Recoder<'a>,
    keep: Vec<String>,
}

impl<'a> BatchRecoder<'a> {
    /// Releases the quasi-identifiers and the columns of `keep`, as they are; no other column.
    pub fn new(recoder: &'a Recoder<'a>, keep: &[&str]) -> Self {
        BatchRecoder { recoder, keep: keep.iter().map(|name| (*name).to_owned()).collect() }
    }

    /// What becomes of each row of a batch.
    pub fn dispositions(
        &self,
        batch: &RecordBatch,
        assigner: &mut RowAssigner<'_>,
    ) -> Result<Vec<RowDisposition>> {
        let names: Vec<&str> = self.recoder.columns().collect();
        self.recoder.dispositions(&table_of(batch, &names)?, assigner)
    }

    /// The released rows of a batch, in the batch's order, which must not be published as it is. Released
    /// quasi-identifiers are dictionaries of text that hold what the released rows show and nothing else; dictionaries
    /// of kept columns are made anew for the same reason.
    pub fn recode(
        &self,
        batch: &RecordBatch,
        assigner: &mut RowAssigner<'_>,
    ) -> Result<RecordBatch> {
        for name in &self.keep {
            array(batch, name)?;
        }
        let dispositions = self.dispositions(batch, assigner)?;
        let released: BooleanArray =
            dispositions.iter().map(|fate| Some(*fate != RowDisposition::Dropped)).collect();
        let (release, problem) = (self.recoder.release(), self.recoder.problem());
        let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = (Vec::new(), Vec::new());
        for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let name = field.name();
            let Some(at) = problem.attributes.iter().position(|known| known.name == *name) else {
                if self.keep.contains(name) {
                    let kept = filter(array, &released).map_err(|cause| unmade(&cause))?;
                    let kept = without_unused_entries(name, kept)?;
                    fields.push(Field::new(name, kept.data_type().clone(), field.is_nullable()));
                    arrays.push(kept);
                }
                continue;
            };
            for (part, name) in release.names(at).iter().enumerate() {
                let mut texts = StringDictionaryBuilder::<Int32Type>::new();
                for disposition in &dispositions {
                    let text = match *disposition {
                        RowDisposition::Class(class) => {
                            &release.labels(at)[release.label_of(at, class) as usize][part]
                        }
                        RowDisposition::Blank => BLANK,
                        RowDisposition::Dropped => continue,
                    };
                    texts.append(text).map_err(|cause| unmade(&cause))?;
                }
                let texts = texts.finish();
                fields.push(Field::new(name, texts.data_type().clone(), false));
                arrays.push(Arc::new(texts));
            }
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(|cause| unmade(&cause))
    }
}

/// A dictionary column with the entries that its rows use, as text; other columns as they are.
fn without_unused_entries(name: &str, array: ArrayRef) -> Result<ArrayRef> {
    let DataType::Dictionary(..) = array.data_type() else { return Ok(array) };
    let text = text_of(name, array.as_ref())?;
    let mut texts = StringDictionaryBuilder::<Int32Type>::new();
    for (row, &(start, end)) in text.spans.iter().enumerate() {
        if array.as_any_dictionary().keys().is_null(row) {
            texts.append_null();
        } else {
            texts.append(&text.text[start..end]).map_err(|cause| unmade(&cause))?;
        }
    }
    Ok(Arc::new(texts.finish()))
}

fn unmade(cause: &dyn std::fmt::Display) -> Error {
    Error::new(format!("the released batch cannot be made: {cause}"))
}

/// Hands the rows of a released batch to the verifier, whose header must be the batch's columns.
pub fn verify_batch(verifier: &mut Verifier, batch: &RecordBatch) -> Result<()> {
    let names = batch.schema_ref().fields().iter().map(|field| field.name());
    let columns = names
        .zip(batch.columns())
        .map(|(name, array)| text_of(name, array.as_ref()))
        .collect::<Result<Vec<_>>>()?;
    for row in 0..batch.num_rows() {
        let fields = columns.iter().map(|column| {
            let (start, end) = column.spans[row];
            &column.text[start..end]
        });
        verifier.push(fields).map_err(|cause| Error::new(cause.to_string()))?;
    }
    Ok(())
}
