//! Values treated between a decoder and whoever reads.

use std::collections::HashMap;
use std::sync::Arc;

use incrowd::recoding::SavedTreatment;
use incrowd::value::Treater;

use super::chunk::{Chunk, Span};
use super::pass::Decode;
use crate::{Error, Result};

/// The columns of a source that are treated.
#[derive(Debug, Clone, Default)]
pub(super) struct Treated {
    /// For each column of the source how it is treated; nothing if none is.
    pub(super) columns: Vec<Option<Arc<Treater>>>,
    /// The same to save, with new names.
    pub(super) saved: Vec<SavedTreatment>,
}

/// Decodes blocks and treats what is in them.
pub(super) struct Treating<D> {
    decode: D,
    /// The columns to treat, by their places among those that were asked for.
    columns: Vec<(usize, Arc<Treater>)>,
}

impl<D> Treating<D> {
    pub(super) fn new(decode: D, treated: &Treated, asked: &[usize]) -> Self {
        let treater = |&column: &usize| treated.columns.get(column)?.clone();
        let columns = asked.iter().enumerate();
        // A column that is asked for twice may lie in one place.
        let first = |at: usize| !asked[..at].contains(&asked[at]);
        let columns = columns.filter_map(|(at, column)| Some((at, treater(column)?)));
        Treating { decode, columns: columns.filter(|(at, _)| first(*at)).collect() }
    }
}

impl<B, D: Decode<B>> Decode<B> for Treating<D> {
    fn decode(&self, block: &mut B, chunk: &mut Chunk) -> Result<()> {
        self.decode.decode(block, chunk)?;
        self.columns.iter().try_for_each(|(at, treater)| chunk.treat(*at, treater))
    }
}

impl Chunk {
    /// Puts what values become behind the text and lets their fields lie there.
    fn treat(&mut self, column: usize, treater: &Treater) -> Result<()> {
        let mut known: HashMap<String, Span> = HashMap::new();
        for row in 0..self.rows {
            let at = row * self.stride + self.offsets[column];
            let Span { start, end } = self.spans[at];
            let field = &self.text[start as usize..end as usize];
            if let Some(&span) = known.get(field) {
                self.spans[at] = span;
                continue;
            }
            let field = field.to_owned();
            let treated = treater.treat(&field).map_err(Error::from)?;
            let start = self.text.len();
            self.text.push_str(&treated);
            let span = Span::new(start, self.text.len());
            self.spans[at] = span;
            drop(treated);
            known.insert(field, span);
        }
        Ok(())
    }
}
