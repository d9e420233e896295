//! Attributes of functions, and how many blocks fit.

use super::call::{driver, sync};
use crate::abi::{Address, In, Out};
use crate::api::function::{
    active_blocks, attributes, cudaFuncSetAttribute, cudaOccupancyAvailableDynamicSMemPerBlock,
    parameter,
};
use crate::api::launch::LaunchAttribute;
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// `CUfunction_attribute`s beyond those of the first structure: cluster sizes and
/// such, which no function here asks for.
const LATER: std::ops::RangeInclusive<i32> = 10..=15;

/// `CUoccupancyB2DSize`: dynamic shared memory for a block size.
type SharedFor = unsafe extern "C" fn(i32) -> usize;

/// `CUlaunchConfig`, as far as occupancy goes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory.
    pub shared: u32,
    /// Where it goes.
    pub stream: u64,
    /// More about it.
    pub attributes: In<LaunchAttribute>,
    /// How much more.
    pub count: u32,
}

fn attribute(rt: &mut Runtime, function: Address, number: i32) -> Result<i32> {
    let a = attributes(rt, function)?;
    Ok(match number {
        0 => a.max_threads,
        1 => a.shared_bytes as i32,
        2 => a.constant_bytes as i32,
        3 => a.local_bytes as i32,
        4 => a.registers,
        5 => a.ptx_version,
        6 => a.binary_version,
        7 => a.cache_mode,
        8 => a.max_dynamic_shared,
        9 => a.carveout,
        n if LATER.contains(&n) => 0,
        _ => return Err(Error::INVALID_VALUE),
    })
}

/// The block size with which most threads fit, the largest of equals, and how many
/// blocks fill the device with it.
fn potential(
    (least, size): (Out<i32>, Out<i32>),
    function: Address,
    shared: impl Fn(i32) -> usize,
    most: i32,
) -> Result<()> {
    let (warp, limit) = sync(|rt| {
        let limit = attributes(rt, function)?.max_threads;
        Ok((rt.device.sm_core().sm.warp_size as i32, limit))
    })?;
    let limit = if most > 0 { limit.min(most) } else { limit };
    let mut best = (0, 0, 0);
    let mut threads = (limit.max(1) + warp - 1) / warp * warp;
    while threads > 0 {
        let block = threads.min(limit);
        // Our lock is not held while the program is asked.
        let dynamic = shared(block);
        let blocks = sync(|rt| active_blocks(rt, function, block, dynamic))? as i32;
        if blocks * block > best.0 {
            best = (blocks * block, block, blocks);
        }
        threads -= warp;
    }
    let cores = sync(|rt| Ok(rt.device.sm_core().sm.count as i32))?;
    least.set(best.2 * cores)?;
    size.set(best.1)
}

/// What a program's function says, or the number it gave.
fn shared_for(by_size: Option<SharedFor>, fixed: usize) -> impl Fn(i32) -> usize {
    move |block| match by_size {
        // SAFETY: the application's function, with the argument the API defines.
        Some(f) => crate::host::theirs(|| unsafe { f(block) }),
        None => fixed,
    }
}

driver! {
    sync fn cuFuncGetAttribute(out: Out<i32>, number: i32, function: Address) |rt| {
        out.set(attribute(rt, function, number)?)
    }

    same fn cuFuncSetAttribute(function: Address, number: i32, value: i32) {
        cudaFuncSetAttribute(function, number, value)
    }

    apart fn cuKernelGetAttribute(out: Out<i32>, number: i32, kernel: Address, _device: i32) |rt| {
        out.set(attribute(rt, kernel, number)?)
    }

    same fn cuKernelSetAttribute(number: i32, value: i32, kernel: Address, _device: i32) {
        cudaFuncSetAttribute(kernel, number, value)
    }

    sync fn cuFuncSetCacheConfig(function: Address, _config: i32) |rt| {
        rt.function(function).map(|_| ())
    }

    sync fn cuKernelSetCacheConfig(kernel: Address, _config: i32, _device: i32) |rt| {
        rt.function(kernel).map(|_| ())
    }

    sync fn cuFuncSetSharedMemConfig(function: Address, _config: i32) |rt| {
        rt.function(function).map(|_| ())
    }

    // All code is loaded with its module.
    sync fn cuFuncIsLoaded(state: Out<i32>, function: Address) |rt| {
        rt.function(function)?;
        state.set(1)
    }

    sync fn cuFuncLoad(function: Address) |rt| {
        rt.function(function).map(|_| ())
    }

    sync fn cuFuncGetParamInfo(
        function: Address, index: usize, offset: Out<usize>, size: Out<usize>,
    ) |rt| {
        parameter(rt, function, index, (offset, size))
    }

    sync fn cuKernelGetParamInfo(
        kernel: Address, index: usize, offset: Out<usize>, size: Out<usize>,
    ) |rt| {
        parameter(rt, kernel, index, (offset, size))
    }

    sync fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<i32>, function: Address, threads: i32, shared: usize,
    ) |rt| {
        blocks.set(active_blocks(rt, function, threads, shared)? as i32)
    }

    sync fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>, function: Address, threads: i32, shared: usize, _flags: u32,
    ) |rt| {
        blocks.set(active_blocks(rt, function, threads, shared)? as i32)
    }

    same fn cuOccupancyAvailableDynamicSMemPerBlock(
        bytes: Out<usize>, function: Address, blocks: i32, threads: i32,
    ) {
        cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads)
    }

    plain fn cuOccupancyMaxPotentialBlockSize(
        least: Out<i32>, size: Out<i32>, function: Address, by_size: Option<SharedFor>,
        shared: usize, most: i32,
    ) {
        potential((least, size), function, shared_for(by_size, shared), most)
    }

    plain fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        least: Out<i32>, size: Out<i32>, function: Address, by_size: Option<SharedFor>,
        shared: usize, most: i32, _flags: u32,
    ) {
        potential((least, size), function, shared_for(by_size, shared), most)
    }

    // Clusters are not there: of one block, as many as blocks fit.
    sync fn cuOccupancyMaxActiveClusters(
        clusters: Out<i32>, function: Address, config: In<Config>,
    ) |rt| {
        let c = config.get()?;
        let threads: u32 = c.block.iter().product();
        let blocks = active_blocks(rt, function, threads as i32, c.shared as usize)?;
        clusters.set((blocks * rt.device.sm_core().sm.count) as i32)
    }
}
