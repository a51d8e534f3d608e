//! How a page was made.

use crate::page::Page;

/// How a page was made, told at its end so that it can be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageProvenance {
    /// The command as typed, if there was one.
    pub command: Option<String>,
    /// Program, version and the like.
    pub versions: Vec<(String, String)>,
}

impl Default for PageProvenance {
    fn default() -> Self {
        let version = ("incrowd".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        PageProvenance { command: None, versions: vec![version] }
    }
}

impl PageProvenance {
    /// Made by this version, by no command.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the command that made it.
    #[must_use]
    pub fn with_command(self, command: impl Into<String>) -> Self {
        PageProvenance { command: Some(command.into()), ..self }
    }

    /// The end of a page.
    pub(crate) fn write(&self, page: &mut Page) {
        page.heading("To make it again");
        if let Some(command) = &self.command {
            page.verbatim(command);
        }
        page.facts(&self.versions);
    }
}
