//! One card, and whose it is.

use std::ffi::{CStr, CString, c_uint};
use std::ptr::null_mut;

use super::api::{EVENT_XID, EVENTS, EventData, Handle, Nvml, Process, Status};
use crate::cuda::text_of;

/// Most Xids that are kept; a GPU that says more has said enough.
const XIDS: usize = 64;

/// One card's management interface.
pub struct Card {
    pub(super) api: Nvml,
    pub(super) device: Handle,
    /// Set where events can be waited for.
    pub(super) events: Option<Handle>,
    xids: Vec<u64>,
}

/// What NVML adds to a board's identity. `None` is what it does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Of the kernel driver, `580.82.07`.
    pub driver: Option<String>,
    /// Firmware.
    pub vbios: Option<String>,
    /// `on` or `off`.
    pub mig: Option<String>,
    /// `default`, `exclusive process`, …
    pub compute_mode: Option<String>,
    /// Other processes that compute on the card; `None` if not told.
    pub others: Option<Vec<u32>>,
    /// Processes that compute through the multi-process service.
    pub mps: Option<Vec<u32>>,
}

impl Card {
    /// Opens NVML for the card with that UUID. The error is one sentence.
    pub fn open(uuid: &str) -> Result<Card, String> {
        let api = Nvml::open().map_err(|e| e.to_string())?;
        // SAFETY: no arguments.
        let status = unsafe { (api.init)() };
        if status != 0 {
            return Err(format!("nvmlInit: {}", words(&api, status)));
        }
        let name = CString::new(uuid).map_err(|_| "a UUID has no zeroes".to_string())?;
        let mut device = null_mut();
        // SAFETY: the text ends with a zero; the handle is written.
        let status = unsafe { (api.by_uuid)(name.as_ptr(), &mut device) };
        if status != 0 {
            let why = words(&api, status);
            // SAFETY: initialised above.
            unsafe { (api.shutdown)() };
            return Err(format!("nvmlDeviceGetHandleByUUID({uuid}): {why}"));
        }
        let events = listen(&api, device);
        Ok(Card { api, device, events, xids: Vec::new() })
    }

    /// Names of the functions that this NVML lacks.
    pub fn lacking(&self) -> Vec<&'static str> {
        self.api.lacking()
    }

    /// Whose card it is.
    pub fn identity(&self) -> Identity {
        let api = &self.api;
        let mut text = [0; 96];
        let driver = api.driver.and_then(|f| {
            // SAFETY: the length is the buffer's.
            (unsafe { f(text.as_mut_ptr(), 96) } == 0).then(|| text_of(&text))
        });
        let vbios = api.vbios.and_then(|f| {
            // SAFETY: as above, for a device that NVML gave.
            (unsafe { f(self.device, text.as_mut_ptr(), 96) } == 0).then(|| text_of(&text))
        });
        let (mut now, mut later) = (0, 0);
        let mig = api.mig.and_then(|f| {
            // SAFETY: both are written to places of their type.
            let known = unsafe { f(self.device, &mut now, &mut later) } == 0;
            known.then(|| if now == 0 { "off" } else { "on" }.to_string())
        });
        let mut mode = 0;
        let compute_mode = api.compute_mode.and_then(|f| {
            // SAFETY: written to a place of its type.
            (unsafe { f(self.device, &mut mode) } == 0).then(|| mode_name(mode))
        });
        let me = std::process::id();
        let others = self.list(api.processes).map(|l| l.into_iter().filter(|p| *p != me).collect());
        Identity { driver, vbios, mig, compute_mode, others, mps: self.list(api.mps_processes) }
    }

    fn list(
        &self,
        function: Option<unsafe extern "C" fn(Handle, *mut c_uint, *mut Process) -> Status>,
    ) -> Option<Vec<u32>> {
        let function = function?;
        let mut found = [Process::default(); 128];
        let mut count = found.len() as c_uint;
        // SAFETY: the list has as many places as `count` says.
        let status = unsafe { function(self.device, &mut count, found.as_mut_ptr()) };
        let list = found.get(..count as usize).filter(|_| status == 0)?;
        let mut pids: Vec<u32> = list.iter().map(|p| p.pid).collect();
        pids.sort_unstable();
        Some(pids)
    }

    /// Takes the events that came; `patience` in milliseconds for the first.
    pub fn collect_events(&mut self, patience: u32) {
        let (Some(set), Some(wait)) = (self.events, self.api.events_wait) else { return };
        let mut patience = patience;
        while self.xids.len() < XIDS {
            let mut event = EventData { device: null_mut(), kind: 0, data: 0, instances: [0; 2] };
            // SAFETY: the set is alive until drop; the event is written.
            if unsafe { wait(set, &mut event, patience) } != 0 {
                return;
            }
            patience = 0;
            if event.kind == EVENT_XID {
                self.xids.push(event.data);
            }
        }
    }

    /// Xids so far, in order.
    pub fn xids(&self) -> &[u64] {
        &self.xids
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        // SAFETY: set and library are given back once, here.
        unsafe {
            if let (Some(set), Some(free)) = (self.events, self.api.events_free) {
                free(set);
            }
            (self.api.shutdown)();
        }
    }
}

/// A set of events for the card: Xids are told nowhere else.
fn listen(api: &Nvml, device: Handle) -> Option<Handle> {
    let (create, register, free) = (api.events_create?, api.events_register?, api.events_free?);
    let mut set = null_mut();
    // SAFETY: the handle is written; the set is freed if it cannot be used. A
    // card without ECC refuses those kinds, but may know Xids.
    unsafe {
        if create(&mut set) != 0 {
            return None;
        }
        if register(device, EVENTS, set) != 0 && register(device, EVENT_XID, set) != 0 {
            free(set);
            return None;
        }
    }
    Some(set)
}

fn words(api: &Nvml, status: Status) -> String {
    // SAFETY: NVML returns a text of its own that ends with a zero, or null.
    unsafe {
        let text = (api.error_string)(status);
        if text.is_null() {
            format!("error {status}")
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

fn mode_name(mode: i32) -> String {
    match mode {
        0 => "default".into(),
        1 => "exclusive thread".into(),
        2 => "prohibited".into(),
        3 => "exclusive process".into(),
        other => format!("mode {other}"),
    }
}
