//! Running a unit's test: signatures first, every result of an SM where one is
//! wrong.

use std::collections::{BTreeMap, BTreeSet};

use super::job::{Job, RECORD, warps};
use super::reference::Tuple;
use super::units::{self, UnitTest};
use crate::chip::{AlignedTable, Coverage, WarpAt, threads_per_cta};
use crate::images::{ARITHMETIC, ARITHMETIC_INJECT};
use crate::raw::Code;
use crate::{About, Bench, BoardError, Kind, Level, Place, Test, TestAbout};

/// Grids with twice as many CTAs each time, until every SM was reached.
const ATTEMPTS: u32 = 4;
/// SMs whose results are stored one by one.
const STORED_SMS: usize = 8;
/// Tuples whose results are stored at a time, until some are wrong. On the model
/// that takes most of the time.
fn stored_tuples(about: &About) -> usize {
    match about.kind {
        Kind::Model => 16,
        Kind::Cuda | Kind::Opencl => 512,
    }
}

/// How much of a test a level asks for.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// Operand tuples of a launch.
    tuples: usize,
    /// Times that a launch goes through them.
    rounds: u32,
    /// Launches, each with tuples of its own.
    launches: u32,
}

impl Size {
    fn of(about: &About, level: Level) -> Size {
        let (tuples, rounds, launches) = match (about.kind, level) {
            (Kind::Model, Level::One) => (48, 1, 1),
            (Kind::Model, Level::Two) => (192, 1, 1),
            (Kind::Model, Level::Three) => (768, 1, 1),
            (Kind::Model, Level::Four) => (1024, 4, 1),
            (Kind::Cuda | Kind::Opencl, Level::One) => (2048, 32, 1),
            (Kind::Cuda | Kind::Opencl, Level::Two) => (1 << 16, 1, 256),
            (Kind::Cuda | Kind::Opencl, Level::Three) => (1 << 16, 1, 2048),
            (Kind::Cuda | Kind::Opencl, Level::Four) => (1 << 16, 1, 1 << 16),
        };
        Size { tuples, rounds, launches }
    }
}

/// A wrong signature.
struct Wrong {
    at: Option<WarpAt>,
    lane: u32,
    word: usize,
    expected: u32,
    found: u32,
}

impl Test for UnitTest {
    fn about(&self) -> &'static TestAbout {
        units::ALL
            .iter()
            .map(|t| &t.about)
            .find(|a| a.name == self.about.name)
            .unwrap_or(&units::FMA.about)
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        run(self, bench)
    }
}

/// Runs the test once: every launch has operands of its own. The CPU computes
/// each tuple once, every lane of the chip computes all of them.
fn run(unit: &UnitTest, bench: &mut Bench<'_>) -> Result<(), BoardError> {
    let about = bench.board.about().clone();
    let size = Size::of(&about, bench.effort.level);
    let mut coverage = Coverage::default();
    for launch in 0..size.launches.saturating_mul(bench.effort.rounds.max(1)) {
        let seed = bench.seed.wrapping_add(u64::from(launch) << 32);
        let tuples = (unit.operands)(size.tuples, seed);
        if !once(unit, bench, &tuples, size.rounds, &mut coverage)? {
            break;
        }
    }
    if let Some(what) = coverage.missing(&about) {
        bench.not_covered(what);
    }
    if coverage.moved() > 0 {
        bench.note(format!(
            "{} warps changed their SM or slot: checked, no place",
            coverage.moved()
        ));
    }
    bench.covered(&coverage);
    Ok(())
}

/// One set of operands; false when something was wrong.
fn once(
    unit: &UnitTest,
    bench: &mut Bench<'_>,
    tuples: &[Tuple],
    rounds: u32,
    coverage: &mut Coverage,
) -> Result<bool, BoardError> {
    let about = bench.board.about().clone();
    let results = unit.results(sm_number(&about), tuples);
    let expected = signatures(unit, &results, rounds);
    bench.referred((results.len() * unit.words.len()) as u64);
    let table = AlignedTable::new(bench.board, (tuples.len() * unit.rows * 16) as u64)?;
    table.write(bench.board, &bytes_of(tuples, unit.rows))?;
    let mut wrong = Vec::new();
    for attempt in 0..ATTEMPTS {
        let job = job(unit, &table, tuples.len(), about.sms << attempt);
        sign(unit, bench, &job, (rounds, &expected), coverage, &mut wrong)?;
        if coverage.missing(&about).is_none() {
            break;
        }
    }
    if !wrong.is_empty() {
        bench.notice();
        explain(unit, bench, tuples, &results, &wrong, &table)?;
    }
    table.free(bench.board)?;
    Ok(wrong.is_empty())
}

fn job<'a>(unit: &'a UnitTest, operands: &'a AlignedTable, tuples: usize, ctas: u32) -> Job<'a> {
    let code = Code { plain: &ARITHMETIC, inject: Some(&ARITHMETIC_INJECT) };
    Job { code, kernel: unit.kernel, operands, count: tuples as u32, ctas }
}

/// 90 of "sm_90".
fn sm_number(about: &About) -> u32 {
    about.arch.trim_start_matches("sm_").parse().unwrap_or(0)
}

/// Every lane computes the same, so there is one signature for each word.
fn signatures(unit: &UnitTest, results: &[Vec<u32>], rounds: u32) -> Vec<u32> {
    (0..unit.words.len())
        .flat_map(|word| {
            let row = (0..rounds).flat_map(|_| results.iter().map(move |r| r[word]));
            unit.fold.of(row).into_iter().take(unit.fold.words())
        })
        .collect()
}

fn bytes_of(tuples: &[Tuple], rows: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(tuples.len() * rows * 16);
    for word in tuples.iter().flat_map(|t| &t[..rows * 4]) {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Signatures of every thread, compared.
fn sign(
    unit: &UnitTest,
    bench: &mut Bench<'_>,
    job: &Job<'_>,
    (rounds, expected): (u32, &[u32]),
    coverage: &mut Coverage,
    wrong: &mut Vec<Wrong>,
) -> Result<(), BoardError> {
    let about = bench.board.about().clone();
    let records = job.sign(bench, rounds)?;
    for (at, lanes) in warps(&records, &about) {
        coverage.warp(at, about.sub_cores, u32::MAX);
        for (lane, found) in lanes.enumerate() {
            for (at_word, (&expected, &found)) in expected.iter().zip(found).enumerate() {
                if expected != found {
                    let word = at_word / unit.fold.words();
                    wrong.push(Wrong { at, lane: lane as u32, word, expected, found });
                }
            }
        }
    }
    let each = u64::from(job.count) * u64::from(rounds) * unit.words.len() as u64;
    bench.checked((records.len() / RECORD) as u64 * each);
    Ok(())
}

/// Says which results were wrong: every one of the SMs with a wrong signature.
fn explain(
    unit: &UnitTest,
    bench: &mut Bench<'_>,
    tuples: &[Tuple],
    results: &[Vec<u32>],
    wrong: &[Wrong],
    table: &AlignedTable,
) -> Result<(), BoardError> {
    let about = bench.board.about().clone();
    let sms: BTreeSet<u32> = wrong.iter().filter_map(|w| Some(w.at?.sm)).collect();
    let mut seen: BTreeMap<(u32, u32, u32), u64> = BTreeMap::new();
    let mut trouble = None;
    let stored = stored_tuples(&about);
    'sms: for &sm in sms.iter().take(STORED_SMS) {
        for (chunk, results) in tuples.chunks(stored).zip(results.chunks(stored)) {
            table.write(bench.board, &bytes_of(chunk, unit.rows))?;
            let job = job(unit, table, chunk.len(), about.sms * 2);
            let records = match job.store(bench, sm) {
                Ok(records) => records,
                Err(e) => {
                    trouble = Some(e);
                    break 'sms;
                }
            };
            let before = seen.len();
            compare(unit, bench, chunk, results, &records, &mut seen);
            if seen.len() > before {
                break;
            }
        }
    }
    // Lanes whose wrong signature nothing explains.
    let mut unexplained = BTreeSet::new();
    for w in wrong {
        let place = match w.at {
            Some(at) => Place::lane(at.sm, at.warp, about.sub_cores, w.lane),
            None => Place { lane: Some(w.lane), ..Place::default() },
        };
        let key = w.at.map(|at| (at.sm, at.warp % about.sub_cores, w.lane));
        if key.is_some_and(|k| seen.contains_key(&k)) || !unexplained.insert((key, w.word)) {
            continue;
        }
        let why = match &trouble {
            Some(e) => format!("signature of all results; storing them one by one failed: {e}"),
            None if w.at.is_none() => "signature of all results; the warp moved".to_string(),
            None => "signature of all results; each was right when stored: intermittent, or the \
                     unit that folds"
                .to_string(),
        };
        bench.find(unit.words[w.word], place, (w.expected.into(), w.found.into(), 32), why);
    }
    match trouble {
        Some(BoardError::CannotRun(why)) => Err(BoardError::CannotRun(why)),
        _ => Ok(()),
    }
}

fn compare(
    unit: &UnitTest,
    bench: &mut Bench<'_>,
    tuples: &[Tuple],
    results: &[Vec<u32>],
    records: &[u32],
    seen: &mut BTreeMap<(u32, u32, u32), u64>,
) {
    let about = bench.board.about().clone();
    let threads = threads_per_cta(&about) as usize;
    for ((tuple, result), row) in
        tuples.iter().zip(results).zip(records.chunks_exact(RECORD * threads))
    {
        for (at, lanes) in warps(row, &about) {
            let Some(at) = at else { continue };
            for (lane, record) in lanes.enumerate() {
                for (word, name) in unit.words.iter().enumerate() {
                    let (expected, found) = (result[word], record[word]);
                    if expected == found {
                        continue;
                    }
                    let lane = lane as u32;
                    *seen.entry((at.sm, at.warp % about.sub_cores, lane)).or_default() += 1;
                    let operands: Vec<String> =
                        tuple[..unit.rows * 4].iter().map(|w| format!("{w:08x}")).collect();
                    bench.find(
                        name,
                        Place::lane(at.sm, at.warp, about.sub_cores, lane),
                        (expected.into(), found.into(), 32),
                        format!("operands {}", operands.join(" ")),
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Board;
    use crate::model::ModelBoard;
    use upset_chip::ChipSpec;

    /// Level 2 of an H200: 10^9 results of every test at least, of ten million
    /// tuples.
    #[test]
    fn level_2_checks_a_billion_results_of_every_unit() {
        let chip = ChipSpec::preset("h200").expect("a chip");
        let board = ModelBoard::new(&chip).expect("a board");
        let about = About { kind: Kind::Cuda, ..board.about().clone() };
        let size = Size::of(&about, Level::Two);
        let tuples = size.tuples as u64 * u64::from(size.launches);
        assert!(tuples >= 10_000_000, "{tuples}");
        let threads = u64::from(about.sms * threads_per_cta(&about));
        for unit in units::ALL {
            let results = tuples * u64::from(size.rounds) * threads * unit.words.len() as u64;
            assert!(results >= 1_000_000_000, "{}: {results}", unit.about.name);
            // The sets of launches differ.
            let [a, b] = [0u64, 1 << 32].map(|seed| (unit.operands)(4096, seed));
            assert!(a.iter().zip(&b).filter(|(a, b)| a == b).count() < 2048, "{}", unit.about.name);
        }
    }
}
