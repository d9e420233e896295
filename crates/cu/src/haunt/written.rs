//! What ghosts write, and in what they differ afterwards.

use upset_gcn::wave::Reg;
use upset_state::Probe;
use upset_state::words::WORDS;

use super::shadows::Written;
use super::view::Whose;
use crate::cu::Cu;
use crate::group::Cx;

impl Cu {
    /// The right result is written: notes in what the ghosts' registers differ.
    /// In what was written all agree so far.
    pub(crate) fn haunt_written<P: Probe>(
        &mut self,
        slot: u32,
        written: Vec<Written>,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let whose = Whose::of(self, slot);
        let view = crate::view::View::of(whose.simd, whose.wave);
        use upset_gcn::wave::Operands;
        for w in written {
            for (n, half, mask, value) in w.rows {
                if n >= whose.wave.vgprs {
                    continue;
                }
                let right = view.vgpr(n, half);
                let lanes: [u32; WORDS] = std::array::from_fn(|l| 0u32.wrapping_sub(mask >> l & 1));
                let xor = std::array::from_fn(|l| (value[l] ^ right[l]) & lanes[l]);
                g.merge(whose.vgpr(n, half), w.ghost, &lanes, &xor);
            }
            for (reg, value) in w.scalars {
                let Some((place, word)) = whose.scalar(reg) else { continue };
                let xor = match reg {
                    Reg::Scc => 0u32.wrapping_sub((value ^ view.scalar(reg)) & 1),
                    _ => value ^ view.scalar(reg),
                };
                let (mut mask, mut words) = ([0; WORDS], [0; WORDS]);
                mask[word as usize % WORDS] = !0;
                words[word as usize % WORDS] = xor;
                g.merge(place, w.ghost, &mask, &words);
            }
        }
    }
}
