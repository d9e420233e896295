//! Memory in stream order: pools are names only, the memory is the device's.

use super::call::api;
use crate::abi::{Address, Handle, Out};
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// The one pool there is until more are made.
const DEFAULT_POOL: Handle = 0x7800_0000;
/// `cudaMemPoolAttrReleaseThreshold`; smaller numbers are switches, larger ones
/// counts of bytes.
const RELEASE_THRESHOLD: i32 = 4;

/// `cudaMemAccessFlagsProtReadWrite`.
const READ_AND_WRITE: i32 = 3;

fn allocate(rt: &mut Runtime, bytes: usize, stream: Handle) -> Result<Address> {
    let captured = rt.streams.get_mut(stream)?.capture.is_some();
    Ok(Address(match bytes as u64 {
        0 => 0,
        bytes if captured => rt.malloc_for_graphs(bytes)?,
        bytes => rt.malloc(bytes)?,
    }))
}

fn read(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

api! {
    stream fn cudaMallocAsync(out: Out<Address>, bytes: usize, stream: Handle) |rt| {
        out.set(allocate(rt, bytes, stream)?)
    }

    stream fn cudaMallocFromPoolAsync(
        out: Out<Address>, bytes: usize, _pool: Handle, stream: Handle,
    ) |rt| {
        out.set(allocate(rt, bytes, stream)?)
    }

    stream fn cudaFreeAsync(at: Address, stream: Handle) |rt| {
        match rt.streams.get_mut(stream)?.capture {
            // The graph keeps the memory: it may be launched again.
            Some(_) => Ok(()),
            None => rt.free(at),
        }
    }

    plain fn cudaDeviceGetDefaultMemPool(pool: Out<Handle>, _device: i32) {
        pool.set(DEFAULT_POOL)
    }

    plain fn cudaDeviceGetMemPool(pool: Out<Handle>, _device: i32) {
        pool.set(DEFAULT_POOL)
    }

    plain fn cudaDeviceSetMemPool(_device: i32, _pool: Handle) {
        Ok(())
    }

    plain fn cudaMemPoolCreate(pool: Out<Handle>, _properties: Address) {
        pool.set(DEFAULT_POOL)
    }

    plain fn cudaMemPoolDestroy(_pool: Handle) {
        Ok(())
    }

    plain fn cudaMemPoolTrimTo(_pool: Handle, _bytes: usize) {
        Ok(())
    }

    // What is chosen is kept and told; nothing follows from it here.
    sync fn cudaMemPoolSetAttribute(_pool: Handle, attribute: i32, value: Address) |rt| {
        match attribute {
            // SAFETY: the application's `int`.
            1..=3 => rt.pool[attribute as usize] = read(unsafe { value.host_bytes(4) }),
            // SAFETY: the application's `cuuint64_t`.
            RELEASE_THRESHOLD => rt.pool[0] = read(unsafe { value.host_bytes(8) }),
            5..=8 => {}
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }

    sync fn cudaMemPoolGetAttribute(_pool: Handle, attribute: i32, value: Address) |rt| {
        let (number, len) = match attribute {
            1..=3 => (rt.pool[attribute as usize], 4),
            RELEASE_THRESHOLD => (rt.pool[0], 8),
            5..=8 => (rt.device.memory_use().0, 8),
            _ => return Err(Error::INVALID_VALUE),
        };
        // SAFETY: the application's `int` or `cuuint64_t`, as the attribute says.
        unsafe { value.host_bytes_mut(len) }.copy_from_slice(&number.to_le_bytes()[..len]);
        Ok(())
    }

    plain fn cudaMemPoolSetAccess(_pool: Handle, _list: Address, _count: usize) {
        Ok(())
    }

    // The one device reads and writes all of it.
    plain fn cudaMemPoolGetAccess(flags: Out<i32>, _pool: Handle, _location: Address) {
        flags.set(READ_AND_WRITE)
    }

    plain fn cudaDeviceGraphMemTrim(_device: i32) {
        Ok(())
    }

    plain fn cudaDeviceSetGraphMemAttribute(_device: i32, _attribute: i32, _value: Address) {
        Ok(())
    }

    sync fn cudaDeviceGetGraphMemAttribute(_device: i32, _attribute: i32, value: Out<u64>) |rt| {
        value.set(rt.graph_memory())
    }
}
