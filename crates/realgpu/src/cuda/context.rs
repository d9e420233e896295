//! What a board's work runs in: the primary context, or a green context over
//! some of the SMs.

use std::ptr::null_mut;

use upset_burn::BoardError;

use super::api::{
    DeviceHandle, GREEN_DEFAULT_STREAM, Handle, RESOURCE_SM, Resource, SPLIT_IGNORE_COSCHEDULING,
    STREAM_NON_BLOCKING,
};
use super::driver::Driver;

/// Which SMs a context may use, in the groups that the driver splits them into
/// (two SMs each where it can).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sms {
    /// All, in the primary context.
    #[default]
    All,
    /// One group alone.
    Group(u32),
    /// All groups but these.
    Without(Vec<u32>),
}

/// A context with one stream.
pub struct Context {
    device: DeviceHandle,
    green: Option<Handle>,
    context: Handle,
    /// Where all copies and launches go.
    pub stream: Handle,
}

impl Context {
    /// Makes it and makes it current.
    pub fn open(driver: &Driver, device: DeviceHandle, sms: &Sms) -> Result<Context, BoardError> {
        let mut made = Context { device, green: None, context: null_mut(), stream: null_mut() };
        match sms {
            Sms::All => {
                // SAFETY: the device came from the driver; the handle is written.
                let status = unsafe { (driver.api.primary_retain)(&mut made.context, device) };
                driver.could(status, "cuDevicePrimaryCtxRetain")?;
            }
            Sms::Group(_) | Sms::Without(_) => {
                let green = green(driver, device, sms)?;
                made.green = Some(green);
                let from_green = needed(driver.api.green_context, "cuCtxFromGreenCtx")?;
                // SAFETY: the green context was just created.
                let status = unsafe { from_green(&mut made.context, green) };
                driver.could(status, "cuCtxFromGreenCtx")?;
            }
        }
        made.make_current(driver)?;
        match made.green {
            None => {
                // SAFETY: a context is current; the handle is written.
                let status =
                    unsafe { (driver.api.stream_create)(&mut made.stream, STREAM_NON_BLOCKING) };
                driver.could(status, "cuStreamCreate")?;
            }
            Some(green) => {
                let create = needed(driver.api.green_stream, "cuGreenCtxStreamCreate")?;
                // SAFETY: the green context is alive; priority 0 is the default.
                let status = unsafe { create(&mut made.stream, green, STREAM_NON_BLOCKING, 0) };
                driver.could(status, "cuGreenCtxStreamCreate")?;
            }
        }
        Ok(made)
    }

    /// Makes it the context of this thread.
    pub fn make_current(&self, driver: &Driver) -> Result<(), BoardError> {
        // SAFETY: the context is alive until `close`.
        let status = unsafe { (driver.api.context_set)(self.context) };
        driver.could(status, "cuCtxSetCurrent")
    }

    /// Gives it back. Not to be called when a kernel hangs: the driver would wait.
    pub fn close(&mut self, driver: &Driver) {
        // SAFETY: each handle is given back once, and nothing uses it after.
        // Errors have no one to go to.
        unsafe {
            if !self.stream.is_null() {
                (driver.api.stream_destroy)(std::mem::replace(&mut self.stream, null_mut()));
            }
            match (self.green.take(), driver.api.green_destroy) {
                (Some(green), Some(destroy)) => {
                    (driver.api.context_set)(null_mut());
                    destroy(green);
                }
                (Some(_), None) => {}
                (None, _) if !self.context.is_null() => {
                    (driver.api.primary_release)(self.device);
                }
                (None, _) => {}
            }
        }
        self.context = null_mut();
    }
}

/// The groups that the driver splits all SMs into: as small as it allows.
pub fn groups(driver: &Driver, device: DeviceHandle) -> Result<Vec<Resource>, BoardError> {
    let resource = needed(driver.api.device_resource, "cuDeviceGetDevResource")?;
    let split = needed(driver.api.resource_split, "cuDevSmResourceSplitByCount")?;
    let mut all = Resource::EMPTY;
    // SAFETY: the resource is of the size the driver writes.
    let status = unsafe { resource(device, &mut all, RESOURCE_SM) };
    driver.could(status, "cuDeviceGetDevResource")?;
    let mut list = vec![Resource::EMPTY; all.sm_count.max(1) as usize];
    let mut rest = Resource::EMPTY;
    let (mut count, mut status) = (0, 0);
    // A driver of CUDA 12.4 has no flags yet: larger groups then.
    for flags in [SPLIT_IGNORE_COSCHEDULING, 0] {
        count = list.len() as u32;
        // SAFETY: the list has as many places as `count` says, which the driver
        // replaces by how many it filled. Two SMs are the least that is asked for.
        status = unsafe { split(list.as_mut_ptr(), &mut count, &all, &mut rest, flags, 2) };
        if status == 0 {
            break;
        }
    }
    driver.could(status, "cuDevSmResourceSplitByCount")?;
    list.truncate(count as usize);
    // What is left over is a group as well, as in `upset-quarantine-preload`.
    if rest.kind == RESOURCE_SM && rest.sm_count > 0 {
        list.push(rest);
    }
    if list.is_empty() {
        return Err(BoardError::CannotRun(
            "cuDevSmResourceSplitByCount gave no group of SMs: they cannot be told apart here"
                .into(),
        ));
    }
    Ok(list)
}

fn green(driver: &Driver, device: DeviceHandle, sms: &Sms) -> Result<Handle, BoardError> {
    let describe = needed(driver.api.resource_describe, "cuDevResourceGenerateDesc")?;
    let create = needed(driver.api.green_create, "cuGreenCtxCreate")?;
    let all = groups(driver, device)?;
    let wanted = |i: u32| match sms {
        Sms::All => true,
        Sms::Group(g) => i == *g,
        Sms::Without(list) => !list.contains(&i),
    };
    let mut chosen: Vec<Resource> =
        (0u32..).zip(&all).filter(|(i, _)| wanted(*i)).map(|(_, r)| *r).collect();
    if chosen.is_empty() {
        return Err(BoardError::CannotRun(format!(
            "{sms:?} leaves no SM: the driver splits this GPU into {} groups",
            all.len()
        )));
    }
    let mut description = null_mut();
    // SAFETY: the resources come from one split, as the driver demands.
    let status = unsafe { describe(&mut description, chosen.as_mut_ptr(), chosen.len() as u32) };
    driver.could(status, "cuDevResourceGenerateDesc")?;
    let mut green = null_mut();
    // SAFETY: the description was just made for this device.
    let status = unsafe { create(&mut green, description, device, GREEN_DEFAULT_STREAM) };
    driver.could(status, "cuGreenCtxCreate")?;
    Ok(green)
}

/// A function that older drivers lack.
pub fn needed<F>(function: Option<F>, name: &str) -> Result<F, BoardError> {
    function.ok_or_else(|| {
        BoardError::CannotRun(format!(
            "this driver has no {name}: green contexts need a driver for CUDA 12.5 or newer"
        ))
    })
}
