//! What those who watch are told beside the accesses themselves.

use upset_gcn::row::{Specials, Unit};
use upset_gcn::wave::{Reg, uses};
use upset_state::kind::steering;
use upset_state::{ArrayId, Probe};

use crate::code::{Op, Route};
use crate::cu::Cu;
use crate::group::Cx;
use crate::view::{View, sgpr_number};
use crate::wave::Wave;
use crate::witness::{self, Issued, Stage, Step};

/// Whether MODE has the wave leave an instruction out.
pub(crate) fn is_skipped(wave: &Wave, op: &Op) -> bool {
    wave.mode >> 28 & 1 == 1 && matches!(op.unit, Unit::Valu | Unit::Vmem | Unit::Lds)
}

impl Cu {
    /// An instruction issues: its operands are read, but for the data of stores.
    pub(crate) fn tell_issue<P: Probe>(&self, slot: u32, op: &Op, cx: &mut Cx<'_, P>) {
        let wave = &self.waves[slot as usize];
        let (s, _) = self.place(slot);
        let simd = &self.simds[s];
        let view = View::of(simd, wave);
        // The data of a store is read later.
        let later = (op.route == Route::Vector).then_some(uses::DATA);
        let all_lanes = !op.inst.row.reads.has(Specials::EXEC);
        let lanes = if all_lanes { !0 } else { wave.exec };
        uses::each_vgpr_source(&view, &op.inst, |source, first, count| {
            if Some(source) != later {
                for n in first..first.saturating_add(u32::from(count)) {
                    self.tell_vgpr(slot, n, lanes, cx);
                }
            }
        });
        uses::each_scalar_read(&view, &op.inst, |reg| match reg {
            Reg::Sgpr(_) | Reg::Vcc(_) => {
                if let Some(n) = sgpr_number(reg, wave.sgprs) {
                    simd.scalar.tell_read(cx.now, wave.first_sgpr + n, !0, cx.probe);
                }
            }
            Reg::M0 => wave.m0.tell_read(cx.now, 0, !0, cx.probe),
            Reg::Scc => wave.scc.tell_read(cx.now, 0, !0, cx.probe),
            Reg::Exec(_) | Reg::Mode => {}
        });
        if is_skipped(wave, op) {
            return;
        }
        let group = self.groups.get(wave.group as usize).and_then(Option::as_ref);
        witness::tell(cx.witness, |w| {
            w.issued(&Issued {
                cycle: cx.now,
                cu: self.id,
                slot,
                wave: wave.id,
                place: wave.group,
                group: group.map_or(0, |g| g.index),
                lds: group.map_or(0, |g| g.lds),
                simd: self.id * self.simds.len() as u32 + s as u32,
                pc: wave.pc.wrapping_sub(cx.kernel.code.base) as u32,
                inst: &op.inst,
                operands: &view,
            });
        });
    }

    /// A memory instruction goes on.
    pub(crate) fn tell_step<P: Probe>(&self, access: u32, stage: Stage, cx: &Cx<'_, P>) {
        if P::ACTIVE {
            let step = Step { cycle: cx.now, cu: self.id, access, stage };
            witness::tell(cx.witness, |w| w.stepped(&step));
        }
    }

    /// Lanes of a vector register are read.
    pub(crate) fn tell_vgpr<P: Probe>(&self, slot: u32, n: u32, lanes: u64, cx: &mut Cx<'_, P>) {
        let wave = &self.waves[slot as usize];
        let (s, _) = self.place(slot);
        let n = if n < wave.vgprs { n } else { 0 };
        for half in 0..2 {
            let mask = (lanes >> (32 * half)) as u32;
            if mask != 0 {
                let row = wave.first_row + 2 * n + half;
                self.simds[s].vector.tell_read(cx.now, row, mask, cx.probe);
            }
        }
    }

    /// Stuck bits of control state get their value back, after whatever may
    /// have changed them.
    #[inline]
    pub(crate) fn hold_control<P: Probe>(&mut self, cx: &mut Cx<'_, P>) {
        if !P::ACTIVE {
            return;
        }
        let Some(held) = cx.probe.held().filter(|held| !held.is_empty()) else { return };
        for kind in steering() {
            let mut changed = false;
            for (number, word) in held.words(ArrayId::data(kind, self.id)) {
                changed |= self.change_control(kind, number, word);
            }
            if changed {
                self.reconsider(kind, cx.now);
            }
        }
    }
}
