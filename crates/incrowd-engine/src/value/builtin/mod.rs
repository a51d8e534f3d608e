//! Hierarchies that are ready to use: of countries, diagnoses, internet and e-mail addresses.
//!
//! The tables come from published packages, by the script beside them; where from is in the repository's NOTICE.

mod address;
mod countries;
mod icd10;

use serde::{Deserialize, Serialize};

use crate::kit::{Error, Result, words};

/// A hierarchy that is ready to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuiltinHierarchy {
    /// Countries by ISO code, number or English name: subregion, continent, as the United Nations draw them.
    Countries,
    /// Diagnoses by ICD-10 or ICD-10-CM code: category, block, chapter.
    Icd10,
    /// Internet addresses: `/24`, `/16`, `/8` of version 4, `/64`, `/48`, `/32` of version 6.
    Ip,
    /// E-mail addresses: domain, top-level domain.
    Email,
}

impl BuiltinHierarchy {
    /// All of them.
    pub const ALL: [BuiltinHierarchy; 4] = [
        BuiltinHierarchy::Countries,
        BuiltinHierarchy::Icd10,
        BuiltinHierarchy::Ip,
        BuiltinHierarchy::Email,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            BuiltinHierarchy::Countries => "countries",
            BuiltinHierarchy::Icd10 => "icd10",
            BuiltinHierarchy::Ip => "ip",
            BuiltinHierarchy::Email => "email",
        }
    }

    /// What it holds, as it reads in "these values are not ..".
    fn what(self) -> &'static str {
        match self {
            BuiltinHierarchy::Countries => "known as countries",
            BuiltinHierarchy::Icd10 => "codes of ICD-10",
            BuiltinHierarchy::Ip => "internet addresses",
            BuiltinHierarchy::Email => "e-mail addresses",
        }
    }

    /// For each value its groups, level by level; none for a value that it does not cover.
    fn ladders(self, values: &[&str]) -> Vec<Option<Vec<String>>> {
        match self {
            BuiltinHierarchy::Countries => countries::ladders(values),
            BuiltinHierarchy::Icd10 => icd10::ladders(values),
            BuiltinHierarchy::Ip => values.iter().map(|value| address::ip(value)).collect(),
            BuiltinHierarchy::Email => values.iter().map(|value| address::email(value)).collect(),
        }
    }

    /// How many of some values it covers.
    pub fn covered<'v>(self, values: impl IntoIterator<Item = &'v str>) -> usize {
        let values: Vec<&str> = values.into_iter().collect();
        self.ladders(&values).iter().flatten().count()
    }

    /// The rows of the hierarchy of some values, without the root. Values that are not covered go into a group of
    /// the name `other`; without one they are an error.
    pub(super) fn rows(
        self,
        column: &str,
        values: &[&str],
        other: Option<&str>,
    ) -> Result<Vec<Vec<String>>> {
        let ladders = self.ladders(values);
        let levels = ladders.iter().flatten().map(Vec::len).next().unwrap_or(1);
        let absent: Vec<&&str> =
            values.iter().zip(&ladders).filter(|(_, it)| it.is_none()).map(|(v, _)| v).collect();
        if !absent.is_empty() && other.is_none() {
            let (what, name) = (self.what(), self.name());
            return Err(Error::new(format!(
                "in column {column:?} {} of {} values are not {what}: {}",
                absent.len(),
                values.len(),
                words::values(&absent)
            ))
            .help(format!(
                "write hierarchy = {{ ready = \"{name}\", other = \"other\" }} (--hierarchy \
                 {column}={name}:other),\ncorrect the values, or add them to the missing \
                 tokens"
            )));
        }
        let other = other.unwrap_or_default();
        let row = |(value, ladder): (&&str, Option<Vec<String>>)| {
            let mut row = vec![(*value).to_owned()];
            row.extend(ladder.unwrap_or_else(|| vec![other.to_owned(); levels]));
            row
        };
        Ok(values.iter().zip(ladders).map(row).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::Hierarchy;

    #[test]
    fn values_that_are_not_covered_are_listed_or_put_together() {
        let values = ["Germany", "Atlantis", "France", "Narnia"];
        let error = BuiltinHierarchy::Countries.rows("land", &values, None).unwrap_err();
        assert!(
            error
                .message
                .contains("2 of 4 values are not known as countries: \"Atlantis\", \"Narnia\""),
            "{error}"
        );
        assert!(error.help.unwrap().contains("--hierarchy land=countries:other"));
        let rows = BuiltinHierarchy::Countries.rows("land", &values, Some("elsewhere")).unwrap();
        assert_eq!(rows[1], ["Atlantis", "elsewhere", "elsewhere"]);
        let rows = BuiltinHierarchy::Ip.rows("ip", &["?"], Some("other")).unwrap();
        assert_eq!(rows, [["?", "other"]]);
    }

    #[test]
    fn every_row_set_is_a_hierarchy() {
        let cases: [(BuiltinHierarchy, &[&str]); 4] = [
            (BuiltinHierarchy::Countries, &["DE", "deu", "Germany", "276", "x", "Korea", "US"]),
            (
                BuiltinHierarchy::Icd10,
                &["E11", "E11.9", "E119", "e11.-", "F00", "C4A.0", "nothing"],
            ),
            (
                BuiltinHierarchy::Ip,
                &["10.1.2.3", "::1", "2001:db8::7", "::ffff:10.1.2.4", "10.1.2"],
            ),
            (BuiltinHierarchy::Email, &["a@b.org", "A@B.ORG", "c@d.co.uk", "none"]),
        ];
        for (ready, values) in cases {
            let mut rows = ready.rows("c", values, Some("other")).unwrap();
            rows.iter_mut().for_each(|row| row.push("*".to_owned()));
            let tree = Hierarchy::from_rows(&rows).unwrap();
            assert_eq!(tree.leaves().len(), values.len(), "{ready:?}");
        }
    }
}
