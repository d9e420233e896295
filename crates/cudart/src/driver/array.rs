//! CUDA arrays.

use super::call::driver;
use crate::abi::{
    Address, ChannelDesc, DEVICE_TO_DEVICE, DEVICE_TO_HOST, Extent, HOST_TO_DEVICE, Handle, In, Out,
};
use crate::api::array::{cudaFreeArray, cudaFreeMipmappedArray, cudaGetMipmappedArrayLevel};
use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::runtime::graph::kind;

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Descriptor {
    width: usize,
    height: usize,
    format: i32,
    channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Descriptor3D {
    width: usize,
    height: usize,
    depth: usize,
    format: i32,
    channels: u32,
    flags: u32,
}

/// `CUarray_format`, bits of a channel, `cudaChannelFormatKind`.
const FORMATS: [(i32, i32, i32); 8] = [
    (0x01, 8, 1),
    (0x02, 16, 1),
    (0x03, 32, 1),
    (0x08, 8, 0),
    (0x09, 16, 0),
    (0x0a, 32, 0),
    (0x10, 16, 2),
    (0x20, 32, 2),
];

/// A texel format as the runtime API describes it.
pub(super) fn channels(format: i32, count: u32) -> Result<ChannelDesc> {
    let row = FORMATS.iter().find(|(f, _, _)| *f == format);
    let &(_, bits, kind) = row.ok_or(Error::INVALID_VALUE)?;
    if !matches!(count, 1 | 2 | 4) {
        return Err(Error::INVALID_VALUE);
    }
    let bits = std::array::from_fn(|i| if (i as u32) < count { bits } else { 0 });
    Ok(ChannelDesc { bits, kind })
}

/// The driver's words for a texel format: format and number of channels.
pub(super) fn words(channels: ChannelDesc) -> (i32, u32) {
    let row = FORMATS.iter().find(|(_, bits, k)| (*bits, *k) == (channels.bits[0], channels.kind));
    let count = channels.bits.iter().filter(|b| **b > 0).count();
    (row.map_or(0, |(format, _, _)| *format), count as u32)
}

fn create(rt: &mut Runtime, out: Out<Handle>, d: Descriptor3D) -> Result<()> {
    if out.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let extent = Extent { width: d.width, height: d.height, depth: d.depth };
    out.set(rt.make_array(channels(d.format, d.channels)?, extent, d.flags)?)
}

fn describe(rt: &Runtime, array: Handle) -> Result<Descriptor3D> {
    let array = rt.array(array)?;
    let (format, channels) = words(array.channels);
    let Extent { width, height, depth } = array.extent;
    Ok(Descriptor3D { width, height, depth, format, channels, flags: array.flags })
}

/// Bytes of an array from the start of its first row.
fn place(array: Handle, offset: usize) -> (Handle, usize, usize) {
    (array, offset, 0)
}

driver! {
    sync fn cuArrayCreate_v2(out: Out<Handle>, descriptor: In<Descriptor>) |rt| {
        let Descriptor { width, height, format, channels } = descriptor.get()?;
        create(rt, out, Descriptor3D { width, height, depth: 0, format, channels, flags: 0 })
    }

    sync fn cuArray3DCreate_v2(out: Out<Handle>, descriptor: In<Descriptor3D>) |rt| {
        create(rt, out, descriptor.get()?)
    }

    same fn cuArrayDestroy(array: Handle) {
        cudaFreeArray(array)
    }

    sync fn cuArrayGetDescriptor_v2(out: Out<Descriptor>, array: Handle) |rt| {
        let Descriptor3D { width, height, format, channels, .. } = describe(rt, array)?;
        out.set(Descriptor { width, height, format, channels })
    }

    sync fn cuArray3DGetDescriptor_v2(out: Out<Descriptor3D>, array: Handle) |rt| {
        out.set(describe(rt, array)?)
    }

    sync fn cuMipmappedArrayCreate(
        out: Out<Handle>, descriptor: In<Descriptor3D>, levels: u32,
    ) |rt| {
        let d = descriptor.get()?;
        let extent = Extent { width: d.width, height: d.height, depth: d.depth };
        let channels = channels(d.format, d.channels)?;
        out.set(rt.make_mipmaps(channels, extent, levels, d.flags)?)
    }

    same fn cuMipmappedArrayGetLevel(out: Out<Handle>, mipmaps: Handle, level: u32) {
        cudaGetMipmappedArrayLevel(out, mipmaps, level)
    }

    same fn cuMipmappedArrayDestroy(mipmaps: Handle) {
        cudaFreeMipmappedArray(mipmaps)
    }

    sync fn cuMemcpyHtoA_v2(to: Handle, offset: usize, from: Address, bytes: usize) |rt| {
        rt.copy_to_array(place(to, offset), from, bytes, HOST_TO_DEVICE)
    }

    stream fn cuMemcpyHtoAAsync_v2(
        to: Handle, offset: usize, from: Address, bytes: usize, stream: Handle,
    ) |rt| {
        rt.submit(stream, kind::MEMCPY, move |rt| {
            rt.copy_to_array(place(to, offset), from, bytes, HOST_TO_DEVICE)
        })
    }

    sync fn cuMemcpyAtoH_v2(to: Address, from: Handle, offset: usize, bytes: usize) |rt| {
        rt.copy_from_array(to, place(from, offset), bytes, DEVICE_TO_HOST)
    }

    stream fn cuMemcpyAtoHAsync_v2(
        to: Address, from: Handle, offset: usize, bytes: usize, stream: Handle,
    ) |rt| {
        rt.submit(stream, kind::MEMCPY, move |rt| {
            rt.copy_from_array(to, place(from, offset), bytes, DEVICE_TO_HOST)
        })
    }

    sync fn cuMemcpyDtoA_v2(to: Handle, offset: usize, from: Address, bytes: usize) |rt| {
        rt.copy_to_array(place(to, offset), from, bytes, DEVICE_TO_DEVICE)
    }

    sync fn cuMemcpyAtoD_v2(to: Address, from: Handle, offset: usize, bytes: usize) |rt| {
        rt.copy_from_array(to, place(from, offset), bytes, DEVICE_TO_DEVICE)
    }

    sync fn cuMemcpyAtoA_v2(
        to: Handle, to_offset: usize, from: Handle, from_offset: usize, bytes: usize,
    ) |rt| {
        let (to, from) = (place(to, to_offset), place(from, from_offset));
        rt.copy_between_arrays(to, from, bytes, DEVICE_TO_DEVICE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_there_and_back() {
        for (format, _, _) in FORMATS {
            for count in [1, 2, 4] {
                assert_eq!(channels(format, count).map(words), Ok((format, count)));
            }
            assert_eq!(channels(format, 3), Err(Error::INVALID_VALUE));
        }
        assert_eq!(std::mem::size_of::<Descriptor>(), 24);
        assert_eq!(std::mem::size_of::<Descriptor3D>(), 40);
    }
}
