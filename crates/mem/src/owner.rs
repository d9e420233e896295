//! What a bit of a cache or memory belongs to now.

use serde::{Deserialize, Serialize};
use upset_state::{ArrayId, Kind, Part};

use crate::cache::Cache;
use crate::first_level::FirstLevel;
use crate::system::MemorySystem;

/// The line a bit lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineOwner {
    /// Address of the line's first byte, by its stored tag.
    pub line: u64,
    /// Address of the byte a data bit lies in; of the line for tags and state.
    pub address: u64,
    /// Whether the byte can be read here; of tags and state whether any can.
    pub valid: bool,
    /// Whether the level below lacks it; of tags and state whether it lacks any.
    pub dirty: bool,
}

impl Cache {
    fn owner(&self, part: Part, bit: u64) -> Option<LineOwner> {
        let width = match part {
            Part::Data => self.line_bytes * 8,
            Part::Tag => self.tag_bits,
            Part::State => self.state_bits(),
        };
        let row = u32::try_from(bit / u64::from(width)).ok().filter(|r| *r < self.rows())?;
        let byte = match part {
            Part::Data => bit % u64::from(width) / 8,
            Part::Tag | Part::State => 0,
        };
        let concerned = if part == Part::Data { 1u128 << byte } else { !0 };
        let line = self.address(row);
        Some(LineOwner {
            line,
            address: line + byte,
            valid: self.readable(row) & concerned != 0,
            dirty: self.dirty_bytes(row, self.all_sectors()) & concerned != 0,
        })
    }
}

impl FirstLevel {
    /// What a bit of one of its arrays belongs to.
    pub fn owner(&self, array: ArrayId, bit: u64) -> Option<LineOwner> {
        (self.array().kind == array.kind).then(|| self.cache().owner(array.part, bit))?
    }
}

impl MemorySystem {
    /// What a bit of L2 or memory belongs to.
    pub fn owner(&self, array: ArrayId, bit: u64) -> Option<LineOwner> {
        if let Kind::Cache(_) = array.kind {
            let slice = self.slices.get(array.instance as usize)?;
            let ours = slice.cache.id.kind == array.kind;
            return ours.then(|| slice.cache.owner(array.part, bit)).flatten();
        }
        let address = self.backing.address(array, bit / 8)?;
        Some(LineOwner { line: address & !(crate::LINE - 1), address, valid: true, dirty: false })
    }
}
