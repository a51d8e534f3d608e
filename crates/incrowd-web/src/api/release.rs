//! What became of the table.

use std::collections::BTreeMap;
use std::sync::Arc;

use incrowd_assess::expose::{Disclosure, UnchangedColumn};
use incrowd_assess::withheld::{self as why, WithheldClass, WithholdingReason};
use incrowd_engine::release::{BlankCounts, LossMeasures, ReleasePreview};
use incrowd_engine::search::SelectedMethod;
use incrowd_run::spec::Role;
use incrowd_run::{Error, Result, report::sets_text};
use serde::{Deserialize, Serialize};

use super::NoFields;
use super::row_fields::{RowFields, originals};
use crate::session::{FoundRelease, Session};

/// The release that was found.
pub(super) fn kept(session: &Session) -> Result<Arc<FoundRelease>> {
    let found = session.state().shown().cloned();
    found
        .filter(|kept| kept.found.release().is_some())
        .ok_or_else(|| Error::new("there is no release yet").help("search for one first"))
}

/// The release beside its table.
#[derive(Serialize)]
pub(super) struct ReleaseAnswer {
    picture: Option<ReleasePreview>,
    /// The recoding in words, a line per attribute.
    recoding: Vec<String>,
    kind: Option<&'static str>,
    unchanged: Vec<UnchangedColumn>,
    unchanged_together: Option<UnchangedColumn>,
    tells: Vec<Disclosure>,
    losses: Vec<LossInWords>,
    sets: Vec<String>,
    metrics: Option<LossMeasures>,
    blanks: Option<BlankCounts>,
    tried: Option<SelectedMethod>,
}

/// What is lost of a column with the suppressed rows.
#[derive(Serialize)]
struct LossInWords {
    column: String,
    words: String,
}

/// The release beside its table.
pub(super) fn release(session: &Arc<Session>, _: NoFields) -> Result<ReleaseAnswer> {
    let kept = kept(session)?;
    let report = &kept.report;
    let losses = report.losses.iter().flat_map(|loss| {
        let of = |words| LossInWords { column: loss.column.clone(), words };
        loss.without_counts(report.k).into_iter().map(of)
    });
    Ok(ReleaseAnswer {
        picture: report.picture().cloned(),
        recoding: report.recoding.clone(),
        kind: report.recoding_kind,
        unchanged: report.unchanged.clone(),
        unchanged_together: report.unchanged_together.clone(),
        tells: report.tells.clone(),
        losses: losses.collect(),
        sets: report.unrelated_sets.iter().map(sets_text).collect(),
        metrics: report.metrics.clone(),
        blanks: report.blanks.clone(),
        tried: report.auto.clone(),
    })
}

#[derive(Deserialize)]
pub(super) struct RowsRequest {
    #[serde(default)]
    from: usize,
    count: usize,
    /// Whether to show what each row was before.
    #[serde(default)]
    original: bool,
}

/// Rows that are sent at once, at most.
const MOST_ROWS: usize = 200;

/// Some rows of the release.
#[derive(Serialize)]
pub(super) struct RowsAnswer {
    from: usize,
    all: usize,
    /// The columns, each with its role.
    header: Vec<(String, Role)>,
    /// The quasi-identifiers, in the order of the originals.
    attributes: Vec<String>,
    rows: Vec<ReleasedRow>,
}

/// A row of the release.
#[derive(Serialize)]
struct ReleasedRow {
    /// Its class; none if it is blank.
    class: Option<u32>,
    size: Option<u64>,
    fields: Vec<String>,
    /// Its quasi-identifiers as they were.
    before: Option<Vec<String>>,
}

/// Some rows of the release, in an order of their own.
pub(super) fn rows(session: &Arc<Session>, asked: RowsRequest) -> Result<RowsAnswer> {
    let RowsRequest { from, count, original } = asked;
    let kept = kept(session)?;
    let (_, opened) = session.file()?;
    let made = kept.rows(&opened.table)?;
    let table = made.table.as_ref().unwrap_or(&opened.table);
    let fields = RowFields::new(&kept, table)?;
    let from = from.min(made.released.len());
    let to = from.saturating_add(count.min(MOST_ROWS)).min(made.released.len());
    let of = |&(row, class): &(u32, Option<u32>)| ReleasedRow {
        class,
        size: class.map(|class| fields.size(class)),
        fields: fields.of(row, class),
        before: original.then(|| originals(&kept, table, row)),
    };
    let rows: Vec<ReleasedRow> = made.released[from..to].iter().map(of).collect();
    let attributes = kept.found.problem().attributes.iter().map(|it| it.name.clone()).collect();
    Ok(RowsAnswer { from, all: made.released.len(), header: fields.header, attributes, rows })
}

/// Classes that are shown at most.
const MOST_CLASSES: usize = 300;

#[derive(Deserialize)]
pub(super) struct WithheldRequest {
    /// Whether to show what the rows of each class have in common: these are people who stand out.
    #[serde(default)]
    show: bool,
}

/// The classes that are not released.
#[derive(Serialize)]
pub(super) struct WithheldAnswer {
    attributes: Vec<String>,
    /// Each by itself, for whoever asks to see original values.
    classes: Vec<WithheldClass>,
    /// How many there are of each size.
    sizes: Vec<WithheldSize>,
    /// How many classes there are.
    all: usize,
    rows: u64,
    outside: u64,
}

/// Classes of one size that are not released.
#[derive(Serialize)]
struct WithheldSize {
    /// Rows of each.
    rows: u64,
    classes: u64,
}

/// The classes that are not released.
pub(super) fn withheld(session: &Arc<Session>, asked: WithheldRequest) -> Result<WithheldAnswer> {
    let kept = kept(session)?;
    let (problem, release) = (kept.found.problem(), kept.found.release());
    let release = release.ok_or_else(|| Error::new("there is no release"))?;
    let most = if asked.show { MOST_CLASSES } else { 0 };
    let (classes, all) = why::withheld(problem, release, most);
    let mut sizes = BTreeMap::new();
    for (rows, released) in release.classes.sizes.iter().zip(&release.classes.released) {
        if !released {
            *sizes.entry(*rows).or_insert(0) += 1;
        }
    }
    let sizes = sizes.into_iter().map(|(rows, classes)| WithheldSize { rows, classes });
    Ok(WithheldAnswer {
        attributes: problem.attributes.iter().map(|it| it.name.clone()).collect(),
        classes,
        sizes: sizes.collect(),
        all,
        rows: kept.report.suppressed,
        outside: release.classes.outside,
    })
}

#[derive(Deserialize)]
pub(super) struct ReasonRequest {
    class: usize,
}

/// Why a class is withheld, and what would save it.
pub(super) fn reason(session: &Arc<Session>, asked: ReasonRequest) -> Result<WithholdingReason> {
    let ReasonRequest { class } = asked;
    let kept = kept(session)?;
    let release = kept.found.release().ok_or_else(|| Error::new("there is no release"))?;
    why::reason(kept.found.problem(), release, class)
        .ok_or_else(|| Error::new("this class is released"))
}
