//! CUDA's error codes.

/// An error code of the runtime API other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub i32);

/// What calls return.
pub type Result<T> = std::result::Result<T, Error>;

/// The code of "no error".
pub const SUCCESS: i32 = 0;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        impl Error {
            $($(#[$doc])* pub const $name: Error = Error($code);)*
        }
    };
}

codes! {
    /// An argument that is not allowed.
    INVALID_VALUE = 1,
    /// Out of device or host memory.
    MEMORY_ALLOCATION = 2,
    /// The runtime cannot be used here, e.g. in the child of a fork.
    INITIALIZATION_ERROR = 3,
    /// A grid or block the chip does not allow.
    INVALID_CONFIGURATION = 9,
    /// A pitch that is not allowed.
    INVALID_PITCH_VALUE = 12,
    /// No such `__device__` or `__constant__` variable.
    INVALID_SYMBOL = 13,
    /// A pointer that is no device pointer.
    INVALID_DEVICE_POINTER = 17,
    /// A texture that is not there.
    INVALID_TEXTURE = 18,
    /// A texture reference that is not bound.
    INVALID_TEXTURE_BINDING = 19,
    /// A channel descriptor that is not allowed.
    INVALID_CHANNEL_DESCRIPTOR = 20,
    /// A direction that is not allowed.
    INVALID_MEMCPY_DIRECTION = 21,
    /// Linear filtering of integers.
    INVALID_FILTER_SETTING = 26,
    /// 32-bit integers as fractions.
    INVALID_NORM_SETTING = 27,
    /// A surface reference that is not there.
    INVALID_SURFACE = 37,
    /// The device cannot be used any more.
    DEVICES_UNAVAILABLE = 46,
    /// Launches went past the configuration stack.
    MISSING_CONFIGURATION = 52,
    /// The function was not registered.
    INVALID_DEVICE_FUNCTION = 98,
    /// A limit that cannot be set.
    UNSUPPORTED_LIMIT = 215,
    /// PTX that is wrong.
    INVALID_PTX = 218,
    /// Nobody to compile PTX.
    JIT_COMPILER_NOT_FOUND = 221,
    /// PTX that is newer than the compiler.
    UNSUPPORTED_PTX_VERSION = 222,
    /// A state that does not allow the call.
    ILLEGAL_STATE = 401,
    /// Peer access was not enabled.
    PEER_ACCESS_NOT_ENABLED = 705,
    /// No usable device.
    NO_DEVICE = 100,
    /// No such device.
    INVALID_DEVICE = 101,
    /// Code that cannot be loaded.
    INVALID_KERNEL_IMAGE = 200,
    /// No context is current.
    INVALID_CONTEXT = 201,
    /// No code for this chip in the program.
    NO_KERNEL_IMAGE = 209,
    /// Code whose pieces do not fit together.
    INVALID_SOURCE = 300,
    /// There is no such file.
    FILE_NOT_FOUND = 301,
    /// Something is not known here.
    SYMBOL_NOT_FOUND = 500,
    /// A handle that is not alive.
    INVALID_RESOURCE_HANDLE = 400,
    /// Not done yet.
    NOT_READY = 600,
    /// An access to memory that is not there.
    ILLEGAL_ADDRESS = 700,
    /// Too many registers or too much memory for a launch.
    LAUNCH_OUT_OF_RESOURCES = 701,
    /// A kernel ran too long.
    LAUNCH_TIMEOUT = 702,
    /// A device-side assertion.
    ASSERT = 710,
    /// Registered twice.
    HOST_MEMORY_ALREADY_REGISTERED = 712,
    /// Not registered.
    HOST_MEMORY_NOT_REGISTERED = 713,
    /// The device's call stack overflowed, or a breakpoint.
    HARDWARE_STACK_ERROR = 714,
    /// A word that is no instruction.
    ILLEGAL_INSTRUCTION = 715,
    /// An access that is not aligned to its size.
    MISALIGNED_ADDRESS = 716,
    /// An address of the wrong space.
    INVALID_ADDRESS_SPACE = 717,
    /// A program counter outside the code.
    INVALID_PC = 718,
    /// Any other exception in a kernel.
    LAUNCH_FAILURE = 719,
    /// A cooperative grid that is not resident as a whole.
    COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    /// Something this chip does not do.
    NOT_PERMITTED = 800,
    /// Something we do not do.
    NOT_SUPPORTED = 801,
    /// Something that a capture does not allow.
    STREAM_CAPTURE_UNSUPPORTED = 900,
    /// An executable graph cannot take another's place.
    GRAPH_EXEC_UPDATE_FAILURE = 910,
    /// Capture was broken.
    STREAM_CAPTURE_INVALIDATED = 901,
    /// Unknown.
    UNKNOWN = 999,
}

impl Error {
    /// The code as the API returns it.
    pub fn code(self) -> i32 {
        self.0
    }

    /// Whether every call returns it from then on: a kernel went wrong, and the
    /// device is dead.
    pub fn stays(self) -> bool {
        matches!(
            self,
            Error::ILLEGAL_ADDRESS
                | Error::LAUNCH_TIMEOUT
                | Error::ASSERT
                | Error::HARDWARE_STACK_ERROR
                | Error::ILLEGAL_INSTRUCTION
                | Error::MISALIGNED_ADDRESS
                | Error::INVALID_ADDRESS_SPACE
                | Error::INVALID_PC
                | Error::LAUNCH_FAILURE
        )
    }
}

/// The code of a result.
pub fn code<T>(result: &Result<T>) -> i32 {
    match result {
        Ok(_) => SUCCESS,
        Err(e) => e.0,
    }
}
