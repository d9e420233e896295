//! What a host calls loaded code by.

/// A loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleId(pub(crate) usize);

/// A kernel of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionId {
    pub(crate) module: usize,
    pub(crate) kernel: usize,
}

impl FunctionId {
    /// The module that it is in.
    pub fn module(self) -> ModuleId {
        ModuleId(self.module)
    }
}
