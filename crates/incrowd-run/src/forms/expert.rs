//! The record of an expert determination under HIPAA: every figure that an expert needs, and room for what only the
//! expert can say.
//!
//! **Reference.** 45 CFR 164.514(b)(1); Office for Civil Rights, *Guidance regarding methods for de-identification of
//! protected health information*, 2012.

use incrowd_assess::risk::{AttackerRisk, RiskReport};

use super::facts::ReleaseFacts;
use super::phrases::{
    FormText, attacks, columns, context, counted_rows, models, protected, smallest, threshold_line,
};

/// What the expert has to add.
const FILL: &str = "*(to be filled in by the expert)*";

/// The record of an expert determination, as Markdown; with [measured](ReleaseFacts::measured) facts it has the risks of
/// all attackers and what attacks gave.
pub fn expert_determination(facts: &ReleaseFacts<'_>) -> String {
    let spec = &facts.file.spec;
    let told = &facts.shareable;
    let mut form = FormText::default();
    form.put("# HIPAA expert determination: 45 CFR 164.514(b)(1)\n");
    form.put(
        "The figures are measured; the determination is the expert's. The rule names no threshold: the expert says \
         why the one used here makes the risk very small.",
    );
    form.section("1. The expert");
    form.put(format!("- Name and position: {FILL}."));
    form.put(format!(
        "- Knowledge of and experience with generally accepted statistical and scientific principles and methods for \
         rendering information not individually identifiable: {FILL}."
    ));
    form.put(format!("- For whom the determination is made, and interests of the expert: {FILL}."));
    form.section("2. The data and their way");
    let source = facts.original.map_or_else(
        || "the table that the spec names".to_owned(),
        |original| format!("`{}`", original.file_name()),
    );
    form.put(format!(
        "- Way of the data: {source} is read by the spec; columns are left out, treated and recoded; every check has \
         to pass; the file is read back and verified by independent code before it is named."
    ));
    form.put(format!(
        "- Release: {}, {} rows, SHA-256 {}; spec: BLAKE3 {}.",
        facts.release_file.name, told.rows, facts.release_file.sha256, facts.spec_file.blake3
    ));
    if facts.original.is_some() {
        form.put(format!("- Suppressed: {}.", told.suppressed));
    }
    form.put_all(columns(facts));
    form.put(format!("- Anticipated recipients, and what they can know: {}.", context(facts)));
    form.put(format!(
        "- Other information that is reasonably available to them (registers, newspapers, social media): {FILL}."
    ));
    form.put(format!("- Safeguards and agreements: {FILL}."));
    form.section("3. Principles and methods");
    form.put(format!(
        "- k-anonymity: k = {} over {}; smallest class of the release: {}; method {}, metric {}.",
        spec.privacy.k,
        protected(facts),
        smallest(facts),
        spec.algorithm.method,
        spec.goal.metric
    ));
    form.put(format!("- Models beyond k: {}.", models(facts)));
    form.put(format!(
        "- Risks are one over the size of a class of rows that look alike: for whoever knows that a person is in the \
         release (prosecutor), in the population (journalist), and for whoever tries everybody (marketer). Program: \
         incrowd {}.",
        env!("CARGO_PKG_VERSION")
    ));
    form.section("4. Results: measured risks");
    let (least, k, basis) = facts.threshold();
    form.put(format!("- Threshold: {least}, one in {k}{basis}."));
    form.put_all(risks(facts));
    form.put_all(counted_rows(facts));
    form.put(threshold_line(facts));
    let verdict = told.verdict.iter().flat_map(|verdict| &verdict.risks);
    form.put_all(
        verdict.map(|risk| format!("- Requirement: {}.", risk.text.trim_end_matches('.'))),
    );
    form.put(format!(
        "- The independent verifier finds that the release {}.",
        if facts.holds() { "holds" } else { "FAILS" }
    ));
    form.section("5. Results: attacks");
    form.put_all(attacks(facts));
    form.section("6. Limits");
    form.put(
        "- The figures hold for the quasi-identifiers named in section 2. Who knows another column may find more \
         than they say.",
    );
    form.put(format!("- Until when, and for which recipients, the determination holds: {FILL}."));
    form.section("7. Determination");
    form.put(
        "I have applied the principles and methods above. I determine that the risk is very small that the \
         information could be used, alone or in combination with other reasonably available information, by an \
         anticipated recipient to identify an individual who is a subject of the information. The methods and \
         results of the analysis that justify this are documented here.\n",
    );
    form.put(format!("- Reasons of the expert: {FILL}."));
    form.put(format!("- Place, date and signature: {FILL}."));
    form.finish()
}

/// The risks of all attackers, a line each.
fn risks(facts: &ReleaseFacts<'_>) -> Vec<String> {
    let Some(report) = &facts.risk else {
        return vec![format!("- Risks of prosecutor, journalist and marketer: {FILL}.")];
    };
    let (_, k, _) = facts.threshold();
    let line = |who: &str, risk: &AttackerRisk| {
        format!(
            "- {who}: highest risk {:.4}, average risk {:.4}, share above one in {k} {:.4}.",
            risk.highest, risk.average, risk.share_at_risk
        )
    };
    let mut lines = vec![line("Prosecutor", &report.prosecutor)];
    lines.push(match &report.journalist {
        Some(journalist) => {
            line("Journalist, estimated from the sampling fraction", &journalist.risk)
        }
        None => format!(
            "- Journalist: at most that of the prosecutor; with `sampling-fraction` in the spec it is estimated. \
             Size of the population: {FILL}."
        ),
    });
    lines.push(match report.marketer.in_population {
        Some(share) => format!(
            "- Marketer: share found {:.4} of those known to be in the release, {share:.4} of those known to be in the \
             population.",
            report.marketer.in_table
        ),
        None => format!(
            "- Marketer: share found {:.4} of those known to be in the release.",
            report.marketer.in_table
        ),
    });
    lines.extend(population(report));
    lines
}

/// What is estimated of the population.
fn population(report: &RiskReport) -> Option<String> {
    let estimates = report.population_uniqueness.as_ref()?;
    Some(format!(
        "- Population uniques, estimated at a sampling fraction of {}: {:.4} of the population; rows of the release that \
         are theirs: about {:.0}.",
        estimates.sampling_fraction, estimates.share, estimates.rows_of_uniques
    ))
}
