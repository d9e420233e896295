//! What the portable tests share.

use crate::{Group, Image, Level, Oracle, TestAbout};

/// Why other boards leave them out.
pub const FOR_OPENCL: &str = "for OpenCL devices (--opencl)";
/// Work-items of a group: what every implementation has room for.
pub(super) const ITEMS: u32 = 64;

/// Multiplier that tells addresses apart: neighbours differ in half of their bits.
pub(super) const SPREAD: u32 = 0x9e37_79b9;

pub(super) const fn image(name: &'static str, opencl: &'static str) -> Image {
    Image { name, cubins: &[], ptx: "", opencl }
}

pub(super) const fn about(
    name: &'static str,
    group: Group,
    unit: &'static str,
    patterns: &'static str,
    footprint: &'static str,
    blind: &'static str,
) -> TestAbout {
    TestAbout {
        name,
        group,
        unit,
        oracle: Oracle::Cpu,
        patterns,
        footprint,
        blind,
        from: Level::One,
        injectable: false,
        not_on_model: FOR_OPENCL,
    }
}

/// How much of a test a level asks for, against level 1.
pub(super) fn times(level: Level) -> u32 {
    match level {
        Level::One => 1,
        Level::Two => 16,
        Level::Three => 128,
        Level::Four => 1024,
    }
}

pub(super) fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}
