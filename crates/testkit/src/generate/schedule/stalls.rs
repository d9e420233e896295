//! Stall counts.

use super::blocks::Block;
use super::distance::{Use, least};
use super::effects::{Effects, RESOURCES, Timing};
use super::item::Item;
use crate::Rng;
use crate::asm::Control;
use upset_isa::Unit;
use upset_sass::Arch;

/// Most cycles that one instruction can stall.
const MOST: u32 = 15;

/// Sets the stall counts of every block. At its end every result of fixed
/// latency is there, so blocks can follow each other in any order.
pub(crate) fn set(
    items: &[Item],
    blocks: &[Block],
    controls: &mut [Control],
    arch: Arch,
    tight: bool,
) {
    for block in blocks {
        let items = &items[block.range.clone()];
        Walk { items, arch, tight }.block(&mut controls[block.range.clone()]);
    }
}

struct Walk<'a> {
    items: &'a [Item],
    arch: Arch,
    tight: bool,
}

impl Walk<'_> {
    fn block(&self, controls: &mut [Control]) {
        // Cycle of issue and instruction that last wrote each resource.
        let mut written: Vec<Option<(u32, usize)>> = vec![None; RESOURCES];
        let mut now = 0;
        for (i, item) in self.items.iter().enumerate() {
            let mut rng = Rng::new(item.key ^ 0x57a11);
            if let Some(before) = i.checked_sub(1) {
                let earliest = self.earliest(&item.effects, &written, &mut rng);
                let mut stall = self.own(before, controls, i);
                stall = stall.max(earliest.saturating_sub(now));
                if rng.below(8) == 0 {
                    stall += rng.below(5);
                }
                controls[before].stall = stall.min(MOST) as u8;
                now += stall.min(MOST);
            }
            if item.effects.timing == Timing::Fixed {
                for &r in &item.effects.writes {
                    written[r] = Some((now, i));
                }
            }
        }
        let Some(last) = self.items.len().checked_sub(1) else { return };
        let drained = self.drained(&written, self.items[last].effects.call);
        let stall = self.own(last, controls, last + 1).max(drained.saturating_sub(now));
        controls[last].stall = stall.min(MOST) as u8;
    }

    /// The first cycle at which everything that `e` touches is there.
    fn earliest(&self, e: &Effects, written: &[Option<(u32, usize)>], rng: &mut Rng) -> u32 {
        let mut earliest = 0;
        let mut need = |r: usize, used: Use<'_>| {
            if let Some((at, by)) = written[r] {
                let cycles = least(&self.items[by].effects, r, used, self.arch, self.tight, rng);
                earliest = earliest.max(at + u32::from(cycles));
            }
        };
        for &(r, early) in &e.reads {
            need(r, if early { Use::Early } else { Use::Source(e) });
        }
        for &r in &e.writes {
            need(r, Use::Source(e));
        }
        earliest
    }

    /// The first cycle at which everything is there for whoever comes next.
    fn drained(&self, written: &[Option<(u32, usize)>], call: bool) -> u32 {
        let mut rng = Rng::new(0);
        // Behind a call a return may follow at once, which reads a register early.
        let used = if call { Use::Early } else { Use::Anything };
        written
            .iter()
            .enumerate()
            .filter_map(|(r, w)| {
                let (at, by) = (*w)?;
                let producer = &self.items[by].effects;
                Some(at + u32::from(least(producer, r, used, self.arch, false, &mut rng)))
            })
            .max()
            .unwrap_or(0)
    }

    /// Cycles an instruction takes for itself, `next` being the one behind it.
    fn own(&self, index: usize, controls: &[Control], next: usize) -> u32 {
        let e = &self.items[index].effects;
        let c = &controls[index];
        // A counter shows one cycle after issue.
        let bits = [c.write, c.read].into_iter().flatten().fold(0, |m, b| m | 1u8 << b);
        let waited = controls.get(next).is_none_or(|n| n.wait & bits != 0);
        match e.unit {
            Unit::Branch => 5,
            Unit::System if e.timing == Timing::None => 6,
            _ if bits != 0 && waited => 2,
            _ if e.wide => 2,
            _ => 1,
        }
    }
}
