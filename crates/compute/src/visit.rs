//! The SM's arrays as the registry sees them.

use upset_state::bits::{Bytes, Rows, Spread};
use upset_state::registry::with_array;
use upset_state::{ArrayId, Axis, Bits, HeldWord, Kind, Layout, Visit, Visitor};

use crate::sm::Sm;
use crate::view::UNIFORM_ROWS;
use crate::warp::{COUNTERS, Warp};

/// Bits of a dependence counter.
const COUNTER_BITS: u64 = 6;
const MASKS: &[&str] = &["active", "live"];

fn bit32(word: u32, bit: u64) -> bool {
    word >> (bit % 32) & 1 == 1
}

fn put32(word: &mut u32, bit: u64, value: bool) {
    *word = *word & !(1 << (bit % 32)) | u32::from(value) << (bit % 32);
}

impl Sm {
    /// Shows every array to `v`.
    pub fn visit(&mut self, v: &mut dyn Visitor) {
        let sm = self.id;
        let subs = self.subs.len() as u32;
        for (s, sub) in self.subs.iter_mut().enumerate() {
            let id = ArrayId::data(Kind::Rf, sm * subs + s as u32);
            if v.wants(id) {
                let rows = sub.rf.len() as u64;
                let axes = [Axis::new("row", rows), Axis::new("lane", 32), Axis::new("bit", 32)];
                v.array(&layout(id, format!("sm{sm}.sub{s}"), &axes), &mut Rows(&mut sub.rf));
            }
        }
        let warps = self.warps.len() as u64;
        let per_warp = |name: &'static str, size: u64, bits: u64| {
            vec![Axis::new("warp", warps), Axis::new(name, size), Axis::new("bit", bits)]
        };
        let mut show = |kind: Kind, axes: Vec<Axis>, access: (Get, Set), warps: &mut [Warp]| {
            let id = ArrayId::data(kind, sm);
            if v.wants(id) {
                let layout = layout(id, format!("sm{sm}"), &axes);
                let len = layout.bits();
                let (get, set) = access;
                v.array(&layout, &mut Spread { of: warps, len, get, set });
            }
        };
        let w = &mut self.warps;
        show(Kind::Pred, per_warp("p", 7, 32), (get_pred, set_pred), w);
        if self.has_uniform {
            let ur = u64::from(UNIFORM_ROWS);
            show(Kind::Ureg, per_warp("ur", ur, 32), (get_ureg, set_ureg), w);
            show(Kind::Upred, per_warp("up", 7, 1), (get_upred, set_upred), w);
        }
        let entries = w.first().map_or(0, |w| w.ibuf.capacity()) as u64;
        show(Kind::Ibuf, per_warp("entry", entries, 128), (get_ibuf, set_ibuf), w);
        show(Kind::Pc, per_warp("lane", 32, 32), (get_pc, set_pc), w);
        let masks = vec![Axis::new("warp", warps), Axis::named(MASKS), Axis::new("bit", 32)];
        show(Kind::Mask, masks, (get_mask, set_mask), w);
        show(Kind::Conv, per_warp("b", 16, 32), (get_conv, set_conv), w);
        let counters = per_warp("sb", COUNTERS as u64, COUNTER_BITS);
        show(Kind::Sb, counters, (get_counter, set_counter), w);
        let id = ArrayId::data(Kind::Smem, sm);
        if v.wants(id) {
            let axes = [Axis::new("byte", self.smem.len() as u64), Axis::new("bit", 8)];
            v.array(&layout(id, format!("sm{sm}"), &axes), &mut Bytes(&mut self.smem));
        }
        let path = format!("sm{sm}");
        let levels = [&mut self.l1d, &mut self.l1t, &mut self.l1c, &mut self.l1i];
        for (level, &there) in levels.into_iter().zip(&self.has_level) {
            if there {
                level.visit(&path, v);
            }
        }
    }
}

type Get = fn(&[Warp], u64) -> bool;
type Set = fn(&mut [Warp], u64, bool);

fn layout(id: ArrayId, path: String, axes: &[Axis]) -> Layout {
    let kind = id.kind.name().unwrap_or("cache").to_string();
    Layout { id, kind, path, axes: axes.to_vec(), parted: false }
}

/// Warp, row and bit of a bit number over (warp, `rows`, `bits`).
fn split(bit: u64, rows: u64, bits: u64) -> (usize, usize, u64) {
    ((bit / (rows * bits)) as usize, (bit / bits % rows) as usize, bit % bits)
}

fn get_pred(w: &[Warp], bit: u64) -> bool {
    let (warp, p, b) = split(bit, 7, 32);
    bit32(w[warp].preds[p], b)
}

fn set_pred(w: &mut [Warp], bit: u64, value: bool) {
    let (warp, p, b) = split(bit, 7, 32);
    put32(&mut w[warp].preds[p], b, value);
}

fn get_ureg(w: &[Warp], bit: u64) -> bool {
    let (warp, r, b) = split(bit, u64::from(UNIFORM_ROWS), 32);
    bit32(w[warp].uregs[r], b)
}

fn set_ureg(w: &mut [Warp], bit: u64, value: bool) {
    let (warp, r, b) = split(bit, u64::from(UNIFORM_ROWS), 32);
    put32(&mut w[warp].uregs[r], b, value);
}

fn get_upred(w: &[Warp], bit: u64) -> bool {
    let (warp, p, _) = split(bit, 7, 1);
    w[warp].upreds[p] != 0
}

fn set_upred(w: &mut [Warp], bit: u64, value: bool) {
    let (warp, p, _) = split(bit, 7, 1);
    w[warp].upreds[p] = if value { u32::MAX } else { 0 };
}

fn get_ibuf(w: &[Warp], bit: u64) -> bool {
    let (warp, e, b) = split(bit, u64::from(w[0].ibuf.capacity()), 128);
    w[warp].ibuf.entries[e].bits >> b & 1 == 1
}

fn set_ibuf(w: &mut [Warp], bit: u64, value: bool) {
    let (warp, e, b) = split(bit, u64::from(w[0].ibuf.capacity()), 128);
    let bits = &mut w[warp].ibuf.entries[e].bits;
    *bits = *bits & !(1 << b) | u128::from(value) << b;
}

fn get_pc(w: &[Warp], bit: u64) -> bool {
    let (warp, lane, b) = split(bit, 32, 32);
    bit32(w[warp].flow.pc_of(lane), b)
}

/// A thread whose counter changes is no longer with its group.
fn set_pc(w: &mut [Warp], bit: u64, value: bool) {
    let (warp, lane, b) = split(bit, 32, 32);
    let flow = &mut w[warp].flow;
    let mut pc = flow.pc_of(lane);
    let before = pc;
    put32(&mut pc, b, value);
    if pc != before {
        flow.active &= !(1 << lane);
        flow.thread_pcs_mut()[lane] = pc;
    }
}

fn get_mask(w: &[Warp], bit: u64) -> bool {
    let (warp, which, b) = split(bit, 2, 32);
    bit32(if which == 0 { w[warp].flow.active } else { w[warp].flow.live }, b)
}

fn set_mask(w: &mut [Warp], bit: u64, value: bool) {
    let (warp, which, b) = split(bit, 2, 32);
    let flow = &mut w[warp].flow;
    put32(if which == 0 { &mut flow.active } else { &mut flow.live }, b, value);
}

fn get_conv(w: &[Warp], bit: u64) -> bool {
    let (warp, r, b) = split(bit, 16, 32);
    bit32(w[warp].flow.barriers[r], b)
}

fn set_conv(w: &mut [Warp], bit: u64, value: bool) {
    let (warp, r, b) = split(bit, 16, 32);
    put32(&mut w[warp].flow.barriers[r], b, value);
}

fn get_counter(w: &[Warp], bit: u64) -> bool {
    let (warp, c, b) = split(bit, COUNTERS as u64, COUNTER_BITS);
    w[warp].counters[c] >> b & 1 == 1
}

fn set_counter(w: &mut [Warp], bit: u64, value: bool) {
    let (warp, c, b) = split(bit, COUNTERS as u64, COUNTER_BITS);
    let counter = &mut w[warp].counters[c];
    *counter = *counter & !(1 << b) | u8::from(value) << b;
}

impl Sm {
    /// Gives stuck bits of control state their value: those of word `number` of
    /// its array of this kind. True when one had another.
    pub(crate) fn change_control(&mut self, kind: Kind, number: u64, held: HeldWord) -> bool {
        match kind {
            Kind::Pc | Kind::Mask | Kind::Conv => change_flow(&mut self.warps, kind, number, held),
            Kind::Sb => {
                let len = self.warps.len() as u64 * COUNTERS as u64 * COUNTER_BITS;
                let (get, set) = (get_counter as Get, set_counter as Set);
                change_bits(&mut Spread { of: &mut self.warps[..], len, get, set }, number, held)
            }
            _ => self.change_any(kind, number, held),
        }
    }

    /// The same for any kind, bit by bit; most control has a faster way of its own.
    fn change_any(&mut self, kind: Kind, number: u64, held: HeldWord) -> bool {
        let id = ArrayId::data(kind, self.id);
        with_array(&mut All(self), id, |bits| change_bits(bits, number, held)).unwrap_or(false)
    }
}

/// All arrays of an SM.
struct All<'a>(&'a mut Sm);

impl Visit for All<'_> {
    fn visit(&mut self, v: &mut dyn Visitor) {
        self.0.visit(v);
    }
}

/// Words of 32 bits of the flow of threads.
fn change_flow(warps: &mut [Warp], kind: Kind, number: u64, held: HeldWord) -> bool {
    let mut changed = false;
    for half in 0..2 {
        let (mask, value) = ((held.mask >> (32 * half)) as u32, (held.value >> (32 * half)) as u32);
        let row = 2 * number as usize + half;
        let of = |rows: usize| (row / rows, row % rows);
        let (warp, row) = match kind {
            Kind::Pc => of(32),
            Kind::Mask => of(2),
            _ => of(16),
        };
        let Some(flow) = warps.get_mut(warp).filter(|_| mask != 0).map(|w| &mut w.flow) else {
            continue;
        };
        let force = |word: u32| word & !mask | value;
        match kind {
            Kind::Pc => {
                let pc = flow.pc_of(row);
                if force(pc) != pc {
                    // A thread whose counter changes is no longer with its group.
                    flow.active &= !(1 << row);
                    flow.thread_pcs_mut()[row] = force(pc);
                    changed = true;
                }
            }
            _ => {
                let word = match (kind, row) {
                    (Kind::Mask, 0) => &mut flow.active,
                    (Kind::Mask, _) => &mut flow.live,
                    _ => &mut flow.barriers[row],
                };
                changed |= force(*word) != *word;
                *word = force(*word);
            }
        }
    }
    changed
}

fn change_bits(bits: &mut dyn Bits, number: u64, held: HeldWord) -> bool {
    let mut changed = false;
    for i in (0..64).filter(|i| held.mask >> i & 1 == 1) {
        let (bit, value) = (number * 64 + i, held.value >> i & 1 == 1);
        if bits.get(bit) != value {
            bits.set(bit, value);
            changed = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use proptest::prelude::*;
    use upset_chip::ChipSpec;
    use upset_state::Registry;
    use upset_state::kind::steering;

    fn bits(sm: &mut Sm, kind: Kind) -> Vec<bool> {
        let id = ArrayId::data(kind, sm.id);
        with_array(&mut All(sm), id, |b| (0..b.len()).map(|i| b.get(i)).collect()).unwrap()
    }

    fn words(sm: &mut Sm, kind: Kind) -> u64 {
        let id = ArrayId::data(kind, sm.id);
        Registry::of(&mut All(sm)).layout(id).expect("an array").bits() / 64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn control_is_forced_as_any_bits_are(
            list in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 1..40),
        ) {
            let chip = ChipSpec::preset("rtx2060").unwrap();
            let config = Config::new(&chip);
            let [mut fast, mut slow] = [0; 2].map(|_| Sm::new(&chip, &config, 1));
            let kinds: Vec<Kind> = steering().collect();
            for (n, mask, value) in list {
                let kind = kinds[n as usize % kinds.len()];
                let number = n / kinds.len() as u64 % words(&mut fast, kind);
                let held = HeldWord { mask, value: value & mask };
                prop_assert_eq!(
                    fast.change_control(kind, number, held),
                    slow.change_any(kind, number, held)
                );
            }
            for kind in kinds {
                prop_assert_eq!(bits(&mut fast, kind), bits(&mut slow, kind));
            }
        }
    }
}
