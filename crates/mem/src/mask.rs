//! Byte and sector masks.

use crate::line::LINE;

/// Bytes of the 32-byte sectors with ones in `sectors`.
#[inline]
pub(crate) fn bytes_of(sectors: u8) -> u128 {
    BYTES_OF[usize::from(sectors & 15)]
}

const BYTES_OF: [u128; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 16 {
        let mut s = 0;
        while s < 4 {
            if i >> s & 1 == 1 {
                table[i] |= 0xffff_ffff << (32 * s);
            }
            s += 1;
        }
        i += 1;
    }
    table
};

/// The 32-byte sectors that `bytes` touches.
#[inline]
pub(crate) fn sectors_of(bytes: u128) -> u8 {
    let (low, high) = (bytes as u64, (bytes >> 64) as u64);
    u8::from(low as u32 != 0)
        | u8::from(low >> 32 != 0) << 1
        | u8::from(high as u32 != 0) << 2
        | u8::from(high >> 32 != 0) << 3
}

/// Ones for `len` bytes from `at` on.
#[inline]
pub(crate) fn span(at: u64, len: u64) -> u128 {
    let ones = if len >= 128 { !0 } else { (1u128 << len) - 1 };
    if at >= 128 { 0 } else { ones << at }
}

/// Lines of `size` bytes that `bytes` of a 128-byte line lie in: where each
/// begins, and the bytes within it.
#[inline]
pub(crate) fn parts(size: u64, bytes: u128) -> impl Iterator<Item = (u64, u128)> {
    let own = move |at: u64| (at, bytes >> at & span(0, size));
    (0..LINE).step_by(size as usize).map(own).filter(|(_, bytes)| *bytes != 0)
}

/// Copies the bytes with ones in `mask`; bytes beyond either slice are left out.
#[inline]
pub(crate) fn copy(to: &mut [u8], from: &[u8], mask: u128) {
    let each = [mask as u32, (mask >> 32) as u32, (mask >> 64) as u32, (mask >> 96) as u32];
    let sectors = to.as_chunks_mut().0.iter_mut().zip(from.as_chunks().0);
    for ((to, from), bits) in sectors.zip(each) {
        match bits {
            0 => {}
            u32::MAX => *to = *from,
            _ => copy_some(to, from, bits),
        }
    }
    let whole = to.len().min(from.len()) / 32;
    if let Some(bits) = each.get(whole).filter(|bits| **bits != 0) {
        copy_bytes(&mut to[32 * whole..], &from[32 * whole..], *bits);
    }
}

/// Copies the 32-byte sectors with ones in `sectors`; those beyond either slice are
/// left out.
#[inline]
pub(crate) fn copy_sectors(to: &mut [u8], from: &[u8], sectors: u8) {
    let (to, from) = (to.as_chunks_mut::<32>().0, from.as_chunks::<32>().0);
    let mut left = sectors & 15;
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        left &= left - 1;
        if let (Some(to), Some(from)) = (to.get_mut(at), from.get(at)) {
            *to = *from;
        }
    }
}

/// The same within a sector, eight bytes at once.
fn copy_some(to: &mut [u8; 32], from: &[u8; 32], bits: u32) {
    for (i, (to, from)) in to.chunks_exact_mut(8).zip(from.chunks_exact(8)).enumerate() {
        let which = (bits >> (8 * i)) as u8;
        if let (Some(to), Some(from), true) =
            (to.first_chunk_mut::<8>(), from.first_chunk::<8>(), which != 0)
        {
            let (old, new) = (u64::from_le_bytes(*to), u64::from_le_bytes(*from));
            let mask = spread(which);
            *to = (old & !mask | new & mask).to_le_bytes();
        }
    }
}

/// The same, where a slice ends.
#[cold]
fn copy_bytes(to: &mut [u8], from: &[u8], bits: u32) {
    for (i, (to, from)) in to.iter_mut().zip(from).take(32).enumerate() {
        if bits >> i & 1 == 1 {
            *to = *from;
        }
    }
}

/// A byte of ones for each one.
#[inline]
fn spread(bits: u8) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let own = (u64::from(bits) * EACH) & 0x8040_2010_0804_0201;
    // Whatever is not zero carries into the highest bit of its byte.
    ((own + 0x7f * EACH) >> 7 & EACH) * 0xff
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn copies_what_the_mask_says(mask: u128, len in prop::sample::select(vec![32usize, 64, 128])) {
            let from: Vec<u8> = (1..=128).collect();
            let mut to = vec![0u8; len];
            copy(&mut to, &from, mask);
            for i in 0..len {
                prop_assert_eq!(to[i], if mask >> i & 1 == 1 { from[i] } else { 0 });
            }
            let sectors = sectors_of(mask);
            prop_assert_eq!(mask & !bytes_of(sectors), 0);
            let mut whole = [vec![0u8; len], vec![0u8; len]];
            copy(&mut whole[0], &from, bytes_of(sectors));
            copy_sectors(&mut whole[1], &from, sectors);
            prop_assert_eq!(&whole[0], &whole[1]);
        }
    }

    #[test]
    fn spans() {
        assert_eq!(span(0, 128), !0);
        assert_eq!(span(4, 4), 0xf0);
        assert_eq!(span(96, 32), 0xffff_ffff << 96);
        assert_eq!(sectors_of(span(31, 2)), 3);
    }
}
