//! What makes the command at home in a shell: completions and manual pages.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  incrowd completions bash > ~/.local/share/bash-completion/completions/incrowd
  incrowd completions zsh > ~/.zfunc/_incrowd
  incrowd completions fish > ~/.config/fish/completions/incrowd.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell that is to read them.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  incrowd manual | man -l -
  incrowd manual --folder ~/.local/share/man/man1")]
pub(crate) struct ManualArgs {
    /// Write a page for every command here, `incrowd-anonymize.1` and so on, instead of one page to standard
    /// output. The folder is made if need be.
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}
