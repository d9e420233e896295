//! Bytes that the host has copied from the device and has not looked at yet.
//!
//! Most hosts only keep such bytes, or give them back. As long as nobody looks,
//! a faulty run that differs in them makes the same steps as the fault-free one,
//! and can be followed on: its differences are with the bytes the host carries.
//! Whoever looks at a part of them sends the runs away that differ there.

use std::ops::Range;

use upset_mem::LINE;
use upset_state::words::apply_words;

use crate::luggage::{Bytes, Copy};
use crate::{DevPtr, Device, DeviceError};

/// Bytes that the host carries.
#[derive(Debug)]
pub struct Carried {
    number: usize,
}

impl Device {
    /// Copies from the device, like [`Device::download`], bytes that nobody looks
    /// at yet.
    pub fn download_carried(&mut self, from: DevPtr, len: usize) -> Result<Carried, DeviceError> {
        let mut bytes = vec![0; len];
        // Without the bytes of all outputs nobody could say later what a run that
        // leaves has told its host.
        let follows = self.outputs.are_kept() && !self.nvidia.has_constant(from.0);
        match follows {
            // As the fault-free run has them.
            true => self.storage.read_carried(from.0, &mut bytes)?,
            false => self.fetch(from, &mut bytes)?,
        }
        let output = self.took_out(from, &bytes);
        let at = self.luggage.next.next_multiple_of(LINE) + from.0 % LINE;
        self.luggage.next = at + len as u64;
        let kept = self.outputs.kept().len() > output;
        let bytes = if kept { Bytes::Output(output) } else { Bytes::Own(bytes) };
        self.luggage.copies.push(Copy { at, len, bytes });
        if follows {
            self.storage.carry_ghosts(from.0, len as u64, at);
            self.hear();
        }
        Ok(Carried { number: self.luggage.copies.len() - 1 })
    }

    /// Looks at bytes that the host carries.
    pub fn look_at(&mut self, carried: &Carried, range: Range<usize>) -> &[u8] {
        if let Some(copy) = self.luggage.copies.get(carried.number) {
            let at = copy.at + range.start as u64;
            self.storage.look_at_carried(Some((at, range.len() as u64)));
            self.hear();
        }
        self.bytes_of(carried).get(range).unwrap_or_default()
    }

    /// Copies bytes to the device that the host carries, all of them.
    pub fn upload_carried(&mut self, to: DevPtr, carried: &Carried) -> Result<(), DeviceError> {
        let Some(copy) = self.luggage.copies.get(carried.number) else { return Ok(()) };
        let (at, len) = (copy.at, copy.len);
        let follows = (at ^ to.0).is_multiple_of(LINE) && !self.nvidia.has_constant(to.0);
        if !follows {
            let bytes = self.look_at(carried, 0..len).to_vec();
            return self.upload(to, &bytes);
        }
        // Who leaves now has bytes of its own to give back.
        self.storage.host_comes();
        self.hear();
        let bytes = self.bytes_of(carried).to_vec();
        self.storage.write_carried(to.0, &bytes, at)?;
        self.hear();
        self.took_in(to, &bytes);
        Ok(())
    }

    /// The host is done: runs whose host has got other bytes leave the fault-free
    /// one, if they have not yet.
    pub fn come_to_light(&mut self) {
        self.storage.look_at_carried(None);
        self.hear();
    }

    fn bytes_of(&self, carried: &Carried) -> &[u8] {
        match self.luggage.copies.get(carried.number).map(|c| &c.bytes) {
            Some(Bytes::Output(number)) => self.outputs.kept().get(*number).map_or(&[], |b| b),
            Some(Bytes::Own(bytes)) => bytes,
            None => &[],
        }
    }

    /// This run may have become another one just now, whose host has got other
    /// bytes: gives them to it.
    pub(crate) fn hear(&mut self) {
        let told = self.storage.take_told();
        if told.is_empty() {
            return;
        }
        for (line, words) in told {
            let Some(copy) = self.luggage.copies.iter().find(|c| c.lines().contains(&line)) else {
                continue;
            };
            let Bytes::Output(output) = copy.bytes else { continue };
            let mut differences = [0; LINE as usize];
            apply_words(&words, &mut differences);
            let from = copy.at.max(line);
            let within = (from - line) as usize;
            self.outputs.correct(output, (from - copy.at) as usize, &differences[within..]);
        }
        self.outputs.count_again();
    }
}
