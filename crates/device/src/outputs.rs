//! What the host has seen: bytes copied from the device, in order.

use xxhash_rust::xxh3::Xxh3;

/// Running digest of all device-to-host copies.
#[derive(Clone, Default)]
pub struct Outputs {
    hash: Xxh3,
    bytes: u64,
    kept: Option<Vec<Vec<u8>>>,
}

impl Outputs {
    /// Takes in one copy.
    pub fn copied(&mut self, bytes: &[u8]) {
        // The length separates copies, so that moved boundaries show.
        self.hash.update(&(bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        if let Some(kept) = &mut self.kept {
            kept.push(bytes.to_vec());
        }
    }

    /// Keeps the bytes themselves from now on.
    pub fn keep(&mut self) {
        self.kept.get_or_insert_default();
    }

    /// Whether all copies so far were kept.
    pub(crate) fn are_kept(&self) -> bool {
        self.kept
            .as_ref()
            .is_some_and(|k| k.iter().map(|c| c.len() as u64).sum::<u64>() == self.bytes)
    }

    /// How many copies were kept.
    pub(crate) fn count(&self) -> usize {
        self.kept().len()
    }

    /// A kept copy differs from some byte on. [`Outputs::count_again`] brings the
    /// digest up to date.
    pub(crate) fn correct(&mut self, copy: usize, at: usize, differences: &[u8]) {
        let copy = self.kept.as_mut().and_then(|kept| kept.get_mut(copy));
        let there = copy.and_then(|c| c.get_mut(at..)).into_iter().flatten();
        there.zip(differences).for_each(|(byte, d)| *byte ^= d);
    }

    /// Makes the digest anew from the copies that were kept.
    pub(crate) fn count_again(&mut self) {
        let mut new = Outputs::default();
        self.kept().iter().for_each(|copy| new.copied(copy));
        self.hash = new.hash;
    }

    /// The copies that were kept, in order.
    pub fn kept(&self) -> &[Vec<u8>] {
        self.kept.as_deref().unwrap_or_default()
    }

    /// 128-bit digest of everything so far, in hexadecimal.
    pub fn digest(&self) -> String {
        format!("{:032x}", self.hash.digest128())
    }

    /// The digest as a number.
    pub fn digest128(&self) -> u128 {
        self.hash.digest128()
    }

    /// Bytes copied so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrected_copies_count_as_if_they_had_been_so() {
        let of = |parts: [&[u8]; 2]| {
            let mut o = Outputs::default();
            o.keep();
            parts.iter().for_each(|p| o.copied(p));
            o
        };
        let mut corrected = of([b"abcd", b"ef"]);
        corrected.correct(0, 1, &[b'b' ^ b'x', b'c' ^ b'y']);
        corrected.count_again();
        assert_eq!(corrected.digest(), of([b"axyd", b"ef"]).digest());
        assert_ne!(corrected.digest(), of([b"abcd", b"ef"]).digest());
        assert!(corrected.are_kept());
    }

    #[test]
    fn digest_depends_on_order_and_boundaries() {
        let of = |parts: &[&[u8]]| {
            let mut o = Outputs::default();
            parts.iter().for_each(|p| o.copied(p));
            o.digest()
        };
        assert_eq!(of(&[b"ab", b"c"]), of(&[b"ab", b"c"]));
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        assert_ne!(of(&[b"a", b"b"]), of(&[b"b", b"a"]));
    }
}
