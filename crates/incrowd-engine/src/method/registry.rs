//! The registry: every algorithm there is, in one list.

use super::algorithm::{Algorithm, MethodInfo};
use super::options::{GivenOptions, check_options};
use super::recoding_model::RecodingModel;
use super::settings::Settings;
use super::{
    anneal, balanced, best_local, cells, climb, cluster, cover, genetic, k_optimize, lattice,
    mondrian, mu_argus, optimal, recode_and_blank, same_box,
};
use crate::kit::{Error, Result, words};
use crate::problem::Problem;
use crate::search::{Control, Solution};
use crate::space::cuts::CutRules;

/// Makes the registry of `Variant(settings) = what is said of each method with such settings`.
macro_rules! methods {
    ($($variant:ident($settings:path) = [$($info:path),+],)+) => {
        /// One of the algorithms with its options.
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[non_exhaustive]
        pub enum Method {
            $(
                #[doc = concat!("See [`", stringify!($variant), "`](crate::method::", stringify!($variant), ").")]
                $variant($settings),
            )+
        }

        $(
            impl From<$settings> for Method {
                fn from(settings: $settings) -> Self {
                    Method::$variant(settings)
                }
            }
        )+

        /// The algorithms, by name.
        pub const METHODS: &[MethodInfo] = &[$($($info),+),+];

        impl Method {
            /// The algorithm of that name with options that have been checked.
            fn given(given: &GivenOptions<'_>) -> Option<Self> {
                $(
                    if [$($info.name),+].contains(&given.method) {
                        return Some(<$settings>::given(given).into());
                    }
                )+
                None
            }

            /// The algorithm itself.
            fn algorithm(&self) -> &dyn Algorithm {
                match self {
                    $(Method::$variant(settings) => settings,)+
                }
            }
        }
    };
}

methods! {
    Mondrian(mondrian::Mondrian) = [mondrian::INFO],
    Cluster(cluster::Cluster) = [cluster::UP, cluster::DOWN],
    BestLocal(best_local::BestLocal) = [best_local::INFO],
    SameBox(same_box::SameBox) = [same_box::INFO],
    Datafly(lattice::Datafly) = [lattice::DATAFLY],
    Samarati(lattice::Samarati) = [lattice::SAMARATI],
    MinGen(lattice::MinGen) = [lattice::MINGEN],
    Incognito(lattice::Incognito) = [lattice::INCOGNITO],
    BottomUp(lattice::BottomUp) = [lattice::BOTTOM_UP],
    TopDown(lattice::TopDown) = [lattice::TOP_DOWN],
    Lattice(lattice::Lattice) = [lattice::LATTICE],
    Optimal(optimal::Optimal) = [optimal::INFO],
    KOptimize(k_optimize::KOptimize) = [k_optimize::INFO],
    Climb(climb::Climb) = [climb::INFO],
    Anneal(anneal::Anneal) = [anneal::INFO],
    Genetic(genetic::Genetic) = [genetic::INFO],
    MuArgus(mu_argus::MuArgus) = [mu_argus::INFO],
    CellSuppression(cells::CellSuppression) = [cells::INFO],
    Cover(cover::Cover) = [cover::INFO],
    BalancedSuppression(balanced::BalancedSuppression) = [balanced::INFO],
    RecodeAndBlank(recode_and_blank::RecodeAndBlank) = [recode_and_blank::INFO],
}

impl Method {
    /// The algorithm of that name, with options by name.
    ///
    /// ```
    /// use incrowd_engine::Method;
    /// assert!(Method::new("mondrian", &[("mode", "relaxed")]).is_ok());
    /// let error = Method::new("mondrian", &[("mode", "lax")]).unwrap_err();
    /// assert_eq!(error.message, "the option \"mode\" of mondrian cannot be \"lax\"");
    /// ```
    pub fn new(name: &str, options: &[(&str, &str)]) -> Result<Self> {
        let unknown = || {
            let names: Vec<&str> = METHODS.iter().map(|info| info.name).collect();
            Error::new(format!("there is no method {name:?}"))
                .help(format!("the methods are {}", words::list(&names)))
        };
        let info = METHODS.iter().find(|info| info.name == name).ok_or_else(unknown)?;
        check_options(name, info.options, options.iter().copied())?;
        Self::given(&GivenOptions { method: name, options }).ok_or_else(unknown)
    }

    /// What the registry says of it.
    pub fn info(&self) -> &'static MethodInfo {
        self.algorithm().info()
    }

    /// What its releases can look like.
    pub fn family(&self) -> RecodingModel {
        self.info().family
    }

    /// What it may cut or put into bins beforehand, if it is a method that searches cut sets or groups.
    pub fn cut_rules(&self) -> Option<CutRules> {
        self.algorithm().cut_rules()
    }

    /// Refuses cuts that are demanded or refused of these columns, unless it searches cut sets: other
    /// methods would pass over them in silence.
    pub fn check_cuts<'a>(&self, columns: impl IntoIterator<Item = &'a str>) -> Result<()> {
        match columns.into_iter().next() {
            Some(column) if !self.algorithm().heeds_cuts() => Err(self.info().refuse_cuts(column)),
            _ => Ok(()),
        }
    }

    /// Refuses the weaker reading, in which a blank matches anything, unless it has a use for it.
    pub fn check_wildcards(&self, wildcards: bool) -> Result<()> {
        self.info().check_wildcards(wildcards)
    }
}

impl Settings for Method {
    fn options(&self) -> Vec<(&'static str, String)> {
        self.algorithm().options()
    }
}

impl Algorithm for Method {
    fn info(&self) -> &'static MethodInfo {
        self.algorithm().info()
    }

    fn search(&self, problem: &Problem, control: &Control) -> Result<Solution> {
        self.algorithm().search(problem, control)
    }

    fn cut_rules(&self) -> Option<CutRules> {
        self.algorithm().cut_rules()
    }

    fn heeds_cuts(&self) -> bool {
        self.algorithm().heeds_cuts()
    }

    fn searches_for_known_columns(&self) -> bool {
        self.algorithm().searches_for_known_columns()
    }
}
