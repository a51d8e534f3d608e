//! What a group pays for the values that it holds, in whole parts of what a suppressed row pays, rounded down.

use crate::error::{Error, Result};
use crate::question::{PriceKind, Question};

/// The prices of all columns. A group's box is a list of words, some for each column.
pub(super) struct Prices {
    pub(super) columns: Vec<ColumnPrice>,
    /// How many words a box has.
    pub(super) words: usize,
}

/// The price of a column, and where its part of a box is.
pub(super) struct ColumnPrice {
    pub(super) word: usize,
    words: usize,
    values: usize,
    rule: Rule,
}

enum Rule {
    /// By the lowest and the highest value: all pairs.
    Range(Vec<i64>),
    /// By how many values there are.
    Set(Vec<i64>),
}

/// The most values of a column with ranges: all pairs of them have a price.
const MOST_VALUES: usize = 2048;

impl Prices {
    pub(super) fn new(question: &Question) -> Result<Self> {
        let mut word = 0;
        let mut columns = Vec::new();
        for column in &question.columns {
            let refused = |what: &str| Error::Question(format!("column `{}` {what}", column.name));
            let price = column.price.ok_or_else(|| refused("has no price"))?;
            let values = column.values.len();
            let part = |of: u128, all: u128| (u128::from(price.whole) * of / all) as i64;
            let (rule, words) = match price.by {
                PriceKind::Set => {
                    let counted = |count: usize| match count {
                        0 | 1 => 0,
                        _ => part(count as u128, values as u128),
                    };
                    (Rule::Set((0..=values).map(counted).collect()), values.div_ceil(64))
                }
                PriceKind::Range => {
                    let numbers = numbers(&column.values)
                        .filter(|numbers| numbers.windows(2).all(|pair| pair[0] < pair[1]))
                        .ok_or_else(|| refused("has no numbers in order"))?;
                    if values > MOST_VALUES {
                        return Err(refused("has too many numbers"));
                    }
                    let width = |from: usize, to: usize| numbers[to].abs_diff(numbers[from]);
                    let whole = width(0, values - 1).max(1);
                    if whole >= 1 << 80 {
                        return Err(refused("has numbers that are too long"));
                    }
                    let mut prices = vec![0; values * values];
                    for from in 0..values {
                        for to in from..values {
                            prices[from * values + to] = part(width(from, to), whole);
                        }
                    }
                    (Rule::Range(prices), 1)
                }
            };
            columns.push(ColumnPrice { word, words, values, rule });
            word += words;
        }
        Ok(Prices { columns, words: word })
    }

    /// The box of one combination.
    pub(super) fn start(&self, codes: &[u16]) -> Vec<u64> {
        let mut words = vec![0; self.words];
        for (column, &code) in self.columns.iter().zip(codes) {
            match column.rule {
                Rule::Range(_) => words[column.word] = u64::from(code) << 32 | u64::from(code),
                Rule::Set(_) => column.add(&mut words, code),
            }
        }
        words
    }

    /// What a row of a group with this box pays at least.
    pub(super) fn cost(&self, words: &[u64]) -> i64 {
        self.columns.iter().map(|column| column.now(words).0).sum()
    }
}

impl ColumnPrice {
    /// What its part of a box costs, and for a set also with one more value.
    #[inline]
    pub(super) fn now(&self, words: &[u64]) -> (i64, i64) {
        match &self.rule {
            Rule::Range(prices) => {
                let (low, high) = ends(words[self.word]);
                (prices[low * self.values + high], 0)
            }
            Rule::Set(prices) => {
                let held: u32 =
                    words[self.word..self.word + self.words].iter().map(|it| it.count_ones()).sum();
                let held = held as usize;
                (prices[held], prices.get(held + 1).copied().unwrap_or(0))
            }
        }
    }

    /// What it costs with a value, given what it costs now.
    #[inline]
    pub(super) fn with(&self, words: &[u64], now: (i64, i64), code: u16) -> i64 {
        match &self.rule {
            Rule::Range(prices) => {
                let (low, high) = ends(words[self.word]);
                let code = usize::from(code);
                prices[low.min(code) * self.values + high.max(code)]
            }
            Rule::Set(_) if self.holds(words, code) => now.0,
            Rule::Set(_) => now.1,
        }
    }

    /// Whether its part of a box holds a value.
    #[inline]
    pub(super) fn holds(&self, words: &[u64], code: u16) -> bool {
        match self.rule {
            Rule::Range(_) => {
                let (low, high) = ends(words[self.word]);
                (low..=high).contains(&usize::from(code))
            }
            Rule::Set(_) => words[self.word + usize::from(code) / 64] >> (code % 64) & 1 == 1,
        }
    }

    /// Adds a value to its part of a box.
    pub(super) fn add(&self, words: &mut [u64], code: u16) {
        match self.rule {
            Rule::Range(_) => {
                let (low, high) = ends(words[self.word]);
                let code = usize::from(code);
                words[self.word] = (low.min(code) as u64) << 32 | high.max(code) as u64;
            }
            Rule::Set(_) => words[self.word + usize::from(code) / 64] |= 1 << (code % 64),
        }
    }

    /// Whether a group that holds one value outside a box holds or passes another: the same value, or one further out on the
    /// same side.
    pub(super) fn reaches(&self, words: &[u64], code: u16, other: u16) -> bool {
        match self.rule {
            Rule::Range(_) if usize::from(other) > ends(words[self.word]).1 => code >= other,
            Rule::Range(_) => code <= other,
            Rule::Set(_) => code == other,
        }
    }
}

#[inline]
fn ends(word: u64) -> (usize, usize) {
    ((word >> 32) as usize, word as u32 as usize)
}

/// The values as whole numbers, all multiplied by the same power of ten.
fn numbers(values: &[Vec<Option<String>>]) -> Option<Vec<i128>> {
    let texts: Vec<&str> = values
        .iter()
        .map(|together| match &together[..] {
            [Some(text)] => Some(text.as_str()),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let places = |text: &&str| text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let most = texts.iter().map(places).max()?;
    texts
        .iter()
        .map(|text| {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
            let digits = format!("{whole}{fraction}{}", "0".repeat(most - fraction.len()));
            digits.parse().ok()
        })
        .collect()
}
