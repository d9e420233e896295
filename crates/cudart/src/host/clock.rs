//! Clocks. All of them move on together: a little at each look, and by what the
//! program sleeps. Nothing else moves them, neither real time nor simulated
//! cycles, so that a run whose kernels take longer sees the same times.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::{clock_t, clockid_t, rusage, time_t, timespec, timeval, tms};

use super::holding::{Holding, Which, host};
use super::system::{self, NS, Real};

/// What all runs begin at: 1 January 2025, 0:00 UTC.
const DATE: u64 = 1_735_689_600 * NS;
/// How long the machine seems to have been running then.
const UPTIME: u64 = 100_000 * NS;
/// How far the clock moves at a look: about what a look takes.
const STEP: u64 = 1_000;
/// Differences of the other clock: in the date, in what has passed, and in the
/// speed, so that a program that looks at any of them sees another value.
const OTHER_DATE: u64 = 401 * 86_400 * NS + 45_678 * NS + 123_456_000;
const OTHER_PASSED: u64 = 31 * NS + 415_926_000;
const OTHER_STEP: u64 = 1_370;

/// Ticks of `times` in a second (`sysconf(_SC_CLK_TCK)`).
const TICK: u64 = NS / 100;

/// What has passed since the process began, in nanoseconds.
static PASSED: AtomicU64 = AtomicU64::new(0);

impl Which {
    /// Looks at the clock: what has passed.
    pub(super) fn passed(self) -> u64 {
        let (step, more) = match self {
            Which::Usual => (STEP, 0),
            Which::Other => (OTHER_STEP, OTHER_PASSED),
        };
        PASSED.fetch_add(step, Ordering::Relaxed) + step + more
    }

    /// Looks at one of the system's clocks; nothing for those of others.
    pub(super) fn clock(self, id: clockid_t) -> Option<u64> {
        Some(self.base(id)? + self.passed())
    }

    /// What a clock began at.
    fn base(self, id: clockid_t) -> Option<u64> {
        match id {
            libc::CLOCK_REALTIME
            | libc::CLOCK_REALTIME_COARSE
            | libc::CLOCK_REALTIME_ALARM
            | libc::CLOCK_TAI => Some(match self {
                Which::Usual => DATE,
                Which::Other => DATE + OTHER_DATE,
            }),
            libc::CLOCK_MONOTONIC
            | libc::CLOCK_MONOTONIC_RAW
            | libc::CLOCK_MONOTONIC_COARSE
            | libc::CLOCK_BOOTTIME
            | libc::CLOCK_BOOTTIME_ALARM => Some(UPTIME),
            libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => Some(0),
            _ => None,
        }
    }

    /// The clock that a moment is of, for those who do not say.
    pub(super) fn clock_of(moment: u64) -> clockid_t {
        match moment >= DATE / 2 {
            true => libc::CLOCK_REALTIME,
            false => libc::CLOCK_MONOTONIC,
        }
    }

    /// The program waits until a moment of a clock.
    pub(super) fn wait_until(self, id: clockid_t, moment: u64) {
        if let Some(now) = self.clock(id) {
            wait(moment.saturating_sub(now));
        }
    }
}

/// The program waits so many nanoseconds.
pub(super) fn wait(time: u64) {
    // Not beyond what the types of the C library hold.
    const MOST: u64 = 1 << 60;
    let _ = PASSED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |passed| {
        Some(passed.saturating_add(time).min(MOST))
    });
}

fn microseconds(time: u64) -> timeval {
    timeval { tv_sec: (time / NS) as time_t, tv_usec: (time % NS / 1000) as libc::suseconds_t }
}

static REAL_CLOCK: Real = Real::new(c"clock");
static REAL_GETRUSAGE: Real = Real::new(c"getrusage");
static REAL_TIMES: Real = Real::new(c"times");

/// The date; the real one outside a held run.
fn date(held: Option<Holding>) -> u64 {
    let id = libc::CLOCK_REALTIME;
    let held = held.and_then(|h| h.used().clock(id));
    held.or_else(|| system::real_clock(id)).unwrap_or(0)
}

host! {
    /// Seconds since 1970.
    fn time as "time" |held| (out: *mut time_t) -> time_t {
        let now = (date(held) / NS) as time_t;
        if !out.is_null() {
            // SAFETY: the caller's variable.
            unsafe { *out = now };
        }
        now
    }

    /// The same in microseconds. Zones are no longer told this way.
    fn gettimeofday as "gettimeofday" |held| (out: *mut timeval, _zone: *mut libc::c_void) -> c_int {
        if !out.is_null() {
            // SAFETY: the caller's structure.
            unsafe { *out = microseconds(date(held)) };
        }
        0
    }

    /// One of many clocks.
    fn clock_gettime as "clock_gettime" |held| (id: clockid_t, out: *mut timespec) -> c_int {
        let known = held.filter(|h| h.which.base(id).is_some());
        match known.and_then(|h| h.used().clock(id)) {
            Some(now) => {
                if out.is_null() {
                    system::set_errno(libc::EFAULT);
                    return -1;
                }
                // SAFETY: the caller's structure.
                unsafe { *out = system::timespec(now) };
                0
            }
            // SAFETY: the call as it came, to the system.
            None => unsafe { libc::syscall(libc::SYS_clock_gettime, id, out) as c_int },
        }
    }

    /// C11's.
    fn timespec_get as "timespec_get" |held| (out: *mut timespec, base: c_int) -> c_int {
        const TIME_UTC: c_int = 1;
        if base != TIME_UTC || out.is_null() {
            return 0;
        }
        // SAFETY: the caller's structure.
        unsafe { *out = system::timespec(date(held)) };
        base
    }

    /// Processor time in microseconds.
    fn clock as "clock" |held| () -> clock_t {
        match held {
            Some(held) => (held.used().passed() / 1000) as clock_t,
            // SAFETY: the library's own, as it declares it.
            None => unsafe { REAL_CLOCK.get::<unsafe extern "C" fn() -> clock_t>() }
                // SAFETY: it takes nothing.
                .map_or(-1, |f| unsafe { f() }),
        }
    }

    /// Processor time and the clock, in ticks.
    fn times as "times" |held| (out: *mut tms) -> clock_t {
        type Times = unsafe extern "C" fn(*mut tms) -> clock_t;
        let Some(held) = held else {
            // SAFETY: the library's own, as it declares it, with the call as it came.
            return unsafe { REAL_TIMES.get::<Times>().map_or(-1, |f| f(out)) };
        };
        let passed = held.used().passed();
        if !out.is_null() {
            let user = (passed / TICK) as clock_t;
            // SAFETY: the caller's structure.
            unsafe { *out = tms { tms_utime: user, tms_stime: 0, tms_cutime: 0, tms_cstime: 0 } };
        }
        ((UPTIME + passed) / TICK) as clock_t
    }

    /// What the process has used: its times are held, the rest is real.
    fn getrusage as "getrusage" |held| (who: c_int, out: *mut rusage) -> c_int {
        type Usage = unsafe extern "C" fn(c_int, *mut rusage) -> c_int;
        // SAFETY: the library's own, as it declares it, with the call as it came.
        let done = unsafe { REAL_GETRUSAGE.get::<Usage>().map_or(-1, |f| f(who, out)) };
        if let Some(held) = held && done == 0 {
            let used = held.used().passed();
            // SAFETY: the caller's structure, which was filled just now.
            unsafe {
                (*out).ru_utime = microseconds(used);
                (*out).ru_stime = microseconds(0);
            }
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_look_and_every_sleep_moves_the_clocks_on() {
        let of = |which: Which, id| which.clock(id).expect("a clock of ours");
        let first = of(Which::Usual, libc::CLOCK_REALTIME);
        let second = of(Which::Usual, libc::CLOCK_REALTIME);
        assert!(first > DATE && first / NS == DATE / NS);
        assert!(second > first);
        wait(3 * NS);
        assert!(of(Which::Usual, libc::CLOCK_MONOTONIC) > UPTIME + 3 * NS);
        assert_eq!(Which::Usual.clock(1234), None);
    }

    #[test]
    fn the_other_clock_differs_in_every_way() {
        for id in [libc::CLOCK_REALTIME, libc::CLOCK_MONOTONIC, libc::CLOCK_PROCESS_CPUTIME_ID] {
            let (a, b) = (Which::Usual.clock(id), Which::Other.clock(id));
            assert!(b.expect("held") - a.expect("held") > 30 * NS, "{id}");
        }
        let passed = |which: Which| {
            let before = which.passed();
            which.passed() - before
        };
        assert_ne!(passed(Which::Usual), passed(Which::Other));
    }

    #[test]
    fn a_moment_tells_its_clock() {
        let of = |id| Which::clock_of(Which::Other.clock(id).expect("held"));
        assert_eq!(of(libc::CLOCK_REALTIME), libc::CLOCK_REALTIME);
        assert_eq!(of(libc::CLOCK_MONOTONIC), libc::CLOCK_MONOTONIC);
    }
}
