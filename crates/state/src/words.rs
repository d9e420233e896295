//! Rows of words, and bytes as their parts.

/// Words of a row.
pub const WORDS: usize = 32;
/// The words of a row.
pub type Words = [u32; WORDS];

/// Bits of the bytes in a mask.
pub fn byte_mask(bytes: u128) -> Words {
    const NIBBLE: [u32; 16] = {
        let mut t = [0; 16];
        let mut i = 0;
        while i < 16 {
            let mut b = 0;
            while b < 4 {
                if i >> b & 1 == 1 {
                    t[i] |= 0xff << (8 * b);
                }
                b += 1;
            }
            i += 1;
        }
        t
    };
    std::array::from_fn(|w| NIBBLE[(bytes >> (4 * w) & 15) as usize])
}

/// Words from `skip` on.
pub(crate) fn shifted(words: &Words, skip: u32) -> Words {
    match skip {
        0 => *words,
        n => std::array::from_fn(|i| words.get(i + n as usize).copied().unwrap_or(0)),
    }
}

/// Words as differences of bytes.
pub fn apply_words(words: &Words, bytes: &mut [u8]) {
    for (chunk, w) in bytes.chunks_mut(4).zip(words) {
        chunk.iter_mut().zip(w.to_le_bytes()).for_each(|(b, x)| *b ^= x);
    }
}

/// Differences of two rows of bytes.
pub fn difference(a: &[u8], b: &[u8]) -> Words {
    let word = |s: &[u8], i: usize| {
        s.get(4 * i..4 * i + 4).and_then(|c| c.first_chunk()).map_or(0, |c| u32::from_le_bytes(*c))
    };
    std::array::from_fn(|i| word(a, i) ^ word(b, i))
}
