//! Arguments of kernels, whatever the container.

/// What an argument is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A value.
    #[default]
    Value,
    /// A buffer.
    Buffer,
    /// LDS that the launch gives: an offset in it.
    Lds,
    /// One that nobody passes: what it is filled with.
    Hidden(String),
    /// Another, which is not supported: images, samplers, queues.
    Other(String),
}

/// How a kernel finds a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// The argument is its address.
    #[default]
    Address,
    /// A resource in this entry of the UAV table; the argument is an offset in it.
    Uav(u32),
    /// A resource in this entry of the table of constant buffers; the argument
    /// is an offset in it.
    ConstantBuffer(u32),
}

/// What a kernel may do with a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Read and write, or nothing is said.
    #[default]
    ReadWrite,
    /// Read.
    ReadOnly,
    /// Write.
    WriteOnly,
}

/// An argument of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// Its name, where the file has it.
    pub name: String,
    /// Its type, or what it points to, as the file spells it.
    pub type_name: String,
    /// Where it lies among the arguments.
    pub offset: u32,
    /// Its bytes.
    pub bytes: u32,
    /// What it is.
    pub kind: ArgumentKind,
    /// How a buffer is found.
    pub binding: Binding,
    /// What may be done with a buffer.
    pub access: Access,
    /// Alignment of what a pointer leads to; zero where nothing is said.
    pub align: u32,
}
