//! Where wires break, and for whom.

use upset_chip::ChipSpec;
use upset_isa::{
    Dst, Exec, Inst, LatencyClass, OpDef, PredDst, Results, Sources, Src, Unit, Width,
};
use upset_state::{Force, Kind, Quiet, Registry, Visit, Visitor, Watch};

use super::*;
use crate::code::Op;
use crate::sm::Sm;
use crate::testing::Bench;
use crate::view::Constants;

struct All(Sm);

impl Visit for All {
    fn visit(&mut self, v: &mut dyn Visitor) {
        self.0.wires.visit(v);
    }
}

fn registry(chip: &str) -> Registry {
    let chip = ChipSpec::preset(chip).expect("a chip");
    let config = Config::new(&chip).expect("SMs");
    Registry::of(&mut All(Sm::new(&chip, &config, 1)))
}

#[test]
fn each_unit_has_the_latches_of_its_lanes() {
    let turing = registry("rtx2060");
    let last = |registry: &Registry, kind: &str| {
        let of_kind: Vec<_> = registry.arrays.iter().filter(|l| l.kind == kind).collect();
        let layout = of_kind.last().expect("an array");
        (of_kind.len(), layout.name(layout.bits() - 1))
    };
    for (kind, count, name) in [
        ("fma", 4, "fma:sm1.sub3.lane15.bit31"),
        ("alu", 4, "alu:sm1.sub3.lane15.bit33"),
        // One for the whole SM.
        ("fp64", 1, "fp64:sm1.lane1.bit63"),
        ("mufu", 4, "mufu:sm1.sub3.lane3.bit31"),
        ("lsua", 4, "lsua:sm1.sub3.lane7.bit63"),
        ("lsud", 4, "lsud:sm1.sub3.lane7.bit31"),
        ("opnd", 4, "opnd:sm1.sub3.c.lane31.bit31"),
        ("sched", 4, "sched:sm1.sub3.warp7.select"),
        ("div", 4, "div:sm1.sub3.release.bit31"),
        ("port", 1, "port:sm1.pc.bit31"),
    ] {
        assert_eq!(last(&turing, kind), (count, name.to_string()));
    }
    let hopper = registry("h200");
    assert_eq!(last(&hopper, "fma"), (4, "fma:sm1.sub3.lite.lane15.bit31".into()));
    assert_eq!(last(&hopper, "fp64"), (4, "fp64:sm1.sub3.lane15.bit63".into()));
    assert_eq!(turing.arrays.len(), 8 * 4 + 2);
    // Groups of lanes for all schedulers, each with lines of its own.
    let kepler = registry("titan");
    assert_eq!(last(&kepler, "fma"), (1, "fma:sm1.group5.lane31.bit31".into()));
    assert_eq!(last(&kepler, "alu"), (1, "alu:sm1.group4.lane31.bit33".into()));
    assert_eq!(last(&kepler, "fp64"), (1, "fp64:sm1.group3.lane15.bit63".into()));
    assert_eq!(last(&kepler, "mufu"), (1, "mufu:sm1.group1.lane15.bit31".into()));
    assert_eq!(last(&kepler, "lsud"), (1, "lsud:sm1.lane31.bit31".into()));
    assert_eq!(last(&kepler, "sched"), (4, "sched:sm1.sub3.warp15.select".into()));
}

#[test]
fn threads_share_a_lane_when_they_are_its_width_apart() {
    let bench = Bench::new(32, 16, 0);
    let wires = &bench.sm.wires;
    assert_eq!(wires.threads(Kind::Fma, 5 * 32 + 12), [5, 21]);
    assert_eq!(wires.threads(Kind::Alu, 5 * 34 + 33), [5, 21]);
    assert_eq!(wires.threads(Kind::Mufu, 0), [0, 4, 8, 12, 16, 20, 24, 28]);
    assert_eq!(wires.threads(Kind::Opnd, (32 + 7) * 32), [7]);
    assert_eq!(wires.threads(Kind::Div, 64 + 9), [9]);
    assert!(wires.threads(Kind::Div, 32 + 9).is_empty());
    assert_eq!(wires.threads(Kind::Port, 9), [9]);
    assert_eq!(wires.line(Kind::Sched, 7), Some((3, "select")));
}

/// A + B, and whether it is even.
fn sum(_: u32, s: &Sources<'_>, r: &mut Results) {
    for lane in 0..WARP {
        r.d[0][lane] = s.a()[lane].wrapping_add(s.b()[lane]);
        r.d[1][lane] = !r.d[0][lane];
        r.p[0] = r.p[0] & !(1 << lane) | (!r.d[0][lane] & 1) << lane;
    }
}

/// R4 (and R5) = R2 + R3, P0, for one warp whose registers hold lane numbers and zero.
fn result(unit: Unit, width: Width, pipe: u8, broken: &[(Kind, u64, bool)]) -> Results {
    let def = Box::leak(Box::new(OpDef::new("SUM", unit, LatencyClass::Fixed)));
    let mut inst = Inst::new(def, Exec::Alu(sum));
    inst.src = [Src::Reg(2, Width::W1), Src::Reg(3, Width::W1), Src::Zero];
    inst.dst = Dst::Reg(4, width);
    inst.pdst[0] = PredDst { pred: 0, uniform: false };
    let mut bench = Bench::new(32, 16, 0);
    assert!(bench.with(&mut Quiet, |sm, cx| sm.admit(0, cx)));
    let first = bench.sm.warps[0].first_row;
    let lanes: Lanes = std::array::from_fn(|lane| lane as u32);
    let file = &mut bench.sm.files[0].rows;
    file.write(0, first + 2, !0, &lanes, &mut Quiet);
    file.write(0, first + 3, !0, &[0; WARP], &mut Quiet);
    let mut probe = Watch::default();
    for &(kind, bit, value) in broken {
        let array = bench.sm.wires.array(kind, 0);
        probe.held.hold(Force { array, bit, value });
    }
    let op = Op::new(inst, &bench.config);
    let constants = &Constants::NONE;
    bench
        .with(&mut probe, |sm, cx| sm.issue(0, &op, constants, pipe, cx))
        .expect("it is carried out");
    let index = bench.sm.writes.by_age()[0];
    bench.sm.writes[index].results.clone()
}

/// Threads whose low word is not their number, and by what it differs.
fn wrong(r: &Results) -> Vec<(usize, u32)> {
    let differs = |lane: &usize| r.d[0][*lane] != *lane as u32;
    (0..WARP).filter(differs).map(|lane| (lane, r.d[0][lane] ^ lane as u32)).collect()
}

#[test]
fn a_stuck_result_bit_is_wrong_in_the_threads_of_its_lane() {
    let bit = |lane: u64, bit: u64| lane * 32 + bit;
    assert!(wrong(&result(Unit::Fma, Width::W1, 0, &[])).is_empty());
    let fma = result(Unit::Fma, Width::W1, 0, &[(Kind::Fma, bit(3, 10), true)]);
    assert_eq!(wrong(&fma), [(3, 1 << 10), (19, 1 << 10)]);
    // Bits that the result has anyway.
    assert!(wrong(&result(Unit::Fma, Width::W1, 0, &[(Kind::Fma, bit(3, 0), true)])).is_empty());
    let down = result(Unit::Fma, Width::W1, 0, &[(Kind::Fma, bit(3, 4), false)]);
    assert_eq!(wrong(&down), [(19, 16)]);
    let mufu = result(Unit::Mufu, Width::W1, 0, &[(Kind::Mufu, bit(1, 31), true)]);
    assert_eq!(wrong(&mufu).len(), 8);
    // Shuffles pass the data latches of loads.
    let shuffle = result(Unit::LoadStore, Width::W1, 0, &[(Kind::Lsud, bit(7, 31), true)]);
    assert_eq!(wrong(&shuffle).iter().map(|w| w.0).collect::<Vec<_>>(), [7, 15, 23, 31]);
    // Another unit's latches are another's.
    assert!(wrong(&result(Unit::Alu, Width::W1, 0, &[(Kind::Fma, bit(3, 10), true)])).is_empty());
}

#[test]
fn words_of_a_pair_pass_one_after_the_other_or_side_by_side() {
    for value in [false, true] {
        let pair = result(Unit::Mufu, Width::W2, 0, &[(Kind::Mufu, 31, value)]);
        assert_eq!([0, 1].map(|half: usize| pair.d[half][0] >> 31 == 1), [value; 2]);
    }
    // FP64 has 64 bits: bit 63 is the high word's.
    let fp64 = result(Unit::Fp64, Width::W2, 0, &[(Kind::Fp64, 63, false)]);
    assert_eq!((wrong(&fp64), fp64.d[1][0], fp64.d[1][1]), (vec![], !0 >> 1, !1));
}

#[test]
fn predicates_are_two_bits_of_an_alu_lane() {
    let even = 0x5555_5555;
    let right = result(Unit::Alu, Width::W1, 0, &[]);
    assert_eq!(right.p[0], even);
    let stuck = result(Unit::Alu, Width::W1, 0, &[(Kind::Alu, 2 * 34 + 32, false)]);
    assert_eq!((stuck.p[0], wrong(&stuck)), (even & !(1 << 2 | 1 << 18), vec![]));
    // The next lane's first bit is no predicate of this one.
    let next = result(Unit::Alu, Width::W1, 0, &[(Kind::Alu, 3 * 34, false)]);
    assert_eq!((next.p[0], wrong(&next)), (even, vec![(3, 1), (19, 1)]));
}

#[test]
fn every_operand_passes_its_port() {
    let port = |port: u64, lane: u64, bit: u64| (port * 32 + lane) * 32 + bit;
    let a = result(Unit::Alu, Width::W1, 0, &[(Kind::Opnd, port(0, 9, 20), true)]);
    assert_eq!(wrong(&a), [(9, 1 << 20)]);
    let b = result(Unit::Alu, Width::W1, 0, &[(Kind::Opnd, port(1, 9, 20), true)]);
    assert_eq!(wrong(&b), [(9, 1 << 20)]);
    // Nothing is read through port c.
    assert!(
        wrong(&result(Unit::Alu, Width::W1, 0, &[(Kind::Opnd, port(2, 9, 20), true)])).is_empty()
    );
}
