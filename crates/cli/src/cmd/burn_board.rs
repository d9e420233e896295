//! The GPU that `upset burn` tests, where it is a real one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use clap::Args;
use upset_burn::{Board, BoardError, Kind};
use upset_realgpu::cuda::{self, Options, Sms, lanes, places, tpcs};
use upset_realgpu::opencl::{Choice, OpenClBoard};

/// Which GPU, and how long to wait for it.
#[derive(Debug, Args)]
pub struct RealArgs {
    /// The GPU's number, as CUDA's driver counts
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "model")]
    pub device: u32,
    /// Tests an OpenCL device of any vendor with the portable tests: the first
    /// GPU, or else the first device, unless its numbers are given
    #[arg(long, value_name = "PLATFORM:DEVICE", num_args = 0..=1, require_equals = true, default_missing_value = "any", conflicts_with_all = ["model", "device", "jit"])]
    pub opencl: Option<Choice>,
    /// Has the driver compile PTX even where there is machine code for the GPU
    #[arg(long, conflicts_with = "model")]
    pub jit: bool,
    /// Leaves out groups of SMs, as the driver numbers them (see --probe): a
    /// green context without them
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with_all = ["model", "opencl"])]
    pub leave_out: Vec<u32>,
    /// Prints which SMs the driver's groups hold, and how many lanes pipes have
    #[arg(long, conflicts_with_all = ["model", "opencl"])]
    pub probe: bool,
    /// Leaves out each group of SMs in turn, and says where work went, whether
    /// results stay the same, and how much slower it is
    #[arg(long, conflicts_with_all = ["model", "opencl", "leave_out"])]
    pub without_each: bool,
    /// A launch or copy that takes longer counts as hanging
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0, value_parser = positive)]
    pub hang_after: f64,
}

/// Opens it.
pub fn open(args: &RealArgs) -> Result<Box<dyn Board>, BoardError> {
    let hang_after = Duration::from_secs_f64(args.hang_after);
    if let Some(choice) = args.opencl {
        return Ok(Box::new(OpenClBoard::open(choice, hang_after)?));
    }
    let sms = match args.leave_out.as_slice() {
        [] => Sms::All,
        groups => Sms::Without(groups.to_vec()),
    };
    let options = Options { device: args.device, sms, hang_after, jit: args.jit };
    Ok(Box::new(cuda::open(options)?))
}

/// What `--probe` prints: the driver's groups by `%smid`, sub-cores reached, and
/// lanes of the pipes that can be timed.
pub fn probe(args: &RealArgs) -> Result<String, BoardError> {
    let mut board = open(args)?;
    let about = board.about().clone();
    let mut text = format!("{}: {} SMs\n", about.name, about.sms);
    let reached = places(board.as_mut(), about.sms * 8)?;
    let sms: BTreeSet<u32> = reached.keys().map(|(sm, _)| *sm).collect();
    let _ = writeln!(text, "{} SMs and {} sub-cores reached", sms.len(), reached.len());
    for (name, found) in lanes(board.as_mut())? {
        let _ = writeln!(text, "{name}: {found:.1} lanes");
    }
    drop(board);
    for (i, group) in tpcs(args.device)?.groups.iter().enumerate() {
        let list: Vec<String> = group.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "group {i}: SMs {}", list.join(" "));
    }
    Ok(text)
}

/// Who would have run the kernels.
pub fn kind(args: &RealArgs) -> Kind {
    if args.opencl.is_some() { Kind::Opencl } else { Kind::Cuda }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if v > 0.0 && v <= 86_400.0 => Ok(v),
        _ => Err("must be a number of seconds above 0, a day at most".into()),
    }
}
