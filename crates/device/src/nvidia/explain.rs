//! What is at an address: instructions in words, banks, allocations.

use upset_sass::Encoding;

use super::ranges::{CODE_BASE, CONSTANT_BASE, LOCAL_BASE};
use crate::{Device, Instruction, Memory};

impl Device {
    /// The instruction that was loaded to an address.
    pub(crate) fn cuda_instruction(&self, address: u64) -> Option<Instruction> {
        let module = self.nvidia.modules.iter().find(|m| m.code_at(address).is_some())?;
        let (function, start) = module.function_at(address)?;
        let bits = module.code_at(address)?;
        let offset = address - start;
        let line = module.source_line(&function, offset);
        Some(Instruction {
            source: line.map(|(file, line)| format!("{file}:{line}")),
            text: self.cuda_text(bits, offset),
            function,
            offset,
        })
    }

    /// A word in words.
    pub(crate) fn cuda_text(&self, bits: u128, pc: u64) -> String {
        match self.nvidia.encoding.text(bits, pc) {
            Some(text) => text,
            None => format!("no instruction ({bits:#034x})"),
        }
    }

    /// Where the slot of an address of code begins.
    fn slot_of(&self, address: u64) -> u64 {
        let step = if self.nvidia.encoding == Encoding::Kepler { 8 } else { 16 };
        address & !(step - 1)
    }

    /// What an address belongs to.
    pub(crate) fn cuda_memory_at(&self, address: u64) -> Memory {
        match address {
            LOCAL_BASE..CONSTANT_BASE => Memory::Local,
            CONSTANT_BASE..CODE_BASE => {
                let found = self.nvidia.modules.iter().find_map(|m| m.any_bank_at(address));
                found.map_or(Memory::Unallocated, |(bank, offset, kernel)| Memory::Constant {
                    bank,
                    offset,
                    kernel,
                })
            }
            _ => {
                match (self.cuda_instruction(self.slot_of(address)), self.last_allocation(address))
                {
                    (Some(instruction), _) => Memory::Code(instruction),
                    (None, Some((allocation, bytes))) => {
                        Memory::Global { allocation, offset: address - allocation, bytes }
                    }
                    (None, None) if self.storage.global().is_drivers(address) => Memory::Driver,
                    (None, None) => Memory::Unallocated,
                }
            }
        }
    }
}
