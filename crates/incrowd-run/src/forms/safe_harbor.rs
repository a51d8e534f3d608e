//! The Safe Harbor method of HIPAA as a checklist, and as a spec.
//!
//! **What it does.** The eighteen identifiers of 45 CFR 164.514(b)(2)(i) are looked for in the columns of the release by names
//! and by values, in those that are left out by names alone: the list is shared, and must not depend on what nobody may
//! see. Each is told with what was done about it. Nothing is called done while one of them is open, while its pattern is
//! found in a released value, or while nobody has attested what no program can see.
//!
//! **Guarantee.** None in law: it finds what columns look like. Whoever knows better says so, and is named.
//!
//! **Reference.** 45 CFR 164.514(b)(2) and (c); Office for Civil Rights, *Guidance regarding methods for de-identification of
//! protected health information*, 2012.

use std::collections::BTreeMap;
use std::fmt;

use incrowd_assess::inspect::InspectOptions;
use incrowd_engine::Control;
use incrowd_engine::value::{BLANK, Decimal, civil_of};
use serde::Serialize;

use super::facts::{ReleaseFacts, seconds_since_1970};
use super::identifier_detection::{self, IdentifierNumber};
use super::value_scan::{self, CountedValue, ValueFinding};
use crate::assess::inspect_source;
use crate::spec::{ColumnSection, MaskMethod, Role, Spec, ZipCensus, hierarchies::DatePeriod};
use crate::{Result, Source, read_table};

/// The identifiers, as the rule names them.
const ITEMS: [&str; 18] = [
    "names",
    "geographic subdivisions smaller than a state, but for the first three digits of large ZIP areas",
    "dates but for the year, and ages above 89 but for a category of 90 or older",
    "telephone numbers",
    "fax numbers",
    "e-mail addresses",
    "social security numbers",
    "medical record numbers",
    "health plan beneficiary numbers",
    "account numbers",
    "certificate and license numbers",
    "vehicle identifiers and serial numbers, license plates",
    "device identifiers and serial numbers",
    "web addresses (URLs)",
    "IP addresses",
    "biometric identifiers, finger and voice prints",
    "full-face photographs and comparable images",
    "any other unique identifying number, characteristic or code",
];
/// The number of the last of them.
const OTHER: IdentifierNumber = 18;
/// What stands behind the list: the second condition of the rule.
const KNOWLEDGE: &str = "no actual knowledge that what remains could identify somebody";
/// The age from which on people are told in one group.
const OLDEST: i64 = 90;
/// Values that are looked at to see what a column holds.
const LOOKED_AT: usize = 10_000;

/// How an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemStatus {
    /// Something was done about it.
    Done,
    /// No column looks like it.
    Absent,
    /// Somebody says so.
    Attested,
    /// The release still holds it, or nobody has said what only a person can say.
    Open,
}

impl fmt::Display for ItemStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ItemStatus::Done => "done",
            ItemStatus::Absent => "absent",
            ItemStatus::Attested => "attested",
            ItemStatus::Open => "OPEN",
        })
    }
}

/// One of the identifiers, or the condition behind them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChecklistItem {
    /// A to R, and `knowledge`.
    pub key: String,
    /// What it is.
    pub what: &'static str,
    /// How it stands.
    pub standing: ItemStatus,
    /// What was done about it, or what is left to do, a sentence each.
    pub done: Vec<String>,
}

/// The whole list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checklist {
    /// The items in the order of the rule.
    pub items: Vec<ChecklistItem>,
    /// Whether no item is open.
    pub done: bool,
}

impl fmt::Display for Checklist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# HIPAA Safe Harbor, 45 CFR 164.514(b)(2)\n")?;
        writeln!(f, "| | identifier | standing | what was done |\n| --- | --- | --- | --- |")?;
        for ChecklistItem { key, what, standing, done } in &self.items {
            let done = done.join("; ").replace('|', "\\|");
            writeln!(f, "| {key} | {what} | {standing} | {done} |")?;
        }
        let open = self.items.iter().filter(|item| item.standing == ItemStatus::Open);
        let open: Vec<&str> = open.map(|item| item.key.as_str()).collect();
        match open.is_empty() {
            true => writeln!(f, "\nDone: nothing on the list is open."),
            false => {
                writeln!(f, "\nNot done: {} of 19 are open ({}).", open.len(), open.join(", "))
            }
        }
    }
}

/// What somebody attests: the key of an item, and who says what.
pub type Attestation = (String, String);

/// Goes through the list.
pub fn safe_harbor(
    facts: &ReleaseFacts<'_>,
    attested: &[Attestation],
    control: &Control,
) -> Result<Checklist> {
    let known: Vec<String> = (0..18).map(key).chain(["knowledge".to_owned()]).collect();
    if let Some((wrong, _)) = attested
        .iter()
        .find(|(key, _)| !known.contains(&key.to_uppercase()) && !known.contains(key))
    {
        return Err(crate::Error::new(format!("there is no item `{wrong}` to attest"))
            .help("items are A to R, and `knowledge`"));
    }
    let released = columns_of(facts.release, control)?;
    let mut done: BTreeMap<IdentifierNumber, Vec<String>> = BTreeMap::new();
    let mut open: BTreeMap<IdentifierNumber, Vec<(String, String)>> = BTreeMap::new();
    let spec = &facts.file.spec;
    // Columns by the names that the spec has for them; those of the original alone tell what was left out.
    let mut looks: BTreeMap<&str, Vec<IdentifierNumber>> = BTreeMap::new();
    // What the values hold stands against whatever was done.
    let mut held: BTreeMap<(&str, IdentifierNumber), Vec<ValueFinding>> = BTreeMap::new();
    for ReleasedColumn { name, values } in &released {
        let texts: Vec<&str> = values.iter().map(|(value, _)| value.as_str()).collect();
        let mut found = identifier_detection::numbers(name, &texts);
        let bare = bare(name, &released);
        let treat = spec.column(bare).and_then(|column| column.treat.as_ref());
        if !matches!(treat, Some(MaskMethod::Fixed(_) | MaskMethod::Random)) {
            let findings = scanned(bare, values);
            if is_guessed_place(name, &found)
                && findings.iter().any(|it| it.number == 1)
                && !findings.iter().any(|it| it.number == 2)
            {
                found.clear();
            }
            for finding in findings {
                held.entry((bare, finding.number)).or_default().push(finding);
            }
        }
        let entry = looks.entry(bare).or_default();
        entry.extend(found);
        entry.sort_unstable();
        entry.dedup();
    }
    let left_out = facts.original.map_or(&[][..], Source::columns).iter();
    for name in left_out.chain(spec.columns.iter().map(|column| &column.name)) {
        looks.entry(name).or_insert_with(|| match &identifier_detection::numbers(name, &[])[..] {
            // What a column held that is left out is nobody's business: any other identifier, as far as is known.
            [] => vec![OTHER],
            numbers => numbers.to_vec(),
        });
    }
    // What is left of values tells no more what they were.
    for (name, numbers) in looks.iter_mut().filter(|(_, numbers)| numbers.is_empty()) {
        let treat = spec.column(name).and_then(|column| column.treat.as_ref());
        if treat.is_some_and(|treat| {
            treat.is_pseudonym() || matches!(treat, MaskMethod::Last(_) | MaskMethod::Initials)
        }) {
            numbers.push(OTHER);
        }
    }
    for (name, numbers) in &looks {
        let column = spec.column(name);
        let treat = column.and_then(|column| column.treat.as_ref());
        let shown: Vec<&ReleasedColumn> =
            released.iter().filter(|column| bare(&column.name, &released) == *name).collect();
        for &number in numbers {
            if shown.is_empty() {
                done.entry(number).or_default().push(format!("`{name}` is left out"));
                continue;
            }
            let values = shown.iter().flat_map(|column| &column.values);
            let values: Vec<&str> = values.map(|(value, _)| value.as_str()).collect();
            match offence(number, name, column, treat, &values) {
                Some(what) => open.entry(number).or_default().push(((*name).to_owned(), what)),
                None => done.entry(number).or_default().push(remedy(number, name, treat)),
            }
        }
    }
    for ((name, number), findings) in held {
        let known = open.entry(number).or_default();
        if !known.iter().any(|(column, _)| column == name) {
            let told = findings.iter().map(|it| {
                format!("{} in {}", it.what, incrowd_engine::words::count(it.rows, "row", "rows"))
            });
            let told = told.collect::<Vec<String>>().join(", ");
            known.push((name.to_owned(), format!("`{name}` holds {told}: leave it out")));
        }
    }
    let said = |key: &str| {
        let said = attested.iter().filter(|(name, _)| name.eq_ignore_ascii_case(key));
        said.map(|(_, text)| format!("attested: {text}")).collect::<Vec<String>>()
    };
    let mut items: Vec<ChecklistItem> = ITEMS
        .iter()
        .zip(1..)
        .map(|(&what, number)| {
            let key = key(usize::from(number) - 1);
            let said = said(&key);
            let mut told = done.remove(&number).unwrap_or_default();
            let open = open.remove(&number).unwrap_or_default();
            // What was found in a column stands against a sentence that does not speak of it.
            let objections = open.iter().filter(|(name, _)| !speaks_of(&said, name)).count();
            let standing = match (objections, told.is_empty(), said.is_empty()) {
                (1.., _, _) => ItemStatus::Open,
                (_, _, false) => ItemStatus::Attested,
                // No program can see what else might identify somebody.
                (_, _, true) if number == OTHER => ItemStatus::Open,
                (_, false, true) => ItemStatus::Done,
                (_, true, true) => ItemStatus::Absent,
            };
            told.splice(0..0, open.into_iter().map(|(_, what)| what));
            if number == OTHER && said.is_empty() {
                told.push("somebody must look at all that is left and attest it".to_owned());
            }
            if objections > 0 && !said.is_empty() {
                told.push("an attestation must name the columns that it is about".to_owned());
            }
            told.extend(said);
            ChecklistItem { key, what, standing, done: told }
        })
        .collect();
    let said = said("knowledge");
    items.push(ChecklistItem {
        key: "knowledge".to_owned(),
        what: KNOWLEDGE,
        standing: if said.is_empty() { ItemStatus::Open } else { ItemStatus::Attested },
        done: if said.is_empty() { vec!["somebody must attest it".to_owned()] } else { said },
    });
    let is_done = items.iter().all(|item| item.standing != ItemStatus::Open);
    Ok(Checklist { items, done: is_done })
}

/// Whether a sentence names a column.
fn speaks_of(said: &[String], column: &str) -> bool {
    let column = column.to_lowercase();
    let is_within = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    said.iter().map(|text| text.to_lowercase()).any(|text| {
        text.match_indices(&column).any(|(at, found)| {
            !is_within(text[..at].chars().next_back())
                && !is_within(text[at + found.len()..].chars().next())
        })
    })
}

/// The year that it is.
fn this_year() -> i64 {
    civil_of(seconds_since_1970().div_euclid(86_400)).0
}

/// A to R.
fn key(at: usize) -> String {
    char::from(b'A' + at as u8).to_string()
}

/// A column with its distinct values, and how many rows have each.
pub(super) struct ReleasedColumn {
    pub(super) name: String,
    pub(super) values: Vec<(String, u64)>,
}

/// The columns of a table.
pub(super) fn columns_of(source: &Source, control: &Control) -> Result<Vec<ReleasedColumn>> {
    let table = read_table(source, None, control)?;
    let column = |column: &incrowd_engine::table::Column| {
        let mut rows = vec![0u64; column.dictionary.len()];
        for &code in &column.codes {
            rows[code as usize] += 1;
        }
        let values = column.dictionary.iter().map(str::to_owned).zip(rows).collect();
        ReleasedColumn { name: column.name.clone(), values }
    };
    Ok(table.columns().iter().map(column).collect())
}

/// What the values of a column hold; those that tell nothing are not looked at.
pub(super) fn scanned(name: &str, values: &[(String, u64)]) -> Vec<ValueFinding> {
    let told: Vec<CountedValue<'_>> = values
        .iter()
        .map(|(value, rows)| (value.as_str(), *rows))
        .filter(|(value, _)| is_told(value))
        .collect();
    value_scan::scan(name, &told, this_year() - OLDEST)
}

/// Whether a value says anything.
fn is_told(value: &str) -> bool {
    ![BLANK, "", "NA"].contains(&value.trim())
}

/// Whether a column was taken for places because its values are written like names, and for nothing else.
fn is_guessed_place(name: &str, numbers: &[IdentifierNumber]) -> bool {
    numbers == [2] && !identifier_detection::is_place(name)
}

/// The name of a column that was released as two.
fn bare<'a>(name: &'a str, released: &[ReleasedColumn]) -> &'a str {
    let stem = name.strip_suffix("_min").or_else(|| name.strip_suffix("_max"));
    let has = |end: &str, stem: &str| released.iter().any(|it| it.name == format!("{stem}{end}"));
    stem.filter(|stem| has("_min", stem) && has("_max", stem)).unwrap_or(name)
}

/// What is wrong with a column of the release, if anything is.
fn offence(
    number: IdentifierNumber,
    name: &str,
    column: Option<&ColumnSection>,
    treat: Option<&MaskMethod>,
    values: &[&str],
) -> Option<String> {
    let told: Vec<&str> = values.iter().copied().filter(|value| is_told(value)).collect();
    if told.is_empty() || matches!(treat, Some(MaskMethod::Fixed(_) | MaskMethod::Random)) {
        return None;
    }
    if let Some(MaskMethod::Pseudonym(_)) = treat {
        return Some(format!(
            "`{name}` holds codes derived from the original values (164.514(c) forbids \
             them): treat = \"random\""
        ));
    }
    let words = identifier_detection::words(name);
    let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match number {
        2 if is(&ZIP) => {
            let census = census_of(treat);
            let wrong = told.iter().take(LOOKED_AT).find(|value| !is_area(value, census));
            wrong.map(|_| {
                format!(
                    "`{name}` tells more than three digits, or an area of 20,000 people or fewer \
                     ({}): treat = \"zip3\"",
                    census.source()
                )
            })
        }
        2 if identifier_detection::is_place(name) => {
            Some(format!("`{name}` tells where somebody is within a state: leave it out"))
        }
        2 => Some(format!("`{name}` holds names, of places as it may be: leave it out")),
        3 if told.iter().any(|value| identifier_detection::tells_day(value)) => {
            Some(format!("`{name}` tells more of dates than the year: date-unit = \"year\""))
        }
        3 if is(&["age", "ages", "years"]) => {
            let old = |value: &&&str| {
                let open =
                    ["90+", ">=90", "≥90", "90 or older", "90 and over"].contains(&value.trim());
                !open && identifier_detection::told_numbers(value).iter().any(|&age| age > 89.0)
            };
            told.iter().find(old).map(|_| format!("`{name}` tells ages above 89: top = 90"))
        }
        3 if identifier_detection::is_birth(name)
            && told.iter().all(|value| identifier_detection::is_years(value)) =>
        {
            let oldest = this_year() - OLDEST;
            let old = |value: &&&str| {
                identifier_detection::told_numbers(value).iter().any(|&year| year < oldest as f64)
            };
            told.iter().find(old).map(|_| {
                format!("`{name}` tells ages above 89 by the year of birth: bottom = {oldest}")
            })
        }
        3 => told
            .iter()
            .find(|value| !identifier_detection::is_years(value))
            .map(|_| format!("`{name}` tells a part of dates other than the year: leave it out")),
        18 if column.is_some_and(|column| column.role == Role::Quasi) => None,
        18 if told.iter().take(LOOKED_AT).any(|value| value.split_whitespace().count() >= 6) => {
            Some(format!("`{name}` holds free text, in which anything may stand: leave it out"))
        }
        _ if matches!(treat, Some(MaskMethod::Last(_) | MaskMethod::Initials)) => {
            Some(format!("`{name}` still shows a part of its values: leave it out"))
        }
        _ => Some(format!("`{name}` is in the release: leave it out, or treat = \"random\"")),
    }
}

/// Words of columns that hold ZIP codes.
const ZIP: [&str; 6] = ["zip", "zipcode", "postal", "postcode", "postalcode", "plz"];

/// The census by which areas are judged: the one that made them, or the newest.
fn census_of(treat: Option<&MaskMethod>) -> ZipCensus {
    match treat {
        Some(MaskMethod::Zip3(census)) => *census,
        _ => ZipCensus::default(),
    }
}

/// What was done about a column that is in the release.
fn remedy(number: IdentifierNumber, name: &str, treat: Option<&MaskMethod>) -> String {
    match (number, treat) {
        (2, Some(MaskMethod::Zip3(census))) => format!(
            "`{name}`: the first three digits, 000 for areas of 20,000 people or fewer ({})",
            census.source()
        ),
        (_, Some(treat)) => format!("`{name}`: {}", treat.words()),
        (2, None) => format!(
            "`{name}` tells three digits of areas of more than 20,000 people ({})",
            census_of(None).source()
        ),
        (3, None) => format!("`{name}` tells years, or ages up to 89 and 90+"),
        _ => format!("`{name}` is generalized"),
    }
}

/// Whether a label tells no more than three digits of areas that are large enough.
fn is_area(label: &str, census: ZipCensus) -> bool {
    let bare = label.trim().trim_matches(['{', '}', '[', ']', '(', ')']);
    bare.split([',', ' ']).filter(|part| !part.is_empty() && *part != "to").all(|part| {
        let digits = part.trim_end_matches(['*', 'x', 'X']);
        part.chars().all(|c| c.is_ascii_digit() || "*xX".contains(c))
            && digits.len() <= 3
            && !census.restricted_areas().contains(&digits)
    })
}

/// A spec that does what the list asks of a table: identifiers are left out, ZIP codes keep three digits by a census, dates
/// their year, ages end at 90.
pub fn safe_harbor_spec(
    source: &Source,
    k: u64,
    census: ZipCensus,
    control: &Control,
) -> Result<Spec> {
    let found = inspect_source(source, &InspectOptions::new().with_combinations(0), control)?;
    let mut columns = Vec::new();
    for ReleasedColumn { name, values } in columns_of(source, control)? {
        let texts = values.iter().map(|(value, _)| value.as_str()).take(LOOKED_AT);
        let texts: Vec<&str> = texts.filter(|value| is_told(value)).collect();
        let mut numbers = identifier_detection::numbers(&name, &texts);
        // What single values hold goes, unless the whole column is a date or a ZIP code.
        let held = scanned(&name, &values).into_iter().map(|finding| finding.number);
        let held: Vec<IdentifierNumber> =
            held.filter(|number| *number == 1 || !numbers.contains(number)).collect();
        let years = texts.iter().all(|value| identifier_detection::is_years(value));
        if held.iter().any(|number| *number != 3 || !years) {
            columns.push(ColumnSection::new(&name, Role::Identifying));
            continue;
        }
        let tells_age = identifier_detection::is_birth(&name) || held.contains(&3);
        numbers.extend(held);
        let words = identifier_detection::words(&name);
        let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let mut column = ColumnSection::new(&name, Role::Identifying);
        if numbers.iter().any(|number| ![2, 3].contains(number)) {
            columns.push(column);
            continue;
        }
        if numbers.contains(&2) {
            if is(&["zip", "zipcode"]) {
                (column.role, column.treat) = (Role::Quasi, Some(MaskMethod::Zip3(census)));
            }
        } else if numbers.contains(&3)
            && texts.iter().any(|value| identifier_detection::tells_day(value))
        {
            (column.role, column.date_unit) = (Role::Quasi, Some(DatePeriod::Year));
        } else if numbers.contains(&3) && is(&["age", "ages", "years"]) {
            (column.role, column.top) = (Role::Quasi, Some(Decimal::from(OLDEST as u32)));
        } else if numbers.contains(&3) && years {
            let oldest = Decimal::from((this_year() - OLDEST) as u32);
            (column.role, column.bottom) = (Role::Quasi, tells_age.then_some(oldest));
        } else if numbers.contains(&3) {
            // A part of dates other than the year is left out.
        } else if let Some(likely) = found.columns.iter().find(|column| column.name == name) {
            column.role = likely.role.into();
        }
        columns.push(column);
    }
    Ok(Spec::new(source.path(), columns, k))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_columns() {
        let said = |text: &str| speaks_of(&[format!("attested: {text}")], "visit_week");
        assert!(said("J. Doe: visit_week counts weeks since the first visit"));
        assert!(said("J. Doe: `Visit_Week` counts weeks"));
        assert!(!said("J. Doe looked"));
        assert!(!said("last_visit_week and visit_weeks are fine"));
    }

    #[test]
    fn areas_are_judged_by_the_census_that_made_them() {
        let zip3 = |census| MaskMethod::Zip3(census);
        let [new, old] = [ZipCensus::Of2020, ZipCensus::Of2000].map(zip3);
        assert!(is_area("063", census_of(None)) && is_area("063", census_of(Some(&new))));
        assert!(!is_area("063", census_of(Some(&old))) && is_area("369", census_of(Some(&old))));
        assert!(remedy(2, "zip", Some(&old)).contains("Census 2000"));
        assert!(remedy(2, "zip", Some(&new)).contains("2020 Census"));
    }

    #[test]
    fn areas_are_large_enough() {
        for label in ["981", "000", "98*", "981**", "*", "{981, 982}", "9"] {
            assert!(is_area(label, ZipCensus::default()), "{label}");
        }
        for label in ["98115", "036", "9811*", "[98101-98115]", "{981, 036}", "Seattle"] {
            assert!(!is_area(label, ZipCensus::default()), "{label}");
        }
    }
}
