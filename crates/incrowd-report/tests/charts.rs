//! Charts look as they should, and odd data do not break them.

use incrowd_report::chart::{
    Axis, Bar, BarChart, ColumnChart, LineChart, LineShape, Series, escape, standalone,
};
use incrowd_report::{CompareStory, CostBound, MethodSeries, PageTable};

fn lines() -> LineChart {
    let ks = [2.0, 3.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0];
    let series = |name: &str, factor: f64| Series {
        name: name.to_owned(),
        points: ks.iter().map(|&k: &f64| (k, factor * 1000.0 * k.sqrt())).collect(),
        shape: LineShape::Straight,
    };
    LineChart {
        title: "Cost over k".to_owned(),
        x: Axis { ticks: Some(ks.to_vec()), ..Axis::log("k (rows)") },
        y: Axis::linear("certainty penalty (rows)"),
        series: vec![series("optimal", 1.0), series("mondrian", 1.3), series("datafly", 2.2)],
    }
}

fn columns(names: &[&str]) -> ColumnChart {
    ColumnChart {
        title: "Rows by size".to_owned(),
        series: vec!["before".to_owned(), "after".to_owned()],
        columns: names
            .iter()
            .enumerate()
            .map(|(at, name)| ((*name).to_owned(), vec![10.0 * at as f64, 30.0]))
            .collect(),
        x: "rows that look alike".to_owned(),
        y: Axis::linear("% of the rows"),
        width: 330.0,
    }
}

fn bars() -> BarChart {
    BarChart {
        title: "Information kept".to_owned(),
        series: vec!["kept".to_owned()],
        bars: [("age", 83.2), ("native-country", 2.0), ("sex & <rest>", 100.0)]
            .map(|(label, value)| Bar { label: label.to_owned(), values: vec![value] })
            .to_vec(),
        most: Some(100.0),
        unit: "%".to_owned(),
    }
}

/// Twelve methods and k from 2 to 1000; three of them cost the same, one can do only some k, one none.
fn comparison() -> CompareStory {
    let ks = [2, 3, 5, 10, 25, 50, 100, 250, 500, 1000];
    let method = |at: usize| {
        let cost = |k: u64| match at {
            4 if k > 50 => None,
            11 => None,
            _ => Some((1.0 + 0.4 * (at / 3) as f64) * 1000.0 * (k as f64).sqrt()),
        };
        let each = |factor: f64| ks.iter().map(|&k| Some(cost(k)? * factor)).collect();
        MethodSeries {
            name: format!("method-{at}:option={}", at * at),
            family: "single-dimensional".to_owned(),
            costs: each(1.0),
            seconds: each(1e-5),
            suppressed: each(if at.is_multiple_of(2) { 0.0 } else { 0.01 }),
        }
    };
    let optimum = |k: u64| {
        let cost = 990.0 * (k as f64).sqrt();
        Some(CostBound { cost, proven: (5..=250).contains(&k) })
    };
    CompareStory {
        headline: "method-0 made the cheapest release for every k.".to_owned(),
        question: vec![("table".to_owned(), "people.csv: 30,000 rows".to_owned())],
        metric: "dm".to_owned(),
        ks: ks.to_vec(),
        contestants: (0..12).map(method).collect(),
        optimum: ks.iter().map(|&k| optimum(k)).collect(),
        sheets: vec![PageTable {
            title: String::new(),
            header: vec!["cost".to_owned(), "k = 2".to_owned()],
            rows: vec![vec!["a<b".to_owned(), "7".to_owned()]],
        }],
        reasons: vec![("method-11".to_owned(), "refused: it has no hierarchy".to_owned())],
        command: "incrowd compare people.csv".to_owned(),
        ..CompareStory::default()
    }
}

#[test]
fn a_comparison_looks_as_it_did() {
    let story = comparison();
    let svg = story.to_svg();
    insta::assert_snapshot!("comparison", svg);
    // A line for each method that has one, the proven optimum as a band, its bound dotted.
    assert_eq!(svg.matches("<path class=\"line ").count(), 11);
    assert_eq!(svg.matches("<path class=\"reference\"").count(), 1);
    assert_eq!(svg.matches("<path class=\"bound\"").count(), 1);
    let page = story.to_html();
    for word in ["Cost over k", "The numbers", "a&lt;b", "What was not done", "Suppressed rows"] {
        assert!(page.contains(word), "{word}");
    }
    assert_eq!(page.matches("<svg").count(), 3);
    let empty = CompareStory::default();
    assert!(empty.to_svg().ends_with("</svg>\n"));
    assert!(empty.to_html().contains("No release left out a row."));
}

#[test]
fn a_line_is_broken_where_a_value_is_missing() {
    let points = vec![(1.0, 2.0), (2.0, 3.0), (3.0, f64::NAN), (4.0, 5.0), (5.0, 4.0)];
    let chart = |shape: LineShape| {
        let series = vec![Series { name: "s".to_owned(), points: points.clone(), shape }];
        let (x, y) = (Axis::linear("x"), Axis::linear("y"));
        LineChart { title: String::new(), x, y, series }.to_svg()
    };
    let starts = |svg: &str| {
        let path = svg.lines().find(|line| line.contains(" d=\"M")).unwrap_or_default();
        path.matches('M').count()
    };
    assert_eq!(starts(&chart(LineShape::Reference)), 2);
    assert_eq!(starts(&chart(LineShape::Steps)), 1);
}

#[test]
fn charts_look_as_they_did() {
    insta::assert_snapshot!("lines", standalone(&lines().to_svg()));
    insta::assert_snapshot!("columns", columns(&["1", "2", "3-4", "5-9"]).to_svg());
    let long = ["Married-civ-spouse", "Never-married", "Divorced", "Widowed", "Separated"];
    insta::assert_snapshot!("columns with long names", columns(&long).to_svg());
    insta::assert_snapshot!("bars", bars().to_svg());
}

/// Every text of a chart with its place and about how wide it is.
fn texts(svg: &str) -> Vec<(f64, f64, f64)> {
    let number = |tag: &str, name: &str| -> f64 {
        let from = tag.find(&format!(" {name}=\"")).map(|at| at + name.len() + 3);
        from.and_then(|from| tag[from..].split('"').next()?.parse().ok()).unwrap_or(f64::NAN)
    };
    svg.lines()
        .filter(|line| line.starts_with("<text x="))
        .map(|line| {
            let text = line.split('>').nth(1).and_then(|rest| rest.split('<').next()).unwrap_or("");
            let width = 6.2 * text.chars().count() as f64;
            let x = number(line, "x");
            let left = match line {
                line if line.contains("\"middle\"") => x - width / 2.0,
                line if line.contains("\"end\"") => x - width,
                _ => x,
            };
            (left, left + width, number(line, "y"))
        })
        .collect()
}

#[test]
fn labels_do_not_overlap() {
    let page = comparison().to_html();
    let charts = page.split("<svg").skip(1).map(|rest| format!("<svg{rest}"));
    let charts = charts.filter_map(|rest| Some(rest.split_once("</svg>")?.0.to_owned()));
    let compared: Vec<String> = charts.collect();
    assert_eq!(compared.len(), 3);
    let others = [
        lines().to_svg(),
        lines().to_labelled_svg(),
        columns(&["1", "2", "3-4", "5-9"]).to_svg(),
        bars().to_svg(),
    ];
    for svg in others.into_iter().chain(compared) {
        let texts = texts(&svg);
        assert!(texts.len() > 5);
        for (at, one) in texts.iter().enumerate() {
            for other in &texts[at + 1..] {
                let apart = one.1 <= other.0 || other.1 <= one.0 || (one.2 - other.2).abs() >= 10.0;
                assert!(apart, "{one:?} and {other:?} in\n{svg}");
            }
        }
    }
}

#[test]
fn odd_data_are_drawn_too() {
    let odd = [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300, 1e-300];
    for axis in [Axis::linear("x"), Axis::log("x")] {
        let points: Vec<(f64, f64)> =
            odd.iter().flat_map(|&x| odd.iter().map(move |&y| (x, y))).collect();
        let series = Series { name: "odd".to_owned(), points, shape: LineShape::Steps };
        for series in [vec![], vec![series]] {
            let chart =
                LineChart { title: String::new(), x: axis.clone(), y: axis.clone(), series };
            let svg = chart.to_svg();
            assert!(
                svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"),
                "{svg}"
            );
        }
    }
    assert!(columns(&[]).to_svg().ends_with("</svg>\n"));
    assert!(BarChart { bars: vec![], ..bars() }.to_svg().ends_with("</svg>\n"));
}

#[test]
fn text_is_escaped() {
    assert_eq!(escape("a<b & \"c\"\u{7}"), "a&lt;b &amp; &quot;c&quot; ");
    assert!(bars().to_svg().contains("sex &amp; &lt;rest&gt;"));
}
