//! Memory: the device's, the host's that kernels reach, and both at once.

use super::call::{driver, same};
use crate::abi::{Address, Handle, In, Out};
use crate::api::copy2d::cudaMallocPitch;
use crate::api::device::cudaMemGetInfo;
use crate::api::hint::{
    Location, cudaMemAdvise, cudaMemAdvise_v2, cudaMemPrefetchAsync, cudaMemPrefetchAsync_v2,
    cudaMemRangeGetAttribute, cudaMemRangeGetAttributes,
};
use crate::api::host::{
    cudaFreeHost, cudaHostAlloc, cudaHostGetDevicePointer, cudaHostGetFlags, cudaHostRegister,
    cudaHostUnregister, cudaMallocHost, cudaMallocManaged,
};
use crate::error::Error;

/// Sizes of elements that `cuMemAllocPitch` allows.
const ELEMENTS: [u32; 3] = [4, 8, 16];

driver! {
    sync fn cuMemAlloc_v2(out: Out<Address>, bytes: usize) |rt| {
        if out.is_null() || bytes == 0 {
            return Err(Error::INVALID_VALUE);
        }
        out.set(Address(rt.malloc(bytes as u64)?))
    }

    sync fn cuMemFree_v2(at: Address) |rt| {
        rt.free(at)
    }

    plain fn cuMemAllocPitch_v2(
        out: Out<Address>, pitch: Out<usize>, width: usize, height: usize, element: u32,
    ) {
        if !ELEMENTS.contains(&element) || width == 0 || height == 0 {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: places for results, as the runtime's function wants them.
        same(|| unsafe { cudaMallocPitch(out, pitch, width, height) })
    }

    same fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        cudaMemGetInfo(free, total)
    }

    same fn cuMemAllocHost_v2(out: Out<Address>, bytes: usize) {
        cudaMallocHost(out, bytes)
    }

    same fn cuMemHostAlloc(out: Out<Address>, bytes: usize, flags: u32) {
        cudaHostAlloc(out, bytes, flags)
    }

    same fn cuMemFreeHost(at: Address) {
        cudaFreeHost(at)
    }

    same fn cuMemHostRegister_v2(at: Address, bytes: usize, flags: u32) {
        cudaHostRegister(at, bytes, flags)
    }

    same fn cuMemHostUnregister(at: Address) {
        cudaHostUnregister(at)
    }

    same fn cuMemHostGetDevicePointer_v2(out: Out<Address>, host: Address, flags: u32) {
        cudaHostGetDevicePointer(out, host, flags)
    }

    same fn cuMemHostGetFlags(flags: Out<u32>, host: Address) {
        cudaHostGetFlags(flags, host)
    }

    same fn cuMemAllocManaged(out: Out<Address>, bytes: usize, flags: u32) {
        cudaMallocManaged(out, bytes, flags)
    }

    same fn cuMemPrefetchAsync(at: Address, bytes: usize, device: i32, stream: Handle) {
        cudaMemPrefetchAsync(at, bytes, device, stream)
    }

    same fn cuMemPrefetchAsync_v2(
        at: Address, bytes: usize, location: Location, flags: u32, stream: Handle,
    ) {
        cudaMemPrefetchAsync_v2(at, bytes, location, flags, stream)
    }

    same fn cuMemAdvise(at: Address, bytes: usize, advice: i32, device: i32) {
        cudaMemAdvise(at, bytes, advice, device)
    }

    same fn cuMemAdvise_v2(at: Address, bytes: usize, advice: i32, location: Location) {
        cudaMemAdvise_v2(at, bytes, advice, location)
    }

    same fn cuMemRangeGetAttribute(
        data: Address, room: usize, number: i32, at: Address, bytes: usize,
    ) {
        cudaMemRangeGetAttribute(data, room, number, at, bytes)
    }

    same fn cuMemRangeGetAttributes(
        data: In<Address>, rooms: In<usize>, numbers: In<i32>, count: usize, at: Address,
        bytes: usize,
    ) {
        cudaMemRangeGetAttributes(data, rooms, numbers, count, at, bytes)
    }
}
