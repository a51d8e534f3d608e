//! A release in a file attacked with its original.

use std::collections::BTreeMap;

use incrowd_assess::attack::{self, AttackOptions, AttackReport, AttackTables, OutsideCrowds};
use incrowd_assess::inspect::{InspectOptions, LikelyRole, inspect};
use incrowd_engine::table::{Column, Dictionary};
use incrowd_engine::value::{BLANK, Domain, DomainRule, MISSING_TOKENS, Scale};
use incrowd_engine::{Control, Table};
use incrowd_verify::{ColumnReader, DateForm, LabelHierarchy, MissingTokens};

use super::reading::go_on;
use crate::spec::{DateFormats, Role, SpecFile, hierarchies::Hierarchy};
use crate::verify::requirements::style_of;
use crate::{Error, Result, Source, load_hierarchy, read_table};

/// How a release is attacked, and how the tables are to be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AttackSettings {
    /// What is tried. Where no column is known, the likely quasi-identifiers and names are; where none is secret, all are.
    pub options: AttackOptions,
    /// Hierarchies, to read their labels.
    pub hierarchies: Vec<(String, Hierarchy)>,
    /// The texts that mean "missing".
    pub missing: Vec<String>,
    /// How the dates of the original are written.
    pub dates: DateFormats,
    /// The decimal sign of numbers, where it is not to be found from the values.
    pub decimal: Option<char>,
    /// Whether only people are attacked whom a released row may be that shows anything of what is known: what comes of it
    /// does not depend on those who are suppressed because no released row contains them.
    pub released_only: bool,
}

impl Default for AttackSettings {
    fn default() -> Self {
        AttackSettings {
            options: AttackOptions::new(),
            hierarchies: Vec::new(),
            missing: MISSING_TOKENS.map(str::to_owned).into(),
            dates: DateFormats::default(),
            decimal: None,
            released_only: false,
        }
    }
}

impl AttackSettings {
    /// The usual attacks.
    pub fn new(options: AttackOptions) -> Self {
        AttackSettings { options, ..Self::default() }
    }

    /// The attacks that suit what a spec says of the columns that a release has: its quasi-identifiers are known, its
    /// sensitive columns wanted (each in turn where there is none), and labels are read by its hierarchies.
    pub fn of_spec(file: &SpecFile, release: &Source) -> Self {
        let spec = &file.spec;
        let released = release.columns();
        let is_released = |name: &str| {
            let least = format!("{name}_min");
            released.iter().any(|column| column == name || *column == least)
        };
        let names = |role| -> Vec<String> {
            let columns = spec.columns_with(role).map(|column| column.name.clone());
            columns.filter(|name| is_released(name)).collect()
        };
        let options =
            AttackOptions::new().with_known(names(Role::Quasi)).with_secret(names(Role::Sensitive));
        let mut settings = Self::new(options)
            .with_missing(spec.data.missing_tokens())
            .with_dates(spec.date_formats())
            .with_decimal(spec.data.decimal);
        for column in spec.columns_with(Role::Quasi).filter(|column| is_released(&column.name)) {
            settings = match &column.hierarchy {
                None => settings,
                Some(Hierarchy::File(path)) => {
                    settings.with_hierarchy(&column.name, Hierarchy::File(file.resolve(path)))
                }
                Some(rule) => settings.with_hierarchy(&column.name, rule.clone()),
            };
        }
        settings
    }

    /// Adds a hierarchy, to read its labels.
    #[must_use]
    pub fn with_hierarchy(mut self, column: impl Into<String>, hierarchy: Hierarchy) -> Self {
        self.hierarchies.push((column.into(), hierarchy));
        self
    }

    /// Sets the texts that mean "missing".
    #[must_use]
    pub fn with_missing(self, missing: Vec<String>) -> Self {
        AttackSettings { missing, ..self }
    }

    /// Sets how the dates of the original are written.
    #[must_use]
    pub fn with_dates(self, dates: DateFormats) -> Self {
        AttackSettings { dates, ..self }
    }

    /// Attacks only people whom a released row may be.
    #[must_use]
    pub fn with_released_only(self) -> Self {
        AttackSettings { released_only: true, ..self }
    }

    /// Sets the decimal sign of numbers.
    #[must_use]
    pub fn with_decimal(self, decimal: Option<char>) -> Self {
        AttackSettings { decimal, ..self }
    }
}

/// Attacks a release of any tool: labels are read as the verifier reads them. The control group, if there is one, has the
/// columns of the original and people who did not go into the release.
pub fn attack_release(
    release: &Source,
    original: &Source,
    others: Option<&Source>,
    settings: &AttackSettings,
    control: &Control,
) -> Result<AttackReport> {
    let read = |source: &Source| -> Result<Table> {
        let table = read_table(source, None, control)?;
        go_on(control)?;
        Ok(table)
    };
    let (released, mut originals) = (read(release)?, read(original)?);
    let control_rows = others.map(read).transpose()?;
    if settings.released_only {
        let all =
            AttackInputs { settings, released: &released, original: &originals, others: None };
        originals = all.released_people()?;
    }
    let asked =
        AttackInputs { settings, released: &released, original: &originals, others: control_rows };
    let (tables, mut notes) = asked.tables()?;
    let mut options = settings.options.clone();
    if options.known.is_empty() {
        options.known = asked.likely(&tables);
        if !options.known.is_empty() {
            notes.push(format!(
                "no attacker knowledge is given; assumed are the columns that others \
                 probably know ({})",
                options.known.join(", ")
            ));
        }
        let (exact, changed): (Vec<_>, Vec<_>) = tables
            .columns
            .iter()
            .filter(|column| options.known.is_empty() || options.known.contains(&column.name))
            .partition(|column| column.labels.iter().all(|label| label.size() <= 1));
        if !exact.is_empty() && !changed.is_empty() {
            let exact: Vec<&str> = exact.iter().map(|column| column.name.as_str()).collect();
            notes.push(format!(
                "the release shows {} of these exactly; if nobody can know them, name what \
                 is known",
                exact.join(", ")
            ));
        }
    }
    let mut report = attack::attack(&tables, &options, control).map_err(|error| {
        if control.is_cancelled() { Error::interrupted() } else { error.into() }
    })?;
    report.notes.splice(0..0, notes);
    Ok(report)
}

/// Counts the people of a control group who fit each box of a release, by these quasi-identifiers. They have the columns of
/// the original that the release was made of, and are not in it.
pub fn crowd_outside(
    release: &Source,
    others: &Source,
    quasi: &[String],
    settings: &AttackSettings,
    control: &Control,
) -> Result<OutsideCrowds> {
    let released = read_table(release, None, control)?;
    let people = read_table(others, None, control)?;
    go_on(control)?;
    // The control group alone says what labels contain.
    let asked = AttackInputs { settings, released: &released, original: &people, others: None };
    let (tables, _) = asked.tables()?;
    let place = |name: &String| {
        tables.columns.iter().position(|column| column.name == *name).ok_or_else(|| {
            Error::new(format!("the control group has no column `{name}`"))
                .help("it must have the quasi-identifiers of the release")
        })
    };
    let known: Vec<usize> = quasi.iter().map(place).collect::<Result<_>>()?;
    Ok(attack::outside_crowds(&tables, &known, control)?)
}

pub(super) struct AttackInputs<'a> {
    pub(super) settings: &'a AttackSettings,
    pub(super) released: &'a Table,
    pub(super) original: &'a Table,
    pub(super) others: Option<Table>,
}

impl AttackInputs<'_> {
    /// The columns that all tables have, as codes.
    pub(super) fn tables(&self) -> Result<(AttackTables, Vec<String>)> {
        let mut notes = Vec::new();
        let mut tables = AttackTables {
            columns: Vec::new(),
            release: Vec::new(),
            original: Vec::new(),
            control: self.others.as_ref().map(|_| Vec::new()),
        };
        for column in self.original.columns() {
            let Some(fields) = ReleasedAttribute::find(self.released, &column.name) else {
                continue;
            };
            let other = match &self.others {
                None => None,
                Some(table) => Some(table.column(&column.name).ok_or_else(|| {
                    Error::new(format!("the control group has no column `{}`", column.name))
                        .help("it must have the columns of the original that are in the release")
                })?),
            };
            self.add(column, &fields, other, &mut tables, &mut notes)?;
        }
        if let Some(control) = &tables.control
            && is_within(control, &tables.original)
        {
            notes.push(
                "all rows of the control group are in the original; use people who did not \
                 go into the release"
                    .to_owned(),
            );
        }
        for (name, _) in &self.settings.hierarchies {
            if !tables.columns.iter().any(|column| column.name == *name) {
                return Err(Error::new(format!(
                    "`{name}` has a hierarchy but is not in both release and original"
                ))
                .help("leave out its hierarchy"));
            }
        }
        Ok((tables, notes))
    }

    /// The rows of the original that a released row may be which shows anything of what is known. Everything that is read
    /// of the original afterwards is read of these rows alone.
    fn released_people(&self) -> Result<Table> {
        let (tables, _) = self.tables()?;
        let known = &self.settings.options.known;
        let mut shows = vec![false; self.released.rows()];
        for column in &tables.columns {
            if !known.is_empty() && !known.contains(&column.name) {
                continue;
            }
            let Some(fields) = ReleasedAttribute::find(self.released, &column.name) else {
                continue;
            };
            let (labels, label_of) = fields.labels();
            for (shows, label) in shows.iter_mut().zip(label_of) {
                *shows |= labels[label as usize].0 != BLANK;
            }
        }
        let is_there = attack::with_released_row(&tables, &shows);
        let columns = self.original.columns();
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let row = |at: usize| -> Vec<&str> {
            columns.iter().map(|column| column.dictionary.value(column.codes[at])).collect()
        };
        let rows: Vec<Vec<&str>> =
            (0..is_there.len()).filter(|&at| is_there[at]).map(row).collect();
        Ok(Table::from_rows(&names, &rows)?)
    }

    fn add(
        &self,
        column: &Column,
        fields: &ReleasedAttribute<'_>,
        other: Option<&Column>,
        tables: &mut AttackTables,
        notes: &mut Vec<String>,
    ) -> Result<()> {
        // Codes are those of the sorted texts, so that nothing depends on the order of rows.
        let mut texts: Vec<&str> = column.dictionary.iter().collect();
        texts.extend(other.iter().flat_map(|other| other.dictionary.iter()));
        texts.sort_unstable();
        let mut values = Dictionary::new();
        texts.iter().for_each(|text| {
            values.intern(text);
        });
        let mut intern = |column: &Column| -> Vec<u32> {
            column.dictionary.iter().map(|value| values.intern(value)).collect()
        };
        let codes = intern(column);
        let other_codes = other.map(&mut intern);
        let (labels, label_of) = fields.labels();
        let reads = self.reads(&column.name, &values)?;
        let texts: Vec<&str> = values.iter().collect();
        let found = reads.contained(&texts, &labels);
        let unread = found.labels.iter().filter(|label| !label.known).count();
        if unread > 0 && unread == labels.len() {
            notes.push(format!(
                "no label of `{}` is or contains a value of the original: nobody is found by \
                 this column",
                column.name
            ));
        } else if unread > 0 {
            notes.push(format!(
                "{unread} of {} labels of `{}` cannot be read and are not in the original; \
                 if they are of a hierarchy, name it",
                labels.len(),
                column.name
            ));
        }
        let ranks = |codes: &[u32], column: &Column| -> Vec<u32> {
            let code = |code: &u32| found.ranks[codes[*code as usize] as usize];
            column.codes.iter().map(code).collect()
        };
        tables.original.push(ranks(&codes, column));
        if let (Some(rows), Some(other), Some(codes)) = (&mut tables.control, other, &other_codes) {
            rows.push(ranks(codes, other));
        }
        tables.release.push(label_of);
        tables.columns.push(attack::SharedColumn {
            name: column.name.clone(),
            numbers: found.numbers,
            labels: found
                .labels
                .into_iter()
                .map(|label| attack::ReleasedLabel { ranges: label.ranges, number: label.number })
                .collect(),
        });
        Ok(())
    }

    /// How a column is to be read.
    fn reads(&self, name: &str, values: &Dictionary) -> Result<ColumnReader> {
        let settings = self.settings;
        let rule = DomainRule {
            missing: settings.missing.clone(),
            decimal: settings.decimal,
            ..DomainRule::default()
        };
        let rule = settings.dates.rule(name, rule);
        // What cannot be read as numbers or dates for sure is text, and compared as it is written.
        let domain = Domain::build(name, values, &rule).ok().map(|built| built.domain);
        let ladder = match settings.hierarchies.iter().find(|(column, _)| column == name) {
            None => None,
            Some((_, hierarchy)) => Some(ladder(name, hierarchy, domain.as_ref())?),
        };
        let dates = match domain.as_ref().and_then(Domain::scale) {
            Some(Scale::Dates(dates)) => DateForm::new(&dates.format.to_string()),
            _ => None,
        };
        Ok(ColumnReader {
            missing: MissingTokens::new(settings.missing.iter().cloned()),
            style: style_of(domain.as_ref().and_then(Domain::scale)),
            dates,
            ladder,
        })
    }

    /// The columns that an attacker probably knows.
    fn likely(&self, tables: &AttackTables) -> Vec<String> {
        let options = InspectOptions::new()
            .with_missing(self.settings.missing.clone())
            .with_dates(self.settings.dates.general.clone(), self.settings.dates.columns.clone())
            .with_combinations(0);
        let found = inspect(self.original, &options);
        let known = |name: &String| {
            let role = found.columns.iter().find(|column| column.name == *name)?.role;
            let is = matches!(role, LikelyRole::Quasi | LikelyRole::Identifying);
            is.then(|| name.clone())
        };
        let known: Vec<String> =
            tables.columns.iter().filter_map(|column| known(&column.name)).collect();
        // One column alone is little to know of anybody.
        if known.len() < 2 { Vec::new() } else { known }
    }
}

pub(super) fn ladder(
    name: &str,
    hierarchy: &Hierarchy,
    domain: Option<&Domain>,
) -> Result<LabelHierarchy> {
    use incrowd_engine::problem::HierarchySource;
    let rows = match (load_hierarchy(hierarchy)?, domain) {
        (HierarchySource::Given(tree), _) => tree.to_rows(),
        (HierarchySource::Rule(rule), Some(domain)) => rule.rows(name, domain)?,
        (HierarchySource::Rule(_), None) => {
            return Err(Error::new(format!(
                "the hierarchy of `{name}` is built from its values, which cannot be read"
            ))
            .help("build a file with `incrowd hierarchy build`, and name that"));
        }
    };
    LabelHierarchy::from_rows(rows).map_err(|e| Error::new(e.to_string()))
}

/// Where a column is in a release: one column, or its least and its greatest value.
pub(super) enum ReleasedAttribute<'a> {
    One(&'a Column),
    Ends(&'a Column, &'a Column),
}

impl<'a> ReleasedAttribute<'a> {
    pub(super) fn find(release: &'a Table, name: &str) -> Option<Self> {
        let end = |end: &str| release.column(&format!("{name}{end}"));
        let one = release.column(name).map(ReleasedAttribute::One);
        one.or_else(|| {
            end("_min").zip(end("_max")).map(|(low, high)| ReleasedAttribute::Ends(low, high))
        })
    }

    /// The distinct labels, and the label of each row.
    #[allow(clippy::type_complexity, reason = "a label is one text or two")]
    pub(super) fn labels(&self) -> (Vec<(&'a str, Option<&'a str>)>, Vec<u32>) {
        let (labels, codes) = match self {
            ReleasedAttribute::One(column) => {
                (column.dictionary.iter().map(|text| (text, None)).collect(), column.codes.clone())
            }
            ReleasedAttribute::Ends(low, high) => {
                let mut known: BTreeMap<(u32, u32), u32> = BTreeMap::new();
                let (mut labels, mut codes) = (Vec::new(), Vec::new());
                for (&low_code, &high_code) in low.codes.iter().zip(&high.codes) {
                    let next = labels.len() as u32;
                    let label = *known.entry((low_code, high_code)).or_insert(next);
                    if label == next {
                        let most = high.dictionary.value(high_code);
                        labels.push((low.dictionary.value(low_code), Some(most)));
                    }
                    codes.push(label);
                }
                (labels, codes)
            }
        };
        // In an order that does not depend on that of the rows.
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&at| labels[at]);
        let mut place_of = vec![0; labels.len()];
        (0..).zip(&order).for_each(|(place, &at)| place_of[at] = place);
        let codes = codes.into_iter().map(|code| place_of[code as usize]).collect();
        (order.into_iter().map(|at| labels[at]).collect(), codes)
    }
}

/// Whether every row of one table is one of the other.
fn is_within(rows: &[Vec<u32>], others: &[Vec<u32>]) -> bool {
    let row = |columns: &[Vec<u32>], at: usize| -> Vec<u32> {
        columns.iter().map(|column| column[at]).collect()
    };
    let count = |columns: &[Vec<u32>]| columns.first().map_or(0, Vec::len);
    let mut known: Vec<Vec<u32>> = (0..count(others)).map(|at| row(others, at)).collect();
    known.sort_unstable();
    count(rows) > 0 && (0..count(rows)).all(|at| known.binary_search(&row(rows, at)).is_ok())
}
