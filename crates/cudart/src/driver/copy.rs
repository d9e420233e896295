//! Copies of bytes.

use super::call::driver;
use crate::abi::{
    Address, DEFAULT, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, Handle, MemcpyKind,
};
use crate::error::Result;
use crate::runtime::Runtime;
use crate::runtime::graph::kind;

fn later(
    rt: &mut Runtime,
    stream: Handle,
    (to, from, bytes): (Address, Address, usize),
    direction: MemcpyKind,
) -> Result<()> {
    rt.submit(stream, kind::MEMCPY, move |rt| rt.copy(to, from, bytes, direction))
}

driver! {
    sync fn cuMemcpy(to: Address, from: Address, bytes: usize) |rt| {
        rt.copy(to, from, bytes, DEFAULT)
    }

    stream fn cuMemcpyAsync(to: Address, from: Address, bytes: usize, stream: Handle) |rt| {
        later(rt, stream, (to, from, bytes), DEFAULT)
    }

    sync fn cuMemcpyHtoD_v2(to: Address, from: Address, bytes: usize) |rt| {
        rt.copy(to, from, bytes, HOST_TO_DEVICE)
    }

    stream fn cuMemcpyHtoDAsync_v2(
        to: Address, from: Address, bytes: usize, stream: Handle,
    ) |rt| {
        later(rt, stream, (to, from, bytes), HOST_TO_DEVICE)
    }

    sync fn cuMemcpyDtoH_v2(to: Address, from: Address, bytes: usize) |rt| {
        rt.copy(to, from, bytes, DEVICE_TO_HOST)
    }

    stream fn cuMemcpyDtoHAsync_v2(
        to: Address, from: Address, bytes: usize, stream: Handle,
    ) |rt| {
        later(rt, stream, (to, from, bytes), DEVICE_TO_HOST)
    }

    sync fn cuMemcpyDtoD_v2(to: Address, from: Address, bytes: usize) |rt| {
        rt.copy(to, from, bytes, DEVICE_TO_DEVICE)
    }

    stream fn cuMemcpyDtoDAsync_v2(
        to: Address, from: Address, bytes: usize, stream: Handle,
    ) |rt| {
        later(rt, stream, (to, from, bytes), DEVICE_TO_DEVICE)
    }

    sync fn cuMemcpyPeer(
        to: Address, _to_context: Handle, from: Address, _from_context: Handle, bytes: usize,
    ) |rt| {
        rt.copy(to, from, bytes, DEVICE_TO_DEVICE)
    }

    stream fn cuMemcpyPeerAsync(
        to: Address, _to_context: Handle, from: Address, _from_context: Handle, bytes: usize,
        stream: Handle,
    ) |rt| {
        later(rt, stream, (to, from, bytes), DEVICE_TO_DEVICE)
    }
}
