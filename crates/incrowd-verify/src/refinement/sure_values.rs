//! The values themselves that surely occur in a class.

use super::evidence;
use super::label_shape::shapes;
use super::multisets::{self, SureValues};
use crate::hierarchy::LabelHierarchy;
use crate::label::Label;
use crate::number::NumberStyle;
use crate::value::MissingTokens;

/// What a label implies of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImpliedValues {
    /// How many values the label stands for.
    pub among: u64,
    /// Those that surely occur.
    pub values: Vec<String>,
}

/// For each of some classes the values that surely occur in it, by its label of a column; none for labels that are no range
/// or set that was fitted. `classes` are places of labels and numbers of rows.
pub fn sure_values(
    labels: &[&str],
    classes: &[(usize, u64)],
    style: &NumberStyle,
    ladder: Option<&LabelHierarchy>,
    missing: &MissingTokens,
) -> Vec<ImpliedValues> {
    let shapes = shapes(labels, style, ladder, None, missing);
    let mut classes_with = vec![0; shapes.len()];
    classes.iter().for_each(|&(label, _)| classes_with[label] += 1);
    let counted: Vec<_> = shapes.iter().zip(classes_with).collect();
    let fitted = evidence::may_be_fitted(&counted);
    let of_class = |&(label, rows): &(usize, u64)| {
        let shape = &shapes[label];
        let holds = multisets::fitted(shape.values, shape.sure, rows).is_some();
        if !fitted || !holds || !shape.is_generalized() {
            return ImpliedValues::default();
        }
        let values = match shape.sure {
            SureValues::None => Vec::new(),
            SureValues::Ends => ends(labels[label], style),
            SureValues::All | SureValues::Some(_) => {
                let mut elements = shape.elements.clone();
                elements.dedup();
                elements
            }
        };
        ImpliedValues { among: shape.values as u64, values }
    };
    classes.iter().map(of_class).collect()
}

/// The two ends of a range, as they are written.
fn ends(text: &str, style: &NumberStyle) -> Vec<String> {
    let text = text.trim();
    let inner = text.strip_prefix(['[', '{', '<']).unwrap_or(text);
    let inner = inner.strip_suffix([']', '}', '>']).unwrap_or(inner);
    let reads = |low: &str, high: &str| match Label::read(text, style) {
        Label::Interval(from, to) => style.read(low) == Some(from) && style.read(high) == Some(to),
        _ => !low.is_empty() && !high.is_empty(),
    };
    [" to ", "..", "–", "-", ",", ";", ":"]
        .into_iter()
        .flat_map(|sign| inner.match_indices(sign))
        .map(|(at, sign)| (inner[..at].trim(), inner[at + sign.len()..].trim()))
        .find(|(low, high)| reads(low, high))
        .map_or_else(Vec::new, |(low, high)| vec![low.to_owned(), high.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(labels: &[&str], rows: u64) -> Vec<Vec<String>> {
        let classes: Vec<(usize, u64)> = (0..labels.len()).map(|at| (at, rows)).collect();
        let (style, missing) = (NumberStyle::default(), MissingTokens::default());
        let found = sure_values(labels, &classes, &style, None, &missing);
        assert!(found.iter().all(|it| it.among >= it.values.len() as u64), "{found:?}");
        found.into_iter().map(|it| it.values).collect()
    }

    #[test]
    fn ends_of_ranges_and_elements_of_sets() {
        let found = told(&["[25-28]", "[27-31]", "30", "*", "[-5-2.5]"], 5);
        assert_eq!(found[0], ["25", "28"]);
        assert_eq!(found[1], ["27", "31"]);
        assert!(found[2].is_empty() && found[3].is_empty());
        assert_eq!(found[4], ["-5", "2.5"]);
        let found = told(&["{a, b}", "{b, c}", "{a, ..., d}", "{a, ..., c, e}"], 5);
        assert_eq!(found, [vec!["a", "b"], vec!["b", "c"], vec!["a", "d"], vec!["a", "c", "e"]]);
        let found = told(&["[2018-04-03 to 2018-04-07]", "[2018-04-05 to 2018-04-09]"], 2);
        assert_eq!(found[0], ["2018-04-03", "2018-04-07"]);
    }

    #[test]
    fn a_label_with_more_names_than_rows_was_not_fitted() {
        assert!(told(&["{a, b, c}", "{c, d, e}"], 2).iter().all(Vec::is_empty));
    }

    #[test]
    fn labels_of_a_list_show_nothing() {
        let round: Vec<String> =
            (1..9).map(|at| format!("[{}-{}]", 10 * at, 10 * at + 19)).collect();
        let round: Vec<&str> = round.iter().map(String::as_str).collect();
        assert!(told(&round, 9).iter().all(Vec::is_empty));
    }
}
