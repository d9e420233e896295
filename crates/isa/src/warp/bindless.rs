//! Bindless constants, `cx[URn][offset]`: a descriptor in a uniform register
//! pair says where the bank lies.
//!
//! Bits 0-44 of the pair are the address divided by 16, bits 45-63 the size
//! divided by 16: Mesa's NVK writes descriptors for Turing to Ada so
//! (`nvk_bindless_cbuf`), and leaves it to the hardware that reads beyond the
//! size give zero, as Vulkan's robust access demands. CUDA's compilers use none
//! of this, so that only faults lead here: whatever the pair holds is taken for
//! a descriptor. What hardware does where the address itself is not mapped is
//! not published; like any other access to such an address it traps here.

use super::Operands;
use super::operand::ureg_value;
use crate::Width;

const UNIT: u32 = 4;
const ADDRESS_BITS: u32 = 45;

/// A bank that a descriptor names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstWindow {
    /// Address of the first byte.
    pub base: u64,
    /// Bytes.
    pub size: u64,
}

impl ConstWindow {
    /// The bank that a descriptor names.
    pub fn new(descriptor: u64) -> ConstWindow {
        let base = (descriptor & ((1 << ADDRESS_BITS) - 1)) << UNIT;
        ConstWindow { base, size: descriptor >> ADDRESS_BITS << UNIT }
    }

    /// The bank that the uniform pair at `ureg` names.
    #[inline]
    pub fn of(ops: &impl Operands, ureg: u8) -> ConstWindow {
        ConstWindow::new(ureg_value(ops, ureg, Width::W2))
    }

    /// Address of `len` bytes at an offset; none beyond the end, where zeros
    /// are read.
    pub fn address(&self, offset: i64, len: u64) -> Option<u64> {
        let offset = u64::try_from(offset).ok()?;
        let end = offset.checked_add(len)?;
        (end <= self.size).then(|| self.base + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_is_an_address_and_a_size_in_units_of_sixteen() {
        let w = ConstWindow::new(3 << 45 | 0x7_0012_3450 >> 4);
        assert_eq!(w, ConstWindow { base: 0x7_0012_3450, size: 48 });
        assert_eq!(w.address(0, 4), Some(0x7_0012_3450));
        assert_eq!(w.address(40, 8), Some(0x7_0012_3478));
        for beyond in [(44, 8), (48, 4), (-4, 4), (i64::MAX, 4)] {
            assert_eq!(w.address(beyond.0, beyond.1), None, "{beyond:?}");
        }
    }

    #[test]
    fn zero_names_nothing_and_all_ones_no_address_that_overflows() {
        assert_eq!(ConstWindow::new(0).address(0, 1), None);
        let all = ConstWindow::new(u64::MAX);
        assert_eq!((all.base, all.size), ((1 << 49) - 16, (1 << 23) - 16));
        assert_eq!(all.address(all.size as i64 - 4, 4), Some(all.base + all.size - 4));
    }
}
