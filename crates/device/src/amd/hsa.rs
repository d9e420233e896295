//! What kernels of LLVM's compilers are given: arguments, hidden ones behind
//! them, the packet of the dispatch.

use upset_gcn::container::descriptor::UserValue;
use upset_gcn::container::{ArgumentKind, Descriptor, Kernel};

use super::locals::Locals;
use crate::{Args, Launch};

/// Bytes of hidden arguments.
const HIDDEN: u64 = 256;
/// Bytes of a dispatch packet.
const PACKET: u64 = 64;
/// Bytes that a launch needs beside its arguments.
pub(super) const EXTRA: u64 = HIDDEN + PACKET + 64;

/// What a launch puts into memory, and the values of its scalar registers.
pub(super) struct Prepared {
    /// Bytes of the kernel's block.
    pub bytes: Vec<u8>,
    /// Values that the first scalar registers begin with.
    pub user: Vec<u32>,
}

/// Prepares a launch whose block lies at `at`, with scratch at `scratch`.
pub(super) fn prepare(
    kernel: &Kernel,
    descriptor: &Descriptor,
    launch: &Launch,
    args: (&Args, &Locals),
    (at, scratch): (u64, u64),
) -> Result<Prepared, String> {
    let explicit = u64::from(descriptor.kernarg_bytes);
    let packet_at = (explicit + HIDDEN).next_multiple_of(PACKET);
    let mut bytes = vec![0; (packet_at + PACKET) as usize];
    place_arguments(kernel, args, &mut bytes)?;
    place_hidden(kernel, launch, &mut bytes);
    let packet = packet(launch, at);
    bytes[packet_at as usize..][..packet.len()].copy_from_slice(&packet);
    let mut user = Vec::new();
    for value in descriptor.user_values() {
        let pair = |address: u64| [address as u32, (address >> 32) as u32];
        match value {
            UserValue::PrivateSegmentBuffer => user.extend(scratch_resource(scratch)),
            UserValue::DispatchPtr => user.extend(pair(at + packet_at)),
            UserValue::KernargPtr => user.extend(pair(at)),
            UserValue::QueuePtr | UserValue::DispatchId | UserValue::FlatScratchInit => {
                user.extend([0, 0]);
            }
            UserValue::PrivateSegmentSize => user.push(descriptor.scratch_bytes),
        }
    }
    user.resize(user.len().max(descriptor.second().user_sgprs() as usize), 0);
    Ok(Prepared { bytes, user })
}

/// Puts explicit arguments where the kernel looks for them.
fn place_arguments(
    kernel: &Kernel,
    (args, locals): (&Args, &Locals),
    bytes: &mut [u8],
) -> Result<(), String> {
    for (n, (to, from)) in kernel.explicit().zip(args.iter()).enumerate() {
        let value = locals.value(n).unwrap_or_else(|| from.bytes.clone());
        let (at, len) = (to.offset as usize, to.bytes as usize);
        if value.len() != len {
            return Err(format!("argument {n} has {} bytes, it takes {len}", value.len()));
        }
        match bytes.get_mut(at..at + len) {
            Some(to) => to.copy_from_slice(&value),
            None => return Err(format!("argument {n} lies outside the arguments")),
        }
    }
    Ok(())
}

/// Hidden arguments as libclc reads them, whatever the metadata calls them:
/// dimensions, and the first global numbers, which are zero here.
fn place_hidden(kernel: &Kernel, launch: &Launch, bytes: &mut [u8]) {
    let hidden = kernel.arguments.iter().filter(|a| matches!(a.kind, ArgumentKind::Hidden(_)));
    let behind =
        kernel.explicit().map(|a| a.offset + a.bytes).max().unwrap_or(0).next_multiple_of(8);
    let at = hidden.map(|a| a.offset).min().unwrap_or(behind) as usize;
    let items = [0, 1, 2].map(|i| launch.grid[i] * launch.block[i]);
    let dimensions = 1 + (1..3).filter(|&i| items[i] > 1).max().unwrap_or(0) as u32;
    if let Some(to) = bytes.get_mut(at..at + 4) {
        to.copy_from_slice(&dimensions.to_le_bytes());
    }
}

/// The dispatch packet (HSA Platform System Architecture, "Kernel dispatch packet").
fn packet(launch: &Launch, kernarg: u64) -> [u8; PACKET as usize] {
    let mut packet = [0; PACKET as usize];
    let items = [0, 1, 2].map(|i| launch.grid[i].wrapping_mul(launch.block[i]));
    // A kernel dispatch; all dimensions are there.
    packet[0..2].copy_from_slice(&2u16.to_le_bytes());
    packet[2..4].copy_from_slice(&3u16.to_le_bytes());
    for i in 0..3 {
        packet[4 + 2 * i..6 + 2 * i].copy_from_slice(&(launch.block[i] as u16).to_le_bytes());
        packet[12 + 4 * i..16 + 4 * i].copy_from_slice(&items[i].to_le_bytes());
    }
    packet[40..48].copy_from_slice(&kernarg.to_le_bytes());
    packet
}

/// Resource of scratch: dwords of a wave's lanes side by side (Mesa and LLVM
/// build the same: swizzled, elements of four bytes, 64 lanes, lane added).
pub(super) fn scratch_resource(base: u64) -> [u32; 4] {
    const SWIZZLE: u32 = 1 << 31;
    const ELEMENT_4: u32 = 1 << 19;
    const STRIDE_64: u32 = 3 << 21;
    const ADD_LANE: u32 = 1 << 23;
    const FORMAT_32: u32 = 4 << 12 | 4 << 15;
    [
        base as u32,
        (base >> 32) as u32 & 0xffff | SWIZZLE,
        u32::MAX,
        FORMAT_32 | ELEMENT_4 | STRIDE_64 | ADD_LANE,
    ]
}
