//! A run on a table of a database.

use incrowd_engine::Control;
use incrowd_run::spec::{Role, SpecFile};
use incrowd_run::{
    ApplyOptions, Error, ErrorKind, Job, LocalTable, Result, RunReport, backend::TableBackend,
    data::Source, treated,
};

use crate::postgres::Address;
use crate::postgres::connection::{Connection, TransactionAccess, TransferCounts};
use crate::postgres::in_place::{self, TableInPlace};
use crate::postgres::release::ReleasedColumn;
use crate::postgres::source;
use crate::postgres::streamed::StreamedTable;
use crate::postgres::table::{Placement, SourceTable, TargetTable};

/// What of a database is read, and where a release of it goes.
#[derive(Debug, Clone, Default)]
pub struct DatabaseRequest {
    /// The address.
    pub address: String,
    /// The table, or a query in parentheses.
    pub relation: String,
    /// A condition on its rows.
    pub filter: Option<String>,
    /// The table that the release goes into, if it goes into one.
    pub into: Option<String>,
    /// What becomes of one that is there.
    pub placement: Placement,
    /// Who may read the release.
    pub grant: Vec<String>,
    /// Whether rows stay where they are.
    pub in_database: bool,
    /// How many threads read rows; all if none.
    pub threads: Option<usize>,
}

impl DatabaseRequest {
    /// What a spec asks for.
    pub fn of_spec(file: &SpecFile) -> Result<Self> {
        let (data, release) = (&file.spec.data, &file.spec.release);
        let relation = data.relation().ok_or_else(|| {
            file.error_at(&["data", "input"], "the input is a database, but no table is named")
                .help("name one: table = \"people\" under [data], or --table people")
        })?;
        Ok(DatabaseRequest {
            address: data.input.to_str().unwrap_or_default().to_owned(),
            relation,
            filter: data.filter.clone(),
            into: release.into.clone(),
            placement: if release.replace { Placement::Replace } else { Placement::Create },
            grant: release.grant.clone(),
            in_database: data.in_database,
            threads: file.spec.algorithm.threads.map(|threads| threads as usize),
        })
    }
}

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
    threads: Option<usize>,
}

impl Database {
    /// Opens the database that a spec names, finds its table, and checks that the other one can be made.
    pub fn open(file: &SpecFile, control: &Control) -> Result<Self> {
        Database::open_for(&DatabaseRequest::of_spec(file)?, control)
    }

    /// The same for whoever has no spec.
    pub fn open_for(request: &DatabaseRequest, control: &Control) -> Result<Self> {
        if request.in_database && request.into.is_none() {
            return Err(Error::new("rows that stay in the database cannot be released elsewhere")
                .help("name a table for the release: --into people_release"));
        }
        let mut connection = Connection::open(&Address::new(&request.address)?, control)?;
        let (relation, filter) = (&request.relation, request.filter.as_deref());
        let table = SourceTable::find(&mut connection, relation, filter)?;
        let placement = request.placement;
        let into = request.into.as_deref();
        let target =
            into.map(|into| TargetTable::new(&mut connection, into, placement)).transpose()?;
        if target.as_ref().is_some_and(|target| target.existing() == Some(&table.name)) {
            return Err(Error::new(format!("`{}` is the table that is read", table.written))
                .help("give the release a name of its own: --into people_release")
                .of_kind(ErrorKind::Database));
        }
        for role in request.grant.iter().filter(|role| *role != "PUBLIC") {
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
        let (grant, in_database) = (request.grant.clone(), request.in_database);
        Ok(Database { connection, table, target, grant, in_database, threads: request.threads })
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
        if self.in_database {
            in_place::refuse_treatments(file)?;
            return self.untreated();
        }
        treated(file, self.untreated()?)
    }

    /// The rows that a saved recoding is applied to, treated as those that it was made of.
    pub fn source_of(&mut self, apply: &ApplyOptions) -> Result<Source> {
        let treated = apply.recoding.treatments.first();
        if let Some(column) = treated.filter(|_| self.in_database) {
            return Err(in_place::treated(&column.column));
        }
        apply.treated(self.untreated()?)
    }

    /// The rows as the table has them.
    fn untreated(&mut self) -> Result<Source> {
        if self.in_database {
            return in_place::header_only(&self.table);
        }
        self.connection.begin_snapshot(TransactionAccess::ReadOnly)?;
        let source = source::read(&mut self.connection, &self.table, self.threads)?;
        // Nobody waits for a search: what was read is kept here.
        self.connection.batch("end the reading", "COMMIT")?;
        Ok(source)
    }

    /// Applies a saved recoding to the rows of the table, all the way.
    pub fn apply(&mut self, apply: &ApplyOptions, control: &Control) -> Result<RunReport> {
        let source = self.source_of(apply)?;
        let job = apply.job(&source)?;
        let mut backend = self.backend(&job, &source, control)?;
        apply.stage(&source, &mut *backend, control)?.commit(&mut *backend, [])
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
        let Database { connection, table, target, grant, in_database, .. } = self;
        let (Some(target), Some(columns)) = (target, columns) else {
            return Ok(Box::new(LocalTable::to_file(source, job.output.as_deref())?));
        };
        if !*in_database {
            let streamed = StreamedTable::new(source, connection, target, columns, grant)?;
            return Ok(Box::new(streamed));
        }
        if let Some(appended) = &target.appends {
            appended.reserve(connection)?;
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
