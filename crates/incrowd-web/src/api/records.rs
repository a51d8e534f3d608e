//! The records of the table one by one: who stands out, by what, and what the release does about it.

use std::sync::Arc;

use incrowd_assess::risk::RecordKey;
use incrowd_engine::table::Column;
use incrowd_run::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{NoFields, done};
use crate::session::{RecordTable, RecordsOrder, Session};

/// Records that are sent at once, at most.
const MOST_RECORDS: usize = 100;

/// Begins to count who stands in which crowd.
pub(super) fn begin(session: &Arc<Session>, _: NoFields) -> Result<NoFields> {
    let (file, opened) = session.file()?;
    let found = session.state().current_release().cloned();
    session.begin_aside(
        "records",
        move |_, _| RecordTable::new(&file.spec, opened, found),
        |state, records| state.records = Some(Arc::new(records)),
    )?;
    done()
}

fn counted(session: &Session) -> Option<Arc<RecordTable>> {
    session.state().records.clone()
}

#[derive(Deserialize)]
pub(super) struct RecordsRequest {
    #[serde(flatten)]
    order: RecordsOrder,
    #[serde(default)]
    from: usize,
    count: usize,
    /// Whether to show their values.
    #[serde(default)]
    show: bool,
}

/// Some records; nothing before they are counted.
#[derive(Serialize)]
pub(super) struct RecordsAnswer {
    told: Option<ListedRecords>,
}

/// Some records.
#[derive(Serialize)]
struct ListedRecords {
    columns: Vec<String>,
    from: usize,
    /// How many there are of these.
    all: usize,
    /// How many the table has.
    rows: usize,
    k: u64,
    records: Vec<ListedRecord>,
    /// Whether the question has changed since they were counted.
    stale: bool,
}

/// A record of the table.
#[derive(Serialize)]
struct ListedRecord {
    /// Its place in the table, from 1.
    number: u32,
    /// How many look like it in the table, itself among them.
    crowd: u64,
    /// What became of it in the release.
    fate: Option<&'static str>,
    /// How many look like it there.
    released: Option<u64>,
    /// Its quasi-identifiers, where they are asked for.
    fields: Option<Vec<String>>,
}

/// Some records, in the order that is asked for.
pub(super) fn list(session: &Arc<Session>, asked: RecordsRequest) -> Result<RecordsAnswer> {
    let Some(records) = counted(session) else { return Ok(RecordsAnswer { told: None }) };
    let order = records.ordered(&asked.order)?;
    let columns = records.columns()?;
    let from = asked.from.min(order.len());
    let to = from.saturating_add(asked.count.min(MOST_RECORDS)).min(order.len());
    let listed = order[from..to].iter().map(|&row| {
        let (fate, released) = records.released(row);
        let of = |column: &&Column| column.value(row as usize).to_owned();
        ListedRecord {
            number: row + 1,
            crowd: records.classes.class_size(row as usize),
            fate,
            released,
            fields: asked.show.then(|| columns.iter().map(of).collect()),
        }
    });
    let told = ListedRecords {
        from,
        all: order.len(),
        rows: records.classes.len(),
        k: records.k,
        records: listed.collect(),
        stale: is_stale(session, &records),
        columns: records.quasi.clone(),
    };
    Ok(RecordsAnswer { told: Some(told) })
}

fn is_stale(session: &Session, records: &RecordTable) -> bool {
    let state = session.state();
    let spec = state.history.as_ref().map(|history| history.spec());
    records.is_stale(state.opened.as_ref(), spec, state.current_release())
}

#[derive(Deserialize)]
pub(super) struct RecordKeysRequest {
    /// Its place in the table, from 1.
    number: u32,
    /// Whether to show its values.
    #[serde(default)]
    show: bool,
}

/// Why a record stands out, and what protects it.
#[derive(Serialize)]
pub(super) struct RecordKeysAnswer {
    number: u32,
    crowd: u64,
    k: u64,
    /// The smallest combinations of columns by which fewer than k look like it.
    keys: Vec<RecordKey>,
    /// How often each column is in one of them, those of most first: where these are less exact, it is safe.
    columns: Vec<ColumnInKeys>,
    fate: Option<&'static str>,
    released: Option<u64>,
    /// What the release shows of its quasi-identifiers, where values are asked for.
    labels: Option<Vec<String>>,
}

/// A column that singles a record out.
#[derive(Serialize)]
struct ColumnInKeys {
    column: String,
    keys: u64,
}

/// Keys that are sent at most.
const MOST_KEYS: usize = 20;

/// Why a record stands out, and what protects it.
pub(super) fn show(session: &Arc<Session>, asked: RecordKeysRequest) -> Result<RecordKeysAnswer> {
    let uncounted = || Error::new("the records have not been counted yet");
    let records = counted(session).ok_or_else(uncounted)?;
    let row = asked.number.checked_sub(1).filter(|&row| (row as usize) < records.classes.len());
    let row = row.ok_or_else(|| Error::new(format!("there is no record {}", asked.number)))?;
    let mut keys = records.keys(row);
    let mut columns: Vec<ColumnInKeys> = records
        .quasi
        .iter()
        .map(|column| {
            let with = keys.iter().filter(|key| key.columns.contains(column)).count();
            ColumnInKeys { column: column.clone(), keys: with as u64 }
        })
        .filter(|column| column.keys > 0)
        .collect();
    columns.sort_by_key(|column| std::cmp::Reverse(column.keys));
    keys.truncate(MOST_KEYS);
    let (fate, released) = records.released(row);
    let labels = if asked.show { records.labels(row) } else { None };
    let crowd = records.classes.class_size(row as usize);
    let (number, k) = (asked.number, records.k);
    Ok(RecordKeysAnswer { number, crowd, k, keys, columns, fate, released, labels })
}
