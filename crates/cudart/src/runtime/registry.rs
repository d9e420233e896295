//! What the program registers before `main`: fat binaries, and which host
//! addresses stand for which kernels and variables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use crate::abi::{Address, In};

/// `__cudaFatCudaBinary`'s magic number.
pub(super) const WRAPPER_MAGIC: u32 = 0x4662_43b1;
/// The container's magic number.
pub(super) const CONTAINER_MAGIC: u32 = 0xba55_ed50;

/// What the compiler's start-up code hands over.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Wrapper {
    magic: u32,
    version: u32,
    data: In<ContainerHeader>,
    /// With version 2: a list of fat binaries that it was linked from, ended by zero.
    parts: In<In<ContainerHeader>>,
}

/// The version whose fat binaries were linked from others (`nvcc -rdc=true`).
const LINKED: u32 = 2;

/// Start of a fat binary.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ContainerHeader {
    magic: u32,
    version: u16,
    header_bytes: u16,
    bytes: u64,
}

/// A fat binary in the program's own memory.
#[derive(Clone, Debug, Default)]
pub struct FatBinary {
    start: Address,
    len: usize,
    /// What it was linked from, if it was.
    parts: Vec<FatBinary>,
    /// Not unregistered yet.
    alive: bool,
}

impl FatBinary {
    /// Its bytes.
    pub fn image(&self) -> &[u8] {
        if !self.alive {
            return &[];
        }
        // SAFETY: the registered image is constant data of the program or of a
        // library; it stays until it is unregistered.
        unsafe { self.start.host_bytes(self.len) }
    }

    /// The bytes of what it was linked from.
    pub fn parts(&self) -> Vec<&[u8]> {
        let parts: &[FatBinary] = if self.alive { &self.parts } else { &[] };
        parts.iter().map(FatBinary::image).collect()
    }
}

/// A kernel's or variable's place: which fat binary, under which name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Index of the fat binary.
    pub binary: usize,
    /// Name in the device code.
    pub name: String,
}

/// A managed variable: the host reaches it through a pointer that we fill.
#[derive(Clone, Debug)]
pub struct ManagedVariable {
    /// Where the pointer is.
    pub pointer: Address,
    /// The variable.
    pub entry: Entry,
    /// Its size.
    pub bytes: u64,
}

/// Everything registered.
#[derive(Default)]
pub struct Registry {
    /// In order of registration.
    pub binaries: Vec<FatBinary>,
    /// Kernels by the address of their host stub.
    pub functions: BTreeMap<u64, Entry>,
    /// Variables by the address of their host shadow.
    pub variables: BTreeMap<u64, Entry>,
    /// Texture references by the address of their host object.
    pub textures: BTreeMap<u64, Entry>,
    /// Texture references whose integers are read as fractions.
    pub normalized_reads: BTreeSet<u64>,
    /// Surface references, likewise.
    pub surfaces: BTreeMap<u64, Entry>,
    /// Managed variables.
    pub managed: Vec<ManagedVariable>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    binaries: Vec::new(),
    functions: BTreeMap::new(),
    variables: BTreeMap::new(),
    textures: BTreeMap::new(),
    normalized_reads: BTreeSet::new(),
    surfaces: BTreeMap::new(),
    managed: Vec::new(),
});

/// Uses the registry.
pub fn with<T>(f: impl FnOnce(&mut Registry) -> T) -> T {
    f(&mut REGISTRY.lock().unwrap_or_else(|e| e.into_inner()))
}

impl Registry {
    /// Takes in a fat binary; its index.
    pub fn add(&mut self, wrapper: In<Wrapper>) -> usize {
        self.binaries.push(read(wrapper).unwrap_or_default());
        self.binaries.len() - 1
    }

    /// Forgets a fat binary. What was in it stays listed, and is nobody's: a process may
    /// unregister hundreds with thousands of kernels when it ends.
    pub fn remove(&mut self, binary: usize) {
        if let Some(b) = self.binaries.get_mut(binary) {
            b.alive = false;
        }
        self.managed.retain(|m| m.entry.binary != binary);
    }

    /// What a host address stands for in one of the lists above.
    pub fn find(&self, list: &BTreeMap<u64, Entry>, host: u64) -> Option<Entry> {
        let entry = list.get(&host)?;
        self.binaries.get(entry.binary).filter(|b| b.alive).map(|_| entry.clone())
    }
}

fn read(wrapper: In<Wrapper>) -> Option<FatBinary> {
    let w = wrapper.get().ok().filter(|w| w.magic == WRAPPER_MAGIC)?;
    let mut found = binary(w.data)?;
    if w.version == LINKED {
        let listed = (0..).map_while(|i| w.parts.at(i).ok().filter(|part| !part.is_null()));
        found.parts = listed.filter_map(binary).collect();
    }
    Some(found)
}

fn binary(header: In<ContainerHeader>) -> Option<FatBinary> {
    let h = header.get().ok().filter(|h| h.magic == CONTAINER_MAGIC)?;
    let len = usize::from(h.header_bytes).checked_add(usize::try_from(h.bytes).ok()?)?;
    Some(FatBinary { start: header.address(), len, parts: Vec::new(), alive: true })
}

/// The bytes of a fat binary that the compiler's structure points to.
pub(super) fn wrapped<'a>(at: Address) -> Option<&'a [u8]> {
    let found = read(In::from_address(at))?;
    // SAFETY: a fat binary of the program's, as long as it says.
    Some(unsafe { found.start.host_bytes(found.len) })
}

/// The bytes of a fat binary.
pub(super) fn contained<'a>(at: Address) -> Option<&'a [u8]> {
    let found = binary(In::from_address(at))?;
    // SAFETY: a fat binary of the program's, as long as it says.
    Some(unsafe { found.start.host_bytes(found.len) })
}
