//! Linking code while the program runs.

use std::fs;

use super::call::driver;
use crate::abi::{Address, Handle, In, Options, Out, Text};
use crate::error::{Error, Result};
use crate::runtime::PieceKind;

/// Members of `CUjitInputType`.
const KINDS: [PieceKind; 5] =
    [PieceKind::Code, PieceKind::Text, PieceKind::Code, PieceKind::Object, PieceKind::Library];

fn kind(number: i32) -> Result<PieceKind> {
    let at = usize::try_from(number).map_err(|_| Error::INVALID_VALUE)?;
    KINDS.get(at).copied().ok_or(Error::INVALID_VALUE)
}

driver! {
    sync fn cuLinkCreate_v2(
        count: u32, numbers: In<i32>, values: In<u64>, out: Out<Handle>,
    ) |rt| {
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        out.set(rt.begin_link(Options::read(count, numbers, values)))
    }

    // Options of a single piece are those of the whole here.
    sync fn cuLinkAddData_v2(
        link: Handle, number: i32, at: Address, bytes: usize, _name: Text,
        _count: u32, _numbers: In<i32>, _values: In<u64>,
    ) |rt| {
        if at.0 == 0 {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: the program's data, as long as it says.
        let data = unsafe { at.host_bytes(bytes) };
        rt.add_piece(link, kind(number)?, data)
    }

    sync fn cuLinkAddFile_v2(
        link: Handle, number: i32, path: Text, _count: u32, _numbers: In<i32>, _values: In<u64>,
    ) |rt| {
        let (path, kind) = (path.get().ok_or(Error::INVALID_VALUE)?, kind(number)?);
        let data = fs::read(path).map_err(|_| Error::FILE_NOT_FOUND)?;
        rt.add_piece(link, kind, &data)
    }

    sync fn cuLinkComplete(link: Handle, out: Out<Address>, size: Out<usize>) |rt| {
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let (at, bytes) = rt.complete_link(link)?;
        size.set_if_wanted(bytes);
        out.set(Address(at))
    }

    sync fn cuLinkDestroy(link: Handle) |rt| {
        rt.end_link(link)
    }
}
