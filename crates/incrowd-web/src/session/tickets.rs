//! Files and pages that a tab fetches by a code.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::Session;
use crate::secret::same;

/// A file or page that whoever has the code can fetch: a file once, a page as often as its tab is loaded again.
#[derive(Debug, Clone)]
pub(super) struct DownloadTicket {
    code: String,
    since: Instant,
    used: bool,
    content: TicketContent,
}

impl DownloadTicket {
    fn holds(&self) -> bool {
        self.since.elapsed() < if self.used { PAGE } else { TICKET }
    }

    /// Whether it is for something that is shown in a tab.
    fn is_page(&self) -> bool {
        match &self.content {
            TicketContent::Page(_) => true,
            TicketContent::File(path) => path.extension().is_some_and(|end| end == "html"),
        }
    }
}

/// What a ticket is for.
#[derive(Debug, Clone)]
pub(crate) enum TicketContent {
    File(PathBuf),
    /// A page that lies in no file.
    Page(String),
}

/// It must be fetched within this.
const TICKET: Duration = Duration::from_secs(60);

/// A page that was fetched can be loaded again for so long.
const PAGE: Duration = Duration::from_secs(12 * 3600);

/// So many tickets are kept, the newest.
const MOST_TICKETS: usize = 64;

/// What a ticket gives.
#[derive(Debug)]
pub(crate) struct FetchedFile {
    /// How the file is called; none for something that is shown and not kept.
    pub(crate) name: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

impl Session {
    /// A ticket for a file or a page.
    pub(crate) fn ticket(&self, code: &str, content: TicketContent) {
        let mut state = self.state();
        state.tickets.retain(DownloadTicket::holds);
        let more = (state.tickets.len() + 1).saturating_sub(MOST_TICKETS);
        state.tickets.drain(..more);
        let (code, since) = (code.to_owned(), Instant::now());
        state.tickets.push(DownloadTicket { code, since, used: false, content });
    }

    /// Whether that is a ticket.
    #[cfg(feature = "server")]
    pub(crate) fn has_ticket(&self, code: &str) -> bool {
        let state = self.state();
        let mut tickets = state.tickets.iter();
        tickets.any(|it| it.holds() && same(it.code.as_bytes(), code.as_bytes()))
    }

    /// What a ticket is for. That for a file is used up; a page can be loaded again.
    pub(crate) fn redeem(&self, code: &str) -> Option<TicketContent> {
        let mut state = self.state();
        state.tickets.retain(DownloadTicket::holds);
        let known = |ticket: &DownloadTicket| same(ticket.code.as_bytes(), code.as_bytes());
        let at = state.tickets.iter().position(known)?;
        let ticket = &mut state.tickets[at];
        if !ticket.is_page() {
            return Some(state.tickets.remove(at).content);
        }
        if !std::mem::replace(&mut ticket.used, true) {
            ticket.since = Instant::now();
        }
        Some(ticket.content.clone())
    }

    /// What a ticket is for, with its bytes.
    pub(crate) fn fetched(&self, code: &str) -> Result<FetchedFile, &'static str> {
        let path = match self.redeem(code) {
            None => return Err("this ticket was used already"),
            Some(TicketContent::Page(page)) => {
                return Ok(FetchedFile { name: None, bytes: page.into_bytes() });
            }
            Some(TicketContent::File(path)) => path,
        };
        let read = self.root.own(&path).ok().and_then(|it| std::fs::read(it).ok());
        let bytes = read.ok_or("the file is gone")?;
        // A report is shown.
        let name = match path.extension().is_some_and(|end| end == "html") {
            true => None,
            false => path.file_name().map(|name| name.to_string_lossy().into_owned()),
        };
        Ok(FetchedFile { name, bytes })
    }
}
