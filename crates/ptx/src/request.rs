//! What somebody who has PTX wants.

use std::path::Path;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Compute capability: 75.
    pub sm: u32,
    /// The converter's path, if one was found.
    pub converter: Option<&'a Path>,
    /// Where converted code is kept.
    pub kept: &'a Path,
    /// Further options of the converter, such as `--maxrregcount=32`.
    pub options: &'a [String],
}
