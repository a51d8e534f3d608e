//! `serve` answers on the loopback interface to whoever has its address, and ends when it is asked to.
#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::Folder;

struct Served {
    program: Child,
    host: String,
    token: String,
}

impl Served {
    fn start(folder: &Folder) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_incrowd"))
            .args(["serve", "--no-browser"])
            .arg(folder.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();
        let (host, token) = address.split_once("/#token=").unwrap();
        assert!(host.starts_with("127.0.0.1:") && token.len() == 64, "{line}");
        Served { program, host: host.to_owned(), token: token.to_owned() }
    }

    /// The head and the body of an answer.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (String, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
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
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("app.js"), "{head}");
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
    folder.write("seed", b"7\n");
    folder.write("no-seed", b"seven\n");
    let run = |name: &str| {
        let line =
            format!("run people.toml --seed-file seed -o {name} --no-report --identifying name");
        folder.run(&line).done();
        folder.read(name)
    };
    assert_eq!(run("one.csv"), run("two.csv"));
    let ended = folder.run("run people.toml --seed-file no-seed -o three.csv");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("does not hold a seed"), "{}", ended.stderr);
}
