//! Parameters of the nodes of graphs (`driver_types.h`; the same in CUDA 11, 12 and
//! 13, and in the forms of the driver API).

use super::{Address, Dim3, Handle, In};

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode {
    /// What is launched.
    pub function: Address,
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Dynamic shared memory.
    pub shared: u32,
    /// A pointer to each argument.
    pub args: In<Address>,
    /// All arguments in one piece instead.
    pub extra: Address,
}

/// `cudaMemsetParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemsetNode {
    /// First byte.
    pub to: Address,
    /// Bytes from row to row.
    pub pitch: usize,
    /// What is written.
    pub value: u32,
    /// How many bytes of it.
    pub element: u32,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// `cudaMemAllocNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemAllocNode {
    /// `cudaMemPoolProps`.
    pub pool: [u64; 11],
    /// Who may use it.
    pub access: Address,
    /// How many of these.
    pub accesses: usize,
    /// How much.
    pub bytes: usize,
    /// Where it is: a result.
    pub at: Address,
}

/// `cudaHostNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostNode {
    /// `void (*)(void *)`.
    pub function: Address,
    /// Its argument.
    pub data: Address,
}

/// `cudaGraphNodeParams` of CUDA 12 and 13: a node of any kind. What it is about
/// comes behind the kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AnyNode {
    /// `cudaGraphNodeType`.
    pub kind: i32,
    reserved: [i32; 3],
    body: [u64; 30],
}

impl AnyNode {
    /// Where what the node is about begins.
    pub const BODY: u64 = 16;
    /// Where the copy of a node that copies begins in it: flags are before it.
    pub const COPY: u64 = 16;
}

/// `cudaGraphInstantiateParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InstantiateParams {
    /// How.
    pub flags: u64,
    /// Where it is uploaded, if it is.
    pub stream: Handle,
    /// The node that was at fault: a result.
    pub node: Handle,
    /// `cudaGraphInstantiateResult`: a result.
    pub result: i32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn layouts_are_those_of_the_c_header() {
        assert_eq!(size_of::<KernelNode>(), 56);
        assert_eq!(size_of::<MemsetNode>(), 40);
        assert_eq!(size_of::<MemAllocNode>(), 120);
        assert_eq!(offset_of!(AnyNode, body) as u64, AnyNode::BODY);
        assert_eq!(size_of::<AnyNode>(), 256);
        assert_eq!(size_of::<InstantiateParams>(), 32);
    }
}
