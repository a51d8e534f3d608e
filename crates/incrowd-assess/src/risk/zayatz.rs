//! Zayatz's estimate of population uniques.

use super::ClassSizes;

/// The number of population uniques by Zayatz's method.
///
/// # What it does
/// The classes of the population are taken to have the sizes of those of the sample. Then the chance that a
/// class of the population of one member is seen once, against the chance that any class is seen once, is
/// the chance that a sample unique is a population unique; the hypergeometric distribution gives both.
///
/// # Reference
/// L. Zayatz, *Estimation of the number of unique population elements using a sample*, Proc. Survey Research
/// Methods Section, American Statistical Association 1991.
pub(super) fn uniques(sizes: &ClassSizes, population: f64) -> f64 {
    let (sample, unique) = (sizes.rows() as f64, sizes.unique() as f64);
    // The chance that exactly one of `size` members is drawn, without the factor that all sizes share
    // (sample / population): size * (N - n)! / (N - n - size + 1)! * (N - size)! / (N - 1)!
    let mut not_drawn = 1.0;
    let mut at = 1.0;
    let mut seen_once = 0.0;
    for (size, classes) in sizes.iter() {
        let size = size as f64;
        while at < size && not_drawn > 0.0 {
            not_drawn *= ((population - sample - at + 1.0) / (population - at)).max(0.0);
            // Too small to matter beside the sample uniques.
            if not_drawn < 1e-30 {
                not_drawn = 0.0;
            }
            at += 1.0;
        }
        if not_drawn == 0.0 && size > 1.0 {
            break;
        }
        seen_once += classes as f64 * size * not_drawn;
    }
    if seen_once <= 0.0 {
        return 0.0;
    }
    (unique * (unique / seen_once) * (population / sample)).min(population)
}
