//! Copies of rectangles and boxes, between linear memory and arrays.

use super::call::driver;
use crate::abi::{Address, DEFAULT, Handle, In, PitchedPtr, Pos};
use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::runtime::graph::kind;
use crate::runtime::volume::{Bytes, Volume};

/// Numbers of `CUmemorytype`.
const HOST: i32 = 1;
const DEVICE: i32 = 2;
const ARRAY: i32 = 3;
const UNIFIED: i32 = 4;

/// One side of `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Side2D {
    x: usize,
    y: usize,
    sort: i32,
    host: Address,
    device: Address,
    array: Handle,
    pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy2D {
    from: Side2D,
    to: Side2D,
    width: usize,
    height: usize,
}

/// One side of `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Side3D {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    sort: i32,
    host: Address,
    device: Address,
    array: Handle,
    reserved: Address,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy3D {
    from: Side3D,
    to: Side3D,
    width: usize,
    height: usize,
    depth: usize,
}

impl Side2D {
    fn deep(self, rows: usize) -> Side3D {
        Side3D {
            x: self.x,
            y: self.y,
            z: 0,
            level: 0,
            sort: self.sort,
            host: self.host,
            device: self.device,
            array: self.array,
            reserved: Address(0),
            pitch: self.pitch,
            height: self.y.saturating_add(rows),
        }
    }
}

impl Copy2D {
    fn deep(self) -> Copy3D {
        let Copy2D { from, to, width, height } = self;
        Copy3D { from: from.deep(height), to: to.deep(height), width, height, depth: 1 }
    }
}

impl Side3D {
    /// The place in memory.
    fn volume(&self, rt: &Runtime, bytes: Bytes) -> Result<Volume> {
        let at = match self.sort {
            HOST => self.host,
            DEVICE | UNIFIED => self.device,
            ARRAY => {
                let (x, y, z) = (self.x as u64, self.y as u64, self.z as u64);
                return rt.array_part(self.array, (x, y, z), bytes);
            }
            _ => return Err(Error::INVALID_VALUE),
        };
        let pitch = match self.pitch {
            0 => self.x.saturating_add(bytes.width as usize),
            pitch => pitch,
        };
        let rows = match self.height {
            0 => self.y.saturating_add(bytes.height as usize),
            rows => rows,
        };
        let linear = PitchedPtr { ptr: at, pitch, xsize: 0, ysize: rows };
        rt.side_of(0, Pos { x: self.x, y: self.y, z: self.z }, linear, bytes)
    }
}

impl Copy3D {
    fn check(&self) -> Result<()> {
        match self.from.level | self.to.level {
            0 => Ok(()),
            _ => Err(Error::INVALID_VALUE),
        }
    }

    /// Does it.
    pub(super) fn run(&self, rt: &mut Runtime) -> Result<()> {
        self.check()?;
        let (width, height, depth) = (self.width as u64, self.height as u64, self.depth as u64);
        let bytes = Bytes { width, height, depth };
        if width == 0 || height == 0 || depth == 0 {
            return Ok(());
        }
        let (to, from) = (self.to.volume(rt, bytes)?, self.from.volume(rt, bytes)?);
        rt.copy_box(to, from, bytes, DEFAULT)
    }
}

driver! {
    sync fn cuMemcpy2D_v2(copy: In<Copy2D>) |rt| {
        copy.get()?.deep().run(rt)
    }

    sync fn cuMemcpy2DUnaligned_v2(copy: In<Copy2D>) |rt| {
        copy.get()?.deep().run(rt)
    }

    stream fn cuMemcpy2DAsync_v2(copy: In<Copy2D>, stream: Handle) |rt| {
        let copy = copy.get()?.deep();
        rt.submit(stream, kind::MEMCPY, move |rt| copy.run(rt))
    }

    sync fn cuMemcpy3D_v2(copy: In<Copy3D>) |rt| {
        copy.get()?.run(rt)
    }

    stream fn cuMemcpy3DAsync_v2(copy: In<Copy3D>, stream: Handle) |rt| {
        let copy = copy.get()?;
        rt.submit(stream, kind::MEMCPY, move |rt| copy.run(rt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn layouts_are_those_of_the_c_header() {
        assert_eq!((size_of::<Side2D>(), size_of::<Copy2D>()), (56, 128));
        assert_eq!((size_of::<Side3D>(), size_of::<Copy3D>()), (88, 200));
        assert_eq!(offset_of!(Side3D, host), 40);
        assert_eq!(offset_of!(Copy3D, width), 176);
    }
}
