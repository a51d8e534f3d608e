//! The cells of a sheet, as far as they are filled.

use std::path::Path;

use calamine::{Cell, CellType, Data, Reader as _};

use super::{WorkbookReader, damaged};
use crate::{Error, Result};

/// What a sheet can have at most.
const MOST_ROWS: u32 = 1_048_576;
const MOST_COLUMNS: u32 = 16_384;

/// Row and column of a cell, from 0.
pub(super) type CellAddress = (u32, u32);

/// The filled cells of a sheet, row by row. They may be anywhere: two cells in opposite corners span 2^34 cells, so the
/// area between them is never laid out.
pub(super) struct CellGrid {
    cells: Vec<(CellAddress, Data)>,
}

impl CellGrid {
    /// Reads a sheet. `refuse` is asked again and again whether the texts of the sheet have become too long: a file holds a
    /// text once that many cells show.
    pub(super) fn read(
        path: &Path,
        book: &mut WorkbookReader,
        name: &str,
        refuse: impl Fn(u64) -> Result<()>,
    ) -> Result<Self> {
        let mut filling = GridBuilder { cells: Vec::new(), texts: 0, refuse };
        match book {
            WorkbookReader::Xlsx(book) => {
                let mut reader = match book.worksheet_cells_reader(name) {
                    Err(calamine::XlsxError::NotAWorksheet(_)) => return filling.finish(path),
                    reader => reader.map_err(|e| damaged(path, &e))?,
                };
                while let Some(cell) = reader.next_cell().map_err(|e| damaged(path, &e))? {
                    filling.add(cell.get_position(), cell.get_value().clone().into())?;
                }
            }
            WorkbookReader::Xlsb(book) => {
                let reader = book.worksheet_cells_reader(name);
                let mut reader = reader.map_err(|e| damaged(path, &e))?;
                while let Some(cell) = reader.next_cell().map_err(|e| damaged(path, &e))? {
                    filling.add(cell.get_position(), cell.get_value().clone().into())?;
                }
            }
            // These have been laid out already, within bounds.
            WorkbookReader::Xls(_) | WorkbookReader::Ods(_) => {
                let range = book.worksheet_range(name).map_err(|e| damaged(path, &e))?;
                let (top, left) = range.start().unwrap_or_default();
                for (row, column, cell) in range.used_cells() {
                    filling.add((top + row as u32, left + column as u32), cell.clone())?;
                }
            }
        }
        filling.finish(path)
    }

    /// The rows with a filled cell, with their numbers, and the cells of each with their columns.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, &[(CellAddress, Data)])> {
        let rows = self.cells.chunk_by(|(one, _), (other, _)| one.0 == other.0);
        rows.filter_map(|row| Some((row.first()?.0.0, row)))
    }

    /// What stands in a cell, if anything does.
    pub(super) fn get(&self, place: CellAddress) -> Option<&Data> {
        let at = self.cells.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        self.cells.get(at).map(|(_, cell)| cell)
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &(CellAddress, Data)> {
        self.cells.iter()
    }
}

/// Cells on their way into a grid.
struct GridBuilder<F> {
    cells: Vec<(CellAddress, Data)>,
    /// The bytes of all texts.
    texts: u64,
    refuse: F,
}

impl<F: Fn(u64) -> Result<()>> GridBuilder<F> {
    fn add(&mut self, place: CellAddress, cell: Data) -> Result<()> {
        if let Data::String(text) = &cell {
            self.texts += text.len() as u64;
            (self.refuse)(self.texts)?;
        }
        if cell != Data::Empty {
            self.cells.push((place, cell));
        }
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Result<CellGrid> {
        let outside = |&&((row, column), _): &&(CellAddress, Data)| {
            row >= MOST_ROWS || column >= MOST_COLUMNS
        };
        if let Some((place, _)) = self.cells.iter().find(outside) {
            return Err(damaged(path, &format!("no sheet has a cell {}", cell_name(*place))));
        }
        // Of a cell that comes twice the last one counts.
        self.cells.reverse();
        self.cells.sort_by_key(|(place, _)| *place);
        self.cells.dedup_by_key(|(place, _)| *place);
        Ok(CellGrid { cells: self.cells })
    }
}

/// The places of a sheet that have a formula, in their order.
pub(super) fn formulas(book: &mut WorkbookReader, name: &str) -> Vec<CellAddress> {
    let mut places = Vec::new();
    // What cannot be read has no formula that could be told of; its values have been read without fault.
    match book {
        WorkbookReader::Xlsx(book) => {
            let Ok(mut reader) = book.worksheet_cells_reader(name) else { return places };
            while let Ok(Some(cell)) = reader.next_formula() {
                places.extend(place_of(&cell, |formula| !formula.is_empty()));
            }
        }
        WorkbookReader::Xlsb(book) => {
            let Ok(mut reader) = book.worksheet_cells_reader(name) else { return places };
            while let Ok(Some(cell)) = reader.next_formula() {
                places.extend(place_of(&cell, |formula| !formula.is_empty()));
            }
        }
        WorkbookReader::Xls(_) | WorkbookReader::Ods(_) => {
            let Ok(range) = book.worksheet_formula(name) else { return places };
            let (top, left) = range.start().unwrap_or_default();
            let used = range.used_cells().filter(|(_, _, formula)| !formula.is_empty());
            places.extend(used.map(|(row, column, _)| (top + row as u32, left + column as u32)));
        }
    }
    places.sort_unstable();
    places
}

fn place_of<T: CellType>(cell: &Cell<T>, counts: impl Fn(&T) -> bool) -> Option<CellAddress> {
    counts(cell.get_value()).then(|| cell.get_position())
}

/// A cell as people call it: `B7`.
pub(super) fn cell_name((row, column): CellAddress) -> String {
    let mut letters = Vec::new();
    let mut rest = u64::from(column) + 1;
    while rest > 0 {
        letters.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    let letters: String = letters.iter().rev().collect();
    format!("{letters}{}", u64::from(row) + 1)
}

/// A sheet that spans far more cells than it has.
pub(super) fn too_wide(path: &Path) -> Error {
    Error::new(format!("cannot read {}: its cells are too far apart for memory", path.display()))
        .help("delete cells far away from the table, or save the sheet as CSV")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_names_that_people_call_them_by() {
        for (at, name) in [
            ((0, 0), "A1"),
            ((6, 25), "Z7"),
            ((0, 26), "AA1"),
            ((9, 701), "ZZ10"),
            ((9, 702), "AAA10"),
            ((1_048_575, 16_383), "XFD1048576"),
        ] {
            assert_eq!(cell_name(at), name);
        }
    }
}
