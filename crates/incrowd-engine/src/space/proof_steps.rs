//! The steps of a proof about intervals or levels, as the checker of certificates reads them.

use crate::cost::Metric;
use crate::problem::Problem;
use crate::search::{
    Control, ProofClassColumn, ProofColumn, ProofPrice, ProofQuestion, ProofShape,
};
use crate::value::{Attribute, Domain};

use super::cuts::{Axis, CutDecision, CutSpace};

/// What a step says; the page on certificates has their meaning.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub(crate) enum ProofStep {
    Out = 1,
    In = 2,
    Branch = 3,
    Close = 4,
    Defer = 5,
    Path = 6,
    Keep = 7,
}

/// Steps that wait to be written; a search that writes no proof has none.
#[derive(Debug, Default)]
pub(crate) struct ProofSteps(pub(crate) Vec<u8>);

impl ProofSteps {
    /// Adds a number.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Adds a step without numbers.
    pub(crate) fn step(&mut self, step: ProofStep) {
        self.0.push(step as u8);
    }

    /// Divides the case by a cut.
    pub(crate) fn branch(&mut self, cut: usize) {
        self.step(ProofStep::Branch);
        self.number(cut as u64);
    }

    /// Decides cuts.
    pub(crate) fn decide(&mut self, step: ProofStep, cuts: &[usize]) {
        if !cuts.is_empty() {
            self.step(step);
            self.number(cuts.len() as u64);
            cuts.iter().for_each(|&cut| self.number(cut as u64));
        }
    }
}

/// Begins the proof of a question, if one is wanted and the question can be checked; otherwise the same without a proof.
pub(crate) fn begin(
    control: &Control,
    question: impl FnOnce() -> Option<ProofQuestion>,
) -> Control {
    let begins =
        control.proof().is_some_and(|log| question().is_some_and(|question| log.begin(question)));
    if begins { control.clone() } else { control.without_proof() }
}

/// Whether a proof for the sizes of classes alone says all about a problem, and its metric is one that the checker knows.
fn is_checkable(problem: &Problem, class_values: usize) -> bool {
    let metric = match problem.metric {
        Metric::Dm => true,
        Metric::Cm => class_values <= 2,
        _ => false,
    };
    let privacy = &problem.privacy;
    // The checker reads the values of the table itself.
    let is_single = |attribute: &Attribute| {
        let domain = &attribute.domain;
        let of_table = |code: u32| {
            domain.missing_code() == Some(code)
                || domain.bounds(code).is_none_or(|bounds| bounds.is_point())
        };
        (0..domain.len() as u32).all(of_table)
    };
    metric
        && problem.attributes.iter().all(is_single)
        && privacy.is_by_size()
        && privacy.unit().is_none()
        && problem.population.is_none()
        && !problem.asks_of_whole()
        && problem.rows < 1 << 31
}

fn shown(domain: &Domain, code: u32) -> Option<String> {
    (domain.missing_code() != Some(code)).then(|| domain.label(code).to_owned())
}

/// The question about a problem's releases of a kind; none if it cannot be checked. `profiles` are values by column, rows and
/// rows of the second class value.
fn question(
    problem: &Problem,
    (kind, limit): (&'static str, u64),
    columns: Vec<ProofColumn>,
    mut profiles: Vec<(Vec<u16>, u32, u32)>,
) -> ProofQuestion {
    profiles.sort_unstable();
    let mut bytes = Vec::new();
    for (values, rows, ones) in profiles {
        values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        bytes.extend_from_slice(&rows.to_le_bytes());
        bytes.extend_from_slice(&ones.to_le_bytes());
    }
    let class = problem.class.filter(|_| problem.metric == Metric::Cm).map(|column| {
        let column = &problem.targets.columns[column];
        let codes = 0..column.domain.len() as u32;
        let values = codes.map(|code| shown(&column.domain, code)).collect();
        ProofClassColumn { name: column.name.clone(), values }
    });
    ProofQuestion {
        kind,
        metric: problem.metric.name(),
        k: problem.privacy.k,
        rows: problem.rows,
        limit,
        columns,
        class,
        profiles: bytes,
    }
}

/// The question that a search over cuts answers; none if it cannot be checked.
pub(crate) fn intervals(space: &CutSpace<'_>) -> Option<ProofQuestion> {
    let problem = space.problem;
    if !is_checkable(problem, space.class_values) || space.asks_more_than_size() {
        return None;
    }
    let column = |(axis, attribute): (&Axis, &Attribute)| {
        let settled = |wanted: CutDecision| {
            (1..axis.values()).filter(|&at| axis.settled(at) == wanted).collect()
        };
        let domain = &attribute.domain;
        let bin =
            |value: usize| axis.codes(value..value + 1).map(|code| shown(domain, code)).collect();
        ProofColumn {
            name: attribute.name.clone(),
            values: (0..axis.values()).map(bin).collect(),
            shape: match axis.nodes() {
                Some(nodes) => ProofShape::Nodes(nodes.to_vec()),
                None if axis.begins_with_missing() => ProofShape::FirstAloneOrAll,
                None => ProofShape::Free,
            },
            made: settled(CutDecision::In),
            refused: settled(CutDecision::Out),
            ..ProofColumn::default()
        }
    };
    let columns = space.axes.iter().zip(&problem.attributes).map(column).collect();
    let profile = |cell: usize| {
        let values = space.values.iter().map(|axis| axis[cell]).collect();
        let ones = match space.class_values {
            2 => space.class_counts[2 * cell + 1],
            _ => 0,
        };
        (values, space.counts[cell], ones)
    };
    let profiles = (0..space.cells()).map(profile).collect();
    Some(question(problem, ("intervals", space.limit), columns, profiles))
}

/// The question about all groupings of a problem's rows; none if it cannot be checked. `parts` says what the whole of an
/// attribute costs, in parts of 2^40 of a suppressed row.
pub(crate) fn groups(problem: &Problem, parts: impl Fn(usize) -> u64) -> Option<ProofQuestion> {
    let fits = |attribute: &Attribute| {
        let domain = &attribute.domain;
        domain.len() < usize::from(u16::MAX)
            && domain.missing_code().is_none()
            && attribute.hierarchy.is_none()
            && (!domain.is_numeric()
                || (0..domain.len() as u32).all(|it| is_plain(domain.label(it))))
    };
    let privacy = &problem.privacy;
    // What is asked beyond k excludes groupings and adds none.
    if problem.metric != Metric::Ncp
        || privacy.unit().is_some()
        || problem.rows >= 1 << 31
        || !problem.attributes.iter().all(fits)
    {
        return None;
    }
    let column = |(at, attribute): (usize, &Attribute)| {
        let domain = &attribute.domain;
        let by = if domain.is_numeric() { "range" } else { "set" };
        ProofColumn {
            name: attribute.name.clone(),
            values: (0..domain.len() as u32).map(|code| vec![shown(domain, code)]).collect(),
            price: Some(ProofPrice { by, whole: parts(at) }),
            ..ProofColumn::default()
        }
    };
    let columns = problem.attributes.iter().enumerate().map(column).collect();
    let cells = &problem.cells;
    let profile = |cell: usize| {
        let width = problem.attributes.len();
        let values = (0..width).map(|at| cells.code(at, cell) as u16).collect();
        (values, cells.counts()[cell] as u32, 0)
    };
    let profiles = (0..cells.len()).map(profile).collect();
    let limit = problem.limit.rows(problem.rows, 0);
    Some(question(problem, ("groups", limit), columns, profiles))
}

/// Whether a number is written with digits and at most one point alone.
fn is_plain(label: &str) -> bool {
    let digits = label.strip_prefix('-').unwrap_or(label);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all(whole) && all(fraction) && label.len() < 20
}

/// The question that a search over levels answers, with the groups of each attribute's levels; none if it cannot be checked.
pub(crate) fn levels(
    problem: &Problem,
    limit: u64,
    levels: Vec<Vec<Vec<u32>>>,
) -> Option<ProofQuestion> {
    let class = problem.class.filter(|_| problem.metric == Metric::Cm);
    let class_values = class.map_or(0, |column| problem.targets.columns[column].domain.len());
    let fits = |attribute: &Attribute| attribute.domain.len() < usize::from(u16::MAX);
    if !is_checkable(problem, class_values) || !problem.attributes.iter().all(fits) {
        return None;
    }
    let column = |(attribute, levels): (&Attribute, Vec<Vec<u32>>)| ProofColumn {
        name: attribute.name.clone(),
        values: (0..attribute.domain.len() as u32)
            .map(|code| vec![shown(&attribute.domain, code)])
            .collect(),
        levels,
        ..ProofColumn::default()
    };
    let columns = problem.attributes.iter().zip(levels).map(column).collect();
    let cells = &problem.cells;
    let profile = |cell: usize| {
        let width = problem.attributes.len();
        let values = (0..width).map(|at| cells.code(at, cell) as u16).collect();
        let is_one = |&&(label, _): &&(u32, u64)| {
            class.is_some_and(|column| problem.targets.of(label)[column] == 1)
        };
        let ones: u64 = cells.targets(cell).iter().filter(is_one).map(|target| target.1).sum();
        (values, cells.counts()[cell] as u32, ones as u32)
    };
    let profiles = (0..cells.len()).map(profile).collect();
    Some(question(problem, ("levels", limit), columns, profiles))
}
