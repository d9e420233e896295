//! Hints about where managed memory should be: there is nothing to move, but they may
//! be asked for.

use std::ops::Range;

use super::call::api;
use crate::abi::{Address, Handle, In};
use crate::error::{Error, Result};
use crate::runtime::hints::{About, NOWHERE, ON_HOST};
use crate::runtime::{Runtime, Side, Sort};

/// `cudaMemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Location {
    sort: i32,
    id: i32,
}

/// Numbers of `cudaMemLocationType`.
const NO_LOCATION: i32 = 0;
const LOCATION_DEVICE: i32 = 1;
const LOCATION_HOST: i32 = 2;

impl Location {
    /// As a device number.
    fn place(self) -> i32 {
        if self.sort == LOCATION_DEVICE { self.id } else { ON_HOST }
    }

    fn of(place: i32) -> Location {
        let sort = match place {
            NOWHERE => NO_LOCATION,
            ON_HOST => LOCATION_HOST,
            _ => LOCATION_DEVICE,
        };
        Location { sort, id: place.max(0) }
    }
}

fn range(at: Address, bytes: usize) -> Range<u64> {
    at.0..at.0.saturating_add(bytes as u64)
}

/// Takes a hint; where it names a device, pages are to move by themselves, which those
/// before compute capability 6.0 cannot.
fn say(rt: &mut Runtime, about: About, at: Range<u64>, value: i32) -> Result<()> {
    let moves = about != About::ReadMostly && (value >= 0 || about == About::Prefetched);
    match rt.side(Address(at.start)) {
        Side::Shared if moves && rt.device.arch_number() < 60 => Err(Error::INVALID_DEVICE),
        Side::Shared => {
            rt.hints.say(about, at, value);
            Ok(())
        }
        _ => Err(Error::INVALID_VALUE),
    }
}

/// By the numbers of `cudaMemoryAdvise`.
fn advise(rt: &mut Runtime, at: Range<u64>, advice: i32, place: i32) -> Result<()> {
    match advice {
        1 => say(rt, About::ReadMostly, at, 1),
        2 => say(rt, About::ReadMostly, at, 0),
        3 => say(rt, About::Preferred, at, place),
        4 => say(rt, About::Preferred, at, NOWHERE),
        5 => say(rt, About::AccessedBy, at, place),
        6 => say(rt, About::AccessedBy, at, NOWHERE),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// What is said of memory, by the numbers of `cudaMemRangeAttribute`. Parts that
/// differ have no answer in common.
fn attribute(rt: &Runtime, number: i32, at: Range<u64>) -> Result<i32> {
    let managed = rt.mapped.find(Address(at.start)).is_some_and(|(start, region)| {
        region.sort == Sort::Managed && at.end <= start + region.len
    });
    if !managed || at.is_empty() {
        return Err(Error::INVALID_VALUE);
    }
    let place = |about| rt.hints.of(about, at.clone(), NOWHERE).unwrap_or(NOWHERE);
    Ok(match number {
        1 => rt.hints.of(About::ReadMostly, at, 0).unwrap_or(0),
        2 => place(About::Preferred),
        3 => place(About::AccessedBy),
        4 => place(About::Prefetched),
        5 => Location::of(place(About::Preferred)).sort,
        6 => Location::of(place(About::Preferred)).id,
        7 => Location::of(place(About::Prefetched)).sort,
        8 => Location::of(place(About::Prefetched)).id,
        _ => return Err(Error::INVALID_VALUE),
    })
}

/// Writes an answer into as much room as the program has: who accesses memory is a
/// list, in which nobody stands for the end.
fn answer(rt: &Runtime, data: Address, room: usize, number: i32, at: Range<u64>) -> Result<()> {
    let words = room / 4;
    let list = number == About::AccessedBy as i32;
    if data.0 == 0 || !room.is_multiple_of(4) || words == 0 || (words > 1 && !list) {
        return Err(Error::INVALID_VALUE);
    }
    let first = attribute(rt, number, at)?;
    // SAFETY: the application's memory, as long as it says.
    let out = unsafe { data.host_bytes_mut(room) };
    for (i, word) in out.chunks_mut(4).enumerate() {
        word.copy_from_slice(&(if i == 0 { first } else { NOWHERE }).to_le_bytes());
    }
    Ok(())
}

api! {
    stream fn cudaMemPrefetchAsync(at: Address, bytes: usize, device: i32, _stream: Handle) |rt| {
        say(rt, About::Prefetched, range(at, bytes), device)
    }

    stream fn cudaMemPrefetchAsync_v2(
        at: Address, bytes: usize, location: Location, _flags: u32, _stream: Handle,
    ) |rt| {
        say(rt, About::Prefetched, range(at, bytes), location.place())
    }

    sync fn cudaMemAdvise_v2(at: Address, bytes: usize, advice: i32, location: Location) |rt| {
        advise(rt, range(at, bytes), advice, location.place())
    }

    sync fn cudaMemAdvise(at: Address, bytes: usize, advice: i32, device: i32) |rt| {
        advise(rt, range(at, bytes), advice, device)
    }

    sync fn cudaMemRangeGetAttribute(
        data: Address, room: usize, number: i32, at: Address, bytes: usize,
    ) |rt| {
        answer(rt, data, room, number, range(at, bytes))
    }

    sync fn cudaMemRangeGetAttributes(
        data: In<Address>, rooms: In<usize>, numbers: In<i32>, count: usize, at: Address,
        bytes: usize,
    ) |rt| {
        for i in 0..count {
            answer(rt, data.at(i)?, rooms.at(i)?, numbers.at(i)?, range(at, bytes))?;
        }
        Ok(())
    }
}
