//! Modules and libraries: code that the program loads itself. A library is its
//! module here, and a kernel its function.

use std::ffi::c_char;

use super::call::driver;
use crate::abi::{Address, Handle, In, Options, Out, Text};

/// What `cuModuleGetLoadingMode` answers: code is loaded when it is asked for.
const EAGER: i32 = 1;

driver! {
    sync fn cuModuleLoad(out: Out<Handle>, path: Text) |rt| {
        rt.load_file(out, path)
    }

    sync fn cuModuleLoadData(out: Out<Handle>, at: Address) |rt| {
        rt.load_image(out, at, &Options::default())
    }

    sync fn cuModuleLoadDataEx(
        out: Out<Handle>, at: Address, count: u32, numbers: In<i32>, values: In<u64>,
    ) |rt| {
        rt.load_image(out, at, &Options::read(count, numbers, values))
    }

    sync fn cuModuleLoadFatBinary(out: Out<Handle>, at: Address) |rt| {
        rt.load_image(out, at, &Options::default())
    }

    sync fn cuModuleUnload(module: Handle) |rt| {
        rt.unload_own(module)
    }

    sync fn cuModuleGetFunction(out: Out<Handle>, module: Handle, name: Text) |rt| {
        rt.give_function(out, module, name)
    }

    sync fn cuModuleGetGlobal_v2(
        out: Out<Address>, size: Out<usize>, module: Handle, name: Text,
    ) |rt| {
        rt.give_variable(out, size, module, name)
    }

    sync fn cuModuleGetFunctionCount(count: Out<u32>, module: Handle) |rt| {
        count.set(rt.names_of(module)?.len() as u32)
    }

    sync fn cuModuleEnumerateFunctions(out: Out<Handle>, room: u32, module: Handle) |rt| {
        rt.give_functions(out, room, module)
    }

    plain fn cuModuleGetLoadingMode(mode: Out<i32>) {
        mode.set(EAGER)
    }

    apart fn cuLibraryLoadData(
        out: Out<Handle>, at: Address, numbers: In<i32>, values: In<u64>, count: u32,
        _library_options: Address, _library_values: Address, _library_count: u32,
    ) |rt| {
        rt.load_image(out, at, &Options::read(count, numbers, values))
    }

    apart fn cuLibraryLoadFromFile(
        out: Out<Handle>, path: Text, _numbers: In<i32>, _values: In<u64>, _count: u32,
        _library_options: Address, _library_values: Address, _library_count: u32,
    ) |rt| {
        rt.load_file(out, path)
    }

    apart fn cuLibraryUnload(library: Handle) |rt| {
        rt.unload_own(library)
    }

    apart fn cuLibraryGetKernel(out: Out<Handle>, library: Handle, name: Text) |rt| {
        rt.give_function(out, library, name)
    }

    sync fn cuLibraryGetModule(out: Out<Handle>, library: Handle) |rt| {
        rt.names_of(library)?;
        out.set(library)
    }

    sync fn cuLibraryGetGlobal(
        out: Out<Address>, size: Out<usize>, library: Handle, name: Text,
    ) |rt| {
        rt.give_variable(out, size, library, name)
    }

    apart fn cuLibraryGetManaged(
        out: Out<Address>, size: Out<usize>, library: Handle, name: Text,
    ) |rt| {
        rt.give_managed(out, size, library, name)
    }

    apart fn cuLibraryGetKernelCount(count: Out<u32>, library: Handle) |rt| {
        count.set(rt.names_of(library)?.len() as u32)
    }

    apart fn cuLibraryEnumerateKernels(out: Out<Handle>, room: u32, library: Handle) |rt| {
        rt.give_functions(out, room, library)
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
