//! `completions` and `manual`: what the command line says of itself, for shells and for `man`.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use incrowd_run::{Error, Result, data::OutputFile};

use crate::CommandOutcome;
use crate::args::{Cli, CompletionsArgs, ManualArgs};
use crate::show::say;

/// The command's name, as a shell knows it.
const NAME: &str = "incrowd";

/// Prints the completions of a shell.
pub(super) fn completions(args: &CompletionsArgs) -> Result<CommandOutcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
    say(&String::from_utf8_lossy(&script));
    Ok(CommandOutcome::Done)
}

/// Prints the manual page, or writes one page per command.
pub(super) fn manual(args: &ManualArgs) -> Result<CommandOutcome> {
    let mut cli = Cli::command();
    // Gives every command below its full name, and with it the name of its page.
    cli.build();
    let Some(folder) = &args.folder else {
        say(&String::from_utf8_lossy(&page(cli)?));
        return Ok(CommandOutcome::Done);
    };
    std::fs::create_dir_all(folder).map_err(|e| Error::file("make", folder, &e))?;
    let pages = write_pages(&cli, folder)?;
    sayln!("{pages} pages written to {}", folder.display());
    Ok(CommandOutcome::Done)
}

/// Writes the pages of a command and of all below it, and says how many there are.
fn write_pages(command: &Command, folder: &Path) -> Result<usize> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    OutputFile::create(&folder.join(format!("{name}.1")))?.fill(page(command.clone())?)?;
    let below = command.get_subcommands().filter(|below| below.get_name() != "help");
    below.map(|below| write_pages(below, folder)).sum::<Result<usize>>().map(|pages| pages + 1)
}

fn page(command: Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command)
        .manual("incrowd")
        .render(&mut page)
        .map_err(|e| Error::new(format!("the manual page cannot be made: {e}")))?;
    Ok(page)
}
