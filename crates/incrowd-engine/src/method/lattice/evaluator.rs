//! What a node is worth: which classes pass, how many rows are suppressed, what it costs.

use super::frequencies::{ClassKeyField, ClassKeyLayout, FrequencySet, RelevantLabels};
use super::levels::GeneralizationLattice;
use super::price::{BoxSuppression, NodePricing};
use crate::cost::Metric;
use crate::privacy::ClassTally;
use crate::release::ClassSelection;

/// What a node is worth.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeMeasure {
    /// Rows in classes that fail, and rows set aside.
    pub(super) suppressed: u64,
    /// Those of them that fail in every more specific node too.
    pub(super) lost: u64,
    /// Classes that pass.
    pub(super) classes: u64,
    /// What the release costs; infinite if the metric does not apply to it.
    pub(super) cost: f64,
}

/// Prices nodes of a lattice under a metric and says which of them are solutions.
#[derive(Debug)]
pub(super) struct NodeEvaluator<'a> {
    pub(super) lattice: &'a GeneralizationLattice<'a>,
    /// The least class size.
    pub(super) k: u64,
    /// The most rows that may be suppressed.
    pub(super) limit: u64,
    price: NodePricing,
    /// By attribute and level how general it is.
    generality: Vec<Vec<f64>>,
    /// The same in bits.
    bits: Vec<Vec<f64>>,
    /// The labels that matter.
    pub(super) relevant: RelevantLabels,
}

/// What a judge needs anew in every thread.
#[derive(Debug)]
pub(super) struct EvaluatorScratch {
    tally: ClassTally,
    /// By attribute and group: rows suppressed. Empty where groups are not priced.
    rows: Vec<Vec<u64>>,
    /// For each class of the node measured last: whether it and all its parts fail.
    pub(super) lost: Vec<bool>,
    /// Whether each class is kept that passes by itself; empty where nothing is asked of the release as a whole.
    kept: Vec<bool>,
}

/// What becomes of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClassFate {
    Passes,
    /// It fails, but a part of it may pass.
    Fails,
    /// It fails, and so do all its parts.
    Lost,
}

impl<'a> NodeEvaluator<'a> {
    /// A judge who allows that many suppressed rows.
    pub(super) fn new(lattice: &'a GeneralizationLattice<'a>, metric: Metric, limit: u64) -> Self {
        let problem = lattice.problem;
        let price = NodePricing::new(lattice, metric);
        let mut columns: Vec<usize> = problem
            .privacy
            .requirements
            .iter()
            .map(|it| it.place(problem.targets.dense()))
            .collect();
        if let NodePricing::Cm(column) = price {
            columns.push(column);
        }
        columns.sort_unstable();
        columns.dedup();
        NodeEvaluator {
            lattice,
            k: problem.privacy.k,
            limit,
            generality: price.generality(lattice),
            bits: NodePricing::bits(lattice),
            price,
            relevant: RelevantLabels::new(problem, &columns),
        }
    }

    /// The same judge for another k.
    pub(super) fn with_k(self, k: u64) -> Self {
        NodeEvaluator { k, ..self }
    }

    pub(super) fn desk(&self) -> EvaluatorScratch {
        let groups = |levels: &Vec<super::levels::AttributeLevel>| {
            vec![0; levels.iter().map(|level| level.groups.len()).max().unwrap_or(0)]
        };
        let rows = match self.price {
            NodePricing::Groups(_) => self.lattice.levels.iter().map(groups).collect(),
            _ => Vec::new(),
        };
        EvaluatorScratch {
            tally: self.lattice.problem.targets.tally(),
            rows,
            lost: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Whether the rows that a node suppresses are suppressed in every more specific node too, so that
    /// all nodes above a solution are solutions.
    pub(super) fn is_monotone(&self) -> bool {
        match self.limit {
            0 => self.lattice.problem.privacy.overall.survives_unions(),
            _ => self.is_monotone_by_class() && !self.lattice.problem.asks_of_whole(),
        }
    }

    /// The same for what classes by themselves must satisfy.
    fn is_monotone_by_class(&self) -> bool {
        self.limit == 0 || !self.lattice.problem.privacy.failing_class_may_have_passing_parts()
    }

    /// Whether a node is a solution.
    pub(super) fn accepts(&self, measure: &NodeMeasure) -> bool {
        measure.suppressed <= self.limit && measure.cost.is_finite()
    }

    /// Whether no node at least as specific as this one is a solution.
    pub(super) fn refuses_below(&self, high: &NodeMeasure) -> bool {
        high.lost > self.limit
    }

    /// Whether costs are exact numbers, as opposed to sums of fractions.
    pub(super) fn is_exact(&self) -> bool {
        !matches!(self.price, NodePricing::Groups(_))
    }

    /// Whether bounds need the classes of a low corner.
    pub(super) fn needs_low_classes(&self) -> bool {
        !matches!(self.price, NodePricing::Groups(_))
    }

    /// How general a level of an attribute is, in the metric's measure or in bits.
    pub(super) fn generality(&self, at: usize, level: u32) -> f64 {
        self.generality[at][level as usize]
    }

    /// The same in bits.
    pub(super) fn bits(&self, at: usize, level: u32) -> f64 {
        self.bits[at][level as usize]
    }

    /// No rows set aside.
    pub(super) fn nothing_aside(&self) -> BoxSuppression {
        self.price.nothing_aside()
    }

    /// What the classes of a low corner pay if nothing is suppressed, for metrics that price classes.
    pub(super) fn base<const W: usize>(
        &self,
        classes: &FrequencySet<W>,
        desk: &mut EvaluatorScratch,
    ) -> u128 {
        (0..classes.len()).map(|class| self.base_of(class, classes, desk)).sum()
    }

    fn base_of<const W: usize>(
        &self,
        class: usize,
        classes: &FrequencySet<W>,
        desk: &mut EvaluatorScratch,
    ) -> u128 {
        let size = u64::from(classes.sizes[class]);
        match self.price {
            NodePricing::Dm => u128::from(size) * u128::from(size),
            NodePricing::Cm(column) => {
                u128::from(size - self.majority(class, column, classes, desk))
            }
            NodePricing::Average | NodePricing::Groups(_) => 0,
        }
    }

    /// What every node of a box costs at least, by its low corner, the classes there with what they
    /// pay, which of them are set aside, and all that is.
    pub(super) fn bound<const W: usize>(
        &self,
        low: &[u32],
        (classes, base): (&FrequencySet<W>, u128),
        doomed: &[bool],
        aside: &BoxSuppression,
        desk: &mut EvaluatorScratch,
    ) -> f64 {
        let rows = self.lattice.problem.rows;
        match &self.price {
            NodePricing::Groups(groups) => groups.floor(low, aside),
            NodePricing::Dm | NodePricing::Cm(_) => {
                let gone = (0..doomed.len()).filter(|&class| doomed[class]);
                let gone: u128 = gone.map(|class| self.base_of(class, classes, desk)).sum();
                let each = if matches!(self.price, NodePricing::Dm) { rows } else { 1 };
                (base - gone + u128::from(each) * u128::from(aside.rows)) as f64
            }
            // Classes that pass in the low corner stay released; they can only be put together. Any
            // other class needs at least k of the other rows. With as many of those as possible, the
            // average is least if they have k rows each and no others are put together.
            NodePricing::Average if self.is_monotone_by_class() => {
                let (mut number, mut kept, mut others) = (0, 0, 0);
                for class in (0..classes.len()).filter(|&class| doomed.get(class) != Some(&true)) {
                    let size = u64::from(classes.sizes[class]);
                    if self.fate(class, classes, desk) == ClassFate::Passes {
                        (number, kept) = (number + 1, kept + size);
                    } else {
                        others += size;
                    }
                }
                let more = others / self.k;
                let kept = (kept + self.k * more).max(rows - self.limit);
                (kept as f64 / (number + more).max(1) as f64).max(self.k as f64)
            }
            NodePricing::Average => self.k as f64,
        }
    }

    /// The same for the part of that box in which an attribute is at least at a level, as far as that
    /// is known without its classes.
    pub(super) fn bound_from(
        &self,
        low: &[u32],
        aside: &BoxSuppression,
        at: usize,
        level: u32,
    ) -> f64 {
        match &self.price {
            NodePricing::Groups(groups) => groups.floor_from(low, aside, at, level),
            _ => f64::NEG_INFINITY,
        }
    }

    /// Sets the rows of these classes of a node aside.
    pub(super) fn set_aside<const W: usize>(
        &self,
        node: &[u32],
        layout: &ClassKeyLayout,
        classes: &FrequencySet<W>,
        doomed: &[bool],
        aside: &BoxSuppression,
        desk: &mut EvaluatorScratch,
    ) -> BoxSuppression {
        let before = aside.rows;
        let mut aside = aside.clone();
        let counted = self.counted(node, layout);
        for (class, _) in doomed.iter().enumerate().filter(|(_, doomed)| **doomed) {
            let size = u64::from(classes.sizes[class]);
            aside.rows += size;
            for &(at, field) in &counted {
                desk.rows[at][field.get(&classes.keys[class])] += size;
            }
        }
        self.complete(&counted, aside.rows - before, desk);
        if let NodePricing::Groups(groups) = &self.price {
            for (at, rows) in desk.rows.iter_mut().enumerate() {
                groups.set_aside(self.lattice, at, node, rows, &mut aside.base[at]);
                rows.fill(0);
            }
        }
        aside
    }

    /// Measures a node by its classes; some rows may have been set aside before.
    pub(super) fn measure<const W: usize>(
        &self,
        node: &[u32],
        layout: &ClassKeyLayout,
        classes: &FrequencySet<W>,
        aside: &BoxSuppression,
        desk: &mut EvaluatorScratch,
    ) -> NodeMeasure {
        let rows = self.lattice.problem.rows;
        let mut measure =
            NodeMeasure { suppressed: aside.rows, lost: aside.rows, ..NodeMeasure::default() };
        let (mut squares, mut minority) = (0u128, 0);
        let counted = self.counted(node, layout);
        desk.lost.clear();
        self.select(node, layout, classes, desk);
        let privacy = &self.lattice.problem.privacy;
        for class in 0..classes.len() {
            let size = u64::from(classes.sizes[class]);
            let mut fate = self.fate(class, classes, desk);
            // Where everybody must fit a class, all people stay in view.
            desk.lost.push(fate == ClassFate::Lost && !privacy.must_fit_all());
            // What the release as a whole can not keep may be released in another node.
            let is_left_out = fate == ClassFate::Passes && desk.kept.get(class) == Some(&false);
            if is_left_out {
                fate = ClassFate::Fails;
            }
            if fate == ClassFate::Passes {
                measure.classes += 1;
                match self.price {
                    NodePricing::Dm => squares += u128::from(size) * u128::from(size),
                    NodePricing::Cm(column) => {
                        minority += size - self.majority(class, column, classes, desk);
                    }
                    _ => {}
                }
                continue;
            }
            measure.suppressed += size;
            // Where nothing may be suppressed, any class that fails rules all below out, unless what fails is the release
            // as a whole and unions can be the reason.
            let survives = privacy.overall.survives_unions();
            let rules_out = self.limit == 0 && (!is_left_out || survives);
            if fate == ClassFate::Lost || rules_out {
                measure.lost += size;
            }
            for &(at, field) in &counted {
                desk.rows[at][field.get(&classes.keys[class])] += size;
            }
        }
        self.complete(&counted, measure.suppressed - aside.rows, desk);
        measure.cost = match &self.price {
            NodePricing::Dm => (squares + u128::from(rows) * u128::from(measure.suppressed)) as f64,
            NodePricing::Cm(_) => (minority + measure.suppressed) as f64,
            NodePricing::Average if measure.classes == 0 => f64::INFINITY,
            NodePricing::Average => (rows - measure.suppressed) as f64 / measure.classes as f64,
            NodePricing::Groups(groups) => {
                let cost = groups.cost(node, aside, &desk.rows);
                desk.rows.iter_mut().for_each(|rows| rows.fill(0));
                cost
            }
        };
        measure
    }

    /// Finds out which classes the release as a whole keeps of those that pass, where it asks for more than these.
    fn select<const W: usize>(
        &self,
        node: &[u32],
        layout: &ClassKeyLayout,
        classes: &FrequencySet<W>,
        desk: &mut EvaluatorScratch,
    ) {
        let problem = self.lattice.problem;
        desk.kept.clear();
        if !problem.asks_of_whole() {
            return;
        }
        let by_units = problem.privacy.unit().is_some();
        let (mut sizes, mut crowds) = (Vec::new(), Vec::new());
        for class in 0..classes.len() {
            let size = u64::from(classes.sizes[class]);
            let passes = self.passes(class, classes, desk);
            let is_asked = passes && by_units && !problem.privacy.overall.is_nothing();
            sizes.push(size);
            crowds.push(if is_asked { problem.privacy.crowd(&desk.tally) } else { size });
            desk.kept.push(passes);
        }
        let people = problem.population.as_ref().map(|_| &classes.people[..]);
        let shown = |at: usize| -> Vec<u32> {
            classes.keys.iter().map(|key| layout.fields[at].get(key) as u32).collect()
        };
        let first = |at: usize| -> Vec<u32> {
            let level = self.lattice.level(node, at);
            shown(at).into_iter().map(|group| level.example[group as usize]).collect()
        };
        let (sizes, crowds) = (&sizes[..], &crowds[..]);
        // Where people are in several classes, several k are tried.
        let parts = None;
        ClassSelection { problem, sizes, crowds, parts, people, shown: &shown, first: &first }
            .suppress(&mut desk.kept);
        let fits_nowhere = |class: usize| classes.people[class] > 0 && !desk.kept[class];
        if problem.privacy.must_fit_all()
            && (problem.population.as_ref().is_none_or(|people| people.unknown > 0)
                || (0..classes.len()).any(fits_nowhere))
        {
            desk.kept.fill(false);
        }
    }

    /// The attributes whose groups must be counted: where there is only one, the sum is enough.
    fn counted(&self, node: &[u32], layout: &ClassKeyLayout) -> Vec<(usize, ClassKeyField)> {
        let NodePricing::Groups(_) = self.price else { return Vec::new() };
        let several = |&at: &usize| self.lattice.level(node, at).groups.len() > 1;
        (0..node.len()).filter(several).map(|at| (at, layout.fields[at])).collect()
    }

    /// Puts so many rows into the one group of the attributes that were not counted.
    fn complete(
        &self,
        counted: &[(usize, ClassKeyField)],
        number: u64,
        desk: &mut EvaluatorScratch,
    ) {
        for (at, rows) in desk.rows.iter_mut().enumerate() {
            if counted.iter().all(|&(other, _)| other != at) {
                rows[0] = number;
            }
        }
    }

    /// How many rows are in classes that fail, whatever node or subset of attributes they are of.
    pub(super) fn suppressed<const W: usize>(
        &self,
        classes: &FrequencySet<W>,
        desk: &mut EvaluatorScratch,
    ) -> u64 {
        let failing = (0..classes.len()).filter(|&class| !self.passes(class, classes, desk));
        failing.map(|class| u64::from(classes.sizes[class])).sum()
    }

    /// Whether a class passes.
    pub(super) fn passes<const W: usize>(
        &self,
        class: usize,
        classes: &FrequencySet<W>,
        desk: &mut EvaluatorScratch,
    ) -> bool {
        self.fate(class, classes, desk) == ClassFate::Passes
    }

    /// The largest number of rows in a class that carry the same value of a label column.
    fn majority<const W: usize>(
        &self,
        class: usize,
        column: usize,
        classes: &FrequencySet<W>,
        desk: &mut EvaluatorScratch,
    ) -> u64 {
        if self.lattice.problem.privacy.is_by_size() {
            // Then the labels that matter are the values of this column.
            let mut majority = 0;
            match classes.few_labels(class) {
                Some(counts) => counts.iter().for_each(|&count| majority = majority.max(count)),
                None => classes.each_label(class, |_, count| majority = majority.max(count)),
            }
            return u64::from(majority);
        }
        self.fill(class, classes, desk);
        desk.tally.histograms[column].iter().copied().max().unwrap_or(0)
    }

    fn fill<const W: usize>(
        &self,
        class: usize,
        classes: &FrequencySet<W>,
        desk: &mut EvaluatorScratch,
    ) {
        let labels = &self.lattice.problem.targets;
        desk.tally.clear();
        classes.each_label(class, |label, count| {
            desk.tally.add(labels.of(self.relevant.joint[label as usize]), count.into());
        });
        desk.tally.size = u64::from(classes.sizes[class]);
        desk.tally.people = classes.people.get(class).copied().unwrap_or(0);
    }

    /// Whether a class passes, and if not, whether one of its parts may.
    fn fate<const W: usize>(
        &self,
        class: usize,
        classes: &FrequencySet<W>,
        desk: &mut EvaluatorScratch,
    ) -> ClassFate {
        let privacy = &self.lattice.problem.privacy;
        let requirements = &privacy.requirements;
        if u64::from(classes.sizes[class]) < self.k {
            return ClassFate::Lost;
        }
        let mut hopes = false;
        if let Some(rule) = privacy.population {
            let people = classes.people.get(class).copied().unwrap_or(0);
            if rule.is_lost(people) {
                return ClassFate::Lost;
            }
            hopes = !rule.passes(classes.sizes[class].into(), people);
        }
        if requirements.is_empty() {
            return if hopes { ClassFate::Fails } else { ClassFate::Passes };
        }
        self.fill(class, classes, desk);
        let mut failing = requirements
            .iter()
            .filter(|it| !it.passes(&desk.tally))
            .map(|it| it.model.failing_class_may_have_passing_parts());
        match failing.next() {
            None if hopes => ClassFate::Fails,
            None => ClassFate::Passes,
            Some(hope) if hope && failing.all(|hope| hope) => ClassFate::Fails,
            Some(_) => ClassFate::Lost,
        }
    }
}
