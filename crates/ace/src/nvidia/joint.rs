//! Which bits of operands may matter whatever other bits are wrong.
//!
//! Here nothing may rest on the other operands' values, unless they are part of
//! the instruction. Most operations need all bits then. Those that put each bit
//! in its place need fewer, and sums and products need none above the highest
//! bit that matters: carries go up only.

use upset_isa::{AluFn, BitFlow, Inst, Lanes, PT, Results, Sources, Src, WARP};

use crate::nvidia::inputs::{Values, inputs};
use crate::nvidia::matters::Matters;

/// How bits go through an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Each bit of the result depends on the same bit of the operands.
    Bitwise,
    /// Each bit of the result is a copy of one bit, or constant: which one, an
    /// operand that must be part of the instruction says.
    Moves,
    /// Each bit of the result depends on the same and lower bits.
    Upwards,
    /// Anything.
    Any,
}

/// Never a property of the operation alone: forms that differ are told apart by
/// their operands below.
fn way(inst: &Inst) -> Way {
    let fixed = |i: usize| matches!(inst.src[i], Src::Imm(_) | Src::Zero);
    let none = |i: usize| inst.src[i] == Src::Zero;
    let no_carry = inst.psrc.iter().all(|p| p.pred == PT);
    match inst.op.bits {
        BitFlow::Bitwise => Way::Bitwise,
        BitFlow::Moves => Way::Moves,
        BitFlow::MovesByB if fixed(1) => Way::Moves,
        // `IMAD.MOV` and `IMAD.SHL`: one operand is left.
        BitFlow::Product if no_carry && (none(0) || none(2)) && none(1) => Way::Moves,
        BitFlow::Upwards => Way::Upwards,
        BitFlow::MovesByB | BitFlow::Product | BitFlow::Any => Way::Any,
    }
}

/// Bits of operand row `row` that may matter.
pub(crate) fn word(inst: &Inst, f: AluFn, values: &Values, row: usize, matters: &Matters) -> Lanes {
    let any = || {
        let live = matters.lanes();
        std::array::from_fn(|l| if live >> l & 1 == 1 { !0 } else { 0 })
    };
    // Predicates may come of anything.
    if matters.preds.iter().any(|p| *p != 0) {
        return any();
    }
    match way(inst) {
        Way::Bitwise => bitwise(inst, f, values, row, matters),
        Way::Moves => moves(inst, f, values, row, matters),
        Way::Upwards => {
            let below = |bits: u32| bits.checked_ilog2().map_or(0, |top| !0 >> (31 - top));
            std::array::from_fn(|l| below(matters.jointly[0][l]))
        }
        Way::Any => any(),
    }
}

/// Asks for one operand row and given others; broadcast over the lanes.
fn ask(inst: &Inst, f: AluFn, values: &Values, with: impl Fn(usize) -> Option<u32>) -> Results {
    let rows: [Lanes; 6] = std::array::from_fn(|j| match with(j) {
        Some(word) => [word; WARP],
        None => values.rows[j],
    });
    let mut results = Results::default();
    let r = std::array::from_fn(|j| &rows[j]);
    f(inst.mods, &Sources { r, p: values.preds, active: !0 }, &mut results);
    results
}

/// With zeroes and ones in all other registers, does the bit show?
fn bitwise(inst: &Inst, f: AluFn, values: &Values, row: usize, matters: &Matters) -> Lanes {
    let inputs = inputs(inst);
    let mut needed = [0; WARP];
    for others in 0..64u32 {
        let free = |j: usize| inputs[j].is_some() && inputs[j] != inputs[row];
        // One case for each combination of the registers there are.
        if (0..6).any(|j| others >> j & 1 == 1 && !free(j)) {
            continue;
        }
        let case = |own: u32| {
            ask(inst, f, values, |j| match inputs[j] {
                _ if inputs[j] == inputs[row] => Some(own),
                Some(_) => Some(if others >> j & 1 == 1 { !0 } else { 0 }),
                None => None,
            })
        };
        let (zero, one) = (case(0), case(!0));
        for l in 0..WARP {
            needed[l] |= (zero.d[0][l] ^ one.d[0][l]) & matters.jointly[0][l];
        }
    }
    needed
}

/// Where does each bit go?
fn moves(inst: &Inst, f: AluFn, values: &Values, row: usize, matters: &Matters) -> Lanes {
    let inputs = inputs(inst);
    let case = |own: u32| {
        ask(inst, f, values, |j| match inputs[j] {
            _ if inputs[j] == inputs[row] => Some(own),
            Some(_) => Some(0),
            None => None,
        })
    };
    let zero = case(0);
    let mut needed = [0; WARP];
    for bit in 0..32 {
        let one = case(1 << bit);
        for l in 0..WARP {
            let low = (zero.d[0][l] ^ one.d[0][l]) & matters.jointly[0][l];
            let high = (zero.d[1][l] ^ one.d[1][l]) & matters.jointly[1][l];
            needed[l] |= u32::from(low | high != 0) << bit;
        }
    }
    needed
}
