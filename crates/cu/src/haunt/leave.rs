//! When a ghost must leave.

use upset_gcn::wave::{Operands, Outcome, Reg, buffer, evaluate, scalar_read, share, uses};
use upset_state::words::WORDS;
use upset_state::{Place, Probe};

use super::shadows::Written;
use super::view::{GhostView, Whose};
use crate::code::{Op, Route};
use crate::cu::Cu;
use crate::group::Cx;
use crate::view::View;

impl Cu {
    /// What ghosts write with the instruction that issues.
    pub(crate) fn haunt_compute(&mut self) -> Vec<Written> {
        std::mem::take(&mut self.shadows.issuing)
    }

    /// Ghosts whose words of the next instruction are others must leave.
    pub(crate) fn wrong_code<P: Probe>(
        &self,
        slot: u32,
        pc: u64,
        len: u32,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let Some(g) = cx.probe.ghosts() else { return false };
        let ibuf = &self.waves[slot as usize].ibuf;
        let mut who = Vec::new();
        for at in (pc..pc + u64::from(len)).step_by(4) {
            let Some(dword) = ibuf.dword(at) else { continue };
            for d in g.at(ibuf.place(dword.row)) {
                if d.words[dword.word as usize % WORDS] != 0 {
                    who.push(d.ghost);
                }
            }
        }
        for ghost in who {
            g.mark_used(ghost);
            g.leave(ghost);
        }
        g.wants_out()
    }

    /// An instruction is about to issue: finds the ghosts that have a part in
    /// it. True when one of them must leave first.
    pub(crate) fn haunts<P: Probe>(&mut self, slot: u32, op: &Op, cx: &mut Cx<'_, P>) -> bool {
        let mut who = std::mem::take(&mut self.shadows.involved);
        let mut issuing = std::mem::take(&mut self.shadows.issuing);
        who.clear();
        issuing.clear();
        let out = self.find_haunts(slot, op, &mut who, &mut issuing, cx);
        self.shadows.involved = who;
        self.shadows.issuing = issuing;
        out
    }

    fn find_haunts<P: Probe>(
        &self,
        slot: u32,
        op: &Op,
        who: &mut Vec<u32>,
        issuing: &mut Vec<Written>,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let Some(g) = cx.probe.ghosts() else { return false };
        if g.is_calm() || op.route == Route::Wait {
            return false;
        }
        let whose = Whose::of(self, slot);
        let right = View::of(whose.simd, whose.wave);
        let mut add = |place: Place, word: Option<u32>| {
            for d in g.at(place) {
                if word.is_none_or(|w| d.words[w as usize % WORDS] != 0) {
                    who.push(d.ghost);
                }
            }
        };
        uses::each_vgpr_read(&right, &op.inst, |first, count| {
            for n in first..first.saturating_add(u32::from(count)) {
                (0..2).for_each(|half| add(whose.vgpr(n, half), None));
            }
        });
        uses::each_scalar_read(&right, &op.inst, |reg| {
            if let Some((place, word)) = whose.scalar(reg) {
                add(place, Some(word));
            }
        });
        if who.is_empty() {
            return false;
        }
        who.sort_unstable();
        who.dedup();
        let next = whose.wave.pc.wrapping_add(u64::from(op.len));
        let mut expected = Box::<Outcome>::default();
        if op.route == Route::Compute && evaluate(&right, &op.inst, next, &mut expected).is_err() {
            // The run itself is about to trap; so may they, each in its own way.
            let all = who.clone();
            all.into_iter().for_each(|ghost| g.leave(ghost));
            return g.wants_out();
        }
        let (mut leaving, mut used) = (Vec::new(), Vec::new());
        let mut own = Box::<Outcome>::default();
        for &ghost in who.iter() {
            let view = GhostView::new(whose, &op.inst, g, ghost);
            let fate = match op.route {
                Route::Compute => compute(op, &view, next, &expected, &mut own),
                _ => access(op, &right, &view, self.lds_bytes(slot)),
            };
            match fate {
                Fate::Leaves => {
                    leaving.push(ghost);
                    used.push(ghost);
                }
                Fate::Differs => {
                    used.push(ghost);
                    issuing.push(Written::of_outcome(ghost, &own));
                }
                Fate::Alike => {}
            }
        }
        used.into_iter().for_each(|ghost| g.mark_used(ghost));
        leaving.into_iter().for_each(|ghost| g.leave(ghost));
        g.wants_out()
    }

    /// Bytes of LDS that a wave's work-group has.
    fn lds_bytes(&self, slot: u32) -> u32 {
        let place = self.waves[slot as usize].group as usize;
        self.groups.get(place).and_then(Option::as_ref).map_or(0, |g| g.taken)
    }
}

/// What an instruction is to a ghost.
enum Fate {
    /// It does the same.
    Alike,
    /// It has other results.
    Differs,
    /// It does something else in kind.
    Leaves,
}

/// Arithmetic and control.
fn compute(
    op: &Op,
    view: &GhostView<'_>,
    next: u64,
    expected: &Outcome,
    own: &mut Outcome,
) -> Fate {
    if evaluate(view, &op.inst, next, own).is_err() {
        return Fate::Leaves;
    }
    let same_shape = own.next == expected.next
        && own.rows == expected.rows
        && own.scalars.list().len() == expected.scalars.list().len();
    if !same_shape {
        return Fate::Leaves;
    }
    let mut differs = false;
    for (a, b) in own.scalars.list().iter().zip(expected.scalars.list()) {
        if a.0 != b.0 {
            return Fate::Leaves;
        }
        if a.1 != b.1 {
            if matches!(a.0, Reg::Exec(_) | Reg::Mode) {
                return Fate::Leaves;
            }
            differs = true;
        }
    }
    for word in 0..usize::from(own.rows.count) {
        for half in 0..2 {
            let mask = own.rows.lanes[half];
            let (a, b) = (&own.vector[half].d[word], &expected.vector[half].d[word]);
            differs |= (0..32).any(|l| mask >> l & 1 == 1 && a[l] != b[l]);
        }
    }
    if differs { Fate::Differs } else { Fate::Alike }
}

/// Where a memory instruction goes. Data are looked at when they are read.
fn access(op: &Op, right: &View<'_>, view: &GhostView<'_>, lds_bytes: u32) -> Fate {
    let same = match op.route {
        Route::Scalar => {
            scalar_read::locate(right, &op.inst) == scalar_read::locate(view, &op.inst)
        }
        Route::Vector => {
            let lds = matches!(op.inst.detail, upset_gcn::Detail::Buffer(b) if b.lds);
            let m0 = right.scalar(Reg::M0) == view.scalar(Reg::M0) || !lds;
            match (buffer::locate(right, &op.inst), buffer::locate(view, &op.inst)) {
                (Ok(a), Ok(b)) => {
                    let lanes = a.lanes | b.lanes;
                    m0 && (a.lanes, a.dead, a.short, a.shape) == (b.lanes, b.dead, b.short, b.shape)
                        && (0..64).all(|l| {
                            lanes >> l & 1 == 0
                                || a.addrs[l] == b.addrs[l] && a.reach(l) == b.reach(l)
                        })
                }
                _ => false,
            }
        }
        Route::Share => {
            match (
                share::locate(right, &op.inst, lds_bytes),
                share::locate(view, &op.inst, lds_bytes),
            ) {
                (Ok(a), Ok(b)) => {
                    (a.active, a.lanes, a.elements) == (b.active, b.lanes, b.elements)
                        && (0..2).all(|e| {
                            (0..64)
                                .all(|l| a.lanes[e] >> l & 1 == 0 || a.addrs[e][l] == b.addrs[e][l])
                        })
                }
                _ => false,
            }
        }
        Route::Compute | Route::Wait => true,
    };
    if same { Fate::Alike } else { Fate::Leaves }
}
