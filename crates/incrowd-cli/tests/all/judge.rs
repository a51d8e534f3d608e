//! Releases of other tools, judged by the command.

use crate::common::Folder;

const PEOPLE: &str = "name,age,city,illness\nA,20,Oslo,flu\nB,25,Rome,cold\nC,29,Oslo,flu\nD,41,Rome,flu\n\
                      E,47,Rome,cold\nF,49,Oslo,cough\n";

/// The release of a tool that left its row index in, with labels of its own.
const OTHERS: &str = "Unnamed: 0,age,city,illness\n5,\"[40, 50)\",Oslo|Rome,cough\n1,\"[20, 30)\",Oslo|Rome,cold\n\
                      0,\"[20, 30)\",Oslo|Rome,flu\n4,\"[40, 50)\",Oslo|Rome,cold\n2,\"[20, 30)\",Oslo|Rome,flu\n\
                      3,\"[40, 50)\",Oslo|Rome,flu\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("people.csv", PEOPLE.as_bytes());
    folder.write("others.csv", OTHERS.as_bytes());
    folder
}

#[test]
fn a_leaked_row_index_is_named() {
    let folder = folder();
    let ended = folder.run("verify others.csv -k 3 --quasi age,city --sensitive illness").done();
    assert!(ended.stdout.contains("column `Unnamed: 0` numbers the rows"), "{ended:?}");
    let json = folder
        .run("verify others.csv -k 3 --quasi age,city --sensitive illness --json")
        .done()
        .json();
    assert!(json["notes"].to_string().contains("Unnamed: 0"), "{json}");
    let plain = OTHERS.replace("Unnamed: 0", "key").replace("\n5,", "\nx7,");
    folder.write("plain.csv", plain.as_bytes());
    let ended = folder.run("verify plain.csv -k 3 --quasi age,city").done();
    assert!(ended.stdout.contains("column `key` has another value in every row"), "{ended:?}");
    assert!(!ended.stdout.contains("column `illness` has"), "{ended:?}");
    let named = folder.run("verify plain.csv -k 3 --quasi age,city --identifying key");
    assert_eq!(named.code, Some(1));
}

#[test]
fn labels_of_other_tools_are_read_against_the_original() {
    let folder = folder();
    folder.write("clean.csv", OTHERS.replace("Unnamed: 0", "index").as_bytes());
    let ended = folder
        .run("verify clean.csv -k 3 --quasi age,city --original people.csv --unchecked index")
        .done();
    assert!(ended.stdout.contains("6 matched"), "{ended:?}");
    assert!(ended.stdout.contains("as a range without its upper end"), "{ended:?}");
    // A label that cannot be read is told with those that can.
    folder.write("odd.csv", b"age,city\nyoung,Oslo\nyoung,Oslo\n");
    let ended = folder.run("verify odd.csv -k 2 --quasi age,city --original people.csv");
    assert_eq!(ended.code, Some(1));
    assert!(!ended.stdout.contains("untruthful"), "{ended:?}");
    assert!(
        ended.stdout.contains("cannot be read") && ended.stdout.contains("`(19,30]`"),
        "{ended:?}"
    );
}

#[test]
fn evaluate_reads_what_verify_reads() {
    let folder = folder();
    let metrics = |release: &str| {
        let ask =
            format!("evaluate metrics {release} --original people.csv --quasi age,city --json");
        folder.run(&ask).done().json()["metrics"].clone()
    };
    folder.write("own.csv", b"age,city\n[20-29],\"{Oslo, Rome}\"\n[41-49],\"{Oslo, Rome}\"\n");
    folder.write(
        "blanks.csv",
        b"age,city\n [20-29] ,\" {Oslo, Rome}\"\n[41-49]\t,\"{Oslo, Rome} \"\n",
    );
    folder.write("other.csv", b"age,city\n\"[20, 30)\",Oslo|Rome\n41-49,\"Oslo,Rome\"\n");
    assert_eq!(metrics("own.csv"), metrics("blanks.csv"));
    assert_eq!(metrics("own.csv")["gcp"], metrics("other.csv")["gcp"]);
}
