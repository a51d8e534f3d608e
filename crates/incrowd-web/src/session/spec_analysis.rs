//! What follows from the present spec before any search: who stands alone, what undoes what, what cannot be had.

use std::sync::Arc;
use std::time::Duration;

use incrowd_assess::expose::{Disclosure, tells_of_table};
use incrowd_assess::risk::{AttackerRisk, TableClasses};
use incrowd_engine::{CancelToken, Control, FrequencyCounts};
use incrowd_run::spec::{ColumnSection, Role, SpecFile};
use incrowd_run::{
    Error, Job, Result, SearchedRun, Warning, count_cells,
    data::{ErrorReport, Source},
    open_input,
};
use serde::Serialize;

use super::{OpenTable, Session};

/// What is known of the present spec.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct SpecAnalysis {
    /// Whether it is being looked at.
    pub(crate) pending: bool,
    /// What was found last.
    pub(crate) told: Option<SpecFindings>,
}

/// What follows from a spec.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct SpecFindings {
    /// How many stand alone; none without a quasi-identifier.
    standing: Option<StandingCounts>,
    tells: Vec<Disclosure>,
    warnings: Vec<Warning>,
    /// Why there is no run of this spec.
    pub(crate) refused: Option<ErrorReport>,
    /// Why the goals cannot be met.
    pub(crate) infeasible: Option<String>,
    /// Why they probably cannot.
    doubtful: Option<String>,
}

/// How many rows stand alone by the quasi-identifiers.
#[derive(Debug, Clone, Serialize)]
struct StandingCounts {
    quasi: usize,
    /// Columns that are released as they are and that others may know all the same: they are counted, too.
    known: Vec<String>,
    rows: u64,
    unique_rows: u64,
    unique_share: f64,
    classes: u64,
    /// Rows in classes of fewer than k.
    below_k: u64,
    k: u64,
    highest: f64,
    average: f64,
}

impl SpecFindings {
    fn refusal(error: &Error) -> Self {
        SpecFindings { refused: Some(error.report()), ..SpecFindings::default() }
    }
}

/// Changes that follow each other fast are looked at together.
const PAUSE: Duration = Duration::from_millis(120);

impl Session {
    /// Looks at the present spec; whatever was being looked at is given up.
    pub(crate) fn look_again(self: &Arc<Self>) {
        let cancel = CancelToken::new();
        {
            let mut state = self.state();
            if state.opened.is_none() {
                return;
            }
            if let Some(before) = state.looking.replace(cancel.clone()) {
                before.cancel();
            }
            state.look.pending = true;
        }
        let session = self.clone();
        let look = move || {
            session.runner.wait(PAUSE);
            if cancel.is_cancelled() {
                return;
            }
            let control = session.runner.control(&cancel);
            let look = std::panic::AssertUnwindSafe(|| session.looked(&control));
            let told = match std::panic::catch_unwind(look) {
                Ok(Ok(told)) => told,
                Ok(Err(error)) => SpecFindings::refusal(&error),
                Err(_) => SpecFindings::refusal(&Error::new(
                    "fault of incrowd: the columns could \
                                                       not be examined",
                )),
            };
            if !cancel.is_cancelled() {
                session.change(|state| {
                    state.look = SpecAnalysis { pending: false, told: Some(told) };
                });
            }
        };
        // Without a thread there is no look; all else works on.
        let _ = self.runner.start("look", look);
    }

    fn looked(&self, control: &Control) -> Result<SpecFindings> {
        let (file, opened) = self.file()?;
        let treated;
        let source = match is_treated(&file) {
            false => &opened.source,
            true => {
                treated = open_to_look(&file)?;
                &treated
            }
        };
        let standing = standing(&file, &opened, source, control)?;
        let tells = tells(&file, &opened);
        if control.is_cancelled() {
            return Ok(SpecFindings::default());
        }
        // Told at once; whether the goals can be met takes another pass.
        let mut told = SpecFindings { standing, tells, ..SpecFindings::default() };
        // Whoever is asked for a stop may look at the state.
        let cancelled = control.is_cancelled();
        self.change(|state| {
            if state.look.pending && !cancelled {
                state.look.told = Some(told.clone());
            }
        });
        match Job::new(&file, source) {
            Err(error) => told.refused = Some(super::without_lines(error).report()),
            Ok(job) => {
                told.warnings = job.warnings(source);
                match SearchedRun::obstacle(&job, source, control) {
                    Ok(None) => {}
                    Ok(Some(it)) if it.is_certain => told.infeasible = Some(it.why),
                    Ok(Some(it)) => told.doubtful = Some(it.why),
                    Err(error) => told.refused = Some(super::without_lines(error).report()),
                }
            }
        }
        Ok(told)
    }
}

/// Opens the table of a spec as a search would, without making a key that is not there yet.
pub(crate) fn open_to_look(file: &SpecFile) -> Result<Source> {
    let mut file = file.clone();
    file.spec.release.key_file = None;
    open_input(&file)
}

/// Whether columns are treated or renamed as they are read.
fn is_treated(file: &SpecFile) -> bool {
    let mut columns = file.spec.columns.iter();
    columns.any(|column| {
        let zip = column.role == Role::Quasi && column.treat.is_some();
        column.source.is_some() || !column.treatment().is_none() || zip
    })
}

/// Whether the values of a column are released as they are read. What is put in their place is looked at when there is a
/// release.
fn is_released_as_read(column: &ColumnSection) -> bool {
    column.treat.is_none() && column.follows.is_none()
}

/// How many rows stand alone by the quasi-identifiers: what `incrowd risk` counts.
fn standing(
    file: &SpecFile,
    opened: &OpenTable,
    source: &Source,
    control: &Control,
) -> Result<Option<StandingCounts>> {
    let spec = &file.spec;
    let mut quasi: Vec<String> =
        spec.columns_with(Role::Quasi).map(|column| column.name.clone()).collect();
    if quasi.is_empty() {
        return Ok(None);
    }
    // To release a column as it is does not make anybody forget it.
    let guessed = |column: &ColumnSection| {
        let mut found = opened.found.columns.iter();
        found.any(|it| it.name == column.source_name() && Role::from(it.role) == Role::Quasi)
    };
    let known: Vec<String> = spec
        .columns
        .iter()
        .filter(|it| matches!(it.role, Role::Plain | Role::Class))
        .filter(|it| is_released_as_read(it) && it.treatment().is_none() && guessed(it))
        .map(|it| it.name.clone())
        .collect();
    quasi.extend(known.iter().cloned());
    let of_table = |table| FrequencyCounts::of_table(table, &quasi).ok();
    let counts = match (!is_treated(file)).then(|| of_table(&opened.table)).flatten() {
        Some(counts) => counts,
        None => {
            let places: Vec<usize> =
                quasi.iter().map(|name| source.place_of(name)).collect::<Result<_>>()?;
            count_cells(source, &places, control)?
        }
    };
    let rows = counts.rows();
    let sizes = TableClasses::new(counts, &spec.data.missing_tokens()).sizes();
    let (mut unique, mut classes, mut below) = (0, 0, 0);
    for (size, of) in sizes.iter() {
        classes += of;
        unique += if size == 1 { of } else { 0 };
        below += if size < spec.privacy.k { size * of } else { 0 };
    }
    let attack = AttackerRisk::prosecutor(&sizes, 1.0 / spec.privacy.k.max(1) as f64);
    Ok(Some(StandingCounts {
        quasi: quasi.len(),
        known,
        rows,
        unique_rows: unique,
        unique_share: unique as f64 / rows.max(1) as f64,
        classes,
        below_k: below,
        k: spec.privacy.k,
        highest: attack.highest,
        average: attack.average,
    }))
}

/// Which columns that stay as they are tell a quasi-identifier.
fn tells(file: &SpecFile, opened: &OpenTable) -> Vec<Disclosure> {
    let names = opened.names();
    let places = |wanted: &dyn Fn(&ColumnSection) -> bool| -> Vec<usize> {
        let columns = file.spec.columns.iter().filter(|column| wanted(column));
        let found =
            columns.filter_map(|column| names.iter().position(|name| name == column.source_name()));
        found.collect()
    };
    let kept = places(&|column| {
        let roles = [Role::Plain, Role::Sensitive, Role::Class, Role::Undecided];
        roles.contains(&column.role) && is_released_as_read(column)
    });
    tells_of_table(&opened.table, &kept, &places(&|column| column.role == Role::Quasi))
}
