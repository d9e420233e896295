//! What is done to bits: they flip, they stick or misbehave, or they no longer do.

use serde::{Deserialize, Serialize};

use crate::{ArrayId, Quirk, Site};

/// A bit held at a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Force {
    /// The array.
    pub array: ArrayId,
    /// The bit.
    pub bit: u64,
    /// What it is stuck at.
    pub value: bool,
}

/// A change of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Inverts a bit.
    Flip(Site),
    /// A bit sticks.
    Hold(Force),
    /// It no longer does.
    LetGo(Force),
    /// A bit misbehaves when it is used.
    Begin(Quirk),
    /// It no longer does.
    End(Quirk),
}

impl Change {
    /// The bit.
    pub fn site(&self) -> Site {
        match *self {
            Change::Flip(site) => site,
            Change::Hold(force) | Change::LetGo(force) => {
                Site { array: force.array, bit: force.bit }
            }
            Change::Begin(quirk) | Change::End(quirk) => {
                Site { array: quirk.array, bit: quirk.bit }
            }
        }
    }
}
