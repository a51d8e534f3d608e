//! Made-up people on disk, to try things on.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use incrowd_demo::{Census, SENSITIVE};
use incrowd_engine::{
    Algorithm as _, Control, MethodChoice, Problem, ProblemSpec, Release, SuppressionMode, Table,
};

use crate::spec::{ColumnSection, Role, Spec, hierarchies::Hierarchy};
use crate::{CsvEncoder, Error, OutputFile, Result, Source, read_table};

/// A census in a temporary folder, which is gone with the value.
#[derive(Debug)]
pub struct SyntheticCensus {
    folder: tempfile::TempDir,
    census: Census,
}

impl SyntheticCensus {
    /// Writes the people down.
    pub fn new(census: Census) -> Result<Self> {
        let folder = tempfile::tempdir()
            .map_err(|e| Error::new(format!("cannot make a temporary folder: {e}")))?;
        let people = SyntheticCensus { folder, census };
        let input = people.input();
        people.census.write_file(&input).map_err(|e| Error::file("write", &input, &e))?;
        Ok(people)
    }

    /// The table.
    pub fn input(&self) -> PathBuf {
        self.folder().join("people.csv")
    }

    /// The folder, for whatever else should be gone with them.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The census.
    pub fn census(&self) -> &Census {
        &self.census
    }

    /// A spec that names all that outsiders may know, and what they should not learn.
    pub fn spec(&self, k: u64) -> Spec {
        let columns =
            self.census.quasi().into_iter().map(|name| ColumnSection::new(name, Role::Quasi));
        let columns = columns.chain([ColumnSection::new(SENSITIVE, Role::Sensitive)]).collect();
        Spec::new(self.input(), columns, k)
    }

    /// Gives the quasi-identifiers of a spec their hierarchies, but those for which it says something itself.
    pub fn give_hierarchies(&self, spec: &mut Spec) -> Result<()> {
        for column in spec.columns.iter_mut().filter(|column| column.role == Role::Quasi) {
            let Some(rows) = Census::hierarchy(&column.name) else { continue };
            // Bins and an order are the user's own way of taking a column.
            if column.hierarchy.is_some() || column.bins.is_some() || column.order.is_some() {
                continue;
            }
            let path = self.folder().join(format!("{}.csv", column.name));
            std::fs::write(&path, hierarchy_text(&rows)?)
                .map_err(|e| Error::file("write", &path, &e))?;
            column.hierarchy = Some(Hierarchy::File(path));
        }
        Ok(())
    }
}

/// Writes a census to a file, and the hierarchies of its columns into a folder, if one is given.
pub fn write_census(census: &Census, target: &Path, hierarchies: Option<&Path>) -> Result<()> {
    let mut file = OutputFile::create(target)?;
    let mut out = BufWriter::with_capacity(1 << 20, &mut file);
    census
        .write_csv(&mut out)
        .and_then(|()| out.flush())
        .map_err(|e| Error::file("write", target, &e))?;
    drop(out);
    file.commit()?;
    let Some(folder) = hierarchies else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|e| Error::file("make", folder, &e))?;
    for column in census.quasi() {
        let Some(rows) = Census::hierarchy(column) else { continue };
        let path = folder.join(format!("{column}.csv"));
        OutputFile::create(&path)?.fill(hierarchy_text(&rows)?)?;
    }
    Ok(())
}

/// A hierarchy in ARX's form, one line per value.
pub fn hierarchy_text(rows: &[Vec<String>]) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    for row in rows {
        CsvEncoder::new(b';', row.len())?.row(row, &mut text);
        text.push(b'\n');
    }
    Ok(text)
}

/// A table and the same rows as a method would release them, for people to look at side by side; none if
/// there is no release. It is not a release: the rows are in the same order.
pub fn side_by_side(
    source: &Source,
    quasi: &[&str],
    k: u64,
    method: &MethodChoice,
    control: &Control,
) -> Result<Option<(Table, Table)>> {
    let table = read_table(source, None, control)?;
    let spec = quasi.iter().fold(ProblemSpec::new(k), |spec, name| spec.quasi(name));
    let problem = Problem::of_table(&spec, &table)?;
    let solution = method.solve(&problem, control)?;
    let Some(recoding) = solution.into_recoding() else { return Ok(None) };
    let release = Release::new(&problem, &recoding, SuppressionMode::Blank);
    let released = release.table_in_order(&problem, &table, &table.names())?;
    Ok(Some((table, released)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;
    use crate::{SpecFile, methods, open_input};

    #[test]
    fn made_up_people_can_be_worked_on() {
        let people = SyntheticCensus::new(Census::new(60, 1)).unwrap();
        let mut spec = people.spec(5);
        people.give_hierarchies(&mut spec).unwrap();
        let file = SpecFile::from_options(spec).unwrap();
        let source = open_input(&file).unwrap();
        let quasi = people.census().quasi();
        let method = methods::parse("mondrian", &[]).unwrap();
        let shown = side_by_side(&source, &quasi, 5, &method, &Control::new()).unwrap();
        let (before, after) = shown.unwrap();
        assert_eq!((before.rows(), after.rows()), (60, 60));
        let folder = people.folder().join("hierarchies");
        let target = people.folder().join("again.csv");
        write_census(people.census(), &target, Some(&folder)).unwrap();
        assert_eq!(std::fs::read(target).unwrap(), std::fs::read(people.input()).unwrap());
        let sex = std::fs::read_to_string(folder.join("sex.csv")).unwrap();
        assert!(sex.lines().all(|line| line.ends_with(";*")), "{sex}");
    }
}
