//! The files that a spec names: the table, opened and treated as it says, and all that is read or written beside it.

use std::path::{Path, PathBuf};

use incrowd_engine::Control;

use crate::spec::{self, SpecFile};
use crate::{
    ColumnDetail, Error, Input, MaskRequest, ReadOptions, Result, SecretKey, Source,
    TransformRequest, refuse_overwrite,
};

/// The input that a spec names.
pub fn input_of(file: &SpecFile) -> Input {
    Input::from(file.resolve(&file.spec.data.input))
}

/// Opens the table that a spec names, as it says.
pub fn open_input(file: &SpecFile) -> Result<Source> {
    if file.spec.is_of_database() {
        return Err(file
            .error_at(&["data", "input"], "tables of databases cannot be read here")
            .help("use the command incrowd, or the crate incrowd-sql"));
    }
    treated(file, Source::open(&input_of(file), &reading_of(&file.spec))?)
}

/// How a spec says that its table is to be read.
pub fn reading_of(spec: &spec::Spec) -> ReadOptions {
    ReadOptions {
        delimiter: spec.data.delimiter.map(|c| c as u8),
        encoding: spec.data.encoding.clone(),
        sheet: spec.data.sheet.clone(),
        max_expansion: spec.data.max_expansion,
        threads: spec.algorithm.threads.map(|n| n as usize),
        ..ReadOptions::default()
    }
}

/// What a spec asks to be done to columns as they are read.
pub fn treatments(spec: &spec::Spec) -> Vec<TransformRequest> {
    let dates = spec.date_formats();
    spec.columns
        .iter()
        .filter(|column| column.source.is_some() || !column.treatment().is_none())
        .map(|column| TransformRequest {
            column: column.source_name().to_owned(),
            treatment: dates.treatment(&column.name, column.treatment()),
            rename: column.source.as_ref().map(|_| column.name.clone()),
            decimal: column.decimal.or(spec.data.decimal),
        })
        .collect()
}

/// What must be read of a column for which so much is `wanted`: what is treated is needed with its values, whatever it is
/// called then.
pub fn detail_needed(file: &SpecFile, column: &str, wanted: ColumnDetail) -> ColumnDetail {
    let is_treated = file.spec.columns.iter().any(|it| match &it.source {
        Some(source) => source == column,
        None => it.name == column && !it.treatment().is_none(),
    });
    if is_treated { ColumnDetail::Values } else { wanted }
}

/// A table with its columns treated and renamed as a spec says.
pub fn treated(file: &SpecFile, source: Source) -> Result<Source> {
    let spec = &file.spec;
    let asked = treatments(spec);
    if asked.is_empty() {
        return disguised(file, source);
    }
    present(file, &source, asked.iter().map(|ask| &ask.column))?;
    disguised(file, source.treated(&asked, &spec.data.missing_tokens(), &Control::new())?)
}

/// A table with values replaced as a spec says: pseudonyms, masks, shifted dates, fixed text.
fn disguised(file: &SpecFile, source: Source) -> Result<Source> {
    let spec = &file.spec;
    let asked: Vec<MaskRequest> = spec
        .columns
        .iter()
        .filter_map(|column| {
            Some(MaskRequest { column: column.name.clone(), treat: column.treat.clone()? })
        })
        .collect();
    if asked.iter().all(|ask| ask.treat == spec::MaskMethod::Drop) {
        return Ok(source);
    }
    present(file, &source, asked.iter().map(|ask| &ask.column))?;
    let key = match &spec.release.key_file {
        Some(path) => SecretKey::open(&file.resolve(path))?.0,
        None => SecretKey::fresh()?,
    };
    let unit = spec.privacy.unit_column();
    let (missing, dates) = (spec.data.missing_tokens(), spec.date_formats());
    source.disguised(&asked, &key, unit, &missing, &dates, &Control::new())
}

/// Refuses a spec that treats columns which the table lacks.
fn present<'a>(
    file: &SpecFile,
    source: &Source,
    columns: impl Iterator<Item = &'a String>,
) -> Result<()> {
    for column in columns {
        source
            .place_of(column)
            .map_err(|error| at_key(file, &["columns", column.as_str()], error))?;
    }
    Ok(())
}

/// The same error, told at the place of the spec that is to blame.
fn at_key(file: &SpecFile, keys: &[&str], error: Error) -> Error {
    Error { help: error.help, ..file.error_at(keys, error.message) }
}

/// The files of hierarchies that a spec names, and what each is.
pub fn hierarchy_files(file: &SpecFile) -> Vec<(String, PathBuf)> {
    let columns = file.spec.columns.iter();
    columns
        .filter_map(|column| match &column.hierarchy {
            Some(spec::hierarchies::Hierarchy::File(path)) => {
                Some((format!("the hierarchy of `{}`", column.name), file.resolve(path)))
            }
            _ => None,
        })
        .collect()
}

/// No output may replace a file that the run reads, or another output. The files that it reads, each with what it is.
pub(crate) fn distinct_files(file: &SpecFile, source: &Source) -> Result<Vec<(String, PathBuf)>> {
    let spec = &file.spec;
    let hierarchies = hierarchy_files(file);
    let mut taken: Vec<(&str, &Path)> = vec![("the input", source.path())];
    let population = spec.data.population.as_ref().map(|path| file.resolve(path));
    let earlier: Vec<PathBuf> = spec.data.earlier.iter().map(|path| file.resolve(path)).collect();
    taken.extend(earlier.iter().map(|path| ("an earlier release", path.as_path())));
    taken.extend(population.iter().map(|path| ("the population", path.as_path())));
    let key = spec.release.key_file.as_ref().map(|path| file.resolve(path));
    taken.extend(key.iter().map(|path| ("the key", path.as_path())));
    taken.extend(file.path().map(|path| ("the spec", path)));
    taken.extend(hierarchies.iter().map(|(what, path)| (what.as_str(), path.as_path())));
    let resolve = |path: &Option<PathBuf>| path.as_ref().map(|path| file.resolve(path));
    let release = &spec.release;
    let outputs = [
        ("output", "the release", resolve(&release.output)),
        ("recoding", "the recoding", resolve(&release.recoding)),
        ("report", "the report", resolve(&release.report)),
        ("internal-report", "the internal report", resolve(&release.internal_report)),
        ("certificate", "the certificate", resolve(&release.certificate)),
    ];
    for (key, what, path) in &outputs {
        let Some(path) = path else { continue };
        refuse_overwrite(what, path, &taken)
            .map_err(|error| at_key(file, &["release", key], error))?;
        taken.push((what, path));
    }
    let read = taken.len() - outputs.iter().filter(|(.., path)| path.is_some()).count();
    let read = taken.iter().take(read);
    Ok(read.map(|&(what, path)| (what.to_owned(), path.to_owned())).collect())
}
