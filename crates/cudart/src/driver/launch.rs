//! Launches.

use upset_device::Launch;

use super::call::driver;
use super::function::Config;
use crate::abi::{Address, Handle, In};
use crate::api::launch::heed;
use crate::api::stream::cudaLaunchHostFunc;
use crate::error::{Error, Result};
use crate::runtime::Given;

/// Words of `extra`: what follows is the arguments, or how many bytes they are.
const END: u64 = 0;
const BUFFER: u64 = 1;
const BUFFER_SIZE: u64 = 2;
/// Pairs that `extra` can have.
const MOST_PAIRS: usize = 8;

/// The arguments: a pointer to each, or all in one piece.
pub(super) fn given(each: In<Address>, extra: In<u64>) -> Result<Given> {
    if extra.is_null() {
        return Ok(Given::Each(each));
    }
    if !each.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let (mut at, mut size) = (None, None);
    for pair in 0..MOST_PAIRS {
        match extra.at(2 * pair)? {
            END => break,
            BUFFER => at = Some(Address(extra.at(2 * pair + 1)?)),
            BUFFER_SIZE => {
                let place: In<usize> = In::from_address(Address(extra.at(2 * pair + 1)?));
                size = Some(place.get()?);
            }
            _ => return Err(Error::INVALID_VALUE),
        }
    }
    match (at, size) {
        (Some(at), Some(size)) => Ok(Given::Packed(at, size)),
        _ => Err(Error::INVALID_VALUE),
    }
}

pub(super) fn launch(grid: [u32; 3], block: [u32; 3], shared: u32) -> Launch {
    Launch { grid, block, shared_bytes: shared, ..Launch::default() }
}

driver! {
    stream fn cuLaunchKernel(
        function: Address, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32,
        stream: Handle, args: In<Address>, extra: In<u64>,
    ) |rt| {
        let launch = launch([gx, gy, gz], [bx, by, bz], shared);
        rt.submit_launch(stream, function, launch, given(args, extra)?)
    }

    stream fn cuLaunchKernelEx(
        config: In<Config>, function: Address, args: In<Address>, extra: In<u64>,
    ) |rt| {
        let c = config.get()?;
        let mut launch = launch(c.grid, c.block, c.shared);
        heed(rt, &mut launch, c.attributes, c.count)?;
        rt.submit_launch(c.stream, function, launch, given(args, extra)?)
    }

    stream fn cuLaunchCooperativeKernel(
        function: Address, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32,
        stream: Handle, args: In<Address>,
    ) |rt| {
        let launch = Launch { cooperative: true, ..launch([gx, gy, gz], [bx, by, bz], shared) };
        rt.submit_launch(stream, function, launch, Given::Each(args))
    }

    same fn cuLaunchHostFunc(stream: Handle, function: Address, data: Address) {
        cudaLaunchHostFunc(stream, function, data)
    }

    // How the function waits is all that differs.
    same fn cuLaunchHostFunc_v2(stream: Handle, function: Address, data: Address, _mode: u32) {
        cudaLaunchHostFunc(stream, function, data)
    }
}
