//! Memory in stream order: pools are names only, the memory is the device's.

use super::call::api;
use crate::abi::{Address, Handle, Out};
use crate::error::Error;

/// The one pool there is until more are made.
const DEFAULT_POOL: Handle = 0x6000_0000;
/// `cudaMemPoolAttrReservedMemCurrent` and the like: numbers of bytes.
const FIRST_BYTES_ATTRIBUTE: i32 = 4;

api! {
    stream fn cudaMallocAsync(out: Out<Address>, bytes: usize, _stream: Handle) |rt| {
        out.set(Address(if bytes == 0 { 0 } else { rt.malloc(bytes as u64)? }))
    }

    stream fn cudaMallocFromPoolAsync(
        out: Out<Address>, bytes: usize, _pool: Handle, _stream: Handle,
    ) |rt| {
        out.set(Address(if bytes == 0 { 0 } else { rt.malloc(bytes as u64)? }))
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

    plain fn cudaMemPoolSetAttribute(_pool: Handle, _attribute: i32, _value: Address) {
        Ok(())
    }

    sync fn cudaMemPoolGetAttribute(_pool: Handle, attribute: i32, value: Out<u64>) |rt| {
        match attribute {
            1..FIRST_BYTES_ATTRIBUTE => Err(Error::NOT_SUPPORTED),
            FIRST_BYTES_ATTRIBUTE => value.set(0),
            5..=8 => value.set(rt.device.memory_use().0),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    plain fn cudaMemPoolSetAccess(_pool: Handle, _list: Address, _count: usize) {
        Ok(())
    }
}
