//! Options that do not fit the data or each other.

use super::{Case, case, page};

/// The usual command with more options.
fn with(name: &'static str, options: &str) -> Case {
    case(
        name,
        format!(
            "anonymize people.csv -k 2 --quasi age,zip -o out.csv --recoding out.json {options}"
        ),
    )
}

/// A whole command.
fn anonymize(name: &'static str, options: &str) -> Case {
    case(name, format!("anonymize people.csv {options} -o out.csv"))
}

#[test]
fn options_that_do_not_hold() {
    let cases = [
        case("an unknown command", "anonymise people.csv"),
        case("an unknown option", "anonymize people.csv -k 2 --quasi age --sead 5"),
        anonymize("no k", "--quasi age"),
        anonymize("no quasi-identifier", "-k 2"),
        anonymize("k of 0", "-k 0 --quasi age"),
        anonymize("a negative k", "-k -3 --quasi age"),
        anonymize("a k in words", "-k five --quasi age"),
        anonymize("k above the number of rows", "-k 9 --quasi age"),
        anonymize("a column that is not there", "-k 2 --quasi age,zpi"),
        anonymize("a column without a name", "-k 2 --quasi age,,zip"),
        anonymize("a column twice", "-k 2 --quasi age,zip,age"),
        anonymize("a column in two roles", "-k 2 --quasi age,zip --sensitive zip"),
        anonymize("a class that is a quasi-identifier", "-k 2 --quasi age,zip --class zip"),
        anonymize("the wrong delimiter", "-k 2 --quasi age --delimiter ;"),
        with("a long delimiter", "--delimiter ::"),
        with("a letter as delimiter", "--delimiter x"),
        with("a letter as delimiter of the release", "--output-delimiter a"),
        with("an identifying column that is not there", "--identifying nmae"),
        with("bins without a width", "--bins age"),
        with("bins of no width", "--bins age=0"),
        with("bins that are no number", "--bins age=wide"),
        with("bins of a column without a role", "--bins agee=5"),
        with("bins given twice", "--bins age=5 --bins age=10"),
        anonymize("bins for text", "-k 2 --quasi sex --bins sex=5"),
        anonymize("an order that lacks a value", "-k 2 --quasi sex --order sex=F"),
        anonymize("an order with a value twice", "-k 2 --quasi sex --order sex=F,M,F"),
        with("an order for numbers", "--order age=23,27"),
        with("a weight that is no number", "--weight age=heavy"),
        with("a weight of 0", "--weight age=0"),
        with("a negative weight", "--weight age=-1"),
        with("an endless weight", "--weight age=inf"),
        with("an unknown type", "--type age=integer"),
        anonymize("numbers that are none", "-k 2 --quasi sex --type sex=number"),
        with("an unknown summary", "--summary age=average"),
        with("an unknown metric", "--metric npc"),
        with("cm without a class", "--metric cm"),
        with("an unknown method", "-m mondrain"),
        with("an option of the method that is not there", "--option mod=strict"),
        with("an option of the method that is wrong", "-m mondrian --option mode=lax"),
        with("an option of a method that is not named", "--option mode=strict"),
        with("a kind that there is not", "--kind locally"),
        with("a kind beside a method", "-m mondrian --kind local"),
        with("an option without a value", "--option mode"),
        with("an option of the method twice", "--option mode=strict --option mode=relaxed"),
        with("a gap without a method", "--gap 1%"),
        with("a gap that is no share", "-m optimal --gap little"),
        with("a gap twice", "-m optimal --gap 1% --option gap=2%"),
        with("a single bin", "-m optimal --option bins=1"),
        with("cuts for the kind local", "--cut-at age=30"),
        with("refused cuts for datafly", "-m datafly --never-cut-at zip=47905"),
        with("cuts of a column without a role", "-m optimal --cut-at born=1990-03-12"),
        with("cuts of a sensitive column", "-m optimal --sensitive disease --cut-at disease=flu"),
        with("cuts without a value", "-m optimal --cut-at age="),
        with("an empty cut", "-m optimal --cut-at age=30,,40"),
        with("cuts given twice", "-m optimal --cut-at age=30 --cut-at age=40"),
        with("a cut of numbers at a word", "-m optimal --cut-at age=old"),
        with("a cut inside a bin", "-m optimal --bins age=5@20 --cut-at age=37"),
        with("a cut inside the last bin", "-m optimal --bins age=5@20 --cut-at age=53"),
        with("a cut demanded and refused", "-m optimal --cut-at age=35 --never-cut-at age=35"),
        with(
            "a cut demanded and refused by different numbers",
            "-m optimal --cut-at age=30 --never-cut-at age=31",
        ),
        anonymize(
            "a cut of text at a value that is not there",
            "-k 2 --quasi sex -m optimal --cut-at sex=X",
        ),
        with("a bad share", "--max-suppressed 2percent"),
        with("a share as a fraction", "--max-suppressed 0.02"),
        with("a bad time", "--time-limit soon"),
        with("no threads", "--threads 0"),
        with("a great many threads", "--threads 4000000000"),
        with("a column without a role", "--other error"),
        with("two orders of rows", "--sort --keep-order"),
        with("an unknown choice for suppressed rows", "--suppressed hide"),
        with("an unknown choice for other columns", "--other keep"),
        with("diversity without a sensitive column", "--l-diversity 2"),
        with(
            "diversity of a column that is not sensitive",
            "--sensitive disease --l-diversity sex=2",
        ),
        with("diversity that is no number", "--sensitive disease --l-diversity many"),
        with("diversity of an unknown kind", "--sensitive disease --l-diversity shannon:2"),
        with("recursive diversity without c", "--sensitive disease --l-diversity recursive:2"),
        with("diversity of 0", "--sensitive disease --l-diversity 0"),
        with("closeness above 1", "--sensitive disease --t-closeness 1.5"),
        with(
            "a distance without a hierarchy",
            "--sensitive disease --t-closeness hierarchical:0.2",
        ),
        with("alpha with a kind", "--sensitive disease --alpha strict:0.5"),
        with("alpha of 0", "--sensitive disease --alpha 0"),
        with("beta below 0", "--sensitive disease --beta-likeness -1"),
        with("a hierarchy without a file", "--hierarchy zip="),
        with("a hierarchy that is not there", "--hierarchy zip=zip.csv"),
        case("the input as output", "anonymize people.csv -k 2 --quasi age -o people.csv"),
        case(
            "the input as output, by another name",
            "anonymize people.csv -k 2 --quasi age -o ./people.csv",
        ),
        case(
            "the input as recoding",
            "anonymize people.csv -k 2 --quasi age --recoding people.csv",
        ),
        case("a folder that is not there", "anonymize people.csv -k 2 --quasi age -o new/out.csv"),
        case(
            "a recoding's folder that is not there",
            "anonymize people.csv -k 2 --quasi age --recoding new/out.json",
        ),
        case(
            "a hierarchy as output",
            "anonymize people.csv -k 2 --quasi sex --hierarchy sex=sex.csv -o sex.csv",
        )
        .file("sex.csv", "F;*\nM;*\n"),
        case("a release of an unknown kind", "anonymize people.csv -k 2 --quasi age -o out.xls"),
        case(
            "report and release on standard output",
            "anonymize people.csv -k 2 --quasi age -o - --json",
        ),
        case("a demo's report and release on standard output", "demo --rows 100 -o - --json"),
        case(
            "release and recoding on standard output",
            "anonymize people.csv -k 2 --quasi age -o - --recoding -",
        ),
        case(
            "report and recoding on standard output",
            "anonymize people.csv -k 2 --quasi age --recoding - --json",
        ),
        case("a demo of nobody", "demo --rows 0"),
        case("a demo with an unknown method", "demo --rows 100 -m mondrain"),
        case("a demo with a k above its rows", "demo --rows 10 -k 11"),
        case(
            "a demo written to a folder that is not there",
            "demo --rows 10 --write new/people.csv",
        ),
    ];
    insta::assert_snapshot!(page(&cases));
}
