//! What a release costs, from its rows alone.

use std::collections::HashMap;
use std::io::Read;

use incrowd_verify::read_csv;

use crate::error::{Error, Result};
use crate::question::{Metric, Question};
use crate::table::delimiter;

/// The cost of a release: rows that it does not have count as suppressed. Rows with equal labels are a class.
pub(crate) fn cost(question: &Question, mut release: impl Read) -> Result<u64> {
    let mut bytes = Vec::new();
    release.read_to_end(&mut bytes)?;
    let mut names: Vec<&str> = question.columns.iter().map(|column| &*column.name).collect();
    let width = names.len();
    names.extend(question.class.as_ref().map(|class| &*class.name));
    let mut classes: HashMap<Vec<String>, HashMap<String, u64>> = HashMap::new();
    let mut rows = 0u64;
    read_csv(&bytes[..], &delimiter(&bytes, &names), &names, |fields| {
        let key = fields[..width].iter().map(|&field| field.to_owned()).collect();
        let label = fields.get(width).map_or_else(String::new, |&field| field.to_owned());
        *classes.entry(key).or_default().entry(label).or_default() += 1;
        rows += 1;
        Ok(true)
    })?;
    let suppressed = question
        .rows
        .checked_sub(rows)
        .ok_or_else(|| Error::Question("the release has more rows than the table".to_owned()))?;
    let sizes = classes
        .values()
        .map(|labels| (labels.values().sum::<u64>(), labels.values().copied().max().unwrap_or(0)));
    match question.metric {
        Metric::Dm => {
            Ok(sizes.map(|(size, _)| size * size).sum::<u64>() + question.rows * suppressed)
        }
        Metric::Cm => Ok(sizes.map(|(size, most)| size - most).sum::<u64>() + suppressed),
        Metric::Ncp => {
            Err(Error::Question("costs of releases are worked out for dm and cm".to_owned()))
        }
    }
}
