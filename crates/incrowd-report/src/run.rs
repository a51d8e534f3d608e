//! The report of a run.

use incrowd_assess::risk::{AttackerRisk, JournalistRisk};
use incrowd_assess::usefulness::SubgroupLoss;
use incrowd_engine::release::{ReidentificationRisk, ReleasePreview};
use incrowd_engine::words::thousands;
use incrowd_run::report::{ColumnResult, RunSummary, Statement, Tone};

use crate::chart::{Axis, Bar, BarChart, ColumnChart, LineChart, LineShape, Series};
use crate::page::Page;
use crate::percent;
use crate::usefulness::subgroups;

/// What was known at a moment of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchMoment {
    /// Seconds since it began.
    pub seconds: f64,
    /// The least cost so far.
    pub cost: Option<f64>,
    /// The highest bound so far.
    pub bound: Option<f64>,
}

/// A run to be reported: the facts in words and what is drawn.
///
/// Whoever fills it in sees to it that words name no value that the release does not name; a [`ReleasePreview`]
/// does so by itself.
#[derive(Debug, Clone, Default)]
pub struct RunStory {
    /// What was asked: data, quasi-identifiers, models, goal.
    pub question: Vec<(String, String)>,
    /// The answer, and what happened to every column.
    pub summary: RunSummary,
    /// The answer in numbers.
    pub answer: Vec<(String, String)>,
    /// What to think about before publishing.
    pub warnings: Vec<String>,
    /// What to know of how the question was taken.
    pub notes: Vec<String>,
    /// What to know of a column to read how much of it is kept: its name, and a sentence without its end.
    pub remarks: Vec<(String, String)>,
    /// The release beside its table; none if there is no release.
    pub picture: Option<ReleasePreview>,
    /// The loss by value of columns.
    pub subgroups: Vec<SubgroupLoss>,
    /// What somebody who has the population can hope for; none if none was given.
    pub journalist: Option<JournalistRisk>,
    /// What others are taken to know: the quasi-identifiers.
    pub known: String,
    /// Columns that are released as they are: the name, rows singled out alone, and beside what others know.
    pub unchanged: Vec<Vec<String>>,
    /// The metric that was minimized.
    pub metric: String,
    /// How the search went.
    pub moments: Vec<SearchMoment>,
    /// The command as typed; empty if there was none.
    pub command: String,
    /// The spec that it stands for.
    pub spec: String,
    /// Whether it tells of people whom the release does not show.
    pub confidential: bool,
    /// Program, version, seed and the like.
    pub versions: Vec<(String, String)>,
}

impl RunStory {
    /// The report as an HTML page.
    pub fn to_html(&self) -> String {
        let mut page = Page::new("Anonymization report");
        if self.confidential {
            page.paragraph(
                "warning",
                "Confidential: this page counts suppressed people and is for the owner of the table alone. The report beside \
                 the release is the one to share.",
            );
        }
        for Statement { name, text, tone, .. } in &self.summary.answer {
            let class = if *tone == Tone::Bad { "headline unmet" } else { "headline" };
            page.paragraph(class, format!("{name}: {text}").trim_start_matches(": "));
        }
        for warning in &self.warnings {
            page.paragraph("warning", warning);
        }
        self.columns(&mut page);
        page.heading("The question");
        page.facts(&self.question);
        page.heading("The answer");
        page.facts(&self.answer);
        for note in &self.notes {
            page.paragraph("soft", note);
        }
        if let Some(picture) = &self.picture {
            risk(&mut page, picture, self.journalist.as_ref());
            self.unchanged(&mut page);
            kept(&mut page, picture, &self.remarks);
            distributions(&mut page, picture);
        }
        subgroups(&mut page, &self.subgroups);
        self.search(&mut page);
        page.heading("To make it again");
        if !self.command.is_empty() {
            page.verbatim(&self.command);
        }
        page.paragraph("soft", "The same as a spec file:");
        page.verbatim(&self.spec);
        page.facts(&self.versions);
        page.finish()
    }

    /// What happened to every column.
    fn columns(&self, page: &mut Page) {
        if self.summary.columns.is_empty() {
            return;
        }
        let share = |it: &ColumnResult| it.kept.map_or_else(String::new, percent);
        let row = |it: &ColumnResult| vec![it.column.clone(), it.what.clone(), share(it)];
        let rows: Vec<Vec<String>> = self.summary.columns.iter().map(row).collect();
        page.table(&["column", "what happened", "detail kept"], &rows);
    }

    /// What the columns give away that stay as they are; it belongs to the risk.
    fn unchanged(&self, page: &mut Page) {
        if self.unchanged.is_empty() {
            return;
        }
        let known = format!("rows singled out together with {}", self.known);
        let header = ["released as it is", "rows singled out alone", known.as_str()];
        page.table(&header, &self.unchanged);
        page.paragraph(
            "soft",
            "Who knows such a value of a person finds the row that it singles out, whatever k is.",
        );
    }

    /// Cost and bound over time; nothing for searches that have nothing to tell on their way.
    fn search(&self, page: &mut Page) {
        let points = |of: fn(&SearchMoment) -> Option<f64>| -> Vec<(f64, f64)> {
            self.moments.iter().filter_map(|at| Some((at.seconds, of(at)?))).collect()
        };
        let all = [("cost", points(|at| at.cost)), ("proven bound", points(|at| at.bound))];
        if all[0].1.len() < 2 {
            return;
        }
        page.heading("The search");
        let series = all
            .into_iter()
            .filter(|(_, points)| !points.is_empty())
            .map(|(name, points)| Series { name: name.to_owned(), points, shape: LineShape::Steps })
            .collect();
        let chart = LineChart {
            title: "Least cost found, and what no release can undercut".to_owned(),
            x: Axis::linear("seconds"),
            y: Axis::linear(&format!("cost ({})", self.metric)),
            series,
        };
        page.chart(&chart.to_svg());
    }
}

pub(crate) fn risk(page: &mut Page, picture: &ReleasePreview, journalist: Option<&JournalistRisk>) {
    page.heading("Risk before and after");
    let row = |name: &str, of: &dyn Fn(&ReidentificationRisk) -> String| {
        vec![name.to_owned(), of(&picture.before), of(&picture.after)]
    };
    let mut rows = vec![
        row("rows", &|hiding| thousands(hiding.rows)),
        row("groups of rows that look alike", &|hiding| thousands(hiding.classes)),
        row("rows that stand alone", &|hiding| percent(hiding.unique)),
        row("highest chance to find a person who is known to be there", &|hiding| {
            percent(hiding.highest)
        }),
        row("people found if everybody is tried", &|hiding| percent(hiding.average)),
    ];
    if let Some(risk) = journalist {
        let attack = |name: &str, of: &dyn Fn(&AttackerRisk) -> f64| {
            let after = risk.after.as_ref().map_or("not counted".to_owned(), |a| percent(of(a)));
            vec![name.to_owned(), percent(of(&risk.before)), after]
        };
        rows.push(attack(
            "highest chance to find a person who is known to be in the population",
            &|a| a.highest,
        ));
        rows.push(attack("people found if the whole population is tried", &|a| a.average));
        let above = percent(risk.before.threshold);
        rows.push(attack(
            &format!("rows found with a chance above {above} in the population"),
            &|a| a.share_at_risk,
        ));
    }
    page.table(&["by the quasi-identifiers alone", "before", "after"], &rows);
    if let Some(risk) = journalist {
        page.paragraph("soft", &about_population(risk));
    }
    let share = |part: u64, of: &ReidentificationRisk| match of.rows {
        0 => 0.0,
        rows => 100.0 * part as f64 / rows as f64,
    };
    let columns = picture.sizes.iter().map(|bar| {
        let name = match bar.from == bar.to {
            true => thousands(bar.from),
            false => format!("{}-{}", thousands(bar.from), thousands(bar.to)),
        };
        (name, vec![share(bar.before, &picture.before), share(bar.after, &picture.after)])
    });
    let chart = ColumnChart {
        title: "How many others people stand among".to_owned(),
        series: vec!["before".to_owned(), "after".to_owned()],
        columns: columns.collect(),
        x: "rows that look alike".to_owned(),
        y: Axis::linear("% of the rows"),
        width: 640.0,
    };
    page.chart(&chart.to_svg());
}

/// How the figures about the population were counted.
fn about_population(risk: &JournalistRisk) -> String {
    let mut text = format!(
        "The journalist's risk: the population has {} people. Before, a row hides among those who have its values, \
         after, among those whom its released labels fit; where labels overlap, a person counts for each of them.",
        thousands(risk.people)
    );
    if risk.unknown > 0 {
        text.push_str(&format!(
            " {} of them have a value that the table lacks and were counted for blanks only, so that the risk is \
             rather too high than too low.",
            thousands(risk.unknown)
        ));
    }
    if risk.lacking > 0 {
        text.push_str(&format!(
            " {} rows of the table have no counterpart in the population; they were taken to be in it.",
            thousands(risk.lacking)
        ));
    }
    text
}

pub(crate) fn kept(page: &mut Page, picture: &ReleasePreview, remarks: &[(String, String)]) {
    if picture.attributes.is_empty() {
        return;
    }
    page.heading("What is kept of each column");
    let bars = picture.attributes.iter().map(|attribute| Bar {
        label: attribute.name.clone(),
        values: vec![100.0 * attribute.kept],
    });
    let chart = BarChart {
        title: "Information kept".to_owned(),
        series: vec!["kept".to_owned()],
        bars: bars.collect(),
        most: Some(100.0),
        unit: "%".to_owned(),
    };
    page.chart(&chart.to_svg());
    let words = picture.attributes.iter().map(|attribute| {
        let about = remarks.iter().filter(|(column, _)| *column == attribute.name);
        let words = about.fold(attribute.words.clone(), |words, (_, about)| words + "; " + about);
        (&attribute.name, words)
    });
    page.facts(&words.collect::<Vec<_>>());
}

pub(crate) fn distributions(page: &mut Page, picture: &ReleasePreview) {
    let charts: Vec<String> = picture
        .attributes
        .iter()
        // One bar tells nothing.
        .filter(|attribute| attribute.bars.len() > 1)
        .map(|attribute| {
            let bars = attribute.bars.iter();
            let chart = ColumnChart {
                title: attribute.name.clone(),
                series: vec!["before".to_owned(), "after".to_owned()],
                columns: bars
                    .map(|bar| (bar.label.clone(), vec![bar.before as f64, bar.after]))
                    .collect(),
                x: String::new(),
                y: Axis::linear("rows"),
                width: 330.0,
            };
            chart.to_svg()
        })
        .collect();
    if charts.is_empty() {
        return;
    }
    page.heading("Distributions before and after");
    let mut about = "Rows by value, as far as the release names values. A row whose value was made less precise counts in \
                     equal parts for all values that it can have. Values of fewer than k rows are drawn together."
        .to_owned();
    if picture.rounded_to > 1 {
        about.push_str(&format!(
            " Suppressed rows and blank values are not counted, and rows of the table are rounded to multiples of {}: nobody can be told \
             apart by subtracting.",
            thousands(picture.rounded_to)
        ));
    }
    page.paragraph("soft", &about);
    page.charts(&charts);
}
