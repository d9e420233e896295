//! A scoreboard: hardware that finds by itself what an instruction depends on,
//! for code that names no counters (sm_35).
//!
//! One bit for each register, predicate and the condition codes of a warp says
//! that a result is on its way there. An instruction that reads or writes such
//! a place does not issue. Operands are read when an instruction issues, so
//! nothing is kept for those who write what others read.
//!
//! The code's own waits (control bytes) cover results of fixed latency; the
//! scoreboard covers the rest, and both are obeyed. How many results hardware
//! can keep track of is not published: here it is all of them.

use upset_isa::inst::BY_SCOREBOARD;
use upset_isa::texture::texture_rows;
use upset_isa::{Dst, Exec, Inst, MemKind, PT, RZ};

use crate::regfile::operands::each_register;

/// Places of a warp, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scoreboard {
    registers: [u64; 4],
    preds: u8,
    codes: bool,
}

/// An instruction's places, worked out once.
#[derive(Clone, Debug)]
pub struct Marks {
    /// What it reads or writes.
    pub touched: Scoreboard,
    /// What it writes.
    pub written: Scoreboard,
}

impl Marks {
    /// Those of an instruction whose results a scoreboard keeps track of.
    pub fn of(inst: &Inst) -> Option<Box<Marks>> {
        (inst.ctl.write_sb == BY_SCOREBOARD).then(|| {
            let (mut touched, written) = (Scoreboard::read(inst), Scoreboard::written(inst));
            touched.begin(&written);
            Box::new(Marks { touched, written })
        })
    }
}

impl Scoreboard {
    /// Results are on their way to some places.
    pub fn begin(&mut self, new: &Scoreboard) {
        for (word, more) in self.registers.iter_mut().zip(new.registers) {
            *word |= more;
        }
        self.preds |= new.preds;
        self.codes |= new.codes;
    }

    /// They are there.
    pub fn end(&mut self, old: &Scoreboard) {
        for (word, less) in self.registers.iter_mut().zip(old.registers) {
            *word &= !less;
        }
        self.preds &= !old.preds;
        self.codes &= !old.codes;
    }

    /// Whether something is on its way to one of some places.
    #[inline]
    pub fn meets(&self, other: &Scoreboard) -> bool {
        let registers = self.registers.iter().zip(other.registers);
        registers.fold(0, |all, (a, b)| all | a & b) != 0
            || self.preds & other.preds != 0
            || self.codes && other.codes
    }

    fn add_register(&mut self, r: u8) {
        if r != RZ {
            self.registers[usize::from(r / 64)] |= 1 << (r % 64);
        }
    }

    fn add_pred(&mut self, p: u8) {
        self.preds |= (1u8 << (p & 7)) & !(1 << PT);
    }

    /// What an instruction writes.
    fn written(inst: &Inst) -> Scoreboard {
        let mut to = Scoreboard::default();
        let loaded = match inst.exec {
            Exec::Mem(m) if m.kind != MemKind::Store => m.bytes.div_ceil(4),
            Exec::Surface(s) => s.mem.bytes.div_ceil(4),
            _ => 0,
        };
        if let Dst::Reg(d, w) = inst.dst {
            (0..w.words().max(loaded)).for_each(|n| to.add_register(d.saturating_add(n)));
        }
        if let Exec::Tex(t) = inst.exec {
            texture_rows(inst, &t).into_iter().for_each(|r| to.add_register(r));
        }
        inst.pdst.iter().for_each(|p| to.add_pred(p.pred));
        match inst.exec {
            // Which ones, a register may say.
            Exec::WritePreds { cc: false, .. } => to.preds = !(1 << PT),
            Exec::WritePreds { cc: true, .. } | Exec::AluCodes { writes: true, .. } => {
                to.codes = true;
            }
            _ => {}
        }
        to
    }

    /// What an instruction reads.
    fn read(inst: &Inst) -> Scoreboard {
        let mut of = Scoreboard::default();
        each_register(inst, |r| of.add_register(r));
        of.add_pred(inst.guard.pred);
        if inst.op.reads_preds {
            inst.psrc.iter().for_each(|p| of.add_pred(p.pred));
        }
        match inst.exec {
            Exec::ReadPreds { cc: false, .. } => of.preds = !(1 << PT),
            Exec::ReadPreds { cc: true, .. } | Exec::AluCodes { .. } => of.codes = true,
            Exec::Flow(_) if inst.mods != 0 => of.codes = true,
            _ => {}
        }
        of
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_isa::{Flow, Guard, LatencyClass, OpDef, PredDst, Src, Unit, Width};

    fn marks(inst: &Inst) -> Box<Marks> {
        let mut kept = *inst;
        kept.ctl.write_sb = BY_SCOREBOARD;
        Marks::of(&kept).expect("it is kept track of")
    }

    fn is_clear(s: &Scoreboard, inst: &Inst) -> bool {
        !s.meets(&marks(inst).touched)
    }

    static OP: OpDef = OpDef::new("TEST", Unit::Alu, LatencyClass::Fixed);

    fn inst(exec: Exec, d: u8, src: &[u8]) -> Inst {
        let mut i = Inst::new(&OP, exec);
        i.dst = Dst::Reg(d, Width::W1);
        for (to, r) in i.src.iter_mut().zip(src) {
            *to = Src::Reg(*r, Width::W1);
        }
        i
    }

    #[test]
    fn who_reads_or_writes_what_is_on_its_way_waits() {
        let mut s = Scoreboard::default();
        let made = inst(Exec::Nop, 70, &[1, 2]);
        s.begin(&marks(&made).written);
        assert!(!is_clear(&s, &inst(Exec::Nop, 3, &[70])));
        assert!(!is_clear(&s, &inst(Exec::Nop, 70, &[3])));
        // What it has read may be written.
        assert!(is_clear(&s, &inst(Exec::Nop, 1, &[2, RZ])));
        s.end(&marks(&made).written);
        assert!(is_clear(&s, &inst(Exec::Nop, 70, &[70])) && s == Scoreboard::default());
    }

    #[test]
    fn loads_are_as_wide_as_what_they_load() {
        let m = crate::testing::mem_op(upset_isa::Space::Shared, MemKind::Load, 16);
        let mut s = Scoreboard::default();
        s.begin(&marks(&inst(Exec::Mem(m), 8, &[1])).written);
        for r in 8..12 {
            assert!(!is_clear(&s, &inst(Exec::Nop, 1, &[r])), "R{r}");
        }
        assert!(is_clear(&s, &inst(Exec::Nop, 1, &[7, 12])));
    }

    #[test]
    fn predicates_and_codes_are_waited_for_too() {
        let mut s = Scoreboard::default();
        let mut set = inst(Exec::Nop, RZ, &[]);
        set.pdst[0] = PredDst { pred: 2, uniform: false };
        s.begin(&marks(&set).written);
        let mut guarded = inst(Exec::Nop, 1, &[]);
        guarded.guard = Guard { pred: 2, negate: true, uniform: false };
        assert!(!is_clear(&s, &guarded) && is_clear(&s, &inst(Exec::Nop, 1, &[])));
        assert!(!is_clear(&s, &inst(Exec::ReadPreds { shift: 0, cc: false }, 1, &[])));
        s.end(&marks(&set).written);
        let add = |writes| Exec::AluCodes { f: upset_isa::int::carry::add, writes };
        s.begin(&marks(&inst(add(true), 1, &[])).written);
        assert!(!is_clear(&s, &inst(add(false), 2, &[])));
        let mut jump = inst(Exec::Flow(Flow::Exit), RZ, &[]);
        assert!(is_clear(&s, &jump));
        jump.exec = Exec::Flow(Flow::Trap);
        assert!(is_clear(&s, &jump));
        jump.mods = upset_isa::codes::when(1);
        assert!(!is_clear(&s, &jump));
    }
}
