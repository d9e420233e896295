//! Devices: there is one.

use std::ffi::c_char;

use super::call::driver;
use crate::abi::{Handle, Out, Text};
use crate::api::device::{cudaDeviceGetByPCIBusId, cudaDeviceGetPCIBusId, only};
use crate::error::{Error, Result};
use crate::runtime::{Runtime, contexts, session};

/// `CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED`: something that the
/// runtime API does not have.
const VIRTUAL_MEMORY: i32 = 102;

/// For calls that need the driver to be initialised, but no context.
fn with<T>(device: i32, f: impl FnOnce(&mut Runtime) -> Result<T>) -> Result<T> {
    contexts::initialised()?;
    only(device)?;
    session::with(f)
}

/// Writes a C string, as much of it as there is room for.
fn write_text(out: Out<c_char>, room: i32, text: &str) -> Result<()> {
    let room = usize::try_from(room).ok().filter(|r| *r > 0).ok_or(Error::INVALID_VALUE)?;
    let shown = text.bytes().take(room - 1).chain([0]);
    shown.enumerate().try_for_each(|(i, b)| out.at(i).set(b as c_char))
}

/// A name for the device that is the same in every process: its chip's.
fn uuid(rt: &Runtime) -> [u8; 16] {
    let name = &rt.device.chip().chip.name;
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(b"upset-".iter().chain(name.as_bytes())) {
        *to = *from;
    }
    bytes
}

fn attribute(rt: &Runtime, number: i32) -> Result<i32> {
    match number {
        VIRTUAL_MEMORY => Ok(1),
        number => rt.attribute(number).map(|v| v as i32).ok_or(Error::INVALID_VALUE),
    }
}

driver! {
    plain fn cuDeviceGetCount(count: Out<i32>) {
        contexts::initialised()?;
        session::with(|_| count.set(1))
    }

    plain fn cuDeviceGet(device: Out<i32>, ordinal: i32) {
        with(ordinal, |_| device.set(0))
    }

    plain fn cuDeviceGetName(out: Out<c_char>, room: i32, device: i32) {
        with(device, |rt| write_text(out, room, &rt.device.chip().chip.title))
    }

    plain fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: i32) {
        with(device, |rt| bytes.set(rt.device.chip().memory.bytes as usize))
    }

    plain fn cuDeviceGetAttribute(value: Out<i32>, number: i32, device: i32) {
        with(device, |rt| value.set(attribute(rt, number)?))
    }

    plain fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32) {
        with(device, |rt| {
            let number = rt.device.arch_number() as i32;
            major.set(number / 10)?;
            minor.set(number % 10)
        })
    }

    plain fn cuDeviceGetUuid(out: Out<[u8; 16]>, device: i32) {
        with(device, |rt| out.set(uuid(rt)))
    }

    plain fn cuDeviceGetUuid_v2(out: Out<[u8; 16]>, device: i32) {
        with(device, |rt| out.set(uuid(rt)))
    }

    same fn cuDeviceGetPCIBusId(out: Out<c_char>, room: i32, device: i32) {
        cudaDeviceGetPCIBusId(out, room, device)
    }

    same fn cuDeviceGetByPCIBusId(device: Out<i32>, id: Text) {
        cudaDeviceGetByPCIBusId(device, id)
    }

    plain fn cuDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        only(peer)?;
        with(device, |_| can.set(0))
    }

    plain fn cuDeviceGetTexture1DLinearMaxWidth(
        out: Out<usize>, _format: i32, _channels: u32, device: i32,
    ) {
        with(device, |rt| out.set(rt.attribute(69).unwrap_or(0) as usize))
    }

    plain fn cuDeviceGetExecAffinitySupport(out: Out<i32>, _sort: i32, device: i32) {
        with(device, |_| out.set(0))
    }

    plain fn cuDevicePrimaryCtxRetain(out: Out<Handle>, device: i32) {
        with(device, |_| out.set(contexts::retain()))
    }

    plain fn cuDevicePrimaryCtxRelease_v2(device: i32) {
        with(device, |_| contexts::release())
    }

    plain fn cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) {
        with(device, |_| contexts::set_flags(contexts::PRIMARY, flags))
    }

    plain fn cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>) {
        with(device, |_| {
            flags.set(contexts::flags(contexts::PRIMARY)?)?;
            active.set(contexts::is_retained().into())
        })
    }

    plain fn cuDevicePrimaryCtxReset_v2(device: i32) {
        contexts::initialised()?;
        only(device)?;
        session::reset()
    }
}
