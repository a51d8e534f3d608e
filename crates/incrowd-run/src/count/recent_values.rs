//! Values that were met lately.

use crate::Result;

/// Values of a column met lately, and their codes: most values are one of a few, and found here sooner than in a
/// dictionary.
pub(crate) struct RecentValues<'c> {
    slots: [(&'c [u8], u32); RecentValues::SLOTS],
}

impl<'c> RecentValues<'c> {
    const SLOTS: usize = 128;
    /// No code of a value.
    const NONE: u32 = u32::MAX - 1;

    /// No values yet, for each of so many columns.
    pub(crate) fn of_columns(columns: usize) -> Vec<Self> {
        (0..columns)
            .map(|_| RecentValues { slots: [(&[][..], RecentValues::NONE); RecentValues::SLOTS] })
            .collect()
    }

    /// The code of a value by its bytes, which `find` finds if it was not met lately.
    #[inline]
    pub(crate) fn code(
        &mut self,
        value: &'c [u8],
        find: impl FnOnce() -> Result<u32>,
    ) -> Result<u32> {
        let at = match value {
            [] => 0,
            [first, .., last] => usize::from(*first) ^ usize::from(*last) << 3 ^ value.len() << 5,
            [one] => usize::from(*one),
        };
        let slot = &mut self.slots[at % Self::SLOTS];
        if slot.1 == Self::NONE || slot.0 != value {
            *slot = (value, find()?);
        }
        Ok(slot.1)
    }
}
