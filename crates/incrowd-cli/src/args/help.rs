//! The help of `anonymize`, which has more options than anybody reads: `-h` shows what most people need on one screen,
//! `--help` all of them in compact form.

use clap::{Command, CommandFactory};
use incrowd_run::spec::options;

use super::Cli;

/// What `-h` shows beside the options that the table of options calls usual.
const USUAL: [&str; 6] = ["input", "quasi", "k", "show_spec", "json", "help"];

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
    let mut command = cli.find_subcommand("anonymize")?.clone();
    Some(if asked == "-h" { short(command) } else { command.render_help().to_string() })
}

fn short(command: Command) -> String {
    let usual: Vec<&str> =
        options().into_iter().filter(|it| it.usage.usual).map(|it| it.key).collect();
    let hide = |arg: clap::Arg| {
        let id = arg.get_id().as_str();
        let is_usual = usual.contains(&id) || USUAL.contains(&id);
        arg.hide(!is_usual).help_heading(None::<&str>)
    };
    command.mut_args(hide).after_help(MORE).render_help().to_string()
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
        assert!(whole.lines().count() <= 152, "{}: {whole}", whole.lines().count());
        for option in ["--quasi", "--kind", "--effort", "-k <K>", "--output", "incrowd methods"] {
            assert!(short.contains(option) && whole.contains(option), "{option}");
        }
        let other = ["incrowd", "verify", "-h"].map(str::to_owned);
        assert!(asked(other.into_iter()).is_none());
    }

    #[test]
    fn every_option_of_the_table_is_in_the_help() {
        let whole = help("--help");
        for entry in options() {
            let is_argument = entry.usage.group != incrowd_run::spec::OptionGroup::None;
            let named = match entry.key {
                "k" => "-k <K>".to_owned(),
                key => format!("--{key}"),
            };
            assert!(!is_argument || whole.contains(&named), "{named}: {whole}");
        }
    }
}
