//! Statements without memory: arithmetic, predicates, lanes.

use super::emit::{Emitter, role};
use super::tree::StatementKind;
use crate::asm::float::{self, Function};
use crate::asm::int::{self, Combine, Compare, Shift};
use crate::asm::warp::{self, Shuffle, Special, Vote};
use crate::asm::{Code, P, PT, R, RZ, Src, memory, moves};
use upset_sass::Arch;

const COMPARES: [Compare; 6] =
    [Compare::Lt, Compare::Eq, Compare::Le, Compare::Gt, Compare::Ne, Compare::Ge];
const FUNCTIONS: [Function; 7] = [
    Function::Cos,
    Function::Sin,
    Function::Ex2,
    Function::Lg2,
    Function::Rcp,
    Function::Rsq,
    Function::Sqrt,
];

impl Emitter<'_> {
    /// One statement of arithmetic.
    pub fn arithmetic(&mut self, kind: StatementKind) {
        match kind {
            StatementKind::Integer => self.integer(),
            StatementKind::Float => self.float(),
            StatementKind::Double => self.double(),
            StatementKind::Special => self.special(),
            StatementKind::Predicate => self.predicate(),
            StatementKind::Lanes => self.lanes(),
            _ => self.constant_load(),
        }
    }

    fn integer(&mut self) {
        let (d, a, b, c) = (self.reg(), self.reg(), self.src(), self.reg());
        let code = match self.rng.below(13) {
            0 => moves::mov(d, b),
            1 => int::iadd3(d, a, b, c),
            2 => self.negated(int::iadd3(d, a, b, c), b),
            3 => return self.wide_sum(),
            4 | 5 => int::imad(d, a, b, c),
            6 => {
                let (d, c) = (self.regs(2), self.regs(2));
                // Register forms only: the wide forms with constants are rarer.
                let b = self.reg();
                let signed = self.chance(2);
                int::imad_wide(d, a, b, c, signed)
            }
            7 if self.uniform() => {
                let (b, c) = (self.reg(), self.regs(2));
                int::imad_hi(d, a, b, c)
            }
            8 => {
                let shift = self.rng.below(32) as u8;
                int::lea(d, PT, a, b, shift)
            }
            9 => self.shift(d, a, c),
            10 => moves::prmt(d, a, b, c),
            11 if self.uniform() => {
                let (p, signed) = (self.any_pred(), self.chance(2));
                int::imnmx(d, a, b, p, signed)
            }
            _ => {
                let table = self.rng.u32() as u8;
                int::lop3(d, a, b, c, table)
            }
        };
        self.emit_guarded(code);
    }

    /// Negates one operand: hardware does not negate A and B together.
    fn negated(&mut self, code: Code, b: Src) -> Code {
        match (self.rng.below(3), b) {
            (0, _) => code.neg_a(),
            (1, Src::Imm(_)) | (2, _) => code.neg_c(),
            _ => code.neg_b(),
        }
    }

    /// A 64-bit sum: the carry goes through a predicate.
    fn wide_sum(&mut self) {
        let (d, a, b) = (self.regs(2), self.regs(2), self.regs(2));
        let (b0, b1): (Src, Src) = if self.chance(3) {
            let v = self.imm();
            (v.into(), self.imm().into())
        } else {
            (b.into(), b.plus(1).into())
        };
        self.emit(int::iadd3_carry(d, role::CARRY, a, b0, RZ));
        self.emit(int::iadd3_x(d.plus(1), a.plus(1), b1, RZ, role::CARRY));
    }

    fn shift(&mut self, d: R, a: R, c: R) -> Code {
        let s = Shift {
            right: self.chance(2),
            wrap: self.chance(2),
            kind: self.rng.below(4) as u8,
            high: self.chance(2),
        };
        let b: Src = if self.chance(2) { self.rng.below(64).into() } else { self.reg().into() };
        int::shf(d, a, b, c, s)
    }

    fn float(&mut self) {
        let (d, a, b, c) = (self.reg(), self.reg(), self.src(), self.reg());
        let code = match self.rng.below(4) {
            0 => float::fadd(d, a, b),
            1 => float::fmul(d, a, b),
            2 => float::ffma(d, a, b, c).neg_c(),
            _ => float::ffma(d, a, b, c),
        };
        self.emit_guarded(code);
    }

    fn double(&mut self) {
        let [d, a, b, c] = [0; 4].map(|_| self.regs(2));
        let code = match self.rng.below(3) {
            0 => float::dadd(d, a, b),
            1 => float::dmul(d, a, b),
            _ => float::dfma(d, a, b, c),
        };
        self.emit_guarded(code);
    }

    fn special(&mut self) {
        let (d, b, signed) = (self.reg(), self.reg(), self.chance(2));
        let code = match self.rng.below(8) {
            0 => int::popc(d, b),
            1 => int::flo(d, b),
            2 => float::f2i(d, b, signed),
            3 if self.arch() == Arch::Sm90 => float::i2fp(d, b, signed),
            3 | 4 => float::i2f(d, b, signed),
            5 => {
                let which = self.rng.pick(&[
                    Special::Lane,
                    Special::TidX,
                    Special::TidY,
                    Special::CtaX,
                    Special::CtaY,
                    Special::EqMask,
                    Special::LtMask,
                ]);
                warp::s2r(d, which)
            }
            _ => {
                let f = self.rng.pick(&FUNCTIONS);
                float::mufu(d, f, b)
            }
        };
        self.emit_guarded(code);
    }

    fn predicate(&mut self) {
        let code = match self.rng.below(7) {
            0 => {
                let (d, a, b, p) = (self.reg(), self.reg(), self.src(), self.any_pred());
                moves::sel(d, a, b, p)
            }
            1 => {
                let (d, a) = (self.reg(), self.reg());
                moves::p2r(d, a, (1 << role::PREDICATES) - 1)
            }
            2 => {
                let (a, mask) = (self.reg(), self.rng.below(1 << role::PREDICATES));
                moves::r2p(a, mask as u8)
            }
            3 => {
                let (d, p, a, b) = (self.reg(), self.pred(), self.reg(), self.src());
                let table = self.rng.u32() as u8;
                int::lop3_pred(d, p, a, b, RZ, table)
            }
            _ => {
                let p = self.pred();
                self.comparison(p)
            }
        };
        self.emit_guarded(code);
    }

    /// A comparison into `d`.
    pub fn comparison(&mut self, d: P) -> Code {
        let (cmp, signed) = (self.rng.pick(&COMPARES), self.chance(2));
        let (a, b) = (self.reg(), self.src());
        let (combine, p) = match self.rng.below(6) {
            0 => (Combine::Or, self.any_pred()),
            1 => (Combine::Xor, self.any_pred()),
            2 => (Combine::And, self.any_pred()),
            _ => (Combine::And, PT),
        };
        int::isetp(d, cmp, signed, a, b, combine, p)
    }

    /// A condition that tends to split warps or CTAs: a bit of the thread's
    /// number or of some value, or a bound of the number.
    pub fn condition(&mut self) -> P {
        match self.rng.below(5) {
            0 => self.any_pred(),
            1 => {
                let code = self.comparison(role::CONDITION);
                self.emit(code);
                role::CONDITION
            }
            4 => {
                // Whole warps on either side.
                let (p, from) = (role::CONDITION, self.rng.below(self.shape().threads()));
                let code = int::isetp(p, Compare::Ge, false, role::THREAD, from, Combine::And, PT);
                self.emit(code);
                if self.chance(2) { p } else { !p }
            }
            n => {
                let a = if n == 2 { role::THREAD } else { self.reg() };
                let bit = 1 << self.rng.below(6);
                let temp = self.temp();
                self.emit(int::lop3_pred(temp, role::CONDITION, a, bit, RZ, int::table::AND));
                if self.chance(2) { role::CONDITION } else { !role::CONDITION }
            }
        }
    }

    fn lanes(&mut self) {
        let (d, a, b) = (self.reg(), self.reg(), self.reg());
        let mode = self.rng.pick(&[Shuffle::Index, Shuffle::Up, Shuffle::Down, Shuffle::Butterfly]);
        let code = match self.rng.below(3) {
            0 => {
                let (pd, p) = (self.pred(), self.any_pred());
                let vote = self.rng.pick(&[Vote::All, Vote::Any, Vote::Eq]);
                warp::vote(d, pd, vote, p)
            }
            1 => {
                let pd = self.pred();
                warp::shfl(d, pd, mode, a, b)
            }
            _ => {
                let lane = self.rng.below(32) as u8;
                warp::shfl_imm(d, mode, a, lane)
            }
        };
        self.emit_guarded(code);
    }

    fn constant_load(&mut self) {
        let wide = self.chance(3);
        let d = self.regs(if wide { 2 } else { 1 });
        let size = if wide { 8 } else { 4 };
        let index = self.reg();
        let temp = self.temp();
        let mask = (4 * self.shape().constants - 1) & !(size - 1);
        self.emit(int::lop3(temp, index, mask, RZ, int::table::AND));
        self.emit_guarded(memory::ldc(d, 3, temp, 0, wide));
    }
}
