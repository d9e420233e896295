//! First-level data cache, L2, constant cache.

use crate::chip::Coverage;
use crate::images::{CACHES, CACHES_INJECT};
use crate::raw::{
    Code, Warps, get, launch, launch_raw, on_every_sm, put, unwritten, warps_of, with_buffers,
};
use crate::{
    About, Arg, Bench, BoardError, Buffer, Group, Kind, Level, Oracle, Place, Shape, Test,
    TestAbout,
};

const CODE: Code = Code { plain: &CACHES, inject: Some(&CACHES_INJECT) };
/// As large as an SM takes at once, so that each gets one CTA.
const THREADS: u32 = 1024;
/// Words of a line.
const LINE: usize = 32;

/// First-level data cache.
pub struct FirstLevel;

static FIRST_LEVEL: TestAbout = TestAbout {
    name: "l1",
    group: Group::Storage,
    unit: "first-level data cache, data and tags",
    oracle: Oracle::Cpu,
    patterns: "own number of each word and its complement; walks of one line after the other, \
               and of lines a power of two apart, that is, of one set with different tags",
    footprint: "64 KB on the model, up to 224 KB on real chips, on each SM, read twice: what the \
                second reading finds in the cache was in its cells",
    blind: "lines that a fault makes miss (they cost time only); stores, which pass the cache; \
            how much of the walk the cache really kept",
    from: Level::One,
    not_on_model: "",
    injectable: true,
};

impl Test for FirstLevel {
    fn about(&self) -> &'static TestAbout {
        &FIRST_LEVEL
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        for _ in 0..bench.effort.rounds.max(1) {
            for (lines, stride) in walks(&about, bench.effort.level) {
                for flip in [0, u32::MAX] {
                    on_every_sm(bench, |b, ctas| first_level(b, lines, stride, flip, ctas))?;
                }
            }
        }
        Ok(())
    }
}

/// Lines of a walk, and how many words apart they are.
fn walks(about: &About, level: Level) -> Vec<(usize, usize)> {
    let whole = |kilobytes: usize| (kilobytes * 1024 / 128, LINE);
    // One set, different tags: 64 lines a power of two apart.
    let conflicts = |kilobytes: usize| (64, kilobytes * 1024 / 4);
    match (about.kind, level) {
        (Kind::Model, Level::One) => vec![whole(64), conflicts(4)],
        (Kind::Model, _) => vec![whole(64), conflicts(4), conflicts(16), conflicts(64)],
        (_, Level::One) => vec![whole(128), conflicts(4), conflicts(64)],
        _ => {
            let mut all: Vec<_> = [16, 32, 64, 96, 128, 192, 224].map(whole).to_vec();
            all.extend([4, 8, 16, 32, 64, 128, 256].map(conflicts));
            all
        }
    }
}

fn first_level(
    bench: &mut Bench<'_>,
    lines: usize,
    stride: usize,
    flip: u32,
    ctas: u32,
) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let words = (lines - 1) * stride + LINE;
    let salt = bench.seed as u32 ^ flip;
    let data: Vec<u32> = (0..words).map(|i| own_word(i as u64, salt)).collect();
    let shape = Shape::row(ctas, THREADS);
    let of_cta = lines * LINE;
    with_buffers(bench, [words as u64 * 4], |bench, [input]| {
        put(bench, input, &data)?;
        let args = [Arg::Buffer(input), Arg::U32(lines as u32), Arg::U32(stride as u32)];
        let count = ctas as usize * of_cta;
        let (found, at) = launch_raw(bench, CODE, "first_level", shape, count, &args)?;
        for (i, &found) in found.iter().enumerate() {
            let (cta, line, lane) = (i / of_cta, i % of_cta / LINE, i % LINE);
            let word = line * stride + lane;
            if found != data[word] {
                let warp = cta * (THREADS / 32) as usize + line % 32;
                let place = Place {
                    address: Some(input.handle + word as u64 * 4),
                    pipe: Some("l1d".to_string()),
                    ..at.lane(warp, lane as u32, &about)
                };
                let note = stranger(found, salt, words as u64, word as u64);
                bench.find("second reading", place, (data[word].into(), found.into(), 32), note);
            }
        }
        bench.checked(count as u64);
        Ok(at.coverage(&about, |_| true))
    })
}

/// What word `i` holds. Different for all words of 16 GB, so that a word that
/// comes from elsewhere tells from where: the multiplier is odd.
fn own_word(i: u64, salt: u32) -> u32 {
    (i as u32).wrapping_mul(0x9e37_79b1) ^ salt
}

/// Where a wrong word may come from.
fn stranger(found: u32, salt: u32, words: u64, word: u64) -> String {
    // The inverse of the multiplier modulo 2^32.
    let from = u64::from((found ^ salt).wrapping_mul(0x9e37_79b1_u32.wrapping_pow(0x7fff_ffff)));
    if found != crate::raw::UNWRITTEN && from < words {
        return format!("it is the word {} bytes further", (from as i64 - word as i64) * 4);
    }
    unwritten(found).to_string()
}

/// Second-level cache.
pub struct L2;

static L2_ABOUT: TestAbout = TestAbout {
    name: "l2",
    group: Group::Storage,
    unit: "L2, data and tags",
    oracle: Oracle::Cpu,
    patterns: "own number of each word and its complement, written by one SM, read by another \
               and by the host",
    footprint: "one and a half times the L2, all SMs at work: every line of it is dirty once",
    blind: "which slice or way a word was in; lines that a fault makes miss; replacement",
    from: Level::One,
    not_on_model: "",
    injectable: false,
};

impl Test for L2 {
    fn about(&self) -> &'static TestAbout {
        &L2_ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        let l2 = if about.l2 == 0 { 64 << 20 } else { about.l2 };
        let bytes = (l2 + l2 / 2).min(bench.board.free_memory()? / 4) & !4095;
        for _ in 0..bench.effort.rounds.max(1) {
            for flip in [0, u32::MAX] {
                l2_pass(bench, &about, bytes / 4, flip)?;
            }
        }
        Ok(())
    }
}

fn l2_pass(bench: &mut Bench<'_>, about: &About, words: u64, flip: u32) -> Result<(), BoardError> {
    let shape = Shape::row(about.sms * 2, 256);
    let warps = warps_of(shape, about);
    let salt = bench.seed as u32;
    let sizes = [words * 4, words * 4, warps as u64 * 16];
    with_buffers(bench, sizes, |bench, [cells, copy, places]| {
        let args = [
            Arg::Buffer(cells),
            Arg::Buffer(places),
            Arg::U64(words),
            Arg::U32(salt),
            Arg::U32(flip),
        ];
        put(bench, places, &vec![u32::MAX; warps * 4])?;
        launch(bench, CODE, "l2_fill", shape, &args)?;
        let table = get(bench, places, warps * 4)?;
        let writers = Warps::of(&table, about);
        bench.covered(&writers.coverage(about, |_| true));
        // The host's copies read L2's bytes where it has them.
        let seen = get(bench, cells, words as usize)?;
        compare(bench, "host reads", cells, (salt ^ flip, shape), &writers, &seen);
        let args = [Arg::Buffer(copy), Arg::Buffer(places), Arg::Buffer(cells), Arg::U64(words)];
        launch(bench, CODE, "l2_copy", shape, &args)?;
        let seen = get(bench, copy, words as usize)?;
        compare(bench, "another SM reads", cells, (salt ^ flip, shape), &writers, &seen);
        Ok(())
    })
}

fn compare(
    bench: &mut Bench<'_>,
    step: &str,
    cells: Buffer,
    (salt, shape): (u32, Shape),
    writers: &Warps,
    seen: &[u32],
) {
    let threads = u64::from(shape.grid[0]) * u64::from(shape.block[0]);
    for (i, &found) in seen.iter().enumerate() {
        let word = i as u64;
        let expected = own_word(word, salt);
        if found != expected {
            let place = Place {
                address: Some(cells.handle + word * 4),
                pipe: Some("l2".to_string()),
                ..Place::default()
            };
            let writer = writers.sm((word % threads / 32) as usize);
            let note =
                format!("written by {writer}; {}", stranger(found, salt, seen.len() as u64, word));
            bench.find(step, place, (expected.into(), found.into(), 32), note);
        }
    }
    bench.checked(seen.len() as u64);
}

/// Constant cache.
pub struct Constants;

static CONSTANTS: TestAbout = TestAbout {
    name: "constants",
    group: Group::Storage,
    unit: "constant cache",
    oracle: Oracle::Cpu,
    patterns: "own number of each word and its complement, read twice",
    footprint: "60 KB of constants, which is more than the caches of real chips near the SM, by \
                one warp of each SM",
    blind: "lines that a fault makes miss; the last 4 KB of a cache of 64 KB; of the model, a stuck cell of one \
            way (set 9, way 2) was missed, not yet explained",
    from: Level::One,
    not_on_model: "",
    injectable: false,
};

/// As the source has it.
const CONSTANT_WORDS: usize = 15360;

impl Test for Constants {
    fn about(&self) -> &'static TestAbout {
        &CONSTANTS
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        for _ in 0..bench.effort.rounds.max(1) {
            for flip in [0, u32::MAX] {
                let salt = bench.seed as u32 ^ flip;
                on_every_sm(bench, |bench, ctas| constants(bench, salt, ctas))?;
            }
        }
        Ok(())
    }
}

fn constants(bench: &mut Bench<'_>, salt: u32, ctas: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let table: Vec<u32> = (0..CONSTANT_WORDS as u64).map(|i| own_word(i, salt)).collect();
    let image = if bench.inject.is_some() { &CACHES_INJECT } else { &CACHES };
    let module = bench.module(image)?;
    let bank = bench.board.global(module, "constants")?;
    put(bench, bank, &table)?;
    let count = ctas as usize * 2 * CONSTANT_WORDS;
    let shape = Shape::row(ctas, THREADS);
    let (found, at) = launch_raw(bench, CODE, "constant_walk", shape, count, &[])?;
    for (i, &found) in found.iter().enumerate() {
        let (cta, pass, word) =
            (i / (2 * CONSTANT_WORDS), i / CONSTANT_WORDS % 2, i % CONSTANT_WORDS);
        if found != table[word] {
            let warp = cta * (THREADS / 32) as usize;
            let place = Place {
                address: Some(word as u64 * 4),
                pipe: Some("l1c".to_string()),
                ..at.lane(warp, word as u32 % 32, &about)
            };
            let note = stranger(found, salt, CONSTANT_WORDS as u64, word as u64);
            let step = format!("reading {pass}");
            bench.find(&step, place, (table[word].into(), found.into(), 32), note);
        }
    }
    bench.checked(count as u64);
    Ok(at.coverage(&about, |w| w % (THREADS / 32) as usize == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_from_elsewhere_tells_from_where() {
        let salt = 0x1234_5678;
        let note = stranger(own_word(1000, salt), salt, 4096, 10);
        assert_eq!(note, "it is the word 3960 bytes further");
        assert_eq!(stranger(own_word(5000, salt), salt, 4096, 10), "");
        assert!(stranger(crate::raw::UNWRITTEN, salt, u64::MAX, 0).contains("never written"));
    }
}
