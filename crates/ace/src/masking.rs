//! Which bits of an instruction's operands matter, given which bits of its
//! results do.
//!
//! An arithmetic instruction is a pure function, so this is not a rule per
//! opcode: each bit of each operand is flipped alone, the function is asked
//! again, and the bit matters where a bit of the result that matters changes.
//! AND with 0, shifts, selects, comparisons, rounding: all follow.

use upset_isa::{AluFn, Inst, Lanes, Mask, PT, RZ, Results, Sources, Src, URZ, WARP, Width};

use crate::rows::unpack;

/// Bits of results that matter: up to four words of each lane, two predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matters {
    pub(crate) words: [Lanes; 4],
    pub(crate) preds: [Mask; 2],
}

impl Matters {
    /// Nothing does.
    pub(crate) const NOTHING: Matters = Matters { words: [[0; WARP]; 4], preds: [0; 2] };
    /// Everything does.
    pub(crate) const ALL: Matters = Matters { words: [[!0; WARP]; 4], preds: [!0; 2] };

    /// Lanes of which something matters.
    pub(crate) fn lanes(&self) -> Mask {
        let mut lanes = self.preds[0] | self.preds[1];
        for l in 0..WARP {
            let any = self.words.iter().fold(0, |all, w| all | w[l]);
            lanes |= u32::from(any != 0) << l;
        }
        lanes
    }
}

/// Something that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A vector register.
    Reg(u8),
    /// A uniform register.
    UReg(u8),
    /// A predicate.
    Pred(u8),
    /// A uniform predicate.
    UPred(u8),
}

/// Operand values of an arithmetic instruction.
pub(crate) struct Values {
    rows: [Lanes; 6],
    preds: [Mask; 3],
}

impl Values {
    /// From the words that a trace keeps.
    pub(crate) fn unpack(words: &[u32], mut at: usize) -> Values {
        let rows = std::array::from_fn(|_| unpack(words, &mut at));
        let preds = words.get(at..).and_then(|w| w.first_chunk()).copied().unwrap_or_default();
        Values { rows, preds }
    }
}

/// The registers behind the six operand rows.
fn inputs(inst: &Inst) -> [Option<Input>; 6] {
    let mut inputs = [None; 6];
    for (i, src) in inst.src.iter().enumerate() {
        let (low, high) = match *src {
            Src::Reg(r, w) => {
                let high = (w != Width::W1).then(|| r.saturating_add(1)).filter(|&r| r != RZ);
                ((r != RZ).then_some(Input::Reg(r)), high.map(Input::Reg))
            }
            Src::UReg(r, w) => {
                let high = (w != Width::W1 && r < URZ).then(|| r + 1).filter(|&r| r < URZ);
                ((r < URZ).then_some(Input::UReg(r)), high.map(Input::UReg))
            }
            _ => (None, None),
        };
        inputs[2 * i] = low;
        inputs[2 * i + 1] = high;
    }
    inputs
}

/// Calls `found` with each input of a lane-wise arithmetic instruction that
/// matters, and its bits: one word per lane, or one bit per lane of a predicate
/// (in word 0).
pub(crate) fn sources(
    inst: &Inst,
    f: AluFn,
    values: &Values,
    mask: Mask,
    matters: &Matters,
    mut found: impl FnMut(Input, &Lanes),
) {
    let call = |rows: [&Lanes; 6], p: [Mask; 3], results: &mut Results| {
        f(inst.mods, &Sources { r: rows, p, active: mask }, results);
    };
    let (mut right, mut wrong) = (Results::default(), Results::default());
    let rows: [&Lanes; 6] = std::array::from_fn(|i| &values.rows[i]);
    call(rows, values.preds, &mut right);
    let inputs = inputs(inst);
    for (i, &input) in inputs.iter().enumerate() {
        // Where a register is several operands, a flip is in all of them.
        let Some(input) = input.filter(|x| !inputs[..i].contains(&Some(*x))) else { continue };
        let mut bits: Lanes = [0; WARP];
        for bit in 0..32 {
            let mut flipped = values.rows[i];
            flipped.iter_mut().for_each(|w| *w ^= 1 << bit);
            let with = std::array::from_fn(|j| match inputs[j] == Some(input) {
                true => &flipped,
                false => rows[j],
            });
            call(with, values.preds, &mut wrong);
            differ(&right, &wrong, matters, |l, differs| bits[l] |= u32::from(differs) << bit);
        }
        found(input, &bits);
    }
    for (i, src) in inst.psrc.iter().enumerate() {
        let same = |j: usize| inst.psrc[j].pred == src.pred && inst.psrc[j].uniform == src.uniform;
        if src.pred >= PT || (0..i).any(same) {
            continue;
        }
        let p = std::array::from_fn(|j| values.preds[j] ^ if same(j) { !0 } else { 0 });
        call(rows, p, &mut wrong);
        let mut bits: Lanes = [0; WARP];
        differ(&right, &wrong, matters, |l, differs| bits[0] |= u32::from(differs) << l);
        let input = if src.uniform { Input::UPred(src.pred) } else { Input::Pred(src.pred) };
        found(input, &bits);
    }
}

/// In which lanes results differ in bits that matter.
#[inline]
fn differ(a: &Results, b: &Results, matters: &Matters, mut tell: impl FnMut(usize, bool)) {
    let preds = (a.p[0] ^ b.p[0]) & matters.preds[0] | (a.p[1] ^ b.p[1]) & matters.preds[1];
    for l in 0..WARP {
        let words = (a.d[0][l] ^ b.d[0][l]) & matters.words[0][l]
            | (a.d[1][l] ^ b.d[1][l]) & matters.words[1][l];
        tell(l, words | (preds >> l & 1) != 0);
    }
}
