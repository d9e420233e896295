//! Modules that the program loads itself. A library of the driver API is the
//! module that is made of it, and a kernel of it the function: there is one device.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};

use upset_device::FunctionId;

use super::loaded::{OwnFunction, OwnModule};
use super::modules::LACKING;
use super::state::Runtime;
use crate::abi::{Address, Handle};
use crate::error::{Error, Result};

impl Runtime {
    /// Loads an image; the reason is told and given when it cannot be.
    pub fn load_own(
        &mut self,
        image: &[u8],
        options: &[String],
    ) -> std::result::Result<Handle, (Error, String)> {
        match self.load(image, &[], options) {
            Ok(id) => Ok(self.modules.own.add(OwnModule { id, functions: BTreeMap::new() })),
            Err((error, why)) => {
                let message = format!("a module cannot be loaded: {why}");
                self.tell(message, LACKING.contains(&error));
                Err((error, why))
            }
        }
    }

    /// Ends a module and its functions. The device keeps the code.
    pub fn unload_own(&mut self, module: Handle) -> Result<()> {
        for function in self.modules.own.remove(module)?.functions.into_values() {
            let _ = self.modules.functions.remove(function);
        }
        Ok(())
    }

    /// A function by its name.
    pub fn function_of(&mut self, module: Handle, name: &str) -> Result<Handle> {
        let of = self.modules.own.get_mut(module)?;
        if let Some(&known) = of.functions.get(name) {
            return Ok(known);
        }
        let found = self.device.function(of.id, name);
        let id = found.map_err(|_| Error::SYMBOL_NOT_FOUND)?;
        let text = CString::new(name).map_err(|_| Error::INVALID_VALUE)?;
        let function = self.modules.functions.add(OwnFunction { id, module, name: text });
        of.functions.insert(name.to_string(), function);
        Ok(function)
    }

    /// Names of a module's functions.
    pub fn names_of(&self, module: Handle) -> Result<Vec<String>> {
        let id = self.modules.own.get(module)?.id;
        Ok(self.device.kernel_names(id).into_iter().map(String::from).collect())
    }

    /// Address and size of a variable by its name.
    pub fn variable_of(&mut self, module: Handle, name: &str) -> Result<(u64, u64)> {
        let id = self.modules.own.get(module)?.id;
        let (at, size) = self.device.variable(id, name).map_err(|_| Error::SYMBOL_NOT_FOUND)?;
        Ok((at.0, size))
    }

    /// A variable that the host reaches as well.
    pub fn managed_of(&mut self, module: Handle, name: &str) -> Result<(u64, u64)> {
        let (at, size) = self.variable_of(module, name)?;
        if self.mapped.find(Address(at)).is_none()
            && let Err(message) = self.mapped.add_variable(&mut self.device, at, size)
        {
            self.tell(message, true);
            return Err(Error::NOT_SUPPORTED);
        }
        Ok((at, size))
    }

    /// A function's name, as a C string that lives as long as the function.
    pub fn name_of(&self, function: Handle) -> Result<*const c_char> {
        Ok(self.modules.functions.get(function)?.name.as_ptr())
    }

    /// The function behind a handle, and its module.
    pub fn own_function(&self, function: Handle) -> Result<(FunctionId, Handle)> {
        let of = self.modules.functions.get(function)?;
        Ok((of.id, of.module))
    }
}
