//! The report of a table's risk.

use incrowd_assess::attack::OutsideCrowds;
use incrowd_assess::risk::{
    AttackerRisk, Estimator, JournalistAttack, JournalistBasis, LabelFigures, PopulationFacts,
    PopulationUniqueness, RiskReport, SuperpopulationModel, UniqueCombinations,
};
use incrowd_engine::words::thousands;

use crate::chart::{Axis, Bar, BarChart, ColumnChart};
use crate::page::Page;
use crate::percent;
use crate::provenance::PageProvenance;

/// How people who are not in the data fit the boxes of a release, in words.
pub fn outside_words(outside: &OutsideCrowds) -> String {
    format!(
        "{} of {} boxes fit nobody of the control group; the median box fits {:.2} of them for each of its rows; isolation \
         advantage {:.3}",
        percent(outside.empty_share),
        thousands(outside.boxes),
        outside.median_ratio,
        outside.isolation_advantage
    )
}

/// The report of a table's risk as an HTML page. It names columns and counts rows, and shows no value of anybody.
pub fn risk_page(risk: &RiskReport, made: &PageProvenance) -> String {
    RiskStory::new(risk).to_html(made)
}

/// What a population that was given says, in words; `percent` writes a share.
pub fn counted_words(population: &PopulationFacts, percent: fn(f64) -> String) -> String {
    format!(
        "{} of the {} people of {} ({}) are unique; {} rows of the table are theirs",
        thousands(population.uniques),
        thousands(population.people),
        population.table,
        percent(population.share),
        thousands(population.rows_of_uniques)
    )
}

/// What is estimated of a population, and by what, in words; `percent` writes a share.
pub fn estimated_words(found: &PopulationUniqueness, percent: fn(f64) -> String) -> String {
    let chosen = match found.chosen {
        Estimator::Counted => format!("({})", found.why),
        chosen => format!("(by {}: {})", chosen.name(), found.why),
    };
    let people = |number: f64| thousands(number.round() as u64);
    format!(
        "about {} of {} people ({}) are unique; about {} rows of the table are theirs\n{chosen}",
        people(found.uniques),
        people(found.population),
        percent(found.share),
        people(found.expected_in_table())
    )
}

/// What labels tell beyond the values that they contain, in words; `percent` writes a share.
pub fn labels_words(labels: &LabelFigures, percent: fn(f64) -> String) -> String {
    format!(
        "{} of the generalized fields have a value that surely occurs in the class;\n{} of labels tell every value of their \
         class",
        percent(labels.sure_share),
        percent(labels.determined_share)
    )
}

/// How a journalist's risk was estimated, in words; empty if it was counted.
pub fn journalist_words(journalist: &JournalistAttack) -> String {
    let from = match journalist.by {
        JournalistBasis::Population => return String::new(),
        JournalistBasis::Estimate => "estimated",
        JournalistBasis::Weights => "estimated from the weights",
    };
    let by = match journalist.model {
        Some(SuperpopulationModel::Pitman) => " by Pitman's formula",
        Some(SuperpopulationModel::Ewens) => " by Ewens' model",
        Some(SuperpopulationModel::AllUnique) => {
            ": every row is unique, and so is everybody in the population"
        }
        None => "",
    };
    format!("{from}{by}")
}

/// Words as a sentence.
pub(crate) fn sentence(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", rest.as_str())
}

/// An attacker: a name, how it comes to find people, and what it can hope for.
type Attacker = (&'static str, String, AttackerRisk);

/// A table's risk in words, and what is drawn.
struct RiskStory<'a> {
    risk: &'a RiskReport,
    attackers: Vec<Attacker>,
    /// How many people are unique in the population.
    population: Vec<String>,
}

/// The most combinations and columns that are drawn; JSON has them all.
const DRAWN: usize = 20;

impl<'a> RiskStory<'a> {
    fn new(risk: &'a RiskReport) -> Self {
        let mut attackers = vec![(
            "prosecutor",
            "knows that a person is in the table, and takes one of the rows that look like the person"
                .to_owned(),
            risk.prosecutor,
        )];
        if let Some(journalist) = &risk.journalist {
            let how = match journalist_words(journalist) {
                words if words.is_empty() => {
                    "; how many look alike there was counted in the population".to_owned()
                }
                words => format!("; how many look alike there is {words}"),
            };
            let about = format!("knows that a person is in the population{how}");
            attackers.push(("journalist", about, journalist.risk));
        }
        let weights = risk.weights.as_ref().map(|facts| sentence(&facts.words()));
        let counted =
            risk.population.as_ref().map(|facts| sentence(&counted_words(facts, percent)));
        let estimated = risk.population_uniqueness.as_ref().map(|found| {
            let words = estimated_words(found, percent);
            match counted.is_some() {
                true => format!("From the table alone it would be estimated: {words}."),
                false => sentence(&words),
            }
        });
        let population = weights.iter().chain(&counted).chain(&estimated).cloned().collect();
        RiskStory { risk, attackers, population }
    }

    fn to_html(&self, made: &PageProvenance) -> String {
        let mut page = Page::new("Re-identification risk");
        let safe = self.risk.prosecutor.records_at_risk == 0;
        let class = if safe { "headline" } else { "headline unmet" };
        page.paragraph(class, &self.headline());
        for note in &self.risk.notes {
            page.paragraph("warning", &sentence(note));
        }
        page.heading("The table");
        page.facts(&self.table());
        self.attacks(&mut page);
        self.crowds(&mut page);
        if !self.population.is_empty() {
            self.in_population(&mut page);
        }
        if let Some(unique) = &self.risk.unique_combinations {
            combinations(&mut page, unique);
        }
        made.write(&mut page);
        page.finish()
    }

    /// The answer in a sentence or two.
    fn headline(&self) -> String {
        let prosecutor = self.risk.prosecutor;
        let at_risk = match prosecutor.records_at_risk {
            0 => format!(
                "Nobody who is known to be in the table can be found with a chance above {}.",
                percent(prosecutor.threshold)
            ),
            rows => format!(
                "{} of {} rows ({}) can be found with a chance above {} by somebody who knows that the person is in \
                 the table.",
                thousands(rows),
                thousands(self.risk.rows),
                percent(prosecutor.share_at_risk),
                percent(prosecutor.threshold)
            ),
        };
        let alone = match self.risk.unique_rows {
            0 => "Nobody stands alone.".to_owned(),
            rows => format!("{} rows stand alone.", thousands(rows)),
        };
        format!("{at_risk} {alone}")
    }

    /// What was looked at.
    fn table(&self) -> Vec<(&'static str, String)> {
        let risk = self.risk;
        let labels = risk.labels.filter(|labels| labels.sure_share > 0.0);
        let labels = labels.map(|it| ("labels", labels_words(&it, percent)));
        let outside = risk.outside.as_ref().map(|it| ("crowd outside", outside_words(it)));
        let facts = [
            ("table", format!("{}: {} rows", risk.table, thousands(risk.rows))),
            ("quasi-identifiers", risk.quasi.join(", ")),
            (
                "classes",
                format!(
                    "{} groups of rows that look alike; the smallest has {}",
                    thousands(risk.classes),
                    thousands(risk.smallest_class)
                ),
            ),
            (
                "rows that stand alone",
                format!("{} ({})", thousands(risk.unique_rows), percent(risk.unique_share)),
            ),
            (
                "people found if everybody is tried",
                format!("{} (the marketer's risk)", percent(risk.marketer.in_table)),
            ),
        ];
        facts.into_iter().chain(labels).chain(outside).collect()
    }

    fn attacks(&self, page: &mut Page) {
        page.heading("Who could find people");
        let row = |(name, _, attack): &Attacker| {
            vec![
                (*name).to_owned(),
                percent(attack.highest),
                percent(attack.average),
                thousands(attack.records_at_risk),
                percent(attack.share_at_risk),
            ]
        };
        let threshold = self.attackers.first().map_or(0.0, |attacker| attacker.2.threshold);
        let above = format!("rows above {}", percent(threshold));
        let rows: Vec<Vec<String>> = self.attackers.iter().map(row).collect();
        page.table(&["attacker", "highest chance", "people found", &above, "share of rows"], &rows);
        for (name, about, _) in &self.attackers {
            page.paragraph("soft", &format!("The {name} {about}."));
        }
        page.paragraph(
            "soft",
            "People found is the share that a marketer finds, who tries everybody and counts the hits.",
        );
        let bars = self.attackers.iter().map(|(name, _, attack)| Bar {
            label: (*name).to_owned(),
            values: [attack.highest, attack.average, attack.share_at_risk]
                .map(|share| 100.0 * share)
                .to_vec(),
        });
        let chart = BarChart {
            title: "Chances by attacker".to_owned(),
            series: vec!["highest chance".to_owned(), "people found".to_owned(), above],
            bars: bars.collect(),
            most: Some(100.0),
            unit: "%".to_owned(),
        };
        page.chart(&chart.to_svg());
    }

    fn crowds(&self, page: &mut Page) {
        page.heading("How many others people stand among");
        let rows: u64 = self.risk.class_sizes.iter().map(|group| group.rows).sum();
        let columns = self.risk.class_sizes.iter().map(|group| {
            let name = match group.from == group.to {
                true => thousands(group.from),
                false => format!("{}-{}", thousands(group.from), thousands(group.to)),
            };
            (name, vec![100.0 * group.rows as f64 / rows.max(1) as f64])
        });
        let chart = ColumnChart {
            title: "Rows by the size of their class".to_owned(),
            series: vec!["rows".to_owned()],
            columns: columns.collect(),
            x: "rows that look alike".to_owned(),
            y: Axis::linear("% of the rows"),
            width: 640.0,
        };
        page.chart(&chart.to_svg());
    }

    fn in_population(&self, page: &mut Page) {
        page.heading("Unique in the population");
        for sentence in &self.population {
            page.paragraph("", sentence);
        }
        let Some(found) = &self.risk.population_uniqueness else { return };
        if found.chosen == Estimator::Counted {
            return;
        }
        let rows = found.estimates.iter().map(|estimate| {
            let people = |uniques: f64| thousands(uniques.round() as u64);
            let chosen = if estimate.estimator == found.chosen { " (chosen)" } else { "" };
            vec![
                format!("{}{chosen}", estimate.estimator.name()),
                estimate.uniques.map_or("no answer".to_owned(), people),
                estimate.standard_error.map_or(String::new(), people),
                estimate.share.map_or(String::new(), percent),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        page.table(
            &["estimate", "unique people", "standard error", "share of the population"],
            &rows,
        );
        for estimate in &found.estimates {
            let about = format!("{}: {}.", estimate.estimator.name(), estimate.about);
            page.paragraph("soft", &about);
        }
    }
}

fn combinations(page: &mut Page, unique: &UniqueCombinations) {
    page.heading("What singles people out");
    page.paragraph(
        "",
        &format!(
            "{} of {} rows ({}) can be told from all others by at most {} of the columns. A combination \
             counts for a row if it singles the row out and no part of it does.",
            thousands(unique.singled_out),
            thousands(unique.rows),
            percent(unique.singled_out as f64 / unique.rows.max(1) as f64),
            unique.size
        ),
    );
    if unique.combinations.is_empty() {
        return;
    }
    let sizes = unique.sizes.iter().map(|size| {
        let columns = match size.columns {
            1 => "1 column is enough".to_owned(),
            several => format!("{several} columns are enough, fewer are not"),
        };
        vec![columns, thousands(size.rows), thousands(size.minimal_uniques)]
    });
    let sizes: Vec<Vec<String>> = sizes.collect();
    page.table(&["to single out a row", "rows", "minimal uniques"], &sizes);
    let top = unique.combinations.iter().take(DRAWN);
    let chart = BarChart {
        title: "Rows singled out, by combination".to_owned(),
        series: vec!["rows".to_owned()],
        bars: top
            .map(|combination| Bar {
                label: combination.columns.join(", "),
                values: vec![combination.minimal as f64],
            })
            .collect(),
        most: None,
        unit: " rows".to_owned(),
    };
    page.chart(&chart.to_svg());
    let rest = unique.combinations.len().saturating_sub(DRAWN);
    if rest > 0 {
        let more = format!("{} more combinations single fewer rows out.", thousands(rest as u64));
        page.paragraph("soft", &more);
    }
    let chart = BarChart {
        title: "What each column contributes".to_owned(),
        series: vec!["share of all scores".to_owned()],
        bars: unique
            .columns
            .iter()
            .take(DRAWN)
            .map(|column| Bar { label: column.column.clone(), values: vec![100.0 * column.share] })
            .collect(),
        most: Some(100.0),
        unit: "%".to_owned(),
    };
    page.chart(&chart.to_svg());
    page.paragraph(
        "soft",
        "The share of the sum of all scores that combinations with this column make up. Shares overlap, because a \
         combination has several columns. Making the first of these columns less precise usually helps most.",
    );
    let chart = ColumnChart {
        title: "Rows by their SUDA score".to_owned(),
        series: vec!["rows".to_owned()],
        columns: unique
            .scores
            .iter()
            .map(|group| (format!("{:.0}-{:.0}", group.above, group.to), vec![group.rows as f64]))
            .collect(),
        x: "score: the more and the shorter the combinations that single a row out, the higher"
            .to_owned(),
        y: Axis::linear("rows"),
        width: 640.0,
    };
    page.chart(&chart.to_svg());
}
