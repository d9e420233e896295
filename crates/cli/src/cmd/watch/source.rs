//! What is watched: an application or a program, on a chip.

use std::path::Path;

use upset_apps::{App, FolderApp, Scale};
use upset_campaign::{folder, watched};
use upset_chip::ChipSpec;
use upset_device::pmu::{Reading, Sampling};
use upset_device::{Device, Mode};
use upset_watch::analysis::steering;
use upset_watch::constants::Steerings;
use upset_watch::{Subject, digest};

use super::program::Program;
use crate::failure::{self, Failure};
use crate::subject;

/// What is watched.
pub struct Source {
    what: What,
    pub chip: ChipSpec,
    pub mode: Mode,
}

enum What {
    BuiltIn(&'static dyn App, Scale),
    Folder(Box<FolderApp>, Scale),
    Program(Program),
}

impl Source {
    /// Opens it.
    pub fn open(
        what: &subject::Subject,
        (chip, set): (&str, &[String]),
        mode: Mode,
        scale: Scale,
    ) -> Result<Source, Failure> {
        let spec = ChipSpec::load(chip, set)?;
        let what = match &what.app {
            Some(name) if Path::new(name).join("app.toml").is_file() => {
                What::Folder(Box::new(folder::open(Path::new(name), &spec)?), scale)
            }
            Some(name) => What::BuiltIn(upset_apps::find(name)?, scale),
            None => What::Program(Program::open(&what.program, chip, set)?),
        };
        // Whether there are counters is known before the first run.
        let mut device = Device::in_mode(&spec, mode)?;
        device.start_counting(Sampling::AtEnd)?;
        Ok(Source { what, chip: spec, mode })
    }

    /// The application, and the size of its input.
    pub fn app(&self) -> Option<(&dyn App, Scale)> {
        match &self.what {
            What::BuiltIn(app, scale) => Some((*app, *scale)),
            What::Folder(app, scale) => Some((app.as_ref(), *scale)),
            What::Program(_) => None,
        }
    }

    /// What a profile is of.
    pub fn subject(&self) -> Result<Subject, Failure> {
        match &self.what {
            What::Program(program) => Ok(Subject {
                name: program.name(),
                code: digest(&program.image()?),
                chip: self.chip.chip.name.clone(),
                chip_digest: digest(self.chip.to_toml().as_bytes()),
                mode: self.mode.name().to_string(),
                scale: None,
            }),
            What::BuiltIn(app, scale) => Ok(watched::subject(*app, *scale, &self.chip, self.mode)),
            What::Folder(app, scale) => {
                Ok(watched::subject(app.as_ref(), *scale, &self.chip, self.mode))
            }
        }
    }

    /// Its device code.
    fn images(&self) -> Result<Vec<Vec<u8>>, Failure> {
        match (&self.what, self.app()) {
            (What::Program(program), _) => Ok(vec![program.image()?]),
            (_, Some((app, _))) => {
                Ok(app.binaries(&self.chip).into_iter().map(|(_, code)| code).collect())
            }
            (_, None) => Ok(Vec::new()),
        }
    }

    /// What the counts of its kernels depend on, from their code. Code that
    /// cannot be loaded here has no constants.
    pub fn steerings(&self) -> Result<Steerings, Failure> {
        let mut found = Steerings::new();
        for image in self.images()? {
            let mut device = Device::in_mode(&self.chip, Mode::Functional)?;
            let Ok(module) = device.load_module(&image) else { continue };
            for kernel in device.kernel_codes(module) {
                let of = steering(&kernel.program, kernel.entry, kernel.parameters);
                found.insert(kernel.name, of);
            }
        }
        Ok(found)
    }

    /// What is counted in a fault-free run of an input, read every so many
    /// cycles of each launch; at its end alone where nothing is said.
    pub fn readings(&self, input: u64, every: &[u64]) -> Result<Vec<Reading>, Failure> {
        let Some((app, scale)) = self.app() else {
            let What::Program(program) = &self.what else { return Ok(Vec::new()) };
            return program.readings(self.mode, input, every.first().copied());
        };
        let mut device = Device::in_mode(&self.chip, self.mode)?;
        count(&mut device, every)?;
        let run = app.run(&mut device, scale, input)?;
        let verdict = app.check(&run);
        match verdict.passed {
            true => Ok(device.readings().to_vec()),
            false => {
                let what = verdict.first_mismatch.map_or(String::new(), |m| format!(": {m}"));
                let text =
                    format!("{} differs from its reference with seed {input}{what}", app.id());
                Err(Failure::new(failure::NO, text))
            }
        }
    }

    /// Cycles between `samples` readings of each launch, by the lengths that
    /// launches of a run had. Programs have one for all.
    pub fn every(&self, run: &[Reading], samples: u64) -> Vec<u64> {
        let parts = |cycles: u64| cycles.div_ceil(samples.max(1)).max(1);
        if self.mode == Mode::Functional {
            return Vec::new();
        }
        match &self.what {
            What::Program(_) => {
                let longest = run.iter().map(|r| r.cycles).max().unwrap_or(0);
                vec![parts(longest); run.len()]
            }
            _ => run.iter().map(|r| parts(r.cycles)).collect(),
        }
    }
}

/// Lets a device count.
pub fn count(device: &mut Device, every: &[u64]) -> Result<(), Failure> {
    match every.is_empty() {
        true => device.start_counting(Sampling::AtEnd)?,
        false => device.start_counting_each(every.to_vec())?,
    }
    Ok(())
}
