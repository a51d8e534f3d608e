//! Certificates of local bounds, against every grouping of small tables.

use incrowd_engine::auto::{MethodChoice, ProofEffort};
use incrowd_engine::{Algorithm as _, AttributeSpec, Limit, Problem, ProblemSpec, Table};
use incrowd_testing::{LinearRng, cases};

use super::brute_force;
use super::case::{Certificate, certificate};

/// A small table of numbers and text, and a question.
struct Grouping {
    rows: Vec<Vec<String>>,
    problem: Problem,
    k: usize,
    limit: usize,
}

impl Grouping {
    fn random(random: &mut LinearRng) -> Option<Self> {
        let width = 1 + random.below(3) as usize;
        let sorts: Vec<bool> = (0..width).map(|_| random.chance(2)).collect();
        let rows: Vec<Vec<String>> = (0..4 + random.below(5))
            .map(|_| {
                let value = |is_text: &bool| match is_text {
                    true => format!("t{}", random.below(5)),
                    false => (random.below(7) * random.below(7)).to_string(),
                };
                sorts.iter().map(value).collect()
            })
            .collect();
        let k = 2 + random.below(3) as usize;
        let limit = [0, 0, 2, rows.len()][random.below(4) as usize];
        let mut spec = ProblemSpec::new(k as u64);
        spec.quasi = (0..width).map(|at| AttributeSpec::new(format!("q{at}"))).collect();
        spec.limit = Limit::Rows(limit as u64);
        let names: Vec<String> = (0..width).map(|at| format!("q{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let table = Table::from_rows(&names, &rows).unwrap();
        let problem = Problem::of_table(&spec, &table).ok()?;
        Some(Grouping { rows, problem, k, limit })
    }

    fn text(&self) -> String {
        let names: Vec<String> = (0..self.rows[0].len()).map(|at| format!("q{at}")).collect();
        let lines = self.rows.iter().map(|row| row.join(",") + "\n");
        names.join(",") + "\n" + &lines.collect::<String>()
    }

    fn certificate(&self) -> Option<Certificate> {
        certificate(|control| {
            let method = MethodChoice::new("best-local", &[]).unwrap();
            let solution = method.solve(&self.problem, &control.without_proof()).ok()?;
            solution.recoding()?;
            let _ = method.proven(&self.problem, solution, ProofEffort::Fully, control);
            Some(())
        })
    }
}

#[test]
fn local_bounds_of_random_tables_are_confirmed_and_hold() {
    let (mut checked, mut sum) = (0, 0.0);
    for seed in 0..u64::from(cases(2_000)) {
        let mut random = LinearRng::new(seed);
        let Some(case) = Grouping::random(&mut random) else { continue };
        let Some(mut certificate) = case.certificate() else { continue };
        let least = brute_force::least_grouping(&case.rows, case.k, case.limit);
        if !least.is_finite() {
            continue;
        }
        let most = least * (1u64 << 40) as f64 + 0.5;
        let confirmed = incrowd_check::check(case.text().as_bytes(), &certificate.file()[..])
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(confirmed.holds(), "seed {seed}: {confirmed}");
        assert!(confirmed.bound.unwrap() as f64 <= most, "seed {seed}: {confirmed}, {most}");
        sum += if least > 0.0 { confirmed.bound.unwrap() as f64 / most } else { 1.0 };
        checked += 1;
        // Floors and prices that are too high are lowered, not believed.
        for _ in 0..4 {
            let at = random.below(certificate.body.len() as u64) as usize;
            certificate.body[at] ^= 1 << random.below(7);
            let forged = incrowd_check::check(case.text().as_bytes(), &certificate.file()[..]);
            if let Ok(forged) = forged {
                assert!(forged.bound.unwrap() as f64 <= most, "seed {seed}: forged {forged}");
            }
        }
    }
    assert!(checked > 50, "{checked} bounds");
    assert!(sum / f64::from(checked) > 0.5, "bounds say little: {}", sum / f64::from(checked));
}
