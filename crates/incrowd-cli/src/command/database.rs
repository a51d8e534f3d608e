//! Tables of databases, where this command was built with them.

use std::path::Path;

use incrowd_engine::Control;
use incrowd_run::spec::SpecFile;
use incrowd_run::{
    Error, Job, LocalTable, Result,
    backend::TableBackend,
    data::{ColumnDetail, Source},
};

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
    pub(super) fn moved(&self) -> Option<(u64, u64)> {
        match self {
            DataLocation::Files => None,
            #[cfg(feature = "postgres")]
            DataLocation::Database(database) => {
                Some((database.moved().read(), database.moved().written()))
            }
        }
    }
}
