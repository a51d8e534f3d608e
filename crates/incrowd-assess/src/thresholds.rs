//! The numbers by which columns are judged, all in one place. `docs/concepts/roles.md` explains each; a test holds the page
//! to them.

/// The share of different values from which rows count as named or numbered.
pub const NEARLY_ALL: f64 = 0.95;

/// In a table of fewer rows nothing is said of values that occur once.
pub const SMALLEST: u64 = 12;

/// The share of different values from which no role is proposed in which a column would be released as it is.
pub const TELLS_APART: f64 = 0.8;

/// So many different codes, at least, that a few rows each share number people or things.
pub const CODES: u64 = 50;

/// So many different words in a column that is called a name are names, however many rows share them.
pub const NAMED: u64 = 20;

/// The same where the values are words, or the column's name points there.
pub const MOST: f64 = 0.5;

/// What names people by its look or its name does so only with at least this share of different values: a column
/// `phone` of yes and no names nobody.
pub const MANY: f64 = 0.05;

/// A column of names, codes or days that nobody has named is refused if it singles out more than this share of the
/// rows, ...
pub const SMALL_SHARE: f64 = 0.1;

/// ... and more rows than these: in a table of 24 people many a harmless value occurs once.
pub const SMALL_ROWS: u64 = 20;

/// An exact time or a place is refused from this share on, ...
pub const EXACT_SHARE: f64 = 0.01;

/// ... and above so many rows.
pub const EXACT_ROWS: u64 = 5;

/// A measured number is refused if it singles out more than this share of the rows, ...
pub const MEASURED_SHARE: f64 = 0.2;

/// ... and more rows than these, ...
pub const MEASURED_ROWS: u64 = 50;

/// ... and has room for more values than these between the least and the greatest, at the precision it is written
/// with. Numbers of few digits are shared by many people, however few of them are in the table.
pub const MEASURED_VALUES: f64 = 5_000.0;

/// Numbers up to this with at most two decimals are scores, percentages and readings: never refused as measured
/// numbers.
pub const SCORE: f64 = 100.0;

/// Whole numbers that number the rows: from so many rows on, ...
pub const NUMBERED_ROWS: u64 = 10;

/// ... and with gaps only from so many rows on, ...
pub const GAPS_ROWS: u64 = 20;

/// ... of at most this: that many numbers between the least and the greatest for each that occurs.
pub const GAPS: f64 = 2.0;

/// Whole numbers, nearly all different, that fill at least this share of their range are handed out one by one: by chance
/// a tenth of the rows would share theirs.
pub const HANDED_OUT: f64 = 0.2;

/// Digits from which numbers of one length are codes rather than measurements.
pub const CODE_DIGITS: usize = 6;

/// Words per value, or, ...
pub const TEXT_WORDS: f64 = 4.0;

/// ... characters per value, from which texts are free texts.
pub const TEXT_LENGTH: f64 = 40.0;

/// The share of the values that must look like e-mail addresses, times and so on for all to count as such.
pub const LOOKS_ALIKE: f64 = 0.9;

/// A column that tells the original value of a quasi-identifier in more than this share of the released rows undoes
/// it: the run is refused.
pub const UNDONE: f64 = 0.1;

/// The same for sensitive and class columns, which the user asked to release as they are: a diagnosis may tell the
/// sex of some; one that tells most values is a second copy of a quasi-identifier.
pub const UNDONE_BY_TARGET: f64 = 0.5;

/// What a column tells is reported from this share on.
pub const TOLD: f64 = 0.01;

/// A candidate counts if it occurs in at least this share of the other rows with the same value: what is rarer is
/// taken for a slip.
pub const CANDIDATE: f64 = 0.05;

/// A value that has the share of a candidate in its group is usual there: it stays a candidate beside another column's value unless it
/// is so many times as rare there. What merely shifts shares tells nobody's value.
pub const RARER: f64 = 5.0;

/// When a column is taken to follow from others.
pub mod rules {
    /// A rule is right of this share of the records it covers, ...
    pub const PRECISE: f64 = 0.95;
    /// ... and an exact function of this share, which allows for slips.
    pub const EXACT: f64 = 0.99;
    /// It covers at least this share of the records that have a value, ...
    pub const COVERED: f64 = 0.5;
    /// ... and at least so many records; a quarter of the records in a small table.
    pub const FEW_RECORDS: usize = 50;
    /// A guess without the rule is wrong of at least so many of them, ...
    pub const CONTROL_ERRORS: usize = 5;
    /// ... and so many times as often as the rule: whoever guesses the usual value is often right, too.
    pub const BETTER: f64 = 5.0;
    /// Below so many records only exact functions count.
    pub const SMALL_TABLE: usize = 250;
    /// Where values have exceptions, so many other records must agree.
    pub const OTHERS: usize = 20;
    /// A number is told if it lies within this share of its spread.
    pub const NARROW: f64 = 0.05;
    /// A number of fewer values is looked at as a name.
    pub const ALIKE: usize = 10;
    /// So many records tell whether the others need be looked at.
    pub const SCREENED: usize = 2_000;
    /// In a table of fewer records nothing can be said.
    pub const LEAST_ROWS: usize = 10;
}

/// When several rows are taken for rows of one person.
pub mod people {
    /// Rows that share a value agree on a quasi-identifier if they do so this far beyond chance, from 0 (as often as rows of
    /// different values) to 1 (always).
    pub const AGREE: f64 = 0.5;
    /// They are rows of one person if this share of them agrees on all of those, ...
    pub const ALIKE: f64 = 0.5;
    /// ... and at most this share of rows of different values does: first names agree on the sex, which half of all do.
    pub const BY_CHANCE: f64 = 0.1;
    /// Codes, of which nine in ten have a digit, are believed to number people if this share of their rows agrees on all
    /// quasi-identifiers, ...
    pub const CODES_ALIKE: f64 = 0.9;
    /// ... and at most this share of others does.
    pub const CODE_BY_CHANCE: f64 = 0.6;
    /// Where nothing but the rows speaks for it, this share of them agrees on all that people keep, ...
    pub const UNNAMED_ALIKE: f64 = 0.8;
    /// ... and at least this share of the rows has one that is alike.
    pub const UNNAMED_PAIRS: f64 = 0.05;
    /// A name that fewer rows than this share repeat may be that of two people.
    pub const SLIPS: f64 = 0.01;
    /// Pairs of rows that are needed to say so.
    pub const FEWEST_PAIRS: u64 = 3;
    /// Rows agree by chance where they do no more often than this share of what is left to agree on.
    pub const BARELY: f64 = 0.1;
    /// Of so many names nearly all have initials of their own.
    pub const INITIALS: u64 = 100;
    /// A quasi-identifier follows from another, and counts once, if this share of the rows of different values that agree on
    /// the other agrees on it.
    pub const FOLLOWS: f64 = 0.9;
    /// A quasi-identifier may number people itself if no more rows than these share a value, on average.
    pub const ROWS_EACH: u64 = 100;
    /// What follows from quasi-identifiers that people keep, while others change by chance, is a stratum and no person if more
    /// rows than these share a value, on average.
    pub const STRATUM_ROWS: u64 = 20;
    /// A released column links rows if this share of the rows that share a value of it is of one unit, ...
    pub const LINKS: f64 = 0.95;
    /// ... and they are this share of the rows that can be linked.
    pub const LINKED: f64 = 0.1;
    /// Rows that are looked at in large tables, about.
    pub const LOOKED_AT: u64 = 200_000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_about_roles_has_these_numbers() {
        let page = include_str!("../../../docs/concepts/roles.md");
        let percent = |share: f64| format!("{}%", (100.0 * share).round());
        let both = |share: f64, rows: u64| format!("{}, {rows}", percent(share));
        for (name, value) in [
            ("`MANY`", percent(MANY)),
            ("`MOST`", percent(MOST)),
            ("`NEARLY_ALL`", percent(NEARLY_ALL)),
            ("`SMALL_SHARE`, `SMALL_ROWS`", both(SMALL_SHARE, SMALL_ROWS)),
            ("`EXACT_SHARE`, `EXACT_ROWS`", both(EXACT_SHARE, EXACT_ROWS)),
            ("`MEASURED_SHARE`, `MEASURED_ROWS`", both(MEASURED_SHARE, MEASURED_ROWS)),
            ("`MEASURED_VALUES`", MEASURED_VALUES.to_string()),
            ("`SCORE`", SCORE.to_string()),
            ("`NUMBERED_ROWS`", NUMBERED_ROWS.to_string()),
            ("`GAPS_ROWS`, `GAPS`", format!("{GAPS_ROWS}, {GAPS}")),
            ("`HANDED_OUT`", percent(HANDED_OUT)),
            ("`CODE_DIGITS`", CODE_DIGITS.to_string()),
            ("`TEXT_WORDS`, `TEXT_LENGTH`", format!("{TEXT_WORDS}, {TEXT_LENGTH}")),
            ("`LOOKS_ALIKE`", percent(LOOKS_ALIKE)),
            ("`UNDONE`", percent(UNDONE)),
            ("`UNDONE_BY_TARGET`", percent(UNDONE_BY_TARGET)),
            ("`TOLD`", percent(TOLD)),
            ("`CANDIDATE`", percent(CANDIDATE)),
            ("`RARER`", RARER.to_string()),
            ("`people::AGREE`", percent(people::AGREE)),
            ("`people::ALIKE`", percent(people::ALIKE)),
            ("`people::BY_CHANCE`", percent(people::BY_CHANCE)),
            ("`people::CODES_ALIKE`", percent(people::CODES_ALIKE)),
            ("`people::CODE_BY_CHANCE`", percent(people::CODE_BY_CHANCE)),
            ("`people::FEWEST_PAIRS`", people::FEWEST_PAIRS.to_string()),
            ("`people::BARELY`", percent(people::BARELY)),
            ("`people::INITIALS`", people::INITIALS.to_string()),
            ("`people::FOLLOWS`", percent(people::FOLLOWS)),
            ("`people::ROWS_EACH`", people::ROWS_EACH.to_string()),
            ("`people::STRATUM_ROWS`", people::STRATUM_ROWS.to_string()),
            ("`people::UNNAMED_ALIKE`", percent(people::UNNAMED_ALIKE)),
            ("`people::UNNAMED_PAIRS`", percent(people::UNNAMED_PAIRS)),
            ("`people::SLIPS`", percent(people::SLIPS)),
            ("`NAMED`", NAMED.to_string()),
            ("`CODES`", CODES.to_string()),
            ("`TELLS_APART`", percent(TELLS_APART)),
            ("`rules::PRECISE`", percent(rules::PRECISE)),
            ("`rules::EXACT`", percent(rules::EXACT)),
            ("`rules::COVERED`", percent(rules::COVERED)),
            ("`rules::FEW_RECORDS`", rules::FEW_RECORDS.to_string()),
            ("`rules::CONTROL_ERRORS`", rules::CONTROL_ERRORS.to_string()),
            ("`rules::BETTER`", rules::BETTER.to_string()),
            ("`rules::SMALL_TABLE`", rules::SMALL_TABLE.to_string()),
            ("`rules::OTHERS`", rules::OTHERS.to_string()),
            ("`rules::NARROW`", percent(rules::NARROW)),
            ("`rules::ALIKE`", rules::ALIKE.to_string()),
            ("`rules::SCREENED`", rules::SCREENED.to_string()),
            ("`rules::LEAST_ROWS`", rules::LEAST_ROWS.to_string()),
            ("`people::LINKS`", percent(people::LINKS)),
            ("`people::LINKED`", percent(people::LINKED)),
            ("`people::LOOKED_AT`", people::LOOKED_AT.to_string()),
        ] {
            let row = format!("| {name} | {value} |");
            assert!(page.contains(&row), "docs/concepts/roles.md lacks {row}");
        }
    }
}
