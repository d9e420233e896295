//! First-level data cache, L2.

use crate::chip::Coverage;
use crate::images::{CACHES, CACHES_INJECT};
use crate::judge::{Expected, Slabs, launch_slabs};
use crate::raw::{
    Code, Warps, differing, get, launch, on_every_sm, put, unwritten, warps_of, with_buffers,
};
use crate::{
    About, Arg, Bench, BoardError, Buffer, Group, Kind, Level, Oracle, Place, Shape, Test,
    TestAbout,
};

pub(super) const CODE: Code = Code { plain: &CACHES, inject: Some(&CACHES_INJECT) };
/// As large as an SM takes at once, so that each gets one CTA.
pub(super) const THREADS: u32 = 1024;
/// Words of a line.
const LINE: usize = 32;

/// First-level data cache.
pub struct FirstLevel;

static FIRST_LEVEL: TestAbout = TestAbout {
    name: "l1",
    group: Group::Storage,
    unit: "first-level data cache, data and tags",
    oracle: Oracle::Cpu,
    patterns: "zeroes, ones, own number of each word and its complement; walks of one line after \
               the other, and of lines a power of two apart, that is, of one set with different \
               tags",
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
                for fill in fills(bench.seed, stride == LINE) {
                    on_every_sm(bench, |b, ctas| first_level(b, lines, stride, fill, ctas))?;
                }
            }
        }
        Ok(())
    }
}

/// What words of a walk hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fill {
    /// Own numbers, or one value everywhere.
    pub own: bool,
    /// XORed into it, or the value.
    pub salt: u32,
}

impl Fill {
    /// What word `i` holds.
    pub fn word(self, i: u64) -> u32 {
        if self.own { own_word(i, self.salt) } else { self.salt }
    }
}

/// Fills of a test. A line is in another way each time, so that a number and its
/// complement may meet a stuck cell with the same bit: with one value everywhere
/// it does not matter which line a cell holds. Own numbers show lines that are
/// taken for others.
pub(super) fn fills(seed: u64, all_cells: bool) -> Vec<Fill> {
    let own = |flip| Fill { own: true, salt: seed as u32 ^ flip };
    let same = |salt| Fill { own: false, salt };
    match all_cells {
        true => vec![same(0), same(u32::MAX), own(0)],
        false => vec![own(0), own(u32::MAX)],
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
    fill: Fill,
    ctas: u32,
) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let words = (lines - 1) * stride + LINE;
    let data: Vec<u32> = (0..words).map(|i| fill.word(i as u64)).collect();
    let shape = Shape::row(ctas, THREADS);
    let of_cta = lines * LINE;
    with_buffers(bench, [words as u64 * 4], |bench, [input]| {
        put(bench, input, &data)?;
        let args = [Arg::Buffer(input), Arg::U32(lines as u32), Arg::U32(stride as u32)];
        let count = ctas as usize * of_cta;
        let line_of = |line: usize| &data[line * stride..][..LINE];
        let all: Vec<u32> = (0..lines).flat_map(line_of).copied().collect();
        let warps = (THREADS / 32) as usize;
        let slabs = Slabs { words: of_cta, warps, expected: Expected::Same(&all) };
        let (slabs, at) = launch_slabs(bench, CODE, "first_level", shape, slabs, &args)?;
        let results = slabs.iter().flat_map(|s| s.words.iter().enumerate().map(|w| (s.number, w)));
        for (cta, (i, &found)) in results {
            let (line, lane) = (i / LINE, i % LINE);
            let word = line * stride + lane;
            if found != data[word] {
                let warp = cta * (THREADS / 32) as usize + line % 32;
                let place = Place {
                    address: Some(input.handle + word as u64 * 4),
                    pipe: Some("l1d".to_string()),
                    ..at.lane(warp, lane as u32, &about)
                };
                let note = stranger(found, fill, words as u64, word as u64);
                bench.find("second reading", place, (data[word].into(), found.into(), 32), note);
            }
        }
        bench.checked(count as u64);
        Ok(at.coverage(&about, |_| true))
    })
}

/// What word `i` holds. Different for all words of 16 GB, so that a word that
/// comes from elsewhere tells from where: the multiplier is odd.
pub(super) fn own_word(i: u64, salt: u32) -> u32 {
    (i as u32).wrapping_mul(SCALE) ^ salt
}

const SCALE: u32 = 0x9e37_79b1;

/// Where a wrong word may come from.
pub(super) fn stranger(found: u32, fill: Fill, words: u64, word: u64) -> String {
    // The inverse of the multiplier modulo 2^32.
    let inverse = SCALE.wrapping_pow(0x7fff_ffff);
    let from = u64::from((found ^ fill.salt).wrapping_mul(inverse));
    if fill.own && found != crate::raw::UNWRITTEN && from < words {
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
    patterns: "zeroes, ones, own number of each word, written by one SM, read by the host and, \
               from level 2 on, by another SM",
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
            for fill in fills(bench.seed, true) {
                l2_pass(bench, &about, bytes / 4, fill)?;
            }
        }
        Ok(())
    }
}

fn l2_pass(bench: &mut Bench<'_>, about: &About, words: u64, fill: Fill) -> Result<(), BoardError> {
    let shape = Shape::row(about.sms * 2, 256);
    let warps = warps_of(shape, about);
    let sizes = [words * 4, words * 4, warps as u64 * 16];
    with_buffers(bench, sizes, |bench, [cells, copy, places]| {
        let args = [
            Arg::Buffer(cells),
            Arg::Buffer(places),
            Arg::U64(words),
            Arg::U32(if fill.own { SCALE } else { 0 }),
            Arg::U32(fill.salt),
        ];
        put(bench, places, &vec![u32::MAX; warps * 4])?;
        launch(bench, CODE, "l2_fill", shape, &args)?;
        let table = get(bench, places, warps * 4)?;
        let writers = Warps::of(&table, about);
        bench.covered(&writers.coverage(about, |_| true));
        // The host's copies read L2's bytes where it has them.
        compare(bench, "host reads", (cells, cells), (fill, shape), &writers)?;
        if about.kind != Kind::Model && bench.effort.level == Level::One {
            return Ok(());
        }
        let args = [Arg::Buffer(copy), Arg::Buffer(places), Arg::Buffer(cells), Arg::U64(words)];
        launch(bench, CODE, "l2_copy", shape, &args)?;
        compare(bench, "another SM reads", (copy, cells), (fill, shape), &writers)
    })
}

/// Compares what is in `seen` with what was put into `cells`.
fn compare(
    bench: &mut Bench<'_>,
    step: &str,
    (seen, cells): (Buffer, Buffer),
    (fill, shape): (Fill, Shape),
    writers: &Warps,
) -> Result<(), BoardError> {
    let threads = u64::from(shape.grid[0]) * u64::from(shape.block[0]);
    let words = seen.bytes / 4;
    for (word, found) in differing(bench, seen, words as usize, |word| fill.word(word))? {
        let expected = fill.word(word);
        let place = Place {
            address: Some(cells.handle + word * 4),
            pipe: Some("l2".to_string()),
            ..Place::default()
        };
        let writer = writers.sm((word % threads / 32) as usize);
        let note = format!("written by {writer}; {}", stranger(found, fill, words, word));
        bench.find(step, place, (expected.into(), found.into(), 32), note);
    }
    bench.checked(words);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_from_elsewhere_tells_from_where() {
        let fill = Fill { own: true, salt: 0x1234_5678 };
        let note = stranger(fill.word(1000), fill, 4096, 10);
        assert_eq!(note, "it is the word 3960 bytes further");
        assert_eq!(stranger(fill.word(5000), fill, 4096, 10), "");
        assert!(stranger(crate::raw::UNWRITTEN, fill, u64::MAX, 0).contains("never written"));
    }
}
