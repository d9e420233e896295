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

    /// Works something out of parts of what the host carries, by a function that
    /// depends on nothing else: the result is carried too. A faulty run whose bytes
    /// give the same result makes the same steps on; one with another result has
    /// differences in it, as long as nobody looks. Where the function fails, this
    /// run's host has failed.
    pub fn work_out<E>(
        &mut self,
        parts: &[(&Carried, Range<usize>)],
        function: impl Fn(&[&[u8]]) -> Result<Vec<u8>, E>,
    ) -> Result<Carried, E> {
        let result = self.worked_out(parts, &function, None)?;
        let at = self.luggage.next.next_multiple_of(LINE);
        let places: Vec<(u64, usize)> = parts
            .iter()
            .filter_map(|(carried, range)| {
                let copy = self.luggage.copies.get(carried.number)?;
                Some((copy.at + range.start as u64, range.len()))
            })
            .collect();
        let (mut others, mut leaving) = (Vec::new(), Vec::new());
        for ghost in self.storage.ghosts_in_carried(&places) {
            let differences: Vec<Vec<u8>> = places
                .iter()
                .map(|(at, len)| self.storage.difference_in_carried(ghost, *at, *len))
                .collect();
            match self.worked_out(parts, &function, Some(&differences)) {
                Ok(its) if its == result => {}
                Ok(its) if its.len() == result.len() => others.push((ghost, its)),
                // Its host does something else from here on.
                _ => leaving.push(ghost),
            }
        }
        self.storage.let_leave(&leaving);
        self.hear();
        // This run may be one of them now.
        let result = match leaving.is_empty() {
            true => result,
            false => self.worked_out(parts, &function, None)?,
        };
        for (ghost, mut its) in others {
            its.iter_mut().zip(&result).for_each(|(its, ours)| *its ^= ours);
            self.storage.put_in_carried(ghost, at, &its);
        }
        let len = result.len();
        self.luggage.next = at + len as u64;
        self.luggage.copies.push(Copy { at, len, bytes: Bytes::Own(result) });
        // Whoever differs in too much leaves as well.
        self.storage.let_leave(&[]);
        self.hear();
        Ok(Carried { number: self.luggage.copies.len() - 1 })
    }

    /// What a function makes of this run's bytes, or of others that differ so.
    fn worked_out<E>(
        &self,
        parts: &[(&Carried, Range<usize>)],
        function: &impl Fn(&[&[u8]]) -> Result<Vec<u8>, E>,
        differences: Option<&[Vec<u8>]>,
    ) -> Result<Vec<u8>, E> {
        let ours = parts
            .iter()
            .map(|(carried, range)| self.bytes_of(carried).get(range.clone()).unwrap_or_default());
        let Some(differences) = differences else {
            return function(&ours.collect::<Vec<_>>());
        };
        let xor = |(a, b): (&[u8], &Vec<u8>)| a.iter().zip(b).map(|(a, b)| a ^ b).collect();
        let others: Vec<Vec<u8>> = ours.zip(differences).map(xor).collect();
        function(&others.iter().map(Vec::as_slice).collect::<Vec<_>>())
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
            let copies = &mut self.luggage.copies;
            let Some(copy) = copies.iter_mut().find(|c| c.lines().contains(&line)) else {
                continue;
            };
            let mut differences = [0; LINE as usize];
            apply_words(&words, &mut differences);
            let from = copy.at.max(line);
            let (at, differences) =
                ((from - copy.at) as usize, &differences[(from - line) as usize..]);
            match &mut copy.bytes {
                Bytes::Output(output) => self.outputs.correct(*output, at, differences),
                Bytes::Own(bytes) => {
                    bytes.iter_mut().skip(at).zip(differences).for_each(|(b, d)| *b ^= d);
                }
            }
        }
        self.outputs.count_again();
    }
}
