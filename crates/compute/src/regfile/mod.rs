//! Register files: their rows, who has them, their banks.

pub mod operands;
mod reuse;

pub use reuse::Reuse;

use upset_isa::Lanes;
use upset_state::{Array, ArrayId, Kind};

use crate::config::Config;
use upset_machine::Room;

/// A register file.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    /// Its rows: a register of all lanes of a warp each.
    pub rows: Array<Lanes>,
    /// Rows that warps have.
    pub room: Room,
}

impl RegisterFile {
    /// One of a chip, by its number on it.
    pub fn new(config: &Config, number: u32) -> RegisterFile {
        RegisterFile {
            rows: Array::new(ArrayId::data(Kind::Rf, number), config.rows),
            room: Room::new(config.rows, config.row_granule),
        }
    }
}
