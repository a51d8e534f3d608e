//! Which of the identifiers of the Safe Harbor method a column looks like, by its name and its values.

/// What a column may hold, by the number of the identifier in 45 CFR 164.514(b)(2)(i), A to R.
pub(super) type IdentifierNumber = u8;

/// Whether a value is something.
pub(super) type ValueTest = fn(&str) -> bool;

/// Words in names of columns, and what they mean. Two words count as one, too.
const WORDS: &[(IdentifierNumber, &[&str])] = &[
    (
        1,
        &[
            "firstname",
            "lastname",
            "surname",
            "forename",
            "fullname",
            "middlename",
            "maidenname",
            "givenname",
            "familyname",
            "patientname",
            "nickname",
            "initials",
            "vorname",
            "nachname",
        ],
    ),
    (
        2,
        &[
            "zip",
            "zipcode",
            "postal",
            "postcode",
            "postalcode",
            "plz",
            "address",
            "street",
            "city",
            "town",
            "county",
            "parish",
            "district",
            "precinct",
            "lat",
            "latitude",
            "lon",
            "lng",
            "longitude",
            "geocode",
            "tract",
            "village",
            "residence",
            "residency",
            "location",
            "place",
            "birthplace",
            "hometown",
            "neighborhood",
            "neighbourhood",
            "borough",
            "municipality",
            "commune",
            "suburb",
            "locality",
        ],
    ),
    (
        3,
        &[
            "dob",
            "birthdate",
            "birthday",
            "date",
            "admitted",
            "admission",
            "discharged",
            "discharge",
            "deathdate",
            "age",
            "ages",
            "timestamp",
            "datetime",
            "born",
            "seen",
            "yob",
            "birth",
            "birthyear",
            "yearbirth",
            "week",
            "weekday",
            "isoweek",
            "month",
            "day",
            "quarter",
            "doy",
        ],
    ),
    (4, &["phone", "telephone", "tel", "mobile", "cellphone"]),
    (5, &["fax"]),
    (6, &["email", "mail"]),
    (7, &["ssn", "socialsecurity"]),
    (8, &["mrn", "medicalrecord", "recordnumber", "chartnumber", "patientid", "patientnumber"]),
    (
        9,
        &[
            "beneficiary",
            "memberid",
            "healthplan",
            "insuranceid",
            "policynumber",
            "subscriber",
            "medicare",
            "medicaid",
        ],
    ),
    (10, &["account", "acct", "iban", "creditcard", "cardnumber"]),
    (11, &["license", "licence", "certificate", "npi", "dea", "passport"]),
    (12, &["vehicle", "vin", "plate", "licenseplate"]),
    (13, &["device", "serial", "imei", "udi", "deviceid"]),
    (14, &["url", "website", "webpage", "homepage"]),
    (15, &["ip", "ipaddress"]),
    (16, &["fingerprint", "biometric", "voiceprint", "retina", "iris", "faceid", "dna"]),
    (17, &["photo", "photograph", "image", "picture", "portrait"]),
    (18, &["id", "uuid", "guid", "identifier", "username", "login", "uid", "pid", "key", "code"]),
    (
        18,
        &["note", "notes", "comment", "comments", "remark", "remarks", "text", "narrative", "memo"],
    ),
];
/// Words of columns whose values are written like names and are none of places or people.
const OF_THINGS: &[&str] = &[
    "illness",
    "disease",
    "diagnosis",
    "diag",
    "dx",
    "symptom",
    "condition",
    "complication",
    "drug",
    "medication",
    "therapy",
    "treatment",
    "procedure",
    "test",
    "result",
    "outcome",
    "sex",
    "gender",
    "race",
    "ethnicity",
    "ethnic",
    "origin",
    "marital",
    "relationship",
    "education",
    "degree",
    "occupation",
    "job",
    "employment",
    "work",
    "workclass",
    "industry",
    "religion",
    "language",
    "country",
    "nation",
    "nationality",
    "citizenship",
    "state",
    "region",
    "continent",
    "insurance",
    "payer",
    "department",
    "specialty",
    "color",
    "colour",
    "blood",
    "smoker",
    "smoking",
    "status",
    "class",
    "group",
    "type",
    "category",
    "level",
    "stage",
    "grade",
    "arm",
    "answer",
    "opinion",
    "party",
    "product",
    "company",
    "file",
    "species",
    "organ",
    "site",
    "cause",
    "reason",
    "severity",
    "risk",
    "response",
    "shape",
    "size",
    "income",
    "salary",
    "housing",
    "tenure",
];

/// The words of a name, in lower case.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the name of a column says that it tells places.
pub(super) fn is_place(name: &str) -> bool {
    numbers(name, &[]).contains(&2)
}

/// Whether the name of a column says that its values are of something and not of people or places.
pub(super) fn is_of_things(name: &str) -> bool {
    let words = words(name);
    let joined: Vec<String> = words.windows(2).map(<[String]>::concat).collect();
    words.iter().chain(&joined).any(|word| OF_THINGS.contains(&word.as_str()))
}

/// Whether the name of a column says that it tells when somebody was born.
pub(super) fn is_birth(name: &str) -> bool {
    let is = |word: &String| {
        ["born", "yob", "dob"].contains(&word.as_str()) || word.starts_with("birth")
    };
    words(name).iter().any(is)
}

/// What a column looks like.
pub(super) fn numbers(name: &str, values: &[&str]) -> Vec<IdentifierNumber> {
    let words = words(name);
    let joined: Vec<String> = words.windows(2).map(<[String]>::concat).collect();
    let has = |list: &[&str]| words.iter().chain(&joined).any(|word| list.contains(&word.as_str()));
    let mut found: Vec<IdentifierNumber> =
        WORDS.iter().filter(|(_, list)| has(list)).map(|(number, _)| *number).collect();
    // A name is one of somebody unless it is of something.
    let of_thing = [
        "drug", "hospital", "product", "file", "column", "test", "company", "unit", "country",
        "state",
    ];
    if words.last().is_some_and(|word| word == "name" || word == "names") && !has(&of_thing) {
        found.push(1);
    }
    // `patient` alone is who, `patient age` is not.
    if let [word] = &words[..]
        && ["patient", "subject", "person", "participant", "member", "client"]
            .contains(&word.as_str())
    {
        found.push(8);
    }
    // A code of something is no code of somebody.
    let of_thing = [
        "diagnosis",
        "icd",
        "icd10",
        "drug",
        "procedure",
        "country",
        "state",
        "zip",
        "postal",
        "code",
    ];
    if words.last().is_some_and(|word| word == "code") && has(&of_thing) {
        found.retain(|number| *number != 18);
    }
    let some: Vec<&str> = values.iter().copied().filter(|value| !value.trim().is_empty()).collect();
    let mostly = |is: ValueTest| {
        !some.is_empty() && some.iter().filter(|value| is(value)).count() * 2 > some.len()
    };
    let contents: [(IdentifierNumber, ValueTest); 7] = [
        (6, |value| {
            value.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
        }),
        (7, |value| shape(value) == "999-99-9999"),
        (14, |value| value.starts_with("http://") || value.starts_with("https://")),
        (15, |value| value.parse::<std::net::IpAddr>().is_ok()),
        (3, tells_day),
        (3, tells_part_of_date),
        (18, |value| value.split_whitespace().count() >= 6),
    ];
    found.extend(contents.iter().filter(|(_, is)| mostly(*is)).map(|(number, _)| *number));
    // Many different values of some words each are text that somebody wrote.
    if some.len() > 50 && mostly(|value| value.split_whitespace().count() >= 4) {
        found.push(18);
    }
    if words == ["years"] {
        found.push(3);
    }
    // Names of places cannot be told from names of anything else.
    if found.is_empty() && some.len() > 2 && mostly(is_name) && !is_of_things(name) {
        found.push(2);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a value is written like the name of a place or a person: one to three words with capitals.
pub(super) fn is_name(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let capital = |word: &&str| {
        let mut letters = word.chars();
        let first = letters.next().is_some_and(char::is_uppercase);
        first
            && letters.clone().count() >= 2
            && letters.all(|c| c.is_lowercase() || ".'-".contains(c))
    };
    (1..=3).contains(&words.len()) && words.iter().all(capital)
}

/// Whether a value is a day without its year, the name of a month, or a day in digits alone.
pub(super) fn tells_part_of_date(value: &str) -> bool {
    let value = value.trim();
    let is_day = |month: &str, day: &str| {
        let within = |text: &str, most: u32| {
            text.len() <= 2 && text.parse().is_ok_and(|number: u32| (1..=most).contains(&number))
        };
        within(month, 12) && within(day, 31)
    };
    if let Some((one, two)) = value.split_once(['/', '-', '.'])
        && (is_day(one, two) || is_day(two, one))
        && one.len() + two.len() >= 2
        && !value.contains('.')
    {
        return true;
    }
    let mut words = value.split([' ', '.', '-']);
    if words.find(|word| word.chars().any(char::is_alphabetic)).is_some_and(is_month) {
        return true;
    }
    if !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let is_year = |year: &str| year.starts_with("19") || year.starts_with("20");
    match value.len() {
        8 => {
            is_year(&value[..4]) && is_day(&value[4..6], &value[6..])
                || is_year(&value[4..])
                    && (is_day(&value[..2], &value[2..4]) || is_day(&value[2..4], &value[..2]))
        }
        // The day of a year.
        7 => {
            is_year(&value[..4])
                && value[4..].parse().is_ok_and(|day: u32| (1..=366).contains(&day))
        }
        6 => {
            is_year(&value[..4]) && is_day(&value[4..], "1")
                || is_day(&value[2..4], &value[4..])
                || is_day(&value[..2], &value[2..4])
                || is_day(&value[2..4], &value[..2])
        }
        _ => false,
    }
}

/// The names of months; three letters are enough.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Whether a word is the name of a month, whole or short.
pub(super) fn is_month(word: &str) -> bool {
    let word = word.to_lowercase();
    MONTHS.iter().any(|month| word == *month || word == month[..3]) || word == "sept"
}

/// Digits as 9, letters as a.
pub(super) fn shape(value: &str) -> String {
    let shape = value.trim().chars().map(|c| match c {
        '0'..='9' => '9',
        c if c.is_alphabetic() => 'a',
        c => c,
    });
    shape.collect()
}

/// Whether a value or label tells more of a date than its year.
pub(super) fn tells_day(value: &str) -> bool {
    let shape = shape(value);
    let lower = value.to_lowercase();
    let has_year = shape.contains("9999");
    let named = has_year && MONTHS.iter().any(|month| lower.contains(&month[..3]));
    // A year with something behind it, and a day with something before it.
    let after_year = ["9999-99", "9999/9", "9999.9", "9999-a99", "9999-a9"];
    let after_year = after_year.iter().any(|part| {
        shape.match_indices(part).any(|(at, _)| !shape[..at].ends_with(['9', '.', ',']))
    });
    let before_year = ["9/9/99", "9.9.99", "9-9-99", "9/99/99", "9.99.99", "9-99-99"];
    let before_year =
        before_year.iter().any(|part| shape.contains(part)) && !shape.contains("999-99-9999");
    named || ((after_year || before_year) && !is_years(value))
}

/// Whether a label is one or two years and nothing else: `2018`, `[2018-2020]`, `2010s`, `<=1936`.
pub(super) fn is_years(value: &str) -> bool {
    let bare =
        value.trim().trim_matches(['[', ']', '(', ')', '{', '}', '<', '>', '=', '≤', '≥', '+']);
    let parts: Vec<&str> =
        bare.split(['-', ' ', ',']).filter(|part| !part.is_empty() && *part != "to").collect();
    parts.iter().all(|part| {
        let year = part.trim_end_matches('s');
        year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The numbers that a label tells.
pub(super) fn told_numbers(value: &str) -> Vec<f64> {
    let mut numbers = Vec::new();
    let mut digits = String::new();
    for c in value.chars().chain([' ']) {
        if c.is_ascii_digit() || (c == '.' && !digits.is_empty()) {
            digits.push(c);
        } else {
            numbers.extend(digits.trim_end_matches('.').parse::<f64>());
            digits.clear();
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_known_by_name_and_by_value() {
        for (name, values, expected) in [
            ("PatientName", &["Ann"][..], &[1][..]),
            ("drug_name", &["aspirin"], &[]),
            ("zip", &["98115"], &[2]),
            ("patient", &["100037"], &[8]),
            ("patient sex", &["F"], &[]),
            ("contact", &["a@b.org", "c@d.org"], &[6]),
            ("x", &["123-45-6789"], &[7]),
            ("visit", &["2021-03-04", "2021-03-05"], &[3]),
            ("year", &["2021", "2022"], &[]),
            ("notes", &["she came late and was told to go home again"], &[18]),
            ("diagnosis code", &["A10"], &[]),
            ("age", &["30"], &[3]),
            ("years", &["83"], &[3]),
            ("week", &["14"], &[3]),
            ("weeks", &["14"], &[]),
            ("x", &["3/14", "12/30"], &[3]),
            ("x", &["120/80", "130/90"], &[]),
            ("x", &["20190304", "20200229"], &[3]),
            ("x", &["March", "May"], &[3]),
            ("x", &["Marc Roe"], &[]),
            ("note", &["flu"], &[18]),
            ("x", &["Madison", "Monona", "Sun Prairie"], &[2]),
            ("illness", &["Flu", "Gout", "Asthma"], &[]),
        ] {
            assert_eq!(numbers(name, values), expected, "{name}");
        }
    }

    #[test]
    fn years_tell_no_day() {
        for value in [
            "2021-03-04",
            "3/4/2021",
            "04.03.21",
            "2021-03",
            "Mar 2021",
            "2018-Q2",
            "[2018-04 to 2018-09]",
            "2018-W14",
        ] {
            assert!(tells_day(value), "{value}");
        }
        for value in
            ["2021", "[2018-2020]", "2010s", "[2018 to 2020]", "*", "90+", "98115-1234", "flu"]
        {
            assert!(!tells_day(value), "{value}");
        }
        assert_eq!(told_numbers("[85-95]"), [85.0, 95.0]);
        assert_eq!(told_numbers("90+"), [90.0]);
    }
}
