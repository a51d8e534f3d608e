//! Imports point down only: the directions between crates and modules are those of the tables in ARCHITECTURE.md, and
//! no files import each other in a circle, other than a module and its own parts.
//!
//! Imports are read from the text: `use` trees and paths that begin with `crate`, `super` or `self`, each followed
//! through re-exports to the file that defines the name. Code for tests does not count.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A table of ARCHITECTURE.md whose last column is headed so: what may use what.
fn table(heading: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let fields = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|field| field.trim().to_owned()).collect()
    };
    let named = |text: &str| -> Vec<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let mut rows = text
        .lines()
        .skip_while(|line| !(line.starts_with('|') && fields(line).last().unwrap() == heading));
    assert!(rows.next().is_some(), "ARCHITECTURE.md has no table whose last column is {heading:?}");
    let mut allowed = BTreeMap::new();
    for line in rows.skip(1).take_while(|line| line.starts_with('|')) {
        let fields = fields(line);
        let targets: BTreeSet<String> = named(fields.last().unwrap()).into_iter().collect();
        for name in named(&fields[0]) {
            allowed.insert(name, targets.clone());
        }
    }
    allowed
}

#[test]
fn crates_depend_as_the_architecture_says() {
    let allowed = table("may depend on");
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Ok(manifest) = fs::read_to_string(path.join("Cargo.toml")) else { continue };
        let permitted = allowed.get(&name).unwrap_or_else(|| panic!("{name} is in no table"));
        let ours = manifest
            .lines()
            .skip_while(|line| *line != "[dependencies]")
            .skip(1)
            .take_while(|line| !line.starts_with('['))
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|name| name.starts_with("incrowd"));
        for target in ours {
            assert!(permitted.contains(target), "{name} must not depend on {target}");
        }
        found.insert(name);
    }
    for name in allowed.keys() {
        assert!(found.contains(name), "{name} is in the table, but there is no such crate");
    }
}

/// A source file: its module path and what it says.
struct Module {
    path: Vec<String>,
    /// Names that it defines.
    defines: BTreeSet<String>,
    /// Paths that it takes names from.
    uses: Vec<Vec<String>>,
    /// Names that it passes on, with where they come from, relative to itself.
    passes_on: Vec<(String, Vec<String>)>,
}

/// The text without comments, strings and code for tests.
fn bare(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else if let Some(body) = rest.strip_prefix('"') {
            let raw = out.ends_with("r#") || out.ends_with('r') && !out.ends_with("er");
            let mut escaped = false;
            let end = match raw && out.ends_with('#') {
                true => body.find("\"#").map(|at| at + 1),
                false => body.find(|letter: char| {
                    let ends = letter == '"' && !escaped;
                    escaped = letter == '\\' && !escaped && !raw;
                    ends
                }),
            };
            rest = end.map_or("", |end| &body[end + 1..]);
        } else if let Some(body) = rest.strip_prefix('\'') {
            // A character, or the name of a lifetime.
            let mut letters = body.char_indices();
            let first = letters.next().map(|(_, letter)| letter);
            let skip = match (first, letters.next()) {
                (Some('\\'), _) => body[2..].find('\'').map(|at| at + 3),
                (_, Some((at, '\''))) => Some(at + 1),
                _ => None,
            };
            out.push(' ');
            rest = &body[skip.unwrap_or(0)..];
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    // Modules of tests, by counting braces.
    while let Some(at) = out.find("#[cfg(test)]") {
        let tail = &out[at..];
        let brace = tail.find('{').unwrap_or(tail.len());
        let semicolon = tail.find(';').unwrap_or(tail.len());
        let end = if semicolon < brace {
            semicolon + 1
        } else {
            let mut depth = 0;
            tail.char_indices()
                .find(|&(_, letter)| {
                    depth += i32::from(letter == '{') - i32::from(letter == '}');
                    letter == '}' && depth == 0
                })
                .map_or(tail.len(), |(at, _)| at + 1)
        };
        out.replace_range(at..at + end, "");
    }
    out
}

/// The leaves of a use tree, each a path and the name it goes by.
fn leaves(prefix: &[String], tree: &str, out: &mut Vec<(Vec<String>, String)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let mut path = prefix.to_vec();
        path.extend(segments(&tree[..open]));
        let (mut depth, mut start) = (0, open + 1);
        for (at, letter) in tree.char_indices().skip(open + 1) {
            match letter {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    leaves(&path, &tree[start..at], out);
                    start = at + 1;
                }
                _ => {}
            }
        }
    } else if !tree.is_empty() {
        let (source, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut path = prefix.to_vec();
        path.extend(segments(source));
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        let own = path.last().cloned().unwrap_or_default();
        out.push((path, if name.is_empty() { own } else { name.trim().to_owned() }));
    }
}

fn segments(path: &str) -> Vec<String> {
    path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

impl Module {
    fn read(src: &Path, file: &Path) -> Self {
        let inside = file.strip_prefix(src).unwrap().with_extension("");
        let mut path: Vec<String> =
            inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        if path.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
            path.pop();
        }
        let text = bare(&fs::read_to_string(file).unwrap());
        let mut module =
            Module { path, defines: BTreeSet::new(), uses: Vec::new(), passes_on: Vec::new() };
        let mut rest = text.as_str();
        while let Some(at) = rest.find("use ") {
            let begins = rest[..at].chars().next_back().is_none_or(|before| !is_word(before));
            let end = rest[at..].find(';').map_or(rest.len(), |end| at + end);
            if begins {
                let mut found = Vec::new();
                leaves(&[], &rest[at + 4..end].replace('\n', " "), &mut found);
                let public = rest[..at].trim_end().ends_with(['b', ')'])
                    && rest[..at].rsplit('\n').next().unwrap().contains("pub");
                for (path, name) in found {
                    if public {
                        module.passes_on.push((name, path.clone()));
                    }
                    module.uses.push(path);
                }
                rest = &rest[end..];
            } else {
                rest = &rest[at + 4..];
            }
        }
        let words: Vec<&str> = text.split(|letter: char| !is_word(letter)).collect();
        for pair in words.windows(2) {
            if ["struct", "enum", "fn", "trait", "type", "const", "static", "macro_rules"]
                .contains(&pair[0])
            {
                module.defines.insert(pair[1].to_owned());
            }
        }
        // Paths in the code itself.
        for start in ["crate::", "super::", "self::"] {
            let mut rest = text.as_str();
            while let Some(at) = rest.find(start) {
                let begins = rest[..at].chars().next_back().is_none_or(|b| !is_word(b) && b != ':');
                let end = rest[at..]
                    .find(|letter: char| !is_word(letter) && letter != ':')
                    .map_or(rest.len(), |end| at + end);
                if begins {
                    module.uses.push(segments(&rest[at..end]));
                }
                rest = &rest[end.max(at + 1)..];
            }
        }
        module
    }
}

/// All source files of a crate.
struct Sources(BTreeMap<Vec<String>, Module>);

impl Sources {
    fn read(name: &str) -> Self {
        let src = root().join("crates").join(name).join("src");
        let mut modules = BTreeMap::new();
        let mut folders = vec![src.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs")
                    && !stem.ends_with("tests")
                    && !path.parent().unwrap().ends_with("tests")
                {
                    let module = Module::read(&src, &path);
                    modules.insert(module.path.clone(), module);
                }
            }
        }
        Sources(modules)
    }

    /// The module that defines what a path names, seen from a module.
    fn definer(&self, from: &[String], path: &[String], depth: usize) -> Option<&Module> {
        let mut here: Vec<String> = from.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (here, rest) = (Vec::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while let Some("super") = rest.first().map(String::as_str) {
                    here.pop();
                    rest = &rest[1..];
                }
            }
            _ => {}
        }
        let mut moved = here.len() != from.len() || path.len() != rest.len();
        while let Some(next) = rest.first() {
            let mut inner = here.clone();
            inner.push(next.clone());
            if !self.0.contains_key(&inner) {
                break;
            }
            (here, rest, moved) = (inner, &rest[1..], true);
        }
        let module = self.0.get(&here)?;
        let Some(name) = rest.first() else { return Some(module) };
        if let Some((_, source)) = module.passes_on.iter().find(|(known, _)| known == name)
            && depth < 8
        {
            return self.definer(&here, source, depth + 1);
        }
        (moved && module.defines.contains(name)).then_some(module)
    }

    /// Which file takes names from which, other than a module and its own parts.
    fn arrows(&self) -> BTreeMap<&Vec<String>, BTreeSet<&Vec<String>>> {
        let mut arrows: BTreeMap<&Vec<String>, BTreeSet<&Vec<String>>> = BTreeMap::new();
        for module in self.0.values() {
            let targets = arrows.entry(&module.path).or_default();
            for path in &module.uses {
                let Some(target) = self.definer(&module.path, path, 0) else { continue };
                let own =
                    module.path.starts_with(&target.path) || target.path.starts_with(&module.path);
                if !own {
                    targets.insert(&target.path);
                }
            }
        }
        arrows
    }
}

impl Sources {
    /// Files that take names from a module that they are a part of.
    fn back_up(&self) -> Vec<String> {
        let mut found = Vec::new();
        for module in self.0.values() {
            for path in &module.uses {
                let Some(target) = self.definer(&module.path, path, 0) else { continue };
                let name = path.last().map_or("", String::as_str);
                let above = module.path.len() > target.path.len()
                    && module.path.starts_with(&target.path)
                    && target.defines.contains(name);
                if above {
                    found.push(format!("{} -> {}", module.path.join("::"), path.join("::")));
                }
            }
        }
        found
    }
}

fn crates() -> Vec<String> {
    table("may depend on").into_keys().collect()
}

/// The files that a file leads to, directly or not.
fn reached<'a>(
    arrows: &BTreeMap<&'a Vec<String>, BTreeSet<&'a Vec<String>>>,
    start: &'a Vec<String>,
) -> BTreeSet<&'a Vec<String>> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(here) = open.pop() {
        open.extend(arrows[here].iter().copied().filter(|&next| reached.insert(next)));
    }
    reached
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut circles = Vec::new();
    for name in crates() {
        let sources = Sources::read(&name);
        let arrows = sources.arrows();
        let ways: BTreeMap<_, _> = arrows.keys().map(|&at| (at, reached(&arrows, at))).collect();
        for (&start, _) in ways.iter().filter(|(start, way)| way.contains(*start)) {
            let members: Vec<&Vec<String>> =
                ways[start].iter().copied().filter(|other| ways[other].contains(start)).collect();
            // Each circle is told once, by its first member.
            if members.first() == Some(&start) {
                let inside = |from: &Vec<String>| -> Vec<String> {
                    let to = arrows[from].iter().filter(|to| members.contains(to));
                    to.map(|to| format!("  {} -> {}", from.join("::"), to.join("::"))).collect()
                };
                let edges: Vec<String> = members.iter().flat_map(|from| inside(from)).collect();
                circles.push(format!("{name}:\n{}", edges.join("\n")));
            }
        }
    }
    assert!(circles.is_empty(), "files import each other in a circle:\n{}", circles.join("\n"));
}

#[test]
fn rooms_of_the_engine_import_as_the_architecture_says() {
    rooms_import_as_said("incrowd-engine", &table("may import"), 300);
}

#[test]
fn stages_of_the_run_import_as_the_architecture_says() {
    rooms_import_as_said("incrowd-run", &table("stage may import"), 200);
}

/// No arrow runs back up inside the run: a part takes nothing that its module defines.
#[test]
fn parts_take_nothing_from_their_modules() {
    let found = Sources::read("incrowd-run").back_up();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn rooms_import_as_said(name: &str, allowed: &BTreeMap<String, BTreeSet<String>>, least: usize) {
    let sources = Sources::read(name);
    let arrows = sources.arrows();
    assert!(arrows.values().map(BTreeSet::len).sum::<usize>() > least, "the arrows are not read");
    let mut wrong = Vec::new();
    for (from, targets) in &arrows {
        let Some(room) = from.first() else { continue };
        let permitted =
            allowed.get(room).unwrap_or_else(|| panic!("the room {room} is in no table"));
        for target in targets {
            let Some(other) = target.first() else { continue };
            if other != room && !permitted.contains(other) {
                wrong.push(format!("{} -> {}", from.join("::"), target.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for room in allowed.keys() {
        let there = sources.0.keys().any(|path| path.first() == Some(room));
        assert!(there, "the room {room} is in the table, but there is no such module");
    }
}

/// A method is a module of its own: no method imports another, only what all of them stand on.
#[test]
fn no_method_imports_another() {
    /// The files of the module that are no methods.
    const COMMON: [&str; 6] =
        ["algorithm", "handle", "options", "recoding_model", "registry", "settings"];
    let sources = Sources::read("incrowd-engine");
    let of_method = |path: &[String]| match path {
        [room, name, ..] if room == "method" && !COMMON.contains(&name.as_str()) => {
            Some(name.clone())
        }
        _ => None,
    };
    let methods: BTreeSet<String> = sources.0.keys().filter_map(|path| of_method(path)).collect();
    assert!(methods.len() >= 13, "{methods:?}");
    for (from, targets) in sources.arrows() {
        let Some(own) = of_method(from) else { continue };
        for target in targets {
            if let Some(other) = of_method(target) {
                assert!(own == other, "{} imports {}", from.join("::"), target.join("::"));
            }
            // The registry knows all methods, so no method may know the registry.
            assert!(target.last().is_none_or(|file| file != "registry"), "{}", from.join("::"));
        }
    }
}
