//! Names that people type: closed sets of them, and what to say when one is not known.

use incrowd_data::suggest;

use crate::{Error, Result};

/// A closed set of choices, each with the one name it has in a spec and on the command line.
pub trait KeywordChoice: Copy + 'static {
    /// What is being chosen, as it reads in `unknown {WHAT}`.
    const WHAT: &'static str;
    /// All choices in the order in which they are explained to people.
    const ALL: &'static [Self];

    /// The name of the type, in the schema.
    const TYPE: &'static str;

    /// The name of this choice.
    fn name(self) -> &'static str;

    /// What it means.
    fn description(self) -> String;

    /// What is being chosen, in a sentence.
    fn description_of_all() -> String;

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
        $(#[$($meta:tt)*])*
        pub enum $type:ident ($what:literal) as $engine:ty {
            $( $(#[$($variant_meta:tt)*])* $variant:ident = $name:literal => $same:ident, )+
        }
    ) => {
        named! {
            $(#[$($meta)*])*
            pub enum $type ($what) {
                $( $(#[$($variant_meta)*])* $variant = $name, )+
            }
        }

        impl From<$type> for $engine {
            fn from(choice: $type) -> Self {
                match choice { $( $type::$variant => Self::$same, )+ }
            }
        }
    };
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        pub enum $type:ident ($what:literal) {
            $(
                $(#[doc = $variant_doc:literal])*
                $(#[default $($default:tt)?])?
                $variant:ident = $name:literal,
            )+
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq $(, $($derive),*)?)]
        pub enum $type {
            $( $(#[doc = $variant_doc])* $(#[default $($default)?])? $variant, )+
        }

        impl $crate::choices::KeywordChoice for $type {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = &[$( Self::$variant, )+];
            const TYPE: &'static str = stringify!($type);

            fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }

            fn description(self) -> String {
                match self {
                    $( Self::$variant => $crate::choices::prose(concat!($($variant_doc, "\n",)*)), )+
                }
            }

            fn description_of_all() -> String {
                $crate::choices::prose(concat!($($doc, "\n",)*))
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::choices::KeywordChoice::name(*self))
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> $crate::Result<Self> {
                $crate::choices::KeywordChoice::from_name(name)
            }
        }
    };
}
pub(super) use named;

/// Lines of documentation as one line of prose.
pub(crate) fn prose(doc: &str) -> String {
    let lines = doc.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// The columns that options name: each option one column or several with commas between them.
///
/// A name that holds a comma is put in double quotes, `age,"income, net"`, or stands alone in an option of its own.
/// Where the columns of the table are `known`, a name that is one of them wins over splitting it, and blanks around
/// names do not count unless they belong to one.
pub fn column_names(options: &[String], known: &[String]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for option in options {
        if known.contains(option) {
            names.push(option.clone());
            continue;
        }
        let mut parts = parts_of(option)?.into_iter().peekable();
        while let Some(part) = parts.next() {
            if part.quoted || known.is_empty() {
                names.push(part.text);
                continue;
            }
            // The longest run of parts that is a column's name, commas included.
            let rest: Vec<NamePart> = parts.clone().take_while(|part| !part.quoted).collect();
            let joined = (0..=rest.len()).rev().find_map(|more| {
                let pieces: Vec<&str> = std::iter::once(part.text.as_str())
                    .chain(rest[..more].iter().map(|part| part.text.as_str()))
                    .collect();
                let whole = pieces.join(",");
                let is_known = |name: &str| known.iter().any(|column| column == name);
                let found =
                    [whole.as_str(), whole.trim()].into_iter().find(|name| is_known(name))?;
                Some((more, found.to_owned()))
            });
            let (more, name) = joined.unwrap_or((0, part.text));
            names.push(name);
            for _ in 0..more {
                parts.next();
            }
        }
    }
    Ok(names)
}

/// A part of a list.
#[derive(Clone)]
struct NamePart {
    text: String,
    quoted: bool,
}

/// The parts of a list with commas between them, quoted ones without their quotes.
fn parts_of(list: &str) -> Result<Vec<NamePart>> {
    let mut parts = Vec::new();
    let mut rest = list;
    loop {
        let Some(inside) = rest.trim_start().strip_prefix('"') else {
            let (text, after) = rest.split_once(',').map_or((rest, None), |(a, b)| (a, Some(b)));
            parts.push(NamePart { text: text.to_owned(), quoted: false });
            match after {
                None => return Ok(parts),
                Some(after) => rest = after,
            }
            continue;
        };
        let mut text = String::new();
        let mut inside = inside;
        loop {
            let Some((before, after)) = inside.split_once('"') else {
                return Err(Error::new(format!("a quote in the list `{list}` is not closed"))
                    .help("write a name with a comma as \"income, net\", a quote in it twice"));
            };
            text.push_str(before);
            match after.strip_prefix('"') {
                Some(more) => {
                    text.push('"');
                    inside = more;
                }
                None => {
                    inside = after;
                    break;
                }
            }
        }
        parts.push(NamePart { text, quoted: true });
        match inside.trim_start().strip_prefix(',') {
            Some(after) => rest = after,
            None if inside.trim().is_empty() => return Ok(parts),
            None => {
                return Err(Error::new(format!(
                    "`{}` follows a quoted name in `{list}`",
                    inside.trim()
                ))
                .help("put a comma between names"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use incrowd_data::nearest;

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

    #[test]
    fn names_with_commas_are_quoted_known_or_alone() {
        let known = ["age", "income, net", "b,c", "b", "say \"hi\""].map(str::to_owned);
        let read = |options: &[&str], known: &[String]| {
            let options: Vec<String> = options.iter().map(|text| (*text).to_owned()).collect();
            column_names(&options, known).expect("a list").join("|")
        };
        for (options, names) in [
            (&["age,b"][..], "age|b"),
            (&["age, b"], "age|b"),
            (&["age,income, net"], "age|income, net"),
            (&["income, net,age"], "income, net|age"),
            (&["age", "income, net"], "age|income, net"),
            (&["age,\"income, net\""], "age|income, net"),
            (&["b,c"], "b,c"),
            (&["b,age"], "b|age"),
            (&["\"say \"\"hi\"\"\" , age"], "say \"hi\"|age"),
            (&["agee,b"], "agee|b"),
        ] {
            assert_eq!(read(options, &known), names, "{options:?}");
        }
        assert_eq!(read(&["age,\"income, net\""], &[]), "age|income, net");
        assert_eq!(read(&["age,,b"], &[]), "age||b");
        for bad in ["\"age", "\"age\"b"] {
            assert!(column_names(&[bad.to_owned()], &known).is_err(), "{bad}");
        }
    }
}
