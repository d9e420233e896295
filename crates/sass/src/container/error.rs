//! What can be wrong with a container, and what to do about it.

/// Why a file could not be loaded. Every message names the place and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    /// The first bytes belong to none of the formats.
    #[error(
        "not a container of GPU code: {found}; expected a cubin, a fat binary, or a host program with GPU code inside"
    )]
    Unrecognised {
        /// What the file looks like.
        found: String,
    },
    /// Something lies past the end of the file.
    #[error(
        "truncated: {what} needs bytes {offset:#x}..{end:#x} of a file of {len:#x} bytes; copy or build the file again"
    )]
    Truncated {
        /// The structure that is cut off.
        what: String,
        /// Where it begins.
        offset: u64,
        /// Where it would end.
        end: u64,
        /// Size of the file.
        len: u64,
    },
    /// A field contradicts the format.
    #[error("{place} at offset {offset:#x}: {problem}; the file is damaged, build it again")]
    Malformed {
        /// Section or structure.
        place: String,
        /// File offset.
        offset: u64,
        /// What is wrong.
        problem: String,
    },
    /// A size that no honest file of this length has.
    #[error(
        "{place} at offset {offset:#x} claims {size} bytes, more than the limit of {limit}; the file is damaged"
    )]
    TooLarge {
        /// Section or structure.
        place: String,
        /// File offset.
        offset: u64,
        /// Claimed size.
        size: u64,
        /// What is allowed.
        limit: u64,
    },
    /// A legal feature of the format that is not read.
    #[error("{place} at offset {offset:#x}: {what} is not supported; {remedy}")]
    Unsupported {
        /// Section or structure.
        place: String,
        /// File offset.
        offset: u64,
        /// The feature.
        what: String,
        /// What the user can do.
        remedy: String,
    },
    /// A relocation whose meaning is not known, or does not apply to its symbol.
    #[error(
        "section {section}+{offset:#x}: relocation type {number} ({name}) against `{symbol}` is not supported; {}",
        advice(.name)
    )]
    Relocation {
        /// Section that is patched.
        section: String,
        /// Byte offset in it.
        offset: u64,
        /// Type number.
        number: u32,
        /// Type name, `unknown` if there is none.
        name: &'static str,
        /// Symbol it refers to.
        symbol: String,
    },
    /// A symbol that the file leaves to others.
    #[error(
        "section {section}+{offset:#x} needs `{symbol}`, which the file does not define; link it in, or give its address"
    )]
    Undefined {
        /// Section that is patched.
        section: String,
        /// Byte offset in it.
        offset: u64,
        /// The missing symbol.
        symbol: String,
    },
    /// An object for the device linker.
    #[error(
        "the cubin is a relocatable object; link it first (nvcc -dlink, or build without -rdc=true)"
    )]
    Relocatable,
    /// Only PTX would fit.
    #[error(
        "no machine code for sm_{sm}, only {ptx}, which is converted for programs alone; build with -gencode arch=compute_{sm},code=sm_{sm}"
    )]
    NeedsPtx {
        /// Wanted compute capability.
        sm: u32,
        /// The PTX that the file has.
        ptx: String,
    },
    /// Nothing fits.
    #[error(
        "no code for sm_{sm}: the file has {has}; build with -gencode arch=compute_{sm},code=sm_{sm}, or choose another chip"
    )]
    NoCode {
        /// Wanted compute capability.
        sm: u32,
        /// What the file has.
        has: String,
    },
}

/// Who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// The input is bad (exit code 2).
    BadInput,
    /// The input may be fine, but needs something that is missing here (exit code 3).
    Lacks,
}

/// What may be done about a relocation. Descriptors of functions are what kernels
/// launch kernels by.
fn advice(name: &str) -> &'static str {
    match name.starts_with("R_CUDA_FUNC_DESC") {
        true => "kernels that launch kernels (dynamic parallelism) cannot be run",
        false => "please report it with the file",
    }
}

impl ContainerError {
    /// Whether the file is bad or needs something that is missing here.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Unrecognised { .. }
            | Self::Truncated { .. }
            | Self::Malformed { .. }
            | Self::TooLarge { .. } => ErrorClass::BadInput,
            Self::Unsupported { .. }
            | Self::Relocation { .. }
            | Self::Undefined { .. }
            | Self::Relocatable
            | Self::NeedsPtx { .. }
            | Self::NoCode { .. } => ErrorClass::Lacks,
        }
    }
}
