//! Rows on their way to where they are released: in parcels, of rows that go to the same place.
//!
//! A cluster that puts rows into a random order moves every one of them. It moves a few parcels with much less work, and of
//! a row they hold its class, not what that shows.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, UInt32Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use incrowd_run::Result;

use super::kept_rows::{from_bytes, to_bytes};
use super::messages::unmade;
use super::recoder::{ORDER_COLUMN, PartBatch, PartRows, RowRecoder};
use super::row_checksum::differs;

/// So many rows, and bytes, wait at most until parcels are made of them.
const ROWS: usize = 1 << 19;
const BYTES: usize = 1 << 26;

/// The rows of one part that wait for their parcels.
#[derive(Debug)]
pub struct ParcelBuffer {
    places: u32,
    waiting: Vec<RecordBatch>,
}

/// A parcel: the place that it goes to, and its bytes.
pub type RowParcel = (u32, Vec<u8>);

impl ParcelBuffer {
    /// For rows that go to so many places.
    pub fn new(places: u32) -> Self {
        ParcelBuffer { places: places.max(1), waiting: Vec::new() }
    }

    /// Takes the released rows of a batch; returns the parcels that are full.
    pub fn add(
        &mut self,
        recoder: &RowRecoder,
        rows: &mut PartRows,
        batch: impl Into<PartBatch>,
    ) -> Result<Vec<RowParcel>> {
        self.waiting.push(recoder.assigned(rows, batch)?);
        let rows: usize = self.waiting.iter().map(RecordBatch::num_rows).sum();
        let bytes: usize = self.waiting.iter().map(size).sum();
        if rows < ROWS && bytes < BYTES { Ok(Vec::new()) } else { self.finish() }
    }

    /// The parcels of the rows that still wait.
    pub fn finish(&mut self) -> Result<Vec<RowParcel>> {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(first) = waiting.first() else { return Ok(Vec::new()) };
        let all = concat_batches(first.schema_ref(), &waiting).map_err(|e| unmade(&e))?;
        let places: Vec<u32> = keys(&all)?.values().iter().map(|&key| self.place(key)).collect();
        let mut ends = vec![0u32; self.places as usize + 1];
        places.iter().for_each(|&place| ends[place as usize + 1] += 1);
        for place in 0..self.places as usize {
            ends[place + 1] += ends[place];
        }
        let starts = ends.clone();
        let mut order = vec![0; places.len()];
        for (row, &place) in (0..).zip(&places) {
            order[ends[place as usize] as usize] = row;
            ends[place as usize] += 1;
        }
        let sorted = take_record_batch(&all, &UInt32Array::from(order)).map_err(|e| unmade(&e))?;
        let parcel = |place: u32| {
            let (from, to) = (starts[place as usize] as usize, starts[place as usize + 1] as usize);
            (to > from).then(|| Ok((place, to_bytes(&sorted.slice(from, to - from))?)))
        };
        (0..self.places).filter_map(parcel).collect()
    }

    /// Keys are spread evenly: the places divide them among themselves.
    fn place(&self, key: i64) -> u32 {
        ((u128::from(key as u64) * u128::from(self.places)) >> 64) as u32
    }
}

impl RowRecoder {
    /// The rows of all parcels that came to a place as they are released, in the order that was drawn for them.
    pub fn unpack<B: AsRef<[u8]>>(&self, parcels: &[B]) -> Result<Option<RecordBatch>> {
        let mut batches = Vec::new();
        for parcel in parcels {
            batches.extend(from_bytes(parcel.as_ref())?);
        }
        let Some(first) = batches.first() else { return Ok(None) };
        let all = concat_batches(first.schema_ref(), &batches).map_err(|e| unmade(&e))?;
        drop(batches);
        let keys = keys(&all)?.values();
        let mut order: Vec<u32> = (0..all.num_rows() as u32).collect();
        order.sort_unstable_by_key(|&row| keys[row as usize] as u64);
        let sorted = take_record_batch(&all, &UInt32Array::from(order)).map_err(|e| unmade(&e))?;
        let mut shown = self.shown(&sorted)?;
        if let Ok(order) = shown.schema().index_of(ORDER_COLUMN) {
            shown.remove_column(order);
        }
        Ok(Some(shown))
    }
}

/// The bytes of the rows themselves: columns that were kept lie in one buffer, which is larger than what they use of it.
fn size(rows: &RecordBatch) -> usize {
    let of = |column: &ArrayRef| column.to_data().get_slice_memory_size().unwrap_or(0);
    rows.columns().iter().map(of).sum()
}

/// The places in the release that were drawn for rows.
fn keys(rows: &RecordBatch) -> Result<&Int64Array> {
    let last = rows.column_by_name(ORDER_COLUMN).and_then(|keys| keys.as_primitive_opt());
    last.filter(|keys: &&Int64Array| keys.null_count() == 0).ok_or_else(differs)
}
