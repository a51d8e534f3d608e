//! Whether two tables hold the same rows, in whatever order: asked of what a release became elsewhere.

use std::hash::BuildHasher;

use foldhash::SharedSeed;
use foldhash::quality::SeedableRandomState;
use incrowd_engine::Control;

use crate::{Chunk, Result, Source};

/// Rows as numbers that do not depend on their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// How many rows there are.
    pub rows: u64,
    sum: u64,
    other: u64,
}

/// Takes fingerprints with keys of its own, which nobody can foresee.
#[derive(Debug)]
pub struct RowFingerprinter([SeedableRandomState; 2]);

impl Default for RowFingerprinter {
    fn default() -> Self {
        let of = || {
            let state = std::collections::hash_map::RandomState::new();
            SeedableRandomState::with_seed(state.hash_one(1), SharedSeed::global_random())
        };
        RowFingerprinter([of(), of()])
    }
}

impl RowFingerprinter {
    /// Adds a row.
    pub fn add(&self, print: &mut Fingerprint, fields: &[&str]) {
        print.rows += 1;
        print.sum = print.sum.wrapping_add(self.0[0].hash_one(fields));
        print.other = print.other.wrapping_add(self.0[1].hash_one(fields));
    }

    /// The fingerprint of the rows of a source.
    pub fn of_source(&self, source: &Source) -> Result<Fingerprint> {
        let columns: Vec<usize> = (0..source.columns().len()).collect();
        let of_chunk = |print: &mut Fingerprint, chunk: &Chunk| {
            for row in 0..chunk.rows() {
                let fields: Vec<&str> = columns.iter().map(|&at| chunk.field(row, at)).collect();
                self.add(print, &fields);
            }
            Ok(())
        };
        let prints = source.fold(&columns, Fingerprint::default, of_chunk, &Control::new())?;
        Ok(prints.into_iter().fold(Fingerprint::default(), |all, print| Fingerprint {
            rows: all.rows + print.rows,
            sum: all.sum.wrapping_add(print.sum),
            other: all.other.wrapping_add(print.other),
        }))
    }
}
