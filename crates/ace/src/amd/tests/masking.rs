//! Which bits of operands matter, instruction by instruction.

use upset_gcn::inst::Inst;
use upset_gcn::operand::Operand;
use upset_gcn::wave::Outcome;
use upset_gcn::wave::testing::{Registers, inst};

use super::lab::*;
use crate::amd::compute::{Found, carry_out, sources};
use crate::amd::held::{Held, Place};
use crate::amd::matters::Matters;

/// What is needed of v1, with v1, v2 and v3 having these values in lane 0, for
/// these bits of the result: alone and jointly.
fn needed(inst: &Inst, values: [u32; 3], result: u32) -> (u32, u32) {
    needed_of(inst, values, result, |found| match found {
        Found::Vector(1, needs, _) => Some((needs[0].alone[0], needs[0].jointly[0])),
        _ => None,
    })
}

fn needed_of(
    inst: &Inst,
    values: [u32; 3],
    result: u32,
    wanted: impl Fn(&Found) -> Option<(u32, u32)>,
) -> (u32, u32) {
    let mut registers = Registers { exec: 1, ..Registers::default() };
    (0..3).for_each(|n| registers.vgprs[n + 1][0][0] = values[n]);
    registers.sgprs[1..4].copy_from_slice(&values);
    let (mut held, mut words) = (Held::default(), Vec::new());
    held.record(&registers, inst, GIVEN, &mut words);
    held.load(inst, GIVEN, &words, 0);
    let (mut right, mut wrong) = (Outcome::default(), Outcome::default());
    carry_out(&held, inst, &mut right);
    let mut matters = Matters::NOTHING;
    if right.rows.count > 0 {
        (matters.alone[0][0][0], matters.jointly[0][0][0]) = (result, result);
    } else {
        matters.scalars[0] = crate::needs::Need::all(result);
    }
    let mut need = (0, 0);
    sources(inst, &mut held, &matters, (&right, &mut wrong), |found| {
        need = wanted(&found).unwrap_or(need);
    });
    need
}

fn two(name: &str, a: Operand, b: Operand) -> Inst {
    inst(name, Vgpr(9), &[a, b])
}

const A: Operand = Vgpr(1);
const B: Operand = Vgpr(2);
const BYTE: Operand = Operand::Literal(0xff);

#[test]
fn and_with_0_and_or_with_1_mask() {
    assert_eq!(needed(&two("v_and_b32", BYTE, A), [5, 0, 0], !0), (0xff, 0xff));
    assert_eq!(needed(&two("v_or_b32", BYTE, A), [5, 0, 0], !0), (!0xff, !0xff));
    assert_eq!(needed(&two("v_xor_b32", BYTE, A), [5, 0, 0], 0xf0), (0xf0, 0xf0));
    // A register's zeroes mask a flip alone, but they may be wrong as well.
    assert_eq!(needed(&two("v_and_b32", A, B), [5, 0xff, 0], !0), (0xff, !0));
}

#[test]
fn bits_that_are_shifted_or_cut_out_do_not_matter() {
    let by = Int(8);
    assert_eq!(needed(&two("v_lshrrev_b32", by, A), [!0, 0, 0], !0), (!0xff, !0xff));
    assert_eq!(needed(&two("v_lshlrev_b32", by, A), [!0, 0, 0], !0), (!0 >> 8, !0 >> 8));
    // The sign goes to many bits.
    assert_eq!(needed(&two("v_ashrrev_i32", by, A), [!0, 0, 0], 1 << 30), (1 << 31, 1 << 31));
    // By a register: any bit may matter.
    assert_eq!(needed(&two("v_lshr_b32", A, B), [!0, 8, 0], 3), (0x300, !0));
    let extract = inst("v_bfe_u32", Vgpr(9), &[A, Int(4), Int(8)]);
    assert_eq!(needed(&extract, [!0, 0, 0], !0), (0xff0, 0xff0));
    let insert = inst("v_bfi_b32", Vgpr(9), &[Int(15), A, B]);
    assert_eq!(needed(&insert, [!0, 0, 0], !0), (15, 15));
}

#[test]
fn low_bits_of_sums_and_products_need_low_bits_only() {
    assert_eq!(needed(&two("v_add_i32", A, B), [1, 2, 0], 0xff), (0xff, 0xff));
    // Times 3: bits above the highest that matters go nowhere.
    assert_eq!(needed(&two("v_mul_lo_u32", A, B), [1, 3, 0], 0xff), (0xff, 0xff));
    assert_eq!(needed(&two("v_mul_u32_u24", A, B), [1, 3, 0], !0), (0xff_ffff, 0xff_ffff));
    let mad = inst("v_mad_u32_u24", Vgpr(9), &[B, Vgpr(3), A]);
    assert_eq!(needed(&mad, [1, 3, 5], !0), (!0, !0));
}

#[test]
fn a_byte_that_is_converted_is_all_that_matters() {
    let convert = inst("v_cvt_f32_ubyte2", Vgpr(9), &[A]);
    assert_eq!(needed(&convert, [0x1234_5678, 0, 0], !0), (0xff_0000, 0xff_0000));
}

#[test]
fn comparisons_need_the_bits_that_turn_them() {
    // 100 < 200: only bits that make it at least 200 count.
    let compare = inst("v_cmp_lt_u32", Nothing, &[A, B]);
    assert_eq!(needed(&compare, [100, 200, 0], 1), (!0x7f, !0));
}

#[test]
fn a_register_that_is_both_operands_is_flipped_in_both() {
    assert_eq!(needed(&two("v_sub_i32", A, A), [9, 0, 0], !0).0, 0);
}

#[test]
fn a_scalar_operand_matters_where_any_lane_needs_it() {
    let scalar = |found: &Found| match found {
        Found::Scalar(Place::Register(1), need) => Some((need.alone, need.jointly)),
        _ => None,
    };
    let and = two("v_and_b32", Sgpr(1), A);
    assert_eq!(needed_of(&and, [0xf0f0, 0, 0], !0, scalar), (0xf0f0, !0));
    let and = inst("s_and_b32", Sgpr(9), &[Sgpr(1), Operand::Literal(0xff00)]);
    assert_eq!(needed_of(&and, [0x1234, 0, 0], !0, scalar), (0xff00, 0xff00));
    let shift = inst("s_lshl_b32", Sgpr(9), &[Sgpr(1), Int(24)]);
    assert_eq!(needed_of(&shift, [0x1234, 0, 0], !0, scalar), (0xff, 0xff));
}
