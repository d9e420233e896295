//! Launches.

use std::cell::RefCell;

use upset_device::Launch;

use super::call::api;
use crate::abi::{Address, Dim3, Handle, In, Out};
use crate::error::{Error, Result};
use crate::runtime::{Given, Runtime};

/// What `<<<…>>>` leaves for the stub of the kernel.
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: Handle,
}

thread_local! {
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// `cudaLaunchConfig_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: Handle,
    attributes: In<LaunchAttribute>,
    count: u32,
}

/// `cudaLaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchAttribute {
    id: i32,
    pad: i32,
    value: [u32; 16],
}

/// Numbers of `cudaLaunchAttributeID`.
const COOPERATIVE: i32 = 2;
const CLUSTER_DIMENSION: i32 = 4;

/// Heeds the attributes of a launch.
pub(crate) fn heed(
    rt: &mut Runtime,
    launch: &mut Launch,
    attributes: In<LaunchAttribute>,
    count: u32,
) -> Result<()> {
    for i in 0..count as usize {
        let attribute = attributes.at(i)?;
        match attribute.id {
            COOPERATIVE => launch.cooperative = attribute.value[0] != 0,
            CLUSTER_DIMENSION if attribute.value[..3].iter().any(|&n| n > 1) => {
                rt.tell("thread block clusters are not supported".into(), true);
                return Err(Error::NOT_SUPPORTED);
            }
            // Hints about caches, priorities and overlap.
            _ => {}
        }
    }
    Ok(())
}

fn geometry(grid: Dim3, block: Dim3, shared: usize) -> Launch {
    Launch {
        grid: grid.array(),
        block: block.array(),
        shared_bytes: u32::try_from(shared).unwrap_or(u32::MAX),
        ..Launch::default()
    }
}

api! {
    raw fn __cudaPushCallConfiguration(
        grid: Dim3, block: Dim3, shared: usize, stream: Handle,
    ) -> u32 {
        CONFIGURATIONS.with_borrow_mut(|c| c.push(Configuration { grid, block, shared, stream }));
        0
    }

    plain fn __cudaPopCallConfiguration(
        grid: Out<Dim3>, block: Out<Dim3>, shared: Out<usize>, stream: Out<Handle>,
    ) {
        let top = CONFIGURATIONS.with_borrow_mut(Vec::pop).ok_or(Error::MISSING_CONFIGURATION)?;
        grid.set(top.grid)?;
        block.set(top.block)?;
        shared.set(top.shared)?;
        stream.set(top.stream)
    }

    stream fn cudaLaunchKernel(
        function: Address, grid: Dim3, block: Dim3, args: In<Address>, shared: usize,
        stream: Handle,
    ) |rt| {
        rt.submit_launch(stream, function, geometry(grid, block, shared), Given::Each(args))
    }

    stream fn cudaLaunchKernelExC(
        config: In<LaunchConfig>, function: Address, args: In<Address>,
    ) |rt| {
        let c = config.get()?;
        let mut launch = geometry(c.grid, c.block, c.shared);
        heed(rt, &mut launch, c.attributes, c.count)?;
        rt.submit_launch(c.stream, function, launch, Given::Each(args))
    }

    stream fn cudaLaunchCooperativeKernel(
        function: Address, grid: Dim3, block: Dim3, args: In<Address>, shared: usize,
        stream: Handle,
    ) |rt| {
        let launch = Launch { cooperative: true, ..geometry(grid, block, shared) };
        rt.submit_launch(stream, function, launch, Given::Each(args))
    }
}
