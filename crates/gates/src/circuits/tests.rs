//! Every circuit computes what the instruction set's arithmetic computes.

use upset_isa::fp::lane;
use upset_isa::int::{add, mul};
use upset_isa::{AluFn, Results, Sources, WARP};
use upset_lanes::fp::{Format, Rounding, exact};

use super::Unit;
use crate::netlist::Operands;
use crate::operands::draw;
use crate::random::Random;

/// Outputs of a circuit for up to 64 patterns, ports one after the other.
fn outputs(unit: Unit, patterns: &[Operands], check: impl Fn(Operands, [u64; 2])) {
    let netlist = unit.netlist();
    let mut values = vec![0; netlist.gates().len()];
    for block in patterns.chunks(64) {
        netlist.drive(block, &mut values);
        netlist.settle(&mut values);
        for (slot, &p) in block.iter().enumerate() {
            let port = |i: usize| match i < netlist.outputs().len() {
                true => netlist.output(&values, i, slot),
                false => 0,
            };
            check(p, [port(0), port(1)]);
        }
    }
}

fn many(unit: Unit, n: usize) -> Vec<Operands> {
    let mut random = Random::new(17);
    (0..n).map(|_| draw(unit, &mut random)).collect()
}

/// Numbers where a multiply-add changes its behaviour.
fn edges() -> Vec<u32> {
    let magnitudes = [
        0,
        1,
        2,
        3,
        0x3f_ffff,
        0x40_0000,
        0x7f_fffe,
        0x7f_ffff,
        0x80_0000,
        0x80_0001,
        0xff_ffff,
        0x100_0000,
        0x1ff_ffff,
        0x0c00_0000,
        0x3380_0000,
        0x3400_0000,
        0x3f00_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x3fff_ffff,
        0x4000_0000,
        0x4b00_0000,
        0x7eff_ffff,
        0x7f00_0000,
        0x7f7f_fffe,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
    ];
    magnitudes.into_iter().flat_map(|m| [m, m | 0x8000_0000]).collect()
}

fn check_fma(patterns: &[Operands]) {
    outputs(Unit::Fma, patterns, |[a, b, c, _], [r, _]| {
        let expected = lane::fma::<false, false>(a, b, c);
        assert_eq!(r as u32, expected, "fma({a:08x}, {b:08x}, {c:08x})");
    });
}

#[test]
fn multiply_add_of_numbers_at_every_edge() {
    let edges = edges();
    let mut patterns = Vec::new();
    for &a in &edges {
        for &b in &edges {
            patterns.extend(edges.iter().map(|&c| [a, b, c, 0]));
        }
    }
    check_fma(&patterns);
}

#[test]
fn multiply_add_of_a_million_triples() {
    check_fma(&many(Unit::Fma, 1_000_000));
}

#[test]
#[ignore = "takes minutes: cargo test --release -p upset-gates hundred_million -- --ignored"]
fn multiply_add_of_a_hundred_million_triples() {
    let mut random = Random::new(18);
    for _ in 0..100 {
        let patterns: Vec<Operands> =
            (0..1_000_000).map(|_| draw(Unit::Fma, &mut random)).collect();
        check_fma(&patterns);
    }
}

/// The fast reference against the exact one, where both are in doubt.
#[test]
fn multiply_add_agrees_with_exact_arithmetic() {
    outputs(Unit::Fma, &many(Unit::Fma, 50_000), |[a, b, c, _], [r, _]| {
        let [x, y, z] = [a, b, c].map(u64::from);
        let expected = exact::fma(Format::F32, x, y, z, Rounding::Nearest);
        assert_eq!(r, expected, "fma({a:08x}, {b:08x}, {c:08x})");
    });
}

fn instruction(f: AluFn, mods: u32, [a, b, c, p]: Operands) -> Results {
    let rows = [a, 0, b, 0, c, 0].map(|x| [x; WARP]);
    let line = |n: u32| if p >> n & 1 == 1 { u32::MAX } else { 0 };
    let s = Sources { r: rows.each_ref(), p: [line(0), line(1), 0], active: u32::MAX };
    let mut out = Results::default();
    f(mods, &s, &mut out);
    out
}

#[test]
fn sums_and_carries() {
    outputs(Unit::Iadd, &many(Unit::Iadd, 300_000), |p, [sum, carry]| {
        let r = instruction(add::iadd3_carry, 1 << add::X, p);
        let expected = (u64::from(r.d[0][0]), u64::from(r.p[0] & 1 | (r.p[1] & 1) << 1));
        assert_eq!((sum, carry), expected, "iadd3{p:08x?}");
    });
}

#[test]
fn products_low_and_high() {
    outputs(Unit::Imad, &many(Unit::Imad, 300_000), |p, [low, high]| {
        let r = instruction(mul::wide_unsigned, 0, p);
        let expected = (u64::from(r.d[0][0]), u64::from(r.d[1][0]));
        assert_eq!((low, high), expected, "imad{p:08x?}");
        assert_eq!(low, u64::from(instruction(mul::imad, 0, p).d[0][0]));
    });
}
