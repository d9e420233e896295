//! Memory, as an engine that does an access at once sees it.

use crate::sem::atomic::AtomicFn;

/// Memory. An error is the address that is not there; then nothing was done.
pub trait Memory {
    /// Reads bytes from an address on.
    fn load(&mut self, addr: u64, to: &mut [u8]) -> Result<(), u64>;

    /// Writes bytes from an address on.
    fn store(&mut self, addr: u64, from: &[u8]) -> Result<(), u64>;

    /// Changes 4 or 8 bytes and gives their old value.
    fn atomic(
        &mut self,
        addr: u64,
        bytes: u8,
        f: AtomicFn,
        data: u64,
        compare: u64,
    ) -> Result<u64, u64> {
        let mut all = [0; 8];
        let element = &mut all[..usize::from(bytes.min(8))];
        self.load(addr, element)?;
        let old = u64::from_le_bytes(all);
        let len = usize::from(bytes.min(8));
        self.store(addr, &f(old, data, compare).to_le_bytes()[..len])?;
        Ok(old)
    }
}
