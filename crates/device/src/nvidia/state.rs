//! What a device of NVIDIA's has besides its memory.

use upset_chip::{ChipSpec, SmCore};
use upset_emu::texture::Textures;
use upset_sass::{Arch, Encoding};

use super::arch::encoding_of;
use super::module::LoadedModule;
use super::ranges::{CODE_BASE, CONSTANT_BASE, Ranges};
use super::syscalls::Syscalls;
use crate::DeviceError;
use crate::storage::Storage;

/// Loaded code and what it needs.
pub(crate) struct Nvidia {
    pub(super) encoding: Encoding,
    /// The chip's SMs.
    pub(super) core: SmCore,
    pub(super) modules: Vec<LoadedModule>,
    pub(super) textures: Textures,
    pub(super) ranges: Ranges,
    pub(super) syscalls: Syscalls,
}

impl Nvidia {
    /// Of a chip of another vendor: nothing is ever loaded into it.
    pub(crate) fn idle() -> Nvidia {
        Nvidia {
            encoding: Encoding::Volta(Arch::Sm75),
            core: SmCore::default(),
            modules: Vec::new(),
            textures: Textures::default(),
            ranges: Ranges::default(),
            syscalls: Syscalls::default(),
        }
    }

    /// Nothing loaded yet; an error says why the chip's code cannot be executed.
    pub(crate) fn of(chip: &ChipSpec) -> Result<Nvidia, DeviceError> {
        Ok(Nvidia { encoding: encoding_of(chip)?, core: chip.sm()?.clone(), ..Nvidia::idle() })
    }

    /// Whether an address is in a module's constants.
    pub(crate) fn has_constant(&self, addr: u64) -> bool {
        self.constant_at(addr, 0).is_some()
    }

    /// Writes bytes of a module's constants; false when the address is elsewhere.
    pub(crate) fn write_constants(
        &mut self,
        addr: u64,
        bytes: &[u8],
        storage: &mut Storage,
    ) -> Result<bool, DeviceError> {
        let Some((module, bank, at)) = self.constant_at(addr, bytes.len() as u64) else {
            return Ok(false);
        };
        self.modules[module].write_bank(bank, at, bytes, storage).map(|()| true)
    }

    /// Reads bytes of a module's constants; false when the address is elsewhere.
    pub(crate) fn read_constants(
        &mut self,
        addr: u64,
        bytes: &mut [u8],
        storage: &mut Storage,
    ) -> Result<bool, DeviceError> {
        let Some((module, bank, at)) = self.constant_at(addr, bytes.len() as u64) else {
            return Ok(false);
        };
        self.modules[module].read_bank(bank, at, bytes, storage).map(|()| true)
    }

    /// The module, bank and offset that an address in constant memory names.
    fn constant_at(&self, addr: u64, len: u64) -> Option<(usize, u8, u64)> {
        if !(CONSTANT_BASE..CODE_BASE).contains(&addr) {
            return None;
        }
        let find = |(i, m): (usize, &LoadedModule)| {
            m.bank_at(addr, len).map(|(bank, offset)| (i, bank, offset))
        };
        self.modules.iter().enumerate().find_map(find)
    }
}
