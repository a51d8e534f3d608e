#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

fn form(values: &[&str]) -> String {
    match detect_dates(values, None) {
        DetectedDates::Nothing => "nothing".to_owned(),
        DetectedDates::Dates(dates) => dates.scale.format.to_string(),
        DetectedDates::Ambiguous(found) => {
            let [(one, _), (other, _)] = found.readings;
            format!("{one} or {other}")
        }
    }
}

#[test]
fn evidence_decides_between_days_and_months() {
    for (values, expected) in [
        (&["2018-04-03"][..], "y-m-d"),
        (&["2018/4/3", "2018/12/31"], "y/m/d"),
        (&["03/04/2018"], "d/m/y or m/d/y"),
        (&["03/04/2018", "13/04/2018"], "d/m/y"),
        (&["03/04/2018", "04/13/2018"], "m/d/y"),
        (&["13/04/2018", "04/13/2018"], "nothing"),
        (&["04/04/2018", "5/5/2018"], "d/m/y"),
        (&["03-04-2018", "03-13-2018"], "m-d-y"),
        (&["03-04-18"], "d-m-y or m-d-y"),
        (&["3.4.2018"], "d.m.y"),
        (&["3.4.2018", "4.13.2018"], "m.d.y"),
        (&["3-Apr-2018", "12-DEC-99"], "d-mon-y"),
        (&["Apr 3, 2018", "September 12, 1999"], "mon d, y"),
        (&["3 April 2018"], "d mon y"),
        (&["03APR2018:10:11:12"], "dmony h:m:s"),
        (&["2018-04-03T10:11:12", "2018-04-03 10:11"], "y-m-d h:m:s"),
        (&["4/13/2018 1:02 PM", "4/3/2018 12:00 AM"], "m/d/y h:m:s"),
        (&["2018-04-03T10:11:12Z", "2018-04-03T10:11:12.123456789+02:00"], "y-m-d h:m:s"),
        (&["2018-04-03T10:11:12Z", "2018-04-03T10:11:12"], "nothing"),
        (&["10:11", "9:05:01"], "h:m:s"),
        (&["20180403"], "nothing"),
        (&["2018-04"], "nothing"),
        (&["2018"], "nothing"),
        (&["1.2.3"], "nothing"),
        (&["123-45-6789"], "nothing"),
        (&["2018-04-03", "soon"], "nothing"),
        (&[], "nothing"),
    ] {
        assert_eq!(form(values), expected, "{values:?}");
    }
    let DetectedDates::Ambiguous(found) = detect_dates(&["03/04/2018", "01/01/2018"], None) else {
        panic!("both readings remain");
    };
    assert_eq!(found.describe(), "`03/04/2018` is 2018-04-03 as d/m/y and 2018-03-04 as m/d/y");
}

#[test]
fn a_general_form_decides_where_it_can() {
    let form: DateFormat = "m/d/y".parse().unwrap();
    let DetectedDates::Dates(found) = detect_dates(&["03/04/2018"], Some(&form)) else {
        panic!("it is said which");
    };
    assert_eq!(found.scale.show(found.moments[0]), "2018-03-04");
    // Columns in another form keep theirs.
    let DetectedDates::Dates(found) = detect_dates(&["2018-04-03"], Some(&form)) else {
        panic!("these are dates");
    };
    assert_eq!(found.scale.format.to_string(), "y-m-d");
    let packed: DateFormat = "ymd".parse().unwrap();
    let DetectedDates::Dates(found) = detect_dates(&["20180403", "19991231T2359"], Some(&packed))
    else {
        panic!("it is said that they are");
    };
    assert_eq!(found.scale.show(found.moments[1]), "1999-12-31T23:59");
}

#[test]
fn bad_dates_are_no_dates() {
    let iso = DateFormat::iso();
    for field in [
        "",
        "2018-02-30",
        "2018-02-29",
        "1900-02-29",
        "2018-13-01",
        "2018-00-10",
        "2018-01-00",
        "0000-01-01",
        "12018-01-01",
        "2018-1-1x",
        "2018-01-01T",
        "2018-01-01T24:00",
        "2018-01-01T10:60",
        "2018-01-01T10:11:60",
        "2018-01-01T10:11:12.",
        "2018-01-01T10:11:12.1234567890",
        "2018-01-01T10:11:12+14:01",
        "2018-01-01T10:11:12+15:00",
        "2018-01-01T10:11:12+02:60",
        "2018-01-01T10:11:12+",
        "2018-01-01T13:11 PM",
        "2018-01-01T0:11 AM",
        "2018-01-01T10:11 XY",
        "2018-01-01 é",
        "2018-01-01Té",
        "-2018-01-01",
        "２０１８-01-01",
    ] {
        assert_eq!(iso.read(field), None, "{field}");
    }
    for field in ["2016-02-29", "2000-02-29", "0001-01-01", "9999-12-31T23:59:59.999999999+14:00"] {
        assert!(iso.read(field).is_some(), "{field}");
    }
}

#[test]
fn forms_are_written_in_simple_letters() {
    for (text, expected) in [
        ("d/m/y", "d/m/y"),
        ("dd/mm/yyyy", "d/m/y"),
        ("%d.%m.%Y", "d.m.y"),
        ("%Y-%m-%dT%H:%M:%S", "y-m-d h:m:s"),
        ("d.m.y h:m", "d.m.y h:m:s"),
        ("DD-MMM-YY", "d-mon-y"),
        ("mon d, y", "mon d, y"),
        ("ymd", "ymd"),
        ("h:m", "h:m:s"),
    ] {
        let form: DateFormat = text.parse().unwrap();
        assert_eq!(form.to_string(), expected, "{text}");
        assert_eq!(form.to_string().parse::<DateFormat>().unwrap(), form);
    }
    for text in ["", "d/m", "d/m/y/y", "d/my", "x", "/d/m/y", "d/m/y h", "yyyy", "é"] {
        assert!(text.parse::<DateFormat>().is_err(), "{text}");
    }
}

/// Two-digit years are those of a spreadsheet.
#[test]
fn short_years_turn_at_thirty() {
    let form: DateFormat = "d/m/y".parse().unwrap();
    let year = |field: &str| form.read(field).unwrap().local.day().0;
    assert_eq!(
        [year("1/1/29"), year("1/1/30"), year("1/1/99"), year("1/1/00")],
        [2029, 1930, 1999, 2000]
    );
    let DetectedDates::Dates(found) = detect_dates(&["13/1/98", "13/1/2001"], None) else {
        panic!("these are dates");
    };
    assert_eq!(found.short_year.as_deref(), Some("13/1/98"));
}
