//! CUDA's driver, opened and initialised, and what its codes mean.

use std::ffi::{CStr, c_char, c_int};

use upset_burn::BoardError;

use super::api::{Cuda, DeviceHandle, Status, attribute};

/// `CUDA_ERROR_NOT_READY`: something is still under way.
pub const NOT_READY: Status = 600;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
const OUT_OF_MEMORY: Status = 2;

/// Codes that say the GPU went wrong while it worked, with `cuda.h`'s names:
/// uncorrectable ECC and NVLink errors, illegal addresses, time-outs, asserts,
/// stacks, instructions, alignment, address spaces, program counters, launches
/// that failed, lost or contained errors, and "unknown", which is what remains
/// after an Xid.
const DEVICE_FAILED: &[Status] =
    &[214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999];

/// The oldest driver that runs machine code of CUDA 11.8 (minor-version
/// compatibility within CUDA 11), and the one that knows `sm_90` and PTX 7.8.
const OLDEST: c_int = 11_000;
const OLDEST_FOR_90: c_int = 11_080;

/// The driver.
#[derive(Clone)]
pub struct Driver {
    /// Its functions.
    pub api: Cuda,
    /// `12040` for CUDA 12.4.
    pub version: c_int,
}

impl Driver {
    /// Opens and initialises it.
    pub fn open() -> Result<Driver, BoardError> {
        let api = Cuda::open().map_err(|e| BoardError::CannotRun(e.to_string()))?;
        let mut driver = Driver { api, version: 0 };
        // SAFETY: the version is written to a place of its type.
        let status = unsafe { (driver.api.driver_version)(&mut driver.version) };
        driver.could(status, "cuDriverGetVersion")?;
        if driver.version < OLDEST {
            return Err(BoardError::CannotRun(format!(
                "the NVIDIA driver knows CUDA {} only: 11.0 or newer is needed, install a newer \
                 driver",
                release(driver.version)
            )));
        }
        // SAFETY: no other demands than flags of zero.
        let status = unsafe { (driver.api.init)(0) };
        driver.could(status, "cuInit")?;
        Ok(driver)
    }

    /// How many devices there are.
    pub fn count(&self) -> Result<u32, BoardError> {
        let mut count = 0;
        // SAFETY: written to a place of its type.
        let status = unsafe { (self.api.device_count)(&mut count) };
        self.could(status, "cuDeviceGetCount")?;
        Ok(count.max(0) as u32)
    }

    /// The device of that number.
    pub fn device(&self, number: u32) -> Result<DeviceHandle, BoardError> {
        let count = self.count()?;
        if count == 0 {
            return Err(BoardError::CannotRun(
                "the NVIDIA driver is there but sees no GPU (is CUDA_VISIBLE_DEVICES empty, or \
                 MIG on without an instance?)"
                    .into(),
            ));
        }
        if number >= count {
            return Err(BoardError::CannotRun(format!(
                "there is no GPU {number}: the driver sees {count}, numbered from 0"
            )));
        }
        let mut device = 0;
        // SAFETY: written to a place of its type; the number is below the count.
        let status = unsafe { (self.api.device_get)(&mut device, number as c_int) };
        self.could(status, "cuDeviceGet")?;
        Ok(device)
    }

    /// An attribute; `None` where the driver does not know it.
    pub fn attribute(&self, device: DeviceHandle, which: c_int) -> Option<c_int> {
        let mut value = 0;
        // SAFETY: written to a place of its type; the device came from the driver.
        let status = unsafe { (self.api.device_attribute)(&mut value, which, device) };
        (status == 0).then_some(value)
    }

    /// Compute capability, 90 for 9.0.
    pub fn capability(&self, device: DeviceHandle) -> Result<u32, BoardError> {
        let both =
            (self.attribute(device, attribute::MAJOR), self.attribute(device, attribute::MINOR));
        let (Some(major), Some(minor)) = both else {
            return Err(BoardError::CannotRun(
                "the driver does not tell the GPU's compute capability".into(),
            ));
        };
        let sm = (major * 10 + minor) as u32;
        if sm >= 90 && self.version < OLDEST_FOR_90 {
            return Err(BoardError::CannotRun(format!(
                "the NVIDIA driver knows CUDA {} only: a GPU of compute capability {major}.{minor} \
                 needs 11.8 or newer, install a newer driver",
                release(self.version)
            )));
        }
        Ok(sm)
    }

    /// The device's name.
    pub fn name(&self, device: DeviceHandle) -> Result<String, BoardError> {
        let mut text = [0 as c_char; 256];
        // SAFETY: the length is the buffer's; the driver ends the text in it.
        let status = unsafe { (self.api.device_name)(text.as_mut_ptr(), 256, device) };
        self.could(status, "cuDeviceGetName")?;
        Ok(text_of(&text))
    }

    /// The device's UUID, as NVML writes it.
    pub fn uuid(&self, device: DeviceHandle) -> Result<String, BoardError> {
        let mut bytes = [0; 16];
        // SAFETY: a CUuuid is sixteen bytes.
        let status = unsafe { (self.api.device_uuid)(&mut bytes, device) };
        self.could(status, "cuDeviceGetUuid")?;
        Ok(uuid_text(&bytes))
    }

    /// Bytes of memory.
    pub fn memory(&self, device: DeviceHandle) -> Result<u64, BoardError> {
        let mut bytes = 0;
        // SAFETY: written to a place of its type.
        let status = unsafe { (self.api.device_memory)(&mut bytes, device) };
        self.could(status, "cuDeviceTotalMem")?;
        Ok(bytes as u64)
    }

    /// A call made before anything ran: whatever is wrong, nothing was tested.
    pub fn could(&self, status: Status, call: &str) -> Result<(), BoardError> {
        match status {
            0 => Ok(()),
            _ => Err(BoardError::CannotRun(format!("{call}: {}", self.words(status)))),
        }
    }

    /// A call made while the GPU works: some codes say that it failed.
    pub fn did(&self, status: Status, call: &str) -> Result<(), BoardError> {
        match status {
            0 => Ok(()),
            OUT_OF_MEMORY => Err(BoardError::CannotRun(format!(
                "{call}: {}; close other programs on the GPU or test less memory",
                self.words(status)
            ))),
            code if DEVICE_FAILED.contains(&code) => {
                Err(BoardError::Failed(format!("{call}: {}", self.words(status))))
            }
            _ => self.could(status, call),
        }
    }

    /// The driver's name and words for a code.
    pub fn words(&self, status: Status) -> String {
        let ask = |f: unsafe extern "C" fn(Status, *mut *const c_char) -> Status| {
            let mut text = std::ptr::null();
            // SAFETY: the driver writes a pointer to a text of its own that
            // ends with a zero and is never freed, or null.
            unsafe {
                let known = f(status, &mut text) == 0 && !text.is_null();
                known.then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        match (ask(self.api.error_name), ask(self.api.error_string)) {
            (Some(name), Some(text)) => format!("{name} ({text})"),
            (Some(name), None) => name,
            _ => format!("error {status}"),
        }
    }
}

/// `12.4` for 12040.
pub fn release(version: c_int) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// A C text in a buffer, up to its zero or the buffer's end.
pub fn text_of(buffer: &[c_char]) -> String {
    let bytes: Vec<u8> = buffer.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn uuid_text(bytes: &[u8; 16]) -> String {
    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &hex[range]);
    format!("GPU-{}", parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_written_as_nvml_writes_it() {
        let bytes = std::array::from_fn(|i| i as u8 * 16 + 1);
        assert_eq!(uuid_text(&bytes), "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1");
    }

    #[test]
    fn a_release_has_its_minor_number() {
        assert_eq!(release(11_080), "11.8");
        assert_eq!(release(12_040), "12.4");
        assert_eq!(release(13_000), "13.0");
    }
}
