//! What is wrong with released rows for which no original row is left.

use super::boxes::ReleasedBoxes;
use super::domain::Cover;
use super::kd_forest::KdForest;
use crate::collected_tables::CollectedTables;
use crate::original_rows::OriginalRows;
use crate::spelling::READABLE;
use crate::verdict::{
    ColumnValue, SHOWN, Violation, ViolationExample, ViolationKind, counted, shown, shown_rows,
};

/// All that is known about a release that could not be matched.
pub(super) struct UnmatchedRelease<'a> {
    pub(super) originals: &'a OriginalRows,
    pub(super) collected: &'a CollectedTables,
    pub(super) forest: &'a KdForest,
    pub(super) boxes: &'a ReleasedBoxes<'a>,
}

/// One violation for each kind of thing that is wrong.
pub(super) fn violations(case: &UnmatchedRelease<'_>, without: &[u64]) -> Vec<Violation> {
    let balance = case.rows_by_group();
    let mut found: Vec<Violation> = Vec::new();
    for (tuple, &lacking) in (0..).zip(without).filter(|&(_, &lacking)| lacking > 0) {
        let kind = case.kind(tuple, &balance);
        let at = found.iter().position(|violation| violation.kind == kind).unwrap_or_else(|| {
            found.push(Violation {
                kind,
                message: String::new(),
                column: None,
                classes: 0,
                rows: 0,
                examples: Vec::new(),
            });
            found.len() - 1
        });
        let violation = &mut found[at];
        violation.classes += 1;
        violation.rows += lacking;
        if violation.examples.len() < SHOWN {
            violation.examples.push(case.example(tuple, lacking, kind, &balance));
        }
    }
    for violation in &mut found {
        let (rows, one) = (counted(violation.rows, "row", "rows"), violation.rows == 1);
        let (hold, stand) = if one { ("holds", "stands") } else { ("hold", "stand") };
        violation.message = match violation.kind {
            ViolationKind::UnknownLabel => {
                format!(
                    "{rows} {hold} a label that cannot be read, so its truth is not decided. \
                     Readable are: {READABLE}"
                )
            }
            ViolationKind::UntruthfulValue => {
                format!("{rows} {hold} an untruthful value: it does not contain the original")
            }
            _ => {
                format!("{rows} {stand} for no original row: a changed value or an invented row")
            }
        };
    }
    found.sort_by_key(|violation| violation.kind);
    found
}

/// Released and original rows of each group.
type GroupBalance = Vec<(u64, u64)>;

impl UnmatchedRelease<'_> {
    fn rows_by_group(&self) -> GroupBalance {
        let mut balance = vec![(0, 0); self.originals.groups.len()];
        for tuple in 0..self.boxes.len() as u32 {
            balance[self.boxes.group(tuple) as usize].0 += self.boxes.count(tuple);
        }
        for original in 0..self.originals.originals.len() {
            let group = self.originals.originals.key(original)[0];
            balance[group as usize].1 += self.originals.originals.count(original);
        }
        balance
    }

    fn kind(&self, tuple: u32, balance: &GroupBalance) -> ViolationKind {
        let group = self.boxes.group(tuple);
        let sides: Vec<&Cover> = self.boxes.sides(tuple).collect();
        let (released, original) = balance[group as usize];
        if sides.iter().any(|side| !side.known) {
            ViolationKind::UnknownLabel
        } else if released <= original && !self.forest.any(group, &sides) {
            ViolationKind::UntruthfulValue
        } else {
            ViolationKind::InventedRow
        }
    }

    fn example(
        &self,
        tuple: u32,
        lacking: u64,
        kind: ViolationKind,
        balance: &GroupBalance,
    ) -> ViolationExample {
        let class = self.boxes.class(tuple);
        let group = self.boxes.group(tuple);
        let mut values = self.collected.class_values(class);
        let equal = self.equal_values(group);
        values.extend(equal.iter().cloned());
        let rows: Vec<u64> = self.originals.released.rows(tuple as usize).collect();
        let size = self.boxes.count(tuple);
        let reason = match kind {
            ViolationKind::UnknownLabel => self.unknown_labels(tuple),
            ViolationKind::UntruthfulValue => self.untruthful(tuple),
            _ => {
                let (released, original) = balance[group as usize];
                let too_many = released > original;
                let mut text = match (too_many, equal.is_empty()) {
                    (true, true) => format!(
                        "an invented row: rows released: {released}, in the original: {original}"
                    ),
                    (true, false) => format!(
                        "a changed value or an invented row: rows with {} released: {released}, \
                         in the original: {original}",
                        shown(&equal)
                    ),
                    (false, _) => "a changed or invented row: every original row that fits \
                                   is needed for another released row"
                        .to_owned(),
                };
                if too_many && let Some(nearest) = self.nearest(tuple, false) {
                    text += &format!("; {nearest}");
                }
                text
            }
        };
        let count = if lacking < size {
            format!("{lacking} of {}", shown_rows(&rows, size))
        } else {
            shown_rows(&rows, size)
        };
        let message = format!("{} ({count}): {reason}", shown(&values));
        let bare = format!("{count}: {}", self.bare_reason(tuple, kind));
        ViolationExample { values, size: lacking, measured: None, rows, message, bare }
    }

    /// What is wrong, without a value of anybody.
    fn bare_reason(&self, tuple: u32, kind: ViolationKind) -> String {
        let columns: Vec<String> = match kind {
            ViolationKind::UnknownLabel => {
                let sides = self.boxes.sides(tuple).zip(&self.originals.contained);
                let unknown = sides.filter(|(cover, _)| !cover.known);
                unknown.map(|(_, &at)| format!("`{}`", self.collected.quasi[at].name)).collect()
            }
            _ => Vec::new(),
        };
        match kind {
            ViolationKind::UnknownLabel => format!(
                "the label in column {} cannot be read; if it is one of a hierarchy, give that hierarchy",
                columns.join(", ")
            ),
            ViolationKind::UntruthfulValue => {
                let guessed = self.guessed_labels(tuple);
                format!("an untruthful value: no original row lies inside{guessed}")
            }
            _ => "a changed value or an invented row".to_owned(),
        }
    }

    fn unknown_labels(&self, tuple: u32) -> String {
        let class = self.boxes.class(tuple);
        let values = self.collected.class_values(class);
        let unknown = self.boxes.sides(tuple).zip(&self.originals.contained);
        let unknown = unknown.filter(|(cover, _)| !cover.known).map(|(_, &at)| {
            let name = &self.collected.quasi[at].name;
            let released: Vec<&str> = values
                .iter()
                .filter(|field| field.column == *name || is_bound(&field.column, name))
                .map(|field| field.value.as_str())
                .collect();
            format!(
                "`{}` in column `{name}` is neither an original value nor a readable \
                 label;\n  if it is a label of a hierarchy, give that hierarchy",
                released.join("` to `")
            )
        });
        unknown.collect::<Vec<_>>().join("; ")
    }

    fn untruthful(&self, tuple: u32) -> String {
        let group = self.boxes.group(tuple);
        let equal = self.equal_values(group);
        let mut text = if equal.is_empty() {
            "an untruthful value: no original row lies inside".to_owned()
        } else {
            format!("an untruthful value: no original row with {} lies inside", shown(&equal))
        };
        if let Some(nearest) = self.nearest(tuple, true) {
            text += &format!("; {nearest}");
        }
        if let Some(nearest) = self.nearest(tuple, false)
            && !text.contains(&nearest)
        {
            text += &format!("; or a changed value: {nearest}");
        }
        text + &self.guessed_labels(tuple)
    }

    /// Which labels were taken for those of another tool: a hierarchy may mean something else by them.
    fn guessed_labels(&self, tuple: u32) -> String {
        let sides = self.boxes.sides(tuple).zip(&self.originals.contained);
        let guessed = sides.filter_map(|(cover, &at)| {
            let name = &self.collected.quasi[at].name;
            let taken_for = cover.taken_for?;
            Some(format!(
                "; column `{name}` was read as {taken_for}: if this is a label of a hierarchy, give that hierarchy"
            ))
        });
        guessed.collect()
    }

    /// The original row that disagrees with a released one in the fewest columns, in words. A look
    /// at all of them: it is done for the few rows that are shown.
    fn nearest(&self, tuple: u32, same_group: bool) -> Option<String> {
        let group = self.boxes.group(tuple);
        let group_key = self.originals.groups.key(group as usize);
        let sides: Vec<&Cover> = self.boxes.sides(tuple).collect();
        let distance = |point: u32| {
            let original = self.originals.originals.key(self.forest.tuple[point as usize] as usize);
            let other_key = self.originals.groups.key(original[0] as usize);
            let outside = self.forest.ranks(point).iter().zip(&sides);
            let outside = outside.filter(|(rank, side)| !side.contains(**rank)).count();
            let different = group_key.iter().zip(other_key).filter(|(a, b)| a != b).count();
            outside + different
        };
        let (_, Some(row), point) = (0..self.forest.tuple.len() as u32)
            .filter_map(|point| {
                let original = self.forest.tuple[point as usize] as usize;
                let same = self.originals.originals.key(original)[0] == group;
                (same || !same_group).then(|| {
                    (distance(point), self.originals.originals.rows(original).next(), point)
                })
            })
            .min()?
        else {
            return None;
        };
        let original = self.originals.originals.key(self.forest.tuple[point as usize] as usize);
        let mut differs: Vec<ColumnValue> = Vec::new();
        for (dim, (side, rank)) in sides.iter().zip(self.forest.ranks(point)).enumerate() {
            if !side.contains(*rank) {
                let value = self.originals.originals_of[dim].get(original[dim + 1]).to_owned();
                let column = self.collected.quasi[self.originals.contained[dim]].name.clone();
                differs.push(ColumnValue { column, value });
            }
        }
        let other = self.equal_values(original[0]);
        let changed = self.equal_values(group).into_iter().zip(other);
        differs.extend(changed.filter(|(a, b)| a != b).map(|(_, b)| b));
        if differs.is_empty() {
            return Some(format!("the original row {row} is already taken"));
        }
        Some(format!("the nearest original row {row} has {}", shown(&differs)))
    }

    /// The values of a group in the columns that must be equal.
    fn equal_values(&self, group: u32) -> Vec<ColumnValue> {
        let key = self.originals.groups.key(group as usize);
        let fields = self.originals.equal.iter().zip(key).map(|(&at, &code)| {
            let column = &self.collected.values[at];
            ColumnValue { column: column.name.clone(), value: column.values.get(code).to_owned() }
        });
        fields.collect()
    }
}

fn is_bound(column: &str, name: &str) -> bool {
    column.strip_prefix(name).is_some_and(|rest| rest == "_min" || rest == "_max")
}
