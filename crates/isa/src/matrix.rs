//! Products of small matrices, which all lanes of a warp hold together (`HMMA`,
//! `IMMA`): which element is in whose register, and what comes out.
//!
//! Layouts are those that PTX documents for `mma.sync`. Integers are exact. Of
//! half-precision products the sum is formed in double precision and cut off to
//! single precision, as tensor cores cut off; they also cut off what they add
//! up, each generation in its own way, which is not modelled. Wherever every
//! partial sum fits single precision (small integers, say) the result is exact
//! in any order, so the model's and the hardware's are the same there.

use crate::fp::narrow::{narrow, widen};
use crate::fp::{Format, Rounding};
use crate::{Lanes, WARP};

/// Rows or columns beyond the first eight.
const HALF: usize = 8;

/// A product of matrices plus a third.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOp {
    /// `HMMA.884.F32.F32.STEPn`: of m8n8k4 in four groups of eight lanes, row
    /// by column, the accumulators 2n and 2n + 1.
    Step884(u8),
    /// `HMMA.1688.F32`, `HMMA.16816.F32`: half precision, row by column.
    Half {
        /// 8 or 16.
        k: u8,
    },
    /// `IMMA.8816`, `.16816`, `.16832`: bytes, row by column.
    Bytes {
        /// 8 or 16 rows.
        rows: u8,
        /// 16 or 32.
        k: u8,
        /// The left matrix is signed.
        signed_a: bool,
        /// The right matrix is signed.
        signed_b: bool,
    },
}

/// Registers of A, B and C.
type Operands<'a> = [[&'a Lanes; 4]; 3];

impl MatrixOp {
    /// D = A B + C; words that the operation does not have are zeroes.
    pub fn multiply(self, [a, b, c]: &Operands<'_>) -> [Lanes; 4] {
        match self {
            MatrixOp::Step884(step) => step_884(usize::from(step & 3), a, b, c),
            MatrixOp::Half { k } => {
                let mut sums = [[0.0; HALF]; 2 * HALF];
                for row in 0..2 * HALF {
                    for column in 0..HALF {
                        let word = c[column % 2 + row / HALF * 2][row % HALF * 4 + column / 2];
                        sums[row][column] = f64::from(f32::from_bits(word));
                    }
                }
                for i in 0..usize::from(k) {
                    // One register of B for each eight of k.
                    let right: [f64; HALF] = std::array::from_fn(|n| half_at(b, i / HALF, n, i));
                    for row in 0..2 * HALF {
                        let left = half_at(a, row / HALF + i / HALF * 2, row % HALF, i);
                        for column in 0..HALF {
                            sums[row][column] += left * right[column];
                        }
                    }
                }
                each(16, c, |row: usize, column: usize, _| single(sums[row][column]))
            }
            MatrixOp::Bytes { rows, k, signed_a, signed_b } => {
                let tall = usize::from(rows) / HALF;
                let left =
                    |row, i: usize| byte_at(a, row / HALF + i / 16 * tall, row % HALF, i, signed_a);
                let right = |i: usize, column| byte_at(b, i / 16, column, i, signed_b);
                let product = |row, column, sum: u32| {
                    (0..usize::from(k)).fold(sum, |s, i| {
                        s.wrapping_add(left(row, i).wrapping_mul(right(i, column)) as u32)
                    })
                };
                each(usize::from(rows), c, product)
            }
        }
    }
}

/// An element of half precision: two a register, four lanes for eight of k.
fn half_at(of: &[&Lanes; 4], register: usize, line: usize, i: usize) -> f64 {
    let word = of[register % 4][line * 4 + i % HALF / 2];
    half(word >> (16 * (i % 2)))
}

/// A byte: four a register, four lanes for 16 of k.
fn byte_at(of: &[&Lanes; 4], register: usize, line: usize, i: usize, signed: bool) -> i32 {
    let byte = (of[register % 4][line * 4 + i % 16 / 4] >> (8 * (i % 4))) as u8;
    if signed { i32::from(byte as i8) } else { i32::from(byte) }
}

/// Every accumulator: two of a row in each lane, and two more eight rows below.
fn each(rows: usize, c: &[&Lanes; 4], product: impl Fn(usize, usize, u32) -> u32) -> [Lanes; 4] {
    let mut d = [[0; WARP]; 4];
    for (n, to) in d.iter_mut().enumerate().take(rows / 4) {
        for lane in 0..WARP {
            let row = lane / 4 + n / 2 * HALF;
            let column = lane % 4 * 2 + n % 2;
            to[lane] = product(row, column, c[n][lane]);
        }
    }
    d
}

/// Lanes 0 to 3 and 16 to 19 multiply matrices of their own, and so on.
fn step_884(step: usize, a: &[&Lanes; 4], b: &[&Lanes; 4], c: &[&Lanes; 4]) -> [Lanes; 4] {
    let mut d = [[0; WARP]; 4];
    // Row of A and column of B: the first four in the group's low lanes.
    let holder = |group: usize, line: usize| group * 4 + line % 4 + line / 4 * 16;
    for lane in 0..WARP {
        let group = lane % 16 / 4;
        for n in 0..2 {
            let i = 2 * step + n;
            let row = (lane & 1) + (i & 2) + lane / 16 * 4;
            let column = (i & 4) + (lane & 2) + (i & 1);
            let sum = (0..4).fold(f64::from(f32::from_bits(c[n][lane])), |s, k| {
                let part =
                    |of: &[&Lanes; 4], line| half(of[k / 2][holder(group, line)] >> (16 * (k % 2)));
                s + part(a, row) * part(b, column)
            });
            d[n][lane] = single(sum);
        }
    }
    d
}

fn half(bits: u32) -> f64 {
    widen(Format::F16, bits & 0xffff)
}

fn single(sum: f64) -> u32 {
    // Its NaN is the only one that tensor cores make.
    narrow(Format::F32, Rounding::Zero, sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fp::convert::to_float;

    /// Registers of a matrix of one-element registers' worth: element (line, i)
    /// of a fragment is put where PTX's tables say, written out here by lane.
    #[derive(Default)]
    struct Fragment([Lanes; 4]);

    impl Fragment {
        fn rows(&self) -> [&Lanes; 4] {
            self.0.each_ref()
        }

        fn put(&mut self, register: usize, lane: usize, shift: u32, bits: u32) {
            self.0[register][lane] |= bits << shift;
        }
    }

    fn f16(v: i32) -> u32 {
        let single = u64::from((v as f32).to_bits());
        to_float(Format::F32, single, Format::F16, Rounding::Nearest) as u32
    }

    /// Small numbers that differ.
    fn element(seed: usize, row: usize, column: usize) -> i32 {
        ((seed * 31 + row * 17 + column * 7) % 23) as i32 - 11
    }

    fn reference(row: usize, column: usize, k: usize) -> i32 {
        (0..k).map(|i| element(1, row, i) * element(2, i, column)).sum::<i32>()
            + element(3, row, column)
    }

    /// Accumulators of 16 by 8, or the upper half of it.
    fn accumulators(rows: usize, bits: impl Fn(i32) -> u32) -> Fragment {
        let mut c = Fragment::default();
        for row in 0..rows {
            for column in 0..8 {
                let (register, lane) = (row / 8 * 2 + column % 2, row % 8 * 4 + column / 2);
                c.put(register, lane, 0, bits(element(3, row, column)));
            }
        }
        c
    }

    fn compare(rows: usize, k: usize, words: &[Lanes; 4], bits: impl Fn(i32) -> u32) {
        for row in 0..rows {
            for column in 0..8 {
                let (register, lane) = (row / 8 * 2 + column % 2, row % 8 * 4 + column / 2);
                assert_eq!(
                    words[register][lane],
                    bits(reference(row, column, k)),
                    "row {row} column {column} of k {k}"
                );
            }
        }
    }

    #[test]
    fn halves_are_where_ptx_says() {
        for k in [8, 16] {
            let (mut a, mut b) = (Fragment::default(), Fragment::default());
            for i in 0..k {
                let shift = i as u32 % 2 * 16;
                for row in 0..16 {
                    let register = row / 8 + i / 8 * 2;
                    a.put(register, row % 8 * 4 + i % 8 / 2, shift, f16(element(1, row, i)));
                }
                for column in 0..8 {
                    b.put(i / 8, column * 4 + i % 8 / 2, shift, f16(element(2, i, column)));
                }
            }
            let bits = |v: i32| (v as f32).to_bits();
            let c = accumulators(16, bits);
            let op = MatrixOp::Half { k: k as u8 };
            let results = op.multiply(&[a.rows(), b.rows(), c.rows()]);
            compare(16, k, &results, bits);
        }
    }

    #[test]
    fn bytes_are_where_ptx_says() {
        for (rows, k) in [(8, 16), (16, 16), (16, 32)] {
            let (mut a, mut b) = (Fragment::default(), Fragment::default());
            let byte = |v: i32| u32::from(v as i8 as u8);
            for i in 0..k {
                let shift = i as u32 % 4 * 8;
                for row in 0..rows {
                    let register = row / 8 + i / 16 * 2;
                    a.put(register, row % 8 * 4 + i % 16 / 4, shift, byte(element(1, row, i)));
                }
                for column in 0..8 {
                    b.put(i / 16, column * 4 + i % 16 / 4, shift, byte(element(2, i, column)));
                }
            }
            let bits = |v: i32| v as u32;
            let c = accumulators(rows, bits);
            let (rows8, k8) = (rows as u8, k as u8);
            let op = MatrixOp::Bytes { rows: rows8, k: k8, signed_a: true, signed_b: true };
            let results = op.multiply(&[a.rows(), b.rows(), c.rows()]);
            compare(rows, k, &results, bits);
        }
    }

    /// Four groups of lanes, each with matrices of its own; four steps give all.
    #[test]
    fn volta_multiplies_in_four_groups_and_steps() {
        let (mut a, mut b) = (Fragment::default(), Fragment::default());
        for lane in 0..WARP {
            let (group, line) = (lane % 16 / 4, lane % 4 + lane / 16 * 4);
            for k in 0..4 {
                let shift = k as u32 % 2 * 16;
                a.put(k / 2, lane, shift, f16(element(1 + group, line, k)));
                b.put(k / 2, lane, shift, f16(element(7 + group, k, line)));
            }
        }
        for step in 0..4 {
            let mut c = Fragment::default();
            (0..WARP).for_each(|l| (0..2).for_each(|n| c.put(n, l, 0, 1f32.to_bits())));
            let results = MatrixOp::Step884(step).multiply(&[a.rows(), b.rows(), c.rows()]);
            for lane in 0..WARP {
                for n in 0..2 {
                    let i = 2 * usize::from(step) + n;
                    // PTX ISA, m8n8k4 with .f32 accumulators.
                    let x = (lane & 0b1) + (i & 0b10);
                    let row = if lane < 16 { x } else { x + 4 };
                    let column = (i & 0b100) + (lane & 0b10) + (i & 0b1);
                    let group = lane % 16 / 4;
                    let sum: i32 = (0..4)
                        .map(|k| element(1 + group, row, k) * element(7 + group, k, column))
                        .sum();
                    assert_eq!(results[n][lane], ((sum + 1) as f32).to_bits(), "{lane} {i}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_stays_so() {
        let mut a = Fragment::default();
        a.put(0, 0, 0, 0x7c00);
        let mut b = Fragment::default();
        b.put(0, 0, 0, f16(0));
        let c = Fragment::default();
        let results = MatrixOp::Half { k: 8 }.multiply(&[a.rows(), b.rows(), c.rows()]);
        // Infinity times nothing.
        assert_eq!(results[0][0], 0x7fff_ffff);
        assert_eq!(results[0][4], 0);
    }
}
