//! Tables of databases, where this command was built with them.

use std::path::Path;

use incrowd_engine::Control;
use incrowd_run::spec::SpecFile;
use incrowd_run::{
    ApplyOptions, Error, Job, LocalTable, Result, RunReport,
    backend::TableBackend,
    data::{ColumnDetail, Source},
};
use incrowd_term::tell;

use crate::args::ApplyDatabaseArgs;

/// Bytes that went out of a database and into it.
pub(super) type MovedBytes = (u64, u64);

/// Says how much went over a connection.
pub(super) fn tell_moved((out, into): MovedBytes) {
    tell(&format!("note: moved {out} bytes out of the database and {into} into it"));
}

/// Applies a saved recoding to rows of a database.
#[cfg(feature = "postgres")]
pub(super) fn apply(
    address: &Path,
    args: &ApplyDatabaseArgs,
    apply: &ApplyOptions,
    control: &Control,
) -> Result<(RunReport, MovedBytes)> {
    use incrowd_sql::postgres::{Database, DatabaseRequest, Placement};

    let query = args.query.as_ref().map(|query| format!("(\n{query}\n)"));
    let relation = args.table.clone().or(query);
    let mut database = Database::open_for(
        &DatabaseRequest {
            address: address.to_str().unwrap_or_default().to_owned(),
            relation: named(relation.as_deref())?.to_owned(),
            filter: args.filter.clone(),
            into: args.into.clone(),
            placement: match (args.replace, args.append) {
                (true, _) => Placement::Replace,
                (_, true) => Placement::Append,
                _ => Placement::Create,
            },
            grant: args.grant.clone(),
            in_database: args.in_database,
            threads: None,
        },
        control,
    )?;
    let report = database.apply(apply, control)?;
    Ok((report, (database.moved().read(), database.moved().written())))
}

#[cfg(not(feature = "postgres"))]
pub(super) fn apply(
    _: &Path,
    _: &ApplyDatabaseArgs,
    _: &ApplyOptions,
    _: &Control,
) -> Result<(RunReport, MovedBytes)> {
    Err(without())
}

/// Opens a table of a database to read it.
pub(super) fn open(
    address: &Path,
    table: Option<&str>,
    filter: Option<&str>,
    threads: Option<u32>,
) -> Result<Source> {
    open_table(address, named(table)?, filter, threads)
}

/// Opens a table of a database as combinations, counted there by the columns that are wanted.
#[cfg(feature = "postgres")]
pub(super) fn count(
    address: &Path,
    table: Option<&str>,
    filter: Option<&str>,
    wanted: impl Fn(&str) -> ColumnDetail,
) -> Result<Source> {
    let address = address.to_str().unwrap_or_default();
    incrowd_sql::postgres::open_counted(address, named(table)?, filter, wanted, &Control::new())
}

#[cfg(not(feature = "postgres"))]
pub(super) fn count(
    _: &Path,
    _: Option<&str>,
    _: Option<&str>,
    _: impl Fn(&str) -> ColumnDetail,
) -> Result<Source> {
    Err(without())
}

/// The table that is meant.
fn named(table: Option<&str>) -> Result<&str> {
    table.ok_or_else(|| {
        Error::new("the input is a database, but no table is named")
            .help("name one: --table people")
    })
}

#[cfg(feature = "postgres")]
fn open_table(
    address: &Path,
    table: &str,
    filter: Option<&str>,
    threads: Option<u32>,
) -> Result<Source> {
    let address = address.to_str().unwrap_or_default();
    incrowd_sql::postgres::open(
        address,
        table,
        filter,
        threads.map(|n| n as usize),
        &Control::new(),
    )
}

#[cfg(not(feature = "postgres"))]
fn open_table(_: &Path, _: &str, _: Option<&str>, _: Option<u32>) -> Result<Source> {
    Err(without())
}

#[cfg(not(feature = "postgres"))]
fn without() -> Error {
    Error::new("this program was built without databases")
        .help("build it with the feature postgres, or export the table to a file")
}

/// Where the rows of a run are and where its release goes.
pub(super) enum DataLocation {
    /// Files.
    Files,
    /// A database.
    #[cfg(feature = "postgres")]
    Database(Box<incrowd_sql::postgres::Database>),
}

impl DataLocation {
    #[cfg(feature = "postgres")]
    pub(super) fn open(file: &SpecFile, control: &Control) -> Result<Self> {
        Ok(match file.spec.is_of_database() {
            false => DataLocation::Files,
            true => DataLocation::Database(Box::new(incrowd_sql::postgres::Database::open(
                file, control,
            )?)),
        })
    }

    #[cfg(not(feature = "postgres"))]
    pub(super) fn open(file: &SpecFile, _: &Control) -> Result<Self> {
        if file.spec.is_of_database() { Err(without()) } else { Ok(DataLocation::Files) }
    }

    /// The spec as it is to be understood there.
    pub(super) fn understood(&self, file: &SpecFile) -> SpecFile {
        match self {
            DataLocation::Files => file.clone(),
            #[cfg(feature = "postgres")]
            DataLocation::Database(database) => database.understood(file),
        }
    }

    pub(super) fn source(&mut self, file: &SpecFile) -> Result<Source> {
        match self {
            DataLocation::Files => super::open_input(file),
            #[cfg(feature = "postgres")]
            DataLocation::Database(database) => database.source(file),
        }
    }

    /// Where a run works, and where its release goes.
    pub(super) fn backend<'a>(
        &'a mut self,
        job: &Job,
        source: &'a Source,
        #[cfg_attr(not(feature = "postgres"), allow(unused_variables))] control: &Control,
    ) -> Result<Box<dyn TableBackend + 'a>> {
        Ok(match self {
            DataLocation::Files => Box::new(LocalTable::to_file(source, job.output.as_deref())?),
            #[cfg(feature = "postgres")]
            DataLocation::Database(database) => database.backend(job, source, control)?,
        })
    }

    /// How many bytes went out of a database and into it.
    pub(super) fn moved(&self) -> Option<MovedBytes> {
        match self {
            DataLocation::Files => None,
            #[cfg(feature = "postgres")]
            DataLocation::Database(database) => {
                Some((database.moved().read(), database.moved().written()))
            }
        }
    }
}
