//! Contexts without the bad SMs, and how it is found out which those are.

use std::collections::BTreeMap;
use std::ffi::c_uint;
use std::sync::{Mutex, MutexGuard, OnceLock};

use crate::driver::{Code, Device, Driver, Handle, Resource};
use crate::report::{note, refuse};
use crate::{EVERY, Line, ORDERS, Order, Place, parse};

/// `CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING`: groups as small as a TPC.
const SMALL_GROUPS: c_uint = 1;
/// SMs asked for in a group; the driver makes it more where it has to.
const GROUP: c_uint = 2;
/// `CU_GREEN_CTX_DEFAULT_STREAM`, which must be given.
const DEFAULT_STREAM: c_uint = 1;
/// The kernel that marks the SMs it runs on.
const PROBE: &str = concat!(include_str!("../../../kernels/quarantine/probe/probe.ptx"), "\0");
/// SMs that it has marks for.
const MARKS: usize = 256;
/// Blocks of the probe for each SM, of this many threads, for this many cycles:
/// more than an SM holds at once, and for long enough that all are there
/// together.
const BLOCKS: u32 = 8;
const THREADS: u32 = 512;
const CYCLES: u32 = 20_000;
/// Times that it is tried, twice as long each time, until all SMs were reached.
const TRIES: u32 = 6;

/// A device without its bad SMs.
struct Made {
    /// What contexts are made of.
    resources: usize,
    /// Its context, once somebody needed it.
    context: usize,
    green: usize,
}

#[derive(Default)]
struct State {
    /// What was found out for each device: none if nothing is bad there.
    devices: BTreeMap<Device, Option<Made>>,
    /// Contexts that were made in place of the program's own, and theirs.
    others: BTreeMap<usize, usize>,
}

fn state() -> MutexGuard<'static, State> {
    static STATE: Mutex<State> =
        Mutex::new(State { devices: BTreeMap::new(), others: BTreeMap::new() });
    STATE.lock().unwrap_or_else(|broken| broken.into_inner())
}

fn orders() -> &'static [Order] {
    static READ: OnceLock<Vec<Order>> = OnceLock::new();
    READ.get_or_init(|| {
        let text = std::env::var(ORDERS).unwrap_or_default();
        parse(&text).unwrap_or_else(|why| refuse(&format!("{ORDERS}: {why}")))
    })
}

/// Whether no GPU has bad SMs.
pub fn nothing_to_do() -> bool {
    orders().is_empty()
}

/// What is bad on a device.
fn order(device: Device) -> Option<&'static Order> {
    if nothing_to_do() {
        return None;
    }
    let uuid = uuid_of(device);
    orders().iter().find(|order| order.uuid == uuid || order.uuid == EVERY)
}

/// Whether a device has bad SMs.
pub fn is_ordered(device: Device) -> bool {
    order(device).is_some()
}

fn uuid_of(device: Device) -> String {
    let driver = Driver::get();
    let mut bytes = [0; 16];
    // SAFETY: writes 16 bytes.
    driver.must(unsafe { (driver.cuDeviceGetUuid)(&mut bytes, device) }, "cuDeviceGetUuid");
    uuid(&bytes)
}

/// As `nvidia-smi -L` writes it.
fn uuid(bytes: &[u8; 16]) -> String {
    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    let part = |from, to| &hex[from..to];
    format!("GPU-{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

/// Whether a context was made here.
pub fn is_ours(context: Handle) -> bool {
    let state = state();
    let address = context as usize;
    state.others.contains_key(&address)
        || state.devices.values().flatten().any(|made| made.context == address)
}

/// The context of a device without its bad SMs; none if it has no bad ones.
pub fn of(device: Device) -> Option<Handle> {
    let mut state = state();
    let known = state.devices.entry(device);
    let made = known.or_insert_with(|| order(device).map(|order| make(device, order)));
    made.as_ref().map(|made| made.context as Handle)
}

/// One more such context, in place of one of the program's own.
pub fn another(device: Device) -> Option<Handle> {
    of(device)?;
    let mut state = state();
    let resources = state.devices.get(&device)?.as_ref()?.resources;
    let (green, context) = context(device, resources as Handle);
    state.others.insert(context as usize, green as usize);
    Some(context)
}

/// Destroys such a context; none if it is not one.
pub fn destroyed(context: Handle) -> Option<Code> {
    let green = state().others.remove(&(context as usize))?;
    let driver = Driver::get();
    let mut current = std::ptr::null_mut();
    // SAFETY: handles of the driver's. Like any context, it is taken off the
    // thread's stack first when it is on top.
    unsafe {
        if (driver.cuCtxGetCurrent)(&mut current) == 0 && current == context {
            (driver.cuCtxPopCurrent_v2)(&mut current);
        }
        Some((driver.cuGreenCtxDestroy)(green as Handle))
    }
}

/// Gives up what was made for a device, before the device is reset.
pub fn forget(device: Device) {
    if let Some(Some(made)) = state().devices.remove(&device) {
        // SAFETY: made here, and used by nobody: the program resets the device.
        unsafe { (Driver::get().cuGreenCtxDestroy)(made.green as Handle) };
    }
}

/// Makes a context of the groups that the order leaves, and proves that it keeps
/// to them.
fn make(device: Device, order: &Order) -> Made {
    let driver = Driver::get();
    let (mut before, mut primary) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: each writes one handle. The primary context is kept for the process:
    // making and dropping it for every probe would take seconds.
    unsafe {
        driver.must((driver.cuCtxGetCurrent)(&mut before), "cuCtxGetCurrent");
        let retained = (driver.cuDevicePrimaryCtxRetain)(&mut primary, device);
        driver.must(retained, "cuDevicePrimaryCtxRetain");
    }
    let groups = groups(device);
    let kept: Vec<Resource> = match &order.place {
        Place::AllGroups => groups.clone(),
        Place::Groups(chosen) => chosen
            .iter()
            .map(|&i| {
                let there = groups.get(i as usize).copied();
                there.unwrap_or_else(|| {
                    refuse(&format!("there is no group {i} of SMs: there are {}", groups.len()))
                })
            })
            .collect(),
        Place::Without(sms) => {
            let left_out: Vec<usize> =
                sms.iter().map(|&sm| group_of(device, &groups, sm)).collect();
            (0..groups.len()).filter(|i| !left_out.contains(i)).map(|i| groups[i]).collect()
        }
    };
    if kept.is_empty() {
        refuse("no group of SMs is left");
    }
    let resources = joined(&kept);
    let (green, context) = context(device, resources);
    let reached = reached(context, kept.iter().map(|group| group.sms).sum());
    if let Place::Without(sms) = &order.place
        && let Some(bad) = sms.iter().find(|&&sm| reached.contains(&sm))
    {
        refuse(&format!("SM {bad} was reached from a context without it"));
    }
    // SAFETY: what was current before.
    driver.must(unsafe { (driver.cuCtxSetCurrent)(before) }, "cuCtxSetCurrent");
    note(&Line::Made {
        uuid: uuid_of(device),
        groups: kept.len() as u32,
        of: groups.len() as u32,
        sms: reached,
    });
    Made { resources: resources as usize, context: context as usize, green: green as usize }
}

/// The smallest groups that the driver makes of a device's SMs.
fn groups(device: Device) -> Vec<Resource> {
    let driver = Driver::get();
    let mut all = Resource::EMPTY;
    // SAFETY: writes one resource.
    let code = unsafe { (driver.cuDeviceGetDevResource)(device, &mut all, Resource::SM) };
    driver.must(code, "cuDeviceGetDevResource");
    // A driver of CUDA 12.4 has no flags yet: larger groups then.
    for flags in [SMALL_GROUPS, 0] {
        let mut count = 0;
        // SAFETY: without a place for results, the driver says how many there are.
        let asked = unsafe {
            (driver.cuDevSmResourceSplitByCount)(
                std::ptr::null_mut(),
                &mut count,
                &all,
                std::ptr::null_mut(),
                flags,
                GROUP,
            )
        };
        if asked != 0 && flags != 0 {
            continue;
        }
        driver.must(asked, "cuDevSmResourceSplitByCount");
        let mut groups = vec![Resource::EMPTY; count as usize];
        let mut rest = Resource::EMPTY;
        // SAFETY: there is room for as many as the driver said.
        let split = unsafe {
            (driver.cuDevSmResourceSplitByCount)(
                groups.as_mut_ptr(),
                &mut count,
                &all,
                &mut rest,
                flags,
                GROUP,
            )
        };
        driver.must(split, "cuDevSmResourceSplitByCount");
        groups.truncate(count as usize);
        if rest.kind == Resource::SM && rest.sms > 0 {
            groups.push(rest);
        }
        let sum: u32 = groups.iter().map(|group| group.sms).sum();
        if groups.iter().any(|group| group.kind != Resource::SM) || sum != all.sms {
            refuse(&format!("the CUDA driver's groups hold {sum} of {} SMs", all.sms));
        }
        return groups;
    }
    refuse("the CUDA driver makes no groups of SMs")
}

/// Which group an SM is in: half of those that it can be in are asked each time.
fn group_of(device: Device, groups: &[Resource], sm: u32) -> usize {
    let mut among: Vec<usize> = (0..groups.len()).collect();
    let mut seen = false;
    while among.len() > 1 || !seen {
        let half = &among[..among.len().div_ceil(2)];
        let parts: Vec<Resource> = half.iter().map(|&i| groups[i]).collect();
        let (green, context) = context(device, joined(&parts));
        let there = reached(context, parts.iter().map(|part| part.sms).sum()).contains(&sm);
        // SAFETY: made above, and used by nobody else.
        unsafe { (Driver::get().cuGreenCtxDestroy)(green) };
        among = if there { half.to_vec() } else { among.split_off(half.len()) };
        seen |= there;
        if among.is_empty() {
            refuse(&format!("no group of SMs holds SM {sm}: is the record another GPU's?"));
        }
    }
    among[0]
}

/// Groups as one thing to make a context of.
fn joined(groups: &[Resource]) -> Handle {
    let driver = Driver::get();
    let mut groups = groups.to_vec();
    let mut made = std::ptr::null_mut();
    // SAFETY: as many resources as said, which the driver made itself.
    let code = unsafe {
        (driver.cuDevResourceGenerateDesc)(&mut made, groups.as_mut_ptr(), groups.len() as c_uint)
    };
    driver.must(code, "cuDevResourceGenerateDesc");
    made
}

/// A green context, and the handle that all other functions take.
fn context(device: Device, resources: Handle) -> (Handle, Handle) {
    let driver = Driver::get();
    let (mut green, mut context) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: each writes one handle; the resources are this device's.
    unsafe {
        let made = (driver.cuGreenCtxCreate)(&mut green, resources, device, DEFAULT_STREAM);
        driver.must(made, "cuGreenCtxCreate");
        driver.must((driver.cuCtxFromGreenCtx)(&mut context, green), "cuCtxFromGreenCtx");
    }
    (green, context)
}

/// The SMs that blocks come to in a context, which must be `count`. Leaves it
/// current.
fn reached(context: Handle, count: u32) -> Vec<u32> {
    for attempt in 0..TRIES {
        let found = probe(context, count, CYCLES << attempt);
        if found.len() as u32 == count {
            return found;
        }
        if found.len() as u32 > count || attempt + 1 == TRIES {
            refuse(&format!("{} SMs were reached from a context of {count}", found.len()));
        }
    }
    Vec::new()
}

fn probe(context: Handle, count: u32, cycles: u32) -> Vec<u32> {
    let driver = Driver::get();
    let mut marks = [0u32; MARKS / 32];
    let bytes = size_of_val(&marks);
    let (mut module, mut kernel) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut at = 0u64;
    let mut cycles = cycles;
    let none = std::ptr::null_mut();
    // SAFETY: handles and addresses come from the driver and are used as it says;
    // the kernel takes an address and a number, in this order; the copy fills `marks`.
    unsafe {
        driver.must((driver.cuCtxSetCurrent)(context), "cuCtxSetCurrent");
        driver.must(
            (driver.cuModuleLoadData)(&mut module, PROBE.as_ptr().cast()),
            "cuModuleLoadData",
        );
        let found = (driver.cuModuleGetFunction)(&mut kernel, module, c"probe".as_ptr());
        driver.must(found, "cuModuleGetFunction");
        driver.must((driver.cuMemAlloc_v2)(&mut at, bytes), "cuMemAlloc");
        driver.must((driver.cuMemsetD8_v2)(at, 0, bytes), "cuMemsetD8");
        let mut arguments = [(&raw mut at).cast(), (&raw mut cycles).cast()];
        let launched = (driver.cuLaunchKernel)(
            kernel,
            BLOCKS * count,
            1,
            1,
            THREADS,
            1,
            1,
            0,
            none,
            arguments.as_mut_ptr(),
            none.cast(),
        );
        driver.must(launched, "cuLaunchKernel");
        driver.must((driver.cuCtxSynchronize)(), "cuCtxSynchronize");
        let copied = (driver.cuMemcpyDtoH_v2)(marks.as_mut_ptr().cast(), at, bytes);
        driver.must(copied, "cuMemcpyDtoH");
        driver.must((driver.cuMemFree_v2)(at), "cuMemFree");
        driver.must((driver.cuModuleUnload)(module), "cuModuleUnload");
    }
    (0..MARKS as u32).filter(|sm| marks[*sm as usize / 32] >> (sm % 32) & 1 == 1).collect()
}
