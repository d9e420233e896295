//! Divergence: branches that split a warp by every kind of mask, branches within
//! each other, loops of different lengths.

use crate::chip::Coverage;
use crate::images::{CONTROL, CONTROL_INJECT};
use crate::judge::{Expected, Slab, Slabs, doubtful, launch_slabs};
use crate::random::Random;
use crate::raw::{
    Code, UNWRITTEN, Warps, get, launch, on_every_sm, put, unwritten, warps_of, with_buffers,
};
use crate::{Arg, Bench, BoardError, Group, Kind, Level, Oracle, Shape, Test, TestAbout};

/// Divergence and reconvergence.
pub struct Divergence;

static ABOUT: TestAbout = TestAbout {
    name: "divergence",
    group: Group::Control,
    unit: "divergence unit, program counters, active masks",
    oracle: Oracle::Cpu,
    patterns: "masks of 1 to 31 lanes in a row at each of 32 places, and random ones; five \
               branches within each other until each lane is alone, 32 ways round; loops of 0 to \
               31 turns with a way out in the middle",
    footprint: "32 warps of each SM; on the model a warp of each sub-core at level 1",
    blind: "masks other than these (there are 2^32); the order in which sides run; convergence \
            barriers that the code does not use",
    from: Level::One,
    not_on_model: "",
    injectable: true,
};

pub(super) const CODE: Code = Code { plain: &CONTROL, inject: Some(&CONTROL_INJECT) };
/// Turns of the loops on both sides of a branch.
const TURNS: u32 = 2;

impl Test for Divergence {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let random = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Model, Level::One) => 8,
            (_, Level::One) => 256,
            (_, Level::Two) => 4096,
            (_, Level::Three | Level::Four) => 16384,
        };
        let step = match (bench.board.about().kind, bench.effort.level) {
            // Every length; on the model not at every place.
            (Kind::Model, Level::One) => 8,
            _ => 1,
        };
        let masks = masks(step, random, bench.seed);
        for _ in 0..bench.effort.rounds.max(1) {
            on_every_sm(bench, |bench, ctas| divergence(bench, &masks, ctas))?;
            on_every_sm(bench, nested)?;
            on_every_sm(bench, loops)?;
        }
        Ok(())
    }
}

/// Masks of 1 to 31 lanes in a row, `step` places apart, then random ones.
fn masks(step: usize, random: u32, seed: u64) -> Vec<u32> {
    let row = |length: u32, place: u32| (u32::MAX >> (32 - length)).rotate_left(place);
    let rows = (1..32).flat_map(|length| (0..32).step_by(step).map(move |p| row(length, p)));
    let mut source = Random::new(seed, "divergence");
    rows.chain((0..random).map(|_| source.bits() as u32)).collect()
}

/// Threads of a CTA: as many warps as the level has room for.
pub(super) fn threads(bench: &Bench<'_>) -> u32 {
    match (bench.board.about().kind, bench.effort.level) {
        (Kind::Model, Level::One) => 128,
        _ => 1024,
    }
}

fn shape(bench: &Bench<'_>, ctas: u32) -> Shape {
    crate::chip::one_cta_per_sm(bench.board.about(), ctas, threads(bench))
}

/// Each warp's results, `[step][lane]`, should be these.
pub(super) fn of_warp(expected: &[u32]) -> Slabs<'_> {
    Slabs { words: expected.len(), warps: 1, expected: Expected::Same(expected) }
}

/// Compares what came to the host with what each warp should have.
pub(super) fn compare(
    bench: &mut Bench<'_>,
    (operation, slabs, at): (&str, &[Slab], &Warps),
    expected: &[u32],
) {
    let about = bench.board.about().clone();
    for slab in slabs {
        let wrong = slab.words.iter().zip(expected).enumerate().filter(|(_, (f, e))| f != e);
        for (i, (&found, &expected)) in wrong {
            let place = at.lane(slab.number, i as u32 % 32, &about);
            let note = format!("step {} {}", i / 32, unwritten(found));
            bench.find(operation, place, (expected.into(), found.into(), 32), note);
        }
    }
}

/// A kernel with two results of each step and lane: runs it and compares both.
fn two_results(
    bench: &mut Bench<'_>,
    (kernel, shape): (&str, Shape),
    args: &[Arg],
    results: [(&str, Vec<u32>); 2],
) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let warps = warps_of(shape, &about);
    let bytes = |r: usize| (warps * results[r].1.len()) as u64 * 4;
    let sizes = [bytes(0), bytes(1), warps as u64 * 16];
    with_buffers(bench, sizes, |bench, [first, second, places]| {
        bench.board.fill(first, UNWRITTEN)?;
        bench.board.fill(second, UNWRITTEN)?;
        bench.board.fill(places, u32::MAX)?;
        let mut all = [first, second, places].map(Arg::Buffer).to_vec();
        all.extend_from_slice(args);
        launch(bench, CODE, kernel, shape, &all)?;
        let at = Warps::of(&get(bench, places, warps * 4)?, &about);
        for (out, (operation, expected)) in [first, second].into_iter().zip(&results) {
            let slabs = doubtful(bench, (out, places), &at, warps, of_warp(expected))?;
            compare(bench, (operation, &slabs, &at), expected);
            bench.checked((warps * expected.len()) as u64);
        }
        Ok(at.coverage(&about, |_| true))
    })
}

/// A result for each step and lane.
fn table(steps: usize, of: impl Fn(usize, u32) -> u32) -> Vec<u32> {
    let of = &of;
    (0..steps).flat_map(|step| (0..32).map(move |lane| of(step, lane))).collect()
}

fn divergence(bench: &mut Bench<'_>, masks: &[u32], ctas: u32) -> Result<Coverage, BoardError> {
    let shape = shape(bench, ctas);
    let sides = table(masks.len(), |step, lane| side(masks[step], step as u32, lane));
    let votes = table(masks.len(), |step, _| masks[step]);
    with_buffers(bench, [masks.len() as u64 * 4], |bench, [input]| {
        put(bench, input, masks)?;
        let args = [Arg::Buffer(input), Arg::U32(masks.len() as u32), Arg::U32(TURNS)];
        let results = [("sides of a branch", sides), ("after a branch", votes)];
        two_results(bench, ("divergence", shape), &args, results)
    })
}

/// What a lane computes on its side of branch `i`.
fn side(mask: u32, i: u32, lane: u32) -> u32 {
    if mask >> lane & 1 == 1 {
        let turn = |x: u32, t: u32| x.wrapping_mul(5).wrapping_add(t);
        (0..TURNS).fold(lane.wrapping_add(i), turn) | 0x8000_0000
    } else {
        let turn = |x: u32, t: u32| (x ^ t).wrapping_add(0x0101_0101);
        (0..TURNS).fold((3 * lane).wrapping_add(i), turn) & 0x7fff_ffff
    }
}

fn nested(bench: &mut Bench<'_>, ctas: u32) -> Result<Coverage, BoardError> {
    let leaves = table(32, |key, lane| path(lane ^ key as u32).0);
    let back = table(32, |key, lane| path(lane ^ key as u32).1);
    let results = [("leaf of nested branches", leaves), ("way back from nested branches", back)];
    two_results(bench, ("nested", shape(bench, ctas)), &[], results)
}

/// What a lane holds at its leaf, and when it has come back.
fn path(way: u32) -> (u32, u32) {
    let down = |path: u32, depth: u32| match way >> depth & 1 {
        1 => path.wrapping_mul(5).wrapping_add(1),
        _ => path.wrapping_mul(3).wrapping_add(2),
    };
    let leaf = (0..5).rev().fold(1, down);
    let up = |path: u32, depth: u32| path + if way >> depth & 1 == 1 { 0x10 } else { 0x100 };
    (leaf, (0..5).fold(leaf, up))
}

fn loops(bench: &mut Bench<'_>, ctas: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let shape = shape(bench, ctas);
    let expected = table(32, |key, lane| looped(lane, lane ^ key as u32));
    let (found, at) = launch_slabs(bench, CODE, "loops", shape, of_warp(&expected), &[])?;
    compare(bench, ("loops", &found, &at), &expected);
    bench.checked((warps_of(shape, &about) * expected.len()) as u64);
    Ok(at.coverage(&about, |_| true))
}

/// What a lane computes in a loop that it leaves after `turns`.
fn looped(lane: u32, turns: u32) -> u32 {
    let mut state = lane;
    for i in 0..32 {
        state = state.wrapping_mul(5).wrapping_add(i);
        if i == turns {
            break;
        }
        for _ in 0..i & 3 {
            state ^= state << 3;
            if state & 64 != 0 {
                break;
            }
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_every_length_put_every_lane_on_both_sides() {
        let all = masks(1, 0, 0);
        assert_eq!(all.len(), 31 * 32);
        for length in 1..32 {
            let of = || all.iter().filter(|m| m.count_ones() == length);
            assert_eq!(of().count(), 32, "{length}");
            assert_eq!((of().fold(0, |a, m| a | m), of().fold(!0, |a, m| a & m)), (!0, 0));
        }
        // What level 1 of the model runs: lengths all, places some.
        let some = masks(8, 8, 0);
        assert_eq!(some.len(), 31 * 4 + 8);
    }

    #[test]
    fn every_lane_has_a_leaf_of_its_own() {
        let mut leaves: Vec<u32> = (0..32).map(|way| path(way).0).collect();
        leaves.sort_unstable();
        leaves.dedup();
        assert_eq!(leaves.len(), 32);
    }
}
