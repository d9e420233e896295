//! What a program sees of a function that is held, and how one is defined.

use std::ffi::CStr;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use upset_agent::config;

use super::{ours, system};
use crate::release::Release;

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
                let $held = $crate::host::holding::Holding::now($symbol, &TOLD);
                $body
            }
        )*
    };
}
pub(crate) use host;

/// What a program sees.
#[derive(Clone, Copy, Debug)]
pub struct Holding {
    pub(super) which: Which,
    name: &'static str,
    told: &'static AtomicBool,
}

/// Which clock and which bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Those of every run.
    Usual,
    /// Others: what a program does with them shows whether it depends on them.
    Other,
}

impl Holding {
    /// What the program is to see of a function; none where that is the real thing.
    pub(super) fn now(name: &'static str, told: &'static AtomicBool) -> Option<Holding> {
        which().map(|which| Holding { which, name, told })
    }

    /// Tells, once, that the program has used this function.
    pub(super) fn used(self) -> Which {
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

pub(super) fn which() -> Option<Which> {
    if ours::is_entered() {
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

/// Tells the `upset` that launched the program what it used, as
/// [`upset_agent::report::Record::Held`]; written out by hand, since allocators call
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
