//! Sign modifiers of floating-point operands, placed by the operand form.

use upset_isa::fp::warp::mods;

use crate::Fields;

/// Negate and absolute-value flags of an operand.
#[derive(Clone, Copy)]
pub(super) struct Signs {
    pub neg: bool,
    pub abs: bool,
}

impl Signs {
    /// The modifier bits for operand `slot` (0 = A).
    pub(super) fn mods(self, slot: u32) -> u32 {
        let neg = if self.neg { mods::NEG_A } else { 0 };
        let abs = if self.abs { mods::ABS_A } else { 0 };
        (neg | abs) << (2 * slot)
    }
}

/// Source A: negate in bit 72, absolute value in bit 73.
pub(super) fn a(f: &Fields) -> Signs {
    Signs { neg: f.bit(72), abs: f.bit(73) }
}

/// The operand in bits 32-63: bits 63 and 62, unless an immediate fills them.
pub(super) fn flexible(f: &Fields) -> Signs {
    let register = !matches!(f.form, 2 | 4);
    Signs { neg: register && f.bit(63), abs: register && f.bit(62) }
}

/// The register in bits 64-71: bits 75 and 74.
pub(super) fn upper(f: &Fields) -> Signs {
    Signs { neg: f.bit(75), abs: f.bit(74) }
}

/// Signs of A and of the flexible operand as B.
pub(super) fn two(f: &Fields) -> u32 {
    a(f).mods(0) | flexible(f).mods(1)
}

/// Signs of A, B and C; the form says which of B and C is the flexible one.
pub(super) fn three(f: &Fields) -> u32 {
    let (b, c) = match f.form {
        2 | 3 | 7 => (upper(f), flexible(f)),
        _ => (flexible(f), upper(f)),
    };
    a(f).mods(0) | b.mods(1) | c.mods(2)
}

/// A modifier bit if the encoded bit is set.
pub(super) fn flag(f: &Fields, bit: u32, modifier: u32) -> u32 {
    if f.bit(bit) { modifier } else { 0 }
}
