//! The head's classes, split and merged again as the search goes down and up.

use crate::privacy::ClassTally;
use crate::space::cuts::CutSpace;

/// A cut: the value that the paper adds to a set, named by attribute and position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CutPosition {
    pub(super) axis: usize,
    pub(super) position: usize,
}

/// A class: a run of cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadClass {
    start: u32,
    end: u32,
    pub(super) size: u64,
    /// Whether it may be released. Nothing below the node can change that for one that may not.
    pub(super) passes: bool,
    /// The class that it was split from, whose run ends where its own starts.
    from: u32,
}

/// A class that more cuts induce inside a class.
pub(super) struct InducedClass<'a> {
    /// The class that it lies in.
    pub(super) class: usize,
    /// One of its cells, and that cell's values.
    pub(super) cell: u32,
    pub(super) values: &'a [u16],
    /// How many rows it has.
    pub(super) size: u64,
    /// For the classification metric, its rows of each class value.
    pub(super) labels: &'a [u32],
}

/// The classes that a growing and shrinking set of cuts induces.
///
/// Splitting a class keeps its lower part in place and appends the upper one, so the list is also the
/// paper's recovery stack: taking the last class off and merging it with the one it came from undoes the
/// last split.
pub(super) struct HeadClasses<'a> {
    pub(super) space: &'a CutSpace<'a>,
    /// The values of each cell, all attributes of a cell together.
    values: Vec<u16>,
    /// The cells, those of a class together.
    order: Vec<u32>,
    list: Vec<HeadClass>,
    /// For the classification metric, the rows of each class value, class by class.
    labels: Vec<u32>,
    tally: ClassTally,
    /// Room for sorting cells.
    keyed: Vec<(u64, u32)>,
}

impl<'a> HeadClasses<'a> {
    /// No cuts: one class.
    pub(super) fn new(space: &'a CutSpace<'a>) -> Self {
        let cells = space.cells();
        let values =
            (0..cells).flat_map(|cell| space.values.iter().map(move |axis| axis[cell])).collect();
        let mut classes = HeadClasses {
            space,
            values,
            order: (0..cells as u32).collect(),
            list: Vec::new(),
            labels: Vec::new(),
            tally: space.problem.targets.tally(),
            keyed: Vec::new(),
        };
        if cells > 0 {
            let size = space.problem.rows;
            let passes = classes.passes(0, cells, size);
            classes.list.push(HeadClass { start: 0, end: cells as u32, size, passes, from: 0 });
            classes.labels = classes.labels_of(0, cells);
        }
        classes
    }

    pub(super) fn list(&self) -> &[HeadClass] {
        &self.list
    }

    /// The values of a cell.
    pub(super) fn values(&self, cell: u32) -> &[u16] {
        let width = self.space.axes.len();
        &self.values[cell as usize * width..(cell as usize + 1) * width]
    }

    /// The cells of a class.
    pub(super) fn cells(&self, class: &HeadClass) -> &[u32] {
        &self.order[class.start as usize..class.end as usize]
    }

    /// The rows of each class value in a class.
    pub(super) fn labels(&self, class: usize) -> &[u32] {
        let width = self.space.class_values;
        &self.labels[class * width..(class + 1) * width]
    }

    /// How many rows stand in classes that fail.
    pub(super) fn suppressed(&self) -> u64 {
        self.list.iter().filter(|class| !class.passes).map(|class| class.size).sum()
    }

    fn labels_of(&self, start: usize, end: usize) -> Vec<u32> {
        let width = self.space.class_values;
        let mut labels = vec![0; width];
        for &cell in &self.order[start..end] {
            let counts = &self.space.class_counts[cell as usize * width..][..width];
            labels.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        labels
    }

    fn passes(&mut self, start: usize, end: usize, size: u64) -> bool {
        let privacy = &self.space.problem.privacy;
        if size < privacy.k || privacy.is_by_size() {
            return size >= privacy.k;
        }
        self.tally.clear();
        for &cell in &self.order[start..end] {
            self.space.tally(cell as usize, &mut self.tally);
        }
        privacy.passes(&self.tally)
    }

    /// Makes a cut: splits the classes that it goes through. Those that fail are let alone.
    pub(super) fn split(&mut self, cut: CutPosition) {
        self.split_and(cut, true);
    }

    /// The same; parts that are not judged count as passing.
    fn split_and(&mut self, cut: CutPosition, judge: bool) {
        let width = self.space.axes.len();
        for at in 0..self.list.len() {
            let HeadClass { start, end, size, passes, .. } = self.list[at];
            if !passes {
                continue;
            }
            let (mut middle, mut low) = (start as usize, 0);
            for place in start as usize..end as usize {
                let cell = self.order[place] as usize;
                if usize::from(self.values[cell * width + cut.axis]) < cut.position {
                    low += u64::from(self.space.counts[cell]);
                    self.order.swap(middle, place);
                    middle += 1;
                }
            }
            if middle == start as usize || middle == end as usize {
                continue;
            }
            let labels = self.labels_of(start as usize, middle);
            for (label, count) in labels.into_iter().enumerate() {
                let sum = &mut self.labels[at * self.space.class_values + label];
                let rest = std::mem::replace(sum, count) - count;
                self.labels.push(rest);
            }
            let mut lower = HeadClass { end: middle as u32, size: low, ..self.list[at] };
            let mut upper =
                HeadClass { start: middle as u32, end, size: size - low, passes, from: at as u32 };
            if judge {
                lower.passes = self.passes(start as usize, middle, lower.size);
                upper.passes = self.passes(middle, end as usize, upper.size);
            }
            self.list[at] = lower;
            self.list.push(upper);
        }
    }

    /// Undoes the splits since there were that many classes.
    pub(super) fn recover(&mut self, count: usize) {
        let width = self.space.class_values;
        while self.list.len() > count
            && let Some(upper) = self.list.pop()
        {
            let from = upper.from as usize;
            let class = &mut self.list[from];
            class.end = upper.end;
            class.size += upper.size;
            // Only classes that pass are split.
            class.passes = true;
            let rest = self.labels.split_off(self.list.len() * width);
            let labels = &mut self.labels[from * width..(from + 1) * width];
            labels.iter_mut().zip(rest).for_each(|(sum, count)| *sum += count);
        }
    }

    /// Calls with every class that more cuts induce inside the classes that pass, by splitting and
    /// recovering.
    pub(super) fn each_part_by_splitting(
        &mut self,
        cuts: &[CutPosition],
        mut call: impl FnMut(InducedClass<'_>),
    ) {
        let count = self.list.len();
        for &cut in cuts {
            self.split_and(cut, false);
        }
        let mut head: Vec<u32> = (0..count as u32).collect();
        for at in 0..self.list.len() {
            let class = self.list[at];
            if at >= count {
                head.push(head[class.from as usize]);
            }
            if class.passes {
                let cell = self.order[class.start as usize];
                call(InducedClass {
                    class: head[at] as usize,
                    cell,
                    values: self.values(cell),
                    size: class.size,
                    labels: self.labels(at),
                });
            }
        }
        self.recover(count);
    }

    /// The same by sorting the cells of each class. `keys` holds each value's share of a cell's key, the
    /// attributes one after the other as `starts` says; cells of one part have equal keys.
    pub(super) fn each_part_by_sorting(
        &mut self,
        keys: &[u64],
        starts: &[usize],
        mut call: impl FnMut(InducedClass<'_>),
    ) {
        let mut keyed = std::mem::take(&mut self.keyed);
        let width = self.space.class_values;
        let mut labels = vec![0; width];
        for at in 0..self.list.len() {
            let class = self.list[at];
            if !class.passes {
                continue;
            }
            keyed.clear();
            keyed.extend(self.cells(&class).iter().map(|&cell| {
                let values = self.values(cell).iter().zip(starts);
                (values.map(|(&value, start)| keys[start + usize::from(value)]).sum(), cell)
            }));
            keyed.sort_unstable_by_key(|keyed| keyed.0);
            for (place, &(_, cell)) in self.order[class.start as usize..].iter_mut().zip(&keyed) {
                *place = cell;
            }
            for part in keyed.chunk_by(|one, other| one.0 == other.0) {
                labels.fill(0);
                let mut size = 0;
                for &(_, cell) in part {
                    size += u64::from(self.space.counts[cell as usize]);
                    let counts = &self.space.class_counts[cell as usize * width..][..width];
                    labels.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                }
                let cell = part[0].1;
                call(InducedClass {
                    class: at,
                    cell,
                    values: self.values(cell),
                    size,
                    labels: &labels,
                });
            }
        }
        self.keyed = keyed;
    }
}
