//! What can go wrong.

use upset_sass::container::ContainerError;

/// The lowest compute capability that nvJitLink 12 makes code for.
pub(crate) const LEAST: u32 = 50;

/// Why there is no machine code.
#[derive(Debug, thiserror::Error)]
pub enum PtxError {
    /// The image itself is bad, or has nothing for the architecture.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// Nobody who could convert.
    #[error(
        "there is no machine code for sm_{sm}, only PTX, and no converter (nvJitLink, ptxas) is \
         installed: `{}` gets one, or name yours with UPSET_PTXAS",
        fetching(*sm)
    )]
    NoConverter {
        /// Wanted compute capability.
        sm: u32,
    },
    /// Nobody who could link.
    #[error(
        "code for sm_{sm} has to be linked from several pieces, and nothing that does it \
         (nvJitLink, or nvlink beside ptxas) is installed: `{}` gets one, or name yours \
         with UPSET_PTXAS",
        fetching(*sm)
    )]
    NoLinker {
        /// Wanted compute capability.
        sm: u32,
    },
    /// The converter cannot be started.
    #[error("the converter {path} does not run: {why}; name another with UPSET_PTXAS")]
    DoesNotRun {
        /// Its path.
        path: String,
        /// What the system says.
        why: String,
    },
    /// The converter refuses.
    #[error("{converter} does not convert this PTX for sm_{sm}: {said}{advice}")]
    Refused {
        /// Name and version.
        converter: String,
        /// Wanted compute capability.
        sm: u32,
        /// Its complaint.
        said: String,
        /// What may help.
        advice: &'static str,
    },
    /// A file of ours cannot be written or read.
    #[error("cannot use {path} for converted PTX: {why}")]
    Files {
        /// Its path.
        path: String,
        /// What the system says.
        why: String,
    },
}

impl PtxError {
    /// Whether pieces do not fit together: a name is not there, or there twice.
    pub fn is_about_names(&self) -> bool {
        const COMPLAINTS: [&str; 3] =
            ["Undefined reference", "Unresolved extern", "Multiple definition"];
        matches!(self, PtxError::Refused { said, .. } if COMPLAINTS.iter().any(|c| said.contains(c)))
    }

    /// Whether something is missing here, rather than wrong with the program.
    pub fn is_lacking(&self) -> bool {
        use upset_sass::container::ErrorClass;
        match self {
            PtxError::Container(e) => e.class() == ErrorClass::Lacks,
            PtxError::NoConverter { .. }
            | PtxError::NoLinker { .. }
            | PtxError::DoesNotRun { .. } => true,
            PtxError::Refused { advice, .. } => !advice.is_empty(),
            PtxError::Files { .. } => false,
        }
    }
}

/// The command that gets a converter for an architecture.
fn fetching(sm: u32) -> &'static str {
    match sm >= LEAST {
        true => "upset toolkit fetch --converter",
        false => "upset toolkit fetch",
    }
}
