//! Chips by the numbers that the two ELF files give them (CLRX,
//! `DisasmAmd.cpp`; Multi2Sim, `Binary.cc`).

/// A chip of Southern Islands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// As its makers call it.
    pub name: &'static str,
    /// Machine of the outer file.
    pub outer: u16,
    /// Machine of an encoding in the inner file.
    pub inner: u32,
}

/// All that run the same code.
pub const CHIPS: [Chip; 5] = [
    Chip { name: "Tahiti", outer: 0x3fd, inner: 26 },
    Chip { name: "Pitcairn", outer: 0x3fe, inner: 27 },
    Chip { name: "Cape Verde", outer: 0x3ff, inner: 28 },
    Chip { name: "Oland", outer: 0x402, inner: 32 },
    Chip { name: "Hainan", outer: 0x407, inner: 37 },
];

/// An early driver wrote this machine into the inner file for all of them
/// (Multi2Sim takes it as well).
pub const EARLY_INNER: u32 = 9;

/// Chips of the next generations, whose code is another.
const OTHERS: [(u16, &str); 10] = [
    (0x403, "Bonaire"),
    (0x404, "Spectre"),
    (0x405, "Spooky"),
    (0x406, "Kalindi"),
    (0x408, "Hawaii"),
    (0x409, "Iceland"),
    (0x40a, "Tonga"),
    (0x40b, "Mullins"),
    (0x40c, "Fiji"),
    (0x40d, "Carrizo"),
];

/// Outer machines of AMD's GPUs: they are numbered from 1001, and processors from
/// 2001 (CLRX has x86 as 2004).
pub fn is_gpu(outer: u16) -> bool {
    (1001..2000).contains(&outer)
}

/// The chip of an outer machine.
pub fn by_outer(outer: u16) -> Option<Chip> {
    CHIPS.into_iter().find(|c| c.outer == outer)
}

/// Another machine, as well as it can be named.
pub fn other(outer: u16) -> String {
    match OTHERS.iter().find(|(number, _)| *number == outer) {
        Some((_, name)) => name.to_string(),
        None => format!("AMD's GPU number {outer:#x}"),
    }
}
