//! What can be computed from two columns.

use super::column::SampledColumn;

/// What two columns give together, row by row; nothing if they cannot be computed with. Dates give days and years.
pub(super) fn combinations(a: &SampledColumn, b: &SampledColumn) -> Option<Vec<Vec<f64>>> {
    let (x, y) = (a.numbers.as_ref()?, b.numbers.as_ref()?);
    let with = |one: &[f64], other: &[f64], of: fn(f64, f64) -> f64| -> Vec<f64> {
        one.iter().zip(other).map(|(&a, &b)| of(a, b)).map(finite).collect()
    };
    let mut found = vec![with(x, y, |a, b| a - b), with(y, x, |a, b| a - b)];
    if a.is_date() || b.is_date() {
        let years =
            |of: &SampledColumn, numbers: &[f64]| of.years().unwrap_or_else(|| numbers.to_vec());
        let (x, y) = (years(a, x), years(b, y));
        found.extend([with(&x, &y, |a, b| a - b), with(&y, &x, |a, b| a - b)]);
        // The end of something that began and took some days.
        if a.is_date() != b.is_date()
            && let (Some(x), Some(y)) = (&a.numbers, &b.numbers)
        {
            found.push(with(x, y, |a, b| a + b));
        }
        return Some(found);
    }
    found.extend([
        with(x, y, |a, b| a + b),
        with(x, y, |a, b| a * b),
        with(x, y, |a, b| a / b),
        with(y, x, |a, b| a / b),
        // As the body mass index is made of weight and height.
        with(x, y, |a, b| a / (b * b)),
        with(y, x, |a, b| a / (b * b)),
    ]);
    Some(found)
}

fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { f64::NAN }
}
