//! The device: what a host drives, and what of it is the same for all vendors.
//!
//! What only NVIDIA's code needs (modules, banks, textures, system calls) is
//! [`crate::nvidia`]. It adds methods to the device; the other way there is one
//! seam, the field `nvidia`. AMD's is [`crate::amd`], the field `amd`.

use upset_chip::ChipSpec;
use upset_emu::{Counts, Limits};
use upset_machine::pmu::Reading;

use crate::amd::Amd;
use crate::checks::Checks;
use crate::journal::{Event, Pointer};
use crate::luggage::Luggage;
use crate::nvidia::Nvidia;
use crate::storage::Storage;
use crate::{DevPtr, DeviceError, LaunchSpan, Mode, Outputs, Pauses, Stats};

/// Called now and then during a launch: kernel name and counts so far.
pub type Progress = Box<dyn FnMut(&str, &Counts) + Send>;

/// A GPU as its host sees it.
pub struct Device {
    pub(crate) chip: ChipSpec,
    pub(crate) storage: Storage,
    pub(crate) outputs: Outputs,
    /// What the host was told besides.
    pub(crate) told: Outputs,
    /// What the host has got and not looked at.
    pub(crate) luggage: Luggage,
    pub(crate) stats: Stats,
    pub(crate) limits: Limits,
    pub(crate) launches: u64,
    pub(crate) cycle_limit: u64,
    /// Digest of what freed memory held, for that of the whole device.
    pub(crate) freed: Option<xxhash_rust::xxh3::Xxh3>,
    /// Loaded code, and what it needs besides memory.
    pub(crate) nvidia: Nvidia,
    /// The same of a chip of AMD's.
    pub(crate) amd: Option<Amd>,
    pub(crate) progress: Option<Progress>,
    pub(crate) pauses: Option<Box<dyn Pauses + Send>>,
    pub(crate) checks: Option<Box<dyn Checks + Send>>,
    /// A launch ended in a trap.
    pub(crate) trapped: bool,
    pub(crate) spans: Vec<LaunchSpan>,
    /// What was counted without time, if somebody wants to know.
    pub(crate) readings: Option<Vec<Reading>>,
    pub(crate) journal: Option<Vec<Event>>,
    /// Start and length of each allocation ever made, for the journal.
    pub(crate) allocations: Vec<(u64, u64)>,
}

impl Device {
    /// A device that executes instructions without time.
    pub fn new(chip: &ChipSpec) -> Result<Device, DeviceError> {
        Device::with(chip, |chip| Ok(Storage::plain(chip)))
    }

    /// A device whose kernels run cycle by cycle over the chip's arrays.
    pub fn timed(chip: &ChipSpec) -> Result<Device, DeviceError> {
        Device::with(chip, Storage::machine)
    }

    /// A device in the given mode.
    pub fn in_mode(chip: &ChipSpec, mode: Mode) -> Result<Device, DeviceError> {
        match mode {
            Mode::Functional => Device::new(chip),
            Mode::Timing => Device::timed(chip),
        }
    }

    /// Whether a chip runs CUDA programs; an error says why not.
    pub fn supports(chip: &ChipSpec) -> Result<(), DeviceError> {
        Nvidia::of(chip).map(|_| ())
    }

    fn with(
        chip: &ChipSpec,
        storage: fn(&ChipSpec) -> Result<Storage, DeviceError>,
    ) -> Result<Device, DeviceError> {
        let amd = Amd::of(chip)?;
        Ok(Device {
            nvidia: if amd.is_some() { Nvidia::idle() } else { Nvidia::of(chip)? },
            amd,
            storage: storage(chip)?,
            chip: chip.clone(),
            outputs: Outputs::default(),
            told: Outputs::default(),
            luggage: Luggage::default(),
            stats: Stats::default(),
            limits: Limits::default(),
            launches: 0,
            cycle_limit: u64::MAX,
            freed: Some(xxhash_rust::xxh3::Xxh3::new()),
            progress: None,
            pauses: None,
            checks: None,
            trapped: false,
            spans: Vec::new(),
            readings: None,
            journal: None,
            allocations: Vec::new(),
        })
    }

    /// The chip.
    pub fn chip(&self) -> &ChipSpec {
        &self.chip
    }

    /// Installs a progress callback.
    pub fn on_progress(&mut self, f: Progress) {
        self.progress = Some(f);
    }

    /// Asks `pauses` at the cycles it names, in timing mode.
    pub fn on_pause(&mut self, pauses: Box<dyn Pauses + Send>) {
        self.pauses = Some(pauses);
    }

    /// Shows `checks` the state at the cycles it names, in timing mode and until
    /// a launch ends in a trap.
    pub fn on_check(&mut self, checks: Box<dyn Checks + Send>) {
        self.checks = Some(checks);
    }

    /// Every launch that came to its end, in order, in timing mode.
    pub fn launches(&self) -> &[LaunchSpan] {
        &self.spans
    }

    /// Keeps the bytes that are copied to the host from now on.
    pub fn keep_outputs(&mut self) {
        self.outputs.keep();
    }

    /// Gives up launches that run longer.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Starts recording host operations.
    pub fn start_journal(&mut self) {
        self.journal = Some(Vec::new());
    }

    /// The operations recorded so far.
    pub fn take_journal(&mut self) -> Vec<Event> {
        self.journal.take().unwrap_or_default()
    }

    /// What the host has copied back.
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// What the kernels did.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Adds to the journal, if there is one.
    pub(crate) fn note(&mut self, event: impl FnOnce(&Device) -> Event) {
        if self.journal.is_some() {
            let e = event(self);
            if let Some(j) = &mut self.journal {
                j.push(e);
            }
        }
    }

    /// The newest allocation that holds `addr`.
    fn pointer(&self, addr: u64) -> Option<Pointer> {
        let i = self.allocations.iter().rposition(|&(s, n)| addr >= s && addr - s < n.max(1))?;
        Some(Pointer { allocation: i as u32, offset: addr - self.allocations[i].0 })
    }

    /// Start and length of the newest allocation that held an address, freed or not.
    pub(crate) fn last_allocation(&self, addr: u64) -> Option<(u64, u64)> {
        self.pointer(addr).map(|p| self.allocations[p.allocation as usize])
    }

    /// Start and length of each allocation ever made, in order.
    pub(crate) fn allocations(&self) -> &[(u64, u64)] {
        &self.allocations
    }

    pub(crate) fn pointer_or_null(&self, p: DevPtr) -> Pointer {
        self.pointer(p.0).unwrap_or(Pointer { allocation: u32::MAX, offset: p.0 })
    }
}
