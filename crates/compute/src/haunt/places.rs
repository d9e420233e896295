//! Where a bit of an SM is to ghosts, and back.

use upset_state::ghosts::{Space, WORDS, Words};
use upset_state::{Kind, Place, Site};

use crate::cells::{Cell, PRED_ROWS, ibuf_row, pred_row};
use crate::sm::Sm;

impl Sm {
    /// The row and the bit of it that ghosts know a bit by.
    pub(crate) fn place_of(&self, site: Site) -> Option<(Place, Words)> {
        let (instance, bit) = (site.array.instance, site.bit);
        let word = |place: Place, word: u64, bit: u64| {
            let mut words = [0; WORDS];
            words[word as usize % WORDS] = 1 << (bit % 32);
            Some((place, words))
        };
        let kind = site.array.kind;
        if let Some(Cell { slot, row, bit }) = self.per_warp(kind).map(|per| per.cell(bit)) {
            return match kind {
                Kind::Pred => word(Place::pred(instance, pred_row(slot, row)), 0, bit.into()),
                // All lanes have the one bit.
                Kind::Upred => {
                    let mut words = [0; WORDS];
                    words[0] = !0;
                    Some((Place::upred(instance, pred_row(slot, row)), words))
                }
                Kind::Ureg => {
                    word(Place::ureg(instance, slot, row), u64::from(row % 32), bit.into())
                }
                Kind::Ibuf => {
                    let entries = self.warps.first().map_or(1, |w| w.ibuf.capacity());
                    let row = ibuf_row(slot, entries, row);
                    word(Place::ibuf(instance, row), u64::from(bit / 32), bit.into())
                }
                // It steers.
                _ => None,
            };
        }
        match kind {
            Kind::Rf => word(Place::rf(instance, (bit / 1024) as u32), bit / 32 % 32, bit),
            Kind::Smem => word(Place::smem(instance, (bit / 8) as u32), bit / 32 % 32, bit),
            Kind::Cache(number) => {
                let level = self.levels().into_iter().find(|l| l.number() == Some(number))?;
                let bits = u64::from(level.line_bytes()) * 8;
                let row = (bit / bits) as u32;
                word(Place::line(number, instance, row), bit % bits / 32, bit)
            }
            // Below the SMs.
            _ => None,
        }
    }
}

/// Changes bits of a row of the SMs.
pub(crate) fn change(sms: &mut [Sm], place: Place, words: &Words) {
    match place.space() {
        Space::Rf { file, row } => {
            let subs = sms.first().map_or(1, |sm| sm.subs.len() as u32);
            let sm = sms.get_mut((file / subs) as usize);
            let row = sm.and_then(|sm| sm.subs[(file % subs) as usize].rf.get_mut(row as usize));
            row.into_iter().for_each(|row| {
                row.iter_mut().zip(words).for_each(|(r, w)| *r ^= w);
            });
        }
        Space::Pred { sm, row } | Space::Upred { sm, row } => {
            let Some(sm) = sms.get_mut(sm as usize) else { return };
            let Some(warp) = sm.warps.get_mut((row / PRED_ROWS) as usize) else { return };
            let set = match place.space() {
                Space::Pred { .. } => &mut warp.preds,
                _ => &mut warp.upreds,
            };
            set[(row % PRED_ROWS) as usize] ^= words[0];
        }
        Space::Ureg { sm, half } => {
            let Some(sm) = sms.get_mut(sm as usize) else { return };
            let Some(warp) = sm.warps.get_mut(half as usize / 2) else { return };
            let first = half as usize % 2 * WORDS;
            warp.uregs[first..first + WORDS].iter_mut().zip(words).for_each(|(r, w)| *r ^= w);
        }
        Space::Smem { sm, chunk } => {
            let at = chunk as usize * 128;
            let Some(sm) = sms.get_mut(sm as usize) else { return };
            let end = sm.smem.len().min(at + 128);
            if let Some(bytes) = sm.smem.get_mut(at..end) {
                upset_state::ghosts::apply_words(words, bytes);
            }
        }
        Space::Ibuf { sm, row } => {
            let Some(sm) = sms.get_mut(sm as usize) else { return };
            let capacity = sm.warps.first().map_or(1, |w| u32::from(w.ibuf.capacity()));
            let Some(warp) = sm.warps.get_mut((row / capacity) as usize) else { return };
            let xor = (0..4).fold(0u128, |x, i| x | u128::from(words[i]) << (32 * i));
            warp.ibuf.entries[(row % capacity) as usize].bits ^= xor;
        }
        Space::Line { cache, instance, row } => {
            let Some(sm) = sms.get_mut(instance as usize) else { return };
            let level = sm.levels_mut().into_iter().find(|l| l.number() == Some(cache));
            level.into_iter().for_each(|l| l.become_ghost(row, words));
        }
        // Not in an SM.
        Space::Memory { .. } | Space::Flight { .. } => {}
    }
}
