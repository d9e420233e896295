//! Scalar instructions, alone and in small programs.

use upset_gcn::operand::Operand::{self, *};
use upset_gcn::row::{Specials, Status};
use upset_gcn::sem::Does;
use upset_gcn::table::rows;
use upset_gcn::trap::TrapKind;
use upset_gcn::wave::testing::{Registers, inst, inst_imm};
use upset_gcn::wave::{Next, Waits};
use upset_gcn::{Format, Inst};

const SCALAR: [Format; 6] =
    [Format::Sop1, Format::Sop2, Format::Sopc, Format::Sopk, Format::Sopp, Format::Smrd];

const NO: Operand = Operand::None;

#[test]
fn every_planned_row_has_a_meaning() {
    for row in SCALAR.into_iter().flat_map(rows) {
        let absent = matches!(row.does, Does::Absent);
        assert_eq!(absent, row.status == Status::NotImplemented, "{}", row.name);
    }
}

/// The manual's lists: who writes SCC, who reads it, who uses EXEC and M0.
#[test]
fn special_registers_are_as_the_manual_lists_them() {
    let names = |has: fn(&upset_gcn::Row) -> bool| {
        let rows = SCALAR.into_iter().flat_map(rows).filter(|row| has(row));
        rows.map(|row| row.name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        names(|row| row.reads.has(Specials::SCC)),
        "s_cmov_b32 s_cmov_b64 s_addc_u32 s_subb_u32 s_cselect_b32 s_cselect_b64 s_cmovk_i32 \
         s_cbranch_scc0 s_cbranch_scc1"
    );
    // Of arithmetic that leaves SCC alone there is less than of the other kind.
    assert_eq!(
        names(|row| matches!(row.does, Does::Scalar(_)) && !row.writes.has(Specials::SCC)),
        "s_mov_b32 s_mov_b64 s_cmov_b32 s_cmov_b64 s_brev_b32 s_brev_b64 s_ff0_i32_b32 \
         s_ff0_i32_b64 s_ff1_i32_b32 s_ff1_i32_b64 s_flbit_i32_b32 s_flbit_i32_b64 s_flbit_i32 \
         s_flbit_i32_i64 s_sext_i32_i8 s_sext_i32_i16 s_bitset0_b32 s_bitset0_b64 s_bitset1_b32 \
         s_bitset1_b64 s_cselect_b32 s_cselect_b64 s_bfm_b32 s_bfm_b64 s_mul_i32 s_movk_i32 \
         s_cmovk_i32 s_mulk_i32"
    );
    assert_eq!(
        names(|row| !matches!(row.does, Does::Scalar(_)) && row.writes.has(Specials::SCC)),
        ""
    );
    assert_eq!(
        names(|row| row.writes.has(Specials::EXEC)),
        "s_and_saveexec_b64 s_or_saveexec_b64 s_xor_saveexec_b64 s_andn2_saveexec_b64 \
         s_orn2_saveexec_b64 s_nand_saveexec_b64 s_nor_saveexec_b64 s_xnor_saveexec_b64 \
         s_cbranch_join s_cbranch_g_fork s_cbranch_i_fork"
    );
    assert_eq!(
        names(|row| row.reads.has(Specials::M0)),
        "s_movrels_b32 s_movrels_b64 s_movreld_b32 s_movreld_b64 s_sendmsg s_sendmsghalt \
         s_ttracedata"
    );
    assert_eq!(names(|row| row.reads.has(Specials::VCC)), "s_cbranch_vccz s_cbranch_vccnz");
    assert_eq!(names(|row| row.writes.has(Specials::VCC.or(Specials::M0))), "");
}

fn run(registers: &mut Registers, code: &[Inst]) -> Next {
    registers.run(code).expect("no trap")
}

#[test]
fn a_sum_of_64_bits_goes_by_way_of_scc() {
    let mut r = Registers::default();
    r.set_pair(0, 0x1_ffff_ffff);
    r.set_pair(2, 0xffff_fffe_0000_0001);
    run(
        &mut r,
        &[
            inst("s_add_u32", Sgpr(4), &[Sgpr(0), Sgpr(2)]),
            inst("s_addc_u32", Sgpr(5), &[Sgpr(1), Sgpr(3)]),
        ],
    );
    assert_eq!((r.pair(4), r.scc), (0, true));
}

#[test]
fn a_loop_adds_up_to_its_closed_form() {
    let mut r = Registers::default();
    let code = [
        inst_imm("s_movk_i32", Sgpr(0), &[], 100),
        inst("s_add_u32", Sgpr(1), &[Sgpr(1), Sgpr(0)]),
        inst_imm("s_addk_i32", Sgpr(0), &[], -1i16 as u16),
        inst_imm("s_cmpk_lg_i32", NO, &[Sgpr(0)], 0),
        inst_imm("s_cbranch_scc1", NO, &[], -4i16 as u16),
        inst("s_endpgm", NO, &[]),
    ];
    assert_eq!(run(&mut r, &code), Next::End);
    assert_eq!(r.sgprs[..2], [0, 5050]);
}

#[test]
fn branches_look_at_what_their_names_say() {
    let taken = |name: &str, r: Registers| {
        let next = r.clone().step(&inst_imm(name, NO, &[], 0xfffd), 100).expect("no trap");
        assert!(matches!(next, Next::Step | Next::Jump(92)), "{next:?}");
        next != Next::Step
    };
    let r = Registers::default;
    assert!(taken("s_branch", r()));
    for scc in [false, true] {
        assert_eq!(taken("s_cbranch_scc0", Registers { scc, ..r() }), !scc);
        assert_eq!(taken("s_cbranch_scc1", Registers { scc, ..r() }), scc);
    }
    for bits in [0, 1, 1 << 63] {
        assert_eq!(taken("s_cbranch_vccz", Registers { vcc: bits, ..r() }), bits == 0);
        assert_eq!(taken("s_cbranch_vccnz", Registers { vcc: bits, ..r() }), bits != 0);
        assert_eq!(taken("s_cbranch_execz", Registers { exec: bits, ..r() }), bits == 0);
        assert_eq!(taken("s_cbranch_execnz", Registers { exec: bits, ..r() }), bits != 0);
    }
    assert!(!taken("s_cbranch_cdbgsys_or_user", r()));
}

#[test]
fn lanes_part_and_meet_by_the_exec_idioms() {
    let mut r = Registers { exec: 0xff, vcc: 0x0f, ..Registers::default() };
    run(&mut r, &[inst("s_and_saveexec_b64", Sgpr(0), &[VccLo])]);
    assert_eq!((r.exec, r.pair(0), r.scc), (0x0f, 0xff, true));
    run(&mut r, &[inst("s_xor_b64", Sgpr(0), &[ExecLo, Sgpr(0)])]);
    run(&mut r, &[inst("s_or_saveexec_b64", Sgpr(2), &[Sgpr(0)])]);
    assert_eq!((r.exec, r.pair(2)), (0xff, 0x0f));
    run(&mut r, &[inst("s_andn2_saveexec_b64", ExecLo, &[Int(-1)])]);
    assert_eq!(r.exec, !0xff, "the new EXEC is written after the old one");
}

/// Both kinds of forks, both ways: which lanes go first, where they go, and
/// that all lanes are back where they meet.
#[test]
fn forks_send_the_fewer_lanes_first_and_join_the_others_later() {
    for (jump, first) in [(0b0111, "rest"), (0b0001, "jump")] {
        let mut r = Registers { exec: 0b1111, ..Registers::default() };
        // Each way notes its lanes; both end at the join.
        let note = |to| inst("s_mov_b64", Sgpr(to), &[ExecLo]);
        let order = |by: u16| inst_imm("s_mulk_i32", Sgpr(60), &[], by);
        r.set_pair(40, jump);
        r.sgprs[60] = 1;
        let code = [
            inst_imm("s_cbranch_i_fork", NO, &[Sgpr(40)], 4), // 0
            note(50),                                         // 4: lanes that stay
            order(3),                                         // 8
            inst_imm("s_addk_i32", Sgpr(60), &[], 1),         // 12
            inst_imm("s_branch", NO, &[], 3),                 // 16
            note(52),                                         // 20: lanes that jump
            order(7),                                         // 24
            inst_imm("s_addk_i32", Sgpr(60), &[], 2),         // 28
            inst("s_cbranch_join", NO, &[Sgpr(62)]),          // 32
        ];
        run(&mut r, &code);
        assert_eq!((r.pair(50), r.pair(52)), (0b1111 & !jump, jump));
        let expected = if first == "rest" { (3 + 1) * 7 + 2 } else { (7 + 2) * 3 + 1 };
        assert_eq!(r.sgprs[60], expected, "{first} first");
        assert_eq!(r.mode, 0, "no fork is open");
        // The mask of the other lanes, then where they go (CLRX).
        let (mask, to) = if first == "rest" { (jump, 20) } else { (0b1111 & !jump, 4) };
        assert_eq!((r.pair(0), r.pair(2)), (mask, to));
    }
}

#[test]
fn forks_of_one_mind_keep_nothing() {
    let fork = inst("s_cbranch_g_fork", NO, &[Sgpr(10), Sgpr(12)]);
    let mut all = Registers { exec: 6, ..Registers::default() };
    all.set_pair(10, 7);
    all.set_pair(12, 0x1_0000_0043);
    let mut none = all.clone();
    none.set_pair(10, 9);
    for (mut r, next) in [(all, Next::Jump(0x1_0000_0040)), (none, Next::Step)] {
        let before = r.clone();
        assert_eq!(r.step(&fork, 0), Ok(next));
        assert_eq!(r, before);
    }
}

#[test]
fn program_counters_are_kept_and_set() {
    let mut r = Registers::default();
    r.set_pair(2, 0x12_3456_7893);
    assert_eq!(r.step(&inst("s_getpc_b64", Sgpr(0), &[]), 0xff_ffff_fffc), Ok(Next::Step));
    assert_eq!(r.pair(0), 0x100_0000_0000);
    let jump = Ok(Next::Jump(0x12_3456_7890));
    assert_eq!(r.step(&inst("s_setpc_b64", NO, &[Sgpr(2)]), 0), jump);
    // Result and source may be the same registers.
    assert_eq!(r.step(&inst("s_swappc_b64", Sgpr(2), &[Sgpr(2)]), 8), jump);
    assert_eq!(r.pair(2), 12);
}

#[test]
fn the_mode_is_read_and_written_by_fields() {
    // hwreg(HW_REG_MODE, 4, 2): register, first bit, bits less one.
    let field = |first: u16, bits: u16| 1 | first << 6 | (bits - 1) << 11;
    let mut r = Registers { mode: 0x3c0, ..Registers::default() };
    run(
        &mut r,
        &[
            inst_imm("s_setreg_imm32_b32", NO, &[Literal(0xff)], field(4, 2)),
            inst_imm("s_getreg_b32", Sgpr(0), &[], field(4, 4)),
            inst_imm("s_getreg_b32", Sgpr(1), &[], field(0, 32)),
        ],
    );
    assert_eq!((r.mode, r.sgprs[0], r.sgprs[1]), (0x3f0, 0xf, 0x3f0));
    r.sgprs[2] = 0xabcd_0003;
    run(&mut r, &[inst_imm("s_setreg_b32", NO, &[Sgpr(2)], field(0, 32))]);
    assert_eq!(r.mode, 0xabcd_0003);
    run(&mut r, &[inst("s_setvskip", NO, &[Sgpr(2), Int(33)])]);
    assert_eq!(r.mode, 0xabcd_0003 | 1 << 28);
    run(&mut r, &[inst("s_setvskip", NO, &[Sgpr(2), Int(2)])]);
    assert_eq!(r.mode, 0xabcd_0003 & !(1 << 28));
    // Other registers are zero and stay so.
    run(&mut r, &[inst_imm("s_getreg_b32", Sgpr(2), &[], 4 | 31 << 11)]);
    assert_eq!(r.sgprs[2], 0);
}

#[test]
fn m0_raises_register_numbers() {
    let mut r = Registers { m0: 10, ..Registers::default() };
    r.sgprs.iter_mut().zip(1000..).for_each(|(s, n)| *s = n);
    run(
        &mut r,
        &[
            inst("s_movrels_b32", Sgpr(0), &[Sgpr(20)]),
            inst("s_movrels_b64", Sgpr(2), &[Sgpr(20)]),
            inst("s_movreld_b32", Sgpr(40), &[Int(-3)]),
            inst("s_movreld_b64", Sgpr(42), &[Int(-3)]),
        ],
    );
    assert_eq!(r.sgprs[0], 1030);
    assert_eq!(r.sgprs[2..4], [1030, 1031]);
    assert_eq!(r.sgprs[50], -3i32 as u32);
    assert_eq!(r.pair(52), -3i64 as u64);
    // Beyond the last register: the first is read, nothing is written.
    r.m0 = 200;
    run(&mut r, &[inst("s_movrels_b64", Sgpr(8), &[Sgpr(20)])]);
    assert_eq!(r.sgprs[8..10], [1030, 1001]);
    let before = r.clone();
    run(&mut r, &[inst("s_movreld_b32", Sgpr(40), &[Int(1)])]);
    r.m0 = !0 - 9;
    run(&mut r, &[inst("s_movreld_b32", Sgpr(0), &[Int(1)])]);
    assert_eq!(r.sgprs, before.sgprs);
}

#[test]
fn control_is_handed_to_the_engine() {
    let next = |name: &str, imm| Registers::default().step(&inst_imm(name, NO, &[], imm), 0);
    assert_eq!(next("s_endpgm", 0), Ok(Next::End));
    assert_eq!(next("s_nop", 15), Ok(Next::Pause(7)));
    assert_eq!(next("s_sleep", 3), Ok(Next::Sleep(3)));
    assert_eq!(next("s_setprio", 7), Ok(Next::Priority(3)));
    assert_eq!(next("s_barrier", 0), Ok(Next::Barrier));
    assert_eq!(next("s_waitcnt", 0x0172), Ok(Next::Wait(Waits { vm: 2, exp: 7, lgkm: 1 })));
    assert_eq!(next("s_sethalt", 0), Ok(Next::Step));
    assert_eq!(next("s_sethalt", 1), Ok(Next::Halt));
    assert_eq!(next("s_setkill", 2), Ok(Next::Step));
    assert_eq!(next("s_setkill", 1), Ok(Next::End));
    assert_eq!(next("s_sendmsg", 1), Ok(Next::Step));
    assert_eq!(next("s_sendmsghalt", 1), Ok(Next::Halt));
    assert_eq!(next("s_icache_inv", 0), Ok(Next::InvalidateCode));
    assert_eq!(next("s_trap", 2), Err(TrapKind::TrapInstruction(2)));
    assert_eq!(next("s_ttracedata", 0), Ok(Next::Step));
}
