//! Memory in stream order.

use super::call::driver;
use crate::abi::{Address, Handle, In, Out};
use crate::api::pool::{
    cudaDeviceGetDefaultMemPool, cudaDeviceGetGraphMemAttribute, cudaDeviceGetMemPool,
    cudaDeviceGraphMemTrim, cudaDeviceSetGraphMemAttribute, cudaDeviceSetMemPool, cudaFreeAsync,
    cudaMallocAsync, cudaMallocFromPoolAsync, cudaMemPoolCreate, cudaMemPoolDestroy,
    cudaMemPoolGetAttribute, cudaMemPoolSetAccess, cudaMemPoolSetAttribute, cudaMemPoolTrimTo,
};

driver! {
    same fn cuMemAllocAsync(out: Out<Address>, bytes: usize, stream: Handle) {
        cudaMallocAsync(out, bytes, stream)
    }

    same fn cuMemAllocFromPoolAsync(
        out: Out<Address>, bytes: usize, pool: Handle, stream: Handle,
    ) {
        cudaMallocFromPoolAsync(out, bytes, pool, stream)
    }

    same fn cuMemFreeAsync(at: Address, stream: Handle) {
        cudaFreeAsync(at, stream)
    }

    same fn cuDeviceGetDefaultMemPool(pool: Out<Handle>, device: i32) {
        cudaDeviceGetDefaultMemPool(pool, device)
    }

    same fn cuDeviceGetMemPool(pool: Out<Handle>, device: i32) {
        cudaDeviceGetMemPool(pool, device)
    }

    same fn cuDeviceSetMemPool(device: i32, pool: Handle) {
        cudaDeviceSetMemPool(device, pool)
    }

    same fn cuMemPoolCreate(pool: Out<Handle>, properties: Address) {
        cudaMemPoolCreate(pool, properties)
    }

    same fn cuMemPoolDestroy(pool: Handle) {
        cudaMemPoolDestroy(pool)
    }

    same fn cuMemPoolTrimTo(pool: Handle, bytes: usize) {
        cudaMemPoolTrimTo(pool, bytes)
    }

    same fn cuMemPoolSetAttribute(pool: Handle, attribute: i32, value: Address) {
        cudaMemPoolSetAttribute(pool, attribute, value)
    }

    same fn cuMemPoolGetAttribute(pool: Handle, attribute: i32, value: Address) {
        cudaMemPoolGetAttribute(pool, attribute, value)
    }

    same fn cuMemPoolSetAccess(pool: Handle, list: Address, count: usize) {
        cudaMemPoolSetAccess(pool, list, count)
    }

    same fn cuDeviceGraphMemTrim(device: i32) {
        cudaDeviceGraphMemTrim(device)
    }

    same fn cuDeviceGetGraphMemAttribute(device: i32, attribute: i32, value: Out<u64>) {
        cudaDeviceGetGraphMemAttribute(device, attribute, value)
    }

    same fn cuDeviceSetGraphMemAttribute(device: i32, attribute: i32, value: In<u64>) {
        cudaDeviceSetGraphMemAttribute(device, attribute, value)
    }
}
