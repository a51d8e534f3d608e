//! k when `*` matches anything.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::tuples::{TupleCounts, hash_codes};

/// The crowds of a release's distinct rows: how many rows each might agree with.
pub(crate) struct WildcardCrowds {
    /// The smallest crowd; nothing for a release without rows.
    pub(crate) smallest: Option<u64>,
    /// The classes with a crowd below k.
    pub(crate) small: Vec<(u32, u64)>,
}

/// Finds the smallest crowd and all crowds below k. `star` is the code of `*` in each column.
///
/// Tuples are sorted by their pattern of stars. Two patterns share the columns that neither blanks,
/// and tuples of theirs agree when they are equal there, which a hash table finds. A tuple whose
/// crowd is already known to be large enough to decide nothing is not looked at again, which
/// leaves few tuples in most releases.
pub(crate) fn crowds(tuples: &TupleCounts, star: &[Option<u32>], k: u64) -> WildcardCrowds {
    let Some((candidate, _)) = tuples.counts().iter().enumerate().min_by_key(|&(_, count)| count)
    else {
        return WildcardCrowds { smallest: None, small: Vec::new() };
    };
    let mut smallest = crowd_of(tuples, star, candidate);
    let enough = smallest.max(k);
    let patterns = StarPatterns::new(tuples, star);
    let mut small = Vec::new();
    for (at, members) in patterns.members.iter().enumerate() {
        let open = |tuple: &u32| tuples.count(*tuple as usize) < enough;
        let mut live: Vec<(u32, u64)> =
            members.iter().copied().filter(open).map(|t| (t, 0)).collect();
        for (other, others) in patterns.members.iter().enumerate() {
            if live.is_empty() {
                break;
            }
            let common = patterns.common(at, other);
            add_matching(tuples, &common, &mut live, others);
            live.retain(|&(_, crowd)| crowd < enough);
        }
        for &(tuple, crowd) in &live {
            smallest = smallest.min(crowd);
            if crowd < k {
                small.push((tuple, crowd));
            }
        }
    }
    small.sort_unstable();
    WildcardCrowds { smallest: Some(smallest), small }
}

/// The crowd of one tuple, by looking at all.
fn crowd_of(tuples: &TupleCounts, star: &[Option<u32>], tuple: usize) -> u64 {
    let key = tuples.key(tuple);
    let agrees = |other: &usize| {
        let mut columns = key.iter().zip(tuples.key(*other)).zip(star);
        columns.all(|((a, b), star)| a == b || Some(*a) == *star || Some(*b) == *star)
    };
    (0..tuples.len()).filter(agrees).map(|other| tuples.count(other)).sum()
}

/// The patterns of stars and the tuples that have them.
struct StarPatterns {
    patterns: TupleCounts,
    members: Vec<Vec<u32>>,
}

impl StarPatterns {
    fn new(tuples: &TupleCounts, star: &[Option<u32>]) -> Self {
        let mut patterns = TupleCounts::new(star.len(), 0);
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut pattern = vec![0; star.len()];
        for tuple in 0..tuples.len() {
            for ((bit, code), star) in pattern.iter_mut().zip(tuples.key(tuple)).zip(star) {
                *bit = u32::from(Some(*code) == *star);
            }
            let at = patterns.add(&pattern, 0, 1) as usize;
            if at == members.len() {
                members.push(Vec::new());
            }
            members[at].push(tuple as u32);
        }
        StarPatterns { patterns, members }
    }

    /// The columns that neither pattern blanks.
    fn common(&self, a: usize, b: usize) -> Vec<usize> {
        let bits = self.patterns.key(a).iter().zip(self.patterns.key(b));
        bits.enumerate().filter(|(_, (a, b))| **a == 0 && **b == 0).map(|(at, _)| at).collect()
    }
}

/// Adds to each live tuple the rows of the others that are equal to it on the common columns.
fn add_matching(tuples: &TupleCounts, common: &[usize], live: &mut [(u32, u64)], others: &[u32]) {
    let project = |tuple: u32, key: &mut Vec<u32>| {
        key.clear();
        let codes = tuples.key(tuple as usize);
        key.extend(common.iter().map(|&column| codes[column]));
    };
    // Groups of live tuples that are equal on the common columns, by their first member.
    let mut groups: Vec<(u32, u64)> = Vec::new();
    let mut group_of = Vec::with_capacity(live.len());
    let mut table: HashTable<u32> = HashTable::with_capacity(live.len());
    let mut key = Vec::with_capacity(common.len());
    let same = |tuple: u32, key: &[u32]| {
        let codes = tuples.key(tuple as usize);
        common.iter().zip(key).all(|(&column, code)| codes[column] == *code)
    };
    for &(tuple, _) in live.iter() {
        project(tuple, &mut key);
        // The table was made large enough at the start, so nothing is ever hashed again.
        let entry = table.entry(hash_codes(&key), |&g| same(groups[g as usize].0, &key), |_| 0);
        group_of.push(match entry {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) => {
                let group = groups.len() as u32;
                place.insert(group);
                groups.push((tuple, 0));
                group
            }
        });
    }
    for &other in others {
        project(other, &mut key);
        if let Some(&group) = table.find(hash_codes(&key), |&g| same(groups[g as usize].0, &key)) {
            groups[group as usize].1 += tuples.count(other as usize);
        }
    }
    for ((_, crowd), group) in live.iter_mut().zip(group_of) {
        *crowd += groups[group as usize].1;
    }
}
