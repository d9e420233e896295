//! What can be wrong with a file of machine code, and what to do about it.

/// Why a file could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    /// It is another kind of file.
    #[error(
        "not a code object of an AMD GPU: {found}; expected an ELF file for machine 224 (EM_AMDGPU), or for 1021 and others (AMD APP SDK 2.x)"
    )]
    Unrecognised {
        /// What it is.
        found: String,
    },
    /// It is for another GPU.
    #[error(
        "code for {found}; this model executes gfx600 to gfx602: compile with -mcpu=tahiti, pitcairn or verde"
    )]
    OtherTarget {
        /// The GPU, as far as its number is known.
        found: String,
    },
    /// A version of the format that is not read.
    #[error(
        "code object of {found}; versions 3 to 5 are read: compile with -mcode-object-version=5"
    )]
    OtherVersion {
        /// Which.
        found: String,
    },
    /// A version of the text in AMD's older container that is not read.
    #[error("metadata of version {found}; version 3 is read, as AMD APP SDK 2.x wrote it")]
    OtherMetadata {
        /// Which.
        found: String,
    },
    /// It contradicts the format.
    #[error("{place}: {problem}; the file is damaged or cut off, build it again")]
    Malformed {
        /// Part of the file.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// A relocation that is not known.
    #[error(
        "relocation type {number} at address {address:#x} is not supported; link with ld.lld -shared"
    )]
    Relocation {
        /// Its number.
        number: u32,
        /// What it would patch.
        address: u64,
    },
    /// Code that is elsewhere.
    #[error("`{name}` is not defined in the file: link it in")]
    Undefined {
        /// The symbol.
        name: String,
    },
}

/// Something contradicts the format.
pub(super) fn malformed(place: impl Into<String>, problem: impl ToString) -> ContainerError {
    ContainerError::Malformed { place: place.into(), problem: problem.to_string() }
}
