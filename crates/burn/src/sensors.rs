//! What a board measures about itself.

use serde::Serialize;

/// One reading. What the board does not tell is `None` and is named in
/// `missing` where somebody asked for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Sensors {
    /// Seconds since the board was opened.
    pub at: f64,
    /// Of the chip, in degrees Celsius.
    pub temperature: Option<f64>,
    /// Of the memory.
    pub memory_temperature: Option<f64>,
    /// In watts.
    pub power: Option<f64>,
    /// The limit it is held to, in watts.
    pub power_limit: Option<f64>,
    /// Of the SMs, in MHz.
    pub sm_clock: Option<f64>,
    /// Of the memory, in MHz.
    pub memory_clock: Option<f64>,
    /// Why the clock is below its highest, in the words of the driver's list.
    pub clock_reasons: Option<Vec<String>>,
    /// ECC events by place.
    pub ecc: Vec<EccCount>,
    /// Rows or pages of memory replaced.
    pub remapped: Option<Remapped>,
    /// Xid events since the board was opened.
    pub xids: Vec<u64>,
    /// PCIe replays since the driver was loaded.
    pub pcie_replays: Option<u64>,
    /// What was asked for and is not told by this board.
    pub missing: Vec<String>,
}

/// ECC events of one kind at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EccCount {
    /// `dram`, `l2`, `sram`, `register file`, …
    pub place: String,
    /// Corrected ones are the chip's word for a weak cell.
    pub corrected: bool,
    /// Since boot; otherwise over the GPU's life.
    pub volatile: bool,
    /// How many.
    pub count: u64,
}

/// Rows or pages of memory that were replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Remapped {
    /// After corrected errors.
    pub corrected: u64,
    /// After uncorrected errors.
    pub uncorrected: u64,
    /// A replacement waits for a reset.
    pub pending: bool,
    /// A replacement failed.
    pub failed: bool,
}
