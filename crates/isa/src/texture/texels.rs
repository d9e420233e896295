//! How the texels of an image lie in memory.

/// Bytes of a block's row.
const BLOCK_ROW: u64 = 64;
/// Rows of a block.
pub const BLOCK_ROWS: u64 = 8;
/// Bytes of a block.
pub const BLOCK: u64 = BLOCK_ROW * BLOCK_ROWS;
/// Bytes of a row that follow each other in a block, and begin at multiples of it.
pub const BLOCK_RUN: u64 = 16;

/// The order of texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texels {
    /// Row after row, slice after slice.
    #[default]
    Rows,
    /// Blocks of 64 bytes by 8 rows, row after row of them. Code of sm_35 computes
    /// such addresses itself (`SUBFM`), and knows images of one and three
    /// dimensions in no other order.
    Blocks,
}

impl Texels {
    /// Bytes from a row, or a row of blocks, to the next, for rows of so many bytes.
    pub fn pitch(self, row_bytes: u64) -> Option<u64> {
        match self {
            Texels::Rows => Some(row_bytes),
            Texels::Blocks => row_bytes.div_ceil(BLOCK_ROW).checked_mul(BLOCK),
        }
    }

    /// Bytes from a slice of so many rows to the next.
    pub fn slice(self, pitch: u64, rows: u64) -> u64 {
        match self {
            Texels::Rows => pitch.wrapping_mul(rows),
            Texels::Blocks => pitch.wrapping_mul(rows.div_ceil(BLOCK_ROWS)),
        }
    }

    /// Where byte `x` of row `y` is in its slice.
    #[inline]
    pub fn offset(self, pitch: u64, x: u64, y: u64) -> u64 {
        match self {
            Texels::Rows => y.wrapping_mul(pitch).wrapping_add(x),
            Texels::Blocks => {
                let block = (y / BLOCK_ROWS).wrapping_mul(pitch) + x / BLOCK_ROW * BLOCK;
                // The order of bits that `SUBFM` makes.
                let within = x & 15
                    | (y & 3) << 4
                    | (x >> 4 & 1) << 6
                    | (y >> 2 & 1) << 7
                    | (x >> 5 & 1) << 8;
                block.wrapping_add(within)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_place_of_its_own_and_runs_stay_together() {
        let pitch = Texels::Blocks.pitch(100).expect("small");
        assert_eq!((pitch, Texels::Blocks.slice(pitch, 9)), (1024, 2048));
        let mut seen = std::collections::BTreeSet::new();
        for (x, y) in (0..16).flat_map(|y| (0..128).map(move |x| (x, y))) {
            let at = Texels::Blocks.offset(pitch, x, y);
            assert!(at < 2048 && seen.insert(at), "({x}, {y})");
            assert_eq!(at, Texels::Blocks.offset(pitch, x & !15, y) + x % BLOCK_RUN);
        }
        assert_eq!(Texels::Rows.offset(96, 5, 3), 293);
    }
}
