//! Whatever a spec says survives writing and reading, and no text brings the reader down.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use incrowd_engine::value::{ColumnTransform, Decimal};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use incrowd_engine::value::DateFormat;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::hierarchies::*;
use crate::models::*;
use crate::parsing::*;

fn choice<T: KeywordChoice + std::fmt::Debug>() -> impl Strategy<Value = T> {
    select(T::ALL)
}

/// Names and values as data have them: with spaces, dots, quotes, newlines, any script.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z0-9_-]{0,8}",
        "[ .\"'#=\\[\\]\\\\{}\n\t\u{1}\u{7f}\u{85}äß語🦀a-c]{1,8}",
        "\\PC{1,6}"
    ]
}

fn words(count: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<String>> {
    // A set, because values may not repeat; shuffled, because their order must survive.
    proptest::collection::btree_set(word(), count)
        .prop_map(|words| words.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-1000i32..1000).prop_map(f64::from),
        -1e3..1e3,
        select(&[0.1, 1e15, -1e18, 1e300, 1e-300, f64::MAX, f64::MIN_POSITIVE][..]),
    ]
}

fn positive() -> impl Strategy<Value = f64> {
    finite().prop_map(f64::abs).prop_filter("more than 0", |number| *number > 0.0)
}

fn rule() -> impl Strategy<Value = HierarchyRule> {
    let widths = (1u32..50, proptest::collection::vec(2u32..5, 0..4)).prop_map(|(first, times)| {
        let mut widths = vec![f64::from(first) / 4.0];
        for times in times {
            widths.push(widths[widths.len() - 1] * f64::from(times));
        }
        widths
    });
    let kept = proptest::collection::btree_set(1u32..20, 1..5)
        .prop_map(|kept| PrefixLengths::Kept(kept.into_iter().rev().collect()));
    // Nothing can follow a week.
    let periods = proptest::sample::subsequence(DatePeriod::ALL, 1..=4).prop_map(|periods| {
        periods
            .split_inclusive(|it| *it == DatePeriod::Week)
            .next()
            .map_or(Vec::new(), <[_]>::to_vec)
    });
    prop_oneof![
        (choice::<BuiltinHierarchy>(), of(word()))
            .prop_map(|(ready, other)| HierarchyRule::Ready { ready, other }),
        (widths, finite())
            .prop_map(|(intervals, start)| HierarchyRule::Intervals { intervals, start }),
        prop_oneof![Just(PrefixLengths::Every), kept]
            .prop_map(|prefix| HierarchyRule::Prefix { prefix }),
        periods.prop_map(|date| HierarchyRule::Date { date }),
        words(1..9).prop_map(|values| HierarchyRule::Rows {
            // A label that is a value, too, would lie under itself.
            rows: values
                .into_iter()
                .map(|value| vec![value, "a group of all".to_owned()])
                .collect(),
        }),
        (words(4..12), words(1..4)).prop_map(|(values, names)| HierarchyRule::Groups {
            groups: split(values, names)
                .map(|(name, values)| ValueGroup { name, values })
                .collect(),
        }),
        (words(4..12), words(1..4), words(1..3)).prop_map(|(values, names, tops)| {
            let lower: Vec<TreeGroup> = split(values, names)
                .map(|(name, values)| TreeGroup { name, members: GroupMembers::Values(values) })
                .collect();
            let tops = tops.into_iter().take(lower.len()).collect();
            let tree = split(lower, tops)
                .map(|(name, groups)| TreeGroup { name, members: GroupMembers::Groups(groups) })
                .collect();
            HierarchyRule::Tree { tree }
        }),
    ]
}

/// Shares out at least as many things as there are names among the names.
fn split<T: Clone>(things: Vec<T>, names: Vec<String>) -> impl Iterator<Item = (String, Vec<T>)> {
    let count = names.len();
    let size = things.len() / count;
    names.into_iter().enumerate().map(move |(at, name)| {
        let end = if at + 1 == count { things.len() } else { (at + 1) * size };
        (name, things[at * size..end].to_vec())
    })
}

/// Values at which to cut: words, and numbers in every spelling.
fn values() -> impl Strategy<Value = Vec<String>> {
    let number = prop_oneof![
        any::<i64>().prop_map(|whole| whole.to_string()),
        finite().prop_map(|float| format!("{float:?}")),
        select(&["007", "1e5", "-0", "+1", "1_000", "inf", "nan", "0x1F", "1."][..])
            .prop_map(str::to_owned),
    ];
    proptest::collection::vec(prop_oneof![word(), number], 0..4)
}

/// What may be done to numbers.
fn treatment() -> impl Strategy<Value = ColumnTransform> {
    let number = (any::<i64>(), -20..20_i32)
        .prop_filter_map("of 38 digits", |(mantissa, exponent)| {
            Decimal::new(mantissa.into(), exponent)
        });
    let numbers = proptest::collection::btree_set(number, 0..4);
    (numbers, any::<bool>(), of(1u32..500)).prop_map(|(numbers, ends, round)| {
        let numbers: Vec<Decimal> = numbers.into_iter().collect();
        let round = round.map(Decimal::from);
        match numbers[..] {
            [bottom, .., top] if ends => ColumnTransform {
                bottom: Some(bottom),
                top: Some(top),
                round,
                ..ColumnTransform::default()
            },
            _ => ColumnTransform { breaks: numbers, round, ..ColumnTransform::default() },
        }
    })
}

/// A column; what it says beyond its role is cut down to what goes together.
fn column() -> impl Strategy<Value = ColumnSection> {
    let bins = (positive(), finite()).prop_map(|(width, start)| Bins { width, start });
    let hierarchy = prop_oneof![
        word().prop_map(|file| Hierarchy::File(file.into())),
        rule().prop_map(Hierarchy::Rule)
    ];
    let options = (of(positive()), of(bins), of(words(1..5)), of(hierarchy), of(word()));
    let choices = (choice::<Role>(), of(choice::<ClassSummary>()), of(choice::<ArgusSet>()));
    let levels = (of(0..9u32), of(0..9u32));
    let sign = of(select(&[',', '.'][..]));
    let others = (levels, treatment(), sign, of(date_format()));
    (any::<bool>(), of(Just(())), choices, options, (values(), values()), others).prop_map(
        |(
            number,
            typed,
            (role, summary, argus),
            (weight, bins, order, hierarchy, missing),
            cuts,
            ((least, most), treatment, decimal, date_format),
        )| {
            let treatment = if number { treatment } else { ColumnTransform::default() };
            ColumnSection {
                r#type: typed.map(|()| if number { ValueType::Number } else { ValueType::Text }),
                date_format: date_format
                    .filter(|_| typed.is_none() && bins.is_none() && order.is_none()),
                weight,
                bins: bins.filter(|_| number),
                order: order.filter(|_| !number && hierarchy.is_none()),
                summary: summary.map(|summary| match summary {
                    ClassSummary::Node | ClassSummary::Nodes if hierarchy.is_none() => {
                        ClassSummary::Range
                    }
                    nodes @ (ClassSummary::Node | ClassSummary::Nodes) => nodes,
                    summary if number => summary,
                    _ => ClassSummary::Range,
                }),
                hierarchy,
                missing,
                never_cut_at: match role {
                    Role::Quasi => cuts.1.into_iter().filter(|cut| !cuts.0.contains(cut)).collect(),
                    _ => Vec::new(),
                },
                cut_at: if role == Role::Quasi { cuts.0 } else { Vec::new() },
                min_level: least.filter(|_| role == Role::Quasi),
                max_level: most.filter(|_| role == Role::Quasi),
                argus: argus.filter(|_| role == Role::Quasi),
                decimal,
                breaks: treatment.breaks,
                top: treatment.top,
                bottom: treatment.bottom,
                round: treatment.round,
                keep_prefix: (!number).then_some(7),
                ..ColumnSection::new("", role)
            }
        },
    )
}

fn date_format() -> impl Strategy<Value = DateFormat> {
    let forms = ["d/m/y", "y-m-d", "m/d/y h:m:s", "d-mon-y", "mon d, y", "ymd", "h:m:s"];
    select(forms.to_vec()).prop_map(|form| form.parse().unwrap())
}

fn columns() -> impl Strategy<Value = Vec<ColumnSection>> {
    (words(0..6), proptest::collection::vec(column(), 6)).prop_map(|(names, columns)| {
        let mut has_class = false;
        let named = |(name, mut column): (String, ColumnSection)| {
            // Every other text column gets another name.
            if column.keep_prefix.is_some() {
                column.source = Some(name.clone());
                column.name = format!("{name} anew");
            } else {
                column.name = name;
            }
            if column.role == Role::Class && std::mem::replace(&mut has_class, true) {
                column.role = Role::Plain;
            }
            column
        };
        names.into_iter().zip(columns).map(named).collect()
    })
}

fn many<T: std::fmt::Debug>(model: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    proptest::collection::vec(model, 0..3)
}

/// Models that do not name their column yet.
fn privacy() -> impl Strategy<Value = PrivacySection> {
    let column = None;
    let l_diversity =
        (1u32..9, choice::<LKind>(), positive()).prop_map(|(l, kind, c)| LDiversity {
            column: None,
            l: if kind == LKind::Entropy { f64::from(l) * 1.25 } else { f64::from(l) },
            kind,
            c: (kind == LKind::Recursive).then_some(c),
        });
    let t_closeness = (0.0..=1.0, choice::<TDistance>()).prop_map(|(t, distance)| TCloseness {
        column: None,
        t,
        distance,
    });
    let alpha = (1u32..=100)
        .prop_map(|alpha| AlphaAnonymity { column: None, alpha: f64::from(alpha) / 100.0 });
    let beta_likeness = (positive(), choice::<BetaKind>()).prop_map(|(beta, kind)| BetaLikeness {
        column: None,
        beta,
        kind,
    });
    let delta = positive().prop_map(move |delta| DeltaDisclosure { column: column.clone(), delta });
    let models =
        (many(l_diversity), many(t_closeness), many(alpha), many(beta_likeness), many(delta));
    let share = || (1u32..=100).prop_map(|percent| f64::from(percent) / 100.0);
    let at_risk = (share(), share())
        .prop_map(|(share, threshold)| crate::models::MaxAtRisk { share, threshold });
    let presence = (share(), share()).prop_map(|(one, other)| crate::models::DeltaPresence {
        least: one.min(other),
        most: one.max(other),
    });
    let shares = (of(share()), of(share()), of(share()), of(share()), of(share()));
    let map = (any::<bool>(), of(word()));
    let risks = (shares, of(at_risk), of(presence), of(1u32..9), map).prop_map(
        |(
            (risk, average, fraction, unique, bias),
            max_at_risk,
            delta_presence,
            known_columns,
            map,
        )| {
            let (k_map, population_weight) = map;
            RiskLimits {
                max_risk: risk,
                max_average_risk: average,
                max_at_risk,
                k_map,
                population_weight,
                sampling_fraction: fraction,
                delta_presence,
                max_population_unique: unique,
                known_columns,
                min_outside: None,
                max_bias: bias,
            }
        },
    );
    // A strategy of many parts takes much of the stack.
    let rest = (any::<[bool; 2]>(), of(choice::<ReferenceDistribution>()), risks.boxed()).boxed();
    (1u64..1000, of(word()), models.boxed(), rest).prop_map(
        |(
            k,
            unit,
            (l_diversity, t_closeness, alpha, beta_likeness, delta_disclosure),
            ([count_missing, wildcards], reference, risks),
        )| {
            PrivacySection {
                k,
                linked: false,
                same_box: false,
                unit,
                l_diversity,
                t_closeness,
                alpha,
                beta_likeness,
                delta_disclosure,
                count_missing,
                reference,
                wildcards,
                risks,
            }
        },
    )
}

fn data() -> impl Strategy<Value = DataSection> {
    let missing = proptest::collection::vec(prop_oneof![Just(String::new()), word()], 0..4);
    let delimiter = of(select(&[',', ';', '\t', '|', ' ', '\\'][..]));
    let population = of(word().prop_map(|word| format!("{word}.population").into()));
    let encoding = of(select(&["utf-8", "latin1", "utf-16le"][..]).prop_map(str::to_owned));
    let decimal = of(select(&[',', '.'][..]));
    let earlier =
        proptest::collection::vec(word().prop_map(|word| format!("{word}.earlier").into()), 0..3);
    let signs = (decimal, of(date_format()), of(1..1_000_000_u32), earlier, of(word()));
    let more = (encoding, of(word()), proptest::collection::vec(word(), 0..3), signs);
    (word(), delimiter, of(missing), population, of(choice::<OtherColumns>()), more).prop_map(
        |(
            input,
            delimiter,
            missing,
            population,
            other,
            (encoding, sheet, missing_add, (decimal, date_format, max_expansion, earlier, table)),
        )| DataSection {
            in_database: table.is_some() && encoding.is_none(),
            filter: table.as_ref().map(|table: &String| format!("{table} > 'x'")),
            input: match table.is_some() {
                true => format!("postgres://{input}").into(),
                false => input.into(),
            },
            table,
            query: None,
            delimiter,
            encoding,
            sheet,
            max_expansion,
            missing_add,
            missing,
            date_format,
            earlier,
            population,
            survey_weight: None,
            calibrate: Vec::new(),
            other,
            decimal,
        },
    )
}

fn goal() -> impl Strategy<Value = GoalSection> {
    let limit = prop_oneof![
        any::<u64>().prop_map(SuppressionLimit::Rows),
        (0.0..=100.0).prop_map(SuppressionLimit::Percent),
        Just(SuppressionLimit::All),
    ];
    (choice::<Metric>(), of(limit))
        .prop_map(|(metric, max_suppressed)| GoalSection { metric, max_suppressed })
}

fn algorithm() -> impl Strategy<Value = AlgorithmSection> {
    let value = prop_oneof![
        word().prop_map(OptionValue::Text),
        any::<i64>().prop_map(OptionValue::Integer),
        finite().prop_map(OptionValue::Number),
        any::<bool>().prop_map(OptionValue::Bool),
    ];
    let options = proptest::collection::btree_map("x-[a-z. ]{1,6}", value, 0..4);
    let time = of((1u64..10_000_000).prop_map(Duration::from_millis));
    (word(), time, of(any::<u64>()), of(1u32..=1024), of(any::<bool>()), options).prop_map(
        |(method, time_limit, seed, threads, prove, options)| AlgorithmSection {
            method,
            time_limit,
            seed,
            threads,
            prove,
            options,
        },
    )
}

fn release() -> impl Strategy<Value = ReleaseSection> {
    let path =
        |name: &'static str| of(word().prop_map(move |word| format!("{word}.{name}").into()));
    let paths =
        (path("csv"), path("recoding"), path("report"), path("internal"), path("certificate"));
    let delimiter = of(select(&[',', ';', '\t'][..]));
    let choices = (choice::<RowOrder>(), choice::<SuppressionMode>(), choice::<FailingRows>());
    let tells = (any::<[bool; 2]>(), of(choice::<RangeRounding>()), of(word()));
    let labels = (choice::<LabelSource>(), of(0.0..=1.0));
    (paths, delimiter, choices, tells, labels).prop_map(
        |(paths, delimiter, choices, tells, labels)| {
            let is_safe = labels.0 == LabelSource::Safe;
            let (
                (output, recoding, report, internal_report, certificate),
                (order, suppressed, failing),
            ) = (paths, choices);
            let ([csv_safe, byte_order_mark], ranges, into) = tells;
            ReleaseSection {
                output: output.filter(|_| into.is_none()),
                grant: into.iter().cloned().collect(),
                into,
                delimiter,
                csv_safe,
                byte_order_mark,
                ranges: ranges.filter(|_| !is_safe),
                labels: labels.0,
                label_chance: labels.1.filter(|_| is_safe),
                order,
                suppressed,
                failing,
                recoding,
                report,
                internal_report,
                certified: certificate.is_some(),
                certificate,
                key_file: None,
                seed_file: None,
                replace: false,
            }
        },
    )
}

/// Any spec that is free of contradictions.
fn spec() -> impl Strategy<Value = Spec> {
    // Together they are too large for the stack of a test.
    let sections = (data().boxed(), columns().boxed(), privacy().boxed(), release().boxed());
    (sections, goal(), algorithm(), any::<bool>()).prop_map(
        |((data, columns, privacy, release), goal, algorithm, name_columns)| {
            let mut spec = Spec { data, columns, privacy, goal, algorithm, release, context: None };
            // What is meant for a database is said of one.
            if spec.data.table.is_none() {
                (spec.release.into, spec.release.grant) = (None, Vec::new());
            }
            spec.data.in_database &= spec.release.into.is_some();
            if spec.release.labels == LabelSource::Safe {
                spec.columns.iter_mut().for_each(|column| column.summary = None);
            }
            name_model_columns(&mut spec, name_columns);
            if spec.columns_with(Role::Class).next().is_none() {
                spec.goal.metric = match spec.goal.metric {
                    Metric::Classification => Metric::Loss,
                    metric => metric,
                };
            }
            spec
        },
    )
}

/// Lets the models protect a sensitive column, by name if they must or should; without such a
/// column they go.
fn name_model_columns(spec: &mut Spec, always: bool) {
    let names: Vec<String> =
        spec.columns_with(Role::Sensitive).map(|column| column.name.clone()).collect();
    let Some(first) = names.first() else {
        spec.privacy = PrivacySection::k(spec.privacy.k);
        return;
    };
    let has_hierarchy = spec.column(first).unwrap().hierarchy.is_some();
    let column = (always || names.len() > 1).then(|| first.clone());
    let privacy = &mut spec.privacy;
    privacy.l_diversity.iter_mut().for_each(|model| model.column = column.clone());
    privacy.alpha.iter_mut().for_each(|model| model.column = column.clone());
    privacy.beta_likeness.iter_mut().for_each(|model| model.column = column.clone());
    privacy.delta_disclosure.iter_mut().for_each(|model| model.column = column.clone());
    for model in &mut privacy.t_closeness {
        model.column = column.clone();
        if model.distance == TDistance::Hierarchical && !has_hierarchy {
            model.distance = TDistance::Ordered;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(incrowd_testing::cases(400)))]

    #[test]
    fn reading_what_was_written_gives_the_same_spec(spec in spec()) {
        let written = write_spec(&spec);
        let read = match SpecFile::parse(&written, Path::new("spec.toml")) {
            Ok(file) => file.spec,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n\n{written}"))),
        };
        prop_assert_eq!(&read, &spec, "{}", written);
        prop_assert_eq!(write_spec(&read), written);
    }

    #[test]
    fn every_spec_with_a_fault_anywhere_has_an_error_within_the_text(
        spec in spec(),
        at in any::<proptest::sample::Index>(),
        garbage in prop_oneof!["[a-z]{1,3}", "[\\[\\]{}=\"'#.,0-9\n-]{1,4}", "\\PC"],
    ) {
        let mut text = write_spec(&spec);
        let mut place = at.index(text.len() + 1);
        while !text.is_char_boundary(place) {
            place -= 1;
        }
        text.insert_str(place, &garbage);
        if let Err(error) = SpecFile::parse(&text, Path::new("spec.toml")) {
            let lines = text.matches('\n').count() as u64 + 1;
            let line = error.place.as_ref().and_then(|place| place.line).unwrap_or(1);
            prop_assert!((1..=lines).contains(&line), "{}", error);
            prop_assert!(error.help.is_some(), "{}", error);
        }
    }

    #[test]
    fn a_first_spec_can_be_read_whatever_the_columns_are_called(
        input in word(),
        names in proptest::collection::vec(word(), 0..6),
        facts in proptest::collection::vec(
            (any::<bool>(), choice::<Role>(), words(0..4), "(?s).{0,20}", 0u64..5), 6
        ),
    ) {
        let columns: Vec<ColumnFacts> = names
            .iter()
            .zip(facts)
            .map(|(name, (numeric, role, examples, reason, missing))| ColumnFacts {
                name: name.clone(), numeric, distinct: 3, missing, examples, role, reason,
                date_format: None, note: None, hierarchy: None, singled_out: 0.5,
            })
            .collect();
        let text = init_spec(&TableFacts {
            input: input.clone(),
            rows: 10,
            columns: columns.clone(),
            reading: GivenReading::default(),
        });
        let spec = match SpecFile::parse(&text, Path::new("spec.toml")) {
            Ok(file) => file.spec,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n\n{text}"))),
        };
        prop_assert_eq!(spec.data.input, Path::new(&input));
        let mut expected: BTreeMap<&str, ()> = BTreeMap::new();
        let names = columns.iter().filter(|column| expected.insert(&column.name, ()).is_none());
        let names: Vec<&str> = names.map(|column| column.name.as_str()).collect();
        let read: Vec<&str> = spec.columns.iter().map(|column| column.name.as_str()).collect();
        prop_assert_eq!(read, names);
    }
}
