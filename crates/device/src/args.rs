//! Kernel arguments, laid out as C lays them out.

use crate::DevPtr;

/// One argument: its bytes, its alignment, and whether it is a device address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Value, little-endian.
    pub bytes: Vec<u8>,
    /// Alignment in the parameter block.
    pub align: usize,
    /// A pointer into device memory (recordings replay it with the address of
    /// the machine they run on).
    pub pointer: bool,
    /// A pointer to local memory; the value is how many bytes of it (OpenCL).
    pub local: bool,
}

/// The arguments of a launch, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args(Vec<Arg>);

impl Args {
    /// No arguments yet.
    pub fn new() -> Args {
        Args::default()
    }

    fn push(mut self, bytes: &[u8], align: usize, pointer: bool) -> Args {
        self.0.push(Arg { bytes: bytes.to_vec(), align, pointer, local: false });
        self
    }

    /// A device pointer.
    pub fn ptr(self, v: DevPtr) -> Args {
        self.push(&v.0.to_le_bytes(), 8, true)
    }
    /// An unsigned 32-bit number.
    pub fn u32(self, v: u32) -> Args {
        self.push(&v.to_le_bytes(), 4, false)
    }
    /// A signed 32-bit number.
    pub fn i32(self, v: i32) -> Args {
        self.push(&v.to_le_bytes(), 4, false)
    }
    /// An FP32 number.
    pub fn f32(self, v: f32) -> Args {
        self.push(&v.to_le_bytes(), 4, false)
    }
    /// An FP64 number.
    pub fn f64(self, v: f64) -> Args {
        self.push(&v.to_le_bytes(), 8, false)
    }
    /// An unsigned 64-bit number.
    pub fn u64(self, v: u64) -> Args {
        self.push(&v.to_le_bytes(), 8, false)
    }
    /// A pointer to `bytes` bytes of a work-group's local memory, which the
    /// launch sets aside (OpenCL's `__local` parameters).
    pub fn local(mut self, bytes: u32) -> Args {
        let value = bytes.to_le_bytes().to_vec();
        self.0.push(Arg { bytes: value, align: 4, pointer: false, local: true });
        self
    }
    /// A number or a vector, aligned to its own size.
    pub fn aligned(self, v: &[u8]) -> Args {
        self.push(v, v.len(), false)
    }
    /// A structure passed by value, 8-byte aligned.
    pub fn bytes(self, v: &[u8]) -> Args {
        self.push(v, 8, false)
    }

    /// The arguments one by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arg> {
        self.0.iter()
    }

    /// Offset of each argument when laid out in order.
    pub fn offsets(&self) -> Vec<usize> {
        let mut at = 0usize;
        self.0
            .iter()
            .map(|a| {
                let here = at.next_multiple_of(a.align.max(1));
                at = here + a.bytes.len();
                here
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_aligned_to_their_size() {
        let a = Args::new().u32(1).ptr(DevPtr(8)).f32(1.0).u64(3);
        assert_eq!(a.offsets(), [0, 8, 16, 24]);
    }
}
