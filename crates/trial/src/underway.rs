//! An order that is being carried out, in the process that took it.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use upset_device::{Device, LaunchSpan, Seen, SharedLooker};
use upset_state::{Registry, Watch};

use crate::notes::{Notes, Recorder, locked};
use crate::order::{Answer, Files, Order};
use crate::residency::{self, Places};
use crate::run_files::{RunFiles, SharedRunFiles};
use crate::walk::{Course, Errand, Walk};
use crate::{Follow, Layouts, Lifetimes, Story, follow, lifetimes};

/// What bits belonged to, by the numbers of the looks.
pub type SharedSeen = Arc<Mutex<BTreeMap<u64, Seen>>>;

/// Keeps what is seen.
pub fn looker(seen: &SharedSeen) -> SharedLooker {
    let seen = Arc::clone(seen);
    let keep = move |id, what| {
        locked(&seen).insert(id, what);
        ControlFlow::Continue(())
    };
    Arc::new(Mutex::new(keep))
}

/// An order being carried out.
pub struct Underway {
    place: SharedRunFiles,
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
            place: Arc::new(Mutex::new(RunFiles::new(files, order.outputs)?)),
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
    pub fn shared_place(&self) -> SharedRunFiles {
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

    fn place(&self) -> MutexGuard<'_, RunFiles> {
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
        self.place().files().give_answer(&self.answer)
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
        let chip = device.chip();
        let places = Places::of(chip);
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
        self.place().files().give_answer(&self.answer)
    }
}
