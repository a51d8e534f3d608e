//! The statements of a run inside PostgreSQL: combinations counted, rows recoded by a join, all without a literal of the
//! data in them, so that none stands in a log.

use crate::Dialect;

/// What begins the key of a missing value.
const NOTHING: &str = "-";

/// The expression of one text that stands for several: each with its length before it, so that no two lists of texts have
/// the same. A join on one text is a hash join; a join on several columns that may be NULL is not.
pub fn key_expression(texts: &[String]) -> String {
    let parts: Vec<String> = texts
        .iter()
        .map(|text| format!("COALESCE(length({text})::text || ':' || {text}, '{NOTHING}')"))
        .collect();
    match parts.is_empty() {
        true => "''::text".to_owned(),
        false => parts.join(" || "),
    }
}

/// The same text, made here.
pub fn key_of<'a>(values: impl IntoIterator<Item = Option<&'a str>>) -> String {
    let mut key = String::new();
    for value in values {
        match value {
            Some(value) => {
                key.push_str(&format!("{}:", value.chars().count()));
                key.push_str(value);
            }
            None => key.push_str(NOTHING),
        }
    }
    key
}

/// A column as the text that COPY would write of it, compared byte by byte.
pub fn text_expression(column: &str, is_bool: bool) -> String {
    let quoted = Dialect::Postgres.quote(column);
    match is_bool {
        true => {
            format!("(CASE WHEN {quoted} THEN 't' WHEN NOT {quoted} THEN 'f' END COLLATE \"C\")")
        }
        false => format!("(CAST({quoted} AS text) COLLATE \"C\")"),
    }
}

/// Combinations of texts with how often each occurs, in the rows of `from`.
pub fn count_query(texts: &[String], from: &str) -> String {
    let by: Vec<String> = (1..=texts.len()).map(|at| at.to_string()).collect();
    format!("SELECT {}, count(*) FROM {from} GROUP BY {}", texts.join(", "), by.join(", "))
}

/// How rows become those of a release.
#[derive(Debug, Clone)]
pub struct RecodeStatement<'a> {
    /// The table that the rows go into, in quotes.
    pub into: &'a str,
    /// The released columns that labels go into, in quotes.
    pub labels: &'a [String],
    /// Columns that stay as they are: in the release and in the table, both in quotes.
    pub plain: &'a [(String, String)],
    /// A column for what tells people apart, and the expression of it, while the release is being checked.
    pub unit: Option<(&'a str, &'a str)>,
    /// The key of a row.
    pub key: &'a str,
    /// Whether rows of one key go different ways.
    pub dealt: bool,
    /// The rows, as they stand behind FROM.
    pub from: &'a str,
    /// The table with key, first, last and class, and the one with class and labels.
    pub map: &'a str,
    /// The table with the labels of each class.
    pub classes: &'a str,
}

impl RecodeStatement<'_> {
    /// The rows with their class: what is released of them, and where they come from.
    fn joined(&self) -> String {
        let random = Dialect::Postgres.random_key();
        let mut inner = vec![format!("{} AS incrowd_key", self.key)];
        for (at, (_, column)) in self.plain.iter().enumerate() {
            inner.push(format!("{column} AS incrowd_p{}", at + 1));
        }
        if let Some((_, unit)) = self.unit {
            inner.push(format!("{unit} AS incrowd_u"));
        }
        if self.dealt {
            // Not by arrival: which of its likes a row is, chance decides.
            inner.push(format!(
                "row_number() OVER (PARTITION BY {} ORDER BY {random}) AS incrowd_number",
                self.key
            ));
        }
        let number = match self.dealt {
            true => " AND s.incrowd_number BETWEEN m.first AND m.last",
            false => "",
        };
        format!(
            "(SELECT {} FROM {}) AS s JOIN {} AS m ON m.key = s.incrowd_key{number} JOIN {} AS l ON l.class = m.class",
            inner.join(", "),
            self.from,
            self.map,
            self.classes
        )
    }

    /// Fills the table, in an order that chance decides.
    pub fn insert(&self) -> String {
        let mut columns: Vec<&str> = self.labels.iter().map(String::as_str).collect();
        let mut values: Vec<String> =
            (1..=self.labels.len()).map(|at| format!("l.label{at}")).collect();
        for (at, (name, _)) in self.plain.iter().enumerate() {
            columns.push(name);
            values.push(format!("s.incrowd_p{}", at + 1));
        }
        if let Some((name, _)) = self.unit {
            columns.push(name);
            values.push("s.incrowd_u".to_owned());
        }
        format!(
            "INSERT INTO {} ({}) SELECT {} FROM {} ORDER BY {}",
            self.into,
            columns.join(", "),
            values.join(", "),
            self.joined(),
            Dialect::Postgres.random_key()
        )
    }

    /// Some rows by chance, about one of so many: the class, the combination, and hashes of what stays as it is, keyed by the
    /// first parameter, which is forgotten.
    pub fn sample(&self, one_of: u64, most: u64) -> String {
        let mut values = vec!["m.class".to_owned(), "m.cell".to_owned()];
        values.extend(
            (1..=self.plain.len()).map(|at| format!("md5($1 || CAST(s.incrowd_p{at} AS text))")),
        );
        format!(
            "SELECT {} FROM {} WHERE random() * {one_of} < 1 LIMIT {most}",
            values.join(", "),
            self.joined()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_have_different_keys() {
        let key = |values: &[Option<&str>]| key_of(values.iter().copied());
        assert_eq!(key(&[Some("ab"), None, Some("é")]), "2:ab-1:é");
        assert_ne!(key(&[Some("1:a"), Some("")]), key(&[Some("1:"), Some("a")]));
        assert_ne!(key(&[None]), key(&[Some("-")]));
        assert_ne!(key(&[Some("")]), key(&[None]));
    }
}
