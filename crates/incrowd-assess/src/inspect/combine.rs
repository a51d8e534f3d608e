//! Which columns together single people out.

use rayon::prelude::*;
use serde::Serialize;

use super::group::{CodedColumn, DistinctRows, Uniqueness};

/// Columns taken together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnCombination {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// How well they tell rows apart.
    #[serde(flatten)]
    pub uniqueness: Uniqueness,
}

/// What was found among the combinations of the likely quasi-identifiers.
///
/// All numbers are exact counts over all rows: the limit on work leaves combinations out, never
/// rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CombinationReport {
    /// The pairs that single out most rows, worst first.
    pub pairs: Vec<ColumnCombination>,
    /// The triples that single out most rows, worst first.
    pub triples: Vec<ColumnCombination>,
    /// A set that grows by the column that singles out most further rows, until no other column
    /// tells any two rows apart.
    pub growing: Vec<ColumnCombination>,
    /// How many pairs and triples were looked at.
    pub examined: u64,
    /// How many pairs and triples there are.
    pub possible: u64,
    /// Whether the limit on work left some pairs, triples or growth out.
    pub cut_off: bool,
}

/// A combination by the positions of its columns.
type IndexedCombination = (Vec<usize>, Uniqueness);

/// Looks through the combinations of `rows`'s columns.
///
/// `budget` limits distinct rows times combinations; `top` is how many pairs and triples to keep.
pub(super) fn combinations(
    rows: &DistinctRows,
    names: &[&str],
    budget: u64,
    top: usize,
) -> CombinationReport {
    let n = rows.columns.len() as u64;
    let mut search = CombinationSearch { rows, left: budget / (rows.counts.len() as u64).max(1) };
    // The growing set tells most for its price, but must not take all there is.
    let reserved = search.left / 2;
    search.left -= reserved;
    let (growing, grown) = search.grow();
    search.left += reserved;
    let pairs = search.pairs();
    let possible_pairs = n * n.saturating_sub(1) / 2;
    let possible = possible_pairs + possible_pairs * n.saturating_sub(2) / 3;
    // Triples are looked for where the worst pairs are, so all pairs have to be known.
    let triples =
        if pairs.len() as u64 == possible_pairs { search.triples(&pairs) } else { Vec::new() };
    let examined = (pairs.len() + triples.len()) as u64;
    let named = |(columns, uniqueness): IndexedCombination| ColumnCombination {
        columns: columns.iter().map(|&column| names[column].to_owned()).collect(),
        uniqueness,
    };
    CombinationReport {
        pairs: pairs.into_iter().take(top).map(named).collect(),
        triples: triples.into_iter().take(top).map(named).collect(),
        growing: growing.into_iter().map(named).collect(),
        examined,
        possible,
        cut_off: examined < possible || !grown,
    }
}

struct CombinationSearch<'a> {
    rows: &'a DistinctRows,
    /// How many more combinations may be looked at.
    left: u64,
}

impl CombinationSearch<'_> {
    fn column(&self, column: usize) -> &CodedColumn<'static> {
        &self.rows.columns[column]
    }

    fn uniqueness(&self, groups: &CodedColumn<'_>) -> Uniqueness {
        Uniqueness::of(groups.sizes(&self.rows.counts))
    }

    /// Takes `combinations` from what is left, if there are so many.
    fn take(&mut self, combinations: usize) -> bool {
        let enough = self.left >= combinations as u64;
        if enough {
            self.left -= combinations as u64;
        }
        enough
    }

    /// Adds the worst column again and again; also says whether the limit let it finish.
    fn grow(&mut self) -> (Vec<IndexedCombination>, bool) {
        let mut steps: Vec<IndexedCombination> = Vec::new();
        let mut groups = CodedColumn::one_group(self.rows.counts.len());
        let mut free: Vec<usize> = (0..self.rows.columns.len()).collect();
        let everything = self.rows.counts.len() as u64;
        while !free.is_empty() && steps.last().is_none_or(|(_, found)| found.distinct < everything)
        {
            if !self.take(free.len()) {
                return (steps, false);
            }
            let with = |&column: &usize| groups.split(self.column(column));
            let tried: Vec<Uniqueness> =
                free.par_iter().map(|column| self.uniqueness(&with(column))).collect();
            let danger = |at: &usize| (tried[*at].danger(), std::cmp::Reverse(*at));
            let Some(worst) = (0..tried.len()).max_by_key(danger) else { break };
            let mut columns = steps.last().map_or_else(Vec::new, |(columns, _)| columns.clone());
            columns.push(free[worst]);
            groups = with(&free[worst]);
            steps.push((columns, tried[worst]));
            free.remove(worst);
        }
        (steps, true)
    }

    /// As many pairs as the limit allows, worst first.
    fn pairs(&mut self) -> Vec<IndexedCombination> {
        let mut columns: Vec<usize> = (0..self.rows.columns.len()).collect();
        // If not all can be looked at, then those of the columns with the most values.
        columns.sort_by_key(|&column| std::cmp::Reverse(self.column(column).cardinality));
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for (at, &one) in columns.iter().enumerate() {
            pairs.extend(columns[..at].iter().map(|&other| [one.min(other), one.max(other)]));
        }
        pairs.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= pairs.len() as u64;
        let found = pairs.into_par_iter().map(|pair| {
            let groups = self.column(pair[0]).split(self.column(pair[1]));
            (pair.to_vec(), self.uniqueness(&groups))
        });
        ranked(found.collect())
    }

    /// As many triples as the limit allows, those with the worst pairs in them first; `pairs` are
    /// all pairs, worst first.
    fn triples(&mut self, pairs: &[IndexedCombination]) -> Vec<IndexedCombination> {
        let n = self.rows.columns.len();
        let mut rank = vec![0; n * n];
        for (at, (pair, _)) in pairs.iter().enumerate() {
            rank[pair[0] * n + pair[1]] = at;
            rank[pair[1] * n + pair[0]] = at;
        }
        let mut chosen: Vec<([usize; 2], Vec<usize>)> = Vec::new();
        for (at, (pair, _)) in pairs.iter().enumerate() {
            let [one, two] = [pair[0], pair[1]];
            // Every triple belongs to the worst of its three pairs.
            let thirds: Vec<usize> = (0..n)
                .filter(|&third| third != one && third != two)
                .filter(|&third| rank[one * n + third] > at && rank[two * n + third] > at)
                .collect();
            if thirds.is_empty() {
                continue;
            }
            if !self.take(1 + thirds.len()) {
                break;
            }
            chosen.push(([one, two], thirds));
        }
        let search = &*self;
        let found = chosen.into_par_iter().flat_map_iter(|([one, two], thirds)| {
            let groups = search.column(one).split(search.column(two));
            thirds.into_iter().map(move |third| {
                let mut triple = vec![one, two, third];
                triple.sort_unstable();
                (triple, search.uniqueness(&groups.split(search.column(third))))
            })
        });
        ranked(found.collect())
    }
}

/// Worst first; what is equally bad in the order of the columns.
fn ranked(mut found: Vec<IndexedCombination>) -> Vec<IndexedCombination> {
    found.sort_by(|(columns, one), (others, two)| {
        two.danger().cmp(&one.danger()).then_with(|| columns.cmp(others))
    });
    found
}
