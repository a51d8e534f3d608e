//! A release in a file, shown to the independent verifier.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use incrowd_engine::privacy::GroundDistance;
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::value::{Domain, FittedTransform, is_missing, show_day};
use incrowd_engine::{Control, Model};
use incrowd_verify::{
    ColumnFormat, DateForm, DependencyFinder, FunctionalDependency, LabelHierarchy, MissingTokens,
    NumberStyle, Population, Requirements, SensitiveModel, Transformation, Verdict,
};

use super::linking::linking_column;
use super::unique_columns::{UniqueColumn, distinct_columns};
use super::verify_options::VerifyOptions;
use crate::count::build_problem::some_rows;
use crate::count::cells::count_cells;
use crate::count::population::weights;
use crate::recode::finished_rows::{judge_beyond, judge_replaced};
use crate::spec::{MaskMethod, hierarchies::Hierarchy};
use crate::verify::requirements::{counted, feed, style_of};
use crate::{
    ColumnSource, Error, Input, ReadOptions, Result, Source, date_forms, load_hierarchy,
    translated, verify_sources,
};

/// Has a release judged by the independent verifier, against its original if there is one.
///
/// That a release fails is a verdict, not an error.
pub fn verify_release(
    release: &Source,
    original: Option<&Source>,
    options: &VerifyOptions,
    control: &Control,
) -> Result<Verdict> {
    verify_release_in(release, original, None, options, control)
}

/// The same with a population that may lie in memory, in place of the one that the options name.
pub fn verify_release_in(
    release: &Source,
    original: Option<&Source>,
    population: Option<&Source>,
    options: &VerifyOptions,
    control: &Control,
) -> Result<Verdict> {
    if original.is_some() {
        release.needs_rows("the comparison with the original")?;
    }
    let asks_for_more =
        !options.models.is_empty() || options.risks != Default::default() || options.wildcards;
    if options.k <= 1 && !asks_for_more && original.is_none() {
        return Err(Error::new("k = 1 hides nobody: there is nothing to verify")
            .help("choose k of at least 2; 5 is a common choice"));
    }
    if options.risks.max_bias.is_some() && original.is_none() {
        return Err(Error::new("bias is measured against the original, and none is given")
            .help("name the original with --original, or leave out the limit on bias"));
    }
    let opened;
    let population = match (&options.risks.population, population, &options.population) {
        (None, ..) => None,
        (Some(_), Some(given), _) => Some(given),
        (Some(_), None, Some(path)) => {
            opened = Source::open(&Input::from(path.as_path()), &ReadOptions::default())?;
            Some(&opened)
        }
        (Some(_), None, None) => {
            return Err(Error::new(
                "a requirement counts people of a population, but no \
                                   population is named",
            )
            .help("name a table with the same quasi-identifiers"));
        }
    };
    let asked = VerifyRequest { release, original, population, options, control };
    asked.columns()?;
    let mut requirements = asked.requirements()?;
    let functions = asked.functions()?;
    let narrows = |it: &FunctionalDependency| !requirements.narrowing.contains(&it.column);
    let found: Vec<String> =
        functions.iter().filter(|it| narrows(it)).map(|it| it.column.clone()).collect();
    requirements.narrowing.extend(found);
    let mut verdict = verify_sources(release, original, &requirements, control)?;
    verdict.notes.extend(functions.iter().map(|it| {
        format!(
            "`{}` follows from {} in the original, so it narrows classes",
            it.column,
            it.of.join(" and ")
        )
    }));
    let mut finishing = options.finishing.clone();
    if let Some(k) = options.looks_for_links() {
        finishing.linked = linking_column(release, &asked.unnamed(), k, &options.missing, control)?;
        verdict.notes.extend(finishing.linked.as_ref().map(|column| {
            format!(
                "`{column}` shows which rows belong together; if it does not, name it with \
                 --unchecked"
            )
        }));
    }
    let finishing = &finishing;
    judge_beyond(
        release,
        None,
        &asked.of_classes(&requirements),
        finishing,
        &mut verdict,
        control,
    )?;
    if let Some(original) = original {
        judge_replaced(release, original, finishing, &options.missing, &mut verdict, control)?;
    }
    verdict.notes.extend(options.outside.map(|people| {
        format!(
            "that at least {people} of the people outside fit every box is not judged from a \
             release; `incrowd risk` counts them in a control group"
        )
    }));
    let unnamed = distinct_columns(release, &asked.unnamed(), &options.missing, control)?;
    let left =
        release.left().iter().filter_map(|column| UniqueColumn::of_left(column, verdict.rows));
    verdict.notes.extend(unnamed.into_iter().chain(left).map(|it| it.note()));
    Ok(verdict)
}

/// The question.
struct VerifyRequest<'a> {
    release: &'a Source,
    original: Option<&'a Source>,
    population: Option<&'a Source>,
    options: &'a VerifyOptions,
    control: &'a Control,
}

impl VerifyRequest<'_> {
    /// Refuses columns that are not there.
    fn columns(&self) -> Result<()> {
        let VerifyOptions { quasi, sensitive, unchecked, .. } = self.options;
        for column in quasi.iter().chain(sensitive).chain(unchecked) {
            let has = |end: &str| self.release.columns().contains(&format!("{column}{end}"));
            // A quasi-identifier may have become two columns.
            if !(has("_min") && has("_max")) {
                self.release.place_of(column)?;
            }
        }
        let original = self.original.iter();
        original
            .flat_map(|source| {
                quasi.iter().map(|name| source.place_of(self.options.original_name(name)))
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(())
    }

    /// The columns of the release that nobody has said anything of.
    fn unnamed(&self) -> Vec<usize> {
        let columns = self.release.columns().iter().enumerate();
        let unnamed = columns.filter(|(_, column)| !self.options.is_named(column));
        unnamed.map(|(place, _)| place).collect()
    }

    /// The requirements by the quasi-identifiers alone.
    fn of_classes(&self, requirements: &Requirements) -> Requirements {
        let narrowing = self.options.finishing.narrowing();
        let mut of_classes =
            Requirements { quasi: self.options.quasi.clone(), narrowing, ..requirements.clone() };
        of_classes.risks.max_bias = None;
        of_classes
    }

    /// The columns that stay as they are and that follow from quasi-identifiers in the original.
    fn functions(&self) -> Result<Vec<FunctionalDependency>> {
        let VerifyOptions { quasi, missing, wildcards, unit, .. } = self.options;
        let Some(original) = self.original.filter(|_| !wildcards) else { return Ok(Vec::new()) };
        let is_asked = |column: &&String| {
            !self.options.is_of_quasi(column)
                && unit.as_ref() != Some(*column)
                && self.options.finishing.follows.iter().all(|(follower, _)| follower != *column)
                && original.place_of(self.options.original_name(column)).is_ok()
        };
        let asked: Vec<String> = self.release.columns().iter().filter(is_asked).cloned().collect();
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let places = quasi.iter().chain(&asked);
        let places: Vec<usize> = places
            .map(|name| original.place_of(self.options.original_name(name)))
            .collect::<Result<_>>()?;
        let mut functions = DependencyFinder::new(quasi.clone(), asked);
        feed(original, self.control, |row| {
            let values = places.iter().map(|&at| row[at].as_str());
            functions.push(values.map(|it| (!is_missing(it, missing)).then_some(it)));
            Ok(())
        })?;
        Ok(functions.find())
    }

    fn requirements(&self) -> Result<Requirements> {
        let options = self.options;
        // What follows a quasi-identifier contains the original value as that does, and makes no class smaller.
        let follows = options.finishing.follows.iter().map(|(column, _)| column);
        let follows = follows.filter(|_| self.original.is_some());
        let quasi = options.quasi.iter().chain(follows).cloned();
        let mut requirements = Requirements::new(options.k, quasi);
        let finishing = &options.finishing;
        requirements.narrowing = match self.original {
            Some(_) => finishing.narrowing.clone(),
            None => finishing.narrowing(),
        };
        requirements.risks = options.risks.clone();
        if let (Some(source), Some(asked)) = (self.population, &mut requirements.risks.population) {
            asked.people = Arc::new(self.people(source)?);
        }
        requirements.identifying.clone_from(&options.identifying);
        requirements.wildcards = options.wildcards;
        requirements.unit.clone_from(&options.unit);
        requirements.count_missing = options.count_missing;
        requirements.reference = options.reference;
        requirements.missing = MissingTokens::new(options.missing.iter().cloned());
        requirements.unchecked.clone_from(&options.unchecked);
        // Pseudonyms and shifted dates can be compared with nothing.
        let replaced = options.finishing.treated.iter();
        let replaced = replaced
            .filter(|(_, treat)| treat.is_pseudonym() || matches!(treat, MaskMethod::Shift { .. }));
        requirements.unchecked.extend(replaced.map(|(column, _)| column.clone()));
        (requirements.told, requirements.dates) = self.told()?;
        for (column, model) in &options.models {
            let order = match model {
                Model::TCloseness { distance: GroundDistance::Ordered, .. } => {
                    self.order(column)?
                }
                _ => None,
            };
            let model = SensitiveModel::new(column.clone(), translated(*model));
            requirements.models.push(SensitiveModel { order, ..model });
        }
        for (column, order) in &options.orders {
            if options.quasi.contains(column) {
                requirements.orders.insert(column.clone(), order.clone());
            }
        }
        for (column, hierarchy) in &options.hierarchies {
            if !options.quasi.contains(column) {
                self.release.place_of(column)?;
            }
            let rows = self.ladder_rows(column, hierarchy)?;
            let ladder = LabelHierarchy::from_rows(rows).map_err(|e| Error::new(e.to_string()))?;
            requirements.ladders.insert(column.clone(), ladder);
        }
        Ok(requirements)
    }

    /// The people of a population, by the values of the quasi-identifiers.
    fn people(&self, source: &Source) -> Result<Vec<(Vec<String>, u64)>> {
        let place = |name: &String| {
            source.place_of(name).map_err(|error| Error {
                message: format!("the population {}", error.message),
                ..error
            })
        };
        let places = self.options.quasi.iter().map(place).collect::<Result<Vec<_>>>()?;
        let weight = self.options.population_weight.as_ref().map(place).transpose()?;
        let Some(weight) = weight else {
            let counts = count_cells(source, &places, self.control)?;
            some_rows(source, &counts)?;
            return Ok(counted(&counts));
        };
        // In the order of names, so that the order in which columns are named decides nothing.
        let mut by_name: Vec<usize> = (0..places.len()).collect();
        by_name.sort_by_key(|&at| &self.options.quasi[at]);
        let counted: Vec<usize> = by_name.iter().map(|&at| places[at]).chain([weight]).collect();
        let counts = count_cells(source, &counted, self.control)?;
        some_rows(source, &counts)?;
        let weights = weights(&counts, &source.name())?;
        let mut rows = Vec::with_capacity(counts.cells.len());
        counts.cells.for_each(|codes, count| {
            if let Some((&code, codes)) = codes.split_last() {
                let values = codes.iter().zip(&counts.columns);
                let texts = values.map(|(&code, (_, of))| of.value(code).to_owned()).collect();
                rows.push((texts, weights[code as usize], count));
            }
        });
        // The verifier adds weights up and rounds them by code of its own.
        let people = Population::of_weights(rows).into_iter();
        let mut place_of = vec![0; by_name.len()];
        by_name.iter().enumerate().for_each(|(place, &at)| place_of[at] = place);
        let in_order =
            |values: Vec<String>| place_of.iter().map(|&at| values[at].clone()).collect();
        Ok(people.map(|(values, people)| (in_order(values), people)).collect())
    }

    /// The order that a run gives the values of a sensitive column; none for numbers, which order
    /// themselves.
    fn order(&self, column: &str) -> Result<Option<Vec<String>>> {
        if let Some(values) = self.options.orders.get(column) {
            return Ok(Some(values.clone()));
        }
        let domain = self.domain_of(column)?;
        let labels = (0..domain.len() as u32).map(|code| domain.label(code).to_owned());
        Ok((!domain.is_numeric()).then(|| labels.collect()))
    }

    /// A hierarchy as rows; one built by rule needs the original's values.
    fn ladder_rows(&self, column: &str, hierarchy: &Hierarchy) -> Result<Vec<Vec<String>>> {
        let rule = match load_hierarchy(hierarchy)? {
            HierarchySource::Given(tree) => return Ok(tree.to_rows()),
            HierarchySource::Rule(rule) => rule,
        };
        let original = self.original.ok_or_else(|| {
            Error::new(format!(
                "the hierarchy of `{column}` is a rule: its values must come from the original"
            ))
            .help(
                "name the original with --original, or build a file with `incrowd hierarchy build`",
            )
        })?;
        let domain = self.treated_domain(original, column)?;
        Ok(rule.rows(column, &domain)?)
    }

    /// What the verifier is told of columns: how numbers are written, what was done to values, old names.
    fn told(&self) -> Result<(BTreeMap<String, ColumnFormat>, BTreeMap<String, DateForm>)> {
        let options = self.options;
        let mut told: BTreeMap<String, ColumnFormat> = BTreeMap::new();
        let mut dates = BTreeMap::new();
        let models = options.models.iter().map(|(column, _)| column);
        // Without an original or a population no number has to be read but those of models.
        let is_read = self.original.is_some() || self.population.is_some();
        let quasi = options.quasi.iter().filter(|_| is_read);
        for column in quasi.chain(models).collect::<BTreeSet<_>>() {
            let style = match self.domain_of(column) {
                Ok(domain) => {
                    dates.extend(date_forms(std::iter::once((column, &domain))));
                    style_of(domain.scale())
                }
                // A quasi-identifier that became two columns, and no original to look at.
                Err(_) if self.original.is_none() => continue,
                Err(error) => return Err(error),
            };
            if style != NumberStyle::default() {
                told.entry(column.clone()).or_default().style = style;
            }
        }
        dates.retain(|column, _| options.quasi.contains(column));
        let Some(original) = self.original else {
            // The release alone shows units of time that need no reading.
            let dates = if self.population.is_some() { dates } else { BTreeMap::new() };
            return Ok((told, dates));
        };
        for ask in &options.treatments {
            let told =
                told.entry(ask.rename.clone().unwrap_or_else(|| ask.column.clone())).or_default();
            told.original = ask.rename.as_ref().map(|_| ask.column.clone());
            if !ask.treatment.is_none() {
                let treater = original.treater(ask, &options.missing, self.control)?;
                let format = treater.format();
                told.style = NumberStyle { point: format.point(), groups: format.groups() };
                told.changes = changes(&treater);
            }
        }
        for (column, treat) in &options.finishing.treated {
            let change = match treat {
                MaskMethod::Last(count) => Transformation::Last(*count),
                MaskMethod::Initials => Transformation::Initials,
                MaskMethod::Fixed(text) => Transformation::Fixed(text.clone()),
                MaskMethod::Zip3(census) => Transformation::Zip3(census.year()),
                _ => continue,
            };
            told.entry(column.clone()).or_default().changes.push(change);
        }
        Ok((told, dates))
    }

    /// The values of a column, of the original if there is one, as a run would take them.
    fn domain_of(&self, column: &str) -> Result<Domain> {
        match self.original {
            Some(original) => self.treated_domain(original, column),
            None => {
                let quasi = self.options.quasi.iter().any(|name| name == column);
                let source = self.population.filter(|_| quasi).unwrap_or(self.release);
                self.domain(source, column)
            }
        }
    }

    /// The values of a column of the original after its treatment.
    fn treated_domain(&self, original: &Source, column: &str) -> Result<Domain> {
        let name = self.options.original_name(column);
        let ask = self.options.treatments.iter().find(|ask| ask.column == name);
        let of = self.column_of(original, name);
        match ask.filter(|ask| !ask.treatment.is_none()) {
            None => of.domain(self.control),
            Some(ask) => {
                let treater = original.treater(ask, &self.options.missing, self.control)?;
                of.treated_domain(&treater, self.control)
            }
        }
    }

    fn column_of<'a>(&'a self, source: &'a Source, column: &'a str) -> ColumnSource<'a> {
        let VerifyOptions { missing, decimal, dates, .. } = self.options;
        ColumnSource { source, column, missing, decimal: *decimal, dates }
    }

    /// The values of a column in the order that a run would give them.
    fn domain(&self, source: &Source, column: &str) -> Result<Domain> {
        self.column_of(source, column).domain(self.control)
    }
}

/// A treatment in the verifier's own words.
fn changes(treater: &FittedTransform) -> Vec<Transformation> {
    let treatment = treater.treatment();
    let mut changes = Vec::new();
    if let Some(form) = treater.dates().and_then(|dates| DateForm::new(&dates.format.to_string())) {
        let zone = treater.dates().and_then(|dates| dates.zone);
        changes.extend(
            treatment.age_at.map(|day| Transformation::Age(form.clone(), zone, show_day(day))),
        );
        let unit = treatment.date_unit.map(|unit| unit.name().to_owned());
        changes.extend(unit.map(|unit| Transformation::Unit(form, zone, unit)));
    }
    changes.extend(treatment.keep_prefix.map(Transformation::Prefix));
    changes.extend(treatment.round.map(|step| Transformation::Round(step.to_string())));
    changes.extend(treatment.top.map(|top| Transformation::Top(top.to_string())));
    changes.extend(treatment.bottom.map(|bottom| Transformation::Bottom(bottom.to_string())));
    if !treatment.breaks.is_empty() {
        let breaks = treatment.breaks.iter().map(ToString::to_string).collect();
        changes.push(Transformation::Breaks(breaks, treater.is_whole()));
    }
    changes
}
