//! A run on a table of a database.

use incrowd_engine::Control;
use incrowd_run::spec::{Role, SpecFile};
use incrowd_run::{
    Error, ErrorKind, Job, LocalTable, Result, backend::TableBackend, data::Source, treated,
};

use crate::postgres::Address;
use crate::postgres::connection::{Connection, TransactionAccess, TransferCounts};
use crate::postgres::in_place::{self, TableInPlace};
use crate::postgres::release::ReleasedColumn;
use crate::postgres::source;
use crate::postgres::streamed::StreamedTable;
use crate::postgres::table::{SourceTable, TargetTable};

/// A table of a database about to be anonymized, and the table that the release goes into.
///
/// ```no_run
/// use incrowd_engine::Control;
/// use incrowd_sql::postgres::Database;
/// use incrowd_run::{Job, RunPlan, spec::SpecFile};
/// let control = Control::new();
/// let file = SpecFile::read("people.toml".as_ref())?;
/// let mut database = Database::open(&file, &control)?;
/// let file = database.understood(&file);
/// let source = database.source(&file)?;
/// let job = Job::new(&file, &source)?;
/// let mut backend = database.backend(&job, &source, &control)?;
/// let staged = RunPlan::new(&job, &source).stage(&mut *backend, &control)?;
/// let report = staged.commit(&mut *backend, [])?;
/// # Ok::<(), incrowd_run::Error>(())
/// ```
#[derive(Debug)]
pub struct Database {
    pub(crate) connection: Connection,
    pub(crate) table: SourceTable,
    pub(crate) target: Option<TargetTable>,
    pub(crate) grant: Vec<String>,
    /// Whether rows stay where they are.
    pub(crate) in_database: bool,
}

impl Database {
    /// Opens the database that a spec names, finds its table, and checks that the other one can be made.
    pub fn open(file: &SpecFile, control: &Control) -> Result<Self> {
        let (data, release) = (&file.spec.data, &file.spec.release);
        let address = Address::new(data.input.to_str().unwrap_or_default())?;
        let mut connection = Connection::open(&address, control)?;
        let name = data.relation().ok_or_else(|| {
            file.error_at(&["data", "input"], "the input is a database, but no table is named")
                .help("name one: table = \"people\" under [data], or --table people")
        })?;
        let table = SourceTable::find(&mut connection, &name, data.filter.as_deref())?;
        let target = release
            .into
            .as_deref()
            .map(|into| TargetTable::new(&mut connection, into, release.replace))
            .transpose()?;
        let replaced = target.as_ref().and_then(|target| target.replaces.as_ref());
        if replaced.is_some_and(|replaced| replaced.name == table.name) {
            return Err(Error::new(format!("`{}` is the table that is read", table.written))
                .help("give the release a name of its own: --into people_release")
                .of_kind(ErrorKind::Database));
        }
        for role in release.grant.iter().filter(|role| *role != "PUBLIC") {
            let known = connection.query(
                "look for the role",
                "SELECT 1 FROM pg_roles WHERE rolname = $1",
                &[role],
            )?;
            if known.is_empty() {
                return Err(Error::new(format!("the database has no role `{role}`"))
                    .help("name an existing one, or leave out --grant")
                    .of_kind(ErrorKind::Database));
            }
        }
        let grant = release.grant.clone();
        let in_database = data.in_database;
        Ok(Database { connection, table, target, grant, in_database })
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
            return in_place::header_only(&self.table, file);
        }
        self.connection.begin_snapshot(TransactionAccess::ReadOnly)?;
        let source = source::read(&mut self.connection, &self.table, threads)?;
        // Nobody waits for a search: what was read is kept here.
        self.connection.batch("end the reading", "COMMIT")?;
        treated(file, source)
    }

    /// How much went over the connection.
    pub fn moved(&self) -> &TransferCounts {
        self.connection.moved()
    }

    /// Where a run of a job works, and where its release goes. What is made there is shown to others when it is committed; an
    /// end before that leaves nothing behind.
    pub fn backend<'a>(
        &'a mut self,
        job: &Job,
        source: &'a Source,
        control: &Control,
    ) -> Result<Box<dyn TableBackend + 'a>> {
        self.connection.set_control(control);
        let columns = self.target.as_ref().map(|_| self.refuse_types(job, source)).transpose()?;
        let Database { connection, table, target, grant, in_database } = self;
        let (Some(target), Some(columns)) = (target, columns) else {
            return Ok(Box::new(LocalTable::to_file(source, job.output.as_deref())?));
        };
        if !*in_database {
            let streamed = StreamedTable::new(source, connection, target, columns, grant)?;
            return Ok(Box::new(streamed));
        }
        // What is counted, searched for, written and checked is one snapshot of the table, whatever others write to it.
        connection.begin_snapshot(TransactionAccess::ReadWrite)?;
        Ok(Box::new(TableInPlace::new(connection, table, target, columns, grant, job)))
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
