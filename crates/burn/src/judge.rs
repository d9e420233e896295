//! Results that are too many to send to the host.
//!
//! They lie in slabs, one for each warp or CTA. Other SMs than the one that
//! computed a slab compare it with what the host expects of it; two of them must
//! agree that it is right. What any of them calls wrong, and what had too few
//! judges, comes to the host, which compares it itself: a judge that is broken
//! can at worst make work.

use crate::images::JUDGE;
use crate::raw::{Code, Warps, get, get_from, launch_into, put, warps_of, with_buffers};
use crate::{Arg, Bench, BoardError, Buffer, Kind, Shape};

/// So many words come to the host in any case.
const FEW: usize = 1 << 22;
/// Launches with other judges each; one of them may meet its own SM.
const TURNS: u32 = 3;
/// Judges that must have found a slab right.
const AGREE: usize = 2;
const THREADS: u32 = 256;

/// How the results of a launch lie, and what they should be.
#[derive(Clone, Copy, Debug)]
pub struct Slabs<'e> {
    /// Words of a slab.
    pub words: usize,
    /// Warps of a slab, all of one SM.
    pub warps: usize,
    /// What slabs should be.
    pub expected: Expected<'e>,
}

/// What slabs should be.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'e> {
    /// All of them the same.
    Same(&'e [u32]),
    /// What the kernel was given to store: one after the other, in this buffer.
    Input(Buffer),
}

/// A slab that the host is to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slab {
    /// Its number.
    pub number: usize,
    /// What was found.
    pub words: Vec<u32>,
}

/// Launches a kernel whose first two parameters are its results and the table
/// of places: the slabs that the host is to compare, and where all warps ran.
pub fn launch_slabs(
    bench: &mut Bench<'_>,
    code: Code,
    kernel: &str,
    shape: Shape,
    slabs: Slabs<'_>,
    args: &[Arg],
) -> Result<(Vec<Slab>, Warps), BoardError> {
    let count = warps_of(shape, bench.board.about()) / slabs.warps;
    let kernel = (code, kernel, shape);
    launch_into(bench, kernel, count * slabs.words, args, |bench, out, places, at| {
        Ok((doubtful(bench, (out, places), &at, count, slabs)?, at))
    })
}

/// The slabs of `out` that the host is to compare.
pub fn doubtful(
    bench: &mut Bench<'_>,
    (out, places): (Buffer, Buffer),
    at: &Warps,
    count: usize,
    slabs: Slabs<'_>,
) -> Result<Vec<Slab>, BoardError> {
    let kind = bench.board.about().kind;
    if count * slabs.words <= FEW || kind == Kind::Model {
        let all = get(bench, out, count * slabs.words)?;
        let slab = |(number, words): (usize, &[u32])| Slab { number, words: words.to_vec() };
        return Ok(all.chunks_exact(slabs.words.max(1)).enumerate().map(slab).collect());
    }
    let numbers = judged(bench, (out, places), at, count, slabs)?;
    let slab = |number: usize| {
        let words = get_from(bench, out, number * slabs.words, slabs.words)?;
        Ok(Slab { number, words })
    };
    numbers.into_iter().map(slab).collect()
}

/// Numbers of the slabs that not enough judges have found right, or one wrong.
fn judged(
    bench: &mut Bench<'_>,
    (out, places): (Buffer, Buffer),
    at: &Warps,
    count: usize,
    slabs: Slabs<'_>,
) -> Result<Vec<usize>, BoardError> {
    let (expected, input, stride): (&[u32], _, _) = match slabs.expected {
        Expected::Same(words) => (words, None, 0),
        Expected::Input(buffer) => (&[], Some(buffer), slabs.words),
    };
    let shape = Shape::row(bench.board.about().sms, THREADS);
    let sizes = [expected.len() as u64 * 4, count as u64 * 16];
    // Where CTA i runs on SM i, or anywhere as long as all differ, no judge of a
    // CTA's slab meets its own, and the judges are different ones.
    let apart = (shape.grid[0] / (TURNS + 1)).max(1) as usize;
    let mut verdicts = Vec::new();
    with_buffers(bench, sizes, |bench, [should, said]| {
        put(bench, should, expected)?;
        let should = input.unwrap_or(should);
        let module = bench.module(&JUDGE)?;
        for turn in 0..TURNS {
            bench.board.fill(said, u32::MAX)?;
            let shift = (turn as usize + 1) * apart % count.max(1);
            let numbers = [count, slabs.words, stride, slabs.warps, shift];
            let mut args = [out, should, places, said].map(Arg::Buffer).to_vec();
            args.extend(numbers.map(|n| Arg::U32(n as u32)));
            bench.board.launch(module, "judge", shape, &args)?;
            bench.board.sync()?;
            verdicts.push(get(bench, said, count * 4)?);
        }
        Ok(())
    })?;
    let of = |slab: usize| verdicts.iter().map(move |v| &v[slab * 4..][..4]);
    let right = |slab: usize| {
        let producer = at.at(slab * slabs.warps).map(|a| a.sm);
        agree(producer, of(slab).map(|v| [v[0], v[1], v[2], v[3]]))
    };
    Ok((0..count).filter(|slab| !right(*slab)).collect())
}

/// Have enough SMs that did not compute it found a slab right, and none wrong?
fn agree(producer: Option<u32>, verdicts: impl Iterator<Item = [u32; 4]>) -> bool {
    let Some(producer) = producer else { return false };
    let mut judges = Vec::new();
    for [before, after, of, differs] in verdicts {
        let spoke = before != u32::MAX || differs != u32::MAX;
        if spoke && differs != 0 {
            return false;
        }
        if spoke && before == after && of == producer && before != producer {
            judges.push(before);
        }
    }
    judges.sort_unstable();
    judges.dedup();
    judges.len() >= AGREE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelBoard;
    use crate::{Effort, Level};
    use upset_chip::ChipSpec;

    const SILENT: [u32; 4] = [u32::MAX; 4];

    #[test]
    fn two_others_must_agree_and_nobody_object() {
        let by = |sm: u32, differs: u32| [sm, sm, 7, differs];
        assert!(agree(Some(7), [by(1, 0), by(2, 0), SILENT].into_iter()));
        assert!(!agree(Some(7), [by(1, 0), by(2, 0), by(3, 1)].into_iter()));
        assert!(!agree(Some(7), [by(1, 0), by(1, 0), SILENT].into_iter()), "one judge twice");
        assert!(!agree(Some(7), [by(1, 0), by(7, 0), SILENT].into_iter()), "its own judge");
        assert!(!agree(Some(7), [by(1, 0), [2, 3, 7, 0], SILENT].into_iter()), "one that moved");
        assert!(!agree(Some(7), [by(1, 0), [2, 2, 6, 0], SILENT].into_iter()), "of another");
        assert!(!agree(None, [by(1, 0), by(2, 0), by(3, 0)].into_iter()), "a warp that moved");
    }

    /// Slabs of a pattern with one wrong word: the kernel, as machine code.
    fn wrong_word(each: bool, word: Option<usize>) -> Vec<usize> {
        let chip = ChipSpec::load("rtx2060", &["sm.count=4".to_string()]).expect("a chip");
        let mut board = ModelBoard::new(&chip).expect("a board");
        let effort = Effort { level: Level::One, rounds: 1, bytes: None };
        let mut bench = Bench::new(&mut board, "judge", effort, 0);
        let (count, words, warps) = (13usize, 300usize, 2usize);
        let all: Vec<u32> = (0..count * words)
            .map(|i| (if each { i } else { i % words } as u32).wrapping_mul(0x9e37_79b1))
            .collect();
        let mut found = all.clone();
        if let Some(word) = word {
            found[word] ^= 1 << 31;
        }
        let table: Vec<u32> = (0..count * warps)
            .flat_map(|w| [w as u32 / 2 % 4; 2].into_iter().chain([0, 0]))
            .collect();
        let about = bench.board.about().clone();
        let at = Warps::of(&table, &about);
        let sizes = [found.len(), table.len(), all.len()].map(|words| words as u64 * 4);
        with_buffers(&mut bench, sizes, |bench, [out, places, input]| {
            put(bench, out, &found)?;
            put(bench, places, &table)?;
            put(bench, input, &all)?;
            let expected = match each {
                true => Expected::Input(input),
                false => Expected::Same(&all[..words]),
            };
            judged(bench, (out, places), &at, count, Slabs { words, warps, expected })
        })
        .expect("judges")
    }

    #[test]
    fn judges_find_one_wrong_word_in_its_slab() {
        for each in [false, true] {
            let quiet = wrong_word(each, None);
            assert!(quiet.len() < 4, "most have two judges: {quiet:?}");
            for word in [0, 299, 300, 13 * 300 - 1] {
                assert!(wrong_word(each, Some(word)).contains(&(word / 300)), "{word}");
            }
        }
    }
}
