//! A wave's registers as a ghost has them.

use upset_gcn::inst::Inst;
use upset_gcn::wave::{Operands, Reg, uses};
use upset_lanes::Lanes;
use upset_state::words::WORDS;
use upset_state::{Ghosts, Place};

use crate::cu::Cu;
use crate::simd::Simd;
use crate::view::{View, sgpr_number};
use crate::wave::Wave;

/// Rows of a wave's registers as ghosts know them.
#[derive(Clone, Copy)]
pub(super) struct Whose<'a> {
    pub simd: &'a Simd,
    pub wave: &'a Wave,
}

impl<'a> Whose<'a> {
    pub fn of(cu: &'a Cu, slot: u32) -> Whose<'a> {
        let (s, _) = cu.place(slot);
        Whose { simd: &cu.simds[s], wave: &cu.waves[slot as usize] }
    }

    /// Where half of a vector register is; what the wave lacks is v0.
    pub fn vgpr(&self, n: u32, half: usize) -> Place {
        let n = if n < self.wave.vgprs { n } else { 0 };
        self.simd.vector.place(self.wave.first_row + 2 * n + half as u32).0
    }

    /// Place and word of a scalar register; none for those that steer.
    pub fn scalar(&self, reg: Reg) -> Option<(Place, u32)> {
        match reg {
            Reg::Sgpr(_) | Reg::Vcc(_) => {
                let n = sgpr_number(reg, self.wave.sgprs)?;
                Some(self.simd.scalar.place(self.wave.first_sgpr + n))
            }
            Reg::M0 => Some(self.wave.m0.place(0)),
            Reg::Scc => Some(self.wave.scc.place(0)),
            Reg::Exec(_) | Reg::Mode => None,
        }
    }
}

/// A wave's registers as a ghost has them; vector registers only as far as an
/// instruction reads them.
pub(super) struct GhostView<'a> {
    whose: Whose<'a>,
    right: View<'a>,
    ghosts: &'a Ghosts,
    ghost: u32,
    /// Halves of registers in which it differs: number of the register, half.
    rows: Vec<(u32, usize, Lanes)>,
}

impl<'a> GhostView<'a> {
    pub fn new(whose: Whose<'a>, inst: &Inst, ghosts: &'a Ghosts, ghost: u32) -> GhostView<'a> {
        let right = View::of(whose.simd, whose.wave);
        let mut view = GhostView { whose, right, ghosts, ghost, rows: Vec::new() };
        // Which register is read may depend on M0.
        let mut list = Vec::new();
        uses::each_vgpr_read(&view, inst, |first, count| list.push((first, u32::from(count))));
        for (first, count) in list {
            for n in first..first.saturating_add(count) {
                view.overlay(n);
            }
        }
        view
    }

    fn overlay(&mut self, n: u32) {
        for half in 0..2 {
            let known = self.rows.iter().any(|(m, h, _)| *m == n && *h == half);
            let words = self.ghosts.of_ghost(self.whose.vgpr(n, half), self.ghost);
            if let Some(words) = words.filter(|_| !known) {
                let right = self.right.vgpr(n, half);
                let own = std::array::from_fn(|l| right[l] ^ words[l % WORDS]);
                self.rows.push((n, half, own));
            }
        }
    }
}

impl Operands for GhostView<'_> {
    fn vgpr(&self, n: u32, half: usize) -> &Lanes {
        let own = self.rows.iter().find(|(m, h, _)| *m == n && *h == half);
        own.map_or_else(|| self.right.vgpr(n, half), |(_, _, row)| row)
    }

    fn scalar(&self, reg: Reg) -> u32 {
        let right = self.right.scalar(reg);
        let Some((place, word)) = self.whose.scalar(reg) else { return right };
        let xor = self.ghosts.of_ghost(place, self.ghost).map_or(0, |w| w[word as usize % WORDS]);
        match reg {
            Reg::Scc => right ^ xor & 1,
            _ => right ^ xor,
        }
    }

    fn exec(&self) -> u64 {
        self.right.exec()
    }
}
