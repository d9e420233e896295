//! Circuits on words of bits, lowest bit first.

use crate::builder::{Builder, Net, ONE, ZERO};

/// A constant word.
pub fn constant(value: u64, width: usize) -> Vec<Net> {
    (0..width).map(|i| if value >> i & 1 == 1 { ONE } else { ZERO }).collect()
}

/// `x` with zeroes above, or without its upper bits.
pub fn resize(x: &[Net], width: usize) -> Vec<Net> {
    (0..width).map(|i| x.get(i).copied().unwrap_or(ZERO)).collect()
}

/// Every bit inverted.
pub fn invert(b: &mut Builder, x: &[Net]) -> Vec<Net> {
    x.iter().map(|&bit| b.not(bit)).collect()
}

/// `if select { one } else { zero }`.
pub fn choose(b: &mut Builder, select: Net, one: &[Net], zero: &[Net]) -> Vec<Net> {
    one.iter().zip(zero).map(|(&x, &y)| b.mux(select, x, y)).collect()
}

/// Every bit ANDed with one line.
pub fn gate_all(b: &mut Builder, x: &[Net], line: Net) -> Vec<Net> {
    x.iter().map(|&bit| b.and(bit, line)).collect()
}

/// A balanced tree of one operation.
fn tree(b: &mut Builder, x: &[Net], empty: Net, op: fn(&mut Builder, Net, Net) -> Net) -> Net {
    match x {
        [] => empty,
        &[one] => one,
        _ => {
            let (low, high) = x.split_at(x.len() / 2);
            let (low, high) = (tree(b, low, empty, op), tree(b, high, empty, op));
            op(b, low, high)
        }
    }
}

/// Whether any bit is 1.
pub fn any(b: &mut Builder, x: &[Net]) -> Net {
    tree(b, x, ZERO, Builder::or)
}

/// Whether all bits are 1.
pub fn all(b: &mut Builder, x: &[Net]) -> Net {
    tree(b, x, ONE, Builder::and)
}

/// Carries of an addition, before what comes in at the bottom is known.
pub struct Prefix {
    /// `a ^ b` of each position.
    pub half: Vec<Net>,
    /// Whether positions 0 to i make a carry of themselves.
    pub generate: Vec<Net>,
    /// Whether positions 0 to i hand a carry through.
    pub pass: Vec<Net>,
}

/// Sklansky's parallel prefix: depth log n, n/2 nodes a level.
pub fn prefix(b: &mut Builder, x: &[Net], y: &[Net]) -> Prefix {
    let half: Vec<Net> = x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect();
    let mut generate: Vec<Net> = x.iter().zip(y).map(|(&x, &y)| b.and(x, y)).collect();
    let mut pass = half.clone();
    let mut span = 1;
    while span < half.len() {
        for i in (0..half.len()).filter(|i| i & span != 0) {
            let below = i / span * span - 1;
            let through = b.and(pass[i], generate[below]);
            generate[i] = b.or(generate[i], through);
            pass[i] = b.and(pass[i], pass[below]);
        }
        span *= 2;
    }
    Prefix { half, generate, pass }
}

/// The sum, once the carry that comes in is known; and the carry that leaves.
pub fn finish_sum(b: &mut Builder, p: &Prefix, carry: Net) -> (Vec<Net>, Net) {
    let mut into = carry;
    let mut sum = Vec::new();
    for i in 0..p.half.len() {
        sum.push(b.xor(p.half[i], into));
        let through = b.and(p.pass[i], carry);
        into = b.or(p.generate[i], through);
    }
    (sum, into)
}

/// `x + y + carry` and the carry that leaves.
pub fn add(b: &mut Builder, x: &[Net], y: &[Net], carry: Net) -> (Vec<Net>, Net) {
    let p = prefix(b, x, y);
    finish_sum(b, &p, carry)
}

/// Three bits of one weight to a sum and a carry.
pub fn full_adder(b: &mut Builder, x: Net, y: Net, z: Net) -> (Net, Net) {
    let half = b.xor(x, y);
    let sum = b.xor(half, z);
    let (both, through) = (b.and(x, y), b.and(half, z));
    (sum, b.or(both, through))
}

/// Leading zeroes of a word whose width is a power of two, and whether it has a
/// one at all. The count is of no meaning where it has none.
pub fn leading_zeroes(b: &mut Builder, x: &[Net]) -> (Vec<Net>, Net) {
    if let &[bit] = x {
        return (Vec::new(), bit);
    }
    let (low, high) = x.split_at(x.len() / 2);
    let (low, low_any) = leading_zeroes(b, low);
    let (high, high_any) = leading_zeroes(b, high);
    let mut count = choose(b, high_any, &high, &low);
    count.push(b.not(high_any));
    (count, b.or(high_any, low_any))
}

/// `x << by`, in the same width.
pub fn shift_left(b: &mut Builder, x: &[Net], by: &[Net]) -> Vec<Net> {
    let mut x = x.to_vec();
    for (k, &line) in by.iter().enumerate().rev() {
        let step = 1usize << k;
        let moved: Vec<Net> =
            (0..x.len()).map(|i| if i < step { ZERO } else { x[i - step] }).collect();
        x = choose(b, line, &moved, &x);
    }
    x
}
