//! Ghosts and what the host carries ([`crate::carried`]), as the storage has it.

use upset_state::Quiet;
use upset_state::ghosts::Told;

use crate::DeviceError;
use crate::storage::{Haunting, Storage};

impl Storage {
    /// Copies to a host that does not look: as the fault-free run has the bytes.
    pub fn read_carried(&mut self, addr: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        match self {
            Storage::Machine { machine, watch: None, haunt: Some(h) } => {
                h.comes(machine);
                let now = machine.cycle();
                Ok(machine.mem_mut().host_read(now, addr, out, &mut Quiet)?)
            }
            _ => self.read(addr, out),
        }
    }

    /// Differences go along with bytes that the host carries from `host` on.
    pub fn carry_ghosts(&mut self, addr: u64, len: u64, host: u64) {
        if let Storage::Machine { machine, watch: None, haunt: Some(h) } = self {
            let Haunting { probe, part } = &mut **h;
            machine.mem().carry_ghosts(addr, len, host, probe);
            machine.let_ghosts_go(probe, part);
        }
    }

    /// The host is about to do something: what is due in this cycle comes first.
    pub fn host_comes(&mut self) {
        if let Storage::Machine { machine, watch: None, haunt: Some(h) } = self {
            h.comes(machine);
        }
    }

    /// Copies bytes from the host that it carries from `host` on.
    pub fn write_carried(&mut self, addr: u64, bytes: &[u8], host: u64) -> Result<(), DeviceError> {
        match self {
            Storage::Machine { machine, watch: None, haunt: Some(h) } => {
                h.comes(machine);
                let Haunting { probe, part } = &mut **h;
                let now = machine.cycle();
                machine.mem_mut().host_write_carried(now, addr, bytes, Some(host), probe)?;
                machine.let_ghosts_go(probe, part);
                Ok(())
            }
            _ => self.write(addr, bytes),
        }
    }

    /// Ghosts that differ in bytes which the host carries leave: in a range of
    /// them, or in any.
    pub fn look_at_carried(&mut self, range: Option<(u64, u64)>) {
        if let Storage::Machine { machine, watch: None, haunt: Some(h) } = self {
            let Haunting { probe, part } = &mut **h;
            machine.host_looks_at_carried(range, probe, part);
        }
    }

    /// In what the bytes differ that the host of this run has got, if it has just
    /// become one of the ghosts.
    pub fn take_told(&mut self) -> Told {
        match self {
            Storage::Machine { haunt: Some(h), .. } => h.probe.ghosts.take_told(),
            _ => Told::new(),
        }
    }
}
