//! For tests: a function given one lane's value, or two, in all lanes.

use upset_lanes::Mask;

use super::Mode;
use super::vector::{Results, Sources, VectorFn};

/// All denormals kept, to nearest.
pub const KEEP: u32 = 0xf0;
/// What compilers set: denormals of single precision flushed.
pub const USUAL: u32 = 0xc0;

/// Both words of the first lane, and all lanes' bits, of sources A and B.
pub fn run(f: VectorFn, mode: u32, a: u64, b: u64) -> (u64, Mask) {
    let rows = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32, 0, 0].map(|v| [v; 32]);
    let sources = Sources { r: rows.each_ref(), bits: 0, active: !0, mode: Mode(mode), first: 0 };
    let mut results = Results::default();
    f(&sources, &mut results);
    for d in results.d {
        assert_eq!(d, [d[0]; 32], "lanes differ");
    }
    (u64::from(results.d[0][0]) | u64::from(results.d[1][0]) << 32, results.bits)
}

/// 32 bits to 32 bits, usual mode.
pub fn of32(f: VectorFn, a: u32) -> u32 {
    in32(f, USUAL, a)
}

/// 32 bits to 32 bits, any mode.
pub fn in32(f: VectorFn, mode: u32, a: u32) -> u32 {
    let (value, _) = run(f, mode, u64::from(a), 0);
    assert_eq!(value >> 32, 0);
    value as u32
}
