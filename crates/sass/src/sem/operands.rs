//! Operands of an instruction that exists on the vector and on the uniform
//! datapath: one lowering function serves both.

use upset_isa::{Dst, Exec, Inst, PredDst, PredSrc, Src, Width};

use crate::{Fields, LowerError};

/// One register word.
pub const W: Width = Width::W1;

/// Fields read as operands of one datapath.
pub struct Operands<'a> {
    /// The encoded fields.
    pub f: &'a Fields,
    /// Registers and predicates are uniform ones.
    pub uniform: bool,
}

impl<'a> Operands<'a> {
    /// Operands of a vector instruction.
    pub fn vector(f: &'a Fields) -> Self {
        Operands { f, uniform: false }
    }

    /// Operands of a uniform instruction.
    pub fn uniform(f: &'a Fields) -> Self {
        Operands { f, uniform: true }
    }

    /// An instruction with guard and scheduling fields filled in.
    pub fn inst(&self, exec: Exec, mods: u32) -> Inst {
        let mut inst = self.f.inst(exec);
        inst.mods = mods;
        inst.uniform = self.uniform;
        inst.guard.uniform = self.uniform;
        inst
    }

    /// Destination, bits 16-23.
    pub fn rd(&self, w: Width) -> Result<Dst, LowerError> {
        if self.uniform { uniform_dst(self.f, w) } else { self.f.rd(w) }
    }

    /// Source A, bits 24-31.
    pub fn ra(&self, w: Width) -> Result<Src, LowerError> {
        if self.uniform { self.f.ureg(24, w) } else { self.f.ra(w) }
    }

    /// Sources B and C.
    pub fn bc(&self, wb: Width, wc: Width) -> Result<(Src, Src), LowerError> {
        if !self.uniform {
            return self.f.bc(wb, wc);
        }
        let imm = || Src::Imm(self.f.bits(32, 32) as u32);
        Ok(match self.f.form {
            2 => (self.f.ureg(64, wb)?, imm()),
            4 => (imm(), self.f.ureg(64, wc)?),
            _ => (self.f.ureg(32, wb)?, self.f.ureg(64, wc)?),
        })
    }

    /// Source B of an operation without C.
    pub fn b(&self, w: Width) -> Result<Src, LowerError> {
        match (self.uniform, self.f.form) {
            (true, 4) => Ok(Src::Imm(self.f.bits(32, 32) as u32)),
            (true, _) => self.f.ureg(32, w),
            (false, _) => self.f.b(w),
        }
    }

    /// Predicate source.
    pub fn ps(&self, lo: u32, neg: u32) -> PredSrc {
        PredSrc { uniform: self.uniform, ..self.f.ps(lo, neg) }
    }

    /// Predicate destination.
    pub fn pd(&self, lo: u32) -> PredDst {
        PredDst { uniform: self.uniform, ..self.f.pd(lo) }
    }

    /// Negation of B: with the operand of bits 32-63 (bit 63, none for an
    /// immediate), or with the register of bits 64-71 (bit 75).
    pub fn neg_b(&self) -> bool {
        match self.f.form {
            2 | 3 | 7 => self.f.bit(75),
            4 => false,
            _ => self.f.bit(63),
        }
    }

    /// Negation of C, the same way.
    pub fn neg_c(&self) -> bool {
        match self.f.form {
            2 => false,
            3 | 7 => self.f.bit(63),
            _ => self.f.bit(75),
        }
    }
}

/// Uniform destination, bits 16-21.
pub fn uniform_dst(f: &Fields, w: Width) -> Result<Dst, LowerError> {
    match f.ureg(16, w)? {
        Src::UReg(r, w) => Ok(Dst::UReg(r, w)),
        _ => Err(LowerError::IllegalEncoding),
    }
}

/// `1 << to` if bit `from` of the word is set.
pub fn flag(f: &Fields, from: u32, to: u32) -> u32 {
    u32::from(f.bit(from)) << to
}
