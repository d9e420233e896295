//! The fields that most encodings share, and the contract of lowering.
//!
//! Bit positions: see the table in `docs/kepler.md`.

use upset_isa::{ConstAddr, Dst, Exec, Guard, Inst, OpDef, PredDst, PredSrc, RZ, Src, Width};

use super::{Form, Word};
use crate::LowerError;

/// Turns an encoded word into an executable instruction. `None` in a table row
/// means: legal, but not implemented.
pub type Lower = fn(&Fields) -> Result<Inst, LowerError>;

/// A word together with what decoding found: the raw material of lowering.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// The encoded instruction.
    pub word: Word,
    /// The operation.
    pub op: &'static OpDef,
    /// Where operands B and C are.
    pub form: Form,
}

impl Fields {
    /// Bits `lo .. lo + width`.
    pub fn bits(&self, lo: u32, width: u32) -> u64 {
        self.word.bits(lo, width)
    }

    /// One bit.
    pub fn bit(&self, n: u32) -> bool {
        self.word.bit(n)
    }

    /// Destination register, bits 2-9 (of stores: the data).
    pub fn rd(&self, w: Width) -> Result<Dst, LowerError> {
        self.register(2, w).map(|r| Dst::Reg(r, w))
    }

    /// What a store writes, bits 2-9.
    pub fn data(&self, w: Width) -> Result<Src, LowerError> {
        self.register(2, w).map(|r| Src::Reg(r, w))
    }

    /// Source register A, bits 10-17.
    pub fn ra(&self, w: Width) -> Result<Src, LowerError> {
        self.register(10, w).map(|r| Src::Reg(r, w))
    }

    /// Register in bits 23-30.
    pub fn rb(&self, w: Width) -> Result<Src, LowerError> {
        self.register(23, w).map(|r| Src::Reg(r, w))
    }

    /// Register in bits 42-49.
    pub fn rc(&self, w: Width) -> Result<Src, LowerError> {
        self.register(42, w).map(|r| Src::Reg(r, w))
    }

    /// Source B of an operation with integer operands, placed by the form.
    pub fn b(&self, w: Width) -> Result<Src, LowerError> {
        match self.form {
            Form::Imm => Ok(Src::Imm(self.imm20() as u32)),
            _ => self.b_of_form(w),
        }
    }

    /// Source B of an operation with floating-point operands, placed by the
    /// form: an immediate holds the upper 20 bits of the number.
    pub fn b_float(&self, w: Width) -> Result<Src, LowerError> {
        match self.form {
            Form::Imm if w == Width::W2 => Ok(Src::ImmHigh((self.imm20() as u32) << 12)),
            Form::Imm => Ok(Src::Imm((self.imm20() as u32) << 12)),
            _ => self.b_of_form(w),
        }
    }

    fn b_of_form(&self, w: Width) -> Result<Src, LowerError> {
        match self.form {
            Form::ConstB => Ok(Src::Const(self.constant(), w)),
            Form::ConstC => self.rc(w),
            _ => self.rb(w),
        }
    }

    /// Source C, placed by the form.
    pub fn c(&self, w: Width) -> Result<Src, LowerError> {
        match self.form {
            Form::ConstC => Ok(Src::Const(self.constant(), w)),
            _ => self.rc(w),
        }
    }

    /// The constant of bits 23-41: word offset (signed), bank.
    pub fn constant(&self) -> ConstAddr {
        let offset = self.word.signed(23, 14) as i32 * 4;
        ConstAddr::Bank { bank: self.bits(37, 5) as u8, offset }
    }

    /// The 20-bit immediate of bits 23-41 and 59, sign-extended.
    pub fn imm20(&self) -> i32 {
        self.bits(23, 19) as i32 - i32::from(self.bit(59)) * (1 << 19)
    }

    /// The 32-bit immediate of bits 23-54.
    pub fn imm32(&self) -> u32 {
        self.bits(23, 32) as u32
    }

    /// Byte offset of a branch target, from the next word: bits 23-46, signed.
    pub fn branch(&self) -> i64 {
        self.word.signed(23, 24)
    }

    /// Byte offset of LD, ST: bits 23-54, signed.
    pub fn offset32(&self) -> i32 {
        self.imm32() as i32
    }

    /// Byte offset of LDS, STS, LDL, STL: bits 23-46, signed.
    pub fn offset24(&self) -> i32 {
        self.word.signed(23, 24) as i32
    }

    /// Byte offset of ATOM and RED: bits 31-50, signed.
    pub fn offset20(&self) -> i32 {
        self.word.signed(31, 20) as i32
    }

    /// Byte offset of LDC, and of constants that flow instructions name: bits
    /// 23-38, signed; the bank is in bits 39-43.
    pub fn offset16(&self) -> i32 {
        self.word.signed(23, 16) as i32
    }

    /// The condition that a flow instruction tests in the condition code: bits
    /// 2-6, 15 = none.
    pub fn test(&self) -> u8 {
        self.bits(2, 5) as u8
    }

    /// Does the instruction write the condition code? (Bit 50; 32-bit
    /// immediates have it at bit 55.)
    pub fn writes_cc(&self, wide: bool) -> bool {
        self.bit(if wide { 55 } else { 50 })
    }

    /// Do its lanes pop the stack and wait for the others (`.S`, bit 22)?
    pub fn joins(&self) -> bool {
        self.bit(22)
    }

    /// Predicate source: 3 bits at `lo`, negation at `neg`.
    pub fn ps(&self, lo: u32, neg: u32) -> PredSrc {
        PredSrc { pred: self.bits(lo, 3) as u8, negate: self.bit(neg), uniform: false }
    }

    /// Predicate destination: 3 bits at `lo`.
    pub fn pd(&self, lo: u32) -> PredDst {
        PredDst { pred: self.bits(lo, 3) as u8, uniform: false }
    }

    /// Guard predicate.
    pub fn guard(&self) -> Guard {
        Guard { pred: self.bits(18, 3) as u8, negate: self.bit(21), uniform: false }
    }

    /// An instruction with its guard filled in. What the scheduler needs is in
    /// control words.
    pub fn inst(&self, exec: Exec) -> Inst {
        Inst { guard: self.guard(), ..Inst::new(self.op, exec) }
    }

    /// The register at `lo`. Pairs and quads start at a multiple of their size.
    fn register(&self, lo: u32, w: Width) -> Result<u8, LowerError> {
        let r = self.bits(lo, 8) as u8;
        if r != RZ && !r.is_multiple_of(w.words().next_power_of_two()) {
            return Err(LowerError::MisalignedRegister(r));
        }
        Ok(r)
    }
}
