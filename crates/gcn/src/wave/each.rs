//! Lanes of a mask, one after the other.

/// Numbers of the lanes of a mask, the lowest first.
#[inline(always)]
pub fn each(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        Some(lane as usize)
    })
}

/// A mask of the lanes for which something holds.
#[inline(always)]
pub fn mask_of(holds: impl Fn(usize) -> bool) -> u64 {
    let half = |first: usize| {
        (0..32).fold(0u32, |mask, lane| mask | u32::from(holds(first + lane)) << lane)
    };
    u64::from(half(0)) | u64::from(half(32)) << 32
}
