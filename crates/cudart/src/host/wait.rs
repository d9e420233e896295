//! Waiting for another thread until a moment: the moment is one of the held
//! clock, and the system waits by its own. What is left is the same for both.

use std::ffi::{c_int, c_void};

use libc::{clockid_t, timespec};

use super::holding::{Holding, Which, host};
use super::system::{self, Real, nanoseconds};

/// The moment of the real clock that is as far away as this one of the held
/// clock.
fn real_moment(which: Which, id: clockid_t, moment: u64) -> Option<timespec> {
    let left = moment.saturating_sub(which.clock(id)?);
    Some(system::timespec(system::real_clock(id)?.saturating_add(left)))
}

/// Waits: `call` gets the moment of the real clock.
fn wait(
    held: Option<Holding>,
    id: Option<clockid_t>,
    until: *const timespec,
    call: impl FnOnce(*const timespec) -> c_int,
    timed_out: impl FnOnce(c_int) -> bool,
) -> c_int {
    // SAFETY: the caller's structure, or none.
    let moment = unsafe { until.as_ref() }.and_then(nanoseconds);
    let (Some(held), Some(moment)) = (held, moment) else { return call(until) };
    let id = id.unwrap_or_else(|| Which::clock_of(moment));
    let Some(real) = real_moment(held.used(), id, moment) else { return call(until) };
    let done = call(&real);
    // Who waited in vain finds the moment past.
    if timed_out(done) {
        held.which.wait_until(id, moment);
    }
    done
}

/// Functions that give the error back.
fn is_late(done: c_int) -> bool {
    done == libc::ETIMEDOUT
}

/// Functions that put it into `errno`.
fn is_late_by_errno(done: c_int) -> bool {
    // SAFETY: the thread's own variable.
    done == -1 && unsafe { *libc::__errno_location() } == libc::ETIMEDOUT
}

type Until = unsafe extern "C" fn(*mut c_void, *const timespec) -> c_int;
type UntilOf = unsafe extern "C" fn(*mut c_void, clockid_t, *const timespec) -> c_int;
type Both = unsafe extern "C" fn(*mut c_void, *mut c_void, *const timespec) -> c_int;
type BothOf = unsafe extern "C" fn(*mut c_void, *mut c_void, clockid_t, *const timespec) -> c_int;

static COND: Real = Real::new(c"pthread_cond_timedwait");
static COND_OF: Real = Real::new(c"pthread_cond_clockwait");
static MUTEX: Real = Real::new(c"pthread_mutex_timedlock");
static MUTEX_OF: Real = Real::new(c"pthread_mutex_clocklock");
static SEMAPHORE: Real = Real::new(c"sem_timedwait");
static SEMAPHORE_OF: Real = Real::new(c"sem_clockwait");

/// What a function that is not there answers.
const ABSENT: c_int = libc::ENOSYS;

host! {
    /// Waits for a condition.
    fn pthread_cond_timedwait as "pthread_cond_timedwait" |held| (
        cond: *mut c_void, mutex: *mut c_void, until: *const timespec,
    ) -> c_int {
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let call = |until| unsafe { COND.get::<Both>().map_or(ABSENT, |f| f(cond, mutex, until)) };
        wait(held, None, until, call, is_late)
    }

    /// Waits for a condition, by a clock.
    fn pthread_cond_clockwait as "pthread_cond_clockwait" |held| (
        cond: *mut c_void, mutex: *mut c_void, id: clockid_t, until: *const timespec,
    ) -> c_int {
        let real = &COND_OF;
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let call = |until| unsafe {
            real.get::<BothOf>().map_or(ABSENT, |f| f(cond, mutex, id, until))
        };
        wait(held, Some(id), until, call, is_late)
    }

    /// Waits for a lock.
    fn pthread_mutex_timedlock as "pthread_mutex_timedlock" |held| (
        mutex: *mut c_void, until: *const timespec,
    ) -> c_int {
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let call = |until| unsafe { MUTEX.get::<Until>().map_or(ABSENT, |f| f(mutex, until)) };
        wait(held, Some(libc::CLOCK_REALTIME), until, call, is_late)
    }

    /// Waits for a lock, by a clock.
    fn pthread_mutex_clocklock as "pthread_mutex_clocklock" |held| (
        mutex: *mut c_void, id: clockid_t, until: *const timespec,
    ) -> c_int {
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let call = |until| unsafe { MUTEX_OF.get::<UntilOf>().map_or(ABSENT, |f| f(mutex, id, until)) };
        wait(held, Some(id), until, call, is_late)
    }

    /// Waits for a semaphore.
    fn sem_timedwait as "sem_timedwait" |held| (
        semaphore: *mut c_void, until: *const timespec,
    ) -> c_int {
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let call = |until| unsafe { SEMAPHORE.get::<Until>().map_or(-1, |f| f(semaphore, until)) };
        wait(held, Some(libc::CLOCK_REALTIME), until, call, is_late_by_errno)
    }

    /// Waits for a semaphore, by a clock.
    fn sem_clockwait as "sem_clockwait" |held| (
        semaphore: *mut c_void, id: clockid_t, until: *const timespec,
    ) -> c_int {
        let real = &SEMAPHORE_OF;
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let call = |until| unsafe { real.get::<UntilOf>().map_or(-1, |f| f(semaphore, id, until)) };
        wait(held, Some(id), until, call, is_late_by_errno)
    }
}
