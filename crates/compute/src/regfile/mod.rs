//! Register files: their rows, who has them, their banks.

pub mod banks;
pub mod operands;
mod reuse;

pub use reuse::Reuse;

use upset_isa::{Lanes, WARP};
use upset_state::{Aligned, Array, ArrayId, Kind};

use crate::config::Config;
use upset_machine::Room;

/// Registers of all lanes of a warp each.
pub type Rows = Array<Lanes, Aligned<u32>>;

/// A register file.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    /// Its rows.
    pub rows: Rows,
    /// Rows that warps have.
    pub room: Room,
}

impl RegisterFile {
    /// One of a chip, by its number on it.
    pub fn new(config: &Config, number: u32) -> RegisterFile {
        let words = Aligned::new(config.rows as usize * WARP);
        RegisterFile {
            rows: Array::part(ArrayId::data(Kind::Rf, number), 0, config.rows, words),
            room: Room::new(config.rows, config.row_granule),
        }
    }
}
