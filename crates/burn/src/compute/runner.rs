//! Running a unit's test: signatures first, every result of an SM where one is
//! wrong.

use std::collections::{BTreeMap, BTreeSet};

use super::reference::Tuple;
use super::units::{self, UnitTest};
use crate::chip::{AlignedTable, Coverage, WarpAt, one_cta_per_sm, place_of_warp, threads_per_cta};
use crate::images::{ARITHMETIC, ARITHMETIC_INJECT};
use crate::{About, Arg, Bench, BoardError, Kind, Level, Place, Test, TestAbout};

/// Words of a record: where its warp ran, then results.
const RECORD: usize = 32;
/// Words before the first result.
const HEAD: usize = 4;
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

/// How much of a test a level asks for: tuples, rounds of a launch, launches.
fn size(about: &About, level: Level) -> (usize, u32, u32) {
    match (about.kind, level) {
        (Kind::Model, Level::One) => (48, 1, 1),
        (Kind::Model, Level::Two) => (192, 1, 1),
        (Kind::Model, Level::Three) => (768, 1, 1),
        (Kind::Model, Level::Four) => (1024, 4, 1),
        (Kind::Cuda | Kind::Opencl, Level::One) => (2048, 128, 1),
        (Kind::Cuda | Kind::Opencl, Level::Two) => (2048, 512, 16),
        (Kind::Cuda | Kind::Opencl, Level::Three) => (2048, 512, 128),
        (Kind::Cuda | Kind::Opencl, Level::Four) => (4096, 1024, 1024),
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

/// Runs the test once.
fn run(unit: &UnitTest, bench: &mut Bench<'_>) -> Result<(), BoardError> {
    let about = bench.board.about().clone();
    let sm = sm_number(&about);
    let (count, rounds, launches) = size(&about, bench.effort.level);
    let tuples = (unit.operands)(count, bench.seed);
    let results = unit.results(sm, &tuples);
    let expected = signatures(unit, &results, rounds);

    let table = AlignedTable::new(bench.board, (tuples.len() * unit.rows * 16) as u64)?;
    table.write(bench.board, &bytes_of(&tuples, unit.rows))?;
    let mut coverage = Coverage::default();
    let mut wrong = Vec::new();
    for _ in 0..launches.saturating_mul(bench.effort.rounds.max(1)) {
        for attempt in 0..ATTEMPTS {
            let ctas = about.sms << attempt;
            let job = Job { unit, operands: &table, tuples: tuples.len() as u32, ctas };
            job.sign(bench, rounds, &expected, &mut coverage, &mut wrong)?;
            if coverage.missing(&about).is_none() {
                break;
            }
        }
        if !wrong.is_empty() {
            bench.notice();
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
    if !wrong.is_empty() {
        explain(unit, bench, &tuples, &results, &wrong, &table)?;
    }
    table.free(bench.board)
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
    tuples.iter().flat_map(|t| t[..rows * 4].iter().flat_map(|w| w.to_le_bytes())).collect()
}

/// A launch over the chip.
struct Job<'a> {
    unit: &'a UnitTest,
    operands: &'a AlignedTable,
    tuples: u32,
    ctas: u32,
}

impl Job<'_> {
    /// Runs a kernel: `wanted` is the rounds of the signing one, the SM of the
    /// storing one.
    fn launch(
        &self,
        bench: &mut Bench<'_>,
        kernel: &str,
        wanted: u32,
        out: &AlignedTable,
    ) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        let threads = threads_per_cta(&about);
        let mut args = vec![
            Arg::U64(self.operands.address()),
            Arg::U32(self.tuples),
            Arg::U32(wanted),
            Arg::U32(threads.trailing_zeros()),
            Arg::U64(out.address()),
        ];
        let image = match bench.inject {
            Some(i) => {
                let words = [i.sm, i.sub_core, about.sub_cores, i.lane, i.mask, i.period];
                args.extend(words.map(Arg::U32));
                &ARITHMETIC_INJECT
            }
            None => &ARITHMETIC,
        };
        let module = bench.module(image)?;
        let shape = one_cta_per_sm(&about, self.ctas, threads);
        bench.board.launch(module, kernel, shape, &args)?;
        bench.board.sync()
    }

    /// Signatures of every thread, compared.
    fn sign(
        &self,
        bench: &mut Bench<'_>,
        rounds: u32,
        expected: &[u32],
        coverage: &mut Coverage,
        wrong: &mut Vec<Wrong>,
    ) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        let threads = self.ctas * threads_per_cta(&about);
        let out = AlignedTable::new(bench.board, u64::from(threads) * RECORD as u64 * 4)?;
        // Nobody finds the last run's signatures there.
        out.write(bench.board, &vec![0xa5; threads as usize * RECORD * 4])?;
        self.launch(bench, self.unit.kernel, rounds, &out)?;
        let records = out.read(bench.board)?;
        out.free(bench.board)?;
        for warp in records.chunks_exact(RECORD * about.warp as usize) {
            let lanes = warp.chunks_exact(RECORD);
            let at = place_of_warp(lanes.clone().map(|r| [r[0], r[1], r[2], r[3]]));
            coverage.warp(at, about.sub_cores, u32::MAX);
            for (lane, record) in lanes.enumerate() {
                let found = &record[HEAD..HEAD + expected.len()];
                for (at_word, (&expected, &found)) in expected.iter().zip(found).enumerate() {
                    if expected != found {
                        let word = at_word / self.unit.fold.words();
                        wrong.push(Wrong { at, lane: lane as u32, word, expected, found });
                    }
                }
            }
        }
        let each = u64::from(self.tuples) * u64::from(rounds) * self.unit.words.len() as u64;
        bench.checked(u64::from(threads) * each);
        Ok(())
    }

    /// Results of one SM's warps, one by one: where they ran, and
    /// `[tuple][thread][word]`.
    fn store(&self, bench: &mut Bench<'_>, sm: u32) -> Result<Vec<u32>, BoardError> {
        let threads = threads_per_cta(bench.board.about());
        let words = self.tuples as usize * threads as usize * RECORD;
        let out = AlignedTable::new(bench.board, words as u64 * 4)?;
        out.write(bench.board, &vec![0xa5; words * 4])?;
        let kernel = format!("{}_raw", self.unit.kernel);
        self.launch(bench, &kernel, sm, &out)?;
        let records = out.read(bench.board)?;
        out.free(bench.board)?;
        Ok(records)
    }
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
            let tuples = chunk.len() as u32;
            let job = Job { unit, operands: table, tuples, ctas: about.sms * 2 };
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
        for warp in row.chunks_exact(RECORD * about.warp as usize) {
            let lanes = warp.chunks_exact(RECORD);
            let Some(at) = place_of_warp(lanes.clone().map(|r| [r[0], r[1], r[2], r[3]])) else {
                continue;
            };
            for (lane, record) in lanes.enumerate() {
                for (word, name) in unit.words.iter().enumerate() {
                    let (expected, found) = (result[word], record[HEAD + word]);
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
