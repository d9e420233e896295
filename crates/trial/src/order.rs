//! A run in another process: what that process is told, and what it answers.
//!
//! The order is a file. The first process of a program that makes a device
//! takes it (the file is renamed, so that only one can), does as it says, and
//! leaves its answer beside it when it ends in an orderly way. What must be
//! known however the process ends (bytes copied to the host) is written as it
//! happens.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use serde::{Deserialize, Serialize};
use upset_device::{Device, Functions, InUse, KernelStats, LaunchSpan, Look, Seen, SharedLooker};
use upset_fault::Residency;
use upset_state::{Change, Registry, Watch};

use crate::notes::{Notes, Recorder, locked};
use crate::place::{Place, SharedPlace};
use crate::residency::{self, Places};
use crate::walk::{Course, Errand, Walk};
use crate::{Fate, Follow, Layouts, Lifetimes, Sample, Story, follow, lifetimes};

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

/// What bits belonged to, by the numbers of the looks.
pub type SharedSeen = Arc<Mutex<BTreeMap<u64, Seen>>>;

/// Keeps what is seen.
pub fn looker(seen: &SharedSeen) -> SharedLooker {
    let seen = Arc::clone(seen);
    let keep = move |id, what| {
        locked(&seen).insert(id, what);
    };
    Arc::new(Mutex::new(keep))
}

/// An order being carried out.
pub struct Underway {
    place: SharedPlace,
    order: Order,
    /// Copies written so far.
    written: usize,
    /// Cycles of devices before this one.
    before: u64,
    seen: Option<Arc<Mutex<Lifetimes>>>,
    looked: SharedSeen,
    /// What was noted of the first device.
    noted: Option<Arc<Mutex<Notes>>>,
    course: Option<Course>,
    followed: Option<(Arc<Mutex<Follow>>, Registry)>,
    answer: Answer,
    /// The first device was left.
    left: bool,
}

impl Underway {
    /// Takes the order at a path; none when another process was first.
    pub fn take(order: &Path) -> io::Result<Option<Underway>> {
        let files = Files::of(order);
        let Some(order) = files.take()? else { return Ok(None) };
        Ok(Some(Underway {
            place: Arc::new(Mutex::new(Place::new(files, order.outputs)?)),
            order,
            written: 0,
            before: 0,
            seen: None,
            looked: Arc::default(),
            noted: None,
            course: None,
            followed: None,
            answer: Answer::default(),
            left: false,
        }))
    }

    /// Prepares a device. Bits are broken in the first one only; the limit is
    /// for all of them together.
    pub fn arm(&mut self, device: &mut Device) {
        if let Some(limit) = self.order.limit {
            device.limit_cycles(limit.saturating_sub(self.before));
        }
        if self.order.outputs {
            device.keep_outputs();
        }
        if self.left {
            return;
        }
        if self.order.walk.as_ref().is_some_and(|w| w.holds) {
            device.watch(Watch::default());
        }
        if self.order.profile {
            device.start_trace();
        }
        if self.order.notes {
            let (recorder, noted) = Recorder::new();
            device.on_check(Box::new(recorder));
            self.noted = Some(noted);
        }
        if let Some(wanted) = self.order.lifetimes.take() {
            let registry = Registry::from(wanted.registry);
            let (watch, seen) = lifetimes::watch(Lifetimes::new(&registry, wanted.samples));
            device.watch(watch);
            self.seen = Some(seen);
        }
        let looks = std::mem::take(&mut self.order.looks);
        if !looks.is_empty() {
            device.look(looks, looker(&self.looked));
        }
        if let Some(registry) = self.order.story.take() {
            let registry = Registry::from(registry);
            let (watch, followed) = follow::watch(Follow::new(&registry, &self.order.changes));
            device.watch(watch);
            device.record_hits();
            self.followed = Some((followed, registry));
        }
        for (cycle, change) in self.order.changes.drain(..) {
            device.plan(cycle, change);
        }
    }

    /// How this run is to be walked; none after the first device.
    pub fn walk(&mut self) -> Option<Walk> {
        self.order.walk.take()
    }

    /// What a walk is to do.
    pub fn errand(&self, walk: &mut Walk) -> io::Result<Errand> {
        Ok(Errand {
            jobs: std::mem::take(&mut walk.jobs),
            notes: self.place().files().read_notes()?,
            reference: walk.reference.clone(),
            limit: self.order.limit.unwrap_or(u64::MAX),
        })
    }

    /// Where what this run finds goes.
    pub fn shared_place(&self) -> SharedPlace {
        Arc::clone(&self.place)
    }

    /// Where what bits belonged to is kept.
    pub fn shared_seen(&self) -> SharedSeen {
        Arc::clone(&self.looked)
    }

    /// The walk has begun.
    pub fn set_out(&mut self, course: Course) {
        self.course = Some(course);
    }

    /// The host was told a time that depends on the cycles of kernels.
    pub fn told_time(&self) {
        if let Some(noted) = &self.noted {
            locked(noted).sees_time = true;
        }
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        locked(&self.place)
    }

    /// The last cycle of this device.
    pub fn last_cycle(&self) -> u64 {
        self.order.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.before))
    }

    /// Cycles of the run so far.
    pub fn cycles(&self, device: &Device) -> u64 {
        self.before + device.cycles().unwrap_or(0)
    }

    /// Writes what was copied to the host since the last time.
    pub fn copied(&mut self, device: &Device) -> io::Result<()> {
        let kept = device.outputs().kept();
        for copy in kept.get(self.written..).unwrap_or_default() {
            self.place().copied(copy)?;
        }
        self.written = kept.len();
        Ok(())
    }

    /// A device is left, and maybe another one comes.
    pub fn leave(&mut self, device: &mut Device) {
        self.look(device);
        self.left = true;
        self.before += device.cycles().unwrap_or(0);
    }

    /// A launch ended in a trap: programs often end in disorder then, so that
    /// what there is to tell is told now.
    pub fn trapped(&mut self, device: &mut Device) -> io::Result<()> {
        if self.followed.is_none() {
            return Ok(());
        }
        self.look(device);
        write_json(&self.place().files().answer(), &self.answer)
    }

    /// What is known by now.
    fn look(&mut self, device: &mut Device) {
        self.answer.cycles = self.cycles(device);
        self.answer.output_digest = device.outputs().digest();
        self.answer.kernels = device.stats().kernels.clone();
        if self.left {
            return;
        }
        if let Some((followed, registry)) = &self.followed {
            let followed = locked(followed);
            self.answer.story = Some(Story::of(device, &followed, registry));
        }
        if let Some(course) = &self.course {
            self.answer.faded = course.faded(device);
        }
        self.answer.seen = locked(&self.looked).iter().map(|(id, s)| (*id, s.clone())).collect();
        if !self.order.profile {
            return;
        }
        let span = |l: &LaunchSpan| (l.kernel.clone(), l.start, l.end);
        self.answer.launches = device.launches().iter().map(span).collect();
        let sm = &device.chip().sm;
        let places = Places { subcores: sm.subcores, warps: sm.warps };
        self.answer.residency =
            device.trace().map(|t| residency::of(t, places)).unwrap_or_default();
        if let Some(machine) = device.machine_mut() {
            self.answer.registry = Layouts::from(&Registry::of(machine));
        }
        self.answer.functions = device.functions();
        self.answer.in_use = device.in_use();
        if let Some(seen) = &self.seen {
            self.answer.fates = locked(seen).fates();
        }
    }

    /// The orderly end of the process; without a device when the last one was
    /// left already.
    pub fn end(&mut self, device: Option<&mut Device>) -> io::Result<()> {
        if let Some(device) = device {
            self.copied(device)?;
            self.look(device);
        }
        if let Some(noted) = &self.noted {
            self.place().files().give_notes(&locked(noted))?;
        }
        write_json(&self.place().files().answer(), &self.answer)
    }
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
