//! The walk: one fault-free run that ghosts follow, and the runs that leave it.
//!
//! [`set_out`] prepares a device so that all jobs are carried out while its host
//! runs once without a fault. Where a ghost must leave, or where a run starts
//! whose bits cannot be followed, the process is split by whoever knows how
//! ([`Splits`]): the child becomes that run, which ends when it has become the
//! fault-free one again, or at its own end. It is the same walk whether the host
//! is in the worker (applications) or in a process of its own (programs).

mod job;
mod walker;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use upset_device::{Device, Look, Pauses, Seen};
use upset_state::ghosts::Fortune;
use upset_state::{Change, Ghosts, Site};

use crate::converge::Convergence;
use crate::notes::{Notes, locked};
use crate::{Outcome, Reference};
pub use job::Job;
pub use walker::{FileId, Walk};

/// Makes runs of their own of the one that walks.
pub trait Splits: Send {
    /// Splits the run of a job off, here and now. True in that run; false in the
    /// one that walks on, also where this one could not be split and the job
    /// is done in another way.
    fn split(&mut self, job: u64) -> bool;

    /// Whether this is a run that was split off.
    fn is_away(&self) -> bool;

    /// This run, which was split off, is the fault-free one from here on: ends
    /// its process.
    fn converged(&mut self, outcome: Outcome);

    /// What the first change of a job hits, in the run that walks.
    fn seen(&mut self, job: u64, seen: Seen);
}

/// What a walk is to do.
#[derive(Debug)]
pub struct Errand {
    /// The runs.
    pub jobs: Vec<Job>,
    /// What the fault-free run noted of its state.
    pub notes: Notes,
    /// What runs are judged by.
    pub reference: Reference,
    /// Last cycle of a run.
    pub limit: u64,
}

/// A job whose run a ghost is: what the ghost does not know of it.
struct Followed {
    id: u64,
    site: Option<Site>,
}

/// A walk that was prepared.
#[derive(Debug)]
pub struct Course {
    /// Jobs whose runs are followed, by the numbers of the ghosts.
    followed: Vec<u64>,
}

/// Prepares a device that has done nothing yet for a walk. In a run that starts
/// in cycle 0 this returns as well, with its changes planned.
pub fn set_out<S: Splits + 'static>(
    device: &mut Device,
    errand: Errand,
    splits: &Arc<Mutex<S>>,
) -> Course {
    let Errand { jobs, notes, reference, limit } = errand;
    let own = Arc::clone(splits);
    let tell = move |outcome: Outcome| locked(&own).converged(outcome);
    let masked = Outcome::masked(&reference);
    let convergence = Convergence::new(notes, masked, limit, Box::new(tell));
    device.on_check(convergence.checks());
    let mut looks: Vec<Look> = jobs.iter().filter_map(Job::look).collect();
    looks.shrink_to_fit();
    let (jobs, mut others): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(Job::can_be_followed);
    let mut ghosts = Ghosts::of(jobs.iter().filter_map(Job::as_ghost).collect());
    ghosts.hide(jobs.iter().map(|job| job.hidden.clone()));
    // Every fork copies the tables of whatever memory there is: of jobs that ghosts know,
    // no more is kept than nobody else has.
    let mut followed = Vec::with_capacity(jobs.len());
    followed.extend(jobs.into_iter().map(|job| Followed { id: job.id, site: job.site() }));
    let course = Course { followed: followed.iter().map(|job| job.id).collect() };
    others.shrink_to_fit();
    for job in &mut others {
        job.changes.shrink_to_fit();
        job.hidden = Vec::new();
    }
    others.sort_by_key(|job| (job.start, job.id));
    let mut others = VecDeque::from(others);
    // What changes in cycle 0 changes before the host's first copies, which
    // have that cycle as well: before the run.
    while let Some(job) = next_if(&mut others, |job| job.start == 0) {
        if locked(splits).split(job.id) {
            for (cycle, change) in &job.changes {
                device.plan(*cycle, *change);
            }
            convergence.leave(job.site());
            others.clear();
            ghosts.clear_all();
        }
    }
    let starts = Starts { jobs: others, splits: Arc::clone(splits), convergence };
    let convergence = starts.convergence.clone();
    device.on_pause(Box::new(starts));
    let own = Arc::clone(splits);
    let see = move |id: u64, seen: Seen| {
        let mut splits = locked(&own);
        // A run that has left tells its outcome only.
        if splits.is_away() {
            return ControlFlow::Break(());
        }
        splits.seen(id, seen);
        ControlFlow::Continue(())
    };
    device.look(looks, Arc::new(Mutex::new(see)));
    let own = Arc::clone(splits);
    let part = move |ghost: u32, _: u64| match followed.get(ghost as usize) {
        Some(job) => {
            let left = locked(&own).split(job.id);
            if left {
                convergence.leave(job.site);
            }
            left
        }
        None => false,
    };
    device.haunt(ghosts, Box::new(part));
    course
}

impl Course {
    /// When the walk is over: jobs whose runs never left the fault-free one, and
    /// how that is known.
    pub fn faded(&self, device: &Device) -> Vec<(u64, String)> {
        let Some(ghosts) = device.ghosts() else { return Vec::new() };
        let numbered = (0u32..).zip(&self.followed);
        let stayed = numbered.filter(|(ghost, _)| ghosts.fortune(*ghost) != Fortune::Left);
        stayed.map(|(ghost, id)| (*id, ghosts.faded(ghost).name().to_string())).collect()
    }
}

/// Starts runs whose bits cannot be followed.
struct Starts<S> {
    /// Soonest first.
    jobs: VecDeque<Job>,
    splits: Arc<Mutex<S>>,
    convergence: Convergence,
}

impl<S: Splits> Pauses for Starts<S> {
    fn next(&self) -> u64 {
        self.jobs.front().map_or(u64::MAX, |j| j.start)
    }

    fn pause(&mut self, cycle: u64) -> Vec<(u64, Change)> {
        // A ghost that left is a run of its own: nothing starts from it.
        if locked(&self.splits).is_away() {
            std::mem::forget(std::mem::take(&mut self.jobs));
        }
        while let Some(job) = next_if(&mut self.jobs, |job| job.start <= cycle) {
            if locked(&self.splits).split(job.id) {
                // Left as they are: giving them back would copy their pages first.
                std::mem::forget(std::mem::take(&mut self.jobs));
                self.convergence.leave(job.site());
                return job.changes;
            }
        }
        Vec::new()
    }
}

/// The first job, if it is so.
fn next_if(jobs: &mut VecDeque<Job>, so: impl Fn(&Job) -> bool) -> Option<Job> {
    jobs.front().is_some_and(so).then(|| jobs.pop_front()).flatten()
}
