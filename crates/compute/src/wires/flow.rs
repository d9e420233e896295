//! The divergence unit's outputs: who jumps, where to, who arrives at a
//! convergence barrier, whom it releases.

use upset_isa::control::barriers::{Convergence, Wait, lanes};
use upset_isa::warp::{Operands, pred};
use upset_isa::{Flow, Inst, Mask, PredSrc, WARP};
use upset_state::{ArrayId, Kind, Probe, Use};

use crate::sm::{Cx, Sm};

/// First bit of each output.
const TAKEN: u64 = 0;
const NEXT: u64 = 32;
const ARRIVE: u64 = 64;
const RELEASE: u64 = 96;

/// What the outputs are compared with when an instruction is done.
pub(crate) struct Before {
    active: Mask,
    /// Threads that a barrier may release, and what they wait for.
    parked: Mask,
    wait: [Wait; WARP],
}

/// A divergence unit with broken outputs.
pub(crate) struct Broken {
    array: ArrayId,
    now: u64,
}

impl Sm {
    /// The divergence unit that a slot's warp uses, if its outputs are broken.
    #[inline]
    pub(crate) fn broken_outputs<P: Probe>(&self, slot: u32, cx: &Cx<'_, P>) -> Option<Broken> {
        if !P::ACTIVE || !cx.probe.breaks() {
            return None;
        }
        let array = self.wires.array(Kind::Div, self.place(slot).0);
        cx.probe.drives(array).then_some(Broken { array, now: cx.now })
    }
}

impl Broken {
    fn output<P: Probe>(&self, first: u64, value: u32, probe: &mut P) -> u32 {
        let mut word = [value];
        probe.drive(&Use::new(self.array, first, self.now), &mut word);
        word[0]
    }

    /// The mask that an instruction is carried out for, where it is an output of
    /// the unit; its conditions are then in the mask.
    pub fn mask<P: Probe>(
        &self,
        ops: &impl Operands,
        inst: &mut Inst,
        f: Flow,
        mask: Mask,
        probe: &mut P,
    ) -> Mask {
        let output = match f {
            Flow::Branch(_) | Flow::BranchIfGroup { .. } | Flow::Call(_) | Flow::Ret(_) => TAKEN,
            Flow::Bsync { .. } => ARRIVE,
            _ => return mask,
        };
        let holds = mask & pred(ops, inst.psrc[0]) & pred(ops, inst.psrc[1]);
        inst.psrc[..2].fill(PredSrc::TRUE);
        self.output(output, holds, probe)
    }

    /// Remembers what an instruction changes.
    pub fn before(&self, f: Flow, mask: Mask, threads: &Convergence) -> Before {
        let mut parked = threads.at_barrier();
        let mut wait = std::array::from_fn(|lane| threads.wait_of(lane));
        if let Flow::Bsync { bar } = f {
            for lane in lanes(mask & threads.active) {
                parked |= 1 << lane;
                wait[lane] = Wait::Barrier(bar);
            }
        }
        Before { active: threads.active, parked, wait }
    }

    /// An instruction is done: where its threads go on, and whom barriers have
    /// released, is as the outputs say.
    pub fn after<P: Probe>(
        &self,
        f: Flow,
        before: &Before,
        threads: &mut Convergence,
        probe: &mut P,
    ) {
        let jumps = matches!(
            f,
            Flow::Branch(_) | Flow::BranchIfGroup { .. } | Flow::Call(_) | Flow::Ret(_)
        );
        if jumps {
            if threads.active != 0 {
                threads.pc = self.output(NEXT, threads.pc, probe);
            }
            // Those that the jump has left behind go on there later.
            for lane in lanes(before.active & threads.live & !threads.active) {
                let pc = threads.thread_pcs()[lane];
                threads.thread_pcs_mut()[lane] = self.output(NEXT, pc, probe);
            }
        }
        let releases = matches!(
            f,
            Flow::Bsync { .. }
                | Flow::Break { .. }
                | Flow::BmovWrite { .. }
                | Flow::BmovRead { .. }
                | Flow::Exit
                | Flow::Kill
        );
        if releases {
            let released = before.parked & threads.ready();
            let told = self.output(RELEASE, released, probe);
            for lane in lanes(released & !told) {
                threads.park_again(lane, before.wait[lane]);
            }
            threads.let_go(told & !released & threads.at_barrier());
        }
    }
}
