//! Atomic read-modify-write operations as pure functions of old value and operand.

use crate::Arrival;
use crate::fp::{Format, Rounding, double, exact, lane};

/// The operation of an atomic or reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomOp {
    /// Sum (wrapping).
    Add,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// `old >= b ? 0 : old + 1`.
    Inc,
    /// `old == 0 || old > b ? b : old - 1`.
    Dec,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise xor.
    Xor,
    /// Exchange.
    Exch,
    /// Compare and swap.
    Cas,
    /// Compare and swap that returns whether it stored (`.CAST`).
    CasTest,
    /// Arrival at a barrier: `b` holds the [parts](Arrival::part) of those who
    /// arrive together; they get the upper half of what was there.
    Arrive(Arrival),
}

/// How the bits of an atomic operand are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomType {
    /// Unsigned 32 bits.
    U32,
    /// Signed 32 bits.
    S32,
    /// Unsigned 64 bits.
    U64,
    /// Signed 64 bits.
    S64,
    /// FP32, denormals flushed.
    F32Ftz,
    /// FP32, denormals kept.
    F32,
    /// FP64.
    F64,
    /// Two FP16 (round to nearest even).
    F16x2,
    /// Two BF16.
    Bf16x2,
}

impl AtomType {
    /// Bytes in memory.
    pub fn bytes(self) -> u8 {
        match self {
            AtomType::U64 | AtomType::S64 | AtomType::F64 => 8,
            _ => 4,
        }
    }
}

/// The value stored after `op`: `old` from memory, `b` the operand, and for
/// compare-and-swap `b` the value to compare with and `c` the value to store.
/// Narrow types use the low bits.
pub fn apply(op: AtomOp, ty: AtomType, old: u64, b: u64, c: u64) -> u64 {
    let wide = ty.bytes() == 8;
    let (old, b, c) = if wide { (old, b, c) } else { (low(old), low(b), low(c)) };
    let new = match op {
        AtomOp::Add => add(ty, old, b),
        AtomOp::Min => extremum(ty, old, b, false),
        AtomOp::Max => extremum(ty, old, b, true),
        AtomOp::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        AtomOp::And => old & b,
        AtomOp::Or => old | b,
        AtomOp::Xor => old ^ b,
        AtomOp::Exch => b,
        AtomOp::Cas | AtomOp::CasTest => {
            if old == b {
                c
            } else {
                old
            }
        }
        AtomOp::Arrive(arrival) => arrival.arrive(old, b),
    };
    if wide { new } else { low(new) }
}

/// What an atomic returns to the thread: the old value, or whether it stored.
pub fn returned(op: AtomOp, ty: AtomType, old: u64, b: u64) -> u64 {
    match op {
        AtomOp::CasTest if ty.bytes() == 8 => u64::from(old == b),
        AtomOp::CasTest => u64::from(low(old) == low(b)),
        AtomOp::Arrive(_) => old >> 32,
        _ => old,
    }
}

/// Can the shared-memory unit do this? Where it cannot, a generic atomic
/// reports failure in its predicate and compiled code falls back to a loop of
/// compare-and-swap.
pub fn works_in_shared(op: AtomOp, ty: AtomType) -> bool {
    match ty {
        AtomType::U32 | AtomType::S32 => true,
        AtomType::U64 | AtomType::S64 => {
            matches!(op, AtomOp::Exch | AtomOp::Cas | AtomOp::CasTest)
        }
        AtomType::F32Ftz | AtomType::F32 | AtomType::F64 | AtomType::F16x2 | AtomType::Bf16x2 => {
            false
        }
    }
}

fn low(x: u64) -> u64 {
    x & 0xffff_ffff
}

fn add(ty: AtomType, x: u64, y: u64) -> u64 {
    match ty {
        AtomType::F32Ftz => u64::from(lane::add::<true, false>(x as u32, y as u32)),
        AtomType::F32 => u64::from(lane::add::<false, false>(x as u32, y as u32)),
        AtomType::F64 => double::add_nearest(x, y),
        AtomType::F16x2 => halves(x, y, |a, b| exact::add(Format::F16, a, b, Rounding::Nearest)),
        AtomType::Bf16x2 => halves(x, y, |a, b| exact::add(Format::BF16, a, b, Rounding::Nearest)),
        AtomType::U32 | AtomType::S32 | AtomType::U64 | AtomType::S64 => x.wrapping_add(y),
    }
}

fn halves(x: u64, y: u64, f: impl Fn(u64, u64) -> u64) -> u64 {
    let part = |n: u32| f(x >> n & 0xffff, y >> n & 0xffff) & 0xffff;
    part(0) | part(16) << 16
}

fn extremum(ty: AtomType, x: u64, y: u64, max: bool) -> u64 {
    let first_is_less = match ty {
        AtomType::S32 => (x as i32) < y as i32,
        AtomType::S64 => (x as i64) < y as i64,
        AtomType::F32 | AtomType::F32Ftz => {
            return u64::from(lane::min_max(x as u32, y as u32, max));
        }
        AtomType::F64 => f64::from_bits(x) < f64::from_bits(y),
        AtomType::F16x2 | AtomType::Bf16x2 => {
            let f = if ty == AtomType::F16x2 { Format::F16 } else { Format::BF16 };
            return halves(x, y, |a, b| {
                u64::from(crate::fp::half::min_max(f, a as u32, b as u32, max, false))
            });
        }
        AtomType::U32 | AtomType::U64 => x < y,
    };
    if first_is_less != max { x } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integer_operations_32(old: u32, b: u32, c: u32) {
            let run = |op, ty| apply(op, ty, old.into(), b.into(), c.into()) as u32;
            use AtomType::{S32, U32};
            prop_assert_eq!(run(AtomOp::Add, U32), old.wrapping_add(b));
            prop_assert_eq!(run(AtomOp::Min, U32), old.min(b));
            prop_assert_eq!(run(AtomOp::Max, U32), old.max(b));
            prop_assert_eq!(run(AtomOp::Min, S32), (old as i32).min(b as i32) as u32);
            prop_assert_eq!(run(AtomOp::Max, S32), (old as i32).max(b as i32) as u32);
            prop_assert_eq!(run(AtomOp::Inc, U32), if old >= b { 0 } else { old + 1 });
            let dec = if old == 0 || old > b { b } else { old - 1 };
            prop_assert_eq!(run(AtomOp::Dec, U32), dec);
            prop_assert_eq!(run(AtomOp::Exch, U32), b);
            prop_assert_eq!(run(AtomOp::Cas, U32), if old == b { c } else { old });
            let same = apply(AtomOp::Cas, U32, old.into(), old.into(), c.into()) as u32;
            prop_assert_eq!(same, c);
            prop_assert_eq!(returned(AtomOp::CasTest, U32, old.into(), old.into()), 1);
            prop_assert_eq!(returned(AtomOp::Cas, U32, old.into(), b.into()), u64::from(old));
        }

        #[test]
        fn integer_operations_64(old: u64, b: u64) {
            let run = |op, ty| apply(op, ty, old, b, 0);
            use AtomType::{S64, U64};
            prop_assert_eq!(run(AtomOp::Add, U64), old.wrapping_add(b));
            prop_assert_eq!(run(AtomOp::Min, S64), (old as i64).min(b as i64) as u64);
            prop_assert_eq!(run(AtomOp::Max, U64), old.max(b));
            prop_assert_eq!(run(AtomOp::Xor, U64), old ^ b);
        }

        #[test]
        fn narrow_types_ignore_high_bits(old: u64, b: u64, c: u64) {
            for op in [AtomOp::Add, AtomOp::Min, AtomOp::Inc, AtomOp::Cas, AtomOp::Xor] {
                let got = apply(op, AtomType::U32, old, b, c);
                prop_assert_eq!(got, apply(op, AtomType::U32, low(old), low(b), low(c)));
                prop_assert!(got <= u64::from(u32::MAX));
            }
        }
    }

    #[test]
    fn float_sums() {
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(apply(AtomOp::Add, AtomType::F32, f(1.5), f(2.25), 0), f(3.75));
        let tiny = 1u64; // smallest denormal
        assert_eq!(apply(AtomOp::Add, AtomType::F32, tiny, tiny, 0), 2);
        assert_eq!(apply(AtomOp::Add, AtomType::F32Ftz, tiny, tiny, 0), 0);
        let d = |x: f64| x.to_bits();
        assert_eq!(apply(AtomOp::Add, AtomType::F64, d(0.1), d(0.2), 0), d(0.1 + 0.2));
        // 1.0 + 1.0 in both halves.
        assert_eq!(apply(AtomOp::Add, AtomType::F16x2, 0x3c00_3c00, 0x3c00_0000, 0), 0x4000_3c00);
        assert_eq!(apply(AtomOp::Add, AtomType::Bf16x2, 0x3f80_3f80, 0x3f80_3f80, 0), 0x4000_4000);
    }
}
