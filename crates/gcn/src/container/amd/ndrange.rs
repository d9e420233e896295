//! Constant buffer 0: what a driver tells every kernel of its launch.
//!
//! Words as CLRX (`doc/AmdAbi.md`) and Multi2Sim (`Kernel.cc`) have them; where
//! only one knows a word, it is said.

/// Words of the block.
pub const WORDS: usize = 40;

/// A launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NdRange {
    /// Dimensions that the host gave: one to three.
    pub dimensions: u32,
    /// Work-items; one in dimensions that the host did not give.
    pub global: [u32; 3],
    /// Work-items of a group.
    pub local: [u32; 3],
    /// First global numbers.
    pub offset: [u32; 3],
}

impl NdRange {
    /// The block, for pointers of 32 or (`wide`) 64 bits.
    pub fn block(&self, wide: bool) -> [u32; WORDS] {
        let mut words = [0; WORDS];
        let mut put =
            |at: usize, values: &[u32]| words[at..at + values.len()].copy_from_slice(values);
        put(0, &self.global);
        put(3, &[self.dimensions]);
        put(4, &self.local);
        put(8, &[0, 1, 2].map(|i| self.global[i].checked_div(self.local[i]).unwrap_or(0)));
        // For AMD's mathematical functions (Multi2Sim).
        put(20, &[0.0f32, 0.5, 1.0, 2.0].map(f32::to_bits));
        put(24, &self.offset);
        put(27, &[self.offset.iter().fold(1u32, |a, &b| a.wrapping_mul(b))]);
        // Again, behind the offset of the program's constants, which has the
        // width of a pointer (CLRX).
        put(if wide { 37 } else { 36 }, &self.offset);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_where_kernels_look() {
        let range =
            NdRange { dimensions: 2, global: [64, 32, 1], local: [16, 8, 1], offset: [5, 7, 0] };
        let block = range.block(false);
        assert_eq!(block[..11], [64, 32, 1, 2, 16, 8, 1, 0, 4, 4, 1]);
        assert_eq!(block[21], 0x3f00_0000);
        assert_eq!(block[24..28], [5, 7, 0, 0]);
        assert_eq!(block[36..], [5, 7, 0, 0]);
        assert_eq!(range.block(true)[36..], [0, 5, 7, 0]);
        assert_eq!(4 * block.len(), 160);
    }
}
