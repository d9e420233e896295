//! How programs find the driver's functions, answered with ours where there are
//! any.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::calls::{self, replaced, replaced_at};
use crate::driver::{Code, Handle, by_name};

/// `dlsym`.
pub type Dlsym = unsafe extern "C" fn(Handle, *const c_char) -> Handle;

/// The C library's `dlsym`.
pub fn real_dlsym() -> Dlsym {
    let address = real_dlsym_address();
    // SAFETY: `dlvsym` gave the address of the function of that name and version.
    unsafe { transmute::<usize, Dlsym>(address) }
}

extern "C" fn real_dlsym_address() -> usize {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    match REAL.load(Ordering::Relaxed) {
        0 => {
            // SAFETY: both names are C strings. x86-64 has had this version from the
            // start, and newer libraries keep it.
            let found = unsafe {
                libc::dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), c"GLIBC_2.2.5".as_ptr())
            } as usize;
            if found == 0 {
                crate::report::refuse("this C library has no dlsym that we know");
            }
            REAL.store(found, Ordering::Relaxed);
            found
        }
        found => found,
    }
}

/// Ours for a name, if the library asked has that name; null otherwise.
///
/// # Safety
/// The arguments are those of a call of `dlsym`.
unsafe extern "C" fn ours(handle: Handle, name: *const c_char) -> Handle {
    if name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: callers of `dlsym` give a C string.
    let Some(ours) = replaced(unsafe { CStr::from_ptr(name) }) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the program's own arguments.
    let is_there = !unsafe { real_dlsym()(handle, name) }.is_null();
    if is_there { ours } else { std::ptr::null_mut() }
}

/// `dlsym` for the whole program. What is not ours goes on to the C library by
/// a jump, not by a call: `RTLD_NEXT` and `RTLD_DEFAULT` mean something else to
/// each caller, and the C library knows the caller by the return address.
///
/// # Safety
/// As the C library's.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlsym(handle: Handle, name: *const c_char) -> Handle {
    // Both arguments are kept on the stack; with the return address and 8 bytes
    // more it is aligned for calls.
    core::arch::naked_asm!(
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "call {ours}",
        "test rax, rax",
        "jne 2f",
        "call {real}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "jmp rax",
        "2:",
        "add rsp, 24",
        "ret",
        ours = sym ours,
        real = sym real_dlsym_address,
    )
}

/// The first form of `cuGetProcAddress`.
type First = unsafe extern "C" fn(*const c_char, *mut Handle, c_int, u64) -> Code;
/// The second form, which also says what was found.
type Second = unsafe extern "C" fn(*const c_char, *mut Handle, c_int, u64, *mut c_void) -> Code;

/// Puts ours in place of what the driver found.
///
/// # Safety
/// `name` is a C string and `found` may be written to: the driver just did both.
unsafe fn put_ours(name: *const c_char, found: *mut Handle, version: c_int, code: Code) {
    if code != 0 || name.is_null() || found.is_null() {
        return;
    }
    // SAFETY: see above.
    unsafe {
        if let Some(ours) =
            replaced_at(CStr::from_ptr(name), version).filter(|_| !(*found).is_null())
        {
            *found = ours;
        }
    }
}

/// `cuGetProcAddress` of CUDA 11.3.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress(
    name: *const c_char,
    found: *mut Handle,
    version: c_int,
    flags: u64,
) -> Code {
    let real = by_name(c"cuGetProcAddress");
    if real.is_null() {
        return calls::NOT_FOUND;
    }
    // SAFETY: the driver's function of that name; the arguments are the program's.
    unsafe {
        let code = transmute::<Handle, First>(real)(name, found, version, flags);
        put_ours(name, found, version, code);
        code
    }
}

/// `cuGetProcAddress` of CUDA 12.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress_v2(
    name: *const c_char,
    found: *mut Handle,
    version: c_int,
    flags: u64,
    status: *mut c_void,
) -> Code {
    let real = by_name(c"cuGetProcAddress_v2");
    if real.is_null() {
        return calls::NOT_FOUND;
    }
    // SAFETY: as above.
    unsafe {
        let code = transmute::<Handle, Second>(real)(name, found, version, flags, status);
        put_ours(name, found, version, code);
        code
    }
}
