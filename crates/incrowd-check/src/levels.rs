//! Certificates about levels: boxes of the generalization lattice.
//!
//! The body lists how boxes are divided. A box that is not divided is closed by its two corners: rows whose class is too
//! small in the high corner are suppressed in every node of the box, all others are in classes at least as large as in
//! the low corner. Rule 6.

use std::collections::HashMap;
use std::io::Read;

use crate::error::{Error, Result};
use crate::input::Input;
use crate::key::{Field, Key, Places, fields};
use crate::question::{Metric, Question};
use crate::table::Profiles;

/// How boxes are divided: by their low and high corner, the column and the last level of the lower part.
type Divisions = HashMap<(Vec<u8>, Vec<u8>), (usize, u8)>;

/// Checks the body; returns the bound and the number of boxes that were closed.
pub(crate) fn check<R: Read>(
    question: &Question,
    profiles: &Profiles,
    body: &mut Input<R>,
) -> Result<(u64, u64)> {
    let (fields, _) = fields(question.columns.iter().map(|column| column.values.len()))?;
    let tops: Vec<usize> = question.columns.iter().map(|column| column.levels.len() - 1).collect();
    if tops.iter().any(|&top| top > usize::from(u8::MAX)) {
        return Err(Error::Question("a column has too many levels".to_owned()));
    }
    let mut divisions = Divisions::new();
    while let Some(column) = body.number()? {
        let column = usize::try_from(column).ok().filter(|&column| column < tops.len());
        let column = column.ok_or(Error::Damaged("it names a column that does not exist"))?;
        let level = body.below(tops[column])? as u8;
        let mut corner = || -> Result<Vec<u8>> {
            tops.iter().map(|&top| Ok(body.below(top + 1)? as u8)).collect()
        };
        let corners = (corner()?, corner()?);
        divisions.insert(corners, (column, level));
    }
    let lattice = Lattice { question, fields };
    let high: Vec<u8> = tops.iter().map(|&top| top as u8).collect();
    Ok(lattice.walk(profiles, high, &divisions))
}

struct Lattice<'a> {
    question: &'a Question,
    fields: Vec<Field>,
}

/// A class of a corner: its groups, its rows, and those of the second class value.
#[derive(Clone, Copy)]
struct Group {
    key: u128,
    rows: u32,
    ones: u32,
}

/// All nodes between two corners.
struct NodeBox {
    low: Vec<u8>,
    high: Vec<u8>,
    /// The classes of the low corner, without rows that are lost.
    groups: Vec<Group>,
    lost: u64,
}

impl Lattice<'_> {
    fn walk(&self, profiles: &Profiles, high: Vec<u8>, divisions: &Divisions) -> (u64, u64) {
        let mut groups: Vec<Group> = (0..profiles.counts.len())
            .map(|at| {
                let mut key = u128::ZERO;
                for ((&code, field), column) in
                    profiles.of(at).iter().zip(&self.fields).zip(&self.question.columns)
                {
                    key = key.with(*field, column.levels[0][usize::from(code)] as u16);
                }
                Group { key, rows: profiles.counts[at], ones: profiles.ones[at] }
            })
            .collect();
        join(&mut groups);
        let mut open = vec![NodeBox { low: vec![0; high.len()], high, groups, lost: 0 }];
        let (mut bound, mut cases) = (u64::MAX, 0);
        while let Some(mut node) = open.pop() {
            self.lose(&mut node);
            let corners = (node.low.clone(), node.high.clone());
            // A division must leave a node on both sides.
            let division = divisions
                .get(&corners)
                .filter(|&&(at, level)| node.low[at] <= level && level < node.high[at]);
            match division {
                _ if node.lost > self.question.limit => cases += 1,
                None => {
                    bound = bound.min(self.least(&node));
                    cases += 1;
                }
                Some(&(at, level)) => {
                    let mut low = node.low.clone();
                    low[at] = level + 1;
                    let (groups, _) = self.rolled(&node, &low);
                    open.push(NodeBox { low, high: node.high.clone(), groups, lost: node.lost });
                    node.high[at] = level;
                    open.push(node);
                }
            }
        }
        (bound, cases)
    }

    /// The classes of the low corner on higher levels, and for each which of these it is in.
    fn rolled(&self, node: &NodeBox, to: &[u8]) -> (Vec<Group>, Vec<usize>) {
        let mut maps: Vec<(Field, Vec<u16>)> = Vec::new();
        for (at, column) in self.question.columns.iter().enumerate() {
            let (from, to) = (usize::from(node.low[at]), usize::from(to[at]));
            if from < to {
                let mut map = vec![0; column.values.len()];
                for (&group, &above) in column.levels[from].iter().zip(&column.levels[to]) {
                    map[group as usize] = above as u16;
                }
                maps.push((self.fields[at], map));
            }
        }
        let mut places = Places::default();
        places.clear(node.groups.len());
        let (mut groups, mut places_of) = (Vec::<Group>::new(), Vec::new());
        for group in &node.groups {
            let mut key = group.key;
            for (field, map) in &maps {
                key = key.with(*field, map[key.field(*field)]);
            }
            let next = groups.len();
            let at = places.find_or_put(key, next, |at| groups[at].key).unwrap_or(next);
            if at == next {
                groups.push(Group { key, rows: 0, ones: 0 });
            }
            groups[at].rows += group.rows;
            groups[at].ones += group.ones;
            places_of.push(at);
        }
        (groups, places_of)
    }

    /// Takes the rows out that the high corner suppresses.
    fn lose(&self, node: &mut NodeBox) {
        let (high, places) = self.rolled(node, &node.high);
        let is_lost = |at: usize| u64::from(high[at].rows) < self.question.k;
        node.lost += (0..high.len())
            .filter(|&at| is_lost(at))
            .map(|at| u64::from(high[at].rows))
            .sum::<u64>();
        let mut at = 0;
        node.groups.retain(|_| {
            at += 1;
            !is_lost(places[at - 1])
        });
    }

    /// What every node of a box costs at least.
    fn least(&self, node: &NodeBox) -> u64 {
        let (k, rows) = (self.question.k, self.question.rows);
        let cost = |group: &Group| match self.question.metric {
            Metric::Dm => u64::from(group.rows) * k.max(group.rows.into()),
            _ => group.ones.min(group.rows - group.ones).into(),
        };
        let each = if self.question.metric == Metric::Dm { rows } else { 1 };
        node.lost * each + node.groups.iter().map(cost).sum::<u64>()
    }
}

/// Makes equal groups one.
fn join(groups: &mut Vec<Group>) {
    groups.sort_unstable_by_key(|group| group.key);
    groups.dedup_by(|next, kept| {
        let same = next.key == kept.key;
        if same {
            kept.rows += next.rows;
            kept.ones += next.ones;
        }
        same
    });
}
