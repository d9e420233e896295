//! Ports of the warp pool: masks and program counters pass them whenever a warp
//! is written or read, so a broken bit is broken for all warps of the SM.

use upset_state::{Kind, Probe, Use};

use crate::sm::{Cx, Sm};

/// First bit of each field.
const MASK: u64 = 0;
const PC: u64 = 32;

impl Sm {
    /// Masks and program counter of a warp pass the pool's ports.
    #[inline]
    pub(crate) fn pass_port<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) {
        if !cx.probe.breaks() {
            return;
        }
        let array = self.wires.array(Kind::Port, 0);
        let warp = &mut self.warps[slot as usize];
        if !cx.probe.drives(array) || !warp.resident {
            return;
        }
        let flow = &mut warp.flow;
        let fields = [(MASK, &mut flow.live), (MASK, &mut flow.active), (PC, &mut flow.pc)];
        for (first, field) in fields {
            cx.probe.drive(&Use::new(array, first, cx.now), std::slice::from_mut(field));
        }
    }
}
