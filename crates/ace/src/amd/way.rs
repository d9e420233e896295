//! Which bits of operands may matter whatever other bits are wrong.
//!
//! Here nothing may rest on the other operands' values, unless they are part of
//! the instruction ([`BitFlow`]).

use upset_gcn::BitFlow;
use upset_gcn::inst::Inst;
use upset_gcn::operand::Operand;

use super::held::{Given, Input};

/// How the bits of an input go to the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// To the same bit.
    Bitwise,
    /// Where a flip shows, whatever the values.
    AsSeen,
    /// To the same and higher bits, of those in the mask.
    Upwards(u32),
    /// Those in the mask, to anywhere.
    Within(u32),
}

/// The way of an input through an instruction that computes.
pub(crate) fn way(inst: &Inst, input: Input, inputs: &[Input], given: Given) -> Way {
    let fixed = |n: usize| {
        matches!(
            inst.src[n],
            Operand::None | Operand::Int(_) | Operand::Float(_) | Operand::Literal(_)
        )
    };
    match inst.row.bits {
        // Nothing else can be wrong.
        BitFlow::Bitwise if inputs.len() == 1 => Way::AsSeen,
        BitFlow::Bitwise => Way::Bitwise,
        BitFlow::Picks if fixed(0) => Way::AsSeen,
        BitFlow::Picks => Way::Bitwise,
        BitFlow::Moves(by) if (0..4).all(|n| by >> n & 1 == 0 || fixed(n)) => Way::AsSeen,
        BitFlow::Upwards => Way::Upwards(!0),
        BitFlow::Low24 if is_source(inst, 2, input, given) => Way::Upwards(!0),
        BitFlow::Low24 => Way::Upwards(0xff_ffff),
        BitFlow::Byte(n) => Way::Within(0xff << (8 * n)),
        BitFlow::Moves(_) | BitFlow::Any => Way::Within(!0),
    }
}

/// Whether a source of one word is this input.
fn is_source(inst: &Inst, n: usize, input: Input, given: Given) -> bool {
    match inst.src[n] {
        Operand::Vgpr(r) => input == Input::Vector(given.vgpr(r.into())),
        operand => upset_gcn::wave::Reg::of(operand, 0)
            .and_then(|reg| given.place(reg))
            .is_some_and(|place| input == Input::Scalar(place)),
    }
}

impl Way {
    /// Bits that may matter where these of the result do; none for
    /// [`Way::AsSeen`].
    pub(crate) fn joint(self, result: u32) -> u32 {
        match self {
            _ if result == 0 => 0,
            Way::Bitwise => result,
            Way::AsSeen => 0,
            Way::Upwards(mask) => mask & !0 >> result.leading_zeros(),
            Way::Within(mask) => mask,
        }
    }
}
