//! Values treated between a decoder and whoever reads.

use std::collections::HashMap;
use std::sync::Arc;

use incrowd_engine::recoding::SavedTransform;
use incrowd_engine::value::FittedTransform;

use super::chunk::{Chunk, FieldSpan};
use super::column_mask::ColumnMask;
use super::parallel_pass::BlockDecoder;
use crate::{Error, Result};

/// The columns of a source that are treated.
#[derive(Debug, Clone, Default)]
pub(super) struct TransformedColumns {
    /// For each column of the source how it is treated; nothing if none is.
    pub(super) columns: Vec<Option<Arc<FittedTransform>>>,
    /// The same to save, with new names.
    pub(super) saved: Vec<SavedTransform>,
    /// The columns whose values are replaced. They are not saved: their key is not.
    pub(super) disguises: Arc<Vec<ColumnMask>>,
}

impl TransformedColumns {
    /// The columns to read where some are asked for: those behind them are needed to mask others.
    pub(super) fn needed(&self, asked: &[usize]) -> Vec<usize> {
        let mut needed = asked.to_vec();
        for disguise in self.disguises.iter().filter(|it| asked.contains(&it.column)) {
            if let Some(unit) = disguise.unit().filter(|unit| !needed.contains(unit)) {
                needed.push(unit);
            }
        }
        needed
    }
}

/// Decodes blocks and treats what is in them.
pub(super) struct TransformingDecoder<D> {
    decode: D,
    /// The columns to treat, by their places among those that were asked for.
    columns: Vec<(usize, Arc<FittedTransform>)>,
    disguises: Arc<Vec<ColumnMask>>,
    /// The places of the columns to mask and of their units, and the mask; what sees others comes first.
    disguised: Vec<(usize, Option<usize>, usize)>,
}

impl<D> TransformingDecoder<D> {
    pub(super) fn new(decode: D, treated: &TransformedColumns, asked: &[usize]) -> Self {
        let treater = |&column: &usize| treated.columns.get(column)?.clone();
        let columns = asked.iter().enumerate();
        // A column that is asked for twice may lie in one place.
        let first = |at: usize| !asked[..at].contains(&asked[at]);
        let columns = columns.filter_map(|(at, column)| Some((at, treater(column)?)));
        let columns = columns.filter(|(at, _)| first(*at)).collect();
        let place = |column: usize| asked.iter().position(|&it| it == column);
        let places = |column: usize| {
            let asked = asked.iter().enumerate();
            asked.filter(move |(_, it)| **it == column).map(|(at, _)| at).collect::<Vec<_>>()
        };
        let disguises = Arc::clone(&treated.disguises);
        let mut disguised: Vec<(usize, Option<usize>, usize)> = disguises
            .iter()
            .enumerate()
            .flat_map(|(at, it)| {
                let unit = it.unit().and_then(place);
                places(it.column).into_iter().map(move |place| (place, unit, at))
            })
            .collect();
        disguised.sort_by_key(|(_, unit, _)| unit.is_none());
        TransformingDecoder { decode, columns, disguises, disguised }
    }
}

impl<B, D: BlockDecoder<B>> BlockDecoder<B> for TransformingDecoder<D> {
    fn decode(&self, block: &mut B, chunk: &mut Chunk) -> Result<()> {
        self.decode.decode(block, chunk)?;
        let disguise = |chunk: &mut Chunk, sees: bool| {
            let here = self.disguised.iter().filter(|(_, unit, _)| unit.is_some() == sees);
            // A column that is asked for twice may lie in one place.
            let mut done = Vec::new();
            here.copied().try_for_each(|(at, unit, which)| {
                let offset = chunk.offsets[at];
                if done.contains(&offset) {
                    return Ok(());
                }
                done.push(offset);
                chunk.disguise(at, unit, &self.disguises[which])
            })
        };
        // Dates are moved before they are cut to months, and by who somebody is, not by the pseudonym.
        disguise(chunk, true)?;
        self.columns.iter().try_for_each(|(at, treater)| chunk.treat(*at, treater))?;
        disguise(chunk, false)
    }
}

impl Chunk {
    /// Puts what values become behind the text and lets their fields lie there.
    fn treat(&mut self, column: usize, treater: &FittedTransform) -> Result<()> {
        let mut known: HashMap<String, FieldSpan> = HashMap::new();
        for row in 0..self.rows {
            let at = row * self.stride + self.offsets[column];
            let FieldSpan { start, end } = self.spans[at];
            let field = &self.text[start as usize..end as usize];
            if let Some(&span) = known.get(field) {
                self.spans[at] = span;
                continue;
            }
            let field = field.to_owned();
            let treated = treater.treat(&field).map_err(Error::from)?;
            let start = self.text.len();
            self.text.push_str(&treated);
            let span = FieldSpan::new(start, self.text.len());
            self.spans[at] = span;
            drop(treated);
            known.insert(field, span);
        }
        Ok(())
    }
}
