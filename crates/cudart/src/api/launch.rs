//! Launches.

use std::cell::RefCell;

use upset_device::Launch;

use super::call::api;
use crate::abi::{Address, Dim3, Handle, In, Out};
use crate::error::Error;

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

fn geometry(grid: Dim3, block: Dim3, shared: usize) -> Launch {
    Launch {
        grid: grid.array(),
        block: block.array(),
        shared_bytes: u32::try_from(shared).unwrap_or(u32::MAX),
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
        _stream: Handle,
    ) |rt| {
        rt.launch(function, geometry(grid, block, shared), args)
    }
}
