//! What analysts find in a release, beside what they find in its original.

use incrowd_assess::usefulness::{
    AssociationLoss, AssociationMeasure, BeforeAfter, CoefficientInterval, CoefficientPair,
    MarginalScore, NumberShift, RegressionComparison, SubgroupLoss, SubgroupValue,
    UsefulnessReport,
};
use incrowd_engine::words::thousands;

use crate::page::Page;
use crate::percent;

/// Names and what they are.
type UsefulnessFacts = Vec<(String, String)>;

/// A number with as many digits as say something.
fn figure(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-4..1e15).contains(&size) => format!("{number:.3e}"),
        size if size >= 1_000.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}

fn told(number: Option<f64>) -> String {
    number.map_or_else(|| "?".to_owned(), figure)
}

fn both(value: BeforeAfter) -> String {
    format!("{} before, {} after", told(value.before), told(value.after))
}

fn measure(of: AssociationMeasure) -> &'static str {
    match of {
        AssociationMeasure::Pearson => "Pearson correlation",
        AssociationMeasure::CramersV => "Cram\u{e9}r's V",
        AssociationMeasure::CorrelationRatio => "correlation ratio",
    }
}

/// The comparison for a terminal: lines of a name, which may be empty, and what it is.
pub(crate) fn usefulness_lines(found: &UsefulnessReport) -> UsefulnessFacts {
    let mut lines = UsefulnessFacts::new();
    let mut several = |name: &str, texts: Vec<String>| {
        for (at, text) in texts.into_iter().enumerate() {
            lines.push((if at == 0 { name.to_owned() } else { String::new() }, text));
        }
    };
    let mean = |it: &NumberShift| format!("{}: {}", it.column, both(it.mean));
    several("means", found.numbers.iter().map(mean).collect());
    let median = |it: &NumberShift| {
        let middle = it.quantiles.iter().find(|quantile| quantile.share == 0.5)?;
        Some(format!("{}: {}", it.column, both(middle.value)))
    };
    several("medians", found.numbers.iter().filter_map(median).collect());
    let shares = found.categories.iter();
    let shares = shares.map(|it| format!("{}: {} apart", it.column, percent(it.distance)));
    several("shares", shares.collect());
    several("IL1s", found.il1s.map(figure).into_iter().collect());
    several("regressions", regressions(found));
    several("pMSE", propensity(found).into_iter().collect());
    several("associations", associations(found));
    several("k-marginals", marginals(found));
    several("subgroups", found.subgroups.iter().filter_map(worst).collect());
    lines
}

fn regressions(found: &UsefulnessReport) -> Vec<String> {
    let text = |it: &RegressionComparison| {
        format!(
            "{} ({}): intervals of {} coefficients overlap by {} on average",
            it.outcome,
            it.model,
            thousands(it.coefficients.len() as u64),
            percent(it.overlap)
        )
    };
    found.regressions.iter().map(text).collect()
}

fn propensity(found: &UsefulnessReport) -> Option<String> {
    let score = found.propensity.as_ref()?;
    let ratio = score.ratio.map_or_else(String::new, |ratio| {
        format!("; {} times what rows drawn anew would have", figure(ratio))
    });
    Some(format!("{}{ratio}", figure(score.pmse)))
}

fn associations(found: &UsefulnessReport) -> Vec<String> {
    let text = |it: &AssociationLoss| {
        format!(
            "{}: {} off on average over {} pairs, {} at most",
            measure(it.measure),
            figure(it.mean_difference),
            thousands(it.pairs),
            figure(it.largest_difference)
        )
    };
    found.association_loss.iter().map(text).collect()
}

fn marginals(found: &UsefulnessReport) -> Vec<String> {
    let text = |it: &MarginalScore| {
        let marginals = thousands(it.marginals);
        format!("{:.1} of 1,000 over {marginals} of {} columns", it.score, it.columns)
    };
    found.marginals.iter().map(text).collect()
}

/// The value that loses most, of a column.
fn worst(loss: &SubgroupLoss) -> Option<String> {
    let known = loss.values.iter().filter_map(|value| Some((value.gcp?, value)));
    let (gcp, value) = known.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let suppressed = value
        .suppressed_share
        .map_or_else(String::new, |share| format!(", {} suppressed", percent(share)));
    let named = named(&loss.column, &value.value);
    Some(format!("{named} loses most: {}{suppressed}", percent(gcp)))
}

fn named(column: &str, value: &str) -> String {
    match value.trim().is_empty() {
        true => format!("no value of {column}"),
        false => format!("{column} = {value}"),
    }
}

/// The comparison on a page.
pub(crate) fn usefulness_section(page: &mut Page, found: &UsefulnessReport) {
    page.heading("What analysts find");
    let how = "Labels are read by one convention: all values that a label holds are equally likely, and a blank is read as \
               the column's other labels are distributed.";
    page.paragraph("soft", how);
    if !found.numbers.is_empty() {
        let row = |it: &NumberShift| {
            let quantile = |share: f64| it.quantiles.iter().find(|q| q.share == share);
            let mut row = vec![it.column.clone()];
            let pairs = [Some(it.mean), Some(it.deviation)].into_iter();
            let quantiles = [0.25, 0.5, 0.75].map(|share| quantile(share).map(|q| q.value));
            for pair in pairs.chain(quantiles) {
                row.push(pair.map_or_else(String::new, |it| told(it.before)));
                row.push(pair.map_or_else(String::new, |it| told(it.after)));
            }
            row
        };
        let rows: Vec<Vec<String>> = found.numbers.iter().map(row).collect();
        let header =
            ["before and after", "mean", "", "deviation", "", "25 %", "", "50 %", "", "75 %", ""];
        page.table(&header, &rows);
    }
    for of in &found.regressions {
        let name = match &of.event {
            Some(event) => format!("logistic regression of {}", named(&of.outcome, event)),
            None => format!("linear regression of {}", of.outcome),
        };
        let row = |it: &CoefficientPair| {
            let interval = |it: &CoefficientInterval| {
                format!("{} [{}, {}]", figure(it.estimate), figure(it.low), figure(it.high))
            };
            let column = match &it.category {
                Some(category) => named(&it.column, category),
                None => it.column.clone(),
            };
            let after = it.after.as_ref().map_or_else(|| "?".to_owned(), interval);
            vec![column, interval(&it.before), after, percent(it.overlap)]
        };
        let rows: Vec<Vec<String>> = of.coefficients.iter().map(row).collect();
        page.table(&[name.as_str(), "before", "after", "overlap"], &rows);
    }
    let mut facts: UsefulnessFacts = Vec::new();
    facts.extend(found.il1s.map(|it| ("IL1s".to_owned(), figure(it))));
    facts.extend(propensity(found).map(|text| ("pMSE".to_owned(), text)));
    facts.extend(associations(found).into_iter().map(|text| ("associations".to_owned(), text)));
    facts.extend(marginals(found).into_iter().map(|text| ("k-marginals".to_owned(), text)));
    page.facts(&facts);
    subgroups(page, &found.subgroups);
}

/// The loss by value of columns.
pub(crate) fn subgroups(page: &mut Page, found: &[SubgroupLoss]) {
    if found.iter().all(|loss| loss.values.is_empty()) {
        return;
    }
    page.heading("Loss by subgroup");
    let about = "The certainty penalty of the rows with a value, from 0 to 100%. Values of fewer than k rows are left out, and \
                 numbers of suppressed rows from 1 to k - 1 are not told.";
    page.paragraph("soft", about);
    for loss in found.iter().filter(|loss| !loss.values.is_empty()) {
        let row = |it: &SubgroupValue| {
            vec![
                named(&loss.column, &it.value),
                thousands(it.rows),
                it.gcp.map_or_else(|| "?".to_owned(), percent),
                it.suppressed_share.map_or_else(|| "not told".to_owned(), percent),
                it.mean_class_size.map_or_else(|| "?".to_owned(), |size| format!("{size:.1}")),
            ]
        };
        let rows: Vec<Vec<String>> = loss.values.iter().map(row).collect();
        page.table(&["rows with", "rows", "lost", "suppressed", "mean class size"], &rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_digits_that_say_something() {
        let text: Vec<String> =
            [0.0, 0.5, -12.345, 4321.9, 1e-7, 3e20].into_iter().map(figure).collect();
        assert_eq!(text, ["0", "0.5000", "-12.35", "4322", "1.000e-7", "3.000e20"]);
    }
}
