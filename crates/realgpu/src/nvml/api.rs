//! The functions of NVML that are used, with the types of `nvml.h`. All but
//! four are optional: what a driver or a card cannot say is named as missing.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `nvmlReturn_t`: 0 is success.
pub type Status = c_int;
/// `nvmlDevice_t`, `nvmlEventSet_t`.
pub type Handle = *mut c_void;

/// `NVML_ERROR_INSUFFICIENT_SIZE`: the count that is needed was written.
pub const INSUFFICIENT_SIZE: Status = 7;
/// `nvmlEventTypeXidCriticalError`, with single and double ECC errors.
pub const EVENTS: u64 = 0x8 | 0x2 | 0x1;
/// `nvmlEventTypeXidCriticalError`.
pub const EVENT_XID: u64 = 0x8;

/// `nvmlEventData_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EventData {
    /// The card.
    pub device: Handle,
    /// `nvmlEventType…`
    pub kind: u64,
    /// The Xid, for that kind.
    pub data: u64,
    /// MIG instances.
    pub instances: [c_uint; 2],
}

/// `nvmlEccSramErrorStatus_v1_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct SramErrors {
    /// Size and version.
    pub version: c_uint,
    /// Aggregate: parity, SEC-DED uncorrected; corrected.
    pub aggregate: [u64; 3],
    /// Since the driver was loaded, in the same order.
    pub volatile: [u64; 3],
    /// Aggregate uncorrected by place: L2, SM, PCIe, microcontroller, other.
    pub places: [u64; 5],
    /// More than the vendor's limit.
    pub exceeded: c_uint,
}

/// `nvmlEccSramErrorStatus_v1`.
pub const SRAM_VERSION: c_uint = size_of::<SramErrors>() as c_uint | 1 << 24;

/// `nvmlProcessInfo_t` (version 2 and 3 of the functions).
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Process {
    /// Its id.
    pub pid: c_uint,
    /// Bytes it holds.
    pub bytes: u64,
    /// MIG instances.
    pub instances: [c_uint; 2],
}

/// `nvmlFieldValue_t`; of the union only what counts milliwatts is used.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct FieldValue {
    /// Which.
    pub field: c_uint,
    /// Of which part; 0: the GPU.
    pub scope: c_uint,
    /// When, in microseconds since 1970.
    pub at: i64,
    /// How long asking took.
    pub latency: i64,
    /// What the value is: 1 an `unsigned int`.
    pub kind: c_int,
    /// Whether there is one.
    pub status: Status,
    /// The value.
    pub value: u64,
}

/// `NVML_FI_DEV_POWER_INSTANT`: milliwatts now; `nvmlDeviceGetPowerUsage` is an
/// average of the last second on newer chips.
pub const POWER_NOW: c_uint = 186;
/// `NVML_VALUE_TYPE_UNSIGNED_INT`.
pub const UNSIGNED: c_int = 1;

crate::functions! {
    /// NVIDIA's management library.
    Nvml from "libnvidia-ml.so.1", "NVML";
    required {
        /// `nvmlInit()`
        init = "nvmlInit_v2"() -> Status;
        /// `nvmlShutdown()`
        shutdown = "nvmlShutdown"() -> Status;
        /// `nvmlErrorString(status)`
        error_string = "nvmlErrorString"(Status) -> *const c_char;
        /// `nvmlDeviceGetHandleByUUID(uuid, device)`
        by_uuid = "nvmlDeviceGetHandleByUUID"(*const c_char, *mut Handle) -> Status;
    }
    optional {
        /// `nvmlSystemGetDriverVersion(text, length)`
        driver = "nvmlSystemGetDriverVersion"(*mut c_char, c_uint) -> Status;
        /// `nvmlDeviceGetVbiosVersion(device, text, length)`
        vbios = "nvmlDeviceGetVbiosVersion"(Handle, *mut c_char, c_uint) -> Status;
        /// `nvmlDeviceGetMigMode(device, current, pending)`
        mig = "nvmlDeviceGetMigMode"(Handle, *mut c_uint, *mut c_uint) -> Status;
        /// `nvmlDeviceGetComputeMode(device, mode)`
        compute_mode = "nvmlDeviceGetComputeMode"(Handle, *mut c_int) -> Status;
        /// `nvmlDeviceGetComputeRunningProcesses(device, count, list)`
        processes = "nvmlDeviceGetComputeRunningProcesses_v3"(Handle, *mut c_uint, *mut Process) -> Status;
        /// `nvmlDeviceGetMPSComputeRunningProcesses(device, count, list)`
        mps_processes = "nvmlDeviceGetMPSComputeRunningProcesses_v3"(Handle, *mut c_uint, *mut Process) -> Status;
        /// `nvmlDeviceGetTemperature(device, sensor, celsius)`
        temperature = "nvmlDeviceGetTemperature"(Handle, c_int, *mut c_uint) -> Status;
        /// `nvmlDeviceGetTemperatureThreshold(device, which, celsius)`
        threshold = "nvmlDeviceGetTemperatureThreshold"(Handle, c_int, *mut c_uint) -> Status;
        /// `nvmlDeviceGetPowerUsage(device, milliwatts)`
        power = "nvmlDeviceGetPowerUsage"(Handle, *mut c_uint) -> Status;
        /// `nvmlDeviceGetFieldValues(device, count, values)`
        fields = "nvmlDeviceGetFieldValues"(Handle, c_int, *mut FieldValue) -> Status;
        /// `nvmlDeviceGetEnforcedPowerLimit(device, milliwatts)`
        power_limit = "nvmlDeviceGetEnforcedPowerLimit"(Handle, *mut c_uint) -> Status;
        /// `nvmlDeviceGetClockInfo(device, which, megahertz)`
        clock = "nvmlDeviceGetClockInfo"(Handle, c_int, *mut c_uint) -> Status;
        /// `nvmlDeviceGetMaxClockInfo(device, which, megahertz)`
        max_clock = "nvmlDeviceGetMaxClockInfo"(Handle, c_int, *mut c_uint) -> Status;
        /// `nvmlDeviceGetCurrentClocksEventReasons(device, bits)`
        reasons = "nvmlDeviceGetCurrentClocksEventReasons"(Handle, *mut u64) -> Status;
        /// `nvmlDeviceGetCurrentClocksThrottleReasons(device, bits)`: the older name.
        old_reasons = "nvmlDeviceGetCurrentClocksThrottleReasons"(Handle, *mut u64) -> Status;
        /// `nvmlDeviceGetEccMode(device, current, pending)`
        ecc_mode = "nvmlDeviceGetEccMode"(Handle, *mut c_int, *mut c_int) -> Status;
        /// `nvmlDeviceGetTotalEccErrors(device, kind, counter, count)`
        ecc_total = "nvmlDeviceGetTotalEccErrors"(Handle, c_int, c_int, *mut u64) -> Status;
        /// `nvmlDeviceGetMemoryErrorCounter(device, kind, counter, place, count)`
        ecc_at = "nvmlDeviceGetMemoryErrorCounter"(Handle, c_int, c_int, c_int, *mut u64) -> Status;
        /// `nvmlDeviceGetSramEccErrorStatus(device, status)`
        ecc_sram = "nvmlDeviceGetSramEccErrorStatus"(Handle, *mut SramErrors) -> Status;
        /// `nvmlDeviceGetRemappedRows(device, corrected, uncorrected, pending, failed)`
        remapped = "nvmlDeviceGetRemappedRows"(Handle, *mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint) -> Status;
        /// `nvmlDeviceGetRetiredPages(device, cause, count, addresses)`
        retired = "nvmlDeviceGetRetiredPages"(Handle, c_int, *mut c_uint, *mut u64) -> Status;
        /// `nvmlDeviceGetPcieReplayCounter(device, count)`
        replays = "nvmlDeviceGetPcieReplayCounter"(Handle, *mut c_uint) -> Status;
        /// `nvmlEventSetCreate(set)`
        events_create = "nvmlEventSetCreate"(*mut Handle) -> Status;
        /// `nvmlDeviceRegisterEvents(device, kinds, set)`
        events_register = "nvmlDeviceRegisterEvents"(Handle, u64, Handle) -> Status;
        /// `nvmlEventSetWait(set, event, milliseconds)`
        events_wait = "nvmlEventSetWait_v2"(Handle, *mut EventData, c_uint) -> Status;
        /// `nvmlEventSetFree(set)`
        events_free = "nvmlEventSetFree"(Handle) -> Status;
    }
}
