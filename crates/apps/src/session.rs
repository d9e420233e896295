//! One application's use of a device: its module, its buffers, its launches.

use crate::app::LaunchRecord;
use crate::error::AppError;
use crate::values::{Element, from_bytes, to_bytes};
use upset_device::{Args, DevPtr, Device, Launch, ModuleId, Texture};

/// A device with an application's code loaded.
pub(crate) struct Session<'d> {
    device: &'d mut Device,
    module: ModuleId,
    buffers: Vec<DevPtr>,
    launches: Vec<LaunchRecord>,
}

/// Which of some compiled forms, each with its architecture number, a chip can
/// run: the newest of its own generation that is not newer than the chip.
pub fn best_code<C>(arch: u32, forms: &[(u32, C)]) -> Option<&C> {
    forms
        .iter()
        .filter(|(sm, _)| sm / 10 == arch / 10 && *sm <= arch)
        .max_by_key(|(sm, _)| *sm)
        .map(|(_, code)| code)
}

/// The form of an application's code that a chip runs, with its name.
pub(crate) fn binary<C: AsRef<[u8]>>(
    app: &str,
    arch: u32,
    forms: &[(u32, C)],
) -> Vec<(String, Vec<u8>)> {
    let numbered: Vec<_> = forms.iter().map(|(sm, code)| (*sm, (*sm, code))).collect();
    best_code(arch, &numbered)
        .map(|(sm, code)| (format!("{app}.sm_{sm}.cubin"), code.as_ref().to_vec()))
        .into_iter()
        .collect()
}

impl<'d> Session<'d> {
    /// Loads the form of `app`'s code that fits the device.
    pub fn open<C: AsRef<[u8]>>(
        device: &'d mut Device,
        app: &str,
        forms: &[(u32, C)],
    ) -> Result<Self, AppError> {
        let arch = device.arch_number();
        let code = best_code(arch, forms).ok_or_else(|| {
            let available: Vec<_> = forms.iter().map(|(sm, _)| format!("sm_{sm}")).collect();
            AppError::NoCode { app: app.to_string(), arch, available: available.join(", ") }
        })?;
        let module = device.load_module(code.as_ref())?;
        Ok(Self { device, module, buffers: Vec::new(), launches: Vec::new() })
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

    /// Copies bytes into a `__constant__` or `__device__` variable.
    pub fn write_symbol(&mut self, name: &str, bytes: &[u8]) -> Result<(), AppError> {
        Ok(self.device.upload_symbol(self.module, name, 0, bytes)?)
    }

    /// Lets a texture reference read from linear memory.
    pub fn bind_texture(&mut self, name: &str, texture: Texture) -> Result<(), AppError> {
        Ok(self.device.bind_texture(self.module, name, texture)?)
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
        self.device.launch(function, launch, args)?;
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
    fn code_is_chosen_within_the_chips_generation() {
        let forms = [(70, 'a'), (75, 'b'), (80, 'c'), (90, 'd')];
        assert_eq!(best_code(70, &forms), Some(&'a'));
        assert_eq!(best_code(75, &forms), Some(&'b'));
        assert_eq!(best_code(72, &forms), Some(&'a'));
        assert_eq!(best_code(86, &forms), Some(&'c'));
        assert_eq!(best_code(35, &forms), None);
        assert_eq!(best_code(90, &forms[..3]), None);
    }
}
