//! A record of what a host did, so that the same can be done on a real GPU.

use crate::{Args, Launch};

/// One host operation. Pointers are (allocation number, offset).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A module was loaded.
    Module {
        /// Its bytes.
        image: Vec<u8>,
    },
    /// Memory was allocated.
    Malloc {
        /// Size.
        bytes: u64,
    },
    /// Host to device.
    Upload {
        /// Destination.
        to: Pointer,
        /// Contents.
        bytes: Vec<u8>,
    },
    /// Device to host.
    Download {
        /// Source.
        from: Pointer,
        /// What the model gave.
        bytes: Vec<u8>,
    },
    /// Bytes set to one value.
    Memset {
        /// Destination.
        to: Pointer,
        /// Value.
        value: u8,
        /// Length.
        len: u64,
    },
    /// A variable was written.
    UploadSymbol {
        /// Name.
        name: String,
        /// First byte.
        offset: u64,
        /// Contents.
        bytes: Vec<u8>,
    },
    /// A texture reference was bound to FP32 linear memory.
    BindTexture {
        /// Name.
        name: String,
        /// Memory.
        at: Pointer,
        /// Length.
        bytes: u64,
    },
    /// A kernel was launched.
    Launch {
        /// Name.
        kernel: String,
        /// Geometry.
        launch: Launch,
        /// Arguments; pointers hold the model's addresses.
        args: Args,
        /// Where each argument points, if it is a pointer.
        pointers: Vec<Option<Pointer>>,
    },
}

/// A place in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Number of the `Malloc` event.
    pub allocation: u32,
    /// Offset in it.
    pub offset: u64,
}

/// The operations in the form that `oracles/apps/replay.cpp` reads.
pub fn encode(events: &[Event]) -> Vec<u8> {
    let mut out = Writer(Vec::new());
    for event in events {
        match event {
            Event::Module { image } => {
                out.u32(1);
                out.block(image);
            }
            Event::Malloc { bytes } => {
                out.u32(2);
                out.u64(*bytes);
            }
            Event::Upload { to, bytes } => {
                out.u32(3);
                out.pointer(*to);
                out.block(bytes);
            }
            Event::Download { from, bytes } => {
                out.u32(4);
                out.pointer(*from);
                out.u64(bytes.len() as u64);
            }
            Event::Memset { to, value, len } => {
                out.u32(5);
                out.pointer(*to);
                out.u32(u32::from(*value));
                out.u64(*len);
            }
            Event::UploadSymbol { name, offset, bytes } => {
                out.u32(6);
                out.name(name);
                out.u64(*offset);
                out.block(bytes);
            }
            Event::BindTexture { name, at, bytes } => {
                out.u32(7);
                out.name(name);
                out.pointer(*at);
                out.u64(*bytes);
            }
            Event::Launch { kernel, launch, args, pointers } => {
                out.u32(8);
                out.name(kernel);
                let geometry = launch.grid.iter().chain(&launch.block);
                geometry.chain([&launch.shared_bytes]).for_each(|&v| out.u32(v));
                out.u32(pointers.len() as u32);
                for (arg, pointer) in args.iter().zip(pointers) {
                    out.u32(arg.bytes.len() as u32);
                    out.0.extend(&arg.bytes);
                    out.u32(u32::from(pointer.is_some()));
                    if let Some(p) = pointer {
                        out.pointer(*p);
                    }
                }
            }
        }
    }
    out.0
}

/// All bytes copied to the host, one copy after the other.
pub fn downloads(events: &[Event]) -> Vec<u8> {
    let parts = events.iter().filter_map(|e| match e {
        Event::Download { bytes, .. } => Some(bytes.as_slice()),
        _ => None,
    });
    parts.flatten().copied().collect()
}

struct Writer(Vec<u8>);

impl Writer {
    fn u32(&mut self, v: u32) {
        self.0.extend(v.to_le_bytes());
    }
    fn u64(&mut self, v: u64) {
        self.0.extend(v.to_le_bytes());
    }
    fn block(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.0.extend(bytes);
    }
    fn name(&mut self, name: &str) {
        self.u32(name.len() as u32);
        self.0.extend(name.as_bytes());
    }
    fn pointer(&mut self, p: Pointer) {
        self.u32(p.allocation);
        self.u64(p.offset);
    }
}
