//! Streams and events.

use std::collections::BTreeMap;

use super::handles::Handles;
use crate::abi::Handle;
use crate::error::Result;

/// The default streams: legacy (null or 1) and per thread (2).
const DEFAULT_STREAMS: std::ops::RangeInclusive<Handle> = 0..=2;
/// Highest priority of a stream (the lowest is 0).
pub const HIGHEST_PRIORITY: i32 = -5;

/// A stream.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// Flags it was made with.
    pub flags: u32,
    /// Its priority.
    pub priority: i32,
    /// The graph that takes its work, while it is captured.
    pub capture: Option<Handle>,
    /// Attributes that were set; nothing follows from them here.
    pub attributes: BTreeMap<i32, AttributeValue>,
}

/// `cudaLaunchAttributeValue`.
pub type AttributeValue = [u64; 8];

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Flags it was made with.
    pub flags: u32,
    /// Cycle at which it was recorded last.
    pub cycle: Option<u64>,
    /// The graph whose capture it was recorded in last.
    pub capture: Option<Handle>,
}

/// Streams and events of the process.
pub struct Streams {
    /// Streams, the default ones aside.
    pub streams: Handles<Stream>,
    /// The default streams.
    pub default: [Stream; 3],
    /// Events.
    pub events: Handles<Event>,
}

impl Default for Streams {
    fn default() -> Self {
        Streams {
            streams: Handles::from(0x1000_0000),
            default: Default::default(),
            events: Handles::from(0x2000_0000),
        }
    }
}

impl Streams {
    /// A stream by its handle.
    pub fn get_mut(&mut self, stream: Handle) -> Result<&mut Stream> {
        if DEFAULT_STREAMS.contains(&stream) {
            return Ok(&mut self.default[stream as usize]);
        }
        self.streams.get_mut(stream)
    }

    /// Every stream.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.default.iter_mut().chain(self.streams.values_mut())
    }
}
