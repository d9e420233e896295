//! What a pointer is.

use super::call::driver;
use crate::abi::{Address, In, Out};
use crate::error::{Error, Result};
use crate::runtime::{Runtime, Side, Sort, contexts};

/// `CUmemorytype`.
const HOST: u64 = 1;
const DEVICE: u64 = 2;

/// Numbers of `CUpointer_attribute`.
const CONTEXT: i32 = 1;
const MEMORY_TYPE: i32 = 2;
const DEVICE_POINTER: i32 = 3;
const HOST_POINTER: i32 = 4;
const SYNC_MEMOPS: i32 = 6;
const BUFFER_ID: i32 = 7;
const IS_MANAGED: i32 = 8;
const DEVICE_ORDINAL: i32 = 9;
const RANGE_START: i32 = 11;
const RANGE_SIZE: i32 = 12;
const MAPPED: i32 = 13;
const LAST: i32 = 21;

/// A pointer to memory that we know.
struct Known {
    sort: u64,
    on_device: u64,
    on_host: Option<u64>,
    managed: bool,
    start: u64,
    bytes: u64,
}

fn known(rt: &mut Runtime, at: Address) -> Option<Known> {
    if let Some((start, region)) = rt.mapped.find(at) {
        return Some(Known {
            // Managed memory counts as the device's.
            sort: if region.sort == Sort::Managed { DEVICE } else { HOST },
            on_device: region.device + (at.0 - start),
            on_host: Some(at.0),
            managed: region.sort == Sort::Managed,
            start,
            bytes: region.len,
        });
    }
    if rt.side(at) != Side::Device {
        return None;
    }
    let (start, bytes) = rt.allocation(at)?;
    let on_device = at.0;
    Some(Known { sort: DEVICE, on_device, on_host: None, managed: false, start, bytes })
}

/// An attribute's value and how many bytes it is.
fn attribute(of: &Known, number: i32) -> Result<(u64, usize)> {
    Ok(match number {
        CONTEXT => (contexts::PRIMARY, 8),
        MEMORY_TYPE => (of.sort, 4),
        DEVICE_POINTER => (of.on_device, 8),
        HOST_POINTER => (of.on_host.ok_or(Error::INVALID_VALUE)?, 8),
        SYNC_MEMOPS => (of.managed.into(), 4),
        BUFFER_ID => (of.start, 8),
        IS_MANAGED => (of.managed.into(), 4),
        DEVICE_ORDINAL => (0, 4),
        RANGE_START => (of.start, 8),
        RANGE_SIZE => (of.bytes, 8),
        MAPPED => (1, 4),
        5 | 10 | 14..=LAST => (0, 4),
        _ => return Err(Error::INVALID_VALUE),
    })
}

fn write(to: Address, (value, len): (u64, usize)) -> Result<()> {
    if to.0 == 0 {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: the application's place for this attribute, of the size the API gives it.
    unsafe { to.host_bytes_mut(len) }.copy_from_slice(&value.to_le_bytes()[..len]);
    Ok(())
}

driver! {
    sync fn cuPointerGetAttribute(out: Address, number: i32, at: Address) |rt| {
        let of = known(rt, at).ok_or(Error::INVALID_VALUE)?;
        write(out, attribute(&of, number)?)
    }

    // Of what is not known it writes zeros, where it writes anything.
    sync fn cuPointerGetAttributes(
        count: u32, numbers: In<i32>, places: In<Address>, at: Address,
    ) |rt| {
        let of = known(rt, at);
        for i in 0..count as usize {
            let number = numbers.at(i)?;
            let value = match (&of, number) {
                (Some(of), HOST_POINTER) => (of.on_host.unwrap_or(0), 8),
                (Some(of), number) => attribute(of, number)?,
                (None, CONTEXT | DEVICE_POINTER | HOST_POINTER | BUFFER_ID) => (0, 8),
                // No device's.
                (None, DEVICE_ORDINAL) => (-2i64 as u64, 4),
                (None, RANGE_START | RANGE_SIZE) => continue,
                (None, 2..=LAST) => (0, 4),
                (None, _) => return Err(Error::INVALID_VALUE),
            };
            write(places.at(i)?, value)?;
        }
        Ok(())
    }

    sync fn cuPointerSetAttribute(_value: Address, number: i32, at: Address) |rt| {
        known(rt, at).filter(|_| number == SYNC_MEMOPS).map(|_| ()).ok_or(Error::INVALID_VALUE)
    }

    sync fn cuMemGetAddressRange_v2(base: Out<Address>, bytes: Out<usize>, at: Address) |rt| {
        let of = known(rt, at).ok_or(Error::SYMBOL_NOT_FOUND)?;
        base.set_if_wanted(Address(of.start));
        bytes.set_if_wanted(of.bytes as usize);
        Ok(())
    }
}
