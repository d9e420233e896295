//! What is read of a record of `upset burn`: whose it is, and what is bad. The
//! types are the record's own.

use serde::Deserialize;
use thiserror::Error;
use upset_burn::Injection;
pub use upset_burn::classify::{Class, Verdict};
use upset_burn::record::SCHEMA;
pub use upset_burn::{About, Kind};

/// A record, as far as it is needed here.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Record {
    schema: u32,
    /// The board it belongs to.
    pub board: About,
    /// Set when errors were made on purpose.
    pub injected: Option<Injection>,
    /// What all findings have in common.
    pub verdict: Option<Verdict>,
}

/// A record that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// Another file.
    #[error("not a record of `upset burn`: {0}")]
    NoRecord(String),
    /// Of another time.
    #[error("a record in form {0}, and form {SCHEMA} is understood: burn the GPU again")]
    Schema(u64),
}

impl Record {
    /// Reads a record.
    pub fn parse(text: &str) -> Result<Record, RecordError> {
        let no = |e: serde_json::Error| RecordError::NoRecord(e.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(no)?;
        // The form first: what another form lacks is nobody's mistake.
        match value["schema"].as_u64() {
            Some(form) if form != u64::from(SCHEMA) => Err(RecordError::Schema(form)),
            _ => serde_json::from_value(value).map_err(no),
        }
    }
}
