//! Codes that carry their groups in themselves, and names that a ready hierarchy knows.

use incrowd_engine::value::BuiltinHierarchy;
use serde::Serialize;

use super::name_words::{NameWords, POSTAL};

/// How the values of a column could be generalized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProposedHierarchy {
    /// A hierarchy that is ready to use; with a group for values that it does not cover, if there are any.
    Ready {
        /// Which one.
        ready: BuiltinHierarchy,
        /// Whether some values are not covered.
        other: bool,
    },
    /// The first so many characters, level by level.
    Prefix(Vec<usize>),
}

impl ProposedHierarchy {
    /// The hierarchy as options give it: `countries`, `prefix:3,1`.
    pub fn word(&self) -> String {
        match self {
            ProposedHierarchy::Ready { ready, other: false } => ready.name().to_owned(),
            ProposedHierarchy::Ready { ready, other: true } => format!("{}:other", ready.name()),
            ProposedHierarchy::Prefix(kept) => {
                let kept: Vec<String> = kept.iter().map(usize::to_string).collect();
                format!("prefix:{}", kept.join(","))
            }
        }
    }
}

/// What the values of a column look like, if they are codes or names with groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CodeSystem {
    /// What they are, in words.
    pub what: String,
    /// How they could be generalized.
    pub hierarchy: ProposedHierarchy,
    /// Whether there is hardly a doubt.
    pub certain: bool,
}

impl CodeSystem {
    fn new(what: &str, hierarchy: ProposedHierarchy, certain: bool) -> Option<Self> {
        Some(CodeSystem { what: what.to_owned(), hierarchy, certain })
    }

    /// What they are and what to do, in a sentence about the column of this name.
    pub fn told(&self, column: &str) -> String {
        let (what, word) = (&self.what, self.hierarchy.word());
        let seem = if self.certain { "these are" } else { "these may be" };
        // As a shell takes it.
        let option = format!("{column}={word}");
        let plain = |c: char| c.is_alphanumeric() || "_-=:,.".contains(c);
        let option = if option.chars().all(plain) { option } else { format!("'{option}'") };
        format!("{seem} {what}, which --hierarchy {option} generalizes")
    }

    /// Looks at the name of a column and its distinct values, missing ones left out.
    ///
    /// A few values that do not fit are forgiven: one in twenty.
    pub fn of<'v>(name: &str, values: impl IntoIterator<Item = &'v str>) -> Option<Self> {
        let values: Vec<&str> = values.into_iter().map(str::trim).collect();
        of(&NameWords::new(name), &values)
    }
}

/// Fewer values need no hierarchy, and tell little about themselves.
const FEWEST: usize = 6;
/// Looking at so many values tells as much as looking at all.
const MOST: usize = 5_000;

const ICD: &[&str] =
    &["icd", "diagnosis", "diagnoses", "diag", "dx", "cause", "disease", "condition"];
const COUNTRY: &[&str] = &[
    "country",
    "countries",
    "nation",
    "nationality",
    "citizenship",
    "native",
    "origin",
    "birthplace",
    "land",
];
const PHONE: &[&str] = &["phone", "telephone", "tel", "mobile", "cell", "fax"];
/// Classifications whose codes get finer with every character.
const CLASSIFIED: &[&str] = &[
    "sic", "naics", "nace", "isic", "isco", "soc", "noc", "anzsco", "onet", "atc", "cpv", "cofog",
    "hs", "nuts", "fips",
];

pub(super) fn of(name: &NameWords, values: &[&str]) -> Option<CodeSystem> {
    if values.len() < FEWEST {
        return None;
    }
    let step = values.len().div_ceil(MOST);
    let seen: Vec<&str> = values.iter().copied().step_by(step).collect();
    let fitting = |fits: &dyn Fn(&str) -> bool| seen.iter().filter(|value| fits(value)).count();
    let nearly = |fitting: usize| fitting * 20 >= seen.len() * 19;
    let all = |fits: &dyn Fn(&str) -> bool| nearly(fitting(fits));
    for (ready, what) in [
        (BuiltinHierarchy::Ip, "internet addresses"),
        (BuiltinHierarchy::Email, "e-mail addresses"),
    ] {
        let covered = ready.covered(seen.iter().copied());
        if nearly(covered) {
            let other = covered < seen.len();
            return CodeSystem::new(what, ProposedHierarchy::Ready { ready, other }, true);
        }
    }
    let named = |words: &[&'static str]| name.has(words).is_some();
    if all(&is_icd) {
        let covered = BuiltinHierarchy::Icd10.covered(seen.iter().copied());
        let pointed = fitting(&|value| value.as_bytes().get(3) == Some(&b'.'));
        // `A12` may be the number of a room; a point behind it, or the name of the column, tells.
        let certain = named(ICD) || pointed * 5 >= seen.len() && pointed >= FEWEST;
        if certain && nearly(covered) {
            let other = covered < seen.len();
            let hierarchy = ProposedHierarchy::Ready { ready: BuiltinHierarchy::Icd10, other };
            return CodeSystem::new("ICD-10 codes", hierarchy, true);
        }
    }
    if let Some(codes) = countries(&seen, named(COUNTRY)) {
        return Some(codes);
    }
    let kept = |lengths: &[usize]| ProposedHierarchy::Prefix(lengths.to_vec());
    if all(&|value| shape(value, &["A00AA00"])) {
        return CodeSystem::new("ATC codes of medicines", kept(&[5, 4, 3, 1]), true);
    }
    // Areas, districts and sectors of the United Kingdom; Canada; the Netherlands.
    let british = ["A0 0AA", "A00 0AA", "AA0 0AA", "AA00 0AA", "A0A 0AA", "AA0A 0AA"];
    if all(&|value| shape(value, &british)) {
        return CodeSystem::new("British postcodes", kept(&[4, 3, 2, 1]), true);
    }
    if all(&|value| shape(value, &["A0A 0A0", "A0A0A0"])) {
        return CodeSystem::new("Canadian postal codes", kept(&[3, 2, 1]), true);
    }
    if all(&|value| shape(value, &["0000 AA", "0000AA"])) {
        return CodeSystem::new("Dutch postal codes", kept(&[4, 3, 2, 1]), true);
    }
    let longest = seen.iter().map(|value| value.chars().count()).max().unwrap_or(0);
    let zip = |value: &str| shape(value, &["00000", "00000-0000", "00000 0000", "000000000"]);
    if all(&zip) && (named(POSTAL) || longest > 5) {
        let kept = if longest > 5 { kept(&[5, 3, 2, 1]) } else { kept(&[4, 3, 2, 1]) };
        return CodeSystem::new("ZIP codes", kept, named(POSTAL));
    }
    let digits = |value: &str| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let falling = |from: usize, to: usize| ProposedHierarchy::Prefix((to..=from).rev().collect());
    if named(POSTAL) && (3..=10).contains(&longest) && all(&is_code) {
        return CodeSystem::new("postal codes", falling((longest - 1).min(5), 1), true);
    }
    if named(PHONE) && all(&is_phone) {
        return CodeSystem::new("telephone numbers", kept(&[6, 4, 3]), true);
    }
    if named(CLASSIFIED) && (2..=8).contains(&longest) && all(&is_code) {
        return CodeSystem::new(
            "codes of a classification",
            falling((longest - 1).min(5), 1),
            true,
        );
    }
    // Codes of one length with a zero in front are no numbers, whatever they are.
    let same = seen.iter().all(|value| value.chars().count() == longest);
    let zero = seen.iter().any(|value| value.starts_with('0'));
    if same && zero && (3..=10).contains(&longest) && all(&digits) {
        return CodeSystem::new("codes", falling((longest - 1).min(5), 1), false);
    }
    None
}

fn countries(values: &[&str], named: bool) -> Option<CodeSystem> {
    let covered = BuiltinHierarchy::Countries.covered(values.iter().copied());
    // Numbers, and letters by two or three, may be anything else: states, units, classes.
    let spelled =
        values.iter().filter(|v| v.len() > 3 && !v.bytes().any(|b| b.is_ascii_digit())).count();
    // Among names that are written out a few short ones are no surprise.
    let written = covered * 20 >= values.len() * 19 && spelled * 4 >= values.len() * 3;
    let certain = named && covered * 4 >= values.len() * 3 || written;
    let other = covered < values.len();
    let hierarchy = ProposedHierarchy::Ready { ready: BuiltinHierarchy::Countries, other };
    certain.then(|| CodeSystem::new("countries", hierarchy, true)).flatten()
}

/// A letter, a digit, a digit or letter, and up to four more behind a point or none.
fn is_icd(value: &str) -> bool {
    let bytes = value.as_bytes();
    let [letter, digit, third, rest @ ..] = bytes else { return false };
    let rest = rest.strip_prefix(b".").unwrap_or(rest);
    letter.is_ascii_uppercase()
        && digit.is_ascii_digit()
        && (third.is_ascii_digit() || matches!(third, b'A' | b'B'))
        && rest.len() <= 4
        && rest.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

/// Digits and capitals, with signs between them.
fn is_code(value: &str) -> bool {
    let sign = |byte: u8| matches!(byte, b'-' | b' ' | b'.');
    value.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        && value.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase() || sign(b))
}

fn is_phone(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    (6..=15).contains(&digits)
        && value.bytes().all(|b| b.is_ascii_digit() || b"+-()/. ".contains(&b))
}

/// Whether a value has one of these forms: `A` stands for a letter, `0` for a digit.
fn shape(value: &str, forms: &[&str]) -> bool {
    forms.iter().any(|form| {
        form.len() == value.len()
            && form.bytes().zip(value.bytes()).all(|(form, byte)| match form {
                b'A' => byte.is_ascii_alphabetic(),
                b'0' => byte.is_ascii_digit(),
                sign => byte == sign,
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(name: &str, values: &[&str]) -> Option<(String, bool)> {
        CodeSystem::of(name, values.iter().copied())
            .map(|codes| (codes.hierarchy.word(), codes.certain))
    }

    #[test]
    fn codes_are_found_by_their_form_and_the_name() {
        let icd = ["E11.9", "I10", "J45.909", "F32.1", "E78.5", "K21.0", "A00.1", "Z38.00"];
        let bare = ["E119", "I10", "J45", "F321", "E785", "K210"];
        let rooms = ["A12", "A13", "A14", "B10", "B11", "B12"];
        let zips = ["98112", "98113", "02138", "98112-1234", "10001", "60601"];
        let plain = ["98112", "98113", "02138", "98115", "10001", "60601"];
        let british = ["SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT", "EC1A 1BB"];
        let states = ["CA", "IN", "DE", "AL", "GA", "MA", "PA"];
        let names = ["Germany", "France", "Viet Nam", "Kenya", "USA", "Brazil", "Türkiye"];
        for (name, values, expected) in [
            ("x", &icd[..], Some(("icd10", true))),
            ("diagnosis", &bare, Some(("icd10", true))),
            ("x", &bare, None),
            ("room", &rooms, None),
            ("x", &zips, Some(("prefix:5,3,2,1", false))),
            ("zip", &zips, Some(("prefix:5,3,2,1", true))),
            ("Zip Code", &plain, Some(("prefix:4,3,2,1", true))),
            ("x", &plain, Some(("prefix:4,3,2,1", false))),
            ("home", &british, Some(("prefix:4,3,2,1", true))),
            ("state", &states, None),
            ("country", &states, Some(("countries", true))),
            (
                "native-country",
                &["United-States", "Mexico", "Cuba", "?land", "Peru", "Iran", "Japan", "India"],
                Some(("countries:other", true)),
            ),
            ("x", &names[..4], None),
            ("x", &names, Some(("countries", true))),
            (
                "sic",
                &["2011", "2013", "3571", "3572", "7372", "1311"],
                Some(("prefix:3,2,1", true)),
            ),
            (
                "naics",
                &["11", "111", "1111", "541511", "62", "621"],
                Some(("prefix:5,4,3,2,1", true)),
            ),
            (
                "drug",
                &["A10BA02", "C09AA05", "N02BE01", "A02BC01", "C10AA05", "M01AE01"],
                Some(("prefix:5,4,3,1", true)),
            ),
            (
                "tel",
                &[
                    "+49 30 1234567",
                    "030-1234568",
                    "(212) 555-1234",
                    "555 12345",
                    "0171 223344",
                    "112233445",
                ],
                Some(("prefix:6,4,3", true)),
            ),
            (
                "addr",
                &["10.0.0.1", "10.0.0.2", "192.168.1.1", "::1", "8.8.8.8", "1.1.1.1"],
                Some(("ip", true)),
            ),
            (
                "contact",
                &["a@b.org", "c@d.com", "e@f.de", "g@h.org", "i@j.net", "k@l.org"],
                Some(("email", true)),
            ),
            ("job", &["clerk", "nurse", "teacher", "driver", "cook", "smith"], None),
            ("age", &["23", "24", "25", "26", "27", "28"], None),
            ("zip", &["98112", "98113"], None),
        ] {
            let found = word(name, values);
            assert_eq!(
                found,
                expected.map(|(word, certain)| (word.to_owned(), certain)),
                "{name} {values:?}"
            );
        }
    }
}
