//! Memory operands: `[R2+0x10]`, `[R2.X4+UR5]`, `[R2.64+UR4+-0x8]`.

use super::Col;
use super::number::hex;
use super::print::{Out, reg, ureg};
use crate::{Arch, Fields};

/// `+0x10`, `+-0x10`, nothing for zero.
fn plus(offset: i64) -> String {
    if offset == 0 { String::new() } else { format!("+{}", hex(offset)) }
}

/// A register with offset. Without register the offset is an unsigned address.
fn based(base: u64, suffix: &str, f: &Fields, lo: u32, width: u32) -> String {
    match (base, f.word.signed(lo, width)) {
        (255, 0) => "[RZ]".to_owned(),
        (255, _) => format!("[{:#x}]", f.bits(lo, width)),
        (r, offset) => format!("[{}{suffix}{}]", reg(r), plus(offset)),
    }
}

/// `[R2+0x10]`: register in bits 24-31, signed offset in bits 40-63.
pub const SHORT: Col = Col::Fn(|f, _, out| out.operand(&based(f.bits(24, 8), "", f, 40, 24)));

/// Matrix loads: without register the offset is unsigned on sm_75, signed later.
pub const MATRIX: Col = Col::Fn(|f, _, out| {
    let r = f.bits(24, 8);
    match matrix_offset(f) {
        offset if r == 255 && offset != 0 => out.operand(&format!("[{}]", hex(offset))),
        offset => out.operand(&format!("[{}{}]", reg(r), plus(offset))),
    }
});

fn matrix_offset(f: &Fields) -> i64 {
    if f.bits(24, 8) == 255 && f.arch == Arch::Sm75 {
        f.bits(40, 24) as i64
    } else {
        f.word.signed(40, 24)
    }
}

/// `[R2+0x10]`: register in bits 24-31, signed offset in bits 32-63.
pub const LONG: Col = Col::Fn(|f, _, out| out.operand(&based(f.bits(24, 8), "", f, 32, 32)));

/// What a shared-memory index is multiplied by (from sm_75).
pub const SCALES: [&str; 4] = ["", ".X4", ".X8", ".X16"];

fn scale(f: &Fields) -> &'static str {
    if f.arch == Arch::Sm70 { "" } else { SCALES[f.bits(78, 2) as usize] }
}

/// `[R2.X4+0x10]`.
pub const SCALED: Col =
    Col::Fn(|f, _, out| out.operand(&based(f.bits(24, 8), scale(f), f, 40, 24)));

/// A register (left out when it is an unscaled `RZ`), a uniform register, an offset.
fn with_uniform(f: &Fields, suffix: &str, ur: u32, out: &mut Out) {
    let uniform = ureg(f.bits(ur, 6));
    let offset = plus(f.word.signed(40, 24));
    match f.bits(24, 8) {
        255 if suffix.is_empty() => out.operand(&format!("[{uniform}{offset}]")),
        r => out.operand(&format!("[{}{suffix}+{uniform}{offset}]", reg(r))),
    }
}

/// As [`MATRIX`], with a uniform register.
pub const MATRIX_UNIFORM: Col = Col::Fn(|f, _, out| {
    let (uniform, offset) = (ureg(f.bits(32, 6)), plus(matrix_offset(f)));
    match f.bits(24, 8) {
        255 => out.operand(&format!("[{uniform}{offset}]")),
        r => out.operand(&format!("[{}+{uniform}{offset}]", reg(r))),
    }
});
/// `[R2.X4+UR5+0x10]` with the uniform register in bits 32-37.
pub const SCALED_UNIFORM_32: Col = Col::Fn(|f, _, out| with_uniform(f, scale(f), 32, out));
/// `[R2.X4+UR5+0x10]` with the uniform register in bits 64-69.
pub const SCALED_UNIFORM_64: Col = Col::Fn(|f, _, out| with_uniform(f, scale(f), 64, out));

/// Local memory: from sm_80 bit 76 says that the uniform register is a
/// descriptor, which is not printed.
fn local(f: &Fields, ur: u32, out: &mut Out) {
    if described(f, 76) {
        let offset = plus(f.word.signed(40, 24));
        let descriptor = descriptor(f, ur);
        out.operand(&format!("{descriptor}[{}{offset}]", reg(f.bits(24, 8))));
    } else {
        with_uniform(f, "", ur, out);
    }
}

/// Local memory, uniform register in bits 32-37.
pub const LOCAL_32: Col = Col::Fn(|f, _, out| local(f, 32, out));
/// Local memory, uniform register in bits 64-69.
pub const LOCAL_64: Col = Col::Fn(|f, _, out| local(f, 64, out));

/// Is the uniform register a memory descriptor?
fn described(f: &Fields, bit: u32) -> bool {
    f.arch >= Arch::Sm80 && f.bit(bit)
}

/// The descriptor itself, which sm_80 names when bit 101 is set.
pub fn descriptor(f: &Fields, ur: u32) -> String {
    if f.arch == Arch::Sm80 && f.bit(101) {
        format!("desc[{}]", ureg(f.bits(ur, 6)))
    } else {
        String::new()
    }
}

/// Where the parts of a global address with uniform register are encoded.
#[derive(Clone, Copy)]
struct Global {
    ur: u32,
    wide: u32,
    descriptor: u32,
}

impl Global {
    fn print(self, f: &Fields, out: &mut Out) {
        let offset = plus(f.word.signed(40, 24));
        let uniform = ureg(f.bits(self.ur, 6));
        let ra = f.bits(24, 8);
        let text = if described(f, self.descriptor) {
            format!("{}[{}.64{offset}]", descriptor(f, self.ur), reg(ra))
        } else if ra == 255 && f.arch < Arch::Sm90 {
            format!("[{uniform}{offset}]")
        } else if !f.bit(self.wide) {
            format!("[{}.U32+{uniform}{offset}]", reg(ra))
        } else if ra == 255 {
            format!("[???255.64+{uniform}{offset}]")
        } else {
            format!("[{}.64+{uniform}{offset}]", reg(ra))
        };
        out.operand(&text);
    }

    /// A 64-bit register without `.E` prints an unnamed modifier.
    fn unnamed(self, f: &Fields) -> bool {
        f.bit(self.wide)
            && !f.bit(72)
            && (described(f, self.descriptor) || f.bits(24, 8) != 255 || f.arch >= Arch::Sm90)
    }
}

const LOAD: Global = Global { ur: 32, wide: 90, descriptor: 76 };
const STORE: Global = Global { ur: 64, wide: 90, descriptor: 76 };
const ATOMIC: Global = Global { ur: 64, wide: 70, descriptor: 71 };
const REDUCTION: Global = Global { ur: 64, wide: 90, descriptor: 71 };

fn extended(g: Global, f: &Fields, out: &mut Out) {
    if f.bit(72) {
        out.modifier(".E");
    } else if g.unnamed(f) {
        out.modifier(".???0");
    }
}

/// Address of a load with uniform register.
pub const GLOBAL_LOAD: Col = Col::Fn(|f, _, out| LOAD.print(f, out));
/// `.E` of such a load.
pub const GLOBAL_LOAD_E: Col = Col::Fn(|f, _, out| extended(LOAD, f, out));
/// Address of a store with uniform register.
pub const GLOBAL_STORE: Col = Col::Fn(|f, _, out| STORE.print(f, out));
/// `.E` of such a store.
pub const GLOBAL_STORE_E: Col = Col::Fn(|f, _, out| extended(STORE, f, out));
/// Address of an atomic with uniform register.
pub const GLOBAL_ATOMIC: Col = Col::Fn(|f, _, out| ATOMIC.print(f, out));
/// `.E` of such an atomic.
pub const GLOBAL_ATOMIC_E: Col = Col::Fn(|f, _, out| extended(ATOMIC, f, out));
/// Address of a reduction with uniform register.
pub const GLOBAL_REDUCTION: Col = Col::Fn(|f, _, out| REDUCTION.print(f, out));
/// `.E` of such a reduction.
pub const GLOBAL_REDUCTION_E: Col = Col::Fn(|f, _, out| extended(REDUCTION, f, out));

/// `QSPC` knows no descriptors.
const QUERY: Global = Global { ur: 32, wide: 90, descriptor: 126 };
/// Address of a query with uniform register.
pub const GLOBAL_QUERY: Col = Col::Fn(|f, _, out| QUERY.print(f, out));
/// `.E` of such a query.
pub const GLOBAL_QUERY_E: Col = Col::Fn(|f, _, out| extended(QUERY, f, out));

/// `[R2+UR5+0x10]` with the uniform register in bits 64-69.
pub const UNIFORM_64: Col = Col::Fn(|f, _, out| with_uniform(f, "", 64, out));

/// Counting atomics of sm_80 know no descriptors.
const COUNT: Global = Global { ur: 64, wide: 70, descriptor: 126 };
/// Address of a counting atomic.
pub const GLOBAL_COUNT: Col = Col::Fn(|f, _, out| COUNT.print(f, out));
