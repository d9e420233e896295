//! What bits are broken under: a built-in application, or a CUDA program.

use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;

use upset_chip::ChipSpec;
use upset_device::Look;
use upset_store::Subject;
use upset_trial::{Driven, Fate, Lifetimes, Sample, Stuck, driven, lifetimes, underway};
use xxhash_rust::xxh3::xxh3_128;

use crate::CampaignError;
use crate::found::Found;
use crate::golden::{Bench, Golden};
use crate::programs::ProgramBench;
use crate::spec::Spec;
use crate::wire::ProgramSetup;

/// One application or program on one chip.
pub enum Workload {
    /// Its host side is in this process.
    App(Box<Bench>),
    /// It has a process of its own, with the device in it.
    Program(Box<ProgramBench>),
}

impl Workload {
    /// Opens what a specification says, by the numbers of application and chip.
    pub fn open(spec: &Spec, app: usize, chip: usize) -> Result<Workload, CampaignError> {
        let chip = &spec.chips[chip];
        if !spec.program.is_empty() {
            return Ok(Workload::Program(Box::new(ProgramBench::open(spec, chip)?)));
        }
        let chip = ChipSpec::load(chip, &spec.set)?;
        let bench = Bench::open(&spec.apps[app], spec.scale, spec.input_seed, chip)?;
        Ok(Workload::App(Box::new(bench)))
    }

    /// Application and chip, for messages.
    pub fn name(&self) -> String {
        match self {
            Workload::App(bench) => bench.name(),
            Workload::Program(bench) => bench.name(),
        }
    }

    /// The chip.
    pub fn chip(&self) -> &ChipSpec {
        match self {
            Workload::App(bench) => &bench.chip,
            Workload::Program(bench) => &bench.chip,
        }
    }

    /// Makes the fault-free run; `notes` are things that the user should know.
    pub fn golden(
        &mut self,
        notes: &mut Vec<String>,
        stop: &AtomicBool,
    ) -> Result<Golden, CampaignError> {
        match self {
            Workload::App(bench) => bench.golden(None),
            Workload::Program(bench) => bench.golden(notes, stop),
        }
    }

    /// Finds what happens to bits in the fault-free run, and what others belong
    /// to in it.
    pub fn fates(
        &self,
        golden: &Golden,
        samples: Vec<Sample>,
        looks: Vec<Look>,
        stop: &AtomicBool,
    ) -> Result<Found, CampaignError> {
        let bench = match self {
            Workload::App(bench) => bench,
            Workload::Program(bench) => return bench.fates(golden, samples, looks, stop),
        };
        let mut device = bench.device()?;
        let mut lives = None;
        if !samples.is_empty() {
            let (watch, seen) = lifetimes::watch(Lifetimes::new(&golden.registry, samples));
            device.watch(watch);
            lives = Some(seen);
        }
        let seen = underway::SharedSeen::default();
        device.look(looks, underway::looker(&seen));
        let again = bench.golden_on(&mut device)?;
        golden.is_again(&again, &bench.name())?;
        let fates = lives.map(|l| l.lock().unwrap_or_else(PoisonError::into_inner).fates());
        let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Found { fates: fates.unwrap_or_default(), seen })
    }

    /// Finds what wires that stick are driven with in the fault-free run. Of a
    /// program that is not known: its device is in another process.
    pub fn driven(&self, golden: &Golden, list: Vec<Stuck>) -> Result<Vec<Fate>, CampaignError> {
        let bench = match self {
            Workload::App(bench) => bench,
            Workload::Program(_) => return Ok(vec![Fate::Unknown; list.len()]),
        };
        let mut device = bench.device()?;
        let (watch, seen) = driven::watch(Driven::new(list));
        device.watch(watch);
        let again = bench.golden_on(&mut device)?;
        golden.is_again(&again, &bench.name())?;
        let fates = seen.lock().unwrap_or_else(PoisonError::into_inner).fates();
        Ok(fates)
    }

    /// As it is stored.
    pub fn subject(&self, id: u32, golden: &Golden, limit: f64) -> Result<Subject, CampaignError> {
        let chip = self.chip();
        let (app, scale, command, binaries) = match self {
            Workload::App(bench) => {
                let code = bench.app().binaries(chip).into_iter();
                let digest =
                    |(name, code): (String, Vec<u8>)| (name, format!("{:032x}", xxh3_128(&code)));
                let (id, scale) = (bench.app().id().to_string(), bench.scale.name().to_string());
                (id, scale, Vec::new(), code.map(digest).collect())
            }
            Workload::Program(bench) => {
                let mut binaries = bench.binaries()?;
                // The same PTX is other code under another converter.
                binaries.extend(golden.converted.iter().cloned());
                (bench.app(), String::new(), bench.command(), binaries)
            }
        };
        Ok(Subject {
            id,
            app,
            scale,
            command,
            chip: chip.chip.name.clone(),
            chip_toml: chip.to_toml(),
            binaries,
            profile: golden.profile(chip, limit),
        })
    }

    /// Whether a store's subject is what its name stands for now.
    pub fn is_still(
        &self,
        subject: &Subject,
        golden: &Golden,
        limit: f64,
    ) -> Result<(), CampaignError> {
        match self.subject(subject.id, golden, limit)? == *subject {
            true => Ok(()),
            false => Err(CampaignError::Golden {
                subject: self.name(),
                what: "is not the one that the store was made with: the application, the chip \
                       or this program has changed"
                    .into(),
            }),
        }
    }

    /// What workers must know of a program besides the specification.
    pub fn program(&self) -> Option<ProgramSetup> {
        match self {
            Workload::App(_) => None,
            Workload::Program(bench) => Some(bench.setup()),
        }
    }
}
