//! A table cut from the top down until the combinations of each block fit into one place.
//!
//! One pass per level counts, for every block that is too large, how many rows have each code of each attribute. The cut is
//! the one that narrows its attribute most, weighted by rows, of those that leave at least a quarter on either side: what
//! a Mondrian by penalty does at its first levels, seen through histograms.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use incrowd_engine::table::{Dictionary, UNSEEN};
use incrowd_engine::{Control, Problem};
use incrowd_run::{Result, data::Chunk};
use serde::{Deserialize, Serialize};

use super::combinations::CombinationColumns;
use super::messages::{packed, travels, unpacked};
use super::reading_plan::ReadingPlan;

/// A cut leaves at least this share of the rows on either side.
const LEAST_SIDE: f64 = 0.25;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct PartitionMessage {
    /// The values of each quasi-identifier and their codes.
    columns: Vec<(Vec<String>, Vec<u32>)>,
    domains: Vec<usize>,
    weights: Vec<f64>,
    nodes: Vec<PartitionNode>,
    k: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum PartitionNode {
    /// A block, and whether it may still be cut.
    Block(bool),
    /// Codes below `at` go to the node `left`, the others to the next one.
    Cut { attribute: usize, at: u32, left: usize },
}

/// Where a table is cut.
#[derive(Debug)]
pub struct PartitionTree {
    sent: PartitionMessage,
    known: Vec<Dictionary>,
}

impl PartitionTree {
    pub(super) fn new(problem: &Problem) -> Self {
        let codebooks = problem.codebooks.iter().take(problem.attributes.len());
        Self::of(PartitionMessage {
            columns: codebooks
                .map(|codebook| codebook.iter().map(|(value, code)| (value.to_owned(), code)))
                .map(Iterator::unzip)
                .collect(),
            domains: problem.domains(),
            weights: problem.attributes.iter().map(|attribute| attribute.weight).collect(),
            nodes: vec![PartitionNode::Block(true)],
            k: problem.privacy.k,
        })
    }

    fn of(sent: PartitionMessage) -> Self {
        let known = sent.columns.iter().map(|(values, _)| {
            let mut known = Dictionary::new();
            values.iter().for_each(|value| _ = known.intern(value));
            known
        });
        PartitionTree { known: known.collect(), sent }
    }

    /// The bytes that another process makes the same of.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        packed(&self.sent)
    }

    /// What bytes of another process stand for.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(Self::of(unpacked(bytes)?))
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.sent.nodes.iter().filter(|node| matches!(node, PartitionNode::Block(_))).count()
    }

    fn code(&self, at: usize, value: &str) -> u32 {
        let code =
            self.known[at].get(value).map_or(UNSEEN, |it| self.sent.columns[at].1[it as usize]);
        // What belongs nowhere is left out of a release wherever it is.
        if code == UNSEEN { 0 } else { code }
    }

    fn block(&self, code: impl Fn(usize) -> u32) -> usize {
        let mut node = 0;
        loop {
            match self.sent.nodes[node] {
                PartitionNode::Block(_) => return node,
                PartitionNode::Cut { attribute, at, left } => {
                    node = if code(attribute) < at { left } else { left + 1 };
                }
            }
        }
    }

    /// The block of each counted combination of a batch.
    pub fn blocks_of(&self, batch: &RecordBatch) -> Result<Vec<i64>> {
        let columns = CombinationColumns::new(batch, self.known.len())?;
        let block = |row: usize| self.block(|at| self.code(at, columns.text(at, row))) as i64;
        Ok((0..columns.len()).map(block).collect())
    }

    /// The block of each row of a batch of the table.
    pub fn blocks_of_rows(&self, reading: &ReadingPlan, batch: RecordBatch) -> Result<Vec<i64>> {
        if batch.num_rows() == 0 {
            return Ok(Vec::new());
        }
        let source = reading.source(batch)?;
        let names: Vec<&str> =
            reading.counted.iter().take(self.known.len()).map(String::as_str).collect();
        let read = ReadingPlan::places(&source, &names)?;
        let step = |blocks: &mut Vec<i64>, chunk: &Chunk| {
            let block = |row: usize| self.block(|at| self.code(at, chunk.field(row, at))) as i64;
            blocks.extend((0..chunk.rows()).map(block));
            Ok(())
        };
        let blocks = source.fold(&read, Vec::new, step, &Control::new())?;
        Ok(blocks.into_iter().flatten().collect())
    }

    /// Cuts every block of more combinations than `most`; whether there is something left to be counted.
    pub fn refine(&mut self, counted: &BlockCounts, most: u64) -> bool {
        let mut open = false;
        for node in 0..self.sent.nodes.len() {
            if self.sent.nodes[node] != PartitionNode::Block(true) {
                continue;
            }
            let Some(block) = counted.blocks.get(&node).filter(|it| it.combinations > most) else {
                self.sent.nodes[node] = PartitionNode::Block(false);
                continue;
            };
            match self.best_cut(block) {
                None => self.sent.nodes[node] = PartitionNode::Block(false),
                Some((attribute, at)) => {
                    let left = self.sent.nodes.len();
                    self.sent.nodes[node] = PartitionNode::Cut { attribute, at, left };
                    self.sent
                        .nodes
                        .extend([PartitionNode::Block(true), PartitionNode::Block(true)]);
                    open = true;
                }
            }
        }
        open
    }

    /// The attribute and the code before which a block is cut.
    fn best_cut(&self, block: &BlockTally) -> Option<(usize, u32)> {
        let mut best: Option<(f64, usize, u32)> = None;
        for (attribute, codes) in block.codes.iter().enumerate() {
            let (Some((&first, _)), Some((&last, _))) =
                (codes.first_key_value(), codes.last_key_value())
            else {
                continue;
            };
            let domain = self.sent.domains[attribute].saturating_sub(1).max(1) as f64;
            let weight = self.sent.weights[attribute] / domain;
            let span = |from: u32, to: u32| f64::from(to - from) * weight;
            let all = block.rows as f64;
            let mut below = 0_u64;
            let mut before = first;
            for (&code, &rows) in codes {
                if code > first {
                    let (left, right) = (below as f64, all - below as f64);
                    let balance = left.min(right) / all;
                    let enough = below.min(block.rows - below) >= 2 * self.sent.k;
                    let saved = span(first, last)
                        - (left * span(first, before) + right * span(code, last)) / all;
                    // A lopsided cut is better than none, and worse than any that is not.
                    let saved = saved * if balance >= LEAST_SIDE { 1.0 } else { balance };
                    if enough && best.is_none_or(|(most, ..)| saved > most) {
                        best = Some((saved, attribute, code));
                    }
                }
                below += rows;
                before = code;
            }
        }
        best.map(|(_, attribute, at)| (attribute, at))
    }
}

/// What was counted of the blocks that may still be cut.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BlockCounts {
    blocks: BTreeMap<usize, BlockTally>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct BlockTally {
    combinations: u64,
    rows: u64,
    /// How many rows have each code of each attribute.
    codes: Vec<BTreeMap<u32, u64>>,
}

travels!(BlockCounts);

impl BlockCounts {
    /// Takes counted combinations.
    pub fn add(&mut self, cuts: &PartitionTree, batch: &RecordBatch) -> Result<()> {
        let width = cuts.known.len();
        let columns = CombinationColumns::new(batch, width)?;
        let mut codes = vec![0; width];
        for combination in 0..columns.len() {
            for (at, code) in codes.iter_mut().enumerate() {
                *code = cuts.code(at, columns.text(at, combination));
            }
            let node = cuts.block(|at| codes[at]);
            if cuts.sent.nodes[node] != PartitionNode::Block(true) {
                continue;
            }
            let block = self.blocks.entry(node).or_default();
            block.codes.resize(width, BTreeMap::new());
            let rows = columns.rows(combination);
            block.combinations += 1;
            block.rows += rows;
            for (known, &code) in block.codes.iter_mut().zip(&codes) {
                *known.entry(code).or_default() += rows;
            }
        }
        Ok(())
    }

    /// Adds those of another part.
    pub fn merge(&mut self, other: BlockCounts) {
        for (node, part) in other.blocks {
            let block = self.blocks.entry(node).or_default();
            block.combinations += part.combinations;
            block.rows += part.rows;
            block.codes.resize(part.codes.len().max(block.codes.len()), BTreeMap::new());
            for (known, other) in block.codes.iter_mut().zip(part.codes) {
                other.into_iter().for_each(|(code, rows)| *known.entry(code).or_default() += rows);
            }
        }
    }
}
