//! Latches of the load/store unit: addresses, and data word by word.

use upset_isa::control::barriers::lanes;
use upset_isa::{Mask, MemKind, WARP};
use upset_state::{Kind, Probe, Use};

use super::drive_row;
use crate::lsu::access::{Access, Level};
use crate::sm::{Cx, Sm};
use crate::wires::Wires;

impl Wires {
    /// Addresses of the lanes in `mask` are latched.
    #[inline]
    pub fn latch_addresses<P: Probe>(
        &self,
        s: usize,
        mask: Mask,
        addrs: &mut [u64; WARP],
        (now, probe): (u64, &mut P),
    ) {
        if !probe.breaks() {
            return;
        }
        let array = self.array(Kind::Lsua, s);
        if !probe.drives(array) {
            return;
        }
        let physical = self.lanes(Kind::Lsua);
        for lane in lanes(mask) {
            let mut words = [addrs[lane] as u32, (addrs[lane] >> 32) as u32];
            let first = (lane % physical) as u64 * 64;
            probe.drive(&Use::new(array, first, now), &mut words);
            addrs[lane] = u64::from(words[0]) | u64::from(words[1]) << 32;
        }
    }

    /// Data of a store, or operands of an atomic, are latched.
    #[inline]
    pub fn latch_stored<P: Probe>(&self, s: usize, a: &mut Access, now: u64, probe: &mut P) {
        if !probe.breaks() {
            return;
        }
        let array = self.array(Kind::Lsud, s);
        if !probe.drives(array) {
            return;
        }
        let Some(m) = a.op else { return };
        let rows = match m.kind {
            MemKind::Store | MemKind::StoreUnlock => usize::from(m.bytes.div_ceil(4)),
            MemKind::Atomic(..) | MemKind::Reduce(..) => a.data.len(),
            MemKind::Load
            | MemKind::LoadLock
            | MemKind::QuerySpace(_)
            | MemKind::Copy(_)
            | MemKind::Bulk(_)
            | MemKind::CopiesEnd(_)
            | MemKind::PhaseCheck => 0,
        };
        for row in a.data.iter_mut().take(rows) {
            drive_row(probe, (array, 0, now), self.lanes(Kind::Lsud), [None; 3], row);
        }
    }
}

impl Sm {
    /// Loaded data are latched on their way to the registers.
    #[inline]
    pub(crate) fn latch_loaded<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        if !P::ACTIVE || !cx.probe.breaks() {
            return;
        }
        let Sm { accesses, wires, subs, .. } = self;
        let a = &mut accesses[index];
        let array = wires.array(Kind::Lsud, a.slot as usize % subs.len());
        if a.level == Level::Texture || !cx.probe.drives(array) {
            return;
        }
        let lanes = wires.lanes(Kind::Lsud);
        match a.op.map(|m| (m.kind, m.bytes)) {
            Some((
                MemKind::Load | MemKind::LoadLock | MemKind::Copy(_) | MemKind::PhaseCheck,
                bytes,
            )) => {
                for row in a.data.iter_mut().take(usize::from(bytes.div_ceil(4))) {
                    drive_row(cx.probe, (array, 0, cx.now), lanes, [None; 3], row);
                }
            }
            Some((MemKind::Atomic(..), _)) => {
                for row in &mut a.old {
                    drive_row(cx.probe, (array, 0, cx.now), lanes, [None; 3], row);
                }
            }
            _ => {}
        }
    }
}
