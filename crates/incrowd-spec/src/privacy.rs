//! What a spec says every released row must be protected by.
use incrowd_engine::privacy::{KnownColumns, PopulationRequirement};
use serde_json::{Value, json};

use super::choices::named;
use super::codecs::{
    AnyText, AtLeastOne, Choice, DefaultField, Distance, Flag, Frequency, OneOrMany, OptionalField,
    Positive, RequiredField,
};
use super::option_table::{
    COLUMNS, FINISHING, FieldCodec, MODELS, NO_FLAG, OptionUse, PROBLEM, SEARCH, SchemaDefinitions,
    section,
};
use super::risk_limits::{RiskLimits, SURE, rows_for_people};
use super::risk_notation::DeltaPresence;
use super::toml_fields::{TomlFault, TomlResult, TomlSection};

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

section! {
    /// What every released row must be protected by. Each model may be given once as a table or several times as an array of
    /// tables.
    #[derive(Default)]
    pub struct PrivacySection in "privacy" {
        /// The least size of a class.
        ///
        /// Every released row shares its quasi-identifiers with at least k - 1 others.
        "k" k: u64 = ClassSize, PROBLEM.value("K").short('k').example("5");
        /// The column that tells people apart who have several rows, or row.
        ///
        /// It tells apart who is protected, people or households: k and the models then count them. `row` says that every row is
        /// somebody of their own.
        "unit" unit: Option<String> = OptionalField<AnyText>,
            COLUMNS.value("COLUMN").alias("person").example("\"patient\"").usual();
        /// Released columns may tell which rows are of one unit: k units share all theirs.
        ///
        /// At least k units share the whole set of their rows, and others are left out. Default: false.
        "linked" linked: bool = DefaultField<Flag>, FINISHING.example("true");
        /// All rows of a unit are in one class: knowing several tells no more than one.
        ///
        /// With one box for all of them (the method same-box). Default: false.
        "same-box" same_box: bool = DefaultField<Flag>, FINISHING.example("true");
        /// L different values in each class: 3, entropy:3, recursive:2,3.
        ///
        /// Every class holds enough different sensitive values.
        "l-diversity" l_diversity: Vec<LDiversity> = OneOrMany<LDiversity>,
            MODELS.value("L").example("{ l = 3, kind = \"distinct\" }").usual();
        /// Classes distributed like the table: 0.2, ordered:0.2, ...
        ///
        /// The sensitive values of every class are distributed nearly as in the whole table.
        "t-closeness" t_closeness: Vec<TCloseness> = OneOrMany<TCloseness>,
            MODELS.value("T").example("{ t = 0.2, distance = \"equal\" }").usual();
        /// No sensitive value above this share of a class.
        "alpha" alpha: Vec<AlphaAnonymity> = OneOrMany<AlphaAnonymity>,
            MODELS.value("ALPHA").example("{ alpha = 0.5 }");
        /// No sensitive value much likelier in a class than in the table.
        "beta-likeness" beta_likeness: Vec<BetaLikeness> = OneOrMany<BetaLikeness>,
            MODELS.value("BETA").example("{ beta = 2, kind = \"basic\" }");
        /// No sensitive value much likelier or unlikelier in a class.
        "delta-disclosure" delta_disclosure: Vec<DeltaDisclosure> = OneOrMany<DeltaDisclosure>,
            MODELS.value("DELTA").example("{ delta = 1 }");
        /// Let a missing sensitive value count towards l.
        ///
        /// As a value of its own. Default: false.
        "count-missing" count_missing: bool = DefaultField<Flag>, MODELS.example("true");
        /// Shares to compare with: original, release or both.
        ///
        /// Default: original.
        "reference" reference: Option<ReferenceDistribution> = OptionalField<Choice<ReferenceDistribution>>,
            MODELS.value("CHOICE").example("\"both\"");
        /// Take a blank to match anything: weaker; for cells and mixed only.
        ///
        /// Default: false.
        "wildcards" wildcards: bool = DefaultField<Flag>, SEARCH.example("true");
        flatten
        /// What is asked of risks beyond k.
        risks: RiskLimits;
    }
}

/// k, which need not be said where the highest risk says it in other words.
struct ClassSize;

impl FieldCodec for ClassSize {
    type Field = u64;

    fn read(fields: &TomlSection<'_>, key: &'static str, _: &OptionUse) -> TomlResult<u64> {
        match fields.get(key) {
            Some(item) => item.whole(1),
            None if fields.get("max-risk").is_some() => Ok(1),
            None => Err(fields.lacks(key).help("add k = 5")),
        }
    }

    fn write(k: &u64) -> Option<String> {
        Some(k.to_string())
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "type": "integer", "minimum": 1 })
    }
}

impl PrivacySection {
    /// k-anonymity and nothing beyond it.
    pub fn k(k: u64) -> Self {
        PrivacySection { k, ..PrivacySection::default() }
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

section! {
    /// l-diversity: every class holds enough different sensitive values.
    pub struct LDiversity in "l-diversity" {
        /// The sensitive column. May be left out when there is exactly one.
        "column" column: Option<String> = OptionalField<AnyText>, NO_FLAG;
        /// How many, at least 1; a whole number unless the kind is entropy.
        "l" l: f64 = RequiredField<AtLeastOne>, NO_FLAG.example("3");
        /// How they are counted. Default: distinct.
        "kind" kind: LKind = DefaultField<Choice<LKind>>, NO_FLAG;
        /// Only for the kind recursive: the most frequent value occurs fewer than c times as often as the l-th most frequent one
        /// and all rarer ones together. More than 0.
        "c" c: Option<f64> = OptionalField<Positive>, NO_FLAG;
        check LDiversity::check;
    }
}

impl LDiversity {
    /// What must hold between its numbers and its kind.
    fn check(&self, fields: &TomlSection<'_>) -> TomlResult<()> {
        let (l, kind) = (self.l, self.kind);
        if let Some(item) = fields.get("l").filter(|_| kind != LKind::Entropy && l.fract() != 0.0) {
            let message = format!("`l` must be a whole number for the kind {kind}, not {l}");
            return Err(item.fault(message).help("only entropy l-diversity takes fractions"));
        }
        match (fields.get("c"), kind) {
            (Some(item), LKind::Distinct | LKind::Entropy) => {
                let message = format!("`c` has no meaning for the kind {kind}");
                let help = "leave it out, or write kind = \"recursive\"";
                Err(TomlFault::new(item.key, message).help(help))
            }
            (None, LKind::Recursive) => {
                Err(fields.fault("recursive l-diversity lacks `c`").help("add c = 3"))
            }
            _ => Ok(()),
        }
    }
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

section! {
    /// t-closeness: the sensitive values of every class are distributed nearly as in the table.
    pub struct TCloseness in "t-closeness" {
        /// The sensitive column. May be left out when there is exactly one.
        "column" column: Option<String> = OptionalField<AnyText>, NO_FLAG;
        /// The largest distance allowed, from 0 to 1.
        "t" t: f64 = RequiredField<Distance>, NO_FLAG.example("0.2");
        /// How far values are from each other. Default: equal.
        "distance" distance: TDistance = DefaultField<Choice<TDistance>>, NO_FLAG;
    }
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

section! {
    /// (alpha,k)-anonymity: no sensitive value is more frequent in a class than alpha.
    pub struct AlphaAnonymity in "alpha" {
        /// The sensitive column. May be left out when there is exactly one.
        "column" column: Option<String> = OptionalField<AnyText>, NO_FLAG;
        /// The largest share allowed, more than 0 and at most 1.
        "alpha" alpha: f64 = RequiredField<Frequency>, NO_FLAG.example("0.5");
    }
}

section! {
    /// beta-likeness: no sensitive value is much more frequent in a class than in the table.
    pub struct BetaLikeness in "beta-likeness" {
        /// The sensitive column. May be left out when there is exactly one.
        "column" column: Option<String> = OptionalField<AnyText>, NO_FLAG;
        /// The largest relative increase allowed, more than 0.
        "beta" beta: f64 = RequiredField<Positive>, NO_FLAG.example("2");
        /// Basic, or enhanced for a bound that is also tight for frequent values. Default: basic.
        "kind" kind: BetaKind = DefaultField<Choice<BetaKind>>, NO_FLAG;
    }
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

section! {
    /// delta-disclosure privacy: the logarithm of the ratio between a value's share in a class and in the table stays within
    /// delta.
    pub struct DeltaDisclosure in "delta-disclosure" {
        /// The sensitive column. May be left out when there is exactly one.
        "column" column: Option<String> = OptionalField<AnyText>, NO_FLAG;
        /// The largest absolute logarithm allowed, more than 0.
        "delta" delta: f64 = RequiredField<Positive>, NO_FLAG.example("1");
    }
}
