//! The arrays, bit by bit.

use upset_state::bits::Bytes;
use upset_state::{ArrayId, Axis, Bits, Kind, Layout, Part, Visit, Visitor};

use crate::backing::Segment;
use crate::cache::{Cache, State};
use crate::system::MemorySystem;

impl Cache {
    /// Shows data, tags and state.
    pub(crate) fn visit(&mut self, path: &str, v: &mut dyn Visitor) {
        let parts = [
            (Part::Data, self.line_bytes * 8),
            (Part::Tag, self.tag_bits),
            (Part::State, self.state_bits()),
        ];
        for (part, bits) in parts {
            let id = self.id.with(part);
            if !v.wants(id) {
                continue;
            }
            let layout = Layout {
                id,
                kind: self.name.clone(),
                path: path.to_string(),
                axes: vec![
                    Axis::new("set", u64::from(self.sets)),
                    Axis::new("way", u64::from(self.ways)),
                    Axis::new("bit", u64::from(bits)),
                ],
                parted: true,
            };
            match part {
                Part::Data => v.array(&layout, &mut self.data.bits()),
                Part::Tag => v.array(&layout, &mut TagBits(self)),
                Part::State => v.array(&layout, &mut StateBits(self)),
            }
        }
    }

    fn row_and_bit(&self, bit: u64, per_row: u32) -> Option<(u32, u32)> {
        let row = bit / u64::from(per_row);
        (row < u64::from(self.rows())).then_some((row as u32, (bit % u64::from(per_row)) as u32))
    }
}

struct TagBits<'a>(&'a mut Cache);

impl Bits for TagBits<'_> {
    fn len(&self) -> u64 {
        u64::from(self.0.rows()) * u64::from(self.0.tag_bits)
    }
    fn get(&self, bit: u64) -> bool {
        let place = self.0.row_and_bit(bit, self.0.tag_bits);
        place.is_some_and(|(row, bit)| self.0.tag(row) >> bit & 1 == 1)
    }
    fn set(&mut self, bit: u64, value: bool) {
        if let Some((row, bit)) = self.0.row_and_bit(bit, self.0.tag_bits) {
            let tag = self.0.tag(row) & !(1 << bit) | u64::from(value) << bit;
            self.0.put_tag(row, tag);
        }
    }
}

struct StateBits<'a>(&'a mut Cache);

/// One bit of a line's state: valid bits, dirty bits, byte mask.
enum StateBit {
    Valid(u32),
    Dirty(u32),
    Written(u32),
}

impl StateBits<'_> {
    fn place(&self, bit: u64) -> Option<(u32, StateBit)> {
        let (row, bit) = self.0.row_and_bit(bit, self.0.state_bits())?;
        let sectors = self.0.sectors;
        Some((
            row,
            match bit / sectors {
                0 => StateBit::Valid(bit),
                1 => StateBit::Dirty(bit - sectors),
                _ => StateBit::Written(bit - 2 * sectors),
            },
        ))
    }
}

impl Bits for StateBits<'_> {
    fn len(&self) -> u64 {
        u64::from(self.0.rows()) * u64::from(self.0.state_bits())
    }
    fn get(&self, bit: u64) -> bool {
        self.place(bit).is_some_and(|(row, bit)| {
            let state = self.0.state(row);
            match bit {
                StateBit::Valid(b) => state.valid >> b & 1 == 1,
                StateBit::Dirty(b) => state.dirty >> b & 1 == 1,
                StateBit::Written(b) => state.written >> b & 1 == 1,
            }
        })
    }
    fn set(&mut self, bit: u64, value: bool) {
        let Some((row, bit)) = self.place(bit) else { return };
        let State { mut valid, mut dirty, mut written } = self.0.state(row);
        match bit {
            StateBit::Valid(b) => valid = valid & !(1 << b) | u8::from(value) << b,
            StateBit::Dirty(b) => dirty = dirty & !(1 << b) | u8::from(value) << b,
            StateBit::Written(b) => written = written & !(1 << b) | u128::from(value) << b,
        }
        self.0.put_state(row, State { valid, dirty, written });
    }
}

impl Visit for MemorySystem {
    fn visit(&mut self, v: &mut dyn Visitor) {
        for (i, slice) in self.slices.iter_mut().enumerate() {
            slice.cache.visit(&format!("slice{i}"), v);
        }
        bytes(ArrayId::data(Kind::Gmem, 0), self.backing.global.storage_mut(), v);
        let locals = self.backing.ranges.iter_mut().filter(|r| r.kind == Segment::Local);
        for (i, range) in locals.enumerate() {
            bytes(ArrayId::data(Kind::Lmem, i as u32), &mut range.bytes, v);
        }
    }
}

/// Shows an array of bytes, unless it is empty.
fn bytes(id: ArrayId, bytes: &mut [u8], v: &mut dyn Visitor) {
    if bytes.is_empty() || !v.wants(id) {
        return;
    }
    let layout = Layout {
        id,
        kind: id.kind.about().name.to_string(),
        path: if id.instance == 0 { String::new() } else { format!("range{}", id.instance) },
        axes: vec![Axis::new("byte", bytes.len() as u64), Axis::new("bit", 8)],
        parted: false,
    };
    v.array(&layout, &mut Bytes(bytes));
}
