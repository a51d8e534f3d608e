//! `incrowd-bench figures`: results of the benchmarks as charts over k.

use incrowd_report::chart::{Axis, LineChart, LineShape, Scale, Series, standalone};
use incrowd_run::{Error, Result, data::OutputFile};
use incrowd_term::CommandOutcome;

use crate::args::FiguresArgs;
use crate::sheet::ResultSheet;
use crate::{local, paper, recodings};

pub(crate) fn figures(args: &FiguresArgs) -> Result<CommandOutcome> {
    let mut drawn = Vec::new();
    for path in &args.results {
        let sheet = ResultSheet::read(path)?;
        let figures = figures_of(&sheet)?;
        for figure in figures {
            drawn.extend(figure.draw(&sheet).map(|svg| (figure.file, svg)));
        }
    }
    if drawn.is_empty() {
        return Err(Error::new("the results hold nothing that could be drawn")
            .help("figures show proven costs and finished runs; let the benchmark go on"));
    }
    std::fs::create_dir_all(&args.output).map_err(|e| Error::file("make", &args.output, &e))?;
    for (name, svg) in drawn {
        let path = args.output.join(name);
        OutputFile::create(&path)?.fill(svg)?;
        sayln!("{}", path.display());
    }
    Ok(CommandOutcome::Done)
}

/// The figures that a file of results is for.
fn figures_of(sheet: &ResultSheet) -> Result<&'static [FigureSpec]> {
    let kinds: [(&[&str], &'static [FigureSpec]); 3] =
        [(&paper::HEADER, PAPER), (&local::HEADER, LOCAL), (&recodings::HEADER, RECODINGS)];
    let known = kinds.into_iter().find(|(header, _)| *header == sheet.header());
    known.map(|(_, figures)| figures).ok_or_else(|| {
        Error::new("these are not results of `incrowd-bench paper`, `incrowd-bench local` or `incrowd-bench recodings`")
            .at(sheet.path(), Some(1), None)
            .help("give the file that one of them wrote with -o")
    })
}

/// A chart over k of one column.
struct FigureSpec {
    file: &'static str,
    title: &'static str,
    /// The column from bottom to top, its label and scale.
    y: (&'static str, &'static str, Scale),
    /// What a row's fields must be to be shown: the column, and what it may hold.
    only: &'static [(&'static str, &'static [&'static str])],
    /// The columns that tell lines apart.
    lines: &'static [&'static str],
}

const DM: &str = "discernibility (sum of squared class sizes)";
const CM: &str = "classification (rows outside their class's majority); does not begin at 0";
const SECONDS: &str = "seconds";
const PROVEN: (&str, &[&str]) = ("outcome", &["optimal"]);
const PROVER: (&str, &[&str]) = ("method", &[paper::PROVER]);
const FROM_NOTHING: (&str, &[&str]) = ("start", &[paper::FROM_NOTHING]);

/// Figures 6a, 6b and 7a of Bayardo and Agrawal, and both provers side by side.
const PAPER: &[FigureSpec] = &[
    FigureSpec {
        file: "paper-time-dm.svg",
        title: "Time to prove the least discernibility",
        y: ("wall_seconds", SECONDS, Scale::Log),
        only: &[("metric", &["dm"]), PROVEN, PROVER, FROM_NOTHING],
        lines: &["coding", "limit"],
    },
    FigureSpec {
        file: "paper-time-cm.svg",
        title: "Time to prove the least classification cost",
        y: ("wall_seconds", SECONDS, Scale::Log),
        only: &[("metric", &["cm"]), PROVEN, PROVER, FROM_NOTHING],
        lines: &["coding", "limit"],
    },
    FigureSpec {
        file: "paper-cost-dm.svg",
        title: "Least discernibility",
        y: ("cost", DM, Scale::Log),
        only: &[("metric", &["dm"]), PROVEN, PROVER, FROM_NOTHING],
        lines: &["coding", "limit"],
    },
    FigureSpec {
        file: "paper-cost-cm.svg",
        title: "Least classification cost",
        y: ("cost", CM, Scale::Within),
        only: &[("metric", &["cm"]), PROVEN, PROVER, FROM_NOTHING],
        lines: &["coding", "limit"],
    },
    FigureSpec {
        file: "paper-seeded.svg",
        title: "Discernibility, any number of rows suppressed: seeded or not",
        y: ("wall_seconds", SECONDS, Scale::Log),
        only: &[("metric", &["dm"]), ("limit", &["all"]), PROVEN],
        lines: &["method", "coding", "start"],
    },
    FigureSpec {
        file: "paper-baseline.svg",
        title: "Discernibility, nothing suppressed: the prover and the paper's own algorithm",
        y: ("wall_seconds", SECONDS, Scale::Log),
        only: &[("metric", &["dm"]), ("limit", &["0"]), PROVEN, FROM_NOTHING],
        lines: &["method", "coding"],
    },
];

/// Penalty, discernibility and query error of Xu et al., and time.
const LOCAL: &[FigureSpec] = &[
    FigureSpec {
        file: "local-penalty.svg",
        title: "Certainty penalty",
        y: ("gcp", "global certainty penalty (share of the worst)", Scale::Log),
        only: &[("age_weight", &["1"])],
        lines: &["method"],
    },
    FigureSpec {
        file: "local-dm.svg",
        title: "Discernibility",
        y: ("dm", DM, Scale::Log),
        only: &[("age_weight", &["1"])],
        lines: &["method"],
    },
    FigureSpec {
        file: "local-queries.svg",
        title: "Error of random questions",
        y: ("query_median", "median error (share of the true answer)", Scale::Log),
        only: &[("age_weight", &["1"])],
        lines: &["method"],
    },
    FigureSpec {
        file: "local-time.svg",
        title: "Time of the search",
        y: ("cpu_seconds", "CPU seconds", Scale::Log),
        only: &[("age_weight", &["1"])],
        lines: &["method"],
    },
];

/// The comparison of LeFevre et al.
const RECODINGS: &[FigureSpec] = &[
    FigureSpec {
        file: "recodings-dm.svg",
        title: "What freer recoding saves: discernibility",
        y: ("dm", DM, Scale::Log),
        only: &[],
        lines: &["method"],
    },
    FigureSpec {
        file: "recodings-average.svg",
        title: "What freer recoding saves: class size",
        y: ("average_class", "average class size (times k)", Scale::Log),
        only: &[],
        lines: &["method"],
    },
];

impl FigureSpec {
    /// The figure as SVG, if there is anything to show.
    fn draw(&self, sheet: &ResultSheet) -> Option<String> {
        let (column, label, scale) = self.y;
        let mut series: Vec<Series> = Vec::new();
        let mut ks = Vec::new();
        for row in sheet.rows() {
            let shown =
                self.only.iter().all(|(name, allowed)| allowed.contains(&sheet.field(row, name)));
            let point = (sheet.number(row, "k"), sheet.number(row, column));
            let (true, (Some(k), Some(value))) = (shown, point) else { continue };
            let words: Vec<String> =
                self.lines.iter().map(|name| in_words(name, sheet.field(row, name))).collect();
            let name = words.join(", ");
            ks.push(k);
            match series.iter_mut().find(|line| line.name == name) {
                Some(line) => line.points.push((k, value)),
                None => {
                    series.push(Series {
                        name,
                        points: vec![(k, value)],
                        shape: LineShape::Straight,
                    });
                }
            }
        }
        if series.is_empty() {
            return None;
        }
        series.sort_by(|a, b| a.name.cmp(&b.name));
        for line in &mut series {
            line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        ks.sort_by(f64::total_cmp);
        ks.dedup();
        let chart = LineChart {
            title: self.title.to_owned(),
            x: Axis { ticks: Some(ks), ..Axis::log("k (rows)") },
            y: Axis { label: label.to_owned(), scale, ticks: None },
            series,
        };
        Some(standalone(&chart.to_svg()))
    }
}

/// A field as a legend names it.
fn in_words(column: &str, field: &str) -> String {
    match (column, field) {
        ("limit", "all") => "no limit".to_owned(),
        ("limit", rows) => format!("limit {rows}"),
        ("start", "nothing") => "from nothing".to_owned(),
        _ => field.to_owned(),
    }
}
