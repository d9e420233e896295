//! Who of those that share warp slots has one.

/// Which of `n` that share warp slots one after the other has a slot, and its
/// number there.
pub(crate) fn share(slot: u32, n: u32) -> (u32, u32) {
    (slot % n, slot / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_go_round() {
        for n in 1..9 {
            for slot in 0..64 {
                assert_eq!(share(slot, n), (slot % n, slot / n));
            }
        }
    }
}
