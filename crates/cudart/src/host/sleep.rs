//! Sleeping: the held clock moves on by what was asked for, and the process
//! waits a moment at most.

use std::ffi::{c_int, c_uint};

use libc::{clockid_t, timespec, useconds_t};

use super::clock;
use super::holding::{Holding, host};
use super::system::{self, NS, Real, nanoseconds, really_sleep};

/// What the process really waits, at most: enough for others to get on that it
/// may be waiting for.
const MOMENT: u64 = 1_000_000;

type Sleep = unsafe extern "C" fn(*const timespec, *mut timespec) -> c_int;
type SleepOf = unsafe extern "C" fn(clockid_t, c_int, *const timespec, *mut timespec) -> c_int;

static REAL_NANOSLEEP: Real = Real::new(c"nanosleep");
static REAL_CLOCK_NANOSLEEP: Real = Real::new(c"clock_nanosleep");
static REAL_THRD_SLEEP: Real = Real::new(c"thrd_sleep");
static REAL_SLEEP: Real = Real::new(c"sleep");
static REAL_USLEEP: Real = Real::new(c"usleep");

/// Threads wait for each other by sleeping: then it is real.
fn pause(time: u64) {
    really_sleep(match is_alone() {
        true => time.min(MOMENT),
        false => time,
    });
}

/// Whether the process has one thread, as far as the C library tells
/// (`__libc_single_threaded`, since 2.32).
fn is_alone() -> bool {
    static ALONE: Real = Real::new(c"__libc_single_threaded");
    // SAFETY: a variable of the library, one byte, never zero bytes long.
    unsafe { ALONE.get::<*const u8>().is_none_or(|alone| alone.read_volatile() != 0) }
}

/// Sleeps; nothing when the time makes no sense.
fn sleep_for(held: Holding, time: *const timespec, rest: *mut timespec) -> Option<()> {
    // SAFETY: the caller's structure, or none.
    let time = unsafe { time.as_ref() }.and_then(nanoseconds)?;
    held.used();
    clock::wait(time);
    pause(time);
    if !rest.is_null() {
        // SAFETY: the caller's structure. Nothing is left.
        unsafe { *rest = system::timespec(0) };
    }
    Some(())
}

fn errno(code: c_int) -> c_int {
    system::set_errno(code);
    -1
}

host! {
    /// Sleeps.
    fn nanosleep as "nanosleep" |held| (time: *const timespec, rest: *mut timespec) -> c_int {
        match held {
            Some(held) => sleep_for(held, time, rest).map_or_else(|| errno(libc::EINVAL), |()| 0),
            // SAFETY: the library's own, as it declares it, with the call as it came.
            None => unsafe { REAL_NANOSLEEP.get::<Sleep>().map_or(-1, |f| f(time, rest)) },
        }
    }

    /// C11's.
    fn thrd_sleep as "thrd_sleep" |held| (time: *const timespec, rest: *mut timespec) -> c_int {
        match held {
            Some(held) => sleep_for(held, time, rest).map_or(-2, |()| 0),
            // SAFETY: the library's own, as it declares it, with the call as it came.
            None => unsafe { REAL_THRD_SLEEP.get::<Sleep>().map_or(-1, |f| f(time, rest)) },
        }
    }

    /// Sleeps for a time or until a moment of a clock.
    fn clock_nanosleep as "clock_nanosleep" |held| (
        id: clockid_t, flags: c_int, time: *const timespec, rest: *mut timespec,
    ) -> c_int {
        let Some(held) = held else {
            let real = &REAL_CLOCK_NANOSLEEP;
            // SAFETY: the library's own, as it declares it, with the call as it came.
            return unsafe { real.get::<SleepOf>().map_or(libc::ENOSYS, |f| f(id, flags, time, rest)) };
        };
        if flags & libc::TIMER_ABSTIME == 0 {
            return sleep_for(held, time, rest).map_or(libc::EINVAL, |()| 0);
        }
        // SAFETY: the caller's structure, or none.
        let Some(moment) = unsafe { time.as_ref() }.and_then(nanoseconds) else {
            return libc::EINVAL;
        };
        let which = held.used();
        let Some(now) = which.clock(id) else { return libc::EINVAL };
        which.wait_until(id, moment);
        pause(moment.saturating_sub(now));
        0
    }

    /// Sleeps for microseconds.
    fn usleep as "usleep" |held| (time: useconds_t) -> c_int {
        let Some(held) = held else {
            type Usleep = unsafe extern "C" fn(useconds_t) -> c_int;
            // SAFETY: the library's own, as it declares it.
            return unsafe { REAL_USLEEP.get::<Usleep>().map_or(-1, |f| f(time)) };
        };
        held.used();
        clock::wait(u64::from(time) * 1000);
        pause(u64::from(time) * 1000);
        0
    }

    /// Sleeps for seconds.
    fn sleep as "sleep" |held| (time: c_uint) -> c_uint {
        let Some(held) = held else {
            type Seconds = unsafe extern "C" fn(c_uint) -> c_uint;
            // SAFETY: the library's own, as it declares it.
            return unsafe { REAL_SLEEP.get::<Seconds>().map_or(time, |f| f(time)) };
        };
        held.used();
        clock::wait(u64::from(time) * NS);
        pause(u64::from(time) * NS);
        0
    }
}
