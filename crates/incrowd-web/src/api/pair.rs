//! Two releases of the project side by side.

use std::sync::Arc;

use incrowd_engine::Table;
use incrowd_engine::release::AttributePreview;
use incrowd_run::{Error, Result};
use serde::{Deserialize, Serialize};

use super::row_fields::{RowFields, originals};
use super::{NoFields, done};
use crate::session::{FoundRelease, Session};

/// Two releases of the project.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct PairRequest {
    one: u64,
    other: u64,
}

/// Begins to bring both into memory.
pub(super) fn begin(session: &Arc<Session>, asked: PairRequest) -> Result<NoFields> {
    let PairRequest { one, other } = asked;
    let wanted = {
        let state = session.state();
        let project = state.project.as_ref().ok_or_else(nothing)?;
        [project.release(one)?.clone(), project.release(other)?.clone()]
    };
    session.begin_aside(
        "pair",
        move |session, control| {
            let mut restored = Vec::new();
            for release in wanted.iter().filter(|release| release.found.is_none()) {
                let found = session.restored(release, control).map_err(|error| Error {
                    message: format!("{}: {}", release.name, error.message),
                    ..error
                })?;
                restored.push((release.id, Arc::new(found)));
            }
            Ok(restored)
        },
        |state, restored| {
            let releases = state.project.iter_mut().flat_map(|project| &mut project.releases);
            for release in releases {
                if let Some((_, found)) = restored.iter().find(|(id, _)| *id == release.id) {
                    release.found = Some(found.clone());
                }
            }
        },
    )?;
    done()
}

fn nothing() -> Error {
    Error::new("no table is open").help("open one first")
}

/// Both releases, if they are in memory.
fn both(session: &Session, asked: PairRequest) -> Result<Option<[Arc<FoundRelease>; 2]>> {
    let state = session.state();
    let project = state.project.as_ref().ok_or_else(nothing)?;
    let found = |id: u64| Ok::<_, Error>(project.release(id)?.found.clone());
    Ok(found(asked.one)?.zip(found(asked.other)?).map(|(one, other)| [one, other]))
}

/// Both releases; nothing while they are not in memory yet.
#[derive(Serialize)]
pub(super) struct PairAnswer {
    columns: Vec<ColumnPair>,
    ready: bool,
}

/// A quasi-identifier in both.
#[derive(Serialize)]
struct ColumnPair {
    column: String,
    one: Option<AttributePreview>,
    other: Option<AttributePreview>,
}

pub(super) fn show(session: &Arc<Session>, asked: PairRequest) -> Result<PairAnswer> {
    let Some(releases) = both(session, asked)? else {
        return Ok(PairAnswer { columns: Vec::new(), ready: false });
    };
    let [one, other] = releases.each_ref().map(|found| {
        found.report.picture().map_or(&[][..], |preview| preview.attributes.as_slice())
    });
    let in_list =
        |list: &[AttributePreview], name: &str| list.iter().find(|it| it.name == name).cloned();
    let first = one.iter().map(|it| &it.name);
    let rest = other.iter().map(|it| &it.name).filter(|name| in_list(one, name).is_none());
    let pair = |name: &String| ColumnPair {
        column: name.clone(),
        one: in_list(one, name),
        other: in_list(other, name),
    };
    Ok(PairAnswer { columns: first.chain(rest).map(pair).collect(), ready: true })
}

/// Rows that are sent at once, at most.
const MOST_ROWS: usize = 100;

#[derive(Deserialize)]
pub(super) struct PairRowsRequest {
    #[serde(flatten)]
    pair: PairRequest,
    #[serde(default)]
    from: usize,
    count: usize,
    /// Whether to show what each row was before.
    #[serde(default)]
    original: bool,
    /// Whether only rows are shown that differ in a column that both have.
    #[serde(default)]
    differing: bool,
}

/// Some rows of both.
#[derive(Serialize)]
pub(super) struct PairRowsAnswer {
    from: usize,
    all: usize,
    /// The columns of each.
    one: Vec<String>,
    other: Vec<String>,
    /// The quasi-identifiers of the first one, in the order of the originals.
    attributes: Vec<String>,
    rows: Vec<RowPair>,
}

/// A row in both; nothing where it is left out.
#[derive(Serialize)]
struct RowPair {
    one: Option<Vec<String>>,
    other: Option<Vec<String>>,
    before: Option<Vec<String>>,
}

/// A release with its table and the class of each of its rows.
struct PlacedRows<'a> {
    table: &'a Table,
    fields: RowFields<'a>,
    /// By row: its class, none if it is blank; nothing if it is left out.
    classes: Vec<Option<Option<u32>>>,
}

impl<'a> PlacedRows<'a> {
    fn new(found: &'a FoundRelease, opened: &'a Table) -> Result<Self> {
        let made = found.rows(opened)?;
        let table = made.table.as_ref().unwrap_or(opened);
        let mut classes = vec![None; table.rows()];
        for &(row, class) in &made.released {
            if let Some(place) = classes.get_mut(row as usize) {
                *place = Some(class);
            }
        }
        Ok(PlacedRows { table, fields: RowFields::new(found, table)?, classes })
    }

    fn of(&self, row: u32) -> Option<Vec<String>> {
        let class = self.classes.get(row as usize).copied().flatten()?;
        Some(self.fields.of(row, class))
    }

    fn names(&self) -> Vec<String> {
        self.fields.header.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// Some rows of both, in the order of the first one; those that it leaves out come last.
pub(super) fn rows(session: &Arc<Session>, asked: PairRowsRequest) -> Result<PairRowsAnswer> {
    let PairRowsRequest { pair, from, count, original, differing } = asked;
    let Some([first, second]) = both(session, pair)? else {
        return Err(Error::new("the releases are not in memory yet").help("wait a moment"));
    };
    let (_, opened) = session.file()?;
    let one = PlacedRows::new(&first, &opened.table)?;
    let other = PlacedRows::new(&second, &opened.table)?;
    let (names, others) = (one.names(), other.names());
    let common: Vec<(usize, usize)> = names
        .iter()
        .enumerate()
        .filter_map(|(at, name)| Some((at, others.iter().position(|it| it == name)?)))
        .collect();
    let differs = |row: u32| match (one.of(row), other.of(row)) {
        (Some(one), Some(other)) => common.iter().any(|&(a, b)| one[a] != other[b]),
        (one, other) => one.is_some() != other.is_some(),
    };
    let in_order = first.rows(&opened.table)?.released.iter().map(|&(row, _)| row);
    let left_out = second.rows(&opened.table)?.released.iter().map(|&(row, _)| row);
    let left_out = left_out.filter(|&row| one.classes.get(row as usize) == Some(&None));
    let shown: Vec<u32> =
        in_order.chain(left_out).filter(|&row| !differing || differs(row)).collect();
    let from = from.min(shown.len());
    let to = from.saturating_add(count.min(MOST_ROWS)).min(shown.len());
    let of = |&row: &u32| RowPair {
        one: one.of(row),
        other: other.of(row),
        before: original.then(|| originals(&first, one.table, row)),
    };
    Ok(PairRowsAnswer {
        from,
        all: shown.len(),
        rows: shown[from..to].iter().map(of).collect(),
        attributes: first.found.problem().attributes.iter().map(|it| it.name.clone()).collect(),
        one: names,
        other: others,
    })
}
