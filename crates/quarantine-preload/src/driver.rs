//! The driver's own functions, those that are used here.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute_copy;
use std::sync::OnceLock;

use crate::lookup::real_dlsym;
use crate::report::refuse;

/// `CUcontext`, `CUgreenCtx`, `CUmodule`, `CUfunction`, `CUdevResourceDesc`.
pub type Handle = *mut c_void;
/// `CUdevice`.
pub type Device = c_int;
/// `CUresult`.
pub type Code = c_int;

/// `CUdevResource` as of CUDA 12.4, whose functions these are: 144 bytes.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Resource {
    /// 1 for SMs.
    pub kind: c_uint,
    inside: [u8; 92],
    /// `sm.smCount`.
    pub sms: c_uint,
    rest: [u8; 44],
}

impl Resource {
    /// To be filled in by the driver.
    pub const EMPTY: Resource = Resource { kind: 0, inside: [0; 92], sms: 0, rest: [0; 44] };
    /// `CU_DEV_RESOURCE_TYPE_SM`.
    pub const SM: c_uint = 1;
}

const _: () = assert!(size_of::<Resource>() == 144);

macro_rules! functions {
    ($($name:ident: fn($($kind:ty),*);)*) => {
        /// Functions of libcuda by their names there.
        #[allow(non_snake_case)]
        pub struct Driver {
            $(pub $name: unsafe extern "C" fn($($kind),*) -> Code,)*
        }

        impl Driver {
            fn find(library: Handle) -> Driver {
                Driver {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        let address = find(library, name);
                        if address.is_null() {
                            refuse(&format!(
                                "the CUDA driver has no {}: green contexts need one of CUDA 12.4 or later",
                                stringify!($name)
                            ));
                        }
                        // SAFETY: the driver's function of that name has this signature
                        // (CUDA Driver API 12.4); a function pointer is as large as an address.
                        unsafe { transmute_copy(&address) }
                    },)*
                }
            }
        }
    };
}

functions! {
    cuCtxSetCurrent: fn(Handle);
    cuCtxGetCurrent: fn(*mut Handle);
    cuCtxGetDevice: fn(*mut Device);
    cuCtxPushCurrent_v2: fn(Handle);
    cuCtxPopCurrent_v2: fn(*mut Handle);
    cuCtxSynchronize: fn();
    cuDeviceGetUuid: fn(*mut [u8; 16], Device);
    cuDevicePrimaryCtxRetain: fn(*mut Handle, Device);
    cuDeviceGetDevResource: fn(Device, *mut Resource, c_uint);
    cuDevSmResourceSplitByCount: fn(*mut Resource, *mut c_uint, *const Resource, *mut Resource, c_uint, c_uint);
    cuDevResourceGenerateDesc: fn(*mut Handle, *mut Resource, c_uint);
    cuGreenCtxCreate: fn(*mut Handle, Handle, Device, c_uint);
    cuGreenCtxDestroy: fn(Handle);
    cuCtxFromGreenCtx: fn(*mut Handle, Handle);
    cuModuleLoadData: fn(*mut Handle, *const c_void);
    cuModuleGetFunction: fn(*mut Handle, Handle, *const c_char);
    cuModuleUnload: fn(Handle);
    cuMemAlloc_v2: fn(*mut u64, usize);
    cuMemFree_v2: fn(u64);
    cuMemsetD8_v2: fn(u64, u8, usize);
    cuMemcpyDtoH_v2: fn(*mut c_void, u64, usize);
    cuLaunchKernel: fn(Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void);
    cuGetErrorName: fn(Code, *mut *const c_char);
    cuGetErrorString: fn(Code, *mut *const c_char);
}

/// libcuda as the program has it, or would get it.
fn library() -> Handle {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    *LIBRARY.get_or_init(|| {
        // SAFETY: the name is a C string; the library's own start-up code is what the
        // program asked for.
        unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW) as usize }
    }) as Handle
}

fn find(library: Handle, name: &str) -> Handle {
    debug_assert!(name.ends_with('\0'));
    // SAFETY: the name ends with a zero byte, and the handle is dlopen's.
    unsafe { real_dlsym()(library, name.as_ptr().cast()) }
}

/// A function of the driver's that the program asked for by name; null if there
/// is none.
pub fn by_name(name: &CStr) -> Handle {
    match library() {
        library if library.is_null() => library,
        // SAFETY: as in `find`.
        library => unsafe { real_dlsym()(library, name.as_ptr()) },
    }
}

impl Driver {
    /// The driver. Ends the program if it has no green contexts.
    pub fn get() -> &'static Driver {
        static DRIVER: OnceLock<Driver> = OnceLock::new();
        DRIVER.get_or_init(|| match library() {
            library if library.is_null() => refuse("libcuda.so.1 cannot be loaded"),
            library => Driver::find(library),
        })
    }

    /// Ends the program with the driver's own words, unless a call succeeded.
    pub fn must(&self, code: Code, call: &str) {
        if code == 0 {
            return;
        }
        let words = |ask: unsafe extern "C" fn(Code, *mut *const c_char) -> Code| {
            let mut text = std::ptr::null();
            // SAFETY: the driver sets the pointer to a static string, or leaves it null.
            unsafe {
                ask(code, &mut text);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        let name = words(self.cuGetErrorName).unwrap_or_else(|| format!("error {code}"));
        let text = words(self.cuGetErrorString).unwrap_or_default();
        refuse(&format!("the CUDA driver refuses {call}: {name}, {text}"));
    }
}
