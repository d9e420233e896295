//! Ghosts and what the host carries ([`crate::carried`]), as the storage has it.

use upset_state::ghosts::Told;
use upset_state::{Ghosts, Quiet};

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

    /// Ghosts that differ in ranges of what the host carries, each once.
    pub fn ghosts_in_carried(&mut self, ranges: &[(u64, usize)]) -> Vec<u32> {
        let Some(g) = self.ghosts_of_walk() else { return Vec::new() };
        let of_range = |&(at, len): &(u64, usize)| g.in_host(at, len as u64);
        let mut who: Vec<u32> = ranges.iter().flat_map(of_range).collect();
        who.sort_unstable();
        who.dedup();
        who
    }

    /// In what a ghost differs in bytes that the host carries.
    pub fn difference_in_carried(&mut self, ghost: u32, at: u64, len: usize) -> Vec<u8> {
        self.ghosts_of_walk().map_or(Vec::new(), |g| g.of_host(ghost, at, len))
    }

    /// In what a ghost differs in bytes that its host has worked out, from the
    /// beginning of a line on.
    pub fn put_in_carried(&mut self, ghost: u32, at: u64, differences: &[u8]) {
        if let Some(g) = self.ghosts_of_walk() {
            g.put_in_host(ghost, at, differences);
        }
    }

    /// These ghosts leave, and those that had to already.
    pub fn let_leave(&mut self, ghosts: &[u32]) {
        if let Storage::Machine { machine, watch: None, haunt: Some(h) } = self {
            let Haunting { probe, part } = &mut **h;
            ghosts.iter().for_each(|ghost| probe.ghosts.leave(*ghost));
            machine.let_ghosts_go(probe, part);
        }
    }

    fn ghosts_of_walk(&mut self) -> Option<&mut Ghosts> {
        match self {
            Storage::Machine { watch: None, haunt: Some(h), .. } => Some(&mut h.probe.ghosts),
            _ => None,
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
