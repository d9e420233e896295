//! Predicate registers: words go through P0 to P6 of every thread and come back.

use crate::chip::Coverage;
use crate::images::{PREDICATES, PREDICATES_INJECT};
use crate::random::Random;
use crate::raw::{Code, launch_raw, on_every_sm, put, unwritten, warps_of, with_buffers};
use crate::{Arg, Bench, BoardError, Group, Kind, Level, Oracle, Shape, Test, TestAbout};

/// Predicate registers.
pub struct Predicates;

static ABOUT: TestAbout = TestAbout {
    name: "predicates",
    group: Group::Storage,
    unit: "predicate registers",
    oracle: Oracle::Cpu,
    patterns: "all zero, all one, each alone, each missing, random",
    footprint: "P0 to P6 of 1,024 threads of each SM",
    blind: "slots beyond 1,024 threads; whether a wrong bit is the predicate's or that of the \
            select that reads it (the alu test tells)",
    from: Level::One,
    not_on_model: "",
    injectable: true,
};

const CODE: Code = Code { plain: &PREDICATES, inject: Some(&PREDICATES_INJECT) };
const THREADS: u32 = 1024;
const PREDICATES_OF_A_THREAD: u32 = 7;
const ALL: u32 = (1 << PREDICATES_OF_A_THREAD) - 1;

impl Test for Predicates {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let rows = rows(bench.seed, random_rows(bench));
        for _ in 0..bench.effort.rounds.max(1) {
            on_every_sm(bench, |bench, ctas| walk(bench, &rows, ctas))?;
        }
        Ok(())
    }
}

fn random_rows(bench: &Bench<'_>) -> u32 {
    match (bench.board.about().kind, bench.effort.level) {
        (Kind::Model, Level::One) => 2,
        (_, Level::One | Level::Two) => 64,
        (_, Level::Three | Level::Four) => 1024,
    }
}

/// One word per lane and step; bits above the seven do not count.
fn rows(seed: u64, random: u32) -> Vec<u32> {
    let alone = (0..PREDICATES_OF_A_THREAD).map(|p| 1 << p);
    let missing = (0..PREDICATES_OF_A_THREAD).map(|p| ALL ^ (1 << p));
    let same = [0, ALL].into_iter().chain(alone).chain(missing);
    let mut rows: Vec<u32> = same.flat_map(|word| [word; 32]).collect();
    let mut source = Random::new(seed, "predicates");
    rows.extend((0..random * 32).map(|_| source.bits() as u32 & ALL));
    rows
}

fn walk(bench: &mut Bench<'_>, rows: &[u32], ctas: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let shape = Shape::row(ctas, THREADS);
    let warps = warps_of(shape, &about);
    let (found, at) = with_buffers(bench, [rows.len() as u64 * 4], |bench, [input]| {
        put(bench, input, rows)?;
        let args = [Arg::Buffer(input), Arg::U32(rows.len() as u32 / 32)];
        launch_raw(bench, CODE, "predicates", shape, warps * rows.len(), &args)
    })?;
    for (warp, words) in found.chunks_exact(rows.len()).enumerate() {
        for (i, (&expected, &found)) in rows.iter().zip(words).enumerate() {
            if expected != found {
                let mut place = at.lane(warp, i as u32 % 32, &about);
                place.pipe = Some(wrong_predicates(expected ^ found));
                let note = format!("word {} {}", i / 32, unwritten(found));
                bench.find("P0 to P6", place, (expected.into(), found.into(), 32), note);
            }
        }
    }
    bench.checked((warps * rows.len()) as u64);
    Ok(at.coverage(&about, |_| true))
}

/// `P2`, `P0 P5`; nothing where a word was lost.
fn wrong_predicates(wrong: u32) -> String {
    let named = |p: &u32| wrong >> p & 1 == 1;
    let names: Vec<String> =
        (0..PREDICATES_OF_A_THREAD).filter(named).map(|p| format!("P{p}")).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_predicate_of_every_lane_is_seen_at_both_values() {
        let rows = rows(0, 2);
        for lane in 0..32 {
            let words = || rows.iter().skip(lane).step_by(32);
            assert_eq!(words().fold(0, |a, w| a | w), ALL);
            assert_eq!(words().fold(ALL, |a, w| a & w), 0);
        }
        assert_eq!(wrong_predicates(0b10_0001), "P0 P5");
    }
}
