//! mu-Argus.
//!
//! **What it does**: columns are in three sets: Most identifying, More identifying, Identifying. Columns with a
//! hierarchy are generalized until each of their values occurs k times, and further where rounds are
//! asked for. Then pairs of columns with one in Most or More, and triples with one in Most and a second in Most
//! or More, are tested: a combination of values that fewer than k rows share is outlying. In every row
//! values are blanked until no outlying combination is left, always the value in most of them, Most
//! before More before Identifying where several are.
//! **Guarantee**: none of its own, for only pairs and triples are tested: four values together can still
//! single a person out. `repair` blanks further values until every requirement holds; without it, rows
//! that fail are suppressed like those of any method.
//! **Cost**: a pass over the distinct rows for every pair and triple of columns.
//! **Example**: twelve people by race, year of birth, gender and ZIP at k = 2, with birth in Most, ZIP and
//! gender in More: one person loses the year of birth, one that and the gender.
//! **Reference**: Hundepool and Willenborg, *mu- and tau-Argus: software for statistical disclosure control*
//! (1996), as told by Sweeney, *Datafly* (1997).

mod outliers;
mod repair;

use crate::kit::{Result, words};
use crate::problem::Problem;
use crate::recoding::{BoxAssignment, BoxSet, ProfileShare, Recoding};
use crate::search::{Control, Solution, StopReason};
use crate::value::{ArgusSet, Attribute, BLANK, Group, GroupSet};

use super::algorithm::{Algorithm, MethodInfo};
use super::options::{OptionInfo, OptionValues};
use super::recoding_model::RecodingModel;
use super::settings::{NamedChoice, settings};
use outliers::outliers;

const VALUES: OptionInfo = OptionInfo {
    name: "values",
    values: OptionValues::Words(RareValues::NAMES),
    about: "generalize columns with a hierarchy until each of their values occurs k times, or keep them",
};

const ROUNDS: OptionInfo = OptionInfo {
    name: "rounds",
    values: OptionValues::Number { default: 0, least: 1, most: 1000, off: Some("off") },
    about: "so many times at most, generalize the column in most outlying combinations by a level",
};

const REPAIR: OptionInfo = OptionInfo {
    name: "repair",
    values: OptionValues::Words(bool::NAMES),
    about: "blank further values until k holds, or leave rows that fail (they are suppressed)",
};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "mu-argus",
    about: "blank values in rare pairs and triples, most identifying columns first (Hundepool 1996)",
    family: RecodingModel::CellSuppression,
    recoding: "cellwise",
    options: MuArgus::OPTIONS,
    heeds_levels: true,
    heeds_cuts: false,
    heeds_wildcards: false,
    counts_beyond_32_bits: false,
    proves_risks: false,
};

/// The blank is every column's first group.
const BLANKED: u32 = 0;

/// From this share of pairs of rows that a column tells apart on, it is taken to be Most identifying where
/// nobody says what it is.
const MOST_FROM: f64 = 0.95;
/// And from this on More identifying.
const MORE_FROM: f64 = 0.75;

/// What becomes of values that fewer than k rows have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RareValues {
    /// Columns with a hierarchy are generalized until each of their values occurs k times.
    #[default]
    Generalize,
    /// They are kept.
    Keep,
}

impl NamedChoice for RareValues {
    const NAMES: &'static [&'static str] = &["generalize", "keep"];
    const CHOICES: &'static [Self] = &[RareValues::Generalize, RareValues::Keep];
}

settings! {
    /// Hundepool and Willenborg's mu-Argus.
    pub struct MuArgus {
        /// What becomes of values that fewer than k rows have.
        values: RareValues = VALUES,
        /// How often the column in most outlying combinations is generalized by a level; 0 for never.
        rounds: u64 = ROUNDS,
        /// Whether further values are blanked until every requirement holds.
        repair: bool = REPAIR,
    }
}

/// The distinct rows as released: a group of each column, [`BLANKED`] or not.
struct ArgusRows {
    groups: Vec<GroupSet>,
    /// Groups by cell, one for each column.
    ids: Vec<u32>,
}

impl ArgusRows {
    /// The rows at these levels, nothing blank but what is so general.
    fn at_levels(problem: &Problem, levels: &[u32]) -> Self {
        let width = levels.len();
        let mut ids = vec![0; problem.cells.len() * width];
        let mut groups = Vec::with_capacity(width);
        for (at, (attribute, &level)) in problem.attributes.iter().zip(levels).enumerate() {
            let mut known = GroupSet::new();
            known.intern(blank(attribute));
            let map: Vec<u32> = (0..attribute.domain.len() as u32)
                .map(|code| known.intern(attribute.shown(&attribute.at_level(code, level))))
                .collect();
            for cell in 0..problem.cells.len() {
                ids[cell * width + at] = map[problem.cells.code(at, cell) as usize];
            }
            groups.push(known);
        }
        ArgusRows { groups, ids }
    }

    fn width(&self) -> usize {
        self.groups.len()
    }

    fn of(&self, cell: usize) -> &[u32] {
        &self.ids[cell * self.width()..(cell + 1) * self.width()]
    }

    /// How many rows of each column are blank.
    fn blanks(&self, problem: &Problem) -> Vec<u64> {
        let mut blanks = vec![0; self.width()];
        for (ids, &count) in self.ids.chunks(self.width()).zip(problem.cells.counts()) {
            for (blanks, _) in blanks.iter_mut().zip(ids).filter(|(_, id)| **id == BLANKED) {
                *blanks += count;
            }
        }
        blanks
    }

    /// A box for every distinct row, those with the fewest blanks first, so that new rows go into the box
    /// that tells most.
    fn recoding(&self, problem: &Problem) -> Recoding {
        let mut order: Vec<usize> = (0..problem.cells.len()).collect();
        let blanks = |cell: usize| self.of(cell).iter().filter(|id| **id == BLANKED).count();
        order.sort_by(|&a, &b| (blanks(a), self.of(a)).cmp(&(blanks(b), self.of(b))));
        let mut boxes = BoxSet::new(self.width());
        let mut box_of = vec![0; problem.cells.len()];
        let mut last = None;
        for cell in order {
            if last != Some(self.of(cell)) {
                let groups = self.of(cell).iter().zip(&self.groups);
                boxes.push(groups.map(|(&id, groups)| groups.get(id).clone()));
                last = Some(self.of(cell));
            }
            box_of[cell] = boxes.len() as u32 - 1;
        }
        let mut shares = Vec::with_capacity(problem.cells.len());
        for (at, &class) in box_of.iter().enumerate() {
            let cell = at as u32;
            let labels = problem.cells.targets(at);
            if problem.cells.has_targets() {
                let share = |&(label, count): &(u32, u64)| ProfileShare {
                    cell,
                    target: label,
                    class,
                    count,
                };
                shares.extend(labels.iter().map(share));
            } else {
                shares.push(ProfileShare {
                    cell,
                    target: 0,
                    class,
                    count: problem.cells.counts()[at],
                });
            }
        }
        shares.sort_unstable_by_key(|share| (share.cell, share.target));
        Recoding::Cellwise(BoxAssignment { boxes, shares, narrowing: None })
    }
}

impl Algorithm for MuArgus {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        if let Some(complaint) = problem.privacy.complaint(&problem.whole()) {
            let why = format!("even the whole table as one class fails {complaint}");
            return Ok(Solution::infeasible(why, 1));
        }
        let (sets, mut notes) = sets(problem);
        let mut levels: Vec<u32> = problem
            .attributes
            .iter()
            .map(|attribute| *attribute.allowed_levels().start())
            .collect();
        if self.values == RareValues::Generalize {
            generalize_rare_values(problem, &mut levels);
        }
        let mut tested = 0;
        let mut rounds = 0;
        let (mut rows, found) = loop {
            let rows = ArgusRows::at_levels(problem, &levels);
            let found = match outliers(problem, &rows, &sets, control) {
                Ok(found) => found,
                Err(reason) => return Ok(Solution::stopped(reason, None, tested)),
            };
            tested += found.combinations() as u64;
            let next =
                found.most_involved(&sets, |at| can_rise(&problem.attributes[at], levels[at]));
            match next {
                Some(at) if u64::from(rounds) < self.rounds => levels[at] += 1,
                _ => break (rows, found),
            }
            rounds += 1;
        };
        notes.extend(levels_in_words(problem, &levels, rounds));
        notes.push(found.in_words(problem));
        let general = rows.blanks(problem);
        found.suppress(&mut rows, &sets);
        let suppressed = rows.blanks(problem);
        notes.push(blanks_in_words(problem, "mu-Argus blanked", &general, &suppressed));
        let mut stopped = None;
        let failing = repair::failing_rows(problem, &rows);
        notes.push(match failing {
            0 => "only pairs and triples were tested, yet every requirement holds here".to_owned(),
            failing => format!(
                "only pairs and triples were tested, so that {} still fail; {}",
                words::count(failing, "row", "rows"),
                if self.repair {
                    "further values were blanked"
                } else {
                    "they were left as they are"
                }
            ),
        });
        if self.repair && failing > 0 {
            stopped = repair::repair(problem, &mut rows, &sets, control);
            let repaired = rows.blanks(problem);
            notes.push(blanks_in_words(problem, "the repair blanked", &suppressed, &repaired));
        }
        // What is not repaired yet when it is stopped is suppressed.
        let solution = Solution::feasible(rows.recoding(problem), tested).stopped_by(stopped);
        Ok(Solution { notes, ..solution })
    }
}

/// What a blanked value of a column is: the root of its hierarchy where that reads the same, so that what is
/// generalized to the top and what is blanked are one.
fn blank(attribute: &Attribute) -> Group {
    match &attribute.hierarchy {
        Some(tree)
            if tree.label(tree.root()) == BLANK && attribute.domain.missing_code().is_none() =>
        {
            Group::Node(tree.root())
        }
        _ => Group::Blank,
    }
}

/// The set of each column, and a note where they were not given.
fn sets(problem: &Problem) -> (Vec<ArgusSet>, Vec<String>) {
    let attributes = &problem.attributes;
    if attributes.iter().any(|attribute| attribute.argus.is_some()) {
        let given = |attribute: &Attribute| attribute.argus.unwrap_or(ArgusSet::Identifying);
        return (attributes.iter().map(given).collect(), Vec::new());
    }
    let separations: Vec<f64> = (0..attributes.len()).map(|at| separation(problem, at)).collect();
    let highest = separations.iter().copied().fold(0.0, f64::max);
    let sets: Vec<ArgusSet> = separations
        .iter()
        .map(|&separation| match separation {
            _ if separation >= MOST_FROM || separation == highest => ArgusSet::Most,
            _ if separation >= MORE_FROM => ArgusSet::More,
            _ => ArgusSet::Identifying,
        })
        .collect();
    let told = [ArgusSet::Most, ArgusSet::More, ArgusSet::Identifying].map(|set| {
        let names: Vec<&str> = attributes
            .iter()
            .zip(&sets)
            .filter(|(_, of)| **of == set)
            .map(|(attribute, _)| attribute.name.as_str())
            .collect();
        format!(
            "{} = {}",
            set.name(),
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        )
    });
    let note = format!(
        "no column is in a set, so columns were ranked by their separation (as `inspect` \
         shows it): {}",
        told.join("; ")
    );
    (sets, vec![note])
}

/// The share of pairs of rows that a column tells apart.
fn separation(problem: &Problem, at: usize) -> f64 {
    let mut rows = vec![0u64; problem.attributes[at].domain.len()];
    for (cell, &count) in problem.cells.counts().iter().enumerate() {
        rows[problem.cells.code(at, cell) as usize] += count;
    }
    let pairs = |rows: u64| rows as f64 * (rows as f64 - 1.0);
    let all = pairs(problem.rows);
    let alike: f64 = rows.iter().map(|&rows| pairs(rows).max(0.0)).sum();
    if all > 0.0 { 1.0 - alike / all } else { 0.0 }
}

/// Whether a column can be generalized by a level without losing all it says.
fn can_rise(attribute: &Attribute, level: u32) -> bool {
    attribute.tree().is_some()
        && level + 1 < attribute.levels()
        && level < *attribute.allowed_levels().end()
}

/// Generalizes every column that has a hierarchy until each of its values occurs k times. Missing values do
/// not count: no level but the last makes them more.
fn generalize_rare_values(problem: &Problem, levels: &mut [u32]) {
    for (at, attribute) in problem.attributes.iter().enumerate() {
        let mut rows_of = vec![0u64; attribute.domain.len()];
        for (cell, &count) in problem.cells.counts().iter().enumerate() {
            rows_of[problem.cells.code(at, cell) as usize] += count;
        }
        while can_rise(attribute, levels[at]) {
            let mut groups = GroupSet::new();
            let mut rows: Vec<u64> = Vec::new();
            for (code, &count) in rows_of.iter().enumerate() {
                let code = code as u32;
                if attribute.domain.missing_code() == Some(code) {
                    continue;
                }
                let id = groups.intern(attribute.at_level(code, levels[at])) as usize;
                rows.resize(rows.len().max(id + 1), 0);
                rows[id] += count;
            }
            if rows.iter().all(|&rows| rows >= problem.privacy.k) {
                break;
            }
            levels[at] += 1;
        }
    }
}

/// Which columns were generalized, if any.
fn levels_in_words(problem: &Problem, levels: &[u32], rounds: u32) -> Option<String> {
    let raised: Vec<String> = problem
        .attributes
        .iter()
        .zip(levels)
        .filter(|(_, level)| **level > 0)
        .map(|(attribute, level)| format!("{} to level {level}", attribute.name))
        .collect();
    if raised.is_empty() {
        return None;
    }
    let rounds = match rounds {
        0 => String::new(),
        rounds => format!(
            ", {} of it for outlying combinations",
            words::count(rounds.into(), "level", "levels")
        ),
    };
    Some(format!("generalized first: {}{rounds}", raised.join(", ")))
}

/// How many values of each column became blank between two counts.
fn blanks_in_words(problem: &Problem, what: &str, before: &[u64], after: &[u64]) -> String {
    let total: u64 = after.iter().sum::<u64>() - before.iter().sum::<u64>();
    let columns: Vec<String> = problem
        .attributes
        .iter()
        .zip(before.iter().zip(after))
        .filter(|(_, (before, after))| after > before)
        .map(|(attribute, (before, after))| {
            format!("{} {}", attribute.name, words::thousands(after - before))
        })
        .collect();
    let columns =
        if columns.is_empty() { String::new() } else { format!(": {}", columns.join(", ")) };
    format!("{what} {}{columns}", words::count(total, "value", "values"))
}

/// What a search that was stopped returns.
type StopResult<T> = std::result::Result<T, StopReason>;
