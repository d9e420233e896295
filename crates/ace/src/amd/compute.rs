//! Which bits of an instruction's operands matter, given which bits of its
//! results do: instructions that need no memory.
//!
//! There is no rule per opcode for a flip alone. Each bit of each operand is
//! flipped, the instruction is carried out again, and the bit matters where a
//! bit of the result that matters changes.

use upset_gcn::inst::Inst;
use upset_gcn::operand::Operand;
use upset_gcn::row::{Place as Field, Specials};
use upset_gcn::sem::Does;
use upset_gcn::sem::flow::Flow;
use upset_gcn::wave::{Operands, Outcome, Reg, WAVE, evaluate, scalar32};
use upset_lanes::WARP;

use super::effect::{LaneEffect, whole};
use super::held::{Held, Input, Place};
use super::matters::Matters;
use super::way::{Way, way};
use crate::needs::{Need, Needs};

/// What is needed of one input.
pub(crate) enum Found {
    /// A vector register in two halves, in these lanes.
    Vector(u8, Box<[Needs; 2]>, u64),
    /// A scalar value.
    Scalar(Place, Need),
}

/// The address of the next instruction: any will do, as long as it is the same.
const NEXT: u64 = 1 << 20;

/// Carries out an instruction.
pub(crate) fn carry_out(held: &Held, inst: &Inst, out: &mut Outcome) {
    // What traps does not get into a trace; what would trap with other operands
    // leaves what it has.
    let _ = evaluate(held, inst, NEXT, out);
}

/// Calls `found` with each input of an instruction and what is needed of it.
/// `right` is what it did; `wrong` is room.
pub(crate) fn sources(
    inst: &Inst,
    held: &mut Held,
    matters: &Matters,
    (right, wrong): (&Outcome, &mut Outcome),
    mut found: impl FnMut(Found),
) {
    let any = matters.any_scalar() || matters.lanes() != 0;
    match inst.row.does {
        Does::Vector(_) if any => {
            let bits = lane_bits(inst, held);
            for input in held.inputs.clone() {
                match input {
                    Input::Vector(n) => {
                        let needs = lane_by_lane(inst, held, input, matters, right, wrong);
                        found(Found::Vector(n, needs, held.exec()));
                    }
                    Input::Scalar(place) if bits.contains(&Some(place)) => {}
                    Input::Scalar(place) => {
                        found(Found::Scalar(
                            place,
                            together(inst, held, place, matters, right, wrong),
                        ));
                    }
                }
            }
            of_lane_bits(inst, held, bits, matters, (right, wrong), &mut found);
        }
        Does::Scalar(_) if any => {
            scalars(inst, held, matters, right, wrong, &mut found);
        }
        Does::Flow(Flow::Branch(_)) => scalars(inst, held, matters, right, wrong, &mut found),
        Does::ReadLane | Does::ReadFirstLane if any => {
            let lane = match inst.row.does {
                Does::ReadLane => scalar32(held, inst.src[1]) as usize % WAVE,
                _ => held.exec().trailing_zeros() as usize % WAVE,
            };
            let need = matters.scalars[0];
            if let Operand::Vgpr(n) = inst.src[0] {
                let mut needs = Box::new([Needs::NOTHING; 2]);
                needs[lane / WARP].put(lane % WARP, Need::moved(need, need.jointly != 0));
                found(Found::Vector(held.given.vgpr(n.into()), needs, 1 << lane));
            }
            scalars(inst, held, matters, right, wrong, &mut found);
        }
        Does::WriteLane => {
            if any {
                scalars(inst, held, matters, right, wrong, &mut found);
            }
            // Another lane would lose its value.
            if let Some(place) = Reg::of(inst.src[1], 0).and_then(|reg| held.given.place(reg)) {
                found(Found::Scalar(place, Need::all(WAVE as u32 - 1)));
            }
        }
        // Another register would lose its value.
        Does::MoveRelative { result, .. } if any || result => everything(held, &mut found),
        Does::Flow(_) | Does::SetReg | Does::SetVskip => everything(held, &mut found),
        Does::Absent
        | Does::Nothing
        | Does::Vector(_)
        | Does::Scalar(_)
        | Does::ReadLane
        | Does::ReadFirstLane
        | Does::MoveRelative { .. }
        | Does::GetReg
        | Does::ScalarRead { .. }
        | Does::Time
        | Does::InvalidateScalar
        | Does::Share(_)
        | Does::Buffer(_) => {}
    }
}

/// All operands matter.
pub(crate) fn everything(held: &Held, found: &mut impl FnMut(Found)) {
    for input in &held.inputs {
        match *input {
            Input::Vector(n) => {
                let all = Needs::all(&[!0; WARP]);
                found(Found::Vector(n, Box::new([all.clone(), all]), held.exec()));
            }
            Input::Scalar(place) => found(Found::Scalar(place, Need::all(!0))),
        }
    }
}

/// All scalar inputs, each bit by itself.
fn scalars(
    inst: &Inst,
    held: &mut Held,
    matters: &Matters,
    right: &Outcome,
    wrong: &mut Outcome,
    found: &mut impl FnMut(Found),
) {
    for input in held.inputs.clone() {
        if let Input::Scalar(place) = input {
            found(Found::Scalar(place, together(inst, held, place, matters, right, wrong)));
        }
    }
}

/// The pair of scalar registers with a bit for each lane, if there is one.
fn lane_bits(inst: &Inst, held: &Held) -> [Option<Place>; 2] {
    let pair = match (0..3).find(|&n| inst.row.src[n].place == Field::Carry) {
        Some(n) => inst.src[n],
        None if inst.row.reads.has(Specials::VCC) => Operand::VccLo,
        None => return [None; 2],
    };
    // A register that is a value as well is dealt with bit by bit.
    let is_value = |place: &Place| {
        (0..3).filter(|&n| inst.row.src[n].place != Field::Carry).any(|n| {
            (0..2).any(|word| {
                Reg::of(inst.src[n], word).and_then(|r| held.given.place(r)) == Some(*place)
            })
        })
    };
    let places = [0, 1].map(|n| Reg::of(pair, n).and_then(|reg| held.given.place(reg)));
    let same = places[0] == places[1];
    match same || places.iter().flatten().any(is_value) {
        true => [None; 2],
        false => places,
    }
}

/// Bits of a vector register.
fn lane_by_lane(
    inst: &Inst,
    held: &mut Held,
    input: Input,
    matters: &Matters,
    right: &Outcome,
    wrong: &mut Outcome,
) -> Box<[Needs; 2]> {
    let mut needs = Box::new([Needs::NOTHING; 2]);
    let exec = held.exec();
    let way = way(inst, input, &held.inputs, held.given);
    for bit in 0..32 {
        held.flip(input, 1 << bit);
        carry_out(held, inst, wrong);
        held.flip(input, 1 << bit);
        for half in (0..2).filter(|half| exec >> (32 * half) as u32 != 0) {
            LaneEffect::of(half, right, wrong, matters).note(bit, &mut needs[half]);
        }
    }
    if way != Way::AsSeen || matters.any_scalar() {
        for lane in 0..WAVE {
            needs[lane / WARP].jointly[lane % WARP] |= joint_of_lane(way, right, matters, lane);
        }
    }
    needs
}

/// Bits of an input that may matter to a lane whatever else is wrong.
fn joint_of_lane(way: Way, right: &Outcome, m: &Matters, lane: usize) -> u32 {
    let (half, l) = (lane / WARP, lane % WARP);
    let flags = m.scalars.iter().take(right.scalars.list().len()).skip(half).step_by(2);
    if flags.fold(0, |all, need| all | need.jointly) >> l & 1 == 1 {
        return !0;
    }
    let words = &m.jointly[..usize::from(right.rows.count).min(2)];
    way.joint(words.iter().fold(0, |all, w| all | w[half][l]))
}

/// Bits of lanes: all lanes at once, since each has its own.
fn of_lane_bits(
    inst: &Inst,
    held: &mut Held,
    places: [Option<Place>; 2],
    matters: &Matters,
    (right, wrong): (&Outcome, &mut Outcome),
    found: &mut impl FnMut(Found),
) {
    if places == [None; 2] {
        return;
    }
    let flip = |held: &mut Held| {
        places.iter().flatten().for_each(|place| held.flip(Input::Scalar(*place), !0));
    };
    flip(held);
    carry_out(held, inst, wrong);
    flip(held);
    let exec = held.exec();
    for (half, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        let effect = LaneEffect::of(half, right, wrong, matters);
        let mut need = Need::default();
        for l in (0..WARP).filter(|l| exec >> (32 * half + l) & 1 == 1) {
            let v = effect.verdict(l);
            need.alone |= u32::from(v.alone) << l;
            need.passes |= u32::from(v.passes) << l;
            need.slips |= u32::from(v.slips) << l;
            let may = joint_of_lane(Way::Within(!0), right, matters, 32 * half + l) != 0;
            need.jointly |= u32::from(may) << l;
        }
        found(Found::Scalar(*place, need));
    }
}

/// Bits of a scalar value: all results together.
fn together(
    inst: &Inst,
    held: &mut Held,
    place: Place,
    matters: &Matters,
    right: &Outcome,
    wrong: &mut Outcome,
) -> Need {
    let input = Input::Scalar(place);
    let mut need = Need::default();
    for bit in 0..place.bits() {
        held.flip(input, 1 << bit);
        carry_out(held, inst, wrong);
        held.flip(input, 1 << bit);
        let v = whole(right, wrong, matters);
        need.alone |= u32::from(v.alone) << bit;
        need.passes |= u32::from(v.passes) << bit;
        need.slips |= u32::from(v.slips) << bit;
        need.jointly |= u32::from(v.shows) << bit;
    }
    let way = way(inst, input, &held.inputs, held.given);
    need.jointly |= match inst.row.does {
        Does::Vector(_) => (0..WAVE)
            .filter(|lane| held.exec() >> lane & 1 == 1)
            .fold(0, |all, lane| all | joint_of_lane(way, right, matters, lane)),
        Does::Scalar(_) => joint_of_scalar(way, place, right, matters),
        // Jumps, and what is taken from a lane or put there.
        _ => !0,
    };
    need
}

/// Bits of an input of a scalar instruction that may matter whatever else is wrong.
fn joint_of_scalar(way: Way, place: Place, right: &Outcome, m: &Matters) -> u32 {
    let results = || right.scalars.list().iter().zip(&m.scalars);
    let is_flag = |reg: Reg| reg == Reg::Scc;
    if results().any(|((reg, _), need)| is_flag(*reg) && need.jointly != 0) {
        return !0;
    }
    let words = results().fold(0, |all, (_, need)| all | need.jointly);
    match place {
        // It selects, or is carried.
        Place::Scc => u32::from(words != 0),
        _ => way.joint(words),
    }
}
