//! Memory in stream order: pools are names only, the memory is the device's.

use super::call::api;
use crate::abi::{Address, Handle, In, Out};
use crate::error::{Error, Result};
use crate::runtime::graph::kind;
use crate::runtime::{Op, Runtime};

/// The one pool there is until more are made.
const DEFAULT_POOL: Handle = 0x7800_0000;
/// `cudaMemPoolAttrReleaseThreshold`; smaller numbers are switches, larger ones
/// counts of bytes.
const RELEASE_THRESHOLD: i32 = 4;

/// Numbers of `cudaGraphMemAttributeType`.
const USED: i32 = 0;
const USED_MOST: i32 = 1;
const RESERVED: i32 = 2;
const RESERVED_MOST: i32 = 3;

/// `cudaMemAccessFlagsProtReadWrite`.
const READ_AND_WRITE: i32 = 3;

fn allocate(rt: &mut Runtime, bytes: usize, stream: Handle) -> Result<Address> {
    let captured = rt.streams.get_mut(stream)?.capture;
    Ok(Address(match (bytes as u64, captured) {
        (0, _) => 0,
        (bytes, Some(graph)) => {
            let last = rt.graphs.graphs.get(graph)?.last().copied();
            let at = rt.malloc_for_graphs(bytes, last.as_slice())?;
            rt.capture(graph, kind::MEM_ALLOC, Op::Allocate(at))?;
            at
        }
        (bytes, None) => rt.malloc(bytes)?,
    }))
}

/// There is one device.
fn on_device(device: i32) -> Result<()> {
    if device == 0 { Ok(()) } else { Err(Error::INVALID_DEVICE) }
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
            Some(graph) if rt.graphs.memory.bytes_at(at.0).is_some() => {
                rt.capture(graph, kind::MEM_FREE, Op::Free(at.0)).map(|_| ())
            }
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

    sync fn cudaDeviceGraphMemTrim(device: i32) |rt| {
        on_device(device)?;
        rt.graphs.memory.trim();
        Ok(())
    }

    // The most can be set to zero, and nothing else.
    sync fn cudaDeviceSetGraphMemAttribute(device: i32, attribute: i32, value: In<u64>) |rt| {
        on_device(device)?;
        match (attribute, value.get()?) {
            (USED_MOST, 0) => rt.graphs.memory.forget_most(0),
            (RESERVED_MOST, 0) => rt.graphs.memory.forget_most(1),
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }

    sync fn cudaDeviceGetGraphMemAttribute(device: i32, attribute: i32, value: Out<u64>) |rt| {
        on_device(device)?;
        let memory = &rt.graphs.memory;
        value.set(match attribute {
            // Both tell what is there.
            USED | RESERVED => memory.now(),
            USED_MOST => memory.most(0),
            RESERVED_MOST => memory.most(1),
            _ => return Err(Error::INVALID_VALUE),
        })
    }
}
