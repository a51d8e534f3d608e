//! Sections of the reports that regulators ask for, from the facts of a release. What only people can say is marked so.

use std::fmt::Write;

use super::facts::{ReleaseFacts, or_none};
use crate::spec::Role;

/// What guidance says about thresholds: who, for what, which chance, and the k that it means.
pub fn guidance() -> Vec<[&'static str; 4]> {
    vec![
        [
            "European Medicines Agency, policy 0070 (2016, rev. 2018)",
            "clinical reports that are published",
            "0.09",
            "11",
        ],
        [
            "Health Canada, public release of clinical information (2019)",
            "clinical information that is published",
            "0.09",
            "11",
        ],
        [
            "El Emam, Guide to the De-Identification of PHI (2013)",
            "public, and stigmatizing",
            "0.05",
            "20",
        ],
        [
            "El Emam, Guide to the De-Identification of PHI (2013)",
            "under an agreement, with controls",
            "0.2",
            "5",
        ],
        [
            "El Emam, Guide to the De-Identification of PHI (2013)",
            "within an institution",
            "0.33",
            "3",
        ],
        [
            "statistics offices (SDC handbooks, cell rules)",
            "tables and microdata for research",
            "0.33 to 0.1",
            "3 to 10",
        ],
        [
            "Centers for Medicare & Medicaid Services, cell suppression",
            "counts that are published",
            "0.09",
            "11",
        ],
        [
            "45 CFR 164.514(b)(2), Safe Harbor",
            "health data of the United States",
            "none: a list of 18",
            "none",
        ],
    ]
}

/// What people have to add.
const FILL: &str = "*(to be filled in by the applicant)*";

/// Columns that are not released: those that identify people by themselves, and others that nobody needs.
const LEFT_OUT: &str = "Not released (direct identifiers and columns left out)";

/// The sections of the anonymization report of EMA policy 0070 and of Health Canada's guidance, as Markdown.
pub fn clinical_report(facts: &ReleaseFacts<'_>) -> String {
    let mut text = String::new();
    let spec = &facts.file.spec;
    let told = &facts.shareable;
    let risk = told.verdict.as_ref().and_then(|verdict| verdict.risk.as_ref());
    let figure = |figure: Option<f64>| {
        figure.map_or_else(|| "unknown".to_owned(), |figure| format!("{figure:.4}"))
    };
    let (highest, average) =
        (figure(risk.map(|risk| risk.highest)), figure(risk.map(|risk| risk.average)));
    let mut put = |line: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    };
    put("# Anonymisation report\n");
    put(
        "Sections as in EMA policy 0070 (external guidance, anonymisation report template) and in Health Canada's guidance on the public release of clinical information.\n",
    );
    put("## 1. Anonymisation methodology\n");
    put(&format!(
        "- Approach: quantitative risk; every released row shares its quasi-identifiers with at least {} others (k = {}).",
        spec.privacy.k.saturating_sub(1),
        spec.privacy.k
    ));
    put(&format!("- Unit that is protected: {}.", spec.privacy.unit.as_deref().unwrap_or("row")));
    put(&format!("- Method: {}; metric: {}.", spec.algorithm.method, spec.goal.metric));
    put(&format!("- Models beyond k: {}.", models(facts)));
    put(&format!("- Adversaries and context: {}.", context(facts)));
    put("\n## 2. Identification of variables\n");
    put(&format!("- {LEFT_OUT}: {}.", or_none(&facts.columns(Role::Identifying))));
    put(&format!("- Quasi-identifiers: {}.", or_none(&facts.columns(Role::Quasi))));
    put(&format!("- Sensitive: {}.", or_none(&facts.columns(Role::Sensitive))));
    put(&format!("- Released as they are: {}.", or_none(&facts.released_as_they_are())));
    put(&format!("- Accepted although they look identifying: {}.", or_none(&facts.accepted())));
    put("- Treated:");
    let treated: Vec<String> = spec
        .columns
        .iter()
        .filter_map(|column| {
            Some(format!("  - {}: {}", column.name, column.treat.as_ref()?.words()))
        })
        .collect();
    put(&if treated.is_empty() { "  - none".to_owned() } else { treated.join("\n") });
    put("\n## 3. Risk assessment\n");
    // Guidance rounds its thresholds: 0.09 is one in eleven, 0.33 one in three.
    let (threshold, k) = spec.context.map_or((0.09, 11), |context| {
        let proposal = context.proposal();
        (proposal.threshold, proposal.k)
    });
    put(&format!(
        "- Threshold: {threshold}, one in {k}{}.",
        if spec.context.is_some() {
            ", from the context"
        } else {
            " (EMA policy 0070, Health Canada)"
        }
    ));
    put(&format!(
        "- Highest risk of re-identification (prosecutor, from the release as published): {highest}."
    ));
    put(&format!("- Average risk: {average}."));
    let met = risk.is_some_and(|risk| risk.highest <= (1.0 / k as f64) * (1.0 + 1e-12));
    put(&format!(
        "- The highest risk is {} the threshold.",
        if met { "at or below" } else { "ABOVE" }
    ));
    put(&format!(
        "- Attack simulation (singling out, linkability, inference; `incrowd attack`): {FILL}."
    ));
    put("\n## 4. Data utility\n");
    put(&match facts.original {
        Some(_) => format!("- Rows released: {}; suppressed: {}.", told.rows, told.suppressed),
        None => format!("- Rows released: {}.", told.rows),
    });
    put(&format!("- What analyses are still possible: {FILL}."));
    put("\n## 5. Conclusion\n");
    put(&format!(
        "- The independent verifier finds that the release {}.",
        if facts.holds() { "holds" } else { "FAILS" }
    ));
    put(&format!("- Release: {}, SHA-256 {}.", facts.release_file.name, facts.release_file.sha256));
    put(&format!("- Residual risk, and why it is acceptable: {FILL}."));
    text
}

/// The parts of the framework of ISO/IEC 27559, as Markdown.
pub fn iso_27559(facts: &ReleaseFacts<'_>) -> String {
    let spec = &facts.file.spec;
    let told = &facts.shareable;
    let mut text = String::new();
    let mut put = |line: &str| {
        let _ = writeln!(text, "{line}");
    };
    put("# De-identification framework: ISO/IEC 27559:2022\n");
    put("## Context assessment (clause 6)\n");
    put(&format!("- Who receives the data, under which controls, what harm: {}.", context(facts)));
    put(&format!("- Threat modelling (deliberate, accidental, environmental): {FILL}."));
    put(&format!("- Transparency and impact on data subjects: {FILL}."));
    put("\n## Data assessment (clause 7)\n");
    put(&format!("- Columns of the release: {}.", facts.release.columns().join(", ")));
    put(&format!(
        "- {LEFT_OUT}: {}; quasi-identifiers: {}; sensitive: {}.",
        or_none(&facts.columns(Role::Identifying)),
        or_none(&facts.columns(Role::Quasi)),
        or_none(&facts.columns(Role::Sensitive))
    ));
    put(&format!("- Accepted although they look identifying: {}.", or_none(&facts.accepted())));
    put(&format!(
        "- Attack modelling: prosecutor on the release itself; unit of protection: {}.",
        spec.privacy.unit.as_deref().unwrap_or("row")
    ));
    put("\n## Identifiability assessment and mitigation (clause 8)\n");
    if let Some(risk) = told.verdict.as_ref().and_then(|verdict| verdict.risk.as_ref()) {
        put(&format!(
            "- Measured: highest {:.4}, average {:.4}, unique {:.4}.",
            risk.highest, risk.average, risk.unique
        ));
    }
    put(&format!(
        "- Threshold: k = {} asked for, {} reached; models beyond k: {}.",
        spec.privacy.k,
        told.smallest.map_or_else(|| "none".to_owned(), |k| k.to_string()),
        models(facts)
    ));
    put(&format!(
        "- Mitigation: {} recoding by `{}`, suppression, and the treatments of single columns.",
        "quasi-identifier", spec.algorithm.method
    ));
    put(&format!(
        "- Verdict of the independent verifier: {}.",
        if facts.holds() { "holds" } else { "FAILS" }
    ));
    put("\n## Governance (clause 9)\n");
    put(&format!("- Before: approval and record (`incrowd record`): {FILL}."));
    put(&format!(
        "- During and after: monitoring, re-assessment when the table grows (`--earlier`), incidents: {FILL}."
    ));
    put(&format!(
        "- Files: release {} (BLAKE3 {}), spec (BLAKE3 {}).",
        facts.release_file.name, facts.release_file.blake3, facts.spec_file.blake3
    ));
    text
}

fn models(facts: &ReleaseFacts<'_>) -> String {
    let models: Vec<String> = facts
        .shareable
        .verdict
        .iter()
        .flat_map(|verdict| &verdict.models)
        .map(|model| format!("{} of {}", model.model, model.column))
        .collect();
    if models.is_empty() { "none".to_owned() } else { models.join(", ") }
}

fn context(facts: &ReleaseFacts<'_>) -> String {
    match facts.file.spec.context {
        None => FILL.to_owned(),
        Some(context) => format!(
            "audience {}, knowledge {}, harm {}; {}",
            context.audience,
            context.knowledge,
            context.harm,
            context.proposal().why.join(" ").trim_end_matches('.')
        ),
    }
}
