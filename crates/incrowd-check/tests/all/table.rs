//! Random small tables and questions about them.

use incrowd_check::Question;
use incrowd_testing::LinearRng;
use serde_json::{Value, json};

/// Up to 30 rows of up to three columns, and a question.
pub(crate) struct RandomTable {
    pub(crate) rows: Vec<Vec<String>>,
    columns: Vec<Value>,
    values: Vec<u64>,
    k: u64,
    limit: u64,
    is_cm: bool,
}

/// Adds a number to steps.
pub(crate) fn number(steps: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        steps.push(number as u8 | 0x80);
        number >>= 7;
    }
    steps.push(number as u8);
}

impl RandomTable {
    /// Numbers from 0; columns may be cut anywhere where that is said.
    pub(crate) fn new(random: &mut LinearRng, free: bool) -> Self {
        let width = 1 + random.below(3) as usize;
        let values: Vec<u64> = (0..width).map(|_| 2 + random.below([7, 4, 2][width - 1])).collect();
        let count = 2 + random.below(29);
        let rows: Vec<Vec<String>> = (0..count)
            .map(|_| {
                let value = |&values: &u64| random.below(values).min(random.below(values + 2));
                let mut row: Vec<String> =
                    values.iter().map(value).map(|it| it.to_string()).collect();
                row.push(random.below(2).to_string());
                row
            })
            .collect();
        let columns = values.iter().enumerate().map(|(at, &values)| {
            let list: Vec<Value> = (0..values).map(|value| json!([value.to_string()])).collect();
            let halves = |by: u64| -> Vec<u64> { (0..values).map(|value| value / by).collect() };
            let nodes: Vec<(u64, u64)> = (0..values)
                .map(|value| (value, value + 1))
                .chain((0..values / 2).map(|half| (2 * half, 2 * half + 2)))
                .chain([(0, values)])
                .collect();
            let shape = match (free, random.below(3)) {
                (false, 0) => json!("first-alone-or-all"),
                (false, 1) => json!({ "nodes": nodes }),
                _ => json!("free"),
            };
            json!({
                "name": format!("q{at}"), "values": list, "shape": shape,
                "levels": [halves(1), halves(2), halves(4), halves(100)],
            })
        });
        let columns = columns.collect();
        let (k, limit) =
            (1 + random.below(6), [0, count, random.below(6)][random.below(3) as usize]);
        RandomTable { rows, columns, values, k, limit, is_cm: random.chance(2) }
    }

    /// Numbers and text, for groups.
    pub(crate) fn of_groups(random: &mut LinearRng) -> Self {
        let width = 1 + random.below(3) as usize;
        let sorts: Vec<bool> = (0..width).map(|_| random.chance(2)).collect();
        let rows: Vec<Vec<String>> = (0..4 + random.below(5))
            .map(|_| {
                let value = |is_text: &bool| match is_text {
                    true => format!("t{}", random.below(5)),
                    false => (random.below(7) * random.below(7)).to_string(),
                };
                sorts.iter().map(value).collect()
            })
            .collect();
        let columns = (0..width).map(|at| {
            let mut values: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
            values.sort_by_key(|value| (value.parse::<u64>().unwrap_or(0), value.to_string()));
            values.dedup();
            let list: Vec<Value> = values.iter().map(|value| json!([value])).collect();
            let by = if sorts[at] { "set" } else { "range" };
            let whole = (1u64 << 40) / width as u64;
            json!({ "name": format!("q{at}"), "values": list, "price": { "by": by, "whole": whole } })
        });
        let columns = columns.collect();
        let limit = [0, 0, 2, rows.len() as u64][random.below(4) as usize];
        let k = 2 + random.below(3);
        RandomTable { rows, columns, values: Vec::new(), k, limit, is_cm: false }
    }

    pub(crate) fn text(&self) -> String {
        let names: Vec<String> = (0..self.columns.len()).map(|at| format!("q{at}")).collect();
        let label = if self.rows[0].len() > names.len() { ",label" } else { "" };
        let lines = self.rows.iter().map(|row| row.join(",") + "\n");
        names.join(",") + label + "\n" + &lines.collect::<String>()
    }

    pub(crate) fn question(&self, kind: &str) -> Question {
        let metric = match (kind, self.is_cm) {
            ("groups", _) => "ncp",
            (_, true) => "cm",
            _ => "dm",
        };
        let mut question = json!({
            "kind": kind, "metric": metric, "k": self.k, "rows": self.rows.len(),
            "limit": self.limit, "columns": self.columns, "missing": [], "claim": 0, "key": "", "table": "",
        });
        if metric == "cm" {
            question["class"] = json!({ "name": "label", "values": ["0", "1"] });
        }
        serde_json::from_value(question).unwrap()
    }

    /// The numbers of all cuts.
    pub(crate) fn cuts(&self) -> Vec<u64> {
        let mut first = 0;
        let mut cuts = Vec::new();
        for &values in &self.values {
            cuts.extend(first + 1..first + values);
            first += values + 1;
        }
        cuts
    }

    /// Those of the last column.
    pub(crate) fn last_cuts(&self) -> Vec<u64> {
        let last = self.values.last().copied().unwrap_or(1);
        let first: u64 = self.values[..self.values.len() - 1].iter().map(|values| values + 1).sum();
        (first + 1..first + last).collect()
    }

    /// How many different rows there are.
    pub(crate) fn profiles(&self) -> usize {
        self.rows.iter().collect::<std::collections::BTreeSet<_>>().len()
    }
}
