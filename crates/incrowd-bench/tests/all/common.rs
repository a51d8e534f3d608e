//! The real binary, run in a folder of its own.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A temporary folder with a few files, and another one for temporary files of the program.
pub(crate) struct Folder {
    root: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("work")).unwrap();
        std::fs::create_dir(root.path().join("tmp")).unwrap();
        Folder { root }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs a command line whose arguments are separated by white space.
    pub(crate) fn run(&self, line: &str) -> Ended {
        let output = Command::new(env!("CARGO_BIN_EXE_incrowd-bench"))
            .args(line.split_whitespace())
            .current_dir(self.path(""))
            .env("TMPDIR", self.root.path().join("tmp"))
            .env_remove("RUST_BACKTRACE")
            .env("COLUMNS", "100")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
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
