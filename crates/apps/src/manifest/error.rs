//! What can be wrong with a manifest.

/// What is wrong with a manifest, or with a file it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ManifestError {
    /// The file, and the key in it where known.
    pub place: String,
    /// What is wrong and how to mend it.
    pub problem: String,
}

impl ManifestError {
    /// An error at a place.
    pub fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }
}
