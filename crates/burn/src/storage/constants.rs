//! Constant cache.

use super::caches::{CODE, Fill, THREADS, fills, stranger};
use crate::chip::Coverage;
use crate::images::{CACHES, CACHES_INJECT};
use crate::judge::{Expected, Slabs, launch_slabs};
use crate::raw::{on_every_sm, put};
use crate::{Arg, Bench, BoardError, Group, Level, Oracle, Place, Shape, Test, TestAbout};

/// Constant cache.
pub struct Constants;

static CONSTANTS: TestAbout = TestAbout {
    name: "constants",
    group: Group::Storage,
    unit: "constant cache, data and tags",
    oracle: Oracle::Cpu,
    patterns: "zeroes, ones, own number of each word, all words read twice; one word of every 32 \
               bytes, beginning at each of eight places",
    footprint: "64 KB of constants, all that there are, by one warp of each SM: every data cell of \
                a cache of up to 64 KB, and of its tags the bits in which constants differ",
    blind: "lines that a fault makes miss, as other bits of tags do; they cost time only",
    from: Level::One,
    not_on_model: "",
    injectable: false,
};

/// As the source has it.
const WORDS: usize = 16384;
/// Words of what is read once in a walk of tags.
const PIECE: usize = 8;
/// Places where a walk of tags begins.
const PLACES: usize = 8;

impl Test for Constants {
    fn about(&self) -> &'static TestAbout {
        &CONSTANTS
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        for _ in 0..bench.effort.rounds.max(1) {
            for fill in fills(bench.seed, true) {
                on_every_sm(bench, |bench, ctas| walk(bench, fill, Walk::All, ctas))?;
            }
            // A line is stored before all others in the first walk, after one of
            // them in the second, and so on. Twice each: caches may fill their
            // ways from either end in turn.
            for n in 0..2 * PLACES {
                let flip = if n % 2 == 0 { 0 } else { u32::MAX };
                let fill = Fill { own: true, salt: bench.seed as u32 ^ flip };
                let from = n / 2 * (WORDS / PLACES);
                on_every_sm(bench, |bench, ctas| walk(bench, fill, Walk::Tags(from), ctas))?;
            }
        }
        Ok(())
    }
}

/// The words that are read, twice, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walk {
    All,
    /// One of every piece, from this word on and round.
    Tags(usize),
}

impl Walk {
    fn kernel(self) -> (&'static str, Vec<Arg>) {
        match self {
            Walk::All => ("constant_walk", Vec::new()),
            Walk::Tags(first) => ("constant_tags", vec![Arg::U32(first as u32)]),
        }
    }

    fn words(self) -> usize {
        match self {
            Walk::All => WORDS,
            Walk::Tags(_) => WORDS / PIECE,
        }
    }

    fn word(self, n: usize) -> usize {
        match self {
            Walk::All => n,
            Walk::Tags(first) => (first + n * PIECE) % WORDS,
        }
    }
}

fn walk(bench: &mut Bench<'_>, fill: Fill, walk: Walk, ctas: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let table: Vec<u32> = (0..WORDS as u64).map(|i| fill.word(i)).collect();
    let image = if bench.inject.is_some() { &CACHES_INJECT } else { &CACHES };
    let module = bench.module(image)?;
    let bank = bench.board.global(module, "constants")?;
    put(bench, bank, &table)?;
    let (words, shape) = (walk.words(), Shape::row(ctas, THREADS));
    let count = ctas as usize * 2 * words;
    let (kernel, args) = walk.kernel();
    let reading = (0..words).map(|n| table[walk.word(n)]);
    let all: Vec<u32> = reading.clone().chain(reading).collect();
    let warps = (THREADS / 32) as usize;
    let slabs = Slabs { words: all.len(), warps, expected: Expected::Same(&all) };
    let (slabs, at) = launch_slabs(bench, CODE, kernel, shape, slabs, &args)?;
    let results = slabs.iter().flat_map(|s| s.words.iter().enumerate().map(|w| (s.number, w)));
    for (cta, (i, &found)) in results {
        let (pass, n) = (i / words, i % words);
        let word = walk.word(n);
        if found != table[word] {
            let warp = cta * (THREADS / 32) as usize;
            let place = Place {
                address: Some(word as u64 * 4),
                pipe: Some("l1c".to_string()),
                ..at.lane(warp, n as u32 % 32, &about)
            };
            let note = stranger(found, fill, WORDS as u64, word as u64);
            let step = format!("reading {pass}");
            bench.find(&step, place, (table[word].into(), found.into(), 32), note);
        }
    }
    bench.checked(count as u64);
    Ok(at.coverage(&about, |w| w % (THREADS / 32) as usize == 0))
}
