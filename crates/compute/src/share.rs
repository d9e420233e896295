//! Who of those that share warp slots has one.

/// Which of `n` that share warp slots one after the other has a slot, and its
/// number there. Asked several times per instruction: a division would be felt.
#[inline]
pub(crate) fn share(slot: u32, n: usize) -> (usize, usize) {
    let slot = slot as usize;
    match n.is_power_of_two() {
        true => (slot & (n - 1), slot >> n.trailing_zeros()),
        false => (slot % n, slot / n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_go_round() {
        for n in 1..9 {
            for slot in 0..64 {
                assert_eq!(share(slot, n), (slot as usize % n, slot as usize / n));
            }
        }
    }
}
