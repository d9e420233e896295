//! What those who watch are told beside the accesses themselves.

use upset_gcn::operand::Operand;
use upset_gcn::row::Specials;
use upset_gcn::wave::{Reg, uses};
use upset_state::kind::steering;
use upset_state::{ArrayId, Probe};

use crate::code::{Op, Route};
use crate::cu::Cu;
use crate::group::Cx;
use crate::view::{View, sgpr_number};

impl Cu {
    /// An instruction issues: its operands are read, but for the data of stores.
    pub(crate) fn tell_issue<P: Probe>(&self, slot: u32, op: &Op, cx: &mut Cx<'_, P>) {
        let wave = &self.waves[slot as usize];
        let (s, _) = self.place(slot);
        let simd = &self.simds[s];
        let view = View::of(simd, wave);
        // The data of a store is read later.
        let later = match op.inst.src[3] {
            Operand::Vgpr(first) if op.route == Route::Vector => Some(u32::from(first)),
            _ => None,
        };
        let all_lanes = !op.inst.row.reads.has(Specials::EXEC);
        let lanes = if all_lanes { !0 } else { wave.exec };
        uses::each_vgpr_read(&view, &op.inst, |first, count| {
            if Some(first) != later {
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
