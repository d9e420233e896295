//! Contexts.

use super::call::driver;
use crate::abi::{Address, Handle, Out};
use crate::api::device::{limit, only};
use crate::error::{Error, Result};
use crate::runtime::{HIGHEST_PRIORITY, contexts};

/// `CU_CTX_FLAGS_MASK` of CUDA 13.
const FLAGS: u32 = 0xff;
/// What `cuCtxGetApiVersion` says of contexts since CUDA 3.2.
const API_VERSION: u32 = 3020;

fn create(out: Out<Handle>, flags: u32, device: i32) -> Result<()> {
    contexts::initialised()?;
    only(device)?;
    if flags & !FLAGS != 0 || out.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    out.set(contexts::create(flags))
}

/// A context, or the current one where none is named.
fn named(context: Handle) -> Result<Handle> {
    match context {
        0 => contexts::current().ok_or(Error::INVALID_CONTEXT),
        context => Ok(context),
    }
}

driver! {
    plain fn cuCtxCreate_v2(out: Out<Handle>, flags: u32, device: i32) {
        create(out, flags, device)
    }

    plain fn cuCtxCreate_v3(
        out: Out<Handle>, _affinities: Address, count: i32, flags: u32, device: i32,
    ) {
        if count != 0 {
            return Err(Error::NOT_SUPPORTED);
        }
        create(out, flags, device)
    }

    plain fn cuCtxCreate_v4(out: Out<Handle>, parameters: Address, flags: u32, device: i32) {
        if parameters.0 != 0 {
            return Err(Error::NOT_SUPPORTED);
        }
        create(out, flags, device)
    }

    plain fn cuCtxDestroy_v2(context: Handle) {
        contexts::initialised()?;
        contexts::destroy(context)
    }

    plain fn cuCtxPushCurrent_v2(context: Handle) {
        contexts::initialised()?;
        contexts::push(context)
    }

    plain fn cuCtxPopCurrent_v2(out: Out<Handle>) {
        contexts::initialised()?;
        out.set_if_wanted(contexts::pop()?);
        Ok(())
    }

    plain fn cuCtxSetCurrent(context: Handle) {
        contexts::initialised()?;
        contexts::set(context)
    }

    plain fn cuCtxGetCurrent(out: Out<Handle>) {
        contexts::initialised()?;
        out.set(contexts::current().unwrap_or(0))
    }

    plain fn cuCtxGetDevice(device: Out<i32>) {
        contexts::needed()?;
        device.set(0)
    }

    plain fn cuCtxGetDevice_v2(device: Out<i32>, context: Handle) {
        contexts::initialised()?;
        contexts::flags(named(context)?)?;
        device.set(0)
    }

    plain fn cuCtxGetFlags(flags: Out<u32>) {
        contexts::needed()?;
        flags.set(contexts::flags(named(0)?)?)
    }

    plain fn cuCtxSetFlags(flags: u32) {
        contexts::needed()?;
        contexts::set_flags(named(0)?, flags)
    }

    plain fn cuCtxGetId(context: Handle, id: Out<u64>) {
        contexts::initialised()?;
        let context = named(context)?;
        contexts::flags(context)?;
        id.set(context)
    }

    plain fn cuCtxGetApiVersion(context: Handle, version: Out<u32>) {
        contexts::initialised()?;
        contexts::flags(named(context)?)?;
        version.set(API_VERSION)
    }

    sync fn cuCtxSynchronize() |_rt| {
        Ok(())
    }

    sync fn cuCtxSynchronize_v2(context: Handle) |_rt| {
        contexts::flags(named(context)?).map(|_| ())
    }

    sync fn cuCtxSetLimit(number: i32, bytes: usize) |rt| {
        rt.device.set_limit(limit(number)?, bytes as u64).map_err(|_| Error::INVALID_VALUE)
    }

    sync fn cuCtxGetLimit(bytes: Out<usize>, number: i32) |rt| {
        bytes.set(rt.device.limit_of(limit(number)?) as usize)
    }

    plain fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        contexts::needed()?;
        least.set_if_wanted(0);
        greatest.set_if_wanted(HIGHEST_PRIORITY);
        Ok(())
    }

    // The split between cache and shared memory is the chip file's.
    plain fn cuCtxSetCacheConfig(_config: i32) {
        contexts::needed()
    }

    plain fn cuCtxGetCacheConfig(config: Out<i32>) {
        contexts::needed()?;
        config.set(0)
    }

    plain fn cuCtxSetSharedMemConfig(_config: i32) {
        contexts::needed()
    }

    plain fn cuCtxGetSharedMemConfig(config: Out<i32>) {
        contexts::needed()?;
        // Banks of four bytes.
        config.set(1)
    }

    plain fn cuCtxResetPersistingL2Cache() {
        contexts::needed()
    }

    plain fn cuCtxEnablePeerAccess(_peer: Handle, _flags: u32) {
        Err(Error::INVALID_CONTEXT)
    }

    plain fn cuCtxDisablePeerAccess(_peer: Handle) {
        Err(Error::PEER_ACCESS_NOT_ENABLED)
    }
}
