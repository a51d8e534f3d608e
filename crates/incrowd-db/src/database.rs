//! A run on a table of a database.

use std::path::PathBuf;

use incrowd::Control;
use incrowd_run::spec::{Role, SpecFile};
use incrowd_run::{
    Error, ErrorKind, Format, Job, NULL, OutputFile, ReadOptions, Result, RunReport, Source,
    run_for_elsewhere, treated,
};

use crate::Address;
use crate::connection::{Access, Connection, Moved};
use crate::pushed::{self, Pushed};
use crate::release::{self, Fingers, ReleasedColumn};
use crate::source;
use crate::table::{Table, Target};

/// A table of a database about to be anonymized, and the table that the release goes into.
///
/// ```no_run
/// use incrowd::Control;
/// use incrowd_db::Database;
/// use incrowd_run::{Job, OutputFile, spec::SpecFile};
/// let control = Control::new();
/// let file = SpecFile::read("people.toml".as_ref())?;
/// let mut database = Database::open(&file, &control)?;
/// let file = database.understood(&file);
/// let source = database.source(&file)?;
/// let job = Job::new(&file, &source)?;
/// let (report, outputs) = database.run(&job, &source, &control)?;
/// database.commit()?;
/// OutputFile::commit_all(outputs)?;
/// # Ok::<(), incrowd_run::Error>(())
/// ```
#[derive(Debug)]
pub struct Database {
    pub(crate) connection: Connection,
    pub(crate) table: Table,
    pub(crate) target: Option<Target>,
    pub(crate) grant: Vec<String>,
    /// Whether rows stay where they are.
    pub(crate) in_database: bool,
    /// Whether a table has been made that is yet to be committed.
    pub(crate) pending: bool,
}

impl Database {
    /// Opens the database that a spec names, finds its table, and checks that the other one can be made.
    pub fn open(file: &SpecFile, control: &Control) -> Result<Self> {
        let (data, release) = (&file.spec.data, &file.spec.release);
        let address = Address::new(data.input.to_str().unwrap_or_default())?;
        let mut connection = Connection::open(&address, control)?;
        let name = data.table.as_deref().ok_or_else(|| {
            file.error_at(&["data", "input"], "nothing says which table of the database is meant")
                .help("name it: table = \"people\" under [data], or --table people")
        })?;
        let table = Table::find(&mut connection, name, data.filter.as_deref())?;
        let target =
            release.into.as_deref().map(|into| Target::new(&mut connection, into)).transpose()?;
        for role in release.grant.iter().filter(|role| *role != "PUBLIC") {
            let known = connection.query(
                "look for the role",
                "SELECT 1 FROM pg_roles WHERE rolname = $1",
                &[role],
            )?;
            if known.is_empty() {
                return Err(Error::new(format!("the database has no role `{role}`"))
                    .help("name one that is there, or leave out --grant")
                    .of_kind(ErrorKind::Database));
            }
        }
        let grant = release.grant.clone();
        let in_database = data.in_database;
        Ok(Database { connection, table, target, grant, in_database, pending: false })
    }

    /// The spec as it is to be understood for this table: the decimal sign of its numbers is known.
    pub fn understood(&self, file: &SpecFile) -> SpecFile {
        let mut file = file.clone();
        for column in &mut file.spec.columns {
            let known = self.table.column(column.source.as_deref().unwrap_or(&column.name));
            let fraction = known.is_some_and(|known| {
                let kept = known.kept.as_deref().unwrap_or_default();
                ["numeric", "real", "double"].iter().any(|name| kept.starts_with(name))
            });
            if fraction && column.decimal.is_none() && file.spec.data.decimal.is_none() {
                column.decimal = Some('.');
            }
        }
        file
    }

    /// The rows of the table; in the database its columns alone.
    pub fn source(&mut self, file: &SpecFile) -> Result<Source> {
        let threads = file.spec.algorithm.threads.map(|threads| threads as usize);
        if self.in_database {
            return pushed::header_only(&self.table, file);
        }
        self.connection.begin_snapshot(Access::ReadOnly)?;
        let source = source::read(&mut self.connection, &self.table, threads)?;
        // Nobody waits for a search: what was read is kept here.
        self.connection.batch("end the reading", "COMMIT")?;
        treated(file, source)
    }

    /// How much went over the connection.
    pub fn moved(&self) -> &Moved {
        self.connection.moved()
    }

    /// Runs a job. The released table is complete and verified and waits, unseen by others, to be
    /// [committed](Self::commit); so do the files that are handed back.
    pub fn run(
        &mut self,
        job: &Job,
        source: &Source,
        control: &Control,
    ) -> Result<(RunReport, Vec<OutputFile>)> {
        self.connection.set_control(control);
        let Some(target) = self.target.clone() else {
            return incrowd_run::run_held(job, source, control);
        };
        let columns = self.refuse_types(job, source)?;
        if self.in_database {
            return self.run_there(&target, &columns, job, source, control);
        }
        let mut job = job.clone();
        // The release lies here only until the database has it, and has no name.
        let folder =
            tempfile::tempdir().map_err(|e| Error::file("create", &std::env::temp_dir(), &e))?;
        job.output = Some(folder.path().join("release.csv"));
        job.delimiter = Some(b',');
        let mut held = run_for_elsewhere(&job, source, control)?;
        held.report.output = held.release.as_ref().map(|_| PathBuf::from(&target.written));
        if let (Some(file), Some(requirements)) = (&held.release, &held.requirements) {
            let rows = held.report.verdict.as_ref().map_or(held.report.released, |it| it.rows);
            self.place(&target, &columns, file, requirements, rows)?;
            self.pending = true;
        }
        Ok((held.report, held.outputs))
    }

    /// Runs a job where the rows are, all of it in one transaction: what is counted, searched for, written and checked is
    /// one snapshot of the table, whatever others write to it meanwhile.
    fn run_there(
        &mut self,
        target: &Target,
        columns: &[ReleasedColumn],
        job: &Job,
        source: &Source,
        control: &Control,
    ) -> Result<(RunReport, Vec<OutputFile>)> {
        let Database { connection, table, grant, .. } = self;
        connection.begin_snapshot(Access::ReadWrite)?;
        let place = Pushed::new(connection, table, target, columns, grant);
        let ran = pushed::run(place, job, source, control);
        self.pending = ran.as_ref().is_ok_and(|(.., released)| *released);
        if !self.pending {
            self.connection.roll_back();
        }
        ran.map(|(report, outputs, _)| (report, outputs))
    }

    /// Makes the table from a verified file and checks, in the same transaction, that it holds the same.
    fn place(
        &mut self,
        target: &Target,
        plain: &[ReleasedColumn],
        file: &OutputFile,
        requirements: &incrowd_verify::Requirements,
        rows: u64,
    ) -> Result<()> {
        let release = Source::of_file(file.reopen()?, file.target(), &release_options())?;
        let release = release.with_null(NULL);
        let columns = released_columns(&release, plain);
        let connection = &mut self.connection;
        connection.batch("begin", "BEGIN")?;
        release::create(connection, target, &columns, &self.grant)?;
        let names: Vec<String> =
            columns.iter().map(|column| crate::table::quote(&column.name)).collect();
        let copy = format!(
            "COPY {} ({}) FROM STDIN (FORMAT csv, HEADER true, NULL '{NULL}')",
            target.name,
            names.join(", ")
        );
        connection.copy_in("write the table", &copy, |into| {
            let mut rows = file.reopen()?;
            let mut buffer = vec![0; 1 << 18];
            loop {
                let failed = |e: std::io::Error| {
                    Error::new(format!("cannot write the table: {e}")).of_kind(ErrorKind::Database)
                };
                let got = std::io::Read::read(&mut rows, &mut buffer).map_err(failed)?;
                if got == 0 {
                    return Ok(());
                }
                into.write_all(&buffer[..got]).map_err(failed)?;
            }
        })?;
        release::verify(connection, target, requirements, rows)?;
        // The file was verified and found true; what the database holds must be the file.
        let fingers = Fingers::default();
        let written = fingers.of_source(&release)?;
        let there = release::fingerprint(connection, target, &columns, &fingers)?;
        if written != there {
            return Err(release::broken("its rows are not those that were written"));
        }
        Ok(())
    }

    /// Shows the released table to others.
    pub fn commit(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.pending) {
            return Ok(());
        }
        let number = self.connection.query(
            "ask for the transaction",
            "SELECT pg_current_xact_id()::text",
            &[],
        )?;
        let number: Option<String> = number.first().map(|row| row.get(0));
        let Err(error) = self.connection.batch("commit the table", "COMMIT") else { return Ok(()) };
        if !self.connection.is_lost() {
            return Err(error);
        }
        // It was cut off after the question and before the answer: only the database knows what became of it.
        match number.and_then(|number| self.connection.outcome(&number)) {
            Some(true) => Ok(()),
            Some(false) => Err(error),
            None => Err(Error::new(
                "the connection was lost while the table was being committed, and the database cannot be asked what \
                 became of it",
            )
            .help("look for the table: if it is there, it is whole and verified")
            .of_kind(ErrorKind::Database)),
        }
    }

    /// Columns that are released as they are, with their types; a type whose texts do not come back as the same values is
    /// refused before the search.
    fn refuse_types(&self, job: &Job, source: &Source) -> Result<Vec<ReleasedColumn>> {
        let mut columns = Vec::new();
        for &(at, role) in &job.columns {
            let name = &source.columns()[at];
            let written = source.treatments().iter().find(|it| it.name.as_ref() == Some(name));
            let written = written.map_or(name, |it| &it.column);
            let Some(column) = self.table.column(written) else { continue };
            let Some(kept) = &column.kept else {
                return Err(Error::new(format!(
                    "column `{name}` is of the type {}, which cannot be released",
                    column.r#type
                ))
                .help(format!(
                    "leave it out: --identifying {name}, or cast it to another type in a view"
                ))
                .of_kind(ErrorKind::Database));
            };
            if role == Role::Quasi {
                continue;
            }
            let r#type = match (&column.collation, source.keeps_type(at)) {
                (_, false) => "text".to_owned(),
                (Some(collation), true) => format!("{kept} COLLATE {collation}"),
                (None, true) => kept.clone(),
            };
            columns.push(ReleasedColumn { name: name.clone(), r#type });
        }
        Ok(columns)
    }
}

/// How the file of a release is read that goes into a database.
fn release_options() -> ReadOptions {
    ReadOptions { format: Some(Format::Csv), delimiter: Some(b','), ..ReadOptions::default() }
}

/// The columns of a release: those that are released as they are keep their types, the others are text.
fn released_columns(release: &Source, plain: &[ReleasedColumn]) -> Vec<ReleasedColumn> {
    let column = |name: &String| {
        let kept = plain.iter().find(|column| column.name == *name).cloned();
        kept.unwrap_or_else(|| ReleasedColumn { name: name.clone(), r#type: "text".to_owned() })
    };
    release.columns().iter().map(column).collect()
}
