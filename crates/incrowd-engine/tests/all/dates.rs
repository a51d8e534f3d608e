//! Columns of dates: the engine and the independent verifier agree on what is written and what is released.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::{requirements, rows_of, solve, verdict};
use incrowd_engine::problem::HierarchySource;
use incrowd_engine::recoding::GlobalRecoding;
use incrowd_engine::value::{
    ClassSummary, DateFormat, DateUnit, DetectedDates, DomainKind, Group, HierarchyRule, Scale,
    detect_dates,
};
use incrowd_engine::{
    AttributeSpec, Limit, Metric, Problem, ProblemSpec, Recoding, Release, SavedRecoding,
    SuppressionMode, Table,
};
use incrowd_testing::cases;
use incrowd_verify::DateForm;
use proptest::prelude::*;
use proptest::sample::select;

/// The forms that are tried.
const FORMS: [&str; 12] = [
    "y-m-d",
    "d/m/y",
    "m/d/y",
    "d.m.y",
    "d-m-y",
    "y/m/d",
    "d-mon-y",
    "mon d, y",
    "ymd",
    "y-m-d h:m:s",
    "m/d/y h:m:s",
    "h:m:s",
];

/// A moment as numbers, and how a person may spell it.
#[derive(Debug, Clone)]
struct Written {
    /// Days since 1970, seconds of the day, nanoseconds.
    at: (i64, i64, i64),
    short: bool,
}

/// The date so many days after 1970, by walking.
fn civil(mut days: i64) -> (i64, i64, i64) {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while days < 0 {
        year -= 1;
        days += if leap(year) { 366 } else { 365 };
    }
    while days >= if leap(year) { 366 } else { 365 } {
        days -= if leap(year) { 366 } else { 365 };
        year += 1;
    }
    let feb = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, feb, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

const MONTHS: [&str; 12] = [
    "Jan", "February", "mar", "APR", "May", "Jun.", "July", "Aug", "Sept", "October", "Nov", "Dec",
];

impl Written {
    fn text(&self, form: &str, zone: &str) -> String {
        let (year, month, day) = civil(self.at.0);
        let (h, m, s) = (self.at.1 / 3600, self.at.1 / 60 % 60, self.at.1 % 60);
        let name = MONTHS[month as usize - 1];
        let fraction = match self.at.2 {
            0 => String::new(),
            nanos => format!(".{nanos:09}").trim_end_matches('0').to_owned(),
        };
        let time = format!("{h:02}:{m:02}:{s:02}{fraction}{zone}");
        let pad =
            |number: i64| if self.short { number.to_string() } else { format!("{number:02}") };
        let (d, m) = (pad(day), pad(month));
        match form {
            "y-m-d" => format!("{year:04}-{month:02}-{day:02}"),
            "d/m/y" => format!("{d}/{m}/{year:04}"),
            "m/d/y" => format!("{m}/{d}/{year:04}"),
            "d.m.y" => format!("{d}.{m}.{year:04}"),
            "d-m-y" => format!("{d}-{m}-{year:04}"),
            "y/m/d" => format!("{year:04}/{m}/{d}"),
            "d-mon-y" => format!("{d}-{name}-{year:04}"),
            "mon d, y" => format!("{name} {d}, {year:04}"),
            "ymd" => format!("{year:04}{month:02}{day:02}"),
            "y-m-d h:m:s" => {
                format!("{year:04}-{month:02}-{day:02}{}{time}", if self.short { " " } else { "T" })
            }
            "m/d/y h:m:s" => format!("{m}/{d}/{year:04} {time}"),
            _ => time,
        }
    }
}

/// Dates that lie as close to each other as `spread` says.
fn written() -> impl Strategy<Value = Vec<Written>> {
    let spread = select(vec![
        (0_i64, 1_i64),
        (0, 3),
        (0, 40),
        (0, 400),
        (-300, 9_000),
        (-700_000, 2_900_000),
    ]);
    let seconds = select(vec![1, 60, 3_600, 86_400, 0]);
    (spread, seconds, any::<bool>(), -5_000..20_000i64).prop_flat_map(
        |((low, high), seconds, fractions, base)| {
            let one = (low..high, 0..86_400i64, 0..1_000_000_000i64, any::<bool>());
            prop::collection::vec(one, 4..40).prop_map(move |all| {
                all.into_iter()
                    .map(|(day, second, nanos, short)| {
                        let second = if seconds == 0 { second } else { second / seconds * seconds };
                        let nanos = if fractions && seconds == 0 {
                            nanos / 250_000_000 * 250_000_000
                        } else {
                            0
                        };
                        let base = if high > 10_000 { 0 } else { base };
                        Written { at: (base + day, second, nanos), short }
                    })
                    .collect()
            })
        },
    )
}

/// A table with a column of dates in some form, one of numbers, and k.
#[derive(Debug, Clone)]
struct Case {
    form: &'static str,
    table: Table,
    k: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let zones = select(vec!["", "", "Z", "+02:00", "-03:30", "mixed"]);
    (written(), select(FORMS.to_vec()), zones, 1..5u64, any::<u64>(), any::<bool>()).prop_map(
        |(dates, form, zone, k, seed, missing)| {
            let timed = form.starts_with("y-m-d h") || form.starts_with("m/d/y h");
            let rows: Vec<[String; 3]> = dates
                .iter()
                .enumerate()
                .map(|(at, date)| {
                    let zone = match zone {
                        _ if !timed => "",
                        "mixed" => ["Z", "+02:00", "-0330", "+14"][(seed as usize + at) % 4],
                        zone => zone,
                    };
                    let date = match missing && at % 5 == 3 {
                        true => "?".to_owned(),
                        false => date.text(form, zone),
                    };
                    let number = (seed >> (at % 60)) % 7;
                    [date, number.to_string(), format!("p{at}")]
                })
                .collect();
            let k = k.min(rows.len() as u64);
            Case { form, table: Table::from_rows(&["when", "size", "id"], &rows).unwrap(), k }
        },
    )
}

fn spec(case: &Case) -> ProblemSpec {
    let mut spec = ProblemSpec::new(case.k).quasi("when").quasi("size");
    spec.quasi[0].rule.date_format = Some(case.form.parse().unwrap());
    spec.limit = Limit::All;
    spec
}

/// Whether a label is one of dates and no list.
fn readable(label: &str) -> bool {
    label.len() <= 64 && !label.contains(['{', '"'])
}

fn check(
    case: &Case,
    spec: &ProblemSpec,
    method: &str,
    options: &[(&str, &str)],
) -> Result<(), TestCaseError> {
    let problem = Problem::of_table(spec, &case.table).unwrap();
    let solution = solve(method, options, &problem);
    let Some(recoding) = solution.recoding() else { return Ok(()) };
    let release = Release::new(&problem, recoding, SuppressionMode::Drop);
    let released = release.table_in_order(&problem, &case.table, &["id"]).unwrap();
    let mut required = requirements(&problem, &common::Ladders::default());
    let Some(Scale::Dates(scale)) = problem.attributes[0].domain.scale() else {
        // Nothing but missing values.
        return Ok(());
    };
    let form = DateForm::new(&scale.format.to_string()).unwrap();
    required.dates.insert("when".to_owned(), form);
    let verdict = verdict(&released, &case.table, &required);
    prop_assert!(
        verdict.holds,
        "{method}: {verdict}\n{:?}\n{:?}",
        rows_of(&released),
        rows_of(&case.table)
    );
    for row in rows_of(&released) {
        prop_assert!(readable(&row[0]), "{method}: {}", row[0]);
    }
    // What reads the same is the same, and shown again it is what it was.
    let attribute = &problem.attributes[0];
    let groups = release.classes.groups[0].as_slice();
    let mut labels: Vec<(String, &Group)> =
        groups.iter().map(|group| (attribute.label(group), group)).collect();
    labels.sort_by(|one, two| one.0.cmp(&two.0));
    for pair in labels.windows(2) {
        prop_assert!(pair[0].0 != pair[1].0, "{method}: {} twice: {:?}", pair[0].0, pair);
    }
    for (label, group) in &labels {
        prop_assert_eq!(&attribute.shown(group), *group);
        let (first, last) = attribute.span(group);
        if label == "*" || attribute.domain.missing_code() == Some(first) {
            continue;
        }
        // A label holds the values of its group and no others.
        let bounds = scale_of(attribute).read_released(label);
        prop_assert!(bounds.is_some(), "{method}: {label} cannot be read");
        let bounds = bounds.unwrap();
        for code in 0..attribute.domain.len() as u32 {
            let Some(place) = attribute.domain.bounds(code) else { continue };
            let inside = bounds.contains(place.least()) && bounds.contains(place.most());
            prop_assert_eq!(
                inside,
                (first..=last).contains(&code),
                "{} {}",
                label,
                attribute.domain.label(code)
            );
        }
    }
    Ok(())
}

fn scale_of(attribute: &incrowd_engine::value::Attribute) -> &Scale {
    attribute.domain.scale().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(600), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the form and the method: k holds, labels are truthful, short, and none stands for two groups.
    #[test]
    fn dates_are_released_truthfully(case in case()) {
        let spec = spec(&case);
        for (method, options) in [
            ("mondrian", vec![]),
            ("mondrian", vec![("mode", "relaxed")]),
            ("best-local", vec![("steps", "3")]),
            ("climb", vec![]),
            ("lattice", vec![]),
            ("datafly", vec![]),
            ("top-down", vec![]),
            ("bottom-up", vec![]),
            ("cells", vec![("steps", "3"), ("nodes", "300")]),
            ("cluster-up", vec![]),
            ("anneal", vec![("steps", "100")]),
            ("mu-argus", vec![]),
        ] {
            check(&case, &spec, method, &options)?;
        }
    }

    /// With a hierarchy of units, as ranges and as nodes.
    #[test]
    fn dates_with_hierarchies_are_released_truthfully(case in case(), node in any::<bool>()) {
        let mut spec = spec(&case);
        let units = match case.form {
            "h:m:s" => vec![DateUnit::Minute, DateUnit::Hour],
            "y-m-d h:m:s" => vec![DateUnit::Hour, DateUnit::Day, DateUnit::Week],
            _ => vec![DateUnit::Month, DateUnit::Quarter, DateUnit::Year, DateUnit::Decade],
        };
        spec.quasi[0].hierarchy = Some(HierarchySource::Rule(HierarchyRule::Date(units)));
        spec.quasi[0].summary = Some(if node { ClassSummary::Node } else { ClassSummary::Range });
        for method in ["mondrian", "best-local", "climb", "lattice", "cluster-up"] {
            check(&case, &spec, method, &[])?;
        }
    }

    /// The form is found where the values tell it, and told where they do not.
    #[test]
    fn forms_are_found(dates in written(), form in select(FORMS.to_vec())) {
        let texts: Vec<String> = dates.iter().map(|date| date.text(form, "")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let wanted: DateFormat = form.parse().unwrap();
        match detect_dates(&texts, None) {
            DetectedDates::Dates(found) => prop_assert!(
                found.scale.format.same_days(&wanted)
                    // Where all days are months too, both readings may be the same.
                    || dates.iter().all(|date| { let (_, m, d) = civil(date.at.0); m == d }),
                "{} is not {}", found.scale.format, wanted
            ),
            DetectedDates::Ambiguous(found) => prop_assert!(
                found.readings.iter().any(|(form, _)| form.same_days(&wanted)),
                "{}", found.describe()
            ),
            DetectedDates::Nothing => prop_assert_eq!(form, "ymd"),
        }
    }

    /// Nothing that looks like a date makes the reader panic.
    #[test]
    fn bad_dates_never_panic(text in "[0-9TZ:./, +é-]{0,24}|[0-9]{1,5}[-/.][0-9]{1,3}[-/.][0-9]{1,5}( [0-9:.]{0,12})?[Z+-]?[0-9:]{0,5}") {
        for form in FORMS {
            let form: DateFormat = form.parse().unwrap();
            let _ = form.read(&text);
        }
        let _ = detect_dates(&[&text], None);
        let table = Table::from_rows(&["when"], &[[text.as_str()], ["2018-04-03"]]).unwrap();
        let _ = Problem::of_table(&ProblemSpec::new(1).quasi("when"), &table);
        let _ = text.parse::<DateFormat>();
    }

    /// A recoding by cuts costs what it is said to, and nothing costs less.
    #[test]
    fn cuts_of_dates_are_proven(days in prop::collection::vec((0..900i64, 0..3u64), 3..14), k in 2..4u64, dm in any::<bool>()) {
        let rows: Vec<[String; 2]> = days
            .iter()
            .map(|&(day, number)| {
                // A few days far apart: more than brute force could look at is not tried.
                let (year, month, day) = civil(17_000 + day / 150 * 40 + day % 2);
                [format!("{year:04}-{month:02}-{day:02}"), number.to_string()]
            })
            .collect();
        let table = Table::from_rows(&["when", "size"], &rows).unwrap();
        let mut spec = ProblemSpec::new(k.min(rows.len() as u64)).quasi("when").quasi("size");
        spec.limit = Limit::Rows(0);
        spec.metric = if dm { Metric::Dm } else { Metric::Ncp };
        let problem = Problem::of_table(&spec, &table).unwrap();
        let sizes = problem.domains();
        let cost = |recoding: &Recoding| {
            let release = Release::new(&problem, recoding, SuppressionMode::Drop);
            let whole = release.classes.suppressed_rows() == 0;
            whole.then(|| release.measures.cost(spec.metric).unwrap())
        };
        let mut least: Option<f64> = None;
        for dates in 0..1u32 << (sizes[0] - 1) {
            for numbers in 0..1u32 << (sizes[1] - 1) {
                let group = |at: usize, code: u32| {
                    let cuts = if at == 0 { dates } else { numbers };
                    let cut = |place: u32| place == 0 || (cuts >> (place - 1)) & 1 == 1;
                    let first = (0..=code).rev().find(|&place| cut(place)).unwrap();
                    let end = (code + 1..sizes[at] as u32).find(|&place| cut(place));
                    Group::Range { first, last: end.unwrap_or(sizes[at] as u32) - 1 }
                };
                if let Some(cost) = cost(&Recoding::Global(GlobalRecoding::new(&problem.attributes, group))) {
                    least = Some(least.map_or(cost, |least| least.min(cost)));
                }
            }
        }
        let found = solve("optimal", &[], &problem);
        let found = found.recoding().and_then(&cost);
        prop_assert_eq!(found.is_some(), least.is_some());
        if let (Some(found), Some(least)) = (found, least) {
            prop_assert!((found - least).abs() < 1e-9, "{found} instead of {least}");
        }
    }
}

fn table(values: &[&str]) -> Table {
    let rows: Vec<[&str; 1]> = values.iter().map(|value| [*value]).collect();
    Table::from_rows(&["when"], &rows).unwrap()
}

fn released(values: &[&str], k: u64, method: &str) -> Vec<String> {
    let table = table(values);
    let mut spec = ProblemSpec::new(k).quasi("when");
    spec.limit = Limit::All;
    let problem = Problem::of_table(&spec, &table).unwrap();
    let recoding = solve(method, &[], &problem).into_recoding().unwrap();
    let release = Release::new(&problem, &recoding, SuppressionMode::Drop);
    let rows = rows_of(&release.table_in_order(&problem, &table, &table.names()).unwrap());
    rows.into_iter().map(|mut row| row.remove(0)).collect()
}

#[test]
fn groups_read_as_people_speak_of_them() {
    let days = ["3/4/2018", "13/4/2018", "20/6/2018", "1/1/2020", "31/12/2020"];
    let told = ["2018-Q2", "2018-Q2", "2018-Q2", "2020", "2020"];
    assert_eq!(released(&days, 2, "mondrian"), told);
    let days = ["3/4/2018", "13/4/2018", "31/12/2009", "1/6/2010"];
    let told = ["[2018-04-03 to 2018-04-13]", "[2009-12 to 2010-06]"];
    assert_eq!(released(&days, 2, "mondrian"), [told[0], told[0], told[1], told[1]]);
    // Levels need no hierarchy.
    let days = ["2018-04-03", "2018-04-20", "2018-06-01", "2018-06-30", "2019-01-01", "2019-03-31"];
    assert_eq!(released(&days, 2, "lattice"), ["2018", "2018", "2018", "2018", "2019", "2019"]);
}

#[test]
fn ambiguous_columns_are_refused_with_both_readings() {
    let table = table(&["03/04/2018", "05/06/2018"]);
    let spec = ProblemSpec::new(1).quasi("when");
    let error = Problem::of_table(&spec, &table).unwrap_err();
    assert!(
        error.message.contains("`03/04/2018` is 2018-04-03 as d/m/y and 2018-03-04 as m/d/y"),
        "{error}"
    );
    assert!(error.help.unwrap().contains("--date-format when=d/m/y"));
    // A column that is released as it is may be read in any way.
    let mut as_target = ProblemSpec::new(1).quasi("size");
    as_target.targets.push(AttributeSpec::new("when"));
    let two =
        Table::from_rows(&["size", "when"], &[["1", "03/04/2018"], ["2", "05/06/2018"]]).unwrap();
    assert!(Problem::of_table(&as_target, &two).is_ok());
    let mut said = spec.clone();
    said.quasi[0].rule.usual_dates = Some("m/d/y".parse().unwrap());
    let problem = Problem::of_table(&said, &table).unwrap();
    assert_eq!(problem.attributes[0].domain.label(0), "2018-03-04");
    let mut text = spec;
    text.quasi[0].rule.kind = Some(DomainKind::Text);
    assert_eq!(
        Problem::of_table(&text, &table).unwrap().attributes[0].domain.label(0),
        "03/04/2018"
    );
}

#[test]
fn declared_dates_must_be_dates() {
    let mut spec = ProblemSpec::new(1).quasi("when");
    spec.quasi[0].rule.kind = Some(DomainKind::Date);
    let error = Problem::of_table(&spec, &table(&["2018-04-03", "2018-02-30", "?"])).unwrap_err();
    assert!(
        error.message.contains("\"2018-02-30\"") && !error.message.contains("04-03"),
        "{error}"
    );
    spec.quasi[0].rule.date_format = Some("d/m/y".parse().unwrap());
    let error = Problem::of_table(&spec, &table(&["3/4/2018", "soon"])).unwrap_err();
    assert!(error.message.contains("\"soon\""), "{error}");
}

#[test]
fn targets_keep_their_spelling_in_the_order_of_time() {
    let rows = [["1", "13/12/2017"], ["2", "1/4/2018"], ["3", "01/04/2018"], ["4", "2/1/2018"]];
    let two = Table::from_rows(&["size", "when"], &rows).unwrap();
    let mut spec = ProblemSpec::new(1).quasi("size");
    spec.targets.push(AttributeSpec::new("when"));
    let problem = Problem::of_table(&spec, &two).unwrap();
    let domain = &problem.targets.columns[0].domain;
    let labels: Vec<&str> = (0..4).map(|code| domain.label(code)).collect();
    assert_eq!(labels, ["13/12/2017", "2/1/2018", "01/04/2018", "1/4/2018"]);
}

#[test]
fn recodings_of_dates_are_saved_and_applied() {
    let days = table(&["3/4/2018", "13/4/2018", "20/6/2018", "1/1/2020", "31/12/2020", "?"]);
    let mut spec = ProblemSpec::new(2).quasi("when");
    spec.limit = Limit::All;
    let problem = Problem::of_table(&spec, &days).unwrap();
    let recoding = solve("mondrian", &[], &problem).into_recoding().unwrap();
    let saved = SavedRecoding {
        narrowing: Vec::new(),
        version: SavedRecoding::VERSION,
        unit: None,
        count_missing: false,
        k: 2,
        wildcards: false,
        models: Vec::new(),
        sensitive: Vec::new(),
        identifying: Vec::new(),
        plain: Vec::new(),
        missing: vec!["?".to_owned()],
        treatments: Vec::new(),
        attributes: problem.attributes.clone(),
        recoding,
    };
    let read = SavedRecoding::from_json(&saved.to_json()).unwrap();
    assert_eq!(read.to_json(), saved.to_json());
    // Dates written otherwise are the same dates.
    let domain = &read.attributes[0].domain;
    let fields = ["03/04/2018", "2018-04-13", "4/13/2018", "?"].into_iter().collect();
    let codes = domain.codes_of(&fields, &read.missing);
    assert_eq!(codes[..2], [1, 2]);
    assert_eq!(codes[2..], [incrowd_engine::table::UNSEEN, 0]);
}

#[test]
fn weeks_cannot_lie_below_months() {
    let days = table(&["2018-04-03", "2018-04-20"]);
    let mut spec = ProblemSpec::new(1).quasi("when");
    let mut with = |units: Vec<DateUnit>| {
        spec.quasi[0].hierarchy = Some(HierarchySource::Rule(HierarchyRule::Date(units)));
        Problem::of_table(&spec, &days)
    };
    let error = with(vec![DateUnit::Week, DateUnit::Month]).unwrap_err();
    assert!(error.message.contains("a week cannot be the level below a month"), "{error}");
    assert!(with(vec![DateUnit::Month, DateUnit::Day]).is_err());
    let problem = with(vec![DateUnit::Day, DateUnit::Week]).unwrap();
    let tree = problem.attributes[0].hierarchy.as_ref().unwrap();
    assert_eq!(tree.label(tree.at_level(0, 2)), "2018-W14");
}
