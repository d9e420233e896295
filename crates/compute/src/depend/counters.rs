//! Dependence counters: instructions raise one when they issue and lower it
//! when operands are read or results written; others wait until it is low.

use std::hash::{Hash, Hasher};

use upset_isa::inst::BY_SCOREBOARD;

/// Counters per warp.
pub const COUNTERS: usize = 6;
/// Bits of each.
pub const BITS: u32 = 6;
/// The one that counts a warp's accesses to the texture unit where hardware
/// names them by itself (sm_35): `TEXDEPBAR` waits for it.
pub const TEXTURES: u8 = upset_isa::inst::TEXTURES;
const MASK: u8 = (1 << BITS) - 1;
/// A byte of ones for each counter in a wait mask.
const BYTES: [u64; 1 << COUNTERS] = {
    let mut bytes = [0; 1 << COUNTERS];
    let mut wait = 0;
    while wait < bytes.len() {
        let mut counter = 0;
        while counter < COUNTERS {
            bytes[wait] |= ((wait >> counter & 1) as u64 * 0xff) << (8 * counter);
            counter += 1;
        }
        wait += 1;
    }
    bytes
};

/// Whether somebody may wait for what names this counter.
#[inline]
pub fn is_counted(counter: u8) -> bool {
    usize::from(counter) < COUNTERS || counter == BY_SCOREBOARD
}

/// A warp's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters(
    /// Those beyond the last are zero: all are looked at together.
    [u8; 8],
);

impl Hash for Counters {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.0[..COUNTERS].hash(h);
    }
}

impl Counters {
    /// One more instruction is outstanding; numbers beyond the last mean none.
    #[inline]
    pub fn raise(&mut self, counter: u8) {
        if let Some(c) = self.0[..COUNTERS].get_mut(usize::from(counter)) {
            *c = c.wrapping_add(1) & MASK;
        }
    }

    /// One fewer.
    #[inline]
    pub fn lower(&mut self, counter: u8) {
        if let Some(c) = self.0[..COUNTERS].get_mut(usize::from(counter)) {
            *c = c.wrapping_sub(1) & MASK;
        }
    }

    /// Whether all counters of a wait mask are zero.
    #[inline]
    pub fn are_clear(&self, wait: u8) -> bool {
        u64::from_le_bytes(self.0) & BYTES[usize::from(wait) % BYTES.len()] == 0
    }

    /// Whether more than so many instructions are outstanding on a counter.
    pub fn exceeds(&self, counter: u8, most: u8) -> bool {
        self.0[..COUNTERS].get(usize::from(counter)).is_some_and(|&c| c > most)
    }

    /// A bit of a counter.
    pub fn get(&self, counter: usize, bit: u32) -> bool {
        self.0[counter] >> bit & 1 == 1
    }

    /// Changes a bit of a counter, as a fault does.
    pub fn set(&mut self, counter: usize, bit: u32, value: bool) {
        self.0[counter] = self.0[counter] & !(1 << bit) | u8::from(value) << bit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_a_counter_waits_until_all_have_lowered_it() {
        let mut c = Counters::default();
        c.raise(2);
        c.raise(2);
        c.raise(5);
        assert!(!c.are_clear(0b100) && !c.are_clear(0b10_0100) && c.are_clear(0b1011));
        c.lower(2);
        assert!(!c.are_clear(0b100) && c.exceeds(2, 0) && !c.exceeds(2, 1));
        c.lower(2);
        assert!(c.are_clear(0b100) && !c.are_clear(0b10_0000));
    }

    #[test]
    fn seven_is_no_counter() {
        let mut c = Counters::default();
        c.raise(7);
        c.lower(7);
        assert!(c == Counters::default() && c.are_clear(!0) && !c.exceeds(7, 0));
    }

    #[test]
    fn counters_are_as_wide_as_their_bits() {
        let mut c = Counters::default();
        c.lower(0);
        assert!(c.exceeds(0, 62) && !c.exceeds(0, 63));
        c.raise(0);
        assert!(c.are_clear(1));
        c.set(1, 5, true);
        assert!(c.get(1, 5) && c.exceeds(1, 31) && !c.get(0, 5));
    }
}
