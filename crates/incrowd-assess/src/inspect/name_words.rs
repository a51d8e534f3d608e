//! The words in a column's name, and what they say about the column.

/// A column's name as lower-case words: `dateOfBirth`, `date_of_birth` and `DATE-OF-BIRTH` alike.
#[derive(Debug)]
pub(super) struct NameWords(Vec<String>);

impl NameWords {
    /// The words of a name.
    pub(super) fn new(name: &str) -> Self {
        let mut words = vec![String::new()];
        let mut before = ' ';
        for letter in name.chars() {
            let starts = (letter.is_uppercase() && before.is_lowercase())
                || (letter.is_alphabetic() != before.is_alphabetic());
            if starts {
                words.push(String::new());
            }
            if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
                word.extend(letter.to_lowercase());
            }
            before = letter;
        }
        words.retain(|word| !word.is_empty());
        // The number of something is no number that names it.
        while let Some(at) = words.iter().position(|word| word == "of").filter(|&at| at > 0)
            && NUMBERING.contains(&words[at - 1].as_str())
        {
            words.drain(at - 1..=at);
        }
        NameWords(with_people(words))
    }

    /// The first word of the name that is in a list. Two words count as one too: `first name` is
    /// found as `firstname`.
    pub(super) fn has(&self, list: &[&'static str]) -> Option<&'static str> {
        let known = |word: &str| list.iter().copied().find(|&known| known == word);
        let joined = || self.0.windows(2).find_map(|pair| known(&pair.concat()));
        joined().or_else(|| self.0.iter().find_map(|word| known(word)))
    }

    /// Whether the name ends with a word of the list.
    pub(super) fn ends_with_one_of(&self, list: &[&'static str]) -> bool {
        self.0.last().is_some_and(|last| list.contains(&last.as_str()))
    }

    /// Whether the name is nothing but a word of the list.
    pub(super) fn is_one_of(&self, list: &[&'static str]) -> bool {
        self.0.len() == 1 && self.has(list).is_some()
    }
}

/// The words with numbers of people spelled out: `childid`, `famID` and `pers_num` number persons, `idno` is an id.
fn with_people(words: Vec<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        if word.strip_prefix("id").is_some_and(|rest| SUFFIXES.contains(&rest) || rest == "code") {
            found.push("id".to_owned());
            continue;
        }
        let is_stem = |stem: &str| STEMS.contains(&stem);
        let of_stem = |suffix: &&&str| word.strip_suffix(**suffix).is_some_and(is_stem);
        if let Some(suffix) = SUFFIXES.iter().find(of_stem) {
            found.extend(["person".to_owned(), (*suffix).to_owned()]);
            continue;
        }
        if let Some(last) = found.last_mut()
            && is_stem(last)
            && SUFFIXES.contains(&word.as_str())
        {
            *last = "person".to_owned();
        }
        // `fincome` and `hhsalary` are somebody's.
        let measured = ["income", "salary", "earnings", "wages"].iter();
        found.extend(
            measured.filter(|it| word.ends_with(**it) && word != **it).map(|it| (*it).to_owned()),
        );
        found.push(word);
    }
    found
}

/// What the name of a column says of whom its values name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameHint {
    /// It speaks of persons, names or numbers.
    Subject,
    /// It speaks of something that others may know of a person: an age, a place, a day.
    Attribute,
    /// It says neither.
    Nothing,
}

impl NameHint {
    /// What a name says.
    pub fn of(column: &str) -> Self {
        let words = NameWords::new(column);
        // A code of an industry or a drug is nobody's.
        let numbers = words.has(PLAIN_NUMBERING).is_some() || words.ends_with_one_of(COUNTING);
        let subject = numbers || [PERSON, NAMING].iter().any(|list| words.has(list).is_some());
        match (subject, words.has(KNOWN)) {
            // A ZIP code is a code of places.
            (_, Some(_)) if words.has(PERSON).is_none() => NameHint::Attribute,
            (true, _) => NameHint::Subject,
            (false, _) => NameHint::Nothing,
        }
    }

    /// Whether a name says that the values number people: `patient_no`, `card`. A number of a clinic or a product is no
    /// person's.
    pub fn numbers_people(column: &str) -> bool {
        let words = NameWords::new(column);
        let counts = words.has(PLAIN_NUMBERING).is_some() || words.ends_with_one_of(COUNTING);
        words.is_one_of(PLAIN_NUMBERING) || counts && words.has(PERSON).is_some()
    }
}

/// Whose number it is, in front of a word for one.
#[rustfmt::skip]
const STEMS: &[&str] = &[
    "child", "kid", "pers", "person", "patient", "pat", "pt", "fam", "family", "hh", "house", "household", "subj", "subject",
    "usubj", "resp", "respondent", "pupil", "stud", "student", "mom", "mother", "father", "indiv", "individual",
    "memb", "member", "cust", "customer", "emp", "employee", "client", "donor", "int", "interview", "prof", "teacher",
    "worker", "user", "case", "rec", "record", "row", "seq", "sample", "study", "unit", "obs", "twin", "sib", "participant",
];

/// Words for a number, at the end of others.
const SUFFIXES: &[&str] = &["id", "ids", "num", "number", "nr", "no"];

/// Postal codes.
pub(super) const POSTAL: &[&str] =
    &["zip", "zipcode", "postal", "postalcode", "postcode", "plz", "pincode"];

/// What names a person or leads straight to one.
#[rustfmt::skip]
pub(super) const NAMING: &[&str] = &[
    "email", "mail", "ssn", "socialsecurity", "phone", "telephone", "mobile", "fax", "passport",
    "iban", "account", "username", "login", "nickname", "firstname", "lastname", "surname",
    "fullname", "forename", "familyname", "givenname", "middlename", "maidenname", "address",
    "street", "ip", "ipaddress", "imei", "vin", "plate", "url", "creditcard", "cardnumber", "mrn",
    "uuid", "guid", "taxid", "photo", "signature", "vorname", "nachname", "familienname", "telefon",
    "adresse", "strasse", "straße", "prenom", "prénom", "apellido", "kontonummer",
];

/// What may name a person or number the rows, but other things as well.
pub(super) const NUMBERING: &[&str] = &[
    "id",
    "name",
    "identifier",
    "number",
    "num",
    "no",
    "nr",
    "key",
    "code",
    "ref",
    "reference",
    "index",
    "record",
    "serial",
    "license",
    "licence",
    "policy",
    "contract",
    "case",
    "caseid",
    "rowid",
    "uid",
    "pid",
    "hid",
    "hhid",
    "sid",
    "seqn",
    "card",
];

/// Of those, what names a person when nothing else is said.
pub(super) const PLAIN_NUMBERING: &[&str] = &[
    "id",
    "name",
    "identifier",
    "caseid",
    "rowid",
    "uid",
    "pid",
    "hid",
    "hhid",
    "sid",
    "seqn",
    "card",
];

/// Of those, what counts up: different in every row it is nothing but the row's number.
pub(super) const COUNTING: &[&str] = &[
    "id",
    "identifier",
    "number",
    "num",
    "no",
    "nr",
    "key",
    "ref",
    "reference",
    "index",
    "record",
    "serial",
    "case",
];

/// Where somebody or something is on the map.
pub(super) const PLACE: &[&str] = &[
    "lat",
    "latitude",
    "lon",
    "long",
    "lng",
    "longitude",
    "coord",
    "coords",
    "coordinate",
    "coordinates",
    "gps",
    "geo",
    "geometry",
    "northing",
    "easting",
];

/// Whom a table may be about.
pub(super) const PERSON: &[&str] = &[
    "person",
    "patient",
    "customer",
    "client",
    "employee",
    "student",
    "member",
    "subject",
    "user",
    "resident",
    "citizen",
    "applicant",
    "respondent",
    "participant",
    "owner",
    "driver",
    "donor",
];

/// What a table is made to predict.
pub(super) const OUTCOME: &[&str] = &[
    "class",
    "label",
    "target",
    "outcome",
    "response",
    "churn",
    "churned",
    "default",
    "defaulted",
    "approved",
    "approval",
    "accepted",
    "admitted",
    "readmitted",
    "readmission",
    "survived",
    "survival",
    "decision",
    "result",
    "y",
];

/// What people want to keep to themselves.
#[rustfmt::skip]
pub(super) const PRIVATE: &[&str] = &[
    "income", "salary", "wage", "wages", "pay", "earnings", "bonus", "debt", "loan", "credit",
    "balance", "wealth", "tax", "benefit", "welfare", "capital", "disease", "diagnosis",
    "diagnoses", "diag", "diags", "dx", "icd", "icd9", "icd10", "condition", "illness", "symptom", "symptoms", "cancer", "hiv", "drug",
    "medication", "medicine", "prescription", "treatment", "therapy", "procedure", "surgery",
    "blood", "glucose", "cholesterol", "bmi", "disability", "disabled", "pregnant", "pregnancy",
    "mental", "depression", "smoker", "smoking", "alcohol", "addiction", "gene", "genotype",
    "religion", "political", "party", "vote", "union", "orientation", "criminal", "conviction",
    "offence", "offense", "arrest", "score", "grade", "gpa", "gehalt", "lohn", "einkommen", "diagnose",
    "salaire", "revenu",
    "charge", "charges", "cost", "costs", "price", "amount", "fee", "fees", "payment", "payments",
    "expense", "expenses", "expenditure", "revenue", "rent", "assets",
];

/// What others know about people, or can look up.
#[rustfmt::skip]
pub(super) const KNOWN: &[&str] = &[
    "age", "birth", "birthdate", "birthday", "dob", "yob", "born", "sex", "gender", "race",
    "ethnicity", "ethnic", "zip", "zipcode", "postal", "postalcode", "postcode", "plz", "pincode",
    "city", "town", "village", "county", "state", "region", "district", "province", "country",
    "nationality", "citizenship", "native", "origin", "language", "marital", "married",
    "relationship", "family", "household", "children", "dependents", "education", "degree",
    "school", "university", "occupation", "job", "profession", "employer", "workclass", "industry",
    "department", "position", "title", "height", "weight", "eye", "hair", "location", "latitude",
    "longitude", "lat", "lon", "lng", "admission", "discharge", "visit", "hospital", "ward", "car",
    "vehicle", "geburtsdatum", "geburtsjahr", "geschlecht", "alter", "wohnort", "beruf", "sexe",
    "naissance", "nacimiento",
];

/// What others may know of a person and what is measured or dated, so that many different numbers are no numbering.
pub(super) const MEASURED: &[&str] = &[
    "age",
    "birth",
    "birthdate",
    "birthday",
    "dob",
    "yob",
    "born",
    "zip",
    "zipcode",
    "postal",
    "postalcode",
    "postcode",
    "plz",
    "pincode",
    "height",
    "weight",
    "latitude",
    "longitude",
    "lat",
    "lon",
    "lng",
    "alter",
    "geburtsdatum",
    "geburtsjahr",
    "naissance",
    "nacimiento",
];

#[cfg(test)]
mod tests {
    use super::{KNOWN, NAMING, NUMBERING, NameWords, OUTCOME, PERSON, PRIVATE};

    #[test]
    fn names_are_taken_apart_however_they_are_written() {
        for name in ["dateOfBirth", "date_of_birth", "DATE-OF-BIRTH", " date.of birth "] {
            assert_eq!(NameWords::new(name).0, ["date", "of", "birth"], "{name}");
        }
        assert_eq!(NameWords::new("Number of children").0, ["children"]);
        assert_eq!(NameWords::new("zip5").0, ["zip", "5"]);
        assert_eq!(NameWords::new("ICD10Code").0, ["icd", "10", "code"]);
        assert_eq!(NameWords::new("").0, [""; 0]);
    }

    #[test]
    fn numbers_of_people_are_known_however_they_are_abbreviated() {
        for (name, words) in [
            ("childid", &["person", "id"][..]),
            ("famID", &["person", "id"]),
            ("pers_num", &["person", "num"]),
            ("intnum", &["person", "num"]),
            ("pupilNR", &["person", "nr"]),
            ("idcode", &["id"]),
            ("idno", &["id"]),
            ("childAge", &["child", "age"]),
            ("steroid", &["steroid"]),
        ] {
            assert_eq!(NameWords::new(name).0, words, "{name}");
        }
    }

    #[test]
    fn words_are_found_alone_and_joined_but_not_inside_others() {
        assert_eq!(NameWords::new("First Name").has(NAMING), Some("firstname"));
        assert_eq!(NameWords::new("e-mail").has(NAMING), Some("email"));
        assert_eq!(NameWords::new("percentage").has(KNOWN), None);
        assert_eq!(NameWords::new("widow").has(NUMBERING), None);
    }

    #[test]
    fn no_word_says_two_things() {
        let lists = [NAMING, NUMBERING, PERSON, OUTCOME, PRIVATE, KNOWN];
        let mut words: Vec<&str> = lists.concat();
        words.sort_unstable();
        let count = words.len();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
