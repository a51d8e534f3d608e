//! An attribute's ordered values.

use serde::{Deserialize, Serialize};

use super::hierarchy::Hierarchy;
use super::number::{parse_number, show_number};
use crate::kit::{Error, Result};
use crate::table::{Dictionary, UNSEEN};

/// The fields that mean "no value" unless the user says otherwise.
pub const MISSING_TOKENS: [&str; 7] = ["", "NA", "N/A", "NaN", "NULL", "null", "?"];

/// Whether a field means "no value": it is one of the tokens, blanks around either of them aside. So a field of blanks
/// is missing where the empty field is.
pub fn is_missing<S: AsRef<str>>(field: &str, tokens: &[S]) -> bool {
    let field = field.trim();
    tokens.iter().any(|token| token.as_ref().trim() == field)
}

/// A value as texts for people show it: one of nothing but blanks has a name.
pub fn shown_value(value: &str) -> &str {
    if value.trim().is_empty() { MISSING_SHOWN } else { value }
}

/// What a missing value that has no text of its own is called in texts for people.
pub const MISSING_SHOWN: &str = "(missing)";

/// What kind of values a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Numbers, which order themselves.
    Number,
    /// Anything else.
    Text,
}

/// Bins of equal width for a column of numbers: one of them starts at `start`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bins {
    /// How wide a bin is.
    pub width: f64,
    /// Where one of the bins starts.
    pub start: f64,
}

impl Bins {
    /// The closed bounds of the bin that `number` falls into. Among whole numbers the bin from 16
    /// of width 5 is 16 to 20; among others it is 16 to 21, the upper end belonging to the next.
    fn bounds(&self, number: f64, whole: bool) -> (f64, f64) {
        let low = self.start + ((number - self.start) / self.width).floor() * self.width;
        let high = low + self.width;
        let whole = whole && self.width.fract() == 0.0 && self.start.fract() == 0.0;
        (low, if whole { high - 1.0 } else { high })
    }
}

/// How a domain is made out of the values that occur.
#[derive(Debug, Clone, Default)]
pub struct DomainRule {
    /// Numbers or text; decided by the values if not given.
    pub kind: Option<Kind>,
    /// Bins for numbers.
    pub bins: Option<Bins>,
    /// The order of text values.
    pub order: Option<Vec<String>>,
    /// The fields that mean "no value".
    pub missing: Vec<String>,
    /// Read missing values as this value instead of as a value of their own.
    pub missing_as: Option<String>,
}

impl DomainRule {
    /// The rule that suits most columns: decide by the values, the usual tokens mean missing.
    pub fn automatic() -> Self {
        DomainRule { missing: MISSING_TOKENS.map(str::to_owned).to_vec(), ..DomainRule::default() }
    }
}

/// An attribute's ordered values. A value's place in the order is its code.
///
/// Missing, where it occurs, is a value of its own and has code 0. Numbers keep their numeric
/// value; a value may also be a bin, hence a pair of bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    labels: Vec<String>,
    /// The closed bounds of each number or bin. For missing they are never asked for.
    bounds: Option<Vec<(f64, f64)>>,
    missing: bool,
    /// The value that missing ones were read as, where the user mapped them.
    missing_as: Option<String>,
    #[serde(skip)]
    alphabet: Alphabet,
}

/// Whether values lie in the order of the alphabet, once somebody has asked. It says nothing that the values do not.
#[derive(Debug, Clone, Default)]
struct Alphabet(std::sync::OnceLock<bool>);

impl PartialEq for Alphabet {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A domain together with the code of each dictionary entry it was made from.
#[derive(Debug, Clone)]
pub struct Coding {
    /// The domain.
    pub domain: Domain,
    /// For each dictionary code the domain code.
    pub codes: Vec<u32>,
}

/// One dictionary entry on its way into a domain.
enum Entry<'a> {
    Missing(&'a str),
    Value(&'a str),
}

impl Domain {
    /// The domain of the values in a dictionary.
    ///
    /// Numbers are ordered by value, text by the rule's order, else alphabetically. The entries of
    /// the given order that do not occur are left out; a value that the order lacks is an error.
    pub fn build(column: &str, dictionary: &Dictionary, rule: &DomainRule) -> Result<Coding> {
        let entries = Self::entries(dictionary, rule);
        let numbers: Vec<Option<f64>> = entries
            .iter()
            .map(|entry| match entry {
                Entry::Missing(_) => None,
                Entry::Value(value) => parse_number(value),
            })
            .collect();
        let text_at = entries
            .iter()
            .zip(&numbers)
            .find(|(entry, number)| matches!(entry, Entry::Value(_)) && number.is_none());
        let has_values = entries.iter().any(|entry| matches!(entry, Entry::Value(_)));
        let kind = match rule.kind {
            Some(Kind::Number) => {
                if let Some((Entry::Value(value), _)) = text_at {
                    return Err(Error::new(format!(
                        "column {column:?} is declared to hold numbers, but holds {value:?}"
                    ))
                    .help("declare it as text, or add the value to the missing tokens"));
                }
                Kind::Number
            }
            Some(Kind::Text) => Kind::Text,
            None if rule.order.is_some() || text_at.is_some() || !has_values => Kind::Text,
            None => Kind::Number,
        };
        match kind {
            Kind::Number => Self::of_numbers(column, &entries, &numbers, rule),
            Kind::Text => Self::of_text(column, &entries, rule, text_at.is_some()),
        }
    }

    fn entries<'a>(dictionary: &'a Dictionary, rule: &'a DomainRule) -> Vec<Entry<'a>> {
        dictionary
            .iter()
            .map(|value| {
                if !is_missing(value, &rule.missing) {
                    Entry::Value(value)
                } else if let Some(substitute) = &rule.missing_as {
                    Entry::Value(substitute)
                } else {
                    Entry::Missing(value)
                }
            })
            .collect()
    }

    fn of_numbers(
        column: &str,
        entries: &[Entry<'_>],
        numbers: &[Option<f64>],
        rule: &DomainRule,
    ) -> Result<Coding> {
        if rule.order.is_some() {
            return Err(Error::new(format!(
                "column {column:?} holds numbers, which order themselves"
            ))
            .help("leave the order out, or declare the column as text"));
        }
        let whole = numbers.iter().flatten().all(|number| number.fract() == 0.0);
        let bounds_of = |number: f64| match &rule.bins {
            Some(bins) => bins.bounds(number, whole),
            None => (number, number),
        };
        // (low, high, the entry whose text shows the value)
        let mut values: Vec<(f64, f64, usize)> = numbers
            .iter()
            .enumerate()
            .filter_map(|(at, number)| {
                let (low, high) = bounds_of((*number)?);
                Some((low, high, at))
            })
            .collect();
        // Of several spellings of a number the shortest shows it, whichever came first in the rows.
        let spelling = |at: usize| match entries[at] {
            Entry::Value(text) | Entry::Missing(text) => (text.len(), text),
        };
        values.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| spelling(a.2).cmp(&spelling(b.2))));
        values.dedup_by(|next, first| next.0 == first.0);

        let missing = missing_label(entries);
        let offset = u32::from(missing.is_some());
        let codes = numbers
            .iter()
            .map(|number| match number {
                None => 0,
                Some(number) => {
                    let low = bounds_of(*number).0;
                    offset + values.partition_point(|value| value.0 < low) as u32
                }
            })
            .collect();
        let mut labels: Vec<String> = missing.iter().map(|label| (*label).to_owned()).collect();
        // Missing sorts below every number; the bound itself is never asked for.
        let mut bounds = vec![(f64::MIN, f64::MIN); labels.len()];
        for &(low, high, at) in &values {
            labels.push(match entries[at] {
                Entry::Value(value) if rule.bins.is_none() => value.trim().to_owned(),
                _ if low == high => show_number(low),
                _ => range_label(&show_number(low), &show_number(high)),
            });
            bounds.push((low, high));
        }
        let missing_as = rule.missing_as.clone();
        let domain = Domain {
            labels,
            bounds: Some(bounds),
            missing: missing.is_some(),
            missing_as,
            alphabet: Alphabet::default(),
        };
        Ok(Coding { domain, codes })
    }

    fn of_text(
        column: &str,
        entries: &[Entry<'_>],
        rule: &DomainRule,
        is_text: bool,
    ) -> Result<Coding> {
        if rule.bins.is_some() {
            let what = if is_text { "holds text" } else { "is declared as text" };
            return Err(Error::new(format!(
                "column {column:?} {what}: it cannot be put into bins"
            ))
            .help("bins are for numbers; give a text column a hierarchy instead"));
        }
        let mut values: Vec<&str> = Vec::new();
        if let Some(order) = &rule.order {
            let occurring: Dictionary = entries
                .iter()
                .filter_map(|entry| match entry {
                    Entry::Value(value) => Some(*value),
                    Entry::Missing(_) => None,
                })
                .collect();
            let mut seen = Dictionary::new();
            for value in order {
                if seen.get(value).is_some() {
                    return Err(Error::new(format!(
                        "the order of column {column:?} names {value:?} twice"
                    )));
                }
                seen.intern(value);
                if occurring.get(value).is_some() {
                    values.push(value);
                }
            }
            let absent: Vec<&str> =
                occurring.iter().filter(|value| seen.get(value).is_none()).collect();
            if !absent.is_empty() {
                return Err(Error::new(format!(
                    "the order of column {column:?} lacks {}",
                    crate::kit::words::list(&absent)
                ))
                .help("add every value that occurs to the order"));
            }
        } else {
            values = entries
                .iter()
                .filter_map(|entry| match entry {
                    Entry::Value(value) => Some(*value),
                    Entry::Missing(_) => None,
                })
                .collect();
            values.sort_unstable();
            values.dedup();
        }
        let known: Dictionary = values.iter().copied().collect();
        let missing = missing_label(entries);
        let offset = u32::from(missing.is_some());
        let codes = entries
            .iter()
            .map(|entry| match entry {
                Entry::Missing(_) => 0,
                Entry::Value(value) => {
                    offset + known.get(value).expect("the order holds every value")
                }
            })
            .collect();
        let labels = missing.into_iter().chain(values).map(str::to_owned).collect();
        let missing_as = rule.missing_as.clone();
        Ok(Coding {
            domain: Domain {
                labels,
                bounds: None,
                missing: missing.is_some(),
                missing_as,
                alphabet: Alphabet::default(),
            },
            codes,
        })
    }

    /// The same values in the order of a hierarchy's leaves, and the hierarchy over just these
    /// values, missing in a branch of its own where the hierarchy does not name it.
    pub fn arrange(
        coding: Coding,
        column: &str,
        hierarchy: &Hierarchy,
    ) -> Result<(Coding, Hierarchy)> {
        let Coding { domain, codes } = coding;
        let leaves: Dictionary = hierarchy.leaves().collect();
        // The leaf of a value: by its text, or by its number (1.0 in the data, 1 in the hierarchy).
        let by_number: Vec<(f64, u32)> = if domain.is_numeric() {
            let mut numbers: Vec<(f64, u32)> = leaves
                .iter()
                .enumerate()
                .filter_map(|(leaf, label)| Some((parse_number(label)?, leaf as u32)))
                .collect();
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
            numbers
        } else {
            Vec::new()
        };
        let leaf_of = |code: u32| {
            leaves.get(domain.label(code)).or_else(|| {
                let (low, high) = domain.bounds(code).filter(|bounds| bounds.0 == bounds.1)?;
                let at = by_number.partition_point(|leaf| leaf.0 < low);
                by_number.get(at).filter(|leaf| leaf.0 == high).map(|leaf| leaf.1)
            })
        };
        let leaf_of_code: Vec<Option<u32>> = (0..domain.len() as u32).map(leaf_of).collect();
        let uncovered: Vec<&str> = (0..domain.len() as u32)
            .filter(|&code| {
                leaf_of_code[code as usize].is_none() && domain.missing_code() != Some(code)
            })
            .map(|code| domain.label(code))
            .collect();
        if !uncovered.is_empty() {
            return Err(Error::new(format!(
                "the hierarchy of column {column:?} lacks {}",
                crate::kit::words::list(&uncovered)
            ))
            .help("add the values to the hierarchy, or map them in the data"));
        }
        let mut kept = vec![false; leaves.len()];
        for leaf in leaf_of_code.iter().flatten() {
            kept[*leaf as usize] = true;
        }
        let mut hierarchy = hierarchy.restrict(&kept);
        // Missing that the hierarchy does not name stays outside all of its nodes but the root.
        let apart = domain.missing_code().filter(|&code| leaf_of_code[code as usize].is_none());
        if let Some(code) = apart {
            hierarchy = hierarchy.with_missing(domain.label(code));
        }
        let mut order: Vec<u32> = (0..domain.len() as u32).collect();
        order.sort_by_key(|&code| leaf_of_code[code as usize].map_or(0, |leaf| leaf + 1));
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        let named_missing = domain.missing && apart.is_none();
        let ascending = !named_missing
            && domain.bounds.as_ref().is_some_and(|bounds| {
                order
                    .windows(2)
                    .all(|pair| bounds[pair[0] as usize].1 <= bounds[pair[1] as usize].0)
            });
        let arranged = Domain {
            labels: order.iter().map(|&code| domain.label(code).to_owned()).collect(),
            bounds: domain
                .bounds
                .as_ref()
                .filter(|_| ascending)
                .map(|bounds| order.iter().map(|&code| bounds[code as usize]).collect()),
            missing: apart.is_some(),
            missing_as: domain.missing_as.clone(),
            alphabet: Alphabet::default(),
        };
        let codes = codes.into_iter().map(|code| place[code as usize]).collect();
        Ok((Coding { domain: arranged, codes }, hierarchy))
    }

    /// Whether codes, labels and bounds fit together, as they must in a domain read from a file.
    pub(crate) fn is_sound(&self) -> bool {
        let values = usize::from(self.missing);
        let ordered = |bounds: &Vec<(f64, f64)>| {
            bounds.len() == self.labels.len()
                && bounds.iter().all(|bound| bound.0 <= bound.1)
                && bounds.windows(2).all(|pair| pair[0].1 <= pair[1].0)
        };
        self.labels.len() >= values.max(1) && self.bounds.as_ref().is_none_or(ordered)
    }

    /// How many values there are, missing included.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Whether the values are numbers in ascending order.
    pub fn is_numeric(&self) -> bool {
        self.bounds.is_some()
    }

    /// Whether the values other than missing are text in the order of the alphabet.
    pub(super) fn is_alphabetical(&self) -> bool {
        let values = &self.labels[usize::from(self.missing)..];
        self.bounds.is_none() && *self.alphabet.0.get_or_init(|| values.is_sorted())
    }

    /// Where a value lies among those in the order of the alphabet, or would lie.
    pub(super) fn place(&self, label: &str) -> std::result::Result<usize, usize> {
        let values = &self.labels[usize::from(self.missing)..];
        values.binary_search_by(|value| value.as_str().cmp(label))
    }

    /// A value as text.
    pub fn label(&self, code: u32) -> &str {
        &self.labels[code as usize]
    }

    /// The code of missing, if missing occurs.
    pub fn missing_code(&self) -> Option<u32> {
        self.missing.then_some(0)
    }

    /// The closed bounds of a number or bin; none for text and for missing.
    pub fn bounds(&self, code: u32) -> Option<(f64, f64)> {
        self.bounds
            .as_ref()
            .map(|bounds| bounds[code as usize])
            .filter(|_| self.missing_code() != Some(code))
    }

    /// Largest minus smallest number; 0 for text.
    pub fn range(&self) -> f64 {
        let first = u32::from(self.missing);
        if self.len() as u32 <= first {
            return 0.0;
        }
        let low = self.bounds(first);
        let high = self.bounds(self.len() as u32 - 1);
        low.zip(high).map_or(0.0, |(low, high)| high.1 - low.0)
    }

    /// The codes of the fields of new data: the same text, or the same number, or a number in the
    /// same bin; [`UNSEEN`] for the others. Any of the missing tokens is missing where that occurs,
    /// be it as a value that a hierarchy names.
    pub fn codes_of(&self, fields: &Dictionary, missing: &[String]) -> Vec<u32> {
        let known: Dictionary = self.labels.iter().map(String::as_str).collect();
        let is_missing = |field: &str| is_missing(field, missing);
        let named_missing = known.iter().position(is_missing).map(|code| code as u32);
        // Numbers that a hierarchy puts into another order than their own have no bounds.
        let numbers: Vec<Option<f64>> = known.iter().map(parse_number).collect();
        let are_numbers =
            numbers.iter().zip(known.iter()).all(|(n, label)| n.is_some() || is_missing(label));
        let code_of = |field: &str| {
            let field = self.missing_as.as_deref().filter(|_| is_missing(field)).unwrap_or(field);
            if let Some(code) = self.missing_code().or(named_missing)
                && is_missing(field)
            {
                return Some(code);
            }
            let number = parse_number(field);
            let (Some(bounds), Some(number)) = (&self.bounds, number) else {
                let spelled_otherwise = || {
                    let at =
                        numbers.iter().position(|known| number.is_some() && *known == number)?;
                    are_numbers.then_some(at as u32)
                };
                return known.get(field).or_else(spelled_otherwise);
            };
            // From the right: where two bins touch, the number is the upper one's.
            let code = bounds.partition_point(|bound| bound.0 <= number).checked_sub(1)?;
            let held = number <= bounds[code].1 && code >= usize::from(self.missing);
            held.then_some(code as u32)
        };
        fields.iter().map(|field| code_of(field).unwrap_or(UNSEEN)).collect()
    }
}

fn missing_label<'a>(entries: &[Entry<'a>]) -> Option<&'a str> {
    entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Missing(label) => Some(*label),
            Entry::Value(_) => None,
        })
        // Which spelling stands for missing must not depend on the order of rows.
        .min()
}

/// The label of a closed range.
pub(crate) fn range_label(low: &str, high: &str) -> String {
    format!("[{low}-{high}]")
}
