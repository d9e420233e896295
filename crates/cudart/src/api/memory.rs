//! Linear memory: allocation, copies, fills.

use super::call::api;
use crate::abi::{Address, Handle, MemcpyKind, Out};
use crate::error::Error;
use crate::runtime::Sort;

api! {
    sync fn cudaMalloc(out: Out<Address>, bytes: usize) |rt| {
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        // Nothing is asked for, nothing is given; not an error.
        let at = if bytes == 0 { 0 } else { rt.malloc(bytes as u64)? };
        out.set(Address(at))
    }

    sync fn cudaFree(at: Address) |rt| {
        rt.free(at)
    }

    sync fn cudaMemcpy(to: Address, from: Address, bytes: usize, kind: MemcpyKind) |rt| {
        rt.copy(to, from, bytes, kind)
    }

    stream fn cudaMemcpyAsync(
        to: Address, from: Address, bytes: usize, kind: MemcpyKind, _stream: Handle,
    ) |rt| {
        if rt.fault.is_set() {
            return Ok(());
        }
        rt.copy(to, from, bytes, kind)
    }

    sync fn cudaMemset(to: Address, value: i32, bytes: usize) |rt| {
        rt.fill(to, value as u8, bytes)
    }

    stream fn cudaMemsetAsync(to: Address, value: i32, bytes: usize, _stream: Handle) |rt| {
        if rt.fault.is_set() {
            return Ok(());
        }
        rt.fill(to, value as u8, bytes)
    }

    sync fn cudaMallocHost(out: Out<Address>, bytes: usize) |rt| {
        out.set(Address(rt.mapped.allocate(&mut rt.device, bytes as u64, Sort::Pinned, 0)?))
    }

    sync fn cudaHostAlloc(out: Out<Address>, bytes: usize, flags: u32) |rt| {
        out.set(Address(rt.mapped.allocate(&mut rt.device, bytes as u64, Sort::Pinned, flags)?))
    }

    sync fn cudaFreeHost(at: Address) |rt| {
        rt.free_shared(at, Sort::Pinned)
    }

    sync fn cudaMallocManaged(out: Out<Address>, bytes: usize, flags: u32) |rt| {
        if bytes == 0 || !(1..=2).contains(&flags) {
            return Err(Error::INVALID_VALUE);
        }
        out.set(Address(rt.mapped.allocate(&mut rt.device, bytes as u64, Sort::Managed, flags)?))
    }
}
