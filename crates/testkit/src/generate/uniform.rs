//! Statements of the uniform datapath: only where the warp is converged, since
//! there is one set of uniform registers for all lanes.

use super::emit::{Emitter, role};
use crate::asm::int::Compare;
use crate::asm::uniform as u;
use crate::asm::warp::{Special, Vote};
use crate::asm::{P, Src};

impl Emitter<'_> {
    fn upred(&mut self) -> P {
        P::new(self.rng.below(role::UNIFORM_PREDICATES.into()) as u8)
    }

    fn usrc(&mut self) -> Src {
        if self.chance(3) { self.imm().into() } else { self.ureg().into() }
    }

    /// One uniform instruction.
    pub fn uniform_statement(&mut self) {
        let (d, a, b, c) = (self.ureg(), self.ureg(), self.usrc(), self.ureg());
        let guarded = self.chance(6);
        let code = match self.rng.below(10) {
            0 => u::umov(d, b),
            1 => u::uiadd3(d, a, b, c),
            2 => u::uimad(d, a, b, c),
            3 => {
                let table = self.rng.u32() as u8;
                u::ulop3(d, a, b, c, table)
            }
            4 => {
                let p = self.upred();
                let cmp = self.rng.pick(&[Compare::Lt, Compare::Eq, Compare::Gt, Compare::Ne]);
                u::uisetp(p, cmp, a, b)
            }
            5 => {
                let p = self.upred();
                u::usel(d, a, b, if guarded { p } else { !p })
            }
            6 => {
                let offset = 4 * self.rng.below(self.shape().constants) as u16;
                u::uldc(d, 3, offset, false)
            }
            7 => {
                let which = self.rng.pick(&[Special::CtaX, Special::CtaY, Special::CtaZ]);
                return self.emit(u::s2ur(d, which));
            }
            // These two are guarded by predicates of the lanes.
            8 => {
                let p = self.any_pred();
                return self.emit(u::voteu(d, Vote::Any, p));
            }
            _ => {
                let r = self.reg();
                return self.emit(u::r2ur(self.arch(), d, r));
            }
        };
        let p = self.upred();
        self.emit(if guarded { code.guard(p) } else { code });
    }
}
