//! What a verifier is told of a column, because a release alone does not show it.

use serde::{Deserialize, Serialize};

use crate::date::DateForm;
use crate::number::{Number, NumberStyle};
use crate::value::MissingTokens;

/// What is known of a column beyond its role: how it writes numbers, what was done to its values before they were
/// released, and what it was called then.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnFormat {
    /// How numbers are written, in the original and in the release.
    pub style: NumberStyle,
    /// What was done to every value of the original, one after the other.
    pub changes: Vec<Transformation>,
    /// The column's name in the original, if it had another one.
    pub original: Option<String>,
}

/// Something that was done to every value of a column. Numbers in it are plain decimals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transformation {
    /// Numbers became the nearest multiple of this, halves away from zero.
    Round(String),
    /// Numbers from this one on became `90+`.
    Top(String),
    /// Numbers up to this one became `<=18`.
    Bottom(String),
    /// Numbers became the ranges between these; whether ranges of whole numbers end before the next break.
    Breaks(Vec<String>, bool),
    /// Values kept so many characters.
    Prefix(u32),
    /// Birth dates, written so and counted in this zone (minutes east of UTC), became ages in completed years on a day
    /// such as `2026-01-01`.
    Age(DateForm, Option<i64>, String),
    /// Dates, written so and counted in this zone, became the unit that they lie in: `month`, `quarter`, `year`, ...
    Unit(DateForm, Option<i64>, String),
    /// Values kept so many of their last characters, and showed how many others there were; values no longer than that
    /// showed none.
    Last(u32),
    /// Values became the first letters of their words, each with a point behind it.
    Initials,
    /// Every value became this text.
    Fixed(String),
    /// ZIP codes of the United States became their first three digits, 000 where 20,000 people or fewer live by the census
    /// of this year.
    Zip3(u16),
}

impl Transformation {
    /// Whether labels show it: `90+` speaks of all numbers from 90 on, whoever made it.
    fn shows(&self) -> bool {
        matches!(
            self,
            Transformation::Top(_) | Transformation::Bottom(_) | Transformation::Breaks(..)
        )
    }
}

impl ColumnFormat {
    /// What an original value of a column that is compared by equality became.
    pub(crate) fn changed(&self, value: &str, missing: &MissingTokens) -> String {
        self.apply(value, missing, |_| true)
    }

    /// What an original value became as far as its label does not show it.
    pub(crate) fn hidden(&self, value: &str, missing: &MissingTokens) -> String {
        self.apply(value, missing, |change| !change.shows())
    }

    fn apply(
        &self,
        value: &str,
        missing: &MissingTokens,
        which: impl Fn(&Transformation) -> bool,
    ) -> String {
        let mut value = value.to_owned();
        if missing.contains(&value) {
            return value;
        }
        for change in self.changes.iter().filter(|change| which(change)) {
            if let Some(new) = change.of(&value, &self.style) {
                value = new;
            }
        }
        value
    }
}

impl Transformation {
    /// What becomes of a value; nothing if it stays as it is.
    fn of(&self, value: &str, style: &NumberStyle) -> Option<String> {
        if let Transformation::Prefix(kept) = self {
            return Some(value.trim().chars().take(*kept as usize).collect());
        }
        match self {
            Transformation::Last(kept) => return Some(last(value.trim(), *kept as usize)),
            Transformation::Initials => return Some(initials(value)),
            Transformation::Fixed(text) => return Some(text.clone()),
            Transformation::Zip3(year) => return Some(zip3(value.trim(), *year)),
            Transformation::Age(form, zone, day) => return form.age(value, *zone, day),
            Transformation::Unit(form, zone, unit) => return form.unit_of(value, *zone, unit),
            _ => {}
        }
        let number = style.read(value)?;
        match self {
            Transformation::Prefix(_)
            | Transformation::Age(..)
            | Transformation::Unit(..)
            | Transformation::Last(_)
            | Transformation::Initials
            | Transformation::Fixed(_)
            | Transformation::Zip3(_) => None,
            Transformation::Round(step) => {
                let rounded = number.rounded(&Number::parse(step)?)?;
                Some(style.write(&rounded))
            }
            Transformation::Top(top) => {
                let top = Number::parse(top)?;
                (number >= top).then(|| format!("{}+", style.write(&top)))
            }
            Transformation::Bottom(bottom) => {
                let bottom = Number::parse(bottom)?;
                (number <= bottom).then(|| format!("<={}", style.write(&bottom)))
            }
            Transformation::Breaks(breaks, whole) => {
                let breaks: Vec<Number> =
                    breaks.iter().map(|text| Number::parse(text)).collect::<Option<_>>()?;
                let below = breaks.iter().rev().find(|at| **at <= number);
                let above = breaks.iter().find(|at| **at > number);
                Some(match (below, above) {
                    (Some(low), Some(high)) => between(low, high, *whole, style)?,
                    (Some(low), None) => format!("{}+", style.write(low)),
                    (None, Some(high)) => format!("<{}", style.write(high)),
                    (None, None) => return None,
                })
            }
        }
    }
}

/// The areas of 20,000 people or fewer by the census of a year: for 2000 as the guidance on the Safe Harbor method names
/// them, later ones as they are counted.
fn small_areas(census: u16) -> &'static str {
    match census {
        2000 => "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893",
        _ => "036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893",
    }
}

fn zip3(value: &str, census: u16) -> String {
    let digits: Vec<char> = value.chars().take_while(|&c| c != '-').collect();
    if !(3..=5).contains(&digits.len()) || !digits.iter().all(char::is_ascii_digit) {
        return "000".to_owned();
    }
    let zeros = std::iter::repeat_n('0', 5 - digits.len());
    let area: String = zeros.chain(digits).take(3).collect();
    if small_areas(census).split(' ').any(|small| small == area) { "000".to_owned() } else { area }
}

fn last(value: &str, kept: usize) -> String {
    let letters: Vec<char> = value.chars().collect();
    let hidden = if letters.len() > kept { letters.len() - kept } else { letters.len() };
    let shown = letters.iter().enumerate();
    shown.map(|(at, &letter)| if at < hidden { '*' } else { letter }).collect()
}

fn initials(value: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for letter in value.chars() {
        if letter.is_alphanumeric() && !inside {
            text.extend(letter.to_uppercase());
            text.push('.');
        }
        inside = letter.is_alphanumeric();
    }
    text
}

fn between(low: &Number, high: &Number, whole: bool, style: &NumberStyle) -> Option<String> {
    let last = if whole { high.less_one()? } else { high.clone() };
    let (first, last) = (style.write(low), style.write(&last));
    Some(if first == last {
        first
    } else if first.starts_with('-') || last.starts_with('-') {
        format!("[{first} to {last}]")
    } else {
        format!("[{first}-{last}]")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(style: NumberStyle, changes: &[Transformation]) -> ColumnFormat {
        ColumnFormat { style, changes: changes.to_vec(), original: None }
    }

    #[test]
    fn values_become_what_was_told() {
        let missing = MissingTokens::default();
        let ages = Transformation::Breaks(["0", "18", "65"].map(str::to_owned).to_vec(), true);
        let ages = told(NumberStyle::default(), &[ages]);
        for (value, label) in [
            ("-1", "<0"),
            ("0", "[0-17]"),
            ("17.0", "[0-17]"),
            ("64", "[18-64]"),
            ("65", "65+"),
            ("NA", "NA"),
        ] {
            assert_eq!(ages.changed(value, &missing), label);
            assert_eq!(ages.hidden(value, &missing), value);
        }
        let comma = NumberStyle { point: ',', groups: Some('.') };
        let pay =
            told(comma, &[Transformation::Round("100".into()), Transformation::Top("2000".into())]);
        assert_eq!(pay.changed("1.234,50", &missing), "1.200");
        assert_eq!(pay.changed("1.950", &missing), "2.000+");
        assert_eq!(pay.hidden("1.950", &missing), "2.000");
        let signs = told(
            NumberStyle::default(),
            &[Transformation::Breaks(vec!["-5".into(), "0".into()], false)],
        );
        assert_eq!(signs.changed("-2.5", &missing), "[-5 to 0]");
        let masks = [
            (Transformation::Last(4), "4111-2222", "*****2222"),
            (Transformation::Last(4), "222", "***"),
            (Transformation::Initials, "Bo van-Dyk", "B.V.D."),
            (Transformation::Fixed("x".into()), "Bo", "x"),
            (Transformation::Fixed("x".into()), "NA", "NA"),
        ];
        for (change, value, masked) in masks {
            assert_eq!(told(NumberStyle::default(), &[change]).changed(value, &missing), masked);
        }
        let zip = told(NumberStyle::default(), &[Transformation::Prefix(3)]);
        assert_eq!(zip.hidden("98115", &missing), "981");
    }
}
