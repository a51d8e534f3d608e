//! What the independent verifier is asked, and what it found in words.

pub(crate) mod certificate_check;
pub(crate) mod requirements;
pub(crate) mod violation_text;
