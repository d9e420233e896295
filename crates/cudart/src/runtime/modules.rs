//! Loading what the program registered.

use std::borrow::Cow;
use std::env;
use std::path::PathBuf;

use upset_agent::report::{self, Record};
use upset_device::{FunctionId, ModuleId};
use upset_ptx::{Code, PtxError, Request};

use super::fault::error_of;
use super::loaded::Versions;
use super::registry::{self, Entry, FatBinary};
use super::state::Runtime;
use crate::abi::Address;
use crate::error::{Error, Result};

/// Errors of code that may be fine but needs what is not here.
pub(super) const LACKING: [Error; 3] =
    [Error::NO_KERNEL_IMAGE, Error::JIT_COMPILER_NOT_FOUND, Error::UNSUPPORTED_PTX_VERSION];

pub(super) fn error_of_ptx(e: &PtxError) -> Error {
    match e {
        PtxError::NoConverter { .. } | PtxError::NoLinker { .. } | PtxError::DoesNotRun { .. } => {
            Error::JIT_COMPILER_NOT_FOUND
        }
        PtxError::Refused { .. } if e.is_about_names() => Error::INVALID_SOURCE,
        PtxError::Refused { .. } if e.is_lacking() => Error::UNSUPPORTED_PTX_VERSION,
        PtxError::Refused { .. } => Error::INVALID_PTX,
        PtxError::Container(_) | PtxError::Files { .. } => Error::NO_KERNEL_IMAGE,
    }
}

/// Most bytes of fat binaries that are loaded before they are needed. A program's own
/// code is far below; PyTorch registers half a gigabyte, and uses a hundredth of it.
const LOADED_AHEAD: usize = 64 << 20;

impl Runtime {
    /// Loads every fat binary registered so far, in order, so that addresses
    /// do not depend on what is used first. Of very much code only what has managed
    /// variables, which the host reaches without a call; the rest comes at its first use.
    pub fn load_registered(&mut self) {
        let chosen = registry::with(|r| {
            let few = r.binaries.iter().map(|b| b.image().len()).sum::<usize>() <= LOADED_AHEAD;
            let managed = |binary| r.managed.iter().any(|m| m.entry.binary == binary);
            (0..r.binaries.len()).filter(|b| few || managed(*b)).collect::<Vec<_>>()
        });
        for binary in chosen {
            let _ = self.module(binary);
        }
    }

    /// The module of a fat binary, loaded at first use.
    fn module(&mut self, binary: usize) -> Result<ModuleId> {
        if !self.modules.by_binary.contains_key(&binary) {
            let loaded = registry::with(|r| {
                let nothing = FatBinary::default();
                let binary = r.binaries.get(binary).unwrap_or(&nothing);
                self.load(binary.image(), &binary.parts(), &[])
            });
            self.modules.by_binary.insert(binary, loaded);
            self.place_managed(binary);
        }
        match &self.modules.by_binary[&binary] {
            Ok(id) => Ok(*id),
            Err((error, _)) => Err(*error),
        }
    }

    /// Loads an image: machine code, or PTX that a converter makes code of. Where it has
    /// neither for the chip, the parts that it was linked from are linked anew.
    pub(super) fn load(
        &mut self,
        image: &[u8],
        parts: &[&[u8]],
        options: &[String],
    ) -> std::result::Result<ModuleId, (Error, String)> {
        let made = self.converted(options, |wanted| upset_ptx::relinked(image, parts, wanted));
        let (code, versions) = match made {
            Ok(code) => {
                let sm = self.device.arch_number();
                let binary = if code.made_by.is_some() { sm } else { code.compiled_for };
                (code.image, Versions { ptx: code.compiled_for, binary })
            }
            // The device says what is wrong with it.
            Err(PtxError::Container(_)) => (Cow::Borrowed(image), Versions::default()),
            Err(e) => return Err((error_of_ptx(&e), e.to_string())),
        };
        let loaded = self.device.load_module(&code).map_err(|e| {
            let error = if e.is_lacking() { Error::NO_KERNEL_IMAGE } else { error_of(&e) };
            (error, e.to_string())
        })?;
        self.modules.versions.push((loaded, versions));
        Ok(loaded)
    }

    /// Which architectures a kernel's code was compiled and made for.
    pub fn versions(&self, function: FunctionId) -> Versions {
        let of = self.modules.versions.iter().find(|(module, _)| *module == function.module());
        of.map_or_else(Versions::default, |(_, versions)| *versions)
    }

    /// Has a converter make code for the chip, and reports who made it.
    pub(super) fn converted<'a>(
        &self,
        options: &[String],
        convert: impl FnOnce(&Request<'_>) -> std::result::Result<Code<'a>, PtxError>,
    ) -> std::result::Result<Code<'a>, PtxError> {
        let path = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let (converter, kept) = (path(upset_ptx::CONVERTER), path(upset_ptx::KEPT));
        let code = convert(&Request {
            sm: self.device.arch_number(),
            converter: converter.as_deref(),
            kept: &kept.unwrap_or_else(|| env::temp_dir().join("upset-ptx")),
            options,
        })?;
        if let Some((by, digest)) = code.made_by.clone() {
            report::send(Record::Converted { by, digest });
        }
        Ok(code)
    }

    /// The module of an entry; the user is told when it could not be loaded.
    fn module_of(&mut self, entry: &Entry) -> Result<ModuleId> {
        let module = self.module(entry.binary);
        if let Some(Err((error, message))) = self.modules.by_binary.get(&entry.binary) {
            let message = format!("the code of `{}` cannot be used: {message}", entry.name);
            let lacking = LACKING.contains(error);
            self.tell(message, lacking);
        }
        module
    }

    /// The kernel behind a host function, or behind a handle of the driver API.
    pub fn function(&mut self, host: Address) -> Result<FunctionId> {
        if let Ok((id, _)) = self.own_function(host.0) {
            return Ok(id);
        }
        let entry = registry::with(|r| r.find(&r.functions, host.0))
            .ok_or(Error::INVALID_DEVICE_FUNCTION)?;
        let module = self.module_of(&entry)?;
        self.device.function(module, &entry.name).map_err(|_| Error::INVALID_DEVICE_FUNCTION)
    }

    /// Address and size of the variable behind a host variable.
    pub fn variable(&mut self, host: Address) -> Result<(u64, u64)> {
        let entry =
            registry::with(|r| r.find(&r.variables, host.0)).ok_or(Error::INVALID_SYMBOL)?;
        let module = self.module_of(&entry)?;
        let (at, size) =
            self.device.variable(module, &entry.name).map_err(|_| Error::INVALID_SYMBOL)?;
        Ok((at.0, size))
    }

    /// Module and name of a registered texture reference.
    pub fn texture_reference(&mut self, host: Address) -> Result<(ModuleId, String)> {
        let entry =
            registry::with(|r| r.find(&r.textures, host.0)).ok_or(Error::INVALID_TEXTURE)?;
        Ok((self.module_of(&entry)?, entry.name))
    }

    /// Module and name of a registered surface reference.
    pub fn surface_reference(&mut self, host: Address) -> Result<(ModuleId, String)> {
        let entry =
            registry::with(|r| r.find(&r.surfaces, host.0)).ok_or(Error::INVALID_SURFACE)?;
        Ok((self.module_of(&entry)?, entry.name))
    }

    /// Makes the managed variables of a binary reachable for the host.
    pub fn place_managed(&mut self, binary: usize) {
        let variables = registry::with(|r| {
            let of = r.managed.iter().filter(|m| m.entry.binary == binary);
            of.cloned().collect::<Vec<_>>()
        });
        for v in variables {
            let Some(Ok(module)) = self.modules.by_binary.get(&binary) else { return };
            let Ok((at, _)) = self.device.variable(*module, &v.entry.name) else { continue };
            if let Err(message) = self.mapped.add_variable(&mut self.device, at.0, v.bytes) {
                self.tell(message, true);
                continue;
            }
            // SAFETY: the start-up code registered this pointer for us to fill.
            unsafe { v.pointer.host_bytes_mut(8) }.copy_from_slice(&at.0.to_le_bytes());
        }
    }
}
