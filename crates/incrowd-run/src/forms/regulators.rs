//! Sections of the reports that regulators ask for, from the facts of a release. What only people can say is marked so.

use super::facts::ReleaseFacts;
use super::phrases::{
    FILL, FormText, attacks, columns, context, counted_rows, models, protected, smallest,
    threshold_line,
};

/// The sections of the anonymization report of EMA policy 0070 and of Health Canada's guidance, as Markdown.
///
/// With [measured](ReleaseFacts::measured) facts the three criteria have their figures.
pub fn clinical_report(facts: &ReleaseFacts<'_>) -> String {
    let mut form = FormText::default();
    let spec = &facts.file.spec;
    let told = &facts.shareable;
    let risk = told.verdict.as_ref().and_then(|verdict| verdict.risk.as_ref());
    let figure = |figure: Option<f64>| {
        figure.map_or_else(|| "unknown".to_owned(), |figure| format!("{figure:.4}"))
    };
    form.put("# Anonymisation report\n");
    form.put(
        "Sections as in EMA policy 0070 (external guidance, anonymisation report template) and in Health Canada's \
         guidance on the public release of clinical information.",
    );
    form.section("1. Anonymisation methodology");
    form.put(format!(
        "- Approach: quantitative risk; every released row shares its quasi-identifiers with at least {} others \
         (k = {}, counting {}).",
        spec.privacy.k.saturating_sub(1),
        spec.privacy.k,
        protected(facts)
    ));
    form.put(format!("- Method: {}; metric: {}.", spec.algorithm.method, spec.goal.metric));
    form.put(format!("- Models beyond k: {}.", models(facts)));
    form.put(format!("- Adversaries and context: {}.", context(facts)));
    form.section("2. Identification of variables");
    form.put_all(columns(facts));
    form.section("3. Risk assessment");
    let (least, k, source) = facts.threshold();
    form.put(format!("- Threshold: {least}, one in {k}{source}."));
    form.put(format!(
        "- Highest risk of re-identification (prosecutor, from the release as published): {}.",
        figure(risk.map(|risk| risk.highest))
    ));
    form.put(format!("- Average risk: {}.", figure(risk.map(|risk| risk.average))));
    form.put_all(counted_rows(facts));
    form.put(threshold_line(facts));
    form.put("\nThe three criteria of Opinion 05/2014 (WP216), tried by an attack simulation:\n");
    form.put_all(attacks(facts));
    form.section("4. Data utility");
    form.put(match facts.original {
        Some(_) => format!("- Rows released: {}; suppressed: {}.", told.rows, told.suppressed),
        None => format!("- Rows released: {}.", told.rows),
    });
    form.put(format!("- What analyses are still possible: {FILL}."));
    form.section("5. Conclusion");
    form.put(format!(
        "- The independent verifier finds that the release {}.",
        if facts.holds() { "holds" } else { "FAILS" }
    ));
    form.put(format!(
        "- Release: {}, SHA-256 {}.",
        facts.release_file.name, facts.release_file.sha256
    ));
    form.put(format!("- Residual risk, and why it is acceptable: {FILL}."));
    form.finish()
}

/// The parts of the framework of ISO/IEC 27559, as Markdown.
pub fn iso_27559(facts: &ReleaseFacts<'_>) -> String {
    let spec = &facts.file.spec;
    let told = &facts.shareable;
    let mut form = FormText::default();
    form.put("# De-identification framework: ISO/IEC 27559:2022");
    form.section("Context assessment (clause 6)");
    form.put(format!(
        "- Who receives the data, under which controls, what harm: {}.",
        context(facts)
    ));
    form.put(format!("- Threat modelling (deliberate, accidental, environmental): {FILL}."));
    form.put(format!("- Transparency and impact on data subjects: {FILL}."));
    form.section("Data assessment (clause 7)");
    form.put(format!("- Columns of the release: {}.", facts.release.columns().join(", ")));
    form.put_all(columns(facts));
    form.put(format!(
        "- Attack modelling: prosecutor on the release itself; protected are {}.",
        protected(facts)
    ));
    form.section("Identifiability assessment and mitigation (clause 8)");
    if let Some(risk) = told.verdict.as_ref().and_then(|verdict| verdict.risk.as_ref()) {
        form.put(format!(
            "- Measured: highest risk {:.4}, average risk {:.4}, share of rows that are unique {:.4}.",
            risk.highest, risk.average, risk.unique
        ));
    }
    form.put(format!(
        "- Threshold: k = {} over {} asked for; smallest class of the release: {}; models beyond k: {}.",
        spec.privacy.k,
        protected(facts),
        smallest(facts),
        models(facts)
    ));
    form.put_all(counted_rows(facts));
    form.put(format!(
        "- Mitigation: recoding of quasi-identifiers by `{}`, suppression, and the treatments of single columns.",
        spec.algorithm.method
    ));
    form.put(format!(
        "- Verdict of the independent verifier: the release {}.",
        if facts.holds() { "holds" } else { "FAILS" }
    ));
    form.section("Governance (clause 9)");
    form.put(format!("- Before: approval and record (`incrowd record`): {FILL}."));
    form.put(format!(
        "- During and after: monitoring, re-assessment when the table grows (`--earlier`), incidents: {FILL}."
    ));
    form.put(format!(
        "- Files: release {} (BLAKE3 {}), spec (BLAKE3 {}).",
        facts.release_file.name, facts.release_file.blake3, facts.spec_file.blake3
    ));
    form.finish()
}
