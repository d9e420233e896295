//! What the library is told by its environment.

use std::env;
use std::path::PathBuf;

use upset_chip::ChipSpec;
use upset_device::Mode;

/// Chip: a preset or a file.
pub const CHIP: &str = "UPSET_CHIP";
/// Changes to the chip, `key=value`, separated by newlines or semicolons.
pub const SET: &str = "UPSET_SET";
/// `timing` or `functional`.
pub const MODE: &str = "UPSET_MODE";
/// Number of the inherited socket that records go to.
pub const REPORT_FD: &str = "UPSET_REPORT_FD";
/// File for a trace of what ran where.
pub const TRACE: &str = "UPSET_TRACE";
/// File with an order: what is to be broken, and what is to be found out.
pub const TRIAL: &str = "UPSET_TRIAL";
/// What the program sees of clocks and random bytes: `held`, `other`, or `cuda`
/// (held in processes that use the runtime); anything else: the real ones.
pub const CLOCK: &str = "UPSET_CLOCK";
/// The file that stands for the system's random devices then.
pub const RANDOM: &str = "UPSET_RANDOM";
/// A kernel that runs beyond this many cycles of its own is given up: launch timeout.
pub const KERNEL_CYCLES: &str = "UPSET_KERNEL_CYCLES";

/// The configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The chip.
    pub chip: ChipSpec,
    /// How kernels run.
    pub mode: Mode,
    /// Where the trace goes.
    pub trace: Option<PathBuf>,
    /// The order.
    pub trial: Option<PathBuf>,
    /// Most cycles (or, in functional mode, warp instructions) of a launch.
    pub kernel_cycles: Option<u64>,
}

impl Config {
    /// Reads the environment; the error says what is wrong and how to mend it.
    pub fn from_environment() -> Result<Config, String> {
        let get = |name: &str| env::var(name).ok().filter(|v| !v.is_empty());
        let name = get(CHIP).ok_or(
            "no chip is chosen: launch the program with `upset run --chip NAME -- PROGRAM`, \
             or set UPSET_CHIP (see `upset env`)",
        )?;
        let set: Vec<String> = get(SET)
            .unwrap_or_default()
            .split(['\n', ';'])
            .map(str::trim)
            .filter(|s| !s.is_empty())
            .map(String::from)
            .collect();
        let chip = ChipSpec::load(&name, &set).map_err(|e| e.to_string())?;
        let mode = match get(MODE).as_deref() {
            None | Some("timing") => Mode::Timing,
            Some("functional") => Mode::Functional,
            Some(other) => {
                return Err(format!("{MODE} is `{other}`; it must be timing or functional"));
            }
        };
        let kernel_cycles = match get(KERNEL_CYCLES) {
            None => None,
            Some(text) => Some(
                text.parse()
                    .map_err(|_| format!("{KERNEL_CYCLES} is `{text}`; it must be a number"))?,
            ),
        };
        let path = |name| get(name).map(PathBuf::from);
        Ok(Config { chip, mode, trace: path(TRACE), trial: path(TRIAL), kernel_cycles })
    }
}
