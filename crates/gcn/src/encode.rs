//! From instructions to words. Bits that mean nothing are zero, as assemblers
//! write them.

use crate::bits::put;
use crate::format::Format;
use crate::inst::{Detail, Inst};
use crate::operand::Operand;
use crate::row::Place;

/// An encoded instruction: one to three words (two are the most that are legal).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    words: [u32; 3],
    length: usize,
}

impl Words {
    /// The words.
    pub fn as_slice(&self) -> &[u32] {
        &self.words[..self.length]
    }

    /// The bytes, as they lie in memory.
    pub fn bytes(&self) -> Vec<u8> {
        self.as_slice().iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Encodes an instruction.
pub fn encode(inst: &Inst) -> Words {
    let layout = inst.format.layout();
    let op = if inst.format == Format::Vop3 { inst.row.long_op() } else { inst.row.op };
    let (w, x) = fields(inst);
    let mut words = [layout.prefix | put(op.into(), layout.lo, layout.width) | w, x, 0];
    let mut length = inst.format.words();
    if let Some(literal) = inst.literal() {
        words[length] = literal;
        length += 1;
    }
    Words { words, length }
}

/// The low bits of a code: of a vector register its number.
fn low(operand: Operand) -> u32 {
    operand.code() & 0xff
}

/// The fields of both words, opcode and prefix excepted.
fn fields(inst: &Inst) -> (u32, u32) {
    let [a, b, c, d] = inst.src;
    let dst = inst.dst;
    let short = match inst.format {
        Format::Sop1 => put(a.code(), 0, 8) | put(dst.code(), 16, 7),
        Format::Sop2 => put(a.code(), 0, 8) | put(b.code(), 8, 8) | put(dst.code(), 16, 7),
        Format::Sopc => put(a.code(), 0, 8) | put(b.code(), 8, 8),
        Format::Sopk => {
            let register = match inst.row.src[0].place {
                Place::None => dst,
                Place::Literal => Operand::None,
                _ => a,
            };
            put(register.code(), 16, 7)
        }
        Format::Sopp => 0,
        Format::Smrd => put(dst.code(), 15, 7) | put(a.code() / 2, 9, 6) | put(b.code(), 0, 8),
        Format::Vop1 => put(a.code(), 0, 9) | put(low(dst), 17, 8),
        Format::Vop2 => {
            let second = if inst.row.src[1].place == Place::Literal { c } else { b };
            put(a.code(), 0, 9) | put(low(second), 9, 8) | put(low(dst), 17, 8)
        }
        Format::Vopc => put(a.code(), 0, 9) | put(low(b), 9, 8),
        Format::Vop3 => put(low(dst), 0, 8) | put(inst.flag.code(), 8, 7),
        Format::Vintrp => put(low(a), 0, 8) | put(low(dst), 18, 8),
        Format::Ds | Format::Mubuf | Format::Mtbuf | Format::Mimg | Format::Exp => 0,
    };
    let long = match inst.format {
        Format::Vop3 => put(a.code(), 0, 9) | put(b.code(), 9, 9) | put(c.code(), 18, 9),
        Format::Ds => {
            put(low(a), 0, 8) | put(low(b), 8, 8) | put(low(c), 16, 8) | put(low(dst), 24, 8)
        }
        Format::Mubuf | Format::Mtbuf => {
            let data = if dst == Operand::None { d } else { dst };
            put(low(a), 0, 8)
                | put(low(data), 8, 8)
                | put(b.code() / 4, 16, 5)
                | put(c.code(), 24, 8)
        }
        Format::Mimg => {
            let data = if dst == Operand::None { d } else { dst };
            put(low(a), 0, 8)
                | put(low(data), 8, 8)
                | put(b.code() / 4, 16, 5)
                | put(c.code() / 4, 21, 5)
        }
        Format::Exp => {
            put(low(a), 0, 8) | put(low(b), 8, 8) | put(low(c), 16, 8) | put(low(d), 24, 8)
        }
        _ => 0,
    };
    let (w, x) = detail(inst);
    (short | w, long | x)
}

/// What is particular to the format.
fn detail(inst: &Inst) -> (u32, u32) {
    let bit = |set: bool, at: u32| put(set.into(), at, 1);
    match inst.detail {
        Detail::None => (0, 0),
        Detail::Imm(imm) => (imm.into(), 0),
        Detail::Scalar(scalar) => match scalar.offset {
            Some(offset) => (u32::from(offset) | 1 << 8, 0),
            None => (0, 0),
        },
        Detail::Modifiers(m) => (
            put(m.abs.into(), 8, 3) | bit(m.clamp, 11),
            put(m.neg.into(), 29, 3) | put(m.omod.into(), 27, 2),
        ),
        Detail::Share(s) => (u32::from(s.offset) | bit(s.gds, 17), 0),
        Detail::Buffer(b) => (
            put(b.offset.into(), 0, 12)
                | bit(b.offen, 12)
                | bit(b.idxen, 13)
                | bit(b.glc, 14)
                | bit(b.addr64, 15)
                | bit(b.lds, 16)
                | put(b.dfmt.into(), 19, 4)
                | put(b.nfmt.into(), 23, 3),
            bit(b.slc, 22) | bit(b.tfe, 23),
        ),
        Detail::Image(i) => (
            put(i.dmask.into(), 8, 4)
                | bit(i.unorm, 12)
                | bit(i.glc, 13)
                | bit(i.da, 14)
                | bit(i.r128, 15)
                | bit(i.tfe, 16)
                | bit(i.lwe, 17)
                | bit(i.slc, 25),
            0,
        ),
        Detail::Export(e) => (
            put(e.enabled.into(), 0, 4)
                | put(e.target.into(), 4, 6)
                | bit(e.compressed, 10)
                | bit(e.done, 11)
                | bit(e.valid_mask, 12),
            0,
        ),
        Detail::Interp(i) => {
            (put(i.attribute.into(), 10, 6) | put(i.channel.into(), 8, 2) | u32::from(i.vertex), 0)
        }
    }
}
