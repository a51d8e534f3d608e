//! The report of a table's risk.

use incrowd::thousands;
use incrowd_assess::risk::{
    Attack, Estimator, PopulationUniqueness, SizeGroup, UniqueCombinations,
};

use crate::chart::{Axis, Bar, Bars, Columns};
use crate::page::Page;
use crate::run::percent;

/// A table's risk to be reported.
///
/// It names columns and counts rows; whoever fills in the words sees to it that they name no value.
#[derive(Debug, Clone)]
pub struct RiskStory {
    /// What was looked at.
    pub question: Vec<(String, String)>,
    /// The answer in a sentence.
    pub headline: String,
    /// Whether nobody is at risk.
    pub safe: bool,
    /// What is missing or must be known to read the figures.
    pub warnings: Vec<String>,
    /// The attackers: a name, how it comes to find people, and what it can hope for.
    pub attackers: Vec<(String, String, Attack)>,
    /// Classes by size.
    pub sizes: Vec<SizeGroup>,
    /// How many people are unique in the population.
    pub population: Vec<String>,
    /// The estimates, if there are any.
    pub estimates: Option<PopulationUniqueness>,
    /// The combinations of columns that single people out.
    pub unique: Option<UniqueCombinations>,
    /// The command as typed.
    pub command: String,
    /// Program and version.
    pub versions: Vec<(String, String)>,
}

/// The most combinations and columns that are drawn; JSON has them all.
const DRAWN: usize = 20;

impl RiskStory {
    /// The report as an HTML page.
    pub fn to_html(&self) -> String {
        let mut page = Page::new("Re-identification risk");
        let class = if self.safe { "headline" } else { "headline unmet" };
        page.paragraph(class, &self.headline);
        for warning in &self.warnings {
            page.paragraph("warning", warning);
        }
        page.heading("The table");
        page.facts(&self.question);
        self.attacks(&mut page);
        self.crowds(&mut page);
        if !self.population.is_empty() {
            self.in_population(&mut page);
        }
        if let Some(unique) = &self.unique {
            combinations(&mut page, unique);
        }
        page.heading("To make it again");
        page.verbatim(&self.command);
        page.facts(&self.versions);
        page.finish()
    }

    fn attacks(&self, page: &mut Page) {
        page.heading("Who could find people");
        let row = |(name, _, attack): &(String, String, Attack)| {
            vec![
                name.clone(),
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
            label: name.clone(),
            values: [attack.highest, attack.average, attack.share_at_risk]
                .map(|share| 100.0 * share)
                .to_vec(),
        });
        let chart = Bars {
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
        let rows: u64 = self.sizes.iter().map(|group| group.rows).sum();
        let columns = self.sizes.iter().map(|group| {
            let name = match group.from == group.to {
                true => thousands(group.from),
                false => format!("{}-{}", thousands(group.from), thousands(group.to)),
            };
            (name, vec![100.0 * group.rows as f64 / rows.max(1) as f64])
        });
        let chart = Columns {
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
        let Some(found) = &self.estimates else { return };
        if found.chosen == Estimator::Counted {
            return;
        }
        let rows = found.estimates.iter().map(|estimate| {
            let people = |uniques: f64| thousands(uniques.round() as u64);
            let chosen = if estimate.estimator == found.chosen { " (chosen)" } else { "" };
            vec![
                format!("{}{chosen}", estimate.estimator.name()),
                estimate.uniques.map_or("no answer".to_owned(), people),
                estimate.share.map_or(String::new(), percent),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        page.table(&["estimate", "unique people", "share of the population"], &rows);
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
    let chart = Bars {
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
    let chart = Bars {
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
    let chart = Columns {
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
