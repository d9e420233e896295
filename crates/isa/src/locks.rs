//! Locks on words of shared memory (`LDSLK`, `STSCUL`).

/// Locks that the words of a CTA's shared memory share.
pub const LOCKS: usize = 1024;

/// Which locks are held.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Locks {
    held: [u32; LOCKS / 32],
}

impl Default for Locks {
    fn default() -> Locks {
        Locks { held: [0; LOCKS / 32] }
    }
}

impl Locks {
    fn place(addr: u64) -> (usize, u32) {
        let lock = (addr / 4) as usize % LOCKS;
        (lock / 32, 1 << (lock % 32))
    }

    /// Whether nobody holds any.
    pub fn are_free(&self) -> bool {
        self.held == [0; LOCKS / 32]
    }

    /// Takes the lock of the word at `addr`; false when it is held.
    pub fn take(&mut self, addr: u64) -> bool {
        let (word, bit) = Locks::place(addr);
        let free = self.held[word] & bit == 0;
        self.held[word] |= bit;
        free
    }

    /// Undoes the lock of the word at `addr`; false when nobody held it.
    pub fn undo(&mut self, addr: u64) -> bool {
        let (word, bit) = Locks::place(addr);
        let held = self.held[word] & bit != 0;
        self.held[word] &= !bit;
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_at_a_time() {
        let mut locks = Locks::default();
        assert!(!locks.undo(8));
        assert!(locks.take(8));
        assert!(!locks.take(8));
        // Another word, and one that shares the lock.
        assert!(locks.take(12));
        assert!(!locks.take(8 + 4 * LOCKS as u64));
        assert!(locks.undo(8));
        assert!(locks.take(8 + 4 * LOCKS as u64));
    }
}
