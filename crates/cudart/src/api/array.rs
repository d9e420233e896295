//! CUDA arrays and channel descriptors.

use super::call::api;
use super::copy2d::check_pitch;
use crate::abi::{Address, ChannelDesc, Extent, Handle, In, MemcpyKind, Out};
use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::runtime::graph::kind;
use crate::runtime::volume::{Bytes, Volume};

/// A place in an array: the array, a byte of a row, a row.
type ArrayPlace = (Handle, usize, usize);

/// Some of an array's rows and some linear memory.
struct Rectangles {
    array: ArrayPlace,
    linear: Volume,
    bytes: Bytes,
}

impl Rectangles {
    fn new(
        array: ArrayPlace,
        (at, pitch): (Address, usize),
        (width, height): (usize, usize),
    ) -> Result<Rectangles> {
        let bytes = Bytes::rectangle(width, height);
        check_pitch(pitch, bytes)?;
        Ok(Rectangles { array, linear: Volume::rows(at, pitch as u64), bytes })
    }

    /// Linear memory into the array.
    fn fill(&self, rt: &mut Runtime, kind: MemcpyKind) -> Result<()> {
        let (array, x, y) = self.array;
        let to = rt.rectangle(array, x, y, self.bytes)?;
        rt.copy_box(to, self.linear, self.bytes, kind)
    }

    /// The array into linear memory.
    fn read(&self, rt: &mut Runtime, kind: MemcpyKind) -> Result<()> {
        let (array, x, y) = self.array;
        let from = rt.rectangle(array, x, y, self.bytes)?;
        rt.copy_box(self.linear, from, self.bytes, kind)
    }
}

api! {
    raw fn cudaCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: i32) -> ChannelDesc {
        ChannelDesc { bits: [x, y, z, w], kind }
    }

    sync fn cudaGetChannelDesc(out: Out<ChannelDesc>, array: Handle) |rt| {
        out.set(rt.array(array)?.channels)
    }

    sync fn cudaMallocArray(
        out: Out<Handle>, channels: In<ChannelDesc>, width: usize, height: usize, flags: u32,
    ) |rt| {
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        out.set(rt.make_array(channels.get()?, Extent { width, height, depth: 0 }, flags)?)
    }

    sync fn cudaMalloc3DArray(
        out: Out<Handle>, channels: In<ChannelDesc>, extent: Extent, flags: u32,
    ) |rt| {
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        out.set(rt.make_array(channels.get()?, extent, flags)?)
    }

    sync fn cudaFreeArray(array: Handle) |rt| {
        rt.free_array(array)
    }

    sync fn cudaArrayGetInfo(
        channels: Out<ChannelDesc>, extent: Out<Extent>, flags: Out<u32>, array: Handle,
    ) |rt| {
        let array = rt.array(array)?;
        channels.set_if_wanted(array.channels);
        extent.set_if_wanted(array.extent);
        flags.set_if_wanted(array.flags);
        Ok(())
    }

    sync fn cudaMallocMipmappedArray(
        out: Out<Handle>, channels: In<ChannelDesc>, extent: Extent, levels: u32, flags: u32,
    ) |rt| {
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        out.set(rt.make_mipmaps(channels.get()?, extent, levels, flags)?)
    }

    sync fn cudaGetMipmappedArrayLevel(out: Out<Handle>, mipmaps: Handle, level: u32) |rt| {
        out.set(rt.level(mipmaps, level)?)
    }

    sync fn cudaFreeMipmappedArray(mipmaps: Handle) |rt| {
        rt.free_mipmaps(mipmaps)
    }

    sync fn cudaMemcpyToArray(
        to: Handle, x: usize, y: usize, from: Address, bytes: usize, kind: MemcpyKind,
    ) |rt| {
        rt.copy_to_array((to, x, y), from, bytes, kind)
    }

    stream fn cudaMemcpyToArrayAsync(
        to: Handle, x: usize, y: usize, from: Address, bytes: usize, kind: MemcpyKind,
        stream: Handle,
    ) |rt| {
        rt.submit(stream, kind::MEMCPY, move |rt| rt.copy_to_array((to, x, y), from, bytes, kind))
    }

    sync fn cudaMemcpyFromArray(
        to: Address, from: Handle, x: usize, y: usize, bytes: usize, kind: MemcpyKind,
    ) |rt| {
        rt.copy_from_array(to, (from, x, y), bytes, kind)
    }

    stream fn cudaMemcpyFromArrayAsync(
        to: Address, from: Handle, x: usize, y: usize, bytes: usize, kind: MemcpyKind,
        stream: Handle,
    ) |rt| {
        rt.submit(stream, kind::MEMCPY, move |rt| {
            rt.copy_from_array(to, (from, x, y), bytes, kind)
        })
    }

    sync fn cudaMemcpyArrayToArray(
        to: Handle, to_x: usize, to_y: usize, from: Handle, from_x: usize, from_y: usize,
        bytes: usize, kind: MemcpyKind,
    ) |rt| {
        rt.copy_between_arrays((to, to_x, to_y), (from, from_x, from_y), bytes, kind)
    }

    sync fn cudaMemcpy2DToArray(
        to: Handle, x: usize, y: usize, from: Address, pitch: usize, width: usize,
        height: usize, kind: MemcpyKind,
    ) |rt| {
        Rectangles::new((to, x, y), (from, pitch), (width, height))?.fill(rt, kind)
    }

    stream fn cudaMemcpy2DToArrayAsync(
        to: Handle, x: usize, y: usize, from: Address, pitch: usize, width: usize,
        height: usize, kind: MemcpyKind, stream: Handle,
    ) |rt| {
        let both = Rectangles::new((to, x, y), (from, pitch), (width, height))?;
        rt.submit(stream, kind::MEMCPY, move |rt| both.fill(rt, kind))
    }

    sync fn cudaMemcpy2DFromArray(
        to: Address, pitch: usize, from: Handle, x: usize, y: usize, width: usize,
        height: usize, kind: MemcpyKind,
    ) |rt| {
        Rectangles::new((from, x, y), (to, pitch), (width, height))?.read(rt, kind)
    }

    stream fn cudaMemcpy2DFromArrayAsync(
        to: Address, pitch: usize, from: Handle, x: usize, y: usize, width: usize,
        height: usize, kind: MemcpyKind, stream: Handle,
    ) |rt| {
        let both = Rectangles::new((from, x, y), (to, pitch), (width, height))?;
        rt.submit(stream, kind::MEMCPY, move |rt| both.read(rt, kind))
    }

    sync fn cudaMemcpy2DArrayToArray(
        to: Handle, to_x: usize, to_y: usize, from: Handle, from_x: usize, from_y: usize,
        width: usize, height: usize, kind: MemcpyKind,
    ) |rt| {
        let bytes = Bytes::rectangle(width, height);
        let to = rt.rectangle(to, to_x, to_y, bytes)?;
        let from = rt.rectangle(from, from_x, from_y, bytes)?;
        rt.copy_box(to, from, bytes, kind)
    }
}
