//! NVML's functions. They say what the scenario says.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::behaviour::NvmlBehaviour;
use crate::cuda::put;
use crate::gpu::{Gpu, with};

type Handle = *mut c_void;

const NOT_SUPPORTED: c_int = 3;
const NOT_FOUND: c_int = 6;
const TIMEOUT: c_int = 10;
const LOST: c_int = 15;

/// What the card answers, unless it is lost or silent.
fn ask<T>(answer: impl FnOnce(&mut Gpu, NvmlBehaviour) -> Result<T, c_int>) -> Result<T, c_int> {
    with(|gpu| {
        let says = gpu.behaviour.nvml.clone();
        match (gpu.since(says.lost), says.silent) {
            (true, _) => Err(LOST),
            (_, true) => Err(NOT_SUPPORTED),
            _ => answer(gpu, says),
        }
    })
}

/// Writes the answer, or returns the code.
///
/// # Safety
/// `to` must be valid for a write.
unsafe fn give<T>(to: *mut T, answer: Result<T, c_int>) -> c_int {
    match answer {
        // SAFETY: the caller's promise.
        Ok(value) => unsafe { put(to, value) },
        Err(status) => status,
    }
}

// Pointers below are valid by the contract of the table in `upset-realgpu`.

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlInit_v2() -> c_int {
    with(|gpu| gpu.behaviour.nvml.init)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlShutdown() -> c_int {
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlErrorString(status: c_int) -> *const c_char {
    let text: &CStr = match status {
        3 => c"Not Supported",
        6 => c"Not Found",
        9 => c"Driver Not Loaded",
        15 => c"GPU is lost",
        18 => c"Driver/library version mismatch",
        _ => c"Unknown Error",
    };
    text.as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByUUID(
    _u: *const c_char,
    device: *mut Handle,
) -> c_int {
    if with(|gpu| gpu.behaviour.nvml.unknown) {
        return NOT_FOUND;
    }
    // SAFETY: see above; so in all functions below.
    unsafe { put(device, 0x77 as Handle) }
}

/// # Safety
/// There must be room for `length` bytes.
unsafe fn text(to: *mut c_char, length: c_uint, words: &CStr) -> c_int {
    let bytes = words.to_bytes_with_nul();
    match ask(|_, _| Ok(())) {
        Ok(()) if length as usize >= bytes.len() => {
            // SAFETY: it fits, as was just checked.
            unsafe { to.copy_from_nonoverlapping(bytes.as_ptr().cast(), bytes.len()) };
            0
        }
        Ok(()) => 7,
        Err(status) => status,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetDriverVersion(to: *mut c_char, length: c_uint) -> c_int {
    // SAFETY: see above.
    unsafe { text(to, length, c"999.0") }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVbiosVersion(
    _device: Handle,
    to: *mut c_char,
    length: c_uint,
) -> c_int {
    // SAFETY: see above.
    unsafe { text(to, length, c"00.00.00.00.01") }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigMode(
    _device: Handle,
    now: *mut c_uint,
    later: *mut c_uint,
) -> c_int {
    let mode = ask(|_, says| Ok(c_uint::from(says.mig)));
    // SAFETY: see above.
    unsafe { give(now, mode) + give(later, mode) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetComputeMode(_device: Handle, mode: *mut c_int) -> c_int {
    // SAFETY: see above.
    unsafe { give(mode, ask(|_, _| Ok(0))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTemperature(
    _device: Handle,
    _sensor: c_int,
    celsius: *mut c_uint,
) -> c_int {
    // SAFETY: see above.
    unsafe { give(celsius, ask(|_, says| Ok(says.temperature))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerUsage(_device: Handle, to: *mut c_uint) -> c_int {
    // SAFETY: see above.
    unsafe { give(to, ask(|_, says| Ok(says.power.0))) }
}

/// `nvmlFieldValue_t`.
#[repr(C)]
pub struct FieldValue {
    field: c_uint,
    scope: c_uint,
    at: i64,
    latency: i64,
    kind: c_int,
    status: c_int,
    value: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFieldValues(
    _device: Handle,
    count: c_int,
    values: *mut FieldValue,
) -> c_int {
    let answer = ask(|_, says| Ok(says.power.0));
    for i in 0..count as usize {
        // SAFETY: the caller has that many of them.
        let value = unsafe { &mut *values.add(i) };
        // NVML_FI_DEV_POWER_INSTANT is the only one there is.
        (value.kind, value.status, value.value) = match (value.field, answer) {
            (186, Ok(power)) => (1, 0, power.into()),
            (_, Err(status)) => (1, status, 0),
            _ => (1, NOT_SUPPORTED, 0),
        };
    }
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEnforcedPowerLimit(_d: Handle, to: *mut c_uint) -> c_int {
    // SAFETY: see above.
    unsafe { give(to, ask(|_, says| Ok(says.power.1))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetClockInfo(
    _device: Handle,
    which: c_int,
    to: *mut c_uint,
) -> c_int {
    // SAFETY: see above.
    unsafe { give(to, ask(|_, says| Ok(if which == 2 { 3500 } else { says.clock }))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCurrentClocksThrottleReasons(
    _device: Handle,
    bits: *mut u64,
) -> c_int {
    // SAFETY: see above.
    unsafe { give(bits, ask(|_, says| Ok(says.reasons))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryErrorCounter(
    _device: Handle,
    kind: c_int,
    counter: c_int,
    place: c_int,
    count: *mut u64,
) -> c_int {
    let answer = ask(|gpu, says| {
        if place != 2 {
            return Err(NOT_SUPPORTED);
        }
        let new = if kind == 0 { says.corrected } else { says.uncorrected };
        let new = new.filter(|(n, _)| gpu.since(Some(*n))).map_or(0, |(_, count)| count);
        let old = if kind == 0 && counter == 1 { says.old_errors } else { 0 };
        Ok(new + old)
    });
    // SAFETY: see above.
    unsafe { give(count, answer) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRemappedRows(
    _device: Handle,
    corrected: *mut c_uint,
    uncorrected: *mut c_uint,
    pending: *mut c_uint,
    failed: *mut c_uint,
) -> c_int {
    let rows = ask(|gpu, says| Ok(c_uint::from(gpu.since(says.remapped))));
    // SAFETY: see above.
    unsafe {
        let told = give(uncorrected, rows) + give(pending, rows);
        let none = rows.map(|_| 0);
        told + give(corrected, none) + give(failed, none)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPcieReplayCounter(_device: Handle, to: *mut c_uint) -> c_int {
    // SAFETY: see above.
    unsafe { give(to, ask(|_, _| Ok(0))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetCreate(set: *mut Handle) -> c_int {
    // SAFETY: see above.
    unsafe { give(set, ask(|gpu, _| Ok(gpu.handle() as Handle))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceRegisterEvents(_d: Handle, _kinds: u64, _set: Handle) -> c_int {
    0
}

/// `nvmlEventData_t`.
#[repr(C)]
pub struct EventData {
    device: Handle,
    kind: u64,
    data: u64,
    instances: [c_uint; 2],
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetWait_v2(
    _set: Handle,
    event: *mut EventData,
    _milliseconds: c_uint,
) -> c_int {
    let xid = with(|gpu| (!gpu.xids.is_empty()).then(|| gpu.xids.remove(0)));
    let answer = xid.ok_or(TIMEOUT).map(|data| EventData {
        device: 0x77 as Handle,
        kind: 8,
        data,
        instances: [c_uint::MAX; 2],
    });
    // SAFETY: see above.
    unsafe { give(event, answer) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetFree(_set: Handle) -> c_int {
    0
}
