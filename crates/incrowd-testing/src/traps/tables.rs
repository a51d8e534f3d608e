//! The tables themselves.

use super::people::{FIRST, LAST, PLACES, SEXES, age, name};
use super::rng::TrapRng;

/// Lines joined to a file.
fn file(header: &str, rows: impl Iterator<Item = String>) -> Vec<u8> {
    let mut text = format!("{header}\n");
    for row in rows {
        text.push_str(&row);
        text.push('\n');
    }
    text.into_bytes()
}

pub(super) fn survey() -> Vec<u8> {
    let mut draw = TrapRng::new(1);
    let rows = (1..=240).map(move |case| {
        let place = PLACES[draw.below(16) as usize];
        let answers: Vec<String> = (0..4).map(|_| format!("{}.0", draw.between(1, 5))).collect();
        let sex = 1 + draw.below(2);
        format!("{case}.0,{}.0,{sex}.0,{},{}", age(&mut draw), place.2, answers.join(","))
    });
    file("CASEID,age,sex,region,q1,q2,q3,q4", rows)
}

pub(super) fn stops() -> Vec<u8> {
    let mut draw = TrapRng::new(2);
    let rows = (0..600).map(move |_| {
        let (month, day) = (draw.between(1, 12), draw.between(1, 28));
        let (hour, minute, second) = (draw.below(24), draw.below(60), draw.below(60));
        let lat = 43.0 + draw.around(0.0, 0.05);
        let long = -89.4 + draw.around(0.0, 0.08);
        format!(
            "2018-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02},{lat:.6},{long:.6},{},{},{},{}",
            draw.between(16, 80),
            draw.one(&SEXES),
            draw.one(&["black", "white", "hispanic", "asian"]),
            draw.one(&["warning", "citation", "arrest", "none"]),
        )
    });
    file("stopped_at,lat,long,age,sex,race,outcome", rows)
}

pub(super) fn visits() -> Vec<u8> {
    let mut draw = TrapRng::new(3);
    let rows = (0..400).map(move |at| {
        let (day, month) = (draw.between(1, 28), draw.between(1, 12));
        let year = draw.between(1935, 2015);
        let mut zip = PLACES[draw.below(16) as usize].0.to_owned();
        if draw.percent(5) {
            zip.push_str(&format!("-{:04}", draw.below(10_000)));
        }
        format!(
            "{},{day:02}/{month:02}/{year},{},{zip},{}",
            70_000 + at * 7,
            draw.one(&SEXES),
            draw.one(&["flu", "asthma", "fracture", "migraine", "gastritis"]),
        )
    });
    file("visit_id,born,sex,zip,diagnosis", rows)
}

pub(super) fn towns() -> Vec<u8> {
    let mut draw = TrapRng::new(4);
    let rows = (0..800).map(move |_| {
        let age = age(&mut draw);
        let (zip, town, _) = PLACES[draw.below(16) as usize];
        let (sex, vote) = (draw.one(&SEXES), draw.one(&["yes", "no"]));
        format!("{age},{sex},{zip},{town},{},{vote}", 2026 - age)
    });
    file("age,sex,zip,town,birth_year,vote", rows)
}

pub(super) fn incomes() -> Vec<u8> {
    let mut draw = TrapRng::new(5);
    let rows = (0..400).map(move |_| {
        let cents = draw.between(90_000, 980_000);
        let (whole, rest) = (cents / 100, cents % 100);
        let income = if whole >= 1000 {
            format!("{}.{:03},{rest:02}", whole / 1000, whole % 1000)
        } else {
            format!("{whole},{rest:02}")
        };
        format!("{};{};{income};{}", age(&mut draw), draw.one(&SEXES), draw.one(&["rent", "own"]))
    });
    file("age;sex;income;home", rows)
}

pub(super) fn accounts() -> Vec<u8> {
    let mut draw = TrapRng::new(6);
    let rows = (0..300).map(move |_| {
        // Neighbours that a double precision number cannot tell apart.
        let account = 9_007_199_254_740_993_u64 + draw.below(120);
        let rate = draw.between(0, 80);
        let balance = draw.between(-400, 900);
        let card = draw.one(&["gold", "blue"]);
        format!("{account},{balance},{}.{},{card}", rate / 10, rate % 10)
    });
    file("account,balance,rate,card", rows)
}

pub(super) fn diagnoses() -> Vec<u8> {
    let mut draw = TrapRng::new(7);
    let rows = (0..900).map(move |_| {
        let letter = draw.one(&["A", "C", "E", "F", "I", "J", "K", "M", "S"]);
        let mut icd = format!("{letter}{:02}", draw.between(0, 12) * 3);
        if draw.percent(70) {
            icd.push_str(&format!(".{}", draw.below(4)));
        }
        format!(
            "{},{},{icd},{}",
            age(&mut draw),
            draw.one(&SEXES),
            draw.one(&["ward", "home", "ICU"])
        )
    });
    file("age,sex,icd,discharge", rows)
}

pub(super) fn staff() -> Vec<u8> {
    let mut draw = TrapRng::new(8);
    let rows = (0..240).map(move |_| {
        let last = format!("{}{}", draw.one(&["Mü", "Grö", "Schä", "Weiß"]), draw.one(&LAST));
        format!(
            "{} {last};{:02}.{:02}.{};{};{};{},{:02}",
            draw.one(&FIRST),
            draw.between(1, 28),
            draw.between(1, 12),
            draw.between(1958, 2004),
            draw.one(&["männlich", "weiblich"]),
            draw.one(&["04103", "04105", "04107", "01067", "01069", "09111"]),
            draw.between(1800, 7200),
            draw.below(100),
        )
    });
    let text = file("Name;Geburtsdatum;Geschlecht;PLZ;\"Gehalt, brutto\"", rows);
    // Windows-1252 has these letters where Unicode has them.
    String::from_utf8_lossy(&text).chars().map(|c| c as u8).collect()
}

pub(super) fn deaths() -> Vec<u8> {
    let mut draw = TrapRng::new(9);
    let rows = (0..1000).map(move |at| {
        let died = at % 125 == 0;
        let age = if died { 94 + at / 125 } else { draw.between(20, 60) };
        let ward = if died { "palliative" } else { draw.one(&["surgery", "medicine"]) };
        let sex = draw.one(&SEXES);
        format!("{age},{sex},{ward},{}", if died { "yes" } else { "no" })
    });
    file("age,sex,ward,died", rows)
}

pub(super) fn admissions() -> Vec<u8> {
    let mut draw = TrapRng::new(10);
    let rows = (0..300).map(move |_| {
        let (one, two) = (draw.between(1, 12), draw.between(1, 12));
        let age = if draw.percent(6) {
            draw.one(&["", "  ", "-", "unknown"]).to_owned()
        } else {
            age(&mut draw).to_string()
        };
        let kind = draw.one(&["emergency", "planned"]);
        format!("{one:02}/{two:02}/{},{age},{},{kind}", draw.between(2015, 2024), draw.one(&SEXES))
    });
    file("admitted,age,sex,kind", rows)
}

pub(super) fn wide() -> Vec<u8> {
    let mut draw = TrapRng::new(11);
    let mut header = "respondent,name,age,sex,region".to_owned();
    for question in 1..=167 {
        header.push_str(&format!(",q{question:03}"));
    }
    let rows = (0..200).map(move |at| {
        let place = PLACES[draw.below(16) as usize].2;
        let (name, age) = (name(&mut draw), age(&mut draw));
        let mut row = format!("{},{name},{age},{},{place}", 1001 + at, draw.one(&SEXES));
        for question in 0..167 {
            row.push_str(&format!(",{}", draw.between(1, 2 + question % 6)));
        }
        row
    });
    file(&header, rows)
}
