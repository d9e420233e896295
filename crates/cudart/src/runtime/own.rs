//! Code that the program loads itself, as both APIs hand it out.

use std::fs;

use super::image;
use super::state::Runtime;
use crate::abi::{Address, Handle, Options, Out, Text};
use crate::error::{Error, Result};

fn named(name: Text) -> Result<String> {
    name.get().ok_or(Error::INVALID_VALUE)
}

fn give((at, bytes): (u64, u64), out: Out<Address>, size: Out<usize>) -> Result<()> {
    if out.is_null() && size.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    out.set_if_wanted(Address(at));
    size.set_if_wanted(bytes as usize);
    Ok(())
}

impl Runtime {
    fn load_and_tell(&mut self, code: &[u8], options: &Options) -> Result<Handle> {
        let loaded = self.load_own(code, &options.for_converter());
        options.tell(loaded.as_ref().err().map_or("", |(_, why)| why));
        loaded.map_err(|(error, _)| error)
    }

    /// Loads code that is in memory.
    pub fn load_image(&mut self, out: Out<Handle>, at: Address, options: &Options) -> Result<()> {
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let code = image::at(at)?;
        out.set(self.load_and_tell(code, options)?)
    }

    /// Loads code from a file.
    pub fn load_file(&mut self, out: Out<Handle>, path: Text) -> Result<()> {
        let path = named(path)?;
        if out.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let code = fs::read(path).map_err(|_| Error::FILE_NOT_FOUND)?;
        out.set(self.load_and_tell(&code, &Options::default())?)
    }

    /// A function of a module.
    pub fn give_function(&mut self, out: Out<Handle>, module: Handle, name: Text) -> Result<()> {
        let found = self.function_of(module, &named(name)?);
        // As on an H200: whoever does not look at the error has no function.
        out.set(found.unwrap_or_default())?;
        found.map(|_| ())
    }

    /// Handles of the first functions of a module.
    pub fn give_functions(&mut self, out: Out<Handle>, room: u32, module: Handle) -> Result<()> {
        for (i, name) in self.names_of(module)?.iter().take(room as usize).enumerate() {
            out.at(i).set(self.function_of(module, name)?)?;
        }
        Ok(())
    }

    /// A variable of a module, and its size.
    pub fn give_variable(
        &mut self,
        out: Out<Address>,
        size: Out<usize>,
        module: Handle,
        name: Text,
    ) -> Result<()> {
        give(self.variable_of(module, &named(name)?)?, out, size)
    }

    /// A managed variable of a module, and its size.
    pub fn give_managed(
        &mut self,
        out: Out<Address>,
        size: Out<usize>,
        module: Handle,
        name: Text,
    ) -> Result<()> {
        give(self.managed_of(module, &named(name)?)?, out, size)
    }
}
