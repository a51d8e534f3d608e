//! What single values hold: telephone numbers, addresses, days, numbers of accounts and the like, also inside a text.
//!
//! A pattern is either *sure*, so that one value that holds it is enough, or *likely*: then most values of a column must
//! look like it, because a single one may be anything.

use super::identifier_detection::{IdentifierNumber, ValueTest, is_month, shape};

/// Something that values hold: the identifier that it is, what it is called, and how it is told.
pub(super) struct ValuePattern {
    pub(super) number: IdentifierNumber,
    pub(super) what: &'static str,
    pub(super) holds: ValueTest,
}

const fn pattern(number: IdentifierNumber, what: &'static str, holds: ValueTest) -> ValuePattern {
    ValuePattern { number, what, holds }
}

/// What is sure in a single value.
pub(super) const SURE: [ValuePattern; 31] = [
    pattern(1, "names with a title", has_titled_name),
    pattern(1, "first names within a text", has_name_in_text),
    pattern(2, "street addresses", has_street),
    pattern(2, "ZIP codes of nine digits", |value| has(value, is_long_zip)),
    pattern(2, "names of cities within a text", has_place_in_text),
    pattern(3, "days", has_day),
    pattern(3, "ages above 89", has_old_age),
    pattern(4, "telephone numbers", |value| has_phone(value) && !names_fax(value)),
    pattern(4, "telephone numbers", |value| {
        is_numbered(value, &["tel", "phone", "telephone", "mobile"], 7)
    }),
    pattern(5, "fax numbers", |value| names_fax(value) && has_phone(value)),
    pattern(5, "fax numbers", |value| is_numbered(value, &["fax", "telefax"], 7)),
    pattern(6, "e-mail addresses", |value| has(value, is_email)),
    pattern(7, "social security numbers", |value| has(value, is_ssn) || is_spaced_ssn(value)),
    pattern(7, "social security numbers", |value| is_numbered(value, &["ssn"], 9)),
    pattern(8, "medical record numbers", |value| is_numbered(value, &["mrn", "chart"], 4)),
    pattern(9, "numbers of Medicare beneficiaries", |value| has(value, is_medicare)),
    pattern(9, "numbers of members of health plans", |value| {
        is_numbered(value, &["beneficiary", "member", "medicare", "medicaid", "policy"], 5)
    }),
    pattern(10, "bank account numbers (IBAN)", has_iban),
    pattern(10, "numbers of payment cards", has_card),
    pattern(10, "account numbers", |value| is_numbered(value, &["account", "acct", "konto"], 4)),
    pattern(11, "numbers of licenses or certificates", |value| {
        is_numbered(value, &["license", "licence", "certificate", "passport", "npi", "dea"], 5)
    }),
    pattern(12, "vehicle identification numbers", |value| has(value, is_vin)),
    pattern(12, "license plates", |value| is_numbered(value, &["plate", "plates"], 3)),
    pattern(13, "hardware addresses", |value| has(value, is_mac)),
    pattern(13, "serial numbers of devices", |value| {
        value.contains("(01)") && has(value, is_device)
            || is_numbered(value, &["serial", "s/n", "sn", "imei", "udi"], 4)
    }),
    pattern(14, "web addresses", |value| has(value, is_url)),
    pattern(15, "IP addresses", |value| has(value, is_ip)),
    pattern(16, "recordings of speech", |value| has_file(value, &["wav", "mp3", "m4a", "flac"])),
    pattern(16, "finger prints or genetic sequences", |value| {
        has_file(value, &["wsq", "fpt"]) || has(value, is_sequence)
    }),
    pattern(17, "photographs", |value| {
        has_file(value, &["jpg", "jpeg", "png", "heic", "tif", "tiff", "dcm", "bmp"])
            || value.contains("data:image/")
    }),
    pattern(18, "unique codes (UUIDs)", |value| has(value, is_uuid)),
];

/// What is likely if most values of a column look like it.
pub(super) const LIKELY: [ValuePattern; 8] = [
    pattern(2, "points on the map", is_point),
    pattern(3, "times in seconds or milliseconds since 1970", is_epoch),
    pattern(4, "telephone numbers", |value| is_local_phone(value) || is_ten_digit_phone(value)),
    pattern(11, "numbers of providers (NPI) or of the DEA", |value| is_npi(value) || is_dea(value)),
    pattern(12, "vehicle identification numbers", is_vin_like),
    pattern(13, "numbers of mobile devices (IMEI)", |value| {
        value.len() == 15 && passes_luhn(value)
    }),
    pattern(1, "initials", is_initials),
    pattern(2, "cities with their state", is_city_and_state),
];

/// The words of a value without what stands around them.
fn tokens(value: &str) -> impl Iterator<Item = &str> {
    value
        .split(|c: char| c.is_whitespace() || ",;|\"<>{}[]".contains(c))
        .map(|word| word.trim_matches(|c: char| "()'!?:".contains(c)).trim_end_matches('.'))
        .filter(|word| !word.is_empty())
}

fn has(value: &str, is: ValueTest) -> bool {
    tokens(value).any(is)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Whether a word begins with a capital and goes on with small letters.
fn is_capitalized(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.clone().next().is_some()
        && letters.all(|c| c.is_lowercase() || "'-".contains(c))
}

fn is_email(word: &str) -> bool {
    let Some((name, host)) = word.trim_start_matches("mailto:").split_once('@') else {
        return false;
    };
    let end = host.rsplit_once('.').map_or("", |(_, end)| end);
    !name.is_empty()
        && !host.contains('@')
        && end.len() >= 2
        && end.chars().all(char::is_alphabetic)
}

fn is_url(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let starts = ["http://", "https://", "ftp://"].iter().any(|start| word.contains(start));
    starts || word.strip_prefix("www.").is_some_and(|rest| rest.contains('.'))
}

fn is_ip(word: &str) -> bool {
    let bare = word.split('/').next().unwrap_or_default();
    let four = bare.split(':').next().unwrap_or_default();
    four.parse::<std::net::Ipv4Addr>().is_ok()
        || bare.len() >= 4 && bare.parse::<std::net::Ipv6Addr>().is_ok()
}

fn is_mac(word: &str) -> bool {
    let parts: Vec<&str> = word.split([':', '-']).collect();
    let pair = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
    parts.len() == 6 && parts.iter().all(pair) && word.contains(|c: char| c.is_ascii_digit())
}

fn is_uuid(word: &str) -> bool {
    let lengths: Vec<usize> = word.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

fn is_ssn(word: &str) -> bool {
    shape(word) == "999-99-9999"
        && !word.starts_with("000")
        && &word[4..6] != "00"
        && !word.ends_with("0000")
}

fn is_spaced_ssn(value: &str) -> bool {
    shape(value) == "999 99 9999" && is_ssn(&value.trim().replace(' ', "-"))
}

fn is_long_zip(word: &str) -> bool {
    shape(word) == "99999-9999"
}

/// Whether a text holds a telephone number: ten digits of North America in three parts, or a plus with eight to fifteen.
fn has_phone(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_inside = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    (0..bytes.len()).any(|at| {
        let before = at.checked_sub(1);
        let starts =
            !before.is_some_and(|before| is_inside(before) || b".-/".contains(&bytes[before]));
        starts && (is_american(&bytes[at..]) || is_international(&bytes[at..]))
    })
}

/// `206-555-0101`, `(206) 555-0101`, `1.206.555.0101`, and no digit behind it.
fn is_american(text: &[u8]) -> bool {
    let mut rest = text;
    let mut take = |is: &dyn Fn(u8) -> bool, most: usize| {
        let taken = rest.iter().take(most).take_while(|byte| is(**byte)).count();
        let (head, tail) = rest.split_at(taken);
        rest = tail;
        head
    };
    let digit = |byte: u8| byte.is_ascii_digit();
    let between = |byte: u8| b"-. ".contains(&byte);
    take(&|byte| byte == b'+', 1);
    let mut separated = true;
    if text.iter().find(|byte| byte.is_ascii_digit()) == Some(&b'1') {
        take(&digit, 1);
        separated = !take(&between, 1).is_empty();
    }
    take(&|byte| byte == b'(', 1);
    let area = take(&digit, 3);
    let closed = !take(&|byte| byte == b')', 1).is_empty();
    let first = take(&between, 1);
    let exchange = take(&digit, 3);
    let second = take(&between, 1);
    let number = take(&digit, 4);
    let full = [area.len(), exchange.len(), number.len()] == [3, 3, 4];
    full && separated
        && (closed || !first.is_empty())
        && !second.is_empty()
        && area[0] >= b'2'
        && exchange[0] >= b'2'
        && !rest.first().is_some_and(u8::is_ascii_alphanumeric)
        && !(rest.first().is_some_and(|byte| b"-.".contains(byte))
            && rest.get(1).is_some_and(u8::is_ascii_digit))
}

/// A plus, and eight to fifteen digits with blanks, points, hyphens, slashes or brackets between them.
fn is_international(text: &[u8]) -> bool {
    let Some((b'+', rest)) = text.split_first() else { return false };
    let number = rest.iter().take_while(|byte| byte.is_ascii_digit() || b" .-/()".contains(byte));
    let count = number.filter(|byte| byte.is_ascii_digit()).count();
    rest.first().is_some_and(|byte| (b'1'..=b'9').contains(byte)) && (8..=15).contains(&count)
}

fn names_fax(value: &str) -> bool {
    value.to_ascii_lowercase().contains("fax")
}

/// A number as it is written within a country: `555-0101`, `020 7946 0018`, `0341/1234567`.
fn is_local_phone(value: &str) -> bool {
    let value = value.trim();
    let joined = value.bytes().all(|byte| byte.is_ascii_digit() || b" -/()".contains(&byte));
    shape(value) == "999-9999"
        || (joined
            && value.trim_start_matches('(').starts_with('0')
            && (9..=12).contains(&digits(value))
            && digits(value) < value.len())
}

fn is_ten_digit_phone(value: &str) -> bool {
    let bytes = value.trim().as_bytes();
    bytes.len() == 10
        && bytes.iter().all(u8::is_ascii_digit)
        && bytes[0] >= b'2'
        && bytes[3] >= b'2'
}

/// Ten digits from 2001 to 2036 in seconds, thirteen in milliseconds; also as the ends of a range.
fn is_epoch(value: &str) -> bool {
    let mut found = false;
    for part in value.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()) {
        let fits = matches!(part.len(), 10 | 13) && ("10".."21").contains(&&part[..2]);
        if !fits {
            // The fraction of a second.
            if found && value.contains('.') {
                continue;
            }
            return false;
        }
        found = true;
    }
    found && !value.starts_with('-')
}

fn is_point(value: &str) -> bool {
    if value.trim_start().starts_with("POINT") {
        return true;
    }
    let parts: Vec<&str> = value.split([',', ' ', ';']).filter(|part| !part.is_empty()).collect();
    let degree = |part: &&str, most: f64| {
        part.split_once('.').is_some_and(|(_, decimals)| decimals.len() >= 3)
            && part.parse::<f64>().is_ok_and(|number| number.abs() <= most)
    };
    matches!(&parts[..], [one, two] if degree(one, 90.0) && degree(two, 180.0))
}

/// A day with its month: `2019-03-04`, `3/4/2019`, `4.3.2019`, `March 4, 2019`, `4 Mar 2019`.
fn has_day(value: &str) -> bool {
    let words: Vec<&str> = tokens(value).collect();
    let number = |text: &str, most: u32| {
        is_digits(text)
            && text.len() <= 2
            && text.parse().is_ok_and(|number: u32| (1..=most).contains(&number))
    };
    let year = |text: &str| {
        text.len() == 4
            && is_digits(text)
            && ["17", "18", "19", "20"].iter().any(|start| text.starts_with(start))
    };
    let written = |word: &&str| {
        let day = word.split('T').next().unwrap_or_default();
        ['-', '/', '.'].iter().any(|&by| {
            let parts: Vec<&str> = day.split(by).collect();
            matches!(parts[..], [one, two, three]
                if (year(one) && number(two, 12) && number(three, 31))
                    || (year(three)
                        && (number(one, 12) && number(two, 31)
                            || number(one, 31) && number(two, 12))))
        })
    };
    let named = |at: usize| {
        let near = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or_default();
        let day = |text: &str| {
            number(text.trim_end_matches(|c: char| c.is_ascii_lowercase()), 31)
                && text.starts_with(|c: char| c.is_ascii_digit())
        };
        let (before, after) = (near(at.checked_sub(1)), near(Some(at + 1)));
        words[at].starts_with(char::is_uppercase)
            && is_month(words[at])
            && (day(before) || day(after) || year(after))
    };
    words.iter().any(written) || (0..words.len()).any(named)
}

/// `94 years old`, `94-year-old`, `94 y/o`, `aged 94`.
fn has_old_age(value: &str) -> bool {
    let lower = value.to_lowercase();
    let words: Vec<&str> = lower.split([' ', '-', ',', ';', '(', ')', '.']).collect();
    let old = |word: &str| word.parse().is_ok_and(|age: u32| (90..=125).contains(&age));
    words.windows(2).any(|pair| {
        let (before, after) = (pair[0], pair[1]);
        old(before) && ["year", "years", "yo", "y/o", "yrs", "yr", "jahre"].contains(&after)
            || ["aged", "age", "alter"].contains(&before) && old(after)
    })
}

fn has_titled_name(value: &str) -> bool {
    const TITLES: [&str; 9] = ["Mr", "Mrs", "Ms", "Miss", "Dr", "Prof", "Herr", "Frau", "Sr"];
    let words: Vec<&str> = tokens(value).collect();
    words.windows(2).any(|pair| TITLES.contains(&pair[0]) && is_capitalized(pair[1]))
}

/// Whether a text of some words names somebody in its middle.
fn has_name_in_text(value: &str) -> bool {
    let words: Vec<&str> = tokens(value).collect();
    let in_text =
        words.len() >= 4 && words.iter().filter(|word| !is_capitalized(word)).count() >= 2;
    in_text
        && words.windows(2).any(|pair| {
            pair[0].starts_with(char::is_lowercase)
                && !PLACED.contains(&pair[0])
                && is_capitalized(pair[1])
                && super::word_lists::is_first_name(pair[1])
        })
}

/// Words before places.
const PLACED: [&str; 7] = ["in", "from", "to", "near", "of", "at", "the"];

fn has_place_in_text(value: &str) -> bool {
    let words: Vec<&str> = tokens(value).collect();
    words.len() >= 4
        && (1..words.len()).any(|at| {
            let two = || words.get(at..at + 2).map(|pair| pair.join(" ")).unwrap_or_default();
            ["in", "from", "near", "to"].contains(&words[at - 1])
                && is_capitalized(words[at])
                && (super::word_lists::is_place_name(words[at])
                    || super::word_lists::is_place_name(&two()))
        })
}

/// `12 Main Street`, `4 N. 5th Ave`, `P.O. Box 12`, `Hauptstraße 5`.
fn has_street(value: &str) -> bool {
    const KINDS: [&str; 21] = [
        "St",
        "Street",
        "Ave",
        "Avenue",
        "Rd",
        "Road",
        "Blvd",
        "Boulevard",
        "Ln",
        "Lane",
        "Dr",
        "Drive",
        "Ct",
        "Court",
        "Way",
        "Terrace",
        "Pl",
        "Place",
        "Hwy",
        "Highway",
        "Parkway",
    ];
    let words: Vec<&str> = tokens(value).collect();
    let house = |word: &str| {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        is_digits(bare) && bare.len() <= 5 && word.len() <= bare.len() + 1
    };
    let named = |word: &&str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let american = |at: usize| {
        let rest: Vec<&str> = words[at + 1..].iter().take(4).copied().collect();
        let end = rest.iter().position(|word| KINDS.contains(word));
        house(words[at]) && end.is_some_and(|end| end > 0 && rest[..end].iter().all(named))
    };
    let german = |pair: &[&str]| {
        let street = pair[0].to_lowercase();
        ["straße", "strasse", "str"].iter().any(|end| street.len() > 6 && street.ends_with(end))
            && house(pair[1])
    };
    let lower = value.to_lowercase();
    let box_of = ["p.o. box ", "po box ", "p. o. box "].iter().any(|words| lower.contains(words));
    (0..words.len()).any(american) || words.windows(2).any(german) || box_of
}

/// `Seattle, WA`.
fn is_city_and_state(value: &str) -> bool {
    let Some((city, state)) = value.trim().split_once(", ") else { return false };
    let state = state.split(' ').next().unwrap_or_default();
    state.len() == 2
        && state.bytes().all(|byte| byte.is_ascii_uppercase())
        && city.split(' ').all(is_capitalized)
}

/// `E.H.`, `E. H.`
fn is_initials(value: &str) -> bool {
    let letters = value.trim().split('.').map(str::trim).filter(|part| !part.is_empty());
    let single = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_uppercase);
    value.trim().ends_with('.')
        && value.matches('.').count() >= 2
        && letters.into_iter().all(single)
}

/// Whether a number with so many digits follows one of these words: `MRN 100037`, `account no. 4711-0815`.
fn is_numbered(value: &str, words: &[&str], least: usize) -> bool {
    const BETWEEN: [&str; 9] = ["no", "number", "nr", "id", "is", "record", "code", "acc", "plate"];
    let lower = value.to_lowercase();
    let parts: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || ":#=,;()".contains(c))
        .map(|part| part.trim_matches('.'))
        .filter(|part| !part.is_empty())
        .collect();
    let is_code = |part: &&str| {
        part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-/.+".contains(&byte))
            && digits(part) > 0
    };
    (0..parts.len()).filter(|&at| words.contains(&parts[at])).any(|at| {
        let rest = parts[at + 1..].iter().skip_while(|part| BETWEEN.contains(*part));
        let code: Vec<&&str> = rest.take_while(|part| is_code(part)).collect();
        code.iter().map(|part| digits(part)).sum::<usize>() >= least
    })
}

fn is_iban(text: &str) -> bool {
    let bytes = text.as_bytes();
    let head = bytes.len() >= 15
        && bytes.len() <= 34
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit)
        && bytes.iter().all(u8::is_ascii_alphanumeric);
    head && bytes[4..].iter().chain(&bytes[..4]).fold(0u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte.to_ascii_uppercase() - b'A') + 10) % 97,
    }) == 1
}

/// In one piece, or in blocks of four.
fn has_iban(value: &str) -> bool {
    let words: Vec<&str> = tokens(value).collect();
    (0..words.len()).any(|at| {
        let mut joined = String::new();
        words[at..].iter().take(9).any(|word| {
            joined.push_str(word);
            joined.is_ascii() && is_iban(&joined)
        })
    })
}

/// Whether the digits pass the check of H. P. Luhn (US patent 2,950,048, 1960).
fn passes_luhn(text: &str) -> bool {
    is_digits(text)
        && text
            .bytes()
            .rev()
            .zip([false, true].into_iter().cycle())
            .map(|(byte, twice)| {
                let digit = u32::from(byte - b'0') * if twice { 2 } else { 1 };
                digit / 10 + digit % 10
            })
            .sum::<u32>()
            .is_multiple_of(10)
}

/// Numbers of payment cards begin with 4, 51 to 55, 2221 to 2720, 6011, 65, 34 or 37.
fn has_card(value: &str) -> bool {
    let is_card = |number: &str| {
        let head = |length: usize| number.get(..length).and_then(|head| head.parse::<u32>().ok());
        let (one, two, four) = (head(1), head(2), head(4));
        let issued = match number.len() {
            15 => matches!(two, Some(34 | 37)),
            16 => {
                one == Some(4)
                    || matches!(two, Some(51..=55 | 65))
                    || matches!(four, Some(2221..=2720 | 6011))
            }
            _ => false,
        };
        issued && passes_luhn(number)
    };
    let words: Vec<&str> = tokens(value).collect();
    words.iter().any(|word| is_card(&word.replace('-', "")))
        || words
            .windows(4)
            .any(|four| four.iter().all(|it| it.len() == 4) && is_card(&four.concat()))
}

/// The numbers of the 49 CFR 565: seventeen letters and digits, of which the ninth checks the others.
fn is_vin(word: &str) -> bool {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let value = |byte: u8| match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        b'A'..=b'H' => u32::from(byte - b'A') + 1,
        b'J'..=b'N' => u32::from(byte - b'J') + 1,
        b'P' => 7,
        b'R' => 9,
        _ => u32::from(byte.saturating_sub(b'S')) + 2,
    };
    let word = word.to_ascii_uppercase();
    let sum = word.bytes().zip(WEIGHTS).map(|(byte, weight)| value(byte) * weight).sum::<u32>();
    let check = if sum % 11 == 10 { b'X' } else { b'0' + (sum % 11) as u8 };
    is_vin_like(&word) && word.as_bytes()[8] == check
}

fn is_vin_like(word: &str) -> bool {
    let word = word.trim();
    word.len() == 17
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() && !b"IOQioq".contains(&byte))
        && digits(word) >= 4
        && word.bytes().filter(u8::is_ascii_alphabetic).count() >= 3
}

/// The identifier of Medicare: eleven places, each of which is a digit or a letter.
fn is_medicare(word: &str) -> bool {
    let word = word.replace('-', "");
    let letter = |byte: u8| byte.is_ascii_uppercase() && !b"SLOIBZ".contains(&byte);
    word.len() == 11
        && word.bytes().zip(b"1ax9ax9aa99").all(|(byte, &place)| match place {
            b'1' => (b'1'..=b'9').contains(&byte),
            b'9' => byte.is_ascii_digit(),
            b'a' => letter(byte),
            _ => byte.is_ascii_digit() || letter(byte),
        })
}

/// National provider identifiers: ten digits that begin with 1 or 2 and pass the check behind 80840.
fn is_npi(value: &str) -> bool {
    value.len() == 10 && value.starts_with(['1', '2']) && passes_luhn(&format!("80840{value}"))
}

/// Numbers of the Drug Enforcement Administration: two letters and seven digits, of which the last checks the others.
fn is_dea(value: &str) -> bool {
    let Some((letters, number)) = value.split_at_checked(2) else { return false };
    let digit = |at: usize| u32::from(number.as_bytes()[at] - b'0');
    letters.bytes().all(|byte| byte.is_ascii_uppercase())
        && number.len() == 7
        && is_digits(number)
        && (digit(0) + digit(2) + digit(4) + 2 * (digit(1) + digit(3) + digit(5))) % 10 == digit(6)
}

/// The device part of a UDI behind `(01)`.
fn is_device(word: &str) -> bool {
    let code = word.trim_start_matches("(01)").trim_start_matches("01)");
    code.len() >= 14 && code.get(..14).is_some_and(is_digits)
}

fn is_sequence(word: &str) -> bool {
    word.len() >= 20 && word.bytes().all(|byte| b"ACGTacgt".contains(&byte))
}

fn has_file(value: &str, ends: &[&str]) -> bool {
    tokens(value).any(|word| {
        word.rsplit_once('.').is_some_and(|(name, end)| {
            !name.is_empty() && ends.iter().any(|known| end.eq_ignore_ascii_case(known))
        })
    })
}
