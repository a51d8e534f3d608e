//! The command line as reports show it.

use std::path::Path;

use incrowd_report::KEPT_BACK;
use incrowd_run::spec::is_database;

/// Options whose values are, or may be, original values.
const CONFIDENTIAL: [&str; 4] = ["--order", "--cut-at", "--never-cut-at", "--where"];

/// The command line as typed, in one line, confidential parts kept back.
pub(super) fn command(args: impl Iterator<Item = String>) -> String {
    let mut shown = vec!["incrowd".to_owned()];
    let mut hide = false;
    for arg in args.skip(1) {
        let name = arg.split('=').next().unwrap_or_default();
        let confidential = CONFIDENTIAL.contains(&name);
        let text = match (hide, confidential) {
            (true, _) => KEPT_BACK.to_owned(),
            (_, true) if arg.contains('=') => format!("{name}={KEPT_BACK}"),
            // Where a database is and who asks is nobody's business.
            _ if is_database(Path::new(&arg)) => format!("postgres://{KEPT_BACK}"),
            _ => arg.clone(),
        };
        hide = confidential && !arg.contains('=') && !hide;
        shown.push(quoted(&text));
    }
    shown.join(" ")
}

/// An argument as a shell reads it.
pub(super) fn quoted(text: &str) -> String {
    // A shell would put names of files in the place of `*`.
    let plain = |c: char| c.is_alphanumeric() || "-_=./,:@%+".contains(c);
    match text.chars().all(plain) && !text.is_empty() {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_keeps_back_what_is_confidential() {
        let typed = "incrowd anonymize my.csv --seed 7 --order a=x,y --order=b=z -k 5";
        let mut args: Vec<String> = typed.split(' ').map(str::to_owned).collect();
        args.push("a b".to_owned());
        assert_eq!(
            command(args.into_iter()),
            "incrowd anonymize my.csv --seed 7 --order '(kept back)' \
             '--order=(kept back)' -k 5 'a b'"
        );
    }
}
