//! Hierarchies over the census's quasi-identifiers.

use super::tables::{
    COUNTRIES, EDUCATION, HierarchyRow, MARITAL, OCCUPATION, OLDEST, RACE, SEX, WORKCLASS, YOUNGEST,
};
use crate::Census;

/// The label of everything.
const ANYTHING: &str = "*";

/// The widths of the age intervals, level by level.
const AGE_WIDTHS: [usize; 3] = [5, 10, 20];

impl Census {
    /// The hierarchy of a quasi-identifier in ARX's form: one line per value, from the value itself up
    /// to `*`. `None` if the census has no quasi-identifier of that name.
    pub fn hierarchy(column: &str) -> Option<Vec<Vec<String>>> {
        Some(match column {
            "age" => (YOUNGEST..=OLDEST).map(age_line).collect(),
            "sex" => lines(&SEX),
            "race" => lines(&RACE),
            "marital-status" => lines(&MARITAL),
            "education" => lines(&EDUCATION),
            "native-country" => lines(COUNTRIES.iter().map(|country| &country.value)),
            "workclass" => lines(&WORKCLASS),
            "occupation" => lines(&OCCUPATION),
            _ => return None,
        })
    }
}

fn age_line(age: usize) -> Vec<String> {
    let intervals = AGE_WIDTHS.map(|width| {
        let from = age / width * width;
        format!("[{from}-{}]", from + width - 1)
    });
    [age.to_string()].into_iter().chain(intervals).chain([ANYTHING.to_owned()]).collect()
}

fn lines<'a>(values: impl IntoIterator<Item = &'a HierarchyRow>) -> Vec<Vec<String>> {
    let line = |value: &HierarchyRow| {
        [value.name]
            .iter()
            .chain(value.levels)
            .chain([&ANYTHING])
            .map(|&label| label.into())
            .collect()
    };
    values.into_iter().map(line).collect()
}
