//! Waiting for files, with a time limit: the system waits as long as it is told
//! to, and who waited in vain finds that time gone by on the held clock.

use std::ffi::{c_int, c_void};

use libc::{epoll_event, fd_set, nfds_t, pollfd, sigset_t, timespec, timeval};

use super::clock;
use super::holding::{Holding, host};
use super::system::{NS, Real, nanoseconds};

type Poll = unsafe extern "C" fn(*mut pollfd, nfds_t, c_int) -> c_int;
type Ppoll = unsafe extern "C" fn(*mut pollfd, nfds_t, *const timespec, *const sigset_t) -> c_int;
type Select =
    unsafe extern "C" fn(c_int, *mut fd_set, *mut fd_set, *mut fd_set, *mut c_void) -> c_int;
type Pselect = unsafe extern "C" fn(
    c_int,
    *mut fd_set,
    *mut fd_set,
    *mut fd_set,
    *const timespec,
    *const sigset_t,
) -> c_int;
type Epoll = unsafe extern "C" fn(c_int, *mut epoll_event, c_int, c_int) -> c_int;

static POLL: Real = Real::new(c"poll");
static PPOLL: Real = Real::new(c"ppoll");
static SELECT: Real = Real::new(c"select");
static PSELECT: Real = Real::new(c"pselect");
static EPOLL: Real = Real::new(c"epoll_wait");

/// The end of a wait: nothing came within the time. That is no look at the
/// clock, so nothing is told.
fn waited(held: Option<Holding>, done: c_int, time: Option<u64>) -> c_int {
    if let (Some(_), 0, Some(time)) = (held, done, time) {
        clock::wait(time);
    }
    done
}

/// Nanoseconds of a number of milliseconds; below zero there is no limit.
fn milliseconds(time: c_int) -> Option<u64> {
    u64::try_from(time).ok().map(|ms| ms * 1_000_000)
}

/// Nanoseconds of a limit, if there is one.
fn limit(time: *const timespec) -> Option<u64> {
    // SAFETY: the caller's structure, or none.
    unsafe { time.as_ref() }.and_then(nanoseconds)
}

host! {
    /// Waits for files.
    fn poll as "poll" |held| (files: *mut pollfd, count: nfds_t, time: c_int) -> c_int {
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let done = unsafe { POLL.get::<Poll>().map_or(-1, |f| f(files, count, time)) };
        waited(held, done, milliseconds(time))
    }

    /// Waits for files.
    fn ppoll as "ppoll" |held| (
        files: *mut pollfd, count: nfds_t, time: *const timespec, signals: *const sigset_t,
    ) -> c_int {
        let real = &PPOLL;
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let done = unsafe { real.get::<Ppoll>().map_or(-1, |f| f(files, count, time, signals)) };
        waited(held, done, limit(time))
    }

    /// Waits for files. The time that is given is what is left afterwards.
    fn select as "select" |held| (
        count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set, time: *mut timeval,
    ) -> c_int {
        // SAFETY: the caller's structure, or none.
        let limit = unsafe { time.as_ref() }.and_then(|t| {
            let (s, us) = (u64::try_from(t.tv_sec).ok()?, u64::try_from(t.tv_usec).ok()?);
            Some(s.saturating_mul(NS).saturating_add(us.saturating_mul(1000)))
        });
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let done = unsafe {
            SELECT.get::<Select>().map_or(-1, |f| f(count, read, write, except, time.cast()))
        };
        waited(held, done, limit)
    }

    /// Waits for files.
    fn pselect as "pselect" |held| (
        count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set,
        time: *const timespec, signals: *const sigset_t,
    ) -> c_int {
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let done = unsafe {
            PSELECT.get::<Pselect>().map_or(-1, |f| f(count, read, write, except, time, signals))
        };
        waited(held, done, limit(time))
    }

    /// Waits for files.
    fn epoll_wait as "epoll_wait" |held| (
        epoll: c_int, events: *mut epoll_event, count: c_int, time: c_int,
    ) -> c_int {
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let done = unsafe { EPOLL.get::<Epoll>().map_or(-1, |f| f(epoll, events, count, time)) };
        waited(held, done, milliseconds(time))
    }
}
