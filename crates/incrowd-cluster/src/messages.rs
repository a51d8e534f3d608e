//! What travels between the processes of a run.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use incrowd_run::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The quickest level: what travels is read once.
const LEVEL: i32 = 1;

/// Something as bytes.
pub(super) fn packed(what: &impl Serialize) -> Result<Vec<u8>> {
    let text = serde_json::to_vec(what).map_err(|e| Error::new(format!("cannot be sent: {e}")))?;
    zstd::bulk::compress(&text, LEVEL).map_err(|e| Error::new(format!("cannot be sent: {e}")))
}

/// What bytes from [`packed`] stand for.
pub(super) fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let text = zstd::stream::decode_all(bytes).map_err(|e| strange(&e))?;
    serde_json::from_slice(&text).map_err(|e| strange(&e))
}

/// Bytes that no process of ours has sent.
pub(super) fn strange(cause: &dyn std::fmt::Display) -> Error {
    Error::new(format!("what another process sent cannot be read: {cause}"))
}

/// A batch that cannot be put together.
pub(super) fn unmade(cause: &dyn std::fmt::Display) -> Error {
    Error::new(format!("the released batch cannot be made: {cause}"))
}

/// The columns of a batch that is being made.
#[derive(Default)]
pub(super) struct BatchBuilder {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl BatchBuilder {
    pub(super) fn add(&mut self, name: &str, array: ArrayRef) {
        self.fields.push(Field::new(name, array.data_type().clone(), true));
        self.arrays.push(array);
    }

    pub(super) fn finish(self) -> Result<RecordBatch> {
        self.finish_with(HashMap::new())
    }

    /// The batch, with something told beside its rows.
    pub(super) fn finish_with(self, told: HashMap<String, String>) -> Result<RecordBatch> {
        let schema = Arc::new(Schema::new_with_metadata(self.fields, told));
        RecordBatch::try_new(schema, self.arrays).map_err(|e| unmade(&e))
    }
}

/// Gives a type the two ways to travel.
macro_rules! travels {
    ($name:ty) => {
        impl $name {
            /// The bytes that another process makes the same of.
            pub fn to_bytes(&self) -> Result<Vec<u8>> {
                super::messages::packed(self)
            }

            /// What bytes of another process stand for.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
                super::messages::unpacked(bytes)
            }
        }
    };
}
pub(super) use travels;
