//! The fields that most encodings share, and the contract of lowering.
//!
//! Bit positions: see the table in `docs/sass-encoding.md`.

use upset_isa::{ConstAddr, Ctl, Dst, Exec, Guard, Inst, OpDef, PredDst, PredSrc, RZ, Src, Width};

use crate::{Arch, Word};

/// Turns an encoded word into an executable instruction. `None` in a table row
/// means: legal, but not implemented.
pub type Lower = fn(&Fields) -> Result<Inst, LowerError>;

/// Why a word that decodes as legal text still traps when hardware executes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// A register pair or quad that starts at a register that is not a multiple of its size.
    #[error("misaligned register R{0}")]
    MisalignedRegister(u8),
    /// A field combination that hardware rejects.
    #[error("illegal instruction encoding")]
    IllegalEncoding,
    /// A modifier combination that this tool does not implement.
    #[error("not implemented: {0}")]
    Unimplemented(&'static str),
}

/// A word together with what decoding found: the raw material of lowering.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// The encoded instruction.
    pub word: Word,
    /// Its architecture.
    pub arch: Arch,
    /// The operation.
    pub op: &'static OpDef,
    /// Operand form, bits 9-11.
    pub form: u8,
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

    /// Destination register, bits 16-23.
    pub fn rd(&self, w: Width) -> Result<Dst, LowerError> {
        self.check(self.bits(16, 8) as u8, w).map(|r| Dst::Reg(r, w))
    }

    /// Source register A, bits 24-31.
    pub fn ra(&self, w: Width) -> Result<Src, LowerError> {
        self.check(self.bits(24, 8) as u8, w).map(|r| Src::Reg(r, w))
    }

    /// Register in bits 32-39.
    pub fn rb(&self, w: Width) -> Result<Src, LowerError> {
        self.check(self.bits(32, 8) as u8, w).map(|r| Src::Reg(r, w))
    }

    /// Register in bits 64-71.
    pub fn rc(&self, w: Width) -> Result<Src, LowerError> {
        self.check(self.bits(64, 8) as u8, w).map(|r| Src::Reg(r, w))
    }

    /// The operand in bits 32-63 that is not a register: immediate, constant
    /// or uniform register, as the form says. `wide` immediates are FP64 high words.
    fn flexible(&self, w: Width) -> Result<Src, LowerError> {
        Ok(match self.form {
            2 | 4 if w == Width::W2 => Src::ImmHigh(self.bits(32, 32) as u32),
            2 | 4 => Src::Imm(self.bits(32, 32) as u32),
            3 | 5 => Src::Const(self.const_addr()?, w),
            6 | 7 => self.ureg(32, w)?,
            _ => self.rb(w)?,
        })
    }

    /// Sources B and C, placed by the form: in forms 2, 3 and 7 the flexible
    /// operand takes the place of C and the register of bits 64-71 that of B.
    pub fn bc(&self, wb: Width, wc: Width) -> Result<(Src, Src), LowerError> {
        Ok(match self.form {
            2 | 3 | 7 => (self.rc(wb)?, self.flexible(wc)?),
            _ => (self.flexible(wb)?, self.rc(wc)?),
        })
    }

    /// Source B of a two-source operation (forms 1, 4, 5, 6).
    pub fn b(&self, w: Width) -> Result<Src, LowerError> {
        self.flexible(w)
    }

    /// Constant address: the word offset in bits 40-53 (signed in a bank), the
    /// bank in bits 54-58, or bindless when bit 91 is set.
    pub fn const_addr(&self) -> Result<ConstAddr, LowerError> {
        if self.bit(91) {
            self.bindless(32, self.bits(40, 14) as i32 * 4)
        } else {
            let offset = self.word.signed(40, 14) as i32 * 4;
            Ok(ConstAddr::Bank { bank: self.bits(54, 5) as u8, offset })
        }
    }

    /// A constant in the bank that the uniform pair at `lo` describes.
    pub fn bindless(&self, lo: u32, offset: i32) -> Result<ConstAddr, LowerError> {
        match self.ureg(lo, Width::W2)? {
            Src::UReg(ureg, _) => Ok(ConstAddr::Bindless { ureg, offset }),
            _ => Err(LowerError::IllegalEncoding),
        }
    }

    /// Uniform register at `lo` (6 bits).
    pub fn ureg(&self, lo: u32, w: Width) -> Result<Src, LowerError> {
        let r = self.bits(lo, 6) as u8;
        if r != upset_isa::URZ && !r.is_multiple_of(w.words().next_power_of_two()) {
            return Err(LowerError::MisalignedRegister(r));
        }
        Ok(Src::UReg(r, w))
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
        Guard { pred: self.bits(12, 3) as u8, negate: self.bit(15), uniform: false }
    }

    /// Scheduling fields.
    pub fn ctl(&self) -> Ctl {
        Ctl {
            stall: self.bits(105, 4) as u8,
            yield_: !self.bit(109),
            write_sb: self.bits(110, 3) as u8,
            read_sb: self.bits(113, 3) as u8,
            wait: self.bits(116, 6) as u8,
            reuse: self.bits(122, 4) as u8,
        }
    }

    /// An instruction with guard and scheduling fields filled in.
    pub fn inst(&self, exec: Exec) -> Inst {
        Inst { guard: self.guard(), ctl: self.ctl(), ..Inst::new(self.op, exec) }
    }

    fn check(&self, r: u8, w: Width) -> Result<u8, LowerError> {
        let align = w.words().next_power_of_two();
        if r != RZ && !r.is_multiple_of(align) {
            return Err(LowerError::MisalignedRegister(r));
        }
        Ok(r)
    }
}
