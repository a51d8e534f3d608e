//! What groups are called in a release, exactly as `apply` calls them.

use incrowd_engine::recoding::GlobalRecoding;
use incrowd_engine::value::{Attribute, ClassSummary, GroupSet};
use incrowd_engine::{
    Error, ErrorKind, FrequencyCounts, Problem, ProblemSpec, Recoding, Release, Result,
    SuppressionMode,
};

/// How an attribute appears in a release.
#[derive(Debug)]
pub(crate) struct AttributeLabels {
    /// The names of its columns: one, or two where groups are released as minimum and maximum.
    pub(crate) names: Vec<String>,
    /// For each group a field per name; an empty field stands for NULL.
    pub(crate) labels: Vec<Vec<String>>,
}

/// Texts that stand for no value in files, and are NULL in a database.
const NO_VALUE: [&str; 2] = ["", "\\N"];

impl AttributeLabels {
    /// How these groups of an attribute are shown.
    pub(crate) fn new(attribute: &Attribute, groups: &GroupSet) -> Result<Self> {
        let mut shown = match attribute.summary {
            ClassSummary::Range | ClassSummary::Node | ClassSummary::Nodes => AttributeLabels {
                names: vec![attribute.name.clone()],
                labels: groups.as_slice().iter().map(|it| vec![attribute.label(it)]).collect(),
            },
            ClassSummary::Columns => ends(attribute, groups)?,
            ClassSummary::Mean | ClassSummary::Median => {
                let what = if attribute.summary == ClassSummary::Mean { "mean" } else { "median" };
                return Err(Error::new(format!(
                    "column `{}` is released as the {what} of each class, which SQL cannot \
                     compute in advance",
                    attribute.name
                ))
                .of_kind(ErrorKind::Method)
                .help(
                    "apply the recoding with `incrowd apply`, or make it with the summary range",
                ));
            }
        };
        for field in shown.labels.iter_mut().flatten() {
            if NO_VALUE.contains(&field.trim()) {
                field.clear();
            }
        }
        Ok(shown)
    }
}

/// Groups as minimum and maximum: what the engine shows of a table with one row in each group.
fn ends(attribute: &Attribute, groups: &GroupSet) -> Result<AttributeLabels> {
    let mut names = Vec::new();
    let mut labels = Vec::new();
    let spec = ProblemSpec::new(1).quasi(&attribute.name);
    for (id, group) in groups.as_slice().iter().enumerate() {
        let (code, _) = attribute.span(group);
        let field = attribute.domain.label(code);
        let counts = FrequencyCounts::from_groups([attribute.name.as_str()], [([field], 1)])?;
        // Whatever its text, a missing value is one here.
        let missing = match attribute.domain.missing_code() {
            Some(missing) if missing == code => vec![field.to_owned()],
            _ => Vec::new(),
        };
        let (problem, _) =
            Problem::for_new_rows(vec![attribute.clone()], &spec, &counts, &missing)?;
        let global = GlobalRecoding {
            groups: vec![groups.clone()],
            maps: vec![vec![id as u32; attribute.domain.len()]],
        };
        let release = Release::new(&problem, &Recoding::Global(global), SuppressionMode::Drop);
        names = release.names(0).to_vec();
        let label = release.labels(0).get(release.label_of(0, 0) as usize);
        labels.push(label.cloned().unwrap_or_default());
    }
    Ok(AttributeLabels { names, labels })
}
