//! Changes to the text of a spec that leave the rest of it as somebody wrote it.

use std::path::Path;

use super::context::ContextSection;
use super::{KeywordChoice, SpecFile};
use crate::Result;

/// The text of a spec with a context, and with at least the k that suits it; comments and all else stay. The text must be a
/// spec before and is one afterwards.
pub fn with_context(text: &str, path: &Path, context: ContextSection) -> Result<String> {
    let before = SpecFile::parse(text, path)?.spec;
    let k = before.privacy.k.max(context.proposal().k);
    let mut lines = Vec::new();
    let mut section = String::new();
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with('[') {
            section = bare.split('#').next().unwrap_or_default().trim().to_owned();
        }
        if section == "[context]" {
            continue;
        }
        let is_k = bare.strip_prefix('k').is_some_and(|rest| rest.trim_start().starts_with('='));
        if section == "[privacy]" && is_k && k != before.privacy.k {
            let remark = bare.split_once('#').map(|(_, remark)| format!("  #{remark}"));
            lines.push(format!("k = {k}{}", remark.unwrap_or_default()));
            continue;
        }
        lines.push(line.to_owned());
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let new = format!(
        "{}\n\n[context]\naudience = \"{}\"\nknowledge = \"{}\"\nharm = \"{}\"\n",
        lines.join("\n"),
        context.audience.name(),
        context.knowledge.name(),
        context.harm.name()
    );
    let after = SpecFile::parse(&new, path)?.spec;
    if after.privacy.k < k || after.context != Some(context) {
        return Err(crate::Error::new("this spec cannot be changed automatically").help(format!(
            "write k = {k} under [privacy], and [context] with its three keys, by hand"
        )));
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::super::{Audience, Harm, Knowledge};
    use super::*;

    #[test]
    fn the_rest_stays() {
        let text = "# mine\n[data]\ninput = \"t.csv\"\n\n[columns.k]\nrole = \"quasi\"  # not k = 3\n\n[privacy]\nk = 5 # few\n";
        let context = ContextSection {
            audience: Audience::Public,
            knowledge: Knowledge::Member,
            harm: Harm::High,
        };
        let new = with_context(text, Path::new("s.toml"), context).unwrap();
        assert!(
            new.contains("# mine") && new.contains("k = 20  # few") && new.contains("# not k = 3"),
            "{new}"
        );
        // Again it changes nothing but the answers, and never lowers k.
        let lower = ContextSection { harm: Harm::Low, ..context };
        let again = with_context(&new, Path::new("s.toml"), lower).unwrap();
        assert_eq!(again.matches("[context]").count(), 1);
        assert!(again.contains("k = 20") && again.contains("harm = \"low\""), "{again}");
        assert!(with_context("k = 5", Path::new("s.toml"), context).is_err());
        let inline = "data = { input = \"t.csv\" }\nprivacy = { k = 5 }\ncolumns = { a = { role = \"quasi\" } }\n";
        assert!(
            with_context(inline, Path::new("s.toml"), context)
                .unwrap_err()
                .message
                .contains("automatically")
        );
    }
}
