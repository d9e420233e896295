//! Host memory that kernels can reach, and what a pointer is.

use super::call::api;
use crate::abi::{Address, Out};
use crate::error::Error;
use crate::runtime::{Side, Sort};

/// `cudaPointerAttributes`; CUDA 13 has reserved words behind it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PointerAttributes {
    sort: i32,
    device: i32,
    on_device: Address,
    on_host: Address,
}

/// `cudaMemoryType`.
const UNREGISTERED: i32 = 0;
const HOST: i32 = 1;
const DEVICE: i32 = 2;
const MANAGED: i32 = 3;
/// Device number of memory that is no device's.
const NO_DEVICE: i32 = -2;

api! {
    sync fn cudaMallocHost(out: Out<Address>, bytes: usize) |rt| {
        out.set(Address(rt.mapped.allocate(&mut rt.device, bytes as u64, Sort::Pinned, 0)?))
    }

    sync fn cudaHostAlloc(out: Out<Address>, bytes: usize, flags: u32) |rt| {
        if flags > 7 {
            return Err(Error::INVALID_VALUE);
        }
        out.set(Address(rt.mapped.allocate(&mut rt.device, bytes as u64, Sort::Pinned, flags)?))
    }

    sync fn cudaFreeHost(at: Address) |rt| {
        rt.free_shared(at, Sort::Pinned, Error::INVALID_VALUE)
    }

    sync fn cudaMallocManaged(out: Out<Address>, bytes: usize, flags: u32) |rt| {
        if !(1..=2).contains(&flags) {
            return Err(Error::INVALID_VALUE);
        }
        out.set(Address(rt.mapped.allocate(&mut rt.device, bytes as u64, Sort::Managed, flags)?))
    }

    sync fn cudaHostRegister(at: Address, bytes: usize, flags: u32) |rt| {
        rt.mapped.register(&mut rt.device, at, bytes as u64, flags)
    }

    sync fn cudaHostUnregister(at: Address) |rt| {
        rt.free_shared(at, Sort::Registered, Error::HOST_MEMORY_NOT_REGISTERED)
    }

    sync fn cudaHostGetDevicePointer(out: Out<Address>, host: Address, flags: u32) |rt| {
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let (start, region) = rt.mapped.find(host).ok_or(Error::INVALID_VALUE)?;
        out.set(Address(region.device + (host.0 - start)))
    }

    sync fn cudaHostGetFlags(flags: Out<u32>, host: Address) |rt| {
        let (_, region) = rt.mapped.find(host).ok_or(Error::INVALID_VALUE)?;
        // Pinned memory is always mapped.
        flags.set(region.flags | 2)
    }

    sync fn cudaPointerGetAttributes(out: Out<PointerAttributes>, at: Address) |rt| {
        let region = rt.mapped.find(at).map(|(start, r)| (start, r.device, r.sort));
        out.set(match (region, rt.side(at)) {
            (Some((start, device, sort)), _) => PointerAttributes {
                sort: if sort == Sort::Managed { MANAGED } else { HOST },
                device: 0,
                on_device: Address(device + (at.0 - start)),
                on_host: at,
            },
            (None, Side::Device) if rt.device.allocation(upset_device::DevPtr(at.0)).is_some() => {
                PointerAttributes { sort: DEVICE, device: 0, on_device: at, on_host: Address(0) }
            }
            _ => PointerAttributes {
                sort: UNREGISTERED,
                device: NO_DEVICE,
                on_device: Address(0),
                on_host: at,
            },
        })
    }
}
