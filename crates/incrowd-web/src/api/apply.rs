//! New rows for a saved recoding.

use std::path::Path;
use std::sync::Arc;

use incrowd_engine::SuppressionMode;
use incrowd_run::{
    ApplyOptions, Result, UnseenPolicy, apply,
    data::{Input, Order, ReadOptions, Source, fresh_seed, refuse_overwrite},
};
use serde::{Deserialize, Serialize};

use super::{NoFields, done};
use crate::session::{AppliedRecoding, Session};

#[derive(Deserialize)]
pub(super) struct ApplyRequest {
    recoding: String,
    input: String,
    /// Whether rows with values that the recoding has not seen are suppressed; otherwise they are an error.
    #[serde(default)]
    suppress_unseen: bool,
    /// Earlier releases, from which nobody may be told apart.
    #[serde(default)]
    earlier: Vec<String>,
    /// Where the release goes; nothing is written without it.
    #[serde(default)]
    output: Option<String>,
}

/// Begins to apply a saved recoding to new rows.
pub(super) fn begin(session: &Arc<Session>, asked: ApplyRequest) -> Result<NoFields> {
    let recoding = session.root.existing(&asked.recoding)?;
    let input = session.root.existing(&asked.input)?;
    let named = asked.earlier.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    let earlier = named.map(|name| session.root.existing(name)).collect::<Result<Vec<_>>>()?;
    let output = asked.output.filter(|name| !name.trim().is_empty());
    let output = output.map(|name| session.root.target(Path::new(name.trim()))).transpose()?;
    if let Some(output) = &output {
        let taken = [("the recoding", recoding.as_path()), ("the table", input.as_path())];
        refuse_overwrite("the release", output, &taken)?;
        let taken: Vec<_> =
            earlier.iter().map(|path| ("an earlier release", path.as_path())).collect();
        refuse_overwrite("the release", output, &taken)?;
    }
    session.change(|state| state.again = None);
    session.begin(
        "again",
        move |session, control, _| {
            let saved = ApplyOptions::read_recoding(&recoding)?;
            let quasi: Vec<String> = saved.attributes.iter().map(|it| it.name.clone()).collect();
            let application = ApplyOptions {
                recoding: saved,
                unseen: if asked.suppress_unseen {
                    UnseenPolicy::Suppress
                } else {
                    UnseenPolicy::Refuse
                },
                output: output.clone(),
                delimiter: None,
                order: Order::Shuffled { seed: fresh_seed() },
                suppressed: SuppressionMode::Drop,
                earlier: earlier.clone(),
            };
            let source = Source::open(&Input::from(&input), &ReadOptions::default())?;
            let source = application.treated(source)?;
            let report = apply(&application, &source, control)?;
            Ok(AppliedRecoding {
                rows: report.rows,
                released: report.released,
                suppressed: report.suppressed,
                classes: report.classes,
                k: report.k,
                achieved_k: report.achieved_k,
                gcp: report.released_gcp,
                quasi,
                output: output.as_deref().map(|path| session.root.shown(path)),
                holds: report.verdict.as_ref().map(|verdict| verdict.holds),
                warnings: report.warnings.iter().map(ToString::to_string).collect(),
                recoding: report.recoding,
            })
        },
        |state, told| state.again = Some(told),
    )?;
    done()
}

/// What came of it.
#[derive(Serialize)]
pub(super) struct ApplyAnswer {
    told: Option<AppliedRecoding>,
}

pub(super) fn show(session: &Arc<Session>, _: NoFields) -> Result<ApplyAnswer> {
    Ok(ApplyAnswer { told: session.state().again.clone() })
}
