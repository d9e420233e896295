//! The functions of OpenCL 1.2 that are used, with the types of `cl.h`.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Success is 0; errors are negative.
pub type Status = c_int;
/// Platforms, devices, contexts, queues, programs, kernels, buffers, events.
pub type Handle = *mut c_void;
type Callback = *const c_void;

/// `CL_DEVICE_TYPE_ALL`.
pub const EVERY_TYPE: u64 = 0xffff_ffff;
/// GPUs alone.
pub const GPUS: u64 = 4;
/// `CL_MEM_READ_WRITE`.
pub const READ_WRITE: u64 = 1;
/// `CL_PROGRAM_BUILD_LOG`.
pub const BUILD_LOG: c_uint = 0x1183;
/// `CL_EVENT_COMMAND_EXECUTION_STATUS`.
pub const EXECUTION_STATUS: c_uint = 0x11d3;

/// `cl_device_info`: what is asked for.
pub mod info {
    use std::ffi::c_uint;
    /// Compute units.
    pub const UNITS: c_uint = 0x1002;
    /// Work-items of a group.
    pub const GROUP: c_uint = 0x1004;
    /// MHz.
    pub const CLOCK: c_uint = 0x100c;
    /// Bytes of the largest buffer.
    pub const LARGEST: c_uint = 0x1010;
    /// Bytes of the cache of global memory.
    pub const CACHE: c_uint = 0x101e;
    /// Bytes of global memory.
    pub const MEMORY: c_uint = 0x101f;
    /// Bytes of local memory.
    pub const LOCAL: c_uint = 0x1023;
    /// Its name.
    pub const NAME: c_uint = 0x102b;
    /// Driver.
    pub const DRIVER: c_uint = 0x102d;
    /// `OpenCL 3.0 …`
    pub const VERSION: c_uint = 0x102f;
}

crate::functions! {
    /// OpenCL.
    OpenCl from "libOpenCL.so.1", "OpenCL";
    required {
        /// `clGetPlatformIDs(room, platforms, count)`
        platforms = "clGetPlatformIDs"(c_uint, *mut Handle, *mut c_uint) -> Status;
        /// `clGetDeviceIDs(platform, type, room, devices, count)`
        devices = "clGetDeviceIDs"(Handle, u64, c_uint, *mut Handle, *mut c_uint) -> Status;
        /// `clGetDeviceInfo(device, what, room, value, size)`
        device_info = "clGetDeviceInfo"(Handle, c_uint, usize, *mut c_void, *mut usize) -> Status;
        /// `clCreateContext(properties, count, devices, notify, data, status)`
        context = "clCreateContext"(
            *const isize, c_uint, *const Handle, Callback, *mut c_void, *mut Status,
        ) -> Handle;
        /// `clCreateCommandQueue(context, device, properties, status)`
        queue = "clCreateCommandQueue"(Handle, Handle, u64, *mut Status) -> Handle;
        /// `clCreateProgramWithSource(context, count, texts, lengths, status)`
        program = "clCreateProgramWithSource"(
            Handle, c_uint, *const *const c_char, *const usize, *mut Status,
        ) -> Handle;
        /// `clBuildProgram(program, count, devices, options, notify, data)`
        build = "clBuildProgram"(
            Handle, c_uint, *const Handle, *const c_char, Callback, *mut c_void,
        ) -> Status;
        /// `clGetProgramBuildInfo(program, device, what, room, value, size)`
        build_info = "clGetProgramBuildInfo"(
            Handle, Handle, c_uint, usize, *mut c_void, *mut usize,
        ) -> Status;
        /// `clCreateKernel(program, name, status)`
        kernel = "clCreateKernel"(Handle, *const c_char, *mut Status) -> Handle;
        /// `clSetKernelArg(kernel, index, size, value)`
        argument = "clSetKernelArg"(Handle, c_uint, usize, *const c_void) -> Status;
        /// `clCreateBuffer(context, flags, bytes, host, status)`
        buffer = "clCreateBuffer"(Handle, u64, usize, *mut c_void, *mut Status) -> Handle;
        /// `clReleaseMemObject(buffer)`
        release_buffer = "clReleaseMemObject"(Handle) -> Status;
        /// `clEnqueueWriteBuffer(queue, buffer, wait, offset, bytes, from, count, list, event)`
        write = "clEnqueueWriteBuffer"(
            Handle, Handle, c_uint, usize, usize, *const c_void, c_uint, *const Handle, *mut Handle,
        ) -> Status;
        /// `clEnqueueReadBuffer(queue, buffer, wait, offset, bytes, to, count, list, event)`
        read = "clEnqueueReadBuffer"(
            Handle, Handle, c_uint, usize, usize, *mut c_void, c_uint, *const Handle, *mut Handle,
        ) -> Status;
        /// `clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, list, event)`
        launch = "clEnqueueNDRangeKernel"(
            Handle, Handle, c_uint, *const usize, *const usize, *const usize, c_uint,
            *const Handle, *mut Handle,
        ) -> Status;
        /// `clFlush(queue)`
        flush = "clFlush"(Handle) -> Status;
        /// `clGetEventInfo(event, what, room, value, size)`
        event_info = "clGetEventInfo"(Handle, c_uint, usize, *mut c_void, *mut usize) -> Status;
        /// `clReleaseEvent(event)`
        release_event = "clReleaseEvent"(Handle) -> Status;
    }
    optional {}
}
