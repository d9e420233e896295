//! Who owned which rows and bytes, and for how long, in the fault-free run.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use upset_state::ArrayId;

/// All stays of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residency {
    /// Warps.
    pub warps: Vec<WarpStay>,
    /// CTAs with shared memory.
    pub ctas: Vec<CtaStay>,
}

/// A warp on its sub-core, from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpStay {
    /// Cycles, half-open.
    pub cycles: Range<u64>,
    /// Number of the launch.
    pub launch: u32,
    /// Number of the CTA in its grid.
    pub cta: u64,
    /// Number of the warp in its CTA.
    pub warp: u32,
    /// Threads that exist, one bit per lane.
    pub lanes: u64,
    /// Lanes that a register of the file has side by side.
    pub width: u32,
    /// The register file.
    pub rf: ArrayId,
    /// Its first register there.
    pub first_row: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Its local memory, if it has any.
    pub local: Option<LocalStay>,
}

/// A warp's local memory. Word w of lane l lies at `first_byte + (w * 32 + l) * 4`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalStay {
    /// The array.
    pub array: ArrayId,
    /// Its first byte there.
    pub first_byte: u64,
    /// Bytes per thread.
    pub bytes: u32,
}

/// A CTA's shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CtaStay {
    /// Cycles, half-open.
    pub cycles: Range<u64>,
    /// Number of the launch.
    pub launch: u32,
    /// Number of the CTA in its grid.
    pub cta: u64,
    /// The array.
    pub array: ArrayId,
    /// Its first byte there.
    pub first_byte: u64,
    /// Bytes.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{Kind, Part};

    #[test]
    fn stays_survive_the_wire() {
        let local = LocalStay {
            array: ArrayId { kind: Kind::Cache(3), instance: 1, part: Part::Tag },
            first_byte: 7,
            bytes: 8,
        };
        let warp = WarpStay {
            cycles: 3..9,
            launch: 1,
            cta: 2,
            warp: 3,
            lanes: 0xff,
            rf: ArrayId::data(Kind::Rf, 4),
            width: 32,
            first_row: 8,
            registers: 16,
            local: Some(local),
        };
        let residency = Residency { warps: vec![warp], ctas: Vec::new() };
        let json = serde_json::to_string(&residency).unwrap();
        assert_eq!(serde_json::from_str::<Residency>(&json).unwrap(), residency);
    }
}
