//! Bytes with verbs: an access does everything it entails in one place.

use crate::place::Place;
use crate::words::WORDS;
use crate::{Access, ArrayId, Bits, Event, Extent, Probe, Stored};

/// An array of bytes that are accessed in stretches of any length; a row is a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteArray {
    id: ArrayId,
    bytes: Vec<u8>,
}

impl ByteArray {
    /// So many bytes, zero.
    pub fn new(id: ArrayId, len: u32) -> ByteArray {
        ByteArray { id, bytes: vec![0; len as usize] }
    }

    /// The bytes as they are; nobody hears of it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where ghosts know a byte; its word there is `byte / 4 % 32`.
    #[inline]
    pub fn place(&self, byte: u32) -> Place {
        Place::of_row(self.id, byte)
    }

    fn tell<P: Probe>(&self, now: u64, at: usize, len: usize, access: Access, p: &mut P) {
        for byte in at..at + len {
            p.event(Event::new(now, self.id, byte as u32, access, Extent::Row));
        }
    }

    /// Bytes were given to somebody; they keep what is in them.
    pub fn tell_taken<P: Probe>(&self, now: u64, at: u32, len: u32, p: &mut P) {
        if P::ACTIVE {
            self.tell(now, at as usize, len as usize, Access::Allocate, p);
        }
    }

    /// Bytes were given back.
    pub fn tell_free<P: Probe>(&self, now: u64, at: u32, len: u32, p: &mut P) {
        if P::ACTIVE {
            self.tell(now, at as usize, len as usize, Access::Release, p);
        }
    }

    /// Reads bytes; nothing where some do not exist.
    #[inline]
    pub fn read<P: Probe>(&self, now: u64, at: usize, len: usize, p: &mut P) -> Option<&[u8]> {
        let bytes = self.bytes.get(at..at + len)?;
        if P::ACTIVE {
            self.tell(now, at, len, Access::Read, p);
        }
        Some(bytes)
    }

    /// Stores what was computed: all ghosts whose result is another say so
    /// afterwards. Nothing happens where some of the bytes do not exist.
    #[inline]
    pub fn write<P: Probe>(&mut self, now: u64, at: usize, from: &[u8], p: &mut P) {
        let Some(to) = self.bytes.get_mut(at..at + from.len()) else { return };
        to.copy_from_slice(from);
        if P::GHOSTS
            && let Some(g) = p.ghosts().filter(|g| !g.is_calm())
        {
            for byte in at..at + from.len() {
                let place = Place::of_row(self.id, byte as u32);
                if !g.at(place).is_empty() {
                    let mut mask = [0; WORDS];
                    mask[byte / 4 % WORDS] = 0xff << (8 * (byte % 4));
                    g.clear(place, &mask);
                }
            }
        }
        if P::ACTIVE {
            p.hold_bytes(Stored::whole(self.id, at as u64 * 8, now), to);
            self.tell(now, at, from.len(), Access::Write, p);
        }
    }
}

impl Bits for ByteArray {
    fn len(&self) -> u64 {
        self.bytes.len() as u64 * 8
    }
    fn get(&self, bit: u64) -> bool {
        self.bytes.get((bit / 8) as usize).is_some_and(|b| b >> (bit % 8) & 1 == 1)
    }
    fn set(&mut self, bit: u64, value: bool) {
        crate::bits::Bytes(&mut self.bytes).set(bit, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Force, Haunted, Kind, Quiet, Watch};
    use std::sync::{Arc, Mutex};

    const SHARED: ArrayId = ArrayId::data(Kind::Smem, 2);

    #[test]
    fn bytes_are_what_was_written() {
        let mut a = ByteArray::new(SHARED, 256);
        a.write(0, 100, &[1, 2, 3], &mut Quiet);
        assert_eq!(a.read(0, 99, 5, &mut Quiet), Some(&[0, 1, 2, 3, 0][..]));
        a.write(0, 255, &[1, 2], &mut Quiet);
        assert_eq!((a.bytes()[255], a.read(0, 255, 2, &mut Quiet)), (0, None));
        a.flip(100 * 8 + 1);
        assert_eq!(a.bytes()[100], 3);
    }

    #[test]
    fn stuck_bits_stay_and_every_byte_is_told() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let list = told.clone();
        let mut p = Watch::observe(move |e| list.lock().unwrap().push((e.row, e.access)));
        p.held.hold(Force { array: SHARED, bit: 9 * 8, value: false });
        let mut a = ByteArray::new(SHARED, 64);
        a.write(1, 8, &[0xff; 2], &mut p);
        assert_eq!(a.bytes()[8..10], [0xff, 0xfe]);
        let _ = a.read(1, 9, 1, &mut p);
        a.tell_free(2, 8, 1, &mut p);
        let told = told.lock().unwrap();
        use Access::*;
        assert_eq!(*told, [(8, Write), (9, Write), (9, Read), (8, Release)]);
    }

    #[test]
    fn ghosts_agree_in_bytes_that_are_written() {
        let mut p = Haunted::default();
        let g = p.ghosts.add(0, Vec::new());
        p.ghosts.next_due(0).expect("due");
        let (place, words) = Place::of_bit(SHARED, 8, 130 * 8 + 3);
        p.ghosts.put(place, g, &words);
        let mut a = ByteArray::new(SHARED, 256);
        assert_eq!(a.place(130), place);
        a.write(0, 131, &[0], &mut p);
        assert!(p.ghosts.of_ghost(place, g).is_some());
        a.write(0, 127, &[0; 4], &mut p);
        assert!(p.ghosts.is_calm());
    }
}
