//! All that an algorithm may know.

use crate::attribute::{ArgusSet, Attribute, LevelLimits, Summary};
use crate::cost::Metric;
use crate::privacy::{Background, Distance, Model, Privacy, Requirement, Tally};
use crate::table::{
    Cells, Coding, Counts, Domain, DomainRule, Gathered, Hierarchy, HierarchyRule, JointIndex,
    Table,
};
use crate::{Error, Result, words};

/// Most rows that may be suppressed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Limit {
    /// What suits the algorithm: for most of them no limit where the cost prices suppression.
    #[default]
    Default,
    /// So many rows.
    Rows(u64),
    /// A share of all rows, rounded down.
    Share(f64),
    /// All of them: no limit.
    All,
}

impl Limit {
    /// The limit as a number of rows, `default` where the user named none.
    pub fn rows(&self, rows: u64, default: u64) -> u64 {
        match *self {
            Limit::Default => default,
            Limit::Rows(limit) => limit.min(rows),
            // Slack, so that 2% of 50 rows is one row whatever the rounding.
            Limit::Share(share) => ((rows as f64 * share + 1e-9) as u64).min(rows),
            Limit::All => rows,
        }
    }
}

/// Where a hierarchy comes from.
#[derive(Debug, Clone)]
pub enum HierarchySource {
    /// It is given.
    Given(Hierarchy),
    /// It is built from the values that occur.
    Rule(HierarchyRule),
}

/// How a column becomes an attribute or a label.
#[derive(Debug, Clone)]
pub struct AttributeSpec {
    /// The column's name.
    pub name: String,
    /// How its values are read and ordered.
    pub rule: DomainRule,
    /// A tree over its values.
    pub hierarchy: Option<HierarchySource>,
    /// How much information lost here counts.
    pub weight: f64,
    /// How numbers are released.
    pub summary: Summary,
    /// Values at which a recoding by intervals must make a cut (`true`) or must not: the value is the
    /// first beyond the cut. Numbers need not occur.
    pub cuts: Vec<(String, bool)>,
    /// The lowest full-domain level at which values may be released.
    pub least_level: u32,
    /// The highest one; the top if none is given.
    pub most_level: Option<u32>,
    /// How well the column identifies people, for the method mu-argus.
    pub argus: Option<ArgusSet>,
}

impl AttributeSpec {
    /// A column read as its values suggest.
    pub fn new(name: impl Into<String>) -> Self {
        AttributeSpec {
            name: name.into(),
            rule: DomainRule::automatic(),
            hierarchy: None,
            weight: 1.0,
            summary: Summary::Range,
            cuts: Vec::new(),
            least_level: 0,
            most_level: None,
            argus: None,
        }
    }

    /// The levels allowed, checked against the levels there are.
    fn level_limits(&self, levels: u32) -> Result<Option<LevelLimits>> {
        let (least, most) = (self.least_level, self.most_level.unwrap_or(levels));
        let wrong = |what: String| {
            Err(Error::new(format!("column {:?} {what}", self.name))
                .help(format!("its levels go from 0 (the values) to {levels}")))
        };
        if least > levels || most > levels {
            return wrong(format!("has no level {}", least.max(most)));
        }
        if least > most {
            return wrong(format!("cannot be at level {least} or above and {most} or below"));
        }
        let limited = least > 0 || most < levels;
        Ok(limited.then_some(LevelLimits { least, most }))
    }

    /// The cuts demanded and refused, as codes.
    fn cuts(&self, domain: &Domain) -> Result<Vec<(u32, bool)>> {
        let mut cuts: Vec<(u32, bool)> = Vec::new();
        let first = u32::from(domain.missing_code() == Some(0));
        let end = domain.len() as u32;
        for (value, made) in &self.cuts {
            let wrong = |what: &str| {
                Error::new(format!("column {:?} cannot be cut at {value:?}: {what}", self.name))
            };
            let code = if domain.is_numeric() {
                let number =
                    crate::parse_number(value).ok_or_else(|| wrong("it is not a number"))?;
                let low =
                    |code: u32| domain.bounds(code).map_or(f64::NEG_INFINITY, |bounds| bounds.0);
                let code = (0..end).find(|&code| low(code) >= number).unwrap_or(end);
                let before = code.checked_sub(1).and_then(|code| domain.bounds(code));
                if before.is_some_and(|bounds| bounds.1 > number) {
                    return Err(wrong("it lies inside a bin").help("choose a bin's start"));
                }
                code
            } else {
                let code = (0..end).find(|&code| domain.label(code) == value);
                code.ok_or_else(|| wrong("there is no such value"))?
            };
            // Beyond the ends there is nothing to cut; missing values come first but are no end.
            if code <= first || code >= end {
                continue;
            }
            match cuts.iter().find(|cut| cut.0 == code) {
                Some(cut) if cut.1 != *made => {
                    return Err(wrong("the same cut is demanded and refused"));
                }
                Some(_) => {}
                None => cuts.push((code, *made)),
            }
        }
        cuts.sort_unstable();
        Ok(cuts)
    }

    /// The column's coding, and its hierarchy over the values that occur.
    fn build(&self, dictionary: &crate::Dictionary) -> Result<(Coding, Option<Hierarchy>)> {
        let coding = Domain::build(&self.name, dictionary, &self.rule)?;
        let hierarchy = match &self.hierarchy {
            None => return Ok((coding, None)),
            Some(HierarchySource::Given(hierarchy)) => hierarchy.clone(),
            Some(HierarchySource::Rule(rule)) => {
                let domain = &coding.domain;
                let values: Vec<&str> = (0..domain.len() as u32)
                    .filter(|&code| domain.missing_code() != Some(code))
                    .map(|code| domain.label(code))
                    .collect();
                if values.is_empty() {
                    return Ok((coding, None));
                }
                let rows = rule.rows(&self.name, &values)?;
                Hierarchy::from_rows(&rows).map_err(|faults| {
                    let first = faults.first().map_or(String::new(), |fault| fault.what.clone());
                    Error::new(format!(
                        "the hierarchy of column {:?} does not fit: {first}",
                        self.name
                    ))
                })?
            }
        };
        let (coding, hierarchy) = Domain::arrange(coding, &self.name, &hierarchy)?;
        Ok((coding, Some(hierarchy)))
    }

    fn check(&self) -> Result<()> {
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            return Err(Error::new(format!(
                "the weight of column {:?} is {}, but must be above 0",
                self.name, self.weight
            )));
        }
        Ok(())
    }
}

/// A question as the user puts it, before the data is seen.
///
/// ```
/// use incrowd::{ProblemSpec, Problem, Table};
/// let table = Table::from_rows(&["age", "sex"], &[["34", "F"], ["35", "M"], ["34", "M"]])?;
/// let spec = ProblemSpec::new(2).quasi("age").quasi("sex");
/// let problem = Problem::of_table(&spec, &table)?;
/// assert_eq!((problem.rows, problem.cells.len()), (3, 3));
/// # Ok::<(), incrowd::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ProblemSpec {
    /// The quasi-identifiers.
    pub quasi: Vec<AttributeSpec>,
    /// The sensitive and class columns.
    pub labels: Vec<AttributeSpec>,
    /// Which of the labels is the class column.
    pub class: Option<String>,
    /// The least size of a class.
    pub k: u64,
    /// The models beyond k, each on one of the labels.
    pub models: Vec<(String, Model)>,
    /// What is minimized.
    pub metric: Metric,
    /// Most rows that may be suppressed.
    pub limit: Limit,
    /// Whether a blank is taken to match anything: the weaker reading of k.
    pub wildcards: bool,
}

impl ProblemSpec {
    /// k-anonymity with the default metric, no quasi-identifiers yet.
    pub fn new(k: u64) -> Self {
        ProblemSpec {
            quasi: Vec::new(),
            labels: Vec::new(),
            class: None,
            k,
            models: Vec::new(),
            metric: Metric::default(),
            limit: Limit::default(),
            wildcards: false,
        }
    }

    /// Adds a quasi-identifier, read as its values suggest.
    #[must_use]
    pub fn quasi(mut self, name: &str) -> Self {
        self.quasi.push(AttributeSpec::new(name));
        self
    }

    /// Demands a model of a sensitive column.
    #[must_use]
    pub fn sensitive(mut self, name: &str, model: Model) -> Self {
        if self.labels.iter().all(|label| label.name != name) {
            self.labels.push(AttributeSpec::new(name));
        }
        self.models.push((name.to_owned(), model));
        self
    }

    /// Names the class column, for the classification metric.
    #[must_use]
    pub fn class(mut self, name: &str) -> Self {
        if self.labels.iter().all(|label| label.name != name) {
            self.labels.push(AttributeSpec::new(name));
        }
        self.class = Some(name.to_owned());
        self
    }

    /// The columns that must be counted: the quasi-identifiers, then the labels.
    pub fn columns(&self) -> Vec<String> {
        self.quasi.iter().chain(&self.labels).map(|column| column.name.clone()).collect()
    }
}

/// A class or sensitive column.
#[derive(Debug, Clone)]
pub struct LabelColumn {
    /// The column's name.
    pub name: String,
    /// Its ordered values.
    pub domain: Domain,
}

/// The class and sensitive columns. A *joint label* is a combination of their values; cells and
/// classes count joint labels, each model looks at one column of them.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// The columns.
    pub columns: Vec<LabelColumn>,
    joint: Vec<u32>,
    index: JointIndex,
}

impl Labels {
    /// The codes of a joint label, one per column.
    #[inline]
    pub fn of(&self, label: u32) -> &[u32] {
        let width = self.columns.len();
        &self.joint[label as usize * width..(label as usize + 1) * width]
    }

    /// The joint label with these codes.
    pub fn find(&self, codes: &[u32]) -> Option<u32> {
        self.index.get(codes).copied()
    }

    /// An empty tally over these columns.
    pub fn tally(&self) -> Tally {
        Tally::new(&self.columns.iter().map(|column| column.domain.len()).collect::<Vec<_>>())
    }
}

/// All that an algorithm may know: attributes, cells, privacy, cost and suppression limit.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The quasi-identifiers.
    pub attributes: Vec<Attribute>,
    /// The class and sensitive columns.
    pub labels: Labels,
    /// Which label column is the class column.
    pub class: Option<usize>,
    /// The distinct combinations with their counts.
    pub cells: Cells,
    /// How many rows there are.
    pub rows: u64,
    /// What a class must satisfy.
    pub privacy: Privacy,
    /// What is minimized.
    pub metric: Metric,
    /// Most rows that may be suppressed.
    pub limit: Limit,
    /// For each counted column, the domain code of each dictionary code ([`UNSEEN`](crate::UNSEEN) where there is
    /// none): what a second pass over the rows needs.
    pub codings: Vec<Vec<u32>>,
}

impl Problem {
    /// The problem that a spec poses for a table in memory.
    pub fn of_table(spec: &ProblemSpec, table: &Table) -> Result<Self> {
        let counts = Counts::of_table(table, &spec.columns()).map_err(|name| {
            let names: Vec<&str> =
                table.columns().iter().map(|column| column.name.as_str()).collect();
            Error::new(format!("there is no column {name:?}"))
                .help(format!("the columns are {}", words::list(&names)))
        })?;
        Self::build(spec, &counts)
    }

    /// The problem that a spec poses for counted rows; the counts hold the columns of
    /// [`ProblemSpec::columns`].
    pub fn build(spec: &ProblemSpec, counts: &Counts) -> Result<Self> {
        check_spec(spec, counts.cells.rows())?;
        let (mut attributes, mut columns, mut codings) = (Vec::new(), Vec::new(), Vec::new());
        let mut label_hierarchies = Vec::new();
        for (at, column) in spec.quasi.iter().chain(&spec.labels).enumerate() {
            let (Coding { domain, codes }, hierarchy) = column.build(&counts.columns[at].1)?;
            codings.push(codes);
            let name = column.name.clone();
            if at < spec.quasi.len() {
                if column.summary == Summary::Node && hierarchy.is_none() {
                    return Err(Error::new(format!(
                        "column {name:?} is to be released as hierarchy nodes, but has no hierarchy"
                    ))
                    .help("give it one, or use summary = \"range\""));
                }
                if !matches!(column.summary, Summary::Range | Summary::Node) && !domain.is_numeric()
                {
                    return Err(Error::new(format!(
                        "column {name:?} holds text: it has no mean, median, minimum or maximum"
                    ))
                    .help("use summary = \"range\""));
                }
                let (weight, summary) = (column.weight, column.summary);
                let cuts = column.cuts(&domain)?;
                let (argus, limits) = (column.argus, None);
                let mut attribute =
                    Attribute { name, domain, hierarchy, weight, summary, cuts, limits, argus };
                attribute.limits = column.level_limits(attribute.levels())?;
                attributes.push(attribute);
            } else {
                columns.push(LabelColumn { name, domain });
                label_hierarchies.push(hierarchy);
            }
        }
        let mut problem = Problem {
            labels: Labels { columns, ..Labels::default() },
            class: spec
                .class
                .as_ref()
                .and_then(|class| spec.labels.iter().position(|l| l.name == *class)),
            cells: Cells::gather(&crate::CellCounter::new(0), &[], &[], 0).cells,
            rows: counts.cells.rows(),
            privacy: Privacy { k: spec.k, requirements: Vec::new(), wildcards: spec.wildcards },
            metric: spec.metric,
            limit: spec.limit,
            attributes,
            codings,
        };
        problem.gather(counts);
        problem.privacy.requirements = requirements(spec, &problem, &label_hierarchies)?;
        Ok(problem)
    }

    /// The same question for other rows: domains and hierarchies stay, so a value that the old rows
    /// did not have is [`UNSEEN`](crate::UNSEEN). Also returns how many rows have such a value; they are in no cell.
    pub fn for_new_rows(
        attributes: Vec<Attribute>,
        spec: &ProblemSpec,
        counts: &Counts,
        missing: &[String],
    ) -> Result<(Self, u64)> {
        let mut bare = spec.clone();
        bare.quasi =
            attributes.iter().map(|attribute| AttributeSpec::new(&attribute.name)).collect();
        let mut problem = Self::build(&bare, counts)?;
        for (at, attribute) in attributes.iter().enumerate() {
            problem.codings[at] = attribute.domain.codes_of(&counts.columns[at].1, missing);
        }
        problem.attributes = attributes;
        let unseen = problem.gather(counts);
        Ok((problem, unseen))
    }

    /// Makes the cells; returns how many rows have an unseen value.
    fn gather(&mut self, counts: &Counts) -> u64 {
        let domains: Vec<usize> = self
            .attributes
            .iter()
            .map(|attribute| attribute.domain.len())
            .chain(self.labels.columns.iter().map(|column| column.domain.len()))
            .collect();
        let codings: Vec<&[u32]> = self.codings.iter().map(Vec::as_slice).collect();
        let Gathered { cells, joint, joint_index, unseen } =
            Cells::gather(&counts.cells, &codings, &domains, self.attributes.len());
        self.cells = cells;
        (self.labels.joint, self.labels.index) = (joint, joint_index);
        unseen
    }

    /// The sizes of the attributes' domains.
    pub fn domains(&self) -> Vec<usize> {
        self.attributes.iter().map(|attribute| attribute.domain.len()).collect()
    }

    /// The tally of the whole table.
    pub fn whole(&self) -> Tally {
        let mut tally = self.labels.tally();
        for cell in 0..self.cells.len() {
            for &(label, count) in self.cells.labels(cell) {
                tally.add(self.labels.of(label), count);
            }
        }
        tally.size = self.cells.counts().iter().map(|&count| u64::from(count)).sum();
        tally
    }

    /// How many rows carry each value of an attribute.
    pub fn marginal(&self, attribute: usize) -> Vec<u64> {
        let mut counts = vec![0; self.attributes[attribute].domain.len()];
        for (cell, &count) in self.cells.counts().iter().enumerate() {
            counts[self.cells.code(attribute, cell) as usize] += u64::from(count);
        }
        counts
    }
}

fn check_spec(spec: &ProblemSpec, rows: u64) -> Result<()> {
    if spec.quasi.is_empty() {
        return Err(Error::new("no column is a quasi-identifier").help(
            "name the columns that could be matched with other data, such as age, sex and ZIP code",
        ));
    }
    let names = spec.columns();
    if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        return Err(Error::new(format!("column {:?} is named twice, or has two roles", names[at])));
    }
    if spec.k == 0 {
        return Err(Error::new("k must be at least 1").help("5 is a common choice"));
    }
    if rows == 0 {
        return Err(Error::new("the table has no rows"));
    }
    if rows > u64::from(u32::MAX) {
        return Err(Error::new("the table has more than 4,294,967,295 rows")
            .help("split it into parts and anonymize each"));
    }
    if spec.k > rows {
        return Err(Error::new(format!(
            "k is {}, but the table has only {}",
            words::thousands(spec.k),
            words::count(rows, "row", "rows")
        ))
        .help(format!("choose k of at most {rows}")));
    }
    if let Limit::Share(share) = spec.limit
        && !(0.0..=1.0).contains(&share)
    {
        return Err(Error::new("the share of suppressed rows must lie between 0% and 100%"));
    }
    if spec.wildcards && !spec.models.is_empty() {
        return Err(Error::new(
            "where a blank matches anything there are no classes for models beyond k to look at",
        )
        .help("leave out wildcards, or the models"));
    }
    if spec.metric == Metric::Cm && spec.class.is_none() {
        return Err(Error::new("the classification metric needs a class column")
            .help("name one (--class COLUMN, or role = \"class\"), or choose another metric"));
    }
    if spec.metric == Metric::Precision
        && spec.quasi.iter().all(|column| column.hierarchy.is_none())
    {
        return Err(Error::new(
            "precision measures how far up the hierarchies values went, but no column has one",
        )
        .help("give a quasi-identifier a hierarchy, or choose another metric"));
    }
    spec.quasi.iter().chain(&spec.labels).try_for_each(AttributeSpec::check)?;
    spec.models.iter().try_for_each(|(_, model)| model.validate())
}

/// A sensitive column is released as it is, so a model must look at it as it is.
fn check_sensitive(column: &AttributeSpec) -> Result<()> {
    let refuse = |what: &str, instead: &str| {
        let name = &column.name;
        Err(Error::new(format!(
            "column {name:?} is sensitive and released as it is: it cannot {what}"
        ))
        .help(instead))
    };
    if column.rule.bins.is_some() {
        return refuse(
            "be put into bins",
            "leave out the bins, or put the values into bins in the data",
        );
    }
    if column.rule.missing_as.is_some() {
        return refuse(
            "have its missing values replaced",
            "replace the missing values in the data",
        );
    }
    Ok(())
}

fn requirements(
    spec: &ProblemSpec,
    problem: &Problem,
    hierarchies: &[Option<Hierarchy>],
) -> Result<Vec<Requirement>> {
    let whole = problem.whole();
    spec.models
        .iter()
        .map(|(name, model)| {
            let column =
                spec.labels.iter().position(|label| label.name == *name).ok_or_else(|| {
                    Error::new(format!(
                        "{} looks at column {name:?}, which is not sensitive",
                        model.name()
                    ))
                    .help("give the column the role \"sensitive\"")
                })?;
            check_sensitive(&spec.labels[column])?;
            let hierarchy = hierarchies[column].clone();
            if matches!(model, Model::TCloseness { distance: Distance::Hierarchical, .. })
                && hierarchy.is_none()
            {
                return Err(Error::new(format!(
                    "t-closeness by hierarchical distance needs a hierarchy of column {name:?}"
                ))
                .help("give the column a hierarchy, or choose equal or ordered distance"));
            }
            let total = whole.size as f64;
            let shares =
                whole.histograms[column].iter().map(|&count| f64::from(count) / total).collect();
            Ok(Requirement { column, model: *model, background: Background { shares, hierarchy } })
        })
        .collect()
}
