//! Control flow, convergence, barriers.
//!
//! Distances are in bytes from the next instruction.

use upset_sass::Arch;

use super::{Code, P, PT, R, form};

/// The distance of a jump: bits 34-81, on sm_90 with eight low bits in 16-23.
fn distance(code: Code, arch: Arch, bytes: i64) -> Code {
    let words = bytes >> 2;
    let (low, high) = if arch >= Arch::Sm90 { (words & 255, words >> 8) } else { (0, words) };
    code.at(16, low as u8).at(34, high as u128 & ((1 << 48) - 1))
}

fn always(opcode: u16, form: u128) -> Code {
    Code::new(opcode, form).at(87, PT.index)
}

/// `BRA`.
pub fn bra(arch: Arch, bytes: i64) -> Code {
    distance(always(0x147, form::IMM), arch, bytes)
}

/// `BRX a bytes`: to the pair `a` plus the distance.
pub fn brx(arch: Arch, a: R, bytes: i64) -> Code {
    distance(always(0x149, form::IMM).a(a), arch, bytes)
}

/// `CALL.REL.NOINC`.
pub fn call(arch: Arch, bytes: i64) -> Code {
    distance(always(0x144, form::IMM).flag(86, true), arch, bytes)
}

/// `RET.REL.NODEC a bytes`: to the pair `a` plus the distance.
pub fn ret(arch: Arch, a: R, bytes: i64) -> Code {
    distance(always(0x150, form::IMM).a(a).flag(86, true), arch, bytes)
}

/// `BSSY Bn`, which expects the matching `BSYNC` at that distance.
pub fn bssy(bar: u8, bytes: i64) -> Code {
    always(0x145, form::IMM).at(16, bar & 15).at(34, (bytes >> 2) as u128 & ((1 << 30) - 1))
}

/// `BSYNC Bn`.
pub fn bsync(bar: u8) -> Code {
    always(0x141, form::IMM).at(16, bar & 15)
}

/// `BREAK Bn`.
pub fn break_(bar: u8) -> Code {
    always(0x142, form::IMM).at(16, bar & 15)
}

/// `EXIT`.
pub fn exit() -> Code {
    always(0x14d, form::IMM)
}

/// `YIELD`.
pub fn yield_() -> Code {
    always(0x146, form::IMM)
}

/// `WARPSYNC` of all threads of the warp.
pub fn warpsync_all(arch: Arch) -> Code {
    let code = always(0x148, form::IMM);
    if arch >= Arch::Sm90 { code } else { code.at(32, u32::MAX) }
}

/// `WARPSYNC mask` of the threads that a register names.
pub fn warpsync(arch: Arch, mask: R) -> Code {
    let code = always(0x148, form::REG);
    if arch >= Arch::Sm90 { code.a(mask) } else { code.at(32, mask.0) }
}

/// `BAR.SYNC n` of all threads of the CTA.
pub fn bar_sync(n: u8) -> Code {
    Code::new(0x11d, form::CONST).at(54, n & 15)
}

/// What [`bar_red`] asks of the threads' predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarReduce {
    /// `.POPC`
    Popc = 0,
    /// `.AND`
    And = 1,
    /// `.OR`
    Or = 2,
}

/// `BAR.RED n, p` of all threads of the CTA; the answer is read by [`b2r`].
pub fn bar_red(n: u8, reduce: BarReduce, p: P) -> Code {
    bar_sync(n).at(74, reduce as u8).at(77, 2u8).pred(87, 90, p)
}

/// `B2R.RESULT d`.
pub fn b2r(d: R) -> Code {
    Code::new(0x11c, form::REG).dst(d).at(78, 1u8).at(81, PT.index)
}

/// `NOP`.
pub fn nop() -> Code {
    Code::new(0x118, form::IMM)
}
