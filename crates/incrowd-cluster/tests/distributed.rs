//! Runs in steps, the rows in parts: the same release as in one go.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use incrowd_cluster::{
    BlockCounts, CombinationCounter, DistributedRun, MarginalCounts, ORDER_COLUMN, ParcelBuffer,
    PartBatch, PartialCounts, PartialVerification, ReadingPlan, ReleasedRows, RowRecoder,
    SolvedRun, TransformInputs, VerificationPlan,
};
use incrowd_engine::Control;
use incrowd_run::spec::{KeywordValue, SpecFile};
use incrowd_run::{
    ApplyOptions, Error, Job, Result, RunPlan, RunReport, UnseenPolicy,
    data::{Order, Source},
};

/// Made-up people; `salt` makes others of them.
fn people(rows: u64, salt: u64) -> RecordBatch {
    let dice = |row: u64, at: u64, sides: u64| {
        let mixed = (row * 31 + at * 7 + salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ mixed >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) % sides
    };
    let ages: Int64Array = (0..rows).map(|row| Some(20 + dice(row, 1, 60) as i64)).collect();
    let towns: StringArray =
        (0..rows).map(|row| Some(format!("town {}", dice(row, 2, 12)))).collect();
    let ills: StringArray = (0..rows)
        .map(|row| Some(["flu", "cold", "gout", "none"][dice(row, 3, 4) as usize]))
        .collect();
    let columns: [(&str, ArrayRef); 3] =
        [("age", Arc::new(ages)), ("town", Arc::new(towns)), ("ill", Arc::new(ills))];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn spec(method: &str, option: Option<(&str, &str)>) -> SpecFile {
    let list = |names: &[&str]| KeywordValue::List(names.iter().map(|&name| name.into()).collect());
    // One order for all runs of these tests.
    static KEY: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    let key = KEY.get_or_init(|| {
        let key = std::env::temp_dir().join(format!("incrowd-apart-{}.key", std::process::id()));
        incrowd_run::data::SecretKey::open(&key).unwrap();
        key
    });
    let mut given = vec![
        ("k".to_owned(), KeywordValue::Whole(4)),
        ("quasi".to_owned(), list(&["age", "town"])),
        ("sensitive".to_owned(), list(&["ill"])),
        ("l_diversity".to_owned(), KeywordValue::Whole(2)),
        ("method".to_owned(), method.into()),
        ("seed_file".to_owned(), key.to_str().unwrap().into()),
    ];
    if let Some((name, value)) = option {
        given.push((
            "option".to_owned(),
            KeywordValue::Table(vec![(name.to_owned(), value.into())]),
        ));
    }
    SpecFile::from_keywords(None, Some("table"), &given).unwrap()
}

/// The rows of batches as texts, sorted.
fn sorted<'b>(
    batches: impl IntoIterator<Item = &'b RecordBatch>,
    columns: &[&str],
) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for batch in batches {
        let text = |name: &&str, row: usize| {
            let array = batch.column_by_name(name).unwrap();
            match array.as_any_dictionary_opt() {
                Some(coded) => {
                    let key = coded.normalized_keys()[row];
                    coded.values().as_string::<i32>().value(key).to_owned()
                }
                None => array.as_string::<i32>().value(row).to_owned(),
            }
        };
        rows.extend(
            (0..batch.num_rows())
                .map(|row| columns.iter().map(|name| text(name, row)).collect::<Vec<_>>()),
        );
    }
    rows.sort();
    rows
}

/// A table in parts of odd sizes, one of them without rows.
fn parts(table: &RecordBatch) -> BTreeMap<u64, Vec<RecordBatch>> {
    let rows = table.num_rows();
    let cut = [0, rows / 7, rows / 7, rows / 2, rows];
    (0..4)
        .map(|part| {
            let (from, to) = (cut[part], cut[part + 1]);
            let middle = from + (to - from) / 3;
            (part as u64, vec![table.slice(from, middle - from), table.slice(middle, to - middle)])
        })
        .collect()
}

fn counted(reading: &ReadingPlan, parts: &BTreeMap<u64, Vec<RecordBatch>>) -> PartialCounts {
    let reading = &ReadingPlan::from_bytes(&reading.to_bytes().unwrap()).unwrap();
    let mut all = PartialCounts::new(reading);
    for (&part, batches) in parts.iter().rev() {
        let mut counted = PartialCounts::new(reading);
        counted.begin(part);
        batches.iter().for_each(|batch| counted.add(reading, part, batch.clone()).unwrap());
        all.merge(reading, PartialCounts::from_bytes(&counted.to_bytes().unwrap()).unwrap())
            .unwrap();
    }
    all
}

/// The recoder as executors get it, told how many rows of each kind every part has.
fn dealt<B: Clone + Into<PartBatch>>(
    solved: &SolvedRun,
    parts: &BTreeMap<u64, Vec<B>>,
) -> Result<RowRecoder> {
    let mut recoder = solved.recoder()?;
    if recoder.deals_rows() {
        let mut numbers = BTreeMap::new();
        for (&part, batches) in parts {
            let mut rows = recoder.part(part)?;
            batches.iter().try_for_each(|batch| recoder.count(&mut rows, batch.clone()))?;
            recoder.finish(&rows)?;
            numbers.insert(part, rows.numbers().clone());
        }
        recoder.deal(&numbers)?;
    }
    RowRecoder::from_bytes(&recoder.to_bytes()?)
}

fn recoded<B: Clone + Into<PartBatch>>(
    solved: &SolvedRun,
    parts: &BTreeMap<u64, Vec<B>>,
) -> Result<Vec<RecordBatch>> {
    let recoder = dealt(solved, parts)?;
    let mut released = Vec::new();
    // Parts are recoded in any order.
    for (&part, batches) in parts.iter().rev() {
        let mut rows = recoder.part(part)?;
        for batch in batches {
            released.push(recoder.recode(&mut rows, batch.clone())?);
        }
        recoder.finish(&rows)?;
    }
    Ok(released)
}

fn without_order(batch: &RecordBatch) -> RecordBatch {
    batch.project(&[0, 1, 2]).unwrap()
}

fn checked(solved: &mut SolvedRun, released: &[RecordBatch]) -> Result<RunReport> {
    let checking = VerificationPlan::from_bytes(&solved.checking()?.to_bytes()?)?;
    let mut all = PartialVerification::new(&checking, 0)?;
    for (part, batch) in released.iter().enumerate() {
        let mut checked = PartialVerification::new(&checking, part as u64 + 1)?;
        checked.add(without_order(batch))?;
        all = all.merge(PartialVerification::from_bytes(&checked.to_bytes()?)?)?;
    }
    solved.finish(all, None, None)
}

fn solved(file: SpecFile, table: &RecordBatch) -> Result<SolvedRun> {
    let apart = DistributedRun::new(file, table.schema(), &TransformInputs::default())?;
    let reading = apart.reading(4, usize::MAX);
    let counted = counted(&reading, &parts(table));
    apart.solve(&reading, counted, None, &Control::new())
}

#[test]
fn parts_give_the_release_of_the_whole() {
    let table = people(3_000, 0);
    for (method, option) in [
        ("mondrian", None),
        ("datafly", None),
        ("mondrian", Some(("mode", "relaxed"))),
        ("best-local", None),
    ] {
        let file = spec(method, option);
        let batches = vec![table.clone()];
        let source = Source::from_batches("t", table.schema(), batches, None).unwrap();
        let job = Job::new(&file, &source).unwrap();
        let one = RunPlan::new(&job, &source).run_in_memory(&Control::new()).unwrap();
        let mut solved = solved(file, &table).unwrap();
        let released = recoded(&solved, &parts(&table)).unwrap();
        let columns = ["age", "town", "ill"];
        let expected = sorted(&one.table.unwrap().table().batches, &columns);
        assert_eq!(sorted(&released, &columns), expected, "{method} {option:?}");
        let report = checked(&mut solved, &released).unwrap();
        assert_eq!(report.cost, one.report.cost);
        assert_eq!(report.unchanged, one.report.unchanged);
        assert_eq!(report.tells, one.report.tells);
        assert!(report.verdict.unwrap().holds);
    }
}

/// The rows of parts that went to so many places in parcels, place by place.
fn parcelled(
    solved: &SolvedRun,
    parts: &BTreeMap<u64, Vec<RecordBatch>>,
    places: u32,
) -> Result<Vec<RecordBatch>> {
    let recoder = dealt(solved, parts)?;
    let mut came: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
    for (&part, batches) in parts.iter().rev() {
        let mut rows = recoder.part(part)?;
        let mut parcels = ParcelBuffer::new(places);
        let mut sent = Vec::new();
        for batch in batches {
            sent.extend(parcels.add(&recoder, &mut rows, batch.clone())?);
        }
        sent.extend(parcels.finish()?);
        assert!(parcels.finish()?.is_empty());
        recoder.finish(&rows)?;
        sent.into_iter().for_each(|(place, parcel)| came.entry(place).or_default().push(parcel));
    }
    assert!(came.keys().all(|&place| place < places));
    let rows = came.values().map(|parcels| recoder.unpack(parcels));
    rows.filter_map(Result::transpose).collect()
}

#[test]
fn rows_in_parcels_arrive_in_the_order_that_was_drawn() {
    let table = people(3_000, 0);
    for option in [None, Some(("mode", "relaxed"))] {
        let mut solved = solved(spec("mondrian", option), &table).unwrap();
        let mut drawn: Vec<(u64, Vec<String>)> = Vec::new();
        for batch in recoded(&solved, &parts(&table)).unwrap() {
            let keys = batch.column_by_name(ORDER_COLUMN).unwrap().as_primitive::<Int64Type>();
            drawn.extend((0..batch.num_rows()).map(|row| {
                let one = sorted([&batch.slice(row, 1)], &["age", "town", "ill"]);
                (keys.value(row) as u64, one[0].clone())
            }));
        }
        drawn.sort();
        for places in [1, 2, 7, 5_000] {
            let came = parcelled(&solved, &parts(&table), places).unwrap();
            let rows = came.iter().flat_map(|batch| {
                assert_eq!(batch.num_columns(), 3);
                (0..batch.num_rows())
                    .flat_map(|row| sorted([&batch.slice(row, 1)], &["age", "town", "ill"]))
            });
            assert!(rows.eq(drawn.iter().map(|row| row.1.clone())), "{places} {option:?}");
        }
        let came = parcelled(&solved, &parts(&table), 3).unwrap();
        let report = checked(&mut solved, &came).unwrap();
        assert!(report.verdict.unwrap().holds);
        assert!(solved.recoder().unwrap().unpack(&[b"nonsense"]).is_err());
        assert!(solved.recoder().unwrap().unpack::<Vec<u8>>(&[]).unwrap().is_none());
    }
}

/// The rows of parts as they are kept when they are counted; and what is counted then.
fn kept(
    reading: &ReadingPlan,
    parts: &BTreeMap<u64, Vec<RecordBatch>>,
) -> (PartialCounts, BTreeMap<u64, Vec<Vec<u8>>>) {
    let mut all = PartialCounts::new(reading);
    let mut kept = BTreeMap::new();
    for (&part, batches) in parts {
        let mut counted = PartialCounts::new(reading);
        counted.begin(part);
        let keep = |batch: &RecordBatch| {
            counted.add_keeping(reading, part, batch.clone()).unwrap().unwrap()
        };
        kept.insert(part, batches.iter().map(keep).collect());
        all.merge(reading, counted).unwrap();
    }
    (all, kept)
}

#[test]
fn rows_that_were_kept_are_recoded_as_those_that_are_read_again() {
    let table = people(3_000, 0);
    for (method, option) in
        [("mondrian", None), ("mondrian", Some(("mode", "relaxed"))), ("datafly", None)]
    {
        let file = spec(method, option);
        let apart =
            DistributedRun::new(file.clone(), table.schema(), &TransformInputs::default()).unwrap();
        let reading = apart.reading(4, usize::MAX);
        let (counted, mut kept) = kept(&reading, &parts(&table));
        let of_kept = apart.solve(&reading, counted, None, &Control::new()).unwrap();
        let of_read = solved(file, &table).unwrap();
        let expected = recoded(&of_read, &parts(&table)).unwrap();
        assert_eq!(recoded(&of_kept, &kept).unwrap(), expected, "{method} {option:?}");
        // Somebody else's rows, and none where there were some.
        let other = kept.get_mut(&3).unwrap().pop().unwrap();
        assert!(recoded(&of_kept, &kept).is_err());
        kept.get_mut(&3).unwrap().push(Vec::new());
        assert!(recoded(&of_kept, &kept).is_err());
        kept.get_mut(&2).unwrap().push(other);
        assert!(recoded(&of_kept, &kept).is_err());
        kept.values_mut().for_each(|batches| *batches = vec![b"nonsense".to_vec()]);
        assert!(recoded(&of_kept, &kept).unwrap_err().message.contains("cannot be read"));
    }
}

#[test]
fn rows_are_not_kept_where_that_would_not_do() {
    let table = people(500, 0);
    let apart =
        DistributedRun::new(spec("mondrian", None), table.schema(), &TransformInputs::default())
            .unwrap();
    let few = apart.reading(1, 10);
    let mut counted = PartialCounts::new(&few);
    assert!(counted.add_keeping(&few, 0, table.clone()).unwrap().is_none());
    assert!(counted.is_full() && counted.rows() == 500);
}

#[test]
fn parts_that_changed_are_refused() {
    let (table, other) = (people(2_000, 0), people(2_000, 5));
    for option in [None, Some(("mode", "relaxed"))] {
        let solved = solved(spec("mondrian", option), &table).unwrap();
        let message = |done: Result<Vec<RecordBatch>>| done.unwrap_err().message;
        let changed = message(recoded(&solved, &parts(&other)));
        assert!(changed.contains("changed"), "{changed}");
        let mut missing = parts(&table);
        missing.get_mut(&2).unwrap().pop();
        assert!(message(recoded(&solved, &missing)).contains("changed between two reads"));
        let mut swapped = parts(&table);
        swapped.get_mut(&2).unwrap().reverse();
        // Another order matters only where rows are dealt out.
        assert_eq!(recoded(&solved, &swapped).is_err(), option.is_some());
    }
}

#[test]
fn rows_that_were_lost_or_written_twice_are_noticed() {
    let table = people(2_000, 0);
    let mut solved = solved(spec("mondrian", None), &table).unwrap();
    let released = recoded(&solved, &parts(&table)).unwrap();
    let lost = |done: Result<RunReport>| done.unwrap_err().check == Some("read-back");
    let mut twice = released.clone();
    twice.push(released[0].slice(0, 1));
    assert!(lost(checked(&mut solved, &twice)));
    assert!(lost(checked(&mut solved, &released[1..])));
    // As many rows of every class, but another value beside one of them.
    let mut ill = released.clone();
    let swapped = ill[0].slice(1, ill[0].num_rows() - 1);
    ill[0] = swapped;
    ill.push(released[0].slice(1, 1));
    assert!(lost(checked(&mut solved, &ill)));
}

#[test]
fn blocks_give_a_release_that_is_nearly_as_good() {
    let table = people(6_000, 0);
    let parts = parts(&table);
    let file = spec("mondrian", None);
    let mut whole = solved(file.clone(), &table).unwrap();
    let made = recoded(&whole, &parts).unwrap();
    let whole = checked(&mut whole, &made).unwrap();

    let question = |file: &SpecFile| {
        DistributedRun::new(file.clone(), table.schema(), &TransformInputs::default()).unwrap()
    };
    let reading = question(&file).reading(4, 300);
    let counted = counted(&reading, &parts);
    assert!(counted.is_full());
    let mut combinations = CombinationCounter::new(reading.clone());
    assert!(combinations.add(table.clone()).unwrap().is_none());
    let combinations = combinations.take().unwrap();
    let mut margins = MarginalCounts::default();
    margins.add(&combinations, reading.width()).unwrap();
    assert_eq!(margins.rows(), 6_000);
    let control = Control::new();
    let mut solved = question(&file).outline(&reading, counted, &margins, None, &control).unwrap();
    let mut cuts = solved.cuts();
    loop {
        let mut counts = BlockCounts::default();
        counts.add(&cuts, &combinations).unwrap();
        if !cuts.refine(&counts, 500) {
            break;
        }
    }
    assert!(cuts.blocks() >= 4, "{}", cuts.blocks());
    let blocks = cuts.blocks_of(&combinations).unwrap();
    let rows = cuts.blocks_of_rows(&reading, table.clone()).unwrap();
    let picked = |batch: &RecordBatch, of: &[i64], block: i64| -> RecordBatch {
        let keep = of.iter().map(|&it| Some(it == block)).collect();
        arrow_select::filter::filter_record_batch(batch, &keep).unwrap()
    };
    let mut released = Vec::new();
    let numbers: std::collections::BTreeSet<i64> = blocks.iter().copied().collect();
    for block in numbers {
        let of_block = picked(&combinations, &blocks, block);
        let key = solved.order_key();
        let asked = question(&file);
        let (recoder, facts) =
            asked.solve_block(&reading, &margins, block as u64, &of_block, key, &control).unwrap();
        solved.add_blocks(facts);
        let recoder = RowRecoder::from_bytes(&recoder.to_bytes().unwrap()).unwrap();
        let mut part = recoder.part(block as u64).unwrap();
        released.push(recoder.recode(&mut part, picked(&table, &rows, block)).unwrap());
        recoder.finish(&part).unwrap();
    }
    let report = checked(&mut solved, &released).unwrap();
    let (cost, best) = (report.cost.unwrap(), whole.cost.unwrap());
    assert!(cost <= 1.05 * best, "{cost} {best}");
    assert_eq!((report.rows, report.bound), (6_000, None));
    assert!(report.verdict.unwrap().holds && report.cells == whole.cells);
}

#[test]
fn what_came_from_nowhere_is_an_error() {
    let strange =
        |done: Result<(), Error>| assert!(done.unwrap_err().message.contains("cannot be read"));
    for bytes in [&b""[..], b"nonsense", b"\x28\xb5\x2f\xfd"] {
        strange(ReadingPlan::from_bytes(bytes).map(|_| ()));
        strange(PartialCounts::from_bytes(bytes).map(|_| ()));
        strange(RowRecoder::from_bytes(bytes).map(|_| ()));
        strange(PartialVerification::from_bytes(bytes).map(|_| ()));
    }
}

fn application(file: SpecFile) -> ApplyOptions {
    let first = solved(file, &people(3_000, 0)).unwrap();
    ApplyOptions {
        recoding: first.recoding().unwrap(),
        unseen: UnseenPolicy::Suppress,
        output: None,
        delimiter: None,
        order: Order::shuffled(None).unwrap(),
        suppressed: incrowd_engine::SuppressionMode::Drop,
        earlier: Vec::new(),
    }
}

fn applied(options: &ApplyOptions, table: &RecordBatch) -> Result<SolvedRun> {
    let apart = DistributedRun::applying(options.clone(), table.schema())?;
    let reading = apart.reading(4, usize::MAX);
    let counted = counted(&reading, &parts(table));
    apart.solve(&reading, counted, None, &Control::new())
}

#[test]
fn a_saved_recoding_gives_new_parts_the_release_of_the_whole() {
    for method in ["mondrian", "datafly"] {
        let options = application(spec(method, None));
        let table = people(1_200, 9);
        let batches = vec![table.clone()];
        let source = Source::from_batches("t", table.schema(), batches, None).unwrap();
        let one = options.run_in_memory(&options.treated(source).unwrap(), &Control::new());
        let one = one.unwrap();
        let mut solved = applied(&options, &table).unwrap();
        let released = recoded(&solved, &parts(&table)).unwrap();
        let columns = ["age", "town", "ill"];
        let expected = sorted(&one.table.unwrap().table().batches, &columns);
        assert_eq!(sorted(&released, &columns), expected, "{method}");
        let report = checked(&mut solved, &released).unwrap();
        assert_eq!((report.cost, report.k), (one.report.cost, one.report.k));
        let codes = |report: &RunReport| -> Vec<_> {
            report.warnings.iter().map(|warning| warning.code).collect()
        };
        assert_eq!(codes(&report), codes(&one.report));
        assert!(solved.file().is_none() && solved.recoding() == Some(options.recoding));
    }
}

#[test]
fn rows_that_a_saved_recoding_has_not_seen_are_not_missed_when_the_release_is_read_back() {
    for method in ["mondrian", "datafly"] {
        let options = application(spec(method, None));
        let seen = people(3_000, 0);
        let columns: [(&str, ArrayRef); 3] = [
            ("age", Arc::new(Int64Array::from(vec![30]))),
            ("town", Arc::new(StringArray::from(vec!["elsewhere"]))),
            ("ill", Arc::new(StringArray::from(vec!["flu"]))),
        ];
        let unseen = RecordBatch::try_from_iter(columns).unwrap();
        let schema = seen.schema();
        let rows = seen.columns().iter().zip(unseen.columns());
        let rows = rows.map(|(one, other)| arrow_select::concat::concat(&[one, other]).unwrap());
        let table = RecordBatch::try_new(schema, rows.collect()).unwrap();
        let mut solved = applied(&options, &table).unwrap();
        let mut released = recoded(&solved, &parts(&table)).unwrap();
        let number: usize = released.iter().map(RecordBatch::num_rows).sum();
        assert_eq!(number, 3_000, "{method}");
        let report = checked(&mut solved, &released).unwrap();
        assert_eq!((report.rows, report.suppressed), (3_001, 1));
        released.pop();
        let mut solved = applied(&options, &table).unwrap();
        assert!(checked(&mut solved, &released).unwrap_err().message.contains("rows were lost"));
    }
}

#[test]
fn rows_are_added_to_those_of_an_earlier_release() {
    for method in ["mondrian", "datafly"] {
        let options = application(spec(method, None));
        let old =
            recoded(&applied(&options, &people(3_000, 0)).unwrap(), &parts(&people(3_000, 0)));
        let old = old.unwrap();
        let rows = ReleasedRows::new(&options.recoding).unwrap();
        let rows = ReleasedRows::from_bytes(&rows.to_bytes().unwrap()).unwrap();
        let few = people(40, 9);
        let like = few.schema();
        let again = old.iter().map(|batch| {
            let restored = rows.restored(&without_order(batch)).unwrap();
            let columns = like.fields().iter().map(|field| {
                arrow_cast(restored.column_by_name(field.name()).unwrap(), field.data_type())
            });
            RecordBatch::try_new(like.clone(), columns.collect()).unwrap()
        });
        let all: Vec<RecordBatch> = again.chain([few.clone()]).collect();
        let table = arrow_select::concat::concat_batches(&like, &all).unwrap();
        let mut solved = applied(&options, &table).unwrap();
        let names = rows.columns();
        let reading = ReadingPlan::of_columns(names.clone());
        let mut combinations = CombinationCounter::new(reading);
        old.iter().for_each(|batch| _ = combinations.add(without_order(batch)).unwrap());
        assert!(solved.keeps(&rows, &combinations.take().unwrap()).unwrap(), "{method}");
        let released = recoded(&solved, &parts(&table)).unwrap();
        let columns = ["age", "town", "ill"];
        let (before, after) = (sorted(&old, &columns), sorted(&released, &columns));
        let mut kept = after.iter();
        assert!(before.iter().all(|row| kept.any(|other| other == row)), "{method}: rows are lost");
        assert!(after.len() > before.len(), "{method}: nothing was added");
        assert!(checked(&mut solved, &released).unwrap().verdict.unwrap().holds);
    }
}

/// Texts as numbers, where a column has those.
fn arrow_cast(texts: &ArrayRef, to: &arrow_schema::DataType) -> ArrayRef {
    match to {
        arrow_schema::DataType::Int64 => {
            let texts = texts.as_string::<i32>().iter();
            Arc::new(texts.map(|text| text?.parse::<i64>().ok()).collect::<Int64Array>())
        }
        _ => texts.clone(),
    }
}
