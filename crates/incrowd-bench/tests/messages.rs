//! The messages of the program, all of them on one page: `docs/reference/messages.md`, which `UPDATE=1` writes anew.
//!
//! Messages are read from the sources: what stands in calls such as `Error::new`, `help` and `Warning::new`, in `#[error]`,
//! in variables that are named after what they say, and every other text of a file that has such calls. No line of a message
//! is longer than [`WIDEST`] characters, no message longer than [`MOST_LINES`] lines, and none uses a noun that GLOSSARY.md
//! bans. A placeholder counts as [`VALUE`] characters.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use incrowd_testing::{hold_file, rust_sources};

/// The widest line of a message.
const WIDEST: usize = 100;
/// The most lines of a message, help included.
const MOST_LINES: usize = 3;
/// What a placeholder counts, whatever its value.
const VALUE: usize = 5;

const PAGE: &str = "docs/reference/messages.md";
const HEAD: &str = "\
# Messages

This page is for those who review the wording of incrowd. A test makes it from the sources:
`UPDATE=1 cargo test -p incrowd-bench --test messages`.

Every message says what is wrong, the evidence, and what to do. A line has at most 100 characters,
and a message at most three lines. The terminal wraps warnings. `{...}` stands for a value. Texts
without a mark are parts of messages, or notes.
";

/// Topics, each with the sources that belong to it; the first that fits counts.
const TOPICS: [(&str, &[&str]); 11] = [
    ("Tables and files", &["incrowd-data/"]),
    (
        "Values, dates and hierarchies",
        &[
            "incrowd-engine/src/value/",
            "incrowd-run/src/plan/hierarchies.rs",
            "incrowd-run/src/explore/hierarchy_tools.rs",
            "incrowd-spec/src/hierarchy_",
        ],
    ),
    (
        "Spec files and options",
        &["incrowd-spec/", "incrowd-run/src/plan/from_spec.rs", "incrowd-run/src/plan/job.rs"],
    ),
    (
        "Refusals and warnings of a release",
        &["incrowd-run/src/checks/", "incrowd-run/src/plan/", "incrowd-assess/src/inspect/"],
    ),
    ("Runs", &["incrowd-run/src/", "incrowd-cluster/"]),
    ("Methods and requirements", &["incrowd-engine/"]),
    ("Verification", &["incrowd-verify/", "incrowd-check/"]),
    ("Risk, attacks and evaluation", &["incrowd-assess/"]),
    ("Databases and SQL", &["incrowd-sql/"]),
    ("Command line", &["incrowd-cli/", "incrowd-term/"]),
    ("Pages and Python", &["incrowd-web/", "incrowd-wasm/", "incrowd-py/", "incrowd/"]),
];

/// Sources without messages of the program.
const LEFT_OUT: [&str; 7] = [
    // Programs for developers, and made-up data.
    "incrowd-bench/",
    "incrowd-demo/",
    "incrowd-testing/",
    "incrowd-spec/src/round_trip.rs",
    // Reports in HTML.
    "incrowd-report/",
    // Types of the pages, written by a test.
    "incrowd-web/src/api/contract/",
    // The text of the list of checks is docs/reference/checks.md.
    "incrowd-run/src/checks/list.rs",
];

/// Sources whose other texts are documentation or the answer of a run rather than messages: only what is marked counts.
const ONLY_MARKED: [&str; 13] = [
    "incrowd-cli/src/args/",
    "incrowd-cli/src/command/",
    "incrowd-cli/src/inspect.rs",
    "incrowd-data/src/write/xlsx.rs",
    "incrowd-run/src/compare/",
    "incrowd-run/src/forms/",
    "incrowd-run/src/report/",
    "incrowd-spec/src/hierarchy_toml.rs",
    "incrowd-spec/src/init.rs",
    "incrowd-spec/src/option_table.rs",
    "incrowd-spec/src/options.rs",
    "incrowd-spec/src/reference.rs",
    "incrowd-spec/src/schema.rs",
];

/// Sources without calls that make messages, whose texts are parts of messages all the same.
const PARTS: [&str; 9] = [
    "incrowd-assess/src/goals.rs",
    "incrowd-assess/src/inspect/",
    "incrowd-assess/src/withheld.rs",
    "incrowd-engine/src/method/",
    "incrowd-engine/src/search/solution.rs",
    "incrowd-run/src/pipeline/",
    "incrowd-run/src/plan/",
    "incrowd-term/src/",
    "incrowd-verify/src/",
];

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Error,
    Help,
    Warning,
    Violation,
    Part,
}

impl Kind {
    /// What the arguments of a call are.
    fn of_call(callee: &str) -> Option<Kind> {
        let (_, name) = callee.rsplit_once("::").unwrap_or(("", callee));
        Some(match callee {
            "Warning::new" => Kind::Warning,
            "Violation::new" => Kind::Violation,
            _ if name == "help" => Kind::Help,
            _ if callee.ends_with("Error::new") || callee.ends_with("Error::other") => Kind::Error,
            _ if ["custom", "error_at", "new_err", "refusal", "fail", "failed"].contains(&name) => {
                Kind::Error
            }
            _ => return None,
        })
    }

    /// What a variable holds.
    fn of_variable(name: &str) -> Option<Kind> {
        match name {
            "error" | "headline" | "message" | "problem" => Some(Kind::Error),
            "help" => Some(Kind::Help),
            _ => None,
        }
    }

    fn mark(self) -> &'static str {
        match self {
            Kind::Error => "error: ",
            Kind::Help => "  help: ",
            Kind::Warning => "warning: ",
            Kind::Violation => "violation: ",
            Kind::Part => "",
        }
    }
}

/// A text of a source file.
#[derive(Debug)]
struct Message {
    line: usize,
    kind: Kind,
    text: String,
    /// The statement that it stands in.
    statement: usize,
}

/// What a source file consists of, but for comments, characters and numbers.
#[derive(Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Mark(char),
}

/// The tokens of a source file with their lines.
fn tokens(source: &str) -> Vec<(usize, Token)> {
    let letters: Vec<char> = source.chars().collect();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    while let Some(&letter) = letters.get(at) {
        let next = letters.get(at + 1).copied().unwrap_or(' ');
        let begin = at;
        match letter {
            '/' if next == '/' => {
                while letters.get(at).is_some_and(|&letter| letter != '\n') {
                    at += 1;
                }
            }
            '/' if next == '*' => {
                at += 2;
                while letters[at..at + 2] != ['*', '/'] {
                    at += 1;
                }
                at += 2;
            }
            '"' => {
                let mut text = String::new();
                at += 1;
                while letters[at] != '"' {
                    match (letters[at], letters[at + 1]) {
                        ('\\', '\n') => {
                            at += 1;
                            while letters[at].is_whitespace() {
                                at += 1;
                            }
                        }
                        ('\\', escaped) => {
                            text.push(match escaped {
                                'n' => '\n',
                                't' => '\t',
                                'r' => '\r',
                                '0' => '\0',
                                'u' | 'x' => '?',
                                other => other,
                            });
                            at += 2;
                            // The digits of a character's number.
                            if escaped == 'u' {
                                at += letters[at..].iter().position(|&it| it == '}').unwrap() + 1;
                            } else if escaped == 'x' {
                                at += 2;
                            }
                        }
                        (other, _) => {
                            text.push(other);
                            at += 1;
                        }
                    }
                }
                at += 1;
                found.push((line, Token::Text(text)));
            }
            'r' if next == '"' || next == '#' && letters.get(at + 2) == Some(&'"') => {
                let hash = usize::from(next == '#');
                let end: &[char] = if hash == 1 { &['"', '#'] } else { &['"'] };
                let first = at + 2 + hash;
                at = first;
                while letters[at..at + end.len()] != *end {
                    at += 1;
                }
                found.push((line, Token::Text(letters[first..at].iter().collect())));
                at += end.len();
            }
            '\'' => {
                // A character, or the name of a lifetime.
                at += match (next, letters.get(at + 2)) {
                    ('\\', _) => {
                        3 + letters[at + 3..].iter().position(|&it| it == '\'').unwrap() + 1
                    }
                    (_, Some('\'')) => 3,
                    _ => 1,
                };
            }
            _ if is_name(letter) => {
                while letters.get(at).copied().is_some_and(is_name) {
                    at += 1;
                }
                found.push((line, Token::Name(letters[begin..at].iter().collect())));
            }
            _ if letter.is_whitespace() => at += 1,
            _ => {
                found.push((line, Token::Mark(letter)));
                at += 1;
            }
        }
        line += letters[begin..at].iter().filter(|&&letter| letter == '\n').count();
    }
    found
}

/// Where a group that opens at `open` ends.
fn closing(tokens: &[(usize, Token)], open: usize) -> usize {
    let mut depth = 0;
    for (at, (_, token)) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// The name of what is called before an opening parenthesis: `Error::new`, `.help` as `help`, `format!` as `format`.
fn callee(tokens: &[(usize, Token)], open: usize) -> (String, bool) {
    let mut name = String::new();
    let mut at = open;
    let is_macro = at > 0 && tokens[at - 1].1 == Token::Mark('!');
    at -= usize::from(is_macro);
    while at > 0 {
        match &tokens[at - 1].1 {
            Token::Name(part) if name.is_empty() || name.starts_with("::") => {
                name.insert_str(0, part);
            }
            Token::Mark(':') => name.insert(0, ':'),
            _ => break,
        }
        at -= 1;
    }
    (name, is_macro)
}

/// The messages of a source file, in order.
fn messages(source: &str) -> Vec<Message> {
    /// Calls whose text is for developers.
    const INTERNAL: [&str; 11] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "debug_assert",
        "debug_assert_eq",
        "expect",
        "panic",
        "todo",
        "unimplemented",
        "unreachable",
        "matches",
    ];
    let tokens = tokens(source);
    let name_at = |at: usize| match tokens.get(at) {
        Some((_, Token::Name(name))) => name.as_str(),
        _ => "",
    };
    let (mut at, mut statement, mut found) = (0, 0, Vec::new());
    // Open groups with what their texts are, and the variable that is being given a value.
    let mut open: Vec<Option<Kind>> = Vec::new();
    let mut variable: Option<(usize, Kind)> = None;
    while let Some((line, token)) = tokens.get(at) {
        match token {
            Token::Mark('#') => {
                let inner = usize::from(matches!(tokens.get(at + 1), Some((_, Token::Mark('!')))));
                let group = at + 1 + inner;
                let end = closing(&tokens, group);
                if name_at(group + 1) == "cfg" && name_at(group + 3) == "test" {
                    // What follows is for tests, up to the end of its block.
                    let is_end =
                        |(_, token): &(usize, Token)| matches!(token, Token::Mark('{' | ';'));
                    let from = tokens[end..].iter().position(is_end).map_or(end, |it| it + end);
                    at = match tokens.get(from) {
                        Some((_, Token::Mark('{'))) => closing(&tokens, from),
                        _ => from,
                    };
                } else {
                    if name_at(group + 1) == "error" {
                        let texts =
                            tokens[group..end].iter().filter_map(|(line, token)| match token {
                                Token::Text(text) => Some((*line, text.clone())),
                                _ => None,
                            });
                        found.extend(texts.map(|(line, text)| Message {
                            line,
                            kind: Kind::Error,
                            text,
                            statement: line,
                        }));
                    }
                    at = end;
                }
            }
            Token::Mark('(' | '[' | '{') => {
                let (name, is_macro) = callee(&tokens, at);
                if INTERNAL.contains(&name.as_str()) && (is_macro || name == "expect") {
                    at = closing(&tokens, at);
                } else {
                    let is_call = *token == Token::Mark('(') && !is_macro;
                    let kind = is_call.then(|| Kind::of_call(&name)).flatten();
                    let given = &tokens[at..closing(&tokens, at)];
                    let is_message = |(_, it): &(usize, Token)| matches!(it, Token::Name(name) if name == "message");
                    // A warning whose text was put together in the statement before.
                    if kind == Some(Kind::Warning) && given.iter().any(is_message) {
                        let before = |it: &&mut Message| it.statement + 1 == statement;
                        found.iter_mut().rev().take_while(before).for_each(|it: &mut Message| {
                            if it.kind == Kind::Error {
                                it.kind = Kind::Warning;
                            }
                        });
                    }
                    open.push(kind);
                }
            }
            Token::Mark(')' | ']' | '}') => {
                open.pop();
            }
            Token::Mark(';') => {
                statement += 1;
                variable = variable.filter(|(depth, _)| *depth < open.len());
            }
            Token::Name(name) if name == "let" => {
                let mutable = usize::from(name_at(at + 1) == "mut");
                if let Some(kind) = Kind::of_variable(name_at(at + 1 + mutable)) {
                    variable = Some((open.len(), kind));
                }
            }
            // What an option or a method is about is documentation.
            Token::Text(_) if at > 1 && name_at(at - 2) == "about" => {}
            Token::Text(text) if is_worded(text) => {
                let named = variable.filter(|(depth, _)| *depth <= open.len());
                let kind = open.iter().rev().find_map(|kind| *kind);
                let kind = kind.or(named.map(|(_, kind)| kind)).unwrap_or(Kind::Part);
                found.push(Message { line: *line, kind, text: text.clone(), statement });
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Whether a text says something: words with a blank between them.
fn is_worded(text: &str) -> bool {
    let words = without_values(text, "");
    let is_word = |word: &str| word.chars().filter(|it| it.is_lowercase()).count() > 1;
    text.trim().contains(' ') && words.split(' ').any(is_word)
}

/// Whether a text that is in no message by itself is a part of one: at least three words in small letters, and neither HTML nor SQL.
fn is_sentence(text: &str) -> bool {
    let words = without_values(text, "");
    let is_word = |word: &&str| {
        let word = word.trim_end_matches([',', ':', ';', '.']);
        word.len() > 1 && word.chars().all(char::is_lowercase)
    };
    let is_code =
        ["</", "SELECT ", "CREATE ", "COPY ", "SET ", ";\n"].iter().any(|it| text.contains(it));
    !is_code && words.split(' ').filter(is_word).count() >= 3
}

/// A text whose placeholders are replaced.
fn without_values(text: &str, value: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0);
    for letter in text.replace("{{", "\u{1}").replace("}}", "\u{2}").chars() {
        match letter {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                out.push_str(value);
            }
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
    }
    out.replace('\u{1}', "{").replace('\u{2}', "}")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The messages of all sources, by the source's name below `crates/`.
fn all() -> BTreeMap<String, Vec<Message>> {
    let crates = root().join("crates");
    let mut files = Vec::new();
    for entry in fs::read_dir(&crates).unwrap() {
        let folder = entry.unwrap().path().join("src");
        if folder.exists() {
            files.extend(rust_sources(&folder));
        }
    }
    let mut found = BTreeMap::new();
    for path in files {
        let name = path.strip_prefix(&crates).unwrap().to_string_lossy().replace('\\', "/");
        let is_in = |list: &[&str]| list.iter().any(|part| name.starts_with(part));
        if is_in(&LEFT_OUT) {
            continue;
        }
        let mut messages = messages(&fs::read_to_string(&path).unwrap());
        let has_calls = messages.iter().any(|it| it.kind != Kind::Part);
        let parts = (has_calls || is_in(&PARTS)) && !is_in(&ONLY_MARKED);
        messages.retain(|it| it.kind != Kind::Part || parts && is_sentence(&it.text));
        if !messages.is_empty() {
            found.insert(name, messages);
        }
    }
    found
}

#[test]
fn the_page_has_every_message() {
    let all = all();
    let mut page = HEAD.to_owned();
    for (at, (topic, _)) in TOPICS.iter().enumerate() {
        let is_of = |name: &str| {
            let fits = |(_, parts): &(&str, &[&str])| parts.iter().any(|it| name.starts_with(it));
            TOPICS.iter().position(fits) == Some(at)
        };
        write!(page, "\n## {topic}\n").unwrap();
        for (name, messages) in all.iter().filter(|(name, _)| is_of(name)) {
            write!(page, "\n`{name}`\n\n```text\n").unwrap();
            for Message { kind, text, .. } in messages {
                let further = " ".repeat(kind.mark().len());
                let lines: Vec<&str> = text.trim_matches('\n').lines().map(str::trim_end).collect();
                let text = lines.join(&format!("\n{further}"));
                writeln!(page, "{}{}", kind.mark(), text.trim_end()).unwrap();
            }
            page.push_str("```\n");
        }
    }
    hold_file(PAGE, &page);
    for name in all.keys() {
        let has_topic = TOPICS.iter().any(|(_, parts)| parts.iter().any(|it| name.starts_with(it)));
        assert!(has_topic, "{name} is in no topic");
    }
}

#[test]
fn messages_are_short() {
    let mut faults = Vec::new();
    for (name, messages) in all() {
        for (at, Message { line, kind, text, statement }) in messages.iter().enumerate() {
            let plain = without_values(text.trim(), &"x".repeat(VALUE));
            let width = plain.lines().map(|it| it.trim().chars().count()).max().unwrap_or(0);
            // Warnings, notes and findings are wrapped where they are printed.
            let widest = match kind {
                Kind::Error | Kind::Help => WIDEST,
                _ => 2 * WIDEST,
            };
            if width > widest {
                faults.push(format!("{name}:{line}: {width} characters: {text}"));
            }
            let help = messages.get(at + 1).filter(|it| {
                *kind == Kind::Error && it.kind == Kind::Help && it.statement == *statement
            });
            let lines = |text: &str| text.trim().lines().count();
            let lines = lines(text) + help.map_or(0, |help| lines(&help.text));
            if lines > MOST_LINES {
                faults.push(format!("{name}:{line}: {lines} lines: {text}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} messages are too long:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn messages_use_no_banned_noun() {
    let glossary = fs::read_to_string(root().join("GLOSSARY.md")).unwrap();
    let banned: Vec<String> = glossary
        .lines()
        .skip_while(|line| *line != "## Banned nouns")
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .map(|noun| noun.trim().to_owned())
        // Names of types are not for messages; the head of the table is none.
        .filter(|noun| noun.starts_with(char::is_lowercase) && noun != "noun")
        .collect();
    let mut faults = Vec::new();
    for (name, messages) in all() {
        for Message { line, text, .. } in messages {
            let words: String = without_values(&text, "")
                .split('`')
                .step_by(2)
                .flat_map(|part| part.chars().chain([' ']))
                .map(|letter| if letter.is_alphanumeric() { letter } else { ' ' })
                .collect();
            let words = format!(" {} ", words.to_lowercase());
            for noun in &banned {
                if words.contains(&format!(" {noun} ")) || words.contains(&format!(" {noun}s ")) {
                    faults.push(format!("{name}:{line}: `{noun}`: {text}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "messages with banned nouns:\n{}", faults.join("\n"));
}
