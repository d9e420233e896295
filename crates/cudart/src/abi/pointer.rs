//! Pointers of the application.
//!
//! These types have the layout of C pointers and cannot be made in Rust: they
//! arrive as arguments of the API. The API's own contract (a non-null pointer
//! argument points to what its prototype says, for the duration of the call)
//! is what makes reading and writing through them sound; the application
//! vouches for it, as it does with the vendor's library.

use std::ffi::{CStr, c_char};

use crate::error::{Error, Result};

/// A place for a result.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// A place inside what the application handed over, by a rule of the API.
    pub(crate) fn from_address(at: Address) -> Out<T> {
        Out(at.0 as *mut T)
    }

    /// Stores the result; a null pointer is an error.
    pub fn set(self, value: T) -> Result<()> {
        if self.0.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: not null, and valid for writes by the API's contract.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Stores the result unless the application does not want it.
    pub fn set_if_wanted(self, value: T) {
        let _ = self.set(value);
    }

    /// Whether the application gave no place.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address itself.
    pub fn address(self) -> u64 {
        self.0 as u64
    }

    /// The `i`-th of several places.
    pub fn at(self, i: usize) -> Out<T> {
        Out(self.0.wrapping_add(i))
    }
}

impl<T: Copy> Out<T> {
    /// What is there now (for arguments that go in and out).
    pub fn get(self) -> Result<T> {
        In(self.0.cast_const()).get()
    }
}

/// A value handed in by reference.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(*const T);

impl<T> In<T> {
    /// What the application put at an address, by a rule of the API.
    pub(crate) fn from_address(at: Address) -> In<T> {
        In(at.0 as *const T)
    }
}

impl<T: Copy> In<T> {
    /// The value; a null pointer is an error.
    pub fn get(self) -> Result<T> {
        if self.0.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: not null, and valid for reads by the API's contract.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The `i`-th value of an array.
    pub fn at(self, i: usize) -> Result<T> {
        if self.0.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        In(self.0.wrapping_add(i)).get()
    }

    /// Whether nothing was handed in.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address itself.
    pub fn address(self) -> Address {
        Address(self.0 as u64)
    }
}

/// A C string.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

impl Text {
    /// The string, if there is one.
    pub fn get(self) -> Option<String> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not null, and a C string by the API's contract.
        Some(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}

/// An address that may be the host's or the device's: an opaque number until
/// something is copied.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address(pub u64);

impl Address {
    /// `bytes` further on.
    pub fn offset(self, bytes: u64) -> Address {
        Address(self.0.wrapping_add(bytes))
    }

    /// Host bytes from here.
    ///
    /// # Safety
    /// The application owns `len` readable bytes there, and nobody writes them
    /// while the slice lives.
    pub unsafe fn host_bytes<'a>(self, len: usize) -> &'a [u8] {
        if len == 0 {
            return &[];
        }
        // SAFETY: by this function's contract.
        unsafe { std::slice::from_raw_parts(self.0 as *const u8, len) }
    }

    /// Host bytes from here, to be written.
    ///
    /// # Safety
    /// The application owns `len` writable bytes there, and nobody else uses
    /// them while the slice lives.
    pub unsafe fn host_bytes_mut<'a>(self, len: usize) -> &'a mut [u8] {
        if len == 0 {
            return &mut [];
        }
        // SAFETY: by this function's contract.
        unsafe { std::slice::from_raw_parts_mut(self.0 as *mut u8, len) }
    }
}
