//! Integer units: three-operand addition and multiply-add.

use super::multiplier::{partial_products, reduce};
use crate::builder::{Builder, ZERO};
use crate::netlist::Netlist;
use crate::words::{add, full_adder};

/// `IADD3`: `a + b + c` and up to two carries that come in (bits 0 and 1 of p).
/// Outputs: the sum; and the carries, bit 0 if the whole reaches 2^32, bit 1 if
/// it reaches 2^33.
pub fn iadd() -> Netlist {
    let b = &mut Builder::default();
    let [x, y, z] = ["a", "b", "c"].map(|name| b.input(name, 32));
    let p = b.input("p", 2);
    b.region("three to two");
    let mut sums = Vec::new();
    let mut carries = vec![p[0]];
    for i in 0..32 {
        let (sum, carry) = full_adder(b, x[i], y[i], z[i]);
        sums.push(sum);
        carries.push(carry);
    }
    b.region("sum");
    let top = carries[32];
    let (sum, out) = add(b, &sums, &carries[..32], p[1]);
    let reaches = [b.or(top, out), b.and(top, out)];
    std::mem::take(b).finish(vec![("sum", sum), ("carry", reaches.to_vec())])
}

/// `IMAD`: `a * b + c`, unsigned, as a low and a high word.
pub fn imad() -> Netlist {
    let b = &mut Builder::default();
    let [x, y, z] = ["a", "b", "c"].map(|name| b.input(name, 32));
    b.region("multiplier");
    let mut columns = partial_products(b, &x, &y);
    for (column, &bit) in columns.iter_mut().zip(&z) {
        column.push(bit);
    }
    let [p, q] = reduce(b, columns);
    b.region("sum");
    let (sum, _) = add(b, &p, &q, ZERO);
    let (low, high) = sum.split_at(32);
    std::mem::take(b).finish(vec![("low", low.to_vec()), ("high", high.to_vec())])
}
