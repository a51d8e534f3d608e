//! Countries: subregions and continents.

use hashbrown::HashMap;

const TABLE: &str = include_str!("countries.txt");

/// A country and where it lies.
#[derive(Debug, Clone, Copy)]
struct Country {
    name: &'static str,
    region: &'static str,
    continent: &'static str,
}

/// The groups of each value. Where two spellings of one country occur the country itself is the lowest group.
pub(super) fn ladders(values: &[&str]) -> Vec<Option<Vec<String>>> {
    let known = known();
    let found: Vec<Option<Country>> = values.iter().map(|value| find(&known, value)).collect();
    let mut names: Vec<&str> = found.iter().flatten().map(|country| country.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    let spelled_twice = names.len() < all;
    let ladder = |country: Country| {
        // A name is a value, too, so the group of a country's spellings has another one.
        let own = spelled_twice.then(|| format!("{} (all spellings)", country.name));
        let places = [country.region, country.continent].map(str::to_owned);
        own.into_iter().chain(places).collect()
    };
    found.into_iter().map(|country| country.map(&ladder)).collect()
}

/// All countries by their codes and names, as [`plain`] writes them.
fn known() -> HashMap<String, Country> {
    let mut known = HashMap::new();
    let (mut continent, mut region) = ("", "");
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('=') {
            continent = name;
        } else if let Some(name) = line.strip_prefix('-') {
            region = name;
        } else {
            let name = line.split('|').nth(3).unwrap_or_default();
            let country = Country { name, region, continent };
            for spelling in line.split('|').filter(|spelling| !spelling.is_empty()) {
                // The first one wins: a name that two have, such as Congo, lies in one region.
                for key in [plain(spelling), turned(spelling)] {
                    known.entry(key).or_insert(country);
                }
            }
        }
    }
    known
}

fn find(known: &HashMap<String, Country>, value: &str) -> Option<Country> {
    let value = value.trim();
    known.get(&plain(value)).or_else(|| known.get(&turned(value))).copied()
}

/// A name without case, accents and punctuation, `and` for `&`, and without articles.
fn plain(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        match c {
            '&' => words.push_str(" and "),
            '.' | '\'' | '’' | '`' => {}
            c if c.is_alphanumeric() => words.extend(c.to_lowercase().map(unaccented)),
            _ => words.push(' '),
        }
    }
    let kept: Vec<&str> = words.split_whitespace().filter(|word| *word != "the").collect();
    // Saint and St. are one.
    kept.iter().map(|word| if *word == "st" { "saint" } else { word }).collect::<Vec<_>>().join(" ")
}

/// `Korea, Republic of` and `Korea (Republic of)` as `Republic of Korea`.
fn turned(name: &str) -> String {
    let parts = name.split_once(',').or_else(|| name.strip_suffix(')')?.split_once('('));
    match parts {
        Some((name, rest)) => plain(&format!("{rest} {name}")),
        None => plain(name),
    }
}

/// The letter without its accent, for those that names of countries have.
fn unaccented(c: char) -> char {
    match c {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' => 'a',
        'ç' => 'c',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ñ' => 'n',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn spellings_lead_to_one_place() {
        for (values, place) in [
            (&["DE", "deu", "Germany", " germany ", "276"][..], "Western Europe, Europe"),
            (
                &["US", "USA", "United-States", "U.S.A.", "the United States of America"],
                "Northern America, Americas",
            ),
            (
                &[
                    "Korea, Republic of",
                    "KR",
                    "South Korea",
                    "Korea (the Republic of)",
                    "Republic of Korea",
                ],
                "Eastern Asia, Asia",
            ),
            (&["Cote d'Ivoire", "Côte d’Ivoire", "Ivory Coast"], "Western Africa, Africa"),
            (
                &["Trinidad & Tobago", "Trinidad and Tobago", "St. Lucia", "Saint Lucia"],
                "Caribbean, Americas",
            ),
            (&["Iran, Islamic Republic of", "Iran"], "Southern Asia, Asia"),
            (&["Turkey", "Türkiye", "Turkiye"], "Western Asia, Asia"),
            (&["Congo", "COD", "CG"], "Middle Africa, Africa"),
        ] {
            let known = known();
            for value in values {
                let found = find(&known, value).unwrap_or_else(|| panic!("{value} is not known"));
                assert_eq!(format!("{}, {}", found.region, found.continent), place, "{value}");
            }
        }
    }

    #[test]
    fn the_table_is_whole() {
        let mut alpha2 = 0;
        for line in TABLE.lines().filter(|line| !line.starts_with(['#', '=', '-'])) {
            let fields: Vec<&str> = line.split('|').collect();
            assert!(fields.len() >= 4 && fields[0].len() == 2 && fields[1].len() == 3, "{line}");
            alpha2 += 1;
        }
        assert!(alpha2 >= 249, "{alpha2}");
        assert_eq!(TABLE.lines().filter(|line| line.starts_with('=')).count(), 5);
    }

    #[test]
    fn one_spelling_each_needs_no_level_for_it() {
        assert_eq!(ladders(&["DE", "FR"])[0].as_ref().unwrap().len(), 2);
        let both = ladders(&["DE", "Germany"]);
        assert_eq!(both[0], both[1]);
        assert_eq!(both[0].as_ref().unwrap()[0], "Germany (all spellings)");
        assert_eq!(ladders(&["", "xx", "-"]), [None, None, None]);
    }
}
