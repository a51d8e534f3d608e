//! Values that are replaced as they are read: pseudonyms, masks, shifted dates, fixed text.

use std::collections::HashMap;

use incrowd_engine::value::{DateScale, Moment, is_missing};

use super::chunk::{Chunk, FieldSpan};
use crate::mask_method::ZipCensus;
use crate::secret_key::SecretKey;
use crate::{Error, Result};

/// A masked column.
#[derive(Debug)]
pub(super) struct ColumnMask {
    /// Its place in the source.
    pub(super) column: usize,
    pub(super) how: MaskRule,
    pub(super) missing: Vec<String>,
}

/// What becomes of its values.
#[derive(Debug)]
pub(super) enum MaskRule {
    Pseudonym(SecretKey),
    Last(u32),
    Initials,
    Fixed(String),
    Zip3(ZipCensus),
    Shift { scale: DateScale, key: SecretKey, days: u32, weekday: bool, unit: usize },
}

/// The letters of pseudonyms: none looks like another.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// So many of them, of 5 bits each.
pub(super) const LENGTH: usize = 16;
/// The seconds of a day.
pub(super) const DAY: i64 = 86_400;

impl ColumnMask {
    /// The other column that it must see.
    pub(super) fn unit(&self) -> Option<usize> {
        match self.how {
            MaskRule::Shift { unit, .. } => Some(unit),
            _ => None,
        }
    }

    /// What becomes of a value of somebody.
    pub(super) fn of(&self, value: &str, unit: &str) -> Result<String> {
        let value = value.trim();
        if is_missing(value, &self.missing) {
            return Ok(value.to_owned());
        }
        Ok(match &self.how {
            MaskRule::Pseudonym(key) => pseudonym(key, value),
            MaskRule::Last(count) => {
                let length = value.chars().count();
                // A short value would be shown whole.
                let shown = if length > *count as usize { *count as usize } else { 0 };
                let kept = value.chars().skip(length - shown);
                "*".repeat(length - shown).chars().chain(kept).collect()
            }
            MaskRule::Initials => {
                let words = value.split(|c: char| !c.is_alphanumeric());
                let first = words.filter_map(|word| word.chars().next());
                first.map(|letter| format!("{}.", letter.to_uppercase())).collect()
            }
            MaskRule::Fixed(text) => text.clone(),
            MaskRule::Zip3(census) => zip3(value, *census),
            MaskRule::Shift { scale, key, days, weekday, .. } => {
                let at = scale.read(value).ok_or_else(|| {
                    Error::new(format!(
                        "{} is not written as a date like the others",
                        incrowd_engine::words::value(value)
                    ))
                    .help("name the form of the dates with date-format")
                })?;
                let (seconds, rest) = at.into();
                let moved = seconds + DAY * i64::from(shift(key, unit, *days, *weekday));
                scale.show(Moment::from((moved, rest)))
            }
        })
    }
}

/// The first three digits of a ZIP code, which may have lost its leading zeros; what is none becomes 000.
pub(super) fn zip3(value: &str, census: ZipCensus) -> String {
    let digits = value.split('-').next().unwrap_or_default();
    let is_zip =
        (3..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let whole = format!("{digits:0>5}");
    match whole.get(..3).filter(|_| is_zip) {
        Some(area) if !census.restricted_areas().contains(&area) => area.to_owned(),
        _ => "000".to_owned(),
    }
}

fn pseudonym(key: &SecretKey, value: &str) -> String {
    let hash = key.hash(value);
    let mut bits = u128::from_be_bytes(std::array::from_fn(|at| hash[at]));
    let mut letters = [0; LENGTH];
    for letter in &mut letters {
        *letter = LETTERS[(bits & 31) as usize];
        bits >>= 5;
    }
    letters.iter().map(|&letter| char::from(letter)).collect()
}

/// By how many days the dates of a unit are moved: at least one, or one week, and each number as likely.
pub(super) fn shift(key: &SecretKey, unit: &str, days: u32, weekday: bool) -> i32 {
    let hash = key.hash(unit.trim());
    let word = u128::from_be_bytes(std::array::from_fn(|at| hash[at]));
    let step = if weekday { 7 } else { 1 };
    let steps = u128::from((days / step).max(1));
    // 128 bits by a small number: no choice is likelier by more than one in 2^100.
    let size = ((word >> 1) % steps) as i32 + 1;
    let size = size * step as i32;
    if word & 1 == 0 { size } else { -size }
}

impl Chunk {
    /// Puts what values become behind the text and lets their fields lie there.
    pub(super) fn disguise(
        &mut self,
        column: usize,
        unit: Option<usize>,
        disguise: &ColumnMask,
    ) -> Result<()> {
        let mut known: HashMap<(String, String), FieldSpan> = HashMap::new();
        for row in 0..self.rows {
            let at = row * self.stride + self.offsets[column];
            let mut unit =
                unit.map_or_else(String::new, |unit| self.field(row, unit).trim().to_owned());
            // Whoever has no name is somebody else in every row.
            if disguise.unit().is_some() && is_missing(&unit, &disguise.missing) {
                unit = format!("\0{}", self.first_row + row as u64);
            }
            let FieldSpan { start, end } = self.spans[at];
            let field = self.text[start as usize..end as usize].to_owned();
            let key = (field, unit);
            if let Some(&span) = known.get(&key) {
                self.spans[at] = span;
                continue;
            }
            let new = disguise.of(&key.0, &key.1)?;
            let start = self.text.len();
            self.text.push_str(&new);
            let span = FieldSpan::new(start, self.text.len());
            self.spans[at] = span;
            known.insert(key, span);
        }
        Ok(())
    }
}
