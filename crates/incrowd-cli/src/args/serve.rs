//! Options of `serve`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Everything stays on this machine: the server listens on 127.0.0.1 only, its pages load nothing from anywhere,
and only files below the folder can be opened. From another machine: ssh -L PORT:127.0.0.1:PORT.")]
pub(crate) struct ServeArgs {
    /// A table, a spec, or the folder to work in [default: this folder].
    pub(crate) what: Option<PathBuf>,
    /// Print the address instead of opening a browser.
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// The port [default: any that is free].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
}
