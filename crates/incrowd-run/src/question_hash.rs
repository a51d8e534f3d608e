//! A hash of all that a result depends on: the table, the spec, and the files that the spec names.

use std::io::Read;
use std::path::PathBuf;

use blake3::Hasher;

use crate::spec::{Spec, SpecFile, hierarchies::Hierarchy, write_spec};
use crate::{Error, Result, Source};

/// Adds a part with its length, so that no two lists of parts run together into the same bytes.
pub(crate) fn add(hasher: &mut Hasher, part: &[u8]) {
    hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
}

/// The hash of a question, for a purpose. `spec` is that of `file` without what does not matter to the result. Where files
/// lie does not matter either.
pub(crate) fn question_hash(
    purpose: &[&str],
    file: &SpecFile,
    mut spec: Spec,
    source: &Source,
) -> Result<blake3::Hash> {
    spec.data.input = PathBuf::from("table");
    for column in &mut spec.columns {
        if let Some(Hierarchy::File(path)) = &column.hierarchy {
            let path = file.resolve(path);
            let bytes = std::fs::read(&path).map_err(|e| Error::file("read", &path, &e))?;
            // What the file is called can decide how it is read.
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let content = blake3::hash(&bytes).to_hex();
            column.hierarchy = Some(Hierarchy::File(format!("{content}.{ending}").into()));
        }
    }
    let mut hasher = Hasher::new();
    for part in purpose.iter().copied().chain([write_spec(&spec).as_str()]) {
        add(&mut hasher, part.as_bytes());
    }
    add(&mut hasher, content(source)?.as_bytes());
    Ok(hasher.finalize())
}

/// A hash of all that a table holds.
fn content(source: &Source) -> Result<blake3::Hash> {
    let mut table = Hasher::new();
    if source.format() == crate::InputFormat::Memory {
        let all: Vec<usize> = (0..source.columns().len()).collect();
        for name in source.columns() {
            add(&mut table, name.as_bytes());
        }
        let texts = |chunk: &crate::Chunk| {
            let mut part = Vec::new();
            for row in 0..chunk.rows() {
                for &column in &all {
                    let field = chunk.field(row, column);
                    part.extend_from_slice(&(field.len() as u64).to_le_bytes());
                    part.extend_from_slice(field.as_bytes());
                }
            }
            Ok(part)
        };
        let mut collect = |part: Vec<u8>| {
            table.update(&part);
            Ok(())
        };
        source.map_in_order(&all, texts, &mut collect, &incrowd_engine::Control::new())?;
        return Ok(table.finalize());
    }
    let mut bytes = source.bytes();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let got = bytes.read(&mut buffer).map_err(|e| Error::file("read", source.path(), &e))?;
        if got == 0 {
            break;
        }
        table.update(&buffer[..got]);
    }
    Ok(table.finalize())
}
