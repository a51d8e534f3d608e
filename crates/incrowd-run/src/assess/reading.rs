//! What all that looks at files needs.

use incrowd_engine::{Control, Table};

use crate::spec::{AlgorithmSection, SpecFile};
use crate::{Error, Result, Source, read_table};

/// Ends what has been cancelled, before the next long step.
pub(super) fn go_on(control: &Control) -> Result<()> {
    if control.is_cancelled() { Err(Error::interrupted()) } else { Ok(()) }
}

/// Reads some columns of a source by their names.
pub(super) fn read_columns<'a>(
    source: &Source,
    names: impl IntoIterator<Item = &'a String>,
    control: &Control,
) -> Result<Table> {
    let places: Vec<usize> =
        names.into_iter().map(|name| source.place_of(name)).collect::<Result<_>>()?;
    read_table(source, Some(&places), control)
}

/// What a spec says of columns, for a method that takes all options about them; nothing is searched.
pub(super) fn evaluation_spec(spec: &SpecFile) -> SpecFile {
    let mut spec = spec.clone();
    spec.spec.algorithm =
        AlgorithmSection { method: "optimal".to_owned(), ..AlgorithmSection::default() };
    spec.spec.privacy.wildcards = false;
    spec
}
