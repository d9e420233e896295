//! Fills with values of one, two and four bytes.

use super::call::driver;
use crate::abi::{Address, Handle};
use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::runtime::graph::kind;

/// What is filled, and with what.
#[derive(Clone, Copy)]
struct Fill {
    to: Address,
    pitch: usize,
    value: u32,
    element: usize,
    width: usize,
    height: usize,
}

impl Fill {
    fn row(to: Address, value: u32, element: usize, width: usize) -> Fill {
        Fill { to, pitch: 0, value, element, width, height: 1 }
    }

    fn check(&self) -> Result<()> {
        let element = self.element as u64;
        let rows = self.height > 1;
        if !self.to.0.is_multiple_of(element)
            || (rows && !(self.pitch as u64).is_multiple_of(element))
            || (rows && self.pitch < self.width.saturating_mul(self.element))
        {
            return Err(Error::INVALID_VALUE);
        }
        Ok(())
    }

    fn run(&self, rt: &mut Runtime) -> Result<()> {
        let value = &self.value.to_le_bytes()[..self.element];
        if self.width == 0 {
            return Ok(());
        }
        (0..self.height as u64).try_for_each(|row| {
            let to = self.to.offset(row * self.pitch as u64);
            match value {
                // Fills of equal bytes are what the device has of its own.
                [first, rest @ ..] if rest.iter().all(|b| b == first) => {
                    rt.fill(to, *first, self.width * self.element)
                }
                value => rt.fill_pattern(to, value, self.width),
            }
        })
    }
}

fn now(rt: &mut Runtime, fill: Fill) -> Result<()> {
    fill.check()?;
    fill.run(rt)
}

fn later(rt: &mut Runtime, stream: Handle, fill: Fill) -> Result<()> {
    fill.check()?;
    rt.submit(stream, kind::MEMSET, move |rt| fill.run(rt))
}

driver! {
    sync fn cuMemsetD8_v2(to: Address, value: u8, count: usize) |rt| {
        now(rt, Fill::row(to, value.into(), 1, count))
    }

    sync fn cuMemsetD16_v2(to: Address, value: u16, count: usize) |rt| {
        now(rt, Fill::row(to, value.into(), 2, count))
    }

    sync fn cuMemsetD32_v2(to: Address, value: u32, count: usize) |rt| {
        now(rt, Fill::row(to, value, 4, count))
    }

    stream fn cuMemsetD8Async(to: Address, value: u8, count: usize, stream: Handle) |rt| {
        later(rt, stream, Fill::row(to, value.into(), 1, count))
    }

    stream fn cuMemsetD16Async(to: Address, value: u16, count: usize, stream: Handle) |rt| {
        later(rt, stream, Fill::row(to, value.into(), 2, count))
    }

    stream fn cuMemsetD32Async(to: Address, value: u32, count: usize, stream: Handle) |rt| {
        later(rt, stream, Fill::row(to, value, 4, count))
    }

    sync fn cuMemsetD2D8_v2(
        to: Address, pitch: usize, value: u8, width: usize, height: usize,
    ) |rt| {
        now(rt, Fill { to, pitch, value: value.into(), element: 1, width, height })
    }

    sync fn cuMemsetD2D16_v2(
        to: Address, pitch: usize, value: u16, width: usize, height: usize,
    ) |rt| {
        now(rt, Fill { to, pitch, value: value.into(), element: 2, width, height })
    }

    sync fn cuMemsetD2D32_v2(
        to: Address, pitch: usize, value: u32, width: usize, height: usize,
    ) |rt| {
        now(rt, Fill { to, pitch, value, element: 4, width, height })
    }

    stream fn cuMemsetD2D8Async(
        to: Address, pitch: usize, value: u8, width: usize, height: usize, stream: Handle,
    ) |rt| {
        later(rt, stream, Fill { to, pitch, value: value.into(), element: 1, width, height })
    }

    stream fn cuMemsetD2D16Async(
        to: Address, pitch: usize, value: u16, width: usize, height: usize, stream: Handle,
    ) |rt| {
        later(rt, stream, Fill { to, pitch, value: value.into(), element: 2, width, height })
    }

    stream fn cuMemsetD2D32Async(
        to: Address, pitch: usize, value: u32, width: usize, height: usize, stream: Handle,
    ) |rt| {
        later(rt, stream, Fill { to, pitch, value, element: 4, width, height })
    }
}
