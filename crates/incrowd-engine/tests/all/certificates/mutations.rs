//! Damaged and forged certificates: whatever is confirmed of them holds.

use std::panic::{AssertUnwindSafe, catch_unwind};

use incrowd_testing::{LinearRng, cases};

use super::brute_force;
use super::case::{Case, Certificate, Search};

/// Changes something: bytes of the proof, k, the limit, the claim, cuts, or the table's hash.
fn mutate(certificate: &mut Certificate, random: &mut LinearRng) {
    let Certificate { head, body } = certificate;
    let size = body.len() as u64;
    match random.below(12) {
        0 => head["k"] = (1 + random.below(8)).into(),
        1 => head["limit"] = random.below(12).into(),
        2 => head["claim"] = (head["claim"].as_u64().unwrap() + 1 + random.below(100)).into(),
        3 => {
            let columns = head["columns"].as_array_mut().unwrap();
            let at = random.below(columns.len() as u64) as usize;
            columns[at]["made"] = serde_json::json!([]);
            columns[at]["refused"] = serde_json::json!([]);
        }
        4 if size > 0 => {
            body.remove(random.below(size) as usize);
        }
        5 => body.truncate(random.below(size + 1) as usize),
        6 if size > 0 => {
            // A part twice, or somewhere else.
            let from = random.below(size) as usize;
            let part: Vec<u8> =
                body[from..].iter().take(1 + random.below(9) as usize).copied().collect();
            let to = random.below(size) as usize;
            body.splice(to..to, part);
        }
        7 => body.insert(random.below(size + 1) as usize, random.below(9) as u8),
        8 if size > 2 => {
            let one = random.below(size) as usize;
            let other = random.below(size) as usize;
            body.swap(one, other);
        }
        _ if size > 0 => {
            let at = random.below(size) as usize;
            body[at] = match random.chance(2) {
                true => random.below(8) as u8,
                false => body[at].wrapping_add(1 + random.below(5) as u8),
            };
        }
        _ => {}
    }
}

#[test]
fn nothing_above_the_least_cost_is_ever_confirmed() {
    let (mut errors, mut lower, mut confirmed) = (0, 0, 0);
    for seed in 0..u64::from(cases(20_000)) {
        let mut random = LinearRng::new(seed / 8);
        let case = Case::random(&mut random);
        let search = Search::ALL[(seed % 3) as usize];
        let Some(mut certificate) = case.certificate(search) else { continue };
        let mut random = LinearRng::new(seed ^ 0x5eed);
        for _ in 0..1 + random.below(3) {
            mutate(&mut certificate, &mut random);
        }
        let checked = catch_unwind(AssertUnwindSafe(|| {
            incrowd_check::check(case.text().as_bytes(), &certificate.file()[..])
        }));
        let checked = checked.unwrap_or_else(|_| panic!("seed {seed}: the checker panics"));
        let Ok(confirmation) = checked else {
            errors += 1;
            continue;
        };
        // What is claimed is compared with the least cost of the question as it reads now.
        match brute_force::least(&confirmation.question, &case.rows) {
            None => {}
            Some(least) => {
                let bound = confirmation.bound;
                assert!(
                    bound.is_some_and(|bound| bound <= least),
                    "seed {seed}: {bound:?} above {least}"
                );
                if confirmation.holds() {
                    assert!(confirmation.question.claim <= least, "seed {seed}");
                    confirmed += 1;
                } else {
                    lower += 1;
                }
            }
        }
    }
    #[allow(clippy::print_stdout, reason = "figures are read by people")]
    {
        println!("{errors} refused, {lower} confirmed less, {confirmed} confirmed all the same");
    }
    assert!(errors + lower > confirmed / 4);
}
