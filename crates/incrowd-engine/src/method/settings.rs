//! Settings: what a method can be told, as a type of its own whose fields are the method's options.
//!
//! The macro [`settings!`] makes the type with its defaults, its setters and its way from options and back
//! from one list, so that none of them can be forgotten or say something else than another.

use super::options::{OptionInfo, OptionValues, share};

/// Settings that can be written as options.
pub trait Settings {
    /// The settings as the command line and spec files write them: names of options and their values.
    ///
    /// ```
    /// use incrowd_engine::method::{KOptimize, Settings};
    /// let options = KOptimize::default().bins(64).options();
    /// assert_eq!(options, [("cuts", "free".to_owned()), ("bins", "64".to_owned())]);
    /// ```
    fn options(&self) -> Vec<(&'static str, String)>;
}

/// What a single setting can be.
pub(super) trait SettingValue: Copy {
    /// The value as given, which has been checked, or else the option's default.
    fn read(option: &OptionInfo, given: Option<&str>) -> Self;

    /// The value as an option has it. A value that is out of range is written, too, so that the same check
    /// refuses it in the same words.
    fn write(self, option: &OptionInfo) -> String;
}

/// A choice among a few that have names.
pub(super) trait NamedChoice: Copy + PartialEq + 'static {
    /// The names, the default first.
    const NAMES: &'static [&'static str];
    /// What they stand for.
    const CHOICES: &'static [Self];
}

impl<W: NamedChoice> SettingValue for W {
    fn read(_: &OptionInfo, given: Option<&str>) -> Self {
        let at = W::NAMES.iter().position(|name| given == Some(name)).unwrap_or(0);
        W::CHOICES[at]
    }

    fn write(self, _: &OptionInfo) -> String {
        let named = W::NAMES.iter().zip(W::CHOICES).find(|(_, choice)| **choice == self);
        named.map_or("", |(name, _)| name).to_owned()
    }
}

impl SettingValue for u64 {
    fn read(option: &OptionInfo, given: Option<&str>) -> Self {
        match (given, option.values) {
            // What is not a number is the word for none.
            (Some(text), _) => text.parse().unwrap_or(0),
            (None, OptionValues::Number { default, .. }) => default,
            (None, _) => 0,
        }
    }

    fn write(self, option: &OptionInfo) -> String {
        match option.values {
            OptionValues::Number { off: Some(off), .. } if self == 0 => off.to_owned(),
            _ => self.to_string(),
        }
    }
}

impl SettingValue for usize {
    fn read(option: &OptionInfo, given: Option<&str>) -> Self {
        usize::try_from(u64::read(option, given)).unwrap_or(usize::MAX)
    }

    fn write(self, option: &OptionInfo) -> String {
        (self as u64).write(option)
    }
}

impl SettingValue for f64 {
    fn read(option: &OptionInfo, given: Option<&str>) -> Self {
        match (given, option.values) {
            (Some(text), _) => share(text).unwrap_or(0.0),
            (None, OptionValues::Share { default }) => default,
            (None, _) => 0.0,
        }
    }

    fn write(self, _: &OptionInfo) -> String {
        self.to_string()
    }
}

/// Makes the type of a method's settings: `field: Type = OPTION` for each of them. Where several methods
/// share the type, `by field: Type` is what a method's name decides on.
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $name:ident $(by $by:ident: $by_type:ty)? {
            $($(#[$doc:meta])* $field:ident: $type:ty = $option:expr,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $(
                /// What the method's name says.
                pub $by: $by_type,
            )?
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $name {
            /// The options that the fields are.
            pub(in crate::method) const OPTIONS: &'static [$crate::method::options::OptionInfo] =
                &[$($option),*];

            /// The settings that checked options give.
            pub(in crate::method) fn given(given: &$crate::method::options::GivenOptions<'_>) -> Self {
                // Not every method has options.
                let _ = given;
                $name {
                    $($by: <$by_type>::of_method(given.method),)?
                    $($field: $crate::method::settings::SettingValue::read(
                        &$option,
                        given.text($option.name),
                    ),)*
                }
            }

            $(
                #[doc = concat!("The same settings with this `", stringify!($by), "`.")]
                #[must_use]
                pub fn $by(mut self, $by: $by_type) -> Self {
                    self.$by = $by;
                    self
                }
            )?

            $(
                #[doc = concat!("The same settings with this `", stringify!($field), "`.")]
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }

        /// What the options say where nothing is given.
        impl Default for $name {
            fn default() -> Self {
                $name {
                    $($by: <$by_type>::default(),)?
                    $($field: $crate::method::settings::SettingValue::read(&$option, None),)*
                }
            }
        }

        impl $crate::method::Settings for $name {
            fn options(&self) -> Vec<(&'static str, String)> {
                vec![$((
                    $option.name,
                    $crate::method::settings::SettingValue::write(self.$field, &$option),
                )),*]
            }
        }
    };
}
pub(super) use settings;

impl NamedChoice for bool {
    const NAMES: &'static [&'static str] = &["on", "off"];
    const CHOICES: &'static [Self] = &[true, false];
}

/// Where attributes with a hierarchy may be cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CutFreedom {
    /// Anywhere in the order of its leaves.
    #[default]
    Free,
    /// Along its nodes only.
    Tree,
}

impl NamedChoice for CutFreedom {
    const NAMES: &'static [&'static str] = &["free", "tree"];
    const CHOICES: &'static [Self] = &[CutFreedom::Free, CutFreedom::Tree];
}

/// Where attributes with a hierarchy may be cut, for the methods that search cut sets.
pub(super) const CUTS: OptionInfo = OptionInfo {
    name: "cuts",
    values: OptionValues::Words(CutFreedom::NAMES),
    about: "cut attributes that have a hierarchy anywhere in its order, or along its nodes only",
};

/// Automatic bins, for the methods that search cut sets.
pub(super) const BINS: OptionInfo = OptionInfo {
    name: "bins",
    values: OptionValues::Number { default: 128, least: 2, most: 1024, off: Some("off") },
    about: "attributes with more values are put into so many bins of equally many rows first",
};

/// When a proof is good enough.
pub(super) const GAP: OptionInfo = OptionInfo {
    name: "gap",
    values: OptionValues::Share { default: 0.0 },
    about: "end when at most this share of the cost could still be saved, such as 1%",
};

/// The most nodes of a proof, for the methods that blank cells.
pub(super) const NODES: OptionInfo = OptionInfo {
    name: "nodes",
    values: OptionValues::Number { default: 1_000_000, least: 0, most: u64::MAX, off: Some("off") },
    about: "the most nodes of a proof, which is tried for up to 64 rows",
};

/// How long the methods that blank cells search.
pub(super) const BLANKING_STEPS: OptionInfo = OptionInfo {
    name: "steps",
    values: OptionValues::Number { default: 50, least: 0, most: 1_000_000, off: None },
    about: "how many moves to try for each row that needs blanks: more take longer and find better",
};

/// How long to search, in steps.
pub(super) const fn steps(default: u64) -> OptionInfo {
    OptionInfo {
        name: "steps",
        values: OptionValues::Number { default, least: 1, most: u64::MAX, off: Some("off") },
        about: "how many steps to make; off: until the time limit or Ctrl-C",
    }
}

/// How many steps to make where there is an end to them: 0 is none.
pub(super) fn ending(steps: u64) -> Option<u64> {
    Some(steps).filter(|&steps| steps > 0)
}

/// The seed of a search.
pub(super) const fn seed(name: &'static str) -> OptionInfo {
    OptionInfo {
        name,
        values: OptionValues::Number { default: 1, least: 0, most: u64::MAX, off: None },
        about: "what the random choices come from: the same seed gives the same result",
    }
}
