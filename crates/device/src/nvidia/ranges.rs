//! Where code, constants and local memory lie in the address space.

/// Address of the first module's code; modules lie one after the other, below
/// global memory.
pub const CODE_BASE: u64 = 0x6_0000_0000;
/// Address of the first constant bank.
pub const CONSTANT_BASE: u64 = 0x5_0000_0000;
/// Address of the first warp slot's local memory.
pub const LOCAL_BASE: u64 = 0x1_0000_0000;
/// Bytes of local memory before the constants begin.
pub const LOCAL_ROOM: u64 = CONSTANT_BASE - LOCAL_BASE;
/// Modules and banks start at multiples of this.
const ALIGN: u64 = 256;

/// What is taken so far.
#[derive(Clone, Copy, Debug)]
pub struct Ranges {
    code: u64,
    constants: u64,
}

impl Default for Ranges {
    fn default() -> Self {
        Ranges { code: CODE_BASE, constants: CONSTANT_BASE }
    }
}

impl Ranges {
    /// Address at which the next module's code begins.
    pub fn next_code(&self) -> u64 {
        self.code
    }

    /// Takes room for code; returns the length of all code so far.
    pub fn take_code(&mut self, len: u64) -> u64 {
        self.code += len.next_multiple_of(ALIGN);
        self.code - CODE_BASE
    }

    /// Takes room for a constant bank: its address, and the length of all so far.
    pub fn take_constants(&mut self, len: u64) -> (u64, u64) {
        let addr = self.constants;
        self.constants += len.max(1).next_multiple_of(ALIGN);
        (addr, self.constants - CONSTANT_BASE)
    }
}
