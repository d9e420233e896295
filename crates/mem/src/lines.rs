//! The bytes of a cache's lines, with verbs: an access does everything it
//! entails in one place.

use upset_state::bits::Bytes;
use upset_state::{
    Access, Aligned, ArrayId, Bits, Event, Extent, Origin, Place, Probe, Sourced, Stored,
};

use crate::mask;

/// Lines of one size; a row is a line.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    id: ArrayId,
    size: usize,
    bytes: Aligned<u8>,
}

impl Lines {
    pub(crate) fn new(id: ArrayId, count: u32, size: u32) -> Lines {
        Lines { id, size: size as usize, bytes: Aligned::new(count as usize * size as usize) }
    }

    /// Where ghosts know a line.
    #[inline]
    pub(crate) fn place(&self, row: u32) -> Place {
        Place::of_row(self.id, row)
    }

    /// The bytes of a line as they are, and where they come from.
    #[inline(always)]
    pub(crate) fn line(&self, row: u32) -> Sourced<'_> {
        Sourced { bytes: self.bytes(row), origin: Origin::at(self.place(row), 0) }
    }

    /// The bytes of a line as they are.
    #[inline(always)]
    pub(crate) fn bytes(&self, row: u32) -> &[u8] {
        let start = row as usize * self.size;
        &self.bytes[start..start + self.size]
    }

    /// Bytes of a line that holds memory from `address` on are accessed.
    #[inline]
    pub(crate) fn tell<P: Probe>(
        &self,
        now: u64,
        (row, address): (u32, u64),
        access: Access,
        bytes: u128,
        p: &mut P,
    ) {
        if P::ACTIVE {
            let extent = Extent::Bytes(bytes & mask::span(0, self.size as u64));
            p.event(Event::new(now, self.id, row, access, extent).at(address));
        }
    }

    /// Stores bytes of a line; `from` starts where the line starts.
    #[inline]
    pub(crate) fn store<P: Probe>(
        &mut self,
        now: u64,
        (row, address): (u32, u64),
        from: Sourced<'_>,
        bytes: u128,
        access: Access,
        p: &mut P,
    ) {
        let start = row as usize * self.size;
        mask::copy(&mut self.bytes[start..start + self.size], from.bytes, bytes);
        if P::GHOSTS
            && let Some(g) = p.ghosts()
        {
            g.copy(from.origin, Place::of_row(self.id, row), bytes);
        }
        if P::ACTIVE {
            self.tell(now, (row, address), access, bytes, p);
            self.hold(now, row, bytes, p);
        }
    }

    /// Broken bits of what was stored get their value.
    fn hold<P: Probe>(&mut self, now: u64, row: u32, bytes: u128, p: &mut P) {
        let start = row as usize * self.size;
        for s in 0..self.size / 32 {
            let written = (bytes >> (32 * s)) as u32;
            if written != 0 {
                let (at, extent) = (start + 32 * s, Extent::Bytes(written.into()));
                let of = Stored { array: self.id, first: at as u64 * 8, now, extent };
                p.hold_bytes(of, &mut self.bytes[at..at + 32]);
            }
        }
    }

    /// Every bit, to be changed as a fault does.
    pub(crate) fn bits(&mut self) -> impl Bits {
        Bytes(&mut self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{Force, Haunted, Kind, Quirk, Watch};

    const ARRAY: ArrayId = ArrayId::data(Kind::Cache(2), 1);

    #[test]
    fn differences_come_with_the_bytes() {
        let mut p = Haunted::default();
        let ghost = p.ghosts.add(0, Vec::new());
        p.ghosts.next_due(0).expect("due");
        let mut words = [0; 32];
        words[3] = 1;
        p.ghosts.put(Place::flight(9, 0), ghost, &words);
        let mut lines = Lines::new(ARRAY, 4, 64);
        // The line's first word is the packet's third.
        let from = Sourced { bytes: &[5; 64], origin: Origin::flight(9, 2) };
        lines.store(0, (1, 0), from, 0xff, Access::Fill, &mut p);
        assert_eq!(lines.line(1).bytes[..9], [5, 5, 5, 5, 5, 5, 5, 5, 0]);
        assert_eq!(p.ghosts.of_ghost(lines.place(1), ghost).map(|w| w[1]), Some(1));
        lines.store(0, (1, 0), Sourced::alike(&[6; 64]), 0xf0, Access::Write, &mut p);
        assert!(p.ghosts.of_ghost(lines.place(1), ghost).is_none());
    }

    #[test]
    fn broken_bits_are_wrong_where_bytes_were_written() {
        let mut p = Watch::default();
        let how = "invert".parse().unwrap();
        for byte in [3, 40, 41] {
            p.begin(Quirk { array: ARRAY, bit: 64 * 8 + byte * 8, how });
        }
        let mut lines = Lines::new(ARRAY, 4, 64);
        lines.store(0, (1, 0), Sourced::alike(&[2; 64]), 1 << 40, Access::Write, &mut p);
        assert_eq!(lines.line(1).bytes[40..42], [3, 0]);
        lines.store(0, (1, 0), Sourced::alike(&[3; 64]), 3 << 40, Access::Fill, &mut p);
        assert_eq!((lines.line(1).bytes[3], &lines.line(1).bytes[40..42]), (0, &[2, 2][..]));
    }

    #[test]
    fn stuck_bits_stay() {
        let mut p = Watch::default();
        p.held.hold(Force { array: ARRAY, bit: 64 * 8 + 40 * 8, value: true });
        let mut lines = Lines::new(ARRAY, 4, 64);
        lines.store(0, (1, 0), Sourced::alike(&[0; 64]), 1 << 3, Access::Write, &mut p);
        assert_eq!(lines.line(1).bytes[40], 0);
        lines.store(0, (1, 0), Sourced::alike(&[0; 64]), 1 << 40, Access::Write, &mut p);
        assert_eq!(lines.line(1).bytes[40], 1);
    }
}
