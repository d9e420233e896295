//! Short programs by hand: what matters of their registers.

use std::sync::Arc;

use upset_chip::ChipSpec;
use upset_compute::Config;
use upset_isa::program::{Layout, Program};
use upset_isa::{Guard, Lanes, LatencyClass, OpDef, PredDst, Results, Sources};

use super::*;
use crate::clock::Tally;
use crate::rows::pack;

static OP: OpDef = OpDef::new("OP", Unit::Alu, LatencyClass::Fixed);
const NONE: Src = Src::Zero;

fn reg(r: u8) -> Src {
    Src::Reg(r, Width::W1)
}

fn copy(_: u32, s: &Sources<'_>, r: &mut Results) {
    r.d[0] = *s.a();
    r.p[0] = (0..WARP).fold(0, |all, l| all | u32::from(s.a()[l] != 0) << l);
}

/// `dst = src`
fn moves(dst: u8, src: u8) -> Inst {
    let mut inst = Inst::new(&OP, Exec::Alu(copy));
    inst.dst = Dst::Reg(dst, Width::W1);
    inst.src = [reg(src), NONE, NONE];
    inst
}

/// `[address] = src`, of so many bytes.
fn store(address: u8, src: u8, bytes: u8, space: Space) -> Inst {
    access(MemKind::Store, address, bytes, space, Dst::None, reg(src))
}

/// `dst = [address]`
fn load(dst: u8, address: u8, space: Space) -> Inst {
    access(MemKind::Load, address, 4, space, Dst::Reg(dst, Width::W1), NONE)
}

fn access(kind: MemKind, address: u8, bytes: u8, space: Space, dst: Dst, data: Src) -> Inst {
    let m = MemOp {
        space,
        kind,
        bytes,
        signed: false,
        addr64: false,
        ureg: None,
        offset: 0,
        shift: 0,
        bank: None,
        cached: true,
        hints: 0,
    };
    let mut inst = Inst::new(&OP, Exec::Mem(m));
    inst.dst = dst;
    inst.src = [reg(address), data, NONE];
    inst
}

/// Runs instructions, ten cycles each: they read in the first, access shared
/// memory at byte 0 in the fourth, and write in the seventh. One lane. Gives
/// the bits that mattered, times cycles, of registers and shared memory.
fn spent(insts: &[(Inst, bool)]) -> (u64, u64, Refined) {
    let chip = ChipSpec::preset("rtx2060").expect("a preset");
    let slots = insts.iter().map(|(inst, _)| Slot::Inst(*inst)).collect();
    let words = vec![0; insts.len()];
    let program = Program { base: 0, layout: Layout::Wide, slots, words };
    let decoder = Arc::new(|_: u128| Slot::Trap(upset_isa::TrapKind::TrapInstruction));
    let code = Code::new(program, 16, decoder, &Config::new(&chip).expect("SMs"));
    let mut trace = Trace::default();
    for (i, (inst, on)) in insts.iter().enumerate() {
        let at = 10 * i as u64;
        let shared = matches!(inst.exec, Exec::Mem(m) if m.space == Space::Shared);
        let values = trace.values.len() as u32;
        if shared {
            let mut places: Lanes = [ELSEWHERE; WARP];
            places[0] = 0;
            pack(&places, &mut trace.values);
        } else {
            (0..6).for_each(|_| pack(&[0; WARP], &mut trace.values));
            trace.values.extend([!0; 3]);
        }
        let mask = u32::from(*on);
        trace.done.push(Done { pc: 16 * i as u32, warp: 0, active: 1, mask, values, shared });
        let mut item = |cycle, what| trace.items.push(Item { cycle, what, inst: i as u32 });
        item(at, What::Read);
        if shared {
            item(at + 3, What::Shared);
        }
        if *on && (inst.dst != Dst::None || inst.pdst[0].pred < PT) {
            item(at + 6, What::Write);
        }
    }
    let mut launches = Launches::default();
    launches.begin(0, "kernel");
    let mut refined = Refined::default();
    let subject = Subject {
        code: &code,
        kernel: 0,
        registers: 16,
        shared_bytes: 8,
        sm: 0,
        shared: 0,
        warps: &[Arrival { before: vec![0; 16], ..Arrival::default() }],
        cut: None,
        continues: None,
    };
    back(&subject, &trace, &launches, &mut refined);
    let of = |t: &Tally| t.by_kernel(&launches, 1000)[0];
    (of(&refined.rf), of(&refined.smem), refined)
}

#[test]
fn a_chain_that_ends_in_nothing_is_dead() {
    // R1 -> R2 -> R3, and nobody reads R3.
    let chain = [(moves(2, 1), true), (moves(3, 2), true)];
    assert_eq!(spent(&chain).0, 0);
    // Once it is stored, each link counts from its write to its read: R2 from 6
    // to 10, R3 from 16 to 20, and R1 and the address R9 from their start.
    let stored = [chain[0], chain[1], (store(9, 3, 4, Space::Global), true)];
    assert_eq!(spent(&stored).0, 32 * (4 + 4 + 20));
}

#[test]
fn a_narrow_store_needs_the_low_bits() {
    let stored = |bytes| spent(&[(moves(2, 1), true), (store(9, 2, bytes, Space::Global), true)]).0;
    assert_eq!(stored(4) - stored(1), 24 * 4);
    assert_eq!(stored(4) - stored(2), 16 * 4);
}

#[test]
fn lanes_that_are_switched_off_read_nothing() {
    let off = [(moves(2, 1), true), (store(9, 2, 4, Space::Global), false)];
    assert_eq!(spent(&off).0, 0);
}

#[test]
fn a_guard_counts_where_its_instruction_does() {
    let guarded = |last: Inst| {
        let mut compare = moves(2, 1);
        (compare.dst, compare.pdst[0]) = (Dst::None, PredDst { pred: 3, uniform: false });
        let mut inst = moves(5, 4);
        inst.guard = Guard { pred: 3, negate: false, uniform: false };
        let (_, _, refined) = spent(&[(compare, true), (inst, true), (last, true)]);
        let mut launches = Launches::default();
        launches.begin(0, "kernel");
        refined.pred.by_kernel(&launches, 1000)[0]
    };
    // From its write at 6 to its read at 10.
    assert_eq!(guarded(store(9, 5, 4, Space::Global)), 4);
    assert_eq!(guarded(store(9, 6, 4, Space::Global)), 0);
}

#[test]
fn shared_memory_counts_as_far_as_what_is_loaded_does() {
    let stored = (store(8, 2, 4, Space::Shared), true);
    let loaded = (load(3, 8, Space::Shared), true);
    let last = |bytes| (store(9, 3, bytes, Space::Global), true);
    // From the access at 3 to the one at 13.
    assert_eq!(spent(&[stored, loaded, last(4)]).1, 32 * 10);
    assert_eq!(spent(&[stored, loaded, last(1)]).1, 8 * 10);
    assert_eq!(spent(&[stored, loaded]).1, 0);
    assert_eq!(spent(&[stored, stored, loaded, last(4)]).1, 32 * 10);
}

#[test]
fn hot_spots_are_the_instructions_that_wrote() {
    let (total, _, refined) = spent(&[(moves(2, 1), true), (store(9, 2, 4, Space::Global), true)]);
    let spots: Vec<_> = refined.hot.spent.iter().map(|(p, n)| (p.pc, p.register, *n)).collect();
    assert_eq!(spots, [(None, Some(9), 320), (Some(0), Some(2), 128)]);
    assert_eq!(total, 448);
}
