//! `__device__` and `__constant__` variables.

use super::call::api;
use crate::abi::{Address, Handle, MemcpyKind, Out};
use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::runtime::graph::kind;

/// Address of bytes `offset .. offset + len` of a variable.
pub(super) fn part(
    rt: &mut Runtime,
    symbol: Address,
    offset: usize,
    len: usize,
) -> Result<Address> {
    let (at, size) = rt.variable(symbol)?;
    match (offset as u64).checked_add(len as u64) {
        Some(end) if end <= size => Ok(Address(at + offset as u64)),
        _ => Err(Error::INVALID_VALUE),
    }
}

api! {
    sync fn cudaMemcpyToSymbol(
        symbol: Address, from: Address, bytes: usize, offset: usize, kind: MemcpyKind,
    ) |rt| {
        let to = part(rt, symbol, offset, bytes)?;
        rt.copy(to, from, bytes, kind)
    }

    stream fn cudaMemcpyToSymbolAsync(
        symbol: Address, from: Address, bytes: usize, offset: usize, kind: MemcpyKind,
        stream: Handle,
    ) |rt| {
        let to = part(rt, symbol, offset, bytes)?;
        rt.submit(stream, kind::MEMCPY, move |rt| rt.copy(to, from, bytes, kind))
    }

    sync fn cudaMemcpyFromSymbol(
        to: Address, symbol: Address, bytes: usize, offset: usize, kind: MemcpyKind,
    ) |rt| {
        let from = part(rt, symbol, offset, bytes)?;
        rt.copy(to, from, bytes, kind)
    }

    stream fn cudaMemcpyFromSymbolAsync(
        to: Address, symbol: Address, bytes: usize, offset: usize, kind: MemcpyKind,
        stream: Handle,
    ) |rt| {
        let from = part(rt, symbol, offset, bytes)?;
        rt.submit(stream, kind::MEMCPY, move |rt| rt.copy(to, from, bytes, kind))
    }

    sync fn cudaGetSymbolAddress(out: Out<Address>, symbol: Address) |rt| {
        let (at, _) = rt.variable(symbol)?;
        out.set(Address(at))
    }

    sync fn cudaGetSymbolSize(out: Out<usize>, symbol: Address) |rt| {
        let (_, size) = rt.variable(symbol)?;
        out.set(size as usize)
    }
}
