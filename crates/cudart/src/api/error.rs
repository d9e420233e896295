//! Errors.

use std::ffi::{CStr, c_char};

use super::call::{self, api};
use crate::error::SUCCESS;

/// Name of an error code.
pub fn error_name(code: i32) -> &'static str {
    find(code).map_or("unrecognized error code", |(name, _)| name.to_str().unwrap_or_default())
}

fn find(code: i32) -> Option<(&'static CStr, &'static CStr)> {
    TABLE.iter().find(|(c, _, _)| *c == code).map(|&(_, name, text)| (name, text))
}

/// Code, name and description of each error.
const TABLE: &[(i32, &CStr, &CStr)] = &[(SUCCESS, c"cudaSuccess", c"no error")];

api! {
    raw fn cudaGetLastError() -> i32 {
        let last = call::last_error();
        call::forget_error();
        last
    }

    raw fn cudaPeekAtLastError() -> i32 {
        call::last_error()
    }

    raw fn cudaGetErrorName(code: i32) -> *const c_char {
        find(code).map_or(c"unrecognized error code", |(name, _)| name).as_ptr()
    }

    raw fn cudaGetErrorString(code: i32) -> *const c_char {
        find(code).map_or(c"unrecognized error code", |(_, text)| text).as_ptr()
    }
}
