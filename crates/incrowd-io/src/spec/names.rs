//! Names that people type: closed sets of them, and what to say when one is not known.

use crate::{Error, Result};

/// A closed set of choices, each with the one name it has in a spec and on the command line.
pub trait Named: Copy + 'static {
    /// What is being chosen, as it reads in `unknown {WHAT}`.
    const WHAT: &'static str;
    /// All choices in the order in which they are explained to people.
    const ALL: &'static [Self];

    /// The name of this choice.
    fn name(self) -> &'static str;

    /// The choice with this name, or an error that suggests the nearest one.
    fn from_name(name: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|choice| choice.name() == name).ok_or_else(|| {
            Error::new(format!("unknown {} `{name}`", Self::WHAT))
                .help(suggest(name, Self::ALL.iter().map(|choice| choice.name())))
        })
    }
}

/// Declares an enum whose variants carry their written name, for reading, writing and the schema; and, where it
/// stands for a choice of the engine, which one each of them is.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $type:ident ($what:literal) as $engine:ty {
            $( $(#[$variant_meta:meta])* $variant:ident = $name:literal => $same:ident, )+
        }
    ) => {
        named! {
            $(#[$meta])*
            pub enum $type ($what) {
                $( $(#[$variant_meta])* $variant = $name, )+
            }
        }

        impl From<$type> for $engine {
            fn from(choice: $type) -> Self {
                match choice { $( $type::$variant => Self::$same, )+ }
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $type:ident ($what:literal) {
            $( $(#[$variant_meta:meta])* $variant:ident = $name:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, schemars::JsonSchema)]
        pub enum $type {
            $( $(#[$variant_meta])* #[schemars(rename = $name)] $variant, )+
        }

        impl $crate::spec::names::Named for $type {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = &[$( Self::$variant, )+];

            fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::spec::names::Named::name(*self))
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> $crate::Result<Self> {
                $crate::spec::names::Named::from_name(name)
            }
        }
    };
}
pub(super) use named;

/// The known name that was probably meant, if one is near enough to be worth suggesting.
///
/// Case and the choice between `-`, `_` and space do not count. Among equally near names the
/// first one wins, so the answer depends only on the order of `known`.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.trim().to_lowercase().replace(['_', ' '], "-");
    let name = plain(name);
    // A third of the letters may be wrong; beyond that a suggestion is a guess.
    let allowed = (name.chars().count() / 3).max(1);
    let mut by_typing: Option<(usize, &str)> = None;
    let mut by_beginning: Option<(f64, &str)> = None;
    for candidate in known {
        let other = plain(candidate);
        let distance = strsim::osa_distance(&name, &other);
        // Changing every letter of a short name turns it into anything.
        let near = distance <= allowed && distance < other.chars().count().max(1);
        if near && by_typing.is_none_or(|(best, _)| distance < best) {
            by_typing = Some((distance, candidate));
        }
        let likeness = strsim::jaro_winkler(&name, &other);
        if likeness >= 0.85 && by_beginning.is_none_or(|(best, _)| likeness > best) {
            by_beginning = Some((likeness, candidate));
        }
    }
    by_typing.map(|(_, name)| name).or(by_beginning.map(|(_, name)| name))
}

/// Help for an unknown name: the nearest known one, or all of them if none is near.
pub fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    match known.len() {
        0 => "none is known here".to_owned(),
        n if n <= SHOWN => format!("known: {}", known.join(", ")),
        n => format!("known: {}, and {} more", known[..SHOWN].join(", "), n - SHOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_through_typing_errors_case_and_separators() {
        let known = ["role", "type", "weight", "bins", "order", "max-suppressed", "quasi"];
        for (typed, meant) in [
            ("rolle", Some("role")),
            ("ROLE", Some("role")),
            ("tpye", Some("type")),
            ("max_suppressed", Some("max-suppressed")),
            ("Max Suppresed", Some("max-suppressed")),
            ("quasi-identifier", Some("quasi")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed:?}");
        }
    }

    #[test]
    fn short_names_are_not_turned_into_each_other() {
        assert_eq!(nearest("x", ["k"]), None);
        assert_eq!(nearest("K", ["k"]), Some("k"));
        assert_eq!(nearest("größe", ["größen", "alter"]), Some("größen"));
    }

    #[test]
    fn without_a_near_name_all_are_listed_up_to_a_limit() {
        assert_eq!(suggest("zzz", ["k", "l"]), "known: k, l");
        let many: Vec<String> = (0..20).map(|i| format!("column{i}")).collect();
        let help = suggest("zzz", many.iter().map(String::as_str));
        assert!(help.ends_with("column11, and 8 more"), "{help}");
    }
}
