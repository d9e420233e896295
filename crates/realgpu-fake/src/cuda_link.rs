//! The driver's linker. It cannot compile: it hands back the machine code of the
//! file that [`JIT`] names, or refuses.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Mutex;

use crate::cuda::put;
use crate::gpu::with;

type Handle = *mut c_void;

/// Names a cubin that the linker gives.
const JIT: &str = "UPSET_FAKE_JIT";

/// What the linker made; it belongs to the link state, of which there is one.
static LINKED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkCreate_v2(
    _options: c_uint,
    _keys: *mut c_int,
    _values: *mut *mut c_void,
    state: *mut Handle,
) -> c_int {
    // SAFETY: the caller wants the handle there.
    unsafe { put(state, with(|gpu| gpu.handle()) as Handle) }
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn cuLinkAddData_v2(
    _state: Handle,
    _kind: c_int,
    _data: *mut c_void,
    _bytes: usize,
    _name: *const c_char,
    _options: c_uint,
    _keys: *mut c_int,
    _values: *mut *mut c_void,
) -> c_int {
    with(|gpu| gpu.behaviour.link)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkComplete(
    _state: Handle,
    cubin: *mut Handle,
    bytes: *mut usize,
) -> c_int {
    let Some(file) = std::env::var_os(JIT) else { return 218 };
    let Ok(code) = std::fs::read(file) else { return 218 };
    let Ok(mut linked) = LINKED.lock() else { return 999 };
    *linked = code;
    // SAFETY: the bytes stay where they are until the next link.
    unsafe { put(cubin, linked.as_mut_ptr().cast()) + put(bytes, linked.len()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkDestroy(_state: Handle) -> c_int {
    0
}
