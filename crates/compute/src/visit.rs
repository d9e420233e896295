//! The SM's arrays as the registry sees them.

use upset_state::kind::KINDS;
use upset_state::registry::with_array;
use upset_state::{ArrayId, Axis, Bits, HeldWord, Kind, Layout, Visit, Visitor};

use crate::cells::{OverBarriers, PerWarp};
use crate::sm::Sm;

impl Sm {
    /// Shows every array to `v`.
    pub fn visit(&mut self, v: &mut dyn Visitor) {
        let sm = self.id;
        let files = self.files.len() as u32;
        for (s, file) in self.files.iter_mut().enumerate() {
            let id = ArrayId::data(Kind::Rf, sm * files + s as u32);
            if v.wants(id) {
                let rows = u64::from(file.rows.count());
                let axes =
                    vec![Axis::new("row", rows), Axis::new("lane", 32), Axis::new("bit", 32)];
                v.array(&layout(id, format!("sm{sm}.sub{s}"), axes), &mut file.rows);
            }
        }
        for kind in KINDS.iter().map(|about| about.kind) {
            let id = ArrayId::data(kind, sm);
            if let Some(per_warp) = self.per_warp(kind).filter(|_| self.has(kind) && v.wants(id)) {
                let axes = per_warp.axes(self.warps.len() as u64);
                let layout = layout(id, format!("sm{sm}"), axes);
                v.array(&layout, &mut per_warp.over(&mut self.warps));
            }
        }
        let id = ArrayId::data(Kind::Bar, sm);
        if v.wants(id) {
            let mut bars = OverBarriers(&mut self.bars);
            v.array(&layout(id, format!("sm{sm}"), bars.axes()), &mut bars);
        }
        let id = ArrayId::data(Kind::Smem, sm);
        if v.wants(id) {
            let axes = vec![
                Axis::new("byte", self.shared.bytes.bytes().len() as u64),
                Axis::new("bit", 8),
            ];
            v.array(&layout(id, format!("sm{sm}"), axes), &mut self.shared.bytes);
        }
        self.wires.visit(v);
        let path = format!("sm{sm}");
        let there = self.has_level;
        for (level, there) in self.levels_mut().into_iter().zip(there) {
            if there {
                level.visit(&path, v);
            }
        }
    }

    /// Shows what stands in for caches that the chip lacks.
    pub(crate) fn visit_hidden(&mut self, v: &mut dyn Visitor) {
        let there = self.has_level;
        for (level, _) in self.levels_mut().into_iter().zip(there).filter(|(_, there)| !there) {
            level.visit("", v);
        }
    }

    /// What its warp slots have of a kind.
    pub(crate) fn per_warp(&self, kind: Kind) -> Option<PerWarp> {
        let entries = self.warps.first().map_or(0, |w| w.ibuf.capacity());
        PerWarp::of(kind, u32::from(entries), self.has_stack)
    }

    /// Whether the chip has a kind, of those that another chip may lack.
    fn has(&self, kind: Kind) -> bool {
        self.has_uniform || !matches!(kind, Kind::Ureg | Kind::Upred)
    }

    /// Gives stuck bits of control state their value: those of word `number` of
    /// its array of this kind. True when one had another.
    pub(crate) fn change_control(&mut self, kind: Kind, number: u64, held: HeldWord) -> bool {
        match self.per_warp(kind) {
            Some(per_warp) => change_bits(&mut per_warp.over(&mut self.warps), number, held),
            None => self.change_any(kind, number, held),
        }
    }

    /// Changes control of any kind, whose array is looked for first.
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

fn layout(id: ArrayId, path: String, axes: Vec<Axis>) -> Layout {
    let kind = id.kind.name().unwrap_or("cache").to_string();
    Layout { id, kind, path, axes, parted: false }
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

    fn registry(sm: &mut Sm) -> Registry {
        Registry::of(&mut All(sm))
    }

    fn words(sm: &mut Sm, kind: Kind) -> u64 {
        let id = ArrayId::data(kind, sm.id);
        registry(sm).layout(id).expect("an array").bits() / 64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn control_is_forced_as_any_bits_are(
            list in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 1..40),
        ) {
            let chip = ChipSpec::preset("rtx2060").unwrap();
            let config = Config::new(&chip).unwrap();
            let [mut fast, mut slow] = [0; 2].map(|_| Sm::new(&chip, &config, 1));
            let arrays = registry(&mut fast);
            let has = |kind: &Kind| arrays.layout(ArrayId::data(*kind, 1)).is_some();
            let kinds: Vec<Kind> = steering().filter(has).collect();
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
