//! The record of a motivated intruder test: what was tried, by whom, with which knowledge and resources, and what came of
//! it.
//!
//! **Reference.** Information Commissioner's Office (United Kingdom), *Anonymisation*, guidance of 28 March 2025.

use super::facts::ReleaseFacts;
use super::phrases::{FILL, FormText, attacks, columns, context, protected};

/// The record of a motivated intruder test, as Markdown; with [measured](ReleaseFacts::measured) facts it has what the
/// attacks of the program gave.
pub fn motivated_intruder(facts: &ReleaseFacts<'_>) -> String {
    let told = &facts.shareable;
    let mut form = FormText::default();
    form.put("# Motivated intruder test: record\n");
    form.put(
        "For the test that the guidance of the Information Commissioner's Office (United Kingdom) on anonymisation \
         describes (28 March 2025). The attacks of the program are one part of it; people carry out the others.",
    );
    form.section("1. What is tested");
    form.put(format!(
        "- Release: {}, {} rows, SHA-256 {}.",
        facts.release_file.name, told.rows, facts.release_file.sha256
    ));
    form.put_all(columns(facts));
    form.put(format!(
        "- Protection: k = {} over {}; the independent verifier finds that the release {}.",
        facts.file.spec.privacy.k,
        protected(facts),
        if facts.holds() { "holds" } else { "FAILS" }
    ));
    form.put(format!("- Who receives it, and what they can know: {}.", context(facts)));
    form.section("2. The intruder who is assumed");
    form.put(
        "- Somebody who wants to identify a person and does not know beforehand who is in the release; reasonably \
         competent, without specialist knowledge; with access to the internet and other public sources, and able to \
         ask people who may know more.",
    );
    form.put(match &facts.attack {
        Some(figures) if !figures.known.is_empty() => format!(
            "- Knowledge assumed in the attacks of the program, beyond that: the true values of {} of a person. This is \
             more than most intruders have.",
            figures.known.join(", ")
        ),
        _ => format!("- Knowledge assumed: {FILL}."),
    });
    form.put(format!("- Why somebody would try (gain, harm, a story, curiosity): {FILL}."));
    form.put(format!("- Others with more knowledge (relatives, colleagues, own records): {FILL}."));
    form.section("3. What was tried");
    form.put("| who | what | resources | when | result |\n| --- | --- | --- | --- | --- |");
    form.put(format!(
        "| incrowd {} | singling out, linkability, inference | the release, and values of the original as knowledge | \
         with this form | {} |",
        env!("CARGO_PKG_VERSION"),
        match &facts.attack {
            None => FILL,
            Some(figures) if figures.is_found() => "people are FOUND beyond chance: section 4",
            Some(_) => "nobody is found beyond chance: section 4",
        }
    ));
    for what in [
        "search of the web for rare combinations of values",
        "newspapers, social media and registers that are public",
        "enquiries among people who may know a person in the release",
    ] {
        form.put(format!("| {FILL} | {what} | {FILL} | {FILL} | {FILL} |"));
    }
    form.section("4. Results of the attacks of the program");
    form.put_all(attacks(facts));
    form.section("5. Conclusion");
    form.put(format!(
        "- Whether the likelihood of identification is sufficiently remote, and why: {FILL}."
    ));
    form.put(format!("- What was changed because of the test: {FILL}."));
    form.put(format!("- When the test is repeated: {FILL}."));
    form.put(format!("- Name, date and signature: {FILL}."));
    form.finish()
}
