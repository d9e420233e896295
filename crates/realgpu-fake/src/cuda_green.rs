//! Groups of SMs and green contexts: launches in one come to its SMs alone.
//!
//! As on real chips groups are of two SMs where there are enough (four and
//! more), and their order is not that of the SMs: here it is reversed.

use std::ffi::{c_int, c_uint, c_void};
use std::slice::from_raw_parts;

use crate::cuda::put;
use crate::gpu::{Gpu, with};

type Handle = *mut c_void;

const INVALID_VALUE: c_int = 1;
/// `CU_DEV_RESOURCE_TYPE_SM`.
const SMS: c_uint = 1;

/// `CUdevResource`; SMs by their bits.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Resource {
    kind: c_uint,
    reserved: c_uint,
    sms: u64,
    inside: [u8; 80],
    count: c_uint,
    rest: [u8; 44],
}

const _: () = assert!(size_of::<Resource>() == 144);

impl Resource {
    fn of(sms: u64) -> Resource {
        let (inside, rest) = ([0; 80], [0; 44]);
        Resource { kind: SMS, reserved: 0, sms, inside, count: sms.count_ones(), rest }
    }
}

/// The groups, in the driver's order.
fn groups(gpu: &Gpu) -> Vec<u64> {
    let size = if gpu.sms >= 4 { 2 } else { 1 };
    let whole = (0..gpu.sms / size).rev();
    whole.map(|i| (0..size).fold(0, |bits, k| bits | 1 << (i * size + k))).collect()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetDevResource(
    _d: c_int,
    all: *mut Resource,
    kind: c_uint,
) -> c_int {
    match kind {
        // SAFETY: pointers of this library's functions are valid by the contract
        // of the tables in `upset-realgpu` and `upset-quarantine-preload`.
        SMS => unsafe { put(all, Resource::of(with(|gpu| u64::MAX >> (64 - gpu.sms)))) },
        _ => INVALID_VALUE,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevSmResourceSplitByCount(
    to: *mut Resource,
    count: *mut c_uint,
    all: *const Resource,
    rest: *mut Resource,
    _flags: c_uint,
    _least: c_uint,
) -> c_int {
    let groups = with(|gpu| groups(gpu));
    // SAFETY: as above; there is room for as many groups as `count` says.
    unsafe {
        if to.is_null() {
            return put(count, groups.len() as c_uint);
        }
        let given = groups.len().min(*count as usize);
        for (i, sms) in groups[..given].iter().enumerate() {
            to.add(i).write(Resource::of(*sms));
        }
        if !rest.is_null() {
            let used = groups[..given].iter().fold(0, |bits, g| bits | g);
            rest.write(Resource::of((*all).sms & !used));
        }
        put(count, given as c_uint)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevResourceGenerateDesc(
    made: *mut Handle,
    resources: *mut Resource,
    count: c_uint,
) -> c_int {
    // SAFETY: as above.
    let resources = unsafe { from_raw_parts(resources, count as usize) };
    let sms = resources.iter().fold(0, |bits, r| bits | r.sms);
    // SAFETY: as above. A description is as good as the bits that it stands for.
    if sms == 0 { INVALID_VALUE } else { unsafe { put(made, sms as Handle) } }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxCreate(
    context: *mut Handle,
    description: Handle,
    _device: c_int,
    flags: c_uint,
) -> c_int {
    if flags != 1 {
        return INVALID_VALUE;
    }
    let sms: Vec<usize> = (0..64).filter(|i| description as u64 >> i & 1 == 1).collect();
    let handle = with(|gpu| {
        let handle = gpu.handle();
        gpu.kept.insert(handle, sms);
        handle
    });
    // SAFETY: as above.
    unsafe { put(context, handle as Handle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxDestroy(context: Handle) -> c_int {
    with(|gpu| {
        gpu.forget();
        c_int::from(gpu.kept.remove(&(context as usize)).is_none())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxFromGreenCtx(context: *mut Handle, green: Handle) -> c_int {
    // SAFETY: as above.
    unsafe { put(context, green) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxStreamCreate(
    stream: *mut Handle,
    green: Handle,
    _flags: c_uint,
    _priority: c_int,
) -> c_int {
    let made = with(|gpu| {
        let sms = gpu.kept.get(&(green as usize))?.clone();
        let handle = gpu.handle();
        gpu.kept.insert(handle, sms);
        Some(handle)
    });
    match made {
        // SAFETY: as above.
        Some(handle) => unsafe { put(stream, handle as Handle) },
        None => INVALID_VALUE,
    }
}
