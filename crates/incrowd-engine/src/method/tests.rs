//! The registry is whole, and settings say the same whether they are typed or written.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::HashSet;

use super::*;
use crate::{Control, Problem, ProblemSpec, Table};

#[test]
fn every_entry_makes_a_method_that_knows_it() {
    let mut names = HashSet::new();
    for info in METHODS {
        let method = Method::new(info.name, &[]).unwrap();
        assert_eq!(method.info(), info);
        assert!(names.insert(info.name), "{} is there twice", info.name);
        let mut options = HashSet::new();
        assert!(info.options.iter().all(|option| options.insert(option.name)), "{}", info.name);
    }
}

/// The family agrees with the kind of recoding that the registry names.
#[test]
fn families_agree_with_kinds_of_recoding() {
    for info in METHODS {
        let kind = match info.family {
            RecodingModel::FullDomain | RecodingModel::SingleDimensional => "global",
            RecodingModel::Multidimensional => "local",
            RecodingModel::CellSuppression => "cellwise",
            RecodingModel::RecodingWithBlanks => "mixed",
        };
        assert!(info.recoding.contains(kind), "{}: {kind}", info.name);
    }
}

#[test]
fn typed_defaults_are_those_of_the_registry() {
    let typed: [Method; 22] = [
        Mondrian::default().into(),
        Cluster::default().into(),
        Cluster::default().direction(ClusterDirection::Down).into(),
        BestLocal::default().into(),
        SameBox::default().into(),
        Datafly::default().into(),
        Samarati::default().into(),
        MinGen::default().into(),
        Incognito::default().into(),
        BottomUp::default().into(),
        TopDown::default().into(),
        Lattice::default().into(),
        Optimal::default().into(),
        KOptimize::default().into(),
        Climb::default().into(),
        Anneal::default().into(),
        Genetic::default().into(),
        MuArgus::default().into(),
        CellSuppression::default().into(),
        Cover::default().into(),
        BalancedSuppression::default().into(),
        RecodeAndBlank::default().into(),
    ];
    assert_eq!(typed.len(), METHODS.len());
    for (info, typed) in METHODS.iter().zip(typed) {
        assert_eq!(Method::new(info.name, &[]).unwrap(), typed);
    }
}

/// Every value that an option can have changes the settings, or is the default, and is written as it was
/// given.
#[test]
fn options_are_read_and_written_alike() {
    for info in METHODS {
        let default = Method::new(info.name, &[]).unwrap();
        for option in info.options {
            let values: Vec<String> = match option.values {
                OptionValues::Words(words) => words.iter().map(|&word| word.to_owned()).collect(),
                OptionValues::Number { least, off, .. } => {
                    let ends = [least.max(1).to_string(), (least + 7).to_string()];
                    ends.into_iter().chain(off.map(str::to_owned)).collect()
                }
                OptionValues::Share { .. } => vec!["0.25".to_owned(), "1".to_owned()],
            };
            let mut seen: Vec<Method> = Vec::new();
            for value in &values {
                let method = Method::new(info.name, &[(option.name, value)]).unwrap();
                let written = method.options();
                let of_this = written.iter().find(|(name, _)| *name == option.name).unwrap();
                assert_eq!(of_this.1, *value, "{} {}", info.name, option.name);
                let all: Vec<(&str, &str)> =
                    written.iter().map(|(name, value)| (*name, value.as_str())).collect();
                assert_eq!(Method::new(info.name, &all).unwrap(), method);
                assert!(!seen.contains(&method), "{} {}={value}", info.name, option.name);
                seen.push(method);
            }
            if let OptionValues::Words(_) = option.values {
                assert_eq!(seen.first(), Some(&default), "{} {}", info.name, option.name);
            }
        }
    }
}

#[test]
fn typed_settings_are_the_written_ones() {
    let written = |name, options: &[(&str, &str)]| Method::new(name, options).unwrap();
    let optimal = Optimal::default().gap(0.01).bins(64).cuts(CutFreedom::Tree);
    assert_eq!(
        written("optimal", &[("gap", "1%"), ("bins", "64"), ("cuts", "tree")]),
        optimal.into()
    );
    let local = BestLocal::default().steps(500).seed(7);
    assert_eq!(written("best-local", &[("steps", "500"), ("search-seed", "7")]), local.into());
    let climb = Climb::default().steps(0).moves(ClimbStrategy::TwoPhase);
    assert_eq!(written("climb", &[("steps", "off"), ("moves", "two-phase")]), climb.into());
    let samarati = Samarati::default().minimal(MinimalNodes::All).most_nodes(1_000);
    assert_eq!(written("samarati", &[("minimal", "all"), ("most-nodes", "1000")]), samarati.into());
}

/// Typed settings that are out of range are refused in the words of the written form.
#[test]
fn settings_out_of_range_are_refused() {
    let table = Table::from_rows(&["age"], &[["25"], ["26"], ["27"], ["28"]]).unwrap();
    let problem = Problem::of_table(&ProblemSpec::new(2).quasi("age"), &table).unwrap();
    let refused = |algorithm: &dyn Algorithm, option: &str, value: &str| {
        let typed = algorithm.solve(&problem, &Control::default()).unwrap_err();
        let written = Method::new(algorithm.info().name, &[(option, value)]).unwrap_err();
        assert_eq!(typed, written);
    };
    refused(&Optimal::default().gap(1.5), "gap", "1.5");
    refused(&Optimal::default().gap(f64::NAN), "gap", "NaN");
    refused(&KOptimize::default().bins(1), "bins", "1");
    refused(&BestLocal::default().steps(1_000_001), "steps", "1000001");
    refused(&Method::from(Genetic::default().population(1)), "population", "1");
    refused(&Cluster::default().direction(ClusterDirection::Down).block(9), "block", "9");
    assert!(Optimal::default().bins(0).solve(&problem, &Control::default()).is_ok());
}
