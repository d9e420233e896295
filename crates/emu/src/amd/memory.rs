//! Global memory as waves see it.

use upset_gcn::wave::Memory;

use crate::memory::GlobalMemory;

/// Global memory.
pub(super) struct Global<'a>(pub &'a mut GlobalMemory);

impl Memory for Global<'_> {
    #[inline]
    fn load(&mut self, addr: u64, to: &mut [u8]) -> Result<(), u64> {
        to.copy_from_slice(self.0.read(addr, to.len()).ok_or(addr)?);
        Ok(())
    }

    #[inline]
    fn store(&mut self, addr: u64, from: &[u8]) -> Result<(), u64> {
        self.0.write(addr, from.len()).ok_or(addr)?.copy_from_slice(from);
        Ok(())
    }
}
