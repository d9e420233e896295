//! What the library in the program is told.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use upset_agent::config;
use upset_chip::ChipSpec;
use upset_device::Mode;
use upset_device::pmu::Sampling;

use crate::convert;
use crate::install::Installed;
use crate::paths::absolute;

/// How kernels run, and what the program sees.
#[derive(Clone, Debug)]
pub struct Settings {
    /// A preset or a chip file.
    pub chip: String,
    /// Changes to it, `key=value`.
    pub set: Vec<String>,
    /// How kernels run.
    pub mode: Mode,
    /// Where a trace goes.
    pub trace: Option<PathBuf>,
    /// Where what was counted goes, a line per launch, and when it is read.
    pub counters: Option<(PathBuf, Sampling)>,
    /// Most cycles of a launch.
    pub kernel_cycles: Option<u64>,
    /// What it sees of clocks and random bytes.
    pub clock: Clock,
}

/// What a program sees of clocks and of the system's random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The same in every run: a clock that moves on by the program's own looks,
    /// and fixed bytes.
    Held,
    /// Held likewise, but another clock and other bytes: for a look at what the
    /// program makes of the difference.
    Other,
    /// As [`Clock::Held`], in processes that use the runtime only.
    HeldForCuda,
    /// The real ones.
    Real,
}

impl Clock {
    /// What the library is told.
    fn name(self) -> Option<&'static str> {
        match self {
            Clock::Held => Some("held"),
            Clock::Other => Some("other"),
            Clock::HeldForCuda => Some("cuda"),
            Clock::Real => None,
        }
    }
}

impl Settings {
    /// The environment variables that say so; `None` is for those that must
    /// not be set. Paths are absolute: the program may change its folder.
    pub fn variables(&self, installed: &Installed) -> Vec<(&'static str, Option<OsString>)> {
        let chip = match Path::new(&self.chip) {
            file if file.is_file() => absolute(file).into_os_string(),
            _ => self.chip.clone().into(),
        };
        let clock = self.clock.name();
        let set = (!self.set.is_empty()).then(|| self.set.join("\n").into());
        let (counters, counting) = match &self.counters {
            None => (None, None),
            Some((path, sampling)) => (
                Some(absolute(path).into_os_string()),
                Some(config::sampling_text(*sampling).into()),
            ),
        };
        let spec = ChipSpec::load(&self.chip, &self.set).ok();
        let converter = spec.and_then(|chip| convert::converter(convert::capability(&chip)?));
        let kept = convert::kept();
        vec![
            (config::CHIP, Some(chip)),
            (config::SET, set),
            (config::MODE, Some(self.mode.name().into())),
            (config::TRACE, self.trace.as_deref().map(|p| absolute(p).into_os_string())),
            (config::COUNTERS, counters),
            (config::COUNTING, counting),
            (config::KERNEL_CYCLES, self.kernel_cycles.map(|n| n.to_string().into())),
            (config::CLOCK, clock.map(OsString::from)),
            (config::RANDOM, clock.map(|_| installed.random().into_os_string())),
            (upset_ptx::CONVERTER, converter.map(|path| absolute(&path).into_os_string())),
            (upset_ptx::HELPER, upset_ptx::helper().map(PathBuf::into_os_string)),
            (upset_ptx::KEPT, kept.map(|folder| absolute(&folder).into_os_string())),
        ]
    }
}
