//! A [`Spec`] as TOML, in one canonical form. What is default is left out, except for the metric
//! and the method: a spec should tell how its release was found even if those defaults change.

use super::column::ColumnSection;
use super::model::Spec;
use super::option_table::SpecSection;
use super::toml_text::key;

/// The spec as TOML text, such that reading it gives the same spec again.
pub fn write_spec(spec: &Spec) -> String {
    let mut tables = vec![("data".to_owned(), spec.data.lines())];
    tables.extend(spec.columns.iter().map(column));
    tables.push(("privacy".to_owned(), spec.privacy.lines()));
    tables.push(("goal".to_owned(), spec.goal.lines()));
    tables.push(("algorithm".to_owned(), spec.algorithm.lines()));
    tables.push(("release".to_owned(), spec.release.lines()));
    tables.extend(spec.context.iter().map(|context| ("context".to_owned(), context.lines())));
    let tables: Vec<String> = tables
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(header, lines)| {
            let lines: String =
                lines.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
            format!("[{header}]\n{lines}")
        })
        .collect();
    tables.join("\n")
}

fn column(column: &ColumnSection) -> (String, Vec<(String, String)>) {
    let mut renamed = column.clone();
    renamed.source = column.source.as_ref().map(|_| column.name.clone());
    (format!("columns.{}", key(column.source_name())), renamed.lines())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFAULT_METHOD;

    #[test]
    fn the_method_and_the_metric_are_written_even_if_default() {
        let spec = Spec::new("t.csv", Vec::new(), 2);
        let written = write_spec(&spec);
        assert!(written.contains(&format!("method = \"{DEFAULT_METHOD}\"")), "{written}");
        assert!(written.contains("metric = \"ncp\""), "{written}");
    }
}
