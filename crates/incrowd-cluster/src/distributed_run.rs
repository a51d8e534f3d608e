//! A question put to a table of which only the columns are known.

use arrow_schema::{DataType, SchemaRef};
use incrowd_engine::Control;
use incrowd_engine::recoding::SavedTransform;
use incrowd_run::{
    ApplyOptions, Error, Job, Result, RunPlan, SpecFile,
    backend::{ImpliedColumns, SubjectComparison, treatments},
    data::{Source, arrow::readable},
    spec::{ReleaseSection, Role},
    treated,
};

use super::partial_counts::PartialCounts;
use super::reading_plan::ReadingPlan;
use super::table::{self, ClusterTable};
use super::transform_inputs::TransformInputs;

/// A question put to a table that lies elsewhere.
#[derive(Debug)]
pub struct DistributedRun {
    /// The spec; none where a saved recoding is applied.
    pub(super) file: Option<SpecFile>,
    /// The saved recoding, where nothing is searched for.
    pub(super) applied: Option<ApplyOptions>,
    pub(super) job: Job,
    /// The table's columns; there are no rows here.
    pub(super) source: Source,
    pub(super) schema: SchemaRef,
    /// How it is found out whether rows are people.
    pub(super) comparison: SubjectComparison,
    /// The columns that follow from quasi-identifiers, once it was asked.
    pub(super) implied: Option<ImpliedColumns>,
    /// The same by their names only, where somebody else has asked: they narrow classes, and judge nothing.
    pub(super) narrowing: Vec<String>,
}

impl DistributedRun {
    /// Resolves a spec against the columns of a table, whose treated columns have the values seen by `treating`. Columns
    /// of a type that cannot be read are refused where they are needed.
    pub fn new(mut file: SpecFile, schema: SchemaRef, treating: &TransformInputs) -> Result<Self> {
        let release = std::mem::take(&mut file.spec.release);
        // Whoever has the rows writes them.
        file.spec.release =
            ReleaseSection { output: None, recoding: None, report: None, ..release };
        let source = Source::from_batches("the table", schema.clone(), Vec::new(), None)?;
        let asked = treatments(&file.spec);
        let source = match asked.is_empty() {
            true => source,
            false => {
                let seen = treated(&file, treating.source(&schema)?)?;
                source.with_treatments(seen.treatments().to_vec())?
            }
        };
        let job = Job::new(&file, &source)?;
        Self::of_job(Some(file), None, job, source, schema)
    }

    /// A saved recoding put to a table of new rows.
    pub fn applying(options: ApplyOptions, schema: SchemaRef) -> Result<Self> {
        let source = Source::from_batches("the table", schema.clone(), Vec::new(), None)?;
        let source = options.treated(source)?;
        let job = options.job(&source)?;
        Self::of_job(None, Some(options), job, source, schema)
    }

    fn of_job(
        file: Option<SpecFile>,
        applied: Option<ApplyOptions>,
        job: Job,
        source: Source,
        schema: SchemaRef,
    ) -> Result<Self> {
        // Before anything is counted.
        let lacks = table::lacks(&job);
        RunPlan::new(&job, &source).refuse_before_counting(lacks.as_ref())?;
        // How many values columns have is not known yet.
        let comparison = SubjectComparison::widest(&job, &source)?;
        let narrowing = Vec::new();
        let implied = None;
        let apart =
            DistributedRun { file, applied, job, source, schema, comparison, implied, narrowing };
        let reading = apart.reading(1, usize::MAX);
        for name in reading.compared() {
            let place = apart.source.place_of(name)?;
            refuse_unreadable(&apart.schema, place)?;
        }
        Ok(apart)
    }

    /// The columns that follow from quasi-identifiers, by what was counted of all parts. If there are any, rows must be counted
    /// again, for classes are narrowed by them.
    pub fn implied(
        &mut self,
        reading: &ReadingPlan,
        counted: &PartialCounts,
        control: &Control,
    ) -> Result<Vec<String>> {
        let mut table = ClusterTable::new(reading, counted.clone(), &self.source, counted.rows())?;
        let found = RunPlan::new(&self.job, &self.source).implied(&mut table, control)?;
        let names = found.as_ref().map(ImpliedColumns::names).unwrap_or_default();
        if found.is_some() {
            self.implied = found;
        }
        Ok(names)
    }

    /// The same question where these columns were found to follow from quasi-identifiers.
    pub fn implying(&mut self, columns: &[String]) {
        self.narrowing = columns.to_vec();
    }

    /// The job with the columns that follow from quasi-identifiers.
    pub(super) fn narrowed(&self) -> Job {
        let found = self.implied.as_ref().map(ImpliedColumns::names);
        self.job.narrowed_by(found.as_ref().unwrap_or(&self.narrowing))
    }

    /// The spec that is run; none where a saved recoding is applied.
    pub fn file(&self) -> Option<&SpecFile> {
        self.file.as_ref()
    }

    /// The columns to read, by their names in the table.
    pub fn columns(&self) -> Vec<String> {
        let reading = self.reading(1, usize::MAX);
        let mut asked = reading.compared();
        asked.extend(reading.beside());
        let names = self.source.columns();
        let raw = self.schema.fields().iter().zip(names);
        raw.filter(|(_, name)| asked.contains(&name.as_str()))
            .map(|(field, _)| field.name().clone())
            .collect()
    }

    /// What goes to the rows to count them, in about so many parts and up to so many combinations.
    pub fn reading(&self, parts: u64, most: usize) -> ReadingPlan {
        let names = self.source.columns();
        let name = |at: &usize| names[*at].clone();
        let unchanged = self.job.columns.iter().filter(|(_, role)| *role != Role::Quasi);
        let is_readable = |at: &usize| readable(self.schema.field(*at).data_type());
        ReadingPlan {
            treatments: self.source.treatments().to_vec(),
            missing: self.job.missing.clone(),
            counted: self.narrowed().problem.columns(),
            quasi: self.job.problem.quasi.len(),
            unchanged: unchanged.map(|(at, _)| name(at)).collect(),
            watched: self.job.watched(&self.source).iter().map(name).collect(),
            // What cannot be read tells nobody apart.
            subjects: self
                .comparison
                .columns
                .iter()
                .filter(|at| is_readable(at))
                .map(name)
                .collect(),
            compared_by: self.comparison.compared.iter().map(name).collect(),
            untreated: self.comparison.untreated,
            parts,
            most,
            tells_null: false,
        }
    }

    /// How the columns are treated.
    pub fn treatments(&self) -> &[SavedTransform] {
        self.source.treatments()
    }
}

/// Refuses a column that has no plain text, and bytes: what they mean is not known.
fn refuse_unreadable(schema: &SchemaRef, at: usize) -> Result<()> {
    let field = schema.field(at);
    let what = match field.data_type() {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "bytes",
        DataType::FixedSizeBinary(_) => "bytes",
        data_type if readable(data_type) => return Ok(()),
        data_type if data_type.is_nested() => "nested values",
        _ => "values of an unsupported type",
    };
    Err(Error::new(format!("column {:?} holds {what} ({})", field.name(), field.data_type()))
        .help("leave it out as identifying, or convert it to plain columns first"))
}
