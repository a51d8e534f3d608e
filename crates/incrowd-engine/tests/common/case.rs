//! Random problems over small random tables.

use incrowd_engine::privacy::GroundDistance;
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::{
    Bins, ClassSummary, Domain, DomainKind, DomainRule, HierarchyRule, MISSING_TOKENS,
    NestedHierarchy,
};
use incrowd_engine::{AttributeSpec, Hierarchy, Limit, Model, ProblemSpec, SuppressionMode, Table};
use proptest::prelude::*;
use proptest::sample::select;

use super::{Ladders, rows_of};

/// A random problem and a way to solve it.
#[derive(Clone)]
pub struct Case {
    pub table: Table,
    pub spec: ProblemSpec,
    pub columns: Vec<QuasiColumn>,
    pub method: &'static str,
    pub options: Vec<(&'static str, &'static str)>,
    pub suppressed: SuppressionMode,
}

/// What a test knows of a quasi-identifier without asking the engine.
#[derive(Debug, Clone)]
pub struct QuasiColumn {
    pub name: String,
    pub shape: Shape,
    /// The hierarchy in ARX's form.
    pub ladder: Option<Vec<Vec<String>>>,
    pub weight: f64,
    pub summary: ClassSummary,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    Number,
    Bins(Bins),
    Text,
}

/// What a person needs to see of a case that fails.
impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Case { spec, method, options, suppressed, .. } = self;
        writeln!(
            f,
            "{method} {options:?} {suppressed:?} k={} {:?} {:?}",
            spec.k,
            spec.limit,
            (&spec.models, &spec.narrowing)
        )?;
        for column in &self.columns {
            writeln!(f, "{column:?}")?;
        }
        self.rows().iter().try_for_each(|row| writeln!(f, "{row:?}"))
    }
}

impl Case {
    /// The hierarchies of the quasi-identifiers.
    pub fn ladders(&self) -> Ladders {
        self.columns
            .iter()
            .filter_map(|column| Some((column.name.clone(), column.ladder.clone()?)))
            .collect()
    }

    /// Releases means and medians as ranges instead.
    pub fn show_ranges(&mut self) {
        for (column, spec) in self.columns.iter_mut().zip(&mut self.spec.quasi) {
            if matches!(column.summary, ClassSummary::Mean | ClassSummary::Median) {
                (column.summary, spec.summary) = (ClassSummary::Range, Some(ClassSummary::Range));
            }
        }
    }

    pub fn is_local(&self) -> bool {
        self.method.starts_with("cluster")
            || ["best-local", "cells", "cover", "balanced", "mu-argus", "recode-and-blank"]
                .contains(&self.method)
            || self.options.contains(&("mode", "relaxed"))
    }

    pub fn rows(&self) -> Vec<Vec<String>> {
        rows_of(&self.table)
    }
}

/// How many quasi-identifiers there are at most; every row of a table is made of that many bytes and
/// two more, for the sensitive and the class column.
const MOST: usize = 4;

/// How a column is to be made.
#[derive(Debug, Clone)]
struct Plan {
    make: u8,
    /// How many different values it has at most.
    values: usize,
    /// One row in so many has no value; never for 0.
    missing: u8,
    shuffle: Vec<u8>,
    weight: f64,
    summary: ClassSummary,
}

fn plan() -> impl Strategy<Value = Plan> {
    let summary = prop_oneof![
        6 => Just(ClassSummary::Range),
        2 => Just(ClassSummary::Columns),
        1 => Just(ClassSummary::Mean),
        1 => Just(ClassSummary::Median),
        2 => Just(ClassSummary::Node),
        2 => Just(ClassSummary::Nodes)
    ];
    let shuffle = prop::collection::vec(any::<u8>(), 16);
    (0..8u8, 1..12usize, select(vec![0, 0, 2, 5]), shuffle, select(vec![1.0, 0.5, 3.0]), summary)
        .prop_map(|(make, values, missing, shuffle, weight, summary)| Plan {
            make,
            values,
            missing,
            shuffle,
            weight,
            summary,
        })
}

fn limit() -> impl Strategy<Value = Limit> {
    prop_oneof![
        Just(Limit::Default),
        Just(Limit::All),
        (0..10u64).prop_map(Limit::Rows),
        (0.0..=1.0).prop_map(Limit::Share)
    ]
}

fn model() -> impl Strategy<Value = Model> {
    let distance =
        select(vec![GroundDistance::Equal, GroundDistance::Ordered, GroundDistance::Hierarchical]);
    prop_oneof![
        (1..4u32).prop_map(|l| Model::DistinctL { l }),
        (1.0..3.0).prop_map(|l| Model::EntropyL { l }),
        (select(vec![0.5, 1.0, 2.0, 3.5]), 1..4u32).prop_map(|(c, l)| Model::RecursiveL { c, l }),
        (select(vec![0.0, 0.1, 0.25, 0.5, 1.0]), distance)
            .prop_map(|(t, distance)| Model::TCloseness { t, distance }),
        select(vec![0.4, 0.5, 0.75, 1.0]).prop_map(|alpha| Model::Alpha { alpha }),
        (0.1..3.0).prop_map(|beta| Model::BasicBeta { beta }),
        (0.1..3.0).prop_map(|beta| Model::EnhancedBeta { beta }),
        (0.2..3.0).prop_map(|delta| Model::DeltaDisclosure { delta }),
    ]
}

fn methods() -> impl Strategy<Value = (&'static str, Vec<(&'static str, &'static str)>)> {
    let mondrian = (
        select(vec!["strict", "relaxed"]),
        select(vec!["tree", "order"]),
        select(vec!["auto", "range", "penalty", "entropy"]),
        select(vec!["median", "median", "penalty", "penalty", "purity"]),
        select(vec!["small", "off", "all"]),
    )
        .prop_map(|(mode, along, dimension, cut, ahead)| {
            let options = [("mode", mode), ("along", along), ("dimension", dimension)];
            let more = [("cut", cut), ("look-ahead", ahead)];
            ("mondrian", options.into_iter().chain(more).collect())
        });
    let cluster = (select(vec!["cluster-up", "cluster-down"]), select(vec!["off", "10", "20"]))
        .prop_map(|(method, block)| (method, vec![("block", block)]));
    let best_local = Just(("best-local", vec![("steps", "5")]));
    let few = |steps| vec![(steps, "3"), ("nodes", "300")];
    let cellwise = select(vec![
        ("cells", few("steps")),
        ("cover", few("improve")),
        ("balanced", few("steps")),
    ]);
    let full_domain = select(vec![
        ("datafly", vec![]),
        ("samarati", vec![]),
        ("samarati", vec![("minimal", "all")]),
        ("mingen", vec![]),
        ("incognito", vec![]),
        ("bottom-up", vec![]),
        ("top-down", vec![]),
        ("lattice", vec![("top", "5")]),
    ]);
    let mixed = select(vec!["free", "tree"]).prop_map(|cuts| {
        let few = [("steps", "60"), ("climb", "20"), ("blanking", "3"), ("nodes", "300")];
        ("recode-and-blank", few.into_iter().chain([("cuts", cuts)]).collect())
    });
    let mu_argus = (select(vec!["generalize", "keep"]), select(vec!["off", "1", "3"]))
        .prop_map(|(values, rounds)| ("mu-argus", vec![("values", values), ("rounds", rounds)]));
    let groups = select(vec![
        ("anneal", vec![("steps", "300")]),
        ("anneal", vec![("steps", "200"), ("groups", "intervals")]),
        ("anneal", vec![("steps", "200"), ("groups", "tree"), ("chains", "3")]),
        ("genetic", vec![("steps", "200"), ("population", "10")]),
        ("genetic", vec![("steps", "100"), ("population", "20"), ("cuts", "tree")]),
    ]);
    prop_oneof![3 => mondrian, 2 => cluster, 1 => best_local, 4 => full_domain, 3 => groups,
        1 => mu_argus, 2 => cellwise, 1 => mixed]
}

/// A random case.
pub fn case() -> impl Strategy<Value = Case> {
    (
        prop::collection::vec(prop::array::uniform::<_, { MOST + 2 }>(any::<u8>()), 2..=60),
        prop::collection::vec(plan(), 1..=MOST),
        plan(),
        prop::collection::vec(model(), 0..=2),
        any::<bool>(),
        1..=6u64,
        limit(),
        methods(),
        select(vec![SuppressionMode::Drop, SuppressionMode::Blank]),
    )
        .prop_map(
            |(bytes, plans, sensitive, models, class, k, limit, (method, options), suppressed)| {
                let mut spec = ProblemSpec::new(k.min(bytes.len() as u64));
                spec.limit = limit;
                let mut names = vec!["id".to_owned()];
                let mut rows: Vec<Vec<String>> =
                    (0..bytes.len()).map(|row| vec![format!("r{row}")]).collect();
                let mut columns = Vec::new();
                let mut fill = |at: usize, name: &str, plan: &Plan| {
                    let made = Made::new(name, plan, bytes.iter().map(|row| row[at]));
                    names.push(name.to_owned());
                    rows.iter_mut()
                        .zip(&made.fields)
                        .for_each(|(row, field)| row.push(field.clone()));
                    made
                };
                for (at, plan) in plans.iter().enumerate() {
                    let made = fill(at, &format!("q{at}"), plan);
                    spec.quasi.push(made.spec);
                    columns.push(made.column);
                }
                // Every other one has a hierarchy, and then one for the hierarchical distance too.
                let make = if matches!(sensitive.make, 1 | 2) { 0 } else { sensitive.make };
                let plan = Plan {
                    make,
                    values: sensitive.values.min(5),
                    summary: ClassSummary::Range,
                    ..sensitive
                };
                let mut made = fill(MOST, "sensitive", &plan);
                let has_tree = made.spec.hierarchy.is_some();
                made.spec.weight = 1.0;
                spec.targets.push(made.spec);
                for mut model in models {
                    if let Model::TCloseness { distance, .. } = &mut model
                        && *distance == GroundDistance::Hierarchical
                        && !has_tree
                    {
                        *distance = GroundDistance::Ordered;
                    }
                    spec.models.push(("sensitive".to_owned(), model));
                }
                if class || options.contains(&("cut", "purity")) {
                    let plan = Plan { make: 4, values: 3, missing: 0, ..plan };
                    spec.targets.push(fill(MOST + 1, "class", &plan).spec);
                    spec.class = Some("class".to_owned());
                    if plan.shuffle[0].is_multiple_of(3) {
                        spec.narrowing.push("class".to_owned());
                    }
                }
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let table = Table::from_rows(&names, &rows).expect("rows of one width");
                Case { table, spec, columns, method, options, suppressed }
            },
        )
}

/// A column with all that is known of it.
struct Made {
    fields: Vec<String>,
    spec: AttributeSpec,
    column: QuasiColumn,
}

/// Numbers of all kinds, some spelled in two ways, some that binary fractions cannot hold.
const NUMBERS: [&str; 12] =
    ["1", "2.0", "3", "5", "2", "8.5", "-4", "1e1", "0.1", "0.30000000000000004", "77", "-0.7"];
const WHOLE: [&str; 12] = ["0", "4", "5", "9", "10", "17", "4.0", "23", "1e1", "-3", "41", "30"];
/// Words that a careless reader of labels would mistake for something else.
const WORDS: [&str; 12] =
    ["a", "b", "c", "x,y", "{z}", "d d", "\"q\"", "é", " pad", "[1-2]", "10", "02138"];
const LEAVES: [&str; 12] =
    ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11"];
const MISSING: [&str; 3] = ["?", "NA", ""];

impl Made {
    fn new(name: &str, plan: &Plan, bytes: impl Iterator<Item = u8>) -> Self {
        let (shape, pool) = match plan.make {
            0 => (Shape::Number, NUMBERS),
            1 => (Shape::Bins(Bins { width: 5.0, start: 1.0 }), WHOLE),
            2 => (Shape::Bins(Bins { width: 2.5, start: 0.0 }), NUMBERS),
            3 => (Shape::Number, WHOLE),
            4 => (Shape::Text, WORDS),
            _ => (Shape::Text, LEAVES),
        };
        let fields: Vec<String> = bytes
            .map(|byte| {
                if plan.missing > 0 && byte % plan.missing == 0 {
                    MISSING[byte as usize / 7 % MISSING.len()].to_owned()
                } else {
                    pool[byte as usize % plan.values].to_owned()
                }
            })
            .collect();
        let (hierarchy, ladder) = match plan.make {
            3 => whole_tree(plan, &fields),
            5 => Some(even_tree(plan)),
            6 => Some(uneven_tree(plan)),
            7 => Some(named_missing_tree(plan)),
            _ => None,
        }
        .unzip();
        let plain_numbers = matches!(shape, Shape::Number | Shape::Bins(_)) && ladder.is_none();
        let summary = match plan.summary {
            ClassSummary::Node | ClassSummary::Nodes if ladder.is_none() => ClassSummary::Range,
            // Of numbers the set of nodes is a range.
            ClassSummary::Nodes if shape != Shape::Text => ClassSummary::Range,
            nodes @ (ClassSummary::Node | ClassSummary::Nodes) => nodes,
            summary if plain_numbers => summary,
            _ => ClassSummary::Range,
        };
        let mut spec = AttributeSpec::new(name);
        spec.rule.kind =
            Some(if shape == Shape::Text { DomainKind::Text } else { DomainKind::Number });
        spec.rule.bins = if let Shape::Bins(bins) = shape { Some(bins) } else { None };
        (spec.hierarchy, spec.weight, spec.summary) = (hierarchy, plan.weight, Some(summary));
        let column =
            QuasiColumn { name: name.to_owned(), shape, ladder, weight: plan.weight, summary };
        Made { fields, spec, column }
    }
}

type Tree = (HierarchySource, Vec<Vec<String>>);

/// Whole numbers: intervals by rule, or a tree that does not follow their order.
fn whole_tree(plan: &Plan, fields: &[String]) -> Option<Tree> {
    let mut values: Vec<&str> =
        WHOLE[..plan.values].iter().copied().filter(|v| !v.contains(['.', 'e'])).collect();
    if WHOLE[..plan.values].contains(&"1e1") {
        values.push("10");
    }
    values.sort_unstable();
    values.dedup();
    match plan.shuffle[0] % 3 {
        0 => None,
        1 => {
            let rule = HierarchyRule::Intervals { widths: vec![5.0, 10.0], start: 0.0 };
            // The engine makes the tree from the values that occur; so does the test.
            let number = |text: &str| text.parse::<f64>().ok();
            values.retain(|value| {
                fields.iter().any(|field| number(field).is_some() && number(field) == number(value))
            });
            let values = values.iter().copied().collect();
            let coding =
                Domain::build("whole", &values, &DomainRule::automatic()).expect("numbers");
            let ladder = rule.rows("whole", &coding.domain).expect("whole numbers");
            (!ladder.is_empty()).then_some((HierarchySource::Rule(rule), ladder))
        }
        _ => {
            let group = |at: usize| format!("g{}", plan.shuffle[at] % 3);
            let rows = values
                .iter()
                .enumerate()
                .map(|(at, v)| vec![(*v).to_owned(), group(at), "*".to_owned()]);
            Some(given(rows.collect()))
        }
    }
}

fn given(rows: Vec<Vec<String>>) -> Tree {
    (HierarchySource::Given(Hierarchy::from_rows(&rows).expect("a sound hierarchy")), rows)
}

/// Leaves of one depth, more of them than occur, under a root with or without a name.
fn even_tree(plan: &Plan) -> Tree {
    let levels = 1 + plan.shuffle[0] as usize % 3;
    let top = if plan.shuffle[1].is_multiple_of(2) { "*" } else { "any" };
    let rows = LEAVES.iter().enumerate().map(|(at, leaf)| {
        let mut row = vec![(*leaf).to_owned()];
        let mut group = plan.shuffle[at];
        for level in 1..levels {
            group = group % 4 / level as u8;
            row.push(format!("level{level}-{group}"));
        }
        row.push(top.to_owned());
        row
    });
    given(rows.collect())
}

/// Some leaves right below the root, others two levels further down.
fn uneven_tree(plan: &Plan) -> Tree {
    let leaf = |at: usize| NestedHierarchy::Leaf(LEAVES[at].to_owned());
    let (shallow, deep): (Vec<usize>, Vec<usize>) =
        (0..LEAVES.len()).partition(|&at| plan.shuffle[at].is_multiple_of(3));
    let (one, two): (Vec<usize>, Vec<usize>) =
        deep.into_iter().partition(|&at| plan.shuffle[at].is_multiple_of(2));
    let group = |name: &str, members: Vec<usize>| {
        NestedHierarchy::Group(name.to_owned(), members.into_iter().map(leaf).collect())
    };
    let mut members: Vec<NestedHierarchy> = shallow.into_iter().map(leaf).collect();
    let inner: Vec<NestedHierarchy> = [("one", one), ("two", two)]
        .into_iter()
        .filter(|(_, members)| !members.is_empty())
        .map(|(name, members)| group(name, members))
        .collect();
    if !inner.is_empty() {
        members.push(NestedHierarchy::Group("deep".to_owned(), inner));
    }
    let tree = Hierarchy::from_nested(&NestedHierarchy::Group("*".to_owned(), members));
    let ladder = tree.to_rows();
    (HierarchySource::Given(tree), ladder)
}

/// A hierarchy that knows missing as a value.
fn named_missing_tree(plan: &Plan) -> Tree {
    let token = MISSING[plan.shuffle[0] as usize % 2];
    assert!(MISSING_TOKENS.contains(&token));
    let rows =
        LEAVES.iter().chain([&token]).zip(plan.shuffle.iter()).map(|(leaf, seed)| {
            vec![(*leaf).to_owned(), format!("group{}", seed % 3), "*".to_owned()]
        });
    given(rows.collect())
}
