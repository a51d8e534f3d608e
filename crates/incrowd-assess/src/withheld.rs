//! Why rows are suppressed, and what would save them.
//!
//! **What it does.** For a class that a release withholds: the requirement that it fails and by how much, and the
//! cheapest crowd that it could be joined with, which shows what one column less exact would save.
//!
//! **Guarantee.** That a joined crowd passes is checked with the very requirements of the problem. What it costs is the
//! change of the [penalty](incrowd_engine::Metric::Ncp) of the rows of both, by columns, before anything else is changed.
//!
//! **Cost.** One look at every class.

use incrowd_engine::problem::JointTargets;
use incrowd_engine::release::EquivalenceClasses;
use incrowd_engine::value::{Attribute, Group};
use incrowd_engine::{Problem, Release};
use serde::Serialize;

/// A class that is not released.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WithheldClass {
    /// Its number among the classes.
    pub class: usize,
    /// What its rows would show, in the order of the attributes.
    pub labels: Vec<String>,
    /// How many rows it has.
    pub rows: u64,
    /// The requirement that it fails.
    pub fails: String,
}

/// Why a class is withheld.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WithholdingReason {
    /// The class.
    #[serde(flatten)]
    pub of: WithheldClass,
    /// The k that is asked for.
    pub k: u64,
    /// The reason in a sentence.
    pub sentence: String,
    /// The k that would keep it, where k alone is in its way.
    pub kept_at_k: Option<u64>,
    /// What would save it, the cheapest first; at most three.
    pub repairs: Vec<SuggestedMerge>,
}

/// A crowd that a withheld class could be joined with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SuggestedMerge {
    /// The columns that would be less exact.
    pub columns: Vec<String>,
    /// What the joined crowd would show, in the order of the attributes.
    pub labels: Vec<String>,
    /// Rows that are suppressed now and would be released.
    pub saved: u64,
    /// Released rows that would be less exact.
    pub touched: u64,
    /// By how much the penalty of these rows rises in all, in whole rows: 1 is a row that tells nothing.
    pub cost: f64,
    /// The same in a sentence.
    pub sentence: String,
}

/// The classes that a release withholds, those of most rows first, at most so many; and how many there are.
pub fn withheld(problem: &Problem, release: &Release, most: usize) -> (Vec<WithheldClass>, usize) {
    let classes = &release.classes;
    let mut found: Vec<usize> = (0..classes.len()).filter(|&at| !classes.released[at]).collect();
    found.sort_by_key(|&class| (std::cmp::Reverse(classes.sizes[class]), class));
    let all = found.len();
    found.truncate(most);
    (found.into_iter().map(|class| of(problem, release, class)).collect(), all)
}

fn of(problem: &Problem, release: &Release, class: usize) -> WithheldClass {
    let classes = &release.classes;
    let fails = match classes.withheld {
        Some(left_out) if left_out as usize == class => "left out by the method".to_owned(),
        _ => complaint(problem, classes, &[class]).unwrap_or_else(|| "the blank rows".to_owned()),
    };
    WithheldClass {
        class,
        labels: labels(problem, classes, class),
        rows: classes.sizes[class],
        fails,
    }
}

fn labels(problem: &Problem, classes: &EquivalenceClasses, class: usize) -> Vec<String> {
    let groups = groups(classes, class);
    problem.attributes.iter().zip(groups).map(|(attribute, group)| attribute.label(group)).collect()
}

fn groups(classes: &EquivalenceClasses, class: usize) -> impl Iterator<Item = &Group> {
    classes.ids_of(class).iter().zip(&classes.groups).map(|(&id, groups)| groups.get(id))
}

/// The first requirement that classes fail when they are joined.
fn complaint(problem: &Problem, classes: &EquivalenceClasses, joined: &[usize]) -> Option<String> {
    let tally = tally(&problem.targets, classes, joined);
    problem.privacy.complaint(&tally)
}

fn tally(
    targets: &JointTargets,
    classes: &EquivalenceClasses,
    joined: &[usize],
) -> incrowd_engine::privacy::ClassTally {
    let mut all = targets.tally();
    let mut one = targets.tally();
    for &class in joined {
        classes.fill(class, targets, &mut one);
        all.absorb(&one);
    }
    all
}

/// Why a class is withheld, and what would save it; none if it is released, or there is no such class.
pub fn reason(problem: &Problem, release: &Release, class: usize) -> Option<WithholdingReason> {
    let classes = &release.classes;
    if class >= classes.len() || classes.released[class] {
        return None;
    }
    let of = of(problem, release, class);
    let k = problem.privacy.k;
    let tally = tally(&problem.targets, classes, &[class]);
    let crowd = problem.privacy.crowd(&tally);
    let who = if problem.privacy.unit().is_some() { "people" } else { "rows" };
    let left_out = classes.withheld == Some(class as u32);
    let kept_at_k = (!left_out && crowd < k).then_some(crowd).filter(|&crowd| crowd > 0);
    let sentence = if left_out {
        format!(
            "The method suppressed these {} {who}: every class that could take them would \
             have lost more than they save.",
            of.rows
        )
    } else if crowd < k {
        format!(
            "Only {crowd} {who} would look alike here, and k = {k} asks for {k}: {} too few.",
            k - crowd
        )
    } else {
        format!(
            "{crowd} {who} would look alike here, which is enough for k = {k}, but they fail {}.",
            of.fails
        )
    };
    // What the method left out is blank in every column: it could be joined with nothing better than nothing.
    let repairs = if left_out { Vec::new() } else { repairs(problem, classes, class) };
    Some(WithholdingReason { of, k, sentence, kept_at_k, repairs })
}

/// The cheapest crowds to be joined with: the cheapest that differ in one column, each for another column, or the
/// cheapest of all if there are none.
fn repairs(problem: &Problem, classes: &EquivalenceClasses, class: usize) -> Vec<SuggestedMerge> {
    const MOST: usize = 3;
    // So many candidates are looked at closely: the nearest by what differs.
    const CLOSE: usize = 400;
    let own = classes.ids_of(class);
    let differing = |other: usize| -> Vec<usize> {
        let ids = classes.ids_of(other);
        (0..own.len()).filter(|&at| own[at] != ids[at]).collect()
    };
    let blank = |other: usize| classes.withheld == Some(other as u32);
    let mut near: Vec<(usize, usize, usize)> = (0..classes.len())
        .filter(|&other| other != class && !blank(other))
        .map(|other| (differing(other).len(), usize::from(!classes.released[other]), other))
        .collect();
    if near.len() > CLOSE {
        near.select_nth_unstable(CLOSE);
        near.truncate(CLOSE);
    }
    let mut found: Vec<SuggestedMerge> = near
        .into_iter()
        .filter(|&(_, _, other)| complaint(problem, classes, &[class, other]).is_none())
        .map(|(_, _, other)| repair(problem, classes, class, other, &differing(other)))
        .collect();
    let order = |a: &SuggestedMerge, b: &SuggestedMerge| {
        (a.columns.len() > 1).cmp(&(b.columns.len() > 1)).then(a.cost.total_cmp(&b.cost))
    };
    found.sort_by(order);
    let mut chosen: Vec<SuggestedMerge> = Vec::new();
    for repair in found {
        if chosen.len() < MOST && chosen.iter().all(|known| known.columns != repair.columns) {
            chosen.push(repair);
        }
    }
    chosen
}

fn repair(
    problem: &Problem,
    classes: &EquivalenceClasses,
    class: usize,
    other: usize,
    differing: &[usize],
) -> SuggestedMerge {
    let (mut labels, mut cost) = (Vec::new(), 0.0);
    let (gone, there) = (classes.sizes[class], classes.sizes[other]);
    let released = classes.released[other];
    for (at, attribute) in problem.attributes.iter().enumerate() {
        let mine = classes.groups[at].get(classes.ids_of(class)[at]);
        let theirs = classes.groups[at].get(classes.ids_of(other)[at]);
        let joined = joined(attribute, mine, theirs);
        if released {
            cost += there as f64 * (share(attribute, &joined) - share(attribute, theirs));
        }
        labels.push(attribute.label(&joined));
    }
    cost /= problem.attributes.len().max(1) as f64;
    let columns: Vec<String> =
        differing.iter().map(|&at| problem.attributes[at].name.clone()).collect();
    let saved = gone + if released { 0 } else { there };
    let touched = if released { there } else { 0 };
    let coarser = match &columns[..] {
        [only] => format!("`{only}` less exact"),
        several => format!("{} columns less exact", several.len()),
    };
    let with = match touched {
        0 => format!("joined with {there} other suppressed rows, {coarser}"),
        rows => format!("{coarser} in {rows} released rows"),
    };
    let sentence = format!("{saved} rows would be kept: {with}.");
    SuggestedMerge { columns, labels, saved, touched, cost, sentence }
}

/// The narrowest group that holds both.
fn joined(attribute: &Attribute, one: &Group, other: &Group) -> Group {
    if one == other {
        return one.clone();
    }
    if matches!(one, Group::Blank) || matches!(other, Group::Blank) {
        return Group::Blank;
    }
    let (a, b) = (attribute.span(one), attribute.span(other));
    let codes: Vec<u32> = (a.0.min(b.0)..=a.1.max(b.1))
        .filter(|&code| attribute.contains(one, code) || attribute.contains(other, code))
        .collect();
    attribute.group(&codes)
}

/// How much of an attribute a group leaves open, from 0 to 1.
fn share(attribute: &Attribute, group: &Group) -> f64 {
    let all = attribute.domain.len();
    let open = match attribute.is_measured_by_width() && attribute.domain.range() > 0.0 {
        true => attribute.width(group) / attribute.domain.range(),
        false if all > 1 => (attribute.size(group) - 1) as f64 / (all - 1) as f64,
        false => 0.0,
    };
    open.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_engine::recoding::{GlobalRecoding, Recoding};
    use incrowd_engine::{ProblemSpec, SuppressionMode, Table};

    use super::*;

    /// Ages in two decades and a town each; a group of two in a town of its own.
    fn sample() -> (Problem, Release) {
        let mut rows: Vec<[String; 2]> =
            (0..12).map(|at| [(20 + at % 10).to_string(), "north".into()]).collect();
        rows.extend((0..5).map(|at| [(30 + at).to_string(), "south".into()]));
        rows.extend((0..2).map(|at| [(20 + at).to_string(), "south".into()]));
        let table = Table::from_rows(&["age", "town"], &rows).unwrap();
        let problem =
            Problem::of_table(&ProblemSpec::new(3).quasi("age").quasi("town"), &table).unwrap();
        let decade = |attribute: usize, code: u32| {
            let domain = &problem.attributes[attribute].domain;
            if attribute == 1 {
                return Group::Range { first: code, last: code };
            }
            let ten = |code: u32| domain.label(code)[..1].to_owned();
            let same: Vec<u32> =
                (0..domain.len() as u32).filter(|&other| ten(other) == ten(code)).collect();
            Group::Range { first: same[0], last: *same.last().unwrap() }
        };
        let recoding = Recoding::Global(GlobalRecoding::new(&problem.attributes, decade));
        let release = Release::new(&problem, &recoding, SuppressionMode::Drop);
        (problem, release)
    }

    #[test]
    fn a_withheld_class_is_explained_and_repaired() {
        let (problem, release) = sample();
        let (classes, all) = withheld(&problem, &release, 10);
        assert_eq!((classes.len(), all), (1, 1));
        assert_eq!((classes[0].rows, classes[0].fails.as_str()), (2, "k = 3"));
        assert_eq!(classes[0].labels, ["[20-29]", "south"]);
        let why = reason(&problem, &release, classes[0].class).unwrap();
        assert_eq!(why.kept_at_k, Some(2));
        assert!(why.sentence.contains("Only 2 rows"), "{}", why.sentence);
        assert_eq!(why.repairs.len(), 2);
        let columns: Vec<&[String]> =
            why.repairs.iter().map(|repair| &repair.columns[..]).collect();
        assert!(
            columns.contains(&&["age".to_owned()][..])
                && columns.contains(&&["town".to_owned()][..])
        );
        assert!(why.repairs[0].cost <= why.repairs[1].cost);
        assert!(why.repairs.iter().all(|repair| repair.saved == 2 && repair.touched > 0));
    }

    #[test]
    fn what_is_released_needs_no_reason() {
        let (problem, release) = sample();
        let released = release.classes.released().next().unwrap();
        assert!(reason(&problem, &release, released).is_none());
        assert!(reason(&problem, &release, 1_000).is_none());
    }
}
