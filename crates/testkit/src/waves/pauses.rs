//! Hazards that software must cover by other instructions or `s_nop` between
//! two (LLVM's `GCNHazardRecognizer`, ACO's `insert_NOPs`, AMD's manuals).

use std::collections::BTreeMap;

use upset_gcn::inst::Inst;
use upset_gcn::operand::Operand;
use upset_gcn::row::{Specials, Unit};
use upset_gcn::sem::Does;
use upset_gcn::wave::Reg;

use super::touch::{Thing, Touched};

/// Longest pause that a hazard asks for.
const LONGEST: u8 = 5;

/// Who wrote something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Vector,
    Scalar,
    SetReg,
}

/// What was written a few instructions ago, and how many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pauses(BTreeMap<(By, Thing), u8>);

impl Pauses {
    /// Either of two pasts.
    pub fn join(&mut self, other: &Pauses) {
        for (key, ago) in &other.0 {
            self.0.entry(*key).and_modify(|own| *own = (*own).min(*ago)).or_insert(*ago);
        }
    }

    /// Instructions that must come before this one.
    pub fn need(&self, inst: &Inst, t: &Touched) -> u8 {
        let mut need = 0;
        let mut since = |by: By, thing: Thing, states: u8| {
            if let Some(ago) = self.0.get(&(by, thing)) {
                need = need.max(states.saturating_sub(*ago));
            }
        };
        for &thing in &t.read {
            match inst.row.unit {
                Unit::Smem => {
                    since(By::Vector, thing, 4);
                    if matches!(inst.row.does, Does::ScalarRead { buffer: true }) {
                        since(By::Scalar, thing, 4);
                    }
                }
                Unit::Vmem => since(By::Vector, thing, 5),
                // Only the last step of a division reads VCC without naming it.
                Unit::Valu if inst.row.reads.has(Specials::VCC) => {
                    since(By::Vector, thing, 4);
                }
                _ => {}
            }
        }
        if matches!(inst.row.does, Does::ReadLane | Does::WriteLane)
            && let Some(reg) = Reg::of(inst.src[1], 0)
        {
            since(By::Vector, reg.into(), 4);
        }
        for src in inst.src {
            match src {
                Operand::Vccz => since(By::Vector, Thing::Vcc, 5),
                Operand::Execz => since(By::Vector, Thing::Exec, 5),
                _ => {}
            }
        }
        match inst.row.does {
            Does::GetReg => since(By::SetReg, Thing::Mode, 2),
            Does::SetReg => since(By::SetReg, Thing::Mode, 1),
            _ if matches!(inst.row.unit, Unit::Valu | Unit::Vmem | Unit::Lds) => {
                since(By::SetReg, Thing::Mode, 2);
            }
            _ => {}
        }
        need
    }

    /// So many instructions have come.
    pub fn paused(&mut self, states: u8) {
        self.0.values_mut().for_each(|ago| *ago += states);
        self.0.retain(|_, ago| *ago < LONGEST);
    }

    /// An instruction issues.
    pub fn issue(&mut self, inst: &Inst, t: &Touched) {
        self.paused(1);
        let by = match (inst.row.does, inst.row.unit) {
            (Does::SetReg | Does::SetVskip, _) => By::SetReg,
            (_, Unit::Valu) => By::Vector,
            (_, Unit::Salu) => By::Scalar,
            _ => return,
        };
        for thing in t.written.iter().filter(|t| !matches!(t, Thing::Vector(_))) {
            self.0.insert((by, *thing), 0);
        }
    }
}
