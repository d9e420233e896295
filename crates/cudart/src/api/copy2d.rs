//! Pitched memory: allocation, copies and fills of rectangles and boxes.

use super::call::api;
use crate::abi::{
    Address, DEVICE_TO_DEVICE, Extent, Handle, In, Memcpy3DParms, Memcpy3DPeerParms, MemcpyKind,
    Out, PitchedPtr,
};
use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::runtime::graph::kind;
use crate::runtime::volume::{Bytes, MAX_PITCH, Volume};

/// Refuses a pitch that is shorter than a row or longer than allowed.
pub(super) fn check_pitch(pitch: usize, bytes: Bytes) -> Result<()> {
    if (pitch as u64) < bytes.width || pitch as u64 > MAX_PITCH {
        return Err(Error::INVALID_PITCH_VALUE);
    }
    Ok(())
}

fn fill_rows(
    rt: &mut Runtime,
    (to, pitch): (Address, usize),
    value: i32,
    bytes: Bytes,
) -> Result<()> {
    if bytes.height > 1 && (pitch as u64) < bytes.width {
        return Err(Error::INVALID_VALUE);
    }
    rt.fill_box(Volume::rows(to, pitch as u64), value as u8, bytes)
}

fn fill_volume(rt: &mut Runtime, to: PitchedPtr, value: i32, extent: Extent) -> Result<()> {
    let slice = (to.pitch as u64).checked_mul(to.ysize as u64).ok_or(Error::INVALID_VALUE)?;
    let volume = Volume::slices(to.ptr, to.pitch as u64, slice);
    let (width, height, depth) = (extent.width as u64, extent.height as u64, extent.depth as u64);
    if (height > 1 || depth > 1) && volume.row < width || depth > 1 && (to.ysize as u64) < height {
        return Err(Error::INVALID_VALUE);
    }
    rt.fill_box(volume, value as u8, Bytes { width, height, depth })
}

pub(super) fn copy_volume(rt: &mut Runtime, p: &Memcpy3DParms) -> Result<()> {
    let bytes = rt.size_of_copy(p.dst_array, p.src_array, p.extent)?;
    let to = rt.side_of(p.dst_array, p.dst_pos, p.dst_ptr, bytes)?;
    let from = rt.side_of(p.src_array, p.src_pos, p.src_ptr, bytes)?;
    rt.copy_box(to, from, bytes, p.kind)
}

/// There is one device.
fn only_device(devices: [i32; 2]) -> Result<()> {
    if devices == [0, 0] { Ok(()) } else { Err(Error::INVALID_DEVICE) }
}

fn between_devices(p: &Memcpy3DPeerParms) -> Result<Memcpy3DParms> {
    only_device([p.src_device, p.dst_device])?;
    Ok(Memcpy3DParms {
        src_array: p.src_array,
        src_pos: p.src_pos,
        src_ptr: p.src_ptr,
        dst_array: p.dst_array,
        dst_pos: p.dst_pos,
        dst_ptr: p.dst_ptr,
        extent: p.extent,
        kind: DEVICE_TO_DEVICE,
    })
}

api! {
    sync fn cudaMallocPitch(out: Out<Address>, pitch: Out<usize>, width: usize, height: usize) |rt| {
        if out.is_null() || pitch.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let (at, bytes) = rt.malloc_rows(width as u64, height as u64)?;
        pitch.set(bytes as usize)?;
        out.set(Address(at))
    }

    sync fn cudaMalloc3D(out: Out<PitchedPtr>, extent: Extent) |rt| {
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let rows = extent.height.checked_mul(extent.depth).ok_or(Error::MEMORY_ALLOCATION)?;
        let (at, pitch) = rt.malloc_rows(extent.width as u64, rows as u64)?;
        out.set(PitchedPtr {
            ptr: Address(at),
            pitch: pitch as usize,
            xsize: extent.width,
            ysize: extent.height,
        })
    }

    sync fn cudaMemset2D(
        to: Address, pitch: usize, value: i32, width: usize, height: usize,
    ) |rt| {
        fill_rows(rt, (to, pitch), value, Bytes::rectangle(width, height))
    }

    stream fn cudaMemset2DAsync(
        to: Address, pitch: usize, value: i32, width: usize, height: usize, stream: Handle,
    ) |rt| {
        rt.submit(stream, kind::MEMSET, move |rt| {
            fill_rows(rt, (to, pitch), value, Bytes::rectangle(width, height))
        })
    }

    sync fn cudaMemset3D(to: PitchedPtr, value: i32, extent: Extent) |rt| {
        fill_volume(rt, to, value, extent)
    }

    stream fn cudaMemset3DAsync(
        to: PitchedPtr, value: i32, extent: Extent, stream: Handle,
    ) |rt| {
        rt.submit(stream, kind::MEMSET, move |rt| fill_volume(rt, to, value, extent))
    }

    sync fn cudaMemcpy2D(
        to: Address, to_pitch: usize, from: Address, from_pitch: usize, width: usize,
        height: usize, kind: MemcpyKind,
    ) |rt| {
        let bytes = Bytes::rectangle(width, height);
        check_pitch(to_pitch, bytes)?;
        check_pitch(from_pitch, bytes)?;
        let (to, from) = (Volume::rows(to, to_pitch as u64), Volume::rows(from, from_pitch as u64));
        rt.copy_box(to, from, bytes, kind)
    }

    stream fn cudaMemcpy2DAsync(
        to: Address, to_pitch: usize, from: Address, from_pitch: usize, width: usize,
        height: usize, kind: MemcpyKind, stream: Handle,
    ) |rt| {
        let bytes = Bytes::rectangle(width, height);
        check_pitch(to_pitch, bytes)?;
        check_pitch(from_pitch, bytes)?;
        let (to, from) = (Volume::rows(to, to_pitch as u64), Volume::rows(from, from_pitch as u64));
        rt.submit(stream, kind::MEMCPY, move |rt| rt.copy_box(to, from, bytes, kind))
    }

    sync fn cudaMemcpy3D(parameters: In<Memcpy3DParms>) |rt| {
        copy_volume(rt, &parameters.get()?)
    }

    stream fn cudaMemcpy3DAsync(parameters: In<Memcpy3DParms>, stream: Handle) |rt| {
        let p = parameters.get()?;
        rt.submit(stream, kind::MEMCPY, move |rt| copy_volume(rt, &p))
    }

    sync fn cudaMemcpy3DPeer(parameters: In<Memcpy3DPeerParms>) |rt| {
        copy_volume(rt, &between_devices(&parameters.get()?)?)
    }

    stream fn cudaMemcpy3DPeerAsync(parameters: In<Memcpy3DPeerParms>, stream: Handle) |rt| {
        let p = between_devices(&parameters.get()?)?;
        rt.submit(stream, kind::MEMCPY, move |rt| copy_volume(rt, &p))
    }

    sync fn cudaMemcpyPeer(
        to: Address, to_device: i32, from: Address, from_device: i32, bytes: usize,
    ) |rt| {
        only_device([to_device, from_device])?;
        rt.copy(to, from, bytes, DEVICE_TO_DEVICE)
    }

    stream fn cudaMemcpyPeerAsync(
        to: Address, to_device: i32, from: Address, from_device: i32, bytes: usize,
        stream: Handle,
    ) |rt| {
        only_device([to_device, from_device])?;
        rt.submit(stream, kind::MEMCPY, move |rt| rt.copy(to, from, bytes, DEVICE_TO_DEVICE))
    }
}
