//! How a program gets at the driver: initialisation, versions, functions by name,
//! names of errors.

use std::ffi::c_char;

use upset_agent::report::{self, Record};
use upset_agent::say::say;

use super::call::driver;
use super::error_names::error_name;
use crate::abi::{Address, Handle, In, Out, Text};
use crate::api::device::DRIVER_VERSION;
use crate::api::logs::{cudaLogsRegisterCallback, cudaLogsUnregisterCallback};
use crate::driver_symbols::{FOUND, look_up};
use crate::error::{Error, Result};
use crate::error_names::find;
use crate::runtime::{contexts, session};
use crate::unasked;

/// The first private table that every copy of NVIDIA's runtime asks for.
const RUNTIMES_TABLE: [u8; 16] = [
    0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9,
];

/// Stores a function's address; says why there is none.
fn procedure(name: Text, out: Out<u64>, version: i32) -> Result<i32> {
    let name = name.get().ok_or(Error::INVALID_VALUE)?;
    let version = u32::try_from(version).map_err(|_| Error::INVALID_VALUE)?;
    let (at, status) = look_up(&name, version);
    out.set(at)?;
    Ok(status)
}

driver! {
    plain fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        session::with(|_| Ok(()))?;
        contexts::initialise();
        Ok(())
    }

    plain fn cuDriverGetVersion(out: Out<i32>) {
        out.set(DRIVER_VERSION)
    }

    plain fn cuGetProcAddress(name: Text, out: Out<u64>, version: i32, _flags: u64) {
        match procedure(name, out, version)? {
            FOUND => Ok(()),
            _ => Err(Error::SYMBOL_NOT_FOUND),
        }
    }

    // It gives no error for what is not there, only the reason.
    plain fn cuGetProcAddress_v2(
        name: Text, out: Out<u64>, version: i32, _flags: u64, status: Out<i32>,
    ) {
        status.set_if_wanted(procedure(name, out, version)?);
        Ok(())
    }

    // Private tables. What NVIDIA's own runtime needs of them cannot be given.
    plain fn cuGetExportTable(out: Out<Address>, id: In<[u8; 16]>) {
        if id.get()? == RUNTIMES_TABLE {
            let message = "a library with NVIDIA's runtime inside, and without the names of its \
                           functions, asks for what only NVIDIA's driver has: cuBLAS, cuDNN and \
                           stripped programs cannot be run";
            say(message);
            report::send(Record::Note { message: message.into(), lacking: true });
        }
        out.set_if_wanted(Address(0));
        Err(Error::INVALID_VALUE)
    }

    plain fn cuGetErrorName(code: i32, out: Out<*const c_char>) {
        unasked::asked(code);
        let name = error_name(code);
        out.set(name.map_or(std::ptr::null(), |n| n.as_ptr()))?;
        name.map(|_| ()).ok_or(Error::INVALID_VALUE)
    }

    plain fn cuGetErrorString(code: i32, out: Out<*const c_char>) {
        unasked::asked(code);
        // The newest have a name alone.
        let text = error_name(code).map(|name| find(code).map_or(name, |(_, text)| text));
        out.set(text.map_or(std::ptr::null(), |t| t.as_ptr()))?;
        text.map(|_| ()).ok_or(Error::INVALID_VALUE)
    }

    same fn cuLogsRegisterCallback(listen: Address, data: Address, out: Out<Handle>) {
        cudaLogsRegisterCallback(listen, data, out)
    }

    same fn cuLogsUnregisterCallback(listener: Handle) {
        cudaLogsUnregisterCallback(listener)
    }

    plain fn cuProfilerInitialize(_config: Text, _output: Text, _mode: i32) {
        Ok(())
    }

    plain fn cuProfilerStart() {
        Ok(())
    }

    plain fn cuProfilerStop() {
        Ok(())
    }
}
