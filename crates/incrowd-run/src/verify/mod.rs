//! What the independent verifier is asked, and what it found in words.

pub(crate) mod requirements;
pub(crate) mod violation_text;
