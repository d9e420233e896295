//! Modules and libraries: code that the program loads itself. A library is its
//! module here, and a kernel its function.

use std::ffi::c_char;
use std::fs;

use super::call::driver;
use crate::abi::{Address, Handle, In, Options, Out, Text};
use crate::error::{Error, Result};
use crate::runtime::{Runtime, image};

/// What `cuModuleGetLoadingMode` answers: code is loaded when it is asked for.
const EAGER: i32 = 1;

fn load(rt: &mut Runtime, code: &[u8], options: &Options) -> Result<Handle> {
    let loaded = rt.load_own(code, &options.for_converter());
    options.tell(loaded.as_ref().err().map_or("", |(_, why)| why));
    loaded.map_err(|(error, _)| error)
}

fn load_image(rt: &mut Runtime, out: Out<Handle>, at: Address, options: &Options) -> Result<()> {
    if out.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let code = image::at(at)?;
    out.set(load(rt, code, options)?)
}

fn load_file(rt: &mut Runtime, out: Out<Handle>, path: Text) -> Result<()> {
    let path = path.get().ok_or(Error::INVALID_VALUE)?;
    if out.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let code = fs::read(path).map_err(|_| Error::FILE_NOT_FOUND)?;
    out.set(load(rt, &code, &Options::default())?)
}

fn give_function(rt: &mut Runtime, out: Out<Handle>, module: Handle, name: Text) -> Result<()> {
    let name = name.get().ok_or(Error::INVALID_VALUE)?;
    let found = rt.function_of(module, &name);
    // As on an H200: whoever does not look at the error has no function.
    out.set(found.unwrap_or_default())?;
    found.map(|_| ())
}

fn give_variable((at, bytes): (u64, u64), out: Out<Address>, size: Out<usize>) -> Result<()> {
    if out.is_null() && size.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    out.set_if_wanted(Address(at));
    size.set_if_wanted(bytes as usize);
    Ok(())
}

/// Handles of the first functions of a module.
fn give_functions(rt: &mut Runtime, out: Out<Handle>, room: u32, module: Handle) -> Result<()> {
    for (i, name) in rt.names_of(module)?.iter().take(room as usize).enumerate() {
        out.at(i).set(rt.function_of(module, name)?)?;
    }
    Ok(())
}

driver! {
    sync fn cuModuleLoad(out: Out<Handle>, path: Text) |rt| {
        load_file(rt, out, path)
    }

    sync fn cuModuleLoadData(out: Out<Handle>, at: Address) |rt| {
        load_image(rt, out, at, &Options::default())
    }

    sync fn cuModuleLoadDataEx(
        out: Out<Handle>, at: Address, count: u32, numbers: In<i32>, values: In<u64>,
    ) |rt| {
        load_image(rt, out, at, &Options::read(count, numbers, values))
    }

    sync fn cuModuleLoadFatBinary(out: Out<Handle>, at: Address) |rt| {
        load_image(rt, out, at, &Options::default())
    }

    sync fn cuModuleUnload(module: Handle) |rt| {
        rt.unload_own(module)
    }

    sync fn cuModuleGetFunction(out: Out<Handle>, module: Handle, name: Text) |rt| {
        give_function(rt, out, module, name)
    }

    sync fn cuModuleGetGlobal_v2(
        out: Out<Address>, size: Out<usize>, module: Handle, name: Text,
    ) |rt| {
        let name = name.get().ok_or(Error::INVALID_VALUE)?;
        give_variable(rt.variable_of(module, &name)?, out, size)
    }

    sync fn cuModuleGetFunctionCount(count: Out<u32>, module: Handle) |rt| {
        count.set(rt.names_of(module)?.len() as u32)
    }

    sync fn cuModuleEnumerateFunctions(out: Out<Handle>, room: u32, module: Handle) |rt| {
        give_functions(rt, out, room, module)
    }

    plain fn cuModuleGetLoadingMode(mode: Out<i32>) {
        mode.set(EAGER)
    }

    apart fn cuLibraryLoadData(
        out: Out<Handle>, at: Address, numbers: In<i32>, values: In<u64>, count: u32,
        _library_options: Address, _library_values: Address, _library_count: u32,
    ) |rt| {
        load_image(rt, out, at, &Options::read(count, numbers, values))
    }

    apart fn cuLibraryLoadFromFile(
        out: Out<Handle>, path: Text, _numbers: In<i32>, _values: In<u64>, _count: u32,
        _library_options: Address, _library_values: Address, _library_count: u32,
    ) |rt| {
        load_file(rt, out, path)
    }

    apart fn cuLibraryUnload(library: Handle) |rt| {
        rt.unload_own(library)
    }

    apart fn cuLibraryGetKernel(out: Out<Handle>, library: Handle, name: Text) |rt| {
        give_function(rt, out, library, name)
    }

    sync fn cuLibraryGetModule(out: Out<Handle>, library: Handle) |rt| {
        rt.names_of(library)?;
        out.set(library)
    }

    sync fn cuLibraryGetGlobal(
        out: Out<Address>, size: Out<usize>, library: Handle, name: Text,
    ) |rt| {
        let name = name.get().ok_or(Error::INVALID_VALUE)?;
        give_variable(rt.variable_of(library, &name)?, out, size)
    }

    apart fn cuLibraryGetManaged(
        out: Out<Address>, size: Out<usize>, library: Handle, name: Text,
    ) |rt| {
        let name = name.get().ok_or(Error::INVALID_VALUE)?;
        give_variable(rt.managed_of(library, &name)?, out, size)
    }

    apart fn cuLibraryGetKernelCount(count: Out<u32>, library: Handle) |rt| {
        count.set(rt.names_of(library)?.len() as u32)
    }

    apart fn cuLibraryEnumerateKernels(out: Out<Handle>, room: u32, library: Handle) |rt| {
        give_functions(rt, out, room, library)
    }

    sync fn cuKernelGetFunction(out: Out<Handle>, kernel: Handle) |rt| {
        rt.own_function(kernel)?;
        out.set(kernel)
    }

    apart fn cuKernelGetLibrary(out: Out<Handle>, kernel: Handle) |rt| {
        out.set(rt.own_function(kernel)?.1)
    }

    sync fn cuFuncGetModule(out: Out<Handle>, function: Handle) |rt| {
        out.set(rt.own_function(function)?.1)
    }

    // The name stays where it is as long as the function does.
    sync fn cuFuncGetName(out: Out<*const c_char>, function: Handle) |rt| {
        out.set(rt.name_of(function)?)
    }

    apart fn cuKernelGetName(out: Out<*const c_char>, kernel: Handle) |rt| {
        out.set(rt.name_of(kernel)?)
    }
}
