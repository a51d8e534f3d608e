//! The algorithms and their registry.
//!
//! An algorithm is one file that nobody but this registry imports. What the registry says of it (name,
//! what it does, its options) drives the command line, its help and the docs alike.

mod anneal;
mod balanced;
mod best_local;
mod cells;
mod climb;
mod cluster;
mod cover;
mod family;
mod genetic;
mod handle;
mod k_optimize;
mod lattice;
mod mondrian;
mod mu_argus;
mod optimal;

use crate::kit::{Error, Result, words};
use crate::problem::Problem;
use crate::search::{Control, Solution};
use crate::space::cuts::CutRules;
use crate::value::Attribute;

pub use anneal::{Anneal, GroupsOf};
pub use balanced::Balanced;
pub use best_local::BestLocal;
pub use cells::CellSuppression;
pub use climb::{Climb, Moves};
pub use cluster::{Cluster, Direction};
pub use cover::Cover;
pub use family::Family;
pub use genetic::Genetic;
pub use handle::{Incumbent, SearchHandle};
pub use k_optimize::KOptimize;
pub use lattice::{
    BottomUp, Datafly, FrontierOf, Incognito, LatticeSearch, MinGen, Samarati, TopDown,
};
pub use mondrian::Mondrian;
pub use mu_argus::MuArgus;
pub use optimal::Optimal;

/// A way to solve a problem.
pub trait Algorithm {
    /// Searches until it is done or the control says stop.
    fn solve(&self, problem: &Problem, control: &Control) -> Result<Solution>;
}

/// An option of an algorithm, as the registry describes it.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// What it can be.
    pub values: OptionValues,
    /// What it does, in a line.
    pub about: &'static str,
}

/// What an option can be.
#[derive(Debug, Clone, Copy)]
pub enum OptionValues {
    /// One of these words, the default first.
    Words(&'static [&'static str]),
    /// A whole number, or the word for none.
    Number {
        /// What it is if it is not given.
        default: u64,
        /// The least.
        least: u64,
        /// The most.
        most: u64,
        /// A word that stands for 0: `off`.
        off: Option<&'static str>,
    },
    /// A share from 0 to 1, or a percentage.
    Share {
        /// What it is if it is not given.
        default: f64,
    },
}

/// Where attributes with a hierarchy may be cut, for the methods that search cut sets.
const CUTS: OptionInfo = OptionInfo {
    name: "cuts",
    values: OptionValues::Words(&["free", "tree"]),
    about: "cut attributes that have a hierarchy anywhere in its order, or along its nodes only",
};

/// Automatic bins, for the methods that search cut sets.
const BINS: OptionInfo = OptionInfo {
    name: "bins",
    values: OptionValues::Number { default: 128, least: 2, most: 1024, off: Some("off") },
    about: "attributes with more values are put into so many bins of equally many rows first",
};

/// How long to search, in steps.
const fn steps(default: u64) -> OptionInfo {
    OptionInfo {
        name: "steps",
        values: OptionValues::Number { default, least: 1, most: u64::MAX, off: Some("off") },
        about: "how many steps to make; off: until the time limit or Ctrl-C",
    }
}

/// The seed of a search.
const fn search_seed(name: &'static str) -> OptionInfo {
    OptionInfo {
        name,
        values: OptionValues::Number { default: 1, least: 0, most: u64::MAX, off: None },
        about: "what the random choices come from: the same seed gives the same result",
    }
}

/// What a search says that found nothing within the limit, though there may be something.
fn nothing_found(problem: &Problem, excess: u64, steps: u64) -> Solution {
    let limit = problem.limit.rows(problem.rows, 0);
    let why = format!(
        "the search met no grouping that suppresses at most {} (the nearest would suppress {} more); there \
         may be one all the same",
        words::count(limit, "row", "rows"),
        words::thousands(excess)
    );
    Solution::infeasible(why, steps)
}

/// When a proof is good enough.
const GAP: OptionInfo = OptionInfo {
    name: "gap",
    values: OptionValues::Share { default: 0.0 },
    about: "end when at most this share of the cost could still be saved, such as 1%",
};

/// An algorithm, as the registry describes it.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// Its name on the command line and in spec files.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// The kind of recoding it returns.
    pub recoding: &'static str,
    /// Its options.
    pub options: &'static [OptionInfo],
}

/// The algorithms, by name.
pub const METHODS: &[MethodInfo] = &[
    mondrian::INFO,
    cluster::UP,
    cluster::DOWN,
    best_local::INFO,
    lattice::DATAFLY,
    lattice::SAMARATI,
    lattice::MINGEN,
    lattice::INCOGNITO,
    lattice::BOTTOM_UP,
    lattice::TOP_DOWN,
    lattice::LATTICE,
    optimal::INFO,
    k_optimize::INFO,
    climb::INFO,
    anneal::INFO,
    genetic::INFO,
    mu_argus::INFO,
    cells::INFO,
    cover::INFO,
    balanced::INFO,
];

/// One of the algorithms with its options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// See [`Mondrian`].
    Mondrian(Mondrian),
    /// See [`Cluster`].
    Cluster(Cluster),
    /// See [`Datafly`].
    Datafly(Datafly),
    /// See [`Samarati`].
    Samarati(Samarati),
    /// See [`MinGen`].
    MinGen(MinGen),
    /// See [`Incognito`].
    Incognito(Incognito),
    /// See [`BottomUp`].
    BottomUp(BottomUp),
    /// See [`TopDown`].
    TopDown(TopDown),
    /// See [`LatticeSearch`].
    Lattice(LatticeSearch),
    /// See [`Optimal`].
    Optimal(Optimal),
    /// See [`KOptimize`].
    KOptimize(KOptimize),
    /// See [`Climb`].
    Climb(Climb),
    /// See [`Anneal`].
    Anneal(Anneal),
    /// See [`Genetic`].
    Genetic(Genetic),
    /// See [`BestLocal`].
    BestLocal(BestLocal),
    /// See [`MuArgus`].
    MuArgus(MuArgus),
    /// See [`CellSuppression`].
    Cells(CellSuppression),
    /// See [`Cover`].
    Cover(Cover),
    /// See [`Balanced`].
    Balanced(Balanced),
}

impl Method {
    /// The algorithm of that name, with options by name.
    ///
    /// ```
    /// use incrowd::Method;
    /// assert!(Method::new("mondrian", &[("mode", "relaxed")]).is_ok());
    /// let error = Method::new("mondrian", &[("mode", "lax")]).unwrap_err();
    /// assert_eq!(error.message, "the option \"mode\" of mondrian cannot be \"lax\"");
    /// ```
    pub fn new(name: &str, options: &[(&str, &str)]) -> Result<Self> {
        let Some(info) = METHODS.iter().find(|info| info.name == name) else {
            let names: Vec<&str> = METHODS.iter().map(|info| info.name).collect();
            return Err(Error::new(format!("there is no method {name:?}"))
                .help(format!("the methods are {}", words::list(&names))));
        };
        for &(option, value) in options {
            let Some(known) = info.options.iter().find(|known| known.name == option) else {
                let names: Vec<&str> = info.options.iter().map(|known| known.name).collect();
                let help = if names.is_empty() {
                    format!("{name} has no options")
                } else {
                    format!("its options are {}", words::list(&names))
                };
                return Err(Error::new(format!("{name} has no option {option:?}")).help(help));
            };
            known.check(name, value)?;
        }
        let given = Given { info, options };
        Ok(match name {
            "cluster-up" => Method::Cluster(given.cluster(Direction::Up)),
            "cluster-down" => Method::Cluster(given.cluster(Direction::Down)),
            "datafly" => Method::Datafly(Datafly),
            "samarati" => Method::Samarati(Samarati {
                all: given.word("minimal") == "all",
                most_nodes: given.number("most-nodes"),
            }),
            "mingen" => Method::MinGen(MinGen {
                by_metric: given.word("distortion") == "metric",
                top: given.number("top") as usize,
                most_nodes: given.number("most-nodes"),
            }),
            "incognito" => Method::Incognito(Incognito {
                top: given.number("top") as usize,
                most_nodes: given.number("most-nodes"),
            }),
            "bottom-up" => Method::BottomUp(BottomUp),
            "top-down" => Method::TopDown(TopDown),
            "lattice" => Method::Lattice(LatticeSearch {
                top: given.number("top") as usize,
                frontier: match given.word("frontier") {
                    "standard" => FrontierOf::Standard,
                    "all" => FrontierOf::All,
                    _ => FrontierOf::Nothing,
                },
                gap: given.share("gap"),
            }),
            "optimal" => {
                Method::Optimal(Optimal { rules: given.cut_rules(), gap: given.share("gap") })
            }
            "k-optimize" => Method::KOptimize(KOptimize { rules: given.cut_rules() }),
            "climb" => Method::Climb(Climb {
                rules: given.cut_rules(),
                moves: match given.word("moves") {
                    "two-phase" => Moves::TwoPhase,
                    _ => Moves::Exact,
                },
                steps: given.steps(),
                seed: given.number("climb-seed"),
            }),
            "anneal" => Method::Anneal(Anneal {
                groups: GroupsOf::from_name(given.word("groups")),
                most_values: given.number("bins") as usize,
                chains: given.number("chains"),
                hot: given.share("hot"),
                cold: given.share("cold"),
                steps: given.steps(),
                seed: given.number("anneal-seed"),
            }),
            "genetic" => Method::Genetic(Genetic {
                rules: given.cut_rules(),
                population: given.number("population") as usize,
                mutation: given.share("mutation"),
                steps: given.steps(),
                seed: given.number("genetic-seed"),
            }),
            "best-local" => Method::BestLocal(BestLocal {
                steps: given.number("steps"),
                seed: given.number("search-seed"),
            }),
            "mu-argus" => Method::MuArgus(MuArgus {
                generalize_values: given.word("values") == "generalize",
                rounds: given.number("rounds") as u32,
                repair: given.word("repair") == "on",
            }),
            "cells" => Method::Cells(CellSuppression {
                steps: given.number("steps"),
                seed: given.number("search-seed"),
                nodes: given.number("nodes"),
                any: given.word("crowd") == "any",
            }),
            "cover" => Method::Cover(Cover {
                improve: given.number("improve"),
                seed: given.number("search-seed"),
                nodes: given.number("nodes"),
            }),
            "balanced" => Method::Balanced(Balanced {
                steps: given.number("steps"),
                seed: given.number("search-seed"),
                nodes: given.number("nodes"),
            }),
            _ => Method::Mondrian(Mondrian::from_options(|name| given.word(name))),
        })
    }

    /// What the registry says of it.
    pub fn info(&self) -> &'static MethodInfo {
        match self {
            Method::Mondrian(_) => &mondrian::INFO,
            Method::Cluster(Cluster { direction: Direction::Up, .. }) => &cluster::UP,
            Method::Cluster(Cluster { direction: Direction::Down, .. }) => &cluster::DOWN,
            Method::Datafly(_) => &lattice::DATAFLY,
            Method::Samarati(_) => &lattice::SAMARATI,
            Method::MinGen(_) => &lattice::MINGEN,
            Method::Incognito(_) => &lattice::INCOGNITO,
            Method::BottomUp(_) => &lattice::BOTTOM_UP,
            Method::TopDown(_) => &lattice::TOP_DOWN,
            Method::Lattice(_) => &lattice::LATTICE,
            Method::Optimal(_) => &optimal::INFO,
            Method::KOptimize(_) => &k_optimize::INFO,
            Method::Climb(_) => &climb::INFO,
            Method::Anneal(_) => &anneal::INFO,
            Method::Genetic(_) => &genetic::INFO,
            Method::BestLocal(_) => &best_local::INFO,
            Method::MuArgus(_) => &mu_argus::INFO,
            Method::Cells(_) => &cells::INFO,
            Method::Cover(_) => &cover::INFO,
            Method::Balanced(_) => &balanced::INFO,
        }
    }

    /// What it may cut or put into bins beforehand, if it is a method that searches cut sets or groups.
    pub fn cut_rules(&self) -> Option<CutRules> {
        match self {
            Method::Anneal(anneal) => Some(anneal.rules()),
            Method::Genetic(genetic) => Some(genetic.rules),
            Method::Optimal(optimal) => Some(optimal.rules),
            Method::KOptimize(k_optimize) => Some(k_optimize.rules),
            Method::Climb(climb) => Some(climb.rules),
            _ => None,
        }
    }

    /// Refuses cuts that are demanded or refused of these columns, unless it searches cut sets: other
    /// methods would pass over them in silence.
    pub fn check_cuts<'a>(&self, columns: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let any_groups = matches!(self, Method::Anneal(Anneal { groups: GroupsOf::Any, .. }));
        let heeded = self.cut_rules().is_some() && !any_groups;
        let Some(column) = columns.into_iter().next().filter(|_| !heeded) else {
            return Ok(());
        };
        let name = self.info().name;
        Err(Error::new(format!(
            "cuts are demanded or refused of column {column:?}, which {name} cannot heed"
        ))
        .help("choose the method optimal, or leave out the cuts"))
    }
}

impl Method {
    /// Whether it releases values at the levels of hierarchies, so that levels can be limited.
    fn heeds_levels(&self) -> bool {
        !matches!(
            self,
            Method::Mondrian(_)
                | Method::Cluster(_)
                | Method::BestLocal(_)
                | Method::Optimal(_)
                | Method::KOptimize(_)
                | Method::Climb(_)
                | Method::Anneal(_)
                | Method::Genetic(_)
                | Method::Cells(_)
                | Method::Cover(_)
                | Method::Balanced(_)
        )
    }

    /// Refuses limits on the levels of these columns unless it heeds them.
    pub fn check_levels<'a>(&self, columns: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let Some(column) = columns.into_iter().next().filter(|_| !self.heeds_levels()) else {
            return Ok(());
        };
        let name = self.info().name;
        Err(Error::new(format!(
            "the levels of column {column:?} are limited, which {name} cannot heed"
        ))
        .help("choose the method lattice, or leave out the limits"))
    }
}

impl Method {
    /// Refuses the weaker reading, in which a blank matches anything, unless it has a use for it.
    pub fn check_wildcards(&self, wildcards: bool) -> Result<()> {
        if !wildcards || matches!(self, Method::Cells(_)) {
            return Ok(());
        }
        let name = self.info().name;
        Err(Error::new(format!(
            "{name} gives the strict guarantee, in which a blank is a value: it has no use for wildcards"
        ))
        .help("choose the method cells, or leave out wildcards"))
    }
}

impl Method {
    /// Refuses more rows than it can count: all but mondrian hold rows or cells in 32 bits.
    fn check_rows(&self, rows: u64) -> Result<()> {
        if rows <= u64::from(u32::MAX) || matches!(self, Method::Mondrian(_)) {
            return Ok(());
        }
        let (name, rows) = (self.info().name, words::thousands(rows));
        Err(Error::new(format!("{name} cannot hold a table of {rows} rows"))
            .help("choose the method mondrian, or split the table and anonymize each part"))
    }
}

impl Algorithm for Method {
    fn solve(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        let named = |is_so: fn(&Attribute) -> bool| {
            let attributes = problem.attributes.iter().filter(move |attribute| is_so(attribute));
            attributes.map(|attribute| attribute.name.as_str())
        };
        self.check_cuts(named(|attribute| !attribute.cuts.is_empty()))?;
        self.check_levels(named(|attribute| attribute.limits.is_some()))?;
        self.check_wildcards(problem.privacy.wildcards)?;
        self.check_rows(problem.rows)?;
        let mut solution = match self {
            Method::Mondrian(mondrian) => mondrian.solve(problem, control),
            Method::Cluster(cluster) => cluster.solve(problem, control),
            Method::Datafly(datafly) => datafly.solve(problem, control),
            Method::Samarati(samarati) => samarati.solve(problem, control),
            Method::MinGen(mingen) => mingen.solve(problem, control),
            Method::Incognito(incognito) => incognito.solve(problem, control),
            Method::BottomUp(bottom_up) => bottom_up.solve(problem, control),
            Method::TopDown(top_down) => top_down.solve(problem, control),
            Method::Lattice(lattice) => lattice.solve(problem, control),
            Method::Optimal(optimal) => optimal.solve(problem, control),
            Method::KOptimize(k_optimize) => k_optimize.solve(problem, control),
            Method::Climb(climb) => climb.solve(problem, control),
            Method::Anneal(anneal) => anneal.solve(problem, control),
            Method::Genetic(genetic) => genetic.solve(problem, control),
            Method::BestLocal(best_local) => best_local.solve(problem, control),
            Method::MuArgus(mu_argus) => mu_argus.solve(problem, control),
            Method::Cells(cells) => cells.solve(problem, control),
            Method::Cover(cover) => cover.solve(problem, control),
            Method::Balanced(balanced) => balanced.solve(problem, control),
        }?;
        if let Some(rules) = self.cut_rules() {
            solution.notes.extend(rules.notes(problem)?);
        }
        Ok(solution)
    }
}

impl OptionInfo {
    fn check(&self, method: &str, value: &str) -> Result<()> {
        let help = match self.values {
            OptionValues::Words(words) if words.contains(&value) => return Ok(()),
            OptionValues::Words(words) => format!("it can be {}", words::list(words)),
            OptionValues::Number { least, most, off, .. } => {
                if off == Some(value)
                    || value.parse().is_ok_and(|number: u64| (least..=most).contains(&number))
                {
                    return Ok(());
                }
                let off = off.map_or(String::new(), |off| format!(", or {off}"));
                format!("it is a whole number from {least} to {most}{off}")
            }
            OptionValues::Share { .. } if share(value).is_some() => return Ok(()),
            OptionValues::Share { .. } => "it is a share such as 0.01 or 1%".to_owned(),
        };
        let name = self.name;
        Err(Error::new(format!("the option {name:?} of {method} cannot be {value:?}")).help(help))
    }
}

/// A share from 0 to 1, as a number or a percentage.
fn share(text: &str) -> Option<f64> {
    let share = match text.strip_suffix('%') {
        Some(percent) => crate::value::parse_number(percent.trim())? / 100.0,
        None => crate::value::parse_number(text)?,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

/// Options as given, with the registry's defaults behind them; their values have been checked.
struct Given<'a> {
    info: &'static MethodInfo,
    options: &'a [(&'a str, &'a str)],
}

impl<'a> Given<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        self.options.iter().find(|(option, _)| *option == name).map(|(_, value)| *value)
    }

    fn values(&self, name: &str) -> Option<OptionValues> {
        self.info.options.iter().find(|option| option.name == name).map(|option| option.values)
    }

    fn word(&self, name: &str) -> &'a str {
        match (self.text(name), self.values(name)) {
            (Some(text), _) => text,
            (None, Some(OptionValues::Words(words))) => words.first().copied().unwrap_or(""),
            _ => "",
        }
    }

    fn number(&self, name: &str) -> u64 {
        match (self.text(name), self.values(name)) {
            (Some(text), _) => text.parse().unwrap_or(0),
            (None, Some(OptionValues::Number { default, .. })) => default,
            _ => 0,
        }
    }

    /// How many steps to make, if there is an end to them.
    fn steps(&self) -> Option<u64> {
        Some(self.number("steps")).filter(|&steps| steps > 0)
    }

    fn share(&self, name: &str) -> f64 {
        match (self.text(name), self.values(name)) {
            (Some(text), _) => share(text).unwrap_or(0.0),
            (None, Some(OptionValues::Share { default })) => default,
            _ => 0.0,
        }
    }

    fn cluster(&self, direction: Direction) -> Cluster {
        let block = self.number("block") as usize;
        Cluster { direction, block, seed: self.number("cluster-seed") }
    }

    fn cut_rules(&self) -> CutRules {
        CutRules {
            along_tree: self.word("cuts") == "tree",
            most_values: self.number("bins") as usize,
        }
    }
}
