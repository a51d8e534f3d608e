//! What a pipeline asks before it goes on: checks that hold or do not, in the formats that test and review tools read.

use serde_json::{Value, json};

use crate::chart::escape;

/// A check by its rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateCheck {
    /// The rule, the same for all tables: `k-anonymity`.
    pub rule: String,
    /// What is asked: `every class has at least 5 rows`.
    pub name: String,
    /// Why it does not hold; none if it holds.
    pub failure: Option<String>,
    /// A row that breaks it, from 1 below the header.
    pub row: Option<u64>,
}

/// The checks of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateReport {
    /// The command that was run: `verify`.
    pub command: &'static str,
    /// The table.
    pub table: String,
    /// The checks, in their order.
    pub checks: Vec<GateCheck>,
}

impl GateCheck {
    /// A check that holds, or the reason why it does not.
    pub fn new(
        rule: impl Into<String>,
        name: impl Into<String>,
        failure: Option<String>,
    ) -> GateCheck {
        GateCheck { rule: rule.into(), name: name.into(), failure, row: None }
    }

    /// A figure that must not exceed a limit.
    pub fn at_most(rule: &str, what: &str, figure: f64, limit: f64) -> GateCheck {
        let failure = (figure > limit).then(|| format!("{what} is {figure}, above {limit}"));
        GateCheck::new(rule, format!("{what} is at most {limit}"), failure)
    }
}

impl GateReport {
    /// Whether every check holds.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.failure.is_none())
    }

    fn failures(&self) -> impl Iterator<Item = (&GateCheck, &String)> {
        self.checks.iter().filter_map(|check| Some((check, check.failure.as_ref()?)))
    }

    /// The checks as test cases, in the XML that build servers read.
    pub fn junit(&self) -> String {
        let counts =
            format!("tests=\"{}\" failures=\"{}\"", self.checks.len(), self.failures().count());
        let suite = escape(&format!("incrowd {} {}", self.command, self.table));
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"incrowd\" {counts} \
             errors=\"0\">\n  <testsuite name=\"{suite}\" {counts} errors=\"0\" skipped=\"0\">\n"
        );
        for check in &self.checks {
            let (rule, name) = (escape(&check.rule), escape(&check.name));
            let case = format!(
                "    <testcase classname=\"incrowd.{}.{rule}\" name=\"{name}\"",
                self.command
            );
            xml.push_str(&match &check.failure {
                None => format!("{case}/>\n"),
                Some(why) => {
                    let why = escape(why);
                    format!(
                        "{case}>\n      <failure type=\"{rule}\" message=\"{why}\">{why}</failure>\n    \
                         </testcase>\n"
                    )
                }
            });
        }
        xml.push_str("  </testsuite>\n</testsuites>\n");
        xml
    }

    /// The checks that do not hold, as SARIF 2.1.0: what code review shows beside files.
    pub fn sarif(&self) -> String {
        let mut rules: Vec<&GateCheck> = Vec::new();
        for check in &self.checks {
            if !rules.iter().any(|known| known.rule == check.rule) {
                rules.push(check);
            }
        }
        let described: Vec<Value> = rules
            .iter()
            .map(|check| json!({ "id": check.rule, "shortDescription": { "text": check.name } }))
            .collect();
        let results: Vec<Value> = self
            .failures()
            .map(|(check, why)| {
                let mut place = json!({ "artifactLocation": { "uri": uri(&self.table) } });
                if let Some(row) = check.row {
                    // The first row stands below the header.
                    place["region"] = json!({ "startLine": row + 1 });
                }
                json!({
                    "ruleId": check.rule,
                    "ruleIndex": rules.iter().position(|rule| rule.rule == check.rule),
                    "level": "error",
                    "message": { "text": why },
                    "locations": [{ "physicalLocation": place }],
                })
            })
            .collect();
        let driver = json!({
            "name": "incrowd",
            "version": env!("CARGO_PKG_VERSION"),
            "informationUri": env!("CARGO_PKG_REPOSITORY"),
            "rules": described,
        });
        let sarif = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{ "tool": { "driver": driver }, "results": results }],
        });
        format!("{sarif:#}\n")
    }
}

/// A path as a relative reference, with slashes; everything but letters, digits and `-._~/` in percent signs.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> GateReport {
        let row = GateCheck {
            row: Some(7),
            ..GateCheck::new("k-anonymity", "every class has 5 rows", Some("a < \"5\" & b".into()))
        };
        let checks = vec![
            row,
            GateCheck::at_most("max-risk", "the highest risk", 0.2, 0.2),
            GateCheck::at_most("max-risk", "the highest risk", 0.25, 0.2),
        ];
        GateReport { command: "verify", table: "out put.csv".to_owned(), checks }
    }

    #[test]
    fn failures_are_told_in_both_formats() {
        let report = report();
        assert!(!report.holds());
        let xml = report.junit();
        assert!(xml.contains("tests=\"3\" failures=\"2\""), "{xml}");
        assert!(xml.contains("message=\"a &lt; &quot;5&quot; &amp; b\""), "{xml}");
        assert_eq!(xml.matches("<testcase").count(), xml.matches("</testcase>").count() + 1);
        let sarif: Value = serde_json::from_str(&report.sarif()).unwrap_or_default();
        let run = &sarif["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(2));
        assert_eq!(run["results"][1]["ruleIndex"], 1);
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["region"]["startLine"], 8);
        assert_eq!(place["artifactLocation"]["uri"], "out%20put.csv");
    }

    #[test]
    fn nothing_fails_where_all_holds() {
        let report = GateReport { checks: vec![report().checks[1].clone()], ..report() };
        assert!(report.holds() && report.junit().contains("failures=\"0\""));
        assert!(report.sarif().contains("\"results\": []"));
    }
}
