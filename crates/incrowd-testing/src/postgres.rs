//! A real PostgreSQL for tests: started in a temporary folder, reached by a socket only, one for each test binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A server of this test binary's own.
#[derive(Debug)]
pub struct PostgresServer {
    folder: PathBuf,
    programs: PathBuf,
    /// While this is open the server runs: it ends with the process that holds it, however that ends.
    _alive: ChildStdin,
    _child: Child,
}

/// Where Debian and others put the programs of the server.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for root in ["/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt/postgresql"] {
        if let Ok(entries) = std::fs::read_dir(root) {
            found.extend(entries.flatten().map(|entry| entry.path().join("bin")));
        }
        found.push(Path::new(root).join("bin"));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    found.sort();
    found.reverse();
    found.extend(std::env::split_paths(&path));
    found
        .into_iter()
        .find(|folder| folder.join("postgres").exists() && folder.join("initdb").exists())
}

/// The server, if there is one on this machine; a test skips without it.
///
/// # Panics
///
/// Where `CI` is set, it must be there; and where it is, it must start.
pub fn server() -> Option<&'static PostgresServer> {
    static SERVER: OnceLock<Option<PostgresServer>> = OnceLock::new();
    let server = SERVER.get_or_init(|| programs().map(PostgresServer::start));
    if server.is_none() {
        crate::skip("there is no PostgreSQL on this machine");
    }
    server.as_ref()
}

/// The server does not run for root.
fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|it| it.stdout.starts_with(b"0\n"))
}

impl PostgresServer {
    fn start(programs: PathBuf) -> PostgresServer {
        let folder = std::env::temp_dir().join(format!("incrowd-postgres-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the server");
        let root = is_root();
        if root {
            let owned = Command::new("chown").arg("postgres").arg(&folder).status();
            assert!(owned.is_ok_and(|it| it.success()), "the folder can be given to the server");
        }
        // The last lines run when the process that holds the other end of standard input is gone.
        let script = format!(
            "cd {folder} || exit 1\n\
             {bin}/initdb -D data -U postgres -A trust --no-sync -E UTF8 --locale=C.UTF-8 >log 2>&1 || exit 1\n\
             {bin}/postgres -D data -k {folder} -c listen_addresses= -c fsync=off -c shared_buffers=64MB \
             -c max_connections=60 >>log 2>&1 </dev/null &\n\
             server=$!\n\
             cat >/dev/null\n\
             kill -INT $server; wait $server; rm -rf data log .s.PGSQL* \n",
            folder = folder.display(),
            bin = programs.display()
        );
        let mut command = match root {
            true => {
                let mut command = Command::new("setpriv");
                command.args([
                    "--reuid=postgres",
                    "--regid=postgres",
                    "--clear-groups",
                    "sh",
                    "-c",
                ]);
                command
            }
            false => {
                let mut command = Command::new("sh");
                command.arg("-c");
                command
            }
        };
        let mut child = command
            .arg(&script)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell for the server");
        let alive = child.stdin.take().expect("its standard input");
        let server = PostgresServer { folder, programs, _alive: alive, _child: child };
        let begun = Instant::now();
        while !server.try_sql("postgres", "SELECT 1").is_ok_and(|it| it.status.success()) {
            assert!(
                begun.elapsed() < Duration::from_secs(120),
                "the server starts: {}",
                std::fs::read_to_string(server.folder.join("log")).unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }

    /// A fresh database of this name, for one test.
    pub fn database(&self, name: &str) -> TestDatabase<'_> {
        self.sql("postgres", &format!("DROP DATABASE IF EXISTS {name}"));
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        TestDatabase { server: self, name: name.to_owned() }
    }

    /// The folder with the server's socket.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn try_sql(&self, database: &str, statements: &str) -> std::io::Result<Output> {
        let mut child = Command::new(self.programs.join("psql"))
            .args([
                "-X",
                "-q",
                "-t",
                "-A",
                "-v",
                "ON_ERROR_STOP=1",
                "-U",
                "postgres",
                "-d",
                database,
                "-f",
                "-",
            ])
            .arg("-h")
            .arg(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take();
        let text = statements.to_owned();
        let writer = std::thread::spawn(move || {
            if let Some(stdin) = &mut stdin {
                let _ = stdin.write_all(text.as_bytes());
            }
        });
        let output = child.wait_with_output();
        let _ = writer.join();
        output
    }

    /// What statements print, fields separated by `|`.
    ///
    /// # Panics
    ///
    /// If one of them fails.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let output = self.try_sql(database, statements).expect("psql runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }
}

/// A database for one test.
#[derive(Debug)]
pub struct TestDatabase<'a> {
    server: &'a PostgresServer,
    name: String,
}

impl TestDatabase<'_> {
    /// Its address for a role.
    pub fn address_of(&self, role: &str) -> String {
        let host: String = self
            .server
            .folder
            .to_string_lossy()
            .chars()
            .map(|c| if c == '/' { "%2F".to_owned() } else { c.to_string() })
            .collect();
        format!("postgres://{role}@{host}/{}", self.name)
    }

    /// Its address.
    pub fn address(&self) -> String {
        self.address_of("postgres")
    }

    /// What statements print.
    ///
    /// # Panics
    ///
    /// If one of them fails.
    pub fn sql(&self, statements: &str) -> String {
        self.server.sql(&self.name, statements)
    }

    /// What is wrong with statements; empty if nothing is.
    pub fn fault(&self, statements: &str) -> String {
        let output = self.server.try_sql(&self.name, statements).expect("psql runs");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Loads the lines of a CSV text, header first, into a table that is there.
    pub fn load(&self, table: &str, csv: &str) {
        let mut text = format!("COPY {table} FROM STDIN (FORMAT csv, HEADER true);\n");
        text.push_str(csv);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str("\\.\n");
        self.sql(&text);
    }

    /// The rows of a query as CSV lines, sorted.
    pub fn rows(&self, query: &str) -> Vec<String> {
        let text = self.sql(&format!("COPY ({query}) TO STDOUT (FORMAT csv)"));
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        rows.sort();
        rows
    }

    /// The names of all tables, in all schemas but the system's.
    pub fn tables(&self) -> Vec<String> {
        let query = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', \
                     'information_schema') ORDER BY 1";
        self.sql(query).lines().map(str::to_owned).collect()
    }
}
