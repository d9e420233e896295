//! What the library is told by its environment.

use std::env;
use std::path::PathBuf;

use upset_chip::ChipSpec;
use upset_device::Mode;
use upset_device::pmu::Sampling;

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
/// File that gets a line of JSON for every launch: what its counters counted.
pub const COUNTERS: &str = "UPSET_COUNTERS";
/// When they are read: `end`, `every N` cycles, or in `parts N` of each launch.
pub const COUNTING: &str = "UPSET_COUNTING";
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
    /// Where what was counted goes, and when it is read.
    pub counters: Option<(PathBuf, Sampling)>,
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
        let sampling = match get(COUNTING) {
            None => Sampling::AtEnd,
            Some(text) => sampling(&text).ok_or(format!(
                "{COUNTING} is `{text}`; it must be end, every N or parts N, with N above 0"
            ))?,
        };
        let counters = path(COUNTERS).map(|file| (file, sampling));
        let (trace, trial) = (path(TRACE), path(TRIAL));
        Ok(Config { chip, mode, trace, counters, trial, kernel_cycles })
    }
}

/// When counters are read, as a variable says it.
fn sampling(text: &str) -> Option<Sampling> {
    match text.split_once(' ') {
        None => (text == "end").then_some(Sampling::AtEnd),
        Some((how, n)) => {
            let n = n.parse().ok().filter(|n| *n > 0)?;
            match how {
                "every" => Some(Sampling::Every(n)),
                "parts" => Some(Sampling::Parts(n)),
                _ => None,
            }
        }
    }
}

/// The same, written.
pub fn sampling_text(sampling: Sampling) -> String {
    match sampling {
        Sampling::AtEnd => "end".into(),
        Sampling::Every(n) => format!("every {n}"),
        Sampling::Parts(n) => format!("parts {n}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_counters_are_read_is_said_in_words() {
        for s in [Sampling::AtEnd, Sampling::Every(7), Sampling::Parts(10)] {
            assert_eq!(sampling(&sampling_text(s)), Some(s));
        }
        for wrong in ["", "every", "every 0", "parts x", "often 3", "end 1"] {
            assert_eq!(sampling(wrong), None, "{wrong}");
        }
    }
}
