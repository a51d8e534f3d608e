//! The help of `anonymize`, which has more options than anybody reads: `-h` shows what most people need on one screen,
//! `--help` all of them in compact form.

use clap::{Command, CommandFactory};

use super::Cli;

/// What `-h` shows.
const USUAL: [&str; 26] = [
    "input",
    "quasi",
    "k",
    "output",
    "identifying",
    "sensitive",
    "plain",
    "roles",
    "class",
    "hierarchy",
    "kind",
    "effort",
    "method",
    "report",
    "recoding",
    "l_diversity",
    "t_closeness",
    "max_suppressed",
    "time_limit",
    "missing",
    "delimiter",
    "sheet",
    "unit",
    "show_spec",
    "json",
    "help",
];

/// What stands below the short help.
const MORE: &str = "\
Example:
  incrowd anonymize patients.csv -k 5 --quasi age,sex,zip --identifying name -o release.csv

All options: incrowd anonymize --help. Methods and their options: incrowd methods.";

/// The help text that somebody asks for, if it is this one.
pub(crate) fn asked(args: impl Iterator<Item = String>) -> Option<String> {
    let mut args = args.skip(1);
    if args.next()? != "anonymize" {
        return None;
    }
    let asked = args.take_while(|arg| arg != "--").find(|arg| arg == "-h" || arg == "--help")?;
    let mut cli = Cli::command();
    cli.build();
    let command = cli.find_subcommand("anonymize")?.clone();
    Some(if asked == "-h" { short(command) } else { whole(command) })
}

fn short(command: Command) -> String {
    let usual = |arg: clap::Arg| {
        let is_usual = USUAL.contains(&arg.get_id().as_str());
        arg.hide(!is_usual).help_heading(None::<&str>)
    };
    command.mut_args(usual).after_help(MORE).render_help().to_string()
}

/// What `--help` names below its list only.
const RARE: [&str; 6] = [
    "max_risk",
    "population_weight",
    "sampling_fraction",
    "delta_presence",
    "max_population_unique",
    "survey_weight",
];

fn whole(command: Command) -> String {
    let rare = |arg: clap::Arg| match RARE.contains(&arg.get_id().as_str()) {
        true => arg.hide(true),
        false => arg,
    };
    command.mut_args(rare).render_help().to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    fn help(flag: &str) -> String {
        asked(["incrowd", "anonymize", flag].map(str::to_owned).into_iter()).unwrap()
    }

    #[test]
    fn one_screen_and_two() {
        let (short, whole) = (help("-h"), help("--help"));
        assert!(short.lines().count() <= 50, "{short}");
        assert!(whole.lines().count() <= 117, "{}: {whole}", whole.lines().count());
        for option in ["--quasi", "--kind", "--effort", "-k <K>", "--output", "incrowd methods"] {
            assert!(short.contains(option) && whole.contains(option), "{option}");
        }
        let mut cli = Cli::command();
        cli.build();
        let anonymize = cli.find_subcommand("anonymize").unwrap();
        for arg in anonymize.get_arguments().filter(|arg| !arg.is_hide_set()) {
            assert!(arg.get_long().is_none_or(|long| whole.contains(&format!("--{long}"))));
        }
        let other = ["incrowd", "verify", "-h"].map(str::to_owned);
        assert!(asked(other.into_iter()).is_none());
    }
}
