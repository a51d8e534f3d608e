//! A recoding as a file: all that is needed to apply it to new rows.

use serde::{Deserialize, Serialize};

use super::Recoding;
use super::boxes::BoxSet;
use crate::kit::{Error, ErrorKind, Result};
use crate::privacy::Model;
use crate::value::{Attribute, FittedTransform, Group, GroupSet};

/// The version of the format that this engine writes and reads.
const VERSION: u32 = 1;

/// A recoding with its attributes and requirements, as saved in JSON.
///
/// It holds every value of the quasi-identifiers that occurred, so it is as confidential as the data:
/// keep it with the original, not with the release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRecoding {
    /// The format's version.
    pub version: u32,
    /// The least size of a class.
    pub k: u64,
    /// The column that tells apart who is protected, where that is not the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Whether a blank is taken to match anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wildcards: bool,
    /// The models beyond k and the columns they look at.
    pub models: Vec<(String, Model)>,
    /// Whether a missing sensitive value counts towards l.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub count_missing: bool,
    /// Columns that narrow classes: k holds for whoever knows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub narrowing: Vec<String>,
    /// The sensitive columns.
    pub sensitive: Vec<SavedTarget>,
    /// Columns that are never released.
    pub identifying: Vec<String>,
    /// Columns that are released as they are. All others that new rows may have are dropped: nobody
    /// has decided that they may be seen.
    pub plain: Vec<String>,
    /// The fields that mean "no value".
    pub missing: Vec<String>,
    /// Columns that are treated or renamed as they are read, before anything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub treatments: Vec<SavedTransform>,
    /// The quasi-identifiers.
    pub attributes: Vec<Attribute>,
    /// The recoding.
    pub recoding: Recoding,
}

/// What is done to a column as it is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedTransform {
    /// The column's name in the table. All else calls it by its new name, where it has one.
    pub column: String,
    /// Its new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What becomes of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub treater: Option<FittedTransform>,
}

/// A sensitive column as a model needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedTarget {
    /// The column's name.
    pub name: String,
    /// The order of its values, where one was given.
    pub order: Option<Vec<String>>,
    /// Its hierarchy in ARX's form, where one was given.
    pub hierarchy: Option<Vec<Vec<String>>>,
    /// The decimal sign of its numbers, where that is a comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<char>,
}

impl SavedRecoding {
    /// The version that [`SavedRecoding::version`] must be set to.
    pub const VERSION: u32 = VERSION;

    /// The file's text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a recoding holds only values that JSON can store")
    }

    /// Reads a file's text. Whatever the text, what comes back is sound: every code, group and node
    /// exists.
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct FormatVersion {
            version: u32,
        }
        let wrong = |what: String| {
            Error::new(format!("this is not a recoding: {what}")).of_kind(ErrorKind::Saved)
        };
        let FormatVersion { version } =
            serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        if version != VERSION {
            return Err(Error::new(format!(
                "the recoding has format version {version}, but only version {VERSION} can \
                 be read"
            ))
            .of_kind(ErrorKind::Saved)
            .help("use the version of incrowd that wrote it, or make it again"));
        }
        let saved: SavedRecoding = serde_json::from_str(text).map_err(|e| wrong(e.to_string()))?;
        saved.fault().map_or(Ok(()), |fault| Err(wrong(fault)))?;
        Ok(saved)
    }

    /// What is unsound about it.
    fn fault(&self) -> Option<String> {
        if self.attributes.is_empty() {
            return Some("it has no attributes".to_owned());
        }
        if self.k == 0 {
            return Some("k is 0".to_owned());
        }
        for (at, attribute) in self.attributes.iter().enumerate() {
            let name = &attribute.name;
            if self.attributes[..at].iter().any(|other| other.name == *name) {
                return Some(format!("two attributes are named {name:?}"));
            }
            if !attribute.domain.is_sound() {
                return Some(format!("the domain of {name:?} is out of order"));
            }
            if !(attribute.weight > 0.0 && attribute.weight.is_finite()) {
                return Some(format!("the weight of {name:?} is not above 0"));
            }
            if attribute
                .hierarchy
                .as_ref()
                .is_some_and(|tree| !tree.is_sound(attribute.domain.len()))
            {
                return Some(format!("the hierarchy of {name:?} does not fit its domain"));
            }
        }
        for SavedTransform { column, treater, .. } in &self.treatments {
            if treater.as_ref().is_some_and(|treater| !treater.is_sound()) {
                return Some(format!("the treatment of {column:?} is invalid"));
            }
        }
        for (name, model) in &self.models {
            if let Err(error) = model.validate() {
                return Some(error.message);
            }
            if self.sensitive.iter().all(|label| label.name != *name) {
                return Some(format!(
                    "a model is required of column {name:?}, which is not \
                                     sensitive"
                ));
            }
        }
        if self.wildcards && !self.narrowing.is_empty() {
            return Some("it narrows classes and uses wildcards".to_owned());
        }
        if self.wildcards && !self.models.is_empty() {
            return Some("it has models and uses wildcards".to_owned());
        }
        let groups = self.recoding.groups();
        if groups.len() != self.attributes.len() {
            return Some(format!(
                "{} attributes, but groups for {}",
                self.attributes.len(),
                groups.len()
            ));
        }
        for (attribute, groups) in self.attributes.iter().zip(groups) {
            if !groups.as_slice().iter().all(|group| is_sound(group, attribute)) {
                return Some(format!(
                    "a group of {:?} holds values that do not exist",
                    attribute.name
                ));
            }
        }
        let sound = match &self.recoding {
            Recoding::Global(global) => {
                global.maps.len() == self.attributes.len()
                    && global
                        .maps
                        .iter()
                        .zip(&self.attributes)
                        .all(|(map, a)| map.len() == a.domain.len())
                    && global
                        .maps
                        .iter()
                        .zip(groups)
                        .all(|(map, groups)| map.iter().all(|&id| exists(id, groups)))
                    && truthful(&global.maps, groups, &self.attributes)
            }
            Recoding::Regional(boxes) => is_complete(boxes),
            Recoding::Local(assigned)
            | Recoding::Cellwise(assigned)
            | Recoding::Mixed(assigned) => {
                let known = assigned.narrowing.as_ref();
                is_complete(&assigned.boxes)
                    && known.is_none_or(|known| {
                        known.of_box.len() == assigned.boxes.len()
                            && known.of_box.iter().all(|&it| (it as usize) < known.values.len())
                            && known.values.iter().all(|it| it.len() == self.narrowing.len())
                    })
            }
        };
        (!sound).then(|| "its groups do not fit its attributes".to_owned())
    }
}

fn is_complete(boxes: &BoxSet) -> bool {
    let mut rows = boxes.ids.chunks_exact(boxes.groups.len());
    rows.remainder().is_empty()
        && rows.all(|ids| ids.iter().zip(&boxes.groups).all(|(&id, groups)| exists(id, groups)))
}

fn exists(id: u32, groups: &GroupSet) -> bool {
    (id as usize) < groups.as_slice().len()
}

fn is_sound(group: &Group, attribute: &Attribute) -> bool {
    let size = attribute.domain.len() as u32;
    match group {
        Group::Blank => true,
        Group::Range { first, last } => first <= last && *last < size,
        Group::Set(codes) => {
            codes.len() > 1
                && codes.windows(2).all(|pair| pair[0] < pair[1])
                && codes.iter().all(|&code| code < size)
        }
        Group::Node(node) => attribute.tree().is_some_and(|tree| *node < tree.nodes()),
    }
}

/// Whether every value is mapped to a group that contains it.
fn truthful(maps: &[Vec<u32>], groups: &[GroupSet], attributes: &[Attribute]) -> bool {
    maps.iter().zip(groups).zip(attributes).all(|((map, groups), attribute)| {
        map.iter().enumerate().all(|(code, &id)| attribute.contains(groups.get(id), code as u32))
    })
}
