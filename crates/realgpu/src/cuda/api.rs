//! The functions of CUDA's driver that are used, with the types of `cuda.h`.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `CUresult`: 0 is success.
pub type Status = c_int;
/// `CUdevice`.
pub type DeviceHandle = c_int;
/// `CUdeviceptr`.
pub type Address = u64;
/// Pointers to what only the driver knows: contexts, streams, modules.
pub type Handle = *mut c_void;

/// `CUdevResource`: 144 bytes in all releases; what lies between the kind and
/// the number of SMs is the driver's own.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Resource {
    /// `CUdevResourceType`; 1 is SMs.
    pub kind: c_int,
    /// The driver's own.
    pub inside: [u8; 92],
    /// Number of SMs.
    pub sm_count: c_uint,
    /// More of the union (13.1 added fields here).
    pub rest: [u8; 44],
}

impl Resource {
    /// Zeroes, to be written by the driver.
    pub const EMPTY: Resource = Resource { kind: 0, inside: [0; 92], sm_count: 0, rest: [0; 44] };
}

/// `CU_DEV_RESOURCE_TYPE_SM`.
pub const RESOURCE_SM: c_int = 1;
/// `CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING`: groups down to two SMs.
pub const SPLIT_IGNORE_COSCHEDULING: c_uint = 1;
/// `CU_GREEN_CTX_DEFAULT_STREAM`, which creation demands.
pub const GREEN_DEFAULT_STREAM: c_uint = 1;
/// `CU_STREAM_NON_BLOCKING`.
pub const STREAM_NON_BLOCKING: c_uint = 1;
/// `CU_JIT_INPUT_PTX`.
pub const JIT_INPUT_PTX: c_int = 1;
/// `CU_JIT_ERROR_LOG_BUFFER` and its size in bytes.
pub const JIT_ERROR_LOG: [c_int; 2] = [5, 6];
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
pub const FUNCTION_MAX_DYNAMIC_SHARED: c_int = 8;

/// `CUdevice_attribute`: those that are asked for.
pub mod attribute {
    use std::ffi::c_int;
    /// Threads of a warp.
    pub const WARP: c_int = 10;
    /// Number of SMs.
    pub const SMS: c_int = 16;
    /// Clock in kHz.
    pub const CLOCK_KHZ: c_int = 13;
    /// ECC is on.
    pub const ECC: c_int = 32;
    /// PCI bus.
    pub const PCI_BUS: c_int = 33;
    /// PCI device.
    pub const PCI_DEVICE: c_int = 34;
    /// L2 in bytes.
    pub const L2: c_int = 38;
    /// Threads an SM holds.
    pub const THREADS_PER_SM: c_int = 39;
    /// PCI domain.
    pub const PCI_DOMAIN: c_int = 50;
    /// Compute capability, major.
    pub const MAJOR: c_int = 75;
    /// Compute capability, minor.
    pub const MINOR: c_int = 76;
    /// Shared memory an SM has.
    pub const SHARED_PER_SM: c_int = 81;
    /// Registers an SM has.
    pub const REGISTERS_PER_SM: c_int = 82;
    /// Dynamic shared memory a CTA may ask for.
    pub const SHARED_PER_CTA: c_int = 97;
    /// CTAs an SM holds.
    pub const CTAS_PER_SM: c_int = 106;
    /// The process talks to the GPU through MPS.
    pub const MPS: c_int = 133;
}

crate::functions! {
    /// CUDA's driver.
    Cuda from "libcuda.so.1", "NVIDIA driver";
    required {
        /// `cuInit(flags)`
        init = "cuInit"(c_uint) -> Status;
        /// `cuDriverGetVersion(version)`
        driver_version = "cuDriverGetVersion"(*mut c_int) -> Status;
        /// `cuGetErrorName(status, name)`
        error_name = "cuGetErrorName"(Status, *mut *const c_char) -> Status;
        /// `cuGetErrorString(status, text)`
        error_string = "cuGetErrorString"(Status, *mut *const c_char) -> Status;
        /// `cuDeviceGetCount(count)`
        device_count = "cuDeviceGetCount"(*mut c_int) -> Status;
        /// `cuDeviceGet(device, ordinal)`
        device_get = "cuDeviceGet"(*mut DeviceHandle, c_int) -> Status;
        /// `cuDeviceGetName(name, length, device)`
        device_name = "cuDeviceGetName"(*mut c_char, c_int, DeviceHandle) -> Status;
        /// `cuDeviceGetUuid(uuid, device)`
        device_uuid = "cuDeviceGetUuid"(*mut [u8; 16], DeviceHandle) -> Status;
        /// `cuDeviceTotalMem(bytes, device)`
        device_memory = "cuDeviceTotalMem_v2"(*mut usize, DeviceHandle) -> Status;
        /// `cuDeviceGetAttribute(value, attribute, device)`
        device_attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, DeviceHandle) -> Status;
        /// `cuDevicePrimaryCtxRetain(context, device)`
        primary_retain = "cuDevicePrimaryCtxRetain"(*mut Handle, DeviceHandle) -> Status;
        /// `cuDevicePrimaryCtxRelease(device)`
        primary_release = "cuDevicePrimaryCtxRelease_v2"(DeviceHandle) -> Status;
        /// `cuCtxSetCurrent(context)`
        context_set = "cuCtxSetCurrent"(Handle) -> Status;
        /// `cuStreamCreate(stream, flags)`
        stream_create = "cuStreamCreate"(*mut Handle, c_uint) -> Status;
        /// `cuStreamDestroy(stream)`
        stream_destroy = "cuStreamDestroy_v2"(Handle) -> Status;
        /// `cuStreamQuery(stream)`: 600 while something is under way.
        stream_query = "cuStreamQuery"(Handle) -> Status;
        /// `cuMemAlloc(address, bytes)`
        mem_alloc = "cuMemAlloc_v2"(*mut Address, usize) -> Status;
        /// `cuMemFree(address)`
        mem_free = "cuMemFree_v2"(Address) -> Status;
        /// `cuMemGetInfo(free, total)`
        mem_info = "cuMemGetInfo_v2"(*mut usize, *mut usize) -> Status;
        /// `cuMemHostAlloc(pointer, bytes, flags)`
        host_alloc = "cuMemHostAlloc"(*mut *mut c_void, usize, c_uint) -> Status;
        /// `cuMemFreeHost(pointer)`
        host_free = "cuMemFreeHost"(*mut c_void) -> Status;
        /// `cuMemcpyHtoDAsync(to, from, bytes, stream)`
        copy_to_device = "cuMemcpyHtoDAsync_v2"(Address, *const c_void, usize, Handle) -> Status;
        /// `cuMemcpyDtoHAsync(to, from, bytes, stream)`
        copy_to_host = "cuMemcpyDtoHAsync_v2"(*mut c_void, Address, usize, Handle) -> Status;
        /// `cuMemsetD32Async(to, word, count, stream)`
        fill = "cuMemsetD32Async"(Address, c_uint, usize, Handle) -> Status;
        /// `cuModuleLoadData(module, image)`
        module_load = "cuModuleLoadData"(*mut Handle, *const c_void) -> Status;
        /// `cuModuleUnload(module)`
        module_unload = "cuModuleUnload"(Handle) -> Status;
        /// `cuModuleGetFunction(function, module, name)`
        module_function = "cuModuleGetFunction"(*mut Handle, Handle, *const c_char) -> Status;
        /// `cuModuleGetGlobal(address, bytes, module, name)`
        module_global = "cuModuleGetGlobal_v2"(*mut Address, *mut usize, Handle, *const c_char) -> Status;
        /// `cuFuncSetAttribute(function, attribute, value)`
        function_set = "cuFuncSetAttribute"(Handle, c_int, c_int) -> Status;
        /// `cuLaunchKernel(function, grid, block, shared, stream, parameters, extra)`
        launch = "cuLaunchKernel"(
            Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle,
            *mut *mut c_void, *mut *mut c_void,
        ) -> Status;
    }
    optional {
        /// `cuLinkCreate(options, keys, values, state)`
        link_create = "cuLinkCreate_v2"(c_uint, *mut c_int, *mut *mut c_void, *mut Handle) -> Status;
        /// `cuLinkAddData(state, kind, data, bytes, name, options, keys, values)`
        link_add = "cuLinkAddData_v2"(
            Handle, c_int, *mut c_void, usize, *const c_char, c_uint, *mut c_int, *mut *mut c_void,
        ) -> Status;
        /// `cuLinkComplete(state, cubin, bytes)`
        link_complete = "cuLinkComplete"(Handle, *mut *mut c_void, *mut usize) -> Status;
        /// `cuLinkDestroy(state)`
        link_destroy = "cuLinkDestroy"(Handle) -> Status;
        /// `cuDeviceGetDevResource(device, resource, kind)`
        device_resource = "cuDeviceGetDevResource"(DeviceHandle, *mut Resource, c_int) -> Status;
        /// `cuDevSmResourceSplitByCount(groups, count, from, rest, flags, least)`
        resource_split = "cuDevSmResourceSplitByCount"(
            *mut Resource, *mut c_uint, *const Resource, *mut Resource, c_uint, c_uint,
        ) -> Status;
        /// `cuDevResourceGenerateDesc(description, resources, count)`
        resource_describe = "cuDevResourceGenerateDesc"(*mut Handle, *mut Resource, c_uint) -> Status;
        /// `cuGreenCtxCreate(context, description, device, flags)`
        green_create = "cuGreenCtxCreate"(*mut Handle, Handle, DeviceHandle, c_uint) -> Status;
        /// `cuGreenCtxDestroy(context)`
        green_destroy = "cuGreenCtxDestroy"(Handle) -> Status;
        /// `cuCtxFromGreenCtx(context, green)`
        green_context = "cuCtxFromGreenCtx"(*mut Handle, Handle) -> Status;
        /// `cuGreenCtxStreamCreate(stream, green, flags, priority)`
        green_stream = "cuGreenCtxStreamCreate"(*mut Handle, Handle, c_uint, c_int) -> Status;
    }
}
