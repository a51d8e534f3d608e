//! Where the rows of every counted combination go, for back ends that recode by a map.

use incrowd_engine::{FrequencyCounts, Problem, Release};

use crate::Result;

/// The class of rows that are released blank, as [`each_combination`] tells it.
pub const BLANK_CLASS: u32 = u32::MAX;

/// A counted combination and where its rows go.
#[derive(Debug, Clone, Copy)]
pub struct RecodedCombination<'a> {
    /// Its values, column by column, as they were counted.
    pub values: &'a [&'a str],
    /// Its cell in the problem; none if it belongs to none.
    pub cell: Option<u32>,
    /// The classes of its rows and how many go there, one after the other; none for rows that are not released.
    pub classes: &'a [(Option<u32>, u64)],
}

/// Hands over every counted combination with where its rows go, in an order that is always the same.
pub fn each_combination(
    counts: &FrequencyCounts,
    problem: &Problem,
    release: &Release,
    mut take: impl FnMut(RecodedCombination<'_>) -> Result<()>,
) -> Result<()> {
    use incrowd_engine::release::RowDisposition;
    let width = problem.attributes.len();
    let index = incrowd_engine::table::ProfileIndex::new(&problem.cells, &problem.domains());
    let mut assigner = release.assigner();
    let mut all: Vec<(Vec<u32>, u64)> = Vec::with_capacity(counts.combinations());
    counts.cells.for_each(|codes, count| all.push((codes.to_vec(), count)));
    all.sort_unstable();
    let coded = counts.columns.iter().zip(&problem.codebooks).map(|((_, values), codebook)| {
        codebook.codes_for(values).map_err(|_| crate::recode::pass::changed())
    });
    let coded = coded.collect::<Result<Vec<_>>>()?;
    let mut values: Vec<&str> = Vec::new();
    let mut classes: Vec<(Option<u32>, u64)> = Vec::new();
    for (known, count) in &all {
        values.clear();
        values.extend(known.iter().zip(&counts.columns).map(|(&code, (_, of))| of.value(code)));
        let codes: Vec<u32> =
            known.iter().zip(&coded).map(|(&at, coded)| coded[at as usize]).collect();
        let (quasi, target) = codes.split_at(width);
        let cell = index.find(quasi);
        classes.clear();
        let target = match target.is_empty() || !release.deals_rows() {
            true => 0,
            false => problem.targets.find(target).unwrap_or(u32::MAX),
        };
        let whole = if release.deals_rows() { 1 } else { *count };
        for _ in 0..count / whole.max(1) {
            let class = match cell.map(|cell| assigner.assign(cell, || target)) {
                Some(RowDisposition::Class(class)) => Some(class),
                Some(RowDisposition::Blank) => Some(BLANK_CLASS),
                Some(RowDisposition::Dropped) | None => None,
            };
            match classes.last_mut() {
                Some((last, rows)) if *last == class => *rows += whole,
                _ => classes.push((class, whole)),
            }
        }
        take(RecodedCombination { values: &values, cell, classes: &classes })?;
    }
    Ok(())
}
