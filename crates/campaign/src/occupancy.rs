//! How much of a structure is in use: what its AVF-util is over.

use std::collections::BTreeSet;

use upset_fault::{Structure, Window};
use upset_state::kind::Per;
use upset_state::{Layout, Owner, Part};

use crate::golden::Golden;

/// Share of the bits x cycles of some structures that are in use in a window of
/// the fault-free run: rows, scalar registers and bytes that a CTA holds, what belongs to a warp
/// that is there, lines that are given to an address. `None` where a structure
/// has no bits, or wires, which hold nothing.
pub(crate) fn occupancy(parts: &[Structure], golden: &Golden, window: &Window) -> Option<f64> {
    let (mut used, mut all) = (0u128, 0u128);
    for structure in parts {
        let layouts = golden.registry.arrays.iter().filter(|l| structure.has(l));
        let mut counted = BTreeSet::new();
        for layout in layouts {
            if layout.id.kind.about().wire {
                return None;
            }
            all += u128::from(layout.bits()) * u128::from(window.cycles());
            // What is in use is counted for all arrays of a kind and part together.
            if counted.insert((layout.id.kind, layout.id.part)) {
                used += in_use(layout, golden, window);
            }
        }
    }
    (all > 0).then(|| used as f64 / all as f64)
}

/// Bits x cycles in use of all arrays of a kind and part.
fn in_use(layout: &Layout, golden: &Golden, window: &Window) -> u128 {
    let ranges = window.ranges();
    let counted = &golden.in_use;
    let cycles = |stay: &std::ops::Range<u64>| {
        u128::from(window.before(stay.end).saturating_sub(window.before(stay.start)))
    };
    let warps = &golden.residency.warps;
    let about = layout.id.kind.about();
    match about.owner {
        Owner::Register => counted.rows.area(ranges) * u128::from(layout.row_bits()),
        Owner::Cta => counted.shared_bytes.area(ranges) * u128::from(layout.row_bits()),
        Owner::Line => {
            let bits = u128::from(layout.row_bits());
            counted.lines.get(&layout.kind).map_or(0, |lines| match layout.id.part {
                Part::Data | Part::Tag => lines.now.area(ranges) * bits,
                Part::State => lines.ever.area(ranges) * bits,
            })
        }
        // A flip in the first cycle of a stay comes before its owner does.
        Owner::Local => {
            let bits = |w: &upset_fault::WarpStay| {
                let bytes = w.local.as_ref().map_or(0, |l| u64::from(l.bytes));
                u128::from(bytes * 8 * u64::from(w.lanes.count_ones()))
            };
            warps.iter().map(|w| cycles(&w.cycles) * bits(w)).sum()
        }
        // Of memory it is what was allocated, all of it.
        Owner::Chip => u128::from(golden.registry.bits(&layout.kind)) * u128::from(window.cycles()),
        // A file that waves are given rows of, not a slot's own bits.
        Owner::Warp if about.per == Per::SubCore => {
            counted.scalars.area(ranges) * u128::from(layout.row_bits())
        }
        Owner::Warp => {
            let slots = layout.axes.first().map_or(1, |a| a.size.max(1));
            let of_warp = u128::from(layout.bits() / slots);
            warps.iter().map(|w| cycles(&w.cycles) * of_warp).sum()
        }
    }
}
