//! What the verifier found, in words.

use incrowd_engine::value::shown_value;
use incrowd_verify::Verdict;

/// A verdict as messages may tell it: without values of people where these are kept back.
pub fn verdict_for_messages(verdict: Verdict) -> Verdict {
    match incrowd_engine::words::values_are_hidden() {
        true => verdict.without_values(),
        false => verdict,
    }
}

/// A violation in words, with the worst class as an example.
pub(crate) fn told(violation: &incrowd_verify::Violation) -> String {
    let hidden = incrowd_engine::words::values_are_hidden();
    let Some(worst) = violation.examples.first().filter(|_| !hidden) else {
        return violation.message.clone();
    };
    let values: Vec<String> = worst
        .values
        .iter()
        .map(|field| format!("{} = `{}`", field.column, shown_value(&field.value)))
        .collect();
    format!("{}, such as {}", violation.message, values.join(", "))
}
