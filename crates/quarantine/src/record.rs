//! What is read of a record of `upset burn`: whose it is, and what is bad.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The form of records that is understood.
const SCHEMA: u32 = 1;

/// A record, as far as it is needed here.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Record {
    schema: u32,
    /// The board it belongs to.
    pub board: Board,
    /// Set when errors were made on purpose.
    #[serde(default)]
    pub injected: Option<serde_json::Value>,
    /// What all findings have in common.
    pub verdict: Option<Verdict>,
    /// 0 passed, 1 a defect, 3 something could not run.
    pub exit_code: u8,
}

/// Whose record it is. What is not known is not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// For people.
    pub name: String,
    /// `cuda`, `opencl` or `model`.
    pub kind: String,
    /// SMs.
    pub sms: u32,
    /// The GPU's own identity.
    pub uuid: Option<String>,
    /// Firmware.
    pub vbios: Option<String>,
    /// Driver.
    pub driver: Option<String>,
    /// Multi-instance state, `on` or `off`.
    pub mig: Option<String>,
    /// Multi-process service, `on` or `off`.
    pub mps: Option<String>,
}

/// The part of the chip that explains the findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// How large that part is.
    pub class: Class,
    /// SMs concerned.
    pub sms: Vec<u32>,
    /// Sub-cores, where one SM is concerned.
    pub sub_cores: Vec<u32>,
    /// Lanes, where one SM is concerned.
    pub lanes: Vec<u32>,
    /// Lanes repeat with this period, where they do.
    pub period: Option<u32>,
    /// In words.
    pub evidence: String,
}

/// How large the part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// One lane of one sub-core.
    Lane,
    /// Half of the lanes of one sub-core.
    HalfWarp,
    /// One sub-core.
    SubCore,
    /// One SM.
    Sm,
    /// Two SMs that share a TPC.
    Tpc,
    /// Addresses of one memory channel.
    Channel,
    /// One word.
    Word,
    /// No part explains them.
    Scattered,
}

/// A record that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// Another file.
    #[error("not a record of `upset burn`: {0}")]
    NoRecord(String),
    /// Of another time.
    #[error("a record in form {0}, and form {SCHEMA} is understood: burn the GPU again")]
    Schema(u32),
}

impl Record {
    /// Reads a record.
    pub fn parse(text: &str) -> Result<Record, RecordError> {
        let record: Record =
            serde_json::from_str(text).map_err(|e| RecordError::NoRecord(e.to_string()))?;
        match record.schema {
            SCHEMA => Ok(record),
            other => Err(RecordError::Schema(other)),
        }
    }
}

impl Board {
    /// What differs from the board that there is now: a sentence, or none. SMs
    /// may be numbered anew with any of it.
    pub fn differs(&self, now: &Board) -> Option<String> {
        let known = [
            ("GPU", &self.uuid, &now.uuid),
            ("VBIOS", &self.vbios, &now.vbios),
            ("driver", &self.driver, &now.driver),
            ("MIG", &self.mig, &now.mig),
            ("MPS", &self.mps, &now.mps),
        ];
        known.into_iter().find_map(|(what, then, now)| match (then, now) {
            (Some(then), Some(now)) if then != now => {
                Some(format!("the record was made with {what} {then}, and now it is {now}"))
            }
            (Some(then), None) => {
                Some(format!("the record was made with {what} {then}, and now it is not known"))
            }
            _ => None,
        })
    }
}
