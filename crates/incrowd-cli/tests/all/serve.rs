//! `serve` answers on the loopback interface to whoever has its address, and ends when it is asked to.
#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Folder;

struct Served {
    program: Child,
    host: String,
    token: String,
}

impl Served {
    fn start(folder: &Folder) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_incrowd"));
        command.args(["serve", "--no-browser"]).arg(folder.path("."));
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Self {
        let mut program = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();
        let (host, token) = address.split_once("/#token=").unwrap();
        assert!(host.starts_with("127.0.0.1:") && token.len() == 64, "{line}");
        Served { program, host: host.to_owned(), token: token.to_owned() }
    }

    /// The head and the body of an answer.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (String, String) {
        self.send(method, path, headers, "")
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (String, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let length = body.len();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n"
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    /// What a page is told when it calls.
    fn call(&self, name: &str, given: &Value) -> Value {
        let (origin, token) = (format!("http://{}", self.host), format!("Bearer {}", self.token));
        let own = [("Host", self.host.as_str()), ("Origin", &origin), ("Authorization", &token)];
        let (head, body) = self.send("POST", &format!("/api/{name}"), &own, &given.to_string());
        assert!(head.starts_with("HTTP/1.1 200"), "{name} {given}: {head}\n{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Waits until nothing goes on, and nothing has gone wrong.
    fn quiet(&self) -> Value {
        let since = Instant::now();
        loop {
            let state = self.call("state", &json!({}));
            let aside = state["aside"].as_array().is_none_or(Vec::is_empty);
            if state["work"].is_null() && state["look"]["pending"] == json!(false) && aside {
                assert_eq!(state["error"], Value::Null);
                return state;
            }
            assert!(since.elapsed() < Duration::from_secs(300), "it does not end: {state}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn a_server_answers_its_own_page_and_nobody_else() {
    let folder = Folder::new();
    let mut served = Served::start(&folder);
    let host = served.host.clone();
    let (origin, token) = (format!("http://{host}"), format!("Bearer {}", served.token));
    let own = [("Host", host.as_str()), ("Origin", &origin), ("Authorization", &token)];
    let (head, body) = served.ask("GET", "/", &own[..1]);
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("serve.js"), "{head}");
    let told = head.to_lowercase();
    assert!(told.contains("content-security-policy: default-src 'none'"), "{head}");
    assert!(told.contains("cache-control: no-store") && !told.contains("set-cookie"), "{head}");
    let (head, body) = served.ask("POST", "/api/state", &own);
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("\"version\""), "{head}\n{body}");
    for headers in [&own[..2], &own[..1], &[("Host", "evil.example"), own[1], own[2]][..]] {
        let (head, body) = served.ask("POST", "/api/state", headers);
        assert!(head.starts_with("HTTP/1.1 403") && body.contains("message"), "{head}");
    }
    let (head, _) = served.ask("GET", "/ticket/0", &own[..1]);
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    served.ask("POST", "/api/quit", &own);
    let since = Instant::now();
    while served.program.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < Duration::from_secs(20), "it does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(TcpStream::connect(&host).is_err());
}

#[test]
fn what_cannot_be_served_is_told() {
    let folder = Folder::new();
    let ended = folder.run("serve nothing.csv --no-browser");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("there is no file nothing.csv"), "{}", ended.stderr);
}

#[test]
fn a_seed_comes_from_a_file() {
    let folder = Folder::new();
    folder.run("init people.csv -o people.toml").done();
    folder.write("no-seed", b"seven\n");
    let run = |name: &str| {
        let line =
            format!("run people.toml --seed-file seed -o {name} --no-report --identifying name");
        folder.run(&line).done();
        folder.read(name)
    };
    // The first run makes it.
    assert_eq!(run("one.csv"), run("two.csv"));
    assert_eq!(folder.read("seed").trim().len(), 64);
    let ended = folder.run("run people.toml --seed-file no-seed -o three.csv");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("others may read the key"), "{}", ended.stderr);
}

/// The pages Risk and Usefulness of many launches: a table is read by several threads, which meet its values in another
/// order each time, and yet all launches tell the same, and what the command line tells.
#[test]
fn every_launch_tells_what_the_command_line_tells() {
    let folder = Folder::new();
    folder.run("demo --write census.csv --rows 30000").done();
    let quasi = "age,sex,marital-status";
    let told =
        |line: String| -> Value { serde_json::from_str(&folder.run(&line).done().stdout).unwrap() };
    let before = told(format!("risk census.csv --quasi {quasi} --threshold 0.2 --size 0 --json"));
    let mut first = None;
    for launch in 0..incrowd_testing::cases(200) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_incrowd"));
        command.args(["serve", "--no-browser"]).arg(folder.path("census.csv"));
        let served = Served::spawn(command);
        let state = served.quiet();
        let columns = state["columns"].as_array().unwrap().iter().map(|column| {
            let name = column["name"].as_str().unwrap();
            let role = match name {
                name if quasi.split(',').any(|it| it == name) => "quasi",
                "income" => "sensitive",
                _ => "identifying",
            };
            (name.to_owned(), json!({ "role": role, "hierarchy": null }))
        });
        let columns: serde_json::Map<String, Value> = columns.collect();
        let asked = json!({
            "columns": columns, "privacy": { "k": 5 }, "algorithm": { "method": "mondrian" },
        });
        served.call("spec", &asked);
        served.quiet();
        served.call("search", &json!({}));
        served.quiet();
        served.call("begin-risk", &json!({}));
        served.call("begin-use", &json!({}));
        served.quiet();
        let risk = served.call("risk", &json!({}))["told"].clone();
        let usefulness = served.call("use", &json!({}))["told"].clone();
        let figures = |risk: &Value| {
            let names =
                ["rows", "classes", "smallest_class", "unique_rows", "prosecutor", "class_sizes"];
            names.map(|name| risk[name].clone())
        };
        assert_eq!(figures(&risk["before"]), figures(&before), "launch {launch}");
        let known = first.get_or_insert_with(|| {
            served.call("finish", &json!({ "output": "out.csv" }));
            served.quiet();
            let after = told(format!("risk out.csv --quasi {quasi} --threshold 0.2 --size 0 --json"));
            assert_eq!(figures(&risk["after"]), figures(&after));
            for queries in usefulness["queries"].as_array().unwrap() {
                let dimensions = &queries["dimensions"];
                let asked = told(format!(
                    "evaluate queries out.csv --original census.csv --quasi {quasi} --dimensions {dimensions} --json"
                ));
                // Sums of fractions, added up in another order.
                for name in ["mean", "median"] {
                    let error = |of: &Value| of["errors"][name].as_f64().unwrap();
                    assert!((error(queries) - error(&asked)).abs() < 1e-9, "{queries} {asked}");
                }
            }
            let trees = told(format!(
                "evaluate classification out.csv --original census.csv --quasi {quasi} --class income --json"
            ));
            let predicted = &usefulness["predicted"];
            assert_eq!(predicted["original"], trees["original"]["error"]);
            assert_eq!(predicted["baseline"], trees["original"]["baseline"]);
            // The file has its rows in another order, so other rows are set aside to judge the trees.
            let [page, file] = [&predicted["release"], &trees["release"]["error"]].map(|it| it.as_f64().unwrap());
            assert!((page - file).abs() < 0.005, "{page} {file}");
            (risk.clone(), usefulness.clone())
        });
        assert_eq!((&risk, &usefulness), (&known.0, &known.1), "launch {launch}");
    }
}

/// Other users of a machine see the arguments of all programs.
#[cfg(target_os = "linux")]
#[test]
fn a_browser_is_opened_without_a_secret_in_its_arguments() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    for place in ["bin", "home", "data"] {
        std::fs::create_dir(folder.path(place)).unwrap();
    }
    let asked = folder.path("asked");
    folder.write(
        "bin/xdg-open",
        format!("#!/bin/sh\necho \"$@\" > {0}.part; mv {0}.part {0}\n", asked.display()).as_bytes(),
    );
    std::fs::set_permissions(folder.path("bin/xdg-open"), std::fs::Permissions::from_mode(0o755))
        .unwrap();
    let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_incrowd"));
    command.arg("serve").arg(folder.path("data"));
    let served = Served::spawn({
        command.env("PATH", path).env("HOME", folder.path("home"));
        command
    });
    let until = |done: &dyn Fn() -> bool| {
        let since = Instant::now();
        while !done() {
            assert!(since.elapsed() < Duration::from_secs(20), "it does not happen");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until(&|| asked.exists());
    let page = folder.read("asked").trim().to_owned();
    assert!(page.starts_with(&folder.path("home").display().to_string()), "{page}");
    let mode = |path: &str| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&page), mode(page.rsplit_once('/').unwrap().0)), (0o600, 0o700));
    let text = std::fs::read_to_string(&page).unwrap();
    let code = text.split_once("#once=").unwrap().1.split_once('"').unwrap().0;
    assert_eq!(code.len(), 64);
    assert!(!page.contains(code) && !page.contains(&served.token));
    let origin = format!("http://{}", served.host);
    let own = [("Host", served.host.as_str()), ("Origin", &origin)];
    let (head, body) = served.send("POST", "/api/enter", &own, code);
    assert!(head.starts_with("HTTP/1.1 200") && body.contains(&served.token), "{head}");
    // Once, and the page goes away.
    let (head, _) = served.send("POST", "/api/enter", &own, code);
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    until(&|| std::fs::read_dir(folder.path("home")).unwrap().count() == 0);
}
