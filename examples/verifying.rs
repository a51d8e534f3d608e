//! Verifying what somebody else made: classes counted in two places, merged, judged.
//!
//!     cargo run -p incrowd-examples --bin verifying

use incrowd_verify::{Error, Model, Requirements, SensitiveModel, Verifier};

fn main() -> Result<(), Error> {
    let header = ["age", "zip", "disease"];
    let mut asked = Requirements::new(3, ["age".to_owned(), "zip".to_owned()]);
    asked.models.push(SensitiveModel {
        column: "disease".to_owned(),
        model: Model::DistinctL(2),
        overall: None,
        order: None,
    });
    // SELECT age, zip, disease, count(*) GROUP BY 1, 2, 3, on two machines.
    let mut one = Verifier::new(&header, &asked)?;
    one.push_counted(["[20-39]", "537**", "flu"], 2)?;
    one.push_counted(["[40-59]", "537**", "gout"], 4)?;
    let mut other = Verifier::new(&header, &asked)?;
    other.push_counted(["[20-39]", "537**", "cold"], 1)?;
    let verdict = one.merge(other)?.finish()?;
    println!("{verdict}");
    // All four rows of the second class have gout: three are enough for k, but l = 2 is not met.
    assert!(!verdict.holds);
    Ok(())
}
