//! What the program said of the nodes of its graphs: it may ask for it again.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use upset_device::Launch;

use crate::abi::{Address, Dim3, Extent, Handle, In, KernelNode, MemAllocNode, Memcpy3DParms};
use crate::abi::{MemcpyKind, MemsetNode, PitchedPtr, Pos};

/// What is known of a node, as its kind has it.
#[derive(Clone)]
pub enum Told {
    /// A launch.
    Kernel(Arc<Kernel>),
    /// A copy.
    Copy(Memcpy3DParms),
    /// A fill.
    Fill(MemsetNode),
    /// An allocation.
    Alloc(MemAllocNode),
    /// What is freed.
    Free(Address),
    /// The event that is recorded or waited for.
    Event(Handle),
}

/// A launch. The program gets pointers into it and may write there, which changes
/// nothing until it hands them back.
pub struct Kernel {
    function: Address,
    launch: Launch,
    /// The bytes of each argument.
    args: Vec<Vec<AtomicU64>>,
    /// A pointer to each.
    pointers: Vec<AtomicU64>,
}

impl Kernel {
    /// A launch with the bytes of its arguments.
    pub fn new<'a>(
        function: Address,
        launch: Launch,
        args: impl Iterator<Item = &'a [u8]>,
    ) -> Kernel {
        let word = |bytes: &[u8]| {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            AtomicU64::new(u64::from_le_bytes(whole))
        };
        let args: Vec<Vec<AtomicU64>> = args.map(|a| a.chunks(8).map(word).collect()).collect();
        let pointers = args.iter().map(|a| AtomicU64::new(a.as_ptr() as u64)).collect();
        Kernel { function, launch, args, pointers }
    }

    /// As the program knows it. The pointers are good as long as the node is.
    pub fn params(&self) -> KernelNode {
        let dim = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
        debug_assert_eq!(self.args.len(), self.pointers.len());
        KernelNode {
            function: self.function,
            grid: dim(self.launch.grid),
            block: dim(self.launch.block),
            shared: self.launch.shared_bytes,
            args: In::from_address(Address(self.pointers.as_ptr() as u64)),
            extra: Address(0),
        }
    }
}

/// A copy in one dimension, said as one in three.
pub fn line(to: Address, from: Address, bytes: usize, kind: MemcpyKind) -> Memcpy3DParms {
    let pitched = |ptr| PitchedPtr { ptr, pitch: bytes, xsize: bytes, ysize: 1 };
    Memcpy3DParms {
        src_array: 0,
        src_pos: Pos::default(),
        src_ptr: pitched(from),
        dst_array: 0,
        dst_pos: Pos::default(),
        dst_ptr: pitched(to),
        extent: Extent { width: bytes, height: 1, depth: 1 },
        kind,
    }
}
