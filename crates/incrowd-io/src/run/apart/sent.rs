//! What travels between the processes of a run.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Result};

/// The quickest level: what travels is read once.
const LEVEL: i32 = 1;

/// Something as bytes.
pub(super) fn packed(what: &impl Serialize) -> Result<Vec<u8>> {
    let text = serde_json::to_vec(what).map_err(|e| Error::new(format!("cannot be sent: {e}")))?;
    zstd::bulk::compress(&text, LEVEL).map_err(|e| Error::new(format!("cannot be sent: {e}")))
}

/// What bytes from [`packed`] stand for.
pub(super) fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let strange = |e: String| Error::new(format!("what another process sent cannot be read: {e}"));
    let text = zstd::stream::decode_all(bytes).map_err(|e| strange(e.to_string()))?;
    serde_json::from_slice(&text).map_err(|e| strange(e.to_string()))
}

/// A batch that cannot be put together.
pub(super) fn unmade(cause: &dyn std::fmt::Display) -> Error {
    Error::new(format!("the released batch cannot be made: {cause}"))
}

/// Gives a type the two ways to travel.
macro_rules! travels {
    ($name:ty) => {
        impl $name {
            /// The bytes that another process makes the same of.
            pub fn to_bytes(&self) -> Result<Vec<u8>> {
                super::sent::packed(self)
            }

            /// What bytes of another process stand for.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
                super::sent::unpacked(bytes)
            }
        }
    };
}
pub(super) use travels;
