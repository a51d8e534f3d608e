//! Tables that cannot be read.

use super::{Case, Damage, case, page};

const ANONYMIZE: &str = "anonymize bad.csv -k 2 --quasi age,sex -o out.csv --recoding out.json";

/// A table under the usual command.
fn table(name: &'static str, content: impl Into<Vec<u8>>) -> Case {
    case(name, ANONYMIZE).file("bad.csv", content)
}

fn utf16(text: &str) -> Vec<u8> {
    [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// A fault far behind the first block that is read.
fn late(fault: &str) -> Vec<u8> {
    let good = "23,F\n24,M\n".repeat(300_000);
    format!("age,sex\n{good}{fault}\n{good}").into_bytes()
}

fn halve(content: &mut Vec<u8>) {
    content.truncate(content.len() / 2);
}

const SPOIL_MIDDLE: Damage = |content| {
    let middle = content.len() / 2;
    content[middle..middle + 4].iter_mut().for_each(|byte| *byte ^= 0x5A);
};

const MAKE_GZIP: &str =
    "anonymize people.csv -k 2 --quasi age,sex,zip --plain name --accept name -o bad.csv.gz --sort";
const MAKE_ZSTD: &str = "anonymize people.csv -k 2 --quasi age,sex,zip --plain name --accept name -o bad.csv.zst --sort";
const MAKE_PARQUET: &str = "anonymize people.csv -k 2 --quasi age,sex,zip --plain name --accept name -o bad.parquet --sort";

fn compressed(name: &'static str, make: &'static str, file: &'static str, how: Damage) -> Case {
    case(name, format!("anonymize {file} -k 2 --quasi age,sex --plain name -o out.csv"))
        .after(make)
        .damaged(file, how)
}

#[test]
fn tables_that_cannot_be_read() {
    let cases = [
        table("too few fields", "age,sex\n23,F\n24\n25,M\n"),
        table("too many fields", "age,sex\n23,F\n24,M,x\n25,M\n"),
        table("too few fields far down", late("24")),
        table("not UTF-8", b"age,sex\n23,F\n24,M\x81\n".as_slice()),
        table("not UTF-8 in the header", b"\x81ge,sex\n23,F\n".as_slice()),
        table("half a character of UTF-16", &utf16("age,sex\n23,F\n24,M\n")[..27]),
        table("a quote that is not closed", "age,sex\n23,F\n24,\"M\n25,M\n"),
        table("a quote that is not closed in the header", "age,\"sex\n23,F\n"),
        table("a quote far down that is not closed", late("24,\"M")),
        table("two columns of one name", "age,sex,age\n23,F,1\n"),
        table("a column without a name", "age,,sex\n23,1,F\n"),
        table("a row of numbers for a header", "23,F\n24,M\n"),
        table("empty", ""),
        table("blank lines", "\n\r\n\n"),
        table("a header only", "age,sex\n"),
        table(
            "a spreadsheet",
            b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\x62\xEE\x9D\x68".as_slice(),
        ),
        case("a folder", ANONYMIZE).file("bad.csv/part.csv", "age,sex\n"),
        case("not there", ANONYMIZE),
        case("not there, inspected", "inspect bad.csv"),
        case("an empty table, inspected", "inspect bad.csv").file("bad.csv", "age,sex\n"),
        case("an empty table for a spec", "init bad.csv").file("bad.csv", "age,sex\n"),
        case("a spec that is there already", "init people.csv").file("people.toml", "k = 5"),
        case("a spec over its table", "init people.csv -o ./people.csv --force"),
        case("empty standard input", "anonymize - -k 2 --quasi age -o out.csv"),
        compressed("a gzip file that ends too soon", MAKE_GZIP, "bad.csv.gz", halve),
        compressed("a gzip file that is damaged", MAKE_GZIP, "bad.csv.gz", SPOIL_MIDDLE),
        compressed("a zstd file that ends too soon", MAKE_ZSTD, "bad.csv.zst", halve),
        compressed("a zstd file that is damaged", MAKE_ZSTD, "bad.csv.zst", SPOIL_MIDDLE),
        compressed("a Parquet file that ends too soon", MAKE_PARQUET, "bad.parquet", halve),
        table("a Parquet file that is none", b"PAR1 this is not Parquet".as_slice()),
    ];
    insta::assert_snapshot!(page(&cases));
}
