//! The part of the system that would make two runs of a program differ: clocks
//! and random bytes.
//!
//! A small library that is loaded before all others ([`crate::facade::HOST`])
//! has the names below; each jumps to the function of that name here. So a
//! program under `upset` sees a clock that is the same in every run and moves
//! on by its own calls alone, and random bytes that are the same in every run.
//! The first use of each function is told, so that a campaign can say what a
//! program depends on.
//!
//! Nothing here may allocate or lock: programs call these functions from
//! signal handlers and from within their own allocators.

mod clock;
mod files;
mod poll;
mod random;
mod sleep;
mod system;
mod wait;

use std::cell::Cell;
use std::ffi::CStr;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::config;
use crate::facade::Release;
pub use files::bytes as random_bytes;

/// Every function that is held.
pub fn names() -> impl Iterator<Item = &'static str> {
    let all = [clock::NAMES, sleep::NAMES, wait::NAMES, poll::NAMES, random::NAMES, files::NAMES];
    all.into_iter().flatten().copied()
}

/// Defines functions, exported as `upset_<name>`. `held` in a body is what the
/// program is to see, or nothing when it is to see the real thing.
macro_rules! host {
    ($($(#[$m:meta])* fn $name:ident as $symbol:literal |$held:ident| ($($arg:ident: $ty:ty),* $(,)?) $(-> $out:ty)? $body:block)*) => {
        /// The functions of this file.
        pub const NAMES: &[&str] = &[$($symbol),*];
        $(
            $(#[$m])*
            /// # Safety
            /// Called by the program under the rules of the C library.
            #[unsafe(export_name = concat!("upset_", $symbol))]
            pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $out)? {
                static TOLD: std::sync::atomic::AtomicBool =
                    std::sync::atomic::AtomicBool::new(false);
                let $held = $crate::host::Holding::now($symbol, &TOLD);
                $body
            }
        )*
    };
}
pub(crate) use host;

/// What a program sees.
#[derive(Clone, Copy, Debug)]
pub struct Holding {
    which: Which,
    name: &'static str,
    told: &'static AtomicBool,
}

/// Which clock and which bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// Those of every run.
    Usual,
    /// Others: what a program does with them shows whether it depends on them.
    Other,
}

impl Holding {
    fn now(name: &'static str, told: &'static AtomicBool) -> Option<Holding> {
        which().map(|which| Holding { which, name, told })
    }

    /// Tells, once, that the program has used this function.
    fn used(self) -> Which {
        if !self.told.swap(true, Ordering::Relaxed) {
            tell(self.name);
        }
        self.which
    }
}

const UNKNOWN: u8 = 0;
const REAL: u8 = 1;
const USUAL: u8 = 2;
const OTHER: u8 = 3;

/// What the environment says, once it was asked.
static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);

fn which() -> Option<Which> {
    if OURS.get() > 0 {
        return None;
    }
    let mode = match MODE.load(Ordering::Relaxed) {
        UNKNOWN => {
            let mode = asked();
            MODE.store(mode, Ordering::Relaxed);
            mode
        }
        known => known,
    };
    match mode {
        USUAL => Some(Which::Usual),
        OTHER => Some(Which::Other),
        _ => None,
    }
}

fn asked() -> u8 {
    match system::variable(config::CLOCK) {
        Some(b"held") => USUAL,
        Some(b"other") => OTHER,
        // In a shell where everything is started: `date` and `make` are none of
        // our business.
        Some(b"cuda") if has_runtime() => USUAL,
        _ => REAL,
    }
}

/// Whether the process has a CUDA runtime, which is ours.
fn has_runtime() -> bool {
    Release::ALL.iter().any(|r| {
        let mut name = [0u8; 32];
        let text = r.soname().as_bytes();
        name[..text.len()].copy_from_slice(text);
        CStr::from_bytes_until_nul(&name).is_ok_and(system::is_loaded)
    })
}

thread_local! {
    /// How deep this thread is in our own code.
    static OURS: Cell<u32> = const { Cell::new(0) };
}

/// As long as it lives, this thread sees the real system: what the library
/// itself asks for must not move the program's clock.
pub struct Ours(());

impl Ours {
    /// From now on.
    pub fn enter() -> Ours {
        OURS.set(OURS.get() + 1);
        Ours(())
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        OURS.set(OURS.get().saturating_sub(1));
    }
}

/// Runs something of the program's from within the library.
pub fn theirs<T>(f: impl FnOnce() -> T) -> T {
    let depth = OURS.replace(0);
    let done = f();
    OURS.set(depth);
    done
}

/// Tells the `upset` that launched the program what it used, as
/// [`crate::report::Record::Held`]; written out by hand, since allocators call
/// these functions too.
fn tell(name: &'static str) {
    let Some(fd) = system::variable(config::REPORT_FD).and_then(number) else { return };
    let mut text = Text { bytes: [0; 160], len: 0 };
    let pid = std::process::id();
    if write!(text, r#"{{"pid":{pid},"record":{{"Held":{{"name":"{name}"}}}}}}"#).is_ok() {
        system::send(fd, &text.bytes[..text.len]);
    }
}

fn number(digits: &[u8]) -> Option<i32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A text on the stack.
struct Text {
    bytes: [u8; 160],
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        let to = self.bytes.get_mut(self.len..self.len + s.len()).ok_or(std::fmt::Error)?;
        to.copy_from_slice(s.as_bytes());
        self.len += s.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_is_there_twice_and_none_is_the_runtimes() {
        let all: Vec<&str> = names().collect();
        let set: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(set.len(), all.len());
        assert!(crate::api::names().all(|n| !set.contains(n)));
    }

    #[test]
    fn our_own_code_sees_the_real_system_and_callbacks_do_not() {
        assert_eq!(OURS.get(), 0);
        let outer = Ours::enter();
        let inner = Ours::enter();
        assert_eq!(which(), None);
        theirs(|| assert_eq!(OURS.get(), 0));
        drop(inner);
        assert_eq!(OURS.get(), 1);
        drop(outer);
        assert_eq!(OURS.get(), 0);
    }
}
