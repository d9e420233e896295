//! Descriptors of buffers (V#): where a buffer is and what it is made of.

/// A descriptor of a buffer. Places of the fields: CLRX, "Buffer resource
/// format", after AMD's Southern Islands manual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// First address, 48 bits.
    pub base: u64,
    /// Bytes from a record to the next, 14 bits; a raw buffer has none.
    pub stride: u32,
    /// Banks of the vector cache are exchanged: no difference to values.
    pub cache_swizzle: bool,
    /// Elements of neighbouring records stand side by side.
    pub swizzle: bool,
    /// Records; of a raw buffer bytes.
    pub records: u32,
    /// What each channel of a load is made of.
    pub select: [u8; 4],
    /// Number format.
    pub nfmt: u8,
    /// Data format.
    pub dfmt: u8,
    /// Bytes that stand together in a swizzled buffer: 2, 4, 8 or 16.
    pub element: u32,
    /// Records whose elements stand side by side: 8, 16, 32 or 64.
    pub index_stride: u32,
    /// The lane's number is added to the index.
    pub add_tid: bool,
    /// Addresses are hashed: no difference to values.
    pub hash: bool,
    /// The buffer is a heap: no difference to values.
    pub heap: bool,
    /// Kind of resource; zero is a buffer. Nobody looks at it.
    pub kind: u8,
}

impl Descriptor {
    /// From four scalar registers.
    #[inline]
    pub const fn of(w: [u32; 4]) -> Descriptor {
        let (high, last) = (w[1], w[3]);
        Descriptor {
            base: w[0] as u64 | (high as u64 & 0xffff) << 32,
            stride: high >> 16 & 0x3fff,
            cache_swizzle: high >> 30 & 1 == 1,
            swizzle: high >> 31 == 1,
            records: w[2],
            select: [
                (last & 7) as u8,
                (last >> 3 & 7) as u8,
                (last >> 6 & 7) as u8,
                (last >> 9 & 7) as u8,
            ],
            nfmt: (last >> 12 & 7) as u8,
            dfmt: (last >> 15 & 15) as u8,
            element: 2 << (last >> 19 & 3),
            index_stride: 8 << (last >> 21 & 3),
            add_tid: last >> 23 & 1 == 1,
            hash: last >> 25 & 1 == 1,
            heap: last >> 26 & 1 == 1,
            kind: (last >> 30) as u8,
        }
    }
}
