//! Performance counters of launches.

use upset_compute::pmu::{add_events, class_of};
use upset_emu::Tally;
use upset_isa::{Unit, WARP};
use upset_machine::pmu::{Counter, Counts, Period, Reading, Sampling};

use crate::{Device, DeviceError, Launch};

impl Device {
    /// Reads the performance counters of every launch from now on. That changes
    /// nothing but the time it takes.
    pub fn start_counting(&mut self, sampling: Sampling) -> Result<(), DeviceError> {
        self.check_counters()?;
        match (self.machine_mut(), sampling) {
            (Some(machine), sampling) => machine.start_counting(sampling),
            (None, Sampling::AtEnd) => self.readings = Some(Vec::new()),
            (None, Sampling::Every(_) | Sampling::Parts(_)) => return Err(DeviceError::NoCycles),
        }
        Ok(())
    }

    /// The same, with cycles between readings for each launch from now on in
    /// turn; 0, and launches beyond the list: at the end alone.
    pub fn start_counting_each(&mut self, every: Vec<u64>) -> Result<(), DeviceError> {
        self.check_counters()?;
        match self.machine_mut() {
            Some(machine) => machine.start_counting_each(every),
            None => return Err(DeviceError::NoCycles),
        }
        Ok(())
    }

    fn check_counters(&self) -> Result<(), DeviceError> {
        match self.is_amd() {
            true => Err(DeviceError::NoCounters { chip: self.chip.chip.name.clone() }),
            false => Ok(()),
        }
    }

    /// What was counted, launch by launch; of those that ended in a trap too.
    pub fn readings(&self) -> &[Reading] {
        match self.machine() {
            Some(machine) => machine.readings(),
            None => self.readings.as_deref().unwrap_or_default(),
        }
    }

    /// Keeps what was counted without time: as one SM in one period.
    pub(crate) fn keep_reading(
        &mut self,
        kernel: &str,
        launch: &Launch,
        tally: &Tally,
        ended: bool,
    ) {
        let Some(readings) = &mut self.readings else { return };
        readings.push(Reading {
            launch: readings.len() as u64,
            kernel: kernel.to_string(),
            grid: launch.grid,
            block: launch.block,
            lanes: WARP as u32,
            schedulers: 0,
            ended,
            cut: false,
            start: 0,
            cycles: 0,
            periods: vec![Period { to: 0, sms: vec![counts(tally)] }],
        });
    }
}

fn counts(tally: &Tally) -> Counts {
    let Tally { warp_insts, thread_insts, inactive, classes, events, launched, exited } = tally;
    let mut counts = Counts::default();
    counts.set(Counter::WarpInsts, *warp_insts);
    counts.set(Counter::ThreadInsts, *thread_insts);
    counts.set(Counter::Inactive, *inactive);
    for (unit, &issued) in Unit::ALL.into_iter().zip(classes) {
        counts.add(class_of(unit), issued);
    }
    add_events(&mut counts, events);
    let [ctas, warps, threads] = *launched;
    counts.set(Counter::CtasLaunched, ctas);
    counts.set(Counter::WarpsLaunched, warps);
    counts.set(Counter::ThreadsLaunched, threads);
    let [ctas, warps] = *exited;
    counts.set(Counter::CtasExited, ctas);
    counts.set(Counter::WarpsExited, warps);
    counts
}
