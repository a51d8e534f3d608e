//! How one person follows from nine random words.

use super::alias::AliasTable;
use super::tables::{
    AGE_POINTS, AGES, BirthCountry, COUNTRIES, COUNTRY_TRACE, EDUCATION, EDUCATION_WEIGHTS, INCOME,
    INCOME_ODDS_BY_EDUCATION, INCOME_ODDS_BY_MARITAL, INCOME_ODDS_BY_OCCUPATION,
    INCOME_ODDS_BY_SEX, INCOME_ODDS_BY_STAGE, INCOME_ODDS_BY_WORKCLASS, MARITAL, MARITAL_WEIGHTS,
    OCCUPATION, OCCUPATION_BY_SEX, OCCUPATION_BY_STAGE, OCCUPATION_WEIGHTS, OLDEST, OLDEST_WEIGHT,
    RACE, RACE_WEIGHTS, REGION_FACTORS, SEX, SEX_WEIGHTS, STAGES, TIER_OF_EDUCATION, TIERS,
    WORKCLASS, WORKCLASS_BY_STAGE, WORKCLASS_WEIGHTS, YOUNGEST, stage,
};
use crate::{COLUMNS, Person};

/// The distributions of all columns, each indexed by what it depends on.
#[derive(Debug)]
pub(super) struct CensusModel {
    age: AliasTable,
    sex: Vec<AliasTable>,
    marital: Vec<AliasTable>,
    race: AliasTable,
    country: Vec<AliasTable>,
    education: Vec<AliasTable>,
    occupation: Vec<AliasTable>,
    workclass: Vec<AliasTable>,
}

impl CensusModel {
    /// The model of the weights in `tables`.
    pub(super) fn new() -> Self {
        CensusModel {
            age: AliasTable::new(&age_weights()),
            sex: SEX_WEIGHTS.iter().map(|weights| AliasTable::new(weights)).collect(),
            marital: MARITAL_WEIGHTS
                .iter()
                .flatten()
                .map(|weights| AliasTable::new(weights))
                .collect(),
            race: AliasTable::new(&RACE_WEIGHTS),
            country: (0..RACE.len())
                .map(|race| {
                    let trace = COUNTRY_TRACE[race];
                    AliasTable::new(
                        &COUNTRIES.each_ref().map(|country| country.weights[race] + trace),
                    )
                })
                .collect(),
            education: REGION_FACTORS
                .iter()
                .flat_map(|factors| {
                    let factors = TIER_OF_EDUCATION.map(|tier| factors[tier]);
                    EDUCATION_WEIGHTS.iter().map(move |weights| product(&[weights, &factors]))
                })
                .collect(),
            occupation: OCCUPATION_BY_SEX
                .iter()
                .flat_map(|by_sex| OCCUPATION_WEIGHTS.iter().map(move |weights| (by_sex, weights)))
                .flat_map(|(by_sex, weights)| {
                    OCCUPATION_BY_STAGE
                        .iter()
                        .map(move |by_stage| product(&[weights, by_sex, by_stage]))
                })
                .collect(),
            workclass: WORKCLASS_WEIGHTS
                .iter()
                .flat_map(|weights| {
                    WORKCLASS_BY_STAGE.iter().map(move |by_stage| product(&[weights, by_stage]))
                })
                .collect(),
        }
    }

    /// Draws a person. Every person takes the same number of words, one per column.
    #[inline]
    pub(super) fn draw(&self, mut word: impl FnMut() -> u64) -> Person {
        let age = self.age.pick(word());
        let stage = stage(YOUNGEST + age);
        let sex = self.sex[stage].pick(word());
        let marital = self.marital[sex * STAGES + stage].pick(word());
        let race = self.race.pick(word());
        let country = self.country[race].pick(word());
        let BirthCountry { value: country, region, .. } = &COUNTRIES[country];
        let education = self.education[*region as usize * STAGES + stage].pick(word());
        let tier = TIER_OF_EDUCATION[education];
        let occupation = self.occupation[(sex * TIERS + tier) * STAGES + stage].pick(word());
        let workclass = self.workclass[occupation * STAGES + stage].pick(word());
        // Six factors in hundredths, each below a thousand: the products fit easily.
        let odds = INCOME_ODDS_BY_EDUCATION[education]
            * INCOME_ODDS_BY_STAGE[stage]
            * INCOME_ODDS_BY_MARITAL[marital]
            * INCOME_ODDS_BY_SEX[sex]
            * INCOME_ODDS_BY_OCCUPATION[occupation]
            * INCOME_ODDS_BY_WORKCLASS[workclass];
        let against = 100u64.pow(6);
        let high = (u128::from(word()) * u128::from(odds + against)) >> 64 < u128::from(odds);
        let values: [&'static str; COLUMNS] = [
            AGES[age],
            SEX[sex].name,
            RACE[race].name,
            MARITAL[marital].name,
            EDUCATION[education].name,
            country.name,
            WORKCLASS[workclass].name,
            OCCUPATION[occupation].name,
            INCOME[usize::from(high)].name,
        ];
        Person { age: (YOUNGEST + age) as u8, values }
    }
}

/// The distribution whose weights are the products of several.
fn product<const N: usize>(weights: &[&[u64; N]]) -> AliasTable {
    let mut products = [1u64; N];
    for weights in weights {
        for (product, weight) in products.iter_mut().zip(*weights) {
            *product *= weight;
        }
    }
    AliasTable::new(&products)
}

/// One weight per age, on straight lines between the points.
fn age_weights() -> Vec<u64> {
    let mut weights = Vec::with_capacity(AGES.len());
    for pair in AGE_POINTS.windows(2) {
        let ((from, start), (to, end)) = (pair[0], pair[1]);
        let steps = (to - from) as u64;
        weights.extend((0..steps).map(|step| (start * (steps - step) + end * step) / steps));
    }
    weights.extend(AGE_POINTS.last().map(|&(_, weight)| weight));
    weights.resize(OLDEST - YOUNGEST, 0);
    weights.push(OLDEST_WEIGHT);
    weights
}
