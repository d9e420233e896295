//! Attributes of kernels, and how many fit.

use std::ffi::{CString, c_char};

use super::call::api;
use crate::abi::{Address, Out};
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// `cudaFuncAttributes` of CUDA 11; later releases have more behind it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    pub(crate) shared_bytes: usize,
    pub(crate) constant_bytes: usize,
    pub(crate) local_bytes: usize,
    pub(crate) max_threads: i32,
    pub(crate) registers: i32,
    pub(crate) ptx_version: i32,
    pub(crate) binary_version: i32,
    pub(crate) cache_mode: i32,
    pub(crate) max_dynamic_shared: i32,
    pub(crate) carveout: i32,
}

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`.
const MAX_DYNAMIC_SHARED: i32 = 8;
/// The last attribute that exists.
const LAST_ATTRIBUTE: i32 = 15;

pub(crate) fn attributes(rt: &mut Runtime, function: Address) -> Result<Attributes> {
    let id = rt.function(function)?;
    let kernel = rt.device.kernel(id);
    let core = rt.device.sm_core();
    // Registers are given to whole warps, in granules.
    let per_warp = (kernel.registers.max(1) * core.sm.warp_size)
        .next_multiple_of(core.registers.granule.max(1));
    let warps = core.registers.per_cta / per_warp.max(1);
    let bound = kernel.max_threads.unwrap_or(u32::MAX);
    let threads = (warps * core.sm.warp_size).min(core.sm.threads_per_cta).min(bound);
    let versions = rt.versions(id);
    Ok(Attributes {
        shared_bytes: kernel.shared_bytes as usize,
        constant_bytes: kernel.constant_bytes as usize,
        local_bytes: kernel.local_bytes as usize,
        max_threads: threads as i32,
        registers: kernel.registers as i32,
        ptx_version: versions.ptx as i32,
        binary_version: versions.binary as i32,
        cache_mode: 0,
        max_dynamic_shared: rt.dynamic_limit(id) as i32,
        carveout: -1,
    })
}

pub(crate) fn active_blocks(
    rt: &mut Runtime,
    function: Address,
    threads: i32,
    shared: usize,
) -> Result<u32> {
    let id = rt.function(function)?;
    let threads = u32::try_from(threads).map_err(|_| Error::INVALID_VALUE)?;
    let core = rt.device.sm_core();
    if threads == 0 {
        return Err(Error::INVALID_VALUE);
    }
    if threads > core.sm.threads_per_cta {
        return Ok(0);
    }
    let dynamic = u32::try_from(shared).unwrap_or(u32::MAX);
    let own = rt.device.kernel(id).shared_bytes;
    if own.saturating_add(dynamic) > core.shared.per_cta {
        return Ok(0);
    }
    Ok(rt.device.occupancy(id, threads, dynamic).ctas_per_sm)
}

/// Where a parameter is, and how long.
pub(crate) fn parameter(
    rt: &mut Runtime,
    function: Address,
    index: usize,
    (offset, size): (Out<usize>, Out<usize>),
) -> Result<()> {
    let id = rt.function(function)?;
    let found = rt.device.kernel(id).params.get(index).copied();
    let (at, bytes) = found.ok_or(Error::INVALID_VALUE)?;
    offset.set(at as usize)?;
    size.set_if_wanted(bytes as usize);
    Ok(())
}

/// A kernel's name, at an address that stays.
fn name(rt: &mut Runtime, function: Address) -> Result<*const c_char> {
    let id = rt.function(function)?;
    if let Some((_, name)) = rt.names.iter().find(|(of, _)| *of == id) {
        return Ok(name.as_ptr());
    }
    let name = CString::new(rt.device.kernel(id).name).map_err(|_| Error::INVALID_VALUE)?;
    let at = name.as_ptr();
    rt.names.push((id, name));
    Ok(at)
}

api! {
    sync fn cudaFuncGetName(out: Out<*const c_char>, function: Address) |rt| {
        out.set(name(rt, function)?)
    }

    sync fn cudaFuncGetParamInfo(
        function: Address, index: usize, offset: Out<usize>, size: Out<usize>,
    ) |rt| {
        parameter(rt, function, index, (offset, size))
    }

    sync fn cudaFuncGetParamCount(function: Address, count: Out<usize>) |rt| {
        let id = rt.function(function)?;
        count.set(rt.device.kernel(id).params.len())
    }

    sync fn cudaFuncGetAttributes(out: Out<Attributes>, function: Address) |rt| {
        out.set(attributes(rt, function)?)
    }

    sync fn cudaFuncSetAttribute(function: Address, attribute: i32, value: i32) |rt| {
        let id = rt.function(function)?;
        match attribute {
            MAX_DYNAMIC_SHARED => rt.set_dynamic_limit(id, value),
            0..=LAST_ATTRIBUTE => Ok(()),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    sync fn cudaFuncSetCacheConfig(function: Address, _config: i32) |rt| {
        rt.function(function).map(|_| ())
    }

    sync fn cudaFuncSetSharedMemConfig(function: Address, _config: i32) |rt| {
        rt.function(function).map(|_| ())
    }

    sync fn cudaGetFuncBySymbol(out: Out<Address>, function: Address) |rt| {
        rt.function(function)?;
        out.set(function)
    }

    sync fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<i32>, function: Address, threads: i32, shared: usize,
    ) |rt| {
        blocks.set(active_blocks(rt, function, threads, shared)? as i32)
    }

    sync fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>, function: Address, threads: i32, shared: usize, _flags: u32,
    ) |rt| {
        blocks.set(active_blocks(rt, function, threads, shared)? as i32)
    }

    sync fn cudaOccupancyAvailableDynamicSMemPerBlock(
        bytes: Out<usize>, function: Address, blocks: i32, threads: i32,
    ) |rt| {
        // The most that still lets so many blocks fit, in the chip's granules.
        let core = rt.device.sm_core();
        let (granule, most) = (core.shared.granule.max(1) as usize, core.shared.per_cta as usize);
        let mut fits = None;
        let mut dynamic = 0;
        while dynamic <= most {
            if active_blocks(rt, function, threads, dynamic)? as i32 >= blocks.max(1) {
                fits = Some(dynamic);
            }
            dynamic += granule;
        }
        bytes.set(fits.ok_or(Error::INVALID_VALUE)?)
    }

    plain fn cudaSetDoubleForDevice(_value: Address) {
        Ok(())
    }

    plain fn cudaSetDoubleForHost(_value: Address) {
        Ok(())
    }
}
