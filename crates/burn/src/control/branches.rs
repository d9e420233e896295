//! Divergence: branches that split a warp by every kind of mask, branches within
//! each other, loops of different lengths.

use crate::chip::Coverage;
use crate::images::{CONTROL, CONTROL_INJECT};
use crate::random::Random;
use crate::raw::{
    Code, Warps, get, launch, launch_raw, on_every_sm, put, unwritten, warps_of, with_buffers,
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
    footprint: "a warp of each sub-core of each SM at level 1, 32 warps of each SM above",
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

/// Compares `[warp][step][lane]` words with what `expected` says of step and lane.
pub(super) fn compare(
    bench: &mut Bench<'_>,
    (operation, words, at): (&str, &[u32], &Warps),
    steps: usize,
    expected: impl Fn(usize, u32) -> u32,
) {
    let about = bench.board.about().clone();
    for (i, &found) in words.iter().enumerate() {
        let (warp, step, lane) = (i / (steps * 32), i / 32 % steps, i as u32 % 32);
        let expected = expected(step, lane);
        if found != expected {
            let place = at.lane(warp, lane, &about);
            let note = format!("step {step} {}", unwritten(found));
            bench.find(operation, place, (expected.into(), found.into(), 32), note);
        }
    }
    bench.checked(words.len() as u64);
}

fn divergence(bench: &mut Bench<'_>, masks: &[u32], ctas: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let shape = shape(bench, ctas);
    let warps = warps_of(shape, &about);
    let count = warps * masks.len() * 32;
    let sizes = [count as u64 * 4, count as u64 * 4, warps as u64 * 16, masks.len() as u64 * 4];
    with_buffers(bench, sizes, |bench, [out, after, places, input]| {
        put(bench, out, &vec![crate::raw::UNWRITTEN; count])?;
        put(bench, after, &vec![crate::raw::UNWRITTEN; count])?;
        put(bench, places, &vec![u32::MAX; warps * 4])?;
        put(bench, input, masks)?;
        let args = [
            Arg::Buffer(out),
            Arg::Buffer(after),
            Arg::Buffer(places),
            Arg::Buffer(input),
            Arg::U32(masks.len() as u32),
            Arg::U32(TURNS),
        ];
        launch(bench, CODE, "divergence", shape, &args)?;
        let at = Warps::of(&get(bench, places, warps * 4)?, &about);
        let sides = get(bench, out, count)?;
        compare(bench, ("sides of a branch", &sides, &at), masks.len(), |step, lane| {
            side(masks[step], step as u32, lane)
        });
        let votes = get(bench, after, count)?;
        compare(bench, ("after a branch", &votes, &at), masks.len(), |step, _| masks[step]);
        Ok(at.coverage(&about, |_| true))
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
    let about = bench.board.about().clone();
    let shape = shape(bench, ctas);
    let warps = warps_of(shape, &about);
    let count = warps * 32 * 32;
    with_buffers(
        bench,
        [count as u64 * 4, count as u64 * 4, warps as u64 * 16],
        |bench, [out, returned, places]| {
            put(bench, out, &vec![crate::raw::UNWRITTEN; count])?;
            put(bench, returned, &vec![crate::raw::UNWRITTEN; count])?;
            put(bench, places, &vec![u32::MAX; warps * 4])?;
            let args = [Arg::Buffer(out), Arg::Buffer(returned), Arg::Buffer(places)];
            launch(bench, CODE, "nested", shape, &args)?;
            let at = Warps::of(&get(bench, places, warps * 4)?, &about);
            let leaves = get(bench, out, count)?;
            compare(bench, ("leaf of nested branches", &leaves, &at), 32, |key, lane| {
                path(lane ^ key as u32).0
            });
            let back = get(bench, returned, count)?;
            compare(bench, ("way back from nested branches", &back, &at), 32, |key, lane| {
                path(lane ^ key as u32).1
            });
            Ok(at.coverage(&about, |_| true))
        },
    )
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
    let count = warps_of(shape, &about) * 32 * 32;
    let (found, at) = launch_raw(bench, CODE, "loops", shape, count, &[])?;
    compare(bench, ("loops", &found, &at), 32, |key, lane| looped(lane, lane ^ key as u32));
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
