//! What labels tell beyond the values that they contain.
//!
//! A class whose ages are 25, 25, 27 and 28 is released as `[25-28]`. Whoever knows that such ranges end at values of the
//! class knows that somebody in it is 25 and somebody 28: these values *surely occur*. A class of two with that label is told
//! whole. Sets tell all of their values. Labels of a list that was there before the data, such as the nodes of a hierarchy,
//! tell nothing of the kind. All of it is read off the release alone.
//!
//! docs/concepts/refinement.md has the definitions and the proofs.

mod evidence;
mod label_shape;
mod multisets;
mod sure_values;

use std::collections::BTreeMap;

use crate::collected_tables::CollectedTables;
use crate::columns::ReleaseForm;
use crate::label_refinement::{ColumnRefinement, LabelRefinement, RefinementFigures};
use crate::number::NumberStyle;
use label_shape::{LabelShape, shapes};

pub use sure_values::{ImpliedValues, sure_values};

impl RefinementFigures {
    fn add(&mut self, shape: &LabelShape, rows: u64, classes: u64, figures: &ClassFigures) {
        if !shape.is_generalized() {
            return;
        }
        self.fields += rows * classes;
        self.class_columns += classes;
        self.sure_fields += figures.sure * classes;
        self.determined += if figures.sure == rows { classes } else { 0 };
        self.listed += if figures.is_listed { classes } else { 0 };
        // Sums for now.
        self.contained_bits += figures.contained * classes as f64;
        self.fitted_bits += figures.fitted * classes as f64;
        self.unsplittable_bits += figures.unsplittable * classes as f64;
    }

    fn join(&mut self, other: &Self) {
        self.fields += other.fields;
        self.sure_fields += other.sure_fields;
        self.class_columns += other.class_columns;
        self.determined += other.determined;
        self.listed += other.listed;
        self.contained_bits += other.contained_bits;
        self.fitted_bits += other.fitted_bits;
        self.unsplittable_bits += other.unsplittable_bits;
    }

    /// Sums become means.
    fn close(&mut self) {
        let share = |part: f64, all: u64| if all > 0 { part / all as f64 } else { 0.0 };
        self.sure_share = share(self.sure_fields as f64, self.fields);
        self.determined_share = share(self.determined as f64, self.class_columns);
        self.listed_share = share(self.listed as f64, self.class_columns);
        self.contained_bits = share(self.contained_bits, self.class_columns);
        self.fitted_bits = share(self.fitted_bits, self.class_columns);
        self.unsplittable_bits = share(self.unsplittable_bits, self.class_columns);
    }
}

/// What a label tells of a class with so many rows.
struct ClassFigures {
    /// How many values surely occur.
    sure: u64,
    is_listed: bool,
    contained: f64,
    fitted: f64,
    unsplittable: f64,
}

impl ClassFigures {
    fn new(shape: &LabelShape, rows: u64, k: u64, is_fitted: bool) -> Self {
        let contained = multisets::contained(shape.values, rows);
        // A label that names more values than the class has rows was not fitted to it.
        let fitted =
            multisets::fitted(shape.values, shape.sure, rows).filter(|_| is_fitted && rows > 0);
        let sure = if fitted.is_some() { shape.sure.count(shape.values) } else { 0.0 };
        let unsplittable =
            fitted.and_then(|_| multisets::unsplittable(shape.values, shape.sure, rows, k));
        let fitted = fitted.unwrap_or(contained);
        ClassFigures {
            sure: sure as u64,
            is_listed: sure == rows as f64 && sure == shape.values,
            contained,
            fitted,
            unsplittable: unsplittable.unwrap_or(fitted),
        }
    }
}

/// What the labels of the collected classes tell; nothing where no label stands for several values.
pub(crate) fn refinement(collected: &CollectedTables) -> Option<LabelRefinement> {
    let mut found = LabelRefinement::default();
    for at in 0..collected.quasi.len() {
        let mut column = column_refinement(collected, at);
        if column.figures.fields > 0 {
            found.all.join(&column.figures);
            column.figures.close();
            found.columns.push(column);
        }
    }
    found.all.close();
    (!found.columns.is_empty()).then_some(found)
}

fn column_refinement(collected: &CollectedTables, at: usize) -> ColumnRefinement {
    let quasi = &collected.quasi[at];
    let requirements = &collected.requirements;
    let name = &quasi.name;
    let texts = ReleasedTexts::new(collected, quasi.form, requirements.style(name));
    let labels: Vec<&str> = texts.labels.iter().map(String::as_str).collect();
    let shapes = shapes(
        &labels,
        &texts.style,
        requirements.ladders.get(name),
        requirements.orders.get(name).map(Vec::as_slice),
        &requirements.missing,
    );
    // Classes of one size and label are the same to us.
    let mut alike: BTreeMap<(u32, u64), u64> = BTreeMap::new();
    for class in 0..collected.classes.len() {
        let label = texts.of_class[class];
        *alike.entry((label, collected.classes.count(class))).or_default() += 1;
    }
    let mut classes_with = vec![0; shapes.len()];
    alike.iter().for_each(|((label, _), classes)| classes_with[*label as usize] += classes);
    let counted: Vec<(&LabelShape, u64)> = shapes.iter().zip(classes_with).collect();
    let fitted = !requirements.fixed_labels.contains(name) && evidence::may_be_fitted(&counted);
    let mut figures = RefinementFigures::default();
    // Sums do not depend on the order in which labels were met.
    let mut alike: Vec<((u32, u64), u64)> = alike.into_iter().collect();
    alike.sort_unstable_by_key(|&((label, rows), _)| (labels[label as usize], rows));
    for ((label, rows), classes) in alike {
        let shape = &shapes[label as usize];
        let of_class = ClassFigures::new(shape, rows, requirements.k, fitted);
        figures.add(shape, rows, classes, &of_class);
    }
    ColumnRefinement { column: name.clone(), fitted, figures }
}

/// The different labels of a column, each as one text, and which of them each class has.
struct ReleasedTexts {
    labels: Vec<String>,
    of_class: Vec<u32>,
    style: NumberStyle,
}

impl ReleasedTexts {
    fn new(collected: &CollectedTables, form: ReleaseForm, style: NumberStyle) -> Self {
        let classes = 0..collected.classes.len();
        match form {
            ReleaseForm::Label(at) => ReleasedTexts {
                labels: collected.labels[at].iter().map(str::to_owned).collect(),
                of_class: classes.map(|class| collected.classes.key(class)[at]).collect(),
                style,
            },
            ReleaseForm::Bounds(least, most) => {
                let mut labels = Vec::new();
                let mut place: BTreeMap<(u32, u32), u32> = BTreeMap::new();
                let of_class = classes.map(|class| {
                    let key = collected.classes.key(class);
                    *place.entry((key[least], key[most])).or_insert_with(|| {
                        let text = |at: usize| collected.labels[at].get(key[at]);
                        let (low, high) = (text(least), text(most));
                        labels.push(match low == high {
                            true => low.to_owned(),
                            false => format!("[{low} to {high}]"),
                        });
                        labels.len() as u32 - 1
                    })
                });
                let of_class = of_class.collect();
                ReleasedTexts { labels, of_class, style }
            }
        }
    }
}
