//! The driver's functions. They do as much as a burn asks of them.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::slice::{from_raw_parts, from_raw_parts_mut};

use upset_device::{DevPtr, Launch};

use crate::elf;
use crate::gpu::{Gpu, PRIMARY, current, stack, with};

type Handle = *mut c_void;

const OUT_OF_MEMORY: c_int = 2;
const INVALID_CONTEXT: c_int = 201;
/// There is no compiler here: the one kernel that is given as PTX has this
/// machine code.
const PROBE: &[u8] = include_bytes!("../../../kernels/quarantine/probe/probe.sm_75.cubin");
/// The card's UUID.
pub const UUID: [u8; 16] = *b"Upset's fake GPU";

/// Codes with names; others are unknown, as in the real driver.
const NAMES: &[(c_int, &CStr, &CStr)] = &[
    (1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (46, c"CUDA_ERROR_DEVICE_UNAVAILABLE", c"CUDA-capable device(s) is/are busy or unavailable"),
    (100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (200, c"CUDA_ERROR_INVALID_IMAGE", c"device kernel image is invalid"),
    (
        209,
        c"CUDA_ERROR_NO_BINARY_FOR_GPU",
        c"no kernel image is available for execution on the device",
    ),
    (214, c"CUDA_ERROR_ECC_UNCORRECTABLE", c"uncorrectable ECC error encountered"),
    (218, c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
    (500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    (701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
    (715, c"CUDA_ERROR_ILLEGAL_INSTRUCTION", c"an illegal instruction was encountered"),
    (719, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
    (802, c"CUDA_ERROR_SYSTEM_NOT_READY", c"system not yet initialized"),
    (
        803,
        c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
        c"system has unsupported display driver / cuda driver combination",
    ),
    (999, c"CUDA_ERROR_UNKNOWN", c"unknown error"),
];

// All functions below are called by the tests' program through the table of
// `upset-realgpu`, whose types are these; pointers are valid by that contract.

/// Writes a result where the caller wants it.
///
/// # Safety
/// `to` must be valid for a write of `T`.
pub unsafe fn put<T>(to: *mut T, value: T) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { to.write(value) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuInit(_flags: c_uint) -> c_int {
    with(|gpu| gpu.behaviour.init)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_int {
    // SAFETY: see above; so in all functions below.
    unsafe { put(version, with(|gpu| gpu.behaviour.version)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(status: c_int, name: *mut *const c_char) -> c_int {
    match NAMES.iter().find(|(code, ..)| *code == status) {
        // SAFETY: a text of the table, which lives for ever.
        Some((_, text, _)) => unsafe { put(name, text.as_ptr()) },
        None => 1,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(status: c_int, name: *mut *const c_char) -> c_int {
    match NAMES.iter().find(|(code, ..)| *code == status) {
        // SAFETY: a text of the table, which lives for ever.
        Some((_, _, text)) => unsafe { put(name, text.as_ptr()) },
        None => 1,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_int {
    // SAFETY: see above.
    unsafe { put(count, with(|gpu| gpu.behaviour.devices)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { put(device, ordinal) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, length: c_int, _d: c_int) -> c_int {
    let text = format!("model of rtx2060 with {} SMs, behind a driver\0", with(|gpu| gpu.sms));
    if length < text.len() as c_int {
        return 1;
    }
    // SAFETY: the caller has room for `length` bytes.
    unsafe { name.copy_from_nonoverlapping(text.as_ptr().cast(), text.len()) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid(uuid: *mut [u8; 16], _device: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { put(uuid, UUID) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, _device: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { put(bytes, with(|gpu| gpu.device.memory_use().1 as usize)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(v: *mut c_int, which: c_int, _d: c_int) -> c_int {
    let value = with(|gpu| {
        let core = gpu.device.sm_core();
        let (major, minor) = gpu.behaviour.capability;
        Some(match which {
            10 => core.sm.warp_size as c_int,
            13 => 1_365_000,
            16 => gpu.sms as c_int + gpu.behaviour.extra_sms,
            32 => 1,
            33 | 50 => 0,
            34 => 1,
            38 => 3 << 20,
            39 => (core.sm.warps * core.sm.warp_size) as c_int,
            75 => major,
            76 => minor,
            81 => core.shared.bytes as c_int,
            82 => core.registers.per_sm as c_int,
            97 => core.shared.per_cta as c_int,
            106 => core.sm.ctas as c_int,
            133 => c_int::from(gpu.behaviour.nvml.mps),
            _ => return None,
        })
    });
    match value {
        // SAFETY: see above.
        Some(value) => unsafe { put(v, value) },
        None => 1,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut Handle, _d: c_int) -> c_int {
    match with(|gpu| gpu.behaviour.context | gpu.failed) {
        // SAFETY: see above.
        0 => unsafe { put(context, PRIMARY as Handle) },
        status => status,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2(_device: c_int) -> c_int {
    with(Gpu::forget);
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent(context: Handle) -> c_int {
    stack(|s| {
        s.pop();
        if !context.is_null() {
            s.push(context as usize);
        }
    });
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(context: *mut Handle) -> c_int {
    // SAFETY: see above.
    unsafe { put(context, current() as Handle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice(device: *mut c_int) -> c_int {
    match current() {
        0 => INVALID_CONTEXT,
        // SAFETY: see above.
        _ => unsafe { put(device, 0) },
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPushCurrent_v2(context: Handle) -> c_int {
    stack(|s| s.push(context as usize));
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent_v2(context: *mut Handle) -> c_int {
    match stack(Vec::pop) {
        None => INVALID_CONTEXT,
        // SAFETY: see above.
        Some(handle) => unsafe { put(context, handle as Handle) },
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSynchronize() -> c_int {
    with(Gpu::query)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(stream: *mut Handle, _flags: c_uint) -> c_int {
    // SAFETY: see above.
    unsafe { put(stream, with(|gpu| gpu.handle()) as Handle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy_v2(_stream: Handle) -> c_int {
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamQuery(_stream: Handle) -> c_int {
    with(Gpu::query)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> c_int {
    let got = with(|gpu| {
        if gpu.failed != 0 {
            return Err(gpu.failed);
        }
        gpu.allocations += 1;
        if gpu.behaviour.alloc_fails == Some(gpu.allocations) {
            return Err(OUT_OF_MEMORY);
        }
        gpu.device.malloc(bytes as u64).map_err(|_| OUT_OF_MEMORY)
    });
    match got {
        // SAFETY: see above.
        Ok(at) => unsafe { put(address, at.0) },
        Err(status) => status,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree_v2(address: u64) -> c_int {
    with(|gpu| match gpu.failed {
        0 => c_int::from(gpu.device.free(DevPtr(address)).is_err()),
        failed => failed,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> c_int {
    let (used, all) = with(|gpu| gpu.device.memory_use());
    // SAFETY: see above.
    unsafe { put(free, all.saturating_sub(used) as usize) + put(total, all as usize) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(at: *mut Handle, bytes: usize, _flags: c_uint) -> c_int {
    if with(|gpu| gpu.behaviour.no_page_locked) {
        return OUT_OF_MEMORY;
    }
    // SAFETY: plain memory is as good as page-locked here; see above.
    unsafe { put(at, libc::malloc(bytes)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeHost(at: Handle) -> c_int {
    // SAFETY: it came from cuMemHostAlloc.
    unsafe { libc::free(at) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const c_void,
    bytes: usize,
    _stream: Handle,
) -> c_int {
    // SAFETY: the caller has that many bytes there.
    let bytes = unsafe { from_raw_parts(from.cast::<u8>(), bytes) };
    with(|gpu| match gpu.failed {
        0 => c_int::from(gpu.device.upload(DevPtr(to), bytes).is_err()),
        failed => failed,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: u64,
    bytes: usize,
    _stream: Handle,
) -> c_int {
    // SAFETY: the caller has room for that many bytes there.
    let bytes = unsafe { from_raw_parts_mut(to.cast::<u8>(), bytes) };
    with(|gpu| if gpu.failed == 0 { gpu.read(from, bytes) } else { gpu.failed })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> c_int {
    // SAFETY: passed on.
    unsafe { cuMemcpyHtoDAsync_v2(to, from, bytes, std::ptr::null_mut()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> c_int {
    match with(Gpu::query) {
        // SAFETY: passed on.
        0 => unsafe { cuMemcpyDtoHAsync_v2(to, from, bytes, std::ptr::null_mut()) },
        status => status,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32Async(to: u64, word: c_uint, n: usize, _s: Handle) -> c_int {
    let bytes = word.to_le_bytes().repeat(n);
    with(|gpu| match gpu.failed {
        0 => c_int::from(gpu.device.upload(DevPtr(to), &bytes).is_err()),
        failed => failed,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8_v2(to: u64, value: u8, bytes: usize) -> c_int {
    let bytes = vec![value; bytes];
    with(|gpu| c_int::from(gpu.device.upload(DevPtr(to), &bytes).is_err()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData(module: *mut Handle, image: *const c_void) -> c_int {
    let loaded = with(|gpu| {
        if gpu.behaviour.load != 0 || gpu.failed != 0 {
            return Err(gpu.behaviour.load.max(gpu.failed));
        }
        // SAFETY: the caller gives a whole file; the length is its header's.
        let given = unsafe {
            elf::length(image.cast()).map(|length| from_raw_parts(image.cast::<u8>(), length))
        };
        match given {
            Some(image) => gpu.load(image),
            // SAFETY: what is no ELF file is PTX, a text that ends with a zero.
            None => match unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy() {
                text if text.contains(".entry probe(") => gpu.load(PROBE),
                _ => Err(218),
            },
        }
    });
    match loaded {
        // SAFETY: see above.
        Ok(handle) => unsafe { put(module, handle as Handle) },
        Err(status) => status,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleUnload(_module: Handle) -> c_int {
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    function: *mut Handle,
    module: Handle,
    name: *const c_char,
) -> c_int {
    // SAFETY: the caller's text ends with a zero.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let found = with(|gpu| match gpu.behaviour.function {
        0 => gpu.function(module as usize, &name),
        status => Err(status),
    });
    match found {
        // SAFETY: see above.
        Ok(handle) => unsafe { put(function, handle as Handle) },
        Err(status) => status,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal_v2(
    address: *mut u64,
    bytes: *mut usize,
    module: Handle,
    name: *const c_char,
) -> c_int {
    // SAFETY: the caller's text ends with a zero.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    match with(|gpu| gpu.variable(module as usize, &name)) {
        // SAFETY: see above.
        Ok((at, length)) => unsafe { put(address, at) + put(bytes, length) },
        Err(status) => status,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetAttribute(f: Handle, which: c_int, value: c_int) -> c_int {
    // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES is the only one there is.
    match (which, u32::try_from(value)) {
        (8, Ok(bytes)) => with(|gpu| gpu.allow(f as usize, bytes)),
        _ => 1,
    }
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: Handle,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: Handle,
    parameters: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> c_int {
    let launch = Launch {
        grid: [gx, gy, gz],
        block: [bx, by, bz],
        shared_bytes: shared,
        cooperative: false,
    };
    with(|gpu| {
        let Some(sizes) = gpu.parameters(function as usize) else { return 400 };
        let args: Vec<Vec<u8>> = sizes
            .iter()
            .enumerate()
            // SAFETY: one pointer per parameter, to as many bytes as it has.
            .map(|(i, size)| unsafe {
                from_raw_parts((*parameters.add(i)).cast::<u8>(), *size).to_vec()
            })
            .collect();
        match gpu.failed {
            0 => gpu.launch(function as usize, stream as usize, &launch, &args),
            failed => failed,
        }
    })
}
