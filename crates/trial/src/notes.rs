//! What the fault-free run notes of its state, so that others can be compared
//! with it: digests at some cycles, each named by the launch and the cycles
//! since its start.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use upset_device::{Checks, Stands};

/// Cycles between two notes at first. Taking a note costs about as much as
/// simulating a few hundred cycles of a busy chip.
const FIRST_STRIDE: u64 = 2048;
/// Notes at which every other one is dropped.
const MOST: usize = 128;

/// The fault-free run at the beginning of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// Launch, from 0.
    pub launch: u64,
    /// Cycles since it began.
    pub offset: u64,
    /// First cycle of the launch.
    pub start: u64,
    /// What the host had got by then.
    pub heard: u128,
    /// Digests of the parts of the state.
    pub parts: Vec<u128>,
}

/// What the fault-free run noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// In the order of the run.
    pub list: Vec<Note>,
    /// Some launched code can read clocks: it can tell a shift in time.
    pub sees_time: bool,
}

impl Notes {
    /// As bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut out = vec![u8::from(self.sees_time)];
        for note in &self.list {
            for number in [note.launch, note.offset, note.start, note.parts.len() as u64] {
                out.extend(number.to_le_bytes());
            }
            out.extend(note.heard.to_le_bytes());
            note.parts.iter().for_each(|p| out.extend(p.to_le_bytes()));
        }
        out
    }

    /// From bytes; `None` when they are no packed notes.
    pub fn unpack(bytes: &[u8]) -> Option<Notes> {
        fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
            let (first, rest) = bytes.split_first_chunk::<N>()?;
            *bytes = rest;
            Some(*first)
        }
        let mut bytes = bytes;
        let [sees_time] = take::<1>(&mut bytes)?;
        let mut notes = Notes { list: Vec::new(), sees_time: sees_time != 0 };
        while !bytes.is_empty() {
            let mut number = || take::<8>(&mut bytes).map(u64::from_le_bytes);
            let (launch, offset, start, count) = (number()?, number()?, number()?, number()?);
            let heard = u128::from_le_bytes(take(&mut bytes)?);
            let mut parts = Vec::new();
            for _ in 0..count {
                parts.push(u128::from_le_bytes(take(&mut bytes)?));
            }
            notes.list.push(Note { launch, offset, start, heard, parts });
        }
        Some(notes)
    }
}

/// Takes notes of a fault-free run.
pub struct Recorder {
    notes: Arc<Mutex<Notes>>,
    launch: u64,
    start: u64,
    stride: u64,
    next: u64,
}

pub(crate) fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recorder {
    /// A recorder, and where its notes are to be found.
    pub fn new() -> (Recorder, Arc<Mutex<Notes>>) {
        let notes = Arc::new(Mutex::new(Notes::default()));
        let own = Arc::clone(&notes);
        (Recorder { notes: own, launch: 0, start: 0, stride: FIRST_STRIDE, next: 0 }, notes)
    }
}

/// The place in the run.
fn cycle(note: &Note) -> u64 {
    note.start + note.offset
}

/// Keeps notes that are a stride apart; beginnings of launches, where shifts
/// show most often, also when they are half a stride after the one before.
fn thin(list: &mut Vec<Note>, stride: u64) {
    let mut last = None;
    list.retain(|n| {
        let gap = last.map_or(u64::MAX, |l| cycle(n) - l);
        let keep = gap >= stride || n.offset == 0 && gap >= stride / 2;
        if keep {
            last = Some(cycle(n));
        }
        keep
    });
}

impl Checks for Recorder {
    fn begin(&mut self, launch: u64, cycle: u64, sees_time: bool) {
        (self.launch, self.start) = (launch, cycle);
        locked(&self.notes).sees_time |= sees_time;
        if cycle + self.stride / 2 >= self.next {
            self.next = cycle;
        }
    }

    fn next(&self) -> u64 {
        self.next
    }

    fn check(&mut self, standing: &dyn Stands, heard: u128) {
        let now = standing.cycle();
        let mut notes = locked(&self.notes);
        notes.list.push(Note {
            launch: self.launch,
            offset: now - self.start,
            start: self.start,
            heard,
            parts: (0..standing.parts()).map(|p| standing.digest(p)).collect(),
        });
        while notes.list.len() >= MOST {
            self.stride *= 2;
            thin(&mut notes.list, self.stride);
        }
        let last = notes.list.last().map_or(now, cycle);
        self.next = (last + self.stride).max(now + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(launch: u64, start: u64, offset: u64) -> Note {
        Note { launch, offset, start, heard: 5, parts: vec![1, u128::MAX] }
    }

    #[test]
    fn notes_arrive_as_they_were_sent() {
        let notes = Notes { list: vec![note(0, 0, 0), note(3, 1000, 17)], sees_time: true };
        let packed = notes.pack();
        assert_eq!(Notes::unpack(&packed), Some(notes));
        assert_eq!(Notes::unpack(&packed[..packed.len() - 1]), None);
        assert_eq!(Notes::unpack(&[]), None);
    }

    #[test]
    fn beginnings_of_launches_stay_longer() {
        let mut list: Vec<Note> = (0..8).map(|i| note(0, 0, 100 * i)).collect();
        list.push(note(1, 750, 0));
        thin(&mut list, 200);
        let cycles: Vec<u64> = list.iter().map(cycle).collect();
        assert_eq!(cycles, [0, 200, 400, 600, 750]);
    }
}
