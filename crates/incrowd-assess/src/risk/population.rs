//! How many people are unique in the population.

use serde::Serialize;

use super::bootstrap::standard_errors;
use super::ewens::Ewens;
use super::pitman::Pitman;
use super::snb::SlideNegativeBinomial;
use super::superpopulation::{FittedSuperpopulation, SuperpopulationModel};
use super::{AttackerRisk, ClassSizes, zayatz};
use incrowd_engine::privacy::{RiskTally, UniquenessLimit};
use incrowd_engine::words::thousands;
use incrowd_engine::{Error, Result};

/// How many people are unique in the population that a table is a sample of, estimated.
///
/// # What it does
/// Four estimates, and the rule of Dankar and others that chooses among them: up to a sampling fraction of
/// 0.1 Pitman's, above it the lesser of Zayatz's and the slide negative binomial one. Where classes are more even
/// than Pitman's formula allows, Ewens' takes its place; Zayatz's, which always exists, that of any other.
///
/// # Guarantee
/// All figures are finite, from 0 to the size of the population. A table without uniques has an estimate of 0,
/// one that is the whole population its own number of uniques. The chosen one does not contradict the
/// [journalist's risk](AttackerRisk::journalist_estimated), unless it is of the same model: its share u and the mean m
/// of 1/F have u <= m <= (1 + u) / 2, because unique people have 1/F of 1 and all others of 1/2 at most.
///
/// # Reference
/// F. K. Dankar, K. El Emam, A. Neisa, T. Roffey, *Estimating the re-identification risk of clinical data
/// sets*, BMC Medical Informatics and Decision Making 12:66, 2012.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PopulationUniqueness {
    /// The share of the population that is in the table.
    pub sampling_fraction: f64,
    /// How many people the population has.
    pub population: f64,
    /// Rows of the table that share their combination with no other.
    pub sample_uniques: u64,
    /// The estimate that the rule chooses.
    pub chosen: Estimator,
    /// Why it does.
    pub why: String,
    /// People of the population who are unique, by the chosen estimate.
    pub uniques: f64,
    /// Their share of the population.
    pub share: f64,
    /// About how many rows of the table are theirs.
    pub rows_of_uniques: f64,
    /// All estimates.
    pub estimates: Vec<Estimate>,
}

/// A way to estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// Hoshino's, by Pitman's sampling formula.
    Pitman,
    /// By Ewens' model, which is Pitman's with α of 0.
    Ewens,
    /// Zayatz's, by the hypergeometric distribution.
    Zayatz,
    /// By the slide negative binomial distribution.
    Snb,
    /// Skinner and Elliot's, which needs no model: the chance that a unique match is a right one.
    SkinnerElliot,
    /// None: nothing has to be estimated.
    Counted,
}

impl Estimator {
    /// The name in words.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::Pitman => "Pitman",
            Estimator::Ewens => "Ewens",
            Estimator::Zayatz => "Zayatz",
            Estimator::Snb => "slide negative binomial",
            Estimator::SkinnerElliot => "Skinner-Elliot",
            Estimator::Counted => "counted",
        }
    }
}

/// One estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// Whose it is.
    pub estimator: Estimator,
    /// Whether its equations could be solved.
    pub converged: bool,
    /// People of the population who are unique; none if it has no answer.
    pub uniques: Option<f64>,
    /// The standard error of `uniques`, by the bootstrap of classes.
    pub standard_error: Option<f64>,
    /// Their share of the population.
    pub share: Option<f64>,
    /// The parameters that were found, or why there are none.
    pub about: String,
}

impl PopulationUniqueness {
    /// Estimates from a table that is that share of the population.
    pub fn estimate(sizes: &ClassSizes, fraction: f64) -> Result<Self> {
        if !(fraction > 0.0 && fraction <= 1.0) {
            return Err(Error::new(format!("a sampling fraction of {fraction} is not possible"))
                .help(
                    "it is the share of the population that is in the table: above 0, at most 1",
                ));
        }
        if sizes.rows() == 0 {
            return Err(Error::new("a population cannot be estimated from a table without rows"));
        }
        let model = FittedSuperpopulation::fit(sizes);
        let mean = AttackerRisk::grown(&model, sizes, fraction, 1.0).average;
        let growth = GrowthEstimate { model, mean };
        Ok(Self::by_rule(sizes, fraction, &growth))
    }

    /// Estimates from a table whose rows have weights; `classes` are the rows of each class and the sum of their
    /// weights, the people whom they stand for.
    ///
    /// The model of the [journalist's risk](AttackerRisk::journalist_weighted) is chosen, because the weights of single
    /// rows enter into it alone; the others see their sum.
    pub fn weighted(classes: &[(u64, f64)]) -> Result<Self> {
        let sizes = ClassSizes::of(classes.iter().map(|class| class.0));
        let people: f64 = classes.iter().map(|class| class.1).sum();
        let mut found = Self::estimate(&sizes, (sizes.rows() as f64 / people).min(1.0))?;
        let model = FittedSuperpopulation::fit(&sizes);
        let estimator = match model.model {
            _ if found.chosen == Estimator::Counted => return Ok(found),
            SuperpopulationModel::AllUnique => return Ok(found),
            SuperpopulationModel::Pitman => Estimator::Pitman,
            SuperpopulationModel::Ewens => Estimator::Ewens,
        };
        let alone = classes.iter().filter(|class| class.0 == 1).map(|&(_, weight)| {
            let alone = model.alone(weight.max(1.0));
            (alone, weight * alone)
        });
        let (rows, uniques) =
            alone.fold((0.0, 0.0), |sum, (row, people)| (sum.0 + row, sum.1 + people));
        found.chosen = estimator;
        found.why = "it is the one that the weights of single rows enter into".to_owned();
        found.uniques = uniques.min(found.population);
        found.share = found.uniques / found.population;
        found.rows_of_uniques = rows;
        if let Some(own) = found.estimates.iter_mut().find(|own| own.estimator == estimator) {
            own.uniques = Some(found.uniques);
            own.share = Some(found.share);
        }
        Ok(found)
    }

    fn by_rule(sizes: &ClassSizes, fraction: f64, growth: &GrowthEstimate) -> Self {
        let population = sizes.rows() as f64 / fraction;
        let counted = |uniques: f64, why: &str| PopulationUniqueness {
            sampling_fraction: fraction,
            population,
            sample_uniques: sizes.unique(),
            chosen: Estimator::Counted,
            why: why.to_owned(),
            uniques,
            share: uniques / population,
            rows_of_uniques: uniques * fraction,
            estimates: ESTIMATORS
                .map(|of| Estimate::new(of, Some(uniques), population, why.to_owned()))
                .to_vec(),
        };
        if sizes.unique() == 0 {
            return counted(
                0.0,
                "nobody is unique in the table, so nobody counts as unique \
                                 in the population",
            );
        }
        if fraction == 1.0 {
            return counted(sizes.unique() as f64, "the table is the whole population");
        }
        let mut estimates = UniquenessEstimates::of(sizes, fraction);
        let errors = standard_errors(sizes, |drawn| {
            UniquenessEstimates::of(drawn, fraction).0.map(|estimate| estimate.share)
        });
        for (estimate, error) in estimates.0.iter_mut().zip(errors) {
            estimate.standard_error =
                error.filter(|_| estimate.converged).map(|it| it * population);
        }
        let (chosen, why) = estimates.rule(fraction, growth);
        let (estimator, uniques) = (chosen.estimator, chosen.uniques.unwrap_or(0.0));
        PopulationUniqueness {
            sampling_fraction: fraction,
            population,
            sample_uniques: sizes.unique(),
            chosen: estimator,
            why,
            uniques,
            share: uniques / population,
            rows_of_uniques: uniques * fraction,
            estimates: estimates.0.to_vec(),
        }
    }

    /// About how many rows of the table belong to people who are unique in the population.
    pub fn expected_in_table(&self) -> f64 {
        self.rows_of_uniques
    }
}

/// What the model of the journalist's risk says.
struct GrowthEstimate {
    model: FittedSuperpopulation,
    /// The mean of 1/F over the rows.
    mean: f64,
}

impl GrowthEstimate {
    /// Whether a share of unique people can be, where 1/F has this mean: those have 1, all others 1/2 at most.
    fn agrees(&self, share: f64) -> bool {
        share <= self.mean + 1e-9 && self.mean <= (1.0 + share) / 2.0 + 1e-9
    }
}

impl Estimate {
    fn new(estimator: Estimator, uniques: Option<f64>, population: f64, about: String) -> Self {
        let uniques = uniques.filter(|uniques| uniques.is_finite());
        Estimate {
            estimator,
            converged: uniques.is_some(),
            uniques,
            standard_error: None,
            share: uniques.map(|uniques| uniques / population),
            about,
        }
    }
}

fn pitman(sizes: &ClassSizes, population: f64) -> Estimate {
    let fitted = Pitman::fit(sizes);
    let (uniques, about) = match fitted {
        Some(fitted) if fitted.is_valid() => {
            let Pitman { theta, alpha } = fitted;
            let about = format!("theta {theta:.4}, alpha {alpha:.6}");
            (Some(fitted.uniques(population)), about)
        }
        Some(Pitman { alpha, .. }) => (
            None,
            format!(
                "it does not fit: the classes are more even than the formula allows (alpha = \
                 {alpha:.4}, below 0)"
            ),
        ),
        None if sizes.unique() == sizes.rows() => {
            (None, "every row is unique, so that the likelihood has no maximum".to_owned())
        }
        None => (
            None,
            "the classes are as even as if all were equally likely: the likelihood has no maximum"
                .to_owned(),
        ),
    };
    Estimate::new(Estimator::Pitman, uniques, population, about)
}

fn ewens(sizes: &ClassSizes, fraction: f64, population: f64) -> Estimate {
    let Some(Ewens { theta }) = Ewens::fit(sizes) else {
        let about = "every row is unique, so that the likelihood has no maximum".to_owned();
        return Estimate::new(Estimator::Ewens, None, population, about);
    };
    let rows = sizes.rows() as f64;
    let alone = (rows + theta) / (rows / fraction + theta);
    let uniques = (sizes.unique() as f64 * alone / fraction).min(population);
    Estimate::new(Estimator::Ewens, Some(uniques), population, format!("theta {theta:.4}"))
}

fn snb(sizes: &ClassSizes, fraction: f64, population: f64) -> Estimate {
    let fitted = SlideNegativeBinomial::fit(sizes, fraction);
    let about = match fitted {
        Some(SlideNegativeBinomial { classes, alpha, beta }) => format!(
            "alpha {alpha:.6}, beta {beta:.6}, {} classes in the population",
            thousands(classes.round() as u64)
        ),
        None if sizes.of_size(2) == 0 => {
            "no class holds two rows, as its equations need".to_owned()
        }
        None => "its equations have no solution".to_owned(),
    };
    let uniques = fitted.map(|fitted| fitted.uniques(population));
    Estimate::new(Estimator::Snb, uniques, population, about)
}

/// Skinner and Elliot's estimate, as the [requirement on population uniqueness](UniquenessLimit) makes it.
fn skinner_elliot(sizes: &ClassSizes, fraction: f64, population: f64) -> Estimate {
    let (alone, pairs) = (sizes.unique(), sizes.of_size(2));
    let in_table = UniquenessLimit { share: 1.0, fraction }.estimate(&RiskTally {
        alone,
        pairs,
        ..RiskTally::default()
    });
    let match_rate = in_table / alone.max(1) as f64;
    let about =
        format!("a row that is alone matches one person with chance {:.1} %", 100.0 * match_rate);
    Estimate::new(Estimator::SkinnerElliot, Some(in_table / fraction), population, about)
}

/// The estimates, in the order of [`ESTIMATORS`].
struct UniquenessEstimates([Estimate; ESTIMATORS.len()]);

const ESTIMATORS: [Estimator; 5] = [
    Estimator::Pitman,
    Estimator::Ewens,
    Estimator::Zayatz,
    Estimator::Snb,
    Estimator::SkinnerElliot,
];

impl UniquenessEstimates {
    fn of(sizes: &ClassSizes, fraction: f64) -> Self {
        let population = sizes.rows() as f64 / fraction;
        let zayatz = Estimate::new(
            Estimator::Zayatz,
            Some(zayatz::uniques(sizes, population)),
            population,
            "from the sizes of the table's classes alone".to_owned(),
        );
        UniquenessEstimates([
            pitman(sizes, population),
            ewens(sizes, fraction, population),
            zayatz,
            snb(sizes, fraction, population),
            skinner_elliot(sizes, fraction, population),
        ])
    }

    /// The chosen one with its reason: that of Dankar and others, unless it contradicts the journalist's risk.
    fn rule(&self, fraction: f64, growth: &GrowthEstimate) -> (&Estimate, String) {
        let (chosen, why) = self.usual(fraction);
        if chosen.share.is_some_and(|share| growth.agrees(share)) {
            return (chosen, why);
        }
        let [pitman, ewens, zayatz, ..] = &self.0;
        let model = match growth.model.model {
            SuperpopulationModel::Pitman => pitman,
            SuperpopulationModel::Ewens => ewens,
            SuperpopulationModel::AllUnique => zayatz,
        };
        if model.estimator == chosen.estimator {
            return (chosen, why);
        }
        let usual = chosen.estimator.name();
        (
            model,
            format!(
                "{usual}'s would be chosen by the sampling fraction, but it contradicts the journalist's risk"
            ),
        )
    }

    fn usual(&self, fraction: f64) -> (&Estimate, String) {
        let [pitman, ewens, zayatz, snb, _] = &self.0;
        // A fraction that was computed from rows and people may miss 0.1 by its last bit.
        if fraction <= 0.1 * (1.0 + 1e-9) {
            let none = "Pitman's, meant for fractions up to 0.1, has no answer";
            return match (pitman.converged, ewens.converged) {
                (true, _) => (pitman, "the sampling fraction is at most 0.1".to_owned()),
                (false, true) => (ewens, none.to_owned()),
                (false, false) => (zayatz, none.to_owned()),
            };
        }
        let above = "the sampling fraction is above 0.1";
        match snb.uniques.zip(zayatz.uniques) {
            Some((slide, other)) if slide <= other => {
                (snb, format!("{above}, and it is the lesser of this and Zayatz's"))
            }
            Some(_) => (zayatz, format!("{above}, and it is the lesser of this and the slide one")),
            None => (zayatz, format!("{above}, and the slide negative binomial one has no answer")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn of(sizes: &[u64], fraction: f64) -> PopulationUniqueness {
        PopulationUniqueness::estimate(&ClassSizes::of(sizes.iter().copied()), fraction).unwrap()
    }

    fn part(found: &PopulationUniqueness, of: Estimator) -> &Estimate {
        found.estimates.iter().find(|estimate| estimate.estimator == of).unwrap()
    }

    #[test]
    fn odd_tables_have_sensible_answers() {
        let cases: [&[u64]; 8] =
            [&[1], &[1, 1], &[2], &[1, 2], &[1; 100], &[3; 100], &[1, 1_000_000], &[1, 2, 2, 2]];
        for sizes in cases {
            for fraction in [1e-9, 1e-3, 0.1, 0.100001, 0.5, 0.999999, 1.0] {
                let found = of(sizes, fraction);
                assert!(
                    found.uniques >= 0.0 && found.uniques <= found.population * (1.0 + 1e-9),
                    "{sizes:?} {fraction}: {found:?}"
                );
                for estimate in &found.estimates {
                    assert_eq!(estimate.converged, estimate.uniques.is_some());
                    assert!(estimate.share.is_none_or(|share| (0.0..=1.0 + 1e-9).contains(&share)));
                }
            }
        }
        assert_eq!(of(&[2, 3, 9], 0.01).uniques, 0.0);
        assert_eq!(of(&[1, 1, 3, 9], 1.0).uniques, 2.0);
        let everybody = of(&[1; 50], 0.05);
        assert_eq!((everybody.chosen, everybody.share), (Estimator::Zayatz, 1.0));
    }

    #[test]
    fn impossible_questions_are_refused() {
        for fraction in [0.0, -0.1, 1.5, f64::NAN, f64::INFINITY] {
            assert!(PopulationUniqueness::estimate(&ClassSizes::of([1]), fraction).is_err());
        }
        assert!(PopulationUniqueness::estimate(&ClassSizes::of([]), 0.5).is_err());
    }

    /// Zayatz by hand: 2 uniques and a pair in a sample of 4 of 8. A pair is seen once with chance
    /// 2 * 4 * 4 / (8 * 7) = 4/7, a single with 1/2. 2 * (2/2) / (2/2 + 4/7) / 0.5.
    #[test]
    fn zayatz_is_the_hypergeometric_one() {
        let found = of(&[1, 1, 2], 0.5);
        let zayatz = part(&found, Estimator::Zayatz).uniques.unwrap();
        assert!((zayatz - 4.0 / (1.0 + 4.0 / 7.0)).abs() < 1e-12, "{zayatz}");
    }

    /// The parameters of a fit make the derivatives of the likelihood vanish, summed term by term.
    #[test]
    fn pitman_is_the_likeliest() {
        let even: Vec<u64> = (0..300).map(|at| 1 + at % 14).collect();
        let heavy: Vec<u64> = (1..400u64).map(|at| 1 + 400 / (at * at)).collect();
        for sizes in [even, heavy, vec![1, 1, 1, 2, 5]] {
            let sizes = ClassSizes::of(sizes);
            let Pitman { theta, alpha } = Pitman::fit(&sizes).unwrap();
            let sum = |to: u64, term: &dyn Fn(f64) -> f64| -> f64 {
                (1..to).map(|i| term(i as f64)).sum()
            };
            let by_theta = sum(sizes.classes(), &|i| 1.0 / (theta + i * alpha))
                - sum(sizes.rows(), &|i| 1.0 / (theta + i));
            let within: f64 = sizes
                .iter()
                .map(|(size, many)| many as f64 * sum(size, &|i| 1.0 / (i - alpha)))
                .sum();
            let by_alpha = sum(sizes.classes(), &|i| i / (theta + i * alpha)) - within;
            assert!(by_theta.abs() < 1e-7, "theta {theta}, alpha {alpha}: {by_theta}");
            assert!(by_alpha.abs() < 1e-5 * within, "theta {theta}, alpha {alpha}: {by_alpha}");
        }
    }

    /// Both equations of the slide negative binomial model hold, written out as in the reference.
    #[test]
    fn slide_solves_its_equations() {
        let sizes: Vec<u64> = (1..2000u64).map(|at| 1 + 900 / at).collect();
        let sizes = ClassSizes::of(sizes);
        for f in [0.02, 0.2, 0.6] {
            let SlideNegativeBinomial { classes, alpha, beta } =
                SlideNegativeBinomial::fit(&sizes, f).unwrap();
            let q = (1.0 - f) * (1.0 - beta);
            let once = classes * f * (beta / (1.0 - q)).powf(alpha) * (1.0 + alpha * q / (1.0 - q));
            let twice = classes * f * f / 2.0 * (1.0 - beta) * alpha * beta.powf(alpha)
                / (1.0 - q).powf(alpha + 2.0)
                * (2.0 - (1.0 - alpha) * q);
            assert!((once / sizes.unique() as f64 - 1.0).abs() < 1e-6, "{once}");
            assert!((twice / sizes.of_size(2) as f64 - 1.0).abs() < 1e-6, "{twice}");
        }
    }

    #[test]
    fn the_rule_chooses_by_the_fraction() {
        let sizes: Vec<u64> = (1..2000u64).map(|at| 1 + 900 / at).collect();
        assert_eq!(of(&sizes, 0.1).chosen, Estimator::Pitman);
        let above = of(&sizes, 0.3);
        let lesser = [Estimator::Zayatz, Estimator::Snb]
            .map(|estimator| part(&above, estimator).uniques.unwrap());
        assert_eq!(above.uniques, lesser[0].min(lesser[1]));
        // Without a class of two the slide model has no answer.
        assert_eq!(of(&[1, 1, 1, 3], 0.3).chosen, Estimator::Zayatz);
    }
}
