//! The fault-free run: what a campaign plans with and compares against.

use std::sync::PoisonError;

use upset_apps::{App, AppRun, ElementType, FolderApp, Scale};
use upset_chip::ChipSpec;
use upset_device::{Device, Functions, InUse, LaunchCounters, LaunchSpan, Stats};
use upset_fault::{ModelSpec, Residency, Structure};
use upset_state::{Owner, Registry, Watch, kind};
use upset_store::{KernelProfile, LaunchSpan as StoredSpan, Profile, StructureSize};
use upset_trial::{Element, Notes, Recorder, residency};

use crate::CampaignError;
use crate::folder;

/// A typed array that came out of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// What its elements are.
    pub element: Element,
    /// The elements as they lie in memory.
    pub bytes: Vec<u8>,
}

/// A fault-free run.
pub struct Golden {
    /// Cycles.
    pub cycles: u64,
    /// Launches in order.
    pub launches: Vec<LaunchSpan>,
    /// What the kernels did.
    pub stats: Stats,
    /// Digest of the copies.
    pub output_digest: String,
    /// Every copy to the host.
    pub copies: Vec<Vec<u8>>,
    /// What the application calls its results, or what a program's are compared by.
    pub results: Vec<Array>,
    /// Who was where.
    pub residency: Residency,
    /// How much of the arrays was in use.
    pub in_use: InUse,
    /// The arrays as they are at the end: local memory included.
    pub registry: Registry,
    /// Digests of its state, to compare other runs with.
    pub notes: Notes,
    /// Where its code was.
    pub functions: Functions,
    /// Which of it was made from PTX: by whom, and its digest.
    pub converted: Vec<(String, String)>,
}

/// A built-in application, or a folder's, with its input.
pub struct Bench {
    app: AppBox,
    /// Input size.
    pub scale: Scale,
    /// Input seed.
    pub seed: u64,
    /// The chip.
    pub chip: ChipSpec,
}

enum AppBox {
    BuiltIn(&'static dyn App),
    Folder(Box<FolderApp>),
}

impl Bench {
    /// Finds an application by name, or opens its folder.
    pub fn open(
        name: &str,
        scale: Scale,
        seed: Option<u64>,
        chip: ChipSpec,
    ) -> Result<Bench, CampaignError> {
        let path = std::path::Path::new(name);
        let app = match path.join("app.toml").is_file() {
            true => AppBox::Folder(Box::new(folder::open(path, &chip)?)),
            false => AppBox::BuiltIn(upset_apps::find(name)?),
        };
        let mut bench = Bench { app, scale, seed: 0, chip };
        bench.seed = seed.unwrap_or(bench.app().default_seed());
        Ok(bench)
    }

    /// The application.
    pub fn app(&self) -> &dyn App {
        match &self.app {
            AppBox::BuiltIn(app) => *app,
            AppBox::Folder(app) => app.as_ref(),
        }
    }

    /// A device that keeps outputs.
    pub fn device(&self) -> Result<Device, CampaignError> {
        let mut device = Device::timed(&self.chip)?;
        device.keep_outputs();
        Ok(device)
    }

    /// Runs it without faults, watched or not.
    pub fn golden(&self, watch: Option<Watch>) -> Result<Golden, CampaignError> {
        let mut device = self.device()?;
        let (recorder, notes) = Recorder::new();
        match watch {
            Some(watch) => device.watch(watch),
            None => device.on_check(Box::new(recorder)),
        }
        let golden = self.golden_on(&mut device)?;
        let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Golden { notes, ..golden })
    }

    /// Runs it without faults on a device that was made ready for it.
    pub fn golden_on(&self, device: &mut Device) -> Result<Golden, CampaignError> {
        device.start_trace();
        let run = self.app().run(device, self.scale, self.seed)?;
        let verdict = self.app().check(&run);
        if !verdict.passed {
            let what = verdict.first_mismatch.map_or(String::new(), |m| format!(": {m}"));
            return Err(CampaignError::Golden {
                subject: self.name(),
                what: format!("differs from its reference{what}"),
            });
        }
        let places = residency::Places::of(&self.chip);
        let residency = device.trace().map(|t| residency::of(t, places)).unwrap_or_default();
        let registry = device.machine_mut().map(|m| Registry::of(m)).unwrap_or_default();
        Ok(Golden {
            cycles: device.cycles().unwrap_or(0),
            launches: device.launches().to_vec(),
            stats: device.stats().clone(),
            output_digest: device.outputs().digest(),
            copies: device.outputs().kept().to_vec(),
            results: arrays(&run),
            residency,
            in_use: device.in_use(),
            registry,
            notes: Notes::default(),
            functions: device.functions(),
            converted: Vec::new(),
        })
    }

    /// Application and chip, for messages.
    pub fn name(&self) -> String {
        format!("{} on {}", self.app().id(), self.chip.chip.name)
    }
}

/// An application's results as arrays.
pub fn arrays(run: &AppRun) -> Vec<Array> {
    let element = |t: ElementType| match t {
        ElementType::F32 => Element::F32,
        ElementType::F64 => Element::F64,
        ElementType::I32 => Element::I32,
        ElementType::U32 => Element::U32,
        ElementType::U8 => Element::U8,
    };
    run.outputs
        .iter()
        .map(|o| Array { element: element(o.values.element_type()), bytes: o.values.to_bytes() })
        .collect()
}

impl Golden {
    /// What the store keeps of it.
    pub fn profile(&self, chip: &ChipSpec, limit: f64) -> Profile {
        let kernels = self.stats.kernels.iter().map(|k| {
            let none = LaunchCounters::default();
            let t = k.timing.as_ref().unwrap_or(&none);
            let active = t.cores.sm.active_cycles.max(1) as f64;
            KernelProfile {
                name: k.name.clone(),
                launches: k.launches,
                cycles: t.cycles,
                registers: k.registers,
                shared_bytes: k.shared_bytes,
                local_bytes: k.local_bytes,
                threads_per_sm: t.cores.sm.thread_cycles as f64 / active,
                ctas_per_sm: t.cores.sm.cta_cycles as f64 / active,
                occupancy: t.cores.sm.warp_cycles as f64 / active / f64::from(chip.warps().max(1)),
                busy: t.cores.sm.active_cycles as f64
                    / (t.cycles.max(1) * u64::from(chip.processors().max(1))) as f64,
                sms_used: t.sms_used as u32,
                thread_insts: k.thread_insts,
            }
        });
        Profile {
            cycles: self.cycles,
            core_mhz: chip.clock.core_mhz,
            limit: limit_of(self.cycles, limit),
            launches: self
                .launches
                .iter()
                .map(|l| StoredSpan { kernel: l.kernel.clone(), start: l.start, end: l.end })
                .collect(),
            kernels: kernels.collect(),
            structures: sizes(&self.registry),
            output_digest: self.output_digest.clone(),
            output_bytes: self.copies.iter().map(|c| c.len() as u64).sum(),
            sms: chip.processors(),
            registers_per_sm: chip.registers(),
            shared_per_sm: chip.shared_bytes(),
            whole_words: self.in_use.whole_words,
        }
    }

    /// SMs in which a fault of a structure can matter that happens while a
    /// kernel (or any) runs; in all others it does nothing.
    ///
    /// What a warp's start sets anew is lost with the warp, so that a flip
    /// matters only where the kernel itself has warps. Everything else keeps its
    /// bits for launches to come (lines of a cache, registers, shared memory), and
    /// stuck bits are still stuck then: for those every SM counts that any
    /// launch uses.
    pub fn sms_for(
        &self,
        structure: &Structure,
        model: &ModelSpec,
        kernel: Option<&str>,
        subcores: u32,
    ) -> Vec<u32> {
        // Scalar registers keep what their last wave left, as vector registers do.
        let is_slot = |a: &kind::About| a.owner == Owner::Warp && a.per != kind::Per::SubCore;
        let of_a_warp = kind::named(&structure.kind).is_some_and(is_slot);
        let is_lost = *model == ModelSpec::Flip && of_a_warp;
        self.sms_of(kernel.filter(|_| is_lost), subcores)
    }

    /// Whether a second fault-free run was the same.
    pub fn is_again(&self, again: &Golden, subject: &str) -> Result<(), CampaignError> {
        match (again.cycles, &again.output_digest) == (self.cycles, &self.output_digest) {
            true => Ok(()),
            false => Err(CampaignError::Golden {
                subject: subject.into(),
                what: "was not the same the second time; results would mean nothing".into(),
            }),
        }
    }

    /// SMs on which a kernel (or any) had warps.
    pub fn sms_of(&self, kernel: Option<&str>, subcores: u32) -> Vec<u32> {
        let launch = |l: u32| self.launches.get(l as usize).map(|l| l.kernel.as_str());
        let wanted = |l: u32| kernel.is_none_or(|k| launch(l) == Some(k));
        let warps = self.residency.warps.iter().filter(|w| wanted(w.launch));
        let mut sms: Vec<u32> = warps.map(|w| w.rf.instance / subcores.max(1)).collect();
        sms.sort_unstable();
        sms.dedup();
        sms
    }
}

/// Last cycle of a faulty run.
pub fn limit_of(cycles: u64, factor: f64) -> u64 {
    // Exact for the usual factors, and the same everywhere: one multiplication.
    (cycles as f64 * factor).ceil() as u64
}

fn sizes(registry: &Registry) -> Vec<StructureSize> {
    let mut sizes: Vec<StructureSize> = Vec::new();
    let mut add =
        |name: String, bits: u64, instance: bool| match sizes.iter_mut().find(|s| s.name == name) {
            Some(s) => {
                s.bits += bits;
                s.instances += u32::from(instance);
            }
            None => sizes.push(StructureSize { name, bits, instances: u32::from(instance) }),
        };
    for layout in &registry.arrays {
        let bits = layout.bits();
        let whole = layout.id.part == upset_state::Part::Data;
        add(layout.kind.clone(), bits, whole);
        if layout.parted {
            add(format!("{}.{}", layout.kind, layout.id.part), bits, true);
        }
    }
    sizes
}
