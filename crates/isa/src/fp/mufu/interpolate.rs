//! The datapath all functions share: a second-degree polynomial per table row.

/// Coefficients of one segment of a function.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Value where the segment begins, without its lowest bits.
    pub(super) c0: u32,
    /// Slope.
    pub(super) c1: i32,
    /// Curvature.
    pub(super) c2: i32,
}

/// Bits of an argument below the table index.
pub(super) const X_BITS: u32 = 17;

/// What the upper twelve bits give of a square.
static UPPER: [u16; 1 << 12] = {
    let mut sums = [0; 1 << 12];
    let mut upper = 0;
    while upper < sums.len() {
        let (high, x) = (upper as u32 >> 5, upper as u32);
        // Products among the upper seven bits are complete; bit 9 lacks its own square.
        let mut sum = 2 * high * high + (((x >> 4) & 1) * 2 * high);
        // A lower bit only meets those upper bits with which it reaches weight 2^19.
        sum += ((x >> 3) & 1) * high;
        sum += ((x >> 2) & 1) * (high >> 1);
        sum += ((x >> 1) & 1) * (high >> 2);
        sum += (x & 1) * (high >> 3);
        sums[upper] = sum as u16;
        upper += 1;
    }
    sums
};

/// What bits 2 to 4 add to it, of numbers whose upper three bits are those in the row.
static LOWER: [[u8; 8]; 8] = {
    let mut sums = [[0; 8]; 8];
    let mut at = 0;
    while at < 64 {
        let (high, x) = (at >> 3, at & 7);
        let sum = (x >> 2 & 1) * high + (x >> 1 & 1) * (high >> 1) + (x & 1) * (high >> 2);
        sums[high][x] = sum as u8;
        at += 1;
    }
    sums
};

/// Square of a 17-bit number as the unit's squarer sees it, in units of 2^19:
/// partial products of lower weight do not exist, so their carries are missing.
#[inline]
fn square(x: u32) -> u32 {
    let lower = LOWER[(x >> 14) as usize & 7][(x >> 2) as usize & 7];
    u32::from(UPPER[(x >> 5) as usize & 0xfff]) + u32::from(lower)
}

/// Value of the polynomial for the lowest 17 bits of `x`, in the table's fixed-point unit.
///
/// `c0_shift` places `c0`, `bias` is the constant that rounds (each function has its own).
#[inline]
pub(super) fn interpolate(row: Row, x: u32, c0_shift: u32, bias: i64) -> i64 {
    let x = x & ((1 << X_BITS) - 1);
    (i64::from(row.c0) << c0_shift)
        + i64::from(row.c1) * i64::from(x)
        + i64::from(row.c2) * i64::from(square(x))
        + bias
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squarer spelled out: every partial product of weight 2^19 and above.
    fn by_partial_products(x: u32) -> u32 {
        let bit = |i: u32| u64::from((x >> i) & 1);
        let mut sum = 0u64;
        for i in 0..X_BITS {
            if 2 * i >= 19 {
                sum += bit(i) << (2 * i);
            }
            for j in i + 1..X_BITS {
                if i + j + 1 >= 19 {
                    sum += (bit(i) & bit(j)) << (i + j + 1);
                }
            }
        }
        (sum >> 19) as u32
    }

    #[test]
    fn square_is_the_sum_of_the_kept_partial_products() {
        for x in 0..1 << X_BITS {
            assert_eq!(square(x), by_partial_products(x), "{x:#x}");
        }
    }
}
