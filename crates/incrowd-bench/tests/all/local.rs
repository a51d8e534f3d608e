//! `incrowd-bench local`, on made-up people.

use super::common::Folder;

#[test]
fn the_benchmark_measures_every_method_and_goes_on_where_it_stopped() {
    let folder = Folder::new();
    let line = "local --rows 400,800 -k 3,6 -m mondrian,cluster-up:block=50,cluster-down \
                --age-weight 1,4 --queries 20 -o results.csv -q --json";
    let first = folder.run(line).done().json();
    let rows = first.as_array().unwrap();
    assert_eq!(rows.len(), 2 * 2 * 3 * 2);
    for row in rows {
        assert!(row["gcp"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["query_mean"].as_f64().unwrap() >= 0.0, "{row}");
    }
    assert_eq!(rows[1]["method"], "cluster-up:block=50");
    let text = folder.read("results.csv");
    assert_eq!(folder.run(line).done().json(), first);
    assert_eq!(folder.read("results.csv"), text);
    folder.write("other.csv", b"name,age\nAnn,23\n");
    let ended = folder.run("local --rows 400 -k 3 -m mondrian -o other.csv -q");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert_eq!(folder.read("other.csv"), "name,age\nAnn,23\n");
    let ended = folder.run("local --rows 400 -k 3 -m best -o new.csv -q");
    assert!(ended.code == Some(2) && ended.stderr.contains("no method"), "{ended:?}");
}
