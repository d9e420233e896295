//! One walk over device memory: a launch, and what the host makes of its answer.
//!
//! 141 GB do not come back to the host. The SMs compare, and the host trusts
//! them with nothing: each thread adds up what it read, and the sums must be what
//! the host computes, or what another SM finds in the same stripe; and whatever
//! an SM calls wrong is read again by the host and by other SMs, which tells a
//! wrong cell from an SM that sees ghosts.

use crate::images::{DEVMEM, DEVMEM_INJECT};
use crate::raw::{Code, Warps, get, launch, put, warps_of};
use crate::{About, Arg, Bench, BoardError, Buffer, Kind, Level, Place, Shape};

pub(super) const CODE: Code = Code { plain: &DEVMEM, inject: Some(&DEVMEM_INJECT) };

/// Wrong words that are told one by one, of one launch.
const ROOM: usize = 1024;
/// Words of a report.
const REPORT: usize = 6;
/// Up to here the host computes the sum of own numbers itself.
const OWN_SUMS: u64 = 1 << 26;

/// What a launch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What reads expect; `None`: nothing is read.
    pub read: Option<u32>,
    /// What is written; `None`: nothing.
    pub write: Option<u32>,
    /// From the last word to the first.
    pub down: bool,
    /// Each word is XORed with its own number.
    pub own: bool,
}

/// The memory under test and what a launch needs besides.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    cells: Buffer,
    words: u64,
    shape: Shape,
    places: Buffer,
    sums: Buffer,
    reports: Buffer,
    count: Buffer,
}

/// Bytes that a memory test takes: 95 % of what is free on real chips from level
/// 2 on, an eighth at level 1; little of the model's.
pub fn bytes(bench: &mut Bench<'_>) -> Result<u64, BoardError> {
    let free = bench.board.free_memory()?;
    let share = match (bench.board.about().kind, bench.effort.level) {
        (Kind::Model, Level::One) => 1 << 20,
        (Kind::Model, _) => 8 << 20,
        (_, Level::One) => free / 32,
        _ => free / 100 * 95,
    };
    // What the launches need themselves stays free.
    let wanted = bench.effort.bytes.unwrap_or(share).min(free.saturating_sub(64 << 20));
    Ok((wanted & !0xffff).max(1 << 16))
}

/// The launch: enough threads to keep memory busy.
fn shape(about: &About) -> Shape {
    match about.kind {
        Kind::Model => Shape::row(about.sms, 128),
        Kind::Cuda | Kind::Opencl => Shape::row(about.sms * 8, 256),
    }
}

impl Sweep {
    /// Runs `work` over as much memory as the level asks for.
    pub fn over(
        bench: &mut Bench<'_>,
        work: impl FnOnce(&mut Bench<'_>, &Sweep) -> Result<(), BoardError>,
    ) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        let shape = shape(&about);
        let warps = warps_of(shape, &about) as u64;
        let bytes = bytes(bench)?;
        let sizes = [bytes, warps * 16, warps * 32 * 8, (ROOM * REPORT * 4) as u64, 16];
        crate::raw::with_buffers(bench, sizes, |bench, [cells, places, sums, reports, count]| {
            let words = bytes / 4;
            let sweep = Sweep { cells, words, shape, places, sums, reports, count };
            bench.note(format!("{bytes} bytes of device memory"));
            work(bench, &sweep)
        })
    }

    /// Words under test.
    pub fn words(&self) -> u64 {
        self.words
    }

    fn threads(&self) -> u64 {
        u64::from(self.shape.grid[0]) * u64::from(self.shape.block[0])
    }

    /// One walk. What is read of own numbers is read twice, by different SMs.
    pub fn step(&self, bench: &mut Bench<'_>, name: &str, step: Step) -> Result<(), BoardError> {
        let first = self.launch(bench, name, step, 0)?;
        if let Some(pattern) = step.read {
            bench.checked(self.words);
            self.check_sums(bench, name, step, pattern, &first)?;
        }
        Ok(())
    }

    /// Launches; returns each thread's sum.
    fn launch(
        &self,
        bench: &mut Bench<'_>,
        name: &str,
        step: Step,
        turned: u32,
    ) -> Result<Vec<u64>, BoardError> {
        let flags = u32::from(step.read.is_some())
            | u32::from(step.write.is_some()) << 1
            | u32::from(step.down) << 2
            | u32::from(step.own) << 3;
        let tail = [
            Arg::U64(self.words / 4),
            Arg::U32(flags),
            Arg::U32(step.read.unwrap_or(0)),
            Arg::U32(step.write.unwrap_or(0)),
            Arg::U32(turned),
        ];
        let now = step.write.or(step.read).unwrap_or(0);
        self.ask(bench, name, "element", &tail, move |word| {
            now ^ if step.own { own(word) } else { 0 }
        })
    }

    /// Launches any kernel with the common parameters, reads its answer, and
    /// tells what was reported: `now` says what a word must hold afterwards.
    pub fn ask(
        &self,
        bench: &mut Bench<'_>,
        name: &str,
        kernel: &str,
        tail: &[Arg],
        now: impl Fn(u64) -> u32,
    ) -> Result<Vec<u64>, BoardError> {
        let about = bench.board.about().clone();
        let warps = warps_of(self.shape, &about);
        put(bench, self.places, &vec![u32::MAX; warps * 4])?;
        put(bench, self.sums, &vec![u32::MAX; warps * 32 * 2])?;
        put(bench, self.count, &[0; 4])?;
        let mut args: Vec<Arg> =
            [self.cells, self.places, self.sums, self.reports, self.count].map(Arg::Buffer).into();
        args.push(Arg::U32(ROOM as u32));
        args.extend_from_slice(tail);
        launch(bench, CODE, kernel, self.shape, &args)?;
        let at = Warps::of(&get(bench, self.places, warps * 4)?, &about);
        bench.covered(&at.coverage(&about, |_| true));
        let reported = get(bench, self.count, 1)?[0] as usize;
        if reported > 0 {
            self.tell(bench, name, reported, &at, now)?;
        }
        let sums = get(bench, self.sums, warps * 32 * 2)?;
        Ok(sums.chunks_exact(2).map(|w| u64::from(w[1]) << 32 | u64::from(w[0])).collect())
    }

    /// Tells what an SM reported, after a second look.
    fn tell(
        &self,
        bench: &mut Bench<'_>,
        name: &str,
        reported: usize,
        at: &Warps,
        now: impl Fn(u64) -> u32,
    ) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        let kept = reported.min(ROOM);
        let words = get(bench, self.reports, kept * REPORT)?;
        let reports: Vec<Report> = words.chunks_exact(REPORT).map(Report::of).collect();
        let again = self.again(bench, &reports)?;
        for (report, other) in reports.iter().zip(again) {
            let mut place = at.lane(report.warp as usize, report.lane, &about);
            let mut note = String::new();
            if report.word < self.words {
                let mut bytes = [0; 4];
                bench.board.read(self.cells, report.word * 4, &mut bytes)?;
                let host = u32::from_le_bytes(bytes);
                let right = now(report.word);
                note = format!("now {host:08x} to the host, {other:08x} to another SM");
                // Wrong to somebody else as well: the cell. Right to all others
                // now: what is known is who saw it, and where.
                if host != right || other != right {
                    place = Place::default();
                    note = format!("{note}, and should be {right:08x}");
                }
                place.address = Some(self.cells.handle + report.word * 4);
            }
            let bits = (report.expected.into(), report.found.into(), 32);
            bench.find(name, place, bits, note);
        }
        if reported > kept {
            bench.note(format!("{name}: {} wrong words were only counted", reported - kept));
        }
        Ok(())
    }

    /// Has other SMs read reported words.
    fn again(&self, bench: &mut Bench<'_>, reports: &[Report]) -> Result<Vec<u32>, BoardError> {
        let count = reports.len();
        let last = self.words - 1;
        let words: Vec<u32> = reports
            .iter()
            .flat_map(|r| [r.word.min(last) as u32, (r.word.min(last) >> 32) as u32])
            .collect();
        let sizes = [count as u64 * 4, count as u64 * 8, count as u64 * 4];
        crate::raw::with_buffers(bench, sizes, |bench, [out, input, sms]| {
            put(bench, input, &words)?;
            let args = [
                Arg::Buffer(self.cells),
                Arg::Buffer(out),
                Arg::Buffer(input),
                Arg::U32(count as u32),
                Arg::Buffer(sms),
            ];
            // A helper that takes no error on purpose.
            let plain = Code { inject: None, ..CODE };
            launch(bench, plain, "again", Shape::row(count as u32, 32), &args)?;
            get(bench, out, count)
        })
    }

    fn check_sums(
        &self,
        bench: &mut Bench<'_>,
        name: &str,
        step: Step,
        pattern: u32,
        sums: &[u64],
    ) -> Result<(), BoardError> {
        let quads = self.words / 4;
        let threads = self.threads();
        let expected: Vec<u64> = if !step.own {
            let of = |t: u64| if t < quads { (quads - 1 - t) / threads + 1 } else { 0 };
            (0..threads).map(|t| (of(t) * 4).wrapping_mul(u64::from(pattern))).collect()
        } else if self.words <= OWN_SUMS {
            let of = |t: u64| {
                let quads = (t..quads).step_by(threads as usize);
                let words = quads.flat_map(|q| 4 * q..4 * q + 4);
                words.fold(0u64, |a, w| a.wrapping_add(u64::from(own(w) ^ pattern)))
            };
            (0..threads).map(of).collect()
        } else if step.write.is_none() {
            // Every stripe once more, by an SM half the grid away.
            let turned = self.shape.grid[0] / 2 + 1;
            let other = self.launch(bench, name, step, turned)?;
            let by = u64::from(turned) * u64::from(self.shape.block[0]);
            (0..threads).map(|t| other[((t + threads - by % threads) % threads) as usize]).collect()
        } else {
            return Ok(());
        };
        for (thread, (&expected, &found)) in expected.iter().zip(sums).enumerate() {
            if expected != found {
                let about = bench.board.about().clone();
                let warps = warps_of(self.shape, &about);
                let at = Warps::of(&get(bench, self.places, warps * 4)?, &about);
                let place = at.lane(thread / 32, thread as u32 % 32, &about);
                let note = "sum of all words that a thread read".to_string();
                bench.find(name, place, (expected, found, 64), note);
            }
        }
        Ok(())
    }
}

/// The number that a word holds in walks of own numbers: the kernel's function.
pub fn own(word: u64) -> u32 {
    (word as u32).wrapping_mul(0x9e37_79b1) ^ (word >> 32) as u32
}

/// What an SM called wrong.
struct Report {
    word: u64,
    found: u32,
    expected: u32,
    warp: u32,
    lane: u32,
}

impl Report {
    fn of(words: &[u32]) -> Report {
        Report {
            word: u64::from(words[1]) << 32 | u64::from(words[0]),
            found: words[2],
            expected: words[3],
            warp: words[4],
            lane: words[5],
        }
    }
}
