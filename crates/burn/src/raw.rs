//! Raw words: kernels store what they read, and the host compares.
//!
//! Every launch of the storage and control tests looks alike: a buffer that
//! comes back, a table of where each warp ran, and some numbers. This is that
//! launch, with the variant that makes errors on purpose where one is asked for.

use crate::chip::{Coverage, WarpAt};
use crate::{About, Arg, Bench, BoardError, Buffer, Image, Place, Shape};

/// What nobody has written: no pattern of any test.
pub const UNWRITTEN: u32 = 0xdead_b0b5;

/// Words that are copied at a time.
const PART: usize = 2 << 20;

/// Code of a test, plain and with errors on purpose.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// What is run.
    pub plain: &'static Image,
    /// What is run when an error was asked for; `None`: it cannot make one.
    pub inject: Option<&'static Image>,
}

/// Where the warps of a launch ran, in the order of their threads; `None` for
/// those that moved, or whose entry makes no sense.
#[derive(Clone, Debug, Default)]
pub struct Warps(Vec<Option<WarpAt>>);

impl Warps {
    /// From a table of SM before and after, slot before and after.
    pub fn of(table: &[u32], about: &About) -> Warps {
        let warp = |entry: &[u32]| {
            let [sm, sm_after, warp, warp_after] = [entry[0], entry[1], entry[2], entry[3]];
            let stayed = sm == sm_after && warp == warp_after;
            (stayed && warp < about.warps_per_sm.max(1)).then_some(WarpAt { sm, warp })
        };
        Warps(table.chunks_exact(4).map(warp).collect())
    }

    /// Where a warp ran.
    pub fn at(&self, warp: usize) -> Option<WarpAt> {
        self.0.get(warp).copied().flatten()
    }

    /// The place of a lane of a warp.
    pub fn lane(&self, warp: usize, lane: u32, about: &About) -> Place {
        match self.at(warp) {
            Some(at) => Place::lane(at.sm, at.warp, about.sub_cores, lane),
            None => Place { lane: Some(lane), ..Place::default() },
        }
    }

    /// The SM of a warp alone, for arrays that an SM has one of.
    pub fn sm(&self, warp: usize) -> Place {
        Place { sm: self.at(warp).map(|at| at.sm), ..Place::default() }
    }

    /// What of the chip was reached by the warps that `counts` says did work.
    pub fn coverage(&self, about: &About, counts: impl Fn(usize) -> bool) -> Coverage {
        let mut coverage = Coverage::default();
        for (_, at) in self.0.iter().enumerate().filter(|(i, _)| counts(*i)) {
            coverage.warp(*at, about.sub_cores, u32::MAX);
        }
        coverage
    }
}

/// Allocates buffers, runs `work` with them, and gives them back whatever came of it.
pub fn with_buffers<R, const N: usize>(
    bench: &mut Bench<'_>,
    bytes: [u64; N],
    work: impl FnOnce(&mut Bench<'_>, [Buffer; N]) -> Result<R, BoardError>,
) -> Result<R, BoardError> {
    let mut buffers = Vec::with_capacity(N);
    for size in bytes {
        match bench.board.alloc(size.max(16)) {
            Ok(buffer) => buffers.push(buffer),
            Err(e) => {
                give_back(bench, &buffers)?;
                return Err(e);
            }
        }
    }
    let all = <[Buffer; N]>::try_from(&buffers[..]).unwrap_or([Buffer { handle: 0, bytes: 0 }; N]);
    let done = work(bench, all);
    let freed = give_back(bench, &buffers);
    // Where the device failed, what follows fails as well: the first is told.
    done.and_then(|r| freed.map(|()| r))
}

fn give_back(bench: &mut Bench<'_>, buffers: &[Buffer]) -> Result<(), BoardError> {
    let freed: Vec<_> = buffers.iter().map(|b| bench.board.free(*b)).collect();
    freed.into_iter().collect()
}

/// Copies words to the device.
pub fn put(bench: &mut Bench<'_>, buffer: Buffer, words: &[u32]) -> Result<(), BoardError> {
    // Byte by byte this would be the slowest part of a test.
    let mut bytes = vec![0; words.len() * 4];
    for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    bench.board.write(buffer, 0, &bytes)
}

/// Copies words from the device.
pub fn get(bench: &mut Bench<'_>, buffer: Buffer, count: usize) -> Result<Vec<u32>, BoardError> {
    get_from(bench, buffer, 0, count)
}

/// Copies words from the middle of a buffer.
pub fn get_from(
    bench: &mut Bench<'_>,
    buffer: Buffer,
    first: usize,
    count: usize,
) -> Result<Vec<u32>, BoardError> {
    let mut words = Vec::with_capacity(count);
    // In parts: a second copy of everything would cost as much as the transfer.
    let mut bytes = vec![0; count.min(PART) * 4];
    while words.len() < count {
        let part = &mut bytes[..(count - words.len()).min(PART) * 4];
        bench.board.read(buffer, (first + words.len()) as u64 * 4, part)?;
        let word = |w: &[u8]| u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
        words.extend(part.chunks_exact(4).map(word));
    }
    Ok(words)
}

/// Words of a buffer that are not what `expected` says of their numbers, with
/// their numbers. What came is compared by all cores of the host while it is in
/// their caches.
pub fn differing(
    bench: &mut Bench<'_>,
    buffer: Buffer,
    count: usize,
    expected: impl Fn(u64) -> u32 + Sync,
) -> Result<Vec<(u64, u32)>, BoardError> {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut bytes = vec![0; count.min(PART) * 4];
    let mut wrong = Vec::new();
    for first in (0..count).step_by(PART) {
        let part = &mut bytes[..(count - first).min(PART) * 4];
        bench.board.read(buffer, first as u64 * 4, part)?;
        let compare = |first: usize, bytes: &[u8]| -> Vec<(u64, u32)> {
            let word = |w: &[u8]| u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
            let numbered = (first as u64..).zip(bytes.chunks_exact(4).map(word));
            numbered.filter(|(i, w)| *w != expected(*i)).collect()
        };
        // Few words are compared sooner than a thread starts.
        let share = (part.len() / 4).div_ceil(workers).max(1 << 16);
        let shares = part.chunks(share * 4).zip((first..).step_by(share));
        std::thread::scope(|scope| {
            let of = |(bytes, first)| (first, bytes, scope.spawn(move || compare(first, bytes)));
            let shares: Vec<_> = shares.map(of).collect();
            for (first, bytes, worker) in shares {
                // A worker that cannot go on leaves its part to this one.
                wrong.extend(worker.join().unwrap_or_else(|_| compare(first, bytes)));
            }
        });
    }
    Ok(wrong)
}

/// Launches a kernel and waits. Where an error is to be made on purpose, the
/// variant runs that can.
pub fn launch(
    bench: &mut Bench<'_>,
    code: Code,
    kernel: &str,
    shape: Shape,
    args: &[Arg],
) -> Result<(), BoardError> {
    begin(bench, code, kernel, shape, args)?;
    bench.board.sync()
}

/// The same without waiting.
pub fn begin(
    bench: &mut Bench<'_>,
    code: Code,
    kernel: &str,
    shape: Shape,
    args: &[Arg],
) -> Result<(), BoardError> {
    let mut args = args.to_vec();
    let image = match (bench.inject, code.inject) {
        (Some(i), Some(image)) => {
            let sub_cores = bench.board.about().sub_cores.max(1);
            let words = [i.sm, i.sub_core, sub_cores, i.lane, i.mask, i.period];
            args.extend(words.map(Arg::U32));
            image
        }
        _ => code.plain,
    };
    let module = bench.module(image)?;
    bench.board.launch(module, kernel, shape, &args)
}

/// Launches a kernel whose first two parameters are the words that come back
/// and the table of places: returns both.
pub fn launch_raw(
    bench: &mut Bench<'_>,
    code: Code,
    kernel: &str,
    shape: Shape,
    words: usize,
    args: &[Arg],
) -> Result<(Vec<u32>, Warps), BoardError> {
    let kernel = (code, kernel, shape);
    launch_into(bench, kernel, words, args, |bench, out, _, at| Ok((get(bench, out, words)?, at)))
}

/// The same for results that stay where they are: `then` gets them, the table
/// of places, and what that says.
pub fn launch_into<R>(
    bench: &mut Bench<'_>,
    (code, kernel, shape): (Code, &str, Shape),
    words: usize,
    args: &[Arg],
    then: impl FnOnce(&mut Bench<'_>, Buffer, Buffer, Warps) -> Result<R, BoardError>,
) -> Result<R, BoardError> {
    let about = bench.board.about().clone();
    let warps = warps_of(shape, &about);
    with_buffers(bench, [words as u64 * 4, warps as u64 * 16], |bench, [out, places]| {
        bench.board.fill(out, UNWRITTEN)?;
        bench.board.fill(places, u32::MAX)?;
        let mut all = vec![Arg::Buffer(out), Arg::Buffer(places)];
        all.extend_from_slice(args);
        launch(bench, code, kernel, shape, &all)?;
        let at = Warps::of(&get(bench, places, warps * 4)?, &about);
        then(bench, out, places, at)
    })
}

/// Warps of a launch.
pub fn warps_of(shape: Shape, about: &About) -> usize {
    let threads: u64 = shape.block.iter().map(|&n| u64::from(n)).product();
    let ctas: u64 = shape.grid.iter().map(|&n| u64::from(n)).product();
    (ctas * threads.div_ceil(u64::from(about.warp.max(1)))) as usize
}

/// A note for words that nobody has written.
pub fn unwritten(found: u32) -> &'static str {
    if found == UNWRITTEN { "never written: lost, or stored elsewhere" } else { "" }
}

/// Runs `launch` until every SM was reached, with more CTAs each time, and says
/// what was not. Real chips promise nothing about where a CTA runs.
pub fn on_every_sm(
    bench: &mut Bench<'_>,
    mut launch: impl FnMut(&mut Bench<'_>, u32) -> Result<Coverage, BoardError>,
) -> Result<(), BoardError> {
    let about = bench.board.about().clone();
    let mut coverage = Coverage::default();
    for attempt in 0..3 {
        coverage.join(&launch(bench, about.sms << attempt)?);
        if coverage.sms().len() >= about.sms as usize {
            break;
        }
    }
    let reached = coverage.sms().len();
    if reached < about.sms as usize {
        bench.not_covered(format!("{} of {} SMs", about.sms as usize - reached, about.sms));
    }
    bench.covered(&coverage);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelBoard;
    use upset_chip::ChipSpec;

    #[test]
    fn words_that_differ_are_found_at_their_numbers_by_however_many_workers() {
        let chip = ChipSpec::load("rtx2060", &["sm.count=1".to_string()]).expect("a chip");
        let mut board = ModelBoard::new(&chip).expect("a board");
        let effort = crate::Effort { level: crate::Level::One, rounds: 1, bytes: None };
        let mut bench = Bench::new(&mut board, "raw", effort, 0);
        let expected = |i: u64| (i as u32).wrapping_mul(7);
        for count in [0usize, 1, 1000, PART + 70_005] {
            let mut words: Vec<u32> = (0..count as u64).map(expected).collect();
            let spots = [0, 17, 1 << 16, PART, count.saturating_sub(1)];
            let mut wrong: Vec<usize> = spots.into_iter().filter(|i| *i < count).collect();
            wrong.sort_unstable();
            wrong.dedup();
            wrong.iter().for_each(|&i| words[i] ^= 0x100);
            let found = with_buffers(&mut bench, [count as u64 * 4], |bench, [buffer]| {
                put(bench, buffer, &words)?;
                differing(bench, buffer, count, expected)
            });
            let should: Vec<_> = wrong.iter().map(|&i| (i as u64, words[i])).collect();
            assert_eq!(found.expect("a board"), should, "{count}");
        }
    }

    #[test]
    fn a_warp_that_moved_has_no_place() {
        let chip = ChipSpec::load("rtx2060", &["sm.count=1".to_string()]).expect("a chip");
        let board = ModelBoard::new(&chip).expect("a board");
        let about = crate::Board::about(&board).clone();
        let stays = [3, 3, 5, 5];
        let moves = [3, 4, 5, 5];
        let nonsense = [u32::MAX; 4];
        let warps = Warps::of(&[stays, moves, nonsense].concat(), &about);
        let place = warps.lane(0, 7, &about);
        assert_eq!((place.sm, place.sub_core, place.warp), (Some(3), Some(1), Some(5)));
        assert_eq!(warps.lane(1, 7, &about), Place { lane: Some(7), ..Place::default() });
        assert_eq!((warps.at(2), warps.at(99)), (None, None));
    }
}
