//! What a spec says every released row must be protected by. The documentation of each field is also its text in the JSON
//! schema.

use incrowd_engine::privacy::{KnownColumns, PopulationRequirement};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::choices::named;
use super::risk_limits::{DeltaPresence, RiskLimits, SURE, rows_for_people};

named! {
    /// Which shares of the whole table t-closeness, beta-likeness and delta-disclosure compare a class with.
    pub enum ReferenceDistribution("reference") as incrowd_verify::ReferenceDistribution {
        /// The original's where it is known, else the release's own.
        Original = "original" => Original,
        /// The release's own, which everybody can count.
        Release = "release" => Release,
        /// A class must pass against either.
        Both = "both" => Both,
    }
}

/// What every released row must be protected by. Each model may be given once as a table or
/// several times as an array of tables.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PrivacySection {
    /// Every released row shares its quasi-identifiers with at least k - 1 others.
    #[schemars(range(min = 1))]
    pub k: u64,
    /// The column that tells apart who is protected, people or households, who may have several rows: k and the models
    /// then count them. `row` says that every row is somebody of their own.
    #[schemars(default)]
    pub unit: Option<String>,
    /// Whether the rows of a unit are released with its pseudonym: at least k units then share the whole set of their rows,
    /// and others are left out. Default: false.
    #[schemars(default)]
    pub linked: bool,
    /// Whether all rows of a unit are released in one class, with one box (the method same-box): whoever knows several of them
    /// learns no more than from one. Default: false.
    #[schemars(default)]
    pub same_box: bool,
    /// Every class holds enough different sensitive values.
    #[schemars(schema_with = "one_or_many::<LDiversity>", default)]
    pub l_diversity: Vec<LDiversity>,
    /// The sensitive values of every class are distributed nearly as in the whole table.
    #[schemars(schema_with = "one_or_many::<TCloseness>", default)]
    pub t_closeness: Vec<TCloseness>,
    /// No sensitive value is more frequent in a class than alpha.
    #[schemars(schema_with = "one_or_many::<AlphaAnonymity>", default)]
    pub alpha: Vec<AlphaAnonymity>,
    /// No sensitive value is much more frequent in a class than in the whole table.
    #[schemars(schema_with = "one_or_many::<BetaLikeness>", default)]
    pub beta_likeness: Vec<BetaLikeness>,
    /// No sensitive value is much more or much less frequent in a class than in the whole table.
    #[schemars(schema_with = "one_or_many::<DeltaDisclosure>", default)]
    pub delta_disclosure: Vec<DeltaDisclosure>,
    /// Whether a missing sensitive value counts towards l as a value of its own. Default: false.
    #[schemars(default)]
    pub count_missing: bool,
    /// Which shares the verifier compares classes with. Default: original.
    #[schemars(default)]
    pub reference: Option<ReferenceDistribution>,
    /// Whether a blank is taken to match anything, the weaker reading of k. Default: false.
    #[schemars(default)]
    pub wildcards: bool,
    /// What is asked of risks beyond k.
    #[schemars(flatten)]
    pub risks: RiskLimits,
}

impl PrivacySection {
    /// k-anonymity and nothing beyond it.
    pub fn k(k: u64) -> Self {
        PrivacySection {
            k,
            unit: None,
            linked: false,
            same_box: false,
            l_diversity: Vec::new(),
            t_closeness: Vec::new(),
            alpha: Vec::new(),
            beta_likeness: Vec::new(),
            delta_disclosure: Vec::new(),
            count_missing: false,
            reference: None,
            wildcards: false,
            risks: RiskLimits::default(),
        }
    }
}

/// The unit that says that every row is somebody of their own.
pub const ROW: &str = "row";

impl PrivacySection {
    /// The column that tells apart who is protected; none where that is the rows, said or not.
    pub fn unit_column(&self) -> Option<&str> {
        self.unit.as_deref().filter(|unit| *unit != ROW)
    }

    /// The least rows of a class that k and the highest risk ask for.
    pub fn least_rows(&self) -> u64 {
        let of_risk = self.risks.max_risk.map_or(1, |risk| (1.0 / risk - 1e-9).ceil() as u64);
        let of_k = match (self.risks.k_map, self.risks.sampling_fraction) {
            (_, Some(fraction)) => rows_for_people(self.k, fraction, SURE),
            (true, None) => 1,
            (false, _) if self.risks.known_columns.is_some() => 1,
            (false, _) => self.k,
        };
        of_k.max(of_risk)
    }

    /// What must hold for whoever knows a few columns, if anything.
    pub fn known(&self) -> Option<KnownColumns> {
        self.risks
            .known_columns
            .map(|columns| KnownColumns { k: self.k, columns: columns as usize })
    }

    /// What a class must satisfy in the population, if anything.
    pub fn matching(&self) -> Option<PopulationRequirement> {
        self.risks.needs_population().then(|| PopulationRequirement {
            least: match self.risks.sampling_fraction {
                None if self.risks.k_map => self.k,
                _ => 0,
            },
            presence: self.risks.delta_presence.map(|DeltaPresence { least, most }| (least, most)),
        })
    }
}

/// A model is written as one table, or as several in an array.
fn one_or_many<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let one = generator.subschema_for::<T>();
    json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
}

/// l-diversity: every class holds enough different sensitive values.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LDiversity {
    /// The sensitive column. May be left out when there is exactly one.
    pub column: Option<String>,
    /// How many, at least 1; a whole number unless the kind is entropy.
    #[schemars(range(min = 1))]
    pub l: f64,
    /// How they are counted. Default: distinct.
    #[schemars(default)]
    pub kind: LKind,
    /// Only for the kind recursive: the most frequent value occurs fewer than c times as often
    /// as the l-th most frequent one and all rarer ones together. More than 0.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: Option<f64>,
}

named! {
    /// How l-diversity counts.
    #[derive(Default)]
    pub enum LKind("kind of l-diversity") {
        /// At least l different values.
        #[default]
        Distinct = "distinct",
        /// The entropy of the values is at least the logarithm of l.
        Entropy = "entropy",
        /// (c,l)-diversity: the most frequent values do not dominate. Needs c.
        Recursive = "recursive",
    }
}

/// t-closeness: the sensitive values of every class are distributed nearly as in the table.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TCloseness {
    /// The sensitive column. May be left out when there is exactly one.
    pub column: Option<String>,
    /// The largest distance allowed, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub t: f64,
    /// How far values are from each other. Default: equal.
    #[schemars(default)]
    pub distance: TDistance,
}

named! {
    /// How far sensitive values are from each other for t-closeness.
    #[derive(Default)]
    pub enum TDistance("distance") as incrowd_engine::privacy::GroundDistance {
        /// All values are equally far from each other.
        #[default]
        Equal = "equal" => Equal,
        /// By rank: neighbours in the order are near.
        Ordered = "ordered" => Ordered,
        /// By the height of the lowest common group in the column's hierarchy.
        Hierarchical = "hierarchical" => Hierarchical,
    }
}

/// (alpha,k)-anonymity: no sensitive value is more frequent in a class than alpha.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AlphaAnonymity {
    /// The sensitive column. May be left out when there is exactly one.
    pub column: Option<String>,
    /// The largest share allowed, more than 0 and at most 1.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub alpha: f64,
}

/// beta-likeness: no sensitive value is much more frequent in a class than in the table.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BetaLikeness {
    /// The sensitive column. May be left out when there is exactly one.
    pub column: Option<String>,
    /// The largest relative increase allowed, more than 0.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub beta: f64,
    /// Basic, or enhanced for a bound that is also tight for frequent values. Default: basic.
    #[schemars(default)]
    pub kind: BetaKind,
}

named! {
    /// How beta-likeness bounds the increase.
    #[derive(Default)]
    pub enum BetaKind("kind of beta-likeness") {
        /// By beta.
        #[default]
        Basic = "basic",
        /// By beta or by minus the logarithm of the value's share, whichever is smaller.
        Enhanced = "enhanced",
    }
}

/// delta-disclosure privacy: the logarithm of the ratio between a value's share in a class and
/// in the table stays within delta.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DeltaDisclosure {
    /// The sensitive column. May be left out when there is exactly one.
    pub column: Option<String>,
    /// The largest absolute logarithm allowed, more than 0.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub delta: f64,
}
