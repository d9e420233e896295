//! What every call has around it: the fork check, the sticky error, the
//! thread's last error, and a net under our own mistakes.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use upset_agent::report::{self, Record};
use upset_agent::say::say;

use crate::abi::Text;
use crate::error::{Error, Result, SUCCESS};
use crate::error_names::error_name;
use crate::host::Ours;
use crate::unasked;

/// Defines functions of the API. Each is one of
///
/// - `sync`: may wait for the device, so it reports what went wrong before;
/// - `stream`: puts work into a stream; it reports only errors already seen;
/// - `plain`: needs no device and never reports errors of others;
/// - `raw`: returns something other than an error code.
macro_rules! api {
    (@one $(#[$m:meta])* sync fn $name:ident($($arg:ident: $ty:ty),*) |$rt:ident| $body:block) => {
        api!(@fn $(#[$m])* $name($($arg: $ty),*) {
            $crate::runtime::contexts::used_by_runtime();
            $crate::runtime::session::sync(|$rt| $body)
        });
    };
    (@one $(#[$m:meta])* stream fn $name:ident($($arg:ident: $ty:ty),*) |$rt:ident| $body:block) => {
        api!(@fn $(#[$m])* $name($($arg: $ty),*) {
            $crate::runtime::contexts::used_by_runtime();
            $crate::runtime::session::stream(|$rt| $body)
        });
    };
    (@one $(#[$m:meta])* plain fn $name:ident($($arg:ident: $ty:ty),*) $body:block) => {
        api!(@fn $(#[$m])* $name($($arg: $ty),*) $body);
    };
    (@one $(#[$m:meta])* raw fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty $body:block) => {
        $(#[$m])*
        /// # Safety
        /// Called by the application under the rules of the CUDA runtime API.
        #[allow(non_snake_case, clippy::too_many_arguments)]
        #[unsafe(export_name = concat!("upset_", stringify!($name)))]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $out {
            $crate::api::call::net(stringify!($name), || $body)
        }
    };
    (@fn $(#[$m:meta])* $name:ident($($arg:ident: $ty:ty),*) $body:block) => {
        $(#[$m])*
        /// # Safety
        /// Called by the application under the rules of the CUDA runtime API.
        #[allow(non_snake_case, clippy::too_many_arguments)]
        #[unsafe(export_name = concat!("upset_", stringify!($name)))]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> i32 {
            $crate::api::call::returns(stringify!($name), || $body)
        }
    };
    ($($(#[$m:meta])* $kind:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $out:ty)? $(|$rt:ident|)? $body:block)*) => {
        /// The functions of this file.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(api!(@one $(#[$m])* $kind fn $name($($arg: $ty),*) $(-> $out)? $(|$rt|)? $body);)*
    };
}
pub(crate) use api;

thread_local! {
    static LAST: Cell<i32> = const { Cell::new(SUCCESS) };
}

/// The thread's last error.
pub fn last_error() -> i32 {
    LAST.get()
}

/// Forgets the thread's last error.
pub fn forget_error() {
    LAST.set(SUCCESS);
}

/// Notes an error as the thread's last one.
pub fn note_error(e: Error) {
    LAST.set(e.code());
}

/// Runs something that leaves the thread's last error as it was.
pub fn keeping_last_error<T>(f: impl FnOnce() -> T) -> T {
    let last = LAST.get();
    let done = f();
    LAST.set(last);
    done
}

/// Runs a call that returns an error code.
pub fn returns(name: &'static str, f: impl FnOnce() -> Result<()>) -> i32 {
    match net(name, f) {
        Ok(()) => SUCCESS,
        Err(e) => {
            note_error(e);
            unasked::failed(name, e, error_name(e.code()));
            e.code()
        }
    }
}

/// A panic must not unwind into the application, nor look like a CUDA error:
/// it ends the process with the exit code of our own failures.
pub fn net<T>(name: &'static str, f: impl FnOnce() -> T) -> T {
    let _ours = Ours::enter();
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => value,
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("unknown");
            let message = format!("internal failure in {name}: {text}");
            say(&message);
            report::send(Record::Failed { message });
            // SAFETY: ends the process at once; the state is not to be trusted.
            unsafe { libc::_exit(report::OUR_FAILURE) }
        }
    }
}

/// Called by the facades for a function that we lack.
///
/// # Safety
/// `name` is a C string.
#[unsafe(export_name = "upset_missing")]
pub unsafe extern "C" fn missing(name: Text) -> i32 {
    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    net("a missing function", || {
        let name = name.get().unwrap_or_default();
        let mut told = TOLD.lock().unwrap_or_else(|e| e.into_inner());
        if !told.contains(&name) {
            say(&format!("{name} is not supported; it returns cudaErrorNotSupported"));
            report::send(Record::Missing { name: name.clone() });
            told.push(name);
        }
        // Listed as missing already.
        note_error(Error::NOT_SUPPORTED);
        Error::NOT_SUPPORTED.code()
    })
}
