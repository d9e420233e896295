//! Tiles: matrices, what registers hold of them, and their product.
//!
//! Layouts are PTX's for `mma.sync`; `kernels/burn/tensor.cu` takes a tile as 16
//! words of each lane: A from word 0 on, B from 4, C from 8.

use crate::random::Random;

/// Lanes of a warp.
pub const LANES: usize = 32;
/// Words of a lane's operands.
pub const WORDS: usize = 16;
const B: usize = 4;
const C: usize = 8;

/// What a kernel multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// m8n8k4 of halves, by four groups of lanes (sm_70, and as PTX).
    Quarters,
    /// m16n8k8 of halves (sm_75).
    Half8,
    /// m16n8k16 of halves (from sm_80 on).
    Half16,
    /// m8n8k16 of bytes (sm_75).
    Bytes16,
    /// m16n8k32 of bytes (from sm_80 on).
    Bytes32,
}

/// Where an element is: lane, word of its operands, lowest bit.
type At = (usize, usize, u32);

impl Shape {
    /// The half-precision shape of code for a compute capability.
    pub fn halves(code: u32) -> Shape {
        match code {
            75 => Shape::Half8,
            80.. => Shape::Half16,
            _ => Shape::Quarters,
        }
    }

    /// The integer shape, where the code has one.
    pub fn bytes(code: u32) -> Option<Shape> {
        match code {
            75 => Some(Shape::Bytes16),
            80.. => Some(Shape::Bytes32),
            _ => None,
        }
    }

    /// The kernel.
    pub fn kernel(self) -> &'static str {
        match self {
            Shape::Quarters | Shape::Half8 | Shape::Half16 => "tensor_half",
            Shape::Bytes16 | Shape::Bytes32 => "tensor_bytes",
        }
    }

    /// How findings call it.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Quarters => "mma.m8n8k4.f32.f16",
            Shape::Half8 => "mma.m16n8k8.f32.f16",
            Shape::Half16 => "mma.m16n8k16.f32.f16",
            Shape::Bytes16 => "mma.m8n8k16.s32.s8",
            Shape::Bytes32 => "mma.m16n8k32.s32.s8",
        }
    }

    /// Products of matrices in one tile, and the rows and k of each.
    fn size(self) -> (usize, usize, usize) {
        match self {
            Shape::Quarters => (4, 8, 4),
            Shape::Half8 => (1, 16, 8),
            Shape::Half16 => (1, 16, 16),
            Shape::Bytes16 => (1, 8, 16),
            Shape::Bytes32 => (1, 16, 32),
        }
    }

    /// Words of a lane's result.
    pub fn words(self) -> usize {
        match self {
            Shape::Quarters => 8,
            Shape::Half8 | Shape::Half16 | Shape::Bytes32 => 4,
            Shape::Bytes16 => 2,
        }
    }

    fn a(self, group: usize, row: usize, k: usize) -> At {
        match self {
            Shape::Quarters => quarter(group, row, k),
            Shape::Half8 | Shape::Half16 => {
                (row % 8 * 4 + k % 8 / 2, row / 8 + k / 8 * 2, k as u32 % 2 * 16)
            }
            Shape::Bytes16 | Shape::Bytes32 => {
                (row % 8 * 4 + k % 16 / 4, row / 8 + k / 16 * 2, k as u32 % 4 * 8)
            }
        }
    }

    fn b(self, group: usize, k: usize, column: usize) -> At {
        let (lane, word, bit) = match self {
            Shape::Quarters => quarter(group, column, k),
            Shape::Half8 | Shape::Half16 => (column * 4 + k % 8 / 2, k / 8, k as u32 % 2 * 16),
            Shape::Bytes16 | Shape::Bytes32 => (column * 4 + k % 16 / 4, k / 16, k as u32 % 4 * 8),
        };
        (lane, B + word, bit)
    }

    /// Matrix, row and column of the accumulator in a word of a lane.
    pub fn accumulator(self, lane: usize, word: usize) -> (usize, usize, usize) {
        match self {
            Shape::Quarters => (
                lane % 16 / 4,
                (lane & 1) + (word & 2) + lane / 16 * 4,
                (word & 4) + (lane & 2) + (word & 1),
            ),
            _ => (0, lane / 4 + word / 2 * 8, lane % 4 * 2 + word % 2),
        }
    }
}

/// A row or column of four halves, in two words of one lane.
fn quarter(group: usize, line: usize, k: usize) -> At {
    (group * 4 + line % 4 + line / 4 * 16, k / 2, k as u32 % 2 * 16)
}

/// Operands of all lanes and what they must give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// Operands of each lane.
    pub operands: [[u32; WORDS]; LANES],
    /// Results of each lane; nothing where nobody but the chip knows them.
    pub results: [[u32; 8]; LANES],
}

/// A tile whose sums are exact in any order. Halves are integers times one
/// power of two for A and one for B, so small that no sum has more than 24 bits;
/// bytes and their accumulators are anything.
pub fn exact(shape: Shape, random: &mut Random) -> Tile {
    let halves = matches!(shape, Shape::Quarters | Shape::Half8 | Shape::Half16);
    let (groups, rows, depth) = shape.size();
    // 2047 * 127 * 16 products and an accumulator stay below 2^24. The powers
    // keep every factor a half, denormal ones among them.
    let (scale_a, scale_b) = match halves {
        true => (random.below(19) as i32 - 14, random.below(23) as i32 - 14),
        false => (0, 0),
    };
    let mut element = |limit: u32| random.below(2 * limit + 1) as i32 - limit as i32;
    let (most_a, most_b) = if halves { (2047, 127) } else { (127, 127) };
    let mut operands = [[0; WORDS]; LANES];
    let mut put = |(lane, word, bit): At, value: u32| operands[lane][word] |= value << bit;
    let bits = |value: i32, scale: i32| match halves {
        true => half_bits(value, scale),
        false => u32::from(value as i8 as u8),
    };
    let mut left = vec![0; groups * rows * depth];
    let mut right = vec![0; groups * depth * 8];
    for group in 0..groups {
        for k in 0..depth {
            for row in 0..rows {
                let value = element(most_a);
                left[(group * rows + row) * depth + k] = value;
                put(shape.a(group, row, k), bits(value, scale_a));
            }
            for column in 0..8 {
                let value = element(most_b);
                right[(group * depth + k) * 8 + column] = value;
                put(shape.b(group, k, column), bits(value, scale_b));
            }
        }
    }
    let mut results = [[0; 8]; LANES];
    for lane in 0..LANES {
        for word in 0..shape.words() {
            let (group, row, column) = shape.accumulator(lane, word);
            let sum: i32 = (0..depth)
                .map(|k| {
                    left[(group * rows + row) * depth + k] * right[(group * depth + k) * 8 + column]
                })
                .sum();
            let (before, after) = match halves {
                true => {
                    let c = element(1 << 22);
                    let float = |v: i32| single_bits(v, scale_a + scale_b);
                    (float(c), float(sum + c))
                }
                false => {
                    let c = element(u32::MAX / 4);
                    (c as u32, sum.wrapping_add(c) as u32)
                }
            };
            operands[lane][C + word] = before;
            results[lane][word] = after;
        }
    }
    Tile { operands, results }
}

/// A tile of any bits: only the chip knows what it gives.
pub fn anything(random: &mut Random) -> Tile {
    let mut operands = [[0; WORDS]; LANES];
    operands.iter_mut().flatten().for_each(|word| *word = random.bits() as u32);
    Tile { operands, results: [[0; 8]; LANES] }
}

/// `value` times a power of two in half precision, which holds it.
fn half_bits(value: i32, scale: i32) -> u32 {
    use upset_isa::fp::{Format, Rounding, convert};
    let wide = u64::from(single_bits(value, scale));
    convert::to_float(Format::F32, wide, Format::F16, Rounding::Nearest) as u32
}

/// The same in single precision.
fn single_bits(value: i32, scale: i32) -> u32 {
    (value as f32 * (scale as f32).exp2()).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 5] =
        [Shape::Quarters, Shape::Half8, Shape::Half16, Shape::Bytes16, Shape::Bytes32];

    /// Every element of A and B has bits of its own, and all bits of the words
    /// that the instruction reads are used.
    #[test]
    fn elements_fill_the_registers() {
        for shape in SHAPES {
            let (groups, rows, depth) = shape.size();
            let element: u32 = if shape.kernel() == "tensor_half" { 0xffff } else { 0xff };
            let mut seen = [[0u32; WORDS]; LANES];
            let mut take = |(lane, word, bit): At| {
                assert_eq!(seen[lane][word] & element << bit, 0, "{shape:?}: taken twice");
                seen[lane][word] |= element << bit;
            };
            for group in 0..groups {
                for k in 0..depth {
                    (0..rows).for_each(|row| take(shape.a(group, row, k)));
                    (0..8).for_each(|column| take(shape.b(group, k, column)));
                }
            }
            assert!(seen.iter().flatten().all(|w| *w == 0 || *w == u32::MAX), "{shape:?}");
            let mut places: Vec<_> = (0..LANES)
                .flat_map(|lane| (0..shape.words()).map(move |w| shape.accumulator(lane, w)))
                .collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), groups * rows * 8, "{shape:?}: accumulators");
        }
    }

    /// The model's instructions, which are written from the same tables by
    /// other means, give the same.
    #[test]
    fn the_models_products_are_ours() {
        use upset_isa::MatrixOp;
        let mut random = Random::new(1, "tiles");
        for shape in SHAPES {
            for _ in 0..50 {
                let tile = exact(shape, &mut random);
                let row = |word: usize| std::array::from_fn(|lane| tile.operands[lane][word]);
                let rows: [[u32; LANES]; WORDS] = std::array::from_fn(row);
                let four = |from: usize| std::array::from_fn(|i| &rows[(from + i) % WORDS]);
                let steps = if shape == Shape::Quarters { 4 } else { 1 };
                for step in 0..steps {
                    let op = match shape {
                        Shape::Quarters => MatrixOp::Step884(step as u8),
                        Shape::Half8 => MatrixOp::Half { k: 8 },
                        Shape::Half16 => MatrixOp::Half { k: 16 },
                        Shape::Bytes16 => {
                            MatrixOp::Bytes { rows: 8, k: 16, signed_a: true, signed_b: true }
                        }
                        Shape::Bytes32 => {
                            MatrixOp::Bytes { rows: 16, k: 32, signed_a: true, signed_b: true }
                        }
                    };
                    let words = op.multiply(&[four(0), four(B), four(C + 2 * step)]);
                    let count = if steps > 1 { 2 } else { shape.words() };
                    for lane in 0..LANES {
                        for word in 0..count {
                            assert_eq!(
                                words[word][lane],
                                tile.results[lane][2 * step + word],
                                "{shape:?} lane {lane} word {word}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn factors_are_halves() {
        for scale in -14..=4 {
            for value in [1, 2047, -2047, 1025] {
                let single = f32::from_bits(single_bits(value, scale));
                assert_eq!(single_of(half_bits(value, scale)), single, "{value} * 2^{scale}");
            }
        }
    }

    fn single_of(half: u32) -> f32 {
        use upset_isa::fp::{Format, Rounding, convert};
        let half = u64::from(half & 0xffff);
        f32::from_bits(convert::to_float(Format::F16, half, Format::F32, Rounding::Nearest) as u32)
    }

    /// Added up in single precision in another order, the accumulator last.
    #[test]
    fn sums_are_exact_in_any_order() {
        let mut random = Random::new(2, "tiles");
        for shape in [Shape::Quarters, Shape::Half8, Shape::Half16] {
            for _ in 0..50 {
                let tile = exact(shape, &mut random);
                let half = |(lane, word, bit): At| single_of(tile.operands[lane][word] >> bit);
                for lane in 0..LANES {
                    for word in 0..shape.words() {
                        let (group, row, column) = shape.accumulator(lane, word);
                        let product =
                            |k| half(shape.a(group, row, k)) * half(shape.b(group, k, column));
                        let sum: f32 = (0..shape.size().2).rev().map(product).sum();
                        let last = f32::from_bits(tile.operands[lane][C + word]);
                        assert_eq!((sum + last).to_bits(), tile.results[lane][word], "{shape:?}");
                    }
                }
            }
        }
    }
}
