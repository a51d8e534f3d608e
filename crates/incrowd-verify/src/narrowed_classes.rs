//! Classes as they are to whoever knows columns that stay as they are.

use crate::requirements::Requirements;
use crate::risks::RiskBounds;
use crate::verdict::{Verdict, ViolationKind};

/// What the rows of a class must satisfy that share the values of the columns that narrow it. None if there are none.
pub(crate) fn requirements(asked: &Requirements) -> Option<Requirements> {
    let Requirements { narrowing, risks, .. } = asked;
    if narrowing.is_empty() {
        return None;
    }
    let mut narrowed = asked.clone();
    narrowed.narrowing = Vec::new();
    narrowed.quasi.extend(narrowing.iter().cloned());
    narrowed.identifying = Vec::new();
    // What is known of a column adds nothing about itself.
    narrowed.models.retain(|model| !narrowing.contains(&model.column));
    narrowed.risks =
        RiskBounds { average: risks.average, at_risk: risks.at_risk, ..RiskBounds::default() };
    Some(narrowed)
}

/// Adds to a verdict what was found of narrowed classes: k and risk are theirs.
pub(crate) fn add(verdict: &mut Verdict, narrowed: Verdict, columns: &[String]) {
    let columns = columns.join(", ");
    verdict.k = narrowed.k;
    verdict.risk = narrowed.risk;
    verdict
        .risks
        .retain(|risk| !narrowed.risks.iter().any(|it| it.requirement == risk.requirement));
    verdict.risks.extend(narrowed.risks);
    for mut violation in narrowed.violations {
        if violation.kind != ViolationKind::SeveralRows {
            violation.kind = ViolationKind::NarrowedClass;
        }
        violation.message = format!("narrowed by {columns}: {}", violation.message);
        verdict.violations.push(violation);
    }
    verdict.notes.push(format!("k and risk are those of classes narrowed by {columns}"));
    verdict.holds = verdict.violations.is_empty();
}
