//! A release described for catalogues: Croissant, JSON-LD on schema.org.
//!
//! **Reference.** MLCommons, *Croissant format specification* 1.0.

use serde_json::{Value, json};

use super::facts::ReleaseFacts;
use crate::{InputFormat, Result};

/// The description of a release: its file, its columns, and what the verifier says of it. It shows no value of anybody.
pub fn croissant(
    facts: &ReleaseFacts<'_>,
    name: Option<&str>,
    description: Option<&str>,
) -> Result<Value> {
    let file = &facts.release_file;
    let stem = file.name.split('.').next().unwrap_or(&file.name);
    let id = |text: &str| -> String {
        let letters = text.chars().map(|c| if c.is_alphanumeric() { c } else { '_' });
        letters.collect()
    };
    let format = match facts.release.format() {
        InputFormat::Parquet => "application/vnd.apache.parquet",
        InputFormat::Workbook => {
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        }
        _ => "text/csv",
    };
    let k = facts.file.spec.privacy.k;
    let described = format!(
        "A release in which every row looks like at least {} others by its quasi-identifiers.",
        k.saturating_sub(1)
    );
    let fields: Vec<Value> = facts
        .release
        .columns()
        .iter()
        .map(|column| {
            let treat = facts.file.spec.column(column).and_then(|it| it.treat.as_ref());
            let role = facts
                .file
                .spec
                .column(column)
                .map_or_else(|| "plain".to_owned(), |it| it.role.to_string());
            let described = match treat {
                Some(treat) => format!("{role}; {}", treat.words()),
                None => role,
            };
            json!({
                "@type": "cr:Field",
                "@id": format!("records/{}", id(column)),
                "name": column,
                "description": described,
                "dataType": "sc:Text",
                "source": {
                    "fileObject": { "@id": "release" },
                    "extract": { "column": column }
                }
            })
        })
        .collect();
    let told = &facts.shareable;
    Ok(json!({
        "@context": {
            "@language": "en",
            "@vocab": "https://schema.org/",
            "sc": "https://schema.org/",
            "cr": "http://mlcommons.org/croissant/",
            "dct": "http://purl.org/dc/terms/",
            "conformsTo": "dct:conformsTo",
            "column": "cr:column",
            "data": { "@id": "cr:data", "@type": "@json" },
            "dataType": { "@id": "cr:dataType", "@type": "@vocab" },
            "extract": "cr:extract",
            "field": "cr:field",
            "fileObject": "cr:fileObject",
            "recordSet": "cr:recordSet",
            "source": "cr:source",
            "incrowd": "https://github.com/incrowd/incrowd#"
        },
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name.unwrap_or(stem),
        "description": description.unwrap_or(&described),
        "version": "1.0.0",
        "distribution": [{
            "@type": "cr:FileObject",
            "@id": "release",
            "name": file.name,
            "contentUrl": file.name,
            "contentSize": format!("{} B", file.bytes),
            "encodingFormat": format,
            "sha256": file.sha256
        }],
        "recordSet": [{
            "@type": "cr:RecordSet",
            "@id": "records",
            "name": "records",
            "field": fields
        }],
        "incrowd:anonymization": {
            "k": k,
            "achievedK": told.smallest,
            "holds": facts.holds(),
            "rows": told.rows,
            "verdictBlake3": facts.verdict_hash()?,
            "specBlake3": facts.spec_file.blake3,
            "program": format!("incrowd {}", env!("CARGO_PKG_VERSION"))
        }
    }))
}
