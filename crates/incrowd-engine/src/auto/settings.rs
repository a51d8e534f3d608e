//! What the choice of a method can be told, and what it says of itself.

use super::release_kind::{ReleaseKind, SearchEffort};
use crate::kit::{Error, ErrorKind, Result};
use crate::method::{METHODS, MethodInfo, OptionInfo, OptionValues, RecodingModel, Settings};

const KIND: OptionInfo = OptionInfo {
    name: "kind",
    values: OptionValues::Words(&ReleaseKind::NAMES),
    about: "the kind of release: groups of each crowd's own, the same groups in every row, hierarchy \
            levels, blank cells, or groups and blank cells",
};

const EFFORT: OptionInfo = OptionInfo {
    name: "effort",
    values: OptionValues::Words(&["normal", "quick", "thorough"]),
    about: "how hard to search, counted in steps",
};

/// What the registry would say of the choice of a kind.
const fn info(kind: ReleaseKind) -> MethodInfo {
    let (family, recoding) = match kind {
        ReleaseKind::Local => (RecodingModel::Multidimensional, "local"),
        ReleaseKind::Global => (RecodingModel::SingleDimensional, "global"),
        ReleaseKind::Levels => (RecodingModel::FullDomain, "global"),
        ReleaseKind::Cells => (RecodingModel::CellSuppression, "cellwise"),
        ReleaseKind::Mixed => (RecodingModel::RecodingWithBlanks, "mixed"),
    };
    MethodInfo {
        name: AutoMethod::NAME,
        about: "the method that suits the kind of release, the table and the effort",
        family,
        recoding,
        options: &[KIND, EFFORT],
        heeds_levels: matches!(kind, ReleaseKind::Levels),
        heeds_cuts: matches!(kind, ReleaseKind::Global | ReleaseKind::Mixed),
        heeds_wildcards: matches!(kind, ReleaseKind::Cells | ReleaseKind::Mixed),
        counts_beyond_32_bits: matches!(kind, ReleaseKind::Local),
        proves_risks: false,
    }
}

pub(super) static INFOS: [MethodInfo; 5] = [
    info(ReleaseKind::Local),
    info(ReleaseKind::Global),
    info(ReleaseKind::Levels),
    info(ReleaseKind::Cells),
    info(ReleaseKind::Mixed),
];

/// A method chosen by the kind of release, the table and the effort.
///
/// ```
/// use incrowd_engine::{Algorithm, Control, Problem, ProblemSpec, Table};
/// use incrowd_engine::auto::{AutoMethod, ReleaseKind};
/// let rows: Vec<[String; 1]> = (0..40).map(|age| [age.to_string()]).collect();
/// let table = Table::from_rows(&["age"], &rows)?;
/// let problem = Problem::of_table(&ProblemSpec::new(5).quasi("age"), &table)?;
/// let solution = AutoMethod::default().kind(ReleaseKind::Global).solve(&problem, &Control::new())?;
/// assert!(solution.chosen.is_some_and(|chosen| chosen.name == "climb"));
/// # Ok::<(), incrowd_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AutoMethod {
    /// The kind of release.
    pub kind: ReleaseKind,
    /// How hard to search.
    pub effort: SearchEffort,
}

impl AutoMethod {
    /// The name in place of a method's.
    pub const NAME: &'static str = "auto";

    /// The same for another kind of release.
    #[must_use]
    pub fn kind(self, kind: ReleaseKind) -> Self {
        AutoMethod { kind, ..self }
    }

    /// The same with another effort.
    #[must_use]
    pub fn effort(self, effort: SearchEffort) -> Self {
        AutoMethod { effort, ..self }
    }

    /// Reads options by name.
    pub fn new(options: &[(&str, &str)]) -> Result<Self> {
        let mut auto = AutoMethod::default();
        for &(name, value) in options {
            let cannot = |option: &OptionInfo| {
                Error::new(format!("the {name} cannot be {value:?}"))
                    .help(format!("it is one of {}", option.values.to_string().replace('|', ", ")))
            };
            match name {
                "kind" => auto.kind = ReleaseKind::from_name(value).ok_or_else(|| cannot(&KIND))?,
                "effort" => {
                    auto.effort = SearchEffort::from_name(value).ok_or_else(|| cannot(&EFFORT))?
                }
                _ => return Err(foreign(name)),
            }
        }
        Ok(auto)
    }

    /// Refuses demands that this kind of release cannot heed, and names the kind that can.
    pub(super) fn check_cuts(self, column: Option<&str>) -> Result<()> {
        let heeds = matches!(self.kind, ReleaseKind::Global | ReleaseKind::Mixed);
        let Some(column) = column.filter(|_| !heeds) else {
            return Ok(());
        };
        Err(self.cannot(
            format!("cuts of column {column:?} are required or forbidden"),
            ReleaseKind::Global,
            "the cuts",
        ))
    }

    pub(super) fn check_wildcards(self, wildcards: bool) -> Result<()> {
        if !wildcards || matches!(self.kind, ReleaseKind::Cells | ReleaseKind::Mixed) {
            return Ok(());
        }
        Err(self.cannot("wildcards are asked for".to_owned(), ReleaseKind::Cells, "wildcards"))
    }

    pub(super) fn check_levels(self, column: Option<&str>) -> Result<()> {
        let Some(column) = column.filter(|_| self.kind != ReleaseKind::Levels) else {
            return Ok(());
        };
        Err(self.cannot(
            format!("the levels of column {column:?} are limited"),
            ReleaseKind::Levels,
            "the limits",
        ))
    }

    fn cannot(self, what: String, kind: ReleaseKind, demand: &str) -> Error {
        Error::new(format!("{what}, which releases of the kind {} do not support", self.kind))
            .of_kind(ErrorKind::Method)
            .help(format!("choose the kind {kind} (--kind {kind}), or leave out {demand}"))
    }
}

/// An option of a method, which auto does not take.
fn foreign(option: &str) -> Error {
    let of = METHODS.iter().filter(|info| info.options.iter().any(|own| own.name == option));
    let owners: Vec<&str> = of.map(|info| info.name).collect();
    match owners.first() {
        None => Error::new(format!("auto has no option {option:?}")).help(
            "its options are kind and effort; `incrowd methods` lists those of other methods",
        ),
        Some(first) => Error::new(format!(
            "{option:?} is an option of {}, but the method is chosen automatically",
            crate::kit::words::list(&owners)
        ))
        .help(format!("name the method, such as -m {first}, or leave the option out")),
    }
}

impl Settings for AutoMethod {
    fn options(&self) -> Vec<(&'static str, String)> {
        vec![(KIND.name, self.kind.name().to_owned()), (EFFORT.name, self.effort.name().to_owned())]
    }
}
