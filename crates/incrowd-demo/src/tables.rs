//! What the synthetic census is made of: values with their generalizations, and weights.
//!
//! The values are those of the census extracts that the literature uses. The weights are round
//! numbers set by hand after the shares and correlations that such extracts show, with more people
//! born abroad; they hold nobody's record.

/// A categorical value and what it becomes at each level between itself and `*`.
pub(super) struct HierarchyRow {
    pub(super) name: &'static str,
    pub(super) levels: &'static [&'static str],
}

const fn value(name: &'static str, levels: &'static [&'static str]) -> HierarchyRow {
    HierarchyRow { name, levels }
}

/// The youngest person in the census.
pub(super) const YOUNGEST: usize = 17;
/// The oldest: older ones are counted as this, as censuses do.
pub(super) const OLDEST: usize = 90;

/// How many there are of an age; between these points the weights lie on straight lines.
pub(super) const AGE_POINTS: [(usize, u64); 14] = [
    (YOUNGEST, 340),
    (19, 580),
    (23, 780),
    (28, 800),
    (36, 840),
    (42, 750),
    (47, 680),
    (51, 540),
    (56, 350),
    (61, 260),
    (66, 110),
    (72, 45),
    (80, 14),
    (OLDEST - 1, 2),
];
/// The weight of all who are of the oldest age or older.
pub(super) const OLDEST_WEIGHT: u64 = 35;

/// The ages as text.
#[rustfmt::skip]
pub(super) const AGES: [&str; OLDEST - YOUNGEST + 1] = [
    "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32",
    "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48",
    "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63", "64",
    "65", "66", "67", "68", "69", "70", "71", "72", "73", "74", "75", "76", "77", "78", "79", "80",
    "81", "82", "83", "84", "85", "86", "87", "88", "89", "90",
];

/// Stages of life, which most other columns depend on: the ages at which each but the first starts.
const STAGE_STARTS: [usize; STAGES - 1] = [20, 25, 30, 40, 50, 65];
/// How many stages of life there are.
pub(super) const STAGES: usize = 7;

/// The stage of life that an age belongs to.
pub(super) fn stage(age: usize) -> usize {
    STAGE_STARTS.iter().take_while(|&&start| age >= start).count()
}

pub(super) const SEX: [HierarchyRow; 2] = [value("Female", &[]), value("Male", &[])];

/// Female and male, by stage of life.
pub(super) const SEX_WEIGHTS: [[u64; 2]; STAGES] =
    [[48, 52], [42, 58], [35, 65], [30, 70], [30, 70], [28, 72], [32, 68]];

pub(super) const MARITAL: [HierarchyRow; 7] = [
    value("Married-civ-spouse", &["Spouse present"]),
    value("Married-AF-spouse", &["Spouse present"]),
    value("Married-spouse-absent", &["Spouse not present"]),
    value("Separated", &["Spouse not present"]),
    value("Divorced", &["Spouse not present"]),
    value("Widowed", &["Spouse not present"]),
    value("Never-married", &["Spouse not present"]),
];

/// Marital status by sex and stage of life: people marry, then part, then are left alone.
pub(super) const MARITAL_WEIGHTS: [[[u64; 7]; STAGES]; 2] = [
    [
        [15, 2, 4, 7, 8, 0, 964],
        [60, 1, 10, 25, 30, 1, 873],
        [150, 1, 20, 45, 120, 4, 660],
        [200, 2, 20, 80, 310, 18, 370],
        [200, 1, 24, 90, 440, 50, 195],
        [180, 0, 25, 65, 400, 220, 110],
        [70, 0, 15, 25, 210, 580, 100],
    ],
    [
        [15, 0, 1, 0, 1, 0, 983],
        [160, 0, 6, 10, 14, 0, 810],
        [440, 1, 7, 20, 45, 1, 486],
        [660, 1, 8, 25, 95, 2, 209],
        [750, 0, 12, 20, 125, 4, 89],
        [820, 0, 9, 14, 95, 14, 48],
        [790, 0, 12, 10, 43, 85, 60],
    ],
];

pub(super) const RACE: [HierarchyRow; 5] = [
    value("White", &[]),
    value("Black", &[]),
    value("Asian-Pac-Islander", &[]),
    value("Amer-Indian-Eskimo", &[]),
    value("Other", &[]),
];

pub(super) const RACE_WEIGHTS: [u64; 5] = [860, 93, 30, 10, 7];

/// The parts of the world between which schooling differs most.
#[derive(Clone, Copy)]
pub(super) enum BirthRegion {
    Home,
    Latin,
    Asia,
    Europe,
}

/// A country of birth: where it lies, and its weight within each race.
pub(super) struct BirthCountry {
    pub(super) value: HierarchyRow,
    pub(super) region: BirthRegion,
    pub(super) weights: [u64; 5],
}

const fn country(
    name: &'static str,
    levels: &'static [&'static str],
    region: BirthRegion,
    weights: [u64; 5],
) -> BirthCountry {
    BirthCountry { value: value(name, levels), region, weights }
}

/// On top of every country's weight, by race: a few people of any race are born anywhere, and it is
/// such people that a census gives away.
pub(super) const COUNTRY_TRACE: [u64; 5] = [3, 10, 10, 20, 20];

const NORTH: &[&str] = &["North America", "America"];
const CENTRAL: &[&str] = &["Central America", "America"];
const CARIBBEAN: &[&str] = &["Caribbean", "America"];
const SOUTH: &[&str] = &["South America", "America"];
const WEST_EUROPE: &[&str] = &["Western Europe", "Europe"];
const EAST_EUROPE: &[&str] = &["Eastern Europe", "Europe"];
const SOUTH_EUROPE: &[&str] = &["Southern Europe", "Europe"];
const EAST_ASIA: &[&str] = &["Eastern Asia", "Asia"];
const SOUTH_ASIA: &[&str] = &["Southern Asia", "Asia"];
const SOUTHEAST_ASIA: &[&str] = &["Southeastern Asia", "Asia"];

#[rustfmt::skip]
pub(super) const COUNTRIES: [BirthCountry; 41] = [
    country("United-States", NORTH, BirthRegion::Home, [6200, 6400, 2000, 7500, 4000]),
    country("Canada", NORTH, BirthRegion::Home, [40, 0, 10, 0, 0]),
    country("Mexico", CENTRAL, BirthRegion::Latin, [215, 8, 0, 280, 1650]),
    country("El-Salvador", CENTRAL, BirthRegion::Latin, [36, 0, 0, 0, 170]),
    country("Guatemala", CENTRAL, BirthRegion::Latin, [22, 0, 0, 0, 170]),
    country("Honduras", CENTRAL, BirthRegion::Latin, [5, 0, 0, 0, 0]),
    country("Nicaragua", CENTRAL, BirthRegion::Latin, [10, 4, 0, 0, 170]),
    country("Cuba", CARIBBEAN, BirthRegion::Latin, [33, 10, 0, 0, 90]),
    country("Dominican-Republic", CARIBBEAN, BirthRegion::Latin, [14, 40, 0, 0, 780]),
    country("Haiti", CARIBBEAN, BirthRegion::Latin, [0, 150, 0, 0, 0]),
    country("Jamaica", CARIBBEAN, BirthRegion::Latin, [0, 260, 0, 0, 0]),
    country("Puerto-Rico", CARIBBEAN, BirthRegion::Latin, [30, 32, 0, 35, 870]),
    country("Trinidad-and-Tobago", CARIBBEAN, BirthRegion::Latin, [0, 55, 20, 0, 40]),
    country("Colombia", SOUTH, BirthRegion::Latin, [19, 0, 0, 35, 260]),
    country("Ecuador", SOUTH, BirthRegion::Latin, [7, 0, 0, 0, 390]),
    country("Peru", SOUTH, BirthRegion::Latin, [11, 0, 0, 0, 40]),
    country("England", WEST_EUROPE, BirthRegion::Europe, [30, 25, 0, 0, 0]),
    country("France", WEST_EUROPE, BirthRegion::Europe, [10, 0, 0, 0, 0]),
    country("Germany", WEST_EUROPE, BirthRegion::Europe, [46, 22, 20, 35, 0]),
    country("Ireland", WEST_EUROPE, BirthRegion::Europe, [9, 0, 0, 0, 0]),
    country("Netherlands", WEST_EUROPE, BirthRegion::Europe, [1, 0, 0, 0, 0]),
    country("Scotland", WEST_EUROPE, BirthRegion::Europe, [4, 0, 0, 0, 0]),
    country("Hungary", EAST_EUROPE, BirthRegion::Europe, [5, 0, 0, 0, 0]),
    country("Poland", EAST_EUROPE, BirthRegion::Europe, [21, 0, 0, 0, 0]),
    country("Yugoslavia", EAST_EUROPE, BirthRegion::Europe, [6, 0, 0, 0, 0]),
    country("Greece", SOUTH_EUROPE, BirthRegion::Europe, [11, 0, 0, 0, 0]),
    country("Italy", SOUTH_EUROPE, BirthRegion::Europe, [26, 0, 0, 0, 0]),
    country("Portugal", SOUTH_EUROPE, BirthRegion::Europe, [13, 0, 0, 0, 0]),
    country("China", EAST_ASIA, BirthRegion::Asia, [0, 0, 740, 0, 0]),
    country("Hong-Kong", EAST_ASIA, BirthRegion::Asia, [0, 0, 180, 0, 0]),
    country("Japan", EAST_ASIA, BirthRegion::Asia, [7, 0, 410, 0, 40]),
    country("South-Korea", EAST_ASIA, BirthRegion::Asia, [0, 0, 760, 0, 0]),
    country("Taiwan", EAST_ASIA, BirthRegion::Asia, [0, 0, 450, 0, 0]),
    country("India", SOUTH_ASIA, BirthRegion::Asia, [3, 0, 950, 0, 220]),
    country("Iran", SOUTH_ASIA, BirthRegion::Asia, [13, 0, 70, 0, 90]),
    country("Cambodia", SOUTHEAST_ASIA, BirthRegion::Asia, [0, 0, 200, 0, 0]),
    country("Laos", SOUTHEAST_ASIA, BirthRegion::Asia, [0, 0, 190, 0, 0]),
    country("Philippines", SOUTHEAST_ASIA, BirthRegion::Asia, [3, 0, 1990, 0, 0]),
    country("Thailand", SOUTHEAST_ASIA, BirthRegion::Asia, [0, 0, 170, 0, 0]),
    country("Vietnam", SOUTHEAST_ASIA, BirthRegion::Asia, [0, 0, 690, 0, 0]),
    country("Guam", &["Oceania", "Oceania"], BirthRegion::Home, [3, 20, 40, 0, 0]),
];

const PRIMARY: &[&str] = &["Primary school", "Without diploma"];
const SECONDARY: &[&str] = &["High school, unfinished", "Without diploma"];
const DIPLOMA: &[&str] = &["High school", "Secondary education"];
const COLLEGE: &[&str] = &["Some college", "Secondary education"];
const UNDERGRADUATE: &[&str] = &["Undergraduate", "Higher education"];
const GRADUATE: &[&str] = &["Graduate", "Higher education"];

/// From no schooling to most.
pub(super) const EDUCATION: [HierarchyRow; 16] = [
    value("Preschool", PRIMARY),
    value("1st-4th", PRIMARY),
    value("5th-6th", PRIMARY),
    value("7th-8th", PRIMARY),
    value("9th", SECONDARY),
    value("10th", SECONDARY),
    value("11th", SECONDARY),
    value("12th", SECONDARY),
    value("HS-grad", DIPLOMA),
    value("Some-college", COLLEGE),
    value("Assoc-voc", COLLEGE),
    value("Assoc-acdm", COLLEGE),
    value("Bachelors", UNDERGRADUATE),
    value("Masters", GRADUATE),
    value("Prof-school", GRADUATE),
    value("Doctorate", GRADUATE),
];

/// Education by stage of life: the young have not had the time, the old not the schools.
pub(super) const EDUCATION_WEIGHTS: [[u64; 16]; STAGES] = [
    [0, 1, 4, 12, 25, 108, 245, 80, 270, 250, 3, 2, 0, 0, 0, 0],
    [1, 2, 9, 10, 13, 19, 28, 15, 317, 380, 36, 32, 132, 6, 0, 0],
    [1, 3, 9, 10, 13, 24, 26, 10, 335, 208, 49, 39, 220, 36, 13, 4],
    [1, 3, 7, 11, 13, 19, 26, 9, 342, 202, 54, 42, 191, 51, 19, 10],
    [1, 4, 9, 15, 12, 17, 19, 6, 303, 208, 49, 38, 187, 87, 28, 17],
    [2, 8, 13, 36, 20, 35, 25, 10, 347, 178, 33, 24, 142, 76, 23, 23],
    [3, 12, 18, 70, 26, 44, 33, 8, 322, 174, 29, 9, 133, 57, 32, 30],
];

/// Steps of schooling, between which work and pay differ most.
pub(super) const TIERS: usize = 6;

/// The tier of each education.
pub(super) const TIER_OF_EDUCATION: [usize; 16] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 3, 3, 4, 4, 5, 5];

/// How much more (above 100) or less likely each tier is by [`BirthRegion`] than at home.
pub(super) const REGION_FACTORS: [[u64; TIERS]; 4] = [
    [50, 70, 120, 100, 95, 70],
    [900, 160, 80, 60, 45, 50],
    [130, 60, 60, 70, 200, 300],
    [140, 60, 90, 80, 120, 170],
];

pub(super) const OCCUPATION: [HierarchyRow; 14] = [
    value("Exec-managerial", &["White-collar"]),
    value("Prof-specialty", &["White-collar"]),
    value("Tech-support", &["White-collar"]),
    value("Adm-clerical", &["White-collar"]),
    value("Sales", &["White-collar"]),
    value("Craft-repair", &["Blue-collar"]),
    value("Machine-op-inspct", &["Blue-collar"]),
    value("Transport-moving", &["Blue-collar"]),
    value("Handlers-cleaners", &["Blue-collar"]),
    value("Farming-fishing", &["Blue-collar"]),
    value("Other-service", &["Service"]),
    value("Priv-house-serv", &["Service"]),
    value("Protective-serv", &["Service"]),
    value("Armed-Forces", &["Service"]),
];

/// Occupation by tier of schooling, before sex and stage of life.
pub(super) const OCCUPATION_WEIGHTS: [[u64; 14]; TIERS] = [
    [20, 4, 2, 15, 45, 170, 160, 85, 95, 120, 190, 28, 6, 0],
    [30, 13, 5, 58, 110, 175, 110, 90, 105, 45, 225, 12, 7, 0],
    [80, 23, 16, 135, 107, 193, 103, 83, 61, 41, 127, 5, 22, 1],
    [128, 83, 53, 180, 135, 138, 46, 39, 34, 27, 105, 2, 31, 0],
    [272, 342, 38, 85, 138, 37, 10, 10, 8, 13, 28, 0, 17, 0],
    [110, 815, 8, 13, 27, 10, 0, 5, 0, 5, 4, 0, 0, 0],
];

/// How much more or less likely each occupation is by sex.
pub(super) const OCCUPATION_BY_SEX: [[u64; 14]; 2] = [
    [90, 115, 115, 200, 106, 17, 85, 17, 38, 24, 165, 280, 38, 0],
    [106, 94, 93, 48, 97, 140, 107, 140, 130, 136, 66, 10, 130, 150],
];

/// How much more or less likely each occupation is by stage of life.
pub(super) const OCCUPATION_BY_STAGE: [[u64; 14]; STAGES] = [
    [15, 20, 30, 80, 160, 40, 60, 45, 210, 120, 230, 250, 30, 0],
    [45, 50, 90, 140, 115, 80, 100, 75, 190, 110, 150, 100, 80, 150],
    [85, 95, 130, 105, 95, 105, 105, 90, 130, 90, 90, 60, 115, 150],
    [105, 105, 125, 95, 95, 115, 105, 105, 95, 85, 85, 60, 120, 100],
    [125, 115, 100, 95, 95, 105, 100, 110, 70, 80, 80, 80, 105, 30],
    [125, 105, 75, 95, 100, 100, 105, 115, 60, 120, 95, 150, 75, 0],
    [115, 105, 35, 100, 130, 55, 55, 90, 45, 240, 125, 400, 60, 0],
];

pub(super) const WORKCLASS: [HierarchyRow; 7] = [
    value("Private", &["Non-government"]),
    value("Self-emp-not-inc", &["Non-government"]),
    value("Self-emp-inc", &["Non-government"]),
    value("Federal-gov", &["Government"]),
    value("State-gov", &["Government"]),
    value("Local-gov", &["Government"]),
    value("Without-pay", &["Unpaid"]),
];

/// Work class by occupation.
pub(super) const WORKCLASS_WEIGHTS: [[u64; 7]; 14] = [
    [665, 95, 95, 45, 47, 53, 0],
    [560, 90, 39, 41, 100, 170, 0],
    [795, 29, 4, 70, 60, 42, 0],
    [750, 14, 8, 85, 67, 76, 0],
    [808, 105, 77, 4, 3, 3, 0],
    [780, 130, 26, 16, 14, 34, 0],
    [957, 18, 5, 7, 7, 6, 0],
    [793, 75, 17, 15, 26, 74, 0],
    [929, 12, 1, 16, 7, 34, 1],
    [455, 435, 52, 8, 15, 29, 6],
    [830, 54, 8, 11, 38, 59, 0],
    [1000, 0, 0, 0, 0, 0, 0],
    [290, 9, 8, 42, 180, 471, 0],
    [0, 0, 0, 1000, 0, 0, 0],
];

/// How much more or less likely each work class is by stage of life: businesses take years.
pub(super) const WORKCLASS_BY_STAGE: [[u64; 7]; STAGES] = [
    [112, 25, 10, 15, 60, 60, 300],
    [110, 35, 20, 45, 110, 55, 150],
    [106, 65, 50, 85, 100, 80, 50],
    [101, 95, 95, 105, 95, 95, 50],
    [95, 115, 135, 125, 105, 120, 50],
    [90, 145, 160, 120, 105, 135, 150],
    [75, 260, 210, 70, 90, 100, 300],
];

pub(super) const INCOME: [HierarchyRow; 2] = [value("<=50K", &[]), value(">50K", &[])];

// The odds of a high income are the product of these, each in hundredths.
pub(super) const INCOME_ODDS_BY_EDUCATION: [u64; 16] =
    [8, 18, 20, 28, 28, 36, 38, 48, 85, 115, 130, 135, 250, 350, 560, 600];
pub(super) const INCOME_ODDS_BY_STAGE: [u64; STAGES] = [2, 10, 45, 85, 125, 130, 80];
pub(super) const INCOME_ODDS_BY_MARITAL: [u64; 7] = [160, 160, 18, 16, 22, 20, 14];
pub(super) const INCOME_ODDS_BY_SEX: [u64; 2] = [80, 105];
pub(super) const INCOME_ODDS_BY_OCCUPATION: [u64; 14] =
    [180, 130, 135, 85, 110, 85, 60, 75, 40, 28, 30, 12, 140, 100];
pub(super) const INCOME_ODDS_BY_WORKCLASS: [u64; 7] = [48, 33, 66, 85, 45, 50, 5];
