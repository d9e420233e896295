//! Functions of the driver, by way of the runtime.

use super::call::api;
use super::device::{VERSION_11, VERSION_12};
use crate::abi::{Out, Text};
use crate::driver_symbols::{FOUND, look_up};
use crate::error::{Error, Result};

/// Stores a function's address; says why there is none.
fn entry(name: Text, out: Out<u64>, version: u32) -> Result<i32> {
    let name = name.get().ok_or(Error::INVALID_VALUE)?;
    let (at, status) = look_up(&name, version);
    out.set(at)?;
    Ok(status)
}

api! {
    // Only later releases say why there is nothing.
    plain fn cudaGetDriverEntryPoint(name: Text, out: Out<u64>, _flags: u64) {
        match entry(name, out, VERSION_11 as u32)? {
            FOUND => Ok(()),
            _ => Err(Error::SYMBOL_NOT_FOUND),
        }
    }

    plain fn cudaGetDriverEntryPoint_v12(
        name: Text, out: Out<u64>, _flags: u64, status: Out<i32>,
    ) {
        status.set_if_wanted(entry(name, out, VERSION_12 as u32)?);
        Ok(())
    }

    plain fn cudaGetDriverEntryPointByVersion(
        name: Text, out: Out<u64>, version: u32, _flags: u64, status: Out<i32>,
    ) {
        status.set_if_wanted(entry(name, out, version)?);
        Ok(())
    }
}
