//! Errors.

use std::ffi::c_char;

use super::call::{self, api};
use crate::error_names::find;
use crate::unasked;

api! {
    raw fn cudaGetLastError() -> i32 {
        let last = call::last_error();
        call::forget_error();
        unasked::asked(last);
        last
    }

    raw fn cudaPeekAtLastError() -> i32 {
        let last = call::last_error();
        unasked::asked(last);
        last
    }

    raw fn cudaGetErrorName(code: i32) -> *const c_char {
        unasked::asked(code);
        find(code).map_or(c"unrecognized error code", |(name, _)| name).as_ptr()
    }

    raw fn cudaGetErrorString(code: i32) -> *const c_char {
        unasked::asked(code);
        find(code).map_or(c"unrecognized error code", |(_, text)| text).as_ptr()
    }
}
