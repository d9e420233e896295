//! Names of OpenCL's errors.

use super::api::Status;

/// `CL_DEVICE_NOT_FOUND`.
pub const NO_DEVICE: Status = -1;
/// `CL_OUT_OF_RESOURCES`: what implementations say when a kernel failed.
pub const OUT_OF_RESOURCES: Status = -5;
/// `CL_PLATFORM_NOT_FOUND_KHR`: the loader found no vendor.
pub const NO_PLATFORM: Status = -1001;

const NAMES: &[(Status, &str)] = &[
    (NO_DEVICE, "CL_DEVICE_NOT_FOUND"),
    (-2, "CL_DEVICE_NOT_AVAILABLE"),
    (-3, "CL_COMPILER_NOT_AVAILABLE"),
    (-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    (OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"),
    (-6, "CL_OUT_OF_HOST_MEMORY"),
    (-11, "CL_BUILD_PROGRAM_FAILURE"),
    (-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"),
    (-46, "CL_INVALID_KERNEL_NAME"),
    (-52, "CL_INVALID_KERNEL_ARGS"),
    (-54, "CL_INVALID_WORK_GROUP_SIZE"),
    (-61, "CL_INVALID_BUFFER_SIZE"),
    (NO_PLATFORM, "CL_PLATFORM_NOT_FOUND_KHR"),
];

/// A name, or the number.
pub fn words(status: Status) -> String {
    let found = NAMES.iter().find(|(code, _)| *code == status);
    found.map_or_else(|| format!("OpenCL error {status}"), |(_, name)| (*name).to_string())
}
