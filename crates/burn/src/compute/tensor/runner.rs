//! Running the tests of tensor cores: signatures first, every result of an SM
//! where one is wrong.

use std::collections::{BTreeMap, BTreeSet};

use super::super::fold::Fold;
use super::super::job::{Job, RECORD, warps};
use super::tile::{self, LANES, Shape, Tile, WORDS};
use super::{TENSOR, TensorTest, VOTE};
use crate::chip::{AlignedTable, Coverage, WarpAt};
use crate::images;
use crate::random::Random;
use crate::raw::Code;
use crate::{About, Bench, BoardError, Kind, Level, Oracle, Place, Test, TestAbout};

const CODE: Code = Code { plain: &images::TENSOR, inject: Some(&images::TENSOR_INJECT) };
/// Grids with twice as many CTAs each time, until every SM was reached.
const ATTEMPTS: u32 = 4;
/// SMs whose results are stored one by one.
const STORED_SMS: usize = 4;
/// Tiles whose results are stored at a time.
const STORED: usize = 256;

/// Tiles, rounds of a launch, launches with tiles of their own.
fn size(about: &About, level: Level) -> (usize, u32, u32) {
    match (about.kind, level) {
        (Kind::Model, Level::One) => (8, 1, 1),
        (Kind::Model, Level::Two) => (32, 1, 1),
        (Kind::Model, _) => (128, 1, 1),
        (_, Level::One) => (512, 32, 1),
        (_, Level::Two) => (4096, 64, 4),
        (_, Level::Three) => (4096, 64, 64),
        (_, Level::Four) => (4096, 64, 2048),
    }
}

impl Test for TensorTest {
    fn about(&self) -> &'static TestAbout {
        match self.about.oracle {
            Oracle::Cpu => &TENSOR.about,
            Oracle::Vote => &VOTE.about,
        }
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let code = code_of(bench)?;
        let halves = Shape::halves(code);
        let (tiles, rounds, launches) = size(bench.board.about(), bench.effort.level);
        for launch in 0..launches.saturating_mul(bench.effort.rounds.max(1)) {
            let seed = bench.seed.wrapping_add(u64::from(launch) << 32);
            let mut random = Random::new(seed, self.about.name);
            let mut exact = |shape| (0..tiles).map(|_| tile::exact(shape, &mut random)).collect();
            let right = match self.about.oracle {
                Oracle::Cpu => {
                    let mut right = run(bench, halves, &Some(exact(halves)), &[], rounds)?;
                    match Shape::bytes(code) {
                        Some(bytes) => {
                            right &= run(bench, bytes, &Some(exact(bytes)), &[], rounds)?
                        }
                        None => bench.note("no integer matrices: this code has none".to_string()),
                    }
                    right
                }
                Oracle::Vote => {
                    let all: Vec<Tile> = (0..tiles).map(|_| tile::anything(&mut random)).collect();
                    run(bench, halves, &None, &all, rounds)?
                }
            };
            if !right {
                break;
            }
        }
        Ok(())
    }
}

/// What the board's kernels were compiled for (70 where they come from PTX),
/// which tells their shape: as they say themselves.
fn code_of(bench: &mut Bench<'_>) -> Result<u32, BoardError> {
    let table = AlignedTable::new(bench.board, (LANES * WORDS * 4) as u64)?;
    let nothing = [Tile { operands: [[0; WORDS]; LANES], results: [[0; 8]; LANES] }];
    table.write(bench.board, &bytes_of(&nothing))?;
    let records = job(Shape::Quarters, &table, 1, 1).sign(bench, 1)?;
    table.free(bench.board)?;
    // Most threads say it: one may be broken.
    let mut said: BTreeMap<u32, u32> = BTreeMap::new();
    records.chunks_exact(RECORD).for_each(|r| *said.entry(r[RECORD - 1]).or_default() += 1);
    Ok(said.into_iter().max_by_key(|(_, n)| *n).map_or(0, |(code, _)| code))
}

/// Signatures of a thread.
type Signs = [u32; 8];

/// A thread whose signatures are not what they must be.
struct Wrong {
    at: Option<WarpAt>,
    lane: usize,
    expected: Signs,
    found: Signs,
}

/// One set of tiles, those that the CPU knows or those that it does not; false
/// when something was wrong.
fn run(
    bench: &mut Bench<'_>,
    shape: Shape,
    known: &Option<Vec<Tile>>,
    unknown: &[Tile],
    rounds: u32,
) -> Result<bool, BoardError> {
    let about = bench.board.about().clone();
    let tiles = known.as_deref().unwrap_or(unknown);
    let table = AlignedTable::new(bench.board, (tiles.len() * LANES * WORDS * 4) as u64)?;
    table.write(bench.board, &bytes_of(tiles))?;
    let (mut coverage, mut threads) = (Coverage::default(), Vec::new());
    for attempt in 0..ATTEMPTS {
        let job = job(shape, &table, tiles.len(), about.sms << attempt);
        let records = job.sign(bench, rounds)?;
        for (at, lanes) in warps(&records, &about) {
            coverage.warp(at, about.sub_cores, u32::MAX);
            let words = |found: &[u32]| -> Signs {
                std::array::from_fn(|i| if i < shape.words() { found[i] } else { 0 })
            };
            threads.extend(lanes.enumerate().map(|(lane, found)| (at, lane, words(found))));
        }
        let each = tiles.len() as u64 * u64::from(rounds) * shape.words() as u64;
        bench.checked((records.len() / RECORD) as u64 * each);
        if coverage.missing(&about).is_none() {
            break;
        }
    }
    if let Some(what) = coverage.missing(&about) {
        bench.not_covered(what);
    }
    bench.covered(&coverage);
    let expected = match known {
        Some(tiles) => Some(signatures(shape, tiles, rounds)),
        None => majority(bench, shape, &threads),
    };
    let Some(expected) = expected else {
        table.free(bench.board)?;
        return Ok(false);
    };
    let wrong: Vec<Wrong> = threads
        .into_iter()
        .filter(|(_, lane, found)| *found != expected[*lane])
        .map(|(at, lane, found)| Wrong { at, lane, expected: expected[lane], found })
        .collect();
    if !wrong.is_empty() {
        let good = known.is_none().then(|| good_sm(&coverage, &wrong)).flatten();
        explain(bench, shape, tiles, &wrong, (&table, known.is_some(), good))?;
    }
    table.free(bench.board)?;
    Ok(wrong.is_empty())
}

fn job(shape: Shape, operands: &AlignedTable, tiles: usize, ctas: u32) -> Job<'_> {
    Job { code: CODE, kernel: shape.kernel(), operands, count: tiles as u32, ctas }
}

fn bytes_of(tiles: &[Tile]) -> Vec<u8> {
    let words = tiles.iter().flat_map(|t| t.operands.iter().flatten());
    words.flat_map(|w| w.to_le_bytes()).collect()
}

/// What every thread of a lane must have folded.
fn signatures(shape: Shape, tiles: &[Tile], rounds: u32) -> Vec<Signs> {
    let of = |lane: usize| {
        std::array::from_fn(|word| {
            if word >= shape.words() {
                return 0;
            }
            let once = || tiles.iter().map(move |t| t.results[lane][word]);
            Fold::Logic.of((0..rounds).flat_map(|_| once()))[0]
        })
    };
    (0..LANES).map(of).collect()
}

/// What most SMs say of each lane; none where no more than half of them agree,
/// which is a finding without a place.
fn majority(
    bench: &mut Bench<'_>,
    shape: Shape,
    threads: &[(Option<WarpAt>, usize, Signs)],
) -> Option<Vec<Signs>> {
    let mut all = Vec::new();
    for lane in 0..LANES {
        let mut said: BTreeMap<Signs, BTreeSet<u32>> = BTreeMap::new();
        let mut sms = BTreeSet::new();
        for (at, _, found) in threads.iter().filter(|(_, l, _)| *l == lane) {
            if let Some(at) = at {
                said.entry(*found).or_default().insert(at.sm);
                sms.insert(at.sm);
            }
        }
        match said.iter().max_by_key(|(_, sms)| sms.len()) {
            Some((signs, by)) if 2 * by.len() > sms.len() || said.len() == 1 => all.push(*signs),
            _ => {
                let place = Place { lane: Some(lane as u32), ..Place::default() };
                let note = format!("{} SMs give {} different results", sms.len(), said.len());
                let two: Vec<u32> = said.keys().map(|s| s[0]).take(2).collect();
                let [a, b] = [two.first(), two.get(1)].map(|w| w.copied().unwrap_or(0).into());
                bench.find(shape.name(), place, (a, b, 32), note);
                return None;
            }
        }
    }
    Some(all)
}

/// An SM whose results were all like most others'.
fn good_sm(coverage: &Coverage, wrong: &[Wrong]) -> Option<u32> {
    let bad: BTreeSet<u32> = wrong.iter().filter_map(|w| Some(w.at?.sm)).collect();
    coverage.sms().into_iter().find(|sm| !bad.contains(sm))
}

/// Results of a lane of one SM, by tile.
type Stored = BTreeMap<(usize, WarpAt, usize), Vec<u32>>;

/// Says which results were wrong: every one of the SMs with a wrong signature,
/// compared with the CPU's, or with those of an SM that is like the others.
fn explain(
    bench: &mut Bench<'_>,
    shape: Shape,
    tiles: &[Tile],
    wrong: &[Wrong],
    (table, known, good): (&AlignedTable, bool, Option<u32>),
) -> Result<(), BoardError> {
    let about = bench.board.about().clone();
    let sms: BTreeSet<u32> = wrong.iter().filter_map(|w| Some(w.at?.sm)).collect();
    let mut seen = BTreeSet::new();
    for (chunk, first) in tiles.chunks(STORED).zip((0..).step_by(STORED)) {
        table.write(bench.board, &bytes_of(chunk))?;
        let mut right: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
        if known {
            for (n, tile) in chunk.iter().enumerate() {
                (0..LANES).for_each(|l| drop(right.insert((n, l), tile.results[l].to_vec())));
            }
        } else if let Some(good) = good {
            for ((n, _, lane), words) in stored(bench, shape, chunk.len(), table, good)? {
                right.entry((n, lane)).or_insert(words);
            }
        }
        for &sm in sms.iter().take(STORED_SMS) {
            for ((n, at, lane), words) in stored(bench, shape, chunk.len(), table, sm)? {
                let Some(right) = right.get(&(n, lane)) else { continue };
                for (word, (&expected, &found)) in
                    right.iter().zip(&words).enumerate().take(shape.words())
                {
                    if expected != found {
                        seen.insert((at.sm, at.warp % about.sub_cores.max(1), lane));
                        let (_, row, column) = shape.accumulator(lane, word);
                        let note = format!("tile {}, row {row}, column {column}", first + n);
                        let place = Place::lane(at.sm, at.warp, about.sub_cores, lane as u32);
                        bench.find(shape.name(), place, (expected.into(), found.into(), 32), note);
                    }
                }
            }
        }
        if !seen.is_empty() {
            break;
        }
    }
    unexplained(bench, shape, wrong, &seen);
    Ok(())
}

/// Results of an SM's warps.
fn stored(
    bench: &mut Bench<'_>,
    shape: Shape,
    tiles: usize,
    table: &AlignedTable,
    sm: u32,
) -> Result<Stored, BoardError> {
    let about = bench.board.about().clone();
    let records = job(shape, table, tiles, about.sms * 2).store(bench, sm)?;
    let per_tile = records.len() / tiles.max(1);
    let mut all = Stored::new();
    for (n, row) in records.chunks_exact(per_tile.max(1)).enumerate() {
        for (at, lanes) in warps(row, &about) {
            let Some(at) = at.filter(|at| at.sm == sm) else { continue };
            for (lane, words) in lanes.enumerate() {
                all.insert((n, at, lane), words[..shape.words()].to_vec());
            }
        }
    }
    Ok(all)
}

/// Lanes whose wrong signature nothing explains.
fn unexplained(
    bench: &mut Bench<'_>,
    shape: Shape,
    wrong: &[Wrong],
    seen: &BTreeSet<(u32, u32, usize)>,
) {
    let about = bench.board.about().clone();
    let mut told = BTreeSet::new();
    for w in wrong {
        let key = w.at.map(|at| (at.sm, at.warp % about.sub_cores.max(1), w.lane));
        if key.is_some_and(|k| seen.contains(&k)) || !told.insert(key) {
            continue;
        }
        let place = match w.at {
            Some(at) => Place::lane(at.sm, at.warp, about.sub_cores, w.lane as u32),
            None => Place { lane: Some(w.lane as u32), ..Place::default() },
        };
        let differs = |i: &usize| w.expected[*i] != w.found[*i];
        let word = (0..shape.words()).find(differs).unwrap_or(0);
        let bits = (w.expected[word].into(), w.found[word].into(), 32);
        let why = "signature of all results; each was right when stored, or was not stored";
        bench.find(shape.name(), place, bits, why.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effort;
    use crate::model::ModelBoard;
    use upset_chip::ChipSpec;

    /// What each of these SMs says, in all lanes.
    fn votes(said: &[u32]) -> (Option<Vec<Signs>>, u64) {
        let chip = ChipSpec::load("rtx2060", &["sm.count=1".to_string()]).expect("a chip");
        let mut board = ModelBoard::new(&chip).expect("a board");
        let effort = Effort { level: Level::One, rounds: 1, bytes: None };
        let mut bench = Bench::new(&mut board, "tensor-vote", effort, 0);
        let of = |(sm, word): (usize, &u32)| {
            let at = Some(WarpAt { sm: sm as u32, warp: 0 });
            let word = *word;
            (0..LANES).map(move |lane| (at, lane, [word; 8])).collect::<Vec<_>>()
        };
        let threads: Vec<_> = said.iter().enumerate().flat_map(of).collect();
        let most = majority(&mut bench, Shape::Half8, &threads);
        (most, bench.finish().findings.count())
    }

    #[test]
    fn most_sms_decide_and_a_tie_is_a_finding() {
        assert_eq!(votes(&[7, 7, 9]), (Some(vec![[7; 8]; LANES]), 0));
        assert_eq!(votes(&[9, 7, 9, 9]), (Some(vec![[9; 8]; LANES]), 0));
        assert_eq!(votes(&[7, 9]), (None, 1));
        assert_eq!(votes(&[7, 9, 7, 9]), (None, 1));
        assert_eq!(votes(&[1, 2, 3]), (None, 1));
    }
}
