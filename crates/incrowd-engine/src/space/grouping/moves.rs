//! What a move changes: worked out without making it, then made.

use super::change::{ClassChange, GroupingChange, NEW};
use super::context::{GroupingContext, ValueMove};
use super::cost_meter::GroupingScore;
use super::state::{GroupingClass, GroupingState};

impl GroupingState<'_, '_> {
    /// Works out how good the grouping would be if values of an axis went to other slots. Nothing changes
    /// until [`GroupingState::accept`].
    pub(crate) fn propose(&mut self, axis: usize, moves: &[ValueMove]) -> GroupingScore {
        let mut change = std::mem::take(&mut self.change);
        let slots = &self.groups[axis];
        change.axis = axis;
        change.moves.clear();
        change.moves.extend_from_slice(moves);
        change.moves.retain(|&(value, slot)| slots[usize::from(value)] != slot);
        change
            .moves
            .sort_unstable_by_key(|&(value, slot)| (slots[usize::from(value)], slot, value));
        change.flows.clear();
        let mut before = None;
        for (at, &(value, slot)) in change.moves.iter().enumerate() {
            let flow = Some((slots[usize::from(value)], slot));
            if flow != before {
                change.flows.push(at);
                before = flow;
            }
        }
        change.altered.clear();
        change.gains.clear();
        change.fresh.clear();
        change.touch.resize(self.classes.len(), (0, 0));
        change.alter.resize(self.classes.len(), (0, 0));
        change.time += 1;
        let started = change.time;
        for flow in 0..change.flows.len() {
            self.gather(&mut change, flow);
            self.send(&mut change, flow, started);
        }
        self.add_up(&mut change);
        self.change = change;
        self.frame.meter.standing(&self.change.sums)
    }

    /// Finds the classes that a flow takes rows from.
    fn gather(&self, change: &mut GroupingChange, flow: usize) {
        let GroupingContext { grid, lists, labels, width, .. } = self.frame;
        change.time += 1;
        let time = change.time;
        change.touched.clear();
        change.leaving.clear();
        let range = change.flow(flow);
        for &(value, _) in &change.moves[range] {
            for &cell in lists[change.axis].of(usize::from(value)) {
                let class = self.class_of[cell as usize];
                let touch = &mut change.touch[class as usize];
                if touch.0 != time {
                    *touch = (time, change.touched.len() as u32);
                    change.touched.push((class, 0));
                    change.leaving.resize(change.leaving.len() + width, 0);
                }
                let at = touch.1 as usize;
                change.touched[at].1 += u64::from(grid.counts[cell as usize]);
                if *width > 0 {
                    let leaving = &mut change.leaving[at * width..(at + 1) * width];
                    for &(label, rows) in labels.of(cell as usize) {
                        leaving[label as usize] += rows;
                    }
                }
            }
        }
    }

    /// Moves the rows of a flow from the classes that it touches to those that it leads to.
    fn send(&self, change: &mut GroupingChange, flow: usize, started: u64) {
        let marks = &self.frame.marks[change.axis];
        let (value, to) = change.moves[change.flows[flow]];
        let from = self.groups[change.axis][usize::from(value)];
        let step = marks[usize::from(to)].wrapping_sub(marks[usize::from(from)]);
        for at in 0..change.touched.len() {
            let (class, rows) = change.touched[at];
            let name = self.classes[class as usize].name;
            let place = change.place(
                class,
                ClassChange::of(class, name, class, from),
                started,
                self.frame.width,
            );
            change.alter_by(place, at, -1, rows, self.frame.width);
            let name = name.wrapping_add(step);
            let known = self.index.find(name, |&other| self.classes[other as usize].name == name);
            let target = known.copied().unwrap_or(NEW);
            let place = change.place(
                target,
                ClassChange::of(target, name, class, to),
                started,
                self.frame.width,
            );
            change.alter_by(place, at, 1, rows, self.frame.width);
        }
    }

    /// Works out the sums.
    fn add_up(&mut self, change: &mut GroupingChange) {
        let GroupingChange { axis, moves, altered, gains, slots, sums, histogram, .. } = change;
        let (axis, axes) = (*axis, self.groups.len());
        let frame = self.frame;
        let (meter, width) = (&frame.meter, frame.width);
        sums.clone_from(&self.sums);
        slots.clear();
        for &(value, to) in moves.iter() {
            for slot in [self.groups[axis][usize::from(value)], to] {
                if slots.iter().all(|known| known.0 != slot) {
                    slots.push((slot, self.price_of(axis, slot, moves), 0));
                }
            }
        }
        histogram.resize(width, 0);
        for (at, altered) in altered.iter_mut().enumerate() {
            let (mut size, mut released) = (0, 0i64);
            histogram.fill(0);
            if altered.class != NEW {
                let class = &self.classes[altered.class as usize];
                let place = altered.class as usize * width;
                histogram.copy_from_slice(&self.histograms[place..place + width]);
                size = class.size;
                if class.passes {
                    released -= size as i64;
                    sums.classes -= 1;
                    sums.crowd -= meter.crowd(size, frame.majority(histogram));
                } else {
                    sums.suppressed -= size;
                }
            }
            size = size.wrapping_add_signed(altered.rows);
            for (held, gain) in histogram.iter_mut().zip(&gains[at * width..(at + 1) * width]) {
                *held = held.wrapping_add_signed(*gain);
            }
            altered.passes = size > 0 && frame.passes(size, histogram, &mut self.tally);
            if altered.passes {
                released += size as i64;
                sums.classes += 1;
                sums.crowd += meter.crowd(size, frame.majority(histogram));
            } else {
                sums.suppressed += size;
            }
            altered.released = released;
            if released == 0 {
                continue;
            }
            if let Some(slot) = slots.iter_mut().find(|slot| slot.0 == altered.slot) {
                slot.2 += released;
            }
            if meter.looks_at_groups() {
                let place = altered.like as usize * axes;
                let others = self.class_slots[place..place + axes].iter().enumerate();
                for (other, &slot) in others.filter(|(other, _)| *other != axis) {
                    let price = self.slots[other][usize::from(slot)].price;
                    let width = &mut sums.widths[other];
                    *width = width.wrapping_add_signed(price as i64 * released);
                }
            }
        }
        for &(slot, price, gain) in slots.iter() {
            let before = &self.slots[axis][usize::from(slot)];
            let rows = before.released.wrapping_add_signed(gain);
            sums.widths[axis] = sums.widths[axis] + rows * price - before.released * before.price;
        }
    }

    /// Makes the change that was proposed last.
    pub(crate) fn accept(&mut self) {
        let mut change = std::mem::take(&mut self.change);
        let (axis, axes, width) = (change.axis, self.groups.len(), self.frame.width);
        for altered in change.altered.iter_mut().filter(|altered| altered.class == NEW) {
            altered.class = self.found(altered, axis);
        }
        self.relabel(&mut change);
        for (at, altered) in change.altered.iter().enumerate() {
            let class = altered.class as usize;
            let held = &mut self.classes[class];
            held.size = held.size.wrapping_add_signed(altered.rows);
            held.passes = altered.passes;
            let empty = held.size == 0;
            let gains = &change.gains[at * width..(at + 1) * width];
            let histogram = &mut self.histograms[class * width..(class + 1) * width];
            for (held, gain) in histogram.iter_mut().zip(gains) {
                *held = held.wrapping_add_signed(*gain);
            }
            for other in 0..axes {
                let slot = usize::from(self.class_slots[class * axes + other]);
                let released = &mut self.slots[other][slot].released;
                *released = released.wrapping_add_signed(altered.released);
            }
            if empty {
                let name = altered.name;
                let entry = self.index.find_entry(name, |&other| other == altered.class);
                if let Ok(entry) = entry {
                    entry.remove();
                }
                self.free.push(altered.class);
            }
        }
        for &(value, to) in &change.moves {
            let slot = &mut self.groups[axis][usize::from(value)];
            self.slots[axis][usize::from(*slot)].values -= 1;
            self.slots[axis][usize::from(to)].values += 1;
            *slot = to;
        }
        for &(slot, price, _) in &change.slots {
            self.slots[axis][usize::from(slot)].price = price;
        }
        std::mem::swap(&mut self.sums, &mut change.sums);
        change.moves.clear();
        change.flows.clear();
        change.altered.clear();
        self.change = change;
    }

    /// A new class, empty as yet.
    fn found(&mut self, altered: &ClassChange, axis: usize) -> u32 {
        let (axes, width) = (self.groups.len(), self.frame.width);
        let class = self.free.pop().unwrap_or_else(|| {
            self.histograms.resize(self.histograms.len() + width, 0);
            self.class_slots.resize(self.class_slots.len() + axes, 0);
            self.classes.push(GroupingClass { name: 0, size: 0, passes: false });
            self.classes.len() as u32 - 1
        });
        self.classes[class as usize] = GroupingClass { name: altered.name, size: 0, passes: false };
        let (place, like) = (class as usize * axes, altered.like as usize * axes);
        self.class_slots.copy_within(like..like + axes, place);
        self.class_slots[place + axis] = altered.slot;
        let classes = &self.classes;
        self.index.insert_unique(altered.name, class, |&class| classes[class as usize].name);
        class
    }

    /// Puts the cells that move into their new classes.
    fn relabel(&mut self, change: &mut GroupingChange) {
        change.touch.resize(self.classes.len(), (0, 0));
        for flow in 0..change.flows.len() {
            change.time += 1;
            let marks = &self.frame.marks[change.axis];
            let (value, to) = change.moves[change.flows[flow]];
            let from = self.groups[change.axis][usize::from(value)];
            let step = marks[usize::from(to)].wrapping_sub(marks[usize::from(from)]);
            let range = change.flow(flow);
            for &(value, _) in &change.moves[range] {
                for &cell in self.frame.lists[change.axis].of(usize::from(value)) {
                    let class = self.class_of[cell as usize];
                    let touch = &mut change.touch[class as usize];
                    if touch.0 != change.time {
                        let name = self.classes[class as usize].name.wrapping_add(step);
                        let same = |&other: &u32| self.classes[other as usize].name == name;
                        let target = self.index.find(name, same).copied().unwrap_or(class);
                        *touch = (change.time, target);
                    }
                    self.class_of[cell as usize] = touch.1;
                }
            }
        }
    }
}
