//! `printf`, `assert`, `malloc` and `free` of device code: the host's side.
//! The device's side is `kernels/syscalls`; `docs/syscalls.md` describes both.

mod decimal;
mod format;
mod library;
mod record;

use std::collections::BTreeMap;

use upset_sass::container::Module;

use crate::storage::Storage;
use crate::{DevPtr, Device, DeviceError};
use format::Arguments;
use record::Record;

/// Bytes of the variable that both sides share, and where things lie in it.
const CONTROL_BYTES: u64 = LISTS + 8 * 124;
const RECORDS: u64 = 0;
const RECORDS_TAKEN: u64 = 16;
const HEAP: u64 = 24;
const HEAP_CUT: u64 = 36;
const HEAP_LIVE: u64 = 40;
const LISTS: u64 = 48;
/// The heap is counted in units of 16 bytes.
const HEAP_UNIT: u64 = 16;
/// Bytes of a cooperative launch's workspace: size, then the counter.
const WORKSPACE_BYTES: u64 = 8;
/// A string in device memory that is longer is no string.
const LONGEST: usize = 1 << 20;

/// What device code had to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A call of `printf`.
    Printf {
        /// Its text.
        text: Vec<u8>,
    },
    /// A failed `assert`.
    Assert {
        /// The condition's text.
        message: String,
        /// Source file.
        file: String,
        /// Line there.
        line: u32,
        /// Function.
        function: String,
        /// Block index.
        block: [u32; 3],
        /// Thread index.
        thread: [u32; 3],
    },
}

/// A size that a host may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The buffer that `printf` and `assert` write to.
    PrintfFifo,
    /// The heap of `malloc`.
    MallocHeap,
    /// Local memory per thread, for calls whose depth the compiler does not know.
    Stack,
}

/// Sizes as chosen, and where things are once they were needed.
#[derive(Clone, Debug)]
pub(crate) struct Syscalls {
    fifo_bytes: u64,
    heap_bytes: u64,
    stack_bytes: u32,
    /// Address of the shared variable.
    control: Option<u64>,
    /// Address of the record buffer.
    records: Option<u64>,
    heap: bool,
    /// What loaded modules need.
    wanted: library::Linked,
    /// Address of the workspace of cooperative launches.
    workspace: Option<u64>,
    messages: Vec<Message>,
    /// Digest of all messages ever.
    said: u128,
}

impl Default for Syscalls {
    /// The CUDA runtime's defaults.
    fn default() -> Self {
        Syscalls {
            fifo_bytes: 1 << 20,
            heap_bytes: 8 << 20,
            stack_bytes: 1024,
            control: None,
            records: None,
            heap: false,
            wanted: library::Linked::default(),
            workspace: None,
            messages: Vec::new(),
            said: 0,
        }
    }
}

impl Syscalls {
    /// Digest of everything that device code has said.
    pub fn said(&self) -> u128 {
        self.said
    }

    /// Local bytes per thread for calls whose depth the compiler does not know.
    pub fn stack_bytes(&self) -> u32 {
        self.stack_bytes
    }

    /// The workspace through which the CTAs of a cooperative launch wait for
    /// each other, as the cooperative groups of CUDA 11 and 12 expect it: its
    /// size and an arrival counter that begins at zero.
    pub fn workspace(&mut self, storage: &mut Storage) -> Result<u64, DeviceError> {
        let at = match self.workspace {
            Some(at) => at,
            None => *self.workspace.insert(storage.global_mut().allocate(WORKSPACE_BYTES)?),
        };
        put(storage, at, WORKSPACE_BYTES)?;
        Ok(at)
    }

    /// Links what a module needs into it. The result is for the placing of the
    /// module: names and their addresses.
    pub fn link(
        &mut self,
        module: &mut Module,
        storage: &mut Storage,
    ) -> Result<BTreeMap<String, u64>, DeviceError> {
        let linked = library::link(module)?;
        let mut externs = BTreeMap::new();
        if linked == library::Linked::default() {
            return Ok(externs);
        }
        let control = match self.control {
            Some(control) => control,
            None => {
                let control = storage.global_mut().allocate(CONTROL_BYTES)?;
                storage.fill(control, 0, CONTROL_BYTES)?;
                *self.control.insert(control)
            }
        };
        self.wanted.records |= linked.records;
        self.wanted.heap |= linked.heap;
        externs.insert(library::CONTROL.to_string(), control);
        Ok(externs)
    }

    /// Makes the buffers that loaded modules need, once their sizes are final:
    /// before a launch.
    pub fn prepare(&mut self, storage: &mut Storage) -> Result<(), DeviceError> {
        let Some(control) = self.control else { return Ok(()) };
        if self.wanted.records && self.records.is_none() {
            let records = storage.global_mut().allocate(self.fifo_bytes)?;
            storage.fill(records, 0, self.fifo_bytes)?;
            put(storage, control + RECORDS, records)?;
            put(storage, control + RECORDS + 8, self.fifo_bytes)?;
            self.records = Some(records);
        }
        if self.wanted.heap && !self.heap {
            let heap = storage.global_mut().allocate(self.heap_bytes)?;
            put(storage, control + HEAP, heap)?;
            // The word behind the size counts what is cut off: nothing yet.
            put(storage, control + HEAP + 8, self.heap_bytes / HEAP_UNIT)?;
            self.heap = true;
        }
        Ok(())
    }
}

fn put(storage: &mut Storage, addr: u64, value: u64) -> Result<(), DeviceError> {
    storage.write(addr, &value.to_le_bytes())
}

impl Device {
    /// What device code printed and asserted since the last call, in the order
    /// of its records.
    pub fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.syscalls.messages)
    }

    /// Chooses a size. Buffers can be chosen until a kernel was launched while a
    /// module that needs them was loaded; the stack at any time, for launches
    /// to come.
    pub fn set_limit(&mut self, limit: Limit, bytes: u64) -> Result<(), DeviceError> {
        let refuse = |why| Err(DeviceError::Limit { limit, bytes, why });
        let s = &mut self.syscalls;
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
            Limit::PrintfFifo => self.syscalls.fifo_bytes,
            Limit::MallocHeap => self.syscalls.heap_bytes,
            Limit::Stack => u64::from(self.syscalls.stack_bytes),
        }
    }

    /// Collects what a launch left in the record buffer. True when an
    /// assertion failed.
    pub(crate) fn drain(&mut self) -> Result<bool, DeviceError> {
        self.tidy_heap()?;
        let (Some(control), Some(records)) = (self.syscalls.control, self.syscalls.records) else {
            return Ok(false);
        };
        let mut taken = [0; 8];
        self.storage.read(control + RECORDS_TAKEN, &mut taken)?;
        let used = u64::from_le_bytes(taken).min(self.syscalls.fifo_bytes);
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
            let text = format!("{:x}{message:?}", self.syscalls.said);
            self.syscalls.said = xxhash_rust::xxh3::xxh3_128(text.as_bytes());
            self.syscalls.messages.push(message);
        }
        Ok(asserted)
    }

    /// Makes an unused heap whole again: device code only cuts it up.
    fn tidy_heap(&mut self) -> Result<(), DeviceError> {
        let (Some(control), true) = (self.syscalls.control, self.syscalls.heap) else {
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

/// Smaller buffers hold nothing.
const LEAST_FIFO: u64 = 4096;
const LEAST_HEAP: u64 = 4096;
