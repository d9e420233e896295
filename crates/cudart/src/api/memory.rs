//! Linear memory: allocation, copies, fills.

use super::call::api;
use crate::abi::{Address, Handle, MemcpyKind, Out};
use crate::error::Error;
use crate::runtime::graph::kind;

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
        to: Address, from: Address, bytes: usize, kind: MemcpyKind, stream: Handle,
    ) |rt| {
        rt.submit(stream, kind::MEMCPY, move |rt| rt.copy(to, from, bytes, kind))
    }

    sync fn cudaMemset(to: Address, value: i32, bytes: usize) |rt| {
        rt.fill(to, value as u8, bytes)
    }

    stream fn cudaMemsetAsync(to: Address, value: i32, bytes: usize, stream: Handle) |rt| {
        rt.submit(stream, kind::MEMSET, move |rt| rt.fill(to, value as u8, bytes))
    }
}
