//! What every call of the driver API has around it: is the driver initialised,
//! does the thread have a context, and the driver's numbers for errors.

use super::error_names::error_name;
use crate::api::{keeping_last_error, net};
use crate::error::{Error, Result, SUCCESS};
use crate::runtime::Runtime;
use crate::runtime::{contexts, session};
use crate::unasked;

/// Defines functions of the driver API. Each is one of
///
/// - `sync`: may wait for the device, so it reports what went wrong before;
/// - `stream`: puts work into a stream; it reports only errors already seen;
/// - `same`: does what a function of the runtime API does;
/// - `apart`: needs the device, but no context;
/// - `plain`: needs neither.
macro_rules! driver {
    (@one $(#[$m:meta])* sync fn $name:ident($($arg:ident: $ty:ty),*) |$rt:ident| $body:block) => {
        driver!(@fn $(#[$m])* $name($($arg: $ty),*) { $crate::driver::call::sync(|$rt| $body) });
    };
    (@one $(#[$m:meta])* stream fn $name:ident($($arg:ident: $ty:ty),*) |$rt:ident| $body:block) => {
        driver!(@fn $(#[$m])* $name($($arg: $ty),*) { $crate::driver::call::stream(|$rt| $body) });
    };
    (@one $(#[$m:meta])* apart fn $name:ident($($arg:ident: $ty:ty),*) |$rt:ident| $body:block) => {
        driver!(@fn $(#[$m])* $name($($arg: $ty),*) { $crate::driver::call::apart(|$rt| $body) });
    };
    (@one $(#[$m:meta])* plain fn $name:ident($($arg:ident: $ty:ty),*) $body:block) => {
        driver!(@fn $(#[$m])* $name($($arg: $ty),*) $body);
    };
    (@one $(#[$m:meta])* same fn $name:ident($($arg:ident: $ty:ty),*) $body:block) => {
        driver!(@fn $(#[$m])* $name($($arg: $ty),*) {
            // SAFETY: the runtime's function has the same contract for what it is given.
            $crate::driver::call::same(|| unsafe { $body })
        });
    };
    (@fn $(#[$m:meta])* $name:ident($($arg:ident: $ty:ty),*) $body:block) => {
        $(#[$m])*
        /// # Safety
        /// Called by the application under the rules of the CUDA driver API.
        #[allow(non_snake_case, clippy::too_many_arguments)]
        #[unsafe(export_name = concat!("upset_", stringify!($name)))]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> i32 {
            $crate::driver::call::returns(stringify!($name), || $body)
        }
    };
    ($($(#[$m:meta])* $kind:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(|$rt:ident|)? $body:block)*) => {
        /// The functions of this file.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(driver!(@one $(#[$m])* $kind fn $name($($arg: $ty),*) $(|$rt|)? $body);)*
    };
}
pub(crate) use driver;

/// Calls whose errors are answers: whether there is such a function, such a table, and
/// whose a pointer is.
const ANSWERS: [&str; 4] =
    ["cuGetProcAddress", "cuGetExportTable", "cuPointerGetAttribute", "cuPointerGetAttributes"];

/// Runs a call.
pub fn returns(name: &'static str, f: impl FnOnce() -> Result<()>) -> i32 {
    match net(name, f) {
        Ok(()) => SUCCESS,
        Err(e) => {
            let code = number(e);
            if !ANSWERS.contains(&name) {
                let text = error_name(code).and_then(|text| text.to_str().ok());
                unasked::failed(name, Error(code), text.unwrap_or("an error without a name"));
            }
            code
        }
    }
}

/// The driver's number for an error: most are the runtime's.
fn number(e: Error) -> i32 {
    match e {
        Error::INVALID_CONFIGURATION
        | Error::INVALID_PITCH_VALUE
        | Error::INVALID_DEVICE_POINTER
        | Error::INVALID_TEXTURE
        | Error::INVALID_TEXTURE_BINDING
        | Error::INVALID_CHANNEL_DESCRIPTOR
        | Error::INVALID_MEMCPY_DIRECTION
        | Error::INVALID_FILTER_SETTING
        | Error::INVALID_NORM_SETTING
        | Error::INVALID_SURFACE
        | Error::MISSING_CONFIGURATION => Error::INVALID_VALUE.code(),
        Error::INVALID_SYMBOL => Error::SYMBOL_NOT_FOUND.code(),
        Error::INVALID_DEVICE_FUNCTION => Error::INVALID_RESOURCE_HANDLE.code(),
        e => e.code(),
    }
}

/// For calls that may wait for the device.
pub fn sync<T>(f: impl FnOnce(&mut Runtime) -> Result<T>) -> Result<T> {
    contexts::needed()?;
    session::sync(f)
}

/// For calls that put work into a stream.
pub fn stream<T>(f: impl FnOnce(&mut Runtime) -> Result<T>) -> Result<T> {
    contexts::needed()?;
    session::stream(f)
}

/// For calls that need the device, but no context.
pub fn apart<T>(f: impl FnOnce(&mut Runtime) -> Result<T>) -> Result<T> {
    contexts::initialised()?;
    session::sync(f)
}

/// For calls that the runtime API has as well. What it keeps as the thread's last
/// error is not the driver's.
pub fn same(f: impl FnOnce() -> i32) -> Result<()> {
    contexts::needed()?;
    match unasked::within(|| keeping_last_error(f)) {
        SUCCESS => Ok(()),
        code => Err(Error(code)),
    }
}
