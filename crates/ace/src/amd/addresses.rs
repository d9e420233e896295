//! Which bits of the operands of memory instructions matter: what changes
//! where they go.

use upset_gcn::inst::Inst;
use upset_gcn::sem::Does;
use upset_gcn::wave::{Operands, ScalarAddress, WAVE, buffer, scalar_read, share};
use upset_lanes::WARP;

use super::compute::Found;
use super::held::{Held, Input};
use crate::needs::{Need, Needs};

/// Where an access goes.
#[derive(Clone, PartialEq)]
enum Target {
    Scalar(ScalarAddress),
    /// Where each lane goes, and how much of it.
    Lanes(Box<[u128; WAVE]>),
    /// What a lane moves is another thing.
    Other,
}

/// Lanes that go elsewhere.
fn moved(from: &Target, to: &Target) -> u64 {
    match (from, to) {
        (Target::Lanes(a), Target::Lanes(b)) => {
            (0..WAVE).fold(0, |all, l| all | u64::from(a[l] != b[l]) << l)
        }
        _ if from == to => 0,
        _ => !0,
    }
}

/// Where an instruction goes in LDS of so many bytes, or elsewhere.
fn target(held: &Held, inst: &Inst, lds_bytes: u32) -> Target {
    match inst.row.does {
        Does::ScalarRead { .. } => Target::Scalar(scalar_read::locate(held, inst)),
        Does::Buffer(_) => {
            let Ok(at) = buffer::locate(held, inst) else { return Target::Other };
            let one = |l: usize| match at.lanes >> l & 1 {
                1 => u128::from(at.addrs[l]) << 32 | (at.reach(l) as u128) << 1 | 1,
                _ => 0,
            };
            Target::Lanes(Box::new(std::array::from_fn(one)))
        }
        Does::Share(_) => {
            let Ok(at) = share::locate(held, inst, lds_bytes) else { return Target::Other };
            let element = |e: usize, l: usize| match at.lanes[e] >> l & 1 {
                1 => u128::from(at.addrs[e][l]) << 1 | 1,
                _ => 0,
            };
            let one = |l: usize| element(0, l) | element(1, l) << 64;
            Target::Lanes(Box::new(std::array::from_fn(one)))
        }
        _ => Target::Other,
    }
}

/// Calls `found` with each operand that says where an access goes, and what is
/// needed of it. `inputs` are those; only what changes for `lanes` counts.
pub(crate) fn sources(
    inst: &Inst,
    held: &mut Held,
    inputs: &[Input],
    (lds_bytes, lanes): (u32, u64),
    mut found: impl FnMut(Found),
) {
    let right = target(held, inst, lds_bytes);
    let shape = |held: &Held| match inst.row.does {
        Does::Buffer(op) => Some(buffer::shape(op, inst, &buffer::descriptor(held, inst))),
        _ => None,
    };
    let shaped = shape(held);
    let exec = match inst.row.does {
        Does::ScalarRead { .. } => !0,
        _ => held.exec(),
    };
    let lanes = lanes & exec;
    if lanes == 0 {
        return;
    }
    for &input in inputs {
        let mut words = [0u32; WAVE];
        let mut any = 0;
        for bit in 0..32 {
            held.flip(input, 1 << bit);
            let mut changed = moved(&right, &target(held, inst, lds_bytes));
            if matches!(input, Input::Scalar(_)) && shape(held) != shaped {
                changed = !0;
            }
            held.flip(input, 1 << bit);
            changed &= lanes;
            any |= u32::from(changed != 0) << bit;
            if changed == !0 || matches!(input, Input::Scalar(_)) {
                words.iter_mut().for_each(|w| *w |= u32::from(changed != 0) << bit);
                continue;
            }
            for (l, word) in words.iter_mut().enumerate() {
                *word |= ((changed >> l & 1) as u32) << bit;
            }
        }
        match input {
            Input::Vector(n) => {
                let mut needs = Box::new([Needs::NOTHING; 2]);
                for (l, alone) in words.into_iter().enumerate() {
                    let need = Need { alone, jointly: !0, ..Need::default() };
                    needs[l / WARP].put(l % WARP, need);
                }
                found(Found::Vector(n, needs, lanes));
            }
            Input::Scalar(place) => {
                found(Found::Scalar(place, Need { alone: any, jointly: !0, ..Need::default() }));
            }
        }
    }
}
