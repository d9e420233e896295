//! What matters of the registers of short programs.

use upset_gcn::operand::Operand::{self, ExecLo};
use upset_gcn::wave::testing::inst;
use upset_state::Kind;

use super::lab::*;

/// The store's descriptor, which is there from the start, for so many cycles:
/// 48 bits of address but the two lowest, and the one bit of the size without
/// which nothing is left of the buffer.
fn descriptor(cycles: u64) -> u64 {
    (46 + 1) * cycles
}

#[test]
fn a_chain_that_ends_in_nothing_is_dead() {
    // v1 -> v2 -> v3, and nobody reads v3.
    let chain = [mov(2, Vgpr(1)), mov(3, Vgpr(2))];
    assert_eq!(Lab::new().run(&chain).spent(), [0, 0, 0]);
    // Once it is stored, each link counts from its write to its read: v2 from 0
    // to 10, v3 from 10 to 23, when the store takes its data.
    let spent = Lab::new().run(&chain).run(&[store(3, 32)]).spent();
    assert_eq!(spent, [32 * (10 + 13), descriptor(20), 0]);
}

#[test]
fn a_narrow_store_needs_the_low_bits() {
    let stored = |bits| Lab::new().run(&[mov(2, Vgpr(1)), store(2, bits)]).spent()[0];
    assert_eq!([8, 16, 32].map(stored), [8 * 13, 16 * 13, 32 * 13]);
}

#[test]
fn lanes_that_do_not_execute_read_nothing_and_lose_nothing() {
    let mut lab = Lab::new();
    lab.registers.exec = 0b111;
    lab.run(&[mov(2, Vgpr(1))]);
    lab.registers.exec = 0b001;
    // Lanes 1 and 2 keep what they had.
    lab.run(&[mov(2, Int(5))]);
    lab.registers.exec = 0b110;
    lab.run(&[store(2, 32)]);
    assert_eq!(lab.spent()[0], 2 * 32 * 23);
}

#[test]
fn lds_counts_as_far_as_what_is_loaded_does() {
    let bytes = |last: u32| {
        let code = [mov(1, Int(16)), put(1, 2), get(3, 1, 0), mov(4, Int(0)), store(3, last)];
        Lab::new().run(&code).spent()[2]
    };
    // From the access at 13 to the one at 23.
    assert_eq!((bytes(32), bytes(8)), (32 * 10, 8 * 10));
    let dead = [mov(1, Int(16)), put(1, 2), get(3, 1, 0)];
    assert_eq!(Lab::new().run(&dead).spent()[2], 0);
    // What is loaded is another word: the stored one is dead, and the loaded
    // one was there from the start.
    let other = [mov(1, Int(16)), put(1, 2), get(3, 1, 4), mov(4, Int(0)), store(3, 32)];
    assert_eq!(Lab::new().run(&other).spent()[2], 32 * 23);
}

#[test]
fn addresses_in_lds_matter_only_if_what_is_loaded_does() {
    let address =
        |code: &[upset_gcn::Inst]| Lab::new().run(&[mov(1, Int(16))]).run(code).spent()[0];
    assert_eq!(address(&[get(3, 1, 0)]), 0);
    // All bits but the two lowest, from 0 to 10; the word from 16 to 23.
    assert_eq!(address(&[get(3, 1, 0), store(3, 32)]), 30 * 10 + 32 * 7);
    assert_eq!(address(&[put(1, 2)]), 30 * 10, "a store goes somewhere else");
}

#[test]
fn a_select_needs_its_mask_and_what_it_takes() {
    let mut lab = Lab::new();
    lab.registers.vgprs[1][0][0] = 0xff;
    lab.registers.vcc = 1;
    let select = inst("v_cndmask_b32", Vgpr(3), &[Vgpr(1), Vgpr(2)]);
    let set = inst("s_mov_b64", VccLo, &[Int(1)]);
    lab.run(&[set, mov(1, Int(0)), mov(2, Int(3)), select, store(3, 32)]);
    let [vector, scalar, _] = lab.spent();
    // VCC says v2: of v1 nothing matters. v2 from 20 to 30, v3 from 30 to 43.
    assert_eq!(vector, 32 * 10 + 32 * 13);
    // One bit of VCC from 0 to 30.
    assert_eq!(scalar, 30 + descriptor(40));
    // With two equal values it does not matter which.
    let mut lab = Lab::new();
    lab.run(&[set, mov(1, Int(3)), mov(2, Int(3)), select, store(3, 32)]);
    assert_eq!(lab.spent()[1], descriptor(40));
}

#[test]
fn exec_is_followed_to_what_it_was_made_of() {
    let guarded = |last: upset_gcn::Inst| {
        let mut lab = Lab::new();
        lab.registers.vgprs[1][0][0] = 100;
        let compare = inst("v_cmp_gt_u32", Nothing, &[Sgpr(9), Vgpr(1)]);
        lab.registers.sgprs[9] = 200;
        let save = inst("s_and_saveexec_b64", Sgpr(0), &[VccLo]);
        let restore = inst("s_mov_b64", ExecLo, &[Sgpr(0)]);
        lab.run(&[mov(1, Operand::Literal(100)), compare, save, mov(5, Int(7)), last, restore]);
        lab.spent()[0]
    };
    // v1 from 0 to 10: bits that make 100 at least 200. Then v5.
    assert_eq!(guarded(store(5, 32)), 25 * 10 + 32 * 13);
    // What is done under the guard is not used.
    assert_eq!(guarded(mov(6, Int(1))), 0);
}

#[test]
fn jumps_need_what_decides_them() {
    let jump = inst("s_cbranch_vccz", Nothing, &[]);
    let vcc = |value: u8| {
        let set = inst("s_mov_b64", VccLo, &[Int(value as i8)]);
        Lab::new().run(&[set, jump]).spent()[1]
    };
    // Any of 64 bits makes it another one; the only one; none of two alone.
    assert_eq!([vcc(0), vcc(4), vcc(5)], [64 * 10, 10, 0]);
}

#[test]
fn a_lane_that_goes_to_a_scalar_is_the_one_that_is_needed() {
    let mut lab = Lab::new();
    lab.registers.exec = !0;
    let read = inst("v_readlane_b32", Sgpr(2), &[Vgpr(1), Int(40)]);
    lab.run(&[mov(1, Int(3)), read, mov(2, Sgpr(2))]);
    lab.registers.exec = 1;
    lab.run(&[store(2, 32)]);
    let [vector, scalar, _] = lab.spent();
    // v1's lane 40 from 0 to 10, v2's lane 0 from 20 to 33.
    assert_eq!(vector, 32 * 10 + 32 * 13);
    assert_eq!(scalar, 32 * 10 + descriptor(30));
}

#[test]
fn at_a_cut_everything_counts() {
    let mut lab = Lab::new();
    lab.run(&[mov(2, Vgpr(1)), mov(3, Vgpr(2))]);
    // All lanes of sixteen registers, up to cycle 15; lane 0 of v1 is read and
    // of v2 and v3 written on the way.
    let refined = lab.refined(Some(15));
    assert_eq!(sum(&refined.vrf), 16 * 64 * 32 * 15 - 32 * 10);
    assert_eq!(sum(&refined.lds), 256 * 8 * 15);
}

#[test]
fn a_cut_anywhere_leaves_nothing_out() {
    let code = [
        mov(1, Int(16)),
        mov(2, Vgpr(3)),
        put(1, 2),
        get(3, 1, 0),
        inst("s_mov_b32", Sgpr(9), &[Int(3)]),
        inst("v_add_i32", Vgpr(3), &[Sgpr(9), Vgpr(3)]),
        store(3, 32),
        mov(3, Int(0)),
    ];
    let whole = Lab::new().run(&code).spent();
    for cut in 0..code.len() as u32 {
        let mut lab = Lab::new();
        lab.cut_at = Some(cut);
        let parts = lab.run(&code).spent();
        assert!((0..3).all(|n| parts[n] >= whole[n]), "cut at {cut}: {parts:?}, whole {whole:?}");
    }
}

#[test]
fn hot_spots_are_the_instructions_that_wrote() {
    let mut lab = Lab::new();
    lab.run(&[mov(2, Vgpr(1)), store(2, 32)]);
    let refined = lab.refined(None);
    let spots = refined.hot.spent.iter().filter(|(p, _)| p.kind == Kind::Vrf);
    let spots: Vec<_> = spots.map(|(p, n)| (p.pc, p.register, *n)).collect();
    assert_eq!(spots, [(Some(0), Some(2), 32 * 13)]);
}
