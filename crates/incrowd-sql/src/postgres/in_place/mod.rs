//! A table that stays in its database: combinations are counted there, the search is here, and rows are recoded there by a
//! join with temporary tables that are gone with the transaction. No row leaves.

mod evidence;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use crate::{RecodeStatement, key_expression, key_of, text_expression};
use incrowd_assess::bias::SuppressionEffect;
use incrowd_assess::expose::{Exposure, ExposureCollector, UnchangedColumn, value_hash};
use incrowd_assess::suppression::limits;
use incrowd_engine::search::RunPhase;
use incrowd_engine::value::BLANK;
use incrowd_engine::{Control, Event, Problem};
use incrowd_run::spec::{Role, SpecFile};
use incrowd_run::{
    Error, ErrorKind, Job, Result, RunPlan, RunReport,
    backend::{
        FinalRows, LabelPairs, ReadBack, ReleasePermit, ReleasePlan, SubjectComparison,
        SubjectEvidence, TableBackend, TableCounts,
    },
    data::{CsvEncoder, InputFormat, NULL, OutputFile, ReadOptions, Source, text_of_field},
    recode::{BLANK_CLASS, RecodedCombination, each_combination},
};
use incrowd_verify::Requirements;

use crate::postgres::appending;
use crate::postgres::connection::Connection;
use crate::postgres::error::write_failed;
use crate::postgres::release::{self, ReleasedColumn};
use crate::postgres::rows::{each_row, escape, rows_of};
use crate::postgres::table::{SourceTable, TargetTable, quote};

/// A row by chance: its class, its combination, and what the unchanged columns hold.
type SampledRow = (Option<u32>, u32, Vec<String>);

/// What unchanged columns tell of others is found from about so many rows.
const SAMPLE: u64 = 5_000;

/// Refuses what needs rows outside of the database.
pub(crate) fn refuse_treatments(file: &SpecFile) -> Result<()> {
    let mut columns = file.spec.columns.iter();
    match columns.find(|column| column.source.is_some() || !column.treatment().is_none()) {
        Some(column) => Err(treated(&column.name)),
        None => Ok(()),
    }
}

/// The refusal of a column that is not released as the table has it.
pub(crate) fn treated(column: &str) -> Error {
    Error::new(format!(
        "column `{column}` is masked, transformed or renamed, which needs its rows outside the \
         database"
    ))
    .help("do it in a view and name that as the table, or leave out --in-database")
    .of_check("back-end")
}

/// The columns of a table, without its rows.
pub(crate) fn header_only(table: &SourceTable) -> Result<Source> {
    let names = table.columns.iter().map(|column| column.name.as_str());
    let mut text = Vec::new();
    CsvEncoder::new(b',', table.columns.len())?.row(names, &mut text);
    let options = ReadOptions {
        format: Some(InputFormat::Csv),
        delimiter: Some(b','),
        ..ReadOptions::default()
    };
    Source::from_reader(&mut &text[..], &table.written, &options)
}

/// A table that stays where it is, in a transaction that sees one snapshot of it.
pub(crate) struct TableInPlace<'a> {
    connection: &'a mut Connection,
    table: &'a SourceTable,
    target: &'a TargetTable,
    columns: Vec<ReleasedColumn>,
    grant: &'a [String],
    /// The column that tells people apart.
    unit: Option<String>,
    /// What hashes of it are made with.
    salt: i64,
    /// The labels that the release shows, as columns.
    labels: Vec<String>,
    /// What tells people apart, where they are counted in a table of this session alone.
    hidden: Option<String>,
    exposure: Exposure,
    committed: bool,
}

impl<'a> TableInPlace<'a> {
    /// A table about to be released into another, with these columns as they are.
    pub(crate) fn new(
        connection: &'a mut Connection,
        table: &'a SourceTable,
        target: &'a TargetTable,
        columns: Vec<ReleasedColumn>,
        grant: &'a [String],
        job: &Job,
    ) -> Self {
        TableInPlace {
            connection,
            table,
            target,
            columns,
            grant,
            unit: job.problem.unit.as_ref().map(|unit| unit.name.clone()),
            salt: RandomState::new().hash_one(0) as i64,
            labels: Vec::new(),
            hidden: None,
            exposure: Exposure::default(),
            committed: false,
        }
    }
}

impl Drop for TableInPlace<'_> {
    fn drop(&mut self) {
        if !self.committed {
            self.connection.roll_back();
        }
    }
}

impl TableInPlace<'_> {
    /// A column as text; of the unit a hash of it, so that nobody is named on the way.
    fn text(&self, at: usize) -> String {
        let column = &self.table.columns[at];
        let text = text_expression(&column.name, column.r#type == "boolean");
        match self.unit.as_deref() == Some(column.name.trim()) {
            true => format!("(hashtextextended(btrim({text}), {})::text COLLATE \"C\")", self.salt),
            false => text,
        }
    }

    fn texts(&self, columns: &[usize]) -> Vec<String> {
        columns.iter().map(|&at| self.text(at)).collect()
    }

    fn from(&self) -> String {
        self.table.from()
    }
}

const MAP: &str = "pg_temp.incrowd_map";
const CLASSES: &str = "pg_temp.incrowd_classes";
const STAGE: &str = "\"pg_temp\".\"incrowd_stage\"";
const STAGE_NAME: &str = "incrowd_stage";

impl TableBackend for TableInPlace<'_> {
    fn lacks(&self, job: &Job) -> Option<Error> {
        if job.order == incrowd_run::data::Order::Kept {
            let error = Error::new("a table in a database has no order that could be kept");
            return Some(error.help("leave out --keep-order"));
        }
        if job.write_failing {
            return Some(release::no_failing_rows());
        }
        job.finishing.lacks("where rows stay in the database")
    }

    fn count(&mut self, plan: RunPlan<'_>, _: &Control) -> Result<TableCounts> {
        let asked = plan.job.problem.columns();
        let columns = asked.iter().map(|name| plan.source.place_of(name));
        let counts = self.counts(&columns.collect::<Result<Vec<_>>>()?)?;
        let watched = plan.job.watched(plan.source).into_iter().map(|at| self.values(at));
        let watched = watched.collect::<Result<_>>()?;
        let rows = counts.rows();
        Ok(TableCounts { counts, watched, rows })
    }

    fn subjects(
        &mut self,
        plan: RunPlan<'_>,
        comparison: &SubjectComparison,
        _: u64,
        _: &Control,
    ) -> Result<Vec<(usize, SubjectEvidence)>> {
        let mut found = Vec::new();
        for &at in &comparison.columns {
            found.push((at, self.alike(at, &comparison.compared, &plan.job.missing)?));
        }
        Ok(found)
    }

    fn rows_by_chance(
        &mut self,
        plan: RunPlan<'_>,
        known: &[usize],
        released: &[usize],
        _: &Control,
    ) -> Result<Option<incrowd_engine::Table>> {
        self.some_rows(plan, known, released).map(Some)
    }

    fn sample(&self) -> Option<&Source> {
        None
    }

    fn recode(
        &mut self,
        plan: &ReleasePlan<'_>,
        _: &Requirements,
        control: &Control,
    ) -> Result<LabelPairs> {
        control.tell(Event::Phase(RunPhase::Write));
        self.refuse_changes(plan)?;
        let dealt = plan.release.deals_rows();
        let asked = plan.job.problem.columns();
        let key_columns = if dealt { &asked[..] } else { &asked[..plan.problem.attributes.len()] };
        let places: Vec<usize> =
            key_columns.iter().map(|name| plan.source.place_of(name)).collect::<Result<_>>()?;
        let key = key_expression(&self.texts(&places));
        self.write_map(plan, key_columns.len())?;
        let names = self.write_classes(plan)?;

        self.labels = names.iter().map(|name| quote(name)).collect();
        let plain: Vec<(String, String)> = self
            .columns
            .iter()
            .map(|column| {
                let known = self.table.column(&column.name);
                let known = known.map_or(column.name.as_str(), |known| &known.name);
                (quote(&column.name), quote(known))
            })
            .collect();
        // In the order of the table, as everywhere.
        let columns = plan.released_names()?.into_iter().map(|name| {
            let kept = self.columns.iter().find(|column| column.name == name).cloned();
            kept.unwrap_or(ReleasedColumn { name, r#type: "text".to_owned() })
        });
        let columns: Vec<ReleasedColumn> = columns.collect();
        let from = self.from();
        self.hidden = self.unit.clone().filter(|unit| columns.iter().all(|it| it.name != *unit));
        let unit_name = self.hidden.as_deref().map(quote);
        let unit_text = match &self.hidden {
            Some(unit) => Some(self.text(plan.source.place_of(unit)?)),
            None => None,
        };
        let unit = unit_name.as_deref().zip(unit_text.as_deref());
        let recode = RecodeStatement {
            into: if unit.is_some() { STAGE } else { self.target.name.as_str() },
            labels: &self.labels,
            plain: &plain,
            unit,
            key: &key,
            dealt,
            from: &from,
            map: MAP,
            classes: CLASSES,
        };
        let connection = &mut *self.connection;
        release::create(connection, self.target, &columns, self.grant)?;
        if let Some(name) = &unit_name {
            // People are counted in a table of this session alone: what tells them apart never comes near the release.
            let stage = columns.iter().map(|it| format!("{} {}", quote(&it.name), it.r#type));
            let stage: Vec<String> = stage.chain([format!("{name} text")]).collect();
            let stage = stage.join(", ");
            connection.execute(
                "prepare the counting of people",
                &format!("CREATE TEMPORARY TABLE {STAGE_NAME} ({stage}) ON COMMIT DROP"),
            )?;
        }
        connection.execute("recode the rows", &recode.insert())?;
        if unit_name.is_some() {
            let released: Vec<String> = columns.iter().map(|it| quote(&it.name)).collect();
            let released = released.join(", ");
            connection.execute(
                "fill the table",
                &format!(
                    "INSERT INTO {} ({released}) SELECT {released} FROM {STAGE} ORDER BY gen_random_uuid()",
                    self.target.name
                ),
            )?;
        }
        let sample = match self.columns.is_empty() {
            true => Vec::new(),
            false => {
                let query =
                    RecodeStatement { unit: None, ..recode }.sample(one_of(plan), 2 * SAMPLE);
                self.sample(&query, plain.len())?
            }
        };
        self.exposure = self.exposure(plan, &sample)?;
        Ok(LabelPairs::of_release(plan.release))
    }

    fn finish(&mut self, _: &ReleasePlan<'_>, _: &Requirements, _: &Control) -> Result<FinalRows> {
        let exposure = std::mem::take(&mut self.exposure);
        Ok(FinalRows { exposure, ..FinalRows::default() })
    }

    fn stage(&mut self, _: &ReleasePlan<'_>, _: &Control) -> Result<bool> {
        // The table is there, for this transaction alone.
        Ok(true)
    }

    fn read_back(
        &mut self,
        plan: &ReleasePlan<'_>,
        requirements: &Requirements,
        control: &Control,
    ) -> Result<ReadBack> {
        control.tell(Event::Phase(RunPhase::Verify));
        let released = release::verify(self.connection, self.target, requirements)?;
        let mut same = released.rows == plan.release.rows();
        let verdict = match &self.hidden {
            None => released,
            Some(hidden) => {
                let staged = TargetTable {
                    name: STAGE.to_owned(),
                    written: STAGE_NAME.to_owned(),
                    replaces: None,
                    appends: None,
                };
                let mut counted = requirements.clone();
                counted.identifying.retain(|it| it != hidden);
                let mut verdict = release::verify(self.connection, &staged, &counted)?;
                same &= released.rows == verdict.rows && released.classes == verdict.classes;
                verdict.violations.extend(released.violations);
                verdict.holds = verdict.violations.is_empty();
                verdict
            }
        };
        if let Some(appended) = self.target.appends.as_ref().filter(|_| verdict.holds) {
            appending::add(appended, self.connection, requirements)?;
        }
        Ok(ReadBack { verdict, same: Some(same), formulas: false, singled_out: None })
    }

    fn suppression_effects(
        &mut self,
        plan: &ReleasePlan<'_>,
        _: &FinalRows,
        _: &Control,
    ) -> Result<Vec<SuppressionEffect>> {
        let lost = plan.release.lost(plan.problem);
        let mut found = Vec::new();
        if lost.dropped > 0 {
            let counted = plan.job.problem.columns();
            for column in self.columns.clone().iter().filter(|it| !counted.contains(&it.name)) {
                found.extend(self.effect(&column.name)?);
            }
        }
        let of = |name: &str| found.iter().find(|effect| effect.column == name).cloned();
        Ok(if lost.suppressed == 0 { Vec::new() } else { plan.effects_with(&lost, of) })
    }

    fn tell(&self, _: &Problem, report: RunReport) -> RunReport {
        RunReport { output: Some(PathBuf::from(&self.target.written)), ..report }
    }

    fn commit(&mut self, _: ReleasePermit, files: Vec<OutputFile>) -> Result<()> {
        self.connection.batch("clear up", &format!("DROP TABLE {MAP}, {CLASSES}"))?;
        self.committed = true;
        release::commit(self.connection, self.target)?;
        OutputFile::commit_all(files)
    }
}

/// Of how many rows one is looked at closely.
fn one_of(plan: &ReleasePlan<'_>) -> u64 {
    (plan.problem.rows / SAMPLE).max(1)
}

impl TableInPlace<'_> {
    /// Refuses to recode rows that are not those that were counted. A table is the same all through a transaction; a view
    /// of something else need not be.
    fn refuse_changes(&mut self, plan: &ReleasePlan<'_>) -> Result<()> {
        let from = self.from();
        let rows = self.connection.query(
            "count the rows",
            &format!("SELECT count(*) FROM {from}"),
            &[],
        )?;
        let rows = rows.first().map_or(0, |row| row.get::<_, i64>(0)) as u64;
        match rows == plan.counts.rows() {
            true => Ok(()),
            false => Err(Error::new(format!(
                "`{}` had {} rows when it was counted and has {rows} now",
                self.table.written,
                plan.counts.rows()
            ))
            .help(
                "nothing was made; run the command again when no other session writes to \
                   the table",
            )
            .of_kind(ErrorKind::TryAgain)),
        }
    }

    /// Fills the table with the key of each combination and the class that its rows go to.
    fn write_map(&mut self, plan: &ReleasePlan<'_>, width: usize) -> Result<()> {
        let connection = &mut *self.connection;
        connection.batch(
            "prepare the mapping",
            "CREATE TEMPORARY TABLE incrowd_map (key text COLLATE \"C\", first bigint, last bigint, class integer, \
             cell bigint) ON COMMIT DROP",
        )?;
        let copy = format!("COPY {MAP} (key, first, last, class, cell) FROM STDIN");
        connection.copy_in("write the mapping", &copy, |into| {
            let mut known: HashSet<String> = HashSet::new();
            let dealt = plan.release.deals_rows();
            let blank = plan.release.classes.len() as u32;
            let mut lines = String::new();
            let failed = |e: std::io::Error| write_failed("write the mapping", e);
            each_combination(plan.counts, plan.problem, plan.release, |combination| {
                let RecodedCombination { values, cell, classes } = combination;
                let key = key_of(values.iter().take(width).map(|value| text_of_field(value)));
                if !dealt && !known.insert(key.clone()) {
                    return Ok(());
                }
                let mut first = 1;
                for &(class, rows) in classes {
                    if let Some(class) = class {
                        let class = if class == BLANK_CLASS { blank } else { class };
                        escape(&key, &mut lines);
                        let last = first + rows - 1;
                        let cell = cell.map_or(-1, i64::from);
                        let _ = writeln!(lines, "\t{first}\t{last}\t{class}\t{cell}");
                    }
                    first += rows;
                }
                if lines.len() > 1 << 16 {
                    into.write_all(lines.as_bytes()).map_err(failed)?;
                    lines.clear();
                }
                Ok(())
            })?;
            into.write_all(lines.as_bytes()).map_err(failed)
        })?;
        connection.batch("look at the mapping", &format!("ANALYZE {MAP}"))
    }

    /// Fills the table with the labels of each class; the names of the columns that they go into.
    fn write_classes(&mut self, plan: &ReleasePlan<'_>) -> Result<Vec<String>> {
        let (problem, release) = (plan.problem, plan.release);
        let attributes = 0..problem.attributes.len();
        let names: Vec<String> =
            attributes.clone().flat_map(|at| release.names(at).to_vec()).collect();
        let taken = |name: &String| self.columns.iter().any(|column| column.name == *name);
        if let Some(name) = names.iter().find(|name| taken(name)) {
            return Err(Error::new(format!("the release would have two columns named `{name}`"))
                .help("rename the column, or use another summary than \"columns\""));
        }
        let columns: Vec<String> = (1..=names.len()).map(|at| format!("label{at} text")).collect();
        let connection = &mut *self.connection;
        connection.batch(
            "prepare the labels",
            &format!(
                "CREATE TEMPORARY TABLE incrowd_classes (class integer, {}) ON COMMIT DROP",
                columns.join(", ")
            ),
        )?;
        let copy = format!("COPY {CLASSES} FROM STDIN");
        connection.copy_in("write the labels", &copy, |into| {
            let mut lines = String::new();
            for class in release.classes.released() {
                let _ = write!(lines, "{class}");
                for at in attributes.clone() {
                    for field in &release.labels(at)[release.label_of(at, class as u32) as usize] {
                        lines.push('\t');
                        match text_of_field(field) {
                            Some(field) => escape(field, &mut lines),
                            None => lines.push_str(NULL),
                        }
                    }
                }
                lines.push('\n');
            }
            let _ = write!(lines, "{}", release.classes.len());
            for _ in &names {
                lines.push('\t');
                escape(BLANK, &mut lines);
            }
            lines.push('\n');
            into.write_all(lines.as_bytes()).map_err(|e| write_failed("write the labels", e))
        })?;
        connection.batch("look at the labels", &format!("ANALYZE {CLASSES}"))?;
        Ok(names)
    }

    /// How many rows the unchanged columns single out, each and together.
    fn unchanged(&mut self) -> Result<(Vec<UnchangedColumn>, Option<UnchangedColumn>)> {
        let plain: Vec<(String, String)> = self
            .columns
            .iter()
            .map(|column| {
                (
                    column.name.clone(),
                    format!("CAST({} AS text) COLLATE \"C\"", quote(&column.name)),
                )
            })
            .collect();
        let (target, labels) = (self.target.name.clone(), self.labels.clone());
        let mut alone = |by: &[&str]| -> Result<u64> {
            let places: Vec<String> = (1..=by.len()).map(|at| at.to_string()).collect();
            let query = format!(
                "SELECT count(*) FROM (SELECT {} FROM {target} GROUP BY {} HAVING count(*) = 1) AS s",
                by.join(", "),
                places.join(", ")
            );
            let rows = self.connection.query("count who stands alone", &query, &[])?;
            Ok(rows.first().map_or(0, |row| row.get::<_, i64>(0)) as u64)
        };
        let mut of = |column: String, texts: &[&str]| -> Result<UnchangedColumn> {
            let quasi: Vec<&str> =
                texts.iter().copied().chain(labels.iter().map(String::as_str)).collect();
            Ok(UnchangedColumn {
                column,
                unique_rows: alone(texts)?,
                unique_rows_with_quasi: alone(&quasi)?,
                estimated: false,
            })
        };
        let unchanged = plain
            .iter()
            .map(|(name, text)| of(name.clone(), &[text]))
            .collect::<Result<Vec<_>>>()?;
        let together = match plain.len() > 1 {
            true => {
                let names: Vec<&str> = plain.iter().map(|(name, _)| name.as_str()).collect();
                let texts: Vec<&str> = plain.iter().map(|(_, text)| text.as_str()).collect();
                Some(of(names.join(", "), &texts)?)
            }
            false => None,
        };
        Ok((unchanged, together))
    }

    /// Some rows by chance: the class, the cell, and what the unchanged columns hold.
    fn sample(&mut self, query: &str, width: usize) -> Result<Vec<SampledRow>> {
        let key = format!("{:016x}", RandomState::new().hash_one(self.salt));
        let blank = self.blank_class()?;
        let rows = self.connection.query("look at some rows", query, &[&key])?;
        Ok(rows
            .iter()
            .filter_map(|row| {
                let class = row.get::<_, i32>(0) as u32;
                let cell = u32::try_from(row.get::<_, i64>(1)).ok()?;
                let texts =
                    (0..width).map(|at| row.get::<_, Option<String>>(at + 2).unwrap_or_default());
                Some(((class != blank).then_some(class), cell, texts.collect()))
            })
            .collect())
    }

    /// What the unchanged columns give away.
    fn exposure(&mut self, plan: &ReleasePlan<'_>, sample: &[SampledRow]) -> Result<Exposure> {
        let unchanged = plan.job.columns.iter().filter(|(_, role)| *role != Role::Quasi);
        let names: Vec<String> =
            unchanged.map(|&(at, _)| plan.source.columns()[at].clone()).collect();
        if names.is_empty() {
            return Ok(Exposure::default());
        }
        let mut gathering = ExposureCollector::new(names, plan.problem.rows);
        for (class, cell, texts) in sample {
            let hashes: Vec<u64> = texts.iter().map(|text| value_hash(text)).collect();
            gathering.add(*class, &hashes);
            gathering.look(*class, *cell, None, texts.iter().map(String::as_str));
        }
        let looked_at = sample.len() as u64;
        let found = gathering.finish(plan.problem, plan.release);
        let (unchanged, together) = self.unchanged()?;
        let sampled = (looked_at < plan.release.rows()).then_some(looked_at);
        Ok(Exposure { unchanged, together, sampled, ..found })
    }

    /// What suppression does to a column that stays as it is; none where it has too many values to be told.
    fn effect(&mut self, column: &str) -> Result<Option<SuppressionEffect>> {
        let Some(known) = self.table.column(column) else { return Ok(None) };
        let text = text_expression(&known.name, known.r#type == "boolean");
        let (from, target) = (self.from(), self.target.name.clone());
        let most = limits::COUNTED + 1;
        let mut counted = |text: &str, from: &str| -> Result<Vec<(String, u64)>> {
            let query = format!("SELECT {text}, count(*) FROM {from} GROUP BY 1 LIMIT {most}");
            let mut values = Vec::new();
            self.connection.copy_out("count the values of a column", &rows_of(&query), |rows| {
                each_row(rows, |row| {
                    let count = row.get(1).and_then(|text| text.parse().ok()).unwrap_or(0);
                    values.push((row.first().cloned().unwrap_or_default(), count));
                    Ok(())
                })
            })?;
            Ok(values)
        };
        let before = counted(&text, &from)?;
        if before.len() == most {
            return Ok(None);
        }
        let after = counted(&text_expression(column, known.r#type == "boolean"), &target)?;
        let left = |value: &str| after.iter().find(|it| it.0 == value).map_or(0, |it| it.1);
        let values = before
            .iter()
            .map(|(value, rows)| (value.as_str(), *rows, rows.saturating_sub(left(value))));
        Ok(Some(SuppressionEffect::of(column, values)))
    }

    /// The number that stands for the class of blank rows.
    fn blank_class(&mut self) -> Result<u32> {
        let query = format!("SELECT max(class) FROM {CLASSES}");
        let rows = self.connection.query("look at the labels", &query, &[])?;
        Ok(rows.first().and_then(|row| row.get::<_, Option<i32>>(0)).unwrap_or(0) as u32)
    }
}
