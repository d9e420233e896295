//! Each group of SMs left out in turn: where work went, what it computed, and
//! how much longer it took.

use std::collections::BTreeSet;

use upset_burn::images::PULSES;
use upset_burn::{Arg, Board, BoardError, Kind, Shape};

use super::board::{CudaBoard, Options};
use super::context::{Sms, groups};
use super::driver::Driver;
use super::probe::places;

/// Threads of a CTA.
const THREADS: u32 = 1024;
/// Times that each is measured; the fastest counts.
const TIMES: u32 = 3;

/// What happened without one group.
#[derive(Clone, Debug, PartialEq)]
pub struct Excluded {
    /// The group, as the driver counts.
    pub group: u32,
    /// Its SMs, by a probe in a context of it alone.
    pub sms: BTreeSet<u32>,
    /// SMs that work came to without it.
    pub reached: BTreeSet<u32>,
    /// Every thread computed what it does on all SMs.
    pub same: bool,
    /// Seconds without it, and on all SMs just before.
    pub seconds: (f64, f64),
}

impl Excluded {
    /// No work came to its SMs, it came to all others, and all results are the
    /// same.
    pub fn is_good(&self, sms: u32) -> bool {
        self.same && self.reached.is_disjoint(&self.sms) && {
            self.reached.len() + self.sms.len() == sms as usize
        }
    }

    /// How much longer it took, as a share.
    pub fn slowdown(&self) -> f64 {
        self.seconds.0 / self.seconds.1 - 1.0
    }
}

/// Full load: many CTAs for each place of an SM, so that the last ones do not
/// decide.
struct Load {
    ctas: u32,
    turns: u32,
}

/// What a load came to.
struct Done {
    seconds: f64,
    results: Vec<u32>,
    sms: BTreeSet<u32>,
}

/// Tries every group; `hear` is told of each.
pub fn without_each(device: u32, hear: &mut dyn FnMut(&Excluded)) -> Result<u32, BoardError> {
    let driver = Driver::open()?;
    let count = groups(&driver, driver.device(device)?)?.len() as u32;
    let open = |sms: Sms| CudaBoard::open(Options { device, sms, ..Options::default() });
    // It keeps the primary context for all others.
    let mut whole = open(Sms::All)?;
    let about = whole.about().clone();
    let load = match about.kind {
        Kind::Model => Load { ctas: about.sms * 2, turns: 2 },
        // About a tenth of a second at 2 GHz.
        Kind::Cuda | Kind::Opencl => Load { ctas: about.sms * 100, turns: 9500 },
    };
    for group in 0..count {
        whole.make_current()?;
        let all = load.run(&mut whole)?;
        let mut alone = open(Sms::Group(group))?;
        let sms = places(&mut alone, 64)?.keys().map(|(sm, _)| *sm).collect();
        drop(alone);
        let done = load.run(&mut open(Sms::Without(vec![group]))?)?;
        hear(&Excluded {
            group,
            sms,
            reached: done.sms,
            same: done.results == all.results,
            seconds: (done.seconds, all.seconds),
        });
    }
    whole.make_current()?;
    Ok(about.sms)
}

impl Load {
    fn run(&self, board: &mut CudaBoard) -> Result<Done, BoardError> {
        let module = board.load(&PULSES)?;
        let threads = (self.ctas * THREADS) as usize;
        let warps = threads / 32;
        let out = board.alloc(threads as u64 * 4)?;
        let at = board.alloc(warps as u64 * 16)?;
        let small = board.alloc(512)?;
        let operands: Vec<u8> =
            (0..64).flat_map(|i| (1.0 + i as f32 / 37.0).to_le_bytes()).collect();
        board.write(out, 0, &vec![0xa5; threads * 4])?;
        board.write(small, 0, &[0; 256])?;
        board.write(small, 256, &operands)?;
        let args = [
            Arg::Buffer(out),
            Arg::Buffer(at),
            Arg::Buffer(small),
            Arg::U64(small.handle + 256),
            // One period without a rest, and nobody waits for the others.
            Arg::U32(1),
            Arg::U32(self.turns),
            Arg::U64(0),
            Arg::U64(0),
        ];
        let mut seconds = f64::MAX;
        for _ in 0..TIMES {
            let took = board.time(module, "pulses", Shape::row(self.ctas, THREADS), &args)?;
            seconds = seconds.min(took);
        }
        let results = words(board, out, threads)?;
        let sms = words(board, at, warps * 4)?.chunks_exact(4).map(|place| place[0]).collect();
        for buffer in [out, at, small] {
            board.free(buffer)?;
        }
        Ok(Done { seconds, results, sms })
    }
}

fn words(
    board: &mut CudaBoard,
    from: upset_burn::Buffer,
    count: usize,
) -> Result<Vec<u32>, BoardError> {
    let mut bytes = vec![0; count * 4];
    board.read(from, 0, &mut bytes)?;
    Ok(bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect())
}
