//! Where a device's bytes live: plain memory, or a machine with caches.

use std::collections::BTreeMap;

use upset_chip::ChipSpec;
use upset_mem::{LINE, Segment, driver_of};
use upset_state::{By, GlobalMemory, Haunted, Probe, Quiet, Watch};

use crate::DeviceError;
use crate::machine::Machine;

/// A device's memory and, in timing mode, everything else of the chip.
// One per device: the size of the smaller variant does not matter.
#[allow(clippy::large_enum_variant)]
pub enum Storage {
    /// Functional mode: bytes.
    Plain(GlobalMemory),
    /// Timing mode.
    Machine {
        /// The chip.
        machine: Box<Machine>,
        /// Who watches its arrays, if anybody does.
        watch: Option<Box<Watch>>,
        /// The runs that are followed by their differences, when nobody watches.
        haunt: Option<Box<Haunting>>,
    },
}

/// Asked when a ghost must leave, with its number and the cycle. True: this
/// run becomes that ghost. False: it is somebody else's from now on.
pub type Part = Box<dyn FnMut(u32, u64) -> bool + Send>;

/// Runs that are followed, and who is asked when one must leave.
pub struct Haunting {
    /// The runs.
    pub probe: Haunted,
    /// Who is asked.
    pub part: Part,
}

impl Haunting {
    /// The host is about to do something: what is due in this cycle comes first.
    pub(crate) fn comes(&mut self, machine: &mut Machine) {
        machine.apply_due(&mut self.probe);
        machine.let_ghosts_go(&mut self.probe, &mut self.part);
    }
}

impl Storage {
    /// Plain memory.
    pub fn plain(chip: &ChipSpec) -> Storage {
        Storage::Plain(GlobalMemory::new(chip.memory.bytes, driver_of(chip)))
    }

    /// A machine; an error if the chip has other cores.
    pub fn machine(chip: &ChipSpec) -> Result<Storage, DeviceError> {
        let machine = Box::new(Machine::new(chip)?);
        Ok(Storage::Machine { machine, watch: None, haunt: None })
    }

    /// Global memory, for allocation.
    pub fn global_mut(&mut self) -> &mut GlobalMemory {
        match self {
            Storage::Plain(m) => m,
            Storage::Machine { machine, .. } => machine.mem_mut().global_mut(),
        }
    }

    /// Lines of the driver's own memory that hold what somebody wrote there, by
    /// address.
    pub fn written_outside(&mut self) -> BTreeMap<u64, [u8; LINE as usize]> {
        match self {
            Storage::Plain(m) => {
                let mut lines = BTreeMap::new();
                for (at, bytes) in m.written_outside() {
                    let (each, _) = bytes.as_chunks::<{ LINE as usize }>();
                    lines.extend((at..).step_by(LINE as usize).zip(each.iter().copied()));
                }
                lines.retain(|_, bytes| !m.is_blank(bytes));
                lines
            }
            Storage::Machine { machine, .. } => machine.mem_mut().written_outside(),
        }
    }

    /// Global memory, to be looked at.
    pub fn global(&self) -> &GlobalMemory {
        match self {
            Storage::Plain(m) => m,
            Storage::Machine { machine, .. } => machine.mem().global(),
        }
    }

    /// Reads as the host would, without anybody being told: the program has
    /// no part in it.
    pub fn peek(&mut self, addr: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        match self {
            Storage::Plain(_) => self.read(addr, out),
            Storage::Machine { machine, .. } => {
                let now = machine.cycle();
                Ok(machine.mem_mut().host_read(now, addr, out, &mut Quiet)?)
            }
        }
    }

    /// Makes a range outside global memory exist.
    pub fn map(&mut self, kind: Segment, base: u64, len: u64) {
        if let Storage::Machine { machine, watch, haunt } = self {
            let now = machine.cycle();
            match watch {
                Some(w) => {
                    host_acts(machine, w);
                    machine.mem_mut().map_segment(now, kind, base, len, &mut **w);
                }
                None => match haunt {
                    Some(h) => machine.mem_mut().map_segment(now, kind, base, len, &mut h.probe),
                    None => machine.mem_mut().map_segment(now, kind, base, len, &mut Quiet),
                },
            }
        }
    }

    /// Copies from the host.
    pub fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        match self {
            Storage::Plain(m) => m.copy_in(addr, bytes)?,
            Storage::Machine { machine, watch, haunt } => {
                let now = machine.cycle();
                match watch {
                    Some(w) => {
                        host_acts(machine, w);
                        machine.mem_mut().host_write(now, addr, bytes, &mut **w)?;
                    }
                    None => match haunt {
                        Some(h) => {
                            h.comes(machine);
                            machine.mem_mut().host_write(now, addr, bytes, &mut h.probe)?;
                        }
                        None => {
                            machine.apply_due(&mut Quiet);
                            machine.mem_mut().host_write(now, addr, bytes, &mut Quiet)?;
                        }
                    },
                }
            }
        }
        Ok(())
    }

    /// Sets bytes.
    pub fn fill(&mut self, addr: u64, value: u8, len: u64) -> Result<(), DeviceError> {
        match self {
            Storage::Plain(m) => m.set(addr, value, len)?,
            Storage::Machine { machine, watch, haunt } => {
                let now = machine.cycle();
                match watch {
                    Some(w) => {
                        host_acts(machine, w);
                        machine.mem_mut().host_fill(now, addr, value, len, &mut **w)?;
                    }
                    None => match haunt {
                        Some(h) => {
                            h.comes(machine);
                            machine.mem_mut().host_fill(now, addr, value, len, &mut h.probe)?;
                        }
                        None => {
                            machine.apply_due(&mut Quiet);
                            machine.mem_mut().host_fill(now, addr, value, len, &mut Quiet)?;
                        }
                    },
                }
            }
        }
        Ok(())
    }

    /// Copies to the host.
    pub fn read(&mut self, addr: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        match self {
            Storage::Plain(m) => m.copy_out(addr, out)?,
            Storage::Machine { machine, watch, haunt } => {
                let now = machine.cycle();
                match watch {
                    Some(w) => {
                        host_acts(machine, w);
                        machine.mem_mut().host_read(now, addr, out, &mut **w)?;
                    }
                    None => {
                        match haunt {
                            Some(h) => {
                                h.comes(machine);
                                let len = out.len() as u64;
                                machine.host_looks(addr, len, &mut h.probe, &mut h.part);
                            }
                            None => machine.apply_due(&mut Quiet),
                        }
                        machine.mem_mut().host_read(now, addr, out, &mut Quiet)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The host is about to do something: planned changes of this cycle come first.
fn host_acts(machine: &mut Machine, watch: &mut Watch) {
    machine.apply_due(watch);
    watch.acting(By::Host);
}
