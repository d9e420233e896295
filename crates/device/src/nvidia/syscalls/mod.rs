//! `printf`, `assert`, `malloc` and `free` of device code: the host's side.
//! The device's side is `kernels/syscalls`; `docs/syscalls.md` describes both.

mod decimal;
mod format;
mod host;
mod library;
mod record;

use std::collections::BTreeMap;

use upset_sass::container::Module;

use crate::DeviceError;
use crate::storage::Storage;

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
