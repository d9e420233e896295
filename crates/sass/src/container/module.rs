//! What a cubin holds, as the rest of the program sees it.

use std::collections::BTreeMap;

use super::SourceLines;
use super::attribute::Attribute;

/// A loaded cubin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// Compute capability of the code: 70, 75, 80, 86, 90…
    pub sm: u32,
    /// Format version of the file: 7 up to CUDA 12, 8 from CUDA 13.
    pub abi: u8,
    /// An object that the device linker has not seen yet.
    pub relocatable: bool,
    /// Machine code, in file order.
    pub code: Vec<CodeSection>,
    /// Functions that a host can launch, in file order.
    pub kernels: Vec<Kernel>,
    /// Functions that code calls.
    pub functions: Vec<Function>,
    /// Constant banks that all kernels share.
    pub banks: BTreeMap<u8, Data>,
    /// Constant banks of code sections that are no kernel's, by section: those
    /// of functions in an object for the device linker.
    pub function_banks: BTreeMap<usize, BTreeMap<u8, Data>>,
    /// Global variables with initial values.
    pub globals: Data,
    /// Global variables that begin as zeros.
    pub zeroed: Extent,
    /// Symbols; the index is that of relocations.
    pub symbols: Vec<Symbol>,
    /// What a loader has to patch.
    pub relocations: Vec<Relocation>,
    /// Attributes of the whole module.
    pub attributes: Vec<Attribute>,
    /// Source lines, where the compiler left any.
    pub lines: SourceLines,
}

/// Bytes and the alignment they want.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Contents before relocation.
    pub bytes: Vec<u8>,
    /// Alignment in bytes, a power of two.
    pub align: u32,
}

/// A size and an alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two; 0 when there is nothing.
    pub align: u32,
}

/// One section of machine code: a kernel with the functions that were placed
/// behind it, or a function of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSection {
    /// Name of the function it begins with.
    pub name: String,
    /// The instructions, before relocation.
    pub code: Data,
}

/// A function that a host can launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Mangled name.
    pub name: String,
    /// Index into [`Module::code`].
    pub code: usize,
    /// Where it begins in that section.
    pub offset: u64,
    /// Size of its code, functions behind it included.
    pub size: u64,
    /// Registers per thread.
    pub registers: u32,
    /// Named barriers in use.
    pub barriers: u32,
    /// Shared memory with a size known at compile time.
    pub shared: Shared,
    /// Local memory per thread.
    pub stack: Stack,
    /// Parameters.
    pub params: Params,
    /// Most threads per block in x, y, z (`__launch_bounds__`).
    pub max_threads: Option<[u32; 3]>,
    /// Exact block dimensions that a launch must have.
    pub required_threads: Option<[u32; 3]>,
    /// Offsets of EXIT instructions in the section.
    pub exits: Vec<u32>,
    /// Constant banks of this kernel; bank 0 is a template for launch
    /// dimensions and parameters.
    pub banks: BTreeMap<u8, Data>,
    /// All attributes, the ones behind the fields above included.
    pub attributes: Vec<Attribute>,
}

/// Static shared memory of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Bytes of the shared window that are taken, `reserved` included; dynamic
    /// shared memory begins behind them.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Bytes at the beginning that belong to the system (1 KiB on sm_90).
    pub reserved: u64,
}

/// Local memory of a kernel, per thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// The kernel's own frame.
    pub frame: u32,
    /// Frames of the deepest chain of calls; unknown with recursion or calls
    /// through pointers, where the host's stack limit decides.
    pub depth: Option<u32>,
    /// It has functions and the file does not tell how deep their calls go (CUDA 12
    /// and 13): there may be recursion, for which `depth` is not enough.
    pub open: bool,
    /// Statically addressed local memory.
    pub fixed: u64,
}

/// Where parameters lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// Offset of the first in constant bank 0.
    pub base: u32,
    /// Bytes of all, padding included.
    pub size: u32,
    /// Each of them, by ordinal.
    pub list: Vec<Param>,
}

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Position in the parameter list.
    pub ordinal: u16,
    /// Offset from the base.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// A function that code calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Mangled name.
    pub name: String,
    /// Index into [`Module::code`].
    pub code: usize,
    /// Where it begins in that section.
    pub offset: u64,
    /// Size of its code.
    pub size: u64,
    /// Its own frame.
    pub frame: u32,
    /// Registers it uses.
    pub registers: u32,
}

/// A named place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name, possibly empty.
    pub name: String,
    /// What it names.
    pub kind: SymbolKind,
    /// Where it is.
    pub place: SymbolPlace,
    /// Size in bytes.
    pub size: u64,
    /// Memory that host and device share (`__managed__`).
    pub managed: bool,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Nothing in particular.
    Untyped,
    /// A variable.
    Object,
    /// A function that code calls.
    Function,
    /// A function that a host launches.
    Kernel,
    /// A section.
    Section,
    /// A texture reference.
    Texture,
    /// A sampler reference.
    Sampler,
    /// A surface reference.
    Surface,
    /// A type that has no meaning here.
    Other(u8),
}

/// Where a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolPlace {
    /// In another file, or in the driver.
    Undefined,
    /// In machine code.
    Code {
        /// Index into [`Module::code`].
        section: usize,
        /// Offset in it.
        offset: u64,
    },
    /// In initialised global memory.
    Global {
        /// Offset in it.
        offset: u64,
    },
    /// In global memory that begins as zeros.
    Zeroed {
        /// Offset in it.
        offset: u64,
    },
    /// In a constant bank.
    Const {
        /// Bank number.
        bank: u8,
        /// Code section whose bank it is; none when all share it.
        owner: Option<usize>,
        /// Offset in it.
        offset: u64,
    },
    /// In shared memory.
    Shared {
        /// Offset in the section; in the window once the module is linked.
        offset: u64,
    },
    /// In a section that is not loaded (debug information, notes).
    Elsewhere {
        /// Offset in it.
        offset: u64,
    },
    /// A plain number.
    Absolute {
        /// The number.
        value: u64,
    },
}

/// What a relocation patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocTarget {
    /// Machine code: index into [`Module::code`].
    Code(usize),
    /// A constant bank, of a code section or of all.
    Const {
        /// Bank number.
        bank: u8,
        /// Code section whose bank it is.
        owner: Option<usize>,
    },
    /// Initialised global memory.
    Global,
}

/// A place that depends on where things are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// What is patched.
    pub target: RelocTarget,
    /// Byte offset in it.
    pub offset: u64,
    /// Type; see [`super::reloc::find`].
    pub number: u32,
    /// Index into [`Module::symbols`].
    pub symbol: usize,
    /// Added to the symbol's value; none when the bytes hold it.
    pub addend: Option<i64>,
}

/// A word of a constant bank that the loader fills with a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<'a> {
    /// Code section whose bank it is.
    pub owner: Option<usize>,
    /// Bank number.
    pub bank: u8,
    /// Byte offset in the bank.
    pub offset: u64,
    /// Texture, sampler or surface reference.
    pub symbol: &'a Symbol,
}

impl Module {
    /// The kernel of that mangled name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// The instructions of a kernel and of the functions behind it.
    pub fn code_of(&self, kernel: &Kernel) -> &[u8] {
        self.code.get(kernel.code).map_or(&[], |s| &s.code.bytes)
    }

    /// `__device__` and `__constant__` variables.
    pub fn variables(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(|s| {
            s.kind == SymbolKind::Object
                && matches!(
                    s.place,
                    SymbolPlace::Global { .. }
                        | SymbolPlace::Zeroed { .. }
                        | SymbolPlace::Const { owner: None, .. }
                )
        })
    }

    /// Texture, sampler and surface references.
    pub fn references(&self) -> impl Iterator<Item = &Symbol> {
        use SymbolKind::{Sampler, Surface, Texture};
        self.symbols.iter().filter(|s| matches!(s.kind, Texture | Sampler | Surface))
    }

    /// Words of constant banks that hold handles of references.
    pub fn slots(&self) -> impl Iterator<Item = Slot<'_>> {
        self.relocations.iter().filter_map(|r| {
            let RelocTarget::Const { bank, owner } = r.target else { return None };
            let symbol = self.symbols.get(r.symbol)?;
            let handle = super::reloc::find(r.number)?.value == super::reloc::Value::Handle;
            handle.then_some(Slot { owner, bank, offset: r.offset, symbol })
        })
    }

    /// Name of what a relocation patches, as the file calls it.
    pub(super) fn target_name(&self, target: RelocTarget) -> String {
        let owner = |i: usize| self.code.get(i).map_or("?", |s| &s.name);
        match target {
            RelocTarget::Code(i) => format!(".text.{}", owner(i)),
            RelocTarget::Const { bank, owner: Some(i) } => {
                format!(".nv.constant{bank}.{}", owner(i))
            }
            RelocTarget::Const { bank, owner: None } => format!(".nv.constant{bank}"),
            RelocTarget::Global => ".nv.global.init".into(),
        }
    }
}
