//! Which columns a release has, and what it takes to make them.

use crate::count::build_problem::{among, places};
use crate::recode::pass::OutputColumn;
use crate::recode::release_plan::ReleasePlan;
use crate::spec::Role;
use crate::{ColumnType, Error, Result, TableLayout};

/// The columns of a release.
pub struct ReleasedColumns {
    /// The columns to read: the problem's (quasi-identifiers, then targets), then the others that are released.
    pub read: Vec<usize>,
    /// The columns, in their order.
    pub columns: Vec<OutputColumn>,
    /// Their names and types.
    pub layout: TableLayout,
    /// Among the columns read, what tells people apart and is not released.
    pub unit: Option<usize>,
}

impl ReleasePlan<'_> {
    /// The names of the released columns, in order.
    pub fn released_names(&self) -> Result<Vec<String>> {
        Ok(self.columns()?.layout.names)
    }

    /// The columns of the release, and which of the table's it takes to make them.
    pub fn columns(&self) -> Result<ReleasedColumns> {
        let ReleasePlan { job, source, problem, release, .. } = *self;
        let mut read = places(source, &job.problem.columns())?;
        let mut place_of = among(&read, source);
        let mut columns = Vec::new();
        let mut layout = TableLayout::text(Vec::<String>::new());
        layout.delimiter = job.delimiter.unwrap_or(b',');
        let types = source.types();
        for &(at, role) in &job.columns {
            let name = &source.columns()[at];
            if role == Role::Quasi
                && let Some(attribute) = problem.attributes.iter().position(|a| a.name == *name)
            {
                columns.push(OutputColumn::Quasi(attribute));
                layout.names.extend_from_slice(release.names(attribute));
                // Labels of categories are categories.
                let category = types.get(at) == Some(&ColumnType::Category);
                let r#type = if category { ColumnType::Category } else { ColumnType::Text };
                layout.types.resize(layout.names.len(), r#type);
                continue;
            }
            let place = *place_of[at].get_or_insert_with(|| {
                read.push(at);
                read.len() - 1
            });
            columns.push(OutputColumn::Plain(place));
            layout.names.push(name.clone());
            layout.types.push(source.released_type(at));
        }
        check_names(&layout.names)?;
        // What tells people apart goes with each row to its place in the release, for the verifier's eyes only.
        let unit = problem.privacy.unit().map(|at| problem.attributes.len() + at);
        let unit = unit.filter(|&place| !columns.contains(&OutputColumn::Plain(place)));
        Ok(ReleasedColumns { read, columns, layout, unit })
    }
}

/// Two released columns can come to share a name: `age` in two columns beside an `age_min`.
fn check_names(names: &[String]) -> Result<()> {
    match incrowd_data::first_repeated(names) {
        None => Ok(()),
        Some((_, at)) => {
            Err(Error::new(format!("the release would have two columns named `{}`", names[at]))
                .help("rename the column, or use another summary than \"columns\""))
        }
    }
}
