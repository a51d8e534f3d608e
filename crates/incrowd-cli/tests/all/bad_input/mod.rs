//! Bad input of every kind: the program says what is wrong, where and how to fix it, ends with
//! exit code 2, prints nothing else, and leaves no file behind.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod apply;
mod data;
mod hierarchy;
mod options;
mod risk;
mod series;
mod spec;
mod verify;

use crate::common::Folder;

/// Something that happens to the content of a file.
type Damage = fn(&mut Vec<u8>);

/// One bad input.
struct Case {
    name: &'static str,
    /// The arguments, separated by white space.
    command: String,
    files: Vec<(&'static str, Vec<u8>)>,
    stdin: &'static [u8],
    /// Commands that must succeed first.
    before: Vec<&'static str>,
    /// Damage done to a file after that.
    damage: Option<(&'static str, Damage)>,
}

/// A command line, in a folder that holds `people.csv` only.
fn case(name: &'static str, command: impl Into<String>) -> Case {
    Case {
        name,
        command: command.into(),
        files: Vec::new(),
        stdin: b"",
        before: Vec::new(),
        damage: None,
    }
}

impl Case {
    /// The folder also holds this file.
    fn file(mut self, name: &'static str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((name, content.into()));
        self
    }

    /// This command runs first, and well.
    fn after(mut self, command: &'static str) -> Self {
        self.before.push(command);
        self
    }

    /// This file is then damaged.
    fn damaged(mut self, name: &'static str, how: Damage) -> Self {
        self.damage = Some((name, how));
        self
    }

    /// Runs the command and gives its message, and what is wrong with how it ended.
    fn run(&self) -> (String, Vec<String>) {
        let folder = Folder::new();
        for (name, content) in &self.files {
            folder.write(name, content);
        }
        for command in &self.before {
            folder.run(command).done();
        }
        if let Some((name, how)) = self.damage {
            let mut content = std::fs::read(folder.path(name)).unwrap();
            how(&mut content);
            folder.write(name, &content);
        }
        let before = folder.content();
        let ended = folder.run_with(&self.command, self.stdin);
        let after = folder.content();
        let mut faults = Vec::new();
        let mut expect = |holds: bool, otherwise: String| {
            if !holds {
                faults.push(format!("{}: {otherwise}", self.name));
            }
        };
        expect(ended.code == Some(2), format!("exit code {:?}", ended.code));
        // Whoever asks for JSON gets the error as JSON, too, and nothing else.
        let told = self.command.contains("--json")
            && serde_json::from_str::<serde_json::Value>(&ended.stdout)
                .is_ok_and(|told| told["error"]["message"].is_string());
        expect(ended.stdout.is_empty() || told, format!("printed {}", ended.stdout));
        let first = ended.stderr.lines().find(|line| !line.starts_with("warning: "));
        let says = first.is_some_and(|line| line.starts_with("error: "));
        expect(says, format!("said {}", ended.stderr));
        let left: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
        expect(left.is_empty(), format!("left {left:?}"));
        let kept = before.iter().all(|(path, content)| after.get(path) == Some(content));
        expect(kept, "changed a file".to_owned());
        (ended.stderr, faults)
    }
}

/// The messages of all cases, to be compared with a snapshot.
fn page(cases: &[Case]) -> String {
    let mut names: Vec<&str> = cases.iter().map(|case| case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), cases.len(), "two cases have the same name");
    let mut entries = Vec::new();
    let mut faults = Vec::new();
    for case in cases {
        let (message, found) = case.run();
        entries.push(format!("## {}\n$ incrowd {}\n{message}", case.name, case.command));
        faults.extend(found);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    entries.join("\n")
}
