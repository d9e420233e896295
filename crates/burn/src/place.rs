//! Where on the chip something is.

use std::fmt;

use serde::Serialize;

/// Where on the chip a wrong bit was seen. What is not known is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// `%smid`.
    pub sm: Option<u32>,
    /// `%warpid` modulo the number of sub-cores.
    pub sub_core: Option<u32>,
    /// `%warpid`, the slot.
    pub warp: Option<u32>,
    /// Logical lane.
    pub lane: Option<u32>,
    /// Index in the instruction; its parity is the bank.
    pub register: Option<u32>,
    /// Of device memory or of shared memory, in bytes.
    pub address: Option<u64>,
    /// The pipe or array within the unit, `heavy`, `light`, `l2`, …
    pub pipe: Option<String>,
}

impl Place {
    /// A lane of a warp that ran in slot `warp` of `sm`.
    pub fn lane(sm: u32, warp: u32, sub_cores: u32, lane: u32) -> Place {
        Place {
            sm: Some(sm),
            sub_core: Some(warp % sub_cores.max(1)),
            warp: Some(warp),
            lane: Some(lane),
            ..Place::default()
        }
    }

    /// A byte of memory.
    pub fn address(address: u64) -> Place {
        Place { address: Some(address), ..Place::default() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        let mut part = |f: &mut fmt::Formatter<'_>, text: String| {
            let space = if std::mem::take(&mut first) { "" } else { " " };
            write!(f, "{space}{text}")
        };
        let numbers = [
            ("SM", self.sm),
            ("sub-core", self.sub_core),
            ("warp", self.warp),
            ("lane", self.lane),
            ("register", self.register),
        ];
        for (name, value) in numbers {
            if let Some(v) = value {
                part(f, format!("{name} {v}"))?;
            }
        }
        if let Some(a) = self.address {
            part(f, format!("address {a:#x}"))?;
        }
        if let Some(p) = &self.pipe {
            part(f, p.clone())?;
        }
        if first { write!(f, "place unknown") } else { Ok(()) }
    }
}
