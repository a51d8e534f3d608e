//! The real binary, run in a folder of its own.
#![allow(dead_code, reason = "every test binary uses its part")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Eight people; every command has something to say about them.
pub(crate) const PEOPLE: &str = "\
name,age,sex,zip,born,disease
Ann,23,F,47677,1990-03-12,flu
Bob,27,M,47602,1991-11-30,angina
Cid,29,M,47678,1990-07-01,flu
Dee,35,F,47905,1985-01-15,cancer
Eve,38,F,47909,1984-06-06,flu
Flo,41,F,47906,1983-09-09,angina
Gus,46,M,47605,1979-02-28,cancer
Hal,52,M,47673,1975-12-24,flu
";

/// A temporary folder with a few files, and another one for temporary files of the program.
pub(crate) struct Folder {
    root: tempfile::TempDir,
}

impl Folder {
    /// A folder that holds `people.csv`.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("work")).unwrap();
        std::fs::create_dir(root.path().join("tmp")).unwrap();
        let folder = Folder { root };
        folder.write("people.csv", PEOPLE.as_bytes());
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(std::fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// The program, about to run in this folder.
    pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_incrowd"));
        command
            .args(args)
            .current_dir(self.root.path().join("work"))
            .env("TMPDIR", self.root.path().join("tmp"))
            .env("XDG_CACHE_HOME", self.root.path().join("cache"))
            .env_remove("RUST_BACKTRACE")
            .env("COLUMNS", "100")
            .stdin(Stdio::null());
        command
    }

    /// Whether a file lies here that is not finished.
    #[cfg(unix)]
    pub(crate) fn has_unfinished(&self) -> bool {
        let mut names = std::fs::read_dir(self.path("")).unwrap();
        names.any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with(".incrowd-"))
    }

    /// Waits until a run has begun or ended: its temporary file, which may have no name, is there when interrupts are caught.
    #[cfg(unix)]
    pub(crate) fn wait_until_begun(&self, child: &mut std::process::Child) {
        use std::time::{Duration, Instant};

        let open = format!("/proc/{}/fd", child.id());
        let begun = || {
            let files = std::fs::read_dir(&open).into_iter().flatten().flatten();
            let mut links = files.filter_map(|file| std::fs::read_link(file.path()).ok());
            self.has_unfinished() || links.any(|link| link.to_string_lossy().ends_with("(deleted)"))
        };
        let start = Instant::now();
        while !begun() && child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(60), "the run does not begin");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Runs a command line whose arguments are separated by white space. Most tests are about something else than columns that
    /// nobody names: here those are released unless the line says otherwise.
    pub(crate) fn run(&self, line: &str) -> Ended {
        self.typed(&with_other(line))
    }

    /// Runs a command line as it is.
    pub(crate) fn typed(&self, line: &str) -> Ended {
        Ended::from(self.command(line.split_whitespace()).output().unwrap())
    }

    /// Runs a command line that reads this from standard input.
    pub(crate) fn run_with(&self, line: &str, stdin: &[u8]) -> Ended {
        let line = with_other(line);
        let mut command = self.command(line.split_whitespace());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not want its input closes the pipe; that is no fault of the test.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Ended::from(child.wait_with_output().unwrap())
    }

    /// Every file below the folder with its content, folders with none.
    pub(crate) fn content(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        list(self.root.path(), &mut found);
        found
    }
}

/// A command line that says what becomes of columns that nobody names.
fn with_other(line: &str) -> String {
    let says = ["--other", "--roles", "--help", "-h"].iter().any(|it| {
        line.split_whitespace().any(|word| word == *it || word.starts_with(&format!("{it}=")))
    });
    match line.starts_with("anonymize ") && !says {
        true => format!("{line} --other plain"),
        false => line.to_owned(),
    }
}

fn list(folder: &Path, found: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(&path, found);
            found.insert(path, None);
        } else {
            let content = std::fs::read(&path).unwrap();
            found.insert(path, Some(content));
        }
    }
}

/// How a command ended and what it printed.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ended {
    /// The same, if it ended well.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

/// A small file system, gone with the test.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts one, where whoever runs the tests may do so.
    pub(crate) fn mount(place: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(place).unwrap();
        let disk = SmallDisk(place.to_owned());
        disk.call(&["mount", "-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).then_some(disk)
    }

    /// Runs a command on its folder.
    pub(crate) fn call(&self, words: &[&str]) -> bool {
        let ended = Command::new(words[0]).args(&words[1..]).arg(&self.0).output();
        ended.is_ok_and(|it| it.status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        self.call(&["umount", "-l"]);
    }
}
