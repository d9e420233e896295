//! A program on a chip, ready to be run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use upset_chip::ChipSpec;
use upset_device::Device;
use upset_launcher::{self as launcher, Clock, Installed};
use xxhash_rust::xxh3::xxh3_128;

use super::compare::Compare;
use super::mirror;
use super::scratch::Scratch;
use crate::CampaignError;
use crate::spec::Spec;
use crate::wire::ProgramSetup;

/// A program with its arguments on a chip.
pub struct ProgramBench {
    /// The chip.
    pub chip: ChipSpec,
    pub(super) command: Vec<OsString>,
    pub(super) file: PathBuf,
    pub(super) settings: launcher::Settings,
    pub(super) installed: Installed,
    pub(super) libraries: launcher::Libraries,
    pub(super) compare: Compare,
    /// Where the user started it.
    pub(super) home: PathBuf,
    /// Files that it writes: every run has its own.
    pub(super) private: Vec<PathBuf>,
    /// Where runs have their folders.
    pub(super) folder: PathBuf,
    /// Owned by the coordinator alone.
    pub(super) scratch: Option<Scratch>,
}

impl ProgramBench {
    /// Finds the program and looks at it. Runs have their folders in a new
    /// temporary one.
    pub fn open(spec: &Spec, chip: &str) -> Result<ProgramBench, CampaignError> {
        let scratch = Scratch::new().map_err(|e| {
            CampaignError::Program(format!("cannot make a folder for temporary files: {e}"))
        })?;
        let mut bench = ProgramBench::within(spec, chip, scratch.path().to_path_buf())?;
        bench.scratch = Some(scratch);
        Ok(bench)
    }

    /// Runs have their folders in `folder`.
    pub(super) fn within(
        spec: &Spec,
        chip: &str,
        folder: PathBuf,
    ) -> Result<ProgramBench, CampaignError> {
        let command: Vec<OsString> = spec.program.iter().map(OsString::from).collect();
        let Some(name) = command.first() else {
            return Err(CampaignError::Spec("no program".into()));
        };
        let chip_spec = ChipSpec::load(chip, &spec.set)?;
        // Whether the chip can be simulated is known before the program starts.
        Device::supports(&chip_spec)?;
        let looked = launcher::inspect(Path::new(name))?;
        let installed = launcher::install()?;
        let libraries = launcher::libraries(&looked, &installed)?;
        let here = |e: std::io::Error| CampaignError::Program(format!("no working folder: {e}"));
        let home = std::env::current_dir().map_err(here)?;
        let compare = Compare::of(spec)?;
        let mut private = Vec::new();
        for file in &compare.files {
            let whole = mirror::absolute(&home, Path::new(file)).ok_or_else(|| {
                CampaignError::Spec(format!(
                    "`files` has {file}: it must be a path from the working folder, since every \
                     run writes its own"
                ))
            })?;
            private.push(whole);
        }
        Ok(ProgramBench {
            chip: chip_spec,
            file: std::path::absolute(&looked.file).map_err(here)?,
            command,
            settings: launcher::Settings {
                chip: chip.to_string(),
                set: spec.set.clone(),
                mode: upset_device::Mode::Timing,
                trace: None,
                counters: None,
                kernel_cycles: None,
                clock: match spec.real_clock {
                    true => Clock::Real,
                    false => Clock::Held,
                },
            },
            installed,
            libraries,
            compare,
            home,
            private,
            folder,
            scratch: None,
        })
    }

    /// The program's file name.
    pub fn app(&self) -> String {
        let name = self.file.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Program and chip, for messages.
    pub fn name(&self) -> String {
        format!("{} on {}", self.app(), self.chip.chip.name)
    }

    /// Program and arguments.
    pub fn command(&self) -> Vec<String> {
        self.command.iter().map(|a| a.to_string_lossy().into_owned()).collect()
    }

    /// Digests of the program and of the libraries that came with it.
    pub fn binaries(&self) -> Result<Vec<(String, String)>, CampaignError> {
        let digest = |path: &PathBuf| {
            let bytes = std::fs::read(path).map_err(|e| {
                CampaignError::Program(format!("cannot read {}: {e}", path.display()))
            })?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, format!("{:032x}", xxh3_128(&bytes))))
        };
        std::iter::once(&self.file).chain(&self.libraries.own).map(digest).collect()
    }

    /// What a worker must know besides the specification.
    pub fn setup(&self) -> ProgramSetup {
        ProgramSetup { folder: self.folder.clone(), private: self.private.clone() }
    }
}
