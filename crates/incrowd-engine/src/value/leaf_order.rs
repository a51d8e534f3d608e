//! Values in the order of a hierarchy's leaves.

use super::coding::DomainCoding;
use super::domain::Domain;
use super::hierarchy::Hierarchy;
use super::scale::{Scale, ValueBounds};
use crate::kit::{Error, Result};
use crate::table::Dictionary;

impl Domain {
    /// The same values in the order of a hierarchy's leaves, and the hierarchy over just these
    /// values, missing in a branch of its own where the hierarchy does not name it.
    pub fn arrange(
        coding: DomainCoding,
        column: &str,
        hierarchy: &Hierarchy,
    ) -> Result<(DomainCoding, Hierarchy)> {
        let DomainCoding { domain, codes } = coding;
        let leaves: Dictionary = hierarchy.leaves().collect();
        // The leaf of a value: by its text, or by its number (1.0 in the data, 1 in the hierarchy).
        let plain = Scale::default();
        let by_place: Vec<(ValueBounds, u32)> = match domain.scale() {
            Some(scale) => {
                let read =
                    |label: &str| scale.read_label(label).or_else(|| plain.read_label(label));
                let mut places: Vec<(ValueBounds, u32)> = leaves
                    .iter()
                    .zip(0..)
                    .filter_map(|(label, leaf)| Some((read(label)?, leaf)))
                    .collect();
                places.sort_by(|a, b| a.0.cmp_low(&b.0).then(a.1.cmp(&b.1)));
                places
            }
            None => Vec::new(),
        };
        let leaf_of = |code: u32| {
            leaves.get(domain.label(code)).or_else(|| {
                let bounds = domain.bounds(code)?;
                let at = by_place.partition_point(|leaf| leaf.0.cmp_low(bounds).is_lt());
                by_place.get(at).filter(|leaf| leaf.0 == *bounds).map(|leaf| leaf.1)
            })
        };
        let leaf_of_code: Vec<Option<u32>> = (0..domain.len() as u32).map(leaf_of).collect();
        let uncovered: Vec<&str> = (0..domain.len() as u32)
            .filter(|&code| {
                leaf_of_code[code as usize].is_none() && domain.missing_code() != Some(code)
            })
            .map(|code| domain.label(code))
            .collect();
        if !uncovered.is_empty() {
            return Err(Error::new(format!(
                "the hierarchy of column {column:?} lacks {}",
                crate::kit::words::values(&uncovered)
            ))
            .help("add the values to the hierarchy, or change them in the data"));
        }
        let mut kept = vec![false; leaves.len()];
        for leaf in leaf_of_code.iter().flatten() {
            kept[*leaf as usize] = true;
        }
        let mut hierarchy = hierarchy.restrict(&kept);
        // Missing that the hierarchy does not name stays outside all of its nodes but the root.
        let apart = domain.missing_code().filter(|&code| leaf_of_code[code as usize].is_none());
        if let Some(code) = apart {
            hierarchy = hierarchy.with_missing(domain.label(code));
        }
        let mut order: Vec<u32> = (0..domain.len() as u32).collect();
        order.sort_by_key(|&code| leaf_of_code[code as usize].map_or(0, |leaf| leaf + 1));
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        let named_missing = domain.missing_code().is_some() && apart.is_none();
        let ascending = !named_missing
            && order.windows(2).all(|pair| {
                let ends = domain.bounds(pair[0]).zip(domain.bounds(pair[1]));
                // Missing, which has no bounds, comes first.
                ends.map_or(domain.missing_code() == Some(pair[0]), |(one, two)| one.is_below(two))
            });
        let arranged = domain.reordered(&order, apart.is_some(), ascending);
        let codes = codes.into_iter().map(|code| place[code as usize]).collect();
        Ok((DomainCoding { domain: arranged, codes }, hierarchy))
    }
}
