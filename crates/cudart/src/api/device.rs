//! Devices: there is one.

use std::ffi::c_char;

use upset_device::Limit;

use super::call::api;
use crate::abi::properties::{CUDA_11, CUDA_12_MORE, CUDA_13, Field, lay_out};
use crate::abi::{Address, Out, Text};
use crate::error::{Error, Result};
use crate::runtime::{Runtime, session};

/// Release whose API the calls follow, as `cudaRuntimeGetVersion` gives it.
pub(super) const VERSION_11: i32 = 11080;
pub(super) const VERSION_12: i32 = 12090;
const VERSION_13: i32 = 13000;
/// A driver new enough for all of them.
pub(crate) const DRIVER_VERSION: i32 = 13000;

/// Numbers of `cudaLimit`.
pub(crate) fn limit(number: i32) -> Result<Limit> {
    match number {
        0 => Ok(Limit::Stack),
        1 => Ok(Limit::PrintfFifo),
        2 => Ok(Limit::MallocHeap),
        3..=6 => Err(Error::UNSUPPORTED_LIMIT),
        _ => Err(Error::INVALID_VALUE),
    }
}

pub(crate) fn only(device: i32) -> Result<()> {
    if device == 0 { Ok(()) } else { Err(Error::INVALID_DEVICE) }
}

/// Fills a `cudaDeviceProp`.
fn properties(
    rt: &Runtime,
    out: Address,
    device: i32,
    fields: impl Iterator<Item = Field>,
) -> Result<()> {
    if out.0 == 0 {
        return Err(Error::INVALID_VALUE);
    }
    only(device)?;
    let chip = rt.device.chip();
    let bytes =
        lay_out(fields, &chip.chip.title, chip.memory.bytes, |a| rt.attribute(a).unwrap_or(0));
    // SAFETY: the application's structure, of the size its headers give it,
    // which is the size of the layout of that release.
    unsafe { out.host_bytes_mut(bytes.len()) }.copy_from_slice(&bytes);
    Ok(())
}

fn version(out: Out<i32>, number: i32) -> Result<()> {
    out.set(number)
}

api! {
    // These two answer even after a kernel went wrong.
    plain fn cudaGetDeviceCount(count: Out<i32>) {
        session::with(|_| count.set(1))
    }

    plain fn cudaGetDevice(device: Out<i32>) {
        device.set(0)
    }

    sync fn cudaSetDevice(device: i32) |_rt| {
        only(device)
    }

    sync fn cudaSetValidDevices(_devices: Address, _count: i32) |_rt| {
        Ok(())
    }

    sync fn cudaChooseDevice(device: Out<i32>, _wanted: Address) |_rt| {
        device.set(0)
    }

    plain fn cudaInitDevice(device: i32, _flags: u32, _more: u32) {
        only(device)
    }

    plain fn cudaSetDeviceFlags(_flags: u32) {
        Ok(())
    }

    plain fn cudaGetDeviceFlags(flags: Out<u32>) {
        // cudaDeviceMapHost: what a context reports by default.
        flags.set(8)
    }

    sync fn cudaGetDeviceProperties(out: Address, device: i32) |rt| {
        properties(rt, out, device, CUDA_11.iter().copied())
    }

    sync fn cudaGetDeviceProperties_v2(out: Address, device: i32) |rt| {
        properties(rt, out, device, CUDA_11.iter().chain(CUDA_12_MORE).copied())
    }

    sync fn cudaGetDeviceProperties_v13(out: Address, device: i32) |rt| {
        properties(rt, out, device, CUDA_13.iter().copied())
    }

    sync fn cudaDeviceGetAttribute(value: Out<i32>, attribute: i32, device: i32) |rt| {
        only(device)?;
        value.set(rt.attribute(attribute).ok_or(Error::INVALID_VALUE)? as i32)
    }

    plain fn cudaDriverGetVersion(out: Out<i32>) {
        version(out, DRIVER_VERSION)
    }

    plain fn cudaRuntimeGetVersion(out: Out<i32>) {
        version(out, VERSION_11)
    }

    plain fn cudaRuntimeGetVersion_v12(out: Out<i32>) {
        version(out, VERSION_12)
    }

    plain fn cudaRuntimeGetVersion_v13(out: Out<i32>) {
        version(out, VERSION_13)
    }

    sync fn cudaDeviceSynchronize() |_rt| {
        Ok(())
    }

    sync fn cudaThreadSynchronize() |_rt| {
        Ok(())
    }

    plain fn cudaDeviceReset() {
        session::reset()
    }

    plain fn cudaThreadExit() {
        session::reset()
    }

    sync fn cudaDeviceSetLimit(number: i32, bytes: usize) |rt| {
        rt.device.set_limit(limit(number)?, bytes as u64).map_err(|_| Error::INVALID_VALUE)
    }

    sync fn cudaDeviceGetLimit(bytes: Out<usize>, number: i32) |rt| {
        bytes.set(rt.device.limit_of(limit(number)?) as usize)
    }

    sync fn cudaThreadSetLimit(number: i32, bytes: usize) |rt| {
        rt.device.set_limit(limit(number)?, bytes as u64).map_err(|_| Error::INVALID_VALUE)
    }

    sync fn cudaThreadGetLimit(bytes: Out<usize>, number: i32) |rt| {
        bytes.set(rt.device.limit_of(limit(number)?) as usize)
    }

    // The split between cache and shared memory is the chip file's.
    plain fn cudaDeviceSetCacheConfig(_config: i32) {
        Ok(())
    }

    plain fn cudaDeviceGetCacheConfig(config: Out<i32>) {
        config.set(0)
    }

    plain fn cudaThreadSetCacheConfig(_config: i32) {
        Ok(())
    }

    plain fn cudaThreadGetCacheConfig(config: Out<i32>) {
        config.set(0)
    }

    plain fn cudaDeviceSetSharedMemConfig(_config: i32) {
        Ok(())
    }

    plain fn cudaDeviceGetSharedMemConfig(config: Out<i32>) {
        // Banks of four bytes.
        config.set(1)
    }

    plain fn cudaCtxResetPersistingL2Cache() {
        Ok(())
    }

    plain fn cudaDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        least.set_if_wanted(0);
        greatest.set_if_wanted(crate::runtime::HIGHEST_PRIORITY);
        Ok(())
    }

    sync fn cudaDeviceGetPCIBusId(out: Out<c_char>, len: i32, device: i32) |_rt| {
        only(device)?;
        let text = c"0000:01:00.0".to_bytes_with_nul();
        if (len as usize) < text.len() {
            return Err(Error::INVALID_VALUE);
        }
        for (i, &b) in text.iter().enumerate() {
            out.at(i).set(b as c_char)?;
        }
        Ok(())
    }

    sync fn cudaDeviceGetByPCIBusId(device: Out<i32>, _id: Text) |_rt| {
        device.set(0)
    }

    sync fn cudaDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) |_rt| {
        only(device)?;
        only(peer)?;
        can.set(0)
    }

    sync fn cudaDeviceEnablePeerAccess(_peer: i32, _flags: u32) |_rt| {
        Err(Error::INVALID_DEVICE)
    }

    // There is one device, and none is its own peer.
    plain fn cudaDeviceGetP2PAttribute(_out: Out<i32>, _number: i32, _from: i32, _to: i32) {
        Err(Error::INVALID_DEVICE)
    }

    sync fn cudaDeviceDisablePeerAccess(_peer: i32) |_rt| {
        Err(Error::PEER_ACCESS_NOT_ENABLED)
    }

    sync fn cudaMemGetInfo(free: Out<usize>, total: Out<usize>) |rt| {
        let (used, all) = rt.device.memory_use();
        free.set_if_wanted((all - used.min(all)) as usize);
        total.set_if_wanted(all as usize);
        Ok(())
    }

    sync fn cudaDeviceGetTexture1DLinearMaxWidth(
        out: Out<usize>, _format: Address, _device: i32,
    ) |rt| {
        out.set(rt.attribute(69).unwrap_or(0) as usize)
    }

    plain fn cudaProfilerStart() {
        Ok(())
    }

    plain fn cudaProfilerStop() {
        Ok(())
    }

    plain fn cudaProfilerInitialize(_config: Text, _output: Text, _mode: i32) {
        Ok(())
    }
}
