//! Which role a column probably has, and why.

use std::fmt;

use incrowd_engine::words::{count, thousands};
use serde::Serialize;

use super::content::ContentKind;
use super::group::share;
use super::kind::ValueKind;
use super::name_words::{
    COUNTING, KNOWN, MEASURED, NAMING, NUMBERING, NameWords, OUTCOME, PERSON, PLACE,
    PLAIN_NUMBERING, PRIVATE,
};
use super::numbers::NumberTraits;
use crate::thresholds::{
    CODE_DIGITS, CODES, EXACT_ROWS, EXACT_SHARE, GAPS, GAPS_ROWS, HANDED_OUT, MANY, MEASURED_ROWS,
    MEASURED_SHARE, MEASURED_VALUES, MOST, NAMED, NEARLY_ALL, NUMBERED_ROWS, SMALL_ROWS,
    SMALL_SHARE, SMALLEST, TELLS_APART,
};

/// The role that a column probably has when a table is anonymized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LikelyRole {
    /// It names a person.
    Identifying,
    /// Others may know it, and together with other columns it can single a person out.
    Quasi,
    /// What people keep to themselves.
    Sensitive,
    /// What the table is made to predict.
    Class,
    /// None of these.
    Plain,
    /// A person must decide: released as it is it would single people out.
    Undecided,
}

impl LikelyRole {
    /// The role as a word.
    pub fn name(self) -> &'static str {
        match self {
            LikelyRole::Identifying => "identifying",
            LikelyRole::Quasi => "quasi",
            LikelyRole::Sensitive => "sensitive",
            LikelyRole::Class => "class",
            LikelyRole::Plain => "plain",
            LikelyRole::Undecided => "undecided",
        }
    }
}

impl fmt::Display for LikelyRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why a column must not be released as it is unless somebody says that it is meant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExposureReason {
    /// What the column does.
    pub how: ExposureKind,
    /// The same in a sentence without its end.
    pub why: String,
    /// The role that makes it safe, or at least tells that somebody thought about it.
    pub mend: LikelyRole,
    /// For a measured number: a step to which it could be rounded, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// Whether nobody can tell it from a number that was handed out: whole numbers, different in nearly all rows. A fraction or
    /// an income is none.
    #[serde(skip)]
    pub may_be_number: bool,
}

/// How a column gives people away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExposureKind {
    /// It names people or leads straight to them.
    Names,
    /// It numbers the rows.
    Numbers,
    /// It is free text, in which anybody may be named.
    Text,
    /// It tells the exact time.
    Time,
    /// It tells the place on the map.
    Place,
    /// It is a measured number, different in most rows by nature.
    Measurement,
    /// It has values that few share.
    Value,
}

impl ExposureKind {
    /// Whether it is an identifier: it names people or numbers rows, and has nothing to tell beside that.
    pub fn is_identifier(self) -> bool {
        matches!(self, ExposureKind::Names | ExposureKind::Numbers | ExposureKind::Text)
    }
}

/// What a suggestion rests on.
pub(super) struct RoleEvidence<'a> {
    pub(super) words: &'a NameWords,
    pub(super) kind: ValueKind,
    pub(super) content: ContentKind,
    pub(super) numbers: Option<NumberTraits>,
    /// How many rows have a value.
    pub(super) present: u64,
    /// How many different values there are, missing aside.
    pub(super) values: u64,
    /// How many rows have a value that no other row has.
    pub(super) alone: u64,
}

impl RoleEvidence<'_> {
    /// Different values for each row that has one.
    fn own(&self) -> f64 {
        share(self.values, self.present)
    }

    /// Whether more rows than `rows` are singled out, and more than this share of those that have a value. In a small table
    /// they must be nearly all.
    fn singles_out(&self, part: f64, rows: u64) -> bool {
        // In a table of 24 people many a harmless value occurs once; where all do, it tells everybody apart.
        let all = self.present >= SMALLEST && share(self.alone, self.present) >= NEARLY_ALL;
        (self.alone > rows || all) && share(self.alone, self.present) > part
    }

    /// Whether it tells nearly everybody apart who has a value, so that it must not be proposed to release it.
    fn tells_apart(&self) -> bool {
        self.own() >= TELLS_APART
    }

    /// How many different values there are, in words.
    fn of_rows(&self) -> String {
        format!(
            "{} in {}",
            count(self.values, "different value", "different values"),
            count(self.present, "row", "rows")
        )
    }

    /// How many rows are singled out, in words.
    fn singled(&self) -> String {
        let rows = count(self.present, "row", "rows");
        format!("it singles out {} of {rows}", thousands(self.alone))
    }

    /// Whether it is a number of many digits, as incomes and weights are.
    fn is_measured(&self) -> bool {
        self.numbers.is_some_and(|it| it.possible > MEASURED_VALUES && !it.score)
    }

    /// Whether so many different numbers in their range are unlikely unless somebody hands each out once.
    fn is_unlike_chance(&self, numbers: NumberTraits) -> bool {
        self.present >= GAPS_ROWS && self.present as f64 >= HANDED_OUT * numbers.possible
    }

    /// Whether whole numbers count the rows up, with or without gaps.
    fn numbers_rows(&self) -> bool {
        let Some(numbers) = self.numbers else { return false };
        if !numbers.whole || self.present < NUMBERED_ROWS {
            return false;
        }
        let all = self.values == self.present && numbers.possible <= self.values as f64;
        let nearly = self.present >= GAPS_ROWS
            && self.own() >= NEARLY_ALL
            && numbers.possible <= GAPS * self.values as f64;
        all || nearly
    }
}

/// Why a column must not be released as it is, if so. The data goes first: names of columns only say what it is
/// that the data shows.
pub(super) fn exposed(facts: &RoleEvidence<'_>) -> Option<ExposureReason> {
    let RoleEvidence { words, kind, content, values, .. } = *facts;
    if matches!(kind, ValueKind::Empty | ValueKind::Boolean) || values < 2 {
        return None;
    }
    let found = |how, mend, why: String| {
        Some(ExposureReason { how, why, mend, round: None, may_be_number: true })
    };
    let names = |why| found(ExposureKind::Names, LikelyRole::Identifying, why);
    let own = facts.own();
    let many = own >= MANY || facts.singles_out(EXACT_SHARE, EXACT_ROWS);
    if let (ContentKind::Mark(what), true) = (content, many) {
        return names(format!("it holds {what}, {}", facts.of_rows()));
    }
    // A number may count logins or minutes on the phone: it names somebody if it is as long or as rare as a name.
    let counts = kind.is_numeric()
        && own < NEARLY_ALL
        && facts.numbers.is_none_or(|numbers| numbers.digits.is_none_or(|it| it < CODE_DIGITS));
    // Few names are names still; a column `phone` of yes and no has none.
    let named = kind == ValueKind::Text && values >= NAMED;
    if let (Some(word), true) = (words.has(NAMING), (many || named) && !counts) {
        return names(format!("the name says `{word}`, which leads to a person"));
    }
    let numbering = words.has(NUMBERING);
    // The number of a person is one however many share it: those of a household are counted from one on.
    let of_person = words.has(PERSON).is_some();
    let enough = many || values >= if of_person { NAMED } else { CODES };
    if let (Some(word), true) = (numbering, enough)
        && (of_person || words.is_one_of(PLAIN_NUMBERING))
    {
        return names(format!("the name says `{word}`, which names a person"));
    }
    // Numbers that are all different are no wards and no visits, whatever the name says, but they number them.
    let measured = words.has(MEASURED).is_some();
    let known = words
        .has(KNOWN)
        .filter(|_| measured || !kind.is_numeric() || kind.is_date() || own < NEARLY_ALL);
    // A few rows each share what the name calls a number, and what is none that somebody measures.
    let whole = facts.numbers.is_some_and(|it| it.whole) || content == ContentKind::Coded;
    if let (Some(word), None) = (numbering, known)
        && words.ends_with_one_of(COUNTING)
        && whole
        && own >= MANY
        && values >= CODES
    {
        return names(format!("the name says `{word}`, and there are {}", facts.of_rows()));
    }
    // A column that is called after people, and no more, tells which of them a row is about.
    if let Some(word) = words.has(PERSON).filter(|_| words.is_one_of(PERSON))
        && (whole || kind == ValueKind::Text)
        && values >= NAMED
    {
        return names(format!("the name says `{word}`, and there are {}", facts.of_rows()));
    }
    if let Some(word) = numbering {
        let least = match known {
            None if kind.is_numeric() => NEARLY_ALL,
            None => MOST,
            // A ZIP code may be different in most rows, a visit's number is nothing but that.
            Some(_) if words.has(COUNTING).is_some() => NEARLY_ALL,
            Some(_) => f64::INFINITY,
        };
        if own >= least {
            return names(format!("the name says `{word}`, and there are {}", facts.of_rows()));
        }
    }
    if known.is_none() && facts.numbers_rows() {
        let why = format!("it numbers the rows: {}", facts.of_rows());
        return found(ExposureKind::Numbers, LikelyRole::Identifying, why);
    }
    let private = words.has(PRIVATE);
    if content == ContentKind::Prose {
        // The full names of diseases and trades are long as well, and come again and again.
        let least = if private.is_some() || known.is_some() { 0.8 } else { MOST };
        if own >= least && facts.alone > EXACT_ROWS {
            let why = format!("it is free text, which may name people: {}", facts.of_rows());
            return found(ExposureKind::Text, LikelyRole::Identifying, why);
        }
    }
    let exact = facts.singles_out(EXACT_SHARE, EXACT_ROWS);
    if content == ContentKind::Time && exact {
        let why = format!("it holds exact times, and {}", facts.singled());
        return found(ExposureKind::Time, LikelyRole::Quasi, why);
    }
    let place = words.has(PLACE).is_some()
        && facts.numbers.is_some_and(|numbers| numbers.possible > MEASURED_VALUES);
    if (content == ContentKind::Point || place) && exact {
        let why = format!("it holds positions on the map, and {}", facts.singled());
        return found(ExposureKind::Place, LikelyRole::Quasi, why);
    }
    let small = facts.singles_out(SMALL_SHARE, SMALL_ROWS);
    if let Some(numbers) = facts.numbers.filter(|_| kind != ValueKind::Code && !kind.is_date()) {
        let step = incrowd_engine::value::show_number(numbers.step);
        let rounded = |exposed| ExposureReason { round: Some(step.clone()), ..exposed };
        let code = numbers.digits.is_some_and(|digits| digits >= CODE_DIGITS);
        if code && own >= NEARLY_ALL && small && private.is_none() {
            return names(format!("it holds numbers of one length, {}", facts.of_rows()));
        }
        // Numbers of persons and households have gaps, and are of any length.
        let own_numbers = numbers.whole && own >= NEARLY_ALL && small;
        if own_numbers
            && private.is_none()
            && known.is_none()
            && (facts.is_measured() || facts.is_unlike_chance(numbers))
        {
            let why = format!("it may number people or rows: {}", facts.of_rows());
            return found(ExposureKind::Numbers, LikelyRole::Identifying, why).map(rounded);
        }
        if facts.is_measured() && facts.singles_out(MEASURED_SHARE, MEASURED_ROWS) {
            let why = format!("it is a number of many digits, and {}", facts.singled());
            // Nobody can tell it from a number that was handed out.
            let mend = match facts.tells_apart() {
                true => LikelyRole::Identifying,
                false => LikelyRole::Sensitive,
            };
            let may_be_number = numbers.whole && facts.tells_apart() && private.is_none();
            let measured = found(ExposureKind::Measurement, mend, why).map(rounded);
            return measured.map(|exposed| ExposureReason { may_be_number, ..exposed });
        }
        return None;
    }
    // Codes that a few rows each share number somebody or something: cards, households, teachers.
    let coded = matches!(kind, ValueKind::Text | ValueKind::Code) && content == ContentKind::Coded;
    if coded && own >= MANY && values >= CODES && known.is_none() && private.is_none() {
        return names(format!("it may number people: {}", facts.of_rows()));
    }
    if !small {
        return None;
    }
    let naming = match kind {
        ValueKind::Text | ValueKind::Code => own >= MOST,
        _ => false,
    };
    if naming && known.is_none() && private.is_none() {
        return names(format!("it names rows: {}", facts.of_rows()));
    }
    let mend = match private {
        _ if facts.tells_apart() => LikelyRole::Identifying,
        Some(_) => LikelyRole::Sensitive,
        None => LikelyRole::Quasi,
    };
    found(ExposureKind::Value, mend, facts.singled())
}

/// The role that a column probably has, with the reason in one sentence.
///
/// What the data shows goes before what the name says, and among equals the more careful role goes first.
pub(super) fn suggest(
    facts: &RoleEvidence<'_>,
    exposed: Option<&ExposureReason>,
) -> (LikelyRole, String) {
    let RoleEvidence { words, kind, present, values, .. } = *facts;
    if kind == ValueKind::Empty {
        return (LikelyRole::Plain, "It holds nothing but missing values.".to_owned());
    }
    if let Some(ExposureReason { how, why, mend, .. }) = exposed
        && !matches!(how, ExposureKind::Measurement | ExposureKind::Value)
    {
        return (*mend, sentence(why));
    }
    if values == 1 {
        return (LikelyRole::Plain, "Every row that has a value has the same one.".to_owned());
    }
    if let (Some(word), 2) = (words.has(OUTCOME), values) {
        return (LikelyRole::Class, format!("The name says `{word}`, and there are two values."));
    }
    if let Some(word) = words.has(PRIVATE) {
        let reason = format!("The name says `{word}`, which people keep to themselves.");
        return (LikelyRole::Sensitive, reason);
    }
    if let Some(word) = words.has(KNOWN) {
        return (LikelyRole::Quasi, format!("The name says `{word}`, which others may know."));
    }
    match (exposed, kind) {
        (Some(ExposureReason { how: ExposureKind::Measurement, why, .. }), _) => {
            (LikelyRole::Undecided, sentence(why))
        }
        (_, ValueKind::Date | ValueKind::Time) => {
            (LikelyRole::Quasi, "Others often know when something happened.".to_owned())
        }
        (_, ValueKind::Number) => {
            let reason = "Others rarely know a measured number; make it quasi if they could.";
            (LikelyRole::Plain, reason.to_owned())
        }
        _ => {
            let each = present / values.max(1);
            let reason = match each {
                0..=1 => format!("{} values that others may know.", thousands(values)),
                _ => format!(
                    "{} values that about {} rows each share and others may know.",
                    thousands(values),
                    thousands(each)
                ),
            };
            (LikelyRole::Quasi, reason)
        }
    }
}

/// Words as a sentence.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::numbers::numbers;
    use super::*;

    /// A column of that kind with so many values in so many rows, each of them once as far as rows last.
    fn judged(
        name: &str,
        kind: ValueKind,
        rows: u64,
        values: u64,
    ) -> (LikelyRole, Option<ExposureKind>) {
        let written: Vec<String> = match kind {
            ValueKind::Integer => {
                (0..values).map(|at| (at * 37_777 % 99_991).to_string()).collect()
            }
            ValueKind::Number => {
                (0..values).map(|at| format!("{}.{:03}", at * 7, at % 997)).collect()
            }
            _ => Vec::new(),
        };
        let written: Vec<(&str, u64)> = written.iter().map(|value| (value.as_str(), 1)).collect();
        let facts = RoleEvidence {
            words: &NameWords::new(name),
            kind,
            content: ContentKind::Other,
            numbers: if written.is_empty() { None } else { numbers(&written) },
            present: rows,
            values,
            // As many as can be: the others share one value.
            alone: if values == rows { rows } else { values.saturating_sub(1) },
        };
        let exposed = exposed(&facts);
        let (role, reason) = suggest(&facts, exposed.as_ref());
        assert!(reason.ends_with('.') && reason.matches(". ").count() == 0, "{reason}");
        (role, exposed.map(|exposed| exposed.how))
    }

    #[test]
    fn names_say_what_the_data_shows() {
        let names = Some(ExposureKind::Names);
        for (name, kind, values, expected, exposing) in [
            ("id", ValueKind::Integer, 1000, LikelyRole::Identifying, names),
            ("Name", ValueKind::Text, 990, LikelyRole::Identifying, names),
            ("e-mail", ValueKind::Text, 400, LikelyRole::Identifying, names),
            ("SSN", ValueKind::Code, 1000, LikelyRole::Identifying, names),
            ("phone_number", ValueKind::Code, 900, LikelyRole::Identifying, names),
            ("PhoneService", ValueKind::Boolean, 2, LikelyRole::Quasi, None),
            ("phone_minutes", ValueKind::Integer, 150, LikelyRole::Quasi, None),
            ("number of customers", ValueKind::Integer, 150, LikelyRole::Quasi, None),
            ("phone lines", ValueKind::Text, 3, LikelyRole::Quasi, None),
            ("patientId", ValueKind::Integer, 300, LikelyRole::Identifying, names),
            ("record_no", ValueKind::Integer, 1000, LikelyRole::Identifying, names),
            ("visit_id", ValueKind::Integer, 1000, LikelyRole::Identifying, names),
            ("branch_no", ValueKind::Integer, 12, LikelyRole::Quasi, None),
            ("country_name", ValueKind::Text, 40, LikelyRole::Quasi, None),
            ("zip code", ValueKind::Code, 800, LikelyRole::Quasi, Some(ExposureKind::Value)),
            ("age", ValueKind::Integer, 72, LikelyRole::Quasi, None),
            ("date_of_birth", ValueKind::Date, 999, LikelyRole::Quasi, Some(ExposureKind::Value)),
            ("marital-status", ValueKind::Text, 7, LikelyRole::Quasi, None),
            ("salary", ValueKind::Number, 900, LikelyRole::Sensitive, None),
            ("ICD10", ValueKind::Text, 40, LikelyRole::Sensitive, None),
            ("salary-class", ValueKind::Text, 2, LikelyRole::Class, None),
            ("outcome", ValueKind::Boolean, 2, LikelyRole::Class, None),
            ("outcome", ValueKind::Text, 9, LikelyRole::Quasi, None),
        ] {
            assert_eq!(judged(name, kind, 1000, values), (expected, exposing), "{name}");
        }
    }

    #[test]
    fn values_decide_where_names_say_nothing() {
        for (kind, rows, values, expected, exposing) in [
            (ValueKind::Text, 1000, 990, LikelyRole::Identifying, Some(ExposureKind::Names)),
            (ValueKind::Text, 1000, 600, LikelyRole::Identifying, Some(ExposureKind::Names)),
            (ValueKind::Text, 1000, 200, LikelyRole::Quasi, Some(ExposureKind::Value)),
            (ValueKind::Text, 1000, 12, LikelyRole::Quasi, None),
            (ValueKind::Integer, 1000, 1000, LikelyRole::Identifying, Some(ExposureKind::Numbers)),
            (ValueKind::Integer, 1000, 900, LikelyRole::Undecided, Some(ExposureKind::Measurement)),
            (ValueKind::Integer, 1000, 150, LikelyRole::Quasi, None),
            (ValueKind::Code, 1000, 990, LikelyRole::Identifying, Some(ExposureKind::Names)),
            (ValueKind::Number, 1000, 1000, LikelyRole::Undecided, Some(ExposureKind::Measurement)),
            (ValueKind::Number, 1000, 100, LikelyRole::Plain, None),
            (ValueKind::Date, 1000, 1000, LikelyRole::Quasi, Some(ExposureKind::Value)),
            (ValueKind::Boolean, 1000, 2, LikelyRole::Quasi, None),
            (ValueKind::Text, 5, 5, LikelyRole::Quasi, None),
            (ValueKind::Text, 24, 18, LikelyRole::Quasi, None),
            (ValueKind::Number, 30, 30, LikelyRole::Plain, None),
            (ValueKind::Text, 1000, 1, LikelyRole::Plain, None),
            (ValueKind::Empty, 0, 0, LikelyRole::Plain, None),
        ] {
            let found = judged("x", kind, rows, values);
            assert_eq!(found, (expected, exposing), "{kind:?} {values} in {rows}");
        }
    }
}
