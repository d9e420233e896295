//! C types of the runtime API, and the application's pointers in a form that
//! can only be used in the way the API defines.

mod basic;
mod extent;
mod graph;
mod options;
mod pointer;
pub mod properties;
mod texture;

pub use basic::{
    DEFAULT, DEVICE_TO_DEVICE, DEVICE_TO_HOST, Dim3, HOST_TO_DEVICE, HOST_TO_HOST, Handle,
    MemcpyKind,
};
pub use extent::{Extent, Memcpy3DParms, Memcpy3DPeerParms, PitchedPtr, Pos};
pub use graph::{AnyNode, HostNode, InstantiateParams, KernelNode, MemAllocNode, MemsetNode};
pub use options::Options;
pub use pointer::{Address, In, Out, Text};
pub use texture::{
    ChannelDesc, ResourceDesc, ResourceViewDesc, TextureDesc, TextureDescV2, TextureReference,
    resource,
};
