//! Random tables for the searches over cut sets, by the thousand, and all that a test knows of them.

use std::ops::RangeInclusive;

use incrowd_engine::privacy::GroundDistance;
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::{AttributeSpec, Hierarchy, Limit, Metric, Model, ProblemSpec, Table};
use incrowd_testing::SeededRng;

/// How large a table is to be.
#[derive(Debug, Clone)]
pub struct Size {
    pub rows: RangeInclusive<usize>,
    pub attributes: RangeInclusive<usize>,
    /// The cuts of all attributes together; there are fewer where values do not occur.
    pub cuts: RangeInclusive<usize>,
    /// The most cuts of an attribute.
    pub most: usize,
    /// How many more cuts the first attribute has.
    pub first: usize,
    pub k: RangeInclusive<usize>,
}

/// Everything small, of every kind.
pub const SMALL: Size =
    Size { rows: 4..=40, attributes: 1..=4, cuts: 2..=10, most: 7, first: 0, k: 1..=8 };

/// As many cut sets as brute force can go through a few hundred times.
pub const MIDDLE: Size =
    Size { rows: 20..=80, attributes: 2..=5, cuts: 11..=16, most: 8, first: 0, k: 2..=12 };

/// One attribute with many values, so that the others' cuts are few.
pub const LONG: Size =
    Size { rows: 60..=400, attributes: 3..=6, cuts: 7..=14, most: 14, first: 9, k: 2..=30 };

/// Mostly out of reach for brute force.
pub const LARGE: Size =
    Size { rows: 60..=400, attributes: 3..=6, cuts: 15..=40, most: 11, first: 0, k: 2..=30 };

/// The most values of the class and of the sensitive column.
pub const LABELS: usize = 4;

/// A row: for each attribute the place of its value in the order, and its labels.
#[derive(Debug, Clone)]
pub struct Row {
    pub values: Vec<u8>,
    pub class: u8,
    pub sensitive: u8,
}

/// What a test knows of an attribute without asking the engine.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The values that occur, in order.
    pub values: Vec<String>,
    /// Whether the first value is missing, and no hierarchy names it.
    pub missing: bool,
    /// The numbers that the values are, unless they have a hierarchy.
    pub numbers: Option<Vec<f64>>,
    /// The hierarchy in ARX's form, in whatever order.
    pub ladder: Option<Vec<Vec<String>>>,
    pub weight: f64,
    /// Cuts demanded and refused: the place of the first value beyond the cut.
    pub settled: Vec<(usize, bool)>,
}

/// A random table and what is asked of it.
#[derive(Clone)]
pub struct Sample {
    pub seed: u64,
    pub axes: Vec<Axis>,
    pub rows: Vec<Row>,
    pub k: u32,
    pub metric: Metric,
    /// The most rows that may be suppressed.
    pub limit: usize,
    pub model: Option<Model>,
    /// Whether attributes with a hierarchy are cut along its nodes only.
    pub along_tree: bool,
    pub table: Table,
    pub spec: ProblemSpec,
}

/// What a person needs to see of a table that fails.
impl std::fmt::Debug for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Sample { seed, k, metric, limit, model, along_tree, .. } = self;
        writeln!(f, "seed {seed}: {metric:?} k={k} limit={limit} {model:?} tree={along_tree}")?;
        for axis in &self.axes {
            writeln!(f, "{axis:?}")?;
        }
        super::rows_of(&self.table).iter().try_for_each(|row| writeln!(f, "{}", row.join(" ")))
    }
}

impl Sample {
    pub fn new(seed: u64, size: &Size) -> Self {
        let mut dice = SeededRng::new(seed);
        let number = dice.within(&size.rows);
        let mut rows = vec![Row { values: Vec::new(), class: 0, sensitive: 0 }; number];
        let k = dice.within(&(*size.k.start()..=*size.k.end().min(&number)));
        let mut spec = ProblemSpec::new(k as u64).class("class");
        let (mut names, mut columns, mut axes) = (Vec::new(), Vec::new(), Vec::new());
        let mut before: Option<(Vec<usize>, usize)> = None;
        for (at, values) in plans(&mut dice, size).into_iter().enumerate() {
            let drawn = draw(&mut dice, values, number, before.as_ref());
            names.push(format!("q{at}"));
            let (axis, column, fields) = column(&mut dice, &names[at], values, &drawn);
            for (row, field) in rows.iter_mut().zip(&fields) {
                let place = axis.values.iter().position(|value| value == field);
                row.values.push(place.unwrap() as u8);
            }
            axes.push(axis);
            spec.quasi.push(column);
            columns.push(fields);
            before = Some((drawn, values));
        }
        for name in ["class", "sensitive"] {
            names.push(name.to_owned());
            columns.push(label(&mut dice, &axes, &mut rows, name == "class"));
        }
        let hierarchies = axes.iter().any(|axis: &Axis| axis.ladder.is_some());
        let (model, limit) = ask(&mut dice, &mut spec, number, hierarchies);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let fields: Vec<Vec<&str>> = (0..number)
            .map(|row| columns.iter().map(|column| column[row].as_str()).collect())
            .collect();
        let table = Table::from_rows(&names, &fields).unwrap();
        let (metric, along_tree) = (spec.metric, dice.chance(40));
        Sample { seed, axes, rows, k: k as u32, metric, limit, model, along_tree, table, spec }
    }

    /// The options of the provers that the sample speaks of.
    /// Whether a class that fails may be suppressed although parts of it might pass.
    pub fn suppresses_what_may_pass(&self) -> bool {
        self.limit > 0 && !matches!(self.model, None | Some(Model::DistinctL { .. }))
    }

    pub fn options(&self) -> Vec<(&'static str, &'static str)> {
        if self.along_tree { vec![("cuts", "tree")] } else { Vec::new() }
    }
}

/// The class or the sensitive column: to some degree what an attribute says.
fn label(dice: &mut SeededRng, axes: &[Axis], rows: &mut [Row], is_class: bool) -> Vec<String> {
    let (values, axis) = (1 + dice.below(LABELS), dice.below(axes.len()));
    let (faith, of) = (dice.pick(&[0, 40, 70, 90]), axes[axis].values.len());
    let labels: Vec<usize> = rows
        .iter()
        .map(|row| {
            if dice.chance(faith) {
                usize::from(row.values[axis]) * values / of
            } else {
                dice.below(values).min(dice.below(values))
            }
        })
        .collect();
    // Only labels that occur have a place in the order.
    let mut known = labels.clone();
    known.sort_unstable();
    known.dedup();
    for (row, label) in rows.iter_mut().zip(&labels) {
        let place = known.partition_point(|known| known < label) as u8;
        *(if is_class { &mut row.class } else { &mut row.sensitive }) = place;
    }
    labels.iter().map(|label| format!("l{label}")).collect()
}

/// Larger tables take long where bounds are weak.
const FEW_ROWS: usize = 59;

/// Puts metric, limit and model into a spec; returns the model, and the limit as a number of rows.
fn ask(
    dice: &mut SeededRng,
    spec: &mut ProblemSpec,
    rows: usize,
    hierarchies: bool,
) -> (Option<Model>, usize) {
    spec.metric = match dice.below(20) {
        0..7 => Metric::Dm,
        7..14 => Metric::Cm,
        14..16 => Metric::Ncp,
        16..18 => Metric::Loss,
        18 => Metric::Entropy,
        _ if hierarchies => Metric::Precision,
        _ => Metric::Ncp,
    };
    let model = match dice.below(10) {
        0 | 1 => Some(Model::DistinctL { l: 2 + dice.below(2) as u32 }),
        9 => Some(Model::EachValue { k: spec.k as u32 }),
        2 => Some(Model::Alpha { alpha: dice.pick(&[0.5, 0.7, 0.9]) }),
        3 => Some(Model::TCloseness {
            t: dice.pick(&[0.1, 0.2, 0.35]),
            distance: dice.pick(&[GroundDistance::Equal, GroundDistance::Ordered]),
        }),
        _ => None,
    };
    // Where a failing class can have passing parts, bounds are weak unless nothing is suppressed.
    let is_weak = !matches!(model, None | Some(Model::DistinctL { .. })) && rows > FEW_ROWS;
    spec.limit = match dice.below(8) {
        _ if is_weak => Limit::Rows(0),
        0 | 1 => Limit::Rows(0),
        2 => Limit::Rows(dice.below(8) as u64),
        3 => Limit::Share(dice.pick(&[0.05, 0.2, 0.5])),
        4 | 5 => Limit::All,
        6 => Limit::Rows(rows as u64 + 1),
        _ => Limit::Default,
    };
    let asked = std::mem::replace(spec, ProblemSpec::new(1));
    *spec = match model {
        None => asked,
        // What k counts for whoever knows the column.
        Some(Model::EachValue { .. }) => asked.narrowing("sensitive"),
        Some(model) => asked.sensitive("sensitive", model),
    };
    let limit = match spec.limit {
        Limit::Rows(limit) => rows.min(limit as usize),
        Limit::Share(share) => (share * rows as f64 + 1e-9).floor() as usize,
        Limit::All | Limit::Default => rows,
    };
    (model, limit)
}

/// How many values each attribute is to have.
fn plans(dice: &mut SeededRng, size: &Size) -> Vec<usize> {
    let mut plans = vec![1; dice.within(&size.attributes)];
    plans[0] += size.first;
    let most = plans.len() * size.most - size.first;
    for _ in 0..dice.within(&size.cuts).min(most) {
        let open: Vec<usize> = (0..plans.len()).filter(|&at| plans[at] <= size.most).collect();
        let at = dice.pick(&open);
        plans[at] += 1;
    }
    plans
}

/// For each row the number of a value: even or skewed, of its own or following the attribute before.
fn draw(
    dice: &mut SeededRng,
    values: usize,
    rows: usize,
    before: Option<&(Vec<usize>, usize)>,
) -> Vec<usize> {
    let (skew, following) = (dice.below(4), dice.pick(&[0, 0, 40, 80]));
    (0..rows)
        .map(|row| match before {
            Some((drawn, of)) if dice.chance(following) => drawn[row] * values / of,
            _ => match skew {
                0 => dice.below(values),
                1 => dice.below(values).min(dice.below(values)),
                2 => dice.below(values).max(dice.below(values)).max(dice.below(values)),
                _ => {
                    if dice.chance(60) {
                        values / 2
                    } else {
                        dice.below(values)
                    }
                }
            },
        })
        .collect()
}

/// A column out of the numbers of its values.
fn column(
    dice: &mut SeededRng,
    name: &str,
    values: usize,
    drawn: &[usize],
) -> (Axis, AttributeSpec, Vec<String>) {
    let mut spec = AttributeSpec::new(name);
    spec.weight = dice.pick(&[1.0, 1.0, 0.5, 3.0]);
    let kind = dice.below(6);
    let mut number = dice.below(20) as f64 - 10.0;
    let mut labels: Vec<String> = (0..values)
        .map(|value| {
            number += dice.pick(&[0.5, 1.0, 1.0, 2.0, 7.0]);
            if matches!(kind, 0 | 1 | 5) { number.to_string() } else { format!("t{value:02}") }
        })
        .collect();
    // One of the values is missing; never that of the first row, so that there are others.
    let missing = (values > 1 && dice.chance(25))
        .then(|| dice.below(values))
        .filter(|&value| value != drawn[0]);
    if let Some(value) = missing {
        labels[value] = MISSING.to_owned();
    }
    let mut order = labels.clone();
    order.retain(|label| label != MISSING);
    let mut ladder = None;
    let mut named = false;
    match kind {
        0..=2 => {}
        3 => {
            dice.shuffle(&mut order);
            order.push("t-none".to_owned());
            spec.rule.order = Some(order.clone());
        }
        _ => {
            named = missing.is_some() && dice.chance(40);
            let rows = random_ladder(dice, &order, named);
            order = preorder(&rows);
            spec.hierarchy = Some(HierarchySource::Given(Hierarchy::from_rows(&rows).unwrap()));
            spec.summary = Some(incrowd_engine::value::ClassSummary::Range);
            ladder = Some(rows);
        }
    }
    let fields: Vec<String> = drawn.iter().map(|&value| labels[value].clone()).collect();
    if missing.is_some() && !named {
        order.insert(0, MISSING.to_owned());
    }
    order.retain(|label| fields.contains(label));
    let missing = order[0] == MISSING && !named;
    let numbers = (ladder.is_none() && kind < 2)
        .then(|| order.iter().map(|label| label.parse().unwrap_or(f64::NAN)).collect());
    let mut axis =
        Axis { values: order, missing, numbers, ladder, weight: spec.weight, settled: Vec::new() };
    settle(dice, &mut axis, &mut spec);
    (axis, spec, fields)
}

const MISSING: &str = "?";

/// Demands some cuts and refuses others, now and then.
fn settle(dice: &mut SeededRng, axis: &mut Axis, spec: &mut AttributeSpec) {
    let share = dice.pick(&[0, 0, 0, 10, 40]);
    for place in 1..axis.values.len() {
        if dice.chance(share) {
            let made = dice.chance(50);
            // Before the first value that is not missing there is nothing to cut.
            if place > usize::from(axis.missing) {
                axis.settled.push((place, made));
            }
            let below = axis.numbers.as_ref().map(|numbers| (numbers[place - 1], numbers[place]));
            let value = match below {
                // Any number between the two values means the same cut.
                Some((low, high)) if low.is_finite() => (low + (high - low) / 2.0).to_string(),
                _ => axis.values[place].clone(),
            };
            spec.cuts.push((value, made));
        }
    }
}

/// Up to two levels of groups under one root, over more values than occur.
fn random_ladder(dice: &mut SeededRng, values: &[String], named: bool) -> Vec<Vec<String>> {
    let (groups, levels) = (1 + dice.below(5), 1 + dice.below(3));
    let mut leaves = values.to_vec();
    leaves.extend((0..dice.below(3)).map(|leaf| format!("{}", 500 + leaf)));
    if named {
        leaves.push(MISSING.to_owned());
    }
    dice.shuffle(&mut leaves);
    leaves
        .into_iter()
        .map(|leaf| {
            let group = dice.below(groups);
            let mut row = vec![leaf];
            if levels > 1 {
                row.push(format!("group {group}"));
            }
            if levels > 2 {
                row.push(format!("part {}", group % 2));
            }
            row.push("*".to_owned());
            row
        })
        .collect()
}

/// The leaves as they stand in the tree: children in order of first appearance.
fn preorder(ladder: &[Vec<String>]) -> Vec<String> {
    let first = |level: usize, label: &String| ladder.iter().position(|row| row[level] == *label);
    let mut rows: Vec<&Vec<String>> = ladder.iter().collect();
    rows.sort_by_key(|row| {
        (0..row.len()).rev().map(|level| first(level, &row[level])).collect::<Vec<_>>()
    });
    rows.iter().map(|row| row[0].clone()).collect()
}
