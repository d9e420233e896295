//! What the chip is made of, found out rather than assumed: which SMs are one
//! TPC, which sub-cores and lanes there are.

use std::collections::{BTreeMap, BTreeSet};

use upset_burn::{Arg, Board, BoardError, Image, MachineCode, Shape};

use super::api::attribute;
use super::board::{CudaBoard, Options};
use super::context::{Sms, groups};
use super::driver::Driver;

macro_rules! cubin {
    ($sm:literal) => {
        MachineCode {
            sm: $sm,
            bytes: include_bytes!(concat!("../../../../kernels/probe/probe.sm_", $sm, ".cubin")),
        }
    };
}

/// The probing kernels.
pub const IMAGE: Image = Image {
    name: "probe",
    cubins: &[cubin!(70), cubin!(75), cubin!(80), cubin!(90)],
    ptx: include_str!("../../../../kernels/probe/probe.ptx"),
    opencl: "",
};

/// How long a CTA stays, so that the next one goes elsewhere.
const STAY: u32 = 20_000;
/// Operations between the two readings of the clock.
const OPERATIONS: f64 = 256.0;
/// Kernels that time one warp, and what they time.
const INTERVALS: [&str; 5] = ["ffma", "imad", "dfma", "mufu", "lop3"];

/// The groups of SMs that the driver tells apart, each by its `%smid`s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tpcs {
    /// In the driver's order, which is not the order of `%smid`.
    pub groups: Vec<BTreeSet<u32>>,
}

impl Tpcs {
    /// The group that an SM is in.
    pub fn of(&self, sm: u32) -> Option<u32> {
        self.groups.iter().position(|g| g.contains(&sm)).map(|i| i as u32)
    }
}

/// Finds them: one green context after the other, and where warps ran in it.
pub fn tpcs(device: u32) -> Result<Tpcs, BoardError> {
    let driver = Driver::open()?;
    let handle = driver.device(device)?;
    let count = groups(&driver, handle)?.len() as u32;
    let sms = driver.attribute(handle, attribute::SMS).unwrap_or(0) as usize;
    let mut found = Vec::new();
    // Making and dropping the primary context for each group would take longer
    // than all the rest.
    let _primary = CudaBoard::open(Options { device, ..Options::default() })?;
    for group in 0..count {
        let options = Options { device, sms: Sms::Group(group), ..Options::default() };
        let mut board = CudaBoard::open(options)?;
        found.push(places(&mut board, 64)?.keys().map(|(sm, _)| *sm).collect::<BTreeSet<u32>>());
    }
    let all: BTreeSet<u32> = found.iter().flatten().copied().collect();
    let sum: usize = found.iter().map(BTreeSet::len).sum();
    if sum != all.len() {
        return Err(BoardError::CannotRun(
            "two groups of SMs share an SM: their numbers are not the hardware's (MPS?)".into(),
        ));
    }
    if all.len() < sms {
        return Err(BoardError::CannotRun(format!(
            "the groups of SMs reach {} of {sms} SMs",
            all.len()
        )));
    }
    Ok(Tpcs { groups: found })
}

/// Opens a device that says which SMs share a TPC when it is asked.
pub fn open(options: Options) -> Result<CudaBoard, BoardError> {
    let find = |device| {
        let groups = tpcs(device).ok()?.groups.into_iter();
        Some(groups.map(|group| group.into_iter().collect()).collect())
    };
    Ok(CudaBoard::open(options)?.finding_tpcs(find))
}

/// Slots of warps that were used, by SM and sub-core, with their number. Warps
/// that moved are left out.
pub fn places(
    board: &mut dyn Board,
    ctas: u32,
) -> Result<BTreeMap<(u32, u32), BTreeSet<u32>>, BoardError> {
    let module = board.load(&IMAGE)?;
    let sub_cores = board.about().sub_cores.max(1);
    let warps = 8;
    let words = (ctas * warps * 4) as usize;
    let out = board.alloc(words as u64 * 4)?;
    let shape = Shape::row(ctas, warps * 32);
    board.launch(module, "places", shape, &[Arg::Buffer(out), Arg::U32(STAY)])?;
    board.sync()?;
    let mut bytes = vec![0; words * 4];
    board.read(out, 0, &mut bytes)?;
    board.free(out)?;
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let mut found: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
    for place in words.chunks_exact(4) {
        let [sm, sm_after, slot, slot_after] = [place[0], place[1], place[2], place[3]];
        if sm == sm_after && slot == slot_after {
            found.entry((sm, slot % sub_cores)).or_default().insert(slot);
        }
    }
    Ok(found)
}

/// Lanes of the pipes that can be timed: 32 divided by the cycles between two
/// operations of one warp. With fewer than 32, lanes that far apart share
/// hardware.
pub fn lanes(board: &mut dyn Board) -> Result<Vec<(&'static str, f64)>, BoardError> {
    let module = board.load(&IMAGE)?;
    let out = board.alloc(8)?;
    let mut found = Vec::new();
    for name in INTERVALS {
        let number = |v: u32| match name {
            "dfma" => Arg::U64(f64::from(v).to_bits()),
            "ffma" => Arg::F32(v as f32),
            _ => Arg::U32(v),
        };
        let kernel = format!("interval_{name}");
        let args = [Arg::Buffer(out), number(1), number(3)];
        board.launch(module, &kernel, Shape::row(1, 32), &args)?;
        board.sync()?;
        let mut bytes = [0; 4];
        board.read(out, 0, &mut bytes)?;
        let cycles = f64::from(u32::from_le_bytes(bytes));
        found.push((name, (32.0 * OPERATIONS / cycles.max(1.0)).min(32.0)));
    }
    board.free(out)?;
    Ok(found)
}
