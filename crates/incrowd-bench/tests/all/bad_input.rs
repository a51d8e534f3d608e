//! Bad input: what is wrong is said, and no file is left behind.

use super::common::Folder;

#[test]
fn benchmarks_that_cannot_be_run() {
    let cases = [
        ("a benchmark without data", "-o results.csv"),
        ("a benchmark without a file for results", "--data people.csv"),
        ("a benchmark's data that are not there", "--data adult.csv -o results.csv"),
        ("other data than a benchmark's", "--data people.csv -o results.csv"),
        ("a benchmark by another coding", "--data people.csv --coding rough -o results.csv"),
        ("a benchmark by another metric", "--data people.csv --metric ncp -o results.csv"),
        ("a benchmark's bad limit", "--data people.csv --limits none -o results.csv"),
        ("a benchmark's bad time", "--data people.csv --time-limit 10 -o results.csv"),
        ("a benchmark without hierarchies", "--data adult.csv -k 2 -o results.csv"),
    ];
    let mut entries = Vec::new();
    for (name, options) in cases {
        let folder = Folder::new();
        folder
            .write("people.csv", b"name,age,sex,zip,born,disease\nAnn,23,F,47677,1990-03-12,flu\n");
        if name == "a benchmark without hierarchies" {
            let text = "sex;age;race;marital-status;education;native-country;workclass;occupation;salary-class\n\
                        Male;39;White;Divorced;11th;Cuba;Private;Sales;<=50K\n\
                        Male;39;White;Divorced;11th;Cuba;Private;Sales;<=50K\n";
            folder.write("adult.csv", text.as_bytes());
        }
        let ended = folder.run(&format!("paper {options}"));
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{name}");
        assert!(!folder.path("results.csv").exists(), "{name}");
        entries.push(format!("## {name}\n$ incrowd-bench paper {options}\n{}", ended.stderr));
    }
    insta::assert_snapshot!(entries.join("\n"));
}

#[test]
fn every_benchmark_has_its_help() {
    let folder = Folder::new();
    let help = folder.run("--help").done().stdout;
    for name in ["paper", "search", "local", "recodings", "classification", "figures"] {
        assert!(help.contains(name), "{help}");
        assert!(folder.run(&format!("{name} --help")).done().stdout.contains("--output"));
    }
    let help = folder.run("paper --help").done().stdout;
    for word in ["--data", "--time-limit", "--baseline", "--seeded", "--runs", "UCI", "0,100,all"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}
