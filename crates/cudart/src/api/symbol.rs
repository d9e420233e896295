//! `__device__` and `__constant__` variables.

use super::call::api;
use crate::abi::{Address, Handle, MemcpyKind, Out};
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// Address of bytes `offset .. offset + len` of a variable.
fn part(rt: &mut Runtime, symbol: Address, offset: usize, len: usize) -> Result<Address> {
    let (at, size) = rt.variable(symbol)?;
    match (offset as u64).checked_add(len as u64) {
        Some(end) if end <= size => Ok(Address(at + offset as u64)),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn to_symbol(
    rt: &mut Runtime,
    symbol: Address,
    from: Address,
    len: usize,
    offset: usize,
    kind: MemcpyKind,
) -> Result<()> {
    let to = part(rt, symbol, offset, len)?;
    rt.copy(to, from, len, kind)
}

fn from_symbol(
    rt: &mut Runtime,
    to: Address,
    symbol: Address,
    len: usize,
    offset: usize,
    kind: MemcpyKind,
) -> Result<()> {
    let from = part(rt, symbol, offset, len)?;
    rt.copy(to, from, len, kind)
}

api! {
    sync fn cudaMemcpyToSymbol(
        symbol: Address, from: Address, bytes: usize, offset: usize, kind: MemcpyKind,
    ) |rt| {
        to_symbol(rt, symbol, from, bytes, offset, kind)
    }

    stream fn cudaMemcpyToSymbolAsync(
        symbol: Address, from: Address, bytes: usize, offset: usize, kind: MemcpyKind,
        _stream: Handle,
    ) |rt| {
        to_symbol(rt, symbol, from, bytes, offset, kind)
    }

    sync fn cudaMemcpyFromSymbol(
        to: Address, symbol: Address, bytes: usize, offset: usize, kind: MemcpyKind,
    ) |rt| {
        from_symbol(rt, to, symbol, bytes, offset, kind)
    }

    stream fn cudaMemcpyFromSymbolAsync(
        to: Address, symbol: Address, bytes: usize, offset: usize, kind: MemcpyKind,
        _stream: Handle,
    ) |rt| {
        from_symbol(rt, to, symbol, bytes, offset, kind)
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
