//! Tables as people have them: harmless ones, and ones that give people away.

use incrowd_testing::SeededRng;

/// What tables are made up with.
pub(super) struct Draw(SeededRng);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Draw(SeededRng::with_state(seed))
    }

    /// A number from `low` to `high`.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below(high - low + 1)
    }

    /// A number around the middle between `low` and `high`.
    fn around(&mut self, low: u64, high: u64) -> u64 {
        (0..4).map(|_| self.between(low, high)).sum::<u64>() / 4
    }

    pub(super) fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.between(0, of.len() as u64 - 1) as usize]
    }
}

/// A table with `age,sex,region` before other columns.
fn table(seed: u64, rows: u64, header: &str, row: impl Fn(&mut Draw, u64) -> String) -> String {
    let mut draw = Draw::new(seed);
    let mut text = format!("age,sex,region,{header}\n");
    for at in 0..rows {
        let (age, sex) = (draw.between(18, 79), draw.one(&["female", "male"]));
        let region = draw.one(&["north", "south", "east", "west"]);
        text.push_str(&format!("{age},{sex},{region},{}\n", row(&mut draw, at)));
    }
    text
}

/// A number with decimals.
fn decimal(number: u64, decimals: u32) -> String {
    let unit = 10u64.pow(decimals);
    format!("{}.{:0width$}", number / unit, number % unit, width = decimals as usize)
}

const DISEASES: [&str; 18] = [
    "flu",
    "asthma",
    "gastritis",
    "migraine",
    "ulcer",
    "bronchitis",
    "epilepsy",
    "anemia",
    "eczema",
    "angina",
    "sinusitis",
    "arthritis",
    "gout",
    "hernia",
    "otitis",
    "shingles",
    "tonsillitis",
    "vertigo",
];

/// Tables in which nothing needs to be refused, but for the last.
pub(super) fn harmless() -> Vec<(&'static str, String)> {
    let lab = |draw: &mut Draw, _| {
        format!(
            "{},{},{},{},{}",
            decimal(draw.around(90, 180), 1),
            draw.around(60, 220),
            decimal(draw.around(40, 190), 2),
            decimal(draw.between(1, 900), 1),
            draw.around(120, 480)
        )
    };
    let answers = |draw: &mut Draw, _| {
        let agree = ["strongly agree", "agree", "neither", "disagree", "strongly disagree"];
        let numbers: Vec<String> = (0..8).map(|_| format!("{}.0", draw.between(1, 5))).collect();
        format!("{},{}", draw.one(&agree), numbers.join(","))
    };
    let sales = |draw: &mut Draw, _| {
        let (units, price) =
            (draw.between(1, 40), [499, 999, 1_495, 2_999][draw.between(0, 3) as usize]);
        let product = draw.one(&["kettle", "toaster", "lamp", "radio", "clock", "fan"]);
        format!("{product},{units},{},{}", decimal(price, 2), decimal(units * price, 2))
    };
    let grades = |draw: &mut Draw, _| {
        let note = |draw: &mut Draw| decimal(draw.between(10, 60), 1);
        format!("{},{},{},{}", note(draw), note(draw), draw.between(0, 15), draw.between(0, 30))
    };
    let counts = |draw: &mut Draw, _| {
        format!(
            "{},{},{},{}",
            draw.between(0, 60),
            draw.between(0, 4000),
            decimal(draw.between(0, 10_000), 2),
            decimal(draw.between(0, 1_000), 3)
        )
    };
    let exams = |draw: &mut Draw, _| {
        let (one, two) = (draw.between(0, 80) * 5, draw.between(0, 600));
        format!("{},{},{}", decimal(one, 1), decimal(two, 1), draw.one(&["passed", "failed"]))
    };
    let income = |draw: &mut Draw, _| {
        format!("{},{}", draw.between(1_009, 19_999), draw.one(&["sales", "research", "HR"]))
    };
    let small = |draw: &mut Draw, _| {
        format!("{},{}", draw.one(&DISEASES), decimal(draw.between(360, 410), 1))
    };
    let services = |draw: &mut Draw, _| {
        let yes = |draw: &mut Draw| draw.one(&["yes", "no"]);
        format!("{},{},{}", yes(draw), yes(draw), draw.between(1, 72))
    };
    vec![
        ("lab", table(1, 300, "hemoglobin,glucose,creatinine,crp,platelets", lab)),
        ("survey", table(2, 240, "opinion,q1,q2,q3,q4,q5,q6,q7,q8", answers)),
        ("sales", table(3, 300, "product,units,price,revenue", sales)),
        ("grades", table(4, 28, "math,english,points,days_absent", grades)),
        ("counts", table(5, 200, "visits,minutes,percent,share", counts)),
        ("exams", table(6, 120, "written,oral,result", exams)),
        ("small", table(7, 24, "diagnosis,temperature", small)),
        ("services", table(8, 500, "PhoneService,e-mail newsletter,months", services)),
        ("income", table(9, 400, "MonthlyIncome,department", income)),
    ]
}

/// Tables that would give people away, with the columns that do.
pub(super) fn traps() -> Vec<(&'static str, String, Vec<&'static str>)> {
    let name = |draw: &mut Draw| {
        let first = draw.one(&["Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo"]);
        let last = draw.one(&["Winter", "Sommer", "Klein", "Brandt", "Moreau", "Novak", "Petrov"]);
        format!("{first} {} {last}", draw.one(&["A.", "B.", "C.", "D.", "E.", "F."]))
    };
    let notes = |draw: &mut Draw, at: u64| {
        let what = draw.one(&["came in with", "complained about", "was sent home with"]);
        let where_ = draw.one(&["by car", "with her son", "after work", "from the plant"]);
        format!("{what} {} {where_} no {}", draw.one(&DISEASES), at * 7 % 97)
    };
    let time = |draw: &mut Draw| {
        let (month, day) = (draw.between(1, 12), draw.between(1, 28));
        let (hour, minute) = (draw.between(0, 23), draw.between(0, 59));
        format!("2018-{month:02}-{day:02}T{hour:02}:{minute:02}:00")
    };
    vec![
        (
            "floats",
            table(11, 240, "CASEID,q", |d, at| format!("{}.0,{}", at + 1, d.between(1, 5))),
            vec!["CASEID"],
        ),
        (
            "names",
            table(12, 150, "who,q", move |d, _| format!("{},{}", name(d), d.between(1, 5))),
            vec!["who"],
        ),
        (
            "few names",
            table(13, 12, "name,q", move |d, _| format!("{},{}", name(d), d.between(1, 5))),
            vec!["name"],
        ),
        ("times", table(14, 300, "seen", move |d, _| time(d)), vec!["seen"]),
        (
            "place",
            table(15, 300, "long,q", |d, _| {
                format!("-89.{:06},{}", d.between(0, 999_999), d.between(1, 5))
            }),
            vec!["long"],
        ),
        (
            "visits",
            table(16, 300, "visit_id,q", |d, at| {
                format!("{},{}", 70_000 + 7 * at, d.between(1, 5))
            }),
            vec!["visit_id"],
        ),
        ("notes", table(17, 200, "remarks", notes), vec!["remarks"]),
        (
            "hashes",
            table(18, 200, "token", |d, _| format!("{:016x}{:016x}", d.0.word(), d.0.word())),
            vec!["token"],
        ),
        ("rows", table(19, 60, "x", |_, at| (at + 1).to_string()), vec!["x"]),
        (
            "mail",
            table(20, 90, "contact", |d, at| format!("{}{at}@example.org", d.one(&["a", "b"]))),
            vec!["contact"],
        ),
        (
            "several",
            table(21, 400, "key,contact", |d, at| {
                format!("{},+49 341 {:07}", at * 3 + 1, d.between(0, 9_999_999))
            }),
            vec!["key", "contact"],
        ),
    ]
}

/// A table in which `town` tells `zip` and `birth_year` tells `age`.
pub(super) fn towns() -> String {
    const PLACES: [(&str, &str); 8] = [
        ("53703", "Madison"),
        ("53590", "Sun Prairie"),
        ("53562", "Middleton"),
        ("53545", "Janesville"),
        ("53202", "Milwaukee"),
        ("53211", "Shorewood"),
        ("54301", "Green Bay"),
        ("54401", "Wausau"),
    ];
    let mut draw = Draw::new(31);
    let mut text = "age,sex,zip,town,birth_year,color\n".to_owned();
    for _ in 0..500 {
        let age = draw.between(18, 88);
        let (zip, town) = PLACES[draw.between(0, 7) as usize];
        let color = draw.one(&["red", "blue", "green", "black", "white", "grey", "pink", "brown"]);
        // The birthday is before the day of the survey or after it.
        let year = 2026 - age - draw.between(0, 1);
        let sex = draw.one(&["female", "male"]);
        text.push_str(&format!("{age},{sex},{zip},{town},{year},{color}\n"));
    }
    text
}
