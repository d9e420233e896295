//! One application's use of a device: its module, its buffers, its launches.

use std::convert::Infallible;
use std::ops::Range;

use crate::app::LaunchRecord;
use crate::error::AppError;
use crate::launcher::Launcher;
use crate::target::{Target, best_code, vendor_name};
use crate::values::{Element, from_bytes, to_bytes};
use upset_chip::{ChipSpec, Vendor};
use upset_device::{Args, Carried, DevPtr, Device, Launch, ModuleId, Texture};

/// A device with an application's code loaded.
pub(crate) struct Session<'d> {
    device: &'d mut Device,
    launcher: &'d mut dyn Launcher,
    module: ModuleId,
    buffers: Vec<DevPtr>,
    launches: Vec<LaunchRecord>,
}

/// The form of an application's code that a chip runs, with its name.
pub(crate) fn binary<C: AsRef<[u8]>>(
    app: &str,
    chip: &ChipSpec,
    forms: &[(Target, C)],
) -> Vec<(String, Vec<u8>)> {
    let found = Target::of_chip(chip).and_then(|chip| best_code(chip, forms));
    let named = |(target, code): (Target, &C)| (target.file_name(app), code.as_ref().to_vec());
    found.map(named).into_iter().collect()
}

/// The form of an application's code that a chip runs, or why there is none.
fn code_for<'c, C>(
    app: &str,
    chip: &ChipSpec,
    forms: &'c [(Target, C)],
) -> Result<(Target, &'c C), AppError> {
    let found = Target::of_chip(chip).and_then(|chip| best_code(chip, forms));
    if let Some(found) = found {
        return Ok(found);
    }
    let (app, vendor) = (app.to_string(), chip.chip.vendor);
    Err(match forms.iter().find(|(target, _)| target.vendor() == vendor).or(forms.first()) {
        Some((target, _)) if target.vendor() != vendor => AppError::OtherVendor {
            app,
            wanted: vendor_name(target.vendor()),
            chip: chip.chip.name.clone(),
            found: vendor_name(vendor),
        },
        _ => {
            let available: Vec<_> = forms.iter().map(|(target, _)| target.to_string()).collect();
            let available = match available.is_empty() {
                true => "NVIDIA's chips alone, as PTX".to_string(),
                false => available.join(", "),
            };
            AppError::NoCode { app, arch: chip.chip.arch.clone(), available }
        }
    })
}

impl<'d> Session<'d> {
    /// Loads the form of `app`'s code that fits the device, or `other` in its place.
    pub fn open<C: AsRef<[u8]>>(
        device: &'d mut Device,
        app: &str,
        forms: &[(Target, C)],
        other: Option<&[u8]>,
        launcher: &'d mut dyn Launcher,
    ) -> Result<Self, AppError> {
        let (target, own) = code_for(app, device.chip(), forms)?;
        let code = other.unwrap_or(own.as_ref());
        let (app, arch) = (app.to_string(), target.to_string());
        let named = |error| AppError::Code { app, arch, error: Box::new(error) };
        let module = device.load_module(code).map_err(named)?;
        Ok(Self { device, launcher, module, buffers: Vec::new(), launches: Vec::new() })
    }

    /// A buffer of `bytes` bytes, contents undefined.
    pub fn room(&mut self, bytes: usize) -> Result<DevPtr, AppError> {
        let buffer = self.device.malloc(bytes as u64)?;
        self.buffers.push(buffer);
        Ok(buffer)
    }

    /// A buffer of zero bytes.
    pub fn zeros(&mut self, bytes: usize) -> Result<DevPtr, AppError> {
        let buffer = self.room(bytes)?;
        self.device.memset(buffer, 0, bytes as u64)?;
        Ok(buffer)
    }

    /// A buffer that holds `values`.
    pub fn place<T: Element>(&mut self, values: &[T]) -> Result<DevPtr, AppError> {
        let buffer = self.room(values.len() * T::SIZE)?;
        self.write(buffer, values)?;
        Ok(buffer)
    }

    /// Copies `values` to the device.
    pub fn write<T: Element>(&mut self, to: DevPtr, values: &[T]) -> Result<(), AppError> {
        Ok(self.device.upload(to, &to_bytes(values))?)
    }

    /// Copies `count` elements from the device.
    pub fn read<T: Element>(&mut self, from: DevPtr, count: usize) -> Result<Vec<T>, AppError> {
        let mut bytes = vec![0; count * T::SIZE];
        self.device.download(from, &mut bytes)?;
        Ok(from_bytes(&bytes))
    }

    /// Copies `count` elements from the device that nobody looks at yet.
    pub fn carry<T: Element>(&mut self, from: DevPtr, count: usize) -> Result<Carried, AppError> {
        Ok(self.device.download_carried(from, count * T::SIZE)?)
    }

    /// Looks at elements that are carried.
    pub fn look_at<T: Element>(&mut self, carried: &Carried, range: Range<usize>) -> Vec<T> {
        from_bytes(self.device.look_at(carried, range.start * T::SIZE..range.end * T::SIZE))
    }

    /// Works elements out of parts of what is carried, by a function that depends on
    /// nothing else: they are carried too.
    pub fn work_out<T: Element, R: Element>(
        &mut self,
        parts: &[(&Carried, Range<usize>)],
        function: impl Fn(Vec<T>) -> Vec<R>,
    ) -> Carried {
        let bytes_of =
            |(carried, r): &(_, Range<usize>)| (*carried, r.start * T::SIZE..r.end * T::SIZE);
        let parts: Vec<_> = parts.iter().map(bytes_of).collect();
        let of_bytes = |parts: &[&[u8]]| {
            let elements = parts.iter().flat_map(|part| from_bytes::<T>(part)).collect();
            Ok::<_, Infallible>(to_bytes(&function(elements)))
        };
        match self.device.work_out(&parts, of_bytes) {
            Ok(carried) => carried,
            Err(never) => match never {},
        }
    }

    /// Copies to the device what is carried.
    pub fn write_carried(&mut self, to: DevPtr, carried: &Carried) -> Result<(), AppError> {
        Ok(self.device.upload_carried(to, carried)?)
    }

    /// Copies bytes into a `__constant__` or `__device__` variable.
    pub fn write_symbol(&mut self, name: &str, bytes: &[u8]) -> Result<(), AppError> {
        Ok(self.device.upload_symbol(self.module, name, 0, bytes)?)
    }

    /// Lets a texture reference read from linear memory.
    pub fn bind_texture(&mut self, name: &str, texture: Texture) -> Result<(), AppError> {
        Ok(self.device.bind_texture(self.module, name, texture)?)
    }

    /// Whether kernels can take pointers to local memory, as OpenCL's do.
    pub fn has_local_arguments(&self) -> bool {
        self.device.chip().chip.vendor == Vendor::Amd
    }

    /// Launches a kernel of the application's module, without dynamic shared memory.
    pub fn launch(
        &mut self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        args: &Args,
    ) -> Result<(), AppError> {
        let launch = Launch { grid, block, shared_bytes: 0, ..Launch::default() };
        self.launch_with(kernel, &launch, args)
    }

    /// Launches a kernel of the application's module.
    pub fn launch_with(
        &mut self,
        kernel: &str,
        launch: &Launch,
        args: &Args,
    ) -> Result<(), AppError> {
        let function = self.device.function(self.module, kernel)?;
        self.launcher.launch(self.device, function, launch, args)?;
        self.launches.push(LaunchRecord {
            kernel: kernel.to_string(),
            grid: launch.grid,
            block: launch.block,
        });
        Ok(())
    }

    /// Frees the buffers and hands out the record of launches.
    pub fn close(self) -> Result<Vec<LaunchRecord>, AppError> {
        for buffer in self.buffers {
            self.device.free(buffer)?;
        }
        Ok(self.launches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told_in_one_sentence() {
        let chip = ChipSpec::preset("rtx2060").unwrap();
        let told = |forms: &[(Target, ())]| code_for("x", &chip, forms).unwrap_err().to_string();
        let amd = told(&[(Target::Gfx(600), ())]);
        assert!(amd.starts_with("x is for AMD chips, and rtx2060 is NVIDIA's"), "{amd}");
        let other = told(&[(Target::Gfx(600), ()), (Target::Sm(90), ())]);
        assert_eq!(other, "x has no code for sm_75: it comes for gfx600, sm_90");
        assert!(code_for("x", &chip, &[(Target::Sm(75), ())]).is_ok());
    }
}
