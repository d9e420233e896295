//! Types that others are made of.

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// x.
    pub x: u32,
    /// y.
    pub y: u32,
    /// z.
    pub z: u32,
}

impl Dim3 {
    /// As an array.
    pub fn array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

/// `cudaStream_t` and other opaque handles.
pub type Handle = u64;

/// `enum cudaMemcpyKind`.
pub type MemcpyKind = i32;
/// From host to host.
pub const HOST_TO_HOST: MemcpyKind = 0;
/// From host to device.
pub const HOST_TO_DEVICE: MemcpyKind = 1;
/// From device to host.
pub const DEVICE_TO_HOST: MemcpyKind = 2;
/// From device to device.
pub const DEVICE_TO_DEVICE: MemcpyKind = 3;
/// As the pointers say.
pub const DEFAULT: MemcpyKind = 4;
