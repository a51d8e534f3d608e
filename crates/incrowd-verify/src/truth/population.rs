//! How many people of a population fit each class of a release.

use hashbrown::HashMap;

use super::domain::{Cover, Domain};
use crate::collected_tables::CollectedTables;
use crate::columns::ReleaseForm;
use crate::intern::ValueDictionary;
use crate::risks::Population;

/// So many combinations are looked at at once.
const CHUNK: usize = 1 << 14;

/// What a population says of a release.
pub(crate) struct PopulationFit {
    /// How many people fit each class.
    pub(crate) people: Vec<u64>,
    /// The least and the most probability of a person to be in the release.
    pub(crate) presence: (f64, f64),
}

/// Meets the classes of a release with a population.
pub(crate) fn fit(collected: &CollectedTables, population: &Population) -> PopulationFit {
    let requirements = &collected.requirements;
    let missing = &requirements.missing;
    let mut values: Vec<ValueDictionary> = collected
        .quasi
        .iter()
        .map(|quasi| ValueDictionary::new(requirements.style(&quasi.name)))
        .collect();
    let mut codes: Vec<u32> = Vec::with_capacity(population.people.len() * values.len());
    for ((person, _), row) in population.people.iter().zip(0..) {
        for (field, values) in person.iter().zip(&mut values) {
            let code = values.intern(field.as_bytes(), row, missing);
            codes.push(code.expect("a string is UTF-8"));
        }
    }
    let domains: Vec<Domain<'_>> = values
        .iter()
        .zip(&collected.quasi)
        .map(|(values, quasi)| {
            let name = &quasi.name;
            let (ladder, dates) = (requirements.ladders.get(name), requirements.dates.get(name));
            let order = requirements.orders.get(name).map(Vec::as_slice);
            Domain::new(values, missing, ladder, dates, order)
        })
        .collect();
    let sides: Vec<BoxSide> = collected
        .quasi
        .iter()
        .zip(&domains)
        .map(|(quasi, domain)| BoxSide {
            is_compared: !requirements.unchecked.contains(&quasi.name),
            ..BoxSide::new(collected, quasi.form, domain)
        })
        .collect();
    let width = domains.len();
    let classes = collected.classes.len();
    let mut people = vec![0; classes];
    let mut chances = vec![0.0; population.people.len()];
    // Once to count the people of each class, once more to add up what each of them is at.
    for second in [false, true] {
        for from in (0..population.people.len()).step_by(CHUNK) {
            let to = population.people.len().min(from + CHUNK);
            let bits: Vec<Vec<u64>> = (0..width)
                .map(|at| {
                    let rank = |place: usize| domains[at].rank[codes[place * width + at] as usize];
                    let ranks: Vec<u32> = (from..to).map(rank).collect();
                    sides[at].bits(&ranks)
                })
                .collect();
            let words = (to - from).div_ceil(64);
            for (class, fitting) in people.iter_mut().enumerate() {
                let share = collected.classes.count(class) as f64 / (*fitting).max(1) as f64;
                for word in 0..words {
                    let of = bits.iter().zip(&sides).filter(|(_, side)| side.is_compared);
                    let mut all = of.fold(u64::MAX, |all, (bits, side)| {
                        all & bits[side.of_class[class] as usize * words + word]
                    });
                    while all != 0 {
                        let place = from + 64 * word + all.trailing_zeros() as usize;
                        match second {
                            false => *fitting += population.people[place].1,
                            true => chances[place] += share,
                        }
                        all &= all - 1;
                    }
                }
            }
        }
        if population.presence.is_none() {
            break;
        }
    }
    let least = chances.iter().copied().fold(1.0, f64::min);
    let most = chances.iter().copied().fold(0.0, f64::max);
    PopulationFit { people, presence: (least, most) }
}

/// What the labels of a quasi-identifier cover.
struct BoxSide {
    covers: Vec<Cover>,
    /// Which of them each class shows.
    of_class: Vec<u32>,
    /// Whether people must be among them: a mean contains nobody's value, and rules nobody out.
    is_compared: bool,
}

impl BoxSide {
    fn new(collected: &CollectedTables, form: ReleaseForm, domain: &Domain<'_>) -> Self {
        let mut side = BoxSide { covers: Vec::new(), of_class: Vec::new(), is_compared: true };
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let pairs = match form {
            ReleaseForm::Label(at) => domain.pairs_are_ranges(collected.labels[at].iter()),
            ReleaseForm::Bounds(..) => false,
        };
        for class in 0..collected.classes.len() {
            let key = collected.classes.key(class);
            let label = match form {
                ReleaseForm::Label(at) => (key[at], key[at]),
                ReleaseForm::Bounds(least, most) => (key[least], key[most]),
            };
            let place = *known.entry(label).or_insert_with(|| {
                let cover = match form {
                    ReleaseForm::Label(at) => {
                        domain.cover(collected.labels[at].get(key[at]), pairs)
                    }
                    ReleaseForm::Bounds(least, most) => {
                        let text = |at: usize| collected.labels[at].get(key[at]);
                        domain.cover_of_bounds(text(least), text(most))
                    }
                };
                // A value that is missing is not one that was suppressed: nobody of a population without gaps has it.
                let is_gap = cover.taken_for == Some("a suppressed value");
                side.covers.push(if is_gap { Cover::new(Vec::new(), true) } else { cover });
                side.covers.len() as u32 - 1
            });
            side.of_class.push(place);
        }
        side
    }

    /// For each cover a bit for each of these ranks that it contains.
    fn bits(&self, ranks: &[u32]) -> Vec<u64> {
        let words = ranks.len().div_ceil(64);
        let mut bits = vec![0; self.covers.len() * words];
        for (cover, bits) in self.covers.iter().zip(bits.chunks_exact_mut(words)) {
            for (place, _) in ranks.iter().enumerate().filter(|(_, rank)| cover.contains(**rank)) {
                bits[place / 64] |= 1 << (place % 64);
            }
        }
        bits
    }
}
