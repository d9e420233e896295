//! Functions of the driver, by way of the runtime.

use super::call::api;
use super::device::{VERSION_11, VERSION_12};
use crate::abi::{Out, Text};
use crate::driver_symbols::{FOUND, look_up};
use crate::error::{Error, Result};

fn entry(name: Text, out: Out<u64>, version: u32, status: Out<i32>) -> Result<()> {
    let name = name.get().ok_or(Error::INVALID_VALUE)?;
    let (at, said) = look_up(&name, version);
    out.set(at)?;
    status.set_if_wanted(said);
    Ok(())
}

api! {
    // Only later releases say why there is nothing.
    plain fn cudaGetDriverEntryPoint(name: Text, out: Out<u64>, _flags: u64) {
        let name = name.get().ok_or(Error::INVALID_VALUE)?;
        let (at, said) = look_up(&name, VERSION_11 as u32);
        out.set(at)?;
        if said == FOUND { Ok(()) } else { Err(Error::SYMBOL_NOT_FOUND) }
    }

    plain fn cudaGetDriverEntryPoint_v12(
        name: Text, out: Out<u64>, _flags: u64, status: Out<i32>,
    ) {
        entry(name, out, VERSION_12 as u32, status)
    }

    plain fn cudaGetDriverEntryPointByVersion(
        name: Text, out: Out<u64>, version: u32, _flags: u64, status: Out<i32>,
    ) {
        entry(name, out, version, status)
    }
}
