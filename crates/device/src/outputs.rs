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
