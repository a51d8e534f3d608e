//! Arrow batches counted, recoded and verified, as a data frame or a cluster hands them over.
//!
//!     cargo run -p incrowd-examples --bin arrow_batches

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use incrowd_data::arrow::{BatchRecoder, count_batch, verify_batch};
use incrowd_engine::{
    Algorithm, Control, Error, FrequencyCounts, Method, Problem, ProblemSpec, Recoder, Release,
    Result, SuppressionMode,
};
use incrowd_verify::{Requirements, Verifier};

/// Forty people.
fn batch(from: i32) -> RecordBatch {
    let ages: ArrayRef =
        Arc::new(Int32Array::from_iter((from..from + 40).map(|at| 20 + at * 7 % 60)));
    let ills: ArrayRef = Arc::new(StringArray::from_iter_values(
        (from..from + 40).map(|at| format!("illness {}", at % 5)),
    ));
    RecordBatch::try_from_iter([("age", ages), ("ill", ills)]).expect("columns of one length")
}

fn main() -> Result<()> {
    let batches = [batch(0), batch(40), batch(80)];
    let spec = ProblemSpec::new(5).quasi("age");
    // Parts may be counted apart, in any order.
    let mut counts = FrequencyCounts::new(spec.columns());
    for batch in &batches {
        let mut part = FrequencyCounts::new(spec.columns());
        count_batch(&mut part, batch)?;
        counts.merge(&part)?;
    }
    let problem = Problem::build(&spec, &counts)?;
    let solution = Method::new("best-local", &[])?.solve(&problem, &Control::new())?;
    let Some(release) = Release::of_solution(&problem, &solution, SuppressionMode::Drop) else {
        return Err(Error::new("there is no release"));
    };
    let recoder = Recoder::new(&problem, &release);
    let arrow = BatchRecoder::new(&recoder, &["ill"]);
    let unfit = |cause: incrowd_verify::Error| Error::new(cause.to_string());
    let mut verifier =
        Verifier::new(&["age", "ill"], &Requirements::new(5, ["age".to_owned()])).map_err(unfit)?;
    let mut assigner = recoder.assigner();
    for batch in &batches {
        let released = arrow.recode(batch, &mut assigner)?;
        verify_batch(&mut verifier, &released)?;
        println!("{} of {} rows released", released.num_rows(), batch.num_rows());
    }
    // Rows are in the order of their batches: shuffle them before they leave the house.
    println!("{}", verifier.finish().map_err(unfit)?);
    Ok(())
}
