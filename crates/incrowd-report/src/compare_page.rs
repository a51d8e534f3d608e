//! The page about a comparison.

use incrowd_engine::words::thousands;
use incrowd_run::compare::{ComparedTrial, Comparison};
use incrowd_run::spec::{AlgorithmSection, write_spec};

use crate::shareable::{shareable, without_values};
use crate::{CompareStory, CostBound, MethodSeries, PageTable};

/// The page about a comparison as one HTML file, with the command that made it, if there was one. It is safe to
/// share where the releases would be: see [`shareable`].
pub fn compare_page(comparison: &Comparison, command: Option<&str>) -> String {
    story(comparison, command).to_html()
}

/// The chart of cost over k as an SVG file of its own.
pub fn compare_chart(comparison: &Comparison) -> String {
    story(comparison, None).to_svg()
}

/// All that the page tells.
fn story(board: &Comparison, command: Option<&str>) -> CompareStory {
    let each = |row: usize, of: &dyn Fn(&ComparedTrial) -> Option<f64>| -> Vec<Option<f64>> {
        board.results[row].iter().map(|told| told.as_ref().and_then(of)).collect()
    };
    let contestants = board.contenders.iter().enumerate().map(|(row, entrant)| MethodSeries {
        name: entrant.label.clone(),
        family: entrant.family.to_string(),
        costs: each(row, &|told| told.trial.cost),
        // Less than a millisecond is not measured, only rounded.
        seconds: each(row, &|told| told.trial.cost.map(|_| told.trial.wall_seconds.max(0.001))),
        suppressed: each(row, &|told| told.trial.suppressed.map(|rows| rows as f64)),
    });
    let sheets = board.tables().into_iter().map(|measure| PageTable {
        header: [measure.title.clone()]
            .into_iter()
            .chain(board.ks.iter().map(|&k| format!("k = {}", thousands(k))))
            .collect(),
        rows: board
            .contenders
            .iter()
            .zip(measure.cells)
            .map(|(row, cells)| [vec![row.label.clone()], cells].concat())
            .collect(),
        title: String::new(),
    });
    let mut spec = shareable(&board.spec);
    // Each method and each k was asked by itself.
    spec.algorithm = AlgorithmSection::default();
    spec.privacy.k = board.ks.first().copied().unwrap_or(1);
    CompareStory {
        headline: headline(board),
        question: question(board),
        warnings: warnings(board),
        metric: board.metric.name().to_owned(),
        ks: board.ks.clone(),
        contestants: contestants.collect(),
        optimum: (0..board.ks.len())
            .map(|k| {
                let known = board.reference(k)?;
                Some(CostBound { cost: known.cost, proven: known.proven })
            })
            .collect(),
        reading: [legend(board), board.reading()].concat(),
        families: board
            .families()
            .into_iter()
            .map(|(family, methods)| {
                (family.to_string(), format!("{} ({})", methods.join(", "), family.about()))
            })
            .collect(),
        sheets: sheets.collect(),
        reasons: board.reasons(),
        notes: board.notes().iter().map(|note| without_values(note).to_owned()).collect(),
        command: command.unwrap_or_default().to_owned(),
        spec: write_spec(&spec),
        versions: vec![("incrowd".to_owned(), env!("CARGO_PKG_VERSION").to_owned())],
    }
}

/// What is drawn besides the methods' lines, in a sentence.
fn legend(board: &Comparison) -> Vec<String> {
    let known: Vec<_> = (0..board.ks.len()).filter_map(|k| board.reference(k)).collect();
    let (proven, open) = (
        known.iter().any(|reference| reference.proven),
        known.iter().any(|reference| !reference.proven),
    );
    let band =
        "the broad band is the proven least cost of any single-dimensional recoding by intervals";
    let dots = "the dotted line is a bound that it does not fall below";
    match (proven, open) {
        (true, true) => vec![format!("In the chart, {band}; where it is not proven, {dots}.")],
        (true, false) => vec![format!("In the chart, {band}.")],
        (false, true) => vec![format!(
            "The least cost of any single-dimensional recoding by intervals is not proven: in the chart, {dots}."
        )],
        (false, false) => Vec::new(),
    }
}

/// Who was cheapest, for how many k.
fn headline(board: &Comparison) -> String {
    let mut wins = vec![0usize; board.contenders.len()];
    let mut asked = 0;
    for k in 0..board.ks.len() {
        let cost = |row: usize| board.results[row][k].as_ref().and_then(|told| told.trial.cost);
        let costs = (0..board.contenders.len()).filter_map(|row| Some((cost(row)?, row)));
        if let Some((_, row)) = costs.min_by(|one, other| one.0.total_cmp(&other.0)) {
            wins[row] += 1;
            asked += 1;
        }
    }
    if asked == 0 {
        return "No method made a release.".to_owned();
    }
    let mut best: Vec<(usize, &str)> = wins
        .iter()
        .zip(&board.contenders)
        .filter(|(wins, _)| **wins > 0)
        .map(|(&wins, row)| (wins, row.label.as_str()))
        .collect();
    best.sort_by_key(|(wins, _)| std::cmp::Reverse(*wins));
    let told: Vec<String> = match best[..] {
        [(_, only)] => vec![format!("{only} made the cheapest release for every k")],
        _ => best.iter().map(|(wins, name)| format!("{name} for {wins} of {asked} k")).collect(),
    };
    let lead = if best.len() == 1 { "" } else { "The cheapest releases were made by " };
    let proof = board.proof().map_or_else(String::new, |proof| {
        let mut letters = proof.chars();
        let first = letters.next().map(|c| c.to_uppercase().collect::<String>());
        format!(" {}{}.", first.unwrap_or_default(), letters.as_str())
    });
    format!("{lead}{}.{proof}", told.join(", "))
}

fn question(board: &Comparison) -> Vec<(String, String)> {
    let ks: Vec<String> = board.ks.iter().map(|&k| thousands(k)).collect();
    let mut facts = vec![
        (
            "table",
            format!(
                "{}: {} rows, {} distinct combinations of quasi-identifiers",
                board.table,
                thousands(board.rows),
                thousands(board.cells)
            ),
        ),
        ("quasi-identifiers", board.quasi.join(", ")),
        ("privacy", [vec![format!("k = {}", ks.join(", "))], board.models.clone()].concat().join("; ")),
        ("goal", format!("least {} ({})", board.metric.name(), board.metric.about())),
        (
            "suppressed rows",
            match &board.limit {
                Some(limit) => format!("at most {limit}"),
                None => "each method by its own default".to_owned(),
            },
        ),
        (
            "time limit",
            board.time_limit.as_ref().map_or_else(
                || "none".to_owned(),
                |limit| format!("{limit} for each method and k"),
            ),
        ),
        (
            "checked",
            "every release, as it would be written, by the independent verifier; priced by its classes, all by \
             the same metric"
                .to_owned(),
        ),
    ];
    facts.retain(|(_, text)| !text.is_empty());
    facts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

fn warnings(board: &Comparison) -> Vec<String> {
    if !board.interrupted {
        return Vec::new();
    }
    let all = board.contenders.len() * board.ks.len();
    let known = board.known().0;
    vec![format!(
        "The comparison was interrupted: {known} of {all} results are here. Run the same command again to go on."
    )]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use incrowd_demo::Census;
    use incrowd_engine::Control;
    use incrowd_run::{SpecFile, compare::Compare, demo::SyntheticCensus, open_input};

    use super::*;

    #[test]
    fn a_comparison_is_a_page_and_a_chart() {
        let people = SyntheticCensus::new(Census::new(60, 1)).unwrap();
        let file = SpecFile::from_options(people.spec(1)).unwrap();
        let asked = Compare::new().with_methods(["mondrian", "cluster-down"]).with_ks([2, 5]);
        let found = asked.run(&file, &open_input(&file).unwrap(), &Control::new()).unwrap();
        let html = compare_page(&found, None);
        for word in ["people.csv: 60 rows", "mondrian", "cluster-down", "k = 2, 5", "Cost over k"] {
            assert!(html.contains(word), "{word}");
        }
        assert!(compare_page(&found, Some("incrowd compare")).contains("incrowd compare"));
        let svg = compare_chart(&found);
        assert!(svg.starts_with("<svg") && svg.contains("mondrian"), "{svg}");
    }
}
