//! What a class must hold among the rows at hand: k, people rather than rows, and models that a database can count.

use incrowd_engine::privacy::Model;
use incrowd_engine::recoding::SavedRecoding;
use incrowd_engine::{Error, ErrorKind, Result};

use crate::Dialect;
use crate::table_expressions::{RECODED, TableExpression, no_missing};

/// The requirements of a recoding as windows over the recoded rows.
pub(crate) struct RequirementGuard<'a> {
    dialect: Dialect,
    saved: &'a SavedRecoding,
    /// The column that tells people apart, as it is carried through the parts.
    unit: Option<&'a str>,
    /// The sensitive columns that models look at, with what is asked.
    models: Vec<(&'a str, ClassRequirement)>,
}

/// What a class must hold of a sensitive column.
#[derive(Clone, Copy)]
enum ClassRequirement {
    /// So many different values.
    Distinct(u32),
    /// No value above this share of the rows.
    Share(f64),
}

const UNIT: &str = "incrowd_unit";

impl<'a> RequirementGuard<'a> {
    pub(crate) fn new(dialect: Dialect, saved: &'a SavedRecoding) -> Result<Self> {
        let refused = |what: String| {
            Err(Error::new(format!("this recoding cannot be written as SQL: {what}"))
                .of_kind(ErrorKind::Method)
                .help("apply it with `incrowd apply`, which checks every model"))
        };
        if let Some(column) = saved.narrowing.first() {
            return refused(format!("k is also required within each value of `{column}`"));
        }
        let unit = saved.unit.as_deref();
        let mut models = Vec::new();
        for (column, model) in &saved.models {
            if unit.is_some() {
                return refused(format!(
                    "the model of `{column}` counts people, who have several rows"
                ));
            }
            let asked = match model {
                Model::DistinctL { l } => ClassRequirement::Distinct(*l),
                Model::Alpha { alpha } => ClassRequirement::Share(*alpha),
                _ => {
                    return refused(format!(
                        "SQL checks only distinct l-diversity and alpha, and `{column}` has \
                         another model"
                    ));
                }
            };
            models.push((column.as_str(), asked));
        }
        Ok(RequirementGuard { dialect, saved, unit, models })
    }

    /// What has to be read for it, as columns of the rows.
    pub(crate) fn columns(&self) -> Vec<String> {
        let held = |name: &str| {
            let text = self.dialect.as_text(&self.dialect.quote(name));
            no_missing(self.dialect, &self.dialect.trimmed(&text), &self.saved.missing)
        };
        let unit = self.unit.map(|unit| format!("{} AS {UNIT}", held(unit)));
        let models = self.models.iter().enumerate();
        let models =
            models.map(|(at, (column, _))| format!("{} AS incrowd_s{}", held(column), at + 1));
        unit.into_iter().chain(models).collect()
    }

    /// The same columns as they are carried through the parts.
    pub(crate) fn carried(&self) -> Vec<String> {
        let unit = self.unit.map(|_| UNIT.to_owned());
        unit.into_iter().chain((1..=self.models.len()).map(|at| format!("incrowd_s{at}"))).collect()
    }

    /// The parts that count, over recoded rows with these quasi-identifiers, and the condition on a row of the last part
    /// under which its class holds.
    pub(crate) fn parts(&self, names: &[String]) -> (Vec<TableExpression>, String) {
        let by = names.join(", ");
        let seen: Vec<String> = names.iter().map(|name| format!("{name} IS NOT NULL")).collect();
        let seen = seen.join(" AND ");
        let mut parts = Vec::new();
        let mut counted = vec!["*".to_owned()];
        let mut holds = Vec::new();
        let mut first = Vec::new();
        let once = |column: &str| {
            format!("ROW_NUMBER() OVER (PARTITION BY {by}, {column} ORDER BY {column})")
        };
        match self.unit {
            None => {
                counted.push(format!("COUNT(*) OVER (PARTITION BY {by}) AS incrowd_rows"));
                holds.push(format!("incrowd_rows >= {}", self.saved.k));
            }
            Some(_) => {
                first.push(format!("{} AS incrowd_once", once(UNIT)));
                counted.push(format!(
                    "SUM(CASE WHEN incrowd_once = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY {by}) AS incrowd_units"
                ));
                holds.push(format!("incrowd_units >= {}", self.saved.k));
            }
        }
        for (at, (_, asked)) in self.models.iter().enumerate() {
            let column = format!("incrowd_s{}", at + 1);
            match asked {
                ClassRequirement::Distinct(l) => {
                    first.push(format!("{} AS {column}_once", once(&column)));
                    // Nobody knows what a missing value is: it counts only where somebody has said so.
                    let held = match self.saved.count_missing {
                        true => String::new(),
                        false => format!(" AND {column} IS NOT NULL"),
                    };
                    counted.push(format!(
                        "SUM(CASE WHEN {column}_once = 1{held} THEN 1 ELSE 0 END) OVER (PARTITION BY {by}) AS \
                         {column}_distinct"
                    ));
                    holds.push(format!("{column}_distinct >= {l}"));
                }
                ClassRequirement::Share(alpha) => {
                    first.push(format!(
                        "COUNT(*) OVER (PARTITION BY {by}, {column}) AS {column}_rows"
                    ));
                    counted.push(format!(
                        "MAX({column}_rows) OVER (PARTITION BY {by}) AS {column}_most"
                    ));
                    holds.push(format!("{column}_most <= {alpha} * incrowd_rows"));
                }
            }
        }
        let mut from = RECODED;
        let mut condition = format!("\n  WHERE {seen}");
        if !first.is_empty() {
            first.insert(0, "*".to_owned());
            let query = format!("SELECT\n    {}\n  FROM {from}{condition}", first.join(",\n    "));
            parts.push(TableExpression::new("numbered", query));
            from = "numbered";
            condition.clear();
        }
        let query = format!("SELECT\n    {}\n  FROM {from}{condition}", counted.join(",\n    "));
        parts.push(TableExpression::new("counted", query));
        (parts, holds.join(" AND "))
    }

    /// The query over the release that returns classes that fail.
    pub(crate) fn check(&self, release: &str, names: &[String]) -> String {
        let by = names.join(", ");
        let mut fails = vec![format!("COUNT(*) < {}", self.saved.k)];
        let mut counted = vec!["COUNT(*) AS class_rows".to_owned()];
        let released = |column: &str| self.saved.plain.iter().any(|name| name == column);
        if let Some(unit) = self.unit.filter(|unit| released(unit)) {
            let unit = self.dialect.quote(unit);
            fails = vec![format!("COUNT(DISTINCT {unit}) < {}", self.saved.k)];
            counted.push(format!("COUNT(DISTINCT {unit}) AS class_units"));
        }
        for (column, asked) in self.models.iter().filter(|(column, _)| released(column)) {
            if let ClassRequirement::Distinct(l) = asked {
                let column = self.dialect.quote(column);
                // NULL is not counted; other texts for no value are, so the check is no stricter than the guard.
                fails.push(match self.saved.count_missing {
                    false => format!("COUNT(DISTINCT {column}) < {l}"),
                    true => format!(
                        "COUNT(DISTINCT {column}) + MAX(CASE WHEN {column} IS NULL THEN 1 ELSE 0 END) < {l}"
                    ),
                });
            }
        }
        format!(
            "SELECT {by}, {}\nFROM {release}\nGROUP BY {by}\nHAVING {}",
            counted.join(", "),
            fails.join(" OR ")
        )
    }
}
