//! A run in another process: what that process is told, and what it answers.
//!
//! The order is a file. The first process of a program that makes a device
//! takes it (the file is renamed, so that only one can), does as it says, and
//! leaves its answer beside it when it ends in an orderly way. What must be
//! known however the process ends (bytes copied to the host) is written as it
//! happens.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use upset_device::{Functions, InUse, KernelStats, Look, Seen};
use upset_fault::Residency;
use upset_state::Change;

use crate::notes::Notes;
use crate::walk::Walk;
use crate::{Fate, Layouts, Sample, Story};

/// What to do in the device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Changes of bits.
    #[serde(with = "upset_state::changes")]
    pub changes: Vec<(u64, Change)>,
    /// Last cycle of the whole run.
    pub limit: Option<u64>,
    /// Find out what a campaign plans with.
    pub profile: bool,
    /// Find the fate of these bits.
    pub lifetimes: Option<Wanted>,
    /// Tell what these bits belong to.
    #[serde(default)]
    pub looks: Vec<Look>,
    /// Tell the story of the bits that are changed; these are the arrays at the
    /// end of the run.
    pub story: Option<Layouts>,
    /// Every copy to the host goes to the file [`Files::outputs`].
    pub outputs: bool,
    /// Digests of the state go to the file [`Files::notes`].
    #[serde(default)]
    pub notes: bool,
    /// Walk this run, and split off others from it; what the fault-free run
    /// noted is in the file [`Files::notes`].
    pub walk: Option<Walk>,
}

/// Bits whose fate is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// The arrays as they are at the end of the run.
    pub registry: Layouts,
    /// The bits.
    pub samples: Vec<Sample>,
}

/// What the process found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Cycles of all devices of the process.
    pub cycles: u64,
    /// Digest of the bytes copied to the host.
    pub output_digest: String,
    /// Kernels, over all devices.
    pub kernels: Vec<KernelStats>,
    /// Launches on the first device: kernel, first cycle, one past the last.
    pub launches: Vec<(String, u64, u64)>,
    /// Who was where on the first device.
    pub residency: Residency,
    /// The first device's arrays, when it was left.
    pub registry: Layouts,
    /// How much of its arrays was in use.
    #[serde(default)]
    pub in_use: InUse,
    /// Fates of the samples, in their order.
    pub fates: Vec<Fate>,
    /// What bits belonged to, by the numbers of the looks.
    #[serde(default)]
    pub seen: Vec<(u64, Seen)>,
    /// The functions of the first device.
    #[serde(default)]
    pub functions: Functions,
    /// What happened to the bits that were changed.
    pub story: Option<Story>,
    /// Of a walk: runs that never left it, by their numbers, and how that is known.
    #[serde(default)]
    pub faded: Vec<(u64, String)>,
}

/// Files of a run: the order, and what is left beside it.
#[derive(Clone, Debug)]
pub struct Files {
    order: PathBuf,
}

impl Files {
    /// Those that belong to an order.
    pub fn of(order: &Path) -> Files {
        Files { order: order.to_path_buf() }
    }

    /// The order.
    pub fn order(&self) -> &Path {
        &self.order
    }

    /// The order once a process has taken it.
    pub fn taken(&self) -> PathBuf {
        self.order.with_extension("taken")
    }

    /// The answer.
    pub fn answer(&self) -> PathBuf {
        self.order.with_extension("answer")
    }

    /// Copies to the host: length and bytes of each.
    pub fn outputs(&self) -> PathBuf {
        self.order.with_extension("outputs")
    }

    /// What was noted of the state.
    pub fn notes(&self) -> PathBuf {
        self.order.with_extension("notes")
    }

    /// Writes what was noted of the state.
    pub fn give_notes(&self, notes: &Notes) -> io::Result<()> {
        fs::write(self.notes(), notes.pack())
    }

    /// Reads what was noted of the state; nothing when there is no such file.
    pub fn read_notes(&self) -> io::Result<Notes> {
        let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "no notes of a state");
        match fs::read(self.notes()) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Notes::default()),
            bytes => Notes::unpack(&bytes?).ok_or_else(unreadable),
        }
    }

    /// Gives the order.
    pub fn give(&self, order: &Order) -> io::Result<()> {
        write_json(&self.order, order)
    }

    /// Takes the order; none when another process was first.
    pub fn take(&self) -> io::Result<Option<Order>> {
        match fs::rename(&self.order, self.taken()) {
            Ok(()) => read_json(&self.taken()).map(Some),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Whether a process took the order.
    pub fn was_taken(&self) -> bool {
        self.taken().exists()
    }

    /// Leaves the answer.
    pub fn give_answer(&self, answer: &Answer) -> io::Result<()> {
        write_json(&self.answer(), answer)
    }

    /// Reads the answer; none when the process did not come to an orderly end.
    pub fn read_answer(&self) -> io::Result<Option<Answer>> {
        match read_json(&self.answer()) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            other => other.map(Some),
        }
    }

    /// Reads the copies that were written, complete ones only.
    pub fn read_outputs(&self) -> io::Result<Vec<Vec<u8>>> {
        let bytes = match fs::read(self.outputs()) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            other => other?,
        };
        let mut rest = bytes.as_slice();
        let mut copies = Vec::new();
        while let Some((len, after)) = rest.split_first_chunk::<8>() {
            let len = u64::from_le_bytes(*len) as usize;
            let Some((copy, after)) = after.split_at_checked(len) else { break };
            copies.push(copy.to_vec());
            rest = after;
        }
        Ok(copies)
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    serde_json::to_writer(&mut out, value)?;
    out.flush()
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> io::Result<T> {
    Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_process_takes_an_order() {
        let dir = tempfile::tempdir().unwrap();
        let files = Files::of(&dir.path().join("order"));
        let order = Order { limit: Some(7), ..Order::default() };
        files.give(&order).unwrap();
        assert!(!files.was_taken());
        assert_eq!(files.take().unwrap(), Some(order));
        assert!(files.was_taken());
        assert_eq!(files.take().unwrap(), None);
        assert_eq!(files.read_answer().unwrap(), None);
    }

    #[test]
    fn copies_are_read_as_far_as_they_are_complete() {
        let dir = tempfile::tempdir().unwrap();
        let files = Files::of(&dir.path().join("order"));
        assert!(files.read_outputs().unwrap().is_empty());
        let mut bytes = 2u64.to_le_bytes().to_vec();
        bytes.extend(b"ab");
        bytes.extend(0u64.to_le_bytes());
        bytes.extend(5u64.to_le_bytes());
        bytes.extend(b"cut");
        fs::write(files.outputs(), bytes).unwrap();
        assert_eq!(files.read_outputs().unwrap(), [b"ab".to_vec(), vec![]]);
    }
}
