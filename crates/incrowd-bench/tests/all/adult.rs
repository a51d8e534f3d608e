//! The benchmarks on the Adult data's columns: what they write, and that they go on where they stopped.

use super::common::Folder;

const PAPER: &str = "paper --data adult.csv --time-limit 20s -o results.csv -q";

const RESULTS: &str = "coding,metric,limit,k,cost,bound,outcome,suppressed,classes,nodes,\
    cpu_seconds,wall_seconds,method,start";

/// A small table with the columns of the Adult data, and its hierarchies.
fn adult() -> Folder {
    let folder = Folder::new();
    let columns: [(&str, &[&str]); 7] = [
        ("sex", &["Male", "Female"]),
        ("race", &["White", "Black"]),
        ("marital-status", &["Divorced", "Never-married"]),
        ("education", &["11th", "Bachelors"]),
        ("native-country", &["Cuba", "England"]),
        ("workclass", &["Private", "State-gov"]),
        ("occupation", &["Sales", "Tech-support"]),
    ];
    for (name, values) in columns {
        let rows: String = values.iter().map(|value| format!("{value};*\n")).collect();
        folder.write(&format!("adult_hierarchy_{name}.csv"), rows.as_bytes());
    }
    let ages: String = (17..30).map(|age| format!("{age};{};*\n", age / 5 * 5)).collect();
    folder.write("adult_hierarchy_age.csv", ages.as_bytes());
    let mut text =
        "sex;age;race;marital-status;education;native-country;workclass;occupation;salary-class\n"
            .to_owned();
    for at in 0..24 {
        let value = |column: usize| columns[column].1[at * (column + 3) % 7 % 2];
        let salary = ["<=50K", ">50K"][at % 3 % 2];
        text.push_str(&format!(
            "{};{};{};{};{};{};{};{};{salary}\n",
            value(0),
            17 + 3 * (at % 5),
            value(1),
            value(2),
            value(3),
            value(4),
            value(5),
            value(6)
        ));
    }
    folder.write("adult.csv", text.as_bytes());
    folder
}

#[test]
fn a_benchmark_of_several_runs_has_the_row_of_one() {
    let folder = adult();
    let line = format!("{PAPER} --k 3 --limits 0 --coding coarse --metric dm");
    // All but the two times.
    let row = |text: &str| -> Vec<String> {
        let fields: Vec<&str> = text.lines().nth(1).unwrap_or_default().split(',').collect();
        [&fields[..10], &fields[12..]].concat().into_iter().map(str::to_owned).collect()
    };
    folder.run(&line).done();
    let once = row(&folder.read("results.csv"));
    folder.run(&format!("{line} --runs 3 -o again.csv").replace("-o results.csv ", "")).done();
    let again = folder.read("again.csv");
    assert_eq!((again.lines().count(), row(&again)), (2, once));
}

#[test]
fn the_benchmark_goes_on_where_it_stopped() {
    let folder = adult();
    let line = format!("{PAPER} --k 6,3 --limits 0,all --coding coarse --metric dm,cm");
    let ended = folder.run(&line).done();
    assert!(ended.stdout.contains("of 8"), "{}", ended.stdout);
    let first = folder.read("results.csv");
    let rows: Vec<&str> = first.lines().collect();
    assert_eq!((rows.len(), rows[0]), (9, RESULTS));
    assert!(rows[1].starts_with("coarse,dm,0,6,"), "{first}");
    assert!(rows[2].starts_with("coarse,dm,all,6,"), "{first}");
    // Again: nothing is left to do.
    folder.run(&line).done();
    assert_eq!(folder.read("results.csv"), first);
    // Without one row, and with another one cut short: those two are made anew, behind the others.
    let short: String =
        rows[..8].iter().filter(|row| **row != rows[3]).map(|row| format!("{row}\n")).collect();
    folder.write("results.csv", format!("{short}{}", &rows[8][..12]).as_bytes());
    folder.run(&line).done();
    let second = folder.read("results.csv");
    assert!(second.starts_with(&short), "{second}");
    let instance = |row: &str| row.split(',').take(7).collect::<Vec<_>>().join(",");
    let mut expected: Vec<String> = rows.iter().map(|row| instance(row)).collect();
    let mut found: Vec<String> = second.lines().map(instance).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    // A larger grid keeps what is there.
    let report = folder.run(&format!(
        "{PAPER} --k 6,3 --limits 0,all --coding coarse,fine --metric dm --seeded --json"
    ));
    assert_eq!(report.code, Some(0), "{report:?}");
    assert_eq!(report.json()["summary"][0]["instances"], 12);
    assert_eq!(report.json()["summary"][1]["start"], "seeded");
    assert_eq!(report.json()["summary"][1]["proven"], 4);
    let third = folder.read("results.csv");
    assert!(third.starts_with(&second) && third.lines().count() == 17, "{third}");
    // A seed changes no cost.
    let told = |row: &str| {
        let fields: Vec<&str> = row.split(',').collect();
        (fields[..5].join(","), fields[13] == "seeded")
    };
    let all: Vec<(String, bool)> = third.lines().skip(1).map(told).collect();
    for (seeded, _) in all.iter().filter(|(_, seeded)| *seeded) {
        assert!(all.contains(&(seeded.clone(), false)), "{third}");
    }
}

#[test]
fn the_benchmark_leaves_other_files_alone() {
    let folder = adult();
    folder.write("results.csv", b"name,age\nAnn,23\n");
    let ended = folder.run(&format!("{PAPER} --k 6"));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("something else"), "{ended:?}");
    assert_eq!(folder.read("results.csv"), "name,age\nAnn,23\n");
}

#[test]
fn the_baseline_proves_the_same() {
    let folder = adult();
    let line = format!("{PAPER} --k 6,3 --limits 0,5,all --metric dm,cm --baseline --json");
    let report = folder.run(&line).done().json();
    assert_eq!(report["summary"][0]["proven"], 24);
    assert_eq!(report["summary"][1]["proven"], 24);
    let compared = report["baseline"].as_array().unwrap();
    assert_eq!(compared.len(), 24);
    for comparison in compared {
        assert_eq!(comparison["same_cost"], true, "{comparison}");
        assert!(comparison["ratio"].as_f64().unwrap() > 0.0, "{comparison}");
    }
}

#[test]
fn freer_recodings_cost_less() {
    let folder = adult();
    let line = "recodings --data adult.csv -o recodings.csv -k 6,3 -q --json";
    let rows = folder.run(line).done().json();
    assert_eq!(rows.as_array().unwrap().len(), 6);
    for (at, k) in [(0, 6), (3, 3)] {
        let of = |at: usize, name: &str| {
            assert_eq!((&rows[at]["method"], &rows[at]["k"]), (&name.into(), &k.into()));
            rows[at]["dm"].as_f64().unwrap()
        };
        let (domain, single) = (of(at, "incognito"), of(at + 1, "optimal"));
        assert!(single <= domain, "{rows}");
        assert!(of(at + 2, "mondrian:along=order") > 0.0, "{rows}");
    }
    // Nothing is left to do.
    let before = folder.read("recodings.csv");
    folder.run(line).done();
    assert_eq!(folder.read("recodings.csv"), before);
}

#[test]
fn results_are_drawn() {
    let folder = adult();
    folder
        .run(&format!("{PAPER} --k 6,3 --limits 0,all --metric dm,cm --baseline --seeded"))
        .done();
    folder.run("recodings --data adult.csv -o recodings.csv -k 6,3 -q").done();
    folder.run("local --data adult.csv -o local.csv -k 6,3 -m mondrian,cluster-up -q").done();
    let drawn = folder.run("figures results.csv recodings.csv local.csv -o figures").done().stdout;
    let names = [
        ("paper-time-dm", vec!["coarse, limit 0", "fine, no limit", "seconds", "k (rows)"]),
        ("paper-time-cm", vec!["coarse, no limit"]),
        ("paper-cost-dm", vec!["fine, limit 0", "discernibility"]),
        ("paper-cost-cm", vec!["fine, limit 0", "classification"]),
        ("paper-seeded", vec!["k-optimize, coarse, seeded", "optimal, fine, from nothing"]),
        ("paper-baseline", vec!["k-optimize, fine", "optimal, coarse"]),
        ("recodings-dm", vec!["incognito", "mondrian", "optimal"]),
        ("recodings-average", vec!["average class size (times k)"]),
        ("local-penalty", vec!["cluster-up", "certainty penalty"]),
        ("local-dm", vec!["discernibility"]),
        ("local-queries", vec!["median error"]),
        ("local-time", vec!["CPU seconds"]),
    ];
    assert_eq!(drawn.lines().count(), names.len(), "{drawn}");
    for (name, words) in names {
        let svg = folder.read(&format!("figures/{name}.svg"));
        assert!(svg.starts_with("<svg") && svg.contains("<style>"), "{name}");
        for word in words {
            assert!(svg.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn only_results_are_drawn() {
    let folder = adult();
    let ended = folder.run("figures adult.csv -o figures");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("adult.csv") && ended.stderr.contains("paper"));
    folder.write("empty.csv", format!("{RESULTS}\n").as_bytes());
    let ended = folder.run("figures empty.csv -o figures");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("nothing that could be drawn"), "{ended:?}");
    assert!(!folder.path("figures").exists());
}

#[test]
fn the_searches_are_compared_with_what_is_proven() {
    let folder = adult();
    folder.run(&format!("{PAPER} --k 6 --limits all --coding coarse --metric dm")).done();
    let line = "search --data adult.csv --optima results.csv --k 6 --coding coarse --metric dm \
        --at 1 -o search.csv -q";
    let report = folder.run(&format!("{line} --json")).done().json();
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 3, "{report}");
    for result in results {
        assert!(result["gap"].as_f64().unwrap() >= 0.0, "{result}");
        assert!(result["steps"].as_u64().unwrap() > 0, "{result}");
    }
    let climb = &report["summary"].as_array().unwrap()[1];
    assert_eq!((climb["method"].as_str(), climb["reached"].as_u64()), (Some("climb"), Some(1)));
    // What is there is not run again, also without the least costs.
    let before = folder.read("search.csv");
    let table = folder.run(&line.replace(" --optima results.csv", "")).done().stdout;
    assert!(table.contains("genetic"), "{table}");
    assert_eq!(folder.read("search.csv"), before);
    let ended = folder.run(&format!("{line} -m mondrian"));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("mondrian has no option \"steps\""), "{ended:?}");
}
