//! What an SM knows of bulk copies.

use std::collections::VecDeque;

use upset_isa::Space;
use upset_isa::trap::TrapKind;
use upset_isa::warp::BulkPlaces;

/// What is left of a bulk copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bulk {
    /// Where its next part lies in global memory, and in the SM's shared memory.
    pub(super) places: BulkPlaces,
    /// Bytes that no part was made of yet.
    pub(super) left: u32,
    /// Parts under way.
    pub(super) parts: u32,
}

/// The engine of an SM.
#[derive(Clone, Debug, Default)]
pub(crate) struct Engine {
    /// Copies that parts are still to be made of.
    pub queue: VecDeque<u32>,
    /// A part is on its first way.
    pub busy: bool,
}

impl Bulk {
    /// A copy of these, in the shared memory that begins at `base` and has `size` bytes.
    pub(super) fn new(places: BulkPlaces, base: u32, size: u32) -> Result<Bulk, TrapKind> {
        let within = |at: u32, bytes: u32| match at.checked_add(bytes) {
            Some(end) if end <= size => Ok(base + at),
            _ => Err(TrapKind::AddressOutOfRange { space: Space::Shared, addr: at.into() }),
        };
        let shared = within(places.shared, places.bytes)?;
        let barrier = places.barrier.map(|at| within(at, 8)).transpose()?;
        let places = BulkPlaces { shared, barrier, ..places };
        Ok(Bulk { places, left: places.bytes, parts: 0 })
    }
}
