//! The options that say what is done to columns as they are read.

use clap::Args;
use incrowd_engine::value::{ColumnTransform, Decimal};
use incrowd_run::spec::{
    ColumnSection, DateFormats, DatePeriod, MaskMethod, ROW, Role, Spec, parse_age_day,
    parse_assignment, parse_exact,
};
use incrowd_run::{Error, FinishingPlan, Result, TransformRequest};

/// What becomes of columns that are no quasi-identifiers, and of rows that belong together.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct FinishingArgs {
    /// Replace values: pseudonym, last:4, initials, shift:365, fixed:TEXT, drop.
    #[arg(long, value_name = "COLUMN=HOW", help_heading = "Columns", hide = true)]
    pub(crate) treat: Vec<String>,
    /// Release a column as the values that belong to the groups of a quasi-identifier.
    #[arg(long, value_name = "COLUMN=QUASI", help_heading = "Columns", hide = true)]
    pub(crate) follows: Vec<String>,
    /// Released columns by which k must hold, too.
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        help_heading = "Columns",
        hide = true
    )]
    pub(crate) narrowing: Vec<String>,
    /// Released columns may tell which rows are of one unit: k units then share all of their rows.
    #[arg(long, help_heading = "Columns", hide = true)]
    pub(crate) linked: bool,
    /// All rows of a unit are in one class: whoever knows several of them learns no more than from one.
    #[arg(long, help_heading = "Columns", hide = true)]
    pub(crate) same_box: bool,
}

impl FinishingArgs {
    /// What is asked for, for a release whose units are told apart so.
    pub(crate) fn finishing(&self, unit: Option<&str>) -> Result<FinishingPlan> {
        let mut finishing = FinishingPlan::default();
        for text in &self.treat {
            let (column, how) = parse_assignment(text)?;
            finishing.treated.push((column, how.parse()?));
        }
        for text in &self.follows {
            finishing.follows.push(parse_assignment(text)?);
        }
        finishing.narrowing.clone_from(&self.narrowing);
        if self.linked {
            let unit = unit.filter(|unit| *unit != ROW).ok_or_else(|| {
                Error::new("rows are linked by their unit, and there is none")
                    .help("name the column that tells people apart: --unit patient")
            })?;
            finishing.linked = Some(unit.to_owned());
        }
        Ok(finishing)
    }

    /// The same in a spec; a column that has no role yet is plain.
    pub(crate) fn write_into(&self, spec: &mut Spec) -> Result<()> {
        let asked = self.finishing(spec.privacy.unit.as_deref())?;
        let mut column = |name: &str| {
            let at = spec.columns.iter().position(|column| column.name == name);
            at.unwrap_or_else(|| {
                spec.columns.push(ColumnSection::new(name, Role::Plain));
                spec.columns.len() - 1
            })
        };
        let treated: Vec<(usize, MaskMethod)> =
            asked.treated.into_iter().map(|(name, treat)| (column(&name), treat)).collect();
        let follows: Vec<(usize, String)> =
            asked.follows.into_iter().map(|(name, other)| (column(&name), other)).collect();
        let narrowing: Vec<usize> = asked.narrowing.iter().map(|name| column(name)).collect();
        for (at, treat) in treated {
            spec.columns[at].treat = Some(treat);
        }
        for (at, other) in follows {
            spec.columns[at].follows = Some(other);
        }
        for at in narrowing {
            spec.columns[at].narrowing = true;
        }
        spec.privacy.linked |= self.linked;
        spec.privacy.same_box |= self.same_box;
        Ok(())
    }
}

/// What is done to each value of a column, whatever its role, before anything else sees it.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct TransformArgs {
    /// Put numbers between breaks: <0, [0-17], [18-64], 65+.
    #[arg(long, value_name = "COLUMN=0,18,65", help_heading = "Columns as they are read")]
    pub(crate) breaks: Vec<String>,
    /// Release numbers from this one on as 90+.
    #[arg(long, value_name = "COLUMN=90", help_heading = "Columns as they are read")]
    pub(crate) top: Vec<String>,
    /// Release numbers up to this one as <=18.
    #[arg(long, value_name = "COLUMN=18", help_heading = "Columns as they are read")]
    pub(crate) bottom: Vec<String>,
    /// Round numbers to the nearest multiple.
    #[arg(long, value_name = "COLUMN=100", help_heading = "Columns as they are read")]
    pub(crate) round: Vec<String>,
    /// Keep so many characters of a code, such as 3 of a ZIP code.
    #[arg(long, value_name = "COLUMN=3", help_heading = "Columns as they are read")]
    pub(crate) keep_prefix: Vec<String>,
    /// Release the age on a day in place of a birth date.
    #[arg(long, value_name = "COLUMN=2026-01-01", help_heading = "Columns as they are read")]
    pub(crate) age_at: Vec<String>,
    /// Release the hour, day, week, month, ..., decade of a date.
    #[arg(long, value_name = "COLUMN=month", help_heading = "Columns as they are read")]
    pub(crate) date_unit: Vec<String>,
    /// Give a column another name in the release.
    #[arg(long, value_name = "COLUMN=NAME", help_heading = "Columns as they are read")]
    pub(crate) rename: Vec<String>,
}

impl TransformArgs {
    /// What is asked of each column. `--top 20`, without a column, is the business of a method.
    pub(crate) fn columns(
        &self,
        decimal: Option<char>,
        dates: &DateFormats,
    ) -> Result<Vec<TransformRequest>> {
        let mut asked: Vec<TransformRequest> = Vec::new();
        for text in &self.breaks {
            let (column, breaks) = parse_assignment(text)?;
            let breaks = breaks.split(',').map(|text| parse_exact(text.trim()));
            of(&mut asked, column).treatment.breaks = breaks.collect::<Result<_>>()?;
        }
        let mut each = |option: &str, texts: &[String], set: fn(&mut ColumnTransform, Decimal)| {
            for text in texts {
                let (column, number) = parse_assignment(text).map_err(|error| {
                    error.help(format!("write the column and a number: {option} age=90"))
                })?;
                set(&mut of(&mut asked, column).treatment, parse_exact(&number)?);
            }
            Ok::<(), Error>(())
        };
        let top: Vec<String> = self.top.iter().filter(|text| text.contains('=')).cloned().collect();
        each("--top", &top, |treatment, number| treatment.top = Some(number))?;
        each("--bottom", &self.bottom, |treatment, number| treatment.bottom = Some(number))?;
        each("--round", &self.round, |treatment, number| treatment.round = Some(number))?;
        for text in &self.keep_prefix {
            let (column, kept) = parse_assignment(text)?;
            let number = kept.parse().map_err(|_| {
                Error::new(format!("`{kept}` is not a number of characters"))
                    .help("write a whole number: --keep-prefix zip=3")
            })?;
            of(&mut asked, column).treatment.keep_prefix = Some(number);
        }
        for text in &self.age_at {
            let (column, day) = parse_assignment(text)?;
            of(&mut asked, column).treatment.age_at = Some(parse_age_day(&day)?);
        }
        for text in &self.date_unit {
            let (column, unit) = parse_assignment(text)?;
            let unit: DatePeriod = unit.parse()?;
            of(&mut asked, column).treatment.date_unit = Some(unit.into());
        }
        for text in &self.rename {
            let (column, name) = parse_assignment(text)?;
            of(&mut asked, column).rename = Some(name);
        }
        for ask in &mut asked {
            ask.decimal = decimal;
            ask.treatment = dates.treatment(&ask.column, std::mem::take(&mut ask.treatment));
        }
        for ask in &asked {
            ask.treatment.check(&ask.column)?;
        }
        Ok(asked)
    }

    /// The `--top` of a method: a number without a column.
    pub(crate) fn top_of_method(&self) -> Option<&str> {
        self.top.iter().map(String::as_str).find(|text| !text.contains('='))
    }

    /// Writes what is asked of columns into a spec. A column that nothing else names is released as it is.
    pub(crate) fn write_into(&self, spec: &mut Spec) -> Result<()> {
        for ask in self.columns(None, &DateFormats::default())? {
            if spec.column(&ask.column).is_none() {
                spec.columns.push(ColumnSection::new(&ask.column, incrowd_run::spec::Role::Plain));
            }
            if let Some(column) = spec.columns.iter_mut().find(|known| known.name == ask.column) {
                let ColumnTransform {
                    round,
                    breaks,
                    top,
                    bottom,
                    keep_prefix,
                    age_at,
                    date_unit,
                    ..
                } = ask.treatment;
                column.round = round;
                column.breaks = breaks;
                column.top = top;
                column.bottom = bottom;
                column.keep_prefix = keep_prefix;
                column.age_at = age_at;
                column.date_unit = date_unit.map(Into::into);
            }
            if let Some(name) = &ask.rename {
                spec.rename(&ask.column, name);
            }
        }
        Ok(())
    }
}

/// What is asked of a column so far.
fn of(asked: &mut Vec<TransformRequest>, column: String) -> &mut TransformRequest {
    let at = asked.iter().position(|ask| ask.column == column).unwrap_or_else(|| {
        let treatment = ColumnTransform::default();
        asked.push(TransformRequest { column, treatment, rename: None, decimal: None });
        asked.len() - 1
    });
    &mut asked[at]
}
