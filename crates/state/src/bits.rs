//! Bit-wise access to whatever a component stores its array in.

/// Storage whose bits can be read and changed one by one.
///
/// Bits are numbered as the array's [`Layout`](crate::Layout) says.
pub trait Bits {
    /// How many there are.
    fn len(&self) -> u64;
    /// True when there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// A bit's value; false beyond the end.
    fn get(&self, bit: u64) -> bool;
    /// Sets a bit; ignored beyond the end.
    fn set(&mut self, bit: u64, value: bool);
    /// Inverts a bit.
    fn flip(&mut self, bit: u64) {
        let v = self.get(bit);
        self.set(bit, !v);
    }
}

/// 32-bit words, least significant bit first.
pub struct Words<'a>(pub &'a mut [u32]);

impl Bits for Words<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64 * 32
    }
    fn get(&self, bit: u64) -> bool {
        self.0.get((bit / 32) as usize).is_some_and(|w| w >> (bit % 32) & 1 == 1)
    }
    fn set(&mut self, bit: u64, value: bool) {
        if let Some(w) = self.0.get_mut((bit / 32) as usize) {
            *w = *w & !(1 << (bit % 32)) | u32::from(value) << (bit % 32);
        }
    }
}

/// Rows of 32 words.
pub struct Rows<'a>(pub &'a mut [[u32; 32]]);

impl Bits for Rows<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64 * 1024
    }
    fn get(&self, bit: u64) -> bool {
        self.0
            .get((bit / 1024) as usize)
            .is_some_and(|r| r[(bit / 32 % 32) as usize] >> (bit % 32) & 1 == 1)
    }
    fn set(&mut self, bit: u64, value: bool) {
        if let Some(r) = self.0.get_mut((bit / 1024) as usize) {
            Words(r).set(bit % 1024, value);
        }
    }
}

/// Bytes, least significant bit first.
pub struct Bytes<'a>(pub &'a mut [u8]);

impl Bits for Bytes<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64 * 8
    }
    fn get(&self, bit: u64) -> bool {
        self.0.get((bit / 8) as usize).is_some_and(|b| b >> (bit % 8) & 1 == 1)
    }
    fn set(&mut self, bit: u64, value: bool) {
        if let Some(b) = self.0.get_mut((bit / 8) as usize) {
            *b = *b & !(1 << (bit % 8)) | u8::from(value) << (bit % 8);
        }
    }
}

/// Bits reached through two functions, for storage spread over structures.
pub struct Spread<'a, T: ?Sized> {
    /// What holds them.
    pub of: &'a mut T,
    /// How many there are.
    pub len: u64,
    /// Reads one.
    pub get: fn(&T, u64) -> bool,
    /// Writes one.
    pub set: fn(&mut T, u64, bool),
}

impl<T: ?Sized> Bits for Spread<'_, T> {
    fn len(&self) -> u64 {
        self.len
    }
    fn get(&self, bit: u64) -> bool {
        bit < self.len && (self.get)(self.of, bit)
    }
    fn set(&mut self, bit: u64, value: bool) {
        if bit < self.len {
            (self.set)(self.of, bit, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_storage_keeps_what_was_set(bits in prop::collection::vec((0u64..4096, any::<bool>()), 1..50)) {
            let mut rows = [[0u32; 32]; 4];
            let mut words = [0u32; 128];
            let mut bytes = [0u8; 512];
            let mut model = vec![false; 4096];
            for (b, v) in bits {
                model[b as usize] = v;
                Rows(&mut rows).set(b, v);
                Words(&mut words).set(b, v);
                Bytes(&mut bytes).set(b, v);
            }
            for (b, &v) in model.iter().enumerate() {
                let b = b as u64;
                prop_assert_eq!(Rows(&mut rows).get(b), v);
                prop_assert_eq!(Words(&mut words).get(b), v);
                prop_assert_eq!(Bytes(&mut bytes).get(b), v);
            }
        }
    }

    #[test]
    fn beyond_the_end_nothing_happens() {
        let mut bytes = [0u8; 2];
        let mut b = Bytes(&mut bytes);
        b.flip(16);
        assert!(!b.get(16));
        assert_eq!(bytes, [0, 0]);
    }
}
