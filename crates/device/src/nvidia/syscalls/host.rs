//! The sizes that a host chooses, and what a launch leaves behind for it.

use std::collections::BTreeMap;

use super::format::{self, Arguments};
use super::record::{self, Record};
use super::{CONTROL_BYTES, HEAP_CUT, HEAP_LIVE, HEAP_UNIT, LISTS, Message, RECORDS_TAKEN, put};
use crate::{DevPtr, Device, DeviceError, Limit};

/// A string in device memory that is longer is no string.
const LONGEST: usize = 1 << 20;
/// Smaller buffers hold nothing.
const LEAST_FIFO: u64 = 4096;
const LEAST_HEAP: u64 = 4096;

impl Device {
    /// What device code printed and asserted since the last call, in the order
    /// of its records.
    pub fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.nvidia.syscalls.messages)
    }

    /// Chooses a size. Buffers can be chosen until a kernel was launched while a
    /// module that needs them was loaded; the stack at any time, for launches
    /// to come.
    pub fn set_limit(&mut self, limit: Limit, bytes: u64) -> Result<(), DeviceError> {
        let refuse = |why| Err(DeviceError::Limit { limit, bytes, why });
        let s = &mut self.nvidia.syscalls;
        match limit {
            Limit::PrintfFifo | Limit::MallocHeap if bytes > self.chip.memory.bytes => {
                return refuse("more than the chip's memory");
            }
            Limit::PrintfFifo if s.records.is_some() => return refuse("it is in use"),
            Limit::MallocHeap if s.heap => return refuse("it is in use"),
            // The window of local memory is 16 MiB; hardware allows 512 KiB.
            Limit::Stack if bytes > 512 << 10 => return refuse("a thread has at most 512 KiB"),
            Limit::PrintfFifo => s.fifo_bytes = bytes.max(LEAST_FIFO).next_multiple_of(8),
            Limit::MallocHeap => s.heap_bytes = bytes.max(LEAST_HEAP).next_multiple_of(HEAP_UNIT),
            Limit::Stack => s.stack_bytes = (bytes as u32).next_multiple_of(16),
        }
        Ok(())
    }

    /// A size as it is.
    pub fn limit_of(&self, limit: Limit) -> u64 {
        match limit {
            Limit::PrintfFifo => self.nvidia.syscalls.fifo_bytes,
            Limit::MallocHeap => self.nvidia.syscalls.heap_bytes,
            Limit::Stack => u64::from(self.nvidia.syscalls.stack_bytes),
        }
    }

    /// Collects what a launch left in the record buffer. True when an
    /// assertion failed.
    pub(crate) fn drain(&mut self) -> Result<bool, DeviceError> {
        self.tidy_heap()?;
        let (Some(control), Some(records)) =
            (self.nvidia.syscalls.control, self.nvidia.syscalls.records)
        else {
            return Ok(false);
        };
        let mut taken = [0; 8];
        self.storage.read(control + RECORDS_TAKEN, &mut taken)?;
        let used = u64::from_le_bytes(taken).min(self.nvidia.syscalls.fifo_bytes);
        if used == 0 {
            return Ok(false);
        }
        let mut buffer = vec![0; used as usize];
        self.storage.read(records, &mut buffer)?;
        self.storage.fill(records, 0, used)?;
        put(&mut self.storage, control + RECORDS_TAKEN, 0)?;
        let mut asserted = false;
        let mut texts = BTreeMap::new();
        for record in record::records(&buffer) {
            let message = match record {
                Record::Printf { format, text, block, strings } => {
                    let pattern = match text {
                        Some(text) => text,
                        None => texts.entry(format).or_insert_with(|| self.text_at(format)),
                    };
                    let text = format::format(pattern, &Arguments { block, strings });
                    Message::Printf { text }
                }
                Record::Assert { message, file, function, line, block, thread } => {
                    asserted = true;
                    let mut show = |at| {
                        let text = texts.entry(at).or_insert_with(|| self.text_at(at));
                        String::from_utf8_lossy(text).into_owned()
                    };
                    let (message, file, function) = (show(message), show(file), show(function));
                    Message::Assert { message, file, line, function, block, thread }
                }
            };
            let text = format!("{:x}{message:?}", self.nvidia.syscalls.said);
            self.nvidia.syscalls.said = xxhash_rust::xxh3::xxh3_128(text.as_bytes());
            self.nvidia.syscalls.messages.push(message);
        }
        Ok(asserted)
    }

    /// Makes an unused heap whole again: device code only cuts it up.
    fn tidy_heap(&mut self) -> Result<(), DeviceError> {
        let (Some(control), true) = (self.nvidia.syscalls.control, self.nvidia.syscalls.heap)
        else {
            return Ok(());
        };
        let mut counts = [0; 8];
        self.storage.read(control + HEAP_CUT, &mut counts)?;
        let [cut, live] = [&counts[..4], &counts[4..]].map(|b| b != [0; 4]);
        if cut && !live {
            self.storage.fill(control + HEAP_CUT, 0, HEAP_LIVE - HEAP_CUT)?;
            self.storage.fill(control + LISTS, 0, CONTROL_BYTES - LISTS)?;
        }
        Ok(())
    }

    /// A string in device memory, without its zero; as much of it as there is.
    fn text_at(&mut self, addr: u64) -> Vec<u8> {
        let mut text = Vec::new();
        let mut byte = [0];
        while text.len() < LONGEST {
            let at = DevPtr(addr).offset(text.len() as u64);
            if self.fetch(at, &mut byte).is_err() || byte[0] == 0 {
                break;
            }
            text.push(byte[0]);
        }
        text
    }
}
