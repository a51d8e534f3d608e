//! What the values of a column are, beyond text.

/// The type of a column in a format that has types. CSV has none and ignores it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ColumnType {
    /// Text as it is.
    #[default]
    Text,
    /// Text of few different values.
    Category,
    /// `true` or `false`, `t` or `f`.
    Boolean,
    /// A whole number of so many bits, with a sign.
    Int(IntWidth),
    /// A whole number of so many bits, without a sign.
    UInt(IntWidth),
    /// A 32-bit floating-point number.
    Float32,
    /// A 64-bit floating-point number.
    Float64,
    /// A day: `2026-11-30`.
    Date,
    /// A day and a time of day: `2026-11-30T08:15:00.25`, a space in place of the `T` allowed.
    Timestamp {
        /// The unit that it counts.
        unit: TimeUnit,
        /// The time zone it is shown in, if it is a point in time (given as UTC, `Z` or with an
        /// offset such as `+01:00`) and not just what a clock showed.
        zone: Option<String>,
    },
    /// A number with a fixed number of decimals.
    Decimal {
        /// Digits in all, at most 38.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
}

/// The size of a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum IntWidth {
    Bits8,
    Bits16,
    Bits32,
    Bits64,
}

/// The unit that a timestamp counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TimeUnit {
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

impl ColumnType {
    /// What a value of this type is called in messages.
    pub fn describe(&self) -> &'static str {
        match self {
            ColumnType::Text | ColumnType::Category => "text",
            ColumnType::Boolean => "true or false",
            ColumnType::Int(_) | ColumnType::UInt(_) => "a whole number in the column's range",
            ColumnType::Float32 | ColumnType::Float64 => "a number",
            ColumnType::Date => "a date such as 2026-11-30",
            ColumnType::Timestamp { .. } => "a timestamp such as 2026-11-30T08:15:00",
            ColumnType::Decimal { .. } => "a decimal number of the column's precision",
        }
    }
}

/// `true` and `false`, or as databases write them, `t` and `f`.
pub fn truth(text: &str) -> Option<bool> {
    match text {
        "t" | "true" => Some(true),
        "f" | "false" => Some(false),
        _ => None,
    }
}

impl TimeUnit {
    /// How many decimals a second has in this unit.
    #[cfg(feature = "parquet")]
    pub(super) fn decimals(self) -> u32 {
        match self {
            TimeUnit::Milliseconds => 3,
            TimeUnit::Microseconds => 6,
            TimeUnit::Nanoseconds => 9,
        }
    }
}
