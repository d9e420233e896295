//! Ghosts in LDS.

use std::collections::BTreeMap;

use upset_gcn::sem::share::ShareAccess;
use upset_gcn::wave::each;
use upset_gcn::wave::share;
use upset_state::words::WORDS;
use upset_state::{ByteArray, Ghosts, Probe};

use super::shadows::Shadow;
use super::view::{GhostView, Whose};
use crate::access::Access;
use crate::cu::Cu;
use crate::group::Cx;
use crate::share::{bring, number};

/// A ghost's bytes of LDS after an access, by their address.
pub(crate) struct Stored {
    ghost: u32,
    bytes: BTreeMap<usize, u8>,
}

impl Cu {
    /// An LDS instruction has read its data: which ghosts have others?
    pub(crate) fn haunt_bring<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        self.shadows.accesses.remove(&index);
        let Some(g) = cx.probe.ghosts() else { return };
        if self.shadows.involved.is_empty() || g.is_calm() {
            return;
        }
        let a = &self.accesses[index];
        let Some(located) = a.share.as_deref() else { return };
        let whose = Whose::of(self, a.slot);
        let mut list = Vec::new();
        for &ghost in &self.shadows.involved {
            let view = GhostView::new(whose, &a.inst, g, ghost);
            let mut own = a.clone();
            bring(&view, &mut own, located);
            let mut lanes = each(located.active);
            let differs = lanes.any(|l| {
                own.operands.iter().zip(&a.operands).any(|(o, r)| o[l] != r[l])
                    || own.returned.words[0][l / 32][l % 32] != a.returned.words[0][l / 32][l % 32]
            });
            if differs {
                let Access { raw, returned, operands, .. } = own;
                list.push(Shadow { ghost, raw, returned, operands });
            }
        }
        list.iter().for_each(|s| g.mark_used(s.ghost));
        self.keep_shadows(index, list);
    }

    /// LDS is about to be accessed: does the same for the ghosts that have a
    /// part in it.
    pub(crate) fn haunt_share<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) -> Vec<Stored> {
        let mut list = self.take_shadows(index);
        let Some(g) = cx.probe.ghosts() else { return Vec::new() };
        let a = &self.accesses[index];
        let base = self.lds_base(a.slot);
        let Some(located) = a.share.as_deref() else { return Vec::new() };
        let mut who: Vec<u32> = Vec::new();
        if !g.is_calm() {
            let mut last = None;
            for element in 0..located.elements {
                for lane in each(located.lanes[element]) {
                    let place = self.lds.place(base + located.addrs[element][lane]);
                    if last != Some(place) {
                        who.extend(g.at(place).iter().map(|d| d.ghost));
                        last = Some(place);
                    }
                }
            }
        }
        who.retain(|ghost| list.iter().all(|s| s.ghost != *ghost));
        who.sort_unstable();
        who.dedup();
        let known = list.len();
        list.extend(who.into_iter().map(|ghost| self.right_shadow(index, ghost)));
        let mut stored = Vec::new();
        let mut kept = Vec::new();
        for (i, mut shadow) in list.into_iter().enumerate() {
            let ghost = shadow.ghost;
            let (bytes, read_other) = again(a, &mut shadow, &self.lds, base, g);
            if i < known || read_other {
                g.mark_used(ghost);
                stored.push(Stored { ghost, bytes });
                kept.push(shadow);
            }
        }
        self.keep_shadows(index, kept);
        stored
    }

    /// LDS was accessed: notes in what the ghosts differ. In what was stored
    /// all agree so far.
    pub(crate) fn haunt_shared<P: Probe>(&mut self, stored: Vec<Stored>, cx: &mut Cx<'_, P>) {
        let Some(g) = cx.probe.ghosts() else { return };
        for Stored { ghost, bytes } in stored {
            for (byte, value) in bytes {
                let xor = value ^ self.lds.bytes().get(byte).copied().unwrap_or(value);
                if xor != 0 {
                    let (mut mask, mut words) = ([0; WORDS], [0; WORDS]);
                    let (word, shift) = (byte / 4 % WORDS, 8 * (byte % 4));
                    mask[word] = 0xff << shift;
                    words[word] = u32::from(xor) << shift;
                    g.merge(self.lds.place(byte as u32), ghost, &mask, &words);
                }
            }
        }
    }

    /// What ghosts have in LDS after a load that goes there: lanes, and where
    /// their dwords are.
    pub(crate) fn haunt_to_lds(&mut self, index: u32, there: &[(usize, usize)]) -> Vec<Stored> {
        let mut list = self.take_shadows(index);
        self.accesses[index].haunted = false;
        let a = &self.accesses[index];
        let stored = |shadow: &mut Shadow| {
            a.unpack(&shadow.raw, &mut shadow.returned);
            let mut bytes = BTreeMap::new();
            for &(lane, at) in there {
                let word = shadow.returned.words[0][lane / 32][lane % 32];
                bytes.extend((at..).zip(word.to_le_bytes()));
            }
            Stored { ghost: shadow.ghost, bytes }
        };
        list.iter_mut().map(stored).collect()
    }

    fn lds_base(&self, slot: u32) -> u32 {
        let place = self.waves[slot as usize].group as usize;
        self.groups.get(place).and_then(Option::as_ref).map_or(0, |g| g.lds)
    }
}

/// Bytes as a ghost has them, those it has just stored among them.
fn own_bytes(
    g: &Ghosts,
    lds: &ByteArray,
    ghost: u32,
    new: &BTreeMap<usize, u8>,
    at: usize,
    len: usize,
) -> (u64, bool) {
    let right = lds.bytes().get(at..at + len).unwrap_or(&[]);
    let mut own = [0; 8];
    let mut other = false;
    for (i, (to, right)) in own.iter_mut().zip(right).enumerate() {
        let byte = at + i;
        let words = g.of_ghost(lds.place(byte as u32), ghost);
        let xor = words.map_or(0, |w| w[byte / 4 % WORDS] >> (8 * (byte % 4))) as u8;
        other |= xor != 0;
        *to = new.get(&byte).copied().unwrap_or(right ^ xor);
    }
    (number(&own[..len]), other)
}

/// Carries out an access for a ghost: the bytes it stores, and whether it read
/// others than the right ones.
fn again(
    a: &Access,
    shadow: &mut Shadow,
    lds: &ByteArray,
    base: u32,
    g: &Ghosts,
) -> (BTreeMap<usize, u8>, bool) {
    let mut new = BTreeMap::new();
    let (Ok(op), Some(located)) = (share::operation(&a.inst), a.share.as_deref()) else {
        return (new, false);
    };
    let len = usize::from(located.bytes);
    let at = |element: usize, lane: usize| (base + located.addrs[element][lane]) as usize;
    let ghost = shadow.ghost;
    let mut other = false;
    let set = |shadow: &mut Shadow, element: usize, lane: usize, value: u64| match len {
        8 => shadow.returned.set64(2 * element, lane, value),
        _ => shadow.returned.set(element, lane, value as u32),
    };
    match op.access {
        ShareAccess::Swizzle => {}
        ShareAccess::Read { .. } => {
            shadow.returned.words[..4].fill([[0; 32]; 2]);
            for element in 0..located.elements {
                for lane in each(located.lanes[element]) {
                    let (value, differs) = own_bytes(g, lds, ghost, &new, at(element, lane), len);
                    other |= differs;
                    set(shadow, element, lane, op.extend(value));
                }
            }
        }
        ShareAccess::Write => {
            for element in 0..located.elements {
                for lane in each(located.lanes[element]) {
                    let bytes = shadow.operands[element][lane].to_le_bytes();
                    new.extend((at(element, lane)..).zip(bytes).take(len));
                }
            }
        }
        ShareAccess::Atomic(f) | ShareAccess::Count(f) => {
            shadow.returned.words[..4].fill([[0; 32]; 2]);
            for element in 0..located.elements {
                for lane in each(located.lanes[element]) {
                    let to = at(element, lane);
                    let (old, differs) = own_bytes(g, lds, ghost, &new, to, len);
                    other |= differs;
                    let (data, compare) =
                        (shadow.operands[element][lane], shadow.operands[2][lane]);
                    new.extend((to..).zip(f(old, data, compare).to_le_bytes()).take(len));
                    set(shadow, element, lane, old);
                }
            }
            if let ShareAccess::Count(_) = op.access {
                let first = located.active.trailing_zeros() as usize & 63;
                let found = shadow.returned.words[0][first / 32][first % 32];
                shadow.returned.words[0] = [[found; 32]; 2];
            }
        }
        ShareAccess::FromLds(f) => {
            for lane in each(located.lanes[0]) {
                let (operand, a) = match located.lanes[1] >> lane & 1 {
                    1 => own_bytes(g, lds, ghost, &new, at(1, lane), len),
                    _ => (0, false),
                };
                let to = at(0, lane);
                let (old, b) = own_bytes(g, lds, ghost, &new, to, len);
                other |= a | b;
                new.extend((to..).zip(f(old, operand, 0).to_le_bytes()).take(len));
            }
        }
    }
    (new, other)
}
