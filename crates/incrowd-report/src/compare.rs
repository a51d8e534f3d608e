//! The page about a comparison of methods.

use crate::chart::{Axis, LineChart, LineShape, Scale, Series, standalone};
use crate::page::Page;

/// What one method did, for every k.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MethodSeries {
    /// The method with its options.
    pub name: String,
    /// What its releases can look like.
    pub family: String,
    /// What its releases cost.
    pub costs: Vec<Option<f64>>,
    /// How long it took, in seconds.
    pub seconds: Vec<Option<f64>>,
    /// Rows that it suppressed.
    pub suppressed: Vec<Option<f64>>,
}

/// What is proven of the least cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostBound {
    /// The least cost, or a bound that it does not fall below.
    pub cost: f64,
    /// Whether it is the least cost.
    pub proven: bool,
}

/// A table of the page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageTable {
    /// What it shows.
    pub title: String,
    /// The names of its columns.
    pub header: Vec<String>,
    /// Its lines.
    pub rows: Vec<Vec<String>>,
}

/// A comparison to be reported: the facts in words and what is drawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompareStory {
    /// The result in a sentence.
    pub headline: String,
    /// What was asked: data, quasi-identifiers, models, goal.
    pub question: Vec<(String, String)>,
    /// What to know before reading, such as that it was interrupted.
    pub warnings: Vec<String>,
    /// The metric that prices every release.
    pub metric: String,
    /// The k, ascending.
    pub ks: Vec<u64>,
    /// The methods.
    pub contestants: Vec<MethodSeries>,
    /// What is proven of the least cost, for every k.
    pub optimum: Vec<Option<CostBound>>,
    /// How the costs are to be read, a sentence each.
    pub reading: Vec<String>,
    /// The families with what they are and the methods in each.
    pub families: Vec<(String, String)>,
    /// The numbers.
    pub sheets: Vec<PageTable>,
    /// What was not done, and why.
    pub reasons: Vec<(String, String)>,
    /// What to know of how the question was taken.
    pub notes: Vec<String>,
    /// The command as typed; empty if there was none.
    pub command: String,
    /// The spec that it stands for.
    pub spec: String,
    /// Program, version and the like.
    pub versions: Vec<(String, String)>,
}

impl CompareStory {
    /// The comparison as an HTML page.
    pub fn to_html(&self) -> String {
        let mut page = Page::new("Comparison of methods");
        page.paragraph("headline", &self.headline);
        for warning in &self.warnings {
            page.paragraph("warning", warning);
        }
        page.heading("Cost over k");
        page.chart(&self.costs().to_labelled_svg());
        for sentence in &self.reading {
            page.paragraph("soft", sentence);
        }
        page.heading("The question");
        page.facts(&self.question);
        page.heading("The methods");
        page.facts(&self.families);
        for note in &self.notes {
            page.paragraph("soft", note);
        }
        page.heading("The numbers");
        for PageTable { title, header, rows } in &self.sheets {
            page.paragraph("", title);
            let header: Vec<&str> = header.iter().map(String::as_str).collect();
            page.table(&header, rows);
        }
        if !self.reasons.is_empty() {
            page.heading("What was not done");
            page.facts(&self.reasons);
        }
        page.heading("Time");
        let seconds = self.lines("Time to find a release", |method| &method.seconds);
        page.chart(&LineChart { y: Axis::log("seconds"), ..seconds }.to_labelled_svg());
        page.heading("Suppressed rows");
        let gone = self.lines("Rows left out of the release", |method| &method.suppressed);
        let any = gone.series.iter().flat_map(|series| &series.points).any(|point| point.1 > 0.0);
        if any {
            page.chart(&LineChart { y: Axis::linear("rows"), ..gone }.to_labelled_svg());
        } else {
            page.paragraph("", "No release left out a row.");
        }
        page.heading("To make it again");
        if !self.command.is_empty() {
            page.verbatim(&self.command);
        }
        page.paragraph("soft", "The question as a spec file:");
        page.verbatim(&self.spec);
        page.facts(&self.versions);
        page.finish()
    }

    /// The chart of cost over k as a file of its own.
    pub fn to_svg(&self) -> String {
        standalone(&self.costs().to_labelled_svg())
    }

    /// Cost over k, a line for each method, and what is proven of the least cost.
    fn costs(&self) -> LineChart {
        let title = format!("Cost ({}) over k", self.metric);
        let mut chart = self.lines(&title, |method| &method.costs);
        let reference = |name: &str, shape: LineShape, is_shown: &dyn Fn(usize) -> bool| {
            let cost = |at: usize| self.optimum.get(at).copied().flatten();
            let points = (0..self.ks.len()).map(|at| {
                let cost = cost(at).filter(|_| is_shown(at)).map_or(f64::NAN, |known| known.cost);
                (self.ks[at] as f64, cost)
            });
            Series { name: name.to_owned(), points: points.collect(), shape }
        };
        let proven = |at: usize| self.optimum.get(at).copied().flatten().is_some_and(|o| o.proven);
        let solid = reference("proven optimum", LineShape::Reference, &proven);
        // The bound reaches to the proven costs beside it.
        let open =
            |at: usize| self.optimum.get(at).is_some_and(|known| known.is_some()) && !proven(at);
        let beside = |at: usize| open(at) || open(at + 1) || (at > 0 && open(at - 1));
        let dotted = reference("proven bound", LineShape::Bound, &beside);
        let has_open = (0..self.ks.len()).any(open);
        chart.series.extend([solid].into_iter().filter(shows));
        chart.series.extend([dotted].into_iter().filter(|line| has_open && shows(line)));
        chart.y = costs_axis(&self.metric, &chart.series);
        chart
    }

    fn lines(&self, title: &str, of: fn(&MethodSeries) -> &Vec<Option<f64>>) -> LineChart {
        let ks: Vec<f64> = self.ks.iter().map(|&k| k as f64).collect();
        let series = self.contestants.iter().map(|method| {
            let values = of(method).iter().map(|value| value.unwrap_or(f64::NAN));
            let points = ks.iter().copied().zip(values).collect();
            Series { name: method.name.clone(), points, shape: LineShape::Straight }
        });
        LineChart {
            title: title.to_owned(),
            x: Axis { ticks: Some(ks.clone()), ..Axis::log("k (rows)") },
            y: Axis::linear(""),
            series: series.filter(shows).collect(),
        }
    }
}

/// Whether there is anything to draw of a line.
fn shows(series: &Series) -> bool {
    series.points.iter().any(|point| point.1.is_finite())
}

/// Costs that differ by factors are laid out by factors.
fn costs_axis(metric: &str, series: &[Series]) -> Axis {
    let costs = || series.iter().flat_map(|line| &line.points).map(|point| point.1);
    let known = || costs().filter(|cost| cost.is_finite());
    let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
    let scale = if least > 0.0 && most > 4.0 * least { Scale::Log } else { Scale::Linear };
    Axis { scale, ..Axis::linear(&format!("cost ({metric})")) }
}
