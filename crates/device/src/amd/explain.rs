//! What is at an address: instructions in words, allocations.

use crate::{Device, Instruction, Memory};

impl Device {
    /// The instruction that was loaded to an address.
    pub(crate) fn wave_instruction(&self, address: u64) -> Option<Instruction> {
        let amd = self.amd.as_ref()?;
        let address = address & !3;
        let words = amd.modules.iter().find_map(|m| m.words_at(address))?;
        let found = amd.functions().find(|(_, start, end)| (*start..*end).contains(&address));
        let (function, start) = found.map_or(("code", address), |(name, start, _)| (name, start));
        Some(Instruction {
            function: function.to_string(),
            offset: address - start,
            text: wave_text(words),
            // Line tables of AMD's code are not read.
            source: None,
        })
    }

    /// What an address belongs to.
    pub(crate) fn wave_memory_at(&self, address: u64) -> Memory {
        match (self.wave_instruction(address), self.last_allocation(address)) {
            (Some(instruction), _) => Memory::Code(instruction),
            (None, Some((allocation, bytes))) => {
                Memory::Global { allocation, offset: address - allocation, bytes }
            }
            (None, None) if self.storage.global().is_mapped(address, 1) => Memory::Driver,
            (None, None) => Memory::Unallocated,
        }
    }
}

/// Words in words.
pub(crate) fn wave_text(words: [u32; 2]) -> String {
    match upset_gcn::decode(&words) {
        Ok(inst) => upset_gcn::text(&inst),
        Err(_) => format!("no instruction ({:#010x})", words[0]),
    }
}
