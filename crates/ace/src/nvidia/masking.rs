//! Which bits of an instruction's operands matter, given which bits of its
//! results do.
//!
//! An arithmetic instruction is a pure function, so there is no rule per opcode
//! for a flip alone: each bit of each operand is flipped, the function is asked
//! again, and the bit matters where a bit of the result that matters changes.
//! AND with 0, shifts, selects, comparisons, rounding: all follow.

use upset_isa::{AluFn, Inst, Lanes, Mask, PT, Results, Sources, WARP};

use crate::needs::Needs;
use crate::nvidia::inputs::{Input, Values, inputs};
use crate::nvidia::joint;
use crate::nvidia::matters::Matters;

/// Calls `found` with each input of a lane-wise arithmetic instruction and what
/// is needed of it.
pub(crate) fn sources(
    inst: &Inst,
    f: AluFn,
    values: &Values,
    mask: Mask,
    matters: &Matters,
    mut found: impl FnMut(Input, &Needs),
) {
    let call = |rows: [&Lanes; 6], p: [Mask; 3], results: &mut Results| {
        f(inst.mods, &Sources { r: rows, p, active: mask }, results);
    };
    let (mut right, mut wrong) = (Results::default(), Results::default());
    let rows: [&Lanes; 6] = std::array::from_fn(|i| &values.rows[i]);
    call(rows, values.preds, &mut right);
    let live = matters.lanes();
    let inputs = inputs(inst);
    let lists = Lists::new(matters);
    for (i, &input) in inputs.iter().enumerate() {
        // Where a register is several operands, a flip is in all of them.
        let Some(input) = input.filter(|x| !inputs[..i].contains(&Some(*x))) else { continue };
        let mut needs = Needs::NOTHING;
        for bit in 0..32 {
            let mut flipped = values.rows[i];
            flipped.iter_mut().for_each(|w| *w ^= 1 << bit);
            let with = std::array::from_fn(|j| match inputs[j] == Some(input) {
                true => &flipped,
                false => rows[j],
            });
            call(with, values.preds, &mut wrong);
            for l in 0..WARP {
                let (alone, passes, slips) = lists.effect(&right, &wrong, l);
                needs.alone[l] |= u32::from(alone) << bit;
                needs.passes[l] |= u32::from(passes) << bit;
                needs.slips[l] |= u32::from(slips) << bit;
            }
        }
        needs.jointly = joint::word(inst, f, values, i, matters);
        found(input, &needs);
    }
    for (i, src) in inst.psrc.iter().enumerate() {
        let same = |j: usize| inst.psrc[j].pred == src.pred && inst.psrc[j].uniform == src.uniform;
        if src.pred >= PT || (0..i).any(same) {
            continue;
        }
        let p = std::array::from_fn(|j| values.preds[j] ^ if same(j) { !0 } else { 0 });
        call(rows, p, &mut wrong);
        let mut needs = Needs::NOTHING;
        for l in 0..WARP {
            let (alone, passes, slips) = lists.effect(&right, &wrong, l);
            needs.alone[0] |= u32::from(alone) << l;
            needs.passes[0] |= u32::from(passes) << l;
            needs.slips[0] |= u32::from(slips) << l;
        }
        needs.jointly[0] = live;
        let input = if src.uniform { Input::UPred(src.pred) } else { Input::Pred(src.pred) };
        found(input, &needs);
    }
}

/// What matters of results, as the comparison of two results needs it.
struct Lists<'a> {
    matters: &'a Matters,
    /// Ones where a word is used at all.
    used: [Lanes; 2],
    live: Mask,
}

impl Lists<'_> {
    fn new(matters: &Matters) -> Lists<'_> {
        let used = |w: usize| matters.jointly[w].map(|bits| if bits != 0 { !0 } else { 0 });
        Lists { matters, used: [used(0), used(1)], live: matters.lanes() }
    }

    /// Whether a lane's difference does harm, may do so with others, or is none.
    #[inline]
    fn effect(&self, right: &Results, wrong: &Results, l: usize) -> (bool, bool, bool) {
        let m = self.matters;
        let low = (right.d[0][l] ^ wrong.d[0][l]) & self.used[0][l];
        let high = (right.d[1][l] ^ wrong.d[1][l]) & self.used[1][l];
        let p0 = (right.p[0] ^ wrong.p[0]) & m.preds[0] & 1 << l;
        let p1 = (right.p[1] ^ wrong.p[1]) & m.preds[1] & 1 << l;
        let changed =
            low.count_ones() + high.count_ones() + u32::from(p0 != 0) + u32::from(p1 != 0);
        let alone = low & m.alone[0][l]
            | high & m.alone[1][l]
            | p0 & m.preds_alone[0]
            | p1 & m.preds_alone[1];
        let joint = low & m.jointly[0][l] | high & m.jointly[1][l] | p0 | p1;
        let some = changed > 0 && self.live >> l & 1 == 1;
        match changed {
            0 | 1 => (alone != 0, alone == 0 && joint != 0, some && joint == 0),
            _ => (joint != 0, false, some && joint == 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_isa::{BitFlow, Exec, LatencyClass, OpDef, Src, Unit, Width};

    /// What is needed of operand `row` for a flip alone, in lane 0, and jointly.
    fn needed(
        bits: BitFlow,
        f: AluFn,
        src: [Src; 3],
        values: [u32; 3],
        result: u32,
        row: usize,
    ) -> (u32, u32) {
        let op = OpDef::new("OP", Unit::Alu, LatencyClass::Fixed).bits(bits);
        let op: &'static OpDef = Box::leak(Box::new(op));
        let mut inst = Inst::new(op, Exec::Alu(f));
        inst.src = src;
        let mut rows = [[0; WARP]; 6];
        values.iter().enumerate().for_each(|(i, v)| rows[2 * i] = [*v; WARP]);
        let mut matters = Matters::NOTHING;
        matters.alone[0] = [result; WARP];
        matters.jointly[0] = [result; WARP];
        let wanted = inputs(&inst)[2 * row];
        let mut found = None;
        let values = Values { rows, preds: [!0; 3] };
        sources(&inst, f, &values, !0, &matters, |input, needs| {
            if Some(input) == wanted {
                found = Some((needs.alone[0], needs.jointly[0]));
            }
        });
        found.unwrap_or_default()
    }

    fn each(r: &mut Results, f: impl Fn(usize) -> u32) {
        (0..WARP).for_each(|l| r.d[0][l] = f(l));
    }

    fn and(_: u32, s: &Sources<'_>, r: &mut Results) {
        each(r, |l| s.a()[l] & s.b()[l]);
    }
    fn or(_: u32, s: &Sources<'_>, r: &mut Results) {
        each(r, |l| s.a()[l] | s.b()[l]);
    }
    fn shift(_: u32, s: &Sources<'_>, r: &mut Results) {
        each(r, |l| s.a()[l].checked_shr(s.b()[l]).unwrap_or(0));
    }
    fn add(_: u32, s: &Sources<'_>, r: &mut Results) {
        each(r, |l| s.a()[l].wrapping_add(s.b()[l]));
    }
    fn less(_: u32, s: &Sources<'_>, r: &mut Results) {
        each(r, |l| u32::from(s.a()[l] < s.b()[l]));
    }
    fn select(_: u32, s: &Sources<'_>, r: &mut Results) {
        each(r, |l| if s.p[0] >> l & 1 == 1 { s.a()[l] } else { s.b()[l] });
    }
    fn difference(_: u32, s: &Sources<'_>, r: &mut Results) {
        each(r, |l| s.a()[l].wrapping_sub(s.b()[l]));
    }

    const A: Src = Src::Reg(1, Width::W1);
    const B: Src = Src::Reg(2, Width::W1);

    #[test]
    fn and_with_0_and_or_with_1_mask() {
        let mask = Src::Imm(0xff);
        assert_eq!(
            needed(BitFlow::Bitwise, and, [A, mask, Src::Zero], [5, 0xff, 0], !0, 0),
            (0xff, 0xff)
        );
        assert_eq!(
            needed(BitFlow::Bitwise, or, [A, mask, Src::Zero], [5, 0xff, 0], !0, 0),
            (!0xff, !0xff)
        );
        // A register's zeroes mask a flip alone, but they may be wrong as well.
        assert_eq!(
            needed(BitFlow::Bitwise, and, [A, B, Src::Zero], [5, 0xff, 0], !0, 0),
            (0xff, !0)
        );
        assert_eq!(
            needed(BitFlow::Bitwise, and, [A, B, Src::Zero], [5, 0xff, 0], 0xf0, 0),
            (0xf0, 0xf0)
        );
    }

    #[test]
    fn bits_that_are_shifted_out_do_not_matter() {
        let by = Src::Imm(8);
        assert_eq!(
            needed(BitFlow::MovesByB, shift, [A, by, Src::Zero], [!0, 8, 0], !0, 0),
            (!0xff, !0xff)
        );
        assert_eq!(
            needed(BitFlow::MovesByB, shift, [A, by, Src::Zero], [!0, 8, 0], 3, 0),
            (0x300, 0x300)
        );
        // By a register: any bit may matter.
        assert_eq!(
            needed(BitFlow::MovesByB, shift, [A, B, Src::Zero], [!0, 8, 0], 3, 0),
            (0x300, !0)
        );
    }

    #[test]
    fn low_bits_of_sums_need_low_bits_only() {
        let (alone, jointly) = needed(BitFlow::Upwards, add, [A, B, Src::Zero], [1, 2, 0], 0xff, 0);
        assert_eq!((alone, jointly), (0xff, 0xff));
    }

    #[test]
    fn comparisons_need_the_bits_that_turn_them() {
        // 100 < 200: only bits that make it at least 200 count.
        let (alone, jointly) = needed(BitFlow::Any, less, [A, B, Src::Zero], [100, 200, 0], 1, 0);
        assert_eq!(alone, !0x7f);
        assert_eq!(jointly, !0);
    }

    #[test]
    fn what_is_not_selected_does_not_matter() {
        assert_eq!(needed(BitFlow::Any, select, [A, B, Src::Zero], [1, 2, 0], 0xf, 0).0, 0xf);
        assert_eq!(needed(BitFlow::Any, select, [A, B, Src::Zero], [1, 2, 0], 0xf, 1).0, 0);
    }

    #[test]
    fn a_register_that_is_both_operands_is_flipped_in_both() {
        assert_eq!(needed(BitFlow::Upwards, difference, [A, A, Src::Zero], [9, 9, 0], !0, 0).0, 0);
    }
}
