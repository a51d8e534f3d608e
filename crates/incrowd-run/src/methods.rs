//! Methods as people write them, `mondrian:cut=penalty:mode=relaxed`, and as they are explained to them.

use incrowd_engine::auto::{AutoMethod, MethodChoice, ReleaseKind};
use incrowd_engine::method::{MethodInfo, OptionInfo, OptionValues};
use incrowd_engine::{Algorithm as _, METHODS};
use serde::Serialize;

use crate::spec::{AlgorithmSection, OptionValue, suggest};
use crate::{Error, Result};

/// Reads a method with its options; `more` are options that all of them get.
pub fn parse(text: &str, more: &[(&str, &str)]) -> Result<MethodChoice> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let given: Vec<(&str, &str)> = parts
        .map(|option| {
            option.split_once('=').ok_or_else(|| {
                Error::new(format!("`{option}` is not an option of a method"))
                    .help("write METHOD:OPTION=VALUE, such as mondrian:cut=penalty")
            })
        })
        .collect::<Result<_>>()?;
    Ok(MethodChoice::new(name, &[&given, more].concat())?)
}

/// The method of a spec with its options, as [`parse`] reads them.
pub fn text(algorithm: &AlgorithmSection) -> String {
    let options = algorithm.options.iter().map(|(name, value)| {
        let value = match value {
            OptionValue::Text(text) => text.clone(),
            OptionValue::Integer(number) => number.to_string(),
            OptionValue::Number(number) => number.to_string(),
            OptionValue::Bool(yes) => yes.to_string(),
        };
        format!(":{name}={value}")
    });
    let seed = algorithm.seed_option().map(|(name, seed)| format!(":{name}={seed}"));
    let seed = seed.unwrap_or_default();
    algorithm.method.clone() + &options.collect::<String>() + &seed
}

/// A method as it is explained.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodEntry {
    /// Its name.
    pub name: &'static str,
    /// The kind of its releases; none for auto, which makes all.
    pub kind: Option<ReleaseKind>,
    /// What it does, in a line.
    pub about: &'static str,
    /// Its options.
    pub options: Vec<OptionEntry>,
    /// Its page in the documentation.
    pub page: String,
}

/// An option as it is explained.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptionEntry {
    /// Its name.
    pub name: &'static str,
    /// What it can be: words, a range, a share.
    pub values: String,
    /// What it is if nothing is said.
    pub default: String,
    /// What it does, in a line.
    pub about: &'static str,
}

impl MethodEntry {
    fn new(info: &MethodInfo, kind: Option<ReleaseKind>) -> Self {
        MethodEntry {
            name: info.name,
            kind,
            about: info.about,
            options: info.options.iter().map(OptionEntry::new).collect(),
            page: format!("docs/reference/methods/{}.md", info.name),
        }
    }
}

impl OptionEntry {
    fn new(option: &OptionInfo) -> Self {
        let (values, default) = match option.values {
            OptionValues::Words(words) => {
                (words.join("|"), words.first().map_or(String::new(), |word| (*word).to_owned()))
            }
            OptionValues::Number { default, least, most, off } => {
                let most = if most == u64::MAX { String::new() } else { most.to_string() };
                let off = off.map_or(String::new(), |off| format!("|{off}"));
                (format!("{least}..{most}{off}"), default.to_string())
            }
            OptionValues::Share { default } => ("SHARE".to_owned(), default.to_string()),
            other => (other.to_string(), String::new()),
        };
        OptionEntry { name: option.name, values, default, about: option.about }
    }
}

/// All methods: auto, then those of each kind.
pub fn catalogue() -> Vec<MethodEntry> {
    let auto = MethodEntry::new(AutoMethod::default().info(), None);
    let of =
        |kind: ReleaseKind| METHODS.iter().filter(move |info| ReleaseKind::of(info.family) == kind);
    let named = ReleaseKind::ALL
        .into_iter()
        .flat_map(|kind| of(kind).map(move |info| MethodEntry::new(info, Some(kind))));
    std::iter::once(auto).chain(named).collect()
}

/// The method of that name.
pub fn entry(name: &str) -> Result<MethodEntry> {
    catalogue().into_iter().find(|entry| entry.name == name).ok_or_else(|| {
        Error::new(format!("there is no method `{name}`"))
            .help(suggest(name, MethodChoice::names()))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn every_method_is_explained_and_has_a_page() {
        let entries = catalogue();
        assert_eq!(entries.len(), METHODS.len() + 1);
        for entry in entries {
            let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            assert!(page.join(&entry.page).exists(), "{}", entry.page);
            assert_eq!(super::entry(entry.name).unwrap(), entry);
        }
        assert!(super::entry("mondrain").unwrap_err().help.unwrap().contains("mondrian"));
        let mondrian = super::entry("mondrian").unwrap();
        let mode = mondrian.options.iter().find(|option| option.name == "mode").unwrap();
        assert_eq!((mode.values.as_str(), mode.default.as_str()), ("strict|relaxed", "strict"));
    }

    #[test]
    fn a_method_is_read_with_its_options_and_more() {
        let method = parse("mondrian:cut=penalty", &[("mode", "relaxed")]).unwrap();
        let same =
            MethodChoice::new("mondrian", &[("cut", "penalty"), ("mode", "relaxed")]).unwrap();
        assert_eq!(method, same);
        assert!(parse("mondrian:cut", &[]).unwrap_err().help.is_some());
        assert!(parse("best", &[]).is_err());
        let mut algorithm =
            AlgorithmSection { method: "optimal".to_owned(), ..AlgorithmSection::default() };
        algorithm.options.insert("bins".to_owned(), OptionValue::Integer(64));
        assert_eq!(text(&algorithm), "optimal:bins=64");
        assert_eq!(
            parse(&text(&algorithm), &[]).unwrap(),
            MethodChoice::new("optimal", &[("bins", "64")]).unwrap()
        );
        // A seed is the option of the method that makes random choices.
        algorithm.seed = Some(7);
        assert_eq!(text(&algorithm), "optimal:bins=64");
        let seeded = |method: &str| {
            let algorithm =
                AlgorithmSection { method: method.to_owned(), ..AlgorithmSection::default() };
            text(&AlgorithmSection { seed: Some(7), ..algorithm })
        };
        assert_eq!(seeded("best-local"), "best-local:search-seed=7");
        assert_eq!(seeded("genetic"), "genetic:genetic-seed=7");
    }
}
