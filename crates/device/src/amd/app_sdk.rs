//! What kernels of AMD's APP SDK 2.x are given: two constant buffers, and
//! tables of resources (docs/amd-containers.md).

use std::collections::BTreeMap;

use upset_gcn::container::amd::{AppSdk, DataClass, NdRange};
use upset_gcn::container::{Argument, ArgumentKind, Binding, Kernel, Module};

use super::hsa::{Prepared, scratch_resource};
use super::locals::Locals;
use crate::args::Arg;
use crate::{Args, Launch};

/// Entries of a table.
const ENTRIES: u64 = 128;
/// Bytes of an entry of the table of UAVs, and of one of the other tables.
const UAV_BYTES: u64 = 32;
const RESOURCE_BYTES: u64 = 16;
/// Bytes of constant buffer 0.
const RANGE: u64 = 256;

/// Where the parts of a kernel's block lie.
struct Parts {
    range: u64,
    uavs: u64,
    constants: u64,
    internal: u64,
    arguments: u64,
}

const PARTS: Parts = Parts {
    range: 0,
    uavs: RANGE,
    constants: RANGE + ENTRIES * UAV_BYTES,
    internal: RANGE + ENTRIES * (UAV_BYTES + RESOURCE_BYTES),
    arguments: RANGE + ENTRIES * (UAV_BYTES + 2 * RESOURCE_BYTES),
};

/// Bytes that a launch needs beside its arguments.
pub(super) const EXTRA: u64 = PARTS.arguments + 256;

/// Prepares a launch whose block lies at `at`, with scratch at `scratch`; the
/// module's constants lie at `base` and what they say of themselves.
pub(super) fn prepare(
    kernel: &Kernel,
    abi: &AppSdk,
    launch: &Launch,
    (args, locals): (&Args, &Locals),
    (module, base): (&Module, u64),
    (at, scratch): (u64, u64),
) -> Result<Prepared, String> {
    let mut bytes = vec![0; (PARTS.arguments + u64::from(abi.argument_bytes) + 16) as usize];
    let items = [0, 1, 2].map(|i| launch.grid[i].wrapping_mul(launch.block[i]));
    let dimensions = 1 + (1..3).filter(|&i| items[i] > 1).max().unwrap_or(0) as u32;
    let range = NdRange { dimensions, global: items, local: launch.block, offset: [0; 3] };
    put_words(&mut bytes, PARTS.range, &range.block(abi.wide));
    let bases = Bases::of(kernel, args);
    for (n, (to, from)) in kernel.explicit().zip(args.iter()).enumerate() {
        let mut value = locals.value(n).unwrap_or_else(|| from.bytes.clone());
        if let Some(entry) = table_entry(to) {
            let address = address_of(from).ok_or_else(|| format!("argument {n} is a pointer"))?;
            let base = bases.0.get(&entry).copied().unwrap_or(address);
            put_resource(&mut bytes, entry, base);
            value = (address - base).to_le_bytes().to_vec();
        }
        value.resize(to.bytes as usize, 0);
        let place = (PARTS.arguments + u64::from(to.offset)) as usize;
        match bytes.get_mut(place..place + value.len()) {
            Some(to) => to.copy_from_slice(&value),
            None => return Err(format!("argument {n} lies outside the arguments")),
        }
    }
    for constants in &module.constants {
        let entry = PARTS.constants + u64::from(constants.number) * RESOURCE_BYTES;
        put_resource(&mut bytes, entry, base + constants.address);
        if let Some(number) = abi.reserved.constants {
            let entry = PARTS.uavs + u64::from(number) * UAV_BYTES;
            put_resource(&mut bytes, entry, base + constants.address);
        }
    }
    if let Some(number) = abi.reserved.raw {
        put_resource(&mut bytes, PARTS.uavs + u64::from(number) * UAV_BYTES, 0);
    }
    // Constant buffers 0 and 1 are in their table too.
    put_resource(&mut bytes, PARTS.constants, at + PARTS.range);
    put_resource(&mut bytes, PARTS.constants + RESOURCE_BYTES, at + PARTS.arguments);
    put_words(&mut bytes, PARTS.internal + RESOURCE_BYTES, &scratch_resource(scratch));
    Ok(Prepared { user: user(kernel, abi, &bytes, at, scratch)?, bytes })
}

/// Values of the first scalar registers.
fn user(
    kernel: &Kernel,
    abi: &AppSdk,
    bytes: &[u8],
    at: u64,
    scratch: u64,
) -> Result<Vec<u32>, String> {
    let mut user = vec![0; abi.rsrc2.user_sgprs() as usize];
    for u in &abi.user_data {
        let pair = |address: u64| vec![address as u32, (address >> 32) as u32];
        let entry = |table: u64, size: u64| {
            let from = (table + u64::from(u.slot) * size) as usize;
            let words = bytes.get(from..from + 16).unwrap_or(&[]);
            let (words, _) = words.as_chunks::<4>();
            words.iter().map(|w| u32::from_le_bytes(*w)).collect::<Vec<_>>()
        };
        let values = match u.class {
            DataClass::PtrUavTable => pair(at + PARTS.uavs),
            DataClass::PtrConstBufferTable => pair(at + PARTS.constants),
            DataClass::PtrInternalGlobalTable => pair(at + PARTS.internal),
            DataClass::ImmConstBuffer => entry(PARTS.constants, RESOURCE_BYTES),
            DataClass::ImmUav => entry(PARTS.uavs, UAV_BYTES),
            DataClass::ImmScratchBuffer => scratch_resource(scratch).to_vec(),
            DataClass::ImmDispatchId => vec![0],
            other => {
                return Err(format!(
                    "`{}` wants {} in scalar registers, which is not supported",
                    kernel.name,
                    other.name()
                ));
            }
        };
        for (n, value) in values.into_iter().enumerate().take(u.count as usize) {
            let to = u.first as usize + n;
            if to >= user.len() {
                user.resize(to + 1, 0);
            }
            user[to] = value;
        }
    }
    Ok(user)
}

/// Where the resources of buffers begin. Buffers that share an entry of a table
/// (a compiler does that where pointers may alias) share a resource from the
/// lowest of them on.
struct Bases(BTreeMap<u64, u64>);

impl Bases {
    fn of(kernel: &Kernel, args: &Args) -> Bases {
        let mut bases = BTreeMap::new();
        for (to, from) in kernel.explicit().zip(args.iter()) {
            if let (Some(entry), Some(address)) = (table_entry(to), address_of(from)) {
                let base = bases.entry(entry).or_insert(address);
                *base = address.min(*base);
            }
        }
        Bases(bases)
    }
}

/// Where the resource of a buffer lies in the kernel's block. The buffer's
/// address is in its resource; the argument itself is an offset from there.
fn table_entry(argument: &Argument) -> Option<u64> {
    match (&argument.kind, argument.binding) {
        (ArgumentKind::Buffer, Binding::Uav(n)) => Some(PARTS.uavs + u64::from(n) * UAV_BYTES),
        (ArgumentKind::Buffer, Binding::ConstantBuffer(n)) => {
            Some(PARTS.constants + u64::from(n) * RESOURCE_BYTES)
        }
        _ => None,
    }
}

fn address_of(argument: &Arg) -> Option<u64> {
    argument.bytes.first_chunk().map(|b| u64::from_le_bytes(*b))
}

/// A resource of bytes from an address on, without limit: elements of 32 bits.
fn put_resource(bytes: &mut [u8], at: u64, address: u64) {
    const FORMAT_32: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 4 << 12 | 4 << 15;
    let words = [address as u32, (address >> 32) as u32 & 0xffff, u32::MAX, FORMAT_32];
    put_words(bytes, at, &words);
}

fn put_words(bytes: &mut [u8], at: u64, words: &[u32]) {
    for (n, word) in words.iter().enumerate() {
        let from = at as usize + 4 * n;
        if let Some(to) = bytes.get_mut(from..from + 4) {
            to.copy_from_slice(&word.to_le_bytes());
        }
    }
}
