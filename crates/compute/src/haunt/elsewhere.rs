//! Accesses that go elsewhere for a ghost, and take the same course: as many turns of
//! the banks of shared memory, the same sectors of the same lines in the same order.
//! Nothing but the bytes tells them apart, so that the ghost need not leave.

use upset_isa::{Exec, Inst, Mask, MemKind, MemOp, Space};

use super::operands::GhostView;
use crate::config::Config;
use crate::lsu::access::{Access, Line, sector_mask};
use crate::lsu::describe::{Placement, is_plain};
use crate::lsu::shared::passes;
use crate::sm::Sm;
use crate::view::View;

/// A load, or a store to shared memory, whose bytes are all that may be others.
pub(super) fn plain(inst: &Inst) -> Option<MemOp> {
    let Exec::Mem(m) = inst.exec else { return None };
    let fits = match m.kind {
        MemKind::Load => matches!(m.space, Space::Shared | Space::Global | Space::Generic),
        MemKind::Store => m.space == Space::Shared,
        _ => false,
    };
    (fits && is_plain(inst, &m)).then_some(m)
}

impl Sm {
    /// Whether an access takes the same course for a ghost, with lanes and addresses of its own.
    pub(super) fn goes_alike(
        &self,
        slot: u32,
        inst: &Inst,
        (right, mask): (&View<'_>, Mask),
        (view, own): (&GhostView<'_>, Mask),
        place: &Placement<'_>,
        config: &Config,
    ) -> bool {
        let Some(m) = plain(inst).filter(|_| mask != 0 && own != 0) else { return false };
        let (mut a, mut b) = (Box::<Access>::default(), Box::<Access>::default());
        // Who traps must leave before.
        if a.describe(slot, (inst, &m), mask, right, place).is_err()
            || b.describe(slot, (inst, &m), own, view, place).is_err()
        {
            return false;
        }
        let same = |(a, b): (&Line, &Line)| {
            let of = |l: &Line| (l.addr, l.word, l.local, sector_mask(l.bytes));
            of(a) == of(b)
        };
        // Bytes of a sector are alike where all of them are there or none.
        let whole = a.lines.is_empty() || config.past_l1d[0] || !self.l1d.keeps_stores();
        (a.shared == 0) == (b.shared == 0)
            && passes(&a, config) == passes(&b, config)
            && whole
            && a.lines.len() == b.lines.len()
            && a.lines.iter().zip(&b.lines).all(same)
            && a.lines.iter().all(|line| !line.local)
    }
}
