//! Strings as small integers.

use std::hash::{BuildHasher, Hasher};
use std::str::Utf8Error;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::keyed_hash::KeyedState;
use crate::number::NumberStyle;
use crate::value::{MISSING, MissingTokens, canonical};

/// Distinct strings in order of first appearance; each one's code is its place in that order.
#[derive(Default)]
pub(crate) struct Interner {
    /// Where each string lies stands in the table itself: finding one touches two far places in
    /// memory, not three.
    table: HashTable<StringSlot>,
    /// All strings, one behind the other: two arrays instead of one allocation per string.
    text: String,
    ends: Vec<usize>,
    state: KeyedState,
}

/// Where a string lies in the text, and its code.
#[derive(Clone, Copy)]
struct StringSlot {
    start: usize,
    length: u32,
    code: u32,
}

impl StringSlot {
    #[inline]
    fn of<'a>(&self, text: &'a str) -> &'a [u8] {
        &text.as_bytes()[self.start..self.start + self.length as usize]
    }
}

impl Interner {
    /// The code of a string and whether it is new. Only new strings are checked to be UTF-8: one
    /// that equals a known string is UTF-8 already.
    #[inline]
    pub(crate) fn intern(&mut self, bytes: &[u8]) -> Result<(u32, bool), Utf8Error> {
        let Self { table, text, ends, state } = self;
        let entry = table.entry(
            hash_bytes(state, bytes),
            |place| place.length as usize == bytes.len() && place.of(text) == bytes,
            |place| hash_bytes(state, place.of(text)),
        );
        match entry {
            Entry::Occupied(found) => Ok((found.get().code, false)),
            Entry::Vacant(vacant) => {
                let new = std::str::from_utf8(bytes)?;
                let code = ends.len() as u32;
                vacant.insert(StringSlot { start: text.len(), length: new.len() as u32, code });
                text.push_str(new);
                ends.push(text.len());
                Ok((code, true))
            }
        }
    }

    /// The code of a string that has been seen.
    pub(crate) fn find(&self, string: &str) -> Option<u32> {
        let hash = hash_bytes(&self.state, string.as_bytes());
        let same = |place: &StringSlot| place.of(&self.text) == string.as_bytes();
        self.table.find(hash, same).map(|place| place.code)
    }

    /// The string with that code.
    pub(crate) fn get(&self, code: u32) -> &str {
        slice(&self.text, &self.ends, code)
    }

    /// How many strings there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All strings in the order of their codes.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.get(code))
    }
}

#[inline]
fn slice<'a>(text: &'a str, ends: &[usize], code: u32) -> &'a str {
    let start = if code == 0 { 0 } else { ends[code as usize - 1] };
    &text[start..ends[code as usize]]
}

#[inline]
fn hash_bytes(state: &KeyedState, bytes: &[u8]) -> u64 {
    let mut hasher = state.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// Distinct *values*: strings that mean the same (`1.50` and `1.5`, two missing tokens) share a
/// code. The canonical form is worked out once per distinct string.
#[derive(Default)]
pub(crate) struct ValueDictionary {
    strings: Interner,
    /// For each string where it first appeared.
    first: Vec<u64>,
    /// For each string the code of its value.
    value_of: Vec<u32>,
    forms: Interner,
    /// For each value the string it first appeared as.
    shown_as: Vec<u32>,
    /// How numbers are written.
    style: NumberStyle,
}

impl ValueDictionary {
    /// No values yet, of a column that writes its numbers in this style.
    pub(crate) fn new(style: NumberStyle) -> Self {
        ValueDictionary { style, ..ValueDictionary::default() }
    }

    /// How numbers are written.
    pub(crate) fn style(&self) -> &NumberStyle {
        &self.style
    }

    /// The code of the value that a string stands for, which appears at `place`. Places rise from
    /// call to call.
    #[inline]
    pub(crate) fn intern(
        &mut self,
        bytes: &[u8],
        place: u64,
        missing: &MissingTokens,
    ) -> Result<u32, Utf8Error> {
        let (string, new) = self.strings.intern(bytes)?;
        if new {
            self.add_string(string, place, missing)?;
        }
        Ok(self.value_of[string as usize])
    }

    /// The same where places do not rise.
    #[inline]
    pub(crate) fn intern_before(
        &mut self,
        bytes: &[u8],
        place: u64,
        missing: &MissingTokens,
    ) -> Result<u32, Utf8Error> {
        let (string, new) = self.strings.intern(bytes)?;
        if new {
            self.add_string(string, place, missing)?;
        } else if place < self.first[string as usize] {
            self.first[string as usize] = place;
        }
        Ok(self.value_of[string as usize])
    }

    #[cold]
    fn add_string(
        &mut self,
        string: u32,
        place: u64,
        missing: &MissingTokens,
    ) -> Result<(), Utf8Error> {
        let form = canonical(self.strings.get(string), missing, &self.style);
        let (value, new) = self.forms.intern(form.as_bytes())?;
        self.first.push(place);
        self.value_of.push(value);
        if new {
            self.shown_as.push(string);
        }
        Ok(())
    }

    /// All strings, in the order of their codes, with the places where they first appeared.
    pub(crate) fn strings(&self) -> impl ExactSizeIterator<Item = (&str, u64)> {
        self.strings.iter().zip(self.first.iter().copied())
    }

    /// Numbers the places of strings anew.
    pub(crate) fn renumber(&mut self, place: impl Fn(u64) -> u64) {
        for first in &mut self.first {
            *first = place(*first);
        }
    }

    /// Takes up the strings of others, and returns the code here of each value there.
    pub(crate) fn absorb(
        &mut self,
        other: &ValueDictionary,
        place: impl Fn(u64) -> u64,
        missing: &MissingTokens,
    ) -> Vec<u32> {
        let mut code_of = vec![0; other.len()];
        for ((string, first), &value) in other.strings().zip(&other.value_of) {
            let code = self.intern_before(string.as_bytes(), place(first), missing);
            code_of[value as usize] = code.expect("a string is UTF-8");
        }
        code_of
    }

    /// Brings strings and values into the order of first appearance and returns the new code of
    /// each value.
    pub(crate) fn sort(&mut self, missing: &MissingTokens) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.strings.len() as u32).collect();
        order.sort_by_key(|&string| self.first[string as usize]);
        let mut sorted = ValueDictionary::new(self.style);
        let mut code_of = vec![0; self.len()];
        for string in order {
            let (text, first) = (self.strings.get(string), self.first[string as usize]);
            let code = sorted.intern(text.as_bytes(), first, missing);
            code_of[self.value_of[string as usize] as usize] = code.expect("a string is UTF-8");
        }
        *self = sorted;
        code_of
    }

    /// The code of the value a string stands for, if that value has been seen.
    pub(crate) fn find(&self, string: &str, missing: &MissingTokens) -> Option<u32> {
        self.forms.find(&canonical(string, missing, &self.style))
    }

    /// The code of the missing value, if there is one.
    pub(crate) fn missing(&self) -> Option<u32> {
        self.forms.find(MISSING)
    }

    /// A value as it first appeared.
    pub(crate) fn get(&self, value: u32) -> &str {
        self.strings.get(self.shown_as[value as usize])
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.forms.len()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn codes_are_places_of_first_appearance() {
        let mut interner = Interner::default();
        for (string, expected) in
            [("b", (0, true)), ("a", (1, true)), ("b", (0, false)), ("", (2, true))]
        {
            assert_eq!(interner.intern(string.as_bytes()).unwrap(), expected);
        }
        assert_eq!(interner.iter().collect::<Vec<_>>(), ["b", "a", ""]);
        assert_eq!(interner.find("a"), Some(1));
        assert_eq!(interner.find("c"), None);
        assert!(interner.intern(&[0xff]).is_err());
        assert_eq!(interner.len(), 3);
    }

    #[test]
    fn equal_values_share_a_code() {
        let missing = MissingTokens::default();
        let mut values = ValueDictionary::default();
        let codes: Vec<u32> = ["1.50", "NA", "1.5", "?", "one", "+1.5e0"]
            .iter()
            .zip(1..)
            .map(|(s, place)| values.intern(s.as_bytes(), place, &missing).unwrap())
            .collect();
        assert_eq!(codes, [0, 1, 0, 1, 2, 0]);
        assert_eq!(values.get(0), "1.50");
        assert_eq!(values.find("", &missing), Some(1));
    }
}
