//! Sources of which some columns are masked.

use std::collections::HashMap;
use std::sync::Arc;

use incrowd_engine::Control;
use incrowd_engine::value::{DateScale, DetectedDates, detect_dates, is_missing, read_dates};

use super::column_mask::{ColumnMask, MaskRule};
use super::source::Source;
use super::table::read_table;
use crate::secret_key::SecretKey;
use crate::{DateFormats, MaskMethod};
use crate::{Error, Result};

/// What is asked for of a column.
#[derive(Debug, Clone)]
pub struct MaskRequest {
    /// The column's name.
    pub column: String,
    /// What becomes of its values.
    pub treat: MaskMethod,
}

impl Source {
    /// The source with some columns masked. Dates are shifted by unit, which must be a column then; equal values in
    /// one domain get equal pseudonyms. What would make two values one is refused.
    pub fn disguised(
        mut self,
        asked: &[MaskRequest],
        key: &SecretKey,
        unit: Option<&str>,
        missing: &[String],
        dates: &DateFormats,
        control: &Control,
    ) -> Result<Self> {
        let unit = unit.map(|name| self.place_of(name)).transpose()?;
        let mut disguises = Vec::new();
        for MaskRequest { column, treat } in asked {
            let place = self.place_of(column)?;
            let how = match treat {
                MaskMethod::Drop => continue,
                MaskMethod::Last(count) => MaskRule::Last(*count),
                MaskMethod::Initials => MaskRule::Initials,
                MaskMethod::Fixed(text) => MaskRule::Fixed(text.clone()),
                MaskMethod::Zip3(census) => MaskRule::Zip3(*census),
                MaskMethod::Pseudonym(domain) => {
                    let domain = domain.as_deref().unwrap_or(column);
                    MaskRule::Pseudonym(key.of(&format!("pseudonyms of {domain}")))
                }
                MaskMethod::Random => MaskRule::Pseudonym(SecretKey::fresh()?),
                MaskMethod::Shift { days, weekday } => {
                    let unit = unit.ok_or_else(|| {
                        Error::new(format!(
                            "the dates of `{column}` are shifted by unit, and no unit is named"
                        ))
                        .help("name the unit's column: unit in [privacy], or --unit")
                    })?;
                    let scale = self.dates_of(place, missing, dates, control)?;
                    let key = key.of("shifted dates");
                    MaskRule::Shift { scale, key, days: *days, weekday: *weekday, unit }
                }
            };
            let disguise = ColumnMask { column: place, how, missing: missing.to_vec() };
            if let MaskRule::Pseudonym(_) = disguise.how {
                self.refuse_collisions(&disguise, control)?;
            }
            disguises.push(disguise);
        }
        self.treated.disguises = Arc::new(disguises);
        Ok(self)
    }

    /// Whether a column's values are replaced as they are read.
    pub fn is_disguised(&self, column: usize) -> bool {
        self.treated.disguises.iter().any(|disguise| disguise.column == column)
    }

    /// The distinct values of a column as they are before any mask.
    pub fn undisguised_values(&self, column: usize, control: &Control) -> Result<Vec<String>> {
        let mut known = incrowd_engine::table::Dictionary::new();
        self.map_untreated(
            &[column],
            |chunk| {
                let mut here = incrowd_engine::table::Dictionary::new();
                chunk.column(0).for_each(|value| {
                    here.intern(value);
                });
                Ok(here)
            },
            |here| {
                here.iter().for_each(|value| {
                    known.intern(value);
                });
                Ok(())
            },
            control,
        )?;
        Ok(known.iter().map(str::to_owned).collect())
    }

    fn dates_of(
        &self,
        place: usize,
        missing: &[String],
        dates: &DateFormats,
        control: &Control,
    ) -> Result<DateScale> {
        let name = &self.columns()[place];
        let table = read_table(self, Some(&[place]), control)?;
        let values: Vec<&str> = table.columns()[0]
            .dictionary
            .iter()
            .filter(|value| !is_missing(value, missing))
            .collect();
        let wrong = || {
            Error::new(format!(
                "`{name}` holds values that are not dates, and only dates can \
                                be shifted"
            ))
            .help("name the form of its dates with date-format, or mask it in another way")
        };
        if let Some(form) = dates.columns.get(name) {
            return Ok(read_dates(name, &values, form)?.scale);
        }
        match detect_dates(&values, dates.general.as_ref()) {
            DetectedDates::Dates(dates) if !dates.scale.format.is_clock() => Ok(dates.scale),
            DetectedDates::Ambiguous(readings) => Err(readings.error(name).into()),
            _ => Err(wrong()),
        }
    }

    /// Two values must not become one, nor any value another.
    fn refuse_collisions(&self, disguise: &ColumnMask, control: &Control) -> Result<()> {
        let name = &self.columns()[disguise.column];
        let values = self.undisguised_values(disguise.column, control)?;
        let mut made: HashMap<String, &str> = HashMap::new();
        for value in values.iter().map(|value| value.trim()) {
            if is_missing(value, &disguise.missing) {
                continue;
            }
            let pseudonym = disguise.of(value, "")?;
            if made.insert(pseudonym, value).is_some_and(|other| other != value) {
                return Err(Error::new(format!(
                    "two values of `{name}` would get the same pseudonym"
                ))
                .help("use another key or domain"));
            }
        }
        match values.iter().any(|value| made.contains_key(value.trim())) {
            false => Ok(()),
            true => Err(Error::new(format!(
                "a pseudonym of `{name}` equals one of its \
                                            original values"
            ))
            .help("use another key or domain")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::super::column_mask::{DAY, LENGTH, shift, zip3};
    use super::*;
    use crate::ReadOptions;
    use crate::mask_method::ZipCensus;

    const VISITS: &str = "patient,name,card,seen,left,zip\n\
        p1,Ann Lee,4111111111111111,2020-03-02,2020-03-05,1\n\
        p1,Ann Lee,4111111111111111,2021-03-02,2021-03-04,2\n\
        p2,Bo van Dyk,42,2020-03-02,NA,3\n";

    fn rows(asked: &[(&str, &str)], key: &SecretKey) -> Result<Vec<Vec<String>>> {
        let source = Source::from_reader(&mut VISITS.as_bytes(), "t.csv", &ReadOptions::default())?;
        let asked: Vec<MaskRequest> = asked
            .iter()
            .map(|(column, treat)| MaskRequest {
                column: (*column).to_owned(),
                treat: treat.parse().unwrap(),
            })
            .collect();
        let missing = incrowd_engine::value::MISSING_TOKENS.map(str::to_owned);
        let control = Control::new();
        let source = source.disguised(
            &asked,
            key,
            Some("patient"),
            &missing,
            &DateFormats::default(),
            &control,
        )?;
        // One column at a time, so that the unit is not among those that are read.
        let columns: Vec<_> =
            (0..6).map(|at| read_table(&source, Some(&[at]), &control)).collect::<Result<_>>()?;
        Ok((0..3)
            .map(|row| columns.iter().map(|it| it.columns()[0].value(row).to_owned()).collect())
            .collect())
    }

    fn day(text: &str) -> i64 {
        let moment = incrowd_engine::value::parse_day(text).unwrap();
        let (seconds, _): (i64, u32) = moment.into();
        seconds / DAY
    }

    #[test]
    fn every_disguise() {
        let key = SecretKey::fresh().unwrap();
        let asked = [
            ("patient", "pseudonym"),
            ("name", "initials"),
            ("card", "last:4"),
            ("seen", "shift:30"),
            ("left", "shift:30"),
            ("zip", "fixed:hidden"),
        ];
        let made = rows(&asked, &key).unwrap();
        assert_eq!(made, rows(&asked, &key).unwrap());
        assert_eq!(made[0][0], made[1][0]);
        assert!(made[0][0] != made[2][0] && made[0][0].len() == LENGTH);
        assert_eq!((&*made[0][1], &*made[2][1]), ("A.L.", "B.V.D."));
        assert_eq!((&*made[0][2], &*made[2][2]), ("************1111", "**"));
        let moved = day(&made[0][3]) - day("2020-03-02");
        assert!(moved != 0 && moved.abs() <= 30);
        // Within a unit all intervals stay, between columns, too.
        assert_eq!(day(&made[1][3]) - day(&made[0][3]), 365);
        assert_eq!(day(&made[0][4]) - day(&made[0][3]), 3);
        assert_eq!((&*made[2][4], &*made[2][5]), ("NA", "hidden"));
    }

    #[test]
    fn domains_keys_and_weekdays() {
        let key = SecretKey::fresh().unwrap();
        let of =
            |treat: &str, key: &SecretKey| rows(&[("patient", treat)], key).unwrap()[0][0].clone();
        assert_eq!(of("pseudonym", &key), of("pseudonym:patient", &key));
        assert_ne!(of("pseudonym", &key), of("pseudonym:other", &key));
        assert_ne!(of("pseudonym", &key), of("pseudonym", &SecretKey::fresh().unwrap()));
        assert_ne!(of("random", &key), of("random", &key));
        let mut seen = std::collections::BTreeSet::new();
        for at in 0..400 {
            let moved = shift(&key, &at.to_string(), 21, true);
            assert!(moved % 7 == 0 && moved != 0 && moved.abs() <= 21);
            seen.insert(moved);
        }
        assert_eq!(seen.len(), 6);
    }

    #[test]
    fn three_digits_of_zip_codes() {
        for (zip, area) in [
            ("98115", "981"),
            ("98115-1234", "981"),
            ("03601", "000"),
            ("2139", "021"),
            ("K1A 0B1", "000"),
            ("981151", "000"),
            ("89301", "000"),
        ] {
            assert_eq!(zip3(zip, ZipCensus::Of2020), area);
        }
        // Areas that have grown, and one that was not an area in 2000.
        for (zip, areas) in [("89045", ["000", "890"]), ("36901", ["369", "000"])] {
            let of = |census| zip3(zip, census);
            assert_eq!([ZipCensus::Of2000, ZipCensus::Of2010].map(of), areas);
        }
    }

    #[test]
    fn what_cannot_be_shifted_is_refused() {
        let key = SecretKey::fresh().unwrap();
        let error = rows(&[("name", "shift:30")], &key).unwrap_err();
        assert!(error.message.contains("values that are not dates"), "{error}");
        assert!(rows(&[("nobody", "initials")], &key).is_err());
    }
}
