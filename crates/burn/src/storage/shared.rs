//! Shared memory: a March test by one warp, so that each bank sees its words in
//! order, then words of their own that another warp reads.

use super::marched::{backgrounds, reads};
use crate::chip::Coverage;
use crate::images::{SHAREDMEM, SHAREDMEM_INJECT};
use crate::judge::{Expected, Slabs, launch_slabs};
use crate::raw::{Code, on_every_sm, unwritten};
use crate::{Arg, Bench, BoardError, Group, Kind, Level, Oracle, Place, Shape, Test, TestAbout};

/// Shared memory.
pub struct Shared;

static ABOUT: TestAbout = TestAbout {
    name: "shared",
    group: Group::Storage,
    unit: "shared memory",
    oracle: Oracle::Cpu,
    patterns: "March C- on up to six backgrounds, by one warp, each time that of another \
               sub-core; own number and its complement, read by another warp",
    footprint: "every byte that a CTA may have, on each SM",
    blind: "what the driver keeps for itself (1 KB an SM since Ampere); couplings between words \
            of one row in different banks, which are visited together",
    from: Level::One,
    not_on_model: "",
    injectable: true,
};

const CODE: Code = Code { plain: &SHAREDMEM, inject: Some(&SHAREDMEM_INJECT) };
/// A warp for each sub-core.
const THREADS: u32 = 128;

impl Test for Shared {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        for _ in 0..bench.effort.rounds.max(1) {
            for (i, &background) in backgrounds(&about, bench.effort.level).iter().enumerate() {
                let worker = i as u32 % (THREADS / 32);
                on_every_sm(bench, |bench, ctas| march(bench, background, worker, ctas))?;
            }
            // On real chips sub-cores are few launches apart: all of them walk.
            if about.kind != Kind::Model {
                for worker in 0..THREADS / 32 {
                    on_every_sm(bench, |bench, ctas| march(bench, 0, worker, ctas))?;
                }
            }
            let salt = bench.seed as u32;
            on_every_sm(bench, |bench, ctas| own(bench, salt, ctas))?;
        }
        Ok(())
    }
}

/// A slab for each CTA.
fn slabs(expected: &[u32]) -> Slabs<'_> {
    let warps = (THREADS / 32) as usize;
    Slabs { words: expected.len(), warps, expected: Expected::Same(expected) }
}

fn shape(bytes: u32, ctas: u32) -> Shape {
    Shape { dynamic_shared: bytes, ..Shape::row(ctas, THREADS) }
}

/// Rows of 32 words.
fn bytes(bench: &Bench<'_>) -> u32 {
    bench.board.about().shared_per_cta & !127
}

fn march(
    bench: &mut Bench<'_>,
    background: u32,
    worker: u32,
    ctas: u32,
) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let (bytes, reads) = (bytes(bench), reads());
    let words = bytes as usize / 4;
    let count = ctas as usize * reads.len() * words;
    let args = [Arg::U32(words as u32), Arg::U32(background), Arg::U32(worker)];
    let shape = shape(bytes, ctas);
    let all: Vec<u32> = reads.iter().flat_map(|r| vec![r.expected(background); words]).collect();
    let slabs = slabs(&all);
    let (slabs, at) = launch_slabs(bench, CODE, "shared_march", shape, slabs, &args)?;
    let warp = |cta: usize| cta * (THREADS / 32) as usize + worker as usize;
    for slab in slabs {
        let cta = slab.number;
        for (i, &found) in slab.words.iter().enumerate() {
            let (read, word) = (&reads[i / words], i % words);
            let expected = read.expected(background);
            if found != expected {
                let place = Place {
                    address: Some(word as u64 * 4),
                    pipe: Some(format!("bank {}", word % 32)),
                    ..at.lane(warp(cta), word as u32 % 32, &about)
                };
                let note = format!("read by warp {worker} {}", unwritten(found));
                let operation = read.operation(background);
                bench.find(&operation, place, (expected.into(), found.into(), 32), note);
            }
        }
    }
    bench.checked(count as u64);
    Ok(at.coverage(&about, |w| w % (THREADS / 32) as usize == worker as usize))
}

fn own(bench: &mut Bench<'_>, salt: u32, ctas: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let bytes = bytes(bench);
    let words = bytes as usize / 4;
    let count = ctas as usize * 2 * words;
    let args = [Arg::U32(words as u32), Arg::U32(salt)];
    let shape = shape(bytes, ctas);
    let own = (0..words as u32).map(|word| own_word(word, salt));
    let all: Vec<u32> = own.clone().chain(own.map(|w| !w)).collect();
    let (slabs, at) = launch_slabs(bench, CODE, "shared_own", shape, slabs(&all), &args)?;
    let (threads, warps) = (THREADS as usize, (THREADS / 32) as usize);
    let results =
        slabs.iter().flat_map(|s| s.words.iter().zip(&all).enumerate().map(move |w| (s.number, w)));
    for (cta, (i, (&found, &expected))) in results {
        let word = i % words;
        if found != expected {
            // The thread that reads the word: the next warp's writer.
            let reader = (word % threads + threads - 32) % threads;
            let place = Place {
                address: Some(word as u64 * 4),
                pipe: Some(format!("bank {}", word % 32)),
                ..at.lane(cta * warps + reader / 32, reader as u32 % 32, &about)
            };
            let note = unwritten(found).to_string();
            bench.find("own number", place, (expected.into(), found.into(), 32), note);
        }
    }
    bench.checked(count as u64);
    Ok(at.coverage(&about, |_| true))
}

/// What word `word` holds: the kernel has the same function.
fn own_word(word: u32, salt: u32) -> u32 {
    word.wrapping_mul(0x1_0001) ^ salt
}
