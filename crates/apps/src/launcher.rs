//! Who launches an application's kernels.

use crate::AppError;
use upset_device::{Args, Device, FunctionId, Launch};

/// Makes the launches that an application asks for, in whatever form.
pub trait Launcher {
    /// Has a kernel done to its end.
    fn launch(
        &mut self,
        device: &mut Device,
        function: FunctionId,
        launch: &Launch,
        args: &Args,
    ) -> Result<(), AppError>;
}

/// As asked for.
#[derive(Debug, Default)]
pub struct Direct;

impl Launcher for Direct {
    fn launch(
        &mut self,
        device: &mut Device,
        function: FunctionId,
        launch: &Launch,
        args: &Args,
    ) -> Result<(), AppError> {
        Ok(device.launch(function, launch, args)?)
    }
}

/// How an application is run.
pub struct Way<'a> {
    /// Code with the same kernels, in place of its own.
    pub code: Option<&'a [u8]>,
    /// Who launches them.
    pub launcher: &'a mut dyn Launcher,
}
