//! The two hash tables by which the loader finds symbols.

use super::layout::Bytes;

/// Symbols per chain, on average.
const PER_BUCKET: usize = 4;
/// Words of the Bloom filter; a power of two.
const BLOOM_WORDS: usize = 64;
/// How far the hash is shifted for the filter's second bit.
const BLOOM_SHIFT: u32 = 6;

/// The hash function of the System V ABI; version names use it as well.
pub fn sysv(name: &str) -> u32 {
    name.bytes().fold(0u32, |h, c| {
        let h = (h << 4).wrapping_add(u32::from(c));
        let high = h & 0xf000_0000;
        (h ^ (high >> 24)) & !high
    })
}

/// The hash function of `DT_GNU_HASH`.
pub fn gnu(name: &str) -> u32 {
    name.bytes().fold(5381u32, |h, c| h.wrapping_mul(33).wrapping_add(u32::from(c)))
}

fn buckets(symbols: usize) -> usize {
    (symbols / PER_BUCKET).max(1)
}

/// Sorts names as `DT_GNU_HASH` wants them: by bucket.
pub fn sort(names: &mut [&str]) {
    let n = buckets(names.len()) as u32;
    names.sort_by_key(|name| (gnu(name) % n, *name));
}

/// `DT_HASH`: `defined` are the symbols from index `first` on.
pub fn sysv_table(first: usize, defined: &[&str]) -> Bytes {
    let mut heads = vec![0u32; buckets(defined.len())];
    let mut chains = vec![0u32; first + defined.len()];
    for (i, name) in defined.iter().enumerate() {
        let bucket = sysv(name) as usize % heads.len();
        chains[first + i] = heads[bucket];
        heads[bucket] = (first + i) as u32;
    }
    let mut out = Bytes::default();
    out.u32(heads.len() as u32);
    out.u32(chains.len() as u32);
    heads.into_iter().chain(chains).for_each(|n| out.u32(n));
    out
}

/// `DT_GNU_HASH` of names in the order of [`sort`].
pub fn gnu_table(first: usize, defined: &[&str]) -> Bytes {
    let n = buckets(defined.len());
    let mut bloom = [0u64; BLOOM_WORDS];
    let mut heads = vec![0u32; n];
    let mut chain = Vec::with_capacity(defined.len());
    for (i, name) in defined.iter().enumerate() {
        let h = gnu(name);
        bloom[h as usize / 64 % BLOOM_WORDS] |= 1 << (h % 64) | 1 << ((h >> BLOOM_SHIFT) % 64);
        let bucket = h as usize % n;
        if heads[bucket] == 0 {
            heads[bucket] = (first + i) as u32;
        }
        // The lowest bit marks the end of a chain.
        let last = defined.get(i + 1).is_none_or(|next| gnu(next) as usize % n != bucket);
        chain.push(h & !1 | u32::from(last));
    }
    let mut out = Bytes::default();
    for word in [n as u32, first as u32, BLOOM_WORDS as u32, BLOOM_SHIFT] {
        out.u32(word);
    }
    bloom.into_iter().for_each(|word| out.u64(word));
    heads.into_iter().chain(chain).for_each(|n| out.u32(n));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        // Examples of the System V ABI and of the loader's own test programs.
        assert_eq!(sysv("printf"), 0x077905a6);
        assert_eq!(gnu("printf"), 0x156b2bb8);
        assert_eq!(gnu(""), 5381);
    }
}
