//! `serve`: the web application.

use incrowd_run::Result;
use incrowd_term::tell;
use incrowd_web::{ServeOptions, Server};

use crate::progress::ProgressDisplay;
use crate::{CommandOutcome, args};

pub(crate) fn serve(args: &args::ServeArgs) -> Result<CommandOutcome> {
    let server = Server::bind(&ServeOptions { what: args.what.clone(), port: args.port })?;
    // No bars: they are for Ctrl-C, which ends the server.
    let bars = ProgressDisplay::new(true);
    let opened = !args.no_browser && server.open_browser()?;
    sayln!("{}", server.address());
    tell(match opened {
        true => "a browser opens; the address above works, too, for you alone. Ctrl-C ends it.",
        false => "open the address above in a browser; it is for you alone. Ctrl-C ends it.",
    });
    let control = bars.control.clone();
    server.run(move || control.is_cancelled())?;
    Ok(CommandOutcome::Done)
}
