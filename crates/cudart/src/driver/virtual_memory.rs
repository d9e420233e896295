//! Virtual memory management.

use super::call::driver;
use crate::abi::{Address, Handle, In, Out};
use crate::error::{Error, Result};
use crate::runtime::GRANULE;

/// `CUmemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Properties {
    sort: i32,
    handles: i32,
    location: i32,
    device: i32,
    metadata: Address,
    flags: [u8; 8],
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Access {
    location: i32,
    device: i32,
    flags: i32,
}

/// `CU_MEM_ALLOCATION_TYPE_PINNED`, `CU_MEM_LOCATION_TYPE_DEVICE`.
const PINNED: i32 = 1;
const ON_DEVICE: i32 = 1;
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`.
const READ_AND_WRITE: u64 = 3;

/// Memory of the one device, that no other process gets a handle of.
fn check(properties: In<Properties>) -> Result<Properties> {
    let p = properties.get()?;
    match (p.sort, p.location, p.device) {
        (PINNED, ON_DEVICE, 0) => Ok(p),
        (PINNED, ON_DEVICE, _) => Err(Error::INVALID_DEVICE),
        _ => Err(Error::NOT_SUPPORTED),
    }
}

driver! {
    plain fn cuMemGetAllocationGranularity(
        bytes: Out<usize>, properties: In<Properties>, _option: i32,
    ) {
        check(properties)?;
        bytes.set(GRANULE as usize)
    }

    sync fn cuMemAddressReserve(
        out: Out<Address>, bytes: usize, align: usize, _wish: Address, flags: u64,
    ) |rt| {
        if flags != 0 || out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        out.set(Address(rt.reserve(bytes as u64, align as u64)?))
    }

    sync fn cuMemAddressFree(at: Address, bytes: usize) |rt| {
        rt.unreserve(at.0, bytes as u64)
    }

    sync fn cuMemCreate(
        out: Out<Handle>, bytes: usize, properties: In<Properties>, flags: u64,
    ) |rt| {
        check(properties)?;
        if flags != 0 || out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        out.set(rt.create_memory(bytes as u64)?)
    }

    sync fn cuMemRelease(memory: Handle) |rt| {
        rt.release_memory(memory)
    }

    sync fn cuMemMap(at: Address, bytes: usize, offset: usize, memory: Handle, flags: u64) |rt| {
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        rt.map(at.0, bytes as u64, offset as u64, memory)
    }

    sync fn cuMemUnmap(at: Address, bytes: usize) |rt| {
        rt.unmap(at.0, bytes as u64)
    }

    // Whether it may be written is not watched: what is mapped can be.
    sync fn cuMemSetAccess(at: Address, _bytes: usize, list: In<Access>, count: usize) |rt| {
        rt.memory_at(at)?;
        (0..count).try_for_each(|i| match list.at(i)?.device {
            0 => Ok(()),
            _ => Err(Error::INVALID_DEVICE),
        })
    }

    sync fn cuMemGetAccess(flags: Out<u64>, _location: In<[i32; 2]>, at: Address) |rt| {
        rt.memory_at(at)?;
        flags.set(READ_AND_WRITE)
    }

    sync fn cuMemRetainAllocationHandle(out: Out<Handle>, at: Address) |rt| {
        out.set(rt.memory_at(at)?)
    }

    sync fn cuMemGetAllocationPropertiesFromHandle(out: Out<Properties>, memory: Handle) |rt| {
        rt.is_memory(memory)?;
        out.set(Properties {
            sort: PINNED, handles: 0, location: ON_DEVICE, device: 0, metadata: Address(0),
            flags: [0; 8],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_the_c_header() {
        assert_eq!(std::mem::size_of::<Properties>(), 32);
        assert_eq!(std::mem::size_of::<Access>(), 12);
    }
}
