//! What is shared does not depend on who is suppressed: suppressed people get other values, and columns that are left out
//! other contents. Where the release stays the same, so does every byte of every page and form.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use incrowd_engine::Control;
use incrowd_report::{RunPage, run_page};
use incrowd_run::forms::{
    Approval, ReleaseFacts, append_record, clinical_report, croissant, expert_determination,
    iso_27559, motivated_intruder, safe_harbor,
};
use incrowd_run::{
    Job, SpecFile,
    data::{Input, ReadOptions, Source},
    open_input,
    report::{Optimality, Tracer},
    run,
};
use incrowd_testing::SeededRng;

/// A person: the number that tells in the release who is there, and what is known of them.
#[derive(Debug, Clone)]
struct Person {
    tag: usize,
    name: String,
    age: u64,
    town: String,
    ill: &'static str,
}

/// A method with what it needs to suppress people, and the kind of its releases.
struct Asked {
    kind: &'static str,
    method: &'static str,
    metric: &'static str,
    age: &'static str,
    /// Whether it keeps people who stand apart in a class of their own if they are enough for one.
    few: bool,
}

const LEVELS: &str = ", hierarchy = { intervals = [5, 20] }";

const ASKED: [Asked; 11] = [
    asked("local", "mondrian", "dm", "", false),
    asked("local", "best-local", "dm", "", false),
    asked("local", "cluster-up", "ncp", "", true),
    asked("local", "auto", "ncp", "", true),
    asked("global", "climb", "ncp", "", true),
    asked("global", "optimal", "ncp", "", true),
    asked("global", "anneal", "ncp", "", true),
    asked("levels", "lattice", "dm", LEVELS, false),
    asked("levels", "datafly", "dm", LEVELS, false),
    asked("cells", "cells", "dm", "", false),
    asked("cells", "cover", "dm", "", false),
];

const fn asked(
    kind: &'static str,
    method: &'static str,
    metric: &'static str,
    age: &'static str,
    few: bool,
) -> Asked {
    Asked { kind, method, metric, age, few }
}

/// What else may be asked: of people, of the column `ill`, and of the release.
#[derive(Clone, Copy)]
struct More {
    privacy: &'static str,
    ill: &'static str,
    release: &'static str,
}

const NOTHING: More = More { privacy: "", ill: "", release: "" };
const MORE: [More; 5] = [
    NOTHING,
    More { release: "ranges = \"rounded\"\n", ..NOTHING },
    More { release: "suppressed = \"blank\"\n", ..NOTHING },
    More { privacy: "t-closeness = { t = 0.8 }\n", ..NOTHING },
    More { ill: ", narrowing = true", ..NOTHING },
];

impl Asked {
    fn spec(&self, k: u64, more: More) -> String {
        let Asked { method, metric, age, .. } = self;
        let More { privacy, ill, release } = more;
        format!(
            "[data]\ninput = \"people.csv\"\n[columns]\ntag = {{ role = \"plain\", accept = true }}\nname.role = \"identifying\"\n\
             age = {{ role = \"quasi\"{age} }}\ntown.role = \"quasi\"\nill = {{ role = \"sensitive\"{ill} }}\n[privacy]\nk = {k}\n{privacy}\
             [goal]\nmax-suppressed = \"all\"\nmetric = \"{metric}\"\n[algorithm]\nmethod = \"{method}\"\nseed = 7\n\
             [release]\noutput = \"out.csv\"\nreport = \"page.html\"\ninternal-report = \"own.html\"\norder = \"sort\"\n{release}"
        )
    }
}

/// A crowd that looks alike, and some who stand apart.
fn people(dice: &mut SeededRng, apart: u64) -> Vec<Person> {
    let mut person = |tag: usize, ages: [u64; 2], towns: &[&str], ills: &[&'static str]| Person {
        tag,
        name: format!("n{tag}"),
        age: ages[0] + dice.below(ages[1] - ages[0]),
        town: towns[dice.below(towns.len() as u64) as usize].to_owned(),
        ill: ills[dice.below(ills.len() as u64) as usize],
    };
    let crowd = (0..30).map(|at| (at, [30, 37], &["a", "b"][..], &["flu", "cold", "gout"][..]));
    let apart = (100..100 + apart as usize)
        .map(|at| (at, [60, 91], &["c", "d", "e"][..], &["flu", "mumps"][..]));
    crowd.chain(apart).map(|(at, ages, towns, ills)| person(at, ages, towns, ills)).collect()
}

/// The same people, but everybody has another name, which is left out, and those who are suppressed have other values: the
/// oldest of them alone says how wide the column is.
fn changed(people: &[Person], hidden: &Hidden, dice: &mut SeededRng) -> Vec<Person> {
    let mut changed = people.to_vec();
    for person in &mut changed {
        person.name = format!("{}@somewhere.org", person.name);
        if hidden.all.contains(&person.tag) {
            person.age = 60 + dice.below(80);
            person.town = ["c", "d", "e", "f", "g"][dice.below(5) as usize].to_owned();
        }
        if hidden.gone.contains(&person.tag) {
            person.ill = ["flu", "mumps", "rash"][dice.below(3) as usize];
        }
    }
    changed
}

/// People whose quasi-identifiers nobody may know.
struct Hidden {
    /// Those who are not in the release.
    gone: BTreeSet<usize>,
    /// The same, and those who are blank in it.
    all: BTreeSet<usize>,
}

impl Hidden {
    fn of(people: &[Person], release: &str) -> Self {
        let (mut there, mut told) = (BTreeSet::new(), BTreeSet::new());
        for row in release.lines().skip(1) {
            let tag: usize = row.split(',').next().unwrap().parse().unwrap();
            there.insert(tag);
            if !row.contains(",*,*") {
                told.insert(tag);
            }
        }
        let without = |known: &BTreeSet<usize>| {
            people.iter().map(|it| it.tag).filter(|tag| !known.contains(tag)).collect()
        };
        Hidden { gone: without(&there), all: without(&told) }
    }
}

/// The release, all that is shared of it by name, and some of what is not.
struct Outputs {
    release: String,
    shared: BTreeMap<&'static str, String>,
    internal: String,
}

fn outputs(people: &[Person], spec: &str) -> Option<Outputs> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let rows = people
        .iter()
        .map(|Person { tag, name, age, town, ill }| format!("{tag},{name},{age},{town},{ill}\n"));
    let table = "tag,name,age,town,ill\n".to_owned() + &rows.collect::<String>();
    std::fs::write(path("people.csv"), table).unwrap();
    std::fs::write(path("spec.toml"), spec).unwrap();
    let file = SpecFile::read(&path("spec.toml")).unwrap();
    let source = open_input(&file).unwrap();
    let job = Job::new(&file, &source).unwrap();
    let tracer = Tracer::new();
    // Not every question has an answer: what narrows classes can leave nobody.
    let mut report = run(&job, &source, &tracer.listen(&Control::new())).ok()?;
    // What is told of the search is the one exception.
    report.shareable.as_mut()?.optimality = Some(Optimality { optimal: false, gap_percent: None });
    let trace = tracer.points();
    let page = RunPage::new(&file, &job, source.file_name(), &report).with_trace(&trace);
    let mut shared = BTreeMap::from([("report", run_page(&page))]);
    let internal = format!("{:?} {:?} {:?}", report.cost, report.cells, report.losses);

    let open = |name: &str| {
        Source::open(&Input::from(path(name).as_path()), &ReadOptions::default()).unwrap()
    };
    let (release, control) = (open("out.csv"), Control::new());
    let facts = ReleaseFacts::gather(&file, &release, Some(&source), &control).unwrap();
    let facts = facts.measured(&control).unwrap();
    shared.insert("clinical", clinical_report(&facts));
    shared.insert("expert-determination", expert_determination(&facts));
    shared.insert("motivated-intruder", motivated_intruder(&facts));
    shared.insert("iso27559", iso_27559(&facts));
    shared.insert("croissant", croissant(&facts, None, None).unwrap().to_string());
    shared.insert("safe-harbor", safe_harbor(&facts, &[], &control).unwrap().to_string());
    shared.insert("record", recorded(&path("record.jsonl"), &facts));
    Some(Outputs { release: std::fs::read_to_string(path("out.csv")).unwrap(), shared, internal })
}

/// A line of the record without when it was written, and without what only its key can make.
fn recorded(path: &Path, facts: &ReleaseFacts<'_>) -> String {
    let entry = append_record(path, facts, &Approval::default(), None).unwrap();
    let mut entry = serde_json::to_value(&entry).unwrap();
    let fields = entry.as_object_mut().unwrap();
    fields.remove("at");
    fields.remove("hash");
    // Keyed, as the original is.
    fields.remove("seed");
    let original = fields["original"].as_object_mut().unwrap();
    assert!(original.remove("keyed_blake3").is_some());
    assert_eq!(original.keys().collect::<Vec<_>>(), ["name"], "nothing but the name is open");
    entry.to_string()
}

#[test]
fn what_is_shared_is_the_same_whatever_suppressed_people_have() {
    let mut dice = SeededRng::new(3);
    let mut counted: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut all, mut told_inside) = (0, 0);
    for _ in 0..incrowd_testing::cases(40) / 4 {
        for asked in &ASKED {
            let k = 2 + dice.below(2);
            let apart = if asked.few { 1 + dice.below(k - 1) } else { 1 + dice.below(5) };
            let people = people(&mut dice, apart);
            // Searches that suppress what fails can prove nothing where a part of it may pass.
            let more =
                if asked.few { NOTHING } else { MORE[dice.below(MORE.len() as u64) as usize] };
            let spec = asked.spec(k, more);
            let Some(before) = outputs(&people, &spec) else { continue };
            let hidden = Hidden::of(&people, &before.release);
            let other = changed(&people, &hidden, &mut dice);
            let Some(after) = outputs(&other, &spec) else { continue };
            if hidden.all.is_empty() || before.release != after.release {
                continue;
            }
            for (form, text) in &before.shared {
                assert_eq!(text, &after.shared[form], "{form} of {}: {spec}", asked.method);
            }
            *counted.entry(asked.kind).or_default() += 1;
            all += 1;
            told_inside += u32::from(before.internal != after.internal);
        }
    }
    for kind in ["local", "global", "levels", "cells"] {
        assert!(counted.get(kind).is_some_and(|&cases| cases >= 3), "{counted:?}");
    }
    // What the owner is told is another thing most times: there was something to tell.
    assert!(2 * told_inside > all, "{told_inside} of {all}");
}

/// What a reader needs stays: figures of the rows that are released.
#[test]
fn what_is_shared_is_still_worth_reading() {
    let mut dice = SeededRng::new(8);
    let people = people(&mut dice, 1);
    let outputs =
        outputs(&people, &asked("local", "mondrian", "dm", "", false).spec(3, NOTHING)).unwrap();
    let page = &outputs.shared["report"];
    let rows = outputs.release.lines().count() - 1;
    for words in [
        &format!("{rows} rows in "),
        "nobody can be narrowed down to fewer than",
        "What is kept of each column",
        "Distributions before and after",
        "certainty lost",
        "discernibility",
        "quasi-identifiers",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let clinical = &outputs.shared["clinical"];
    assert!(clinical.contains(&format!("Rows released: {rows}; suppressed: ")), "{clinical}");
    assert!(outputs.shared["safe-harbor"].contains("`name` is left out"));
    for form in ["clinical", "expert-determination", "motivated-intruder"] {
        let form = &outputs.shared[form];
        for words in
            ["- Singling out: gain ", "- Linkability: gain ", "- Inference of `ill`: gain "]
        {
            assert!(form.contains(words), "{words}: {form}");
        }
    }
    let expert = &outputs.shared["expert-determination"];
    assert!(expert.contains("- Prosecutor: highest risk 0."), "{expert}");
}
