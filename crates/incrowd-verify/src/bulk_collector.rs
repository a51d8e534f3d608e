//! Many rows of a release at a time.

use std::borrow::Cow;

use crate::class_cache::{ClassCache, LookupBatch};
use crate::collected_tables::CollectedTables;
use crate::error::{Error, InputPosition, InputTable, Result};
use crate::records::RecordBlock;

/// How many rows are looked up together.
const TOGETHER: usize = 128;

/// Takes the rows of a file. Rows are told apart by how their labels are written, so that a label is
/// read only where a row looks like none before it.
pub(crate) struct BulkCollector {
    /// The columns of the labels, and whether they are neighbours.
    labels: Vec<usize>,
    neighbours: bool,
    delimiter: u8,
    looks: ClassCache,
    batch: LookupBatch,
    /// The labels of some rows where they are not neighbours.
    joined: Vec<u8>,
}

impl BulkCollector {
    pub(crate) fn new(collected: &CollectedTables, delimiter: u8) -> Self {
        let labels: Vec<usize> = collected.label_columns().collect();
        BulkCollector {
            neighbours: labels.windows(2).all(|pair| pair[0] + 1 == pair[1]),
            labels,
            delimiter,
            looks: ClassCache::default(),
            batch: LookupBatch::default(),
            joined: Vec::new(),
        }
    }

    /// Takes the rows of a block. With an error comes the record that it is about.
    pub(crate) fn push(
        &mut self,
        collected: &mut CollectedTables,
        block: &RecordBlock<'_>,
    ) -> Result<(), (usize, Error)> {
        for start in (0..block.len()).step_by(TOGETHER) {
            let end = block.len().min(start + TOGETHER);
            let whole = self.gather(collected.header.len(), block, start, end);
            self.take(collected, block, start)?;
            if whole < end {
                let place = InputPosition::Row(collected.rows.total() + 1);
                let (expected, found) = (collected.header.len(), block.record(whole).len());
                return Err((
                    whole,
                    Error::Ragged { table: InputTable::Release, place, expected, found },
                ));
            }
        }
        Ok(())
    }

    /// Finds the looks of some records, up to the first with the wrong number of fields.
    fn gather(&mut self, width: usize, block: &RecordBlock<'_>, start: usize, end: usize) -> usize {
        let Self { labels, joined, batch, .. } = self;
        batch.spans.clear();
        joined.clear();
        for at in start..end {
            let record = block.record(at);
            if record.len() != width {
                return at;
            }
            let (first, last) = (labels[0], labels[labels.len() - 1]);
            batch.spans.push(if self.neighbours {
                (record[first].0, record[last].1)
            } else {
                let from = joined.len();
                for &column in labels.iter() {
                    joined.extend_from_slice(&block.bytes[record[column].0..record[column].1]);
                    joined.push(self.delimiter);
                }
                (from, joined.len())
            });
        }
        end
    }

    /// Takes the records that were gathered.
    fn take(
        &mut self,
        collected: &mut CollectedTables,
        block: &RecordBlock<'_>,
        start: usize,
    ) -> Result<(), (usize, Error)> {
        let Self { labels, looks, batch, .. } = self;
        let text = if self.neighbours { block.bytes } else { &self.joined };
        looks.find_all(text, batch);
        collected.classes.glance(batch.classes.iter().flatten().copied());
        for (at, &(from, to)) in batch.spans.iter().enumerate() {
            let record = block.record(start + at);
            let told = |error| (start + at, error);
            let row = collected.next_row(1).map_err(told)?;
            collected.take_values(row, |column| block.field(record[column])).map_err(told)?;
            let (hash, look) = (batch.hashes[at], &text[from..to]);
            // One that was not known before may have come up within the batch.
            let class = match batch.classes[at].or_else(|| looks.find(hash, look)) {
                Some(class) => class,
                None => {
                    let fields: Vec<Cow<'_, [u8]>> =
                        labels.iter().map(|&column| block.field(record[column])).collect();
                    let class = collected.class_of(row, &fields).map_err(told)?;
                    looks.add(hash, look, class);
                    class
                }
            };
            collected.count(class, row, 1);
        }
        Ok(())
    }
}
