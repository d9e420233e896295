//! The driver's functions that make contexts or make them current, as programs
//! get them here.
//!
//! A program keeps the handles it knows (a primary context stays a primary
//! context to it); what becomes current in the driver is the green one.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::transmute;

use crate::driver::{Code, Device, Driver, Handle, by_name};
use crate::green;
use crate::lookup::{cuGetProcAddress, cuGetProcAddress_v2};
use crate::report::refuse;

/// `CUDA_ERROR_NOT_FOUND`.
pub const NOT_FOUND: Code = 500;

/// Ours for a name of the symbol table.
pub fn replaced(name: &CStr) -> Option<Handle> {
    let ours = match name.to_bytes() {
        b"cuGetProcAddress" => cuGetProcAddress as *const () as Handle,
        b"cuGetProcAddress_v2" => cuGetProcAddress_v2 as *const () as Handle,
        b"cuDevicePrimaryCtxRetain" => cuDevicePrimaryCtxRetain as *const () as Handle,
        b"cuDevicePrimaryCtxReset" => cuDevicePrimaryCtxReset as *const () as Handle,
        b"cuDevicePrimaryCtxReset_v2" => cuDevicePrimaryCtxReset_v2 as *const () as Handle,
        b"cuCtxSetCurrent" => cuCtxSetCurrent as *const () as Handle,
        b"cuCtxPushCurrent" => cuCtxPushCurrent as *const () as Handle,
        b"cuCtxPushCurrent_v2" => cuCtxPushCurrent_v2 as *const () as Handle,
        b"cuCtxCreate" => cuCtxCreate as *const () as Handle,
        b"cuCtxCreate_v2" => cuCtxCreate_v2 as *const () as Handle,
        b"cuCtxCreate_v3" => cuCtxCreate_v3 as *const () as Handle,
        b"cuCtxCreate_v4" => cuCtxCreate_v4 as *const () as Handle,
        b"cuCtxDestroy" => cuCtxDestroy as *const () as Handle,
        b"cuCtxDestroy_v2" => cuCtxDestroy_v2 as *const () as Handle,
        b"cuGreenCtxCreate" => cuGreenCtxCreate as *const () as Handle,
        _ => return None,
    };
    Some(ours)
}

/// Ours for a name given to `cuGetProcAddress`: without a suffix, the version
/// says which form is meant (cudaTypedefs.h).
pub fn replaced_at(name: &CStr, version: c_int) -> Option<Handle> {
    let name = match (name.to_bytes(), version) {
        (b"cuGetProcAddress", 12_000..) => c"cuGetProcAddress_v2",
        (b"cuCtxCreate", 12_050..) => c"cuCtxCreate_v4",
        (b"cuCtxCreate", 11_040..) => c"cuCtxCreate_v3",
        (b"cuCtxCreate", 3_020..) => c"cuCtxCreate_v2",
        (b"cuCtxPushCurrent", 4_000..) => c"cuCtxPushCurrent_v2",
        (b"cuCtxDestroy", 4_000..) => c"cuCtxDestroy_v2",
        (b"cuDevicePrimaryCtxReset", 11_000..) => c"cuDevicePrimaryCtxReset_v2",
        _ => name,
    };
    replaced(name)
}

/// The driver's function of a name, for functions that take one form of
/// arguments; `F` must be that form.
macro_rules! real {
    ($name:ident as $form:ty) => {{
        let name = concat!(stringify!($name), "\0");
        let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { return NOT_FOUND };
        let found = by_name(name);
        if found.is_null() {
            return NOT_FOUND;
        }
        // SAFETY: the driver's function of that name has this form.
        unsafe { transmute::<Handle, $form>(found) }
    }};
}

type OfContext = unsafe extern "C" fn(Handle) -> Code;
type OfDevice = unsafe extern "C" fn(Device) -> Code;

/// Puts the green context of its device in place of the current one, if that
/// device has bad SMs.
fn make_current_green() {
    if green::nothing_to_do() {
        return;
    }
    let driver = Driver::get();
    let (mut device, mut current) = (0, std::ptr::null_mut());
    // SAFETY: both write one value. The first fails for a primary context that is
    // not active yet: then `cuDevicePrimaryCtxRetain` follows.
    let known = unsafe {
        (driver.cuCtxGetDevice)(&mut device) == 0 && (driver.cuCtxGetCurrent)(&mut current) == 0
    };
    if !known || current.is_null() || green::is_ours(current) {
        return;
    }
    if let Some(green) = green::of(device) {
        // SAFETY: a context of the driver's.
        driver.must(unsafe { (driver.cuCtxSetCurrent)(green) }, "cuCtxSetCurrent");
    }
}

/// As the driver's, but green.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent(context: Handle) -> Code {
    let real = real!(cuCtxSetCurrent as OfContext);
    // SAFETY: the program's own argument.
    let code = unsafe { real(context) };
    if code == 0 && !context.is_null() {
        make_current_green();
    }
    code
}

/// As the driver's, but green.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPushCurrent_v2(context: Handle) -> Code {
    let real = real!(cuCtxPushCurrent_v2 as OfContext);
    // SAFETY: the program's own argument.
    let code = unsafe { real(context) };
    if code == 0 {
        make_current_green();
    }
    code
}

/// The form before CUDA 4.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPushCurrent(context: Handle) -> Code {
    // SAFETY: the same arguments.
    unsafe { cuCtxPushCurrent_v2(context) }
}

/// As the driver's. If the context is current already, as NVIDIA's runtime has
/// it, it becomes green now.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: Device) -> Code {
    let real = real!(cuDevicePrimaryCtxRetain as unsafe extern "C" fn(*mut Handle, Device) -> Code);
    // SAFETY: the program's own arguments.
    let code = unsafe { real(context, device) };
    if code == 0 {
        make_current_green();
    }
    code
}

/// As the driver's. Green contexts go with their primary one.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset_v2(device: Device) -> Code {
    let real = real!(cuDevicePrimaryCtxReset_v2 as OfDevice);
    green::forget(device);
    // SAFETY: the program's own argument.
    unsafe { real(device) }
}

/// The form before CUDA 11.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset(device: Device) -> Code {
    let real = real!(cuDevicePrimaryCtxReset as OfDevice);
    green::forget(device);
    // SAFETY: the program's own argument.
    unsafe { real(device) }
}

/// A green context in place of one of the program's own, if the device has bad
/// SMs.
///
/// # Safety
/// `context` may be written to.
unsafe fn created(context: *mut Handle, device: Device) -> Option<Code> {
    if green::nothing_to_do() || context.is_null() {
        return None;
    }
    let made = green::another(device)?;
    let driver = Driver::get();
    // SAFETY: a context of the driver's; the program gave the place for its handle.
    unsafe {
        driver.must((driver.cuCtxPushCurrent_v2)(made), "cuCtxPushCurrent");
        *context = made;
    }
    Some(0)
}

/// As the driver's, but green.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v2(
    context: *mut Handle,
    flags: c_uint,
    device: Device,
) -> Code {
    let real = real!(cuCtxCreate_v2 as unsafe extern "C" fn(*mut Handle, c_uint, Device) -> Code);
    // SAFETY: the program's own arguments.
    unsafe { created(context, device).unwrap_or_else(|| real(context, flags, device)) }
}

/// The form before CUDA 3.2.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate(context: *mut Handle, flags: c_uint, device: Device) -> Code {
    // SAFETY: the same arguments.
    unsafe { cuCtxCreate_v2(context, flags, device) }
}

/// The form of CUDA 11.4: with a number of SMs for MPS, which a green context
/// does not need.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v3(
    context: *mut Handle,
    parameters: *mut c_void,
    count: c_int,
    flags: c_uint,
    device: Device,
) -> Code {
    type Form = unsafe extern "C" fn(*mut Handle, *mut c_void, c_int, c_uint, Device) -> Code;
    let real = real!(cuCtxCreate_v3 as Form);
    // SAFETY: the program's own arguments.
    unsafe {
        created(context, device).unwrap_or_else(|| real(context, parameters, count, flags, device))
    }
}

/// The form of CUDA 12.5.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v4(
    context: *mut Handle,
    parameters: *mut c_void,
    flags: c_uint,
    device: Device,
) -> Code {
    type Form = unsafe extern "C" fn(*mut Handle, *mut c_void, c_uint, Device) -> Code;
    let real = real!(cuCtxCreate_v4 as Form);
    // SAFETY: the program's own arguments.
    unsafe { created(context, device).unwrap_or_else(|| real(context, parameters, flags, device)) }
}

/// As the driver's.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDestroy_v2(context: Handle) -> Code {
    let real = real!(cuCtxDestroy_v2 as OfContext);
    if let Some(code) = green::destroyed(context) {
        return code;
    }
    // SAFETY: the program's own argument.
    unsafe { real(context) }
}

/// The form before CUDA 4.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDestroy(context: Handle) -> Code {
    // SAFETY: the same argument.
    unsafe { cuCtxDestroy_v2(context) }
}

/// A program that divides the SMs itself would take bad ones too.
///
/// # Safety
/// As the driver's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxCreate(
    context: *mut Handle,
    resources: Handle,
    device: Device,
    flags: c_uint,
) -> Code {
    type Form = unsafe extern "C" fn(*mut Handle, Handle, Device, c_uint) -> Code;
    let real = real!(cuGreenCtxCreate as Form);
    if green::is_ordered(device) {
        refuse("the program makes green contexts itself: leave the bad SMs out there");
    }
    // SAFETY: the program's own arguments.
    unsafe { real(context, resources, device, flags) }
}
