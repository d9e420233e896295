//! Where a ghost's results go.

use upset_isa::warp::{Destinations, Operands, write_pred, write_row};
use upset_isa::{Dst, Inst, Lanes, Mask, PT, RZ, WARP};
use upset_state::words::WORDS;
use upset_state::{Ghosts, Probe};

use super::operands::lanes_of;
use super::whose::Whose;
use crate::sm::{Cx, Sm};
use crate::view::{Constants, View};

/// Rows that a ghost's result changes, with their values.
pub(super) struct GhostTarget<'a> {
    whose: Whose,
    ghost: u32,
    g: &'a Ghosts,
    right: View<'a>,
    rows: Vec<(u8, Lanes)>,
    preds: Vec<(u8, Mask)>,
    upreds: Vec<(u8, Mask)>,
    uregs: Vec<(u8, u32)>,
    codes: Vec<(u8, Mask)>,
}

fn entry<T>(list: &mut Vec<(u8, T)>, key: u8, make: impl FnOnce() -> T) -> &mut T {
    let at = list.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
        list.push((key, make()));
        list.len() - 1
    });
    &mut list[at].1
}

impl Destinations for GhostTarget<'_> {
    fn write_row(&mut self, r: u8, mask: Mask, value: &Lanes) {
        let (g, ghost, place, right) = (self.g, self.ghost, self.whose.place(r), self.right.row(r));
        if usize::from(r) >= self.right.rows.len() {
            return;
        }
        let row = entry(&mut self.rows, r, || match g.of_ghost(place, ghost) {
            Some(words) => lanes_of(right, words),
            None => *right,
        });
        write_row(row, mask, value);
    }
    fn write_ureg(&mut self, r: u8, value: u32) {
        *entry(&mut self.uregs, r, || 0) = value;
    }
    fn write_pred(&mut self, p: u8, mask: Mask, value: Mask) {
        let before = self.right.preds[usize::from(p)];
        let xor = self.g.of_ghost(self.whose.pred(p), self.ghost).map_or(0, |w| w[0]);
        write_pred(entry(&mut self.preds, p, || before ^ xor), mask, value);
    }
    fn write_code(&mut self, flag: usize, mask: Mask, value: Mask) {
        let before = self.right.codes.map_or(0, |codes| codes[flag]);
        let xor = self.g.of_ghost(self.whose.code(flag), self.ghost).map_or(0, |w| w[0]);
        write_pred(entry(&mut self.codes, flag as u8, || before ^ xor), mask, value);
    }
    fn write_upred(&mut self, p: u8, value: Mask) {
        *entry(&mut self.upreds, p, || 0) = value;
    }
}

impl<'a> GhostTarget<'a> {
    pub(super) fn new(whose: Whose, ghost: u32, g: &'a Ghosts, right: View<'a>) -> Self {
        let (rows, preds, upreds, uregs, codes) = Default::default();
        GhostTarget { whose, ghost, g, right, rows, preds, upreds, uregs, codes }
    }

    /// The right instruction writes places that the ghost's own does not: the ghost
    /// keeps what it has there.
    pub(super) fn keep(&mut self, right: &Inst) {
        if let Dst::Reg(d, w) = right.dst {
            let rows = (0..w.words()).map(|n| d.saturating_add(n)).filter(|&r| r != RZ);
            rows.for_each(|r| self.write_row(r, 0, &[0; WARP]));
        }
        for p in right.pdst.iter().filter(|p| p.pred < PT) {
            self.write_pred(p.pred, 0, 0);
        }
    }

    pub(super) fn done(self) -> Written {
        let GhostTarget { ghost, rows, preds, upreds, uregs, codes, .. } = self;
        Written { ghost, rows, preds, upreds, uregs, codes }
    }
}

/// What a ghost's rows will be once the right result is written.
pub(crate) struct Written {
    ghost: u32,
    rows: Vec<(u8, Lanes)>,
    preds: Vec<(u8, Mask)>,
    upreds: Vec<(u8, Mask)>,
    uregs: Vec<(u8, u32)>,
    codes: Vec<(u8, Mask)>,
}

impl Sm {
    /// The right result is written: notes in what the ghosts' rows differ.
    pub(crate) fn haunt_written<P: Probe>(
        &mut self,
        slot: u32,
        written: Vec<Written>,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let whose = self.whose(slot);
        let right = self.view(slot, &Constants::NONE);
        let one = |xor: u32| std::array::from_fn(|i| if i == 0 { xor } else { 0 });
        for w in written {
            for (r, row) in w.rows {
                g.put(whose.place(r), w.ghost, &lanes_of(&row, right.row(r)));
            }
            for (p, value) in w.preds {
                g.put(whose.pred(p), w.ghost, &one(value ^ right.preds[usize::from(p)]));
            }
            for (flag, value) in w.codes {
                let flag = usize::from(flag);
                let right = right.codes.map_or(0, |codes| codes[flag]);
                g.put(whose.code(flag), w.ghost, &one(value ^ right));
            }
            for (p, value) in w.upreds {
                g.put(whose.upred(p), w.ghost, &one(value ^ right.upreds[usize::from(p)]));
            }
            for (r, value) in w.uregs {
                let (place, word) = whose.ureg(r);
                let mut mask = [0; WORDS];
                mask[word] = !0;
                let xor = value ^ right.uregs[usize::from(r)];
                g.merge(place, w.ghost, &mask, &mask.map(|m| m & xor));
            }
        }
    }
}
