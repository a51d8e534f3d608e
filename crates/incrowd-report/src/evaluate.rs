//! The page about a release that was read beside its original.

use incrowd::Picture;

use crate::chart::{Bar, Bars};
use crate::page::Page;
use crate::run::{distributions, kept, risk};

/// How well a column is predicted from a release.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Predictions {
    /// How it was measured, and what came out.
    pub facts: Vec<(String, String)>,
    /// Errors in percent, by what they are of.
    pub errors: Vec<(String, f64)>,
}

/// A release to be reported: the facts in words and what is drawn.
#[derive(Debug, Clone)]
pub struct EvaluateStory {
    /// What it is in a sentence.
    pub headline: String,
    /// What was compared.
    pub question: Vec<(String, String)>,
    /// The metrics.
    pub metrics: Vec<(String, String)>,
    /// What could not be measured, and why, a sentence each.
    pub refused: Vec<String>,
    /// The release beside its table.
    pub picture: Picture,
    /// How far counts taken from the release are off.
    pub queries: Vec<(String, String)>,
    /// How well a column is predicted.
    pub predictions: Option<Predictions>,
    /// The command as typed.
    pub command: String,
    /// Program, version and the like.
    pub versions: Vec<(String, String)>,
}

impl EvaluateStory {
    /// The evaluation as an HTML page.
    pub fn to_html(&self) -> String {
        let mut page = Page::new("Evaluation of a release");
        page.paragraph("headline", &self.headline);
        page.heading("What was compared");
        page.facts(&self.question);
        page.heading("Metrics");
        page.facts(&self.metrics);
        for sentence in &self.refused {
            page.paragraph("soft", sentence);
        }
        risk(&mut page, &self.picture, None);
        kept(&mut page, &self.picture);
        distributions(&mut page, &self.picture);
        if !self.queries.is_empty() {
            page.heading("Counts taken from the release");
            page.facts(&self.queries);
        }
        if let Some(Predictions { facts, errors }) = &self.predictions {
            page.heading("Predictions from the release");
            let bar = |(name, percent): &(String, f64)| Bar {
                label: name.clone(),
                values: vec![*percent],
            };
            let chart = Bars {
                title: "Wrong predictions".to_owned(),
                series: vec!["wrong".to_owned()],
                bars: errors.iter().map(bar).collect(),
                most: None,
                unit: "%".to_owned(),
            };
            page.chart(&chart.to_svg());
            page.facts(facts);
        }
        page.heading("To make it again");
        page.verbatim(&self.command);
        page.facts(&self.versions);
        page.finish()
    }
}
