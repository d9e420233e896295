//! Libraries: code that the program loads itself (CUDA 12.8 and later). They are those
//! of the driver API.

use super::call::api;
use super::function::cudaFuncSetAttribute;
use crate::abi::{Address, Handle, In, Options, Out, Text};

api! {
    sync fn cudaLibraryLoadData(
        out: Out<Handle>, at: Address, numbers: In<i32>, values: In<u64>, count: u32,
        _library_options: Address, _library_values: Address, _library_count: u32,
    ) |rt| {
        rt.load_image(out, at, &Options::read(count, numbers, values))
    }

    sync fn cudaLibraryLoadFromFile(
        out: Out<Handle>, path: Text, _numbers: In<i32>, _values: In<u64>, _count: u32,
        _library_options: Address, _library_values: Address, _library_count: u32,
    ) |rt| {
        rt.load_file(out, path)
    }

    sync fn cudaLibraryUnload(library: Handle) |rt| {
        rt.unload_own(library)
    }

    sync fn cudaLibraryGetKernel(out: Out<Handle>, library: Handle, name: Text) |rt| {
        rt.give_function(out, library, name)
    }

    sync fn cudaLibraryGetGlobal(
        out: Out<Address>, size: Out<usize>, library: Handle, name: Text,
    ) |rt| {
        rt.give_variable(out, size, library, name)
    }

    sync fn cudaLibraryGetManaged(
        out: Out<Address>, size: Out<usize>, library: Handle, name: Text,
    ) |rt| {
        rt.give_managed(out, size, library, name)
    }

    sync fn cudaLibraryGetKernelCount(count: Out<u32>, library: Handle) |rt| {
        count.set(rt.names_of(library)?.len() as u32)
    }

    sync fn cudaLibraryEnumerateKernels(out: Out<Handle>, room: u32, library: Handle) |rt| {
        rt.give_functions(out, room, library)
    }

    raw fn cudaKernelSetAttributeForDevice(
        kernel: Address, attribute: i32, value: i32, _device: i32,
    ) -> i32 {
        // SAFETY: what is handed over is handed on.
        unsafe { cudaFuncSetAttribute(kernel, attribute, value) }
    }
}
