//! Released values.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use crate::kit::KeyedHashState;

/// The label of a value that is not released.
pub const BLANK: &str = "*";

/// What is released in place of a value: a group of neighbouring or chosen values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Nothing is told.
    Blank,
    /// The values from one code to another; a single value if they are the same.
    Range {
        /// The lowest code.
        first: u32,
        /// The highest code.
        last: u32,
    },
    /// Chosen values, ascending.
    Set(Box<[u32]>),
    /// The values below a node of the attribute's hierarchy.
    Node(u32),
}

/// The distinct groups of one attribute; a group's place is its id.
#[derive(Debug, Clone, Default)]
pub struct GroupSet {
    groups: Vec<Group>,
    index: HashTable<u32>,
}

impl PartialEq for GroupSet {
    fn eq(&self, other: &Self) -> bool {
        self.groups == other.groups
    }
}

impl GroupSet {
    /// No groups yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of a group, which is added if it is new.
    pub fn intern(&mut self, group: Group) -> u32 {
        let hash = |group: &Group| KeyedHashState::default().hash_one(group);
        let groups = &mut self.groups;
        let key = hash(&group);
        if let Some(&id) = self.index.find(key, |&id| groups[id as usize] == group) {
            return id;
        }
        let id = groups.len() as u32;
        groups.push(group);
        self.index.insert_unique(key, id, |&id| hash(&groups[id as usize]));
        id
    }

    /// The groups in the order of their ids.
    pub fn as_slice(&self) -> &[Group] {
        &self.groups
    }

    /// The group with an id.
    pub fn get(&self, id: u32) -> &Group {
        &self.groups[id as usize]
    }
}

impl FromIterator<Group> for GroupSet {
    fn from_iter<I: IntoIterator<Item = Group>>(groups: I) -> Self {
        let mut interned = GroupSet::new();
        for group in groups {
            interned.intern(group);
        }
        interned
    }
}

impl Serialize for GroupSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.groups.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for GroupSet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let groups = Vec::<Group>::deserialize(deserializer)?;
        let interned: GroupSet = groups.iter().cloned().collect();
        if interned.groups.len() != groups.len() {
            return Err(serde::de::Error::custom("a group is listed twice"));
        }
        Ok(interned)
    }
}
