//! From counted rows to a verdict.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::collected_tables::CollectedTables;
use crate::error::{Error, Result};
use crate::merge::settle;
use crate::models::{ModelMeasure, OverallDistribution};
use crate::refinement::refinement;
use crate::repeated_subjects;
use crate::requirements::{Model, ReferenceDistribution, SensitiveModel};
use crate::risk_judge;
use crate::subject_risks::SubjectRisks;
use crate::truth::{self, ColumnShift, TruthFindings};
use crate::tuples::TupleCounts;
use crate::verdict::{
    ModelVerdict, OverallSource, Risk, SHOWN, SizeDistribution, Verdict, Violation,
    ViolationExample, ViolationKind, WildcardReading, counted, short, shown, shown_rows,
};
use crate::wildcard::{WildcardCrowds, crowds};

pub(crate) fn verdict(mut collected: CollectedTables) -> Result<Verdict> {
    settle(&mut collected);
    collected.classes.close();
    let required_k = collected.requirements.k;
    let rows = collected.rows.total();
    let classes = collected.classes.len() as u64;
    // Where several rows can be of one person, people are counted, not rows.
    let people = collected.has_unit.then(|| people(&collected));
    let crowd_sizes = people.as_deref().unwrap_or(collected.classes.counts());
    let sizes = SizeDistribution::of(crowd_sizes);
    let mut notes = Vec::new();
    let mut violations = leaked_columns(&collected);

    let (reading, k, small) = if collected.requirements.wildcards {
        if !collected.requirements.models.is_empty() {
            notes.push(
                "with `*` matching anything only k is measured; models, class sizes and \
                 risks are those of equal rows"
                    .to_owned(),
            );
        }
        let star: Vec<_> = collected.labels.iter().map(|labels| labels.find("*")).collect();
        let WildcardCrowds { smallest, small } = crowds(&collected.classes, &star, required_k);
        (WildcardReading::Wildcard, smallest, small)
    } else {
        let counts = crowd_sizes.iter().zip(0..);
        let small = counts.map(|(&count, class)| (class, count));
        let small = small.filter(|&(_, count)| count < required_k).collect();
        (WildcardReading::Value, sizes.as_ref().map(|sizes| sizes.min), small)
    };
    violations.extend(small_classes(&collected, &small));

    let refinement = refinement(&collected);
    let subjects = subject_risks(&collected, crowd_sizes);
    let (mut risks, unmet) = risk_judge::judge(&collected, crowd_sizes, &subjects);
    violations.extend(unmet);

    let mut models = Vec::new();
    for required in std::mem::take(&mut collected.requirements.models) {
        let (model, violation) = judge_model(&mut collected, &required)?;
        notes.extend(differing(&model));
        models.push(model);
        violations.extend(violation);
        violations.extend(of_several_rows(&collected, &required));
    }
    if collected.requirements.risks.max_bias.is_some() && collected.originals.is_none() {
        let needed = "a limit on bias is measured against the original, which is not given";
        return Err(Error::Requirements(needed.to_owned()));
    }
    let original = collected.originals.take().map(|mut originals| {
        let TruthFindings { comparison, violations: found, spelled, bias } =
            truth::compare(&collected, &mut originals);
        violations.extend(found);
        notes.extend(spelled);
        if let Some(ColumnShift { column, verdict }) = bias {
            violations.extend((!verdict.holds).then(|| Violation {
                column,
                rows,
                ..Violation::new(ViolationKind::Bias, verdict.text.clone())
            }));
            risks.push(verdict);
        }
        if !comparison.unchecked.is_empty() {
            notes.push(format!(
                "not compared with the original: {}",
                comparison.unchecked.join(", ")
            ));
        }
        comparison
    });
    let risk = sizes.as_ref().map(|sizes| Risk::of(sizes, &subjects));
    let unit = collected.requirements.unit.clone();
    let units = collected.has_unit.then(|| units(&collected));
    let holds = violations.is_empty();
    Ok(Verdict {
        holds,
        reading,
        required_k,
        k,
        unit,
        units,
        rows,
        classes,
        sizes,
        risk,
        refinement,
        models,
        risks,
        original,
        violations,
        notes,
    })
}

/// How many people each class holds: the different values in it of the column that tells them apart.
fn people(collected: &CollectedTables) -> Vec<u64> {
    let mut people = vec![0; collected.classes.len()];
    let pairs = collected.values.first().and_then(|unit| unit.histograms.as_ref());
    if let Some(pairs) = pairs {
        (0..pairs.len()).for_each(|pair| people[pairs.key(pair)[0] as usize] += 1);
    }
    people
}

/// How many people there are in all.
fn units(collected: &CollectedTables) -> u64 {
    let pairs = collected.values.first().and_then(|unit| unit.histograms.as_ref());
    let mut seen: Vec<u32> =
        pairs.iter().flat_map(|pairs| (0..pairs.len()).map(|pair| pairs.key(pair)[1])).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() as u64
}

fn leaked_columns(collected: &CollectedTables) -> Vec<Violation> {
    let identifying = &collected.requirements.identifying;
    let leaked = collected.header.iter().filter(|name| identifying.contains(name));
    leaked
        .map(|name| Violation {
            kind: ViolationKind::IdentifyingColumn,
            message: format!("the identifying column `{name}` is in the release"),
            column: Some(name.clone()),
            classes: collected.classes.len() as u64,
            rows: collected.rows.total(),
            examples: Vec::new(),
        })
        .collect()
}

fn small_classes(collected: &CollectedTables, small: &[(u32, u64)]) -> Option<Violation> {
    let k = collected.requirements.k;
    let mut tally = ViolationTally::default();
    for &(class, crowd) in small {
        tally.add(class, crowd as f64, crowd as f64, collected.classes.count(class as usize));
    }
    let what = if collected.requirements.wildcards { "crowd" } else { "class" };
    let of_units = match &collected.requirements.unit {
        Some(unit) => format!(" different values of `{unit}`"),
        None => String::new(),
    };
    let few = |crowd: f64| format!("a {what} of {crowd}{of_units} where {k} are required");
    tally.violation(
        collected,
        ViolationKind::SmallClass,
        None,
        |classes, rows| format!("{k}-anonymity: not met by {}", classes_of(classes, rows)),
        few,
    )
}

/// Why a model may be met against one reference and not against the other, where that is so or cannot be known.
fn differing(model: &ModelVerdict) -> Option<String> {
    let ModelVerdict { column, model: asked, overall, against_release, holds, .. } = model;
    let letter = asked.letter();
    match (overall, against_release) {
        (Some(OverallSource::Release), _) if !holds => Some(format!(
            "{asked} of `{column}` is measured against the shares of the release; compare \
             with the original to measure it as a run does"
        )),
        (Some(_), Some(own)) if *holds && !asked.is_met_by(*own) => Some(format!(
            "against the shares of the release alone, {letter} of `{column}` is {}, because \
             suppressed rows are missing from them",
            short(*own)
        )),
        _ => None,
    }
}

fn judge_model(
    collected: &mut CollectedTables,
    required: &SensitiveModel,
) -> Result<(ModelVerdict, Option<Violation>)> {
    let SensitiveModel { column, model, overall, .. } = required;
    let missing = &collected.requirements.missing;
    let index = collected.values.iter().position(|values| values.name == *column);
    let index = index.expect("there is a column for every model");
    let sensitive = &mut collected.values[index];
    let pairs = sensitive.histograms.as_ref().expect("a model's column has histograms");

    let mut in_release = vec![0; sensitive.values.len()];
    let by_unit = collected.requirements.unit.is_some();
    if by_unit {
        // Who carries a value counts once, in however many classes.
        let mut carried: Vec<[u32; 2]> =
            (0..pairs.len()).map(|pair| [pairs.key(pair)[1], pairs.key(pair)[2]]).collect();
        carried.sort_unstable();
        carried.dedup();
        carried.iter().for_each(|pair| in_release[pair[0] as usize] += 1);
    } else {
        for pair in 0..pairs.len() {
            in_release[pairs.key(pair)[1] as usize] += pairs.count(pair);
        }
    }
    let in_original = collected.originals.as_ref().and_then(|originals| originals.overall(index));
    let reference = collected.requirements.reference;
    let (mut counts, source) = match (overall, in_original) {
        _ if reference == ReferenceDistribution::Release => {
            (in_release.clone(), OverallSource::Release)
        }
        (Some(given), _) => {
            let mut counts = vec![0; sensitive.values.len()];
            for (value, count) in given {
                let value = sensitive.values.intern(value.as_bytes(), u64::MAX, missing);
                let value = value.expect("a string is UTF-8") as usize;
                counts.resize(sensitive.values.len(), 0);
                counts[value] += count;
            }
            (counts, OverallSource::Given)
        }
        (None, Some(original)) if !by_unit => (original.to_vec(), OverallSource::Original),
        (None, _) => (in_release.clone(), OverallSource::Release),
    };
    counts.resize(sensitive.values.len(), 0);
    in_release.resize(sensitive.values.len(), 0);
    let present: Vec<bool> = in_release.iter().map(|&count| count > 0).collect();
    let ladder = collected.requirements.ladders.get(column);
    let overall = OverallDistribution::new(counts);
    let nothing = sensitive.values.missing();
    let values = &sensitive.values;
    let mut measure = ModelMeasure::new(required, values, missing, overall, &present, ladder)?;
    // Everybody can count the release's own shares, so it is said what the classes are against those.
    let mut alone = match source {
        OverallSource::Release => None,
        _ if !model.needs_overall() => None,
        _ => Some(ModelMeasure::new(
            required,
            values,
            missing,
            OverallDistribution::new(in_release),
            &present,
            ladder,
        )?),
    };

    let histograms = by_class(pairs, collected.classes.len());
    let people = by_unit.then(|| people(collected));
    let varied =
        matches!(model, Model::DistinctL(_) | Model::EntropyL(_) | Model::RecursiveCL { .. });
    let nothing = nothing.filter(|_| varied && !collected.requirements.count_missing);
    let mut achieved: Option<f64> = None;
    let mut against_release: Option<f64> = None;
    let mut tally = ViolationTally::default();
    for class in 0..collected.classes.len() {
        let crowd = people.as_ref().map(|people| people[class]);
        let mut held = Cow::Borrowed(histograms.of(class));
        // Whoever has no value may have any: a missing one adds nothing to a variety.
        if nothing.is_some_and(|nothing| held.iter().any(|&(value, _)| value == nothing)) {
            held.to_mut().retain(|&(value, _)| Some(value) != nothing);
        }
        let mut measured = measure.of(&held, crowd);
        if let Some(alone) = &mut alone {
            let own = alone.of(&held, crowd);
            against_release = Some(against_release.map_or(own, |worst| measure.worse(worst, own)));
            if reference == ReferenceDistribution::Both {
                measured = measure.worse(measured, own);
            }
        }
        achieved = Some(achieved.map_or(measured, |worst| measure.worse(worst, measured)));
        if !measure.satisfied(measured) {
            // Both kinds of models get worse towards the value `worse` prefers.
            let low_is_bad = measure.worse(0.0, 1.0) == 0.0;
            let goodness = if low_is_bad { measured } else { -measured };
            tally.add(class as u32, goodness, measured, collected.classes.count(class));
        }
    }
    let violation = tally.violation(
        collected,
        ViolationKind::Model,
        Some(column),
        |classes, rows| format!("{model} of `{column}`: not met by {}", classes_of(classes, rows)),
        |measured| format!("{} = {}", model.letter(), short(measured)),
    );
    let verdict = ModelVerdict {
        column: column.clone(),
        model: *model,
        achieved,
        overall: model.needs_overall().then_some(source),
        against_release,
        holds: violation.is_none(),
    };
    Ok((verdict, violation))
}

/// What is wrong with a model for people with several rows, where they are told apart.
fn of_several_rows(collected: &CollectedTables, required: &SensitiveModel) -> Option<Violation> {
    let unit = collected.requirements.unit.as_ref()?;
    let sensitive = collected.values.iter().find(|values| values.name == required.column)?;
    let pairs = sensitive.histograms.as_ref().filter(|pairs| pairs.width() == 3)?;
    let counted = collected.requirements.count_missing;
    let nothing = sensitive.values.missing().filter(|_| !counted);
    repeated_subjects::violation(required, pairs, unit, nothing)
}

/// The histograms of all classes, one behind the other.
struct ClassHistograms {
    starts: Vec<u32>,
    entries: Vec<(u32, u64)>,
}

impl ClassHistograms {
    fn of(&self, class: usize) -> &[(u32, u64)] {
        &self.entries[self.starts[class] as usize..self.starts[class + 1] as usize]
    }
}

/// Sorts pairs (class, value) by class and value: sums of doubles then do not depend on the order of
/// rows. Where units are told apart, each that carries a value counts once.
fn by_class(pairs: &TupleCounts, classes: usize) -> ClassHistograms {
    let mut starts = vec![0; classes + 1];
    for pair in 0..pairs.len() {
        starts[pairs.key(pair)[0] as usize + 1] += 1;
    }
    for class in 0..classes {
        starts[class + 1] += starts[class];
    }
    let mut next = starts.clone();
    let mut entries = vec![(0, 0); pairs.len()];
    let by_unit = pairs.width() == 3;
    for pair in 0..pairs.len() {
        let [class, value] = [pairs.key(pair)[0] as usize, pairs.key(pair)[1] as usize];
        let count = if by_unit { 1 } else { pairs.count(pair) };
        entries[next[class] as usize] = (value as u32, count);
        next[class] += 1;
    }
    for class in starts.windows(2) {
        entries[class[0] as usize..class[1] as usize].sort_unstable();
    }
    if !by_unit {
        return ClassHistograms { starts, entries };
    }
    let mut summed = ClassHistograms { starts: vec![0], entries: Vec::new() };
    for class in starts.windows(2) {
        let values = entries[class[0] as usize..class[1] as usize].chunk_by(|a, b| a.0 == b.0);
        summed.entries.extend(values.map(|units| (units[0].0, units.len() as u64)));
        summed.starts.push(summed.entries.len() as u32);
    }
    summed
}

/// The classes that break a requirement: how many, and the worst of them.
#[derive(Default)]
struct ViolationTally {
    classes: u64,
    rows: u64,
    /// Goodness, class and measured quantity; the worst first, ties in order of appearance.
    worst: Vec<(f64, u32, f64)>,
}

impl ViolationTally {
    fn add(&mut self, class: u32, goodness: f64, measured: f64, rows: u64) {
        self.classes += 1;
        self.rows += rows;
        let at = self.worst.partition_point(|&(other, ..)| other <= goodness);
        if at < SHOWN {
            self.worst.insert(at, (goodness, class, measured));
            self.worst.truncate(SHOWN);
        }
    }

    fn violation(
        self,
        collected: &CollectedTables,
        kind: ViolationKind,
        column: Option<&String>,
        message: impl Fn(u64, u64) -> String,
        finding: impl Fn(f64) -> String,
    ) -> Option<Violation> {
        if self.classes == 0 {
            return None;
        }
        let examples = self.worst.iter().map(|&(_, class, measured)| {
            let class = class as usize;
            let values = collected.class_values(class);
            let size = collected.classes.count(class);
            let rows: Vec<u64> = collected.classes.rows(class).collect();
            let message =
                format!("{} ({}): {}", shown(&values), shown_rows(&rows, size), finding(measured));
            let bare = format!("{}: {}", shown_rows(&rows, size), finding(measured));
            ViolationExample { values, size, measured: Some(measured), rows, message, bare }
        });
        Some(Violation {
            kind,
            message: message(self.classes, self.rows),
            column: column.cloned(),
            classes: self.classes,
            rows: self.rows,
            examples: examples.collect(),
        })
    }
}

fn classes_of(classes: u64, rows: u64) -> String {
    format!("{} ({})", counted(classes, "class", "classes"), counted(rows, "row", "rows"))
}

/// Reads the risks of people off the classes, of which each holds so many: rows, or units, of which one may be in several.
fn subject_risks(collected: &CollectedTables, people: &[u64]) -> SubjectRisks {
    let mut by_size: BTreeMap<u64, u64> = BTreeMap::new();
    if !collected.has_unit {
        people.iter().for_each(|&size| *by_size.entry(size).or_default() += size);
        return SubjectRisks::new(by_size);
    }
    let pairs = collected.values.first().and_then(|unit| unit.histograms.as_ref());
    let mut smallest: BTreeMap<u32, u64> = BTreeMap::new();
    for pair in 0..pairs.map_or(0, |pairs| pairs.len()) {
        let Some(&[class, unit, ..]) = pairs.map(|pairs| pairs.key(pair)) else { continue };
        let size = people[class as usize];
        let known = smallest.entry(unit).or_insert(size);
        *known = size.min(*known);
    }
    smallest.into_values().for_each(|size| *by_size.entry(size).or_default() += 1);
    SubjectRisks::new(by_size)
}
