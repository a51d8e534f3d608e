//! Rows of an earlier release as rows of a table again: with any value that the recoding takes to the labels they have. So old
//! and new rows are counted, recoded and judged together.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use incrowd_engine::value::{Attribute, ClassSummary, is_missing};
use incrowd_engine::{SavedRecoding, words};
use incrowd_run::data::{Chunk, text_of_field};
use incrowd_run::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use super::messages::{BatchBuilder, packed, unpacked};
use super::reading_plan::ReadingPlan;

/// The rows of releases by one recoding. It travels.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReleasedRows {
    attributes: Vec<ReleasedLabels>,
}

/// The labels of an attribute, and a value that each stands for.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ReleasedLabels {
    name: String,
    columns: Vec<String>,
    values: Vec<(Vec<String>, String)>,
    #[serde(skip)]
    index: BTreeMap<Vec<String>, String>,
}

impl ReleasedRows {
    /// The rows that a recoding releases. Refused where labels depend on more than the recoding.
    pub fn new(saved: &SavedRecoding) -> Result<Self> {
        let refused = |why: String| {
            let error = Error::new(format!("rows cannot be added by this recoding: {why}"));
            error.help("anonymize the old and the new rows together").of_kind(ErrorKind::Refused)
        };
        if let Some(unit) = saved.unit.as_ref().filter(|unit| !saved.plain.contains(unit)) {
            return Err(refused(format!("`{unit}` tells people apart and is not released")));
        }
        if let Some(treated) = saved.treatments.iter().find(|it| it.treater.is_some()) {
            return Err(refused(format!("`{}` is treated before it is recoded", treated.column)));
        }
        let groups = saved.recoding.groups();
        let attributes = saved.attributes.iter().zip(groups).map(|(attribute, groups)| {
            let Attribute { name, summary, .. } = attribute;
            let columns = match summary {
                ClassSummary::Range | ClassSummary::Node | ClassSummary::Nodes => {
                    vec![name.clone()]
                }
                _ => {
                    return Err(refused(format!(
                        "the labels of `{name}` depend on the rows of a class"
                    )));
                }
            };
            let mut values = BTreeMap::new();
            for group in groups.as_slice() {
                let (first, last) = attribute.span(group);
                let absent = attribute.domain.missing_code();
                let mut codes = (first..=last).filter(|&code| attribute.contains(group, code));
                let value = match codes.clone().find(|&code| absent != Some(code)).or(codes.next())
                {
                    None => continue,
                    // As every type can have it.
                    Some(code) if absent == Some(code) && is_missing("", &saved.missing) => "",
                    Some(code) => attribute.domain.label(code),
                };
                // What is meant may be shown as something shorter.
                for shown in [group, &attribute.shown(group)] {
                    values.entry(vec![attribute.label(shown)]).or_insert_with(|| value.to_owned());
                }
            }
            let values = values.into_iter().collect();
            Ok(ReleasedLabels { name: name.clone(), columns, values, index: BTreeMap::new() })
        });
        Ok(ReleasedRows { attributes: attributes.collect::<Result<_>>()? }.indexed())
    }

    /// What bytes of another process stand for.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(unpacked::<Self>(bytes)?.indexed())
    }

    /// The bytes that another process makes the same of.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        packed(self)
    }

    /// The same, ready to look labels up.
    fn indexed(mut self) -> Self {
        for labels in &mut self.attributes {
            labels.index = labels.values.iter().cloned().collect();
        }
        self
    }

    /// The columns that the quasi-identifiers have become, in order.
    pub fn columns(&self) -> Vec<String> {
        self.attributes.iter().flat_map(|it| it.columns.clone()).collect()
    }

    /// The quasi-identifiers.
    pub fn names(&self) -> Vec<String> {
        self.attributes.iter().map(|it| it.name.clone()).collect()
    }

    /// A value of each quasi-identifier that labels stand for.
    pub(super) fn values(&self, labels: &[&str]) -> Result<Vec<String>> {
        let mut at = 0;
        let values = self.attributes.iter().map(|of| {
            let fields = &labels[at..at + of.columns.len()];
            at += fields.len();
            let texts = fields.iter().map(|it| text_of_field(it).unwrap_or_default().to_owned());
            let texts: Vec<String> = texts.collect();
            of.index.get(&texts).cloned().ok_or_else(|| {
                let label = words::value(&texts.join(" to "));
                Error::new(format!("the recoding has no label {label} of `{}`", of.name))
                    .help("add rows only to a release that this recoding has made")
                    .of_kind(ErrorKind::Refused)
            })
        });
        values.collect()
    }

    /// Rows of a release with a value in the place of every label, as text; other columns stay as they are.
    pub fn restored(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = self.columns();
        let reading = ReadingPlan::of_columns(columns.clone());
        let source = reading.source(batch.clone())?;
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        let read = ReadingPlan::places(&source, &names)?;
        let mut found: Vec<Vec<String>> = vec![Vec::new(); self.attributes.len()];
        let held = std::sync::Mutex::new(&mut found);
        let step = |fields: &mut Vec<String>, chunk: &Chunk| {
            let mut found = held.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for row in 0..chunk.rows() {
                fields.clear();
                fields.extend((0..read.len()).map(|at| chunk.field(row, at).to_owned()));
                let texts: Vec<&str> = fields.iter().map(String::as_str).collect();
                for (to, value) in found.iter_mut().zip(self.values(&texts)?) {
                    to.push(value);
                }
            }
            Ok(())
        };
        source.fold(&read, Vec::new, step, &incrowd_engine::Control::new())?;
        drop(source);
        let mut made = BatchBuilder::default();
        for (of, values) in self.attributes.iter().zip(found) {
            let array: ArrayRef = Arc::new(StringArray::from(values));
            made.add(&of.name, array);
        }
        for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if !columns.contains(field.name()) {
                made.add(field.name(), Arc::clone(array));
            }
        }
        made.finish()
    }
}
