//! The compute unit's arrays as the registry sees them.

use upset_state::kind::KINDS;
use upset_state::{ArrayId, Axis, Bits, HeldWord, Kind, Layout, Visitor};

use crate::cells::{OverBarriers, PerWave};
use crate::cu::Cu;

impl Cu {
    /// Shows every array to `v`.
    pub(crate) fn visit(&mut self, v: &mut dyn Visitor) {
        let cu = self.id;
        let simds = self.simds.len() as u32;
        for (s, simd) in self.simds.iter_mut().enumerate() {
            let path = || format!("cu{cu}.simd{s}");
            let id = ArrayId::data(Kind::Vrf, cu * simds + s as u32);
            if v.wants(id) {
                let registers = u64::from(simd.vector.count()) / 2;
                let axes =
                    vec![Axis::new("row", registers), Axis::new("lane", 64), Axis::new("bit", 32)];
                v.array(&layout(id, path(), axes), &mut simd.vector);
            }
            let id = ArrayId::data(Kind::Srf, cu * simds + s as u32);
            if v.wants(id) {
                let registers = u64::from(simd.scalar.count());
                let axes = vec![Axis::new("row", registers), Axis::new("bit", 32)];
                v.array(&layout(id, path(), axes), &mut simd.scalar);
            }
        }
        let path = format!("cu{cu}");
        let rows = self.waves.first().map_or(1, |w| w.ibuf.capacity());
        for kind in KINDS.iter().map(|about| about.kind) {
            let id = ArrayId::data(kind, cu);
            if let Some(per_wave) = PerWave::of(kind, rows).filter(|_| v.wants(id)) {
                let axes = per_wave.axes(self.waves.len() as u64);
                v.array(&layout(id, path.clone(), axes), &mut per_wave.over(&mut self.waves));
            }
        }
        let id = ArrayId::data(Kind::Bar, cu);
        if v.wants(id) {
            let mut bars = OverBarriers(&mut self.bars);
            v.array(&layout(id, path.clone(), bars.axes()), &mut bars);
        }
        let id = ArrayId::data(Kind::Lds, cu);
        if v.wants(id) {
            let axes = vec![Axis::new("byte", self.lds.bytes().len() as u64), Axis::new("bit", 8)];
            v.array(&layout(id, path.clone(), axes), &mut self.lds);
        }
        self.l1v.visit(&path, v);
    }

    /// Gives stuck bits of control state their value: those of word `number` of
    /// its array of this kind. True when one had another.
    pub(crate) fn change_control(&mut self, kind: Kind, number: u64, held: HeldWord) -> bool {
        let rows = self.waves.first().map_or(1, |w| w.ibuf.capacity());
        match PerWave::of(kind, rows) {
            Some(per_wave) => change_bits(&mut per_wave.over(&mut self.waves), number, held),
            None if kind == Kind::Bar => {
                change_bits(&mut OverBarriers(&mut self.bars), number, held)
            }
            None => false,
        }
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
            changed |= bits.get(bit) == value;
        }
    }
    changed
}
