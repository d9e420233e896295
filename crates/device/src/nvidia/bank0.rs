//! Constant bank 0: what the driver writes before a launch.
//!
//! Offsets were measured on compiled code; the parameter base comes from the
//! cubin itself.

use upset_emu::Windows;

/// What a launch puts into bank 0.
pub struct Bank0<'a> {
    /// Block dimensions.
    pub block: [u32; 3],
    /// Grid dimensions.
    pub grid: [u32; 3],
    /// Address windows.
    pub windows: Windows,
    /// Initial stack pointer: local bytes per thread.
    pub stack: u32,
    /// Dynamic shared bytes.
    pub dynamic_shared: u32,
    /// Launch number.
    pub grid_id: u64,
    /// SMs of the chip.
    pub sms: u32,
    /// Compute capability of the code.
    pub sm: u32,
    /// Address of the grid's workspace, for cooperative launches.
    pub workspace: Option<u64>,
    /// Generic address of `__constant__` variables.
    pub constants: Option<u64>,
    /// Where parameters begin, and their bytes.
    pub params: (u32, &'a [u8]),
}

impl Bank0<'_> {
    /// Fills `bank`, growing it to the parameters' end.
    pub fn write(&self, bank: &mut Vec<u8>) {
        let (base, params) = self.params;
        let end = base as usize + params.len();
        if bank.len() < end {
            bank.resize(end, 0);
        }
        let mut put = |at: usize, v: &[u8]| {
            if let Some(slot) = bank.get_mut(at..at + v.len()) {
                slot.copy_from_slice(v);
            }
        };
        put(base as usize, params);
        if self.sm < 70 {
            put(0x20, &(self.windows.shared as u32).to_le_bytes());
            put(0x24, &(self.windows.local as u32).to_le_bytes());
            for i in 0..3 {
                put(0x28 + 4 * i, &self.block[i].to_le_bytes());
                put(0x34 + 4 * i, &self.grid[i].to_le_bytes());
            }
            put(0x44, &self.stack.to_le_bytes());
            if let Some(workspace) = self.workspace {
                put(0x50, &((workspace >> 32) as u32).to_le_bytes());
                put(0x54, &(workspace as u32).to_le_bytes());
            }
            return;
        }
        for i in 0..3 {
            put(4 * i, &self.block[i].to_le_bytes());
            put(0x0c + 4 * i, &self.grid[i].to_le_bytes());
        }
        put(0x18, &self.windows.shared.to_le_bytes());
        put(0x20, &self.windows.local.to_le_bytes());
        put(0x28, &self.stack.to_le_bytes());
        put(0x2c, &self.dynamic_shared.to_le_bytes());
        put(0x30, &self.grid_id.to_le_bytes());
        put(0x10c, &self.sms.to_le_bytes());
        if let Some(constants) = self.constants {
            put(if self.sm >= 90 { 0xd0 } else { 0x50 }, &constants.to_le_bytes());
        }
        if let Some(workspace) = self.workspace {
            // Environment registers 1 (upper half) and 2.
            let at = if self.sm >= 90 { 0x44 } else { 0x8c };
            put(at, &((workspace >> 32) as u32).to_le_bytes());
            put(at + 4, &(workspace as u32).to_le_bytes());
        }
    }
}
