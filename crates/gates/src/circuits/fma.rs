//! FP32 fused multiply-add, rounded to nearest even, denormals kept, any NaN
//! `0x7fffffff`: what `FFMA` computes.
//!
//! One path. With effective exponents `e` (a denormal's is 1) and significands
//! `m` of 24 bits, a number is `m * 2^(e - 150)`. Everything is added in a window
//! of 77 bits, from the top: 24 for an addend that lies above the product, 2
//! between them, 48 for the product, 3 below it (two for results that need more
//! bits than a small product has, one for whatever the addend loses there). An
//! addend further above stays at the top: the product is then less than a quarter
//! of its last place and how much less does not matter.

use super::multiplier::{partial_products, reduce};
use crate::builder::{Builder, Net, ONE, ZERO};
use crate::netlist::Netlist;
use crate::words::{
    add, all, any, choose, constant, finish_sum, full_adder, gate_all, invert, leading_zeroes,
    prefix, resize, shift_left,
};

/// Bits of the window.
const WINDOW: usize = 77;
/// The product's lowest bit in the window.
const PRODUCT_AT: usize = 3;
/// Width of exponent arithmetic: two's complement.
const EXPONENT: usize = 10;
/// `e(a) + e(b) - e(c)` at which the addend is at the top of the window, less
/// one for counting exponents from 0: 150 - (77 - 24 - 3) + 1.
const ANCHOR: u64 = 101;

/// An operand taken apart.
struct Operand {
    sign: Net,
    /// The exponent field.
    field: Vec<Net>,
    /// Whether it is a normal number (or infinite, or NaN): the hidden bit.
    hidden: Net,
    significand: Vec<Net>,
    nan: Net,
    infinite: Net,
    zero: Net,
}

fn unpack(b: &mut Builder, x: &[Net]) -> Operand {
    let (fraction, field) = (&x[..23], &x[23..31]);
    let hidden = any(b, field);
    let ones = all(b, field);
    let some = any(b, fraction);
    let none = b.not(some);
    let mut significand = fraction.to_vec();
    significand.push(hidden);
    Operand {
        sign: x[31],
        field: field.to_vec(),
        hidden,
        significand,
        nan: b.and(ones, some),
        infinite: b.and(ones, none),
        zero: b.nor(hidden, some),
    }
}

/// `e(a) + e(b) - ANCHOR`.
fn product_exponent(b: &mut Builder, x: &Operand, y: &Operand) -> Vec<Net> {
    let effective = |b: &mut Builder, x: &Operand| {
        let mut e = x.field.clone();
        let denormal = b.not(x.hidden);
        e[0] = b.or(e[0], denormal);
        resize(&e, EXPONENT)
    };
    let (ex, ey) = (effective(b, x), effective(b, y));
    let (sum, _) = add(b, &ex, &ey, ZERO);
    let anchor = constant(ANCHOR.wrapping_neg(), EXPONENT);
    add(b, &sum, &anchor, ZERO).0
}

/// `e(c) - 1`: the field less its hidden bit.
fn addend_exponent(b: &mut Builder, x: &Operand) -> Vec<Net> {
    let mut borrow = x.hidden;
    let mut e = Vec::new();
    for &bit in &x.field {
        e.push(b.xor(bit, borrow));
        let zero = b.not(bit);
        borrow = b.and(zero, borrow);
    }
    resize(&e, EXPONENT)
}

/// The addend's significand, `by` places below the window's top. Bit 0 says
/// whether any one was lost.
fn align(b: &mut Builder, significand: &[Net], by: &[Net]) -> Vec<Net> {
    // Small steps first: the word grows downwards as it may have moved, until it
    // fills the window but for bit 0.
    let room = WINDOW - 1;
    let mut word = significand.to_vec();
    let mut lost = ZERO;
    for (k, &line) in by.iter().enumerate() {
        let step = 1usize << k;
        let width = (word.len() + step).min(room);
        let top = |word: &[Net], below: usize| {
            word.len().checked_sub(below + 1).map_or(ZERO, |i| word[i])
        };
        let fallen = (word.len() + step).saturating_sub(width).min(word.len());
        let fallen = any(b, &word[..fallen]);
        let fallen = b.and(fallen, line);
        lost = b.or(lost, fallen);
        word = (0..width)
            .rev()
            .map(|below| {
                let moved = if below < step { ZERO } else { top(&word, below - step) };
                b.mux(line, moved, top(&word, below))
            })
            .collect();
    }
    let mut aligned = vec![lost];
    aligned.extend(vec![ZERO; room - word.len()]);
    aligned.extend(word);
    aligned
}

/// `{exponent, fraction} + 1`, if `up`.
fn increment(b: &mut Builder, x: &[Net], up: Net) -> Vec<Net> {
    let zero = constant(0, x.len());
    add(b, x, &zero, up).0
}

/// The circuit: inputs a, b, c; output r.
pub fn fma() -> Netlist {
    let b = &mut Builder::default();
    let [a_in, b_in, c_in] = ["a", "b", "c"].map(|name| b.input(name, 32));
    b.region("unpacking");
    let (x, y, z) = (unpack(b, &a_in), unpack(b, &b_in), unpack(b, &c_in));
    let product_sign = b.xor(x.sign, y.sign);
    let subtract = b.xor(product_sign, z.sign);

    b.region("exponents");
    // How far the addend lies below the window's top.
    let from_product = product_exponent(b, &x, &y);
    let from_addend = addend_exponent(b, &z);
    let inverted = invert(b, &from_addend);
    let (distance, _) = add(b, &from_product, &inverted, ONE);
    // A product of zero has no place of its own: the addend stays at the top.
    let above = any(b, &[distance[EXPONENT - 1], x.zero, y.zero]);
    let below = b.not(above);
    let far = any(b, &distance[7..EXPONENT - 1]);
    let by: Vec<Net> = distance[..7]
        .iter()
        .map(|&bit| {
            let bit = b.or(bit, far);
            b.and(bit, below)
        })
        .collect();
    b.region("alignment");
    let aligned = align(b, &z.significand, &by);
    b.region("exponents");
    // The biased exponent, less 1, of a result whose first one is at the top.
    let top = choose(b, above, &from_addend, &from_product);

    b.region("multiplier");
    // Product and addend as two rows, the addend inverted for a difference.
    let columns = partial_products(b, &x.significand, &y.significand);
    let product = reduce(b, columns);
    b.region("sum");
    let mut rows = [vec![ZERO; WINDOW], vec![ZERO; WINDOW + 1]];
    for i in 0..WINDOW {
        let addend = b.xor(aligned[i], subtract);
        let [p, q] = [0, 1].map(|row| match i.checked_sub(PRODUCT_AT) {
            Some(at) => product[row].get(at).copied().unwrap_or(ZERO),
            None => ZERO,
        });
        let (sum, carry) = full_adder(b, p, q, addend);
        rows[0][i] = sum;
        rows[1][i + 1] = carry;
    }

    // A difference of either sign by an end-around carry: x + ~y carries out if
    // x > y, and then lacks 1; otherwise it is ~(y - x). A sum never carries out.
    let sums = prefix(b, &rows[0], &rows[1][..WINDOW]);
    let product_larger = sums.generate[WINDOW - 1];
    let (sum, _) = finish_sum(b, &sums, product_larger);
    let addend_larger = b.not(product_larger);
    let negative = b.and(subtract, addend_larger);
    let magnitude: Vec<Net> = sum.iter().map(|&bit| b.xor(bit, negative)).collect();

    b.region("normalisation");
    // Move the first one to the top, but not below the smallest exponent.
    let mut padded = vec![ZERO; 128 - WINDOW];
    padded.extend(&magnitude);
    let (zeroes, nonzero) = leading_zeroes(b, &padded);
    let inverted = invert(b, &zeroes);
    let mut inverted_wide = inverted;
    inverted_wide.resize(EXPONENT, ONE);
    let (left, fits) = add(b, &top, &inverted_wide, ONE);
    let places = choose(b, fits, &zeroes, &top[..7]);
    let normal = shift_left(b, &magnitude, &places);

    b.region("rounding");
    // Round to nearest even; a carry goes on into the exponent.
    let (one, _) = add(b, &left[..9], &constant(0, 9), ONE);
    let exponent = gate_all(b, &one, normal[WINDOW - 1]);
    let mut packed = normal[WINDOW - 24..WINDOW - 1].to_vec();
    packed.extend(exponent);
    let sticky = any(b, &normal[..WINDOW - 25]);
    let odd = b.or(sticky, normal[WINDOW - 24]);
    let up = b.and(normal[WINDOW - 25], odd);
    let rounded = increment(b, &packed, up);
    let ones = all(b, &rounded[23..31]);
    let overflow = b.or(ones, rounded[31]);

    b.region("special cases");
    // What is not a number, infinities, and signs.
    let product_infinite = b.or(x.infinite, y.infinite);
    let nan = {
        let [p, q] = [(&x, &y), (&y, &x)].map(|(x, y)| b.and(x.infinite, y.zero));
        let infinities = b.and(product_infinite, z.infinite);
        let opposed = b.and(infinities, subtract);
        any(b, &[x.nan, y.nan, z.nan, p, q, opposed])
    };
    let infinite = any(b, &[product_infinite, z.infinite, overflow]);
    let wide = b.or(infinite, nan);
    let finite = b.not(infinite);
    let sign = {
        let from_product = b.or(product_infinite, product_larger);
        let not_addend = b.not(z.infinite);
        let from_product = {
            let unless = b.and(from_product, not_addend);
            b.or(unless, product_infinite)
        };
        let sign = b.mux(from_product, product_sign, z.sign);
        let sum = b.not(subtract);
        let infinity = b.or(product_infinite, z.infinite);
        let kept = any(b, &[nonzero, sum, infinity]);
        let sign = b.and(sign, kept);
        let number = b.not(nan);
        b.and(sign, number)
    };
    let mut result = Vec::new();
    for &bit in &rounded[..23] {
        let bit = b.and(bit, finite);
        result.push(b.or(bit, nan));
    }
    for &bit in &rounded[23..31] {
        result.push(b.or(bit, wide));
    }
    result.push(sign);
    std::mem::take(b).finish(vec![("r", result)])
}
