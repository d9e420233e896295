//! Hardware registers that instructions read and write by number.

use super::outcome::Outcome;
use super::reg::{Operands, Reg};
use super::value::scalar32;
use crate::inst::{Detail, Inst};

/// Number of the MODE register; the others have no effect here and read as zero.
const MODE: u16 = 1;

/// Which register, its first bit, and the bits meant.
fn field(inst: &Inst) -> (u16, u32, u32) {
    let imm = match inst.detail {
        Detail::Imm(imm) => imm,
        _ => 0,
    };
    let (first, bits) = (u32::from(imm >> 6 & 31), u32::from(imm >> 11 & 31) + 1);
    (imm & 63, first, if bits == 32 { !0 } else { (1 << bits) - 1 })
}

/// Is MODE the register that it names?
pub fn is_mode(inst: &Inst) -> bool {
    field(inst).0 == MODE
}

/// `s_getreg_b32`.
pub fn get(ops: &impl Operands, inst: &Inst, out: &mut Outcome) {
    let (register, first, mask) = field(inst);
    let value = if register == MODE { ops.mode().0 >> first & mask } else { 0 };
    if let Some(reg) = Reg::of(inst.dst, 0) {
        out.scalars.push(reg, value);
    }
}

/// `s_setreg_b32`, `s_setreg_imm32_b32`.
pub fn set(ops: &impl Operands, inst: &Inst, out: &mut Outcome) {
    let (register, first, mask) = field(inst);
    if register == MODE {
        let value = (scalar32(ops, inst.src[0]) & mask) << first;
        out.scalars.push(Reg::Mode, ops.mode().0 & !(mask << first) | value);
    }
}

/// `s_setvskip`.
pub fn set_vskip(ops: &impl Operands, inst: &Inst, out: &mut Outcome) {
    let bit = scalar32(ops, inst.src[1]) & 31;
    let on = scalar32(ops, inst.src[0]) >> bit & 1 == 1;
    out.scalars.push(Reg::Mode, ops.mode().with_vskip(on).0);
}
